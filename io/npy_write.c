/* npy_write.c: writing .npy files.
 *
 * The bytes are those that numpy.save writes: version 1, C order, little-endian, the header filled
 * up with spaces to a multiple of 64. They go to a temporary file beside the target that takes the
 * target's name once it is complete, so that a failure leaves what was there before, and a reader
 * never sees half a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <transmute/io.h>

#include "dispatch/error.h"
#include "dispatch/handle.h"
#include "dispatch/memory.h"
#include "dispatch/thread.h"
#include "npy.h"

enum { CHUNK = 1 << 14, TEMPORARY_NAME = 64 };

static tm_status refuse(const char *path, const char *why)
{
    return tm_error_set(TM_ERR_IO, "npy_save", "path", "'%s': %s", path, why);
}

/* Writes the whole buffer; false, with errno, where that fails. */
static bool write_all(int fd, const char *data, size_t count)
{
    while (count > 0) {
        ssize_t done = write(fd, data, count);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return false;
        }
        data += done;
        count -= (size_t)done;
    }
    return true;
}

static bool write_header(int fd, const tm_tensor *x)
{
    char header[1152] = TM_NPY_MAGIC "\x01\x00"; /* version 1.0 */
    char shape[TM_MAX_NDIM * 24];                /* 32 sizes of 20 characters fit */
    tm_dtype dtype = tm_dtype_of(x);
    int ndim = tm_ndim(x);
    tm_format_shape(shape, sizeof(shape), ndim, tm_shape(x));
    char order = tm_dtype_size(dtype) == 1 ? '|' : '<';
    int length = snprintf(header + 10, sizeof(header) - 10,
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
    return write_all(fd, header, (size_t)length + 10);
}

/* Writes the elements in row-major order, wherever they lie. */
static bool write_gathered(int fd, const tm_tensor *x, const char *data, int64_t numel)
{
    char chunk[CHUNK];
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
            if (!write_all(fd, chunk, used)) {
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

static bool write_elements(int fd, const tm_tensor *x, const char *data)
{
    int64_t numel = tm_numel(x);
    if (numel == 0) {
        return true;
    }
    if (tm_is_contiguous(x) && tm_npy_little_endian()) {
        return write_all(fd, data, (size_t)numel * tm_dtype_size(tm_dtype_of(x)));
    }
    return write_gathered(fd, x, data, numel);
}

/* Creates a file of a new name in the directory of `path`; `name` has room for it. */
static int create_beside(const char *path, char *name)
{
    static atomic_uint counter;
    const char *slash = strrchr(path, '/');
    size_t directory = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    memcpy(name, path, directory);
    for (int attempt = 0;; attempt++) {
        snprintf(name + directory, TEMPORARY_NAME, ".npy-%ld-%u.tmp", (long)getpid(),
                 atomic_fetch_add(&counter, 1));
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || attempt == 100) {
            return fd;
        }
    }
}

static tm_status save(const char *path, char *temporary, const tm_tensor *x, const void *data)
{
    int fd = create_beside(path, temporary);
    if (fd < 0) {
        return refuse(path, strerror(errno));
    }
    bool good = write_header(fd, x) && write_elements(fd, x, data);
    int code = good ? 0 : errno;
    if (close(fd) != 0 && good) { /* the disk may be found full only here */
        good = false;
        code = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        code = errno;
    }
    if (!good) {
        unlink(temporary);
        return refuse(path, strerror(code));
    }
    return TM_OK;
}

tm_status tm_npy_save(const char *path, const tm_tensor *x)
{
    if (tm_handle_check(tm_thread_get(), x, "npy_save", "x") != TM_OK) {
        return tm_error_code();
    }
    if (path == NULL) {
        return tm_error_set(TM_ERR_USAGE, "npy_save", "path", "path is NULL");
    }
    const void *data = tm_data(x);
    if (data == NULL && (tm_num_levels(x) > 0 || tm_numel(x) > 0)) {
        return tm_error_code();
    }
    if (tm_npy_descr(tm_dtype_of(x)) == NULL) {
        return tm_error_set(TM_ERR_DTYPE, "npy_save", "x", "x has dtype %s, which .npy files lack",
                            tm_dtype_name(tm_dtype_of(x)));
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        /* Renaming would put a file in the place of a device or a pipe. */
        return refuse(path, "not a regular file");
    }
    size_t size = strlen(path) + TEMPORARY_NAME;
    char *temporary = tm_alloc(size);
    if (temporary == NULL) {
        return tm_error_memory("npy_save", (int64_t)size);
    }
    tm_status result = save(path, temporary, x, data);
    tm_free(temporary, size);
    return result;
}
