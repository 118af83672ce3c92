/* copy.c: laying out copies, and walking the loops around their moves. */
#include "copy.h"

#include <assert.h>

#include "bypass.h"
#include "numbers.h"

enum {
    MANY_ROWS = 256,        /* from here on rows need no loop around them */
    LONG_RUN = 1 << 16,     /* bytes from which on a run is a loop of its own, to be cut anywhere */
    LONG_ROW = 1 << 10,     /* the same for elements that are converted */
    SMALL_MATRIX = 1 << 14, /* bytes up to which matrices are transposed one by one */
    BUFFER = 1 << 11,       /* bytes of the longest run that goes through it */
    PIECE = 1 << 10         /* and as many as are moved there before they go to memory */
};

static void set_dim(tm_copy_plan *p, int d, int64_t size, int64_t to_step, int64_t from_step)
{
    p->size[d] = size;
    p->to_step[d] = to_step;
    p->from_step[d] = from_step;
}

static void move_dim(tm_copy_plan *p, int to, int from)
{
    set_dim(p, to, p->size[from], p->to_step[from], p->from_step[from]);
}

/* Dimensions by the destination's step, largest first. False where there is nothing to copy. */
static bool order(tm_copy_plan *p, int n, const int64_t *size, const tm_copy_side *to,
                  const tm_copy_side *from)
{
    bool any = true;
    p->dims = 0;
    for (int i = 0; i < n; i++) {
        any = any && size[i] > 0;
        if (size[i] == 1)
            continue;
        int at = p->dims++;
        for (; at > 0 && tm_magnitude(p->to_step[at - 1]) < tm_magnitude(to->step[i]); at--)
            move_dim(p, at, at - 1);
        set_dim(p, at, size[i], to->step[i], from->step[i]);
    }
    return any;
}

/* Merges neighbours that both sides walk as one. There is at least one dimension afterwards. */
static void merge(tm_copy_plan *p)
{
    if (p->dims == 0) {
        set_dim(p, p->dims++, 1, 0, 0);
        return;
    }
    int last = 0;
    for (int i = 1; i < p->dims; i++) {
        int64_t size = p->size[i];
        if (p->to_step[last] == p->to_step[i] * size &&
            p->from_step[last] == p->from_step[i] * size) {
            size *= p->size[last];
            move_dim(p, last, i);
            p->size[last] = size;
        } else {
            move_dim(p, ++last, i);
        }
    }
    p->dims = last + 1;
}

static bool is_word(int64_t bytes)
{
    return bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

/* A short run of items that both sides have together is an item itself. */
static void widen(tm_copy_plan *p)
{
    for (int inner = p->dims - 1; inner > 0; inner--) {
        if (p->to_step[inner] != p->item || p->from_step[inner] != p->item || p->size[inner] > 16 ||
            !is_word(p->size[inner] * p->item))
            break;
        p->item *= (int)p->size[inner];
        p->dims--;
    }
}

/* The source's contiguous dimension becomes the last but one. False where there is none, or the
 * two are not worth a transpose. */
static bool find_columns(tm_copy_plan *p)
{
    int inner = p->dims - 1, j = inner - 1;
    while (j >= 0 && p->from_step[j] != p->item)
        j--;
    if (j < 0 || p->item > 8 || p->size[j] < TM_TRANSPOSE_LEAST ||
        p->size[inner] < TM_TRANSPOSE_LEAST)
        return false;
    int64_t size = p->size[j], to_step = p->to_step[j], from_step = p->from_step[j];
    for (; j < inner - 1; j++)
        move_dim(p, j, j + 1);
    set_dim(p, j, size, to_step, from_step);
    return true;
}

static int64_t elements(const tm_copy_plan *p, int from)
{
    int64_t count = 1;
    for (int d = from; d < p->dims; d++)
        count *= p->size[d];
    return count;
}

/* How the destination can be written past the caches, if at all. `lines`: by the move itself,
 * where its rows are whole lines. Otherwise through a buffer, where what the move writes in one
 * iteration after the other is one run. */
static tm_copy_stream stream_of(const tm_copy_plan *p, int64_t item, bool lines)
{
    int inner = p->dims - 1;
    int64_t run = item;
    uint64_t all = (uint64_t)(uintptr_t)p->to | (uint64_t)(p->size[inner] * item);
    for (int d = 0; d < inner; d++)
        all |= (uint64_t)p->to_step[d];
    if (lines && all % TM_LINE == 0)
        return TM_COPY_STREAM_LINES;
    for (int d = inner; d >= p->loops; run *= p->size[d--])
        if (p->to_step[d] != run)
            return TM_COPY_KEEP;
    return p->to_step[p->loops - 1] == run && run <= BUFFER ? TM_COPY_STREAM_BUFFER : TM_COPY_KEEP;
}

/* Chooses the move that copies items as they are. Whether it can write whole lines. */
static bool choose_move(tm_copy_plan *p)
{
    widen(p);
    p->cast = tm_copy_items(p->item);
    int inner = p->dims - 1;
    int64_t run = p->size[inner] * p->item;
    bool to_run = p->to_step[inner] == p->item, from_run = p->from_step[inner] == p->item;
    p->move = tm_move_cast;
    p->loops = p->dims;
    if (p->dims == 1 || (to_run && from_run && run >= LONG_RUN))
        return false;
    p->loops = p->dims - 1;
    if (to_run && from_run) {
        p->move = p->dims > 2 && p->size[inner - 1] < MANY_ROWS ? tm_move_blocks : tm_move_rows;
        p->loops = p->move == tm_move_rows ? p->dims - 1 : p->dims - 2;
        return true;
    }
    if (to_run && p->from_step[inner] == 0 && is_word(run)) {
        p->move = tm_move_repeat;
    } else if (to_run && find_columns(p)) {
        bool small = p->dims > 2 && elements(p, p->dims - 2) * p->item <= SMALL_MATRIX;
        p->move = small ? tm_move_transposed : tm_move_columns;
        p->loops = small ? p->dims - 2 : p->dims - 1;
        return tm_transpose_streams(p->item);
    }
    return false;
}

void tm_copy_lay_out(tm_copy_plan *p, int n, const int64_t *size, const tm_copy_side *to,
                     const tm_copy_side *from)
{
    p->to = to->base;
    p->from = from->base;
    p->count = 0;
    p->stream = TM_COPY_KEEP;
    p->cast = tm_cast(from->dtype, to->dtype);
    if (!order(p, n, size, to, from) || !p->cast)
        return;
    merge(p);
    bool lines = false;
    if (from->dtype == to->dtype) {
        p->item = (int)tm_dtype_size(from->dtype);
        lines = choose_move(p);
    } else {
        p->item = 0;
        p->move = tm_move_cast;
        p->loops = p->dims == 1 || p->size[p->dims - 1] >= LONG_ROW ? p->dims : p->dims - 1;
    }
    int64_t item = p->item ? p->item : (int64_t)tm_dtype_size(to->dtype);
    if (tm_bypass_pays(2 * elements(p, 0) * item))
        p->stream = stream_of(p, item, lines);
    p->work = elements(p, p->loops);
    p->count = elements(p, 0) / p->work;
}

/* Runs the move into a buffer that lies to lines as the destination does, and that to memory. */
static void move_streaming(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    _Alignas(TM_LINE) char buffer[BUFFER + TM_LINE];
    int64_t step = p->to_step[p->loops - 1];
    assert(step > 0); /* as stream_of saw to it */
    /* Whether what is next lies behind what is moved. */
    const bool dense = p->from_step[p->loops - 1] == step;
    const int64_t most = step < PIECE ? PIECE / step : 1;
    while (n > 0) {
        int64_t m = n < most ? n : most;
        char *at = buffer + (uintptr_t)to % TM_LINE;
        p->move(p, at, from, m);
        tm_ahead ahead = {dense, {(uintptr_t)from + TM_FETCHED}, {TM_LINE}};
        tm_bypass_rows(to, 0, at, m * step, 1, &ahead);
        to += m * step;
        from += m * p->from_step[p->loops - 1];
        n -= m;
    }
}

void tm_copy_range(const tm_copy_plan *p, int64_t begin, int64_t end)
{
    if (begin >= end)
        return; /* what has no element is not laid out */
    int last = p->loops - 1;
    int64_t index[TM_COPY_DIMS], rest = begin;
    char *to = p->to;
    const char *from = p->from;
    for (int d = last; d >= 0; d--) {
        index[d] = 0;
        if (rest == 0)
            continue;
        index[d] = rest % p->size[d];
        rest /= p->size[d];
        to += index[d] * p->to_step[d];
        from += index[d] * p->from_step[d];
    }
    while (begin < end) {
        int64_t n = p->size[last] - index[last];
        if (n > end - begin)
            n = end - begin;
        if (p->stream == TM_COPY_STREAM_BUFFER)
            move_streaming(p, to, from, n);
        else
            p->move(p, to, from, n);
        begin += n;
        /* One step of the next loop, from where the last one began. */
        to -= index[last] * p->to_step[last];
        from -= index[last] * p->from_step[last];
        index[last] = 0;
        for (int d = last - 1; d >= 0; d--) {
            to += p->to_step[d];
            from += p->from_step[d];
            if (++index[d] < p->size[d])
                break;
            index[d] = 0;
            to -= p->to_step[d] * p->size[d];
            from -= p->from_step[d] * p->size[d];
        }
    }
    if (p->stream)
        tm_bypass_end();
}

void tm_copy(int n, const int64_t *size, const tm_copy_side *to, const tm_copy_side *from)
{
    tm_copy_plan plan;
    tm_copy_lay_out(&plan, n, size, to, from);
    if (plan.count)
        tm_copy_range(&plan, 0, plan.count);
}
