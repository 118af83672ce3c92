/* zlib_memory.h: zlib with the library's allocator. */
#ifndef TRANSMUTE_IO_ZLIB_MEMORY_H
#define TRANSMUTE_IO_ZLIB_MEMORY_H

#include <zlib.h>

#include "sized.h"

static inline void *tm_zlib_alloc(void *user, unsigned count, unsigned size)
{
    (void)user;
    return tm_sized_alloc((size_t)count * size);
}

static inline void tm_zlib_free(void *user, void *memory)
{
    (void)user;
    tm_sized_free(memory);
}

/** The window that an archive's members are deflated with: raw, without zlib's own header. */
#define TM_ZLIB_RAW (-MAX_WBITS)
/** zlib counts in unsigned int: the most bytes it is given at a time. */
#define TM_ZLIB_MOST ((size_t)1 << 30)

/** zlib's checksum over any number of bytes. */
static inline uint32_t tm_zlib_crc(uint32_t crc, const void *data, size_t count)
{
    return (uint32_t)crc32_z(crc, data, count);
}

#endif
