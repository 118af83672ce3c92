/* tour_means.c: the first part of the tour. `classify` is a plain C function for one 8x8 image:
 * normalise, project on a cosine basis, measure the squared distance to ten class means, take the
 * nearest. Nothing in it knows of a batch. It runs on one image, on all images under one vmap, and
 * on all images for five sets of means under two.
 */
#include <math.h>
#include <stdio.h>

#include "tour_parts.h"

enum { RANK = 6, FOLDS = 5 };

/* -- One image ------------------------------------------------------------------------------- */

/* image (8, 8) -> (6, 6): mean 0, norm 1, projected. */
static tm_tensor *features(const tm_tensor *image, const tm_tensor *basis)
{
    tm_tensor *x = tm_astype(image, TM_FLOAT32);
    x = tm_sub(x, tm_mean(x, NULL, false));
    x = tm_div(x, tm_vector_norm(x, NULL, false, 2));
    return tm_matmul(tm_matmul(basis, x), tm_swapaxes(basis, 0, 1));
}

/* image (8, 8), basis (6, 8), means (10, 6, 6) -> the nearest class, a 0-D int64. */
static tm_tensor *classify(const tm_tensor *image, const tm_tensor *basis, const tm_tensor *means)
{
    tm_tensor *away = tm_sub(means, features(image, basis));
    tm_tensor *distance = tm_sum(tm_mul(away, away), &TM_INTS(1, 2), false);
    return tm_argmin(distance, NULL, false);
}

/* features (n, 6, 6), labels (n,) -> the mean of one class (6, 6). Which class is the example's
 * index at the level it runs in. */
static tm_tensor *class_mean(const tm_tensor *all, const tm_tensor *labels)
{
    tm_tensor *mine = tm_astype(tm_eq(labels, tm_vmap_index(tm_vmap_current())), TM_FLOAT32);
    tm_tensor *flat = tm_reshape(all, TM_INTS(-1, RANK * RANK));
    tm_tensor *mean = tm_div(tm_matmul(mine, flat), tm_sum(mine, NULL, false));
    return tm_reshape(mean, TM_INTS(RANK, RANK));
}

/* -- The same, in the form that tm_vmap maps --------------------------------------------------- */

static tm_status map_features(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = features(in[0], in[1]);
    return TM_OK;
}

static tm_status map_classify(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = classify(in[0], in[1], in[2]);
    return TM_OK;
}

static tm_status map_class_mean(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = class_mean(in[0], in[1]);
    return TM_OK;
}

/* features (n, 6, 6), labels (n,) -> means (10, 6, 6): a level over the classes. */
static tm_status map_all_means(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    int64_t classes = DIGITS;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &classes};
    return tm_vmap(map_class_mean, user, &options, 2, in, (int64_t[]){TM_NOT_MAPPED, TM_NOT_MAPPED},
                   1, out, NULL);
}

/* images (n, 8, 8), basis, means (10, 6, 6) -> classes (n,): a level over the images. */
static tm_status map_all_images(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    return tm_vmap(map_classify, user, NULL, 3, in, (int64_t[]){0, TM_NOT_MAPPED, TM_NOT_MAPPED}, 1,
                   out, NULL);
}

/* -- On the digits ----------------------------------------------------------------------------- */

/* The six lowest rows of the orthonormal cosine transform (DCT-II): basis (6, 8). */
static tm_tensor *cosine_basis(void)
{
    float rows[RANK][SIDE];
    for (int k = 0; k < RANK; k++)
        for (int i = 0; i < SIDE; i++)
            rows[k][i] = (float)(sqrt((k ? 2.0 : 1.0) / SIDE) *
                                 cos(3.14159265358979323846 * (2 * i + 1) * k / (2.0 * SIDE)));
    return tm_from_data(TM_FLOAT32, 2, (int64_t[]){RANK, SIDE}, rows);
}

/* Classifies with a loop over images: the same function, one image at a time. */
static double loop_seconds(const tm_tensor *images, const tm_tensor *basis, const tm_tensor *means)
{
    double start = tour_seconds();
    for (int64_t i = 0; i < tm_size(images, 0); i++) {
        tm_scope *scope = tm_scope_push();
        classify(tm_select(images, 0, i), basis, means);
        tm_scope_pop(scope);
    }
    return tour_seconds() - start;
}

static double map_seconds(const tm_tensor *const in[3])
{
    double start = tour_seconds();
    tm_scope *scope = tm_scope_push();
    tm_tensor *out[1];
    map_all_images(NULL, in, out);
    tm_scope_pop(scope);
    return tour_seconds() - start;
}

static int throughput(const tm_tensor *images, const tm_tensor *basis, const tm_tensor *means)
{
    const tm_tensor *in[] = {images, basis, means};
    double loop[REPEATS], map[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        loop[i] = loop_seconds(images, basis, means);
        map[i] = map_seconds(in);
    }
    if (tm_error_get())
        return tour_fail();
    double count = (double)tm_size(images, 0);
    double by_loop = tour_median(loop, REPEATS), by_map = tour_median(map, REPEATS);
    printf("throughput: vmap %.0f images/s, loop %.0f images/s, ratio %.1f\n\n", count / by_map,
           count / by_loop, by_loop / by_map);
    return 0;
}

static int one_image(const tour_data *data, const tm_tensor *basis, const tm_tensor *means)
{
    tm_mode *trace = tm_trace_push(stdout);
    printf("classify(image) for one image, traced:\n");
    tm_tensor *one = classify(tm_select(data->images, 0, TRAINED), basis, means);
    tm_mode_pop(trace);
    tm_scalar found = tm_item(one);
    if (!one)
        return tour_fail();
    const int64_t *label = tm_data(data->labels);
    printf("found %lld, label %lld\n\n", (long long)found.value.i, (long long)label[TRAINED]);
    return 0;
}

/* How many per cent are right of those from `start` to `stop`. */
static double accuracy(const tm_tensor *found, const tm_tensor *labels, int64_t start, int64_t stop)
{
    tm_tensor *share =
        tour_share_right(tm_slice(found, 0, start, stop, 1), tm_slice(labels, 0, start, stop, 1));
    return 100 * tm_item(share).value.f;
}

static int all_images(const tour_data *data, const tm_tensor *basis, const tm_tensor *means)
{
    const tm_tensor *in[] = {data->images, basis, means};
    tm_tensor *found[1];
    if (map_all_images(NULL, in, found) != TM_OK)
        return tour_fail();
    int64_t count = tm_size(found[0], 0);
    printf("vmap(classify)(images) for all %lld: %.1f%% right on the %d images the means were made "
           "of,\n%.1f%% on the %lld others\n",
           (long long)count, accuracy(found[0], data->labels, 0, TRAINED), TRAINED,
           accuracy(found[0], data->labels, TRAINED, count), (long long)(count - TRAINED));
    return tm_error_get() ? tour_fail() : 0;
}

/* Means of five fifths of the training images, then every image against each of the five. */
static int nested(const tour_data *data, const tm_tensor *all_features, const tm_tensor *basis)
{
    int64_t count = tm_size(data->images, 0);
    tm_tensor *folds = tm_reshape(tm_slice(all_features, 0, 0, TRAINED, 1),
                                  TM_INTS(FOLDS, TRAINED / FOLDS, RANK, RANK));
    tm_tensor *fold_labels =
        tm_reshape(tm_slice(data->labels, 0, 0, TRAINED, 1), TM_INTS(FOLDS, TRAINED / FOLDS));
    tm_tensor *rest = tm_slice(data->images, 0, TRAINED, count, 1);
    const tm_tensor *parts[] = {folds, fold_labels};
    tm_tensor *means[1], *found[1];
    if (!folds || !fold_labels || !rest ||
        tm_vmap(map_all_means, NULL, NULL, 2, parts, (int64_t[]){0, 0}, 1, means, NULL) != TM_OK)
        return tour_fail();
    const tm_tensor *in[] = {rest, basis, means[0]};
    if (tm_vmap(map_all_images, NULL, NULL, 3, in, (int64_t[]){TM_NOT_MAPPED, TM_NOT_MAPPED, 0}, 1,
                found, NULL) != TM_OK)
        return tour_fail();
    printf("nested, vmap over %d sets of means of vmap over %lld images, shape (%lld, %lld):\n"
           "right: ",
           FOLDS, (long long)tm_size(rest, 0), (long long)tm_size(found[0], 0),
           (long long)tm_size(found[0], 1));
    tm_tensor *share = tour_share_right(found[0], tm_slice(data->labels, 0, TRAINED, count, 1));
    if (tm_print(stdout, share) != TM_OK)
        return tour_fail();
    printf("\n");
    return 0;
}

int tour_means(const tour_data *data)
{
    tm_tensor *basis = cosine_basis();
    const tm_tensor *in[] = {data->images, basis};
    tm_tensor *all[1], *means[1];
    if (!basis || tm_vmap(map_features, NULL, NULL, 2, in, (int64_t[]){0, TM_NOT_MAPPED}, 1, all,
                          NULL) != TM_OK)
        return tour_fail();
    const tm_tensor *trained[] = {tm_slice(all[0], 0, 0, TRAINED, 1),
                                  tm_slice(data->labels, 0, 0, TRAINED, 1)};
    if (map_all_means(NULL, trained, means) != TM_OK)
        return tour_fail();
    return one_image(data, basis, means[0]) || all_images(data, basis, means[0]) ||
           (data->timed && throughput(data->images, basis, means[0])) ||
           nested(data, all[0], basis);
}
