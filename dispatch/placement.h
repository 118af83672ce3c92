/* placement.h: where in a new output's memory the levels lie. */
#ifndef TM_DISPATCH_PLACEMENT_H
#define TM_DISPATCH_PLACEMENT_H

#include "plan.h"

/** The levels that lie inside the logical dimensions, in order of memory, the last one innermost.
 *  The others lie outside them, in order of level. */
typedef struct tm_placement {
    int count;
    bool is_inner[TM_MAX_LEVELS];
    uint8_t level[TM_MAX_LEVELS];
} tm_placement;

/** Chooses for the call's new outputs, all levels and inputs being in the plan. */
void tm_placement_choose(const tm_plan *plan, tm_placement *place);

#endif
