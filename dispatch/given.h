/* given.h: structs that callers give, which may be of another version than the library's.
 *
 * One rule for all of them (docs/abi.md): struct_size says how far the caller's reaches. It is at
 * least what the struct had in its first version. Of a shorter one, the fields that are not there
 * are 0; of a longer one, a later version's, those that the library does not know must be 0.
 */
#ifndef TM_DISPATCH_GIVEN_H
#define TM_DISPATCH_GIVEN_H

#include <stddef.h>

#include "error.h"

/** A struct that callers give, by name: how long it was at first, and is now. */
typedef struct tm_given {
    const char *type;
    size_t least, size;
} tm_given;

/** That of a `type` whose first version ended with the field `last`. */
#define TM_GIVEN_TYPE(type, last)                                                                  \
    ((tm_given){#type, offsetof(type, last) + sizeof(((type *)0)->last), sizeof(type)})

/** Takes the struct that `given` points to, which is `argument` of `function`, into one of the
 *  library's own. TM_ERR_USAGE, and `own` unset, where its struct_size is no version's. */
tm_status tm_given_take(const char *function, const char *argument, tm_given type,
                        const void *given, void *own);
/** The same for a struct that the library fills: nothing is read but its size, and it is set to 0
 *  but for that. */
tm_status tm_given_clear(const char *function, const char *argument, tm_given type, void *given);

#endif
