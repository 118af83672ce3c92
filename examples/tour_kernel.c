/* tour_kernel.c: the third part of the tour, a kernel of one's own, registered while the program
 * runs, and the check that stands before a kernel. */
#include <stdio.h>

#include "tour_parts.h"

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

int tour_kernel(const tour_data *data)
{
    tm_library *library = tm_library_open("tour");
    const tm_op *op = tm_library_register(
        library, &(tm_op_def){.struct_size = sizeof(tm_op_def),
                              .schema = "ink(Tensor image, int level=8) -> Tensor",
                              .contract = TM_PER_EXAMPLE,
                              .doc = "How many pixels of an image are at least so dark.",
                              .meta = (tm_fn)ink_meta,
                              .impl = (tm_fn)ink});
    tm_tensor *counts = op ? count_ink(op, data->images) : NULL;
    if (!counts)
        return tour_fail();
    const int64_t *count = tm_data(counts), *label = tm_data(data->labels);
    int64_t sum[DIGITS] = {0}, seen[DIGITS] = {0};
    for (int64_t i = 0; i < tm_size(data->images, 0); i++) {
        sum[label[i]] += count[i];
        seen[label[i]]++;
    }
    printf("ink, a kernel registered at run time for one image, under vmap; mean by digit:\n");
    for (int i = 0; i < DIGITS; i++)
        printf(" %d: %.1f", i, (double)sum[i] / (double)seen[i]);
    printf("\n\n");
    tm_library_close(library);
    return 0;
}

/* The case this library exists for: each row has one dimension, and triu says so. */
int tour_refuse(const tour_data *data)
{
    tm_tensor *image = tm_select(data->images, 0, 0);
    tm_vmap_level *rows = tm_vmap_push(NULL);
    tm_tensor *upper = tm_triu(tm_vmap_in(rows, image, 0), 0);
    tm_vmap_pop(rows);
    if (upper || tm_error_code() != TM_ERR_RANK)
        return tour_fail();
    printf("vmap(triu) over the rows of an (8, 8) image is refused:\n");
    tm_error_print(stdout);
    tm_error_clear();
    return 0;
}
