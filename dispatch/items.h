/* items.h: items of memory by their size alone, of any type and at any address. */
#ifndef TM_DISPATCH_ITEMS_H
#define TM_DISPATCH_ITEMS_H

#include <stdint.h>

typedef uint8_t tm_item1 __attribute__((may_alias));
typedef uint16_t tm_item2 __attribute__((may_alias, aligned(1)));
typedef uint32_t tm_item4 __attribute__((may_alias, aligned(1)));
typedef uint64_t tm_item8 __attribute__((may_alias, aligned(1)));
typedef struct tm_item16 {
    uint64_t half[2];
} __attribute__((may_alias, packed)) tm_item16;

#endif
