/* null_support.h: what a function given NULL or a value out of range is held to. */
#ifndef TRANSMUTE_TESTS_NULL_SUPPORT_H
#define TRANSMUTE_TESTS_NULL_SUPPORT_H

#include <string.h>

#include "support.h"

/* The expression has this value and leaves an error of any code with a message. */
#define GIVES(expression, value)                                                                   \
    do {                                                                                           \
        tm_error_clear();                                                                          \
        ck_assert_msg((expression) == (value), "%s has another value", #expression);               \
        ck_assert_msg(tm_error_code() != TM_OK, "%s leaves no error", #expression);                \
        ck_assert_msg(strlen(tm_error_get()->message) > 5, "%s says too little", #expression);     \
        ck_assert_msg(strlen(tm_error_get()->op) > 0, "%s names no function", #expression);        \
        tm_error_clear();                                                                          \
    } while (0)
/* The expression, a status, is a failure and leaves it. */
#define FAILS(expression)                                                                          \
    do {                                                                                           \
        tm_error_clear();                                                                          \
        tm_status status_ = (expression);                                                          \
        ck_assert_msg(status_ != TM_OK, "%s succeeds", #expression);                               \
        ck_assert_msg(tm_error_code() == status_, "%s leaves %s, returns %s", #expression,         \
                      tm_status_name(tm_error_code()), tm_status_name(status_));                   \
        tm_error_clear();                                                                          \
    } while (0)
/* The expression may be evaluated: it crashes nothing, whatever it says. */
#define SURVIVES(expression)                                                                       \
    do {                                                                                           \
        expression;                                                                                \
        tm_error_clear();                                                                          \
    } while (0)

#endif
