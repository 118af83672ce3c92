/* mode_support.h: what the tests of modes share: a story that modes write, one word per event, and
 * modes that write it. Their state is their name in it.
 */
#ifndef TRANSMUTE_TESTS_MODE_SUPPORT_H
#define TRANSMUTE_TESTS_MODE_SUPPORT_H

#include "support.h"

/* -- The story -------------------------------------------------------------------------------- */

/** What modes have written since the last look. */
extern char test_story[512];
void test_begin_story(void);
void test_tell(const char *format, ...) TM_PRINTF(1, 2);

/** Compares the story and begins it anew. */
#define EXPECT_STORY(text)                                                                         \
    do {                                                                                           \
        ck_assert_str_eq(test_story, text);                                                        \
        test_begin_story();                                                                        \
    } while (0)

/* -- Modes ------------------------------------------------------------------------------------ */

/** "name:op " for each call, which it declines; "~name " when it is destroyed. */
extern const tm_mode_def test_decliner;
/** "name(op " and ") " around each call, which it passes on. */
extern const tm_mode_def test_passer;
tm_mode *test_push_mode(const tm_mode_def *def, const char *name);
/** Pushes a mode named "handler" that has this function alone. */
tm_mode *test_push_handler(tm_mode_answer (*handle)(tm_call *, void *), void *state);
/** A handler: whatever the call, the result is all 99. */
tm_mode_answer test_answers_99(tm_call *call, void *state);
/** The float32 tensor [1, 2]. */
tm_tensor *test_pair(void);

#endif
