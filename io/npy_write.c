/* npy_write.c: writing .npy data: to files, to memory, to members of archives.
 *
 * The bytes are those that numpy.save writes: version 1, C order, little-endian, the header filled
 * up with spaces to a multiple of 64.
 */
#include <inttypes.h>
#include <string.h>

#include <transmute/io.h>

#include "dispatch/error.h"
#include "dispatch/event.h"
#include "dispatch/handle.h"
#include "dispatch/thread.h"
#include "npy.h"
#include "save.h"
#include "sink.h"

enum { CHUNK = 1 << 14, HEADER = 1152 };

/* Everything before the elements; returns its length. */
static size_t format_header(char header[HEADER], const tm_tensor *x)
{
    memcpy(header, TM_NPY_MAGIC "\x01\x00", TM_NPY_MAGIC_SIZE + 2); /* version 1.0 */
    char shape[TM_MAX_NDIM * 24]; /* 32 sizes of 20 characters fit */
    tm_dtype dtype = tm_dtype_of(x);
    int ndim = tm_ndim(x);
    tm_format_shape(shape, sizeof(shape), ndim, tm_shape(x));
    char order = tm_dtype_size(dtype) == 1 ? '|' : '<';
    int length = snprintf(header + 10, HEADER - 10,
                          "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }", order,
                          tm_npy_descr(dtype), shape);
    if (ndim > 0) {
        /* NumPy leaves room for the first size to grow to 21 digits in place. */
        char digits[24];
        int grow = 21 - snprintf(digits, sizeof(digits), "%" PRId64, tm_shape(x)[0]);
        memset(header + 10 + length, ' ', (size_t)grow);
        length += grow;
    }
    int fill = 64 - (10 + length + 1) % 64;
    memset(header + 10 + length, ' ', (size_t)fill);
    length += fill;
    header[10 + length++] = '\n';
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    return (size_t)length + 10;
}

/* Writes the elements in row-major order, wherever they lie. */
static bool write_gathered(const tm_tensor *x, const char *data, tm_write_fn write, void *to)
{
    char chunk[CHUNK];
    int64_t numel = tm_numel(x);
    size_t item = tm_dtype_size(tm_dtype_of(x)), used = 0;
    int64_t index[TM_MAX_NDIM] = {0};
    const int64_t *shape = tm_shape(x), *strides = tm_strides(x);
    for (int64_t i = 0; i < numel; i++) {
        memcpy(chunk + used, data, item);
        used += item;
        if (used == CHUNK || i + 1 == numel) {
            if (!tm_npy_little_endian()) {
                tm_npy_swap(tm_dtype_of(x), chunk, used);
            }
            if (!write(to, chunk, used)) {
                return false;
            }
            used = 0;
        }
        for (int d = tm_ndim(x); d-- > 0;) {
            data += strides[d] * (int64_t)item;
            if (++index[d] < shape[d]) {
                break;
            }
            data -= strides[d] * (int64_t)item * index[d];
            index[d] = 0;
        }
    }
    return true;
}

int64_t tm_npy_size(const tm_tensor *x)
{
    char header[HEADER];
    return (int64_t)format_header(header, x) + tm_numel(x) * (int64_t)tm_dtype_size(tm_dtype_of(x));
}

bool tm_npy_write(const tm_tensor *x, const void *data, tm_write_fn write, void *to)
{
    char header[HEADER];
    if (!write(to, header, format_header(header, x))) {
        return false;
    }
    int64_t numel = tm_numel(x);
    if (numel == 0) {
        return true;
    }
    if (tm_is_contiguous(x) && tm_npy_little_endian()) {
        return write(to, data, (size_t)numel * tm_dtype_size(tm_dtype_of(x)));
    }
    return write_gathered(x, data, write, to);
}

tm_status tm_npy_check(const tm_tensor *x, const char *function, const char *argument,
                       const void **data)
{
    if (tm_handle_check(tm_thread_get(), x, function, argument) != TM_OK) {
        return tm_error_code();
    }
    *data = tm_data(x);
    if (*data == NULL && (tm_num_levels(x) > 0 || tm_numel(x) > 0)) {
        return tm_error_code();
    }
    if (tm_npy_descr(tm_dtype_of(x)) == NULL) {
        return tm_error_set(TM_ERR_DTYPE, function, argument,
                            "%s has dtype %s, which .npy files lack", argument,
                            tm_dtype_name(tm_dtype_of(x)));
    }
    return TM_OK;
}

typedef struct content {
    const tm_tensor *x;
    const void *data;
} content;

static bool fill(tm_sink *sink, const void *what)
{
    const content *c = what;
    return tm_npy_write(c->x, c->data, tm_sink_write, sink);
}

tm_status tm_npy_save_file(const char *path, const tm_tensor *x)
{
    content c = {.x = x};
    tm_status status = tm_npy_check(x, "npy_save", "x", &c.data);
    return status == TM_OK ? tm_write_file(path, "npy_save", fill, &c) : status;
}

tm_status tm_npy_save(const char *path, const tm_tensor *x)
{
    tm_status status = tm_npy_save_file(path, x);
    tm_thread *thread = tm_thread_get();
    if (status == TM_OK && tm_modes_listen(thread)) {
        const tm_event_arg args[] = {{"path", TM_TYPE_STR, false, {.str = path}},
                                     {"x", TM_TYPE_TENSOR, false, {.tensor = x}}};
        tm_modes_tell(thread, "save", 2, args, NULL);
    }
    return status;
}

void *tm_npy_save_memory(const tm_tensor *x, size_t *size)
{
    content c = {.x = x};
    return tm_npy_check(x, "npy_save_memory", "x", &c.data) == TM_OK
               ? tm_write_memory(size, "npy_save_memory", fill, &c)
               : NULL;
}
