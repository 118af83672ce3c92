/* generator.h: what a generator of random numbers is. See docs/design.md, "Random numbers". */
#ifndef TM_DISPATCH_GENERATOR_H
#define TM_DISPATCH_GENERATOR_H

#include <transmute/base.h>

/** Where the next random call on it draws. */
struct tm_generator {
    uint64_t seed;
    uint64_t count; /**< of random calls since seeding */
    bool pinned;    /**< tm_generator_at: the next call draws at `pin_count` for `pin_index` */
    uint64_t pin_count;
    int pin_levels;
    int64_t pin_index[TM_MAX_LEVELS];
};

#endif
