/* piece.c: vmap in pieces, each of which is the batch's first examples: modes/vmap.c with another
 * tm_vmap_make_piece. */
#define tm_vmap_make_piece real_make_piece
#include "modes/vmap.c" // NOLINT
#undef tm_vmap_make_piece

void tm_vmap_make_piece(tm_vmap_level *level, int64_t first, int64_t whole);

void tm_vmap_make_piece(tm_vmap_level *level, int64_t first, int64_t whole)
{
    (void)first;
    real_make_piece(level, 0, whole);
}
