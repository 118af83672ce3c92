/* mode_support.c: the story and the modes that write it, see mode_support.h. */
#include "mode_support.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char test_story[512];

void test_tell(const char *format, ...)
{
    size_t used = strlen(test_story);
    va_list list;
    va_start(list, format);
    vsnprintf(test_story + used, sizeof test_story - used, format, list);
    va_end(list);
}

void test_begin_story(void)
{
    test_story[0] = '\0';
}

static tm_mode_answer declines(tm_call *call, void *state)
{
    test_tell("%s:%s ", (char *)state, tm_op_name(tm_call_op(call)));
    return TM_MODE_DECLINE;
}

static tm_mode_answer passes_on(tm_call *call, void *state)
{
    test_tell("%s(%s ", (char *)state, tm_op_name(tm_call_op(call)));
    tm_status status = tm_mode_pass_on(call);
    test_tell(") ");
    return status == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static void destroyed(void *state)
{
    test_tell("~%s ", (char *)state);
}

const tm_mode_def test_decliner = {.struct_size = sizeof(tm_mode_def),
                                   .name = "decliner",
                                   .handle = declines,
                                   .destroy = destroyed};
const tm_mode_def test_passer = {
    .struct_size = sizeof(tm_mode_def), .name = "passer", .handle = passes_on};

tm_mode *test_push_mode(const tm_mode_def *def, const char *name)
{
    tm_mode *mode = tm_mode_push(def, (void *)(uintptr_t)name);
    ck_assert_msg(mode != NULL, "%s", tm_error_message());
    return mode;
}

tm_mode *test_push_handler(tm_mode_answer (*handle)(tm_call *, void *), void *state)
{
    static tm_mode_def defs[8];
    static int used;
    tm_mode_def *def = &defs[used++ % COUNT(defs)];
    *def = (tm_mode_def){.struct_size = sizeof *def, .name = "handler", .handle = handle};
    tm_mode *mode = tm_mode_push(def, state);
    ck_assert_msg(mode != NULL, "%s", tm_error_message());
    return mode;
}

tm_mode_answer test_answers_99(tm_call *call, void *state)
{
    (void)state;
    const tm_spec *spec = tm_output_spec(call, 0);
    tm_tensor *y = tm_new(spec->dtype, spec->ndim, spec->shape);
    for (int64_t i = 0; i < tm_numel(y); i++)
        ((float *)tm_mutable_data(y))[i] = 99;
    tm_mode_return(call, 0, y);
    return TM_MODE_HANDLED;
}

tm_tensor *test_pair(void)
{
    return F32(TM_INTS(2), 1, 2);
}
