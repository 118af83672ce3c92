/* fuzz_words.c: command lines: words parted by newlines, in a directory with a few files.
 *
 * Nothing outside the directory is named (no '/'), no plug-in is loaded, and the law is not run:
 * the link replaces tm_law_run, whose work is not this target's. */
#include <string.h>

#include <transmute/io.h>
#include <transmute/law.h>

#include "fuzz/target.h"

int fuzz_main(int argc, char **argv); /* the program's */
tm_status __wrap_tm_law_run(const tm_law_options *options, tm_law_result *result);

tm_status __wrap_tm_law_run(const tm_law_options *options, tm_law_result *result)
{
    FUZZ_REQUIRE(options->cases >= 0 && options->num_ops >= 0, "%lld", (long long)options->cases);
    for (int i = 0; options->ops && i < options->num_ops; i++)
        FUZZ_REQUIRE(options->ops[i], "op %d", i);
    *result = (tm_law_result){.struct_size = sizeof *result};
    return TM_OK;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    FUZZ_REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", name);
}

static void save(const char *name, tm_dtype dtype, int ndim, const int64_t *shape)
{
    static const int64_t values[32] = {1, 2, 3, 0, -1, 5, 7, 4};
    tm_tensor *x = tm_from_data(dtype, ndim, shape, values);
    FUZZ_REQUIRE(x && tm_npy_save(name, x) == TM_OK, "%s", tm_error_message());
}

static void set_up(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    fuzz_enter_directory();
    tm_scope *scope = tm_scope_push();
    save("keep.npy", TM_FLOAT32, 2, (const int64_t[]){2, 3});
    save("keepi.npy", TM_INT64, 1, (const int64_t[]){3});
    save("keepb.npy", TM_FLOAT64, 3, (const int64_t[]){2, 2, 2});
    save("keepe.npy", TM_FLOAT32, 2, (const int64_t[]){0, 3});
    write_file("keep.tm", "x = load(\"keep.npy\")\nvmap\n  y = in(x, 0)\n  z = cumsum(y)\n  w = "
                          "out(z)\nend\nprint(w)\n");
    write_file("keepbad.npy", "\x93NUMPY");
    tm_scope_pop(scope);
    fuzz_limit_memory(1 << 24, 1 << 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS = 24, ROOM = 512 };
    static char text[WORDS][ROOM];
    char *words[WORDS + 1] = {(char[]){"transmute"}};
    int count = 1;
    fuzz_bytes bytes = {data, size};
    set_up();
    while (bytes.left > 0 && count < WORDS) {
        fuzz_text(&bytes, '\n', text[count], ROOM);
        if (strchr(text[count], '/') || strstr(text[count], "load") ||
            strncmp(text[count], "--l", 3) == 0)
            return 0;
        words[count] = text[count];
        count++;
    }
    tm_scope *scope = fuzz_begin();
    tm_mode *mode = fuzz_limit_calls(1 << 12);
    FUZZ_REQUIRE(mode, "%s", tm_error_message());
    int code = fuzz_main(count, words);
    FUZZ_REQUIRE(code >= 0 && code <= 2, "exit code %d", code);
    FUZZ_REQUIRE(tm_mode_pop(mode) == TM_OK, "%s", tm_error_message());
    fuzz_end(scope);
    fuzz_empty_directory();
    return 0;
}
