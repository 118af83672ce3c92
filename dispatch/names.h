/* names.h: the table of op names. All but the lock itself are called with it held. */
#ifndef TM_DISPATCH_NAMES_H
#define TM_DISPATCH_NAMES_H

#include "call.h"

typedef struct tm_name_entry tm_name_entry;

void tm_names_lock(void);
void tm_names_unlock(void);

/** The op of a name or alias and an overload ("" or NULL: the first); NULL for none. */
tm_op *tm_names_find(const char *name, const char *overload);
/** Live ops in order of name and overload. */
tm_op *tm_names_at(int64_t i);
int64_t tm_names_count(void);
/** The aliases of the op's name, comma-separated; returns the length that would be needed. */
size_t tm_names_aliases(const tm_op *op, char *buffer, size_t size);

/** The entry of that name, made if need be; NULL on lack of memory. */
tm_name_entry *tm_names_add(const char *name);
void tm_names_drop_empty(const char *name);
bool tm_names_taken(const tm_op *op);
/** Room for so many more ops; then tm_names_enter cannot fail. */
bool tm_names_reserve(int64_t more);
void tm_names_enter(tm_op *op, tm_name_entry *entry);
/** The aliases that the op's declaration lists. */
tm_status tm_names_add_aliases(const tm_op *op);
tm_status tm_names_add_alias(const char *alias, const char *name, const tm_library *library);
/** Remembers a kernel, to free it at exit. */
void tm_names_keep_kernel(tm_kernel *kernel);
/** Takes out all that the library registered. */
void tm_names_retire(const tm_library *library);

char *tm_copy_text(const char *text);

#endif
