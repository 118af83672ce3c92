/* test_struct_size.c: every struct that callers give with its size in front, of every size there
 * is: of this version, of an earlier one, of a later one, of none.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Memory of exactly that many bytes with `now` (bytes of today's struct) in it as far as it goes,
 * and `beyond` in every byte behind. */
static void *of_size(const void *now, size_t bytes, size_t size, unsigned char beyond)
{
    size_t room = size < sizeof size ? sizeof size : size;
    unsigned char *given = malloc(room);
    ck_assert_ptr_nonnull(given);
    memset(given, beyond, room);
    memcpy(given, now, bytes < size ? bytes : size);
    memcpy(given, &size, sizeof size);
    return given;
}

/* -- One call for each struct: TM_OK, or what it failed with --------------------------------------
 */

static tm_status give_wrap_options(const void *given)
{
    static float memory[2];
    tm_tensor *x = tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, memory, given);
    tm_release(x);
    return x ? TM_OK : tm_error_code();
}

static tm_status give_allocator(const void *given)
{
    tm_set_allocator(given);
    return tm_error_code();
}

static tm_status give_mode_def(const void *given)
{
    tm_mode *mode = tm_mode_push(given, NULL);
    if (!mode)
        return tm_error_code();
    tm_tensor *x = F32(TM_INTS(1), 1);
    tm_release(MADE(tm_neg(x)));
    tm_release(x);
    return tm_mode_pop(mode);
}

static tm_status copy_first(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_clone(in[0]);
    return tm_error_code();
}

static tm_status give_vmap_options(const void *given)
{
    tm_vmap_level *level = tm_vmap_push(given);
    tm_status pushed = level ? tm_vmap_pop(level) : tm_error_code();
    tm_error_clear();
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *out;
    tm_status mapped = tm_vmap(copy_first, NULL, given, 1, (const tm_tensor *const[]){x},
                               (const int64_t[]){0}, 1, &out, NULL);
    ck_assert_int_eq(pushed, mapped);
    tm_release(out);
    tm_release(x);
    return mapped;
}

static tm_status same_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status zero_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    memset(tm_mutable_data(out), 0, (size_t)tm_numel(x) * sizeof(float));
    return TM_OK;
}

static tm_status give_op_def(const void *given)
{
    tm_library *library = tm_library_open("sizes");
    const tm_op *op = tm_library_register(library, given);
    tm_status status = op ? TM_OK : tm_error_code();
    tm_library_close(library);
    return status;
}

static tm_status give_kernel_def(const void *given)
{
    tm_library *library = tm_library_open("sizes");
    tm_status status = tm_library_override(library, tm_op_find("triu", ""), TM_KEY_PLAIN, given);
    tm_library_close(library);
    return status;
}

static tm_status give_print_options(const void *given)
{
    tm_tensor *x = F32(TM_INTS(1), 1);
    char *text = tm_to_string_with(x, given);
    tm_string_free(text);
    tm_release(x);
    return text ? TM_OK : tm_error_code();
}

static const char *const law_ops[] = {"triu"};
static const tm_law_options law_now = {sizeof law_now, law_ops, 1, .cases = 1};

static tm_status give_law_options(const void *given)
{
    tm_law_result result = {.struct_size = sizeof result};
    return tm_law_run(given, &result);
}

static tm_status give_law_result(const void *given)
{
    return tm_law_run(&law_now, (void *)(uintptr_t)given);
}

/* -- The structs ----------------------------------------------------------------------------------
 */

#define END_OF(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

typedef struct subject {
    const char *name;
    tm_status (*give)(const void *given);
    const void *now; /* a good one */
    size_t size, least;
    const char *argument;
    bool filled; /* by the library */
} subject;

static tm_allocator allocator_now;
static const tm_wrap_options wrap_now;
static const tm_mode_def mode_now = {.name = "sizes"};
static const tm_vmap_options vmap_now;
static const tm_op_def op_now = {.schema = "size_zero(Tensor x) -> Tensor",
                                 .contract = TM_PER_EXAMPLE,
                                 .meta = (tm_fn)same_meta,
                                 .impl = (tm_fn)zero_impl};
static const tm_kernel_def kernel_now = {.impl = (tm_fn)zero_impl};
static const tm_print_options print_now;
static const tm_law_result result_now = {.cases = -1, .violations = -1, .leaks = -1};

static const subject subjects[] = {
    {"tm_wrap_options", give_wrap_options, &wrap_now, sizeof wrap_now,
     END_OF(tm_wrap_options, user), "options", false},
    {"tm_allocator", give_allocator, &allocator_now, sizeof allocator_now,
     END_OF(tm_allocator, user), "allocator", false},
    {"tm_mode_def", give_mode_def, &mode_now, sizeof mode_now, END_OF(tm_mode_def, destroy), "def",
     false},
    {"tm_vmap_options", give_vmap_options, &vmap_now, sizeof vmap_now,
     END_OF(tm_vmap_options, randomness), "options", false},
    {"tm_op_def", give_op_def, &op_now, sizeof op_now, END_OF(tm_op_def, samples), "def", false},
    {"tm_kernel_def", give_kernel_def, &kernel_now, sizeof kernel_now,
     END_OF(tm_kernel_def, thread_safe), "def", false},
    {"tm_print_options", give_print_options, &print_now, sizeof print_now,
     END_OF(tm_print_options, floatmode), "options", false},
    {"tm_law_options", give_law_options, &law_now, sizeof law_now, END_OF(tm_law_options, report),
     "options", false},
    {"tm_law_result", give_law_result, &result_now, sizeof result_now, END_OF(tm_law_result, leaks),
     "result", true}};

static void expect_refused(const subject *s, const void *given, const char *parts)
{
    tm_status status = s->give(given);
    ck_assert_msg(status == TM_ERR_USAGE, "%s: %s", s->name, tm_status_name(status));
    ck_assert_msg(tm_error_get() && tm_error_get()->argument &&
                      strcmp(tm_error_get()->argument, s->argument) == 0,
                  "%s: %s", s->name, tm_error_message());
    EXPECT_ERROR(TM_ERR_USAGE, parts);
}

static void try_no_version(const subject *s)
{
    const size_t wrong[] = {0,           1,           sizeof(size_t), s->least - 8, s->least - 1,
                            s->size - 1, s->size + 1, s->size + 4,    4104,         SIZE_MAX};
    for (int i = 0; i < COUNT(wrong); i++) {
        if (wrong[i] % 8 == 0 && wrong[i] >= s->least && wrong[i] <= 4096)
            continue;
        char parts[200], now[512];
        snprintf(parts, sizeof parts, "struct_size must be sizeof(%s), %zu, got %zu", s->name,
                 s->size, wrong[i]);
        ck_assert(s->size <= sizeof now);
        memcpy(now, s->now, s->size); /* no further is read, whatever it says */
        memcpy(now, &wrong[i], sizeof wrong[i]);
        expect_refused(s, now, parts);
    }
}

static void try_earlier(const subject *s)
{
    for (size_t size = (s->least + 7) / 8 * 8; size <= s->size; size += 8) {
        void *given = of_size(s->now, s->size, size, 0xff);
        tm_status status = s->give(given);
        ck_assert_msg(status == TM_OK, "%s of %zu: %s", s->name, size, tm_error_message());
        free(given);
    }
}

static void try_later(const subject *s)
{
    for (size_t size = s->size + 8; size <= 4096; size += size < s->size + 64 ? 8 : 1016) {
        void *given = of_size(s->now, s->size, size, 0);
        tm_status status = s->give(given);
        ck_assert_msg(status == TM_OK, "%s of %zu: %s", s->name, size, tm_error_message());
        for (size_t at = s->size; at < size; at += size - s->size - 1) {
            ((char *)given)[at] = 1;
            if (s->filled) { /* what the library does not know it sets to 0 */
                ck_assert_int_eq(s->give(given), TM_OK);
                ck_assert_int_eq(((char *)given)[at], 0);
            } else {
                expect_refused(s, given, "later version's|sets a field");
            }
            ((char *)given)[at] = 0;
        }
        free(given);
    }
}

static void try_each(void (*function)(const subject *s))
{
    allocator_now = tm_get_allocator();
    for (int i = 0; i < COUNT(subjects); i++)
        function(&subjects[i]);
}

START_TEST(sizes_of_no_version)
{
    try_each(try_no_version);
}
END_TEST

START_TEST(earlier_and_present_sizes)
{
    try_each(try_earlier);
}
END_TEST

START_TEST(later_sizes)
{
    try_each(try_later);
}
END_TEST

START_TEST(a_refused_allocator_changes_nothing)
{
    tm_allocator before = tm_get_allocator(), other = before;
    other.struct_size = 3;
    tm_set_allocator(&other);
    EXPECT_ERROR(TM_ERR_USAGE, "struct_size must be sizeof(tm_allocator), 32, got 3");
    ck_assert_uint_eq(tm_get_allocator().struct_size, sizeof before);
    ck_assert(tm_get_allocator().alloc == before.alloc);
}
END_TEST

/* -- All of them ----------------------------------------------------------------------------------
 */

/* The library's own, which it fills: callers give none. A plug-in's is test_plugin.c's. */
static const char *const given_by_library[] = {"tm_error", "tm_event", "tm_memory_stats",
                                               "tm_dispatch_stats", "tm_plugin"};

static bool is_known(const char *name)
{
    for (int i = 0; i < COUNT(subjects); i++)
        if (strcmp(subjects[i].name, name) == 0)
            return true;
    for (int i = 0; i < COUNT(given_by_library); i++)
        if (strcmp(given_by_library[i], name) == 0)
            return true;
    return false;
}

START_TEST(every_struct_of_the_headers_is_here)
{
    FILE *pipe = popen("cat " TM_TEST_DATA "/../../include/transmute/*.h", "r");
    ck_assert_ptr_nonnull(pipe);
    char line[512], name[64] = "";
    int count = 0;
    while (fgets(line, sizeof line, pipe)) {
        sscanf(line, "typedef struct %63[A-Za-z0-9_]", name);
        if (!strstr(line, "size_t struct_size;"))
            continue;
        ck_assert_msg(is_known(name), "%s has a struct_size that no test gives", name);
        count++;
    }
    ck_assert_int_eq(pclose(pipe), 0);
    ck_assert_int_eq(count, COUNT(subjects) + COUNT(given_by_library));
}
END_TEST

Suite *struct_size_suite(void)
{
    const TTest *tests[] = {sizes_of_no_version, earlier_and_present_sizes, later_sizes,
                            a_refused_allocator_changes_nothing,
                            every_struct_of_the_headers_is_here};
    return test_suite("struct_size", tests, COUNT(tests));
}
