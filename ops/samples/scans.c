#include "ops_kernels.h"

const tm_op_samples tm_samples_scans = {0, NULL};
