/* fuzz_calls.c: bytes as a program of calls of any op, views, writes in place, levels, mapped
 * functions and modes; each call is held against the loop over its examples. calls.h has the parts.
 */
#include "fuzz/calls.h"

#include <stdarg.h>
#include <string.h>

/* -- Memory ------------------------------------------------------------------------------------ */

enum { POOL = 1 << 23 };
static _Alignas(64) char pool[POOL];
static size_t pool_used;

void *fuzz_pool(size_t size)
{
    size = (size + 31) & ~(size_t)15;
    if (size > POOL - pool_used)
        return NULL;
    void *memory = memset(pool + pool_used, 0, size);
    pool_used += size;
    return memory;
}

void fuzz_pool_empty(void)
{
    pool_used = 0;
}

void fuzz_trace(const char *format, ...)
{
    static int wanted = -1;
    if (wanted < 0)
        wanted = getenv("FUZZ_TRACE") != NULL;
    if (!wanted)
        return;
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fuzz_say("%s", text);
}

/* -- Variables --------------------------------------------------------------------------------- */

tm_vmap_level *fuzz_level(const fuzz_machine *m)
{
    for (int i = m->depth; i-- > 0;)
        if (m->stack[i].level)
            return m->stack[i].level;
    return NULL;
}

void fuzz_keep(fuzz_machine *m, tm_tensor *x)
{
    if (x && x != TM_NONE && m->num_vars < FUZZ_VARS)
        m->var[m->num_vars++] = tm_retain(x);
    tm_error_clear();
}

static void release_all(fuzz_machine *m)
{
    while (m->num_vars > 0)
        tm_release(m->var[--m->num_vars]);
    while (m->num_past > 0)
        tm_release(m->past[--m->num_past]);
}

tm_tensor *fuzz_pick(fuzz_machine *m)
{
    int at = fuzz_below(m->bytes, m->num_vars);
    return m->num_vars ? m->var[m->num_vars - 1 - at] : NULL;
}

static bool escaped(const tm_tensor *x)
{
    return tm_handle_escaped(tm_thread_get(), x);
}

/* -- Levels ------------------------------------------------------------------------------------ */

static void push_level(fuzz_machine *m)
{
    int how = fuzz_byte(m->bytes);
    int64_t size = fuzz_one_in(m->bytes, 16) ? 0 : how % 3 + 1;
    tm_vmap_options options = {.struct_size = sizeof options,
                               .size = how & 64 ? &size : NULL,
                               .randomness = (tm_randomness)(how >> 3 & 3) % 3};
    if (m->depth == FUZZ_STACK)
        return;
    tm_vmap_level *level = tm_vmap_push(&options);
    if (!level) {
        fuzz_require_error("vmap_push");
        return;
    }
    fuzz_trace("push, size %lld\n", how & 64 ? (long long)size : -1);
    m->stack[m->depth++] = (fuzz_frame){.level = level};
}

static const tm_open_level *open_level(const tm_vmap_level *level)
{
    return tm_thread_level(tm_thread_get(), tm_vmap_id(level));
}

/* x with the dimension moved: every example lies where it lay. */
static void move_in(fuzz_machine *m)
{
    tm_vmap_level *level = fuzz_level(m);
    tm_tensor *x = fuzz_pick(m);
    int64_t dim = fuzz_one_in(m->bytes, 16) ? fuzz_int(m->bytes) : fuzz_below(m->bytes, 4) - 1;
    if (!level || !x || dim == TM_NOT_MAPPED)
        return;
    int ndim = tm_ndim(x);
    tm_tensor *y = tm_vmap_in(level, x, dim);
    if (!y) {
        fuzz_require_error("vmap_in");
        return;
    }
    FUZZ_REQUIRE(!escaped(x), "an escaped handle is moved in");
    fuzz_trace("in, dim %lld\n", (long long)dim);
    if (dim < 0)
        dim += ndim;
    FUZZ_REQUIRE(dim >= 0 && dim < ndim && tm_ndim(y) == ndim - 1, "dimension %lld of %d",
                 (long long)dim, ndim);
    FUZZ_REQUIRE(tm_vmap_size(level) == tm_shape(x)[dim], "size"); /* in a piece, the whole one */
    int64_t first = open_level(level)->first * tm_strides(x)[dim];
    for (int d = 0; d < ndim - 1; d++)
        FUZZ_REQUIRE(tm_shape(y)[d] == tm_shape(x)[d + (d >= dim)] &&
                         tm_strides(y)[d] == tm_strides(x)[d + (d >= dim)],
                     "dimension %d", d);
    if (open_level(level)->size > 0)
        FUZZ_REQUIRE(tm_handle_data(x) + first * (int64_t)tm_dtype_size(tm_dtype_of(x)) ==
                         tm_handle_data(y),
                     "it lies elsewhere");
    fuzz_keep(m, y);
}

static void move_out(fuzz_machine *m)
{
    tm_vmap_level *level = fuzz_level(m);
    tm_tensor *x = fuzz_pick(m);
    int64_t dim = fuzz_one_in(m->bytes, 16) ? fuzz_int(m->bytes) : fuzz_below(m->bytes, 4) - 1;
    if (!level || !x || dim == TM_NOT_MAPPED)
        return;
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries), ndim = tm_ndim(x);
    tm_tensor *y = tm_vmap_out(level, x, dim);
    if (!y) {
        fuzz_require_error("vmap_out");
        return;
    }
    FUZZ_REQUIRE(!escaped(x), "an escaped handle is moved out");
    fuzz_trace("out, dim %lld\n", (long long)dim);
    if (dim < 0)
        dim += ndim + 1;
    FUZZ_REQUIRE(dim >= 0 && dim <= ndim && tm_ndim(y) == ndim + 1, "dimension %lld of %d",
                 (long long)dim, ndim);
    FUZZ_REQUIRE(tm_shape(y)[dim] == open_level(level)->size, "size");
    int64_t step = 0;
    for (int e = 0; e < n; e++)
        if (entries[e].level == tm_vmap_id(level))
            step = entries[e].stride;
    if (tm_shape(y)[dim] > 1)
        FUZZ_REQUIRE(tm_strides(y)[dim] * (int64_t)tm_dtype_size(tm_dtype_of(y)) == step, "stride");
    FUZZ_REQUIRE(tm_handle_data(x) == tm_handle_data(y), "it lies elsewhere");
    fuzz_keep(m, y);
}

/* -- Modes ------------------------------------------------------------------------------------- */

static int told;

static tm_mode_answer decline(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_DECLINE;
}

static tm_mode_answer pass_on(tm_call *call, void *state)
{
    (void)state;
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static void before(const tm_call *call, void *state)
{
    (void)state;
    told += tm_call_num_args(call) >= 0;
}

static void after(const tm_call *call, tm_status status, void *state)
{
    (void)call;
    (void)status;
    (void)state;
    told--;
}

static const tm_mode_def modes[] = {
    {.struct_size = sizeof(tm_mode_def), .name = "fuzz: declines", .handle = decline},
    {.struct_size = sizeof(tm_mode_def), .name = "fuzz: passes on", .handle = pass_on},
    {.struct_size = sizeof(tm_mode_def),
     .name = "fuzz: observes",
     .before = before,
     .after = after},
};

static void push_mode(fuzz_machine *m)
{
    int kind = fuzz_below(m->bytes, 3);
    tm_mode *mode = m->depth < FUZZ_STACK ? tm_mode_push(&modes[kind], NULL) : NULL;
    if (!mode) {
        tm_error_clear();
        return;
    }
    fuzz_trace("mode: %s\n", modes[kind].name);
    m->stack[m->depth++] = (fuzz_frame){.mode = mode};
}

static tm_status pop_frame(fuzz_frame frame)
{
    return frame.level ? tm_vmap_pop(frame.level) : tm_mode_pop(frame.mode);
}

static void pop(fuzz_machine *m)
{
    if (m->depth == m->floor) {
        if (m->depth == 0)
            return;
        FUZZ_REQUIRE(pop_frame(m->stack[m->depth - 1]) != TM_OK,
                     "a mapped function pops what it has not pushed");
        fuzz_require_error("a pop");
        return;
    }
    if (m->depth - m->floor > 1 && fuzz_one_in(m->bytes, 8)) { /* not the innermost */
        FUZZ_REQUIRE(pop_frame(m->stack[m->depth - 2]) != TM_OK, "popped out of order");
        fuzz_require_error("a pop out of order");
        return;
    }
    fuzz_trace("pop\n");
    m->depth--;
    FUZZ_REQUIRE(pop_frame(m->stack[m->depth]) == TM_OK, "%s", tm_error_message());
}

/* -- Views ------------------------------------------------------------------------------------- */

static void view(fuzz_machine *m)
{
    tm_tensor *x = fuzz_pick(m);
    int ndim = fuzz_below(m->bytes, 5);
    int64_t shape[8], strides[8], offset;
    for (int d = 0; d < ndim; d++) {
        shape[d] = fuzz_one_in(m->bytes, 16) ? fuzz_int(m->bytes) : fuzz_below(m->bytes, 4);
        strides[d] = fuzz_int(m->bytes);
    }
    offset = fuzz_one_in(m->bytes, 4) ? fuzz_int(m->bytes) : fuzz_below(m->bytes, 8);
    if (!x)
        return;
    tm_tensor *y =
        fuzz_one_in(m->bytes, 4) ? tm_alias(x) : tm_strided_view(x, ndim, shape, strides, offset);
    if (!y)
        fuzz_require_error("a view");
    else
        FUZZ_REQUIRE(!escaped(x), "a view of an escaped handle");
    fuzz_trace("view: %s\n", y ? "ok" : "no");
    fuzz_keep(m, y);
}

static void index_of_level(fuzz_machine *m)
{
    int at = fuzz_below(m->bytes, m->depth);
    tm_vmap_level *level = m->depth ? m->stack[at].level : NULL;
    tm_tensor *x = level ? tm_vmap_index(level) : NULL;
    if (level && !x)
        fuzz_require_error("vmap_index");
    fuzz_trace("index: %s\n", x ? "ok" : "no");
    fuzz_keep(m, x);
}

/* Text of a tensor, and its data: both refuse what is mapped or has escaped. */
static void look(fuzz_machine *m)
{
    const tm_tensor *x = fuzz_pick(m);
    if (!x)
        return;
    bool mapped = tm_num_levels(x) > 0, gone = escaped(x);
    const char *data = tm_data(x);
    FUZZ_REQUIRE(!data || (!mapped && !gone), "the data of a mapped tensor");
    tm_error_clear();
    if (fuzz_elements(x) > FUZZ_ELEMENTS)
        return;
    char *text = tm_to_string(x);
    if (!text)
        fuzz_require_error("to_string");
    tm_string_free(text);
}

/* -- Settings ---------------------------------------------------------------------------------- */

static void settings(fuzz_machine *m)
{
    int how = fuzz_byte(m->bytes);
    switch (how % 4) {
    case 0:
        tm_set_num_threads(1 + (how >> 2) % 2);
        break;
    case 1:
        tm_set_acceleration((tm_acceleration)((how >> 2) % 3));
        break;
    case 2:
        tm_set_path((tm_path)((how >> 2) % TM_NUM_PATHS), (tm_path_use)((how >> 5) % 3));
        break;
    default:
        m->seed = (uint64_t)how;
        tm_seed(m->seed);
    }
    fuzz_trace("setting %d\n", how);
}

static void reset_settings(void)
{
    tm_set_num_threads(1);
    tm_set_acceleration(TM_ACCEL_OFF);
    for (int p = 0; p < TM_NUM_PATHS; p++)
        tm_set_path((tm_path)p, TM_PATH_AUTO);
}

/* -- Mapped functions -------------------------------------------------------------------------- */

static void run(fuzz_machine *m, int count);

typedef struct body {
    fuzz_machine *m;
    fuzz_bytes begin, end; /* its instructions, run again for every piece */
    int count, num_in, num_out;
    int runs;
} body;

static tm_status mapped(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    body *b = user;
    fuzz_machine *m = b->m;
    int depth = m->depth, floor = m->floor, vars = m->num_vars;
    *m->bytes = b->begin;
    b->runs++;
    if (m->depth == FUZZ_STACK)
        return TM_ERR_USAGE;
    m->stack[m->depth++] = (fuzz_frame){.level = tm_vmap_current()};
    m->floor = m->depth;
    for (int i = 0; i < b->num_in; i++)
        fuzz_keep(m, (tm_tensor *)(uintptr_t)in[i]);
    run(m, b->count);
    bool good = !fuzz_one_in(m->bytes, 16);
    for (int i = 0; i < b->num_out; i++)
        out[i] = fuzz_pick(m);
    b->end = *m->bytes;
    m->depth = depth; /* what is left open is closed */
    m->floor = floor;
    while (m->num_vars > vars && m->num_past < FUZZ_PAST) /* a result may be one of them */
        m->past[m->num_past++] = m->var[--m->num_vars];
    return good && m->num_vars == vars ? TM_OK : TM_ERR_USAGE;
}

static void map(fuzz_machine *m)
{
    body b = {.m = m, .num_in = fuzz_below(m->bytes, 3), .num_out = 1 + fuzz_below(m->bytes, 2)};
    const tm_tensor *in[2];
    tm_tensor *out[2] = {NULL, NULL};
    int64_t in_dims[2], out_dims[2];
    int how = fuzz_byte(m->bytes);
    int64_t size = how % 4;
    for (int i = 0; i < b.num_in; i++) {
        in[i] = fuzz_pick(m);
        int dim = fuzz_below(m->bytes, 6);
        in_dims[i] = dim == 5 ? TM_NOT_MAPPED : dim < 3 ? 0 : dim - 4;
        if (!in[i])
            return;
    }
    for (int i = 0; i < b.num_out; i++) {
        int dim = fuzz_below(m->bytes, 6);
        out_dims[i] = dim == 5 ? TM_NOT_MAPPED : dim < 3 ? 0 : dim - 4;
    }
    tm_vmap_options options = {.struct_size = sizeof options,
                               .size = how & 64 ? &size : NULL,
                               .randomness = (tm_randomness)(how >> 4 & 3) % 3,
                               .chunk_size = how & 128 ? fuzz_below(m->bytes, 4) - 1 : 0};
    b.count = 1 + fuzz_below(m->bytes, 6);
    if (m->nested == 3)
        return;
    b.begin = b.end = *m->bytes;
    fuzz_trace("map %d in, %d out, chunk %lld {\n", b.num_in, b.num_out,
               (long long)options.chunk_size);
    m->nested++;
    tm_status status = tm_vmap(mapped, &b, &options, b.num_in, in, in_dims, b.num_out, out,
                               how & 8 ? out_dims : NULL);
    m->nested--;
    fuzz_trace("} %s\n", tm_status_name(status));
    *m->bytes = b.end;
    for (int i = 0; i < b.num_out; i++) {
        FUZZ_REQUIRE((status == TM_OK) == (out[i] != NULL), "result %d of %s", i,
                     tm_status_name(status));
        fuzz_keep(m, out[i]);
    }
    tm_error_clear();
}

/* -- The program ------------------------------------------------------------------------------- */

static void step(fuzz_machine *m)
{
    tm_value args[TM_MAX_ARGS];
    switch (fuzz_below(m->bytes, 32)) {
    case 0:
    case 1:
        fuzz_keep(m, fuzz_any(m));
        return;
    case 2:
    case 3:
        push_level(m);
        return;
    case 4:
        pop(m);
        return;
    case 5:
    case 6:
        move_in(m);
        return;
    case 7:
        move_out(m);
        return;
    case 8:
    case 9:
        view(m);
        return;
    case 10:
        index_of_level(m);
        return;
    case 11:
        settings(m);
        return;
    case 12:
        push_mode(m);
        return;
    case 13:
    case 14:
        map(m);
        return;
    case 15:
        look(m);
        return;
    default:
        break;
    }
    const tm_op *op = fuzz_choose_call(m, args);
    if (op)
        fuzz_call(m, op, args);
    tm_error_clear();
}

static void run(fuzz_machine *m, int count)
{
    while (count-- > 0 && m->bytes->left > 0 && m->left-- > 0)
        step(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    static fuzz_machine m;
    fuzz_limit_memory(1 << 28, 1 << 21);
    fuzz_pool_empty();
    reset_settings();
    tm_set_acceleration(TM_ACCEL_AUTO);
    tm_scope *scope = fuzz_begin();
    m = (fuzz_machine){.bytes = &bytes, .left = 64};
    m.last_record = &m.records;
    run(&m, 64);
    while (m.depth > 0)
        FUZZ_REQUIRE(pop_frame(m.stack[--m.depth]) == TM_OK, "%s", tm_error_message());
    FUZZ_REQUIRE(told == 0, "a mode is told of %d calls before and not after", told);
    reset_settings();
    for (const fuzz_record *r = m.records; r; r = r->next)
        fuzz_judge(r);
    release_all(&m);
    fuzz_end(scope);
    return 0;
}
