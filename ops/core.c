#include "core.h"

const int8_t tm_matrix_core[] = {2, 2, 2, 2, 2, 2, 2, 2};
const int8_t tm_scalar_core[] = {0, 0, 0, 0, 0, 0, 0, 0};
const int8_t tm_matrix_to_scalars_core[] = {2, 0, 0};
const int8_t tm_matrix_to_vector_core[] = {2, 1};
const int8_t tm_lu_factor_core[] = {2, 2, 1};
const int8_t tm_eigen_core[] = {2, 1, 2};
const int8_t tm_svd_core[] = {2, 2, 1, 2};
