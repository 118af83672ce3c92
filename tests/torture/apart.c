/* apart.c: what happens once in a process: registering, loading, and, each try in a process of its
 * own, the first use, the pool of threads and the command line.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "torture.h"

/* -- What succeeds stays ----------------------------------------------------------------------- */

void torture_registering(void)
{
    tm_library *library = tm_library_open("registering");
    for (int i = 0; i < num_contract_ops; i++) {
        const tm_op *op = NULL;
        int64_t count = tm_op_count();
        for (int64_t n = 1; !op; n++) {
            uint64_t before = tm_memory_get_stats().live_blocks;
            failing_arm(n, n & 1);
            op = tm_library_register(library, &contract_ops[i]);
            bool met = failing_disarm();
            if (op)
                continue;
            const char *schema = contract_ops[i].schema;
            MUST(met && tm_error_code() == TM_ERR_MEMORY, "%s: %s", schema, tm_error_message());
            MUST(tm_memory_get_stats().live_blocks == before, "%s leaks", schema);
            MUST(tm_op_count() == count, "%s is registered in part", schema);
            tm_error_clear();
        }
    }
    tm_library_close(library);
    MUST(!tm_op_find("torture_two", NULL), "an alias is left");
}

void torture_plugin(void)
{
    bool loaded = false;
    for (int64_t n = 1; !loaded; n++) {
        int64_t count = tm_op_count();
        failing_arm(n, n & 1);
        loaded = tm_plugin_load(TORTURE_PLUGIN) == TM_OK;
        bool met = failing_disarm();
        if (loaded)
            break;
        tm_status code = tm_error_code();
        MUST(met && (code == TM_ERR_MEMORY || code == TM_ERR_IO), "plug-in, allocation %lld: %s",
             (long long)n, tm_error_message());
        MUST(tm_op_count() == count, "a plug-in is registered in part");
        tm_error_clear();
    }
    const tm_op *op = tm_op_find("smoothstep", NULL);
    tm_tensor *x = tm_from_data(TM_FLOAT32, 1, (const int64_t[]){1}, (const float[]){0.5f});
    tm_value result;
    MUST(op && tm_op_call(op, &(tm_value){.tensor = x}, 1, &result, 1) == TM_OK, "no op");
    tm_release(result.tensor);
    tm_release(x);
}

/* -- Processes --------------------------------------------------------------------------------- */

/* How a try ends: well; with an error that says why; well, though an allocation had failed. */
enum { DONE = 0, FAILED = 1, REFUSED = 2, MET = 40, STUCK_SECONDS = 20 };

static int pipe_ends[2];
static int64_t fails_at; /* the try's */
static bool fails_on;

/* All that comes through the pipe. */
static digest read_output(bool *says_memory, char *text, size_t room)
{
    digest d = {0};
    size_t length = 0;
    for (ssize_t n; (n = read(pipe_ends[0], text + length, room - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = '\0';
    *says_memory = strstr(text, "memory") != NULL;
    digest_bytes(&d, text, length);
    close(pipe_ends[0]);
    return d;
}

/* Runs it in a process of its own; true where it had met the failure. A try that ends well writes
 * what was expected; another says that there is no memory. */
static bool try_apart(const char *name, int (*run)(void), int64_t n, bool on, digest *expected)
{
    fflush(stdout);
    MUST(pipe(pipe_ends) == 0, "no pipe");
    pid_t child = fork();
    MUST(child >= 0, "no process");
    if (child == 0) {
        dup2(pipe_ends[1], STDOUT_FILENO);
        dup2(pipe_ends[1], STDERR_FILENO);
        close(pipe_ends[0]);
        alarm(STUCK_SECONDS);
        fails_at = n;
        fails_on = on;
        int code = run();
        bool met = failing_disarm();
        fflush(stdout);
        _exit(code == DONE && met ? MET : code);
    }
    int status;
    bool says_memory;
    close(pipe_ends[1]);
    char text[4096];
    digest output = read_output(&says_memory, text, sizeof text);
    waitpid(child, &status, 0);
    MUST(WIFEXITED(status), "%s, allocation %lld: ends by signal %d", name, (long long)n,
         WTERMSIG(status));
    int code = WEXITSTATUS(status);
    bool well = code == DONE || code == MET;
    MUST(well || ((code == FAILED || code == REFUSED) && says_memory),
         "%s, allocation %lld: exits with %d: %s", name, (long long)n, code, text);
    if (n == 0)
        *expected = output;
    MUST(!well || output.hash == expected->hash, "%s, allocation %lld: another output", name,
         (long long)n);
    return code != DONE;
}

/* All allocations where they are few; of thousands, those that a growing step lands on. */
static void try_all(const char *name, int (*run)(void))
{
    int64_t n = 1;
    digest expected;
    MUST(!try_apart(name, run, 0, false, &expected), "%s fails with all memory", name);
    for (int on = 0; on < 2; on++)
        for (n = 1; try_apart(name, run, n, on, &expected); n += 1 + n / 40)
            continue;
    printf("%s: %lld allocations\n", name, (long long)n - 1);
}

/* An op that is there, and right: if not at once then with memory. */
static int use(void)
{
    failing_arm(fails_at, fails_on);
    for (int turn = 0; turn < 2; turn++) {
        tm_tensor *x =
            tm_arange(tm_scalar_int(0), tm_scalar_int(100000), tm_scalar_int(1), TM_FLOAT32);
        tm_tensor *y = tm_add(x, tm_sqrt(x));
        if (y)
            return ((const float *)tm_data(y))[99856] == 99856 + 316 ? DONE : 3;
        if (tm_error_code() != TM_ERR_MEMORY || !failing_disarm())
            return 4;
        tm_error_clear();
        tm_release(x);
    }
    return 5;
}

void torture_first_use(void)
{
    try_all("first use", use);
}

static int use_pool(void)
{
    tm_release(tm_neg(tm_zeros(TM_INTS(2), TM_FLOAT32))); /* not the library's first use */
    tm_set_num_threads(3);
    tm_set_path(TM_PATH_SPLIT, TM_PATH_ON);
    return use();
}

void torture_pool(void)
{
    try_all("pool", use_pool);
}

int transmute_main(int argc, char **argv);

static int program(void)
{
    static char *words[] = {"transmute", "run", TORTURE_PROGRAM, NULL};
    failing_arm(fails_at, fails_on);
    return transmute_main(3, words);
}

void torture_program(void)
{
    try_all("program", program);
    tm_op_count(); /* the built-in ops are there: what fails is the program's own */
    try_all("program with ops", program);
}
