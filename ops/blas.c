/* blas.c: BLAS uses one thread. Threads are ours to make, one level up: threads of BLAS inside
 * them cost many times what they save.
 *
 * An OpenBLAS that was built without threads may hand the same buffer to two callers at once: it
 * was perhaps built without locks, which it does not tell. So it is entered by one thread at a
 * time.
 */
#include "blas.h"

#ifdef TM_HAVE_LAPACK
#include <cblas.h>
#include <pthread.h>
#include <strings.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static bool must_lock; /* written once, before it is read */

static void set_up(void)
{
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1);
    must_lock = openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
#endif
}

void tm_blas_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    if (must_lock)
        pthread_mutex_lock(&one_at_a_time);
}

void tm_blas_end(void)
{
    if (must_lock)
        pthread_mutex_unlock(&one_at_a_time);
}

static bool has_avx512;

/* At start, as OpenBLAS has chosen by then: every product's checks ask. */
__attribute__((constructor)) static void ask_blas(void)
{
#ifdef OPENBLAS_VERSION
    static const char *const cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    const char *core = openblas_get_corename();
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        has_avx512 = has_avx512 || strcasecmp(core, cores[i]) == 0;
#endif
}

bool tm_blas_has_avx512(void)
{
    return has_avx512;
}

#else

bool tm_blas_has_avx512(void)
{
    return false;
}

void tm_blas_begin(void)
{
}

void tm_blas_end(void)
{
}

#endif
