/* twice.h: one op on two examples, one after the other and together. */
#ifndef TM_FUZZ_TWICE_H
#define TM_FUZZ_TWICE_H

#include "fuzz/target.h"

/** Calls an op of one tensor output. Every tensor among `args` has the two examples in front, a
 * list has `list` for its array, with room for as many. Fails where together they give another
 * result or error than alone; refused for being mapped is well where `may_refuse`. */
void fuzz_twice(const tm_op *op, const tm_value *args, bool may_refuse);

/** A tensor [2, shape...] of small numbers, which follow from `bytes`. */
tm_tensor *fuzz_pair(fuzz_bytes *bytes, tm_dtype dtype, int ndim, const int64_t *shape);

#endif
