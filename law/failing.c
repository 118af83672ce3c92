/* failing.c: a call with its allocations failing, one after the other.
 *
 * Each time the call fails with TM_ERR_MEMORY, leaves every tensor it was given as it was, and no
 * handle behind. What then succeeds, or fails otherwise, is the case's outcome, held against the
 * loop over examples like any other: a call that gets by without the memory has the same result.
 */
#include <stdatomic.h>
#include <string.h>

#include "dispatch/handle.h"
#include "law/case.h"

enum { MOST_FAILURES = 400, MOST_TENSORS = 64 };

/* -- An allocator that fails once, or from then on --------------------------------------------- */

static tm_allocator below;
static _Atomic int64_t left; /* until it fails; 0: it does not */
static _Atomic bool met;
static bool stays;

static void *failing_alloc(size_t size, void *user)
{
    int64_t n = atomic_load(&left);
    while (n > 0 && !atomic_compare_exchange_weak(&left, &n, n > 1 ? n - 1 : stays ? 1 : 0))
        continue;
    if (n == 1) {
        atomic_store(&met, true);
        return NULL;
    }
    return below.alloc(size, user);
}

static tm_status call(const tm_law_case *c, const tm_value *args, tm_value *results)
{
    return tm_op_call(c->op, args, tm_op_num_params(c->op), results, tm_op_num_outputs(c->op));
}

/* The call with its n-th allocation failing, and those after it if `on`. */
static tm_status call_failing(const tm_law_case *c, const tm_value *args, tm_value *results,
                              int64_t n, bool on)
{
    below = tm_get_allocator();
    tm_allocator failing = below;
    failing.alloc = failing_alloc;
    stays = on;
    atomic_store(&met, false);
    atomic_store(&left, n);
    tm_set_allocator(&failing);
    tm_status status = call(c, args, results);
    tm_set_allocator(&below);
    return status;
}

/* -- What must be as it was -------------------------------------------------------------------- */

typedef struct memory {
    const tm_tensor *x;
    char *bytes; /* of its whole storage */
    int64_t size;
} memory;

static bool remember(tm_law_case *c, const tm_tensor *x, memory *m)
{
    const tm_storage *root = x->storage->root;
    if (m->size < root->bytes || !m->bytes)
        m->bytes = tm_law_alloc_array(c->arena, root->bytes, 1);
    *m = (memory){x, m->bytes, root->bytes};
    if (m->bytes && m->size > 0)
        memcpy(m->bytes, root->data, (size_t)m->size);
    return m->bytes != NULL;
}

/* A storage that was promoted meanwhile repeats, at multiples of the alignment, what it held. */
static bool is_as_it_was(const memory *m)
{
    const tm_storage *root = m->x->storage->root;
    int64_t step = (m->size + TM_ALIGNMENT - 1) / TM_ALIGNMENT * TM_ALIGNMENT;
    if (m->size == 0)
        return true;
    for (int64_t at = 0; at < root->bytes; at += step)
        if (memcmp(root->data + at, m->bytes, (size_t)m->size) != 0)
            return false;
    return true;
}

static int list_tensors(const tm_law_case *c, const tm_value *args, memory *all)
{
    int count = 0;
    for (int p = 0; p < tm_op_num_params(c->op); p++) {
        tm_type type = tm_op_param(c->op, p)->type;
        const tm_tensor *x = type == TM_TYPE_TENSOR ? args[p].tensor : NULL;
        if (x && x != TM_NONE && count < MOST_TENSORS)
            all[count++].x = x;
        for (int64_t k = 0; type == TM_TYPE_TENSOR_LIST && k < args[p].tensors.count; k++)
            if (count < MOST_TENSORS)
                all[count++].x = args[p].tensors.data[k];
    }
    return count;
}

static bool check_failure(tm_law_case *c, const memory *all, int count, uint64_t tensors, int64_t n)
{
    for (int i = 0; i < count; i++)
        if (!is_as_it_was(&all[i]))
            return tm_law_problem(
                c,
                "without the memory of allocation %lld the call fails, but tensor "
                "%d of its arguments is changed",
                (long long)n, i);
    uint64_t now = tm_memory_get_stats().live_tensors;
    return now == tensors ||
           tm_law_problem(c,
                          "without the memory of allocation %lld the call fails and leaves "
                          "%lld handles",
                          (long long)n, (long long)(now - tensors));
}

tm_status tm_law_call_failing(tm_law_case *c, const tm_value *args, tm_value *results)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 9);
    bool on = tm_law_chance(&rng, 50);
    int64_t n = tm_law_chance(&rng, 50) ? 1 : 1 + tm_law_below(&rng, 20);
    memory all[MOST_TENSORS] = {{0}};
    int count = list_tensors(c, args, all);
    tm_generator own = tm_thread_get()->generator, given = c->generators[1];
    for (; n < MOST_FAILURES && !c->problem[0]; n++) {
        uint64_t tensors = tm_memory_get_stats().live_tensors;
        for (int i = 0; i < count; i++)
            if (!remember(c, all[i].x, &all[i]))
                return call(c, args, results);
        tm_status status = call_failing(c, args, results, n, on);
        c->failures = tm_memory_get_stats().failures;
        if (status != TM_ERR_MEMORY || !atomic_load(&met))
            return status;
        check_failure(c, all, count, tensors, n);
        tm_error_clear();
        tm_thread_get()->generator = own; /* the call that failed was counted */
        c->generators[1] = given;
    }
    return call(c, args, results);
}
