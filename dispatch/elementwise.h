/* elementwise.h: an elementwise call as a nest of loops over the memory of its operands.
 *
 * Operands are in the loop's order: inputs, tensors and scalars, then outputs. run_elementwise.c
 * makes the nest and runs it; run_stream.c runs the nests whose outputs are written past the
 * caches.
 */
#ifndef TM_DISPATCH_ELEMENTWISE_H
#define TM_DISPATCH_ELEMENTWISE_H

#include "parallel.h"
#include "plan.h"

enum { TM_MAX_OPERANDS = TM_MAX_COMPUTE };

typedef struct tm_elementwise {
    tm_plan *plan;
    tm_loop_fn loop;
    int operands, inputs;
    char *base[TM_MAX_OPERANDS];
    tm_dtype dtype[TM_MAX_OPERANDS], compute[TM_MAX_OPERANDS];
    bool converts;
    int loops;
    int64_t size[TM_MAX_LOOPS];
    int64_t step[TM_MAX_LOOPS * TM_MAX_OPERANDS];
    union {
        int64_t align;
        char bytes[16];
    } scalar[TM_MAX_ARGS];
} tm_elementwise;

/** Whether to write the outputs past the caches. */
bool tm_stream_pays(const tm_elementwise *e);
/** Part of the iterations, written so. The context is a tm_elementwise. */
tm_status tm_stream_range(tm_call *call, void *context, int64_t begin, int64_t end,
                          tm_scope *scope);

#endif
