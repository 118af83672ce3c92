/* vmap.h: what the functional form needs of a level. */
#ifndef TM_MODES_VMAP_H
#define TM_MODES_VMAP_H

#include <transmute/modes.h>

/** Makes the level one that only tm_vmap_close closes. */
void tm_vmap_guard(tm_vmap_level *level);
/** Closes what was opened inside the level; the level stays. */
void tm_vmap_close_inside(tm_vmap_level *level);
/** Closes a level with all that was opened inside it and left open. */
void tm_vmap_close(tm_vmap_level *level);

#endif
