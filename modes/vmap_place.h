/* vmap_place.h: results of pieces that are made where they belong. */
#ifndef TM_MODES_VMAP_PLACE_H
#define TM_MODES_VMAP_PLACE_H

#include "dispatch/handle.h"
#include "dispatch/seat.h"

/** What is known of one output of a mapped function. Zeroed, nothing. */
typedef struct tm_place {
    uint32_t nth; /**< the storage that becomes the result, counted from the piece's begin; or 0 */
    tm_seat seat;
} tm_place;

/** Lays out seats for the piece of `size` examples from `first` on, of `batch`, in the wholes that
 *  there are. Returns what the thread's seats were. */
tm_seat *tm_places_offer(tm_thread *thread, int n, tm_place *places, tm_tensor *const *whole,
                         int64_t first, int64_t size, int64_t batch);

/** Remembers which storage became y, when `before` storages had been made as the piece began. */
void tm_place_learn(tm_place *place, const tm_tensor *y, int dim, uint32_t before);

/** Whether y is its part of the whole already. */
bool tm_place_holds(const tm_tensor *whole, const tm_tensor *y, int dim, int64_t first,
                    int64_t batch);

/** Moves the whole, of which `done` examples are made, to other memory if anything stands in its
 *  own: a storage that took a seat and is not the result, or outlived it. */
tm_status tm_place_clear(tm_thread *thread, tm_tensor **whole, int64_t done, int64_t batch);

#endif
