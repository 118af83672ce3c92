/* test_limits.c: every op, each of its arguments at its limits.
 *
 * Each valid sample of each declared op is called with one number, list or tensor replaced by an
 * extreme one: alone, and mapped in each of the placements of limit_support.h. What is undefined in
 * between is for the sanitizers to see.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "limit_support.h"

enum { GROUPS = 16, SAMPLES = 16 };

static const int64_t extreme_ints[] = {
    INT64_MIN,        INT64_MIN + 1,   -1, 0, 1, INT64_MAX, INT64_MAX - 1, INT32_MIN, INT32_MAX,
    INT64_C(1) << 32, INT64_C(1) << 62};
static const double extreme_floats[] = {NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, -DBL_MAX, 5e-324};

/* -- Limits of each type ----------------------------------------------------------------------- */

static void try_int(test_limit_call *c, int p, bool optional, int64_t i)
{
    tm_value value = {.i = i};
    if (optional)
        value.opt = &i;
    c->args[p] = value;
    test_limit_check(c);
}

/* Extreme ones, and the axes around a tensor's: one more than there is at either end. */
static void try_ints(test_limit_call *c, int p, bool optional)
{
    for (int k = 0; k < COUNT(extreme_ints); k++)
        try_int(c, p, optional, extreme_ints[k]);
    for (int i = 0; i < c->num_tensors && i < 3; i++)
        for (int64_t d = -c->tensors[i].ndim - 1; d <= c->tensors[i].ndim; d++)
            try_int(c, p, optional, d);
}

static void try_list(test_limit_call *c, int p, bool optional, tm_int_list list)
{
    c->args[p].ints = list;
    if (optional)
        c->args[p].opt = &list;
    test_limit_check(c);
}

static void try_lists(test_limit_call *c, int p, bool optional)
{
    static int64_t items[TM_MAX_NDIM + 8];
    tm_int_list given = {NULL, 0};
    if (!optional)
        given = c->args[p].ints;
    else if (c->args[p].opt)
        given = *(const tm_int_list *)c->args[p].opt;
    int64_t count = given.count < TM_MAX_NDIM ? given.count : TM_MAX_NDIM;
    for (int k = 0; k < COUNT(extreme_ints); k++) {
        for (int64_t at = 0; at < count; at++) {
            memcpy(items, given.data, (size_t)count * sizeof *items);
            items[at] = extreme_ints[k];
            try_list(c, p, optional, (tm_int_list){items, count});
        }
        for (int i = 0; i < COUNT(items); i++)
            items[i] = extreme_ints[k];
        for (int64_t n = 1; n <= COUNT(items); n += n < 4 ? 1 : COUNT(items) - 4)
            try_list(c, p, optional, (tm_int_list){items, n});
    }
    try_list(c, p, optional, (tm_int_list){NULL, 0});
    for (int i = 0; i < COUNT(items); i++)
        items[i] = i;
    try_list(c, p, optional, (tm_int_list){items, COUNT(items)});
    try_list(c, p, optional, (tm_int_list){items, count + 1});
}

static void try_floats(test_limit_call *c, int p, bool optional)
{
    for (int k = 0; k < COUNT(extreme_floats); k++) {
        tm_value value = {.f = extreme_floats[k]};
        if (optional)
            value.opt = &extreme_floats[k];
        c->args[p] = value;
        test_limit_check(c);
    }
}

static void try_scalars(test_limit_call *c, int p, bool optional)
{
    for (int k = 0; k < COUNT(extreme_ints) + 2 * COUNT(extreme_floats); k++) {
        int f = (k - COUNT(extreme_ints)) / 2;
        tm_scalar scalar = k < COUNT(extreme_ints) ? tm_scalar_int(extreme_ints[k])
                           : k % 2                 ? tm_scalar_float(extreme_floats[f])
                                   : tm_scalar_complex(extreme_floats[f], extreme_floats[f]);
        tm_value value = {.scalar = scalar};
        if (optional)
            value.opt = &scalar;
        c->args[p] = value;
        test_limit_check(c);
    }
}

static void try_words(test_limit_call *c, int p)
{
    static char many[4096];
    memset(many, 'i', sizeof many - 1);
    const char *words[] = {"", "\xff\x01", "i->", many, "9223372036854775808", "T"};
    for (int k = 0; k < COUNT(words); k++) {
        c->args[p].str = words[k];
        test_limit_check(c);
    }
}

static void try_param(test_limit_call *c, int p)
{
    const tm_param *param = tm_op_param(c->op, p);
    tm_value kept = c->args[p];
    c->what = param->name;
    if (param->type == TM_TYPE_INT)
        try_ints(c, p, param->optional);
    else if (param->type == TM_TYPE_INT_LIST)
        try_lists(c, p, param->optional);
    else if (param->type == TM_TYPE_FLOAT)
        try_floats(c, p, param->optional);
    else if (param->type == TM_TYPE_SCALAR)
        try_scalars(c, p, param->optional);
    else if (param->type == TM_TYPE_STR)
        try_words(c, p);
    c->args[p] = kept;
}

/* A shape of a sample's tensor, without its literal values. */
static void try_shape(test_limit_call *c, int i, int ndim, const int64_t *shape)
{
    tm_law_tensor kept = c->tensors[i], *tensor = &c->tensors[i];
    tensor->ndim = ndim;
    tensor->numel = 1;
    tensor->literal = NULL;
    if (tensor->generator == TM_LAW_SPD || tensor->generator == TM_LAW_PERM)
        tensor->generator = TM_LAW_PLAIN;
    for (int d = 0; d < ndim; d++)
        tensor->numel *= tensor->shape[d] = shape[d];
    test_limit_check(c);
    c->tensors[i] = kept;
}

static void try_tensor(test_limit_call *c, int i)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = c->tensors[i].ndim;
    c->filled = i;
    for (int k = 0; k < COUNT(extreme_floats); k++) {
        char what[80];
        snprintf(what, sizeof what, "tensor %d of %s full of %g", i,
                 tm_dtype_name(c->tensors[i].dtype), extreme_floats[k]);
        c->what = what;
        c->fill = extreme_floats[k];
        test_limit_check(c);
    }
    c->filled = -1;
    c->what = "a tensor's shape";
    for (int empty = 0; empty <= ndim; empty++) { /* one axis without elements; at last all */
        for (int d = 0; d < ndim; d++)
            shape[d] = d == empty || empty == ndim ? 0 : c->tensors[i].shape[d];
        if (ndim > 0)
            try_shape(c, i, ndim, shape);
    }
    try_shape(c, i, 0, shape);
    const int more[] = {1, TM_MAX_NDIM - 1 - ndim}; /* axes of size 1 in front: as many as can be */
    for (int k = 0; k < COUNT(more); k++) {
        for (int d = 0; d < more[k]; d++)
            shape[d] = 1;
        memcpy(shape + more[k], c->tensors[i].shape, (size_t)ndim * sizeof *shape);
        try_shape(c, i, ndim + more[k], shape);
    }
}

/* -- Every op ---------------------------------------------------------------------------------- */

static bool check_sample(const tm_op *op, const tm_law_sample *sample)
{
    test_limit_call c;
    if (!test_limit_begin(&c, op, sample))
        return true;
    for (int p = 0; p < sample->num_args; p++)
        try_param(&c, p);
    for (int i = 0; i < sample->num_tensors && i < 4; i++)
        try_tensor(&c, i);
    return true;
}

START_TEST(every_argument_of_every_op_at_its_limits)
{
    test_limit_each_sample(_i, GROUPS, SAMPLES, check_sample);
}
END_TEST

Suite *limits_suite(void)
{
    const TTest *tests[] = {every_argument_of_every_op_at_its_limits};
    Suite *suite = test_suite("limits", NULL, 0);
    test_suite_loop(suite, tests, COUNT(tests), GROUPS);
    return suite;
}
