/* cli_support.c: the program run as a user runs it. */
#include "cli_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <transmute/io.h>

static char directory[256];
static cli_run result;

const char *cli_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* -- The files --------------------------------------------------------------------------------- */

/* Elements count up from 0, but for those that `first` says to count from. */
static const struct {
    const char *name;
    tm_dtype dtype;
    int ndim;
    int64_t shape[4];
    double first;
} files[] = {
    {"s.npy", TM_FLOAT32, 0, {0}, 0},
    {"v2.npy", TM_FLOAT32, 1, {2}, 0},
    {"v3.npy", TM_FLOAT32, 1, {3}, 0},
    {"m.npy", TM_FLOAT32, 2, {2, 2}, 0},
    {"m23.npy", TM_FLOAT32, 2, {2, 3}, 0},
    {"m32.npy", TM_FLOAT32, 2, {3, 2}, 0},
    {"b32_2.npy", TM_FLOAT32, 2, {32, 2}, 0},
    {"b32_2_2.npy", TM_FLOAT32, 3, {32, 2, 2}, 0},
    {"b482.npy", TM_FLOAT32, 3, {4, 8, 2}, 0},
    {"b4822.npy", TM_FLOAT32, 4, {4, 8, 2, 2}, 0},
    {"b222.npy", TM_FLOAT32, 3, {2, 2, 2}, 0},
    {"empty.npy", TM_FLOAT32, 2, {0, 3}, 0},
    {"i23.npy", TM_INT64, 2, {2, 3}, 0},
    {"i1.npy", TM_INT64, 1, {1}, 7},
    {"d1.npy", TM_FLOAT64, 2, {1, 1}, 0.1},
    {"f1.npy", TM_FLOAT32, 0, {0}, 0.1},
    {"t1.npy", TM_BOOL, 1, {1}, 1},
    {"h2.npy", TM_FLOAT16, 1, {2}, 0},
    {"5", TM_FLOAT32, 1, {2}, 100}, /* a file whose name is a number */
};

static void put(tm_dtype dtype, char *at, double value)
{
    float f = (float)value;
    int64_t i = (int64_t)value;
    bool b = value != 0;
    switch (dtype) {
    case TM_BOOL:
        memcpy(at, &b, sizeof b);
        break;
    case TM_INT64:
        memcpy(at, &i, sizeof i);
        break;
    case TM_FLOAT32:
        memcpy(at, &f, sizeof f);
        break;
    case TM_FLOAT64:
        memcpy(at, &value, sizeof value);
        break;
    default: /* zeros */
        memset(at, 0, tm_dtype_size(dtype));
    }
}

void cli_write(const char *name, const char *text, size_t length)
{
    FILE *file = fopen(cli_path(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

void cli_set_up(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/test-cli-XXXXXX", parent ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    tm_scope *scope = tm_scope_push();
    for (int i = 0; i < COUNT(files); i++) {
        tm_tensor *x = tm_new(files[i].dtype, files[i].ndim, files[i].shape);
        ck_assert_msg(x != NULL, "%s", tm_error_message());
        char *data = tm_mutable_data(x);
        for (int64_t k = 0; k < tm_numel(x); k++)
            put(files[i].dtype, data + (size_t)k * tm_dtype_size(files[i].dtype),
                files[i].first + (double)k);
        ck_assert_int_eq(tm_npy_save(cli_path(files[i].name), x), TM_OK);
    }
    ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
    cli_write("text.npy", "words\n", 6);
    cli_write("cut.npy", "\x93NUMPY\x01\x00v\x00{'descr'", 18);
    ck_assert_int_eq(mkdir(cli_path("6"), 0700), 0); /* a directory whose name is a number */
}

static bool next_entry(DIR *open, char *name, size_t size)
{
    for (struct dirent *entry; (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, size, "%s", entry->d_name);
        return true;
    }
    return false;
}

int cli_count_files(void)
{
    char name[256];
    DIR *open = opendir(directory);
    ck_assert_ptr_nonnull(open);
    int count = 0;
    while (next_entry(open, name, sizeof name))
        count++;
    closedir(open);
    return count;
}

void cli_tear_down(void)
{
    char name[256];
    DIR *open = opendir(directory);
    ck_assert_ptr_nonnull(open);
    while (next_entry(open, name, sizeof name))
        remove(cli_path(name));
    closedir(open);
    rmdir(directory);
}

/* -- Running ----------------------------------------------------------------------------------- */

enum { MAX_WORDS = 64 };

static void run_child(char **words, int out, int err)
{
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(directory) == 0)
        execv(TM_PROGRAM, words);
    _exit(127);
}

static void read_back(int fd, char *text, size_t size)
{
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    ssize_t length = read(fd, text, size);
    ck_assert_int_ge(length, 0);
    ck_assert_int_lt(length, (ssize_t)size);
    text[length] = '\0';
    close(fd);
}

/* A file without a name, so that the directory holds only what the program wrote. */
static int nameless(void)
{
    char path[300];
    snprintf(path, sizeof path, "%s.XXXXXX", directory);
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    unlink(path);
    return fd;
}

/* The program with its two streams. */
static pid_t start(const char *command, int out, int err)
{
    static char copy[1 << 15];
    char *words[MAX_WORDS + 2] = {(char[]){"transmute"}};
    int count = 1;
    ck_assert_uint_lt(strlen(command), sizeof copy);
    snprintf(copy, sizeof copy, "%s", command);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        ck_assert_int_le(count, MAX_WORDS);
        words[count++] = strcmp(word, "''") == 0 ? word + 2 : word;
    }
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        run_child(words, out, err);
    return child;
}

static void wait_for(pid_t child, const char *command)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "transmute %s: ended by signal %d", command, WTERMSIG(status));
    result.code = WEXITSTATUS(status);
}

const cli_run *cli_exec(const char *command)
{
    int out = nameless(), err = nameless();
    wait_for(start(command, out, err), command);
    read_back(out, result.out, sizeof result.out);
    read_back(err, result.err, sizeof result.err);
    return &result;
}

const cli_run *cli_exec_terminal(const char *command)
{
    int out = nameless(), here, there;
    ck_assert_int_eq(openpty(&here, &there, NULL, NULL, NULL), 0);
    pid_t child = start(command, out, there);
    close(there);
    size_t used = 0;
    for (ssize_t n; (n = read(here, result.err + used, sizeof result.err - used - 1)) > 0;)
        used += (size_t)n; /* the other end closed is an error here */
    result.err[used] = '\0';
    close(here);
    wait_for(child, command);
    read_back(out, result.out, sizeof result.out);
    return &result;
}

void cli_keep(char *to, size_t size, const char *text)
{
    size_t length = strlen(text);
    ck_assert_uint_lt(length, size);
    memcpy(to, text, length + 1);
}

/* -- Judging ----------------------------------------------------------------------------------- */

/* The first line of standard error is `text`, the others are indented. */
static void check_error(const cli_case *c)
{
    char *line = result.err, *end = strchr(line, '\n');
    ck_assert_msg(end && strncmp(line, "error: ", 7) == 0, "transmute %s: says '%s'", c->command,
                  result.err);
    line += 7;
    size_t length = (size_t)(end - line), wanted = c->text ? strlen(c->text) : 0;
    bool begins = wanted >= 3 && strcmp(c->text + wanted - 3, "...") == 0;
    if (begins)
        wanted -= 3;
    if (c->text)
        ck_assert_msg(
            (begins ? length >= wanted : length == wanted) && strncmp(line, c->text, wanted) == 0,
            "transmute %s: says '%.*s', not '%s'", c->command, (int)length, line, c->text);
    while (end[1]) {
        ck_assert_msg(strncmp(end + 1, "  ", 2) == 0, "transmute %s: a line is not indented: %s",
                      c->command, end + 1);
        end = strchr(end + 1, '\n');
        ck_assert_msg(end != NULL, "transmute %s: the last line has no end", c->command);
    }
}

void cli_check(const cli_case *cases, int count)
{
    int before = cli_count_files();
    for (int i = 0; i < count; i++) {
        const cli_case *c = &cases[i];
        cli_exec(c->command);
        ck_assert_msg(result.code == c->code, "transmute %s: exit %d, not %d\n%s%s", c->command,
                      result.code, c->code, result.out, result.err);
        if (c->code == 0) {
            ck_assert_msg(result.err[0] == '\0', "transmute %s: says '%s'", c->command, result.err);
            ck_assert_msg(!c->text || strcmp(result.out, c->text) == 0,
                          "transmute %s: prints\n%s, not\n%s", c->command, result.out, c->text);
            continue;
        }
        ck_assert_msg(result.out[0] == '\0', "transmute %s: fails and prints\n%s", c->command,
                      result.out);
        check_error(c);
        ck_assert_msg(cli_count_files() == before, "transmute %s: fails and writes a file",
                      c->command);
    }
}
