/* lanes_pack.h: moving operands between where they lie and the lanes of a block.
 *
 * An operand's elements are listed in the order in which they lie in memory, so that runs of
 * neighbours are found whatever the order of its axes: a block of examples is then a transpose of
 * each run.
 */
#ifndef TM_DISPATCH_LANES_PACK_H
#define TM_DISPATCH_LANES_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tm_lanes_operand {
    char *buffer;          /**< element e of lane l is item number e * width + l */
    int64_t count;         /**< elements of one example */
    int64_t run;           /**< so many elements, or a multiple of it, are neighbours in memory */
    const int64_t *offset; /**< of each element in memory order: bytes from the example's first */
    const int32_t *place;  /**< of each element in memory order: which element it is */
    char **lane;           /**< where each lane's example begins */
    int item;              /**< bytes of an element */
    int width;             /**< lanes */
    int64_t ahead;         /**< bytes from a lane's example to the next block's, 0: not known */
    bool side_by_side;     /**< the lanes of an element are neighbours in memory */
    bool bypass;           /**< results are written past the caches, where they fill lines */
} tm_lanes_operand;

/** Fills offset, place and run of elements with that shape and these strides (in elements). */
void tm_lanes_order(tm_lanes_operand *o, int ndim, const int64_t *shape, const int64_t *strides,
                    int64_t *offset, int32_t *place);
/** Brings all lanes of an operand into its buffer. */
void tm_lanes_pack(const tm_lanes_operand *o);
/** Brings the first `valid` lanes out of it. */
void tm_lanes_unpack(const tm_lanes_operand *o, int valid);

#endif
