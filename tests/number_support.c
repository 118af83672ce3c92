/* number_support.c: see number_support.h. */
#include "number_support.h"

tm_status test_number_meta(tm_call *call)
{
    return tm_output(call, 0, TM_FLOAT32, 0, NULL);
}

#define NUMBER(n)                                                                                  \
    tm_status test_number_##n(tm_call *call, tm_tensor *out)                                       \
    {                                                                                              \
        (void)call;                                                                                \
        *(float *)tm_mutable_data(out) = n;                                                        \
        return TM_OK;                                                                              \
    }
NUMBER(1)
NUMBER(2)
NUMBER(3)

const tm_op *test_number_op(const char *schema, tm_fn impl)
{
    return OP(.schema = schema, .contract = TM_PER_EXAMPLE, .meta = (tm_fn)test_number_meta,
              .impl = impl);
}

tm_op_def test_number_def(const char *schema)
{
    return (tm_op_def){.struct_size = sizeof(tm_op_def),
                       .schema = schema,
                       .contract = TM_PER_EXAMPLE,
                       .meta = (tm_fn)test_number_meta,
                       .impl = (tm_fn)test_number_1};
}

double test_call_number(const tm_op *op)
{
    tm_value result;
    ck_assert_msg(tm_op_call(op, NULL, 0, &result, 1) == TM_OK, "%s", tm_error_message());
    return test_value(result.tensor, 0);
}
