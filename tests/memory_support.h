/* memory_support.h: what the tests of files and texts share: the blocks that a test holds, and an
 * allocator that fails when told to.
 */
#ifndef TRANSMUTE_TESTS_MEMORY_SUPPORT_H
#define TRANSMUTE_TESTS_MEMORY_SUPPORT_H

#include <transmute/memory.h>

/** Set-up: clears the error and remembers what the library holds, its own tables. */
void test_memory_begin(void);
/** What it held then. */
extern tm_memory_stats test_memory_at_start;
/** Blocks that the test has made the library hold. */
uint64_t test_live_blocks(void);

/** How many more allocations of the allocator below succeed. */
extern int test_allocs_left;
extern const tm_allocator test_limited_allocator;

#endif
