/* cli_output.c: results printed or saved.
 *
 * Nothing is written before everything that can be prepared is: printed results are texts first;
 * several files are complete beside their targets before the first takes its name.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <transmute/error.h>
#include <transmute/io.h>
#include <transmute/ops.h>

#include "cli.h"

const tm_tensor *tm_cli_from_scalar(tm_scalar scalar, tm_dtype like)
{
    static const tm_dtype alone[] = {[TM_KIND_BOOL] = TM_BOOL,
                                     [TM_KIND_INT] = TM_INT64,
                                     [TM_KIND_FLOAT] = TM_FLOAT64,
                                     [TM_KIND_COMPLEX] = TM_COMPLEX128};
    tm_dtype dtype = like != TM_DTYPE_NONE ? like : alone[scalar.kind];
    const tm_tensor *x = tm_full(tm_no_ints, scalar, dtype);
    if (!x)
        tm_cli_wrong_record("output");
    return x;
}

/* What the record says of the file beside `file`, said of `file`. */
static int not_saved(const char *file, const char *beside)
{
    const char *why = tm_error_message();
    size_t length = strlen(beside);
    const char *named = strstr(why, beside);
    if (!named || strncmp(named + length, "': ", 3) != 0)
        return tm_cli_wrong_record("-o");
    return tm_cli_wrong("-o: '%s': %s", file, named + length + 3);
}

/* Results that are complete under names of their own beside the targets. */
static int save_beside(tm_cli_memory *memory, const tm_tensor *const *x, int count,
                       const char *const *files, char **beside)
{
    for (int i = 0; i < count; i++) {
        struct stat status;
        const char *slash = strrchr(files[i], '/');
        int directory = slash ? (int)(slash - files[i]) + 1 : 0;
        if (stat(files[i], &status) == 0 && !S_ISREG(status.st_mode))
            return tm_cli_wrong("-o: '%s': not a regular file", files[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(files[i], files[k]) == 0)
                return tm_cli_wrong("-o: '%s' is given twice", files[i]);
        beside[i] = tm_cli_alloc(memory, (size_t)directory + 64, 1);
        sprintf(beside[i], "%.*s.transmute-%ld-%d.npy", directory, files[i], (long)getpid(), i);
        if (tm_npy_save(beside[i], x[i]) != TM_OK) {
            int code = not_saved(files[i], beside[i]);
            beside[i] = NULL;
            return code;
        }
    }
    return TM_EXIT_OK;
}

static int save(tm_cli_memory *memory, const tm_tensor *const *x, int count,
                const char *const *files)
{
    if (count == 1)
        return tm_npy_save(files[0], x[0]) == TM_OK ? TM_EXIT_OK : tm_cli_wrong_record("-o");
    char **beside = tm_cli_alloc(memory, (size_t)count, sizeof *beside);
    int code = save_beside(memory, x, count, files, beside);
    for (int i = 0; code == TM_EXIT_OK && i < count; i++) {
        if (rename(beside[i], files[i]) == 0)
            beside[i] = NULL;
        else
            code = tm_cli_wrong("-o: '%s': %s", files[i], strerror(errno));
    }
    for (int i = 0; i < count; i++)
        if (beside[i])
            unlink(beside[i]);
    return code;
}

int tm_cli_output(tm_cli_memory *memory, const tm_cli_results *results, tm_dtype like,
                  const char *const *files, int num_files)
{
    int count = results->count, code = TM_EXIT_OK;
    if (num_files && num_files != count)
        return tm_cli_wrong("%s has %d output%s, got %d -o", tm_op_name(results->op), count,
                            count == 1 ? "" : "s", num_files);
    const tm_tensor **x = tm_cli_alloc(memory, (size_t)count + 1, sizeof *x);
    char **text = tm_cli_alloc(memory, (size_t)count + 1, sizeof *text);
    for (int i = 0; i < count && code == TM_EXIT_OK; i++) {
        const tm_value *value = &results->values[i];
        x[i] = tm_cli_gives_tensor(results->op, i) ? value->tensor
                                                   : tm_cli_from_scalar(value->scalar, like);
        if (!x[i])
            code = TM_EXIT_FAILED;
        else if (!num_files && !(text[i] = tm_to_string(x[i])))
            code = tm_cli_wrong_record("output");
    }
    if (code == TM_EXIT_OK && num_files)
        code = save(memory, x, count, files);
    for (int i = 0; i < count && code == TM_EXIT_OK; i++) {
        char shape[TM_MAX_NDIM * 24];
        tm_format_shape(shape, sizeof shape, tm_ndim(x[i]), tm_shape(x[i]));
        printf("shape=%s dtype=%s\n", shape, tm_dtype_name(tm_dtype_of(x[i])));
        if (text[i])
            puts(text[i]);
    }
    for (int i = 0; i < count; i++)
        tm_string_free(text[i]);
    return code;
}
