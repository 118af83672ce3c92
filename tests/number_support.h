/* number_support.h: ops that take nothing and return a number, so that one sees which kernel ran.
 */
#ifndef TRANSMUTE_TESTS_NUMBER_SUPPORT_H
#define TRANSMUTE_TESTS_NUMBER_SUPPORT_H

#include "support.h"

tm_status test_number_meta(tm_call *call);
/** Kernels: each returns its number. */
tm_status test_number_1(tm_call *call, tm_tensor *out);
tm_status test_number_2(tm_call *call, tm_tensor *out);
tm_status test_number_3(tm_call *call, tm_tensor *out);

/** Registers an op of that kernel in the test's library. */
const tm_op *test_number_op(const char *schema, tm_fn impl);
/** The definition of an op that returns 1. */
tm_op_def test_number_def(const char *schema);
/** Calls it. */
double test_call_number(const tm_op *op);

#endif
