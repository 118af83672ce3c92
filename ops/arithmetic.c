/* arithmetic.c: loops of two inputs. */
#include "ops_kernels.h"

static tm_status add_float32(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    if (step[0] == 4 && step[1] == 4 && step[2] == 4) {
        const float *a = (const float *)(void *)ptr[0], *b = (const float *)(void *)ptr[1];
        float *o = (float *)(void *)ptr[2];
        for (int64_t i = 0; i < n; i++)
            o[i] = a[i] + b[i];
        return TM_OK;
    }
    for (int64_t i = 0; i < n; i++)
        *(float *)(void *)(ptr[2] + i * step[2]) = *(const float *)(void *)(ptr[0] + i * step[0]) +
                                                   *(const float *)(void *)(ptr[1] + i * step[1]);
    return TM_OK;
}
const tm_loop tm_add_loops[] = {{TM_FLOAT32, TM_FLOAT32, add_float32}, {0}};
