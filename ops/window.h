/* window.h: windows that slide over the last one to three axes: the arguments that convolutions and
 * poolings share. Fewer than three axes are three, of which the first have size 1.
 */
#ifndef TM_OPS_WINDOW_H
#define TM_OPS_WINDOW_H

#include <transmute/kernel.h>

enum { TM_WINDOW_DIMS = 3 };

typedef struct tm_window {
    int dims; /**< the op's own: 1, 2 or 3 */
    int64_t in[TM_WINDOW_DIMS], out[TM_WINDOW_DIMS];
    int64_t kernel[TM_WINDOW_DIMS], stride[TM_WINDOW_DIMS], padding[TM_WINDOW_DIMS];
    int64_t dilation[TM_WINDOW_DIMS];
} tm_window;

/** x must be (channels, sizes) or (batch, channels, sizes), every size but the batch's >= 1; fills
 *  dims and in. `channels` and `batch`: x's, a batch of 1 where there is none. */
tm_status tm_window_input(tm_call *call, const tm_tensor *x, int dims, tm_window *w, int64_t *batch,
                          int64_t *channels);
/** A list of one number, for all axes, or of `dims`; each at least `least`. Into the last of
 *  to[TM_WINDOW_DIMS], the first are `fill`. */
tm_status tm_window_list(tm_call *call, const char *argument, tm_int_list list, int dims,
                         int64_t least, int64_t fill, int64_t *to);
/** The span of a window along axis d, holes included; INT64_MAX where it is beyond. */
int64_t tm_window_span(const tm_window *w, int d);
/** The result's shape: that of x with its channels and sizes replaced. Returns its rank. */
int tm_window_shape(const tm_tensor *x, const tm_window *w, int64_t channels, int64_t *shape);
/** TM_ERR_SHAPE unless there is a position for the window along every axis. */
tm_status tm_window_check_out(tm_call *call, const tm_tensor *x, const tm_window *w);
/** The bytes of a block, to a multiple of 64; where they are more than any memory has, so many that
 *  the allocation will say so. */
size_t tm_window_bytes(tm_dtype dtype, int num, const int64_t *size);
/** `channels` planes of one element of x's batch, row-major in that dtype. */
void tm_window_read(const tm_tensor *x, int dims, int64_t batch, int64_t channel, int64_t channels,
                    tm_dtype dtype, void *to);

#endif
