/* io.h: .npy files and NumPy's way of printing. */
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

/** Writes x's values as NumPy's print(array) does with its default options, and a newline. A mapped
 *  tensor shows its logical shape and its levels instead of values. */
TM_API tm_status tm_print(FILE *stream, const tm_tensor *x);
/** The same as a string from the library's allocator, without the newline; free it with
 *  tm_string_free. NULL on failure. */
TM_API char *tm_to_string(const tm_tensor *x);
TM_API void tm_string_free(char *string);
/** Writes the shape as a Python tuple, "(2, 3)", "(2,)" or "()"; returns what snprintf would, -1
 * with the record set for a negative ndim and for NULL. */
TM_API int tm_format_shape(char *buffer, size_t size, int64_t ndim, const int64_t *shape);

TM_END
#endif
