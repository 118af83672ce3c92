#include "ops_kernels.h"
const tm_op_samples tm_samples_arithmetic = {0, NULL};
