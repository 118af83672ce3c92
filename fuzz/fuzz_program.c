/* fuzz_program.c: programs for `transmute run`. One that runs is traced, and the trace is a program
 * that runs too. */
#include <string.h>

#include <transmute/io.h>
#include <transmute/modes.h>

#include "fuzz/target.h"
#include "tools/cli.h"

static void set_up(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    fuzz_enter_directory();
    tm_scope *scope = tm_scope_push();
    static const float values[24] = {1, 2, 3, 0, -1, 5, 7, 4};
    const tm_tensor *x = tm_from_data(TM_FLOAT32, 2, (const int64_t[]){2, 3}, values);
    const tm_tensor *y = tm_from_data(TM_FLOAT32, 3, (const int64_t[]){3, 2, 2}, values);
    FUZZ_REQUIRE(tm_npy_save("keep.npy", x) == TM_OK && tm_npy_save("keepb.npy", y) == TM_OK, "%s",
                 tm_error_message());
    tm_scope_pop(scope);
    fuzz_limit_memory(1 << 24, 1 << 20);
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    FUZZ_REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "%s", name);
}

static int run(const char *name)
{
    char *words[] = {(char *)(uintptr_t)name, (char[]){"--input"}, (char[]){"x=keep.npy"}, NULL};
    tm_mode *mode = fuzz_limit_calls(1 << 12);
    FUZZ_REQUIRE(mode, "%s", tm_error_message());
    int code = tm_cli_run(memmem(name, 5, "trace", 5) ? 1 : 3, words);
    FUZZ_REQUIRE(code >= 0 && code <= 2, "exit code %d", code);
    FUZZ_REQUIRE(tm_mode_pop(mode) == TM_OK, "%s", tm_error_message());
    return code;
}

/* The program under a trace, then the trace. */
static void run_traced(const char *name)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    tm_mode *trace = stream ? tm_trace_push_saving(stream, "trace") : NULL;
    if (!trace) {
        if (stream)
            fclose(stream);
        free(text);
        tm_error_clear();
        return;
    }
    int code = run(name);
    FUZZ_REQUIRE(tm_mode_pop(trace) == TM_OK, "%s", tm_error_message());
    fclose(stream);
    if (code == TM_EXIT_OK) {
        write_file("trace.tm", text, length);
        tm_seed(0);
        int again = run("trace.tm");
        FUZZ_REQUIRE(again == TM_EXIT_OK, "the trace fails with %d:\n%.*s", again, (int)length,
                     text);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memchr(data, '/', size))
        return 0;
    set_up();
    tm_scope *scope = fuzz_begin();
    write_file("program", data, size);
    if (run("program") == TM_EXIT_OK) {
        tm_seed(0);
        run_traced("program");
    }
    fuzz_end(scope);
    fuzz_empty_directory();
    return 0;
}
