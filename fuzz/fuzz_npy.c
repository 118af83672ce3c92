/* fuzz_npy.c: bytes as a .npy file: in memory, as a file, mapped. What loads is no larger than the
 * bytes, and comes back the same when it is saved; all three ways agree. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <transmute/io.h>

#include "fuzz/target.h"

static size_t bytes_of(const tm_tensor *x)
{
    return (size_t)tm_numel(x) * tm_dtype_size(tm_dtype_of(x));
}

static void check_same(const tm_tensor *x, const tm_tensor *y, const char *how)
{
    FUZZ_REQUIRE(tm_dtype_of(x) == tm_dtype_of(y) && tm_ndim(x) == tm_ndim(y), "%s", how);
    for (int d = 0; d < tm_ndim(x); d++)
        FUZZ_REQUIRE(tm_shape(x)[d] == tm_shape(y)[d], "%s: size %d", how, d);
    if (bytes_of(x) > 0)
        FUZZ_REQUIRE(memcmp(tm_data(x), tm_data(y), bytes_of(x)) == 0, "%s: elements", how);
}

static void save_and_load(const tm_tensor *x)
{
    size_t size;
    void *saved = tm_npy_save_memory(x, &size);
    FUZZ_REQUIRE(saved, "%s", tm_error_message());
    const tm_tensor *again = tm_npy_load_memory(saved, size);
    FUZZ_REQUIRE(again, "%s", tm_error_message());
    check_same(x, again, "saved and loaded");
    tm_buffer_free(saved);
}

/* The same bytes as a file without a name. */
static void load_file(const uint8_t *data, size_t size, const tm_tensor *x)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("npy", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        return;
    const tm_tensor *loaded = tm_npy_load(path);
    FUZZ_REQUIRE(!loaded == !x, "memory and file disagree: %s", tm_error_message());
    if (x)
        check_same(x, loaded, "from a file");
    const tm_tensor *mapped = tm_npy_map(path);
    if (!mapped) {
        fuzz_require_error("npy_map");
        return;
    }
    FUZZ_REQUIRE(x, "mapped, but not loaded");
    const tm_tensor *copy = tm_clone(mapped);
    FUZZ_REQUIRE(copy, "%s", tm_error_message());
    check_same(x, copy, "mapped");
    FUZZ_REQUIRE(!tm_mutable_data((tm_tensor *)(uintptr_t)mapped), "a mapped file can be written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_limit_memory(1 << 24, 1 << 22);
    tm_scope *scope = fuzz_begin();
    const tm_tensor *x = tm_npy_load_memory(data, size);
    if (x) {
        FUZZ_REQUIRE(bytes_of(x) <= size, "%zu bytes of %zu", bytes_of(x), size);
        FUZZ_REQUIRE(tm_is_contiguous(x), "not row-major");
        save_and_load(x);
    } else {
        fuzz_require_error("npy_load_memory");
    }
    load_file(data, size, x);
    fuzz_end(scope);
    return 0;
}
