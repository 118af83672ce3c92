/* random.h: a call's random stream, and going back to where generators stood. */
#ifndef TM_DISPATCH_RANDOM_H
#define TM_DISPATCH_RANDOM_H

#include "call.h"

/** A random call counts once its meta has passed: takes its number on its generator, or the pinned
 *  one. */
tm_status tm_stream_begin(tm_call *call);
/** Sets the stream for the example with that index at each of the plan's levels; those in
 *  call->random_levels count. */
void tm_stream_seek(tm_call *call, int num_levels, const int64_t *index);

/** A generator as it stood when it was first used after a mark. */
typedef struct tm_marked {
    tm_generator *generator;
    tm_generator state;
} tm_marked;

/** A place to go back to: a function that is run piece by piece over one batch draws the same
 * numbers in each piece, from whichever generators it uses. Marks nest; they are the caller's, on
 * its stack. */
typedef struct tm_random_mark {
    struct tm_random_mark *outer;
    tm_thread *thread;
    int count, room;
    tm_marked *marked;
} tm_random_mark;

/** Sets the thread's innermost mark. */
void tm_random_mark_set(tm_random_mark *mark, tm_thread *thread);
/** Puts every generator used since the mark back to where it stood; the mark stays. */
void tm_random_restart(const tm_random_mark *mark);
/** Takes the innermost mark away; generators stay where they are. */
void tm_random_mark_drop(tm_random_mark *mark);
/** Before a generator changes: every open mark that has not seen it notes its state. False on lack
 *  of memory. */
bool tm_random_note(tm_thread *thread, tm_generator *generator);

#endif
