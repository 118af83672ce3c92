/* fuzz_npz.c: bytes as a .npz archive in memory. Every member is loaded; what all loads comes back
 * the same when it is saved, stored and deflated.
 *
 * A fuzzer cannot guess checksums: where the first byte is odd, all of them are 0 (the link
 * replaces zlib's crc32_z). The archive is what follows that byte. */
#include <string.h>
#include <zlib.h>

#include <transmute/io.h>

#include "fuzz/target.h"

static bool no_checksums;

uLong __real_crc32_z(uLong crc, const Bytef *data, z_size_t size);
uLong __wrap_crc32_z(uLong crc, const Bytef *data, z_size_t size);

uLong __wrap_crc32_z(uLong crc, const Bytef *data, z_size_t size)
{
    return no_checksums ? 0 : __real_crc32_z(crc, data, size);
}

enum { MOST = 32 };

static void save_and_load(int count, const char *const *names, const tm_tensor *const *tensors)
{
    for (int compressed = 0; compressed < 2; compressed++) {
        size_t size;
        void *saved = tm_npz_save_memory(count, names, tensors, compressed, &size);
        if (!saved) { /* a name that no archive can have written here */
            fuzz_require_error("npz_save_memory");
            return;
        }
        tm_npz *again = tm_npz_open_memory(saved, size);
        FUZZ_REQUIRE(again && tm_npz_count(again) == count, "%s", tm_error_message());
        for (int i = 0; i < count; i++) {
            const tm_tensor *x = tensors[i], *y = tm_npz_load(again, names[i]);
            FUZZ_REQUIRE(y, "%s: %s", names[i], tm_error_message());
            FUZZ_REQUIRE(strcmp(tm_npz_name(again, i), names[i]) == 0, "%s", names[i]);
            FUZZ_REQUIRE(tm_dtype_of(x) == tm_dtype_of(y) && tm_numel(x) == tm_numel(y), "%s",
                         names[i]);
            size_t bytes = (size_t)tm_numel(x) * tm_dtype_size(tm_dtype_of(x));
            if (bytes > 0)
                FUZZ_REQUIRE(memcmp(tm_data(x), tm_data(y), bytes) == 0, "%s", names[i]);
        }
        tm_npz_close(again);
        tm_buffer_free(saved);
    }
}

static void read_all(const tm_npz *npz)
{
    const char *names[MOST];
    const tm_tensor *tensors[MOST];
    int64_t count = tm_npz_count(npz);
    int loaded = 0;
    FUZZ_REQUIRE(count >= 0, "%lld members", (long long)count);
    for (int64_t i = 0; i < count && i < MOST; i++) {
        names[loaded] = tm_npz_name(npz, i);
        FUZZ_REQUIRE(names[loaded], "%s", tm_error_message());
        tensors[loaded] = tm_npz_load(npz, names[loaded]);
        if (tensors[loaded])
            loaded++;
        else
            fuzz_require_error("npz_load");
    }
    FUZZ_REQUIRE(!tm_npz_name(npz, count) && !tm_npz_name(npz, -1), "no such member");
    tm_error_clear();
    if (loaded > 0)
        save_and_load(loaded, names, tensors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_limit_memory(1 << 24, 1 << 22);
    fuzz_bytes bytes = {data, size};
    no_checksums = fuzz_byte(&bytes) & 1;
    tm_scope *scope = fuzz_begin();
    tm_npz *npz = tm_npz_open_memory(bytes.at, bytes.left);
    if (npz)
        read_all(npz);
    else
        fuzz_require_error("npz_open_memory");
    tm_npz_close(npz);
    fuzz_end(scope);
    return 0;
}
