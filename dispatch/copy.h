/* copy.h: a copy of an n-dimensional block, laid out once and run in as many parts as is wanted.
 *
 * Dimensions are put in the order of the destination's steps and merged where both sides walk them
 * as one. The innermost ones are left to a move, chosen by their steps, which walks the last loop
 * around them too: a short block costs no call of its own.
 */
#ifndef TM_DISPATCH_COPY_H
#define TM_DISPATCH_COPY_H

#include "cast.h"

typedef struct tm_copy_plan tm_copy_plan;

/** n iterations of the last loop, and all that lies inside it. */
typedef void (*tm_move_fn)(const tm_copy_plan *p, char *to, const char *from, int64_t n);

/** Whether the destination is written past the caches. */
typedef enum tm_copy_stream {
    TM_COPY_KEEP = 0,
    TM_COPY_STREAM_LINES, /**< by the move, which writes whole lines */
    TM_COPY_STREAM_BUFFER /**< through a buffer */
} tm_copy_stream;

struct tm_copy_plan {
    char *to;
    const char *from;
    int64_t count; /**< iterations of all loops; 0: nothing to copy */
    int64_t work;  /**< elements in one of them */
    tm_move_fn move;
    tm_cast_fn cast;
    int loops; /**< dimensions that are loops; the move's own follow them */
    int dims;
    int item; /**< bytes moved as one; 0: elements are converted */
    tm_copy_stream stream;
    int64_t size[TM_COPY_DIMS], to_step[TM_COPY_DIMS], from_step[TM_COPY_DIMS];
};

/** Lays out a copy. The conversion must exist. Memory must not overlap. */
void tm_copy_lay_out(tm_copy_plan *plan, int n, const int64_t *size, const tm_copy_side *to,
                     const tm_copy_side *from);
/** Iterations [begin, end) of all loops. */
void tm_copy_range(const tm_copy_plan *plan, int64_t begin, int64_t end);

/* -- Moves (copy_moves.c, transpose.c) --------------------------------------------------------- */

/** Converts; or copies elements with any steps. At most one dimension of its own. */
void tm_move_cast(const tm_copy_plan *p, char *to, const char *from, int64_t n);
/** Copies runs of bytes: one dimension of its own, contiguous on both sides. */
void tm_move_rows(const tm_copy_plan *p, char *to, const char *from, int64_t n);
/** The same with a second dimension of its own, of any steps, around the runs. */
void tm_move_blocks(const tm_copy_plan *p, char *to, const char *from, int64_t n);
/** Repeats each item as one larger word: one dimension of its own. */
void tm_move_repeat(const tm_copy_plan *p, char *to, const char *from, int64_t n);

/** The least size of both of a matrix' dimensions for its transpose to be a move. */
enum { TM_TRANSPOSE_LEAST = 4 };
/** Two dimensions of its own, of which the first is contiguous in the source and the second in the
 *  destination. */
void tm_move_transposed(const tm_copy_plan *p, char *to, const char *from, int64_t n);
/** The same with the first of the two as its last loop. */
void tm_move_columns(const tm_copy_plan *p, char *to, const char *from, int64_t n);
/** Whether transposes of such items can write whole lines. */
bool tm_transpose_streams(int item);

#endif
