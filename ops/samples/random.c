#include "ops_kernels.h"

const tm_op_samples tm_samples_random = {0, NULL};
