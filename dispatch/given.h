/* given.h: structs that callers give, which may be of another version than the library's: their
 * struct_size says how far theirs reaches, and nothing behind that is read.
 */
#ifndef TM_DISPATCH_GIVEN_H
#define TM_DISPATCH_GIVEN_H

#include <stddef.h>

/** Whether the struct that `given` points to, a `type`, has the field. */
#define TM_GIVEN(type, given, field)                                                               \
    ((given)->struct_size >= offsetof(type, field) + sizeof((given)->field))

#endif
