/* stream.c: reading front to back, through inflate and a checksum where the bytes are an archive's.
 *
 * A member's contents are never longer than it was declared to be, so what is allocated for it can
 * be held against that; a stream that holds more, less or other bytes is refused at the latest when
 * it is finished.
 */
#include "stream.h"

#include <string.h>

#include "dispatch/error.h"
#include "zlib_memory.h"

typedef struct tm_inflater {
    z_stream z;
    bool ended;
    unsigned char input[1 << 16];
} tm_inflater;

tm_stream tm_stream_whole(tm_reading reading)
{
    int64_t size = reading.bytes->size;
    return (tm_stream){.reading = reading, .end = size, .size = size, .left = size};
}

bool tm_stream_member(tm_stream *stream, tm_reading reading, const tm_packed *packed)
{
    *stream = (tm_stream){.reading = reading,
                          .at = packed->begin,
                          .end = packed->begin + packed->packed_size,
                          .size = packed->size,
                          .left = packed->size,
                          .checked = true,
                          .wanted = packed->crc};
    if (!packed->deflated) {
        return true;
    }
    tm_inflater *inflater = tm_sized_alloc(sizeof(*inflater));
    if (inflater != NULL) {
        inflater->z = (z_stream){.zalloc = tm_zlib_alloc, .zfree = tm_zlib_free};
        inflater->ended = false;
        if (inflateInit2(&inflater->z, TM_ZLIB_RAW) == Z_OK) {
            stream->inflater = inflater;
            return true;
        }
    }
    tm_sized_free(inflater);
    tm_error_memory(reading.function, (int64_t)sizeof(*inflater));
    return false;
}

void tm_stream_end(tm_stream *stream)
{
    if (stream->inflater != NULL) {
        inflateEnd(&stream->inflater->z);
        tm_sized_free(stream->inflater);
        stream->inflater = NULL;
    }
}

static bool take(tm_stream *stream, void *buffer, size_t count)
{
    if (count > (size_t)(stream->end - stream->at)) {
        return tm_refuse(&stream->reading, TM_ERR_IO, "ends too early");
    }
    if (!tm_bytes_read(&stream->reading, stream->at, buffer, count)) {
        return false;
    }
    stream->at += (int64_t)count;
    return true;
}

/* Inflates up to `count` bytes; fewer only where the deflated data end. */
static bool inflate_some(tm_stream *stream, void *buffer, size_t count, size_t *got)
{
    tm_inflater *inflater = stream->inflater;
    z_stream *z = &inflater->z;
    z->next_out = buffer;
    z->avail_out = (unsigned)count;
    while (z->avail_out > 0 && !inflater->ended) {
        if (z->avail_in == 0 && stream->at < stream->end) {
            int64_t left = stream->end - stream->at;
            size_t next = sizeof(inflater->input);
            next = left < (int64_t)next ? (size_t)left : next;
            if (!take(stream, inflater->input, next)) {
                return false;
            }
            z->next_in = inflater->input;
            z->avail_in = (unsigned)next;
        }
        int code = inflate(z, Z_NO_FLUSH);
        if (code == Z_MEM_ERROR) {
            tm_error_memory(stream->reading.function, (int64_t)(1 << MAX_WBITS));
            return false;
        }
        if (code != Z_OK && code != Z_STREAM_END) {
            return tm_refuse(&stream->reading, TM_ERR_IO, "the deflated data are %s",
                             code == Z_BUF_ERROR ? "cut short" : "corrupt");
        }
        inflater->ended = code == Z_STREAM_END;
    }
    *got = count - z->avail_out;
    return true;
}

static bool read_piece(tm_stream *stream, void *buffer, size_t count)
{
    if (stream->inflater == NULL) {
        if (!take(stream, buffer, count)) {
            return false;
        }
    } else {
        size_t got = 0;
        if (!inflate_some(stream, buffer, count, &got)) {
            return false;
        }
        if (got < count) {
            return tm_refuse(&stream->reading, TM_ERR_IO,
                             "the deflated data are shorter than declared");
        }
    }
    if (stream->checked) {
        stream->crc = tm_zlib_crc(stream->crc, buffer, count);
    }
    stream->left -= (int64_t)count;
    return true;
}

bool tm_stream_read(tm_stream *stream, void *buffer, size_t count)
{
    if (count > (size_t)stream->left) {
        return tm_refuse(&stream->reading, TM_ERR_IO, "ends too early");
    }
    for (char *out = buffer; count > 0;) {
        size_t piece = count < TM_ZLIB_MOST ? count : TM_ZLIB_MOST;
        if (!read_piece(stream, out, piece)) {
            return false;
        }
        out += piece;
        count -= piece;
    }
    return true;
}

bool tm_stream_finish(tm_stream *stream)
{
    if (!stream->checked) {
        return true;
    }
    unsigned char rest[4096];
    while (stream->left > 0) {
        size_t count = stream->left < (int64_t)sizeof(rest) ? (size_t)stream->left : sizeof(rest);
        if (!tm_stream_read(stream, rest, count)) {
            return false;
        }
    }
    if (stream->inflater != NULL) {
        size_t more = 0;
        if (!inflate_some(stream, rest, 1, &more)) {
            return false;
        }
        if (more > 0) {
            return tm_refuse(&stream->reading, TM_ERR_IO,
                             "the deflated data are longer than declared");
        }
        if (stream->inflater->z.avail_in > 0 || stream->at < stream->end) {
            return tm_refuse(&stream->reading, TM_ERR_IO, "bytes follow the deflated data");
        }
    }
    if (stream->crc != stream->wanted) {
        return tm_refuse(&stream->reading, TM_ERR_IO,
                         "the checksum is %08x, not %08x as declared: the data are corrupt",
                         (unsigned)stream->crc, (unsigned)stream->wanted);
    }
    return true;
}
