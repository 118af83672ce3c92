/* memory_support.c: see memory_support.h. */
#include "memory_support.h"

#include <stdlib.h>

#include <transmute/transmute.h>

tm_memory_stats test_memory_at_start;

void test_memory_begin(void)
{
    tm_error_clear();
    tm_scope_pop(tm_scope_push()); /* the thread's record is made at the first use */
    test_memory_at_start = tm_memory_get_stats();
}

uint64_t test_live_blocks(void)
{
    return tm_memory_get_stats().live_blocks - test_memory_at_start.live_blocks;
}

int test_allocs_left;

static void *limited_alloc(size_t size, void *user)
{
    (void)user;
    return test_allocs_left-- > 0 ? malloc(size) : NULL;
}

static void plain_release(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

const tm_allocator test_limited_allocator = {sizeof(tm_allocator), limited_alloc, plain_release,
                                             NULL};
