/* law.h: the law, executable: vmap(op)(xs)[b] equals op(xs[b]), errors and messages included.
 *
 * Every op comes with samples, calls in a small language of text. The checker draws batches,
 * placements, nestings and layouts around them and compares each with the plain loop over
 * examples.
 *
 *     {"triu", "f32[2,2]{1 2 3 4}, k=1", "f32[2,2]{0 2 0 0}"}     values and what must come out
 *     {"triu", "f32[4]", "!rank: x must have at least 2 dimensions, got shape (4,)"}
 *     {"exp", "f32[2,3]"}                                         random values, the law alone
 *
 * An argument is `None`, a number, `True`, `False`, a dtype name, a list `(0,1)`, a tensor, or a
 * list of tensors `[f32[2], f32[3]]`, or a generator `gen(SEED)`, `gen(SEED, CALLS BEFORE)`;
 * `name=value` where it is not next in order. `None` may stand for a required dtype or Scalar too,
 * to say that one is missing. A tensor is DTYPE[SIZES], then optionally {values, row-major} or
 * ~GENERATOR (docs/kernels.md has the list).
 */
#ifndef TRANSMUTE_LAW_H
#define TRANSMUTE_LAW_H

#include <transmute/dispatch.h>

TM_BEGIN

/** One call and what must come of it. */
typedef struct tm_sample {
    const char *op;       /**< "name" or "name.overload" */
    const char *args;     /**< in the language above */
    const char *expected; /**< results, comma-separated; "!CODE: MESSAGE"; NULL: only the law, and
                               `check`, judge it */
    /** An independent judgement of one example's result: true where it is right. May be NULL. */
    bool (*check)(const tm_value *args, const tm_value *results);
    double rtol, atol; /**< how far results may be from `expected`; 0: bitwise */
} tm_sample;

/** The samples of one declaration or family. */
typedef struct tm_op_samples {
    size_t count;
    const tm_sample *items;
} tm_op_samples;

/** What to check. */
typedef struct tm_law_options {
    size_t struct_size;     /**< sizeof(tm_law_options); docs/abi.md */
    const char *const *ops; /**< names of the ops to check, each with its overloads and
                                  derived forms; NULL: every op registered */
    int num_ops;
    int64_t cases;   /**< how many cases in all */
    uint64_t seed;   /**< case i uses seed + i */
    FILE *report;    /**< failing cases and the command that reproduces each; NULL: nowhere */
    bool check;      /**< under the check mode (modes.h) */
    bool fail_alloc; /**< each call also with every allocation of its own failing once: an error,
                          and everything as it was. Not while other threads are in the library */
} tm_law_options;

/** What was found. */
typedef struct tm_law_result {
    size_t struct_size; /**< sizeof(tm_law_result); docs/abi.md */
    int64_t cases, violations, leaks;
} tm_law_result;

/** Checks the law. TM_OK where the check ran, whatever it found; TM_ERR_USAGE for an unknown op.
 *  An op without samples is a violation. */
TM_API tm_status tm_law_run(const tm_law_options *options, tm_law_result *result);

TM_END
#endif
