/* throughput.h: the throughput benchmark: rows of work, and the contestants that run them.
 *
 * To add a row: an entry in throughput_rows.c. It names the op as the peers know it, the inputs of
 * one example, the batch, a function of one example that makes the public call, and what it is
 * measured against: a limit (limits.c), a loop over library calls (loops.c), peers. Where the limit
 * is only a stream of bytes, `bare` gives values to hold ours against.
 *
 * Every contestant is a process of its own, so that thread pools do not meet, and is stopped while
 * another is timed. All speak one protocol of lines, over pipes, and see one piece of shared
 * memory, the arena: inputs are written there by the coordinator, outputs, as float32 in row-major
 * order with the batch in front, by the contestant that is asked for them.
 *
 *   open ROW THREADS PARTS OP ARG INPUTS { f|i|c BATCH_AXIS NDIM SIZES... }   ok | no REASON
 *   check                                                              ok COUNT | no REASON
 *   time REPEATS                                        ok NANOSECONDS of all repeats
 *   memory                 (ours alone)                 ok BYTES beyond inputs and outputs
 */
#ifndef BENCH_THROUGHPUT_H
#define BENCH_THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <transmute/transmute.h>

#include "limits.h"

enum { MAX_INPUTS = 3, MAX_SIZES = 6, MAX_LEVELS = 6 };

/* Where the batch dimension lies among those of an input of two or more; of one: in front or last.
 */
typedef enum place { FIRST, MIDDLE, LAST } place;

typedef enum fill {
    UNIFORM,  /* in (-1, 1) */
    SPD,      /* symmetric, positive definite */
    DOMINANT, /* far from singular, pivots off the diagonal */
    INDICES,  /* int64, below the last size of the first input */
    COMPLEX   /* complex64 */
} fill;

typedef struct input {
    int ndim; /* of one example; -1: no such input */
    int64_t sizes[MAX_SIZES];
    fill fill;
    bool shared; /* one for the whole batch */
} input;

typedef enum goal_kind {
    GOAL_NONE,
    GOAL_LIMIT,     /* limit's time over ours, at least */
    GOAL_LOOP,      /* the loop's time over ours, at least */
    GOAL_FUNCTORCH, /* functorch's time over ours, at least */
    GOAL_NUMPY,
    GOAL_GROWTH /* ours over the limit, at most this times the same at the first row of the group */
} goal_kind;

typedef struct row row;

typedef struct goal {
    goal_kind kind;
    double value;
} goal;

enum row_flags {
    MAIN = 1,    /* also with --quick */
    CHUNKED = 2, /* tm_vmap with chunk TM_CHUNK_AUTO */
    COMPUTE = 4, /* bound by arithmetic: two threads are held against two processes */
    SMALL = 8,   /* in cache: two threads may not be slower than one */
    SIZES = 16,  /* compare the outputs' sizes (signs are free) */
    NO_PEERS = 32,
    CHART = 64 /* shown in the chart, as the main rows are */
};

/* The outputs of one example as float32, from its inputs in row-major order; returns how many. The
 * plainest code there is: ours is held against it before it is timed. */
typedef int64_t bare_fn(const row *r, const void *const *in, float *out);

struct row {
    const char *group, *name, *op;
    int arg;
    input in[MAX_INPUTS];
    int64_t batch;
    place place;
    tm_mapped_fn ours; /* user: const row * */
    limit_id limit;
    const char *limit_name;
    limit_fn *loop;
    const char *loop_name;
    bare_fn *bare;
    goal goal, also; /* `also` may name a second one */
    int flags;
    double tolerance;
    int levels; /* 0: one */
    int64_t level_sizes[MAX_LEVELS];
};

extern const row throughput_rows[];
extern const int throughput_num_rows;

int row_num_inputs(const row *r);
/* The physical sizes of input k; returns their number. *axis: the batch's place, -1 where shared.
 */
int row_input_sizes(const row *r, int k, int64_t *sizes, int *axis);
int64_t row_input_count(const row *r, int k);
size_t row_input_bytes(const row *r, int k);
/* The address of input k in the arena. */
void *row_input_in(const row *r, int k, char *arena);

/* Where outputs begin in the arena, and its size. */
#define ARENA_OUT ((size_t)2 << 30)
#define ARENA_SIZE ((size_t)4 << 30)

typedef enum role { OURS, LIMIT, LOOP, FUNCTORCH, NUMPY } role;

/* The process of a contestant that is part of this program: answers lines until its input ends. */
void serve(role as, FILE *in, FILE *out, char *arena);

double now(void); /* nanoseconds */

#endif
