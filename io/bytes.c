/* bytes.c: a file or a buffer, read at any place. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dispatch/error.h"
#include "stream.h"

bool tm_refuse(const tm_reading *reading, tm_status code, const char *format, ...)
{
    char why[TM_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof(why), format, list);
    va_end(list);
    const char *path = reading->bytes->path, *member = reading->member;
    const char *quote = path != NULL ? "'" : "";
    /* Long names are cut, so that the reason is never. */
    tm_error_set(code, reading->function, reading->argument, "%s%.300s%s: %s%.200s%s%s", quote,
                 path != NULL ? path : "the buffer", quote, member != NULL ? "member '" : "",
                 member != NULL ? member : "", member != NULL ? "': " : "", why);
    return false;
}

bool tm_bytes_open(tm_bytes *bytes, const char *path, const char *function)
{
    *bytes = (tm_bytes){.path = path, .fd = -1};
    if (path == NULL) {
        tm_error_set(TM_ERR_USAGE, function, "path", "path is NULL");
        return false;
    }
    tm_reading reading = {.function = function, .argument = "path", .bytes = bytes};
    /* Not to block on a pipe: it is refused below, its size being unknown. */
    bytes->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (bytes->fd < 0 || fstat(bytes->fd, &status) != 0) {
        return tm_refuse(&reading, TM_ERR_IO, "%s", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return tm_refuse(&reading, TM_ERR_IO, "not a regular file");
    }
    bytes->size = status.st_size;
    return true;
}

bool tm_bytes_memory(tm_bytes *bytes, const void *data, size_t size, const char *function)
{
    *bytes = (tm_bytes){.data = data, .fd = -1, .size = (int64_t)size};
    if (data == NULL) {
        tm_error_set(TM_ERR_USAGE, function, "data", "data is NULL");
        return false;
    }
    if (size > PTRDIFF_MAX) {
        tm_error_set(TM_ERR_VALUE, function, "size", "size must be that of a block of memory");
        return false;
    }
    return true;
}

void tm_bytes_close(tm_bytes *bytes)
{
    if (bytes->fd >= 0) {
        close(bytes->fd);
        bytes->fd = -1;
    }
}

bool tm_bytes_read(const tm_reading *reading, int64_t offset, void *buffer, size_t count)
{
    const tm_bytes *bytes = reading->bytes;
    if (offset > bytes->size || count > (size_t)(bytes->size - offset)) {
        return tm_refuse(reading, TM_ERR_IO, "%s ends too early",
                         bytes->path != NULL ? "the file" : "it");
    }
    if (bytes->data != NULL) {
        if (count > 0) {
            memcpy(buffer, bytes->data + offset, count);
        }
        return true;
    }
    for (char *out = buffer; count > 0;) {
        ssize_t got = pread(bytes->fd, out, count, offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) { /* 0: the file has become shorter */
            return tm_refuse(reading, TM_ERR_IO, "%s",
                             got < 0 ? strerror(errno) : "the file ends too early");
        }
        out += got;
        offset += got;
        count -= (size_t)got;
    }
    return true;
}
