/* loads_itself.c: a plug-in that loads the plug-in that the environment names: itself. */
#include <stdlib.h>

#include <transmute/plugin.h>

static tm_status load(tm_library *library)
{
    (void)library;
    return tm_plugin_load(getenv("TM_TEST_PLUGIN"));
}

TM_PLUGIN("loads itself", load)
