/* rule_support.h: an op over rows whose rule notes what it is given. */
#ifndef TESTS_RULE_SUPPORT_H
#define TESTS_RULE_SUPPORT_H

#include "support.h"

enum { RULE_INPUTS = 6 };

/* Of the last run of a rule: how often any has run, its number of inputs; of each input, then of
 * output 0, whether it was mapped, its dims, sizes and steps. */
extern int rule_calls, rule_given;
extern bool rule_mapped[RULE_INPUTS];
extern int64_t rule_dims[RULE_INPUTS], rule_sizes[RULE_INPUTS][4], rule_steps[RULE_INPUTS][4];

void rule_remember(const tm_tensor *const *inputs, const bool *mapped, int num_inputs,
                   tm_tensor *const *outputs);

/* test_rdot(x, y): the sum of products of two rows; x[0] must not be negative. Its rule adds
 * rule_bias, so that one sees who computed, then does rule_then. */
extern float rule_bias;
extern tm_status (*rule_then)(tm_call *call, tm_tensor *const *outputs);
tm_status rule_dot_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y);
tm_status rule_dot_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out);
tm_status rule_dot(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                   int num_inputs, tm_tensor *const *outputs);
/* Registers it; all that is noted is as at first. */
const tm_op *rule_dot_op(tm_rule_fn rule);

/* What rule_then may be: reports example rule_suspect. */
extern int64_t rule_suspect;
tm_status rule_report_suspect(tm_call *call, tm_tensor *const *outputs);

/* Not of plain runs: ops in the rule count too. */
void rule_expect_counts(uint64_t batched, uint64_t declined, uint64_t reruns);

/* op(x, y) with x mapped at in_dim and y mapped at y_dim, which may be TM_NOT_MAPPED. */
tm_tensor *rule_map(const tm_op *op, const tm_tensor *x, int64_t in_dim, const tm_tensor *y,
                    int64_t y_dim);
tm_tensor *rule_rows(void);

#endif
