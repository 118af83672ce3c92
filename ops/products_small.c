/* products_small.c: products of matrices with n and p up to 16, where the call of a BLAS would cost
 * more than the product.
 *
 * The kernel is written once, on vectors that the compiler splits into what the machine has, and
 * compiled for the baseline and, on x86-64, for AVX2 as well. Neither fuses a multiplication with
 * an addition, so both give the same bits.
 */
#include <string.h>

#include "products.h"

typedef float float_4 __attribute__((vector_size(16)));
typedef float float_8 __attribute__((vector_size(32)));
typedef double double_2 __attribute__((vector_size(16)));
typedef double double_4 __attribute__((vector_size(32)));

#define TARGET
#define T float
#define LANES 4
#define VECTOR float_4
#define NAME(x) x##_float_4
#include "products_small.h"
#define LANES 8
#define VECTOR float_8
#define NAME(x) x##_float_8
#include "products_small.h"
#undef T
#define T double
#define LANES 2
#define VECTOR double_2
#define NAME(x) x##_double_2
#include "products_small.h"
#define LANES 4
#define VECTOR double_4
#define NAME(x) x##_double_4
#include "products_small.h"
#undef T
#undef TARGET

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#define T float
#define LANES 8
#define VECTOR float_8
#define NAME(x) x##_float_8_avx2
#include "products_small.h"
#undef T
#define T double
#define LANES 4
#define VECTOR double_4
#define NAME(x) x##_double_4_avx2
#include "products_small.h"
#undef T
#undef TARGET
#endif

typedef void (*small_fn)(const tm_product *q, int64_t count, int64_t a_step, int64_t b_step,
                         int64_t c_step);

static small_fn choose(const tm_product *q)
{
    bool single = q->dtype == TM_FLOAT32;
    if (q->p <= (single ? 4 : 2))
        return single ? small_float_4 : small_double_2;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return single ? small_float_8_avx2 : small_double_4_avx2;
#endif
    return single ? small_float_8 : small_double_4;
}

void tm_product_small(const tm_product *q, int64_t count, int64_t a_step, int64_t b_step,
                      int64_t c_step)
{
    if (q->m > 0 && q->p > 0)
        choose(q)(q, count, a_step, b_step, c_step);
}
