/* null_entry.c: a plug-in that says nothing of itself. */
#include <transmute/plugin.h>

const tm_plugin *tm_plugin_entry(void) TM_API;
const tm_plugin *tm_plugin_entry(void)
{
    return NULL;
}
