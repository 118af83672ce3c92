/* random_choice.c: draws among outcomes.
 *
 *     bernoulli     u < p, u as rand has it in float64, whatever the dtype
 *     multinomial   with replacement: sample s of row r takes u of element r * num_samples + s, as
 *                   rand has it in float64, and is the first category whose sum of weights up to
 *                   and with it is above u times the sum of all (the inverse of the distribution)
 *                   without: category i of row r gets the key -ln(u) / weight, u in (0, 1) of
 *                   element r * categories + i as exponential has it in float64; the samples are
 *                   the smallest keys in order, equal ones by index. That is a draw after the
 *                   other (Efraimidis and Spirakis, Inf. Process. Lett. 97 (2006), 181).
 */
#include <math.h>

#include "random_draws.h"
#include "scalars.h"

/* -- bernoulli -------------------------------------------------------------------------------- */

static tm_status check_p(tm_call *call, double p)
{
    if (p >= 0 && p <= 1)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "p", "p must be in [0, 1], got %g", p);
}

tm_status tm_bernoulli_shape_meta(tm_call *call, double p, tm_int_list shape, tm_dtype dtype,
                                  tm_generator *generator)
{
    (void)generator;
    if (dtype == TM_DTYPE_NONE)
        dtype = TM_FLOAT32;
    tm_status status = tm_check_sizes(call, "shape", shape);
    if (status == TM_OK)
        status = tm_output(call, 0, dtype, shape.count, shape.data);
    return status == TM_OK ? check_p(call, p) : status;
}

static tm_status draw_one_p(tm_call *call, void *how, int64_t first, int n, bool wide, double *to)
{
    (void)wide;
    double p = *(const double *)how;
    tm_random_unit(call, first, n, tm_random_bits(TM_FLOAT64), to);
    for (int i = 0; i < n; i++)
        to[i] = to[i] < p;
    return TM_OK;
}

tm_status tm_bernoulli_shape_impl(tm_call *call, double p, tm_int_list shape, tm_dtype dtype,
                                  tm_generator *generator, tm_tensor *out)
{
    (void)shape, (void)dtype, (void)generator;
    return tm_draw(call, out, draw_one_p, &p);
}

tm_status tm_bernoulli_meta(tm_call *call, const tm_tensor *p, tm_dtype dtype,
                            tm_generator *generator)
{
    (void)generator;
    tm_status status = tm_check_kind(call, "p", p, TM_KIND_FLOAT, "a floating-point dtype");
    if (status != TM_OK)
        return status;
    dtype = dtype == TM_DTYPE_NONE ? tm_dtype_of(p) : dtype;
    return tm_output(call, 0, dtype, tm_ndim(p), tm_shape(p));
}

static tm_status draw_each_p(tm_call *call, void *how, int64_t first, int n, bool wide, double *to)
{
    (void)wide;
    double p[TM_DRAW_RUN];
    tm_random_read(how, n, p);
    tm_random_unit(call, first, n, tm_random_bits(TM_FLOAT64), to);
    for (int i = 0; i < n; i++) {
        tm_status status = check_p(call, p[i]);
        if (status != TM_OK)
            return status;
        to[i] = to[i] < p[i];
    }
    return TM_OK;
}

tm_status tm_bernoulli_impl(tm_call *call, const tm_tensor *p, tm_dtype dtype,
                            tm_generator *generator, tm_tensor *out)
{
    (void)dtype, (void)generator;
    tm_random_reader reader;
    tm_random_read_from(&reader, p, out);
    return tm_draw(call, out, draw_each_p, &reader);
}

/* -- multinomial ------------------------------------------------------------------------------ */

typedef struct candidate {
    double key;
    int64_t category;
} candidate;

tm_status tm_multinomial_meta(tm_call *call, const tm_tensor *probs, int64_t num_samples,
                              bool replacement, tm_generator *generator)
{
    (void)generator;
    int ndim = tm_ndim(probs);
    int64_t shape[TM_MAX_NDIM];
    tm_status status = tm_check_rank(call, "probs", probs, 1);
    if (status == TM_OK)
        status = tm_check_kind(call, "probs", probs, TM_KIND_FLOAT, "a floating-point dtype");
    if (status != TM_OK)
        return status;
    int64_t categories = tm_size(probs, ndim - 1);
    if (categories == 0)
        return tm_fail_arg(call, TM_ERR_SHAPE, "probs",
                           "probs must have at least one category, got shape %s",
                           tm_shape_text(call, probs));
    if (num_samples < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "num_samples",
                           "num_samples must not be negative, got %lld", (long long)num_samples);
    if (!replacement && num_samples > categories)
        return tm_fail_arg(call, TM_ERR_VALUE, "num_samples",
                           "num_samples must be at most the number of categories %lld without "
                           "replacement, got %lld",
                           (long long)categories, (long long)num_samples);
    for (int d = 0; d < ndim - 1; d++)
        shape[d] = tm_shape(probs)[d];
    shape[ndim - 1] = num_samples;
    tm_need_workspace(call, (size_t)categories * (sizeof(double) + sizeof(candidate)));
    return tm_output(call, 0, TM_INT64, ndim, shape);
}

/* One row of weights: their sum, and how many are not zero. */
static tm_status check_weights(tm_call *call, const double *w, int64_t n, double *sum,
                               int64_t *positive)
{
    *sum = 0;
    *positive = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(w[i] >= 0 && isfinite(w[i])))
            return tm_fail_arg(call, TM_ERR_VALUE, "probs",
                               "probs must be finite and not negative, got %g", w[i]);
        *sum += w[i];
        *positive += w[i] > 0;
    }
    if (*sum > 0 && isfinite(*sum))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "probs",
                       "probs must have a positive, finite sum, got %g", *sum);
}

/* The first category whose cumulative weight is above `at`. Where rounding leaves none, the last
 * that has any weight: the first to reach the sum. */
static int64_t find(const double *cumulative, int64_t n, double at)
{
    double sum = cumulative[n - 1];
    int64_t low = 0, high = n - 1;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (cumulative[mid] > at || cumulative[mid] == sum)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static void with_replacement(tm_call *call, double *w, int64_t n, int64_t row, int64_t num,
                             int64_t *to)
{
    double u[TM_DRAW_RUN];
    for (int64_t i = 1; i < n; i++)
        w[i] += w[i - 1];
    for (int64_t s = 0; s < num; s += TM_DRAW_RUN) {
        int run = num - s < TM_DRAW_RUN ? (int)(num - s) : TM_DRAW_RUN;
        tm_random_unit(call, row * num + s, run, tm_random_bits(TM_FLOAT64), u);
        for (int i = 0; i < run; i++)
            to[s + i] = find(w, n, u[i] * w[n - 1]);
    }
}

static bool before(candidate a, candidate b)
{
    return a.key < b.key || (a.key == b.key && a.category < b.category);
}

/* Restores the heap (the smallest on top) below place i. */
static void sift(candidate *heap, int64_t n, int64_t i)
{
    candidate moved = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], moved))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static void without_replacement(tm_call *call, const double *w, int64_t n, int64_t row, int64_t num,
                                candidate *heap, int64_t *to)
{
    double u[TM_DRAW_RUN];
    int64_t count = 0;
    for (int64_t first = 0; first < n; first += TM_DRAW_RUN) {
        int run = n - first < TM_DRAW_RUN ? (int)(n - first) : TM_DRAW_RUN;
        tm_random_open(call, row * n + first, run, true, u);
        for (int i = 0; i < run; i++)
            if (w[first + i] > 0)
                heap[count++] = (candidate){-log(u[i]) / w[first + i], first + i};
    }
    for (int64_t i = count / 2; i-- > 0;)
        sift(heap, count, i);
    for (int64_t s = 0; s < num; s++) {
        to[s] = heap[0].category;
        heap[0] = heap[--count];
        sift(heap, count, 0);
    }
}

tm_status tm_multinomial_impl(tm_call *call, const tm_tensor *probs, int64_t num_samples,
                              bool replacement, tm_generator *generator, tm_tensor *out)
{
    (void)generator;
    int64_t n = tm_size(probs, tm_ndim(probs) - 1), rows = tm_numel(probs) / n;
    candidate *heap = tm_workspace(call);
    double *w = (double *)(void *)(heap + n);
    int64_t *to = tm_mutable_data(out);
    tm_random_reader reader;
    tm_random_read_from(&reader, probs, probs);
    for (int64_t row = 0; row < rows; row++, to += num_samples) {
        double sum;
        int64_t positive;
        tm_random_read(&reader, n, w);
        tm_status status = check_weights(call, w, n, &sum, &positive);
        if (status != TM_OK)
            return status;
        if (!replacement && num_samples > positive)
            return tm_fail_arg(call, TM_ERR_VALUE, "num_samples",
                               "num_samples must be at most the number of categories with a "
                               "positive weight %lld without replacement, got %lld",
                               (long long)positive, (long long)num_samples);
        if (replacement)
            with_replacement(call, w, n, row, num_samples, to);
        else
            without_replacement(call, w, n, row, num_samples, heap, to);
    }
    return TM_OK;
}
