/* convolution.h: a convolution as its meta describes it, and how it is computed.
 *
 * A window has `kernel` taps and stands at `out` positions over planes of `in` elements. The taps
 * of a block of positions make a matrix, a row for each channel and tap and a column for each
 * position; the convolution is weight's rows times that matrix. Its adjoint, the transposed
 * convolution, is weight's columns times x, whose rows are added to the elements that the taps lay
 * at.
 */
#ifndef TM_OPS_CONVOLUTION_H
#define TM_OPS_CONVOLUTION_H

#include "steps.h"
#include "window.h"

typedef struct tm_convolution {
    tm_window window; /**< of a transposed one: the window of what it is the adjoint of, so that
                           `in` are the result's sizes and `out` are x's */
    bool transposed;
    int64_t batch, channels, out_channels, groups; /**< channels: x's and the result's */
    int64_t block;                                 /**< positions that are computed at once */
} tm_convolution;

/** Chooses the block, and asks for the workspace that the kernel takes. */
void tm_convolution_plan(tm_call *call, tm_convolution *c, const tm_tensor *x,
                         const tm_tensor *weight, const tm_tensor *bias);
/** The kernel of every op here, by the params block. */
tm_status tm_convolution_run(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                             const tm_tensor *bias, tm_tensor *out);

/** Whether it can be computed directly (convolution_direct.c), which the logical shapes decide, and
 *  the bytes of workspace that it then takes. */
bool tm_convolution_is_direct(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                              const tm_tensor *bias, size_t *workspace);
/** Computes it so, for all examples of a batch (NULL: one); false, and nothing is written, where it
 *  cannot be. */
bool tm_convolution_direct(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                           const tm_tensor *bias, tm_tensor *out, const tm_batch *batch);

/** Whether it can be read as it is: row-major, and in that dtype. */
static inline bool tm_is_ready(const tm_tensor *x, tm_dtype dtype)
{
    return tm_dtype_of(x) == dtype && tm_is_contiguous(x);
}

/** The elements, of which the first is at `data`, row-major in that dtype: where they lie, or
 * copied into `room`. */
static inline const char *tm_ready(const tm_tensor *x, const char *data, tm_dtype dtype, char *room)
{
    if (tm_is_ready(x, dtype))
        return data;
    tm_copy_row_major(x, data, dtype, room, true);
    return room;
}

/** Planes as they lie: bytes from one to the next, and along the axes. */
typedef struct tm_planes {
    char *base;
    int64_t channel, step[TM_WINDOW_DIMS];
} tm_planes;

/** The matrix of the positions [begin, end), row-major; in the padding there are zeros. */
void tm_columns_gather(const tm_window *w, tm_dtype dtype, const tm_planes *planes,
                       int64_t channels, int64_t begin, int64_t end, char *columns);
/** The adjoint: adds the matrix to the elements. Those of the padding are dropped. */
void tm_columns_scatter(const tm_window *w, tm_dtype dtype, const tm_planes *planes,
                        int64_t channels, int64_t begin, int64_t end, const char *columns);

#endif
