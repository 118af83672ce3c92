/* promotion_support.h: what the tests of mapped writes share: an op that writes one element, and
 * short names for tensors, levels and rows.
 */
#ifndef TRANSMUTE_TESTS_PROMOTION_SUPPORT_H
#define TRANSMUTE_TESTS_PROMOTION_SUPPORT_H

#include "support.h"

/** Registers the op that test_put calls; each test does so first. */
void test_register_put(void);
/** x[index] = value, for a vector x. */
tm_tensor *test_put(tm_tensor *x, const tm_tensor *index, const tm_tensor *value);
/** x[...] = src. */
tm_tensor *test_set(tm_tensor *x, const tm_tensor *src);
/** Zeros of float32. */
tm_tensor *test_zeros(tm_int_list shape);
tm_tensor *test_int_scalar(int64_t value);
tm_tensor *test_in(tm_vmap_level *level, const tm_tensor *x, int64_t dim);
/** x[i] for a matrix. */
tm_tensor *test_row_of(const tm_tensor *x, int64_t i);
/** How many tensors have been promoted since the statistics were reset. */
uint64_t test_promotions(void);

#endif
