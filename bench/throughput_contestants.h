/* throughput_contestants.h: the processes that are timed, and what the coordinator asks of them. */
#ifndef BENCH_THROUGHPUT_CONTESTANTS_H
#define BENCH_THROUGHPUT_CONTESTANTS_H

#include <sys/types.h>

#include "throughput_report.h"

typedef struct process {
    pid_t pid; /* 0: none */
    FILE *to, *from;
} process;

typedef struct contestant {
    process processes[2];
    role role;
    int threads, parts, num_processes;
} contestant;

/* The memory that all see: ARENA_SIZE bytes. False, with errno set, where there is none. */
extern char *arena;
bool open_arena(void);

/* One contestant for each column of the report; its `has` says which are here. */
void start_all(contestant *all, int threads, bool peers, report *r);
void stop_all(contestant *all);

/* Asks every process and takes the greatest number of the answers "ok N"; -1 and a note else. All
 * are stopped afterwards, so that no thread of theirs spins beside the next contestant. */
double ask_all(contestant *c, const char *line, char *note, size_t size);
bool open_row(contestant *c, int number, char *note, size_t size);
/* Nanoseconds of one run, the mean of `repeats`; -1 and a note where it failed. */
double time_once(contestant *c, int64_t repeats, char *note, size_t size);

#endif
