/* fuzz_signature.c: gufunc signatures as text. */
#include <string.h>

#include "dispatch/signature.h"
#include "fuzz/target.h"

static void check(const char *text, size_t length, const tm_signature *s)
{
    int operands = s->num_inputs + s->num_outputs;
    FUZZ_REQUIRE(s->num_inputs >= 0 && s->num_outputs >= 1 && operands <= TM_SIGNATURE_OPERANDS,
                 "%s", text);
    FUZZ_REQUIRE(s->num_dims >= 0 && s->num_dims <= TM_SIGNATURE_DIMS, "%s", text);
    for (int i = 0; i < operands; i++) {
        const tm_signature_operand *operand = &s->operands[i];
        FUZZ_REQUIRE(operand->num_dims <= TM_SIGNATURE_CORE, "%s", text);
        for (int d = 0; d < operand->num_dims; d++) {
            FUZZ_REQUIRE(operand->dims[d] < s->num_dims, "%s", text);
            FUZZ_REQUIRE(operand->columns[d] >= 1 && (size_t)operand->columns[d] <= length, "%s",
                         text);
        }
    }
    for (int d = 0; d < s->num_dims; d++) {
        FUZZ_REQUIRE(s->fixed[d] >= 0, "%s", text);
        FUZZ_REQUIRE(memchr(s->names[d], '\0', sizeof s->names[d]), "%s", text);
        FUZZ_REQUIRE(s->names[d][0] || s->fixed[d], "%s", text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    size_t length = fuzz_text(&bytes, '\0', text, size + 1);
    tm_signature signature;
    tm_schema_error error = {0};
    if (tm_signature_parse(text, &signature, &error)) {
        check(text, length, &signature);
    } else {
        FUZZ_REQUIRE(error.column >= 1 && (size_t)error.column <= length + 1, "column %d of %s",
                     error.column, text);
        FUZZ_REQUIRE(error.message[0], "%s", text);
    }
    free(text);
    return 0;
}
