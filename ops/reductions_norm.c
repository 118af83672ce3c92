/* reductions_norm.c: vector_norm, (sum |x|**ord)**(1/ord) and its limits.
 *
 * Everything is accumulated in double. A power may overflow, or underflow so far that digits are
 * lost, where the norm itself does neither; then the block is gone through again with its elements
 * divided by the greatest of them (the least where ord is negative, for that one dominates).
 */
#include <float.h>
#include <math.h>

#include "ops/reductions_block.h"
#include "ops_kernels.h"

/* -- Sums of powers; w: ord, w2: what elements are multiplied by -------------------- */

#define JOIN(a, b) ((a) + (b))

#define LOAD(v) TRUTH(v)
#define ACC double
#define NAME count_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME count_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD

#define LOAD(v) MAGNITUDE(CONVERT(v))
#define ACC double
#define NAME absolute_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME absolute_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD

#define LOAD(v) ((CONVERT(v) * w2) * (CONVERT(v) * w2))
#define ACC double
#define NAME square_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME square_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD

#define PLAIN
#define LOAD(v) pow(fabs((double)(v)) * w2, w)
#define ACC double
#define NAME power_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME power_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD
#undef PLAIN
#undef JOIN

/* -- The greatest and the least; NaN wins ------------------------------------------------------ */

#define LOAD(v) MAGNITUDE(CONVERT(v))
#define JOIN(a, b) CHOOSE(((a) >= (b)) | ((a) != (a)), a, b)
#define ACC double
#define NAME greatest_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME greatest_float64
#define IN double
#include "ops/reductions_tree.h"
#undef JOIN

#define JOIN(a, b) CHOOSE(((a) <= (b)) | ((a) != (a)), a, b)
#define ACC double
#define NAME least_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME least_float64
#define IN double
#include "ops/reductions_tree.h"

/* -- Norms ------------------------------------------------------------------------------------- */

typedef void (*fold_fn)(tm_block_walk *walk, int64_t n, const double *with, double *total);

/* The folds of one element type. */
typedef struct folds {
    fold_fn count, absolute, square, power, greatest, least;
} folds;

static const folds folds_float32 = {count_float32_fold, absolute_float32_fold, square_float32_fold,
                                    power_float32_fold, greatest_float32_fold, least_float32_fold};
static const folds folds_float64 = {count_float64_fold, absolute_float64_fold, square_float64_fold,
                                    power_float64_fold, greatest_float64_fold, least_float64_fold};

static fold_fn fold_of(const folds *f, double ord)
{
    if (isinf(ord))
        return ord > 0 ? f->greatest : f->least;
    return ord == 0 ? f->count : ord == 1 ? f->absolute : ord == 2 ? f->square : f->power;
}

static double root(double total, double ord)
{
    return ord == 2 ? sqrt(total) : pow(total, 1 / ord);
}

/* One output's norm from its sum of powers. Sums between the two bounds lost nothing that matters:
 * terms that underflowed are far below the sum's last digit. */
static double norm(const tm_block_walk *of, int64_t output, const folds *f, double ord,
                   double total)
{
    const tm_reduce_args *args = of->args;
    double with[2] = {ord, 1}, extreme = 0;
    if ((total > 1e-280 && total <= DBL_MAX) || isnan(total) || args->count == 0)
        return root(total, ord);
    tm_block_walk walk = *of;
    walk.most = 1;
    tm_block_begin(&walk, output);
    (ord > 0 ? f->greatest : f->least)(&walk, args->count, with, &extreme);
    if (extreme == 0 || !isfinite(extreme))
        return root(total, ord);
    int exponent; /* by a power of two, so that no digit is lost */
    frexp(extreme, &exponent);
    with[1] = ldexp(1, exponent < -1023 ? 1023 : -exponent);
    tm_block_begin(&walk, output);
    fold_of(f, ord)(&walk, args->count, with, &total);
    return root(total, ord) / with[1];
}

/* The norms of the tile from output `from` on. */
static void norms(tm_call *call, tm_block_walk *walk, int64_t from, const folds *f, double *result)
{
    double ord = *(const double *)tm_params(call, sizeof ord), with[2] = {ord, 1};
    tm_block_begin(walk, from);
    if (walk->args->count > 0)
        fold_of(f, ord)(walk, walk->args->count, with, result);
    else
        for (int t = 0; t < TM_TILE; t++)
            result[t] = 0;
    if (!isinf(ord) && ord != 0 && ord != 1)
        for (int t = 0; t < walk->tile; t++)
            result[t] = norm(walk, from + t, f, ord, result[t]);
}

#define LOOP(name, type, folds)                                                                    \
    static tm_status name(tm_call *call, const tm_reduce_args *args)                               \
    {                                                                                              \
        double result[TM_TILE];                                                                    \
        tm_block_walk walk;                                                                        \
        tm_block_init(&walk, args, (int64_t)sizeof(type));                                         \
        for (int64_t o = 0; o < args->num; o += walk.tile) {                                       \
            norms(call, &walk, o, &folds, result);                                                 \
            for (int t = 0; t < walk.tile; t++)                                                    \
                *(type *)(void *)(args->out + (o + t) * args->out_step) =                          \
                    isnan(result[t]) ? (type)NAN : (type)result[t];                                \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
LOOP(norm_float32, float, folds_float32)
LOOP(norm_float64, double, folds_float64)

const tm_reduce_loop tm_vector_norm_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, norm_float32}, {TM_FLOAT64, TM_FLOAT64, norm_float64}, {0}};
