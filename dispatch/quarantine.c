/* quarantine.c: the ring of dead handles of debug builds. */
#include "quarantine.h"

#ifdef TM_DEBUG
#include <pthread.h>

enum { RING = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *memory;
    size_t size;
} ring[RING];
static size_t next;

void tm_quarantine(void *memory, size_t size)
{
    tm_uncount(size); /* for the counters it is gone now */
    pthread_mutex_lock(&lock);
    void *oldest = ring[next].memory;
    size_t oldest_size = ring[next].size;
    ring[next].memory = memory;
    ring[next].size = size;
    next = (next + 1) % RING;
    pthread_mutex_unlock(&lock);
    if (oldest)
        tm_free_uncounted(oldest, oldest_size);
}

void tm_quarantine_empty(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < RING; i++) {
        if (ring[i].memory)
            tm_free_uncounted(ring[i].memory, ring[i].size);
        ring[i].memory = NULL;
    }
    pthread_mutex_unlock(&lock);
}
#else
void tm_quarantine_empty(void)
{
}
#endif
