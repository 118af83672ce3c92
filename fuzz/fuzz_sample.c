/* fuzz_sample.c: the law checker's samples, which plug-ins bring as text: the op, its arguments,
 * what is expected, each on a line. */
#include <string.h>

#include "fuzz/target.h"
#include "law/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[64], args[4096], expected[4096], error[512];
    fuzz_bytes bytes = {data, size};
    fuzz_limit_memory(1 << 24, 1 << 20);
    fuzz_text(&bytes, '\n', name, sizeof name);
    bool has_expected = fuzz_text(&bytes, '\n', args, sizeof args) < sizeof args && bytes.left > 0;
    fuzz_text(&bytes, '\n', expected, sizeof expected);
    const tm_op *op = tm_op_find(name, NULL);
    if (!op)
        return 0;
    op = tm_op_base(op) ? tm_op_base(op) : op;
    tm_law_arena arena = {NULL, false};
    const tm_sample source = {.op = name, .args = args, .expected = has_expected ? expected : NULL};
    tm_law_sample sample;
    error[0] = '\0';
    bool good = tm_law_parse(&arena, op, &source, &sample, error, sizeof error);
    FUZZ_REQUIRE(good || error[0] || arena.lost, "%s: %s", name, args);
    for (int i = 0; good && i < sample.num_tensors; i++) {
        const tm_law_tensor *t = &sample.tensors[i];
        FUZZ_REQUIRE(t->numel >= 0 && t->ndim >= 0 && t->ndim <= TM_MAX_NDIM, "%s: %s", name, args);
    }
    tm_law_free_all(&arena);
    return 0;
}
