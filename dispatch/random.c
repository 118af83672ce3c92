/* random.c: Philox streams.
 *
 * A value is a function of the seed, the example's index at each level that draws (outermost
 * first), the number of the random call on its generator since seeding, and the element. The key
 * starts as the seed and is mixed once for each such level; the counter holds the call's number and
 * the element's block. Philox 4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3" (SC 2011), from Random123.
 */
#include "random.h"

#include <Random123/philox.h>

static void mix(uint32_t key[2], uint64_t index, uint32_t depth)
{
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), depth, 0x7472616eu}};
    philox4x32_key_t k = {{key[0], key[1]}};
    philox4x32_ctr_t mixed = philox4x32(counter, k);
    key[0] = mixed.v[0];
    key[1] = mixed.v[1];
}

/* The generator among the arguments, or the thread's. */
static tm_generator *generator_of(const tm_call *call)
{
    int arg = call->op->generator_arg;
    tm_generator *given = arg >= 0 ? call->args[arg].generator : NULL;
    return given ? given : &call->thread->generator;
}

tm_status tm_stream_begin(tm_call *call)
{
    tm_generator *generator = generator_of(call);
    if (!tm_random_note(call->thread, generator))
        return tm_call_no_memory(call, (int64_t)sizeof(tm_marked));
    uint32_t *key = call->base_key;
    key[0] = (uint32_t)generator->seed;
    key[1] = (uint32_t)(generator->seed >> 32);
    call->stream.count = generator->count;
    call->base_depth = 0;
    if (generator->pinned) {
        call->stream.count = generator->pin_count;
        for (int i = 0; i < generator->pin_levels; i++)
            mix(key, (uint64_t)generator->pin_index[i], call->base_depth++);
        generator->pinned = false;
    } else {
        generator->count++;
    }
    call->stream.key[0] = key[0];
    call->stream.key[1] = key[1];
    return TM_OK;
}

void tm_stream_seek(tm_call *call, int num_levels, const int64_t *index)
{
    uint32_t key[2] = {call->base_key[0], call->base_key[1]};
    uint32_t depth = call->base_depth;
    for (int l = 0; l < num_levels; l++)
        if (call->random_levels >> l & 1)
            mix(key, (uint64_t)(call->random_first[l] + index[l]), depth++);
    call->stream.key[0] = key[0];
    call->stream.key[1] = key[1];
}

tm_random_block tm_random(const tm_call *call, uint64_t index)
{
    if (!call) {
        tm_error_null("random", "call");
        return (tm_random_block){{0}};
    }
    const tm_stream *stream = &call->stream;
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream->count,
                                 (uint32_t)(stream->count >> 32)}};
    philox4x32_key_t key = {{stream->key[0], stream->key[1]}};
    philox4x32_ctr_t words = philox4x32(counter, key);
    return (tm_random_block){{words.v[0], words.v[1], words.v[2], words.v[3]}};
}
