/* storage.c: making, freeing and promoting storages. The invariants are in storage.h.
 *
 * The list of records derived from a root is the only part that several threads may change at
 * once (one releases a handle, another promotes), so it has a lock; everything else belongs to one
 * thread at a time, as a caller's own memory would.
 */
#include "storage.h"

#include <pthread.h>
#include <string.h>

#include "memory.h"
#include "seat.h"

static pthread_mutex_t derived_lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t round_up(int64_t bytes)
{
    return (bytes + TM_ALIGNMENT - 1) / TM_ALIGNMENT * TM_ALIGNMENT;
}

static void init(tm_storage *storage, tm_thread *thread, size_t record_size, int room)
{
    atomic_init(&storage->refs, 1);
    storage->num_entries = 0;
    storage->entry_room = (uint8_t)room;
    storage->external = storage->read_only = storage->was_derived = storage->guarded = false;
    storage->cold = false;
    storage->root = storage;
    storage->entries = (tm_batch_entry *)(storage + 1);
    storage->thread = thread->id;
    storage->born = thread->last_level;
    storage->serial = ++thread->storages;
    storage->record_size = record_size;
    storage->entries_size = 0;
    storage->derived = NULL;
    storage->data = NULL;
    storage->bytes = 0;
    storage->block = NULL;
    storage->keeps = NULL;
    storage->deleter = NULL;
    storage->user = NULL;
}

enum { GUARD_BYTE = 0x9d };

/* Zones on both sides, and poison between them. */
TM_OUT_OF_LINE static void guard(tm_storage *storage, unsigned char poison)
{
    storage->data += TM_GUARD;
    storage->guarded = true;
    memset(storage->data - TM_GUARD, GUARD_BYTE, TM_GUARD);
    memset(storage->data, poison, (size_t)storage->bytes);
    memset(storage->data + storage->bytes, GUARD_BYTE, TM_GUARD);
}

bool tm_storage_intact(const tm_storage *root)
{
    if (!root->guarded)
        return true;
    for (int i = 0; i < TM_GUARD; i++)
        if ((unsigned char)root->data[i - TM_GUARD] != GUARD_BYTE ||
            (unsigned char)root->data[root->bytes + i] != GUARD_BYTE)
            return false;
    return true;
}

/* A record over the seat's memory. */
TM_OUT_OF_LINE static tm_storage *take_seat(tm_thread *thread, const tm_seat *seat, int num_entries,
                                            size_t size)
{
    tm_storage *storage = tm_alloc(size);
    if (!storage)
        return NULL;
    init(storage, thread, size, num_entries);
    storage->data = seat->data;
    storage->bytes = seat->bytes;
    storage->keeps = tm_storage_retain(seat->host);
    storage->cold = seat->cold;
    return storage;
}

tm_storage *tm_storage_new(tm_thread *thread, int64_t bytes, int num_entries, size_t extra)
{
    size_t head = sizeof(tm_storage) + (size_t)num_entries * sizeof(tm_batch_entry) + extra;
    const tm_seat *seat = tm_seat_next(thread, bytes, num_entries);
    if (__builtin_expect(seat != NULL, 0))
        return take_seat(thread, seat, num_entries, head);
    size_t around = TM_ALIGNMENT + (thread->guards ? 2 * TM_GUARD : 0);
    if (bytes < 0 || bytes > PTRDIFF_MAX - (int64_t)(head + around))
        return NULL;
    size_t size = head + (size_t)bytes + around;
    tm_storage *storage = tm_alloc(size);
    if (!storage)
        return NULL;
    init(storage, thread, size, num_entries);
    uintptr_t end = (uintptr_t)storage + head;
    storage->data = (char *)storage + head + (TM_ALIGNMENT - end % TM_ALIGNMENT) % TM_ALIGNMENT;
    storage->bytes = bytes;
    if (__builtin_expect(thread->guards != 0, 0))
        guard(storage, thread->poison);
    return storage;
}

tm_storage *tm_storage_wrap(tm_thread *thread, char *data, int64_t bytes, bool read_only)
{
    tm_storage *storage = tm_alloc(sizeof *storage);
    if (!storage)
        return NULL;
    init(storage, thread, sizeof *storage, 0);
    storage->data = data;
    storage->bytes = bytes;
    storage->external = true;
    storage->read_only = read_only;
    return storage;
}

tm_storage *tm_storage_derive(tm_thread *thread, tm_storage *storage, uint64_t level)
{
    tm_storage *root = storage->root;
    size_t size = sizeof *storage + storage->num_entries * sizeof(tm_batch_entry);
    tm_storage *record = tm_alloc(size);
    if (!record)
        return NULL;
    init(record, thread, size, storage->num_entries);
    record->root = tm_storage_retain(root);
    record->was_derived = true;
    record->thread = storage->thread;
    record->born = level != 0 && storage->born >= level ? level - 1 : storage->born;
    record->external = storage->external;
    record->read_only = storage->read_only;
    for (int i = 0; level != 0 && i < storage->num_entries; i++)
        if (storage->entries[i].level != level)
            record->entries[record->num_entries++] = storage->entries[i];
    pthread_mutex_lock(&derived_lock);
    record->derived = root->derived;
    root->derived = record;
    pthread_mutex_unlock(&derived_lock);
    return record;
}

void tm_storage_free(tm_storage *storage, tm_storage *root)
{
    if (__builtin_expect(!tm_storage_intact(storage), 0))
        tm_thread_get()->guard_broken = true;
    tm_storage *under = root ? root : storage->keeps;
    if (!root) {
        if (storage->block)
            tm_free(storage->block, storage->block->size);
        if (storage->deleter)
            storage->deleter(storage->user);
    }
    if (storage->entries_size)
        tm_free(storage->entries, storage->entries_size);
    tm_free(storage, storage->record_size);
    if (under)
        tm_storage_release(under);
}

void tm_storage_release_derived(tm_storage *record)
{
    pthread_mutex_lock(&derived_lock);
    bool last = tm_ref_drop(&record->refs);
    tm_storage *root = record->root == record ? NULL : record->root;
    if (last && root) {
        tm_storage **link = &root->derived;
        while (*link != record)
            link = &(*link)->derived;
        *link = record->derived;
    }
    pthread_mutex_unlock(&derived_lock);
    if (last)
        tm_storage_free(record, root);
}

/* Makes room for one more entry in a record. */
static bool reserve_entry(tm_storage *storage)
{
    if (storage->num_entries < storage->entry_room)
        return true;
    size_t size = TM_MAX_LEVELS * sizeof(tm_batch_entry);
    tm_batch_entry *entries = tm_alloc(size);
    if (!entries)
        return false;
    memcpy(entries, storage->entries, storage->num_entries * sizeof *entries);
    storage->entries = entries;
    storage->entries_size = size;
    storage->entry_room = TM_MAX_LEVELS;
    return true;
}

/* Adds `stride` to the record's entry of the level, or inserts one in order. A record that already
 * has one is a sibling over the same block: in each example's copy, its part lies where it lay. */
static void add_entry(tm_storage *storage, uint64_t level, int64_t size, int64_t stride)
{
    int at = 0;
    while (at < storage->num_entries && storage->entries[at].level < level)
        at++;
    if (at < storage->num_entries && storage->entries[at].level == level) {
        storage->entries[at].stride += stride;
        return;
    }
    memmove(storage->entries + at + 1, storage->entries + at,
            (size_t)(storage->num_entries - at) * sizeof *storage->entries);
    storage->entries[at] = (tm_batch_entry){level, size, stride};
    storage->num_entries++;
}

/* A root's records, itself the first; with the lock held. */
static tm_storage *next_record(tm_storage *root, tm_storage *record)
{
    return record == root ? root->derived : record->derived;
}

/* Records may go before they need theirs, but none comes: only the level's own thread makes them.
 */
static bool reserve_entries(tm_storage *root)
{
    bool ok = true;
    pthread_mutex_lock(&derived_lock);
    for (tm_storage *record = root; record && ok; record = next_record(root, record))
        ok = reserve_entry(record);
    pthread_mutex_unlock(&derived_lock);
    return ok;
}

/* Records made outside the level leave the root for one of their own, which takes the old block
 * over. Returns whether any did. With the lock held. */
static bool detach_outside(tm_storage *root, uint64_t level)
{
    tm_storage *outside = NULL; /* the new root */
    tm_storage **link = &root->derived;
    while (*link) {
        tm_storage *record = *link;
        if (record->born >= level) {
            link = &record->derived;
            continue;
        }
        *link = record->derived;
        record->derived = NULL;
        if (!outside) {
            outside = record;
            record->root = record;
            record->data = root->data;
            record->bytes = root->bytes;
            record->block = root->block;
            record->keeps = root; /* the reference it held as a derived record */
        } else {
            record->root = tm_storage_retain(outside);
            record->derived = outside->derived;
            outside->derived = record;
            atomic_fetch_sub_explicit(&root->refs, 1, memory_order_acq_rel); /* never the last */
        }
    }
    return outside != NULL;
}

bool tm_storage_promote(tm_storage *storage, tm_open_level *level)
{
    tm_storage *root = storage->root;
    int64_t stride = round_up(root->bytes), bytes, total;
    if (!tm_mul_size(stride, level->size, &bytes) ||
        !tm_add_size(bytes, (int64_t)sizeof(tm_block) + TM_ALIGNMENT, &total))
        return false;
    if (!reserve_entries(root))
        return false;
    tm_block *block = tm_alloc((size_t)total);
    if (!block)
        return false;
    block->size = (size_t)total;
    uintptr_t end = (uintptr_t)(block + 1);
    char *data = (char *)(block + 1) + (TM_ALIGNMENT - end % TM_ALIGNMENT) % TM_ALIGNMENT;
    for (int64_t i = 0; root->bytes > 0 && i < level->size; i++)
        memcpy(data + i * stride, root->data, (size_t)root->bytes);
    pthread_mutex_lock(&derived_lock);
    bool taken_over = detach_outside(root, level->id);
    if (root->block && !taken_over) { /* pointers into it may be held until the level ends */
        root->block->next = level->blocks;
        level->blocks = root->block;
    }
    root->block = block;
    root->guarded = root->cold = false; /* the zones, or the seat, stay with the old block */
    root->data = data;
    root->bytes = bytes;
    for (tm_storage *record = root; record; record = next_record(root, record))
        add_entry(record, level->id, level->size, stride);
    pthread_mutex_unlock(&derived_lock);
    return true;
}

void tm_storage_free_blocks(tm_open_level *level)
{
    tm_block *block = level->blocks;
    level->blocks = NULL;
    while (block) {
        tm_block *next = block->next;
        tm_free(block, block->size);
        block = next;
    }
}
