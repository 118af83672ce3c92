/* replay.c: runs a target on files, without a fuzzer: what each directory or file that is named
 * holds, once. For compilers that have no libFuzzer, and for tests. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/target.h"

static int count;

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, room = 0;
    while (file && !feof(file) && !ferror(file)) {
        if (size == room) {
            room = room ? 2 * room : 1 << 12;
            uint8_t *more = realloc(data, room);
            if (!more)
                break;
            data = more;
        }
        size += fread(data + size, 1, room - size, file);
    }
    bool read = file && feof(file);
    if (file)
        fclose(file);
    if (read) {
        /* A block that ends where the input does, so that reading past it is seen. */
        uint8_t *exact = malloc(size ? size : 1);
        if (exact) {
            memcpy(exact, data ? data : exact, size);
            LLVMFuzzerTestOneInput(exact, size);
            count++;
        }
        read = exact != NULL;
        free(exact);
    }
    free(data);
    if (!read)
        fuzz_say("%s: cannot be read\n", path);
    return read;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool replay_directory(const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, by_name);
    bool good = n >= 0;
    for (int i = 0; i < n; i++) {
        char file[4096];
        int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            good = length < (int)sizeof file && replay_file(file) && good;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        char *path = realpath(argv[i], NULL); /* a target may change the directory */
        if (path && stat(path, &status) == 0)
            good = (S_ISDIR(status.st_mode) ? replay_directory(path) : replay_file(path)) && good;
        else
            good = false;
        free(path);
    }
    fuzz_say("%d inputs\n", count);
    return good && count > 0 ? 0 : 1;
}
