/* bypass.h: writing memory that will not be read soon past the caches.
 *
 * A store brings its line into the cache first, and pushes out another one. Where what a call
 * touches exceeds the caches anyhow, both are lost traffic: non-temporal stores of whole lines
 * write at once. They are weakly ordered: whoever used them calls tm_bypass_end before the memory
 * may be read by another thread.
 */
#ifndef TM_DISPATCH_BYPASS_H
#define TM_DISPATCH_BYPASS_H

#include <stdint.h>

#include "tuning.h"

enum {
    TM_LINE = 64,
    TM_AHEAD = 4,
    TM_FETCHED = 3072 /**< bytes from what is read to what is fetched meanwhile */
};

/** Bytes of the last level of cache, or what is assumed where the system does not say. */
int64_t tm_cache_last(void);
/** Bytes of one core's second level of cache, likewise. */
int64_t tm_cache_core(void);

/** Whether to write past the caches in a call that touches so many bytes. */
static inline bool tm_bypass_pays(int64_t bytes)
{
    return tm_path_taken(TM_PATH_STREAM, bytes > tm_cache_last() / 4 * 3);
}

/** memcpy past the caches; the ends that are no whole lines are written as ever. */
void tm_bypass_copy(void *to, const void *from, int64_t bytes);

/** What will be read soon: addresses that move by a step with every line that is written. There
 *  need be nothing. */
typedef struct tm_ahead {
    int count;
    uintptr_t at[TM_AHEAD];
    int64_t step[TM_AHEAD];
} tm_ahead;

/** Rows that lie one behind the other in `from`; the lines of `ahead` are brought into the cache
 *  meanwhile. Where a block is computed in the cache and then written, the memory would else be
 *  read and written by turns, and each turn begin with a wait. */
void tm_bypass_rows(void *to, int64_t to_step, const void *from, int64_t bytes, int64_t rows,
                    tm_ahead *ahead);
void tm_bypass_end(void);

#endif
