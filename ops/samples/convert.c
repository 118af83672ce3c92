#include "ops_kernels.h"

const tm_op_samples tm_samples_convert = {0, NULL};
