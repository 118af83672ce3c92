/* run_stream.c: elementwise outputs that are written past the caches.
 *
 * A block is computed into a buffer and then written, while the inputs of a later one are fetched.
 * Operands that lie in the order of the nest are walked as one run, the others run by run; inputs
 * and outputs each in their own pieces, so an output in another order costs no short calls.
 */
#include "bypass.h"
#include "elementwise.h"
#include "nest.h"

enum {
    /* Bytes of an output that are computed before they are written, while the next inputs are
     * fetched; with three or more of them, it is a half. So few that they are still on their way
     * to memory while the next ones are computed. */
    BLOCK = 1024,
    LONG_RUN = 16384
};

/* Where one side's operands are in the nest. */
typedef struct walk {
    tm_nest nest;
    int first, last; /* the operands */
    bool in_order;   /* all of them: there are no pieces */
    char *ptr[TM_MAX_OPERANDS];
    int64_t index[TM_MAX_LOOPS];
} walk;

static int64_t inner_step(const tm_elementwise *e, int k)
{
    return e->step[(e->loops - 1) * e->operands + k];
}

/* Whether operand k is walked by its innermost step through the whole nest. */
static bool is_in_order(const tm_elementwise *e, int k)
{
    int64_t run = inner_step(e, k);
    for (int l = e->loops; l-- > 0; run *= e->size[l])
        if (e->step[l * e->operands + k] != run)
            return false;
    return true;
}

static void start(walk *w, const tm_elementwise *e, int first, int last, int64_t begin)
{
    w->nest = (tm_nest){e->loops, e->operands, e->size, e->step, e->base};
    w->first = first;
    w->last = last;
    w->in_order = true;
    for (int k = first; k < last; k++)
        w->in_order = w->in_order && is_in_order(e, k);
    tm_nest_seek(&w->nest, begin, w->ptr, w->index);
}

/* The length of the next piece, at most `most`. */
static int64_t piece(const walk *w, int64_t most)
{
    if (w->in_order)
        return most;
    int inner = w->nest.num_loops - 1;
    int64_t rest = w->nest.size[inner] - w->index[inner];
    return rest < most ? rest : most;
}

static void advance(walk *w, int64_t n)
{
    int inner = w->nest.num_loops - 1;
    if (!w->in_order)
        tm_nest_advance(&w->nest, inner, n, w->ptr, w->index);
    else
        for (int k = w->first; k < w->last; k++)
            w->ptr[k] += n * w->nest.step[inner * w->nest.operands + k];
}

/* Writes m elements of each output from its buffer, several whole rows of the innermost loop at a
 * time. */
static void write_block(const tm_elementwise *e, walk *to, char (*buffer)[BLOCK], int64_t m,
                        tm_ahead *ahead)
{
    const int inner = e->loops - 1, outer = inner - 1;
    const int64_t row = e->size[inner];
    int64_t rows, n;
    for (int64_t done = 0; done < m; done += n * rows) {
        n = piece(to, m - done);
        rows = 1;
        if (!to->in_order && outer >= 0 && n == row) {
            rows = e->size[outer] - to->index[outer];
            rows = rows < (m - done) / row ? rows : (m - done) / row;
        }
        for (int k = to->first; k < to->last; k++) {
            tm_ahead nothing = {.count = 0};
            int64_t item = inner_step(e, k);
            tm_bypass_rows(to->ptr[k], outer < 0 ? 0 : e->step[outer * e->operands + k],
                           buffer[k - to->first] + done * item, n * item, rows,
                           k == to->first ? ahead : &nothing);
        }
        if (!to->in_order && n == row && outer >= 0)
            tm_nest_advance(&to->nest, outer, rows, to->ptr, to->index);
        else
            advance(to, n);
    }
}

/* Inputs that are fetched, a line at a time, while the first output is written. */
static void look_ahead(const tm_elementwise *e, tm_ahead *ahead, int *which)
{
    int64_t out = (int64_t)tm_dtype_size(e->dtype[e->inputs]);
    ahead->count = 0;
    for (int k = 0; k < e->inputs && ahead->count < TM_AHEAD; k++) {
        int64_t item = (int64_t)tm_dtype_size(e->dtype[k]);
        if (inner_step(e, k) != item ||
            (item * e->size[e->loops - 1] < LONG_RUN && !is_in_order(e, k)))
            continue;
        which[ahead->count] = k;
        ahead->step[ahead->count++] = TM_LINE * item / out;
    }
}

tm_status tm_stream_range(tm_call *call, void *context, int64_t begin, int64_t end, tm_scope *scope)
{
    (void)scope;
    const tm_elementwise *e = context;
    _Alignas(TM_LINE) char buffer[TM_MAX_OUTPUTS][BLOCK];
    const int outputs = e->operands - e->inputs;
    const int64_t *step = &e->step[(e->loops - 1) * e->operands], *item = step + e->inputs;
    tm_ahead ahead;
    int which[TM_AHEAD] = {0};
    walk from, to;
    start(&from, e, 0, e->inputs, begin);
    start(&to, e, e->inputs, e->operands, begin);
    look_ahead(e, &ahead, which);
    const int64_t bytes = BLOCK >> (ahead.count > 2);
    int64_t block = bytes;
    for (int o = 0; o < outputs; o++)
        block = bytes / item[o] < block ? bytes / item[o] : block;
    while (begin < end) {
        int64_t m = block - begin % block, n; /* blocks begin where lines do */
        if (m > end - begin)
            m = end - begin;
        for (int k = 0; k < ahead.count; k++)
            ahead.at[k] =
                (uintptr_t)from.ptr[which[k]] + (uintptr_t)(TM_FETCHED / TM_LINE * ahead.step[k]);
        for (int64_t done = 0; done < m; done += n) {
            char *p[TM_MAX_OPERANDS];
            n = piece(&from, m - done);
            for (int k = 0; k < e->inputs; k++)
                p[k] = from.ptr[k];
            for (int o = 0; o < outputs; o++)
                p[e->inputs + o] = buffer[o] + done * item[o];
            tm_status status = tm_call_judge(call, e->loop(call, p, step, n));
            if (__builtin_expect(status != TM_OK, 0))
                return status; /* of a loop that broke its word: the op cannot fail */
            advance(&from, n);
        }
        write_block(e, &to, buffer, m, &ahead);
        begin += m;
    }
    tm_bypass_end();
    return TM_OK;
}

/* -- Whether ---------------------------------------------------------------------------------- */

/* Whether every run of the innermost loop is whole lines of output k, and several. */
static bool has_whole_lines(const tm_elementwise *e, int k)
{
    int64_t bytes = e->size[e->loops - 1] * (int64_t)tm_dtype_size(e->dtype[k]);
    return (uintptr_t)e->base[k] % TM_LINE == 0 && bytes % TM_LINE == 0 && bytes >= 4 * TM_LINE;
}

/* Bytes of the distinct elements of all operands. */
static int64_t bytes_touched(const tm_elementwise *e)
{
    int64_t sum = 0;
    for (int k = 0; k < e->operands; k++) {
        int64_t bytes = (int64_t)tm_dtype_size(e->dtype[k]);
        for (int l = 0; l < e->loops; l++)
            if (e->step[l * e->operands + k] != 0)
                bytes *= e->size[l];
        sum += bytes;
    }
    return sum;
}

/* Whether output k lies where nobody reads it soon, however small it is. */
static bool is_cold(const tm_elementwise *e, int k)
{
    const tm_tensor *out = e->plan->operand[e->plan->num_inputs + k - e->inputs].tensor;
    return out->storage && out->storage->root->cold;
}

bool tm_stream_pays(const tm_elementwise *e)
{
    bool pays = true, cold = true;
    if (e->converts || e->plan->call->op->def.can_fail)
        return false;
    for (int k = e->inputs; k < e->operands; k++) {
        if (inner_step(e, k) != (int64_t)tm_dtype_size(e->dtype[k]))
            return false;
        for (int i = 0; i < e->inputs; i++)
            if (e->base[i] == e->base[k]) /* in place: it is in the cache when it is written */
                return false;
        pays = pays && (is_in_order(e, k) || has_whole_lines(e, k));
        cold = cold && is_cold(e, k);
    }
    return (pays && cold) || tm_bypass_pays(pays ? bytes_touched(e) : 0);
}
