/* law_support.h: what the tests of the law checker share: runs of it and their reports, and an op
 * over rows that others are made from.
 */
#ifndef TRANSMUTE_TESTS_LAW_SUPPORT_H
#define TRANSMUTE_TESTS_LAW_SUPPORT_H

#include <stdio.h>

#include "law/sample.h"
#include "support.h"

/* -- Running it ------------------------------------------------------------------------------- */

/** Checks one op, or all where it is NULL. */
tm_law_result test_run_law(const char *op, int64_t cases, uint64_t seed, FILE *report);
/** The same; returns the report, to be freed. */
char *test_law_report(const char *op, int64_t cases, uint64_t seed, tm_law_result *result);
/** The same with options of the test's own. */
char *test_law_report_with(const char *op, tm_law_options options, tm_law_result *result);
/** Every op keeps the law with these options, in as many cases as they say at most. */
void test_expect_law(tm_law_options options);
/** Fails the test unless the op violates the law and the report has that part. */
void test_expect_report(const char *op, const char *part);
/** A number of the environment's. */
uint64_t test_law_number(const char *name, uint64_t otherwise);
/** As many cases as TM_LAW_CASES asks for, and at most so many. */
int64_t test_law_at_most(int64_t cases);

/* -- Samples ---------------------------------------------------------------------------------- */

/** Calls `check` with the valid samples of the op, or of its base where it is a form, until it has
 *  taken `most` of them: it returns whether it did. */
void test_each_valid_sample(const tm_op *op, int most,
                            bool (*check)(const tm_op *op, const tm_law_sample *sample));

/* -- An op over rows -------------------------------------------------------------------------- */

/** Takes float32 rows. */
tm_status test_row_meta(tm_call *call, const tm_tensor *x);
/** out = by * x, row by row; negative numbers are refused. */
tm_status test_scale_row(tm_call *call, const tm_tensor *x, tm_tensor *out, float by);
/** out = 2 * x: what the samples below state. */
tm_status test_double_row(tm_call *call, const tm_tensor *x, tm_tensor *out);
/** Registers a per-example op over rows. */
const tm_op *test_row_op(const char *schema, tm_fn meta, tm_fn impl, const tm_op_samples *samples);

/** Samples for such an op. */
#define SAMPLES(name, op_name)                                                                     \
    static const tm_sample name##_rows[] = {                                                       \
        {.op = op_name, .args = "f32[2]{1 2}", .expected = "f32[2]{2 4}"},                         \
        {.op = op_name, .args = "f32[2,3]~pos"},                                                   \
        {.op = op_name, .args = "f32[2]~pos"},                                                     \
        {.op = op_name,                                                                            \
         .args = "f32[2]{3 -1}",                                                                   \
         .expected = "!value: x must not be negative, got -1"},                                    \
        {.op = op_name,                                                                            \
         .args = "f32[]{3}",                                                                       \
         .expected = "!rank: x must have at least 1 dimension, got shape ()"},                     \
        {.op = op_name, .args = "i32[2]", .expected = "!dtype: x must be float32"},                \
    };                                                                                             \
    static const tm_op_samples name = {COUNT(name##_rows), name##_rows}

#endif
