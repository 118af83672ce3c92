/* save.h: writing a file of which no mode is told. */
#ifndef TRANSMUTE_IO_SAVE_H
#define TRANSMUTE_IO_SAVE_H

#include <transmute/tensor.h>

/** tm_npy_save without the event. */
tm_status tm_npy_save_file(const char *path, const tm_tensor *x);

#endif
