/* npy_read.c: reading .npy files.
 *
 * The sizes that a header declares are held against the file's own before anything is allocated, so
 * a lying header costs nothing. Bytes after the last element are ignored, as NumPy does. A file in
 * Fortran order is read front to back through a small buffer, each element going to its row-major
 * place.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <transmute/io.h>

#include "dispatch/error.h"
#include "dispatch/memory.h"
#include "npy.h"

enum { CHUNK = 1 << 16 }; /* a multiple of every dtype's size */

typedef struct reader {
    const char *path;
    int fd;
    int64_t size; /* of the file */
    int64_t data; /* where the elements begin */
    tm_npy_header header;
} reader;

/* Sets the record; `why` is what the path is followed by. */
static bool refuse(const reader *r, tm_status code, const char *why)
{
    tm_error_set(code, "npy_load", "path", "'%s': %s", r->path, why);
    return false;
}

static bool read_exactly(const reader *r, void *buffer, size_t count)
{
    for (char *out = buffer; count > 0;) {
        ssize_t got = read(r->fd, out, count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return refuse(r, TM_ERR_IO, got < 0 ? strerror(errno) : "the file ends too early");
        }
        out += got;
        count -= (size_t)got;
    }
    return true;
}

static bool open_file(reader *r)
{
    /* Not to block on a pipe: it is refused below, its size being unknown. */
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (r->fd < 0 || fstat(r->fd, &status) != 0) {
        return refuse(r, TM_ERR_IO, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return refuse(r, TM_ERR_IO, "not a regular file");
    }
    r->size = status.st_size;
    return true;
}

/* Everything before the header's text. */
static bool read_preamble(reader *r, size_t *header_length)
{
    unsigned char bytes[12] = {0};
    size_t magic = r->size < TM_NPY_MAGIC_SIZE ? (size_t)r->size : TM_NPY_MAGIC_SIZE;
    if (!read_exactly(r, bytes, magic)) {
        return false;
    }
    if (memcmp(bytes, TM_NPY_MAGIC, TM_NPY_MAGIC_SIZE) != 0) {
        return refuse(r, TM_ERR_IO,
                      memcmp(bytes, "PK\x03\x04", 4) == 0
                          ? "not a .npy file but a zip archive (.npz), which is not supported"
                          : "not a .npy file");
    }
    if (!read_exactly(r, bytes + 6, 4)) {
        return false;
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        tm_error_set(TM_ERR_IO, "npy_load", "path", "'%s': unknown .npy version %d.%d", r->path,
                     bytes[6], bytes[7]);
        return false;
    }
    r->data = 10;
    uint32_t length = (uint32_t)bytes[8] | (uint32_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        if (!read_exactly(r, bytes + 10, 2)) {
            return false;
        }
        r->data = 12;
        length |= (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    }
    if (length > r->size - r->data) {
        return refuse(r, TM_ERR_IO, "the file ends within its header");
    }
    if (length > TM_NPY_MAX_HEADER) {
        return refuse(r, TM_ERR_IO, "the header is too long to be one of a plain array");
    }
    r->data += length;
    *header_length = length;
    return true;
}

static bool read_header(reader *r)
{
    size_t length;
    if (!read_preamble(r, &length)) {
        return false;
    }
    char text[TM_NPY_MAX_HEADER], why[160];
    if (!read_exactly(r, text, length)) {
        return false;
    }
    tm_status status = tm_npy_parse(text, length, &r->header, why, sizeof(why));
    if (status != TM_OK) {
        return refuse(r, status, why);
    }
    if (r->header.bytes > r->size - r->data) {
        char shape[TM_MAX_NDIM * 24];
        tm_format_shape(shape, sizeof(shape), r->header.ndim, r->header.shape);
        tm_error_set(TM_ERR_IO, "npy_load", "path",
                     "'%s': truncated: shape %s of %s needs %lld bytes, the file has %lld", r->path,
                     shape, tm_dtype_name(r->header.dtype), (long long)r->header.bytes,
                     (long long)(r->size - r->data));
        return false;
    }
    return true;
}

/* What the elements of a file go through once they are in memory. */
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

static bool read_fortran(const reader *r, char *out)
{
    const tm_npy_header *header = &r->header;
    size_t item = tm_dtype_size(header->dtype);
    int64_t index[TM_MAX_NDIM] = {0}, stride[TM_MAX_NDIM];
    int64_t step = (int64_t)item;
    for (int d = header->ndim; d-- > 0;) {
        stride[d] = step;
        step *= header->shape[d];
    }
    char *chunk = tm_alloc(CHUNK);
    if (chunk == NULL) {
        tm_error_memory("npy_load", CHUNK);
        return false;
    }
    bool good = true;
    for (int64_t left = header->bytes; good && left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        good = read_exactly(r, chunk, count);
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

static bool read_elements(const reader *r, tm_tensor *x)
{
    const tm_npy_header *header = &r->header;
    if (header->bytes == 0) {
        return true;
    }
    char *data = tm_mutable_data(x);
    if (data == NULL) {
        return false;
    }
    if (header->fortran && header->ndim > 1) {
        return read_fortran(r, data);
    }
    if (!read_exactly(r, data, (size_t)header->bytes)) {
        return false;
    }
    to_native(header, data, (size_t)header->bytes);
    return true;
}

tm_tensor *tm_npy_load(const char *path)
{
    if (path == NULL) {
        tm_error_set(TM_ERR_USAGE, "npy_load", "path", "path is NULL");
        return NULL;
    }
    reader r = {.path = path, .fd = -1};
    tm_tensor *result = NULL;
    if (open_file(&r) && read_header(&r)) {
        /* A scope of its own, so that a tensor that could not be filled goes with it. */
        tm_scope *scope = tm_scope_push();
        tm_tensor *x = scope == NULL ? NULL : tm_new(r.header.dtype, r.header.ndim, r.header.shape);
        if (x != NULL && read_elements(&r, x)) {
            result = tm_keep(x);
        }
        if (scope != NULL) {
            tm_scope_pop(scope);
        }
    }
    if (r.fd >= 0) {
        close(r.fd);
    }
    return result;
}
