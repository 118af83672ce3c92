/* cli_load.c: --load, which commands that look at ops take. */
#include <transmute/plugin.h>

#include "cli.h"

int tm_cli_load(const char *path)
{
    return tm_plugin_load(path) == TM_OK ? TM_EXIT_OK : tm_cli_wrong_record("--load");
}
