/* products_batched.c: matmul over a batch at once.
 *
 * A loop along which B stays and the rows of A and C lie at equal distances is no loop: it is more
 * rows. In the mirror image, where A stays, it is more columns. What is left over is looped here,
 * around one product, with small ones in a loop of their own.
 */
#include "products.h"

#include "ops_kernels.h"

enum { MAX_LOOPS = TM_MAX_LEVELS + TM_MAX_NDIM };

/* One loop: its size, and steps in bytes. */
typedef struct loop {
    int64_t size, a, b, c;
} loop;

/* Takes a loop into the rows of the product, if it can be. */
static bool fold_rows(tm_product *q, int64_t size, int64_t a_step, int64_t b_step, int64_t c_step)
{
    int64_t item = (int64_t)tm_dtype_size(q->dtype);
    if (b_step != 0 || a_step == 0 || q->a.dtype != q->dtype || q->c_dtype != q->dtype ||
        a_step % item || c_step % item)
        return false;
    tm_product f = *q;
    f.m = q->m * size;
    if (q->m == 1) {
        f.a.row = a_step / item;
        f.c_row = c_step / item;
    } else if (a_step != q->m * q->a.row * item || c_step != q->m * q->c_row * item) {
        return false;
    }
    if (!tm_blas_fits(f.m, f.n, f.a.row, f.a.column) ||
        !tm_blas_fits(f.m, f.p, f.c_row, f.c_column))
        return false;
    f.a.copy = NULL;
    *q = f;
    return true;
}

static bool fold(tm_product *q, const loop *l)
{
    if (fold_rows(q, l->size, l->a, l->b, l->c))
        return true;
    tm_product t = tm_product_transposed(q);
    if (!fold_rows(&t, l->size, l->b, l->a, l->c))
        return false;
    *q = tm_product_transposed(&t);
    return true;
}

/* Folds what folds, from the inside out; the loops left over, outermost first. */
static int fold_loops(tm_product *q, const tm_batch *batch, loop *loops)
{
    loop left[MAX_LOOPS];
    int count = 0;
    for (int i = batch->ndim; i-- > 0;) {
        const int64_t *step = batch->step + i * batch->num_operands;
        loop l = {batch->size[i], step[0], step[1], step[2]};
        if (l.size > 1 && !fold(q, &l))
            left[count++] = l;
    }
    for (int i = 0; i < count; i++)
        loops[i] = left[count - 1 - i];
    return count;
}

/* A factor that no loop moves is copied once, where it must be copied at all. */
static void prepare_shared(tm_product *q, int count, const loop *loops)
{
    bool a_moves = false, b_moves = false;
    for (int i = 0; i < count; i++) {
        a_moves = a_moves || loops[i].a != 0;
        b_moves = b_moves || loops[i].b != 0;
    }
    if (!a_moves)
        tm_factor_prepare(&q->a, q->dtype, q->m, q->n);
    if (!b_moves)
        tm_factor_prepare(&q->b, q->dtype, q->n, q->p);
}

/* The innermost loop, all of it. */
static void run_loop(const tm_product *q, const loop *l)
{
    int64_t item = (int64_t)tm_dtype_size(q->dtype);
    if (tm_product_is_small(q) && l->a % item == 0 && l->b % item == 0 && l->c % item == 0) {
        tm_product_small(q, l->size, l->a / item, l->b / item, l->c / item);
        return;
    }
    tm_product each = *q;
    for (int64_t i = 0; i < l->size; i++) {
        tm_product_run(&each);
        each.a.data += l->a;
        each.b.data += l->b;
        each.c += l->c;
    }
}

static void run_loops(const tm_product *q, int count, const loop *loops)
{
    if (count == 0) {
        tm_product_run(q);
        return;
    }
    if (count == 1) {
        run_loop(q, loops);
        return;
    }
    tm_product each = *q;
    for (int64_t i = 0; i < loops->size; i++) {
        run_loops(&each, count - 1, loops + 1);
        each.a.data += loops->a;
        each.b.data += loops->b;
        each.c += loops->c;
    }
}

tm_status tm_matmul_batched(tm_call *call, const tm_batch *batch)
{
    tm_product q = tm_product_of(call, tm_call_arg(call, 0)->tensor, tm_call_arg(call, 1)->tensor,
                                 tm_call_output(call, 0));
    loop loops[MAX_LOOPS];
    int count = fold_loops(&q, batch, loops);
    prepare_shared(&q, count, loops);
    run_loops(&q, count, loops);
    return TM_OK;
}
