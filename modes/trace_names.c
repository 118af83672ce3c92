/* trace_names.c: the names that a program has for tensors.
 *
 * A table from handles to names. It does not grow with the program: names of tensors that nobody
 * else holds are forgotten each time it has doubled.
 */
#include <stdio.h>

#include "dispatch/memory.h"
#include "trace.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(size) tm_alloc(size)
#define uthash_free(memory, size) tm_free(memory, size)
#define uthash_nonfatal_oom(element) ((element)->failed = true)
#include <uthash.h>

typedef struct tm_trace_entry {
    const tm_tensor *x;
    int number;
    bool is_input, failed;
    UT_hash_handle hh;
} entry;

enum { FIRST_SWEEP = 64 };

static bool same_view(const tm_tensor *a, const tm_tensor *b)
{
    if (a->storage != b->storage || a->offset != b->offset || a->dtype != b->dtype ||
        a->ndim != b->ndim || a->num_entries != b->num_entries)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d] || a->strides[d] != b->strides[d])
            return false;
    for (int i = 0; i < a->num_entries; i++)
        if (a->entries[i].level != b->entries[i].level ||
            a->entries[i].stride != b->entries[i].stride)
            return false;
    return true;
}

bool tm_trace_find(const tm_trace_names *names, const tm_tensor *x, char text[TM_TRACE_NAME])
{
    entry *found;
    HASH_FIND_PTR(names->entries, &x, found);
    for (entry *e = names->entries; e && !found; e = e->hh.next)
        if (same_view(e->x, x))
            found = e;
    if (found)
        snprintf(text, TM_TRACE_NAME, "%c%d", found->is_input ? 'x' : 't', found->number);
    return found != NULL;
}

static void drop(tm_trace_names *names, entry *e)
{
    const tm_tensor *x = e->x;
    HASH_DEL(names->entries, e);
    names->count--;
    tm_free(e, sizeof *e);
    tm_release(x);
}

/* Nobody else has the handle, nor another one on its storage. */
static bool is_unused(const tm_tensor *x)
{
    return atomic_load_explicit(&x->refs, memory_order_relaxed) == 1 &&
           atomic_load_explicit(&x->storage->refs, memory_order_relaxed) == 1;
}

static void sweep(tm_trace_names *names)
{
    entry *e, *next;
    HASH_ITER(hh, names->entries, e, next) if (is_unused(e->x)) drop(names, e);
    names->sweep_at = names->count > FIRST_SWEEP / 2 ? 2 * names->count : FIRST_SWEEP;
}

bool tm_trace_add(tm_trace_names *names, const tm_tensor *x, bool is_input,
                  char text[TM_TRACE_NAME])
{
    entry *e;
    HASH_FIND_PTR(names->entries, &x, e);
    if (e)
        drop(names, e);
    if (names->count >= names->sweep_at)
        sweep(names);
    e = tm_alloc(sizeof *e);
    if (!e)
        return false;
    *e = (entry){.x = tm_retain(x), .is_input = is_input};
    HASH_ADD_PTR(names->entries, x, e);
    if (e->failed) {
        tm_release(x);
        tm_free(e, sizeof *e);
        return false;
    }
    names->count++;
    e->number = is_input ? names->num_inputs++ : names->num_results++;
    snprintf(text, TM_TRACE_NAME, "%c%d", is_input ? 'x' : 't', e->number);
    return true;
}

static bool is_mapped_at(const tm_tensor *x, uint64_t level)
{
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    for (int i = 0; i < n; i++)
        if (entries[i].level == level)
            return true;
    return false;
}

void tm_trace_forget(tm_trace_names *names, uint64_t level)
{
    entry *e, *next;
    HASH_ITER(hh, names->entries, e, next) if (!level || is_mapped_at(e->x, level)) drop(names, e);
}
