/* error.h: the thread's error record, and setting it. */
#ifndef TM_DISPATCH_ERROR_H
#define TM_DISPATCH_ERROR_H

#include <transmute/error.h>

enum { TM_MESSAGE_SIZE = 768, TM_NAME_SIZE = 64, TM_CONTEXT_SIZE = 640 };

/** A failure on its way to the record: what a meta or a kernel said. Small enough to live in every
 *  call; `message` is set only where code is. */
typedef struct tm_failure {
    tm_status code;
    char inner_op[TM_NAME_SIZE];
    char argument[TM_NAME_SIZE];
    char message[TM_MESSAGE_SIZE];
} tm_failure;

/** The record behind tm_error_get. Fixed buffers: reporting lack of memory needs none. */
typedef struct tm_error_record {
    tm_error view; /**< code is TM_OK while no error stands */
    char op[TM_NAME_SIZE];
    char inner_op[TM_NAME_SIZE];
    char argument[TM_NAME_SIZE];
    char message[TM_MESSAGE_SIZE];
    char modes[TM_CONTEXT_SIZE];
    char logical[TM_CONTEXT_SIZE];
    char physical[TM_CONTEXT_SIZE];
    tm_error_level levels[TM_MAX_LEVELS];
    char line[TM_NAME_SIZE + TM_MESSAGE_SIZE + 4]; /**< "OP: MESSAGE" */
} tm_error_record;

/** Sets the record for a function that is no op ("tensor_new" without its tm_) and returns `code`.
 *  `argument` may be NULL. */
tm_status tm_error_set(tm_status code, const char *function, const char *argument,
                       const char *format, ...) TM_PRINTF(4, 5);
/** tm_error_set for lack of memory. */
tm_status tm_error_memory(const char *function, int64_t bytes);

/** Begins a new record: empties the old one and sets code, op, inner_op ("": none), argument ("":
 *  none) and message. The caller adds context, then calls tm_error_publish. NULL where the thread
 *  has no record. */
tm_error_record *tm_error_begin(tm_status code, const char *op, const char *inner_op,
                                const char *argument, const char *message);
/** Ends a record: makes the public view, calls the callback. */
void tm_error_publish(tm_error_record *record);

/** Between the two no callback runs: for who holds a lock that it could ask for. What became due
 *  meanwhile runs at the end. */
void tm_error_hold_callback(void);
void tm_error_release_callback(void);

/** Where NULL came in as an argument: leaves a standing error, sets one where none stands.
 *  Returns the code that now stands. */
tm_status tm_error_null(const char *function, const char *argument);

#endif
