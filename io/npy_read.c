/* npy_read.c: reading .npy data: files, buffers, members of archives.
 *
 * The sizes that a header declares are held against those of the data before anything is allocated,
 * so a lying header costs nothing. Bytes after the last element are ignored, as NumPy does. Data in
 * Fortran order are read front to back through a small buffer, each element going to its row-major
 * place.
 */
#include <string.h>

#include <transmute/io.h>

#include "dispatch/error.h"
#include "dispatch/event.h"
#include "dispatch/memory.h"
#include "npy.h"

enum { CHUNK = 1 << 16 }; /* a multiple of every dtype's size */

/* Everything before the header's text. */
static bool read_preamble(tm_stream *stream, size_t *header_length)
{
    const tm_reading *reading = &stream->reading;
    unsigned char bytes[12] = {0};
    size_t magic = stream->size < TM_NPY_MAGIC_SIZE ? (size_t)stream->size : TM_NPY_MAGIC_SIZE;
    if (!tm_stream_read(stream, bytes, magic)) {
        return false;
    }
    if (memcmp(bytes, TM_NPY_MAGIC, TM_NPY_MAGIC_SIZE) != 0) {
        return tm_refuse(reading, TM_ERR_IO, "not a .npy file%s",
                         memcmp(bytes, "PK\x03\x04", 4) == 0
                             ? " but a zip archive (.npz), which tm_npz_open reads"
                             : "");
    }
    if (!tm_stream_read(stream, bytes + 6, 4)) {
        return false;
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return tm_refuse(reading, TM_ERR_IO, "unknown .npy version %d.%d", bytes[6], bytes[7]);
    }
    uint32_t length = (uint32_t)bytes[8] | (uint32_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        if (!tm_stream_read(stream, bytes + 10, 2)) {
            return false;
        }
        length |= (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    }
    if (length > stream->left) {
        return tm_refuse(reading, TM_ERR_IO, "it ends within its header");
    }
    if (length > TM_NPY_MAX_HEADER) {
        return tm_refuse(reading, TM_ERR_IO, "the header is too long to be one of a plain array");
    }
    *header_length = length;
    return true;
}

bool tm_npy_read_header(tm_stream *stream, tm_npy_header *header)
{
    size_t length = 0;
    if (!read_preamble(stream, &length)) {
        return false;
    }
    char text[TM_NPY_MAX_HEADER], why[160];
    if (!tm_stream_read(stream, text, length)) {
        return false;
    }
    tm_status status = tm_npy_parse(text, length, header, why, sizeof(why));
    if (status != TM_OK) {
        return tm_refuse(&stream->reading, status, "%s", why);
    }
    if (header->bytes > stream->left) {
        char shape[TM_MAX_NDIM * 24];
        tm_format_shape(shape, sizeof(shape), header->ndim, header->shape);
        return tm_refuse(&stream->reading, TM_ERR_IO,
                         "truncated: shape %s of %s needs %lld bytes, there are %lld", shape,
                         tm_dtype_name(header->dtype), (long long)header->bytes,
                         (long long)stream->left);
    }
    return true;
}

/* What the elements go through once they are in memory. */
static void to_native(const tm_npy_header *header, char *data, size_t bytes)
{
    if (header->swapped) {
        tm_npy_swap(header->dtype, data, bytes);
    }
    if (header->dtype == TM_BOOL) {
        for (size_t i = 0; i < bytes; i++) { /* C knows no other bool than 0 and 1 */
            data[i] = data[i] != 0;
        }
    }
}

static bool read_fortran(tm_stream *stream, const tm_npy_header *header, char *out)
{
    size_t item = tm_dtype_size(header->dtype);
    int64_t index[TM_MAX_NDIM] = {0}, stride[TM_MAX_NDIM];
    int64_t step = (int64_t)item;
    for (int d = header->ndim; d-- > 0;) {
        stride[d] = step;
        step *= header->shape[d];
    }
    char *chunk = tm_alloc(CHUNK);
    if (chunk == NULL) {
        tm_error_memory(stream->reading.function, CHUNK);
        return false;
    }
    bool good = true;
    for (int64_t left = header->bytes; good && left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        good = tm_stream_read(stream, chunk, count);
        if (!good) {
            break;
        }
        left -= (int64_t)count;
        to_native(header, chunk, count);
        for (const char *from = chunk; from < chunk + count; from += item) {
            memcpy(out, from, item);
            /* The next element in the file's order: count up from the first dimension. */
            for (int d = 0; d < header->ndim; d++) {
                out += stride[d];
                if (++index[d] < header->shape[d]) {
                    break;
                }
                out -= stride[d] * index[d];
                index[d] = 0;
            }
        }
    }
    tm_free(chunk, CHUNK);
    return good;
}

static bool read_elements(tm_stream *stream, const tm_npy_header *header, tm_tensor *x)
{
    if (header->bytes == 0) {
        return true;
    }
    char *data = tm_mutable_data(x);
    if (data == NULL) {
        return false;
    }
    if (header->fortran && header->ndim > 1) {
        return read_fortran(stream, header, data);
    }
    if (!tm_stream_read(stream, data, (size_t)header->bytes)) {
        return false;
    }
    to_native(header, data, (size_t)header->bytes);
    return true;
}

tm_tensor *tm_npy_read(tm_stream *stream)
{
    tm_npy_header header;
    if (!tm_npy_read_header(stream, &header)) {
        return NULL;
    }
    /* A scope of its own, so that a tensor that could not be filled goes with it. */
    tm_scope *scope = tm_scope_push();
    if (scope == NULL) {
        return NULL;
    }
    tm_tensor *x = tm_new(header.dtype, header.ndim, header.shape), *result = NULL;
    if (x != NULL && read_elements(stream, &header, x) && tm_stream_finish(stream)) {
        result = tm_keep(x);
    }
    tm_scope_pop(scope);
    return result;
}

static tm_tensor *load(tm_bytes *bytes, const char *function, const char *argument)
{
    tm_stream stream =
        tm_stream_whole((tm_reading){.function = function, .argument = argument, .bytes = bytes});
    return tm_npy_read(&stream);
}

tm_tensor *tm_npy_load(const char *path)
{
    tm_bytes bytes;
    tm_tensor *result =
        tm_bytes_open(&bytes, path, "npy_load") ? load(&bytes, "npy_load", "path") : NULL;
    tm_bytes_close(&bytes);
    tm_thread *thread = tm_thread_get();
    if (result && tm_modes_listen(thread)) {
        const tm_event_arg arg = {"path", TM_TYPE_STR, false, {.str = path}};
        tm_modes_tell(thread, "load", 1, &arg, result);
    }
    return result;
}

tm_tensor *tm_npy_load_memory(const void *data, size_t size)
{
    tm_bytes bytes;
    return tm_bytes_memory(&bytes, data, size, "npy_load_memory")
               ? load(&bytes, "npy_load_memory", "data")
               : NULL;
}
