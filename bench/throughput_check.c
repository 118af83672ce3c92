/* throughput_check.c: no row is timed whose answers are wrong. */
#include "throughput_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Inputs ------------------------------------------------------------------------------------ */

static uint64_t state;

static float uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int32_t)(state >> 32) >> 8) * 0x1p-23f;
}

void fill_input(const row *r, int k)
{
    const input *x = &r->in[k];
    int64_t count = row_input_count(r, k), n = x->sizes[x->ndim - 1], nn = n * n;
    float *to = row_input_in(r, k, arena);
    state = (uint64_t)k + 1;
    if (x->fill == INDICES) {
        int64_t range = r->in[0].sizes[r->in[0].ndim - 1];
        for (int64_t i = 0; i < count; i++)
            ((int64_t *)(void *)to)[i] = (int64_t)((uniform() + 1) / 2 * (float)range) % range;
        return;
    }
    for (int64_t i = 0; i < count * (x->fill == COMPLEX ? 2 : 1); i++)
        to[i] = uniform();
    /* Matrices lie one after the other: such rows have the batch in front. */
    if (x->fill == DOMINANT)
        for (int64_t i = 0; i < count; i++)
            to[i] += i % nn % n == (i % nn / n + 1) % n ? (float)n / 2 + 1 : 0;
    if (x->fill == SPD)
        for (float *a = to; a < to + count; a += nn) {
            float m[32 * 32];
            memcpy(m, a, sizeof *m * (size_t)nn);
            for (int64_t i = 0; i < nn; i++) {
                a[i] = i / n == i % n ? 1 : 0;
                for (int64_t j = 0; j < n; j++)
                    a[i] += m[i / n * n + j] * m[i % n * n + j];
            }
        }
}

/* Example b's input, row-major. */
static void take_example(const row *r, int k, int64_t b, void *to)
{
    const input *x = &r->in[k];
    int64_t sizes[MAX_SIZES + 1], inner = 1, outer = 1;
    int axis, ndim = row_input_sizes(r, k, sizes, &axis);
    size_t size = x->fill == INDICES || x->fill == COMPLEX ? 8 : 4;
    const char *from = row_input_in(r, k, arena);
    for (int i = 0; i < axis; i++)
        outer *= sizes[i];
    for (int i = axis + 1; i < ndim; i++)
        inner *= sizes[i];
    int64_t batch = axis < 0 ? 1 : r->batch;
    if (axis < 0)
        b = 0;
    for (int64_t i = 0; i < outer; i++)
        memcpy((char *)to + (size_t)(i * inner) * size,
               from + (size_t)((i * batch + b) * inner) * size, (size_t)inner * size);
}

/* -- Answers ----------------------------------------------------------------------------------- */

static bool is_near(const row *r, float a, float b)
{
    if (r->flags & SIZES)
        a = fabsf(a), b = fabsf(b);
    float tolerance = (float)(r->tolerance > 0 ? r->tolerance : 2e-5);
    return fabsf(a - b) <= tolerance * fmaxf(1, fmaxf(fabsf(a), fabsf(b)));
}

/* How many of the elements differ; `first` is one that does. */
static int64_t count_wrong(const row *r, const float *a, const float *b, int64_t n, int64_t *first)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++)
        if (!is_near(r, a[i], b[i]) && wrong++ == 0)
            *first = i;
    return wrong;
}

enum { BARE_EXAMPLES = 100, BARE_FLOATS = 1 << 20 };

/* Ours against the bare code, for some of the examples. */
static bool check_bare(result *x, const float *ours, int64_t count)
{
    const row *r = x->row;
    static char in[MAX_INPUTS][BARE_FLOATS * 4];
    static float out[BARE_FLOATS];
    const void *const inputs[] = {in[0], in[1], in[2]};
    int64_t examples = r->batch < BARE_EXAMPLES ? r->batch : BARE_EXAMPLES;
    for (int64_t i = 0; i < examples; i++) {
        int64_t b = i * (r->batch - 1) / (examples > 1 ? examples - 1 : 1), first = 0;
        for (int k = 0; k < row_num_inputs(r); k++)
            take_example(r, k, b, in[k]);
        int64_t n = r->bare(r, inputs, out);
        if (n * r->batch != count) {
            snprintf(x->note, sizeof x->note, "%lld numbers instead of %lld", (long long)count,
                     (long long)n * (long long)r->batch);
            return false;
        }
        if (count_wrong(r, ours + b * n, out, n, &first)) {
            snprintf(x->note, sizeof x->note, "example %lld, element %lld: %g, should be %g",
                     (long long)b, (long long)first, (double)ours[b * n + first],
                     (double)out[first]);
            return false;
        }
    }
    x->checked = true;
    return true;
}

static float *answers; /* ours */
static int64_t num_answers;

bool check_against_ours(result *x, contestant *c, timing *t)
{
    char note[160] = "";
    double count = ask_all(c, "check\n", note, sizeof note);
    if (count < 0)
        return true;
    int64_t first = 0, wrong = 0;
    const float *theirs = (const float *)(const void *)(arena + ARENA_OUT);
    if ((int64_t)count == num_answers)
        wrong = count_wrong(x->row, answers, theirs, num_answers, &first);
    if ((int64_t)count != num_answers)
        snprintf(t->note, sizeof t->note, "%.0f numbers, ours %lld", count, (long long)num_answers);
    else if (wrong > num_answers / 10000 * (c->role >= FUNCTORCH))
        snprintf(t->note, sizeof t->note, "%lld of %lld differ: [%lld] %g, ours %g",
                 (long long)wrong, (long long)num_answers, (long long)first, (double)theirs[first],
                 (double)answers[first]);
    else
        x->checked = true;
    return !t->note[0];
}

bool take_ours(result *x, contestant *c)
{
    double count = ask_all(c, "check\n", x->note, sizeof x->note);
    if (count < 0)
        return false;
    num_answers = (int64_t)count;
    float *room = realloc(answers, sizeof *answers * (size_t)(num_answers + 1));
    if (!room)
        return false;
    answers = room;
    memcpy(answers, arena + ARENA_OUT, sizeof *answers * (size_t)num_answers);
    return !x->row->bare || check_bare(x, answers, num_answers);
}
