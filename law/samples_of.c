/* samples_of.c: an op's own samples among those of its family. */
#include <stdio.h>
#include <string.h>

#include "law/sample.h"

const char *tm_law_name(const tm_op *op, char *buffer, size_t size)
{
    const char *overload = tm_op_overload(op);
    snprintf(buffer, size, "%s%s%s", tm_op_name(op), overload[0] ? "." : "", overload);
    return buffer;
}

const tm_sample *tm_law_next_sample(const tm_op *op, size_t *at)
{
    const tm_op_samples *all = tm_op_get_samples(op);
    char name[128];
    tm_law_name(op, name, sizeof name);
    while (all && *at < all->count) {
        const tm_sample *sample = &all->items[(*at)++];
        if (sample->op && strcmp(sample->op, name) == 0)
            return sample;
    }
    return NULL;
}
