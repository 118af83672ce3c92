/* io.h: .npy and .npz data, in files and in memory, and NumPy's way of printing.
 *
 * A tensor is written with its values alone: in C order, whatever its strides. bfloat16, which
 * NumPy does not have, is refused with TM_ERR_DTYPE.
 */
#ifndef TRANSMUTE_IO_H
#define TRANSMUTE_IO_H

#include <transmute/tensor.h>

TM_BEGIN

/** Reads a .npy file (versions 1 to 3, C or Fortran order, either byte order) of any dtype the
 *  library has. TM_ERR_IO for a file that cannot be read or is malformed. */
TM_API tm_tensor *tm_npy_load(const char *path);
/** Writes x as .npy version 1, C order, little-endian. Written to a temporary file beside it that
 *  then takes its name, so that a failure leaves no half file. Fails as tm_data does. */
TM_API tm_status tm_npy_save(const char *path, const tm_tensor *x);
/** The same from memory. The buffer may go once the call is over. */
TM_API tm_tensor *tm_npy_load_memory(const void *data, size_t size);
/** The same to memory: a block of *size bytes, to be given back with tm_buffer_free. NULL, with
 *  *size 0, on failure. */
TM_API void *tm_npy_save_memory(const tm_tensor *x, size_t *size);
/** A tensor over the file's own pages, read-only, for files larger than should be copied: nothing
 *  is read before it is used (but booleans, which are checked to be 0 or 1). Fortran order becomes
 *  strides. TM_ERR_IO as tm_npy_load, and where the elements cannot be used as they lie: of the
 *  other byte order or misaligned. They are never copied. The mapping ends with the last handle;
 *  the file must not be changed or made shorter before. */
TM_API tm_tensor *tm_npy_map(const char *path);

/** An open .npz archive: a zip file with one .npy member per tensor. */
typedef struct tm_npz tm_npz;
/** Opens an archive and reads its directory, zip64 included. TM_ERR_IO for a file that cannot be
 *  read or is malformed. Close it with tm_npz_close. */
TM_API tm_npz *tm_npz_open(const char *path);
/** The same over memory, which must stay until tm_npz_close. */
TM_API tm_npz *tm_npz_open_memory(const void *data, size_t size);
/** The number of members; -1 for NULL. */
TM_API int64_t tm_npz_count(const tm_npz *npz);
/** The name of member i, without ".npy", owned by the archive. NULL with TM_ERR_INDEX out of range.
 */
TM_API const char *tm_npz_name(const tm_npz *npz, int64_t i);
/** Reads the member of that name, with or without ".npy": stored or deflated, its checksum
 * compared. The tensor does not need the archive any more. TM_ERR_VALUE where there is none,
 * TM_ERR_IO, naming the member, where it is malformed. Several threads may load from one archive at
 * once. */
TM_API tm_tensor *tm_npz_load(const tm_npz *npz, const char *name);
/** Closes an archive. NULL: a no-op. */
TM_API void tm_npz_close(tm_npz *npz);
/** Writes `count` tensors as a .npz archive, in that order, deflated where `compressed`; a name is
 *  given without ".npy". Written beside the target first, as tm_npy_save does. TM_ERR_VALUE for an
 *  empty name or one that stands twice; fails as tm_npy_save besides. */
TM_API tm_status tm_npz_save(const char *path, int count, const char *const *names,
                             const tm_tensor *const *tensors, bool compressed);
/** The same to memory: a block of *size bytes, to be given back with tm_buffer_free. NULL, with
 *  *size 0, on failure. */
TM_API void *tm_npz_save_memory(int count, const char *const *names,
                                const tm_tensor *const *tensors, bool compressed, size_t *size);
/** Gives back a block that one of the functions here returned. NULL: a no-op. */
TM_API void tm_buffer_free(void *buffer);

/** How many digits the fractions of a floating tensor get; NumPy's floatmode. */
typedef enum tm_print_floatmode {
    TM_PRINT_MAXPREC = 0,   /**< as many as each number needs, `precision` at most */
    TM_PRINT_MAXPREC_EQUAL, /**< the same, and all as many as the one that needs most */
    TM_PRINT_UNIQUE,        /**< as many as each number needs, whatever `precision` says */
    TM_PRINT_FIXED          /**< `precision`, of the exact value */
} tm_print_floatmode;

/** The largest precision: no float64 has more digits after its point. */
#define TM_PRINT_PRECISION_MAX 1100
/** The longest nanstr and infstr. */
#define TM_PRINT_STRING_MAX 64

/** NumPy's print options (numpy.set_printoptions). A field that is 0 or NULL is NumPy's default. As
 *  in NumPy, a 0-D tensor prints the same with all of them. */
typedef struct tm_print_options {
    size_t struct_size;       /**< sizeof(tm_print_options); docs/abi.md */
    const int64_t *precision; /**< digits of a fraction, 0 to TM_PRINT_PRECISION_MAX; NULL: 8 */
    int64_t threshold;        /**< more elements than this are summarised; 0: 1000 */
    int64_t edgeitems;        /**< elements shown at either end of a summarised axis; 0: 3 */
    int64_t linewidth;        /**< characters of a line; 0: 75. At 1 each element has its own */
    bool suppress;            /**< scientific form only from 1e8 on, not for small numbers */
    const char *nanstr;       /**< printable ASCII, not blank; NULL: "nan" */
    const char *infstr;       /**< the same without a sign; NULL: "inf" */
    char sign;                /**< before numbers without a minus: '+', ' ' room for one, '-' none;
                                   0: '-' */
    tm_print_floatmode floatmode;
} tm_print_options;

/** Writes x's values as NumPy's print(array) does with its default options, and a newline. A mapped
 *  tensor shows its logical shape and its levels instead of values. */
TM_API tm_status tm_print(FILE *stream, const tm_tensor *x);
/** The same with these options; NULL: the defaults. TM_ERR_VALUE, naming the field, for one out of
 *  range. */
TM_API tm_status tm_print_with(FILE *stream, const tm_tensor *x, const tm_print_options *options);
/** What tm_print writes as a string from the library's allocator, without the newline; free it with
 *  tm_string_free. NULL on failure. */
TM_API char *tm_to_string(const tm_tensor *x);
/** The same with options, as tm_print_with. */
TM_API char *tm_to_string_with(const tm_tensor *x, const tm_print_options *options);
TM_API void tm_string_free(char *string);
/** Writes the shape as a Python tuple, "(2, 3)", "(2,)" or "()"; returns what snprintf would, -1
 * with the record set for a negative ndim and for NULL. */
TM_API int tm_format_shape(char *buffer, size_t size, int64_t ndim, const int64_t *shape);

TM_END
#endif
