/* check.h: the check mode, with a say in what becomes of what it finds. */
#ifndef TM_MODES_CHECK_H
#define TM_MODES_CHECK_H

#include <transmute/modes.h>

/** tm_check_push, and each broken promise is also told to `found`. */
tm_mode *tm_check_push_telling(void (*found)(void *user, const char *op, const char *message),
                               void *user);

#endif
