/* random.h: a call's random stream. */
#ifndef TM_DISPATCH_RANDOM_H
#define TM_DISPATCH_RANDOM_H

#include "call.h"

/** A random call counts once its meta has passed: takes its number, or the pinned one. */
void tm_stream_begin(tm_call *call);
/** Sets the stream for the example with that index at each of the plan's levels; those in
 *  call->random_levels count. */
void tm_stream_seek(tm_call *call, int num_levels, const int64_t *index);

#endif
