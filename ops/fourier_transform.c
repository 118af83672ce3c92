/* fourier_transform.c: the kernel of all Fourier transforms: passes along one axis after another.
 *
 * A pass takes a few lines at a time into scratch memory, whatever their layout, transforms them
 * and writes them to where they belong. The first pass reads x, cut or padded along all axes; the
 * others work in place on the result or, before the pass that makes real numbers, on a complex
 * array in scratch memory. The axis whose lines are real or half spectra comes first where it is
 * the input's and last where it is the result's. The loops of a batch are axes before all others.
 */
#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
#include "fourier.h"
#include "fourier_block.h"
#include "fourier_plan.h"
#include "ops_kernels.h"

typedef enum line_form { REALS, COMPLEXES, HALF } line_form;

enum { MAX_AXES = 2 * TM_MAX_NDIM + TM_MAX_LEVELS };

typedef struct array {
    char *base;
    tm_dtype dtype;
    int ndim;
    int64_t size[MAX_AXES], step[MAX_AXES]; /* steps in bytes */
} array;

typedef struct pass {
    const tm_fft_plan *plan;
    int axis;
    line_form in, out;
    bool inverse, conjugate_in, conjugate_out;
    double scale;
    array from, to;
    tm_fft_planes x, other; /* scratch memory */
    int64_t lanes;
} pass;

static bool all_there(int64_t count, const char *const *line)
{
    for (int64_t l = 0; l < count; l++)
        if (!line[l])
            return false;
    return true;
}

#define REAL float
#define NAME(x) x##_float32
#include "fourier_lines.h"

#define REAL double
#define NAME(x) x##_float64
#include "fourier_lines.h"

/* All lines of `to` along the axis; where `from` has no such line, it is one of zeros. */
static void run_pass(const pass *p)
{
    const array *from = &p->from, *to = &p->to;
    const char *in[TM_FFT_BLOCK_LANES];
    char *out[TM_FFT_BLOCK_LANES];
    int64_t index[MAX_AXES] = {0}, from_at = 0, to_at = 0;
    int d = 0, count = 0;
    while (d >= 0) {
        bool there = true;
        for (int e = 0; e < to->ndim; e++)
            there = there && (e == p->axis || index[e] < from->size[e]);
        in[count] = there ? from->base + from_at : NULL;
        out[count++] = to->base + to_at;
        for (d = to->ndim - 1; d >= 0; d--) { /* on to the next line */
            if (d == p->axis)
                continue;
            from_at += from->step[d];
            to_at += to->step[d];
            if (++index[d] < to->size[d])
                break;
            from_at -= index[d] * from->step[d];
            to_at -= index[d] * to->step[d];
            index[d] = 0;
        }
        if (count < p->lanes && d >= 0)
            continue;
        if (p->plan->dtype == TM_FLOAT32)
            lines_float32(p, count, in, out);
        else
            lines_float64(p, count, in, out);
        count = 0;
    }
}

/* The tensor, operand k of a batch if there is one. */
static array array_of(const tm_tensor *x, char *base, const tm_batch *batch, int k)
{
    const int loops = batch ? batch->ndim : 0;
    array a = {.base = base, .dtype = tm_dtype_of(x), .ndim = loops + tm_ndim(x)};
    const int64_t item = (int64_t)tm_dtype_size(a.dtype);
    for (int l = 0; l < loops; l++) {
        a.size[l] = batch->size[l];
        a.step[l] = batch->step[l * batch->num_operands + k];
    }
    for (int d = loops; d < a.ndim; d++) {
        a.size[d] = tm_shape(x)[d - loops];
        a.step[d] = a.size[d] > 1 ? tm_strides(x)[d - loops] * item : 0;
    }
    return a;
}

/* A row-major complex array of the result's shape, but for its size along one axis. */
static array complex_array(const array *out, int axis, int64_t size, char *base)
{
    array a = *out;
    int64_t step = 2 * (int64_t)tm_dtype_size(out->dtype);
    a.base = base;
    a.dtype = out->dtype == TM_FLOAT32 ? TM_COMPLEX64 : TM_COMPLEX128;
    a.size[axis] = size;
    for (int d = a.ndim; d-- > 0; step *= a.size[d])
        a.step[d] = step;
    return a;
}

static tm_status along(tm_call *call, pass *p, const tm_fft_call *how, int axis, int64_t n)
{
    p->axis = axis;
    p->scale = how->scaling == 0 ? 1 : how->scaling == 1 ? 1 / sqrt((double)n) : 1 / (double)n;
    tm_dtype dtype =
        p->to.dtype == TM_COMPLEX64 || p->to.dtype == TM_FLOAT32 ? TM_FLOAT32 : TM_FLOAT64;
    p->plan = tm_fft_take(dtype, n);
    if (!p->plan)
        return tm_fail(call, TM_ERR_MEMORY,
                       "out of memory for the tables of a transform of %lld "
                       "elements",
                       (long long)n);
    run_pass(p);
    tm_fft_give_back(p->plan);
    p->from = p->to;
    return TM_OK;
}

/* All examples of the batch, if there is one; several axes need scratch memory for each. */
static tm_status transform(tm_call *call, const tm_tensor *x, tm_tensor *out, const tm_batch *batch)
{
    const tm_fft_call *how = tm_params(call, sizeof *how);
    const int loops = batch ? batch->ndim : 0;
    if (tm_numel(out) == 0)
        return TM_OK;
    char *room = tm_workspace(call);
    array result = array_of(out, tm_mutable_data(out), batch, 1);
    pass p = {.inverse = how->inverse,
              .from = array_of(x, (char *)(uintptr_t)tm_data(x), batch, 0),
              .to = result,
              .x = {room, room + how->plane},
              .other = {room + 2 * how->plane, room + 3 * how->plane},
              .lanes = how->lanes};
    const int last = loops + how->axis[how->num_axes - 1];
    bool to_real = how->kind == TM_FFT_HERMITIAN;
    tm_status status = TM_OK;
    p.in = p.out = COMPLEXES;
    if (to_real && how->num_axes > 1) {
        int64_t half = how->last / 2 + 1,
                kept = p.from.size[last] < half ? p.from.size[last] : half;
        p.to = complex_array(&result, last, kept, room + 4 * how->plane);
        p.conjugate_in = how->conjugate;
    }
    if (!to_real) {
        p.in = how->kind == TM_FFT_REAL ? REALS : COMPLEXES;
        p.conjugate_out = how->conjugate;
        status = along(call, &p, how, last, how->last);
        p.in = COMPLEXES;
        p.conjugate_out = false;
    }
    for (int i = how->num_axes - 1; i-- > 0 && status == TM_OK;) {
        status = along(call, &p, how, how->axis[i], result.size[how->axis[i]]);
        p.conjugate_in = false;
    }
    if (to_real && status == TM_OK) {
        p.in = HALF;
        p.out = REALS;
        p.to = result;
        p.conjugate_in = how->conjugate && how->num_axes == 1;
        status = along(call, &p, how, last, how->last);
    }
    return status;
}

tm_status tm_fft_transform(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    return transform(call, x, out, NULL);
}

tm_status tm_fft_batched(tm_call *call, const tm_batch *batch)
{
    const tm_fft_call *how = tm_params(call, sizeof *how);
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    tm_tensor *out = tm_call_output(call, 0);
    const tm_dtype dtype = tm_dtype_of(out);
    const bool wide = dtype == TM_FLOAT64 || dtype == TM_COMPLEX128;
    /* The plain kernel words what fails. */
    const tm_fft_plan *plan =
        how->num_axes == 1 ? tm_fft_take(wide ? TM_FLOAT64 : TM_FLOAT32, how->last) : NULL;
    if (!plan) {
        tm_batch_decline(call);
        return TM_OK;
    }
    tm_status status = transform(call, x, out, batch);
    tm_fft_give_back(plan);
    return status;
}
