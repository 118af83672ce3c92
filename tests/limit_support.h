/* limit_support.h: calls with arguments at their limits: what comes of one alone is held against
 * what comes of it mapped, in several placements. Each must end, in bounded memory.
 */
#ifndef TRANSMUTE_TESTS_LIMIT_SUPPORT_H
#define TRANSMUTE_TESTS_LIMIT_SUPPORT_H

#include "law_support.h"

enum { TEST_LIMIT_TENSORS = 32, TEST_LIMIT_BYTES = 1 << 24 };

/** What an op is given: a sample's arguments, changed or not. */
typedef struct test_limit_call {
    const tm_op *op;
    const tm_law_sample *sample;
    tm_value args[TM_MAX_ARGS]; /**< but for tensors */
    int num_tensors;
    tm_law_tensor tensors[TEST_LIMIT_TENSORS];
    int filled; /**< the tensor whose elements are all `fill`, -1: none */
    double fill;
    const char *what; /**< which argument is at its limit, for messages */
} test_limit_call;

/** The sample as it is; false where it is too large to be worth it. */
bool test_limit_begin(test_limit_call *c, const tm_op *op, const tm_law_sample *sample);
/** check(op, sample) for up to `samples` valid samples of every `groups`th op from `first` on that
 *  is no derived form; TM_LIMITS_OP names the only op. More memory than TEST_LIMIT_BYTES for one
 *  block is refused meanwhile. */
void test_limit_each_sample(int64_t first, int groups, int samples,
                            bool (*check)(const tm_op *op, const tm_law_sample *sample));
/** Puts tensors among the call's arguments. */
void test_limit_args(const test_limit_call *c, const tm_tensor *const *handles, tm_value *args);
/** Calls alone, then mapped over two equal examples, and over none, with the batch in front and
 *  last: all must say the same. */
void test_limit_check(const test_limit_call *c);
/** Whether a mapped call may be refused: its op makes a shape, or a host value, of what is mapped.
 */
bool test_limit_may_refuse(const tm_op *op);

#endif
