/* contractions_einsum.c: sums of products by Einstein's notation.
 *
 * The tensors are multiplied from left to right. What has been multiplied so far and the next
 * tensor become one product of stacks of matrices: the indices that both have and somebody still
 * needs are the stack, those that nobody needs are summed over, the others are rows and columns. An
 * index that only one has and nobody needs is summed over before.
 */
#include "contractions_equation.h"
#include "numeric.h"
#include "ops_kernels.h"

/* -- the checks ------------------------------------------------------------------------------- */

/* What is left after each product: its rank and bytes must be a tensor's. `kept` are the labels met
 * up to here that are needed later. */
static tm_status check_product(tm_call *call, const tm_equation *e, const tm_labels *kept,
                               int64_t last)
{
    if (kept->count > TM_MAX_NDIM)
        return tm_fail_arg(call, TM_ERR_RANK, "xs",
                           "the product of xs[0] to xs[%lld] must have at most %d dimensions, got "
                           "%d",
                           (long long)last, TM_MAX_NDIM, kept->count);
    int64_t shape[TM_MAX_NDIM], bytes = (int64_t)tm_dtype_size(tm_computed_in(e->dtype));
    bool fits = true;
    for (int i = 0; i < kept->count; i++) {
        shape[i] = e->size[kept->label[i]];
        if (shape[i] > 1)
            fits = fits && !__builtin_mul_overflow(bytes, shape[i], &bytes);
    }
    if (fits && bytes <= PTRDIFF_MAX / 2)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "xs",
                       "the product of xs[0] to xs[%lld] does not fit in memory's address range: "
                       "shape %s",
                       (long long)last, tm_sizes_text(call, kept->count, shape));
}

static tm_status check_products(tm_call *call, const char *at, tm_tensor_list xs, tm_equation *e)
{
    tm_labels met = {0}, term;
    for (int64_t k = 0; k < xs.count; k++) {
        at = tm_equation_term(at, tm_ndim(xs.data[k]), &term);
        tm_equation_pass(e, &term);
        for (int i = 0; i < term.count; i++)
            if (!tm_labels_have(&met, term.label[i]))
                met.label[met.count++] = term.label[i];
        tm_labels kept = {0};
        for (int i = 0; i < met.count; i++)
            if (e->left[met.label[i]] > 0)
                kept.label[kept.count++] = met.label[i];
        tm_status status = k + 1 < xs.count ? check_product(call, e, &kept, k) : TM_OK;
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

tm_status tm_einsum_meta(tm_call *call, const char *equation, tm_tensor_list xs)
{
    tm_equation e;
    tm_status status = tm_equation_read(call, equation, xs, &e);
    if (status == TM_OK)
        status = check_products(call, equation, xs, &e);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_EINSUM_LABELS];
    for (int i = 0; i < e.out.count; i++)
        shape[i] = e.size[e.out.label[i]];
    return tm_output(call, 0, e.dtype, e.out.count, shape);
}

/* -- one tensor ------------------------------------------------------------------------------- */

/* A tensor and the label of each of its dimensions, none twice. */
typedef struct factor {
    const tm_tensor *x;
    tm_labels labels;
} factor;

static void drop_label(tm_labels *labels, int i)
{
    labels->count--;
    for (; i < labels->count; i++)
        labels->label[i] = labels->label[i + 1];
}

/* A dimension of size 1 that broadcasts is as good as none. */
static void drop_broadcast(factor *f, const tm_equation *e)
{
    for (int i = f->labels.count; f->x && i-- > 0;)
        if (tm_size(f->x, i) != e->size[f->labels.label[i]]) {
            f->x = tm_select(f->x, i, 0);
            drop_label(&f->labels, i);
        }
}

/* An index that stands twice: the diagonal, which becomes the last dimension. */
static void take_diagonals(factor *f)
{
    for (int i = 0; i < f->labels.count; i++)
        for (int j = i + 1; j < f->labels.count; j++) {
            uint8_t label = f->labels.label[i];
            if (f->labels.label[j] != label)
                continue;
            f->x = tm_diagonal(f->x, 0, i, j);
            drop_label(&f->labels, j);
            drop_label(&f->labels, i);
            f->labels.label[f->labels.count++] = label;
            j = i; /* another label stands at i now: from its neighbour on */
        }
}

/* Sums over the dimensions that nobody needs, but for those that `other` has. */
static void sum_unneeded(factor *f, const tm_equation *e, tm_dtype dtype, const tm_labels *other)
{
    int64_t axes[TM_MAX_NDIM], count = 0;
    tm_labels kept = {0};
    for (int i = 0; i < f->labels.count; i++) {
        uint8_t label = f->labels.label[i];
        if (e->left[label] > 0 || tm_labels_have(other, label))
            kept.label[kept.count++] = label;
        else
            axes[count++] = i;
    }
    if (count > 0)
        f->x = tm_sum_dtype(f->x, dtype, &(tm_int_list){axes, count}, false);
    f->labels = kept;
}

/* -- a product -------------------------------------------------------------------------------- */

/* Labels of a pair, by what becomes of them, and how many elements each group has. */
enum { STACK, ROWS, COLUMNS, SUMMED, GROUPS };

typedef struct pair {
    tm_labels group[GROUPS];
    int64_t size[GROUPS];
} pair;

static void put(pair *p, int group, uint8_t label, const tm_equation *e)
{
    tm_labels *labels = &p->group[group];
    labels->label[labels->count++] = label;
    p->size[group] *= e->size[label];
}

static pair sort_labels(const tm_labels *a, const tm_labels *b, const tm_equation *e)
{
    pair p = {.size = {1, 1, 1, 1}};
    for (int i = 0; i < a->count; i++) {
        uint8_t label = a->label[i];
        bool both = tm_labels_have(b, label);
        put(&p, !both ? ROWS : e->left[label] > 0 ? STACK : SUMMED, label, e);
    }
    for (int i = 0; i < b->count; i++)
        if (!tm_labels_have(a, b->label[i]))
            put(&p, COLUMNS, b->label[i], e);
    return p;
}

static int place_of(const tm_labels *labels, uint8_t label)
{
    int i = 0;
    while (labels->label[i] != label)
        i++;
    return i;
}

/* f's dimensions in the order of `labels`. */
static tm_tensor *in_order(const factor *f, const tm_labels *labels)
{
    int64_t axes[TM_MAX_NDIM];
    for (int i = 0; i < labels->count; i++)
        axes[i] = place_of(&f->labels, labels->label[i]);
    return tm_permute_dims(f->x, (tm_int_list){axes, labels->count});
}

static tm_labels joined(const tm_labels *a, const tm_labels *b, const tm_labels *c)
{
    const tm_labels *each[] = {a, b, c};
    tm_labels all = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < each[k]->count; i++)
            all.label[all.count++] = each[k]->label[i];
    return all;
}

/* The sizes of the labels; those that `absent` has are 1. */
static tm_int_list sizes_of(const tm_labels *labels, const tm_equation *e, const tm_labels *absent,
                            int64_t *sizes)
{
    for (int i = 0; i < labels->count; i++)
        sizes[i] = tm_labels_have(absent, labels->label[i]) ? 1 : e->size[labels->label[i]];
    return (tm_int_list){sizes, labels->count};
}

/* a times b, into a. Where nothing is summed over, element by element. */
static void multiply(factor *a, const factor *b, const tm_equation *e)
{
    static const tm_labels none = {0};
    pair p = sort_labels(&a->labels, &b->labels, e);
    const tm_labels *stack = &p.group[STACK], *rows = &p.group[ROWS], *columns = &p.group[COLUMNS],
                    *summed = &p.group[SUMMED];
    tm_labels result = joined(stack, rows, columns);
    tm_labels a_order = joined(stack, rows, summed), b_order = joined(stack, summed, columns);
    const tm_tensor *x1 = in_order(a, &a_order), *x2 = in_order(b, &b_order), *product;
    int64_t sizes[TM_MAX_NDIM];
    if (summed->count == 0) {
        x1 = tm_reshape(x1, sizes_of(&result, e, columns, sizes));
        product = tm_mul(x1, tm_reshape(x2, sizes_of(&result, e, rows, sizes)));
    } else {
        x1 = tm_reshape(x1, TM_INTS(p.size[STACK], p.size[ROWS], p.size[SUMMED]));
        x2 = tm_reshape(x2, TM_INTS(p.size[STACK], p.size[SUMMED], p.size[COLUMNS]));
        product = tm_reshape(tm_matmul(x1, x2), sizes_of(&result, e, &none, sizes));
    }
    *a = (factor){product, result};
}

/* -- all of them ------------------------------------------------------------------------------ */

/* The next tensor in the dtype that is computed in; `e` then knows what is needed after it. */
static factor next_factor(const char **at, const tm_tensor *x, tm_dtype dtype, tm_equation *e)
{
    factor f = {.x = x};
    *at = tm_equation_term(*at, tm_ndim(x), &f.labels);
    tm_equation_pass(e, &f.labels);
    drop_broadcast(&f, e);
    take_diagonals(&f);
    if (f.x && tm_dtype_of(f.x) != dtype)
        f.x = tm_astype(f.x, dtype);
    return f;
}

/* 16-bit floats of several tensors are computed in float32, so that they are rounded once. */
tm_status tm_einsum_impl(tm_call *call, const char *equation, tm_tensor_list xs, tm_tensor **out)
{
    static const tm_labels none = {0};
    tm_equation e;
    tm_status status = tm_equation_read(call, equation, xs, &e);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = xs.count > 1 ? tm_computed_in(e.dtype) : e.dtype;
    const char *at = equation;
    factor all = next_factor(&at, xs.data[0], dtype, &e);
    for (int64_t k = 1; k < xs.count; k++) {
        factor next = next_factor(&at, xs.data[k], dtype, &e);
        sum_unneeded(&all, &e, dtype, &next.labels);
        sum_unneeded(&next, &e, dtype, &all.labels);
        multiply(&all, &next, &e);
    }
    sum_unneeded(&all, &e, dtype, &none);
    tm_tensor *result = in_order(&all, &e.out);
    *out = dtype == e.dtype ? result : tm_astype(result, e.dtype);
    return *out ? TM_OK : tm_error_code();
}
