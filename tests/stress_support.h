/* stress_support.h: what the threads of test_stress.c are, and the steps that touch nothing shared.
 */
#ifndef TRANSMUTE_TESTS_STRESS_SUPPORT_H
#define TRANSMUTE_TESTS_STRESS_SUPPORT_H

#include "support.h"

typedef struct worker {
    int id;
    uint64_t random;
    char broken[400];  /* what did not hold, "" for nothing: asserting is the main thread's */
    char program[600]; /* what its first trace wrote */
} worker;

typedef bool (*step)(worker *w);

/* What must hold in a step; Check's own assertions are for the main thread. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return test_broken(w, __LINE__, #condition);                                           \
    } while (0)

/** Notes what did not hold; false. */
bool test_broken(worker *w, int line, const char *what);
/** A number below `below`, from the thread's own sequence. */
uint64_t test_draw(worker *w, uint64_t below);

/** A float32 tensor whose element i is first + i, small whole numbers. */
tm_tensor *test_count_from(int64_t first, tm_int_list shape);
/** Whether the elements of x are scale * (first + i). */
bool test_counts(const tm_tensor *x, double scale, int64_t first);

/* Steps of a thread on its own stack. */
bool test_nested_levels(worker *w);
bool test_promotion(worker *w);
bool test_errors(worker *w);
bool test_modes(worker *w);
bool test_traces(worker *w);
bool test_scopes_and_random_numbers(worker *w);

#endif
