/* test_retire.c: ops whose library is closed while they are in use: in their own kernel or meta, in
 * another thread's call, held as a pointer. The call under way finishes on what it found, later
 * ones are TM_ERR_NO_KERNEL, the name is free again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "support.h"

static tm_library *library; /* the op's, not the test's */
static const tm_op *own;
static bool in_meta, recalls;

static tm_status like(tm_call *call, const tm_tensor *x)
{
    if (in_meta)
        tm_library_close(library);
    return tm_output_like(call, 0, x);
}

static tm_status closes(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    tm_library_close(library);
    memcpy(tm_mutable_data(out), tm_data(x), (size_t)tm_numel(x) * sizeof(float));
    if (recalls) {
        tm_value again;
        tm_op_call(own, &(tm_value){.tensor = x}, 1, &again, 1); /* its failure is this call's */
    }
    return TM_OK;
}

static const int8_t core[] = {1, 1};

static void open_op(tm_fn impl)
{
    const tm_op_def def = {.struct_size = sizeof def,
                           .schema = "retired_op(Tensor x) -> Tensor",
                           .contract = TM_PER_EXAMPLE,
                           .core = core,
                           .thread_safe = true,
                           .meta = (tm_fn)like,
                           .impl = impl};
    library = tm_library_open("retires");
    own = tm_library_register(library, &def);
    ck_assert_msg(own != NULL, "%s", tm_error_message());
}

static void expect_retired(void)
{
    EXPECT_NULL(CALL(own, {.tensor = F32(TM_INTS(1), 1)}), TM_ERR_NO_KERNEL,
                "retired_op: the op's library has been closed");
    ck_assert_ptr_null(tm_op_find("retired_op", ""));
    ck_assert_str_eq(tm_op_name(own), "retired_op"); /* the pointer stays good */
    tm_library_close(library);                       /* a second time is a no-op */
}

START_TEST(in_its_own_kernel_and_meta)
{
    for (int meta = 0; meta < 2; meta++) {
        in_meta = meta;
        open_op((tm_fn)closes);
        EXPECT_F32(CALL(own, {.tensor = F32(TM_INTS(3, 1), 1, 2, 3)}), TM_INTS(3, 1), 1, 2, 3);
        in_meta = false;
        expect_retired();
    }
}
END_TEST

START_TEST(an_inner_call_of_the_retired_op_fails)
{
    recalls = true;
    open_op((tm_fn)closes);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_vmap_in(v, F32(TM_INTS(2, 1), 1, 2), 0));
    EXPECT_NULL(CALL(own, {.tensor = x}), TM_ERR_NO_KERNEL, "library has been closed");
    EXPECT_OK(tm_vmap_pop(v));
    recalls = false;
    expect_retired();
}
END_TEST

static _Atomic int entered, released;

static tm_status waits(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    atomic_fetch_add(&entered, 1);
    while (!atomic_load(&released)) {
    }
    memcpy(tm_mutable_data(out), tm_data(x), (size_t)tm_numel(x) * sizeof(float));
    return TM_OK;
}

static void *calls_it(void *result)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *y = CALL(own, {.tensor = F32(TM_INTS(2, 1), 5, 6)});
    *(float *)result = y ? ((const float *)tm_data(y))[1] : -1;
    tm_scope_pop(scope);
    return NULL;
}

START_TEST(in_another_threads_call)
{
    pthread_t thread;
    float result = 0;
    open_op((tm_fn)waits);
    ck_assert_int_eq(pthread_create(&thread, NULL, calls_it, &result), 0);
    while (!atomic_load(&entered)) {
    }
    tm_library_close(library);
    expect_retired();
    const tm_op *old = own;
    open_op((tm_fn)closes); /* the name is free: another op */
    ck_assert_ptr_ne(old, own);
    atomic_store(&released, 1);
    pthread_join(thread, NULL);
    ck_assert(result == 6);
    tm_library_close(library);
}
END_TEST

START_TEST(two_libraries_with_one_op)
{
    open_op((tm_fn)closes);
    tm_library *first = library;
    library = tm_library_open("second");
    const tm_op_def def = {.struct_size = sizeof def,
                           .schema = "retired_op(Tensor x) -> Tensor",
                           .contract = TM_PER_EXAMPLE,
                           .meta = (tm_fn)like,
                           .impl = (tm_fn)closes};
    EXPECT_NULL(tm_library_register(library, &def), TM_ERR_USAGE,
                "retired_op is registered already");
    tm_library_close(first);
    ck_assert_ptr_nonnull(tm_library_register(library, &def));
    tm_library_close(library);
}
END_TEST

Suite *retire_suite(void)
{
    const TTest *tests[] = {in_its_own_kernel_and_meta, an_inner_call_of_the_retired_op_fails,
                            in_another_threads_call, two_libraries_with_one_op};
    return test_suite("retire", tests, COUNT(tests));
}
