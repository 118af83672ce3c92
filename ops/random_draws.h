/* random_draws.h: what the random ops share: numbers from blocks, and filling a tensor with floats.
 *
 * Element e of a result depends on the stream and on e alone. Numbers of float64 precision take
 * half a block each (element e: half e % 2 of block e / 2), all others a word (word e % 4 of block
 * e / 4).
 */
#ifndef TM_OPS_RANDOM_DRAWS_H
#define TM_OPS_RANDOM_DRAWS_H

#include "ops_kernels.h"

/** Elements are drawn in runs of at most this many, which begin at multiples of it. */
enum { TM_DRAW_RUN = 256 };

/** The number of block `index` that is half `which`, as one of 64 bits. */
static inline uint64_t tm_random_half(const tm_random_block *block, int which)
{
    return (uint64_t)block->word[2 * which + 1] << 32 | block->word[2 * which];
}

/** floor(R * range / 2^128), R block `index` as one number of 128 bits: uniform in [0, range), each
 *  value's probability within 2^-64 of 1 / range, relatively. */
uint64_t tm_random_below(const tm_call *call, uint64_t index, uint64_t range);
/** Uniform in [0, 1) from the top `bits` bits: of elements first .. first + n - 1. */
void tm_random_unit(const tm_call *call, int64_t first, int n, int bits, double *to);
/** Uniform in (0, 1): (k + 1/2) / 2^52 with the top 52 bits k of a half where `wide`, else
 *  (k + 1/2) / 2^32 with a word. Its logarithm is finite, and so is that of 1 minus it. */
void tm_random_open(const tm_call *call, int64_t first, int n, bool wide, double *to);

/** Draws elements first .. first + n - 1, in float64; called for one run after the other. */
typedef tm_status (*tm_draw_fn)(tm_call *call, void *how, int64_t first, int n, bool wide,
                                double *to);
/** Fills an output, rounding once to its dtype (float16 and bfloat16: from float32). */
tm_status tm_draw(tm_call *call, tm_tensor *out, tm_draw_fn draw, void *how);

/** The bits of precision of a floating-point dtype. */
int tm_random_bits(tm_dtype dtype);
/** Describes output 0: float32 where no dtype is given; TM_ERR_DTYPE where it is no float. */
tm_status tm_random_output(tm_call *call, tm_int_list shape, tm_dtype dtype);

/** Reads a tensor, broadcast to another's shape, in that one's order. */
typedef struct tm_random_reader {
    const char *at;
    int ndim;
    tm_dtype dtype;
    int64_t size[TM_MAX_NDIM], step[TM_MAX_NDIM], index[TM_MAX_NDIM];
} tm_random_reader;
void tm_random_read_from(tm_random_reader *reader, const tm_tensor *x, const tm_tensor *like);
/** The next n elements as float64. */
void tm_random_read(tm_random_reader *reader, int64_t n, double *to);

#endif
