/* stress_support.c: see stress_support.h. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "stress_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool test_broken(worker *w, int line, const char *what)
{
    snprintf(w->broken, sizeof w->broken, "thread %d, line %d: %s; %s", w->id, line, what,
             tm_error_message());
    return false;
}

uint64_t test_draw(worker *w, uint64_t below)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (w->random >> 33) % below;
}

/* -- Tensors that tell whose they are ---------------------------------------------------------- */

tm_tensor *test_count_from(int64_t first, tm_int_list shape)
{
    tm_tensor *x = tm_new(TM_FLOAT32, (int)shape.count, shape.data);
    float *data = x ? tm_mutable_data(x) : NULL;
    for (int64_t i = 0; data && i < tm_numel(x); i++)
        data[i] = (float)(first + i);
    return x;
}

bool test_counts(const tm_tensor *x, double scale, int64_t first)
{
    const float *data = tm_data(x);
    for (int64_t i = 0; data && i < tm_numel(x); i++) {
        int64_t offset = 0, rest = i;
        for (int d = tm_ndim(x); d-- > 0; rest /= tm_shape(x)[d])
            offset += rest % tm_shape(x)[d] * tm_strides(x)[d];
        if (data[offset] != (float)(scale * (double)(first + i)))
            return false;
    }
    return data != NULL;
}

static bool has_error(tm_status code, const char *message)
{
    bool has = tm_error_code() == code && strcmp(tm_error_message(), message) == 0;
    tm_error_clear();
    return has;
}

/* -- Steps: a thread's own stack --------------------------------------------------------------- */

bool test_nested_levels(worker *w)
{
    int64_t first = (int64_t)test_draw(w, 1000), depth = 1 + (int64_t)test_draw(w, 3);
    tm_tensor *x = test_count_from(first, TM_INTS(3, 2, 4, 5)), *y = x;
    tm_vmap_level *levels[3];
    for (int64_t i = 0; i < depth; i++) {
        levels[i] = tm_vmap_push(NULL);
        y = tm_vmap_in(levels[i], y, 0);
    }
    HOLDS(tm_ndim(y) == 4 - depth && tm_num_levels(y) == depth);
    y = tm_add(y, y);
    for (int64_t i = depth; i-- > 0;) {
        y = tm_vmap_out(levels[i], y, 0);
        HOLDS(tm_vmap_pop(levels[i]) == TM_OK);
    }
    HOLDS(y && test_counts(tm_reshape(y, TM_INTS(120)), 2, first));
    return true;
}

bool test_promotion(worker *w)
{
    int64_t first = (int64_t)test_draw(w, 1000);
    tm_tensor *x = test_count_from(first, TM_INTS(7, 3));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, x, 0), *sum = tm_zeros(TM_INTS(3), TM_FLOAT32);
    tm_tensor *before = tm_vmap_out(v, sum, 0);
    HOLDS(before && tm_add_(sum, row) && tm_add_(sum, row));
    tm_tensor *after = tm_vmap_out(v, sum, 0);
    HOLDS(tm_vmap_pop(v) == TM_OK && test_counts(after, 2, first) && test_counts(before, 0, 0));
    return true;
}

bool test_errors(worker *w)
{
    tm_tensor *x = test_count_from(0, TM_INTS(32, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    uint64_t id = tm_vmap_id(v);
    HOLDS(!tm_triu(tm_vmap_in(v, x, 0), 0));
    const tm_error *error = tm_error_get();
    HOLDS(error && error->num_levels == 1 && error->levels[0].level == id &&
          error->levels[0].size == 32);
    HOLDS(has_error(TM_ERR_RANK, "triu: x must have at least 2 dimensions, got shape (2,)"));
    HOLDS(tm_vmap_pop(v) == TM_OK);
    char wanted[100];
    int64_t axis = (int64_t)test_draw(w, 50) + 2;
    snprintf(wanted, sizeof wanted, "cumsum: axis %d is out of range, must be in -2..1", (int)axis);
    HOLDS(!tm_cumsum(x, axis) && has_error(TM_ERR_DIM, wanted));
    return true;
}

static tm_mode_answer passes_on(tm_call *call, void *state)
{
    ++*(int *)state;
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static const tm_mode_def counter = {
    .struct_size = sizeof counter, .name = "counter", .handle = passes_on};

bool test_modes(worker *w)
{
    int seen = 0;
    tm_mode *check = test_draw(w, 2) ? tm_check_push() : NULL,
            *mode = tm_mode_push(&counter, &seen);
    HOLDS(mode);
    HOLDS(test_nested_levels(w));
    HOLDS(seen >= 2);
    HOLDS(tm_mode_pop(mode) == TM_OK);
    HOLDS(!check || tm_mode_pop(check) == TM_OK);
    return true;
}

/* The same program gives the same text, whatever the other threads trace. */
bool test_traces(worker *w)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    tm_mode *mode = stream ? tm_trace_push(stream) : NULL;
    tm_tensor *x = tm_arange(tm_scalar_int(0), tm_scalar_int(6), tm_scalar_int(1), TM_FLOAT32);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = tm_mul(tm_vmap_in(v, tm_reshape(x, TM_INTS(2, 3)), 0), x);
    tm_error_clear(); /* (3,) with (6,) */
    y = y ? y : tm_softmax(tm_vmap_in(v, tm_reshape(x, TM_INTS(3, 2)), 1), 0);
    tm_status status = tm_vmap_pop(v);
    tm_error_clear();
    bool popped = mode && tm_mode_pop(mode) == TM_OK;
    if (stream)
        fclose(stream);
    bool same =
        text && size < sizeof w->program && (!w->program[0] || strcmp(text, w->program) == 0);
    if (text && size < sizeof w->program)
        memcpy(w->program, text, size + 1);
    free(text);
    HOLDS(popped && status == TM_OK && same && strstr(w->program, "mul"));
    return true;
}

bool test_scopes_and_random_numbers(worker *w)
{
    tm_scope *outer = tm_scope_push();
    tm_seed(7);
    tm_tensor *a = tm_rand(TM_INTS(100), TM_FLOAT32, NULL);
    tm_scope *inner = tm_scope_push();
    tm_seed(7);
    tm_tensor *b = tm_keep(tm_rand(TM_INTS(100), TM_FLOAT32, NULL));
    HOLDS(tm_scope_pop(outer) == TM_ERR_USAGE && tm_error_code() == TM_ERR_USAGE);
    tm_error_clear();
    HOLDS(tm_scope_pop(inner) == TM_OK && a && b);
    HOLDS(memcmp(tm_data(a), tm_data(b), 400) == 0);
    HOLDS(tm_scope_pop(outer) == TM_OK);
    return true;
}
