/* products_batched.c: matmul over a batch at once.
 *
 * A loop along which B stays is no loop: it is more rows of the product. Where its rows and those
 * of A lie at equal distances, they are one; where not, it changes places with the rows if it is
 * the better of the two. In the mirror image, where A stays, it is more columns. What is left over
 * is looped here, around the products of the innermost loop.
 */
#include "products.h"

#include "ops_kernels.h"

enum {
    MAX_LOOPS = TM_MAX_LEVELS + TM_MAX_NDIM + 2, /* rows and columns may become loops */
    FEW_ROWS = 8
};

/* One loop: its size, and steps in bytes. */
typedef struct loop {
    int64_t size, a, b, c;
} loop;

/* The loops that are left around a product, innermost first. */
typedef struct nest {
    tm_product q;
    int count;
    int64_t bytes; /* that all the products touch */
    loop loops[MAX_LOOPS];
} nest;

/* -- Loops that are rows ---------------------------------------------------------------------- */

/* Whether the loop moves A and C by whole elements, and B not. */
static bool is_rows(const tm_product *q, const loop *l)
{
    int64_t item = (int64_t)tm_dtype_size(q->dtype);
    return l->b == 0 && l->a != 0 && q->a.dtype == q->dtype && q->c_dtype == q->dtype &&
           l->a % item == 0 && l->c % item == 0;
}

/* A product of other rows, if it is at least as good for BLAS. */
static bool accept(tm_product *q, int64_t m, int64_t a_row, int64_t c_row)
{
    tm_product f = *q;
    f.m = m;
    f.a.row = a_row;
    f.c_row = c_row;
    f.a.copy = NULL;
    f.c_wide = NULL;
    if (!tm_blas_fits(f.m, f.n, f.a.row, f.a.column) ||
        !tm_blas_fits(f.m, f.p, f.c_row, f.c_column))
        return false;
    *q = f;
    return true;
}

/* Makes the loop more rows: around those there are, or between them. */
static bool fold_rows(tm_product *q, const loop *l)
{
    int64_t item = (int64_t)tm_dtype_size(q->dtype), a_step = l->a / item, c_step = l->c / item;
    if (!is_rows(q, l))
        return false;
    if (q->m == 1)
        return accept(q, l->size, a_step, c_step);
    if (a_step == q->m * q->a.row && c_step == q->m * q->c_row)
        return accept(q, q->m * l->size, q->a.row, q->c_row);
    if (q->a.row == l->size * a_step && q->c_row == l->size * c_step)
        return accept(q, q->m * l->size, a_step, c_step);
    return false;
}

/* Puts the loop in the rows' place, and the rows in the loop's: where its elements of C lie side by
 * side, and where there are few rows. */
static bool swap_rows(tm_product *q, loop *l)
{
    int64_t item = (int64_t)tm_dtype_size(q->dtype);
    bool side_by_side = l->c == item && q->c_column != 1;
    bool more = q->m < FEW_ROWS && l->size > q->m && q->c_row != 1;
    if (!is_rows(q, l) || !(side_by_side || more))
        return false;
    loop rows = {q->m, q->a.row * item, 0, q->c_row * item};
    if (!accept(q, l->size, l->a / item, l->c / item))
        return false;
    *l = rows;
    return true;
}

typedef bool (*rows_fn)(tm_product *q, loop *l);

static bool fold(tm_product *q, loop *l)
{
    return fold_rows(q, l);
}

/* The same for rows or, in the mirror image, columns. */
static bool for_rows_or_columns(rows_fn fn, tm_product *q, loop *l)
{
    if (fn(q, l))
        return true;
    tm_product t = tm_product_transposed(q);
    loop mirrored = {l->size, l->b, l->a, l->c};
    if (!fn(&t, &mirrored))
        return false;
    *q = tm_product_transposed(&t);
    *l = (loop){mirrored.size, mirrored.b, mirrored.a, mirrored.c};
    return true;
}

static void fold_loops(nest *n, const tm_batch *batch)
{
    n->count = 0;
    for (int i = batch->ndim; i-- > 0;) {
        const int64_t *step = batch->step + i * batch->num_operands;
        loop l = {batch->size[i], step[0], step[1], step[2]};
        if (l.size > 1 && !for_rows_or_columns(fold, &n->q, &l))
            n->loops[n->count++] = l;
    }
    for (int i = 0; i < n->count; i++)
        if (for_rows_or_columns(swap_rows, &n->q, &n->loops[i]))
            break;
}

/* -- Loops that are left ---------------------------------------------------------------------- */

/* A factor that no loop moves is copied once, where it must be copied at all. */
static void prepare_shared(nest *n)
{
    bool a_moves = false, b_moves = false;
    for (int i = 0; i < n->count; i++) {
        a_moves = a_moves || n->loops[i].a != 0;
        b_moves = b_moves || n->loops[i].b != 0;
    }
    tm_product *q = &n->q;
    if (!a_moves)
        tm_factor_prepare(&q->a, q->dtype, q->m, q->n);
    if (!b_moves)
        tm_factor_prepare(&q->b, q->dtype, q->n, q->p);
}

/* About how many bytes all the products touch: what a loop does not move counts once. */
static int64_t touched(const nest *n)
{
    const tm_product *q = &n->q;
    int64_t a = q->m * q->n, b = q->n * q->p, c = q->m * q->p;
    for (int i = 0; i < n->count; i++) {
        const loop *l = &n->loops[i];
        a *= l->a ? l->size : 1;
        b *= l->b ? l->size : 1;
        c *= l->c ? l->size : 1;
    }
    return (a + b + c) * (int64_t)tm_dtype_size(q->dtype);
}

/* How many of the products were computed side by side. */
static int64_t run_lanes(const tm_product *q, const tm_products *all)
{
    if (all->c_step != 1 || all->count == 1)
        return 0;
    const tm_product t = tm_product_transposed(q);
    const tm_products mirrored = {all->count, all->b_step, all->a_step, all->c_step, all->bytes};
    int64_t done = tm_product_lanes(q, all);
    return done ? done : tm_product_lanes(&t, &mirrored);
}

/* The innermost loop, all of it. */
static void run_loop(const tm_product *q, int64_t bytes, const loop *l)
{
    int64_t item = (int64_t)tm_dtype_size(q->dtype);
    tm_product each = *q;
    int64_t done = 0;
    if (l->a % item == 0 && l->b % item == 0 && l->c % item == 0) {
        const tm_products all = {l->size, l->a / item, l->b / item, l->c / item, bytes};
        done = run_lanes(q, &all);
        if (done == 0 && tm_product_direct(q, &all))
            return;
    }
    each.a.data += done * l->a;
    each.b.data += done * l->b;
    each.c += done * l->c;
    for (int64_t i = done; i < l->size; i++) {
        tm_product_run(&each);
        each.a.data += l->a;
        each.b.data += l->b;
        each.c += l->c;
    }
}

static void run_loops(const tm_product *q, int64_t bytes, int count, const loop *loops)
{
    if (count == 0) {
        const tm_products one = {.count = 1, .bytes = bytes};
        if (!tm_product_direct(q, &one))
            tm_product_run(q);
        return;
    }
    if (count == 1) {
        run_loop(q, bytes, loops);
        return;
    }
    const loop *l = &loops[count - 1];
    tm_product each = *q;
    for (int64_t i = 0; i < l->size; i++) {
        run_loops(&each, bytes, count - 1, loops);
        each.a.data += l->a;
        each.b.data += l->b;
        each.c += l->c;
    }
}

tm_status tm_matmul_batched(tm_call *call, const tm_batch *batch)
{
    nest n;
    tm_product_of(call, tm_call_arg(call, 0)->tensor, tm_call_arg(call, 1)->tensor,
                  tm_call_output(call, 0), &n.q);
    if (n.q.m == 0 || n.q.p == 0)
        return TM_OK;
    fold_loops(&n, batch);
    prepare_shared(&n);
    n.bytes = touched(&n);
    run_loops(&n.q, n.bytes, n.count, n.loops);
    return TM_OK;
}
