/* sink.h: writing a file that takes its name once it is complete, or a buffer that grows. */
#ifndef TRANSMUTE_IO_SINK_H
#define TRANSMUTE_IO_SINK_H

#include "format.h"

typedef struct tm_sink {
    int fd;         /* -1: memory */
    tm_text memory; /* what has been written, where it goes to memory */
    int64_t size;   /* bytes written */
    int error;      /* errno of what failed, 0 for none */
} tm_sink;

/** Appends; a tm_write_fn. False where that fails, then and ever after. */
bool tm_sink_write(void *sink, const void *bytes, size_t count);
/** Overwrites what was written at `at`. */
bool tm_sink_patch(tm_sink *sink, int64_t at, const void *bytes, size_t count);

/** Writes what is to stand in a sink; false where the sink refused or the record has been set. */
typedef bool (*tm_fill_fn)(tm_sink *sink, const void *content);

/** Writes a file: to a temporary one beside it that then takes its name, so that a failure leaves
 *  what was there before, and a reader never sees half a file. */
tm_status tm_write_file(const char *path, const char *function, tm_fill_fn fill,
                        const void *content);
/** Writes a block, to be given back with tm_buffer_free. NULL with the record set. */
void *tm_write_memory(size_t *size, const char *function, tm_fill_fn fill, const void *content);

#endif
