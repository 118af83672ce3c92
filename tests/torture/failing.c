/* failing.c: see failing.h. */
#include "failing.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <transmute/memory.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define SANITIZED 1
#endif

static _Atomic int64_t left; /* until the next failure; 0: none will come */
static _Atomic bool on_and_on, failed;
static _Atomic int64_t live;
static _Thread_local int paused __attribute__((tls_model("initial-exec")));

void failing_arm(int64_t n, bool on)
{
    atomic_store(&failed, false);
    atomic_store(&on_and_on, on);
    atomic_store(&left, n);
}

bool failing_disarm(void)
{
    atomic_store(&left, 0);
    return atomic_load(&failed);
}

void failing_pause(void)
{
    paused++;
}

void failing_resume(void)
{
    paused--;
}

int64_t failing_live(void)
{
    return atomic_load(&live);
}

/* Whether this allocation is one that fails. */
static bool fails(void)
{
    int64_t n = atomic_load_explicit(&left, memory_order_relaxed);
    if (n == 0 || paused)
        return false;
    while (!atomic_compare_exchange_weak(&left, &n, n > 1 ? n - 1 : on_and_on ? 1 : 0))
        if (n == 0)
            return false;
    if (n > 1)
        return false;
    atomic_store(&failed, true);
    errno = ENOMEM;
    return true;
}

#ifdef SANITIZED

static void *pass_alloc(size_t size, void *user)
{
    (void)user;
    void *memory = fails() ? NULL : malloc(size);
    atomic_fetch_add(&live, memory != NULL);
    return memory;
}

static void pass_release(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    atomic_fetch_sub(&live, memory != NULL);
    free(memory);
}

#else

/* The C library's own, under the names that it has for those who replace them. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#pragma GCC visibility push(default) /* what follows is for all shared objects */

static void *counted(void *memory)
{
    atomic_fetch_add_explicit(&live, memory != NULL, memory_order_relaxed);
    return memory;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails())
        return NULL;
    void *moved = __libc_realloc(memory, size);
    if (!memory)
        counted(moved);
    else if (size == 0 && !moved)
        atomic_fetch_sub(&live, 1);
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = aligned_alloc(alignment, size);
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}

void free(void *memory)
{
    atomic_fetch_sub_explicit(&live, memory != NULL, memory_order_relaxed);
    __libc_free(memory);
}

#pragma GCC visibility pop

static void *pass_alloc(size_t size, void *user)
{
    (void)user;
    return malloc(size);
}

static void pass_release(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

#endif

void failing_install(void)
{
    const tm_allocator allocator = {sizeof allocator, pass_alloc, pass_release, NULL};
    tm_set_allocator(&allocator);
}
