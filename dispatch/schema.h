/* schema.h: an op's schema, parsed once. See include/transmute/dispatch.h for the types. */
#ifndef TM_DISPATCH_SCHEMA_H
#define TM_DISPATCH_SCHEMA_H

#include <transmute/dispatch.h>

enum {
    TM_SCHEMA_TEXT = 1024,
    TM_SCHEMA_INTS = 32,
    TM_SCHEMA_NAME = 47 /* the longest name, in characters */
};

/** One output of a schema. */
typedef struct tm_schema_output {
    const char *name; /**< "" where it has none */
    tm_type type;     /**< TM_TYPE_TENSOR or TM_TYPE_SCALAR; the only one: TM_TYPE_TENSOR_LIST */
    bool written;     /**< `Tensor!`: the written argument itself */
} tm_schema_output;

/** A parsed schema. It points into itself: parse it where it is to stay, never copy it. */
typedef struct tm_schema {
    const char *name, *overload;
    int num_params, num_outputs;
    tm_param params[TM_MAX_ARGS];
    tm_schema_output outputs[TM_MAX_OUTPUTS];
    /* Room for names, lists and optional values that the fields above point to. */
    char text[TM_SCHEMA_TEXT];
    int64_t ints[TM_SCHEMA_INTS];
    tm_scalar values[TM_MAX_ARGS];
    tm_int_list lists[TM_MAX_ARGS];
} tm_schema;

/** Why a schema does not parse: the column is 1-based and points at the offending character. */
typedef struct tm_schema_error {
    int column;
    char message[160];
} tm_schema_error;

/** Parses `text`, allocation-free. False, with *error set, where it is no schema. */
bool tm_schema_parse(const char *text, tm_schema *schema, tm_schema_error *error);

/** The op's C identifier: name, or name_overload. Returns what snprintf would. */
int tm_schema_identifier(const tm_schema *schema, char *buffer, size_t size);

#endif
