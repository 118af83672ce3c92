/* trace.h: the parts of the trace mode.
 *
 *     trace.c        the mode: calls and events as lines
 *     trace_value.c  a value as it is written in a program
 *     trace_names.c  the names that a program has for tensors
 */
#ifndef TM_MODES_TRACE_H
#define TM_MODES_TRACE_H

#include <transmute/modes.h>

#include "dispatch/call.h"
#include "io/format.h"

/* -- trace_names.c ----------------------------------------------------------------------------- */

/** Tensors that stand in the program, each held by a reference, so that its address is not another
 *  tensor's while it has a name. */
typedef struct tm_trace_names {
    struct tm_trace_entry *entries;
    int count, sweep_at;
    int num_results, num_inputs; /**< the next numbers */
} tm_trace_names;

/** Room for a name: "t12" or "x3". */
enum { TM_TRACE_NAME = 24 };

/** Writes x's name; false where it has none. A second handle on the same view has its name too. */
bool tm_trace_find(const tm_trace_names *names, const tm_tensor *x, char text[TM_TRACE_NAME]);
/** Gives x the next name, and writes it; false on lack of memory. */
bool tm_trace_add(tm_trace_names *names, const tm_tensor *x, bool is_input,
                  char text[TM_TRACE_NAME]);
/** Forgets what is mapped at a level, 0: everything. */
void tm_trace_forget(tm_trace_names *names, uint64_t level);

/* -- trace_value.c ----------------------------------------------------------------------------- */

void tm_trace_printf(tm_text *text, const char *format, ...) TM_PRINTF(2, 3);
/** A tensor's dtype, shape and levels: "float32(3,)@1". */
void tm_trace_form(tm_text *text, const tm_tensor *x);
/** A text in quotes, as a program has it. */
void tm_trace_quote(tm_text *text, const char *string);
void tm_trace_scalar(tm_text *text, tm_scalar scalar);
/** A generator as it stood before the call, which may have been counted. */
void tm_trace_generator(tm_text *text, const tm_generator *generator, const tm_call *call);
/** Any value that is neither tensor nor generator. */
void tm_trace_value(tm_text *text, tm_type type, bool optional, const tm_value *value);

#endif
