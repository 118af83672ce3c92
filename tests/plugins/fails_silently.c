/* fails_silently.c: a plug-in that fails without saying why. */
#include <transmute/plugin.h>

static tm_status load(tm_library *library)
{
    (void)library;
    return TM_ERR_NUMERIC;
}

TM_PLUGIN("fails silently", load)
