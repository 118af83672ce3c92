/* plugin.h: ops from shared objects.
 *
 * A plug-in is a shared object with one entry point, which TM_PLUGIN writes:
 *
 *     static tm_status load(tm_library *library)
 *     {
 *         return tm_library_register(library, &def) ? TM_OK : tm_error_code();
 *     }
 *
 *     TM_PLUGIN("mine", load)
 *
 * Build it with -shared -fPIC against the headers. It need not be linked with the library, whose
 * functions it finds in the program that loads it: one that is linked with the shared library, or
 * with the static one as a whole and -rdynamic.
 */
#ifndef TRANSMUTE_PLUGIN_H
#define TRANSMUTE_PLUGIN_H

#include <transmute/dispatch.h>

TM_BEGIN

/** The version of what a plug-in and the library must agree on. It changes when a plug-in built
 *  before would no longer work. */
#define TM_PLUGIN_ABI 1

/** What a plug-in says of itself. */
typedef struct tm_plugin {
    size_t struct_size; /**< sizeof(tm_plugin); docs/abi.md */
    int abi;            /**< TM_PLUGIN_ABI of the headers it was built with */
    const char *name;   /**< the name of the library its ops are registered in */
    /** Registers ops, overrides and aliases. A status other than TM_OK, or an error record of its
     *  own that is left standing, says that it failed. It does not keep or close the library. */
    tm_status (*load)(tm_library *library);
} tm_plugin;

/** The name of the entry point, a function of that type. */
#define TM_PLUGIN_ENTRY "tm_plugin_entry"
typedef const tm_plugin *(*tm_plugin_entry_fn)(void);

/** Defines the entry point. Once per plug-in, at file level. */
#define TM_PLUGIN(plugin_name, load_function)                                                      \
    const tm_plugin *tm_plugin_entry(void) TM_API;                                                 \
    const tm_plugin *tm_plugin_entry(void)                                                         \
    {                                                                                              \
        static const tm_plugin plugin = {sizeof plugin, TM_PLUGIN_ABI, plugin_name,                \
                                         load_function};                                           \
        return &plugin;                                                                            \
    }

/** Loads the plug-in in that file; one that is loaded already is left as it is. Its code stays
 *  mapped until the process ends, also where loading fails; then nothing is registered. TM_ERR_IO:
 *  no such file, or none that can be loaded; TM_ERR_USAGE: no entry point, another version; else
 *  what its function failed with. */
TM_API tm_status tm_plugin_load(const char *path);
/** The path of the plug-in that registered the op, as it was given; NULL for other ops. */
TM_API const char *tm_plugin_of(const tm_op *op);

TM_END
#endif
