/* sink.c: writing a file that takes its name once it is complete, or a buffer that grows. */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dispatch/error.h"
#include "dispatch/memory.h"
#include "sized.h"

enum { TEMPORARY_NAME = 64 };

bool tm_sink_write(void *to, const void *bytes, size_t count)
{
    tm_sink *sink = to;
    if (sink->error != 0) {
        return false;
    }
    if (sink->fd < 0) {
        tm_text_append(&sink->memory, bytes, count);
        sink->error = sink->memory.failed ? ENOMEM : 0;
    }
    const char *data = bytes;
    for (size_t left = sink->fd < 0 ? 0 : count; left > 0 && sink->error == 0;) {
        ssize_t done = write(sink->fd, data, left);
        if (done >= 0) {
            data += done;
            left -= (size_t)done;
        } else if (errno != EINTR) {
            sink->error = errno;
        }
    }
    sink->size += (int64_t)count;
    return sink->error == 0;
}

bool tm_sink_patch(tm_sink *sink, int64_t at, const void *bytes, size_t count)
{
    if (sink->error != 0) {
        return false;
    }
    if (sink->fd < 0) {
        memcpy(sink->memory.data + at, bytes, count);
        return true;
    }
    ssize_t done;
    do {
        done = pwrite(sink->fd, bytes, count, at);
    } while (done < 0 && errno == EINTR);
    if (done != (ssize_t)count) { /* a few bytes that the file has already: all or none */
        sink->error = done < 0 ? errno : EIO;
    }
    return sink->error == 0;
}

static tm_status refuse(const char *path, const char *function, int code)
{
    return tm_error_set(TM_ERR_IO, function, "path", "'%s': %s", path, strerror(code));
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

static tm_status write_through(const char *path, char *temporary, const char *function,
                               tm_fill_fn fill, const void *content)
{
    tm_sink sink = {.fd = create_beside(path, temporary)};
    if (sink.fd < 0) {
        return refuse(path, function, errno);
    }
    bool good = fill(&sink, content);
    if (close(sink.fd) != 0 && good) { /* the disk may be found full only here */
        good = false;
        sink.error = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        sink.error = errno;
    }
    if (good) {
        return TM_OK;
    }
    unlink(temporary);
    return sink.error != 0 ? refuse(path, function, sink.error) : tm_error_code();
}

tm_status tm_write_file(const char *path, const char *function, tm_fill_fn fill,
                        const void *content)
{
    if (path == NULL) {
        return tm_error_set(TM_ERR_USAGE, function, "path", "path is NULL");
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        /* Renaming would put a file in the place of a device or a pipe. */
        return tm_error_set(TM_ERR_IO, function, "path", "'%s': not a regular file", path);
    }
    size_t size = strlen(path) + TEMPORARY_NAME;
    char *temporary = tm_alloc(size);
    if (temporary == NULL) {
        return tm_error_memory(function, (int64_t)size);
    }
    tm_status result = write_through(path, temporary, function, fill, content);
    tm_free(temporary, size);
    return result;
}

void *tm_write_memory(size_t *size, const char *function, tm_fill_fn fill, const void *content)
{
    if (size == NULL) {
        tm_error_set(TM_ERR_USAGE, function, "size", "size is NULL");
        return NULL;
    }
    *size = 0;
    tm_sink sink = {.fd = -1};
    if (fill(&sink, content)) {
        *size = sink.memory.length;
        return sink.memory.data;
    }
    tm_text_free(&sink.memory);
    if (sink.error != 0) {
        tm_error_memory(function, 2 * sink.size);
    }
    return NULL;
}

void tm_buffer_free(void *buffer)
{
    tm_sized_free(buffer);
}
