/* sized.h: blocks that know their size, for owners that are given the address alone. */
#ifndef TRANSMUTE_IO_SIZED_H
#define TRANSMUTE_IO_SIZED_H

#include <stddef.h>

/** `size` bytes from the library's allocator, aligned as malloc's; NULL on lack of memory, without
 *  a record. */
void *tm_sized_alloc(size_t size);
/** Gives a block back; NULL is a no-op. */
void tm_sized_free(void *memory);

#endif
