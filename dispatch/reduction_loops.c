/* reduction_loops.c: choosing a reduction's loops and their order. */
#include "reduction_loops.h"

#include <stdlib.h>

#include "handle.h"

enum {
    SCATTERED = 1 << 15,   /* bytes: what outputs may lie in that are written where they belong */
    PANEL_BYTES = 1 << 18, /* most that a panel takes; it stays in the second cache */
    PANEL_WIDTH = 256      /* most bytes of it that lie together in the result */
};

static void insert_loop(tm_reduction *r, int at, int64_t size, int64_t x_step, int64_t out_step)
{
    for (int l = r->loops++; l > at; l--) {
        r->size[l] = r->size[l - 1];
        r->step[2 * l] = r->step[2 * l - 2];
        r->step[2 * l + 1] = r->step[2 * l - 1];
    }
    r->size[at] = size;
    r->step[2 * at] = x_step;
    r->step[2 * at + 1] = out_step;
}

/* In the order of levels and dimensions, or `by_memory`: the loop that moves least in x innermost,
 * so that the kernel is given runs of x. */
static void add_loop(tm_reduction *r, int64_t size, int64_t x_step, int64_t out_step,
                     bool by_memory)
{
    int at = r->loops;
    if (size == 1)
        return;
    while (by_memory && at > 0 && llabs(r->step[2 * at - 2]) < llabs(x_step))
        at--;
    insert_loop(r, at, size, x_step, out_step);
}

/* Neighbours that one step walks become one loop. */
static void merge_loops(tm_reduction *r)
{
    int last = 0;
    for (int l = 1; l < r->loops; l++) {
        const int64_t *step = r->step + 2 * l;
        if (r->step[2 * last] == step[0] * r->size[l] &&
            r->step[2 * last + 1] == step[1] * r->size[l]) {
            r->size[last] *= r->size[l];
        } else {
            last++;
            r->size[last] = r->size[l];
        }
        r->step[2 * last] = step[0];
        r->step[2 * last + 1] = step[1];
    }
    if (r->loops > 0)
        r->loops = last + 1;
    else
        insert_loop(r, 0, 1, 0, 0);
}

void tm_reduction_panel(tm_reduction *r, int64_t item, int num_threads)
{
    tm_panel *p = &r->panel;
    int inner = r->loops - 1, close = inner;
    for (int l = 0; l < inner; l++)
        if (llabs(r->step[2 * l + 1]) < llabs(r->step[2 * close + 1]))
            close = l;
    p->columns = r->size[inner];
    p->rows = r->size[close];
    if (close == inner || p->rows == 1 || llabs(r->step[2 * inner + 1]) <= SCATTERED / p->columns)
        return;
    p->most_rows = p->rows < PANEL_WIDTH / item ? p->rows : PANEL_WIDTH / item;
    int64_t most = PANEL_BYTES / item / p->most_rows;
    int64_t blocks = (p->columns + most - 1) / most;
    if (num_threads > 1)
        blocks = (blocks + 3) / 4 * 4; /* for each about as much */
    most = (p->columns + blocks - 1) / blocks;
    p->most_columns = (most + 15) / 16 * 16;
    p->row_loop = close;
    p->item = item;
    for (int k = 0; k < 2; k++) {
        p->row_step[k] = r->step[2 * close + k];
        p->column_step[k] = r->step[2 * inner + k];
        r->step[2 * close + k] *= p->most_rows;
        r->step[2 * inner + k] *= p->most_columns;
    }
    r->size[close] = (p->rows + p->most_rows - 1) / p->most_rows;
    r->size[inner] = (p->columns + p->most_columns - 1) / p->most_columns;
}

static void add_reduced(tm_reduction *r, int64_t size, int64_t step)
{
    r->count *= size;
    if (size == 1)
        return;
    int last = r->reduced - 1;
    if (last >= 0 && r->red_step[last] == step * size) {
        r->red_size[last] *= size;
    } else {
        last = r->reduced++;
        r->red_size[last] = size;
    }
    r->red_step[last] = step;
}

bool tm_reduction_loops(tm_reduction *r, const tm_call *call, const tm_tensor *x,
                        const tm_tensor *out, bool by_memory)
{
    const tm_plan *plan = r->plan;
    bool any = true;
    r->loops = r->reduced = 0;
    r->panel.most_columns = 0;
    r->count = 1;
    for (int l = 0; plan && l < plan->num_levels; l++) {
        any = any && plan->size[l] > 0;
        add_loop(r, plan->size[l], plan->step[2 * l], plan->step[2 * l + 1], by_memory);
    }
    uint32_t mask = call->reduce_mask;
    for (int d = 0, o = 0; d < x->ndim; d++) {
        if (mask >> d & 1) {
            add_reduced(r, x->shape[d], tm_handle_step(x, d));
            o += call->reduce_keepdims;
        } else {
            any = any && x->shape[d] > 0;
            add_loop(r, x->shape[d], tm_handle_step(x, d), tm_handle_step(out, o), by_memory);
            o++;
        }
    }
    merge_loops(r);
    return any;
}
