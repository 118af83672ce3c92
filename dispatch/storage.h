/* storage.h: the memory behind handles.
 *
 * A storage is a record over a block of bytes. Most are allocated together with their block; a
 * derived record (made by tm_vmap_out) stands over the block of its root with batch entries of its
 * own. Promotion at a level replaces the block at the root, and every record over it that was made
 * inside the level gains the same entry, so all handles and views see it. Records made outside
 * (what tm_vmap_out returned before) stay on the old block, under a root of their own.
 *
 * Invariants: root->root == root; data and the block are the root's alone; entries are in order of
 * level id and their strides are in bytes.
 *
 * Any thread may release a derived record while another promotes: a root's list of records, the
 * records' roots and their last references go under one lock.
 */
#ifndef TM_DISPATCH_STORAGE_H
#define TM_DISPATCH_STORAGE_H

#include <stdatomic.h>
#include <sys/single_threaded.h>

#include "thread.h"

/** tm_dtype_size for a dtype known to be one, without a call. */
static inline int64_t tm_item_size(uint8_t dtype)
{
    static const uint8_t sizes[TM_NUM_DTYPES] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return sizes[dtype % TM_NUM_DTYPES];
}

/** A level's dimension: in a handle the stride is in elements, in a storage in bytes. */
typedef struct tm_batch_entry {
    uint64_t level;
    int64_t size;
    int64_t stride;
} tm_batch_entry;

/** Memory that a promotion made; `next` links those that wait for their level's end. */
typedef struct tm_block {
    struct tm_block *next;
    size_t size; /**< of the whole allocation */
} tm_block;

struct tm_storage {
    _Atomic int32_t refs; /**< handles and derived records */
    uint8_t num_entries, entry_room;
    bool external; /**< wrapped memory: never promoted */
    bool read_only;
    bool was_derived; /**< made by tm_storage_derive: promotion may give it another root */
    bool guarded;     /**< TM_GUARD bytes before and behind the data, which nobody may write */
    bool cold;        /**< lies in a seat that is in no cache */
    uint32_t serial;  /**< its number among the thread's storages, which may wrap */
    tm_storage *root;
    tm_batch_entry *entries; /**< the levels this storage is replicated over */
    uint64_t thread;         /**< who made it */
    uint64_t born;           /**< that thread's last level id then */
    size_t record_size;      /**< bytes of this allocation */
    size_t entries_size;     /**< bytes of `entries` where they have outgrown the record, else 0 */
    tm_storage *derived;     /**< root: the first derived record; derived: the next one */

    /* The root's alone. */
    char *data;
    int64_t bytes;     /**< of the whole block, every example's copy included */
    tm_block *block;   /**< where promotion has moved the data, else NULL */
    tm_storage *keeps; /**< the former root, or a seat's host, in whose allocation the data may
                          lie, or NULL */
    void (*deleter)(void *user);
    void *user;
};

enum { TM_ALIGNMENT = 64, TM_GUARD = 64 };

/** A storage with a new block of `bytes`, or a seat, and room for `num_entries` entries, unset. One
 *  reference. NULL on lack of memory, without a record. `extra` bytes lie behind the entries, for a
 *  handle. */
tm_storage *tm_storage_new(tm_thread *thread, int64_t bytes, int num_entries, size_t extra);
/** A storage over memory of the caller's. */
tm_storage *tm_storage_wrap(tm_thread *thread, char *data, int64_t bytes, bool read_only);
/** A record over the same block without the entry of `level`, made outside that level as far as
 * later writes can tell (0: without any entry). */
tm_storage *tm_storage_derive(tm_thread *thread, tm_storage *storage, uint64_t level);

/** Adds a reference. While the process has one thread no locked instruction is needed. */
static inline void tm_ref_add(_Atomic int32_t *refs)
{
    if (__libc_single_threaded)
        atomic_store_explicit(refs, atomic_load_explicit(refs, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}

/** Drops a reference; true where it was the last. */
static inline bool tm_ref_drop(_Atomic int32_t *refs)
{
    int32_t count = atomic_load_explicit(refs, memory_order_acquire);
    if (count == 1) /* nobody else holds one, so nobody can add one */
        return true;
    if (__libc_single_threaded) {
        atomic_store_explicit(refs, count - 1, memory_order_relaxed);
        return false;
    }
    return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

static inline tm_storage *tm_storage_retain(tm_storage *storage)
{
    tm_ref_add(&storage->refs);
    return storage;
}

/** Frees a storage whose last reference is gone; `root` is whose record it was, or NULL. */
void tm_storage_free(tm_storage *storage, tm_storage *root);
/** tm_storage_release of a record that was derived. */
void tm_storage_release_derived(tm_storage *record);

/** Whether the guard zones of a root are whole; true where it has none. */
bool tm_storage_intact(const tm_storage *root);

static inline void tm_storage_release(tm_storage *storage)
{
    if (__builtin_expect(storage->was_derived, 0))
        tm_storage_release_derived(storage);
    else if (tm_ref_drop(&storage->refs))
        tm_storage_free(storage, NULL);
}

/** The entry of that level, or NULL. */
static inline const tm_batch_entry *tm_storage_entry(const tm_storage *storage, uint64_t level)
{
    for (int i = 0; i < storage->num_entries; i++)
        if (storage->entries[i].level == level)
            return &storage->entries[i];
    return NULL;
}

/** Whether the storage was made inside that open level of this thread. */
static inline bool tm_storage_inside(const tm_storage *storage, const tm_thread *thread,
                                     uint64_t level)
{
    return storage->thread == thread->id && storage->born >= level;
}

/** Gives every example of `level` its own copy of the whole block: in this record and all over the
 *  same block that were made inside the level. Those made outside keep the block as it is. False on
 *  lack of memory, with the storage as it was. */
bool tm_storage_promote(tm_storage *storage, tm_open_level *level);
/** Frees the blocks that waited for the level's end. */
void tm_storage_free_blocks(tm_open_level *level);

#endif
