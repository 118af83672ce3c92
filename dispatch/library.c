/* library.c: handles for what one piece of code registers. */
#include <ctype.h>
#include <string.h>

#include "given.h"
#include "memory.h"
#include "names.h"

/* A closed library's record stays, like all it registered: retired kernels point at it. */
struct tm_library {
    bool closed; /* under the names' lock, so that nothing enters a library that is being closed */
    struct tm_library *next_all;
    char name[48];
};

static tm_library *all_libraries;

const char *tm_library_name(const tm_library *library)
{
    return library ? library->name : "built-in";
}

__attribute__((destructor(101))) static void free_libraries(void)
{
    if (!tm_process_is_over())
        return;
    while (all_libraries) {
        tm_library *next = all_libraries->next_all;
        tm_allocator allocator = tm_get_allocator();
        allocator.release(all_libraries, sizeof *all_libraries, allocator.user);
        all_libraries = next;
    }
}

tm_library *tm_library_open(const char *name)
{
    if (!name) {
        tm_error_null("library_open", "name");
        return NULL;
    }
    tm_library *library = tm_registry_ready() ? tm_alloc(sizeof *library) : NULL;
    if (!library) {
        tm_error_memory("library_open", (int64_t)sizeof *library);
        return NULL;
    }
    memset(library, 0, sizeof *library);
    strncpy(library->name, name, sizeof library->name - 1);
    tm_names_lock();
    library->next_all = all_libraries;
    all_libraries = library;
    tm_names_unlock();
    return library;
}

tm_status tm_library_open_still(const tm_library *library, const char *function)
{
    if (library->closed)
        return tm_error_set(TM_ERR_USAGE, function, "library", "the library %s has been closed",
                            library->name);
    return TM_OK;
}

const tm_op *tm_library_register(tm_library *library, const tm_op_def *def)
{
    tm_op_def own;
    if (!library || !def) {
        tm_error_null("library_register", library ? "def" : "library");
        return NULL;
    }
    if (tm_given_take("library_register", "def", TM_GIVEN_TYPE(tm_op_def, samples), def, &own) !=
        TM_OK)
        return NULL;
    if (!own.schema) {
        tm_error_null("library_register", "schema");
        return NULL;
    }
    const tm_op *places[3];
    return tm_registry_register(&own, NULL, NULL, library, places);
}

tm_status tm_library_override(tm_library *library, const tm_op *op, tm_key key,
                              const tm_kernel_def *given)
{
    if (!library || !op || !given)
        return tm_error_null("library_override", !library ? "library" : op ? "def" : "op");
    tm_kernel_def def;
    if (tm_given_take("library_override", "def", TM_GIVEN_TYPE(tm_kernel_def, thread_safe), given,
                      &def) != TM_OK)
        return tm_error_code();
    if (op->base)
        op = op->base; /* forms run their base's kernels */
    tm_contract contract = op->def.contract;
    bool has = key == TM_KEY_BATCHED        ? (def.batched != NULL) != (def.rule != NULL)
               : key == TM_KEY_LANES        ? def.lanes != NULL
               : contract == TM_ELEMENTWISE ? def.loops != NULL
               : contract == TM_REDUCTION   ? def.reduce != NULL
                                            : def.impl != NULL;
    bool batchable = contract == TM_PER_EXAMPLE || contract == TM_SIGNATURE;
    if (contract == TM_VIEW || (key == TM_KEY_BATCHED && !batchable) ||
        (key == TM_KEY_LANES && !tm_op_takes_lanes(op)) || (unsigned)key >= TM_NUM_KEYS)
        return tm_error_set(TM_ERR_USAGE, "library_override", "key",
                            "%s, a %s op, has no %s kernels", op->schema.name,
                            tm_contract_name(contract), tm_key_name(key));
    if (!has)
        return tm_error_set(TM_ERR_USAGE, "library_override", "def",
                            def.batched && def.rule && key == TM_KEY_BATCHED
                                ? "def has a batched function and a rule, but the %s kernel of %s, "
                                  "a %s op, is one of them"
                                : "def lacks the %s kernel of %s, a %s op",
                            tm_key_name(key), op->schema.name, tm_contract_name(contract));
    tm_kernel_def wanted = {.struct_size = sizeof wanted, .thread_safe = def.thread_safe};
    if (key == TM_KEY_BATCHED) {
        wanted.batched = def.batched;
        wanted.rule = def.rule;
    } else if (key == TM_KEY_LANES) {
        wanted.lanes = def.lanes;
    } else if (contract == TM_ELEMENTWISE) {
        wanted.loops = def.loops;
    } else if (contract == TM_REDUCTION) {
        wanted.reduce = def.reduce;
    } else {
        wanted.impl = def.impl;
    }
    tm_kernel *kernel = tm_kernel_new(op, &wanted, NULL, library);
    if (!kernel)
        return tm_error_code();
    tm_names_lock();
    tm_status status = tm_library_open_still(library, "library_override");
    if (status == TM_OK)
        tm_registry_push_kernel((tm_op *)(uintptr_t)op, key, kernel);
    else
        tm_kernel_free(kernel);
    tm_names_unlock();
    return status;
}

tm_status tm_library_alias(tm_library *library, const char *alias, const char *name)
{
    if (!library || !alias || !name)
        return tm_error_null("library_alias", !library ? "library" : alias ? "name" : "alias");
    bool name_like = alias[0] == '_' || isalpha((unsigned char)alias[0]);
    for (const char *c = alias; *c && name_like; c++)
        name_like = *c == '_' || isalnum((unsigned char)*c);
    if (!name_like)
        return tm_error_set(TM_ERR_USAGE, "library_alias", "alias",
                            "alias must be a name (letters, digits, _), got \"%.60s\"", alias);
    tm_names_lock();
    tm_status status = tm_library_open_still(library, "library_alias");
    if (status == TM_OK)
        status = tm_names_add_alias(alias, name, library);
    tm_names_unlock();
    return status;
}

void tm_library_close(tm_library *library)
{
    if (!library)
        return;
    tm_names_lock();
    if (!library->closed)
        tm_names_retire(library);
    library->closed = true;
    tm_names_unlock();
}
