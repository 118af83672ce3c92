#include "core.h"

const int8_t tm_matrix_core[] = {2, 2, 2, 2, 2, 2, 2, 2};
const int8_t tm_scalar_core[] = {0, 0, 0, 0, 0, 0, 0, 0};
