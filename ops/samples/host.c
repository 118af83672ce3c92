#include "ops_kernels.h"

const tm_op_samples tm_samples_host = {0, NULL};
