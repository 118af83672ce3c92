/* normalize.c: softmax and its logarithm.
 *
 * A run that does not lie contiguously is gathered into the workspace, computed there and
 * scattered, so its layout cannot change a bit of it. A batch of float32 is taken where it lies:
 * rows that are contiguous, or columns where examples are.
 */
#include <string.h>

#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"
#include "steps.h"

enum { BLOCK = 256, STRIPS = 4 /* of 16 columns, taken side by side */ };

#define TM_LEVEL_BODY "normalize_softmax.h"
#include "levels.h"

TM_SIMD_PICK(, static void, softmax_rows,
             (const char *x, int64_t x_step, char *out, int64_t out_step, int64_t rows, int64_t n,
              bool logarithm),
             (x, x_step, out, out_step, rows, n, logarithm))
TM_SIMD_PICK(, static void, softmax_columns,
             (const char *x, int64_t x_step, char *out, int64_t out_step, int64_t n, int strips,
              bool logarithm),
             (x, x_step, out, out_step, n, strips, logarithm))

static void softmax_float64(const double *x, double *out, int64_t n)
{
    double maximum = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t end = n - at < BLOCK ? n : at + BLOCK;
        double part = 0;
        for (int64_t i = at; i < end; i++)
            part += out[i] = exp(x[i] - maximum);
        sum += part;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] /= sum;
}

/* x less the logarithm of the sum of exponentials; as for softmax, from x less its maximum. */
static void log_softmax_float64(const double *x, double *out, int64_t n)
{
    double maximum = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t end = n - at < BLOCK ? n : at + BLOCK;
        double part = 0;
        for (int64_t i = at; i < end; i++)
            part += exp(x[i] - maximum);
        sum += part;
    }
    double shift = log(sum);
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] - maximum - shift;
}

static tm_status rows_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    tm_status status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 0, 1, &axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, 1, &axis);
    if (status != TM_OK)
        return status;
    int64_t inner = 1; /* the result's stride along the axis, and that of a copy of x */
    for (int d = (int)axis + 1; d < tm_ndim(x); d++)
        inner *= tm_size(x, d);
    tm_dtype dtype = tm_computed_in(tm_dtype_of(x));
    if (inner != 1 || tm_strides(x)[axis] != 1 || tm_dtype_of(x) != dtype) {
        size_t bytes;
        if (__builtin_mul_overflow((size_t)tm_size(x, axis), 2 * tm_dtype_size(dtype), &bytes) ||
            bytes > SIZE_MAX / 4)
            bytes = SIZE_MAX / 4; /* an expanded x can be larger than memory */
        tm_need_workspace(call, bytes);
    }
    return tm_output_like(call, 0, x);
}

static tm_status run_rows(tm_call *call, const tm_tensor *x, tm_tensor *out, bool logarithm)
{
    int64_t n = tm_shape(x)[0];
    if (n == 0)
        return TM_OK;
    tm_dtype own = tm_dtype_of(x), dtype = tm_computed_in(own);
    int64_t item = (int64_t)tm_dtype_size(dtype), own_item = (int64_t)tm_dtype_size(own);
    int64_t x_step = n > 1 ? tm_strides(x)[0] * own_item : own_item;
    int64_t out_step = n > 1 ? tm_strides(out)[0] * own_item : own_item;
    char *room = tm_workspace(call), *result = tm_mutable_data(out);
    const char *run = tm_data(x);
    if (own != dtype || x_step != item) {
        tm_cast(own, dtype)(run, x_step, room, item, n);
        run = room;
    }
    bool aside = own != dtype || out_step != item;
    if (aside)
        result = room + n * item;
    if (dtype == TM_FLOAT32)
        softmax_rows(run, 0, result, 0, 1, n, logarithm);
    else if (logarithm)
        log_softmax_float64((const double *)(const void *)run, (double *)(void *)result, n);
    else
        softmax_float64((const double *)(const void *)run, (double *)(void *)result, n);
    if (aside)
        tm_cast(dtype, own)(result, item, tm_mutable_data(out), out_step, n);
    return TM_OK;
}

/* -- Batches ----------------------------------------------------------------------------------- */

/* A loop whose examples lie side by side on both sides and are many; -1: none. */
static int loop_across(const tm_batch *batch)
{
    const int64_t item = (int64_t)sizeof(float);
    for (int l = batch->ndim; l-- > 0;)
        if (batch->step[2 * l] == item && batch->step[2 * l + 1] == item && batch->size[l] >= LANES)
            return l;
    return -1;
}

/* The examples along one loop, from where x and out point. */
typedef struct examples {
    int64_t n, x_core, out_core; /* of one example */
    int64_t count, x_step, out_step;
    bool across, logarithm;
} examples;

static void run_examples(const examples *e, const char *x, char *out)
{
    int64_t done = 0;
    if (e->across) {
        int64_t left;
        for (; (left = e->count - done) >= LANES;) {
            int strips = left >= STRIPS * LANES ? STRIPS : (int)(left / LANES);
            softmax_columns(x, e->x_core, out, e->out_core, e->n, strips, e->logarithm);
            done += strips * LANES;
            x += strips * LANES * (int64_t)sizeof(float);
            out += strips * LANES * (int64_t)sizeof(float);
        }
        if (done < e->count) { /* once more, up to the last one */
            const int64_t back = (LANES - left) * (int64_t)sizeof(float);
            softmax_columns(x - back, e->x_core, out - back, e->out_core, e->n, 1, e->logarithm);
        }
        return;
    }
    softmax_rows(x, e->x_step, out, e->out_step, e->count, e->n, e->logarithm);
}

static tm_status run_batch(tm_call *call, const tm_batch *batch, bool logarithm)
{
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    tm_tensor *out = tm_call_output(call, 0);
    const int64_t item = (int64_t)sizeof(float);
    examples e = {.n = tm_shape(x)[0],
                  .x_core = tm_axis_step(x, 0),
                  .out_core = tm_axis_step(out, 0),
                  .count = 1,
                  .logarithm = logarithm};
    bool rows = e.n == 1 || (e.x_core == item && e.out_core == item);
    int along = rows ? batch->ndim - 1 : loop_across(batch);
    if (tm_dtype_of(x) != TM_FLOAT32 || (!rows && along < 0)) {
        tm_batch_decline(call);
        return TM_OK;
    }
    if (e.n == 0)
        return TM_OK;
    e.across = !rows;
    int64_t others = 1;
    for (int l = 0; l < batch->ndim; l++)
        if (l != along)
            others *= batch->size[l];
    if (along >= 0) {
        e.count = batch->size[along];
        e.x_step = batch->step[2 * along];
        e.out_step = batch->step[2 * along + 1];
    }
    for (int64_t i = 0; i < others; i++) {
        const char *from = tm_data(x);
        char *to = tm_mutable_data(out);
        int64_t at = i;
        for (int l = batch->ndim; l-- > 0;) {
            if (l == along)
                continue;
            from += at % batch->size[l] * batch->step[2 * l];
            to += at % batch->size[l] * batch->step[2 * l + 1];
            at /= batch->size[l];
        }
        run_examples(&e, from, to);
    }
    return TM_OK;
}

tm_status tm_softmax_batched(tm_call *call, const tm_batch *batch)
{
    return run_batch(call, batch, false);
}

tm_status tm_log_softmax_batched(tm_call *call, const tm_batch *batch)
{
    return run_batch(call, batch, true);
}

/* -- The ops ----------------------------------------------------------------------------------- */

tm_status tm_softmax_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    return rows_meta(call, x, axis);
}

tm_status tm_softmax_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    (void)axis;
    return run_rows(call, x, out, false);
}

tm_status tm_log_softmax_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    return rows_meta(call, x, axis);
}

tm_status tm_log_softmax_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    (void)axis;
    return run_rows(call, x, out, true);
}
