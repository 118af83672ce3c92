/* reductions_spread.c: var, std and logsumexp: two passes over a block, the second with what the
 * first came to (the mean; the greatest element). Everything is accumulated in double.
 */
#include <math.h>

#include "ops/reductions_block.h"
#include "ops/statistics.h"
#include "ops_kernels.h"

#define LOAD(v) CONVERT(v)
#define JOIN(a, b) CHOOSE(((a) >= (b)) | ((a) != (a)), a, b)
#define ACC float
#define NAME most_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME greatest_float64
#define IN double
#include "ops/reductions_tree.h"
#undef JOIN
#undef LOAD

#define JOIN(a, b) ((a) + (b))
#define LOAD(v) CONVERT(v)
#define ACC double
#define NAME total_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME total_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD

#define PER_OUTPUT
#define LOAD(v) ((CONVERT(v) - w) * (CONVERT(v) - w))
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
#define LOAD(v) exp((double)(v)-w)
#define ACC double
#define NAME exponential_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME exponential_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD
#undef PLAIN
#undef JOIN

static void greatest_float32_fold(tm_block_walk *walk, int64_t n, const double *with, double *total)
{
    float most[TM_TILE];
    most_float32_fold(walk, n, with, most);
    for (int t = 0; t < walk->tile; t++) /* a fold leaves the tile as it is */
        total[t] = (double)most[t];      /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
}

static const double none[2] = {0};

typedef void (*fold_fn)(tm_block_walk *walk, int64_t n, const double *with, double *total);

/* One pass over the blocks of the tile from output `from` on. */
static void pass(tm_block_walk *walk, int64_t from, fold_fn fold, const double *with, double *total)
{
    tm_block_begin(walk, from);
    if (walk->args->count > 0)
        fold(walk, walk->args->count, with, total);
    else
        for (int t = 0; t < TM_TILE; t++)
            total[t] = 0;
}

static void spreads(tm_call *call, tm_block_walk *walk, int64_t from, fold_fn total, fold_fn square,
                    double *result)
{
    const tm_spread *p = tm_params(call, sizeof *p);
    double mean[TM_TILE], count = (double)walk->args->count;
    pass(walk, from, total, none, mean);
    for (int t = 0; t < walk->tile; t++)
        mean[t] = mean[t] / count;
    pass(walk, from, square, mean, result);
    double freedom = count - p->correction;
    for (int t = 0; t < walk->tile; t++) {
        double var = count > 0 ? result[t] / (freedom > 0 ? freedom : 0) : (double)NAN;
        result[t] = p->root ? sqrt(var) : var;
    }
}

/* log(sum of exp(x)), computed from x less its maximum; -inf of no elements. */
static void logsumexps(tm_block_walk *walk, int64_t from, fold_fn greatest, fold_fn exponential,
                       double *result)
{
    double shift[TM_TILE];
    pass(walk, from, greatest, none, shift);
    for (int t = 0; t < walk->tile; t++) /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        shift[t] = isfinite(shift[t]) ? shift[t] : 0;
    pass(walk, from, exponential, shift, result);
    for (int t = 0; t < walk->tile; t++) /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        result[t] = log(result[t]) + shift[t];
}

/* A reduce loop that has `compute` fill `result` for each tile. */
#define LOOP(name, type, compute)                                                                  \
    static tm_status name(tm_call *call, const tm_reduce_args *args)                               \
    {                                                                                              \
        double result[TM_TILE];                                                                    \
        tm_block_walk walk;                                                                        \
        (void)call;                                                                                \
        tm_block_init(&walk, args, (int64_t)sizeof(type));                                         \
        for (int64_t o = 0; o < args->num; o += walk.tile) {                                       \
            compute;                                                                               \
            for (int t = 0; t < walk.tile; t++)                                                    \
                *(type *)(void *)(args->out + (o + t) * args->out_step) =                          \
                    result[t] == result[t] ? (type)result[t] : (type)NAN;                          \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
LOOP(spread_float32, float,
     spreads(call, &walk, o, total_float32_fold, square_float32_fold, result))
LOOP(spread_float64, double,
     spreads(call, &walk, o, total_float64_fold, square_float64_fold, result))
LOOP(logsumexp_float32, float,
     logsumexps(&walk, o, greatest_float32_fold, exponential_float32_fold, result))
LOOP(logsumexp_float64, double,
     logsumexps(&walk, o, greatest_float64_fold, exponential_float64_fold, result))

const tm_reduce_loop tm_spread_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, spread_float32}, {TM_FLOAT64, TM_FLOAT64, spread_float64}, {0}};
const tm_reduce_loop tm_logsumexp_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, logsumexp_float32}, {TM_FLOAT64, TM_FLOAT64, logsumexp_float64}, {0}};
