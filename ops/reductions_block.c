/* reductions_block.c: collecting a run's elements where they do not lie along one dimension. */
#include "ops/reductions_block.h"

void tm_block_gather(tm_block_walk *walk, int64_t n, int64_t item, char *buffer, tm_block_run *run)
{
    for (int64_t i = 0; i < n; i++) {
        run->row[i] = walk->at;
        tm_block_advance(walk, 1);
    }
    if (walk->tile > 1)
        return;
    for (int64_t i = 0; i < n; i++)
        __builtin_memcpy(buffer + i * item, run->row[i], (size_t)item);
    run->first = buffer;
}
