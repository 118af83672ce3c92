/* tour_tools.c: what the parts of the tour share. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tour_parts.h"

int tour_fail(void)
{
    tm_error_print(stderr);
    return 1;
}

tm_tensor *tour_share_right(const tm_tensor *found, const tm_tensor *labels)
{
    tm_tensor *right = tm_astype(tm_eq(found, labels), TM_FLOAT32);
    return tm_mean(right, &TM_INTS(-1), false);
}

double tour_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tour_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}
