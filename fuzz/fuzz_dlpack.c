/* fuzz_dlpack.c: the structs of another library, with whatever is in them. What is refused keeps
 * its deleter uncalled; what is taken is given back once, and where it lies in memory that is
 * there, it is read, written and handed out again. */
#include <string.h>

#include <transmute/dlpack.h>

#include "fuzz/target.h"

enum { MEMORY = 2048, DIMS = TM_MAX_NDIM + 4 };

typedef struct given {
    int64_t shape[DIMS], strides[DIMS];
    int deleted;
    DLTensor tensor;
} given;

static _Alignas(64) char memory[2 * MEMORY], before[2 * MEMORY];

static void delete_plain(DLManagedTensor *self)
{
    ((given *)self->manager_ctx)->deleted++;
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    ((given *)self->manager_ctx)->deleted++;
}

static void fill_tensor(fuzz_bytes *bytes, given *g)
{
    static const DLDataType types[] = {{kDLBool, 8, 1},     {kDLInt, 8, 1},      {kDLInt, 64, 1},
                                       {kDLUInt, 16, 1},    {kDLFloat, 16, 1},   {kDLFloat, 32, 1},
                                       {kDLFloat, 64, 1},   {kDLBfloat, 16, 1},  {kDLInt, 32, 1},
                                       {kDLComplex, 64, 1}, {kDLComplex, 128, 1}};
    DLTensor *t = &g->tensor;
    int kind = fuzz_below(bytes, 32);
    t->dtype = kind < 11 ? types[kind]
                         : (DLDataType){fuzz_byte(bytes), fuzz_byte(bytes), fuzz_byte(bytes)};
    int64_t ndim = fuzz_one_in(bytes, 8) ? fuzz_int(bytes) : fuzz_below(bytes, 5);
    t->ndim = (int32_t)ndim;
    for (int d = 0; d < DIMS && d < ndim; d++) {
        g->shape[d] = fuzz_one_in(bytes, 8) ? fuzz_int(bytes) : fuzz_below(bytes, 5);
        g->strides[d] = fuzz_int(bytes);
    }
    for (int d = (int)(ndim < 0 ? 0 : ndim > DIMS ? DIMS : ndim); d < DIMS; d++)
        g->shape[d] = g->strides[d] = 1;
    t->shape = fuzz_one_in(bytes, 16) ? NULL : g->shape;
    t->strides = fuzz_one_in(bytes, 3) ? NULL : g->strides;
    t->data = fuzz_one_in(bytes, 16)  ? NULL
              : fuzz_one_in(bytes, 8) ? memory + MEMORY + fuzz_below(bytes, 16)
                                      : memory + MEMORY;
    t->byte_offset = fuzz_one_in(bytes, 4) ? (uint64_t)fuzz_int(bytes) : 0;
    t->device = (DLDevice){kDLCPU, 0};
    if (fuzz_one_in(bytes, 16)) {
        int32_t device = fuzz_byte(bytes);
        memcpy(&t->device.device_type, &device, sizeof device);
    }
}

/* Whether every element lies in `memory`. */
static bool lies_inside(const tm_tensor *x)
{
    int64_t least = 0, most = 0, item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    if (tm_numel(x) <= 0)
        return true;
    for (int d = 0; d < tm_ndim(x); d++) {
        int64_t steps = tm_shape(x)[d] - 1, stride = tm_strides(x)[d];
        if (steps > MEMORY || (steps > 0 && (stride > MEMORY || stride < -MEMORY)))
            return false;
        *(stride < 0 ? &least : &most) += steps > 0 ? steps * stride : 0;
    }
    int64_t first = (int64_t)((intptr_t)tm_data(x) - (intptr_t)memory);
    if (first < 0 || first >= (int64_t)sizeof memory)
        return false;
    return first + least * item >= 0 && first + (most + 1) * item <= (int64_t)sizeof memory;
}

static void use(tm_tensor *x, bool read_only)
{
    for (int i = 0; tm_dtype_of(x) == TM_BOOL && i < 2 * MEMORY; i++)
        memory[i] = memory[i] & 1;
    memcpy(before, memory, sizeof memory);
    const tm_tensor *y = tm_clone(x);
    FUZZ_REQUIRE(y, "%s", tm_error_message());
    FUZZ_REQUIRE(tm_numel(y) == tm_numel(x), "numel");
    FUZZ_REQUIRE(memcmp(memory, before, sizeof memory) == 0, "reading has written");
    const tm_tensor *written = tm_copy_(x, y);
    FUZZ_REQUIRE(!(written && read_only && tm_numel(x) > 0), "read-only memory is written");
    FUZZ_REQUIRE(memcmp(memory, before, sizeof memory) == 0, "its own values changed memory");
    tm_error_clear();
}

static void hand_out(const tm_tensor *x, bool read_only)
{
    DLManagedTensorVersioned *out = tm_to_dlpack_versioned(x);
    FUZZ_REQUIRE(out, "%s", tm_error_message());
    const DLTensor *t = &out->dl_tensor;
    FUZZ_REQUIRE(out->version.major == 1 && t->ndim == tm_ndim(x) && t->strides, "version, ndim");
    FUZZ_REQUIRE(read_only == ((out->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0), "flags");
    FUZZ_REQUIRE(memcmp(t->shape, tm_shape(x), sizeof(int64_t) * (size_t)t->ndim) == 0, "shape");
    out->deleter(out);
    DLManagedTensor *older = tm_to_dlpack(x);
    FUZZ_REQUIRE(read_only == !older, "the older struct cannot say read-only");
    if (older)
        older->deleter(older);
    tm_error_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_limit_memory(1 << 24, 1 << 20);
    fuzz_bytes bytes = {data, size};
    tm_scope *scope = fuzz_begin();
    given g = {.deleted = 0};
    bool versioned = fuzz_byte(&bytes) & 1;
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (char)(i * 7);
    fill_tensor(&bytes, &g);
    DLManagedTensor plain = {g.tensor, &g, delete_plain};
    DLManagedTensorVersioned new = {.version = {1, fuzz_byte(&bytes)},
                                    .manager_ctx = &g,
                                    .deleter = delete_versioned,
                                    .flags = fuzz_byte(&bytes),
                                    .dl_tensor = g.tensor};
    if (fuzz_one_in(&bytes, 16))
        new.version.major = fuzz_byte(&bytes);
    if (fuzz_one_in(&bytes, 16)) {
        plain.deleter = NULL;
        new.deleter = NULL;
    }
    bool read_only = versioned && (new.flags &DLPACK_FLAG_BITMASK_READ_ONLY);
    bool counts = plain.deleter != NULL;
    tm_tensor *x = versioned ? tm_from_dlpack_versioned(&new) : tm_from_dlpack(&plain);
    bool taken = x != NULL;
    if (x) {
        FUZZ_REQUIRE(tm_numel(x) >= 0, "numel");
        if (lies_inside(x) && tm_numel(x) < 4096)
            use(x, read_only);
        hand_out(x, read_only);
        FUZZ_REQUIRE(g.deleted == 0, "given back too early");
    } else {
        fuzz_require_error("from_dlpack");
    }
    fuzz_end(scope);
    FUZZ_REQUIRE(g.deleted == (taken && counts), "the deleter was called %d times", g.deleted);
    return 0;
}
