/* fuzz_schema.c: schemas as text. What parses is within the limits and says the same when it is
 * written out again; what does not is refused with a column of the text. */
#include <string.h>

#include "dispatch/schema.h"
#include "fuzz/target.h"

static const char *const type_names[] = {"Tensor", "Tensor[]", "int",   "int[]",  "float",
                                         "bool",   "str",      "dtype", "Scalar", "Generator"};

static void check_param(const tm_schema *schema, int i, bool *fallbacks)
{
    const tm_param *param = &schema->params[i];
    size_t length = strlen(param->name);
    FUZZ_REQUIRE(length > 0 && length <= TM_SCHEMA_NAME, "%s", param->name);
    FUZZ_REQUIRE(param->type <= TM_TYPE_GENERATOR && type_names[param->type], "%s", param->name);
    FUZZ_REQUIRE(!(param->written && param->optional), "%s", param->name);
    FUZZ_REQUIRE(!param->written || param->type == TM_TYPE_TENSOR, "%s", param->name);
    FUZZ_REQUIRE(!*fallbacks || param->has_default || param->written, "%s", param->name);
    *fallbacks = *fallbacks || param->has_default;
    for (int k = 0; k < i; k++)
        FUZZ_REQUIRE(strcmp(schema->params[k].name, param->name) != 0, "%s twice", param->name);
    if (!param->has_default)
        return;
    tm_int_list ints = {NULL, 0};
    if (param->type == TM_TYPE_INT_LIST && !param->optional)
        ints = param->fallback.ints;
    else if (param->type == TM_TYPE_INT_LIST && param->fallback.opt)
        ints = *(const tm_int_list *)param->fallback.opt;
    FUZZ_REQUIRE(ints.count >= 0 && ints.count <= TM_SCHEMA_INTS, "%s", param->name);
    volatile int64_t read = 0; /* the sanitizer judges */
    for (int64_t k = 0; k < ints.count; k++)
        read = ints.data[k];
    (void)read;
    if (param->type == TM_TYPE_STR && param->fallback.str)
        FUZZ_REQUIRE(strlen(param->fallback.str) < TM_SCHEMA_TEXT, "%s", param->name);
}

/* The names and types once more, without the defaults. */
static void write_again(const tm_schema *schema, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s%s%s(", schema->name,
                                   schema->overload[0] ? "." : "", schema->overload);
    for (int i = 0; i < schema->num_params; i++) {
        const tm_param *param = &schema->params[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s%s %s", i ? ", " : "",
                                 type_names[param->type],
                                 param->written    ? "!"
                                 : param->optional ? "?"
                                                   : "",
                                 param->name);
    }
    used += (size_t)snprintf(text + used, size - used, ") -> (");
    for (int i = 0; i < schema->num_outputs; i++) {
        const tm_schema_output *output = &schema->outputs[i];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%s %s", i ? ", " : "",
                             type_names[output->type], output->written ? "!" : "", output->name);
    }
    snprintf(text + used, size - used, ")");
}

static void check_same(const tm_schema *a, const tm_schema *b)
{
    FUZZ_REQUIRE(strcmp(a->name, b->name) == 0 && strcmp(a->overload, b->overload) == 0, "%s",
                 a->name);
    FUZZ_REQUIRE(a->num_params == b->num_params && a->num_outputs == b->num_outputs, "%s", a->name);
    for (int i = 0; i < a->num_params; i++)
        FUZZ_REQUIRE(strcmp(a->params[i].name, b->params[i].name) == 0 &&
                         a->params[i].type == b->params[i].type &&
                         a->params[i].optional == b->params[i].optional,
                     "%s", a->params[i].name);
    for (int i = 0; i < a->num_outputs; i++)
        FUZZ_REQUIRE(strcmp(a->outputs[i].name, b->outputs[i].name) == 0 &&
                         a->outputs[i].type == b->outputs[i].type &&
                         a->outputs[i].written == b->outputs[i].written,
                     "%s", a->outputs[i].name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    size_t length = fuzz_text(&bytes, '\0', text, size + 1);
    tm_schema schema, again;
    tm_schema_error error = {0};
    if (!tm_schema_parse(text, &schema, &error)) {
        FUZZ_REQUIRE(error.column >= 1 && (size_t)error.column <= length + 1, "column %d of %s",
                     error.column, text);
        FUZZ_REQUIRE(error.message[0], "%s", text);
        free(text);
        return 0;
    }
    FUZZ_REQUIRE(schema.num_params >= 0 && schema.num_params <= TM_MAX_ARGS, "%s", text);
    FUZZ_REQUIRE(schema.num_outputs >= 1 && schema.num_outputs <= TM_MAX_OUTPUTS, "%s", text);
    FUZZ_REQUIRE(strlen(schema.name) > 0 && strlen(schema.name) <= TM_SCHEMA_NAME, "%s", text);
    bool fallbacks = false;
    for (int i = 0; i < schema.num_params; i++)
        check_param(&schema, i, &fallbacks);
    char written[8192], identifier[256];
    FUZZ_REQUIRE(tm_schema_identifier(&schema, identifier, sizeof identifier) > 0, "%s", text);
    write_again(&schema, written, sizeof written);
    FUZZ_REQUIRE(tm_schema_parse(written, &again, &error), "%s: %d: %s", written, error.column,
                 error.message);
    check_same(&schema, &again);
    free(text);
    return 0;
}
