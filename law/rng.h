/* rng.h: the checker's own generator (splitmix64), apart from the library's.
 *
 * A case is a function of its op and its seed alone: every part of it that draws numbers starts a
 * generator of its own from both, so drawing one thing more changes nothing else.
 */
#ifndef TM_LAW_RNG_H
#define TM_LAW_RNG_H

#include <transmute/base.h>

typedef struct tm_law_rng {
    uint64_t state;
} tm_law_rng;

static inline uint64_t tm_law_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/** The generator of part `part` of what `seed` stands for. */
static inline tm_law_rng tm_law_rng_at(uint64_t seed, uint64_t part)
{
    return (tm_law_rng){tm_law_mix(seed + 0x9e3779b97f4a7c15u * (part + 1))};
}

static inline uint64_t tm_law_next(tm_law_rng *rng)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return tm_law_mix(rng->state);
}

/** 0 <= result < n; 0 where n < 1. */
static inline int64_t tm_law_below(tm_law_rng *rng, int64_t n)
{
    return n < 1 ? 0 : (int64_t)(tm_law_next(rng) % (uint64_t)n);
}

/** 0 <= result < 1. */
static inline double tm_law_unit(tm_law_rng *rng)
{
    return (double)(tm_law_next(rng) >> 11) * 0x1p-53;
}

/** True in `percent` of the draws. */
static inline bool tm_law_chance(tm_law_rng *rng, int percent)
{
    return tm_law_below(rng, 100) < percent;
}

#endif
