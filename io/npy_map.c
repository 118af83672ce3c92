/* npy_map.c: .npy files in place: the elements are the file's own pages.
 *
 * The mapping is private and read-only, and is undone when the last handle is gone. What cannot be
 * taken as it lies (another byte order, misaligned elements, booleans that are neither 0 nor 1) is
 * refused: a copy is tm_npy_load's to make.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <transmute/io.h>

#include "dispatch/handle.h"
#include "npy.h"
#include "sized.h"

typedef struct mapping {
    void *base;
    size_t length;
} mapping;

static void unmap(void *user)
{
    mapping *m = user;
    munmap(m->base, m->length);
    tm_sized_free(m);
}

static void column_major(const tm_npy_header *header, int64_t *strides)
{
    int64_t step = 1;
    for (int d = 0; d < header->ndim; d++) {
        strides[d] = step;
        step *= header->shape[d] > 0 ? header->shape[d] : 1;
    }
}

/* Whether the elements, which begin at `offset`, can be used where they lie. */
static bool check_layout(const tm_reading *reading, const tm_npy_header *header, int64_t offset)
{
    size_t part = tm_dtype_size(header->dtype);
    part = tm_dtype_kind(header->dtype) == TM_KIND_COMPLEX ? part / 2 : part;
    if (header->swapped && part > 1) {
        return tm_refuse(reading, TM_ERR_IO,
                         "the elements' byte order is not the machine's: they cannot be mapped, "
                         "only loaded");
    }
    if (offset % (int64_t)part != 0) {
        return tm_refuse(reading, TM_ERR_IO,
                         "the elements begin at byte %lld, which %s cannot: they cannot be mapped, "
                         "only loaded",
                         (long long)offset, tm_dtype_name(header->dtype));
    }
    return true;
}

static bool check_bools(const tm_reading *reading, const tm_npy_header *header, const char *data)
{
    for (int64_t i = 0; header->dtype == TM_BOOL && i < header->bytes; i++) {
        if ((data[i] & ~1) != 0) {
            return tm_refuse(reading, TM_ERR_IO,
                             "a bool is neither 0 nor 1: they cannot be mapped, only loaded");
        }
    }
    return true;
}

static tm_tensor *map(tm_stream *stream)
{
    const tm_reading *reading = &stream->reading;
    tm_npy_header header;
    if (!tm_npy_read_header(stream, &header) || !check_layout(reading, &header, stream->at)) {
        return NULL;
    }
    mapping *m = tm_sized_alloc(sizeof(*m));
    if (m == NULL) {
        tm_error_memory(reading->function, (int64_t)sizeof(*m));
        return NULL;
    }
    m->length = (size_t)(stream->at + header.bytes);
    m->base = mmap(NULL, m->length, PROT_READ, MAP_PRIVATE, reading->bytes->fd, 0);
    if (m->base == MAP_FAILED) {
        tm_refuse(reading, TM_ERR_IO, "%s", strerror(errno));
        tm_sized_free(m);
        return NULL;
    }
    int64_t strides[TM_MAX_NDIM];
    column_major(&header, strides);
    char *data = (char *)m->base + stream->at;
    tm_wrap_options options = {
        .struct_size = sizeof(options), .read_only = true, .deleter = unmap, .user = m};
    tm_tensor *x = NULL;
    if (check_bools(reading, &header, data)) {
        x = tm_handle_wrap(reading->function, header.dtype, header.ndim, header.shape,
                           header.fortran ? strides : NULL, data, &options);
    }
    if (x == NULL) {
        unmap(m);
    }
    return x;
}

tm_tensor *tm_npy_map(const char *path)
{
    tm_bytes bytes;
    tm_tensor *result = NULL;
    if (tm_bytes_open(&bytes, path, "npy_map")) {
        tm_stream stream = tm_stream_whole(
            (tm_reading){.function = "npy_map", .argument = "path", .bytes = &bytes});
        result = map(&stream);
    }
    tm_bytes_close(&bytes);
    return result;
}
