/* other_version.c: a plug-in of a version to come. */
#include <transmute/plugin.h>

const tm_plugin *tm_plugin_entry(void) TM_API;
const tm_plugin *tm_plugin_entry(void)
{
    static const tm_plugin plugin = {sizeof plugin, TM_PLUGIN_ABI + 1, "other version", NULL};
    return &plugin;
}
