/* failing.h: memory that runs out when told to.
 *
 * The program's malloc and its like are this file's, so the third parties' allocations fail too.
 * Where a sanitizer has them already, only what the library asks its own allocator for fails.
 */
#ifndef TM_TESTS_FAILING_H
#define TM_TESTS_FAILING_H

#include <stdbool.h>
#include <stdint.h>

/** Sets the library's allocator: straight on to malloc, so that no block is kept for reuse. */
void failing_install(void);
/** From now on the n-th allocation fails, in whichever thread, and if `on` all after it. */
void failing_arm(int64_t n, bool on);
/** No more. Returns whether one has failed. */
bool failing_disarm(void);
/** What the calling thread allocates between the two does not count: the test's own. */
void failing_pause(void);
void failing_resume(void);
/** Blocks that have been allocated and not been freed. */
int64_t failing_live(void);

#endif
