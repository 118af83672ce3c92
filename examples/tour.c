/* tour.c: transmute on 1,797 real handwritten digits, in a screen and a half.
 *
 * `classify` is a plain C function for one 8x8 image: normalise, project on a cosine basis, measure
 * the squared distance to ten class means, take the nearest. Nothing in it knows of a batch. It
 * runs on one image, on all images under one vmap, and on all images for five sets of means under
 * two.
 *
 *     tour [DIRECTORY WITH digits_images.npy AND digits_labels.npy]
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <transmute/transmute.h>

enum { SIDE = 8, RANK = 6, CLASSES = 10, TRAINED = 1000, FOLDS = 5, REPEATS = 5 };

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

/* found (..., n), labels (n,) -> the share that is right (...). */
static tm_tensor *share_right(const tm_tensor *found, const tm_tensor *labels)
{
    tm_tensor *right = tm_astype(tm_eq(found, labels), TM_FLOAT32);
    return tm_mean(right, TM_SOME(tm_int_list, TM_INTS(-1)), false);
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
    int64_t classes = CLASSES;
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

/* -- A kernel registered at run time ----------------------------------------------------------- */

static tm_status ink_meta(tm_call *call, const tm_tensor *image, int64_t level)
{
    (void)level;
    if (tm_dtype_of(image) != TM_UINT8)
        return tm_fail_arg(call, TM_ERR_DTYPE, "image", "image must be uint8, got %s",
                           tm_dtype_name(tm_dtype_of(image)));
    return tm_output(call, 0, TM_INT64, 0, NULL);
}

static tm_status ink(tm_call *call, const tm_tensor *image, int64_t level, tm_tensor *out)
{
    (void)call;
    const uint8_t *pixel = tm_data(image);
    const int64_t *shape = tm_shape(image), *stride = tm_strides(image);
    int64_t count = 0;
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++)
            count += pixel[i * stride[0] + j * stride[1]] >= level;
    *(int64_t *)tm_mutable_data(out) = count;
    return TM_OK;
}

static tm_tensor *count_ink(const tm_op *op, const tm_tensor *images)
{
    tm_value args[2], result;
    tm_vmap_level *level = tm_vmap_push(NULL);
    args[0].tensor = tm_vmap_in(level, images, 0);
    args[1].i = 8;
    tm_tensor *out = NULL;
    if (tm_op_call(op, args, 2, &result, 1) == TM_OK)
        out = tm_vmap_out(level, result.tensor, 0);
    tm_vmap_pop(level);
    return out;
}

/* -- The tour ---------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

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

static double accuracy(const int64_t *found, const int64_t *labels, int64_t count)
{
    int64_t right = 0;
    for (int64_t i = 0; i < count; i++)
        right += found[i] == labels[i];
    return 100.0 * (double)right / (double)count;
}

static int fail(void)
{
    tm_error_print(stderr);
    return 1;
}

/* Classifies with a loop over images: the same function, one image at a time. */
static double loop_seconds(const tm_tensor *images, const tm_tensor *basis, const tm_tensor *means)
{
    double start = seconds();
    for (int64_t i = 0; i < tm_size(images, 0); i++) {
        tm_scope *scope = tm_scope_push();
        classify(tm_select(images, 0, i), basis, means);
        tm_scope_pop(scope);
    }
    return seconds() - start;
}

static double map_seconds(const tm_tensor *const in[3])
{
    double start = seconds();
    tm_scope *scope = tm_scope_push();
    tm_tensor *out[1];
    map_all_images(NULL, in, out);
    tm_scope_pop(scope);
    return seconds() - start;
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
        return fail();
    double count = (double)tm_size(images, 0);
    double by_loop = median(loop, REPEATS), by_map = median(map, REPEATS);
    printf("throughput: vmap %.0f images/s, loop %.0f images/s, ratio %.1f\n\n", count / by_map,
           count / by_loop, by_loop / by_map);
    return 0;
}

static int one_and_all(const tm_tensor *images, const tm_tensor *labels, const tm_tensor *basis,
                       const tm_tensor *means)
{
    const int64_t *label = tm_data(labels);
    int64_t count = tm_size(images, 0);
    tm_mode *trace = tm_trace_push(stdout);
    printf("classify(image) for one image, traced:\n");
    tm_tensor *one = classify(tm_select(images, 0, TRAINED), basis, means);
    tm_mode_pop(trace);
    tm_scalar found = tm_item(one);
    if (!one)
        return fail();
    printf("found %lld, label %lld\n\n", (long long)found.value.i, (long long)label[TRAINED]);

    const tm_tensor *in[] = {images, basis, means};
    tm_tensor *all[1];
    if (map_all_images(NULL, in, all) != TM_OK)
        return fail();
    const int64_t *class = tm_data(all[0]);
    printf("vmap(classify)(images) for all %lld: %.1f%% right on the %d images the means were made "
           "of,\n%.1f%% on the %lld others\n",
           (long long)count, accuracy(class, label, TRAINED), TRAINED,
           accuracy(class + TRAINED, label + TRAINED, count - TRAINED),
           (long long)(count - TRAINED));
    return 0;
}

/* Means of five fifths of the training images, then every image against each of the five. */
static int nested(const tm_tensor *images, const tm_tensor *labels, const tm_tensor *all_features,
                  const tm_tensor *basis)
{
    tm_tensor *folds = tm_reshape(tm_slice(all_features, 0, 0, TRAINED, 1),
                                  TM_INTS(FOLDS, TRAINED / FOLDS, RANK, RANK));
    tm_tensor *fold_labels =
        tm_reshape(tm_slice(labels, 0, 0, TRAINED, 1), TM_INTS(FOLDS, TRAINED / FOLDS));
    tm_tensor *rest = tm_slice(images, 0, TRAINED, tm_size(images, 0), 1);
    const tm_tensor *parts[] = {folds, fold_labels};
    tm_tensor *means[1], *found[1];
    if (!folds || !fold_labels || !rest ||
        tm_vmap(map_all_means, NULL, NULL, 2, parts, (int64_t[]){0, 0}, 1, means, NULL) != TM_OK)
        return fail();
    const tm_tensor *in[] = {rest, basis, means[0]};
    if (tm_vmap(map_all_images, NULL, NULL, 3, in, (int64_t[]){TM_NOT_MAPPED, TM_NOT_MAPPED, 0}, 1,
                found, NULL) != TM_OK)
        return fail();
    printf("nested, vmap over %d sets of means of vmap over %lld images, shape (%lld, %lld):\n"
           "right: ",
           FOLDS, (long long)tm_size(rest, 0), (long long)tm_size(found[0], 0),
           (long long)tm_size(found[0], 1));
    tm_tensor *share = share_right(found[0], tm_slice(labels, 0, TRAINED, tm_size(labels, 0), 1));
    if (tm_print(stdout, share) != TM_OK)
        return fail();
    printf("\n");
    return 0;
}

static int run_time_kernel(const tm_tensor *images, const tm_tensor *labels)
{
    tm_library *library = tm_library_open("tour");
    const tm_op *op = tm_library_register(
        library, &(tm_op_def){.struct_size = sizeof(tm_op_def),
                              .schema = "ink(Tensor image, int level=8) -> Tensor",
                              .contract = TM_PER_EXAMPLE,
                              .doc = "How many pixels of an image are at least so dark.",
                              .meta = (tm_fn)ink_meta,
                              .impl = (tm_fn)ink});
    tm_tensor *counts = op ? count_ink(op, images) : NULL;
    if (!counts)
        return fail();
    const int64_t *count = tm_data(counts), *label = tm_data(labels);
    int64_t sum[CLASSES] = {0}, seen[CLASSES] = {0};
    for (int64_t i = 0; i < tm_size(images, 0); i++) {
        sum[label[i]] += count[i];
        seen[label[i]]++;
    }
    printf("ink, a kernel registered at run time for one image, under vmap; mean by digit:\n");
    for (int i = 0; i < CLASSES; i++)
        printf(" %d: %.1f", i, (double)sum[i] / (double)seen[i]);
    printf("\n\n");
    tm_library_close(library);
    return 0;
}

/* The case this library exists for: each row has one dimension, and triu says so. */
static int rejected(const tm_tensor *images)
{
    tm_tensor *image = tm_select(images, 0, 0);
    tm_vmap_level *rows = tm_vmap_push(NULL);
    tm_tensor *upper = tm_triu(tm_vmap_in(rows, image, 0), 0);
    tm_vmap_pop(rows);
    if (upper || tm_error_code() != TM_ERR_RANK)
        return fail();
    printf("vmap(triu) over the rows of an (8, 8) image is refused:\n");
    tm_error_print(stdout);
    tm_error_clear();
    return 0;
}

/* What is a program of built-in ops, which a trace can hold. */
static int classification(const char *directory, const tm_tensor **images, const tm_tensor **labels,
                          bool timed)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/digits_images.npy", directory);
    *images = tm_npy_load(path);
    snprintf(path, sizeof path, "%s/digits_labels.npy", directory);
    *labels = *images ? tm_npy_load(path) : NULL;
    tm_tensor *basis = cosine_basis();
    const tm_tensor *in[] = {*images, basis};
    tm_tensor *all[1], *means[1];
    int result = !*labels || !basis ||
                 tm_vmap(map_features, NULL, NULL, 2, in, (int64_t[]){0, TM_NOT_MAPPED}, 1, all,
                         NULL) != TM_OK;
    if (!result) {
        const tm_tensor *trained[] = {tm_slice(all[0], 0, 0, TRAINED, 1),
                                      tm_slice(*labels, 0, 0, TRAINED, 1)};
        result = map_all_means(NULL, trained, means) != TM_OK;
    }
    if (result)
        return tm_error_code() == TM_ERR_IO ? fail() + 1 : fail();
    return one_and_all(*images, *labels, basis, means[0]) ||
           (timed && throughput(*images, basis, means[0])) ||
           nested(*images, *labels, all[0], basis);
}

/* The trace goes to a file; arrays that no op has made to files beside it. Timing is left out. */
static int traced(const char *directory, const char *trace, const tm_tensor **images,
                  const tm_tensor **labels)
{
    char prefix[4096];
    snprintf(prefix, sizeof prefix, "%s.", trace);
    FILE *stream = fopen(trace, "w");
    if (!stream) {
        fprintf(stderr, "error: '%s': %s\n", trace, strerror(errno));
        return 2;
    }
    tm_mode *mode = tm_trace_push_saving(stream, prefix);
    int result = mode ? classification(directory, images, labels, false) : fail();
    if (mode)
        tm_mode_pop(mode);
    if (fclose(stream) != 0 && result == 0) {
        fprintf(stderr, "error: '%s': %s\n", trace, strerror(errno));
        return 2;
    }
    return result;
}

int tm_tour(const char *directory, const char *trace)
{
    const tm_tensor *images, *labels;
    tm_scope *scope = tm_scope_push();
    int result = trace ? traced(directory, trace, &images, &labels)
                       : classification(directory, &images, &labels, true);
    if (result == 0)
        result = run_time_kernel(images, labels) || rejected(images);
    tm_scope_pop(scope);
    return result;
}

#ifndef TRANSMUTE_PROGRAM /* the command-line program has a main of its own */
int main(int argc, char **argv)
{
    return tm_tour(argc > 1 ? argv[1] : "data", NULL);
}
#endif
