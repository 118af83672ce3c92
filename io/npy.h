/* npy.h: what the readers and writers of .npy data share: the header, and the passage from and to
 * a stream of bytes, be it a file, a buffer or a member of an archive.
 *
 * A .npy file is "\x93NUMPY", two bytes of version, the header's length (2 bytes in version 1, 4 in
 * 2 and 3, little-endian), the header, and the elements. The header is a Python dict literal with
 * the keys descr (the dtype), fortran_order and shape, filled up with spaces so that the elements
 * begin at a multiple of 64.
 */
#ifndef TRANSMUTE_IO_NPY_H
#define TRANSMUTE_IO_NPY_H

#include <transmute/tensor.h>

#include "stream.h"

#define TM_NPY_MAGIC "\x93NUMPY"
#define TM_NPY_MAGIC_SIZE 6
/* NumPy refuses longer ones too; those of the dtypes here are shorter than 1000. */
#define TM_NPY_MAX_HEADER 10000

typedef struct tm_npy_header {
    tm_dtype dtype;
    bool swapped; /* the file's byte order is not the machine's */
    bool fortran; /* the first dimension varies fastest */
    int ndim;
    int64_t shape[TM_MAX_NDIM];
    int64_t bytes; /* of all elements */
} tm_npy_header;

/** Parses the text of a header. On failure returns TM_ERR_IO (malformed) or TM_ERR_DTYPE (a dtype
 *  the library does not have) and writes the reason to `why`. */
tm_status tm_npy_parse(const char *text, size_t length, tm_npy_header *header, char *why,
                       size_t why_size);

/** Whether the machine has the least significant byte first. */
bool tm_npy_little_endian(void);
/** Turns the byte order of `bytes` bytes of elements around. */
void tm_npy_swap(tm_dtype dtype, char *data, size_t bytes);

/** "f8" for float64; NULL where NumPy has no such dtype. */
const char *tm_npy_descr(tm_dtype dtype);

/** Reads a header and holds its sizes against the stream's; the elements follow. */
bool tm_npy_read_header(tm_stream *stream, tm_npy_header *header);
/** Reads a whole tensor, to the end of the stream. NULL with the record set. */
tm_tensor *tm_npy_read(tm_stream *stream);

/** Where a writer's bytes go; false where they cannot go on. */
typedef bool (*tm_write_fn)(void *to, const void *bytes, size_t count);

/** Whether x can be written: a live handle, not mapped, of a dtype NumPy has. Otherwise sets the
 *  record; `argument` is what the caller calls x. *data is the first element. */
tm_status tm_npy_check(const tm_tensor *x, const char *function, const char *argument,
                       const void **data);
/** How many bytes tm_npy_write writes. */
int64_t tm_npy_size(const tm_tensor *x);
/** Writes the header and the elements from `data` on; false where `write` is. */
bool tm_npy_write(const tm_tensor *x, const void *data, tm_write_fn write, void *to);

#endif
