/* tour.c: transmute on 1,797 real handwritten digits, in a few screens. The parts are in the files
 * tour_*.c beside this one, to be read in this order: means, planes, kernel.
 *
 *     tour [DIRECTORY WITH digits_images.npy AND digits_labels.npy]
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tour_parts.h"

static tm_tensor *load(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return tm_npy_load(path);
}

/* What is a program of built-in ops, which a trace can hold. */
static int statistics(const char *directory, tour_data *data)
{
    data->images = load(directory, "digits_images.npy");
    data->labels = data->images ? load(directory, "digits_labels.npy") : NULL;
    if (!data->labels)
        return tour_fail() + (tm_error_code() == TM_ERR_IO);
    return tour_means(data) || tour_planes(data);
}

/* The trace goes to a file; arrays that no op has made to files beside it. */
static int traced(const char *directory, const char *trace, tour_data *data)
{
    char prefix[4096];
    snprintf(prefix, sizeof prefix, "%s.", trace);
    FILE *stream = fopen(trace, "w");
    if (!stream) {
        fprintf(stderr, "error: '%s': %s\n", trace, strerror(errno));
        return 2;
    }
    tm_mode *mode = tm_trace_push_saving(stream, prefix);
    int result = mode ? statistics(directory, data) : tour_fail();
    if (mode)
        tm_mode_pop(mode);
    if (fclose(stream) != 0 && result == 0) {
        fprintf(stderr, "error: '%s': %s\n", trace, strerror(errno));
        return 2;
    }
    return result;
}

int tm_tour(const char *directory, const char *trace)
{
    tour_data data = {.timed = !trace};
    tm_scope *scope = tm_scope_push();
    int result = trace ? traced(directory, trace, &data) : statistics(directory, &data);
    if (result == 0)
        result = tour_kernel(&data) || tour_refuse(&data);
    tm_scope_pop(scope);
    return result;
}

#ifndef TRANSMUTE_PROGRAM /* the command-line program has a main of its own */
int main(int argc, char **argv)
{
    return tm_tour(argc > 1 ? argv[1] : "data", NULL);
}
#endif
