/* tour_parts.h: the parts of the tour, and the little they share. Each part prints what it finds
 * and returns 0, or 1 after it has printed the error that stopped it. */
#ifndef TM_EXAMPLES_TOUR_PARTS_H
#define TM_EXAMPLES_TOUR_PARTS_H

#include <transmute/transmute.h>

/* What is known of a digit comes from the first TRAINED images; the others are for testing it. */
enum { SIDE = 8, DIGITS = 10, TRAINED = 1000, REPEATS = 5 };

typedef struct tour_data {
    const tm_tensor *images; /* (n, 8, 8) uint8 */
    const tm_tensor *labels; /* (n,) int64 */
    bool timed;              /* not under a trace */
} tour_data;

int tour_means(const tour_data *data);  /* a mean image of each digit */
int tour_planes(const tour_data *data); /* a plane for each digit */
int tour_kernel(const tour_data *data); /* a kernel registered at run time */
int tour_refuse(const tour_data *data); /* a call that must fail */

/* Prints the thread's error; 1. */
int tour_fail(void);
/* found (..., n), labels (n,) -> the share that is right (...). */
tm_tensor *tour_share_right(const tm_tensor *found, const tm_tensor *labels);
/* Seconds since some moment. */
double tour_seconds(void);
/* Puts the values in order, and returns the one in the middle. */
double tour_median(double *values, int count);

#endif
