#include "ops_kernels.h"

const tm_op_samples tm_samples_choice = {0, NULL};
