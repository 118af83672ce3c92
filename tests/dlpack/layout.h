/* layout.h: what two translation units must agree on to pass each other DLPack structs. */
#ifndef TRANSMUTE_TESTS_DLPACK_LAYOUT_H
#define TRANSMUTE_TESTS_DLPACK_LAYOUT_H

#include <stddef.h>

#define LAYOUT_MAX 64

/** Sizes, offsets and constants of the structs, ended by 0. */
typedef struct layout {
    size_t fact[LAYOUT_MAX];
} layout;

/** As the official header declares them, which came before transmute's. */
extern const layout official_layout;
/** As transmute's header declares them, which came before the official one. */
extern const layout own_layout;

#endif
