/* stream.h: reading a file or a buffer: at any place (tm_bytes), or front to back (tm_stream).
 *
 * A stream is the whole of its bytes, or one member of an archive: stored or deflated, its contents
 * held against a checksum. Every failure sets the error record, naming the file and the member.
 */
#ifndef TRANSMUTE_IO_STREAM_H
#define TRANSMUTE_IO_STREAM_H

#include <transmute/error.h>

/** A regular file that is open, or memory of the caller's. */
typedef struct tm_bytes {
    const char *path; /* NULL: memory */
    const char *data; /* NULL: a file */
    int fd;           /* -1: memory */
    int64_t size;
} tm_bytes;

/** Who reads and what, for the error record. */
typedef struct tm_reading {
    const char *function, *argument;
    const tm_bytes *bytes;
    const char *member; /* of an archive, or NULL */
} tm_reading;

/** Sets the record: "'PATH': member 'MEMBER': " and the text. Returns false. */
bool tm_refuse(const tm_reading *reading, tm_status code, const char *format, ...) TM_PRINTF(3, 4);

/** Opens a file. False, with the record set, where it cannot be opened or is no regular file; close
 *  it in any case. `path` must outlive the bytes. */
bool tm_bytes_open(tm_bytes *bytes, const char *path, const char *function);
/** Stands on memory. False, with the record set, for NULL. */
bool tm_bytes_memory(tm_bytes *bytes, const void *data, size_t size, const char *function);
void tm_bytes_close(tm_bytes *bytes);
/** Reads exactly `count` bytes from `offset` on. */
bool tm_bytes_read(const tm_reading *reading, int64_t offset, void *buffer, size_t count);

struct tm_inflater;

typedef struct tm_stream {
    tm_reading reading;
    int64_t at, end;    /* the bytes not yet taken, as they are stored */
    int64_t size, left; /* of the contents: in all, not yet read */
    bool checked;       /* a checksum is kept */
    uint32_t wanted, crc;
    struct tm_inflater *inflater; /* NULL: stored */
} tm_stream;

/** How one member of an archive lies in it. */
typedef struct tm_packed {
    int64_t begin, packed_size, size;
    uint32_t crc;
    bool deflated;
} tm_packed;

/** Begins a stream of all bytes. */
tm_stream tm_stream_whole(tm_reading reading);
/** Begins a stream of one member; end it in any case. False, with the record set, on lack of
 *  memory. */
bool tm_stream_member(tm_stream *stream, tm_reading reading, const tm_packed *packed);
/** Reads exactly `count` bytes. */
bool tm_stream_read(tm_stream *stream, void *buffer, size_t count);
/** Reads what is left and holds everything against the checksum and the declared size; true at once
 *  for a stream of all bytes. */
bool tm_stream_finish(tm_stream *stream);
void tm_stream_end(tm_stream *stream);

#endif
