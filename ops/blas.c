/* blas.c: BLAS uses one thread. Threads are ours to make, one level up: threads of BLAS inside
 * them cost many times what they save.
 */
#include "blas.h"

#ifdef TM_HAVE_LAPACK
#include <cblas.h>
#include <pthread.h>

static void use_one_thread(void)
{
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1);
#endif
}

void tm_blas_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_one_thread);
}

#else

void tm_blas_begin(void)
{
}

#endif
