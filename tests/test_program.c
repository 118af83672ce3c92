/* test_program.c: random programs under nested levels against a small interpreter of their meaning.
 *
 * A program computes, views, creates and writes in place, and maps over what it has, three levels
 * deep.
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

enum { SELECT, REVERSE, SWAP, EXPAND };

/* One view of one place, or of the library's handle: the offset of its first element, its strides.
 */
static int64_t view_layout(int kind, int ndim, int axis, int64_t index, const int64_t *from,
                           int64_t *strides)
{
    int64_t order[MAX_NDIM];
    for (int d = 0, k = 0; d < ndim; d++)
        if (kind != SELECT || d != axis)
            order[k++] = d;
    if (kind == SWAP) { /* with the last */
        order[axis] = ndim - 1;
        order[ndim - 1] = axis;
    }
    if (kind == EXPAND)
        *strides++ = 0;
    for (int d = 0; d < ndim - (kind == SELECT); d++)
        strides[d] = from[order[d]] * (kind == REVERSE && d == axis ? -1 : 1);
    return kind == SELECT || kind == REVERSE ? index * from[axis] : 0;
}

static void view(void)
{
    static const char *const names[] = {"select", "reverse", "swap", "expand"};
    int kind = (int)next(4), from = pick(1, kind == EXPAND ? MAX_NDIM - 1 : MAX_NDIM);
    if (from < 0)
        return;
    const tm_tensor *x = regs[from].x;
    int old = regs[from].ndim, axis = (int)next((uint32_t)old);
    int ndim = old + (kind == EXPAND) - (kind == SELECT);
    int64_t index = kind == SELECT ? (int64_t)next((uint32_t)N) : N - 1;
    int64_t strides[MAX_NDIM], shape[] = {N, N, N};
    int64_t offset = view_layout(kind, old, axis, index, tm_strides(x), strides);
    say("r%d = %s(r%d, %d, %d)\n", num_regs, names[kind], from, axis, (int)index);
    reg *r = add_reg(tm_strided_view(x, ndim, shape, strides, offset), ndim);
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        const place *p = place_in(&regs[from], lane);
        place *q = &r->lane[lane];
        q->at = p->at + view_layout(kind, old, axis, index, p->strides, q->strides);
    }
}

static float results[MAX_LANES][MAX_SIZE];

static float get(int r, int lane, int64_t flat)
{
    return *element(place_in(&regs[r], lane), regs[r].ndim, flat);
}

/* What an op gives for every lane, from memory as it stands. */
static void compute_sum(int a, int b, int ndim)
{
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            results[lane][i] = get(a, lane, i) + get(b, lane, i);
}

static void compute_triu(int a, int ndim)
{
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            results[lane][i] = i % N >= i / N % N ? get(a, lane, i) : 0;
}

/* Along the last axis: cumulative sums, or their last ones. */
static void compute_along(int a, int ndim, bool cumulative)
{
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim - 1); i++) {
            float sum = 0;
            for (int64_t k = 0; k < N; k++) {
                sum += get(a, lane, i * N + k);
                results[lane][cumulative ? i * N + k : i] = sum;
            }
        }
}

/* A register of its own memory for what was computed. */
static void made(tm_tensor *x, int ndim)
{
    reg *r = add_reg(x, ndim);
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        row_major(&r->lane[lane], ndim, room(power(N, ndim)));
        memcpy(r->lane[lane].at, results[lane], (size_t)power(N, ndim) * sizeof(float));
    }
}

static void new_value(void)
{
    int kind = (int)next(4), a = pick(kind < 2 ? 0 : 1, kind < 2 ? 2 : MAX_NDIM);
    if (a < 0)
        return;
    int ndim = regs[a].ndim;
    if (kind < 2) {
        int b = pick(0, MAX_NDIM);
        ndim = ndim > regs[b].ndim ? ndim : regs[b].ndim;
        say("r%d = add(r%d, r%d)\n", num_regs, a, b);
        compute_sum(a, b, ndim);
        made(tm_add(regs[a].x, regs[b].x), ndim);
    } else {
        say("r%d = %s(r%d, -1)\n", num_regs, kind == 2 ? "cumsum" : "sum", a);
        compute_along(a, ndim, kind == 2);
        if (kind == 2)
            made(tm_cumsum(regs[a].x, -1), ndim);
        else
            made(tm_sum(regs[a].x, &TM_INTS(-1), false), ndim - 1);
    }
}

/* Which of the target's elements share memory: within a lane, or between lanes. */
typedef struct sharing {
    bool within, between;
} sharing;

typedef struct spot {
    const float *at;
    int lane;
} spot;

static int compare_spots(const void *a, const void *b)
{
    const spot *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->lane - y->lane;
}

static sharing find_sharing(int target)
{
    static spot spots[MAX_LANES * MAX_SIZE];
    int n = 0, ndim = regs[target].ndim;
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            spots[n++] = (spot){element(place_in(&regs[target], lane), ndim, i), lane};
    qsort(spots, (size_t)n, sizeof *spots, compare_spots);
    sharing found = {false, false};
    for (int i = 1; i < n; i++)
        if (spots[i].at == spots[i - 1].at) {
            found.within = found.within || spots[i].lane == spots[i - 1].lane;
            found.between = found.between || spots[i].lane != spots[i - 1].lane;
        }
    return found;
}

static int total_levels(void)
{
    int total = 0;
    for (int r = 0; r < num_regs; r++)
        total += tm_num_levels(regs[r].x);
    return total;
}

static void check_refusal(int target, sharing shared, int levels_before)
{
    tm_status code = tm_error_code();
    bool due = N < 2 || shared.between || (code == TM_ERR_ALIASING && shared.within);
    ck_assert_msg(due && (code == TM_ERR_VMAP || code == TM_ERR_ALIASING), "refused r%d: %s\n%s",
                  target, tm_error_message(), text);
    ck_assert_msg(total_levels() == levels_before, "a refused write promoted r%d\n%s", target,
                  text);
    tm_error_clear();
    say("  refused\n");
    refusals++;
}

/* target = a + b, where a may be the target (in place), or target = triu(a). */
static void write(void)
{
    int target = pick(0, MAX_NDIM);
    for (int tries = 0; tries < 3 && regs[target].depth < depth; tries++)
        target = pick(0, MAX_NDIM); /* what was made here, by preference */
    int b = pick(0, regs[target].ndim), ndim = regs[target].ndim;
    int kind = (int)next(ndim >= 2 ? 3 : 2), a = kind == 0 ? target : pick(ndim, ndim);
    sharing shared = find_sharing(target);
    int levels_before = total_levels();
    tm_tensor *x = regs[target].x, *y;
    if (kind == 2) {
        say("triu_out(r%d, 0, r%d)\n", a, target);
        compute_triu(a, ndim);
        y = tm_triu_out(regs[a].x, 0, x);
    } else {
        say(kind == 0 ? "add_(r%d, r%d)\n" : "add_out(r%d, r%d, r%d)\n", a, b, target);
        compute_sum(a, b, ndim);
        y = kind == 0 ? tm_add_(x, regs[b].x) : tm_add_out(regs[a].x, regs[b].x, x);
    }
    if (!y) {
        check_refusal(target, shared, levels_before);
        return;
    }
    ck_assert_ptr_eq(y, x);
    ck_assert_msg(!shared.within, "accepted, though elements share memory\n%s", text);
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            *element(place_in(&regs[target], lane), ndim, i) = results[lane][i];
    for (int lane = 0; lane < lanes_at(depth); lane++)
        for (int64_t i = 0; i < power(N, ndim); i++)
            ck_assert_msg(get(target, lane, i) == results[lane][i],
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
    reg moved = {.ndim = ndim + 1, .depth = depth - 1};
    for (int lane = 0; lane < lanes_at(depth); lane++) {
        place *to = &moved.lane[lane / N];
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
    moved.x = tm_add(out, test_f32_scalar(0));
    ck_assert_msg(moved.x != NULL, "%s\n%s", tm_error_message(), text);
    regs[num_regs++] = moved;
}

static void run_block(int statements)
{
    for (int i = 0; i < statements && num_regs < MAX_REGS - 4; i++) {
        switch (next(9)) {
        case 0:
            create();
            break;
        case 1:
            new_value();
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
