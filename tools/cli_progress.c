/* cli_progress.c: a sign of life during a long call: its name and the seconds so far, on standard
 * error where that is a terminal, from the second second on. It is gone when the call is done.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { QUIET_SECONDS = 2 };

struct tm_cli_progress {
    const char *name;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
    struct timespec start;
};

/* Waits until so many seconds after the start; true where the call was done before. */
static bool wait_until(tm_cli_progress *progress, int seconds)
{
    struct timespec until = progress->start;
    until.tv_sec += seconds;
    int late = 0;
    while (!progress->is_done && !late)
        late = pthread_cond_timedwait(&progress->done, &progress->lock, &until);
    return progress->is_done;
}

static void *show(void *state)
{
    tm_cli_progress *progress = state;
    pthread_mutex_lock(&progress->lock);
    bool shown = false;
    for (int seconds = QUIET_SECONDS; !wait_until(progress, seconds); seconds++) {
        fprintf(stderr, "\r%s: %d s", progress->name, seconds);
        fflush(stderr);
        shown = true;
    }
    if (shown)
        fputs("\r\033[K", stderr); /* to the line's start, erase it */
    fflush(stderr);
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

tm_cli_progress *tm_cli_progress_begin(tm_cli_memory *memory, const char *name)
{
    if (!isatty(STDERR_FILENO))
        return NULL;
    tm_cli_progress *progress = tm_cli_alloc(memory, 1, sizeof *progress);
    progress->name = name;
    pthread_condattr_t monotonic;
    if (clock_gettime(CLOCK_MONOTONIC, &progress->start) != 0 ||
        pthread_condattr_init(&monotonic) != 0)
        return NULL;
    bool ready = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                 pthread_cond_init(&progress->done, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    if (!ready)
        return NULL;
    pthread_mutex_init(&progress->lock, NULL);
    if (pthread_create(&progress->thread, NULL, show, progress) == 0)
        return progress;
    pthread_mutex_destroy(&progress->lock);
    pthread_cond_destroy(&progress->done);
    return NULL;
}

void tm_cli_progress_end(tm_cli_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->is_done = true;
    pthread_cond_signal(&progress->done);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_mutex_destroy(&progress->lock);
    pthread_cond_destroy(&progress->done);
}
