/* program_names.c: a program's names and what they stand for. */
#include <stdlib.h>
#include <string.h>

#include <transmute/memory.h>
#include <transmute/tensor.h>

#include "program.h"

#define uthash_fatal(message) tm_cli_no_memory()
#include <uthash.h>

typedef struct entry {
    const char *text;
    int number, last_use;
    tm_named named;
    UT_hash_handle hh;
} entry;

struct tm_program_names {
    tm_cli_memory memory;
    entry *by_text, **by_number;
    int count, room;
};

tm_program_names *tm_program_names_new(void)
{
    tm_cli_memory memory = {0};
    tm_program_names *names = tm_cli_alloc(&memory, 1, sizeof *names);
    names->memory = memory;
    return names;
}

void tm_program_names_free(tm_program_names *names)
{
    if (!names)
        return;
    for (int i = 0; i < names->count; i++)
        tm_program_names_clear(&names->by_number[i]->named);
    HASH_CLEAR(hh, names->by_text);
    tm_cli_memory memory = names->memory; /* the table lies in it */
    tm_cli_free(&memory);
}

int tm_program_names_find(const tm_program_names *names, const char *text)
{
    entry *found;
    HASH_FIND_STR(names->by_text, text, found);
    return found ? found->number : -1;
}

int tm_program_names_add(tm_program_names *names, const char *text)
{
    int number = tm_program_names_find(names, text);
    if (number >= 0)
        return number;
    if (names->count == names->room) {
        names->room = names->room ? 2 * names->room : 64;
        entry **more = tm_cli_alloc(&names->memory, (size_t)names->room, sizeof *more);
        for (int i = 0; i < names->count; i++)
            more[i] = names->by_number[i];
        names->by_number = more;
    }
    entry *added = tm_cli_alloc(&names->memory, 1, sizeof *added);
    added->text = text;
    added->number = names->count;
    names->by_number[names->count++] = added;
    HASH_ADD_KEYPTR(hh, names->by_text, added->text, strlen(added->text), added);
    return added->number;
}

tm_named *tm_program_names_at(tm_program_names *names, int number)
{
    return &names->by_number[number]->named;
}

void tm_program_names_used(tm_program_names *names, int number, int at)
{
    names->by_number[number]->last_use = at;
}

int tm_program_names_last_use(const tm_program_names *names, int number)
{
    return names->by_number[number]->last_use;
}

void tm_program_names_clear(tm_named *named)
{
    for (int i = 0; i < named->count; i++)
        tm_release(named->tensors[i]);
    free(named->tensors);
    *named = (tm_named){0};
}

void tm_program_names_set(tm_named *named, tm_named_kind kind, int count, const tm_tensor **tensors)
{
    tm_program_names_clear(named);
    *named = (tm_named){.kind = kind, .count = count, .tensors = tensors};
}

static bool is_mapped(const tm_named *named, uint64_t level)
{
    for (int i = 0; i < named->count; i++)
        for (int k = 0; k < tm_num_levels(named->tensors[i]); k++)
            if (tm_level_at(named->tensors[i], k, NULL) == level)
                return true;
    return false;
}

void tm_program_names_end_level(tm_program_names *names, uint64_t level)
{
    for (int i = 0; i < names->count; i++) {
        tm_named *named = tm_program_names_at(names, i);
        if (is_mapped(named, level)) {
            tm_program_names_clear(named);
            named->kind = TM_NAMED_ENDED;
        }
    }
}
