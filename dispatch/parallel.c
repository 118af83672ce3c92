/* parallel.c: threads.
 *
 * One pool serves the process; one call uses it at a time, any other runs on its own thread. The
 * range is split into as many equal parts as threads, each part runs in order on a copy of the
 * call record, and the failure of the lowest part wins, so neither results nor errors depend on
 * the number of threads. The release and acquire on `parts` order the caller's memory with the
 * workers' for tools that do not see the pool's own synchronisation.
 */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "mode.h"
#include "tuning.h"

#ifdef TM_HAVE_PTHREADPOOL
#include <pthreadpool.h>
#endif

enum { MAX_THREADS = 64, ALIGNMENT = 64 };

/* Those that this process may run on, where the system says it. */
static int count_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        cores = CPU_COUNT(&mine);
#endif
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
}

tm_status tm_set_num_threads(int num_threads)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    if (num_threads < 0 || num_threads > MAX_THREADS)
        return tm_error_set(TM_ERR_VALUE, "set_num_threads", "num_threads",
                            "num_threads must be in 0..%d, got %d", MAX_THREADS, num_threads);
    thread->num_threads = num_threads == 0 ? count_cores() : num_threads;
    return TM_OK;
}

int tm_get_num_threads(void)
{
    tm_thread *thread = tm_thread_get();
    return thread ? thread->num_threads : 1;
}

void tm_kernel_tidy(tm_thread *thread, tm_scope *scope)
{
    tm_modes_close_to(thread, NULL);
    if (thread->scope != scope) {
        tm_scope *inner = thread->scope;
        while (inner->parent != scope)
            inner = inner->parent;
        tm_scope_close(thread, inner);
    }
    tm_scope_clear(thread, scope);
}

tm_status tm_workspace_begin(tm_call *call, void **block, size_t *size)
{
    *size = call->workspace_size + ALIGNMENT;
    char *memory = tm_alloc(*size);
    if (!memory)
        return tm_call_no_memory(call, (int64_t)*size);
    *block = memory;
    call->workspace = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
    return TM_OK;
}

#ifdef TM_HAVE_PTHREADPOOL

/* Below this many touched elements a second thread costs more than it saves. */
static const int64_t split_threshold = 1 << 16;

typedef struct parts {
    tm_call **calls;
    tm_status *status; /* NOT_RUN: the thread had no record and could not be given one */
    tm_range_fn fn;
    void *context;
    int64_t count, num;
    _Atomic int64_t started;
} parts;

enum { NOT_RUN = -1 };

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER; /* held while the pool is in use */
static pthreadpool_t pool;
static int pool_threads;
static uint32_t pool_flags;

static void run_numbered_part(void *pointer, size_t i)
{
    parts *p = pointer;
    atomic_load_explicit(&p->started, memory_order_acquire);
    int64_t begin = p->count / p->num * (int64_t)i, end = begin + p->count / p->num;
    if ((int64_t)i == p->num - 1)
        end = p->count;
    tm_thread *thread = tm_thread_get();
    if (thread) {
        if (thread != p->calls[i]->thread) /* nobody reads what an earlier part left standing */
            tm_error_clear();
        p->calls[i]->thread = thread;
        p->calls[i]->error_serial = thread->error_serial;
        p->status[i] = tm_run_kernel(p->calls[i], thread, p->fn, p->context, begin, end);
    }
    atomic_fetch_add_explicit(&p->started, 1, memory_order_acq_rel);
}

static void keep_failure(tm_call *to, const tm_call *from)
{
    to->failure = from->failure;
    to->num_failed_levels = from->num_failed_levels;
    memcpy(to->failed_levels, from->failed_levels, sizeof to->failed_levels);
}

static void *wait_for_others(void *barrier)
{
    pthread_mutex_lock(barrier);
    pthread_mutex_unlock(barrier);
    return NULL;
}

/* Whether the system gives so many threads at once. pthreadpool_create would wait for ever for one
 * that it was refused. The threads that end here leave their stacks for the pool's. */
static bool threads_to_be_had(int num)
{
    pthread_mutex_t barrier = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[MAX_THREADS];
    int made = 0;
    pthread_mutex_lock(&barrier);
    while (made < num && pthread_create(&threads[made], NULL, wait_for_others, &barrier) == 0)
        made++;
    pthread_mutex_unlock(&barrier);
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    return made == num;
}

/* A part's copy of the call, its workspace behind it. */
static tm_call *copy_call(const tm_call *call, size_t size)
{
    tm_call *copy = tm_alloc(size);
    if (!copy)
        return NULL;
    memcpy(copy, call, sizeof *copy);
    uintptr_t end = (uintptr_t)(copy + 1);
    copy->workspace = (char *)(copy + 1) + (ALIGNMENT - end % ALIGNMENT) % ALIGNMENT;
    return copy;
}

/* In a child of fork: the pool's threads are the parent's. */
static void forget_pool(void)
{
    pool = NULL;
    pool_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_pool);
}

static bool make_pool(int num)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (pool && pool_threads < num) {
        pthreadpool_destroy(pool);
        pool = NULL;
    }
    if (!pool && threads_to_be_had(num - 1)) { /* the caller is one of the pool's */
        pool = pthreadpool_create((size_t)num);
        pool_threads = num;
        /* Workers wait awake for the next range; not where that keeps others from a core. */
        pool_flags = num > count_cores() ? PTHREADPOOL_FLAG_YIELD_WORKERS : 0;
    }
    return pool != NULL;
}

/* False where the pool or memory for it cannot be had: the caller runs the range itself. Once the
 * parts run they need no more memory, so that none is written without the others; the caller runs
 * those that a thread could not. */
static bool run_parts(tm_call *call, int64_t count, int num, tm_range_fn fn, void *context,
                      tm_status *result)
{
    if (pthread_mutex_trylock(&pool_lock) != 0)
        return false;
    tm_call *calls[MAX_THREADS];
    tm_status status[MAX_THREADS];
    size_t size = sizeof(tm_call) + call->workspace_size + ALIGNMENT;
    int made = 0;
    bool ready = make_pool(num);
    while (ready && made < num && (calls[made] = copy_call(call, size)))
        status[made++] = (tm_status)NOT_RUN;
    ready = made == num;
    if (ready) {
        parts p = {calls, status, fn, context, count, num, 0};
        atomic_store_explicit(&p.started, 1, memory_order_release);
        pthreadpool_parallelize_1d(pool, run_numbered_part, &p, (size_t)num, pool_flags);
        atomic_load_explicit(&p.started, memory_order_acquire);
        *result = TM_OK;
        for (int i = 0; i < num && *result == TM_OK; i++) {
            if (status[i] == (tm_status)NOT_RUN)
                run_numbered_part(&p, (size_t)i);
            if ((*result = status[i]) != TM_OK)
                keep_failure(call, calls[i]);
        }
    }
    for (int i = 0; i < made; i++)
        tm_free(calls[i], size);
    pthread_mutex_unlock(&pool_lock);
    return ready;
}

void tm_pool_end(void)
{
    if (pthread_mutex_trylock(&pool_lock) != 0)
        return; /* a thread that the process's end does not wait for is using it */
    if (pool)
        pthreadpool_destroy(pool);
    pool = NULL;
    pthread_mutex_unlock(&pool_lock);
}
#else
void tm_pool_end(void)
{
}
#endif

tm_status tm_run_range(tm_call *call, int64_t count, int64_t work, bool may_split, tm_range_fn fn,
                       void *context)
{
    if (count == 0)
        return TM_OK;
#ifdef TM_HAVE_PTHREADPOOL
    int num = call->thread->num_threads;
    if (num > 1 && may_split && count > 1 && !call->thread->in_kernel &&
        tm_path_taken(TM_PATH_SPLIT, work && count >= (split_threshold - 1) / work + 1)) {
        tm_status status;
        if (count < num)
            num = (int)count;
        if (run_parts(call, count, num, fn, context, &status))
            return status;
    }
#else
    (void)work;
    (void)may_split;
#endif
    return tm_run_here(call, call->thread, fn, context, 0, count);
}
