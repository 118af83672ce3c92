/* seat.h: memory that is waiting for a storage.
 *
 * Who runs the same function over and over and knows from the last time which of the storages it
 * makes is to become a part of something larger lays out a seat in that part: the storage with that
 * number, if it is of that size and mapped at one level, lies there and nothing need be copied. A
 * wrong guess costs nothing but a copy, since a seated storage is one like any other, with the host
 * kept alive by it. Seats are not used where storages have guard zones.
 */
#ifndef TM_DISPATCH_SEAT_H
#define TM_DISPATCH_SEAT_H

#include "storage.h"

typedef struct tm_seat {
    struct tm_seat *next; /**< of the thread's, or NULL */
    uint32_t serial;      /**< of the storage to come */
    int64_t bytes;
    char *data;
    tm_storage *host; /**< the root whose memory it is */
    bool cold;        /**< it is in no cache, and is not read soon */
} tm_seat;

/** The seat of a storage that is made next, or NULL. */
static inline const tm_seat *tm_seat_next(const tm_thread *thread, int64_t bytes, int num_entries)
{
    const tm_seat *seat = thread->seats;
    if (__builtin_expect(!seat, 1) || num_entries != 1 || thread->guards)
        return NULL;
    while (seat && (seat->serial != thread->storages + 1 || seat->bytes != bytes))
        seat = seat->next;
    return seat;
}

#endif
