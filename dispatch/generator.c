/* generator.c: generators of random numbers, the thread's default one among them, and marks.
 *
 * A mark notes a generator at its first use, with the state it had. A list of few entries:
 * functions use one generator or two.
 */
#include "generator.h"

#include <transmute/modes.h>

#include "event.h"
#include "memory.h"
#include "random.h"

/* -- Marks ------------------------------------------------------------------------------------ */

void tm_random_mark_set(tm_random_mark *mark, tm_thread *thread)
{
    *mark = (tm_random_mark){.outer = thread->marks, .thread = thread};
    thread->marks = mark;
}

void tm_random_restart(const tm_random_mark *mark)
{
    for (int i = 0; i < mark->count; i++)
        *mark->marked[i].generator = mark->marked[i].state;
}

void tm_random_mark_drop(tm_random_mark *mark)
{
    mark->thread->marks = mark->outer;
    if (mark->room)
        tm_free(mark->marked, (size_t)mark->room * sizeof *mark->marked);
}

static bool note(tm_random_mark *mark, tm_generator *generator)
{
    for (int i = 0; i < mark->count; i++)
        if (mark->marked[i].generator == generator)
            return true;
    if (mark->count == mark->room) {
        int room = mark->room ? 2 * mark->room : 2;
        tm_marked *more = tm_alloc((size_t)room * sizeof *more);
        if (!more)
            return false;
        for (int i = 0; i < mark->count; i++)
            more[i] = mark->marked[i];
        if (mark->room)
            tm_free(mark->marked, (size_t)mark->room * sizeof *more);
        mark->marked = more;
        mark->room = room;
    }
    mark->marked[mark->count++] = (tm_marked){generator, *generator};
    return true;
}

bool tm_random_note(tm_thread *thread, tm_generator *generator)
{
    for (tm_random_mark *mark = thread->marks; mark; mark = mark->outer)
        if (!note(mark, generator))
            return false;
    return true;
}

static void forget(tm_random_mark *mark, const tm_generator *generator)
{
    for (int i = 0; i < mark->count; i++)
        if (mark->marked[i].generator == generator)
            mark->marked[i] = mark->marked[--mark->count];
}

/* -- Generators ------------------------------------------------------------------------------- */

tm_generator *tm_generator_new(uint64_t seed)
{
    tm_generator *generator = tm_alloc(sizeof *generator);
    if (!generator) {
        tm_error_memory("generator_new", (int64_t)sizeof *generator);
        return NULL;
    }
    *generator = (tm_generator){.seed = seed};
    return generator;
}

void tm_generator_free(tm_generator *generator)
{
    tm_thread *thread = generator ? tm_thread_get() : NULL;
    for (tm_random_mark *mark = thread ? thread->marks : NULL; mark; mark = mark->outer)
        forget(mark, generator);
    if (generator)
        tm_free(generator, sizeof *generator);
}

static tm_status set(const char *function, tm_generator *generator, uint64_t seed, uint64_t count)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    if (!tm_random_note(thread, generator))
        return tm_error_memory(function, (int64_t)sizeof(tm_marked));
    *generator = (tm_generator){.seed = seed, .count = count};
    return TM_OK;
}

tm_status tm_generator_seed(tm_generator *generator, uint64_t seed)
{
    if (!generator)
        return tm_error_null("generator_seed", "generator");
    return set("generator_seed", generator, seed, 0);
}

tm_status tm_generator_skip(tm_generator *generator, uint64_t calls)
{
    if (!generator)
        return tm_error_null("generator_skip", "generator");
    return set("generator_skip", generator, generator->seed, generator->count + calls);
}

uint64_t tm_generator_count(const tm_generator *generator)
{
    if (!generator)
        tm_error_null("generator_count", "generator");
    return generator ? generator->count : 0;
}

/* tm_generator_at, and tm_rng_at of the default one. */
static tm_status pin(const char *function, tm_thread *thread, tm_generator *generator,
                     uint64_t count, int num_levels, const int64_t *index)
{
    if (num_levels < 0 || num_levels > TM_MAX_LEVELS)
        return tm_error_set(TM_ERR_VALUE, function, "num_levels",
                            "num_levels must be in 0..%d, got %d", TM_MAX_LEVELS, num_levels);
    if (num_levels > 0 && !index)
        return tm_error_null(function, "index");
    for (int i = 0; i < num_levels; i++)
        if (index[i] < 0)
            return tm_error_set(TM_ERR_INDEX, function, "index",
                                "index must not be negative, got %lld", (long long)index[i]);
    if (thread->num_levels > thread->level_base)
        return tm_error_set(TM_ERR_USAGE, function, NULL, "must be called outside any vmap");
    generator->pinned = true;
    generator->pin_count = count;
    generator->pin_levels = num_levels;
    for (int i = 0; i < num_levels; i++)
        generator->pin_index[i] = index[i];
    return TM_OK;
}

tm_status tm_generator_at(tm_generator *generator, uint64_t count, int num_levels,
                          const int64_t *index)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    if (!generator)
        return tm_error_null("generator_at", "generator");
    return pin("generator_at", thread, generator, count, num_levels, index);
}

/* -- The thread's default one ------------------------------------------------------------------ */

void tm_seed(uint64_t seed)
{
    tm_thread *thread = tm_thread_get();
    if (thread)
        set("seed", &thread->generator, seed, 0);
}

tm_status tm_rng_skip(uint64_t calls)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    tm_generator *generator = &thread->generator;
    return set("rng_skip", generator, generator->seed, generator->count + calls);
}

uint64_t tm_rng_count(void)
{
    tm_thread *thread = tm_thread_get();
    return thread ? thread->generator.count : 0;
}

tm_status tm_rng_at(uint64_t count, int num_levels, const int64_t *index)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    tm_status status = pin("rng_at", thread, &thread->generator, count, num_levels, index);
    if (status == TM_OK && tm_modes_listen(thread)) {
        const tm_event_arg args[] = {
            {"count", TM_TYPE_INT, false, {.i = (int64_t)count}},
            {"index", TM_TYPE_INT_LIST, false, {.ints = {index, num_levels}}}};
        tm_modes_tell(thread, "rng_at", 2, args, NULL);
    }
    return status;
}
