/* random_draws.c: numbers from blocks, and filling a tensor with floats. */
#include "random_draws.h"

#include "dispatch/cast.h"
#include "scalars.h"

__extension__ typedef unsigned __int128 uint128;

uint64_t tm_random_below(const tm_call *call, uint64_t index, uint64_t range)
{
    tm_random_block block = tm_random(call, index);
    uint128 low = (uint128)tm_random_half(&block, 0) * range;
    uint128 high = (uint128)tm_random_half(&block, 1) * range;
    return (uint64_t)((high + (low >> 64)) >> 64);
}

void tm_random_unit(const tm_call *call, int64_t first, int n, int bits, double *to)
{
    enum { WORD = 32, HALF = 64 };
    tm_random_block block = {{0}};
    double ulp = 1 / (double)(UINT64_C(1) << bits);
    for (int i = 0; i < n; i++) {
        uint64_t e = (uint64_t)first + (uint64_t)i;
        if (bits > WORD) {
            if (i == 0 || e % 2 == 0)
                block = tm_random(call, e / 2);
            to[i] = (double)(tm_random_half(&block, e % 2) >> (HALF - bits)) * ulp;
        } else {
            if (i == 0 || e % 4 == 0)
                block = tm_random(call, e / 4);
            to[i] = (double)(block.word[e % 4] >> (WORD - bits)) * ulp;
        }
    }
}

void tm_random_open(const tm_call *call, int64_t first, int n, bool wide, double *to)
{
    enum { WORD_BITS = 32, HALF_BITS = 52 };
    tm_random_unit(call, first, n, wide ? HALF_BITS : WORD_BITS, to);
    for (int i = 0; i < n; i++)
        to[i] += wide ? 0x1p-53 : 0x1p-33;
}

/* Doubles as elements of the output, whose memory is one run. */
static void store(const double *from, int n, tm_dtype dtype, char *to)
{
    float rounded[TM_DRAW_RUN];
    const int64_t item = (int64_t)tm_dtype_size(dtype);
    if (dtype != TM_FLOAT16 && dtype != TM_BFLOAT16) {
        tm_cast(TM_FLOAT64, dtype)((const char *)from, sizeof *from, to, item, n);
        return;
    }
    for (int i = 0; i < n; i++)
        rounded[i] = (float)from[i];
    tm_cast(TM_FLOAT32, dtype)((const char *)rounded, sizeof *rounded, to, item, n);
}

tm_status tm_draw(tm_call *call, tm_tensor *out, tm_draw_fn draw, void *how)
{
    tm_dtype dtype = tm_dtype_of(out);
    int64_t count = tm_numel(out), item = (int64_t)tm_dtype_size(dtype);
    char *to = tm_mutable_data(out);
    double values[TM_DRAW_RUN];
    for (int64_t first = 0; first < count; first += TM_DRAW_RUN) {
        int n = count - first < TM_DRAW_RUN ? (int)(count - first) : TM_DRAW_RUN;
        tm_status status = draw(call, how, first, n, dtype == TM_FLOAT64, values);
        if (status != TM_OK)
            return status;
        store(values, n, dtype, to + first * item);
    }
    return TM_OK;
}

int tm_random_bits(tm_dtype dtype)
{
    switch (dtype) {
    case TM_FLOAT16:
        return 11;
    case TM_BFLOAT16:
        return 8;
    case TM_FLOAT32:
        return 24;
    default:
        return 53;
    }
}

tm_status tm_random_output(tm_call *call, tm_int_list shape, tm_dtype dtype)
{
    if (dtype == TM_DTYPE_NONE)
        dtype = TM_FLOAT32;
    tm_status status = tm_check_sizes(call, "shape", shape);
    if (status == TM_OK && tm_dtype_kind(dtype) != TM_KIND_FLOAT)
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype",
                           "dtype must be a floating-point dtype, got %s", tm_dtype_name(dtype));
    return status == TM_OK ? tm_output(call, 0, dtype, shape.count, shape.data) : status;
}

void tm_random_read_from(tm_random_reader *reader, const tm_tensor *x, const tm_tensor *like)
{
    int ndim = tm_ndim(like), missing = ndim - tm_ndim(x);
    *reader = (tm_random_reader){.at = tm_data(x), .ndim = ndim, .dtype = tm_dtype_of(x)};
    for (int d = 0; d < ndim; d++) {
        bool moves = d >= missing && tm_shape(x)[d - missing] != 1;
        reader->size[d] = tm_shape(like)[d];
        reader->step[d] =
            moves ? tm_strides(x)[d - missing] * (int64_t)tm_dtype_size(reader->dtype) : 0;
    }
}

void tm_random_read(tm_random_reader *reader, int64_t n, double *to)
{
    tm_cast_fn cast = tm_cast(reader->dtype, TM_FLOAT64);
    int last = reader->ndim - 1;
    while (n > 0) {
        int64_t left = last < 0 ? 1 : reader->size[last] - reader->index[last];
        int64_t run = left < n ? left : n, step = last < 0 ? 0 : reader->step[last];
        cast(reader->at, step, (char *)to, sizeof *to, run);
        to += run;
        n -= run;
        if (last < 0)
            continue;
        reader->at += run * step;
        reader->index[last] += run;
        for (int d = last; d >= 0 && reader->index[d] == reader->size[d]; d--) {
            reader->at -= reader->size[d] * reader->step[d];
            reader->index[d] = 0;
            if (d > 0) {
                reader->at += reader->step[d - 1];
                reader->index[d - 1]++;
            }
        }
    }
}
