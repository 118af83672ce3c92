/* error_print.c: the error record for a reader. */
#include <transmute/error.h>

static void print_levels(FILE *stream, const tm_error *error)
{
    for (int i = 0; i < error->num_levels; i++) {
        const tm_error_level *level = &error->levels[i];
        fprintf(stream, "  level %d of size %lld: ", i + 1, (long long)level->size);
        if (level->index >= 0)
            fprintf(stream, "example %lld\n", (long long)level->index);
        else
            fprintf(stream, "every example\n");
    }
}

void tm_error_print(FILE *stream)
{
    const tm_error *error = tm_error_get();
    if (!error || !stream)
        return;
    fprintf(stream, "error: %s: %s\n", error->op, error->message);
    fprintf(stream, "  kind: %s\n", tm_status_name(error->code));
    if (error->inner_op)
        fprintf(stream, "  inside: %s\n", error->inner_op);
    if (error->argument)
        fprintf(stream, "  argument: %s\n", error->argument);
    print_levels(stream, error);
    if (error->logical[0])
        fprintf(stream, "  one example's arguments: %s\n", error->logical);
    if (error->physical[0])
        fprintf(stream, "  in memory: %s\n", error->physical);
    if (error->modes[0])
        fprintf(stream, "  modes: %s\n", error->modes);
}
