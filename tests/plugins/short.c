/* short.c: a plug-in whose struct ends before its function. */
#include <transmute/plugin.h>

const tm_plugin *tm_plugin_entry(void) TM_API;
const tm_plugin *tm_plugin_entry(void)
{
    static const tm_plugin plugin = {offsetof(tm_plugin, load), TM_PLUGIN_ABI, "short", NULL};
    return &plugin;
}
