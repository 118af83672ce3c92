/* names.c: ops by name.
 *
 * One table of names, one sorted array of live ops, one lock for both. Calls go by op pointer and
 * read only what never changes, the kernel pointers (atomic), and the flag that says an op is
 * retired. Ops and kernels stay allocated until the process ends.
 */
#include "names.h"

#include <pthread.h>
#include <string.h>

#include "memory.h"
#include "quarantine.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(size) tm_alloc(size)
#define uthash_free(memory, size) tm_free(memory, size)
#define uthash_nonfatal_oom(element) ((void)(element))
#include <uthash.h>

/* A name: of ops (first is the list of overloads), or an alias (of is the name it stands for). */
struct tm_name_entry {
    char *name;
    tm_op *first;
    tm_name_entry *of;
    const tm_library *library; /* an alias's */
    UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tm_name_entry *names;
static tm_op **sorted;
static int64_t num_sorted, sorted_room;
static tm_op *all_ops;
static tm_kernel *all_kernels;

char *tm_copy_text(const char *text)
{
    size_t size = tm_text_size(text);
    char *copy = tm_alloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

static tm_name_entry *find_name(const char *name)
{
    tm_name_entry *entry = NULL;
    HASH_FIND_STR(names, name, entry);
    return entry;
}

static void free_name(tm_name_entry *entry)
{
    tm_free(entry->name, tm_text_size(entry->name));
    tm_free(entry, sizeof *entry);
}

/* The entry of that name, made if need be; NULL on lack of memory. */
tm_name_entry *tm_names_add(const char *name)
{
    tm_name_entry *entry = find_name(name);
    if (entry)
        return entry;
    entry = tm_alloc(sizeof *entry);
    if (!entry)
        return NULL;
    memset(entry, 0, sizeof *entry);
    entry->name = tm_copy_text(name);
    if (entry->name)
        HASH_ADD_KEYPTR(hh, names, entry->name, strlen(entry->name), entry);
    if (!entry->name || !entry->hh.tbl) {
        free_name(entry);
        return NULL;
    }
    return entry;
}

void tm_names_drop_empty(const char *name)
{
    tm_name_entry *entry = find_name(name);
    if (!entry || entry->first || entry->of)
        return;
    HASH_DEL(names, entry);
    free_name(entry);
}

static int compare_ops(const tm_op *a, const tm_op *b)
{
    int order = strcmp(a->schema.name, b->schema.name);
    return order ? order : strcmp(a->schema.overload, b->schema.overload);
}

bool tm_names_reserve(int64_t more)
{
    if (num_sorted + more <= sorted_room)
        return true;
    int64_t room = sorted_room ? 2 * sorted_room : 256;
    tm_op **bigger = tm_alloc((size_t)room * sizeof(tm_op *));
    if (!bigger)
        return false;
    if (num_sorted)
        memcpy(bigger, sorted, (size_t)num_sorted * sizeof(tm_op *));
    tm_free(sorted, (size_t)sorted_room * sizeof(tm_op *));
    sorted = bigger;
    sorted_room = room;
    return true;
}

static tm_op *find_overload(const tm_name_entry *entry, const char *overload)
{
    if (entry && entry->of)
        entry = entry->of;
    tm_op *op = entry ? entry->first : NULL;
    if (!overload || !overload[0])
        return op;
    while (op && strcmp(op->schema.overload, overload) != 0)
        op = op->next_overload;
    return op;
}

/* Whether exactly that overload exists; "" is one of its own here. */
bool tm_names_taken(const tm_op *op)
{
    const tm_name_entry *entry = find_name(op->schema.name);
    if (!entry)
        return false;
    if (entry->of)
        return true;
    for (const tm_op *o = entry->first; o; o = o->next_overload)
        if (strcmp(o->schema.overload, op->schema.overload) == 0)
            return true;
    return false;
}

/* Enters an op; cannot fail once its name is there and sorted has room. */
void tm_names_enter(tm_op *op, tm_name_entry *entry)
{
    tm_op **link = &entry->first;
    while (*link)
        link = &(*link)->next_overload;
    *link = op;
    int64_t at = num_sorted++;
    for (; at > 0 && compare_ops(sorted[at - 1], op) > 0; at--)
        sorted[at] = sorted[at - 1];
    sorted[at] = op;
    op->next_all = all_ops;
    all_ops = op;
}

tm_status tm_names_add_alias(const char *alias, const char *name, const tm_library *library)
{
    tm_name_entry *entry = find_name(alias), *of = find_name(name);
    if (!of)
        return tm_error_set(TM_ERR_USAGE, "library_alias", "name", "there is no op %s", name);
    if (of->of)
        of = of->of;
    if (entry && entry->of == of)
        return TM_OK;
    if (entry && (entry->of || entry->first))
        return tm_error_set(TM_ERR_USAGE, "library_alias", "alias", "the name %s is taken", alias);
    if (!entry)
        entry = tm_names_add(alias);
    if (!entry)
        return tm_error_memory("library_alias", (int64_t)sizeof *entry);
    entry->of = of;
    entry->library = library;
    return TM_OK;
}

/* The next name of a comma-separated list; false at its end. */
static bool next_alias(const char **at, char name[64])
{
    if (!*at || !**at)
        return false;
    size_t length = strcspn(*at, ",");
    snprintf(name, 64, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ',');
    return true;
}

tm_status tm_names_add_aliases(const tm_op *op)
{
    char name[64];
    tm_status status = TM_OK;
    /* First room for every name, then what cannot fail: all of them or none. */
    const tm_name_entry *of = find_name(op->schema.name);
    for (const char *at = op->def.aliases; status == TM_OK && next_alias(&at, name);) {
        const tm_name_entry *entry = find_name(name);
        if (entry && (entry->of ? entry->of != of : entry->first != NULL))
            status = tm_error_set(TM_ERR_USAGE, "library_register", "aliases",
                                  "the alias %s of %s is taken", name, op->schema.name);
        else if (!tm_names_add(name))
            status = tm_error_memory("library_register", (int64_t)sizeof *entry);
    }
    for (const char *at = op->def.aliases; next_alias(&at, name);) {
        if (status == TM_OK)
            tm_names_add_alias(name, op->schema.name, op->library);
        else
            tm_names_drop_empty(name);
    }
    return status;
}

void tm_names_lock(void)
{
    tm_error_hold_callback();
    pthread_mutex_lock(&lock);
}

void tm_names_unlock(void)
{
    pthread_mutex_unlock(&lock);
    tm_error_release_callback();
}

tm_op *tm_names_find(const char *name, const char *overload)
{
    return find_overload(find_name(name), overload);
}

tm_op *tm_names_at(int64_t i)
{
    return i >= 0 && i < num_sorted ? sorted[i] : NULL;
}

int64_t tm_names_count(void)
{
    return num_sorted;
}

size_t tm_names_aliases(const tm_op *op, char *buffer, size_t size)
{
    size_t used = 0;
    const tm_name_entry *of = find_name(op->schema.name);
    for (tm_name_entry *entry = names; entry; entry = entry->hh.next) {
        if (!of || entry->of != of)
            continue;
        int n = snprintf(used < size ? buffer + used : NULL, used < size ? size - used : 0, "%s%s",
                         used ? "," : "", entry->name);
        used += n > 0 ? (size_t)n : 0;
    }
    if (size && !used)
        buffer[0] = '\0';
    return used;
}

void tm_names_keep_kernel(tm_kernel *kernel)
{
    kernel->next_all = all_kernels;
    all_kernels = kernel;
}

static void retire_op(tm_op *op)
{
    atomic_store_explicit(&op->retired, true, memory_order_release);
    tm_name_entry *entry = find_name(op->schema.name);
    for (tm_op **link = entry ? &entry->first : NULL; link && *link; link = &(*link)->next_overload)
        if (*link == op) {
            *link = op->next_overload;
            break;
        }
    int64_t at = 0;
    while (at < num_sorted && sorted[at] != op)
        at++;
    for (; at + 1 < num_sorted; at++)
        sorted[at] = sorted[at + 1];
    num_sorted--;
}

/* Takes a kernel out of its op's stack; readers that hold it still find what lies below. */
static void unlink_kernel(tm_kernel *kernel)
{
    _Atomic(tm_kernel *) *link = &kernel->op->kernels[kernel->key];
    tm_kernel *at;
    while ((at = atomic_load_explicit(link, memory_order_acquire)) && at != kernel)
        link = &at->below;
    if (at)
        atomic_store_explicit(link, atomic_load_explicit(&kernel->below, memory_order_acquire),
                              memory_order_release);
}

void tm_names_retire(const tm_library *library)
{
    tm_name_entry *entry, *next;
    for (entry = names; entry; entry = next) {
        next = entry->hh.next;
        if (entry->of && entry->library == library) {
            entry->of = NULL;
            tm_names_drop_empty(entry->name);
        }
    }
    for (tm_op *op = all_ops; op; op = op->next_all)
        if (op->library == library && !atomic_load_explicit(&op->retired, memory_order_relaxed))
            retire_op(op);
    for (tm_kernel *k = all_kernels; k; k = k->next_all)
        if (k->library == library && k->op->library != library)
            unlink_kernel(k);
    /* Names without ops go, and aliases of other libraries that stood for them. */
    for (entry = names; entry; entry = next) {
        next = entry->hh.next;
        if (entry->of && !entry->of->first)
            entry->of = NULL;
    }
    for (entry = names; entry; entry = next) {
        next = entry->hh.next;
        tm_names_drop_empty(entry->name);
    }
}

void tm_registry_free(void)
{
    tm_name_entry *entry, *next;
    for (entry = names; entry; entry = next) {
        next = entry->hh.next;
        HASH_DEL(names, entry);
        free_name(entry);
    }
    tm_free(sorted, (size_t)sorted_room * sizeof(tm_op *));
    for (tm_op *op = all_ops, *after; op; op = after) {
        after = op->next_all;
        tm_op_free(op);
    }
    for (tm_kernel *k = all_kernels, *after; k; k = after) {
        after = k->next_all;
        tm_kernel_free(k);
    }
    sorted = NULL;
    all_ops = NULL;
    all_kernels = NULL;
    num_sorted = sorted_room = 0;
    tm_quarantine_empty();
}
