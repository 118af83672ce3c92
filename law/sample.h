/* sample.h: a sample, parsed: one call on examples' tensors, and what must come of it. */
#ifndef TM_LAW_SAMPLE_H
#define TM_LAW_SAMPLE_H

#include <transmute/law.h>

#include "dispatch/generator.h"
#include "law/arena.h"

/** How a tensor's values are made where they are not written out. */
typedef enum tm_law_generator {
    TM_LAW_PLAIN = 0, /**< [-2, 2], integers -9..9, unsigned ones 0..9 */
    TM_LAW_POS,       /**< [0.1, 3], integers 1..9 */
    TM_LAW_UNIT,      /**< [0, 1) */
    TM_LAW_NONNEG,    /**< [0, 3), integers 0..9 */
    TM_LAW_SPD,       /**< symmetric positive definite over the trailing two dimensions */
    TM_LAW_INDEX,     /**< integers in [0, bound) */
    TM_LAW_PERM,      /**< a permutation of 0..n-1 along the last axis */
    TM_LAW_SPECIAL,   /**< plain, with NaN, infinities and -0 mixed in; integers: the extremes */
    TM_LAW_TIES,      /**< three distinct values */
    TM_LAW_NUM_GENERATORS
} tm_law_generator;

/** A tensor of a sample, as one example has it. */
typedef struct tm_law_tensor {
    tm_dtype dtype;
    int ndim;
    int64_t shape[TM_MAX_NDIM];
    int64_t numel;
    tm_law_generator generator;
    int64_t bound;       /**< of ~index */
    const char *literal; /**< the values written out, row-major, or NULL */
} tm_law_tensor;

/** One argument. Tensors: `count` of the sample's from `first` on (0: None, or an empty list). */
typedef struct tm_law_arg {
    tm_value value; /**< complete but for tensors */
    int first, count;
    union {
        int64_t i;
        double f;
        bool b;
        tm_int_list ints;
        tm_scalar scalar;
        struct {
            tm_generator now;
            uint64_t seed, count; /**< as stated */
        } generator;
    } room; /**< what value.opt points at */
} tm_law_arg;

typedef struct tm_law_sample {
    const tm_sample *source;
    int number;      /**< among the op's samples, from 0 */
    const tm_op *op; /**< declared, never a derived form */
    int num_args;
    tm_law_arg args[TM_MAX_ARGS];
    int num_tensors;
    tm_law_tensor *tensors;
    bool invalid;       /**< the call must fail with `code` and `message` */
    bool fails_in_meta; /**< set by the first direct call */
    bool draws;         /**< so is this: whether random numbers are drawn */
    bool broken;        /**< the sample itself is at fault; it is drawn no more */
    tm_status code;
    const char *message;
    bool has_expected;
    int num_expected; /**< one per output; as many as a list holds */
    tm_law_tensor *expected;
    tm_scalar expected_scalar[TM_MAX_OUTPUTS];
} tm_law_sample;

/** Parses a sample of a declared op; memory from the arena. False with *error, which has a column
 *  of the text at fault; or, arena->lost, on lack of memory. */
bool tm_law_parse(tm_law_arena *arena, const tm_op *op, const tm_sample *source,
                  tm_law_sample *sample, char *error, size_t error_size);

/** "name" or "name.overload", as samples say it; returns `buffer`. */
const char *tm_law_name(const tm_op *op, char *buffer, size_t size);

/** The op's next own sample among its family's, from number *at on, which goes behind it; NULL
 *  where there is none. */
const tm_sample *tm_law_next_sample(const tm_op *op, size_t *at);

/** The generator's name, "" for the plain one. */
const char *tm_law_generator_name(tm_law_generator generator);

#endif
