/* numbers.h: small functions of sizes and steps. */
#ifndef TM_DISPATCH_NUMBERS_H
#define TM_DISPATCH_NUMBERS_H

#include <stdint.h>

/** |v|; v is a step, never INT64_MIN. */
static inline int64_t tm_magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}

/** The smaller one. */
static inline int64_t tm_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
