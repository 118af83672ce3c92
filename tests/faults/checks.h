/* checks.h: put in front of every file of ops/ (by -include), it counts the checks there.
 *
 * Each place where a meta or a kernel fails, and each shared check it calls, becomes a record in a
 * section of its own, so that those which no sample reaches can be listed. A check counts as
 * reached once it has failed.
 */
#ifndef TRANSMUTE_TESTS_FAULTS_CHECKS_H
#define TRANSMUTE_TESTS_FAULTS_CHECKS_H

#include <transmute/kernel.h>

typedef struct check_place {
    const char *file, *what;
    int line, failed;
} check_place;

/* The status of `expression`, which is one check; remembered where it fails. */
#define CHECK_PLACE(text, expression)                                                              \
    __extension__({                                                                                \
        static check_place place = {__FILE__, text, __LINE__, 0};                                  \
        static check_place *const listed __attribute__((section("check_places"), used)) = &place;  \
        tm_status place_status = (expression);                                                     \
        if (place_status != TM_OK)                                                                 \
            place.failed++;                                                                        \
        place_status;                                                                              \
    })

#define tm_fail(...) CHECK_PLACE("tm_fail " #__VA_ARGS__, tm_fail(__VA_ARGS__))
#define tm_fail_arg(...) CHECK_PLACE("tm_fail_arg " #__VA_ARGS__, tm_fail_arg(__VA_ARGS__))
#define tm_fail_at(...) CHECK_PLACE("tm_fail_at " #__VA_ARGS__, tm_fail_at(__VA_ARGS__))
#define tm_check_axis(...) CHECK_PLACE("tm_check_axis " #__VA_ARGS__, tm_check_axis(__VA_ARGS__))
#define tm_check_axes(...) CHECK_PLACE("tm_check_axes " #__VA_ARGS__, tm_check_axes(__VA_ARGS__))
#define tm_check_sizes(...) CHECK_PLACE("tm_check_sizes " #__VA_ARGS__, tm_check_sizes(__VA_ARGS__))
#define tm_check_rank(...) CHECK_PLACE("tm_check_rank " #__VA_ARGS__, tm_check_rank(__VA_ARGS__))
#define tm_check_kind(...) CHECK_PLACE("tm_check_kind " #__VA_ARGS__, tm_check_kind(__VA_ARGS__))
#define tm_check_broadcast(...)                                                                    \
    CHECK_PLACE("tm_check_broadcast " #__VA_ARGS__, tm_check_broadcast(__VA_ARGS__))
#define tm_elementwise_meta(...)                                                                   \
    CHECK_PLACE("tm_elementwise_meta " #__VA_ARGS__, tm_elementwise_meta(__VA_ARGS__))
#define tm_reduction_meta(...)                                                                     \
    CHECK_PLACE("tm_reduction_meta " #__VA_ARGS__, tm_reduction_meta(__VA_ARGS__))

#endif
