/* ops.h: ops of the planted faults' own, whose kernels are safe whatever a dropped check lets in.
 */
#ifndef TRANSMUTE_TESTS_FAULTS_OPS_H
#define TRANSMUTE_TESTS_FAULTS_OPS_H

#include <transmute/transmute.h>

/** Registers fault_rows, _take, _root, _sum, _ratio and _twice. NULL on failure. */
tm_library *fault_ops_register(void);

#endif
