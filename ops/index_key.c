/* index_key.c: reading keys. */
#include "index_key.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slices.h"

typedef enum item_kind { NUMBER, SLICE, NEW_AXIS, ELLIPSIS, TENSOR } item_kind;

typedef struct item {
    item_kind kind;
    int column;
    int64_t start, stop, step; /* a number is in start */
} item;

typedef struct reader {
    tm_call *call;
    const char *key, *at;
    int num_items;
    item items[TM_KEY_ITEMS];
} reader;

/* -- Text to items ----------------------------------------------------------------------------- */

static int column(const reader *r)
{
    return (int)(r->at - r->key) + 1;
}

static void skip_space(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool accept(reader *r, const char *word)
{
    skip_space(r);
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static tm_status unexpected(reader *r, const char *wanted)
{
    return tm_fail_arg(r->call, TM_ERR_VALUE, "key", "key must have %s at column %d, got '%c'",
                       wanted, column(r), *r->at);
}

static bool at_number(reader *r)
{
    skip_space(r);
    return isdigit((unsigned char)r->at[*r->at == '-' || *r->at == '+']);
}

static tm_status read_number(reader *r, int64_t *number)
{
    char *end;
    errno = 0;
    long long value = strtoll(r->at, &end, 10);
    if (errno == ERANGE)
        return tm_fail_arg(r->call, TM_ERR_VALUE, "key",
                           "key's number at column %d does not fit in 64 bits", column(r));
    *number = value;
    r->at = end;
    return TM_OK;
}

/* A number, or a slice: bounds that are left out are the ends of the axis. */
static tm_status read_slice(reader *r, item *to)
{
    enum { START, STOP, STEP, PARTS };
    bool has[PARTS] = {false};
    int64_t given[PARTS] = {0, 0, 1};
    int parts = 0, step_column = 0;
    do {
        has[parts] = at_number(r);
        step_column = column(r);
        tm_status status = has[parts] ? read_number(r, &given[parts]) : TM_OK;
        if (status != TM_OK)
            return status;
        parts++;
    } while (parts < PARTS && accept(r, ":"));
    if (parts == 1 && !has[START])
        return unexpected(r, "a number, a slice, '...', None or T");
    if (given[STEP] == 0)
        return tm_fail_arg(r->call, TM_ERR_VALUE, "key", "key's step at column %d must not be 0",
                           step_column);
    bool up = given[STEP] > 0;
    to->kind = parts == 1 ? NUMBER : SLICE;
    to->start = has[START] ? given[START] : up ? 0 : INT64_MAX;
    to->stop = has[STOP] ? given[STOP] : up ? INT64_MAX : INT64_MIN;
    to->step = given[STEP];
    return TM_OK;
}

static tm_status read_items(reader *r)
{
    for (skip_space(r); *r->at; skip_space(r)) {
        if (r->num_items == TM_KEY_ITEMS)
            return tm_fail_arg(r->call, TM_ERR_VALUE, "key",
                               "key must have at most %d items, got another at column %d",
                               TM_KEY_ITEMS, column(r));
        item *to = &r->items[r->num_items++];
        to->column = column(r);
        tm_status status = TM_OK;
        if (accept(r, "..."))
            to->kind = ELLIPSIS;
        else if (accept(r, "None"))
            to->kind = NEW_AXIS;
        else if (accept(r, "T"))
            to->kind = TENSOR;
        else
            status = read_slice(r, to);
        skip_space(r);
        if (status == TM_OK && *r->at && !accept(r, ","))
            status = unexpected(r, "',' or the end");
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

/* -- Tensors ----------------------------------------------------------------------------------- */

static tm_status describe(tm_call *call, int k, const tm_tensor *t, tm_int_list coordinates,
                          tm_key_tensor *to)
{
    bool in_list = false;
    for (int64_t i = 0; i < coordinates.count; i++)
        in_list = in_list || coordinates.data[i] == k;
    tm_kind kind = tm_dtype_kind(tm_dtype_of(t));
    if (kind != TM_KIND_INT && (in_list || kind != TM_KIND_BOOL))
        return tm_fail_arg(call, TM_ERR_DTYPE, "tensors", "tensors[%d] must have %s, got %s", k,
                           in_list ? "an integer dtype" : "an integer dtype or bool",
                           tm_dtype_name(tm_dtype_of(t)));
    if (in_list && tm_ndim(t) == 0)
        return tm_fail_arg(call, TM_ERR_RANK, "tensors",
                           "tensors[%d], of coordinates, must have at least 1 dimension, got shape "
                           "()",
                           k);
    to->kind = in_list ? TM_KEY_COORDINATES : kind == TM_KIND_BOOL ? TM_KEY_MASK : TM_KEY_INDICES;
    to->ndim = to->kind == TM_KEY_MASK ? 1 : tm_ndim(t) - in_list;
    to->num_axes = 1;
    if (to->kind == TM_KEY_MASK)
        to->num_axes = tm_ndim(t);
    else if (in_list && tm_shape(t)[to->ndim] <= TM_MAX_NDIM)
        to->num_axes = (int)tm_shape(t)[to->ndim];
    else if (in_list)
        return tm_fail_arg(call, TM_ERR_SHAPE, "tensors",
                           "tensors[%d] must have at most %d coordinates along its last axis, got "
                           "shape %s",
                           k, TM_MAX_NDIM, tm_shape_text(call, t));
    return TM_OK;
}

/* How many axes of x the items take; which one, if any, is the ellipsis. */
static tm_status count_axes(reader *r, const tm_tensor *x, tm_tensor_list tensors,
                            tm_int_list coordinates, tm_key_plan *plan, int *ellipsis, int *used)
{
    *ellipsis = -1;
    *used = 0;
    for (int i = 0; i < r->num_items; i++) {
        const item *it = &r->items[i];
        int k = plan->num_tensors;
        if (it->kind == ELLIPSIS && *ellipsis >= 0)
            return tm_fail_arg(r->call, TM_ERR_VALUE, "key",
                               "key must have one '...', got a second at column %d", it->column);
        if (it->kind == ELLIPSIS)
            *ellipsis = i;
        if (it->kind == NUMBER || it->kind == SLICE)
            *used += 1;
        if (it->kind != TENSOR)
            continue;
        if (k == tensors.count)
            return tm_fail_arg(r->call, TM_ERR_VALUE, "key",
                               "key has a T at column %d, but there are no more than %d tensors",
                               it->column, k);
        tm_status status = describe(r->call, k, tensors.data[k], coordinates, &plan->tensors[k]);
        if (status != TM_OK)
            return status;
        *used += plan->tensors[plan->num_tensors++].num_axes;
    }
    if (plan->num_tensors < tensors.count)
        return tm_fail_arg(r->call, TM_ERR_VALUE, "tensors",
                           "tensors must have one tensor for every T of key, %d, got %lld",
                           plan->num_tensors, (long long)tensors.count);
    if (*used > tm_ndim(x))
        return tm_fail_arg(r->call, TM_ERR_RANK, "key",
                           "key must index no more axes than x has, got %d for shape %s", *used,
                           tm_shape_text(r->call, x));
    return TM_OK;
}

/* Widens what the indices broadcast to by one more tensor. */
static tm_status widen(tm_call *call, tm_key_plan *plan, int k, const tm_tensor *t)
{
    int ndim = plan->tensors[k].ndim, wide = plan->ndim > ndim ? plan->ndim : ndim;
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < wide; d++) {
        int mine = d - (wide - plan->ndim), its = d - (wide - ndim);
        int64_t a = mine < 0 ? 1 : plan->shape[mine], b = its < 0 ? 1 : tm_shape(t)[its];
        if (a != b && a != 1 && b != 1)
            return tm_fail_arg(call, TM_ERR_SHAPE, "tensors",
                               "tensors[%d] must broadcast with the indices before it, of shape "
                               "%s, got shape %s",
                               k, tm_sizes_text(call, plan->ndim, plan->shape),
                               tm_sizes_text(call, ndim, tm_shape(t)));
        shape[d] = a == 1 ? b : a;
    }
    plan->ndim = wide;
    memcpy(plan->shape, shape, (size_t)wide * sizeof *shape);
    return TM_OK;
}

static tm_status check_mask(tm_call *call, const tm_tensor *x, int axis, int k,
                            const tm_tensor *mask)
{
    for (int d = 0; d < tm_ndim(mask); d++)
        if (tm_shape(mask)[d] != tm_shape(x)[axis + d])
            return tm_fail_arg(call, TM_ERR_SHAPE, "tensors",
                               "tensors[%d], a mask, must have shape %s as x has from axis %d on, "
                               "got shape %s",
                               k, tm_sizes_text(call, tm_ndim(mask), tm_shape(x) + axis), axis,
                               tm_shape_text(call, mask));
    return TM_OK;
}

/* -- Items to a plan --------------------------------------------------------------------------- */

static void add_basic(tm_key_plan *plan, int axis, int64_t size, int64_t start, int64_t step)
{
    plan->basic[plan->num_basic++] = (tm_key_axis){axis, size, start, step};
}

static tm_status add_number(reader *r, const tm_tensor *x, const item *it, int axis,
                            tm_key_plan *plan)
{
    int64_t size = tm_shape(x)[axis], index = it->start;
    if (index < -size || index >= size)
        return tm_fail_arg(r->call, TM_ERR_INDEX, "key",
                           "key's index %lld at column %d is out of range for axis %d of size %lld",
                           (long long)index, it->column, axis, (long long)size);
    plan->numbers[plan->num_numbers++] = (tm_key_number){axis, index < 0 ? index + size : index};
    return TM_OK;
}

static tm_status add_tensor(tm_call *call, const tm_tensor *x, int axis, int k, const tm_tensor *t,
                            tm_key_plan *plan)
{
    plan->tensors[k].axis = axis;
    if (plan->tensors[k].kind != TM_KEY_MASK)
        return widen(call, plan, k, t);
    plan->num_open++;
    return check_mask(call, x, axis, k, t);
}

/* Basic axes up to the end of the axes that no item takes. */
static int add_rest(tm_key_plan *plan, const tm_tensor *x, int axis, int rest)
{
    for (; rest > 0; rest--, axis++)
        add_basic(plan, axis, tm_shape(x)[axis], 0, 1);
    return axis;
}

static tm_status add_items(reader *r, const tm_tensor *x, tm_tensor_list tensors, int ellipsis,
                           int rest, tm_key_plan *plan)
{
    int axis = 0, k = 0;
    bool begun = false, parted = false;
    tm_status status = TM_OK;
    for (int i = 0; status == TM_OK && i < r->num_items; i++) {
        const item *it = &r->items[i];
        bool indexes = it->kind == NUMBER || it->kind == TENSOR;
        if (indexes && !begun)
            plan->place = plan->num_basic;
        if (indexes && parted)
            plan->place = 0;
        begun = begun || indexes;
        parted = parted || (begun && !indexes);
        if (it->kind == NUMBER) {
            status = add_number(r, x, it, axis++, plan);
        } else if (it->kind == TENSOR) {
            status = add_tensor(r->call, x, axis, k, tensors.data[k], plan);
            axis += plan->tensors[k++].num_axes;
        } else if (it->kind == NEW_AXIS) {
            add_basic(plan, -1, 1, 0, 0);
        } else if (it->kind == ELLIPSIS) {
            axis = add_rest(plan, x, axis, rest);
        } else {
            int64_t start = it->start;
            int64_t count = tm_slice_count(tm_shape(x)[axis], &start, it->stop, it->step);
            add_basic(plan, axis++, count, start, it->step);
        }
    }
    if (ellipsis < 0 && status == TM_OK)
        add_rest(plan, x, axis, rest);
    return status;
}

tm_status tm_key_read(tm_call *call, const tm_tensor *x, const char *key, tm_tensor_list tensors,
                      tm_int_list coordinates, tm_key_plan *plan)
{
    reader r = {.call = call, .key = key, .at = key};
    int ellipsis, used;
    plan->num_basic = plan->num_numbers = plan->num_tensors = 0;
    plan->place = plan->ndim = plan->num_open = 0;
    tm_status status = read_items(&r);
    if (status == TM_OK)
        status = count_axes(&r, x, tensors, coordinates, plan, &ellipsis, &used);
    if (status == TM_OK)
        status = add_items(&r, x, tensors, ellipsis, tm_ndim(x) - used, plan);
    if (status != TM_OK)
        return status;
    if (plan->num_open > 0 && plan->ndim == 0)
        plan->shape[plan->ndim++] = 1;
    if (plan->num_basic + plan->ndim > TM_MAX_NDIM)
        return tm_fail_arg(call, TM_ERR_RANK, "key",
                           "key must choose at most %d dimensions, got %d", TM_MAX_NDIM,
                           plan->num_basic + plan->ndim);
    return TM_OK;
}

tm_status tm_key_close(tm_call *call, tm_key_plan *plan, int k, int64_t count)
{
    int64_t *last = &plan->shape[plan->ndim - 1];
    if (*last != count && *last != 1 && count != 1)
        return tm_fail_arg(
            call, TM_ERR_VALUE, "tensors",
            "tensors[%d], a mask, must have as many true elements as there are other "
            "indices, %lld, or one, got %lld",
            k, (long long)*last, (long long)count);
    *last = *last == 1 ? count : *last;
    plan->tensors[k].count = count;
    plan->num_open--;
    return TM_OK;
}

int tm_key_shape(const tm_key_plan *plan, int64_t *shape)
{
    int ndim = 0;
    for (int b = 0; b <= plan->num_basic; b++) {
        for (int d = 0; b == plan->place && d < plan->ndim; d++)
            shape[ndim++] = plan->num_open > 0 && d == plan->ndim - 1 ? TM_DYNAMIC : plan->shape[d];
        if (b < plan->num_basic)
            shape[ndim++] = plan->basic[b].size;
    }
    return ndim;
}
