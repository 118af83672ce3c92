/* reductions_spread.c: var, std and logsumexp: two passes over a block, the second with what the
 * first came to (the mean; the greatest element). Everything is accumulated in double.
 */
#include <math.h>

#include "ops/reductions_block.h"
#include "ops/statistics.h"
#include "ops_kernels.h"

#define PER_OUTPUT

#define JOIN(a, b) ((a) + (b))
#define LOAD(v) ((double)(v))
#define ACC double
#define NAME total_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME total_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD

#define LOAD(v) (((double)(v)-with[0]) * ((double)(v)-with[0]))
#define ACC double
#define NAME square_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME square_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD

#define LOAD(v) exp((double)(v)-with[0])
#define ACC double
#define NAME exponential_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME exponential_float64
#define IN double
#include "ops/reductions_tree.h"
#undef LOAD
#undef JOIN

#define COMPARES
#define LOAD(v) ((double)(v))
#define JOIN(a, b) ((((a) >= (b)) | ((a) != (a))) ? (a) : (b))
#define ACC double
#define NAME greatest_float32
#define IN float
#include "ops/reductions_tree.h"
#define ACC double
#define NAME greatest_float64
#define IN double
#include "ops/reductions_tree.h"
#undef COMPARES

typedef void (*fold_fn)(tm_block_walk *walk, int64_t n, const double *with, double *total);

/* One pass over `tile` outputs' blocks. */
static void pass(const tm_reduce_args *args, int64_t from, int tile, fold_fn fold,
                 const double *with, double *total)
{
    tm_block_walk walk;
    tm_block_begin(&walk, args, from, tile);
    if (args->count > 0)
        fold(&walk, args->count, with, total);
}

static void spreads(tm_call *call, const tm_reduce_args *args, int64_t from, int tile,
                    fold_fn total, fold_fn square, double *result)
{
    const tm_spread *p = tm_params(call, sizeof *p);
    double mean[TM_TILE] = {0}, count = (double)args->count;
    pass(args, from, tile, total, mean, result);
    for (int t = 0; t < tile; t++)
        mean[t] = result[t] / count;
    pass(args, from, tile, square, mean, result);
    for (int t = 0; t < tile; t++) {
        double freedom = count - p->correction;
        double var = args->count > 0 ? result[t] / (freedom > 0 ? freedom : 0) : (double)NAN;
        result[t] = p->root ? sqrt(var) : var;
    }
}

/* log(sum of exp(x)), computed from x less its maximum; -inf of no elements. */
static void logsumexps(const tm_reduce_args *args, int64_t from, int tile, fold_fn greatest,
                       fold_fn exponential, double *result)
{
    double maximum[TM_TILE] = {0}, shift[TM_TILE];
    pass(args, from, tile, greatest, maximum, maximum);
    for (int t = 0; t < tile; t++) {
        shift[t] = isfinite(maximum[t]) ? maximum[t] : 0;
        result[t] = 0;
    }
    pass(args, from, tile, exponential, shift, result);
    for (int t = 0; t < tile; t++)
        result[t] = log(result[t]) + shift[t];
}

/* A reduce loop that has `compute` fill `result` for each tile. */
#define LOOP(name, type, compute)                                                                  \
    static tm_status name(tm_call *call, const tm_reduce_args *args)                               \
    {                                                                                              \
        double result[TM_TILE] = {0};                                                              \
        int64_t tile = tm_tile_size(args);                                                         \
        (void)call;                                                                                \
        for (int64_t o = 0; o < args->num; o += tile) {                                            \
            int now = (int)(args->num - o < tile ? args->num - o : tile);                          \
            compute;                                                                               \
            for (int t = 0; t < now; t++)                                                          \
                *(type *)(void *)(args->out + (o + t) * args->out_step) =                          \
                    result[t] == result[t] ? (type)result[t] : (type)NAN;                          \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
LOOP(spread_float32, float,
     spreads(call, args, o, now, total_float32_fold, square_float32_fold, result))
LOOP(spread_float64, double,
     spreads(call, args, o, now, total_float64_fold, square_float64_fold, result))
LOOP(logsumexp_float32, float,
     logsumexps(args, o, now, greatest_float32_fold, exponential_float32_fold, result))
LOOP(logsumexp_float64, double,
     logsumexps(args, o, now, greatest_float64_fold, exponential_float64_fold, result))

const tm_reduce_loop tm_spread_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, spread_float32}, {TM_FLOAT64, TM_FLOAT64, spread_float64}, {0}};
const tm_reduce_loop tm_logsumexp_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, logsumexp_float32}, {TM_FLOAT64, TM_FLOAT64, logsumexp_float64}, {0}};
