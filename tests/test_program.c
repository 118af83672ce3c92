/* test_program.c: random programs under nested levels against a small interpreter of their meaning.
 *
 * A program adds, views, creates and writes in place, and maps over what it has, three levels deep.
 * The interpreter runs it in lockstep: call by call, for every example ("lane"), on plain arrays,
 * and each lane reads memory as it stood at that call's entry. After every call, every register is
 * held against the library's handle in every lane. A write that the library refuses (TM_ERR_VMAP)
 * must be one where lanes share the memory, and must have changed nothing; one that it accepts must
 * not make lanes write different values to one place.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/handle.h"
#include "support.h"

enum { MAX_REGS = 48, MAX_DEPTH = 3, MAX_NDIM = 3, MAX_LANES = 27, MAX_SIZE = 27 };

/* What a register is to one lane: a view of an array. */
typedef struct place {
    float *at; /* the first element */
    int64_t strides[MAX_NDIM];
} place;

typedef struct reg {
    tm_tensor *x;
    int ndim, depth; /* the depth it was made at: it has a place for each lane there */
    place lane[MAX_LANES];
} reg;

static reg regs[MAX_REGS];
static int num_regs, depth;
static int64_t N; /* every dimension and every level has this size */
static uint64_t level_id[MAX_DEPTH + 1];
static uint64_t state;
static char text[4096]; /* the program so far */
static int refusals;

static uint32_t next(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static void say(const char *format, ...) TM_PRINTF(1, 2);

static void say(const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

static int64_t power(int64_t base, int exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

static int lanes_at(int at)
{
    return (int)power(N, at);
}

/* The place of a register in a lane of the current depth. */
static place *place_in(reg *r, int lane)
{
    return &r->lane[lane / power(N, depth - r->depth)];
}

/* Memory that lives as long as the program. */
static float *arena[MAX_REGS * MAX_LANES];
static int arena_used;

static float *room(int64_t count)
{
    float *memory = calloc((size_t)count + 1, sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    ck_assert_int_lt(arena_used, COUNT(arena));
    return arena[arena_used++] = memory;
}

static void row_major(place *p, int ndim, float *memory)
{
    p->at = memory;
    for (int d = ndim, step = 1; d-- > 0; step *= (int)N)
        p->strides[d] = step;
}

/* The element at a flat index of the last `ndim` dimensions of a result with `of` dimensions. */
static float *element(place *p, int ndim, int64_t flat)
{
    int64_t offset = 0;
    for (int d = ndim; d-- > 0; flat /= N)
        offset += flat % N * p->strides[d];
    return p->at + offset;
}

/* -- Comparing --------------------------------------------------------------------------------- */

/* The first element of a handle for one lane. */
static const char *library_at(const tm_tensor *x, int num_entries, const tm_batch_entry *entries,
                              int lane)
{
    const char *at = tm_handle_data(x);
    for (int l = depth, rest = lane; l > 0; l--, rest /= (int)N)
        for (int e = 0; e < num_entries; e++)
            if (entries[e].level == level_id[l])
                at += rest % N * entries[e].stride;
    return at;
}

static void compare(void)
{
    for (int k = 0; k < num_regs; k++) {
        reg *r = &regs[k];
        ck_assert_msg(tm_ndim(r->x) == r->ndim, "register %d:\n%s", k, text);
        const int64_t *strides = tm_strides(r->x);
        tm_batch_entry entries[TM_MAX_LEVELS];
        int n = tm_handle_entries(r->x, entries);
        for (int lane = 0; lane < lanes_at(depth); lane++) {
            const char *at = library_at(r->x, n, entries, lane);
            place *expected = place_in(r, lane);
            for (int64_t i = 0; i < power(N, r->ndim); i++) {
                int64_t offset = 0, rest = i;
                for (int d = r->ndim; d-- > 0; rest /= N)
                    offset += rest % N * strides[d];
                float got, wanted = *element(expected, r->ndim, i);
                memcpy(&got, at + offset * (int64_t)sizeof got, sizeof got);
                if (got != wanted)
                    ck_abort_msg("r%d, lane %d, element %d: %g, expected %g\n%s", k, lane, (int)i,
                                 (double)got, (double)wanted, text);
            }
        }
    }
}

/* -- Statements -------------------------------------------------------------------------------- */

static reg *add_reg(tm_tensor *x, int ndim)
{
    ck_assert_msg(x != NULL, "%s\n%s", tm_error_message(), text);
    reg *r = &regs[num_regs++];
    *r = (reg){.x = x, .ndim = ndim, .depth = depth};
    return r;
}

static int pick(int least, int most)
{
    int from = (int)next((uint32_t)num_regs);
    for (int i = 0; i < num_regs; i++) {
        int r = (from + i) % num_regs;
        if (regs[r].ndim >= least && regs[r].ndim <= most)
            return r;
    }
    return -1;
}

static void create(void)
{
    int ndim = (int)next(3);
    const int64_t shape[] = {N, N, N};
    float values[MAX_SIZE];
    for (int i = 0; i < MAX_SIZE; i++)
        values[i] = (float)next(5);
    say("r%d = %d-D constant\n", num_regs, ndim);
    reg *r = add_reg(tm_from_data(TM_FLOAT32, ndim, shape, values), ndim);
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        row_major(&r->lane[lane], ndim, room(power(N, ndim)));
        memcpy(r->lane[lane].at, values, (size_t)power(N, ndim) * sizeof(float));
    }
}

static void view(void)
{
    int from = pick(1, MAX_NDIM);
    if (from < 0)
        return;
    const reg *a = &regs[from];
    const tm_tensor *x = a->x;
    int kind = (int)next(3), axis = (int)next((uint32_t)a->ndim), ndim = a->ndim - (kind == 0);
    int64_t index = kind == 0 ? (int64_t)next((uint32_t)N) : N - 1;
    int64_t strides[MAX_NDIM], shape[] = {N, N, N}, order[MAX_NDIM];
    for (int d = 0, k = 0; d < a->ndim; d++) /* 0: select, 1: reverse, 2: swap with the last */
        if (kind != 0 || d != axis)
            order[k++] = d;
    if (kind == 2) {
        order[axis] = a->ndim - 1;
        order[a->ndim - 1] = axis;
    }
    int sign = kind == 1 ? -1 : 1;
    for (int d = 0; d < ndim; d++)
        strides[d] = tm_strides(x)[order[d]] * (order[d] == axis ? sign : 1);
    int64_t offset = kind == 2 ? 0 : index * tm_strides(x)[axis];
    static const char *const names[] = {"select", "reverse", "swap"};
    say("r%d = %s(r%d, %d, %d)\n", num_regs, names[kind], from, axis, (int)index);
    reg *r = add_reg(tm_strided_view(x, ndim, shape, strides, offset), ndim);
    a = &regs[from];
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        const place *p = place_in(&regs[from], lane);
        place *q = &r->lane[lane];
        q->at = p->at + (kind == 2 ? 0 : index * p->strides[axis]);
        for (int d = 0; d < ndim; d++)
            q->strides[d] = p->strides[order[d]] * (order[d] == axis ? sign : 1);
    }
}

static float results[MAX_LANES][MAX_SIZE];

/* a + b for every lane, from memory as it stands. */
static void compute(int a, int b, int ndim)
{
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            results[lane][i] = *element(place_in(&regs[a], lane), regs[a].ndim, i) +
                               *element(place_in(&regs[b], lane), regs[b].ndim, i);
}

static void sum(void)
{
    int a = pick(0, 2), b = pick(0, MAX_NDIM);
    int ndim = regs[a].ndim > regs[b].ndim ? regs[a].ndim : regs[b].ndim;
    say("r%d = add(r%d, r%d)\n", num_regs, a, b);
    compute(a, b, ndim);
    reg *r = add_reg(tm_add(regs[a].x, regs[b].x), ndim);
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        row_major(&r->lane[lane], ndim, room(power(N, ndim)));
        memcpy(r->lane[lane].at, results[lane], (size_t)power(N, ndim) * sizeof(float));
    }
}

/* Whether two lanes see the target at one place. */
static bool shared(int target)
{
    for (int i = 0; i < lanes_at(depth); i++)
        for (int k = 0; k < i; k++)
            if (place_in(&regs[target], i)->at == place_in(&regs[target], k)->at)
                return true;
    return N < 2;
}

/* target = a + b, where a may be the target (in place). */
static void write(void)
{
    int target = pick(0, MAX_NDIM);
    for (int tries = 0; tries < 3 && regs[target].depth < depth; tries++)
        target = pick(0, MAX_NDIM); /* what was made here, by preference */
    int b = pick(0, regs[target].ndim), ndim = regs[target].ndim;
    bool in_place = next(2) == 0;
    int a = in_place ? target : pick(ndim, ndim);
    say(in_place ? "add_(r%d, r%d)\n" : "add_out(r%d, r%d, r%d)\n", a, b, target);
    compute(a, b, ndim);
    tm_tensor *x = regs[target].x;
    tm_tensor *y = in_place ? tm_add_(x, regs[b].x) : tm_add_out(regs[a].x, regs[b].x, x);
    if (!y) {
        ck_assert_msg(tm_error_code() == TM_ERR_VMAP, "%s\n%s", tm_error_message(), text);
        ck_assert_msg(shared(target), "refused, but no two lanes share r%d\n%s", target, text);
        tm_error_clear();
        say("  refused\n");
        refusals++;
        return;
    }
    ck_assert_ptr_eq(y, x);
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            *element(place_in(&regs[target], lane), ndim, i) = results[lane][i];
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            ck_assert_msg(*element(place_in(&regs[target], lane), ndim, i) == results[lane][i],
                          "accepted, though lanes write different values\n%s", text);
}

static tm_vmap_level *innermost;

static bool mapped_here(const tm_tensor *x)
{
    for (int i = 0; i < tm_num_levels(x); i++)
        if (tm_level_at(x, i, NULL) == level_id[depth])
            return true;
    return false;
}

/* Maps a register of any depth at the innermost level. */
static void move_in(void)
{
    int from = pick(1, MAX_NDIM);
    if (depth == 0 || from < 0 || mapped_here(regs[from].x))
        return;
    int ndim = regs[from].ndim, dim = (int)next((uint32_t)ndim);
    say("r%d = in(r%d, %d)\n", num_regs, from, dim);
    reg *r = add_reg(tm_vmap_in(innermost, regs[from].x, next(2) ? dim : dim - ndim), ndim - 1);
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        const place *p = place_in(&regs[from], lane);
        r->lane[lane].at = p->at + lane % N * p->strides[dim];
        for (int d = 0, k = 0; d < ndim; d++)
            if (d != dim)
                r->lane[lane].strides[k++] = p->strides[d];
    }
}

static void run_block(int statements);

/* Maps over some registers, runs a block there and brings one result out. */
static void map(void)
{
    if (depth == MAX_DEPTH || power(N, depth + 1) > MAX_LANES)
        return;
    int base = num_regs;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &N};
    tm_vmap_level *level = tm_vmap_push(&options), *outer = innermost;
    ck_assert_msg(level != NULL, "%s\n%s", tm_error_message(), text);
    say("push\n");
    innermost = level;
    level_id[++depth] = tm_vmap_id(level);
    move_in();
    move_in();
    run_block(8);
    /* Out with a copy, so that what it shares memory with does not matter. */
    int from = pick(0, MAX_NDIM - 1), ndim = regs[from].ndim, dim = (int)next((uint32_t)ndim + 1);
    say("pop: r%d = copy of out(r%d, %d)\n", base, from, dim);
    tm_tensor *out = tm_vmap_out(level, regs[from].x, next(2) ? dim : dim - ndim - 1);
    ck_assert_msg(out != NULL, "%s\n%s", tm_error_message(), text);
    reg made = {.ndim = ndim + 1, .depth = depth - 1};
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        place *to = &made.lane[lane / N];
        if (lane % N == 0)
            row_major(to, ndim + 1, room(power(N, ndim + 1)));
        for (int64_t i = 0; i < power(N, ndim); i++) {
            int64_t offset = lane % N * to->strides[dim], rest = i;
            for (int d = ndim; d-- > 0; rest /= N)
                offset += rest % N * to->strides[d < dim ? d : d + 1];
            to->at[offset] = *element(place_in(&regs[from], lane), ndim, i);
        }
    }
    ck_assert_msg(tm_vmap_pop(level) == TM_OK, "%s\n%s", tm_error_message(), text);
    depth--;
    innermost = outer;
    num_regs = base;
    made.x = tm_add(out, test_f32_scalar(0));
    ck_assert_msg(made.x != NULL, "%s\n%s", tm_error_message(), text);
    regs[num_regs++] = made;
}

static void run_block(int statements)
{
    for (int i = 0; i < statements && num_regs < MAX_REGS - 4; i++) {
        switch (next(9)) {
        case 0:
            create();
            break;
        case 1:
            sum();
            break;
        case 2:
        case 3:
            view();
            break;
        case 4:
            map();
            break;
        case 5:
            move_in();
            break;
        default:
            write();
        }
        compare();
    }
}

enum { GROUPS = 25, PROGRAMS = 20 };

START_TEST(random_programs_mean_what_the_interpreter_says)
{
    refusals = 0;
    tm_dispatch_reset_stats();
    for (int i = 0; i < PROGRAMS; i++) {
        state = (uint64_t)(_i * PROGRAMS + i) * 977 + 1;
        N = 1 + (int64_t)next(3);
        num_regs = depth = arena_used = 0;
        text[0] = '\0';
        say("program %d, every size %d\n", _i * PROGRAMS + i, (int)N);
        create();
        create();
        run_block(14);
        for (int k = 0; k < arena_used; k++)
            free(arena[k]);
    }
    /* They reach what they are for. */
    ck_assert_int_gt(refusals, 5);
    ck_assert_uint_gt(tm_dispatch_get_stats().promotions, 2);
}
END_TEST

Suite *program_suite(void)
{
    const TTest *each[] = {random_programs_mean_what_the_interpreter_says};
    Suite *suite = test_suite("program", NULL, 0);
    test_suite_loop(suite, each, COUNT(each), GROUPS);
    return suite;
}
