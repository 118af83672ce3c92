/* sorting_level.h: the networks for one level of vector instructions; included by sorting_network.c
 * once for each, with LEVEL its name, TARGET its attribute and VECTOR its type of vector.
 */
#define KIND 32
#define T int32_t
#define V VECTOR
#define ROW TM_LANES32
#define LOAD(v, w) (*(v) = *(const VECTOR *)(w))
#define STORE(w, v) (*(VECTOR *)(w) = *(v))
#include "sorting_network.h"
#undef KIND
#undef T
#undef ROW

#define KIND 64
#define T int64_t
#define ROW TM_LANES64
#include "sorting_network.h"
#undef KIND
#undef V
#undef ROW
#undef LOAD
#undef STORE

#define KIND _pairs
#define V NAME(vector)
#define ROW TM_PAIR_ROW
#define LOAD(v, w)                                                                                 \
    ((v)->key = *(const VECTOR *)(w), (v)->index = *(const VECTOR *)((w) + TM_LANES64))
#define STORE(w, v) (*(VECTOR *)(w) = (v)->key, *(VECTOR *)((w) + TM_LANES64) = (v)->index)
#include "sorting_network.h"
#undef KIND
#undef T
#undef V
#undef ROW
#undef LOAD
#undef STORE

#undef LEVEL
#undef TARGET
#undef VECTOR
