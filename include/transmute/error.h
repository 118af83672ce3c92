/* error.h: what failed, told by the thread's error record.
 *
 * A function that fails returns its failure value (NULL, a status other than TM_OK, or what its
 * documentation says) and leaves a record. The message is the op's own, in the words of one
 * example; where the failure happened (level, example, physical shapes, modes) is context beside
 * it. NULL passed on to another op yields NULL and leaves the first record standing, so that a
 * chain of calls is checked once, at its end. Records are per thread.
 */
#ifndef TRANSMUTE_ERROR_H
#define TRANSMUTE_ERROR_H

#include <stdio.h>

#include <transmute/base.h>

TM_BEGIN

/** What kind of failure. The values are part of the ABI. TM_OK is 0. */
typedef enum tm_status {
    TM_OK = 0,
    TM_ERR_RANK = 1,     /**< a tensor has the wrong number of dimensions */
    TM_ERR_SHAPE = 2,    /**< sizes do not fit together */
    TM_ERR_DTYPE = 3,    /**< a dtype the op does not take */
    TM_ERR_DIM = 4,      /**< an axis out of range or named twice */
    TM_ERR_INDEX = 5,    /**< an index out of range */
    TM_ERR_VALUE = 6,    /**< an argument's value is not allowed */
    TM_ERR_NUMERIC = 7,  /**< the computation has no answer (a matrix is not positive definite) */
    TM_ERR_ALIASING = 8, /**< written memory overlaps itself or is read-only */
    TM_ERR_VMAP = 9,     /**< not possible over a mapped value, by the closed list of the design */
    TM_ERR_ESCAPED = 10, /**< a handle of a level that has ended or is another thread's */
    TM_ERR_NO_KERNEL = 11,
    TM_ERR_SCHEMA = 12, /**< a schema does not parse, or a kernel broke its op's promise */
    TM_ERR_MEMORY = 13,
    TM_ERR_IO = 14,
    TM_ERR_USAGE = 15 /**< the function was called in a way its documentation rules out */
} tm_status;

/** The name of a status: "rank", "shape", ..., "ok". Static. */
TM_API const char *tm_status_name(tm_status status);

/** One level's part of a failing example's index, outermost level first. */
typedef struct tm_error_level {
    uint64_t level; /**< the level's id */
    int64_t size;   /**< its batch size */
    int64_t index;  /**< which example failed, -1 where the failure is all examples' alike */
} tm_error_level;

/** The standing error. Strings and arrays belong to the thread's record and stay valid until the
 *  next failure or tm_error_clear. */
typedef struct tm_error {
    size_t struct_size;
    tm_status code;
    const char *op;       /**< the op that was called, or the function, without "tm_" */
    const char *inner_op; /**< the op inside a composite that failed, or NULL */
    const char *argument; /**< the argument at fault, or NULL */
    const char *message;  /**< what was expected and what came, without the op's name */
    const char *modes;    /**< the mode stack at the call, top first, comma-separated; may be "" */
    const char *logical;  /**< the arguments' shapes as one example sees them; may be "" */
    const char *physical; /**< the same with batch dimensions in front; "" where none is mapped */
    int num_levels;
    const tm_error_level *levels;
} tm_error;

/** The thread's standing error, or NULL while none stands. */
TM_API const tm_error *tm_error_get(void);
/** The standing error's code, TM_OK while none stands. */
TM_API tm_status tm_error_code(void);
/** "OP: MESSAGE" of the standing error, "" while none stands. */
TM_API const char *tm_error_message(void);
/** Empties the record. */
TM_API void tm_error_clear(void);
/** Writes the standing error for a reader: "error: OP: MESSAGE", then the context on lines that
 *  begin with two spaces. Writes nothing while none stands. */
TM_API void tm_error_print(FILE *stream);

/** Called after each new record in any thread, with the record. */
typedef void (*tm_error_callback)(const tm_error *error, void *user);
/** Installs a callback for the whole process (NULL: none). Not while other threads make calls. */
TM_API void tm_error_set_callback(tm_error_callback callback, void *user);

TM_END
#endif
