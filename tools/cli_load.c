/* cli_load.c: --load and --threads, which several commands take. */
#include <limits.h>
#include <string.h>

#include <transmute/plugin.h>

#include "cli.h"

int tm_cli_load(const char *path)
{
    return tm_plugin_load(path) == TM_OK ? TM_EXIT_OK : tm_cli_wrong_record("--load");
}

int tm_cli_threads(const char *word)
{
    int64_t number;
    if (!tm_cli_int(word, strlen(word), &number) || number < 0 || number > INT_MAX)
        return tm_cli_wrong("--threads must be a number of threads (0: all cores), got '%s'", word);
    return tm_set_num_threads((int)number) == TM_OK ? TM_EXIT_OK : tm_cli_wrong_record("--threads");
}
