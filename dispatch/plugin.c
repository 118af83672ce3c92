/* plugin.c: shared objects that register ops.
 *
 * What a plug-in registers is used for as long as the process lives (op pointers stay valid, calls
 * may be under way), so its code is never unmapped. Loaded ones are known by the handle that the
 * system's loader gives, which is the same for the same file.
 */
#include <transmute/plugin.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "given.h"
#include "memory.h"
#include "names.h"

typedef struct plugin_record {
    struct plugin_record *next;
    void *handle;
    tm_library *library;
    char *path;
    bool loading; /* its function is running */
} plugin_record;

/* Recursive: a plug-in may load another. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static plugin_record *all_plugins;

static void free_record(plugin_record *record)
{
    if (record->path)
        tm_free(record->path, tm_text_size(record->path));
    tm_free(record, sizeof *record);
}

__attribute__((destructor(101))) static void free_plugins(void)
{
    if (!tm_process_is_over())
        return;
    tm_allocator allocator = tm_get_allocator();
    while (all_plugins) {
        plugin_record *next = all_plugins->next;
        allocator.release(all_plugins->path, tm_text_size(all_plugins->path), allocator.user);
        allocator.release(all_plugins, sizeof *all_plugins, allocator.user);
        all_plugins = next;
    }
}

/* The loader looks for a name without a slash elsewhere: it is meant as a file's here. */
static void *open_file(const char *path)
{
    char here[4096];
    if (access(path, R_OK) != 0) {
        tm_error_set(TM_ERR_IO, "plugin_load", "path", "'%s': %s", path, strerror(errno));
        return NULL;
    }
    int n = snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (n < 0 || (size_t)n >= sizeof here) {
        tm_error_set(TM_ERR_IO, "plugin_load", "path", "'%.80s...': %s", path,
                     strerror(ENAMETOOLONG));
        return NULL;
    }
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *why = dlerror();
        tm_error_set(TM_ERR_IO, "plugin_load", "path", "'%s' cannot be loaded: %s", path,
                     why ? why : "the loader does not say why");
    }
    return handle;
}

/* A failure in a plug-in becomes one of loading the file. */
static tm_status name_file(const char *path, tm_status code, const char *message)
{
    char why[TM_MESSAGE_SIZE]; /* the record's own text is written over */
    snprintf(why, sizeof why, "%s", message);
    return tm_error_set(code, "plugin_load", "path", "'%s': %s", path, why);
}

/* What the plug-in says of itself; false with the record set. */
static bool ask(void *handle, const char *path, tm_plugin *plugin)
{
    tm_plugin_entry_fn entry;
    void *symbol = dlsym(handle, TM_PLUGIN_ENTRY);
    if (!symbol) {
        tm_error_set(TM_ERR_USAGE, "plugin_load", "path",
                     "'%s' is no plug-in: it has no " TM_PLUGIN_ENTRY, path);
        return false;
    }
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from one to the other */
    const tm_plugin *given = entry();
    if (!given) {
        tm_error_set(TM_ERR_USAGE, "plugin_load", "path", "'%s': " TM_PLUGIN_ENTRY " returned NULL",
                     path);
        return false;
    }
    if (given->abi != TM_PLUGIN_ABI) {
        tm_error_set(TM_ERR_USAGE, "plugin_load", "path",
                     "'%s' was built for plug-in version %d, this library has version %d", path,
                     given->abi, TM_PLUGIN_ABI);
        return false;
    }
    if (tm_given_take("plugin_load", "path", TM_GIVEN_TYPE(tm_plugin, load), given, plugin) !=
        TM_OK) {
        name_file(path, tm_error_code(), tm_error_get()->message);
        return false;
    }
    if (!plugin->name || !plugin->load) {
        tm_error_set(TM_ERR_USAGE, "plugin_load", "path",
                     "'%s' says too little of itself: name or function is missing", path);
        return false;
    }
    return true;
}

/* Runs the plug-in's function; where it fails all that it registered is taken back. */
static tm_status run_load(const tm_plugin *plugin, plugin_record *record)
{
    record->library = tm_library_open(plugin->name);
    if (!record->library)
        return tm_error_code();
    tm_thread *thread = tm_thread_get();
    uint64_t serial = thread->error_serial;
    record->loading = true;
    tm_status status = plugin->load(record->library);
    record->loading = false;
    bool told = thread->error_serial != serial && tm_error_code() != TM_OK;
    if (status == TM_OK && !told)
        return TM_OK;
    tm_library_close(record->library);
    return name_file(record->path, told ? tm_error_code() : status,
                     told ? tm_error_message() : "it failed without an error");
}

static tm_status load_new(void *handle, const char *path)
{
    tm_plugin plugin;
    if (!ask(handle, path, &plugin))
        return tm_error_code();
    plugin_record *record = tm_alloc(sizeof *record);
    if (!record)
        return tm_error_memory("plugin_load", (int64_t)sizeof *record);
    *record = (plugin_record){.handle = handle, .path = tm_copy_text(path)};
    if (!record->path) {
        free_record(record);
        return tm_error_memory("plugin_load", (int64_t)tm_text_size(path));
    }
    record->next = all_plugins;
    all_plugins = record;
    tm_status status = run_load(&plugin, record);
    if (status == TM_OK)
        return TM_OK;
    plugin_record **link = &all_plugins; /* it may have loaded others, which stand before it */
    while (*link != record)
        link = &(*link)->next;
    *link = record->next;
    free_record(record);
    return status;
}

tm_status tm_plugin_load(const char *path)
{
    if (!path)
        return tm_error_null("plugin_load", "path");
    if (!tm_registry_ready())
        return tm_error_memory("plugin_load", 0);
    pthread_mutex_lock(&lock);
    tm_status status = TM_OK;
    void *handle = open_file(path);
    const plugin_record *record = all_plugins;
    while (record && record->handle != handle)
        record = record->next;
    if (!handle)
        status = tm_error_code();
    else if (!record)
        status = load_new(handle, path);
    else if (record->loading)
        status = tm_error_set(TM_ERR_USAGE, "plugin_load", "path", "'%s' is being loaded", path);
    pthread_mutex_unlock(&lock);
    return status;
}

const char *tm_plugin_of(const tm_op *op)
{
    if (!op) {
        tm_error_null("plugin_of", "op");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    const plugin_record *record = op->library ? all_plugins : NULL;
    while (record && record->library != op->library)
        record = record->next;
    pthread_mutex_unlock(&lock);
    return record ? record->path : NULL;
}
