/* nameless.c: a plug-in that does not say what it is. */
#include <transmute/plugin.h>

TM_PLUGIN(NULL, NULL)
