/* throughput_report.h: what was measured, and the ways it is shown. */
#ifndef BENCH_THROUGHPUT_REPORT_H
#define BENCH_THROUGHPUT_REPORT_H

#include "throughput.h"

enum { MAX_ROUNDS = 51, MAX_RESULTS = 4096 };

/* Who is timed: the roles, and two more ways to run ours. */
typedef enum column {
    BY_OURS,
    BY_LIMIT,
    BY_LOOP,
    BY_FUNCTORCH,
    BY_NUMPY,
    BY_ONE_THREAD, /* ours with one thread, beside ours with two */
    BY_PROCESSES,  /* ours in two processes, each with one thread and half the batch */
    COLUMNS
} column;

typedef struct timing {
    int rounds; /* 0: not timed */
    double sample[MAX_ROUNDS];
    double median, least, most; /* nanoseconds */
    char note[160];             /* why not */
} timing;

typedef struct result {
    const row *row;
    int threads;
    bool checked, wrong;
    char note[160];
    timing by[COLUMNS];
    double extra_bytes; /* beyond inputs and outputs */
} result;

typedef struct report {
    int num_results, rounds;
    result *results;
    bool has[COLUMNS];
} report;

void timing_settle(timing *t);
/* The ratio of a goal, and whether it is met. */
double goal_ratio(const report *r, const result *x, const goal *g);
bool goal_met(const report *r, const result *x, const goal *g);
const char *goal_text(const goal *g);

void print_heading(const report *r, int threads);
void print_result(const report *r, const result *x);
void print_summary(const report *r);
void write_json(const report *r, FILE *f);
void write_markdown(const report *r, FILE *f);
void write_svg(const report *r, FILE *f);

#endif
