/* reductions_block.c: a run's elements as columns, or packed where they lie neither as columns nor
 * as a row. */
#include "ops/reductions_block.h"

#include "ops/loops.h"

/* How many of the next n elements lie along the innermost dimension. */
static int64_t along_inner(const tm_block_walk *walk, int64_t n)
{
    int inner = walk->args->ndim - 1;
    int64_t left = inner < 0 ? 1 : walk->args->size[inner] - walk->index[inner];
    return left < n ? left : n;
}

/* Steps over k elements that lie along the innermost dimension. */
static void advance(tm_block_walk *walk, int64_t k)
{
    const tm_reduce_args *args = walk->args;
    int d = args->ndim - 1;
    if (d < 0)
        return;
    walk->at += k * args->step[d];
    walk->index[d] += k;
    while (d > 0 && walk->index[d] == args->size[d]) {
        walk->at += args->step[d - 1] - args->size[d] * args->step[d];
        walk->index[d--] = 0;
        walk->index[d]++;
    }
}

/* `rows` times `columns` elements into rows that lie side by side. */
#define PACK(word)                                                                                 \
    static void pack_##word(const char *from, int64_t row_step, int64_t column_step, int64_t rows, \
                            int columns, char *to)                                                 \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++)                                                         \
            for (int t = 0; t < columns; t++, to += sizeof(word))                                  \
                *(word *)(void *)to =                                                              \
                    *(const word *)(const void *)(from + i * row_step + t * column_step);          \
    }
PACK(tm_word1)
PACK(tm_word2)
PACK(tm_word4)
PACK(tm_word8)
PACK(tm_word16)

static void pack(int64_t item, const char *from, int64_t row_step, int64_t column_step,
                 int64_t rows, int columns, char *to)
{
    switch (item) {
    case 1:
        pack_tm_word1(from, row_step, column_step, rows, columns, to);
        break;
    case 2:
        pack_tm_word2(from, row_step, column_step, rows, columns, to);
        break;
    case 4:
        pack_tm_word4(from, row_step, column_step, rows, columns, to);
        break;
    case 8:
        pack_tm_word8(from, row_step, column_step, rows, columns, to);
        break;
    default:
        pack_tm_word16(from, row_step, column_step, rows, columns, to);
        break;
    }
}

void tm_block_collect(tm_block_walk *walk, int64_t n, char *buffer, tm_block_run *run)
{
    const tm_reduce_args *args = walk->args;
    int64_t step = args->ndim ? args->step[args->ndim - 1] : 0, width = walk->tile * walk->item;
    bool columns = walk->layout == TM_LAYOUT_COLUMNS;
    for (int64_t i = 0, k; i < n; i += k) {
        k = along_inner(walk, n - i);
        if (columns)
            for (int64_t j = 0; j < k; j++)
                run->row[i + j] = walk->at + j * step;
        else
            pack(walk->item, walk->at, step, args->x_step, k, walk->tile, buffer + i * width);
        advance(walk, k);
    }
    run->columns = columns || walk->layout == TM_LAYOUT_PACKED_COLUMNS;
    run->even = !columns;
    run->first = buffer;
    run->x_step = 0; /* a packed row is a tile of one */
    run->row_step = width;
}
