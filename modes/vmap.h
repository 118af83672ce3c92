/* vmap.h: what the functional form needs of a level. */
#ifndef TM_MODES_VMAP_H
#define TM_MODES_VMAP_H

#include <transmute/modes.h>

/** One run of tm_vmap, its arguments checked. */
typedef struct tm_mapping {
    tm_mapped_fn fn;
    void *user;
    tm_randomness randomness;
    int64_t size; /**< of the whole batch */
    int num_in, num_out;
    const tm_tensor *const *in;
    const int64_t *in_dims, *out_dims; /**< out_dims may be NULL: all 0 */
} tm_mapping;

/** Runs fn over `size` examples from `first` on, in a level of its own. On failure every out[i] is
 *  NULL. */
tm_status tm_vmap_piece(const tm_mapping *mapping, int64_t first, int64_t size, tm_tensor **out);
/** Runs fn over the whole batch, `chunk` examples at a time. On failure every out[i] is NULL. */
tm_status tm_vmap_pieces(const tm_mapping *mapping, int64_t chunk, tm_tensor **out);
/** How many examples of the batch TM_CHUNK_AUTO takes at once. */
int64_t tm_vmap_auto_chunk(const tm_mapping *mapping);

/** The options that a caller gave; NULL gives those of 0. */
tm_status tm_vmap_take_options(const tm_vmap_options *given, tm_vmap_options *options);

/** Makes the level a piece of a batch of `whole` examples, from `first` on. */
void tm_vmap_make_piece(tm_vmap_level *level, int64_t first, int64_t whole);

/** Makes the level one that only tm_vmap_close closes. */
void tm_vmap_guard(tm_vmap_level *level);
/** Closes what was opened inside the level; the level stays. */
void tm_vmap_close_inside(tm_vmap_level *level);
/** Closes a level with all that was opened inside it and left open. */
void tm_vmap_close(tm_vmap_level *level);

#endif
