/* convolution_direct.h: convolutions of real numbers as sums over taps: what its parts share.
 *
 * The channels of a group are copied, zeros around them, into planes in which every tap lies at one
 * distance from every position: along an axis of stride s, those elements that one tap can meet,
 * each s-th, lie side by side in a plane of their own (a slot). So the products of a tap are those
 * of one number with a run of elements. Positions are counted through the planes; between the rows
 * of the result there are some that mean nothing, whose sums are not used.
 *
 * A sum is taken in the order of channels and taps, and the bias is added to it. Which positions,
 * examples or rows are computed together changes no bit.
 */
#ifndef TM_OPS_CONVOLUTION_DIRECT_H
#define TM_OPS_CONVOLUTION_DIRECT_H

#include "convolution.h"
#include "convolution_tiles.h"

enum {
    TM_DIRECT_STRIP = 768,     /**< positions whose sums are taken before those of other channels */
    TM_DIRECT_STRIP_STEP = 48, /**< divides it: positions computed together, or a multiple */
    TM_DIRECT_ROWS = 8         /**< the most channels that are */
};

/* How it is computed, by the logical shapes alone; but `lanes` and `direct`, which change no bit.
 */
typedef struct tm_direct_plan {
    tm_dtype dtype;                /* that is computed in */
    int64_t item;                  /* its size */
    int64_t rows, channels, taps;  /* of a group: output channels, input channels, taps of both */
    int64_t slots[TM_WINDOW_DIMS]; /* planes along each axis */
    int64_t size[TM_WINDOW_DIMS];  /* of a plane */
    int64_t volume, plane;         /* elements of a plane: of one example, of all */
    int cut;                       /* the axis that is cut into pieces */
    int64_t piece;                 /* output positions of a piece along it */
    int64_t examples;
    int64_t lanes;
    bool direct; /* the rows of the result are long enough to be written as they are computed */
    size_t offsets, weight, bias, planes, places, sums,
        list; /* bytes of the workspace, in this order */
} tm_direct_plan;

/* What the kernel works on. */
typedef struct tm_direct_work {
    const tm_convolution *c;
    const tm_direct_plan *p;
    const tm_tensor *x, *weight, *bias;
    const char *weight_from, *bias_from; /* those of the examples that are computed */
    const char *weight_data, *bias_data; /* row-major in the dtype that is computed in, or NULL */
    tm_dtype x_dtype, out_dtype;
    int64_t x_channel, x_step[TM_WINDOW_DIMS]; /* bytes from one to the next */
    int32_t *offset;
    char *weight_room, *bias_room, *planes, *sums;
    tm_tap_place *places;
    tm_sums_row *list; /* in the order of `from`; no row lies in two strips */
    int64_t num_places, num_rows;
    int64_t listed; /* how many examples these are of */
} tm_direct_work;

/* Several examples of equal steps in bytes, and where along the axis that is cut their positions
 * begin. */
typedef struct tm_direct_piece {
    const char *x;
    char *out;
    int64_t x_step, out_step, examples;
    int64_t begin;
} tm_direct_piece;

/** False where it is computed another way. */
bool tm_direct_plan_make(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                         const tm_tensor *bias, tm_direct_plan *p);
/** Where each tap lies from a position. */
void tm_direct_find_taps(const tm_direct_work *k);
/** Brings the channels of a group into the planes. What is outside of x stays as it is: zeros. */
void tm_direct_pack(const tm_direct_work *k, const tm_direct_piece *s, int64_t group);

#endif
