/* given.c: structs that callers give, of whatever version. */
#include "given.h"

#include <string.h>

enum { MOST = 4096 }; /* bytes that a later version may have */

/* A size that no version has is most often one that was left unset. */
static tm_status check_size(const char *function, const char *argument, tm_given type, size_t size)
{
    if (size >= type.least && size <= MOST && size % _Alignof(size_t) == 0)
        return TM_OK;
    return tm_error_set(TM_ERR_USAGE, function, argument,
                        "struct_size must be sizeof(%s), %zu, got %zu", type.type, type.size, size);
}

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size); /* its first field */
    return size;
}

tm_status tm_given_take(const char *function, const char *argument, tm_given type,
                        const void *given, void *own)
{
    size_t size = size_of(given);
    if (size != type.size) {
        tm_status status = check_size(function, argument, type, size);
        if (status != TM_OK)
            return status;
        for (size_t i = type.size; i < size; i++)
            if (((const char *)given)[i])
                return tm_error_set(TM_ERR_USAGE, function, argument,
                                    "the %s is a later version's, of %zu bytes, and sets a field "
                                    "that this version, of %zu bytes, does not have",
                                    type.type, size, type.size);
        memset(own, 0, type.size);
    }
    memcpy(own, given, size < type.size ? size : type.size);
    return TM_OK;
}

tm_status tm_given_clear(const char *function, const char *argument, tm_given type, void *given)
{
    size_t size = size_of(given);
    tm_status status = size == type.size ? TM_OK : check_size(function, argument, type, size);
    if (status == TM_OK)
        memset((char *)given + sizeof size, 0, size - sizeof size);
    return status;
}
