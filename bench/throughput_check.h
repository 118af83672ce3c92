/* throughput_check.h: a row's inputs, and its answers held against each other. */
#ifndef BENCH_THROUGHPUT_CHECK_H
#define BENCH_THROUGHPUT_CHECK_H

#include "throughput_contestants.h"

/* Input k's elements, into the arena. */
void fill_input(const row *r, int k);

/* Keeps our answer for the others to be held against, once it agrees with the bare code of the row,
 * where it has one. */
bool take_ours(result *x, contestant *c);

/* A contestant's answer against ours; one that has none to show is let through. A peer may differ
 * in one number of 10,000: equal elements need not keep their order there. */
bool check_against_ours(result *x, contestant *c, timing *t);

#endif
