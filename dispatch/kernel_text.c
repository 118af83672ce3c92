/* kernel_text.c: shapes in messages. Text lives in the call record, so it costs no memory. */
#include <string.h>

#include "call.h"

int tm_sizes_print(char *buffer, size_t size, int64_t ndim, const int64_t *sizes)
{
    size_t used = 0;
#define PUT(...)                                                                                   \
    used += (size_t)snprintf(used < size ? buffer + used : NULL, used < size ? size - used : 0,    \
                             __VA_ARGS__)
    PUT("(");
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == TM_DYNAMIC)
            PUT("%s?", d ? ", " : "");
        else
            PUT("%s%lld", d ? ", " : "", (long long)sizes[d]);
    }
    PUT(ndim == 1 ? ",)" : ")");
#undef PUT
    return (int)used;
}

const char *tm_sizes_text(tm_call *call, int64_t ndim, const int64_t *sizes)
{
    if (!call || ndim < 0 || (ndim > 0 && !sizes))
        return "(?)";
    char *text = call->text + call->text_used;
    size_t room = (size_t)(TM_CALL_TEXT - call->text_used);
    int length = tm_sizes_print(text, room, ndim, sizes);
    if (length < 0 || (size_t)length >= room)
        return "(...)";
    call->text_used += length + 1;
    return text;
}

const char *tm_shape_text(tm_call *call, const tm_tensor *x)
{
    if (!tm_kernel_tensor(x))
        return "None";
    return tm_sizes_text(call, x->ndim, x->shape);
}
