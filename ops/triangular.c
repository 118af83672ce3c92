/* triangular.c: triu and tril: rows of a matrix, cut at a diagonal. */
#include <string.h>

#include "dispatch/fields.h"
#include "loops.h"
#include "ops_kernels.h"
#include "triangular.h"

static tm_status check(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 2);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

tm_status tm_triu_meta(tm_call *call, const tm_tensor *x, int64_t k)
{
    (void)k;
    return check(call, x);
}

tm_status tm_tril_meta(tm_call *call, const tm_tensor *x, int64_t k)
{
    (void)k;
    return check(call, x);
}

/* Row i keeps columns [from, to) of n, the others are zeros. Steps are in bytes. */
#define KEEP(word)                                                                                 \
    static inline void keep_##word(char *out, int64_t out_step, const char *x, int64_t x_step,     \
                                   int64_t n, int64_t from, int64_t to)                            \
    {                                                                                              \
        const word zero = {0};                                                                     \
        for (int64_t j = 0; j < n; j++) {                                                          \
            word v = TM_CONST_AT(word, x + j * x_step);                                            \
            TM_AT(word, out + j * out_step) = j >= from && j < to ? v : zero;                      \
        }                                                                                          \
    }
KEEP(tm_word1)
KEEP(tm_word2)
KEEP(tm_word4)
KEEP(tm_word8)
KEEP(tm_word16)

/* The same for a short contiguous row, seen as 32-bit words and masked four at a time. */
typedef int32_t words __attribute__((vector_size(16)));

static inline void keep_words(char *out, const char *x, int32_t n, int32_t from, int32_t to)
{
    const words first = (words){0} + from, end = (words){0} + to;
    words index = {0, 1, 2, 3};
    int32_t j = 0;
    for (; j + 4 <= n; j += 4, index += 4) {
        words v;
        memcpy(&v, x + 4 * j, sizeof v);
        v &= (index >= first) & (index < end);
        memcpy(out + 4 * j, &v, sizeof v);
    }
    keep_tm_word4(out + 4 * j, 4, x + 4 * j, 4, n - j, from - j, to - j);
}

enum { LONG_ROW = 64 };

static inline void keep(size_t item, char *out, int64_t out_step, const char *x, int64_t x_step,
                        int64_t n, int64_t from, int64_t to)
{
    if (out_step == (int64_t)item && x_step == (int64_t)item && n > LONG_ROW) {
        memset(out, 0, (size_t)from * item);
        memcpy(out + (size_t)from * item, x + (size_t)from * item, (size_t)(to - from) * item);
        memset(out + (size_t)to * item, 0, (size_t)(n - to) * item);
        return;
    }
    switch (item) {
    case 1:
        keep_tm_word1(out, out_step, x, x_step, n, from, to);
        break;
    case 2:
        keep_tm_word2(out, out_step, x, x_step, n, from, to);
        break;
    case 4:
        keep_tm_word4(out, out_step, x, x_step, n, from, to);
        break;
    case 8:
        keep_tm_word8(out, out_step, x, x_step, n, from, to);
        break;
    default:
        keep_tm_word16(out, out_step, x, x_step, n, from, to);
        break;
    }
}

static tm_status cut(const tm_tensor *x, int64_t k, tm_tensor *out, bool upper)
{
    tm_fields src, dst;
    tm_fields_of(x, &src);
    tm_fields_of(out, &dst);
    const int64_t rows = src.shape[0], columns = src.shape[1], item = src.item;
    if (rows == 0 || columns == 0)
        return TM_OK;
    const int64_t x_row = tm_fields_step(&src, 0), x_column = tm_fields_step(&src, 1);
    const int64_t out_row = tm_fields_step(&dst, 0), out_column = tm_fields_step(&dst, 1);
    const bool dense = columns == 1 || (x_column == item && out_column == item);
    const int64_t scale = item / 4; /* words in an element */
    int64_t from, to;
    if (dense && scale > 0 && columns <= LONG_ROW) {
        for (int64_t i = 0; i < rows; i++, src.data += x_row, dst.data += out_row) {
            tm_triangle_row(i, rows, columns, k, upper, &from, &to);
            keep_words(dst.data, src.data, (int32_t)(columns * scale), (int32_t)(from * scale),
                       (int32_t)(to * scale));
        }
        return TM_OK;
    }
    for (int64_t i = 0; i < rows; i++) {
        tm_triangle_row(i, rows, columns, k, upper, &from, &to);
        keep((size_t)item, dst.data + i * out_row, out_column, src.data + i * x_row, x_column,
             columns, from, to);
    }
    return TM_OK;
}

tm_status tm_triu_impl(tm_call *call, const tm_tensor *x, int64_t k, tm_tensor *out)
{
    (void)call;
    return cut(x, k, out, true);
}

tm_status tm_tril_impl(tm_call *call, const tm_tensor *x, int64_t k, tm_tensor *out)
{
    (void)call;
    return cut(x, k, out, false);
}
