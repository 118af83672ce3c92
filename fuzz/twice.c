/* twice.c: see twice.h. */
#include "fuzz/twice.h"

#include <string.h>

#include "law/elements.h"

enum { MOST = 16 }; /* tensors in a list */

typedef struct outcome {
    tm_status status;
    char message[512];
    tm_tensor *result;
} outcome;

/* The arguments with every tensor replaced: example `e`, or the level's. */
static bool replace(const tm_op *op, const tm_value *args, tm_vmap_level *level, int e,
                    tm_value *to, const tm_tensor **list)
{
    for (int i = 0; i < tm_op_num_params(op); i++) {
        tm_type type = tm_op_param(op, i)->type;
        to[i] = args[i];
        int64_t n = type == TM_TYPE_TENSOR        ? args[i].tensor != TM_NONE
                    : type == TM_TYPE_TENSOR_LIST ? args[i].tensors.count
                                                  : 0;
        FUZZ_REQUIRE(n <= MOST, "%lld tensors", (long long)n);
        for (int64_t k = 0; k < n; k++) {
            const tm_tensor *x = type == TM_TYPE_TENSOR ? args[i].tensor : args[i].tensors.data[k];
            const tm_tensor *one = level ? tm_vmap_in(level, x, 0) : tm_select(x, 0, e);
            if (!one)
                return false;
            if (type == TM_TYPE_TENSOR)
                to[i].tensor = one;
            else
                list[k] = one;
        }
        if (type == TM_TYPE_TENSOR_LIST)
            to[i].tensors = (tm_tensor_list){list, n};
    }
    return true;
}

static void call(const tm_op *op, const tm_value *args, outcome *o)
{
    tm_value result;
    o->status = tm_op_call(op, args, tm_op_num_params(op), &result, 1);
    const tm_error *error = tm_error_get();
    snprintf(o->message, sizeof o->message, "%s", o->status && error ? error->message : "");
    o->result = o->status ? NULL : (tm_tensor *)(uintptr_t)result.tensor;
    FUZZ_REQUIRE((o->status == TM_OK) == (o->result != NULL), "%s", tm_op_name(op));
    tm_error_clear();
}

static void compare(const tm_op *op, const tm_tensor *alone, const tm_tensor *together)
{
    double rtol, atol;
    tm_op_tolerance(op, &rtol, &atol);
    const tm_tensor *a = tm_clone(alone), *b = tm_clone(together);
    if (!a || !b) {
        tm_error_clear();
        return;
    }
    FUZZ_REQUIRE(tm_dtype_of(a) == tm_dtype_of(b) && tm_ndim(a) == tm_ndim(b), "%s",
                 tm_op_name(op));
    for (int d = 0; d < tm_ndim(a); d++)
        FUZZ_REQUIRE(tm_shape(a)[d] == tm_shape(b)[d], "%s", tm_op_name(op));
    FUZZ_REQUIRE(tm_numel(a) == 0 ||
                     tm_law_first_difference(tm_dtype_of(a), tm_numel(a), tm_data(a), tm_data(b),
                                             rtol, atol) < 0,
                 "%s: values differ", tm_op_name(op));
}

void fuzz_twice(const tm_op *op, const tm_value *args, bool may_refuse)
{
    outcome alone[2], together;
    tm_value to[TM_MAX_ARGS];
    const tm_tensor *list[MOST];
    for (int e = 0; e < 2; e++) {
        if (!replace(op, args, NULL, e, to, list)) {
            tm_error_clear();
            return;
        }
        call(op, to, &alone[e]);
    }
    tm_vmap_level *level = tm_vmap_push(NULL);
    bool inside = level && replace(op, args, level, 0, to, list);
    if (inside) {
        call(op, to, &together);
        if (together.result) {
            bool full = tm_ndim(together.result) == TM_MAX_NDIM; /* no place for the batch */
            together.result = tm_vmap_out(level, together.result, 0);
            FUZZ_REQUIRE(full ? tm_error_code() == TM_ERR_RANK
                              : together.result || tm_error_code() == TM_ERR_MEMORY,
                         "%s", tm_error_message());
        }
    }
    if (level)
        FUZZ_REQUIRE(tm_vmap_pop(level) == TM_OK, "%s", tm_error_message());
    if (!inside || together.status == TM_ERR_MEMORY || alone[0].status == TM_ERR_MEMORY ||
        alone[1].status == TM_ERR_MEMORY || (may_refuse && together.status == TM_ERR_VMAP)) {
        tm_error_clear();
        return;
    }
    const outcome *wanted = alone[0].status ? &alone[0] : &alone[1];
    FUZZ_REQUIRE(
        together.status == wanted->status && strcmp(together.message, wanted->message) == 0,
        "%s: alone: %s: %s\n  together: %s: %s", tm_op_name(op), tm_status_name(wanted->status),
        wanted->message, tm_status_name(together.status), together.message);
    for (int e = 0; together.result && e < 2; e++)
        compare(op, alone[e].result, tm_select(together.result, 0, e));
}

tm_tensor *fuzz_pair(fuzz_bytes *bytes, tm_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t sizes[TM_MAX_NDIM + 1] = {2};
    for (int d = 0; d < ndim; d++)
        sizes[d + 1] = shape[d];
    tm_tensor *x = tm_new(dtype, ndim + 1, sizes);
    if (!x)
        return NULL;
    char *data = tm_mutable_data(x);
    size_t item = tm_dtype_size(dtype);
    int first = fuzz_byte(bytes);
    for (int64_t i = 0; i < tm_numel(x); i++)
        tm_law_store_int(dtype, dtype == TM_BOOL ? (first + i * i) % 2 : (first + i * 5) % 7 - 3,
                         data + (size_t)i * item);
    return x;
}
