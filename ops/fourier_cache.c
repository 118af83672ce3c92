/* fourier_cache.c: the plans that are kept, process-wide, under one lock.
 *
 * The table holds a reference to each of its plans and whoever runs one holds another, so a plan
 * that has to make room, or that tm_trim drops, lives until the last thread gives it back. At exit
 * the table is emptied. A plan is made outside the lock: two threads may make the same one, and
 * the second to finish finds the first's.
 */
#include "fourier_cache.h"

#include <pthread.h>

#include <transmute/memory.h>

#include "dispatch/trim.h"

/* The plan used last is kept whatever its size. */
enum { KEPT = 32, KEPT_BYTES = 64 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tm_fft_plan *kept[KEPT];
static int num_kept;
static size_t kept_bytes;
static int64_t uses;

void *tm_fft_alloc(size_t bytes)
{
    tm_allocator allocator = tm_get_allocator();
    return bytes > PTRDIFF_MAX ? NULL : allocator.alloc(bytes, allocator.user);
}

void tm_fft_free(void *memory, size_t bytes)
{
    tm_allocator allocator = tm_get_allocator();
    allocator.release(memory, bytes, allocator.user);
}

/* With the lock held, as the three below. */
static void drop(tm_fft_plan *plan)
{
    if (--plan->refs == 0)
        tm_fft_free(plan, plan->bytes);
}

static void forget(int i)
{
    tm_fft_plan *plan = kept[i];
    kept[i] = kept[--num_kept];
    kept_bytes -= plan->bytes;
    drop(plan);
}

static tm_fft_plan *find(tm_dtype dtype, int64_t n)
{
    for (int i = 0; i < num_kept; i++)
        if (kept[i]->n == n && kept[i]->dtype == dtype) {
            kept[i]->refs++;
            kept[i]->last_use = ++uses;
            return kept[i];
        }
    return NULL;
}

static void keep(tm_fft_plan *plan)
{
    while (num_kept == KEPT || (num_kept > 0 && kept_bytes + plan->bytes > KEPT_BYTES)) {
        int oldest = 0;
        for (int i = 1; i < num_kept; i++)
            if (kept[i]->last_use < kept[oldest]->last_use)
                oldest = i;
        forget(oldest);
    }
    plan->refs = 2; /* the table's and the caller's */
    plan->last_use = ++uses;
    kept[num_kept++] = plan;
    kept_bytes += plan->bytes;
}

static void forget_all(void)
{
    pthread_mutex_lock(&lock);
    while (num_kept)
        forget(num_kept - 1);
    pthread_mutex_unlock(&lock);
}

const tm_fft_plan *tm_fft_take(tm_dtype dtype, int64_t n)
{
    static tm_trim_hook hook = {forget_all, NULL, false};
    pthread_mutex_lock(&lock);
    tm_on_trim(&hook);
    tm_fft_plan *plan = find(dtype, n);
    pthread_mutex_unlock(&lock);
    if (plan)
        return plan;
    tm_fft_plan *made = tm_fft_make(dtype, n);
    if (!made)
        return NULL;
    pthread_mutex_lock(&lock);
    plan = find(dtype, n);
    if (plan) {
        tm_fft_free(made, made->bytes);
    } else {
        plan = made;
        keep(plan);
    }
    pthread_mutex_unlock(&lock);
    return plan;
}

void tm_fft_give_back(const tm_fft_plan *plan)
{
    pthread_mutex_lock(&lock);
    drop((tm_fft_plan *)(uintptr_t)plan);
    pthread_mutex_unlock(&lock);
}
