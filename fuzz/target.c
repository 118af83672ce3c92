/* target.c: the limits and checks that the targets share. */
#include "fuzz/target.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <transmute/kernel.h>

static FILE *messages; /* standard error as it was, once it has been sent elsewhere */

void fuzz_say(const char *format, ...)
{
    FILE *stream = messages ? messages : stderr;
    va_list list;
    va_start(list, format);
    vfprintf(stream, format, list);
    va_end(list);
    fflush(stream);
}

void fuzz_require_error(const char *what)
{
    const tm_error *error = tm_error_get();
    FUZZ_REQUIRE(error && error->code != TM_OK && error->message[0], "after %s", what);
    tm_error_clear();
}

/* -- Memory ------------------------------------------------------------------------------------ */

static _Atomic size_t in_use;
static size_t most_bytes, one_block;

static void *limited_alloc(size_t size, void *user)
{
    (void)user;
    if (size > one_block || atomic_fetch_add(&in_use, size) + size > most_bytes) {
        if (size <= one_block)
            atomic_fetch_sub(&in_use, size);
        return NULL;
    }
    void *memory = malloc(size);
    if (!memory)
        atomic_fetch_sub(&in_use, size);
    return memory;
}

static void limited_release(void *memory, size_t size, void *user)
{
    (void)user;
    atomic_fetch_sub(&in_use, size);
    free(memory);
}

void fuzz_limit_memory(size_t most, size_t one)
{
    const tm_allocator limited = {sizeof limited, limited_alloc, limited_release, NULL};
    if (most_bytes)
        return;
    tm_op_count(); /* what is registered first, without the limits */
    atomic_store(&in_use, (size_t)tm_memory_get_stats().live_bytes);
    most_bytes = atomic_load(&in_use) + most;
    one_block = one;
    tm_set_allocator(&limited);
}

/* -- Work -------------------------------------------------------------------------------------- */

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t fuzz_elements(const tm_tensor *x)
{
    int64_t count = 1, size;
    for (int d = 0; d < tm_ndim(x); d++)
        count = times(count, tm_shape(x)[d]);
    for (int i = 0; i < tm_num_levels(x); i++)
        if (tm_level_at(x, i, &size))
            count = times(count, size);
    return count;
}

static int64_t most_elements;

static bool too_large(const tm_tensor *x)
{
    return x && x != TM_NONE && fuzz_elements(x) > most_elements;
}

static tm_mode_answer limit(tm_call *call, void *state)
{
    (void)state;
    const tm_op *op = tm_call_op(call);
    bool refuse = false;
    for (int i = 0; i < tm_call_num_args(call); i++) {
        const tm_value *arg = tm_call_arg(call, i);
        tm_type type = tm_op_param(op, i)->type;
        if (type == TM_TYPE_TENSOR)
            refuse = refuse || too_large(arg->tensor);
        for (int64_t k = 0; type == TM_TYPE_TENSOR_LIST && k < arg->tensors.count; k++)
            refuse = refuse || too_large(arg->tensors.data[k]);
    }
    for (int i = 0; i < tm_call_num_outputs(call) && i < 64; i++) {
        const tm_spec *spec = tm_output_spec(call, i);
        int64_t count = 1;
        for (int d = 0; spec && d < spec->ndim; d++)
            count = spec->shape[d] == TM_DYNAMIC ? count : times(count, spec->shape[d]);
        refuse = refuse || count > most_elements;
    }
    if (!refuse)
        return TM_MODE_DECLINE;
    tm_fail(call, TM_ERR_MEMORY, "too much work for a fuzzer");
    return TM_MODE_FAILED;
}

tm_mode *fuzz_limit_calls(int64_t most)
{
    static const tm_mode_def def = {.struct_size = sizeof def, .name = "limit", .handle = limit};
    most_elements = most;
    return tm_mode_push(&def, NULL);
}

/* -- One input --------------------------------------------------------------------------------- */

static int64_t live_before;

tm_scope *fuzz_begin(void)
{
    tm_error_clear();
    tm_seed(0);
    live_before = (int64_t)tm_memory_get_stats().live_tensors;
    tm_scope *scope = tm_scope_push();
    FUZZ_REQUIRE(scope, "no scope: %s", tm_error_message());
    return scope;
}

void fuzz_end(tm_scope *scope)
{
    FUZZ_REQUIRE(!tm_vmap_current(), "a level is open");
    FUZZ_REQUIRE(tm_scope_pop(scope) == TM_OK, "%s", tm_error_message());
    tm_error_clear();
    tm_set_num_threads(1);
    tm_set_acceleration(TM_ACCEL_AUTO);
    int64_t live = (int64_t)tm_memory_get_stats().live_tensors;
    FUZZ_REQUIRE(live == live_before, "%lld handles are left", (long long)(live - live_before));
}

/* -- Files ------------------------------------------------------------------------------------- */

static char directory[] = "/tmp/tm-fuzz-XXXXXX";

static void leave_directory(void)
{
    fuzz_empty_directory();
    DIR *open = opendir(directory);
    for (struct dirent *entry; open && (entry = readdir(open));)
        unlink(entry->d_name);
    if (open)
        closedir(open);
    if (chdir("/") == 0)
        rmdir(directory);
}

void fuzz_enter_directory(void)
{
    if (messages)
        return;
    FUZZ_REQUIRE(mkdtemp(directory) && chdir(directory) == 0, "%s", strerror(errno));
    atexit(leave_directory);
    const struct rlimit megabyte = {1 << 20, 1 << 20};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &megabyte);
    messages = stderr;
    stdout = stderr = fopen("/dev/null", "w"); /* glibc's are variables */
    FUZZ_REQUIRE(stderr, "/dev/null: %s", strerror(errno));
}

void fuzz_empty_directory(void)
{
    DIR *open = opendir(".");
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (strncmp(entry->d_name, "keep", 4) != 0 && entry->d_name[0] != '.')
            unlink(entry->d_name);
    if (open)
        closedir(open);
}
