/* tour_planes.c: the second part of the tour, principal components of each digit.
 *
 * `principal` looks at the images of one digit: their mean, and the directions in which they differ
 * most, by the singular value decomposition of their covariance. Mean and directions are a plane
 * that runs through the digit's images. `distance` says how far from it one image lies. Mapped over
 * digits and images, `distance` makes a table; the least of a row is the digit that is found.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tour_parts.h"

enum { PIXELS = SIDE * SIDE, PLANE = 8 };

/* -- One digit, one image --------------------------------------------------------------------- */

typedef struct tour_plane {
    tm_tensor *mean, *axes, *variance; /* (64,), (8, 64), (64,): along all axes, descending */
} tour_plane;

/* images (n, 64), labels (n,), digit () -> the digit's plane. Images of other digits have weight 0,
 * so no two digits need have as many. */
static tour_plane principal(const tm_tensor *images, const tm_tensor *labels,
                            const tm_tensor *digit)
{
    tm_tensor *weight = tm_astype(tm_eq(labels, digit), TM_FLOAT64);
    tm_tensor *count = tm_sum(weight, NULL, false);
    tm_tensor *mean = tm_div(tm_matmul(weight, images), count);
    tm_tensor *away = tm_sub(images, mean);
    tm_tensor *own = tm_mul(away, tm_unsqueeze(weight, 1));
    tm_tensor *covariance = tm_div(tm_matmul(tm_swapaxes(own, 0, 1), away), count);
    tm_svd_result svd = tm_svd(covariance, true);
    return (tour_plane){mean, tm_slice(svd.vh, 0, 0, PLANE, 1), svd.s};
}

/* image (64,) -> its squared distance from the plane, (). */
static tm_tensor *distance(const tm_tensor *image, const tm_tensor *mean, const tm_tensor *axes)
{
    tm_tensor *away = tm_sub(image, mean);
    tm_tensor *along = tm_matmul(axes, away);
    return tm_sub(tm_matmul(away, away), tm_matmul(along, along));
}

/* distances (n,), labels (n,), digit () -> the mean over the digit's own images, (). */
static tm_tensor *own_distance(const tm_tensor *distances, const tm_tensor *labels,
                               const tm_tensor *digit)
{
    tm_tensor *weight = tm_astype(tm_eq(labels, digit), TM_FLOAT64);
    return tm_div(tm_matmul(weight, distances), tm_sum(weight, NULL, false));
}

/* -- The same, in the form that tm_vmap maps --------------------------------------------------- */

static tm_status map_principal(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    tour_plane plane = principal(in[0], in[1], in[2]);
    out[0] = plane.mean;
    out[1] = plane.axes;
    out[2] = plane.variance;
    return TM_OK;
}

static tm_status map_distance(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = distance(in[0], in[1], in[2]);
    return TM_OK;
}

static tm_status map_own_distance(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = own_distance(in[0], in[1], in[2]);
    return TM_OK;
}

/* image (64,), means (10, 64), axes (10, 8, 64) -> distances (10,): a level over the digits. */
static tm_status map_digits(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    return tm_vmap(map_distance, user, NULL, 3, in, (int64_t[]){TM_NOT_MAPPED, 0, 0}, 1, out, NULL);
}

/* images (n, 64), labels (n,), digits (10,) -> the planes: a level over the digits. */
static tm_status all_planes(const tm_tensor *const in[3], tm_tensor *planes[3])
{
    return tm_vmap(map_principal, NULL, NULL, 3, in, (int64_t[]){TM_NOT_MAPPED, TM_NOT_MAPPED, 0},
                   3, planes, NULL);
}

/* images (n, 64), means, axes -> distances (n, 10): a level over the images, and the one inside. */
static tm_status all_distances(const tm_tensor *const in[3], tm_tensor **table)
{
    return tm_vmap(map_digits, NULL, NULL, 3, in, (int64_t[]){0, TM_NOT_MAPPED, TM_NOT_MAPPED}, 1,
                   table, NULL);
}

/* -- On the digits ----------------------------------------------------------------------------- */

/* variance (10, 64) -> printed: by digit, the part that the first 1, 2, ... 8 directions explain.
 */
static int explained(const tm_tensor *variance)
{
    tm_tensor *whole = tm_sum(variance, &TM_INTS(1), true);
    tm_tensor *parts = tm_cumsum(tm_div(tm_slice(variance, 1, 0, PLANE, 1), whole), 1);
    tm_tensor *per_mille = tm_round(tm_mul_scalar(parts, tm_scalar_int(1000)));
    printf("vmap(principal)(digits), by digit: per cent of the variance along 1 to %d directions\n",
           PLANE);
    tm_print(stdout, tm_div_scalar(per_mille, tm_scalar_int(10)));
    return tm_error_get() ? tour_fail() : 0;
}

/* The largest difference of two float64 tensors, over the largest element; NaN after an error. */
static double difference(const tm_tensor *a, const tm_tensor *b)
{
    tm_tensor *away = tm_amax(tm_abs(tm_sub(a, b)), NULL, false);
    return tm_item(tm_div(away, tm_amax(tm_abs(a), NULL, false))).value.f;
}

/* Says that two ways lead to the same numbers, or fails. */
static int agree(const char *what, const tm_tensor *a, const tm_tensor *b)
{
    double away = difference(a, b);
    if (tm_error_get())
        return tour_fail();
    bool same = away < 1e-9;
    printf("%s: %s\n", what, same ? "the same" : "DIFFERENT");
    return same ? 0 : 1;
}

/* The squared distance of a digit's images from their plane is, in the mean, the variance that the
 * plane does not explain. */
static int reconstruction(const tm_tensor *const in[3], const tm_tensor *table,
                          const tm_tensor *variance)
{
    const tm_tensor *own_in[] = {tm_slice(table, 0, 0, TRAINED, 1), in[1], in[2]};
    tm_tensor *own[1];
    tm_tensor *left = tm_sum(tm_slice(variance, 1, PLANE, PIXELS, 1), &TM_INTS(1), false);
    if (!left || tm_vmap(map_own_distance, NULL, NULL, 3, own_in, (int64_t[]){1, TM_NOT_MAPPED, 0},
                         1, own, NULL) != TM_OK)
        return tour_fail();
    const double *square = tm_data(own[0]);
    printf("what a plane leaves of its digit's images, grey levels per pixel:\n");
    for (int digit = 0; digit < DIGITS; digit++)
        printf(" %d: %.2f", digit, sqrt(square[digit] / PIXELS));
    printf("\n");
    return agree("mean squared distance from the plane, and variance not explained", own[0], left);
}

/* The loops that the levels stand for: one digit at a time, one image and digit at a time. What is
 * compared is written to `numbers`. A plane is so much work that a loop over ten of them costs
 * nothing; a distance is not. */
static void loop_planes(const tm_tensor *const in[3], double *numbers)
{
    for (int digit = 0; digit < DIGITS; digit++) {
        tm_scope *scope = tm_scope_push();
        tour_plane plane = principal(in[0], in[1], tm_select(in[2], 0, digit));
        if (plane.variance)
            memcpy(numbers + digit * PIXELS, tm_data(plane.variance), PIXELS * sizeof(double));
        tm_scope_pop(scope);
    }
}

static void loop_distances(const tm_tensor *const in[3], double *numbers)
{
    for (int64_t image = 0; image < tm_size(in[0], 0); image++)
        for (int64_t digit = 0; digit < DIGITS; digit++) {
            tm_scope *scope = tm_scope_push();
            tm_tensor *away = distance(tm_select(in[0], 0, image), tm_select(in[1], 0, digit),
                                       tm_select(in[2], 0, digit));
            *numbers++ = tm_item(away).value.f;
            tm_scope_pop(scope);
        }
}

static void vmap_planes(const tm_tensor *const in[3], double *unused)
{
    (void)unused;
    tm_scope *scope = tm_scope_push();
    tm_tensor *planes[3];
    all_planes(in, planes);
    tm_scope_pop(scope);
}

static void vmap_distances(const tm_tensor *const in[3], double *unused)
{
    (void)unused;
    tm_scope *scope = tm_scope_push();
    tm_tensor *table;
    all_distances(in, &table);
    tm_scope_pop(scope);
}

typedef void run_fn(const tm_tensor *const in[3], double *numbers);

/* Times `vmap` and `loop`, and holds what the loop finds against what vmap found. */
static int compare(const char *what, double count, run_fn *vmap, run_fn *loop,
                   const tm_tensor *const in[3], const tm_tensor *found)
{
    double by_vmap[REPEATS], by_loop[REPEATS];
    tm_tensor *numbers = tm_zeros((tm_int_list){tm_shape(found), tm_ndim(found)}, TM_FLOAT64);
    for (int i = 0; i < REPEATS && numbers; i++) {
        double start = tour_seconds();
        vmap(in, NULL);
        double middle = tour_seconds();
        loop(in, tm_mutable_data(numbers));
        by_vmap[i] = middle - start;
        by_loop[i] = tour_seconds() - middle;
    }
    if (agree(what, found, numbers) != 0)
        return 1;
    double each = count / tour_median(by_vmap, REPEATS),
           one = count / tour_median(by_loop, REPEATS);
    printf("    vmap %.0f/s, loop %.0f/s, ratio %.1f\n", each, one, each / one);
    return 0;
}

/* How often the nearest plane is the right one. */
static int classified(const tm_tensor *table, const tm_tensor *labels)
{
    int64_t count = tm_size(table, 0);
    tm_tensor *nearest = tm_argmin(table, TM_SOME(int64_t, 1), false);
    tm_tensor *right = tour_share_right(tm_slice(nearest, 0, TRAINED, count, 1),
                                        tm_slice(labels, 0, TRAINED, count, 1));
    printf("vmap(vmap(distance)), a table of (%lld, %d): by the nearest plane, of the %lld others\n"
           "right: ",
           (long long)count, DIGITS, (long long)count - TRAINED);
    tm_print(stdout, right);
    return tm_error_get() ? tour_fail() : 0;
}

int tour_planes(const tour_data *data)
{
    tm_tensor *images = tm_reshape(tm_astype(data->images, TM_FLOAT64), TM_INTS(-1, PIXELS));
    tm_tensor *digits =
        tm_arange(tm_scalar_int(0), tm_scalar_int(DIGITS), tm_scalar_int(1), TM_INT64);
    const tm_tensor *trained[] = {tm_slice(images, 0, 0, TRAINED, 1),
                                  tm_slice(data->labels, 0, 0, TRAINED, 1), digits};
    tm_tensor *planes[3], *table;
    if (!digits || all_planes(trained, planes) != TM_OK) {
        if (tm_error_code() != TM_ERR_NO_KERNEL)
            return tour_fail();
        tm_error_clear();
        printf("principal components: left out, as the library was built without LAPACK\n\n");
        return 0;
    }
    const tm_tensor *in[] = {images, planes[0], planes[1]};
    if (explained(planes[2]) != 0 || all_distances(in, &table) != TM_OK)
        return tm_error_get() ? tour_fail() : 1;
    if (classified(table, data->labels) || reconstruction(trained, table, planes[2]))
        return 1;
    if (data->timed && (compare("planes by vmap and by a loop", DIGITS, vmap_planes, loop_planes,
                                trained, planes[2]) ||
                        compare("distances by vmap and by a loop", (double)tm_numel(table),
                                vmap_distances, loop_distances, in, table)))
        return 1;
    printf("\n");
    return 0;
}
