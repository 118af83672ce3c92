// headers.cpp: the public headers are valid C++17, each on its own, and usable from there.
#include <transmute/base.h>
#include <transmute/dispatch.h>
#include <transmute/dlpack.h>
#include <transmute/error.h>
#include <transmute/io.h>
#include <transmute/kernel.h>
#include <transmute/law.h>
#include <transmute/memory.h>
#include <transmute/modes.h>
#include <transmute/ops.h>
#include <transmute/tensor.h>
#include <transmute/transmute.h>
#include <transmute/types.h>

static_assert(sizeof(tm_scalar) == 24, "the scalar's layout is part of the ABI");
static_assert(TM_NOT_MAPPED != -1, "-1 is a dimension");

static tm_status fail(void)
{
    tm_error_print(stderr);
    return TM_ERR_USAGE;
}

int main()
{
    const int64_t shape[] = {2, 2};
    const float values[] = {1, 2, 3, 4};
    tm_scope *scope = tm_scope_push();
    tm_vmap_level *level = tm_vmap_push(nullptr);
    tm_tensor *x = tm_from_data(TM_FLOAT32, 2, shape, values);
    tm_tensor *row = tm_vmap_in(level, x, 0);
    tm_tensor *sum = tm_vmap_out(level, tm_add(row, row), 0);
    if (!sum || tm_vmap_pop(level) != TM_OK)
        return fail();
    const float *data = static_cast<const float *>(tm_data(sum));
    if (data[3] != 8.0f || tm_triu(nullptr, 0) != nullptr || tm_error_code() != TM_ERR_USAGE)
        return fail();
    return tm_scope_pop(scope);
}
