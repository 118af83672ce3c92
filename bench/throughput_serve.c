/* throughput_serve.c: the contestants that are part of this program: ours, the limits, the loops.
 *
 * Two threads of the limits: a second one that spins while a time is taken and sleeps otherwise, so
 * that waking it is no part of what is measured. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifdef TM_HAVE_LAPACK
#include <cblas.h>
#endif

#include "throughput_ours.h"

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* What a contestant has open. */
typedef struct open_row {
    const row *row;
    int threads;
    int64_t batch; /* the row's, or half of it */
    /* ours */
    tm_tensor *in[MAX_INPUTS];
    int64_t in_dims[MAX_INPUTS];
    int num_out, compared;
    /* limits and loops */
    limit_data data;
    limit_fn *fn;
} open_row;

/* -- Memory of limits and loops: kept from row to row, so that pages are not fresh ------------- */

enum { BUFFERS = MAX_INPUTS + 2 };

typedef struct buffer {
    char *memory;
    size_t size;
} buffer;

static buffer buffers[BUFFERS];

static void *buffer_of(int i, size_t size)
{
    buffer *b = &buffers[i];
    if (b->size < size) {
        free(b->memory);
        if (posix_memalign((void **)&b->memory, 1 << 21, size)) {
            *b = (buffer){NULL, 0};
            return NULL;
        }
        madvise(b->memory, size, MADV_HUGEPAGE);
        b->size = size;
    }
    return b->memory;
}

/* -- The limits' second thread ----------------------------------------------------------------- */

typedef struct second {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, awake; /* under the lock */
    _Atomic int asked, done;
    limit_fn *fn;
    const limit_data *data;
} second;

static second helper = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void *second_main(void *arg)
{
    second *s = arg;
    for (int turn = 1;; turn++) {
        while (atomic_load_explicit(&s->asked, memory_order_acquire) < turn) {
            pthread_mutex_lock(&s->lock);
            while (!s->awake)
                pthread_cond_wait(&s->wake, &s->lock);
            pthread_mutex_unlock(&s->lock);
        }
        if (s->fn)
            s->fn(s->data, 1, 2);
        atomic_store_explicit(&s->done, turn, memory_order_release);
    }
    return NULL;
}

static void second_set_awake(bool awake)
{
    if (!helper.started) {
        helper.started = true;
        pthread_create(&helper.thread, NULL, second_main, &helper);
    }
    pthread_mutex_lock(&helper.lock);
    helper.awake = awake;
    pthread_cond_signal(&helper.wake);
    pthread_mutex_unlock(&helper.lock);
}

static void both(limit_fn *fn, const limit_data *data)
{
    int turn = atomic_load(&helper.asked) + 1;
    helper.fn = fn;
    helper.data = data;
    atomic_store_explicit(&helper.asked, turn, memory_order_release);
    if (fn)
        fn(data, 0, 2);
    while (atomic_load_explicit(&helper.done, memory_order_acquire) < turn)
        ;
}

static void run_limit(const open_row *o)
{
    if (o->threads == 1)
        o->fn(&o->data, 0, 1);
    else
        both(o->fn, &o->data);
}

static double time_limit(open_row *o, int64_t repeats)
{
    if (o->threads > 1) {
        second_set_awake(true);
        both(NULL, NULL);
    }
    double start = now();
    for (int64_t i = 0; i < repeats; i++)
        run_limit(o);
    double time = now() - start;
    if (o->threads > 1)
        second_set_awake(false);
    return time;
}

/* -- Ours -------------------------------------------------------------------------------------- */

/* The levels inside the outermost, when a row has several. */
typedef struct nest {
    const row *row;
    int level, num_in, num_out;
} nest;

static tm_status map_levels(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    nest next = *(nest *)user;
    next.level++;
    int64_t dims[MAX_INPUTS] = {0};
    if (next.level >= next.row->levels)
        return next.row->ours((void *)(uintptr_t)next.row, in, out);
    return tm_vmap(map_levels, &next, NULL, next.num_in, in, dims, next.num_out, out, NULL);
}

/* The row once. */
static tm_status run_ours(open_row *o, tm_tensor **out)
{
    const row *r = o->row;
    tm_vmap_options options = {.struct_size = sizeof options};
    if (r->flags & CHUNKED)
        options.chunk_size = TM_CHUNK_AUTO;
    nest levels = {r, 0, row_num_inputs(r), o->num_out};
    void *user = r->levels > 1 ? (void *)&levels : (void *)(uintptr_t)r;
    return tm_vmap(r->levels > 1 ? map_levels : r->ours, user, &options, levels.num_in,
                   (const tm_tensor *const *)o->in, o->in_dims, o->num_out, out, NULL);
}

static void release_all(tm_tensor **out, int n)
{
    while (n-- > 0)
        tm_release(out[n]);
}

static double time_ours(open_row *o, int64_t repeats)
{
    double start = now();
    for (int64_t i = 0; i < repeats; i++) {
        tm_tensor *out[3];
        if (run_ours(o, out))
            return -1;
        release_all(out, o->num_out);
    }
    return now() - start;
}

static void close_ours(open_row *o)
{
    for (int k = 0; k < MAX_INPUTS; k++)
        tm_release(o->in[k]);
    memset(o->in, 0, sizeof o->in);
}

/* The sizes in front of the batch are those of levels, where a row has several. */
static tm_status open_ours(open_row *o, char *arena)
{
    const row *r = o->row;
    for (int k = 0; k < row_num_inputs(r); k++) {
        int64_t sizes[MAX_SIZES + MAX_LEVELS];
        int axis, ndim = row_input_sizes(r, k, sizes, &axis);
        if (axis >= 0)
            sizes[axis] = o->batch;
        if (r->levels > 1) {
            memmove(sizes + r->levels, sizes + 1, sizeof *sizes * (size_t)(ndim - 1));
            memcpy(sizes, r->level_sizes, sizeof *sizes * (size_t)r->levels);
            ndim += r->levels - 1;
        }
        fill f = r->in[k].fill;
        tm_dtype dtype = f == INDICES ? TM_INT64 : f == COMPLEX ? TM_COMPLEX64 : TM_FLOAT32;
        o->in[k] = tm_from_data(dtype, ndim, sizes, row_input_in(r, k, arena));
        o->in_dims[k] = axis >= 0 ? axis : TM_NOT_MAPPED;
    }
    o->num_out = ours_num_results(r, &o->compared);
    tm_set_num_threads(o->threads);
    tm_tensor *out[3];
    tm_status status = run_ours(o, out);
    if (!status)
        release_all(out, o->num_out);
    return status;
}

/* All results as float32, each example's after another's. */
static int64_t check_ours(open_row *o, float *to)
{
    tm_tensor *out[3];
    if (run_ours(o, out))
        return -1;
    int n = o->compared;
    int64_t examples = o->row->levels > 1 ? 1 : o->batch, width[3] = {0}, all = 0;
    for (int k = 0; k < n; k++) {
        bool pairs = tm_dtype_of(out[k]) == TM_COMPLEX64;
        width[k] = tm_numel(out[k]) * (pairs ? 2 : 1) / examples;
        all += width[k];
    }
    int64_t before = 0;
    for (int k = 0; k < n; k++) {
        bool pairs = tm_dtype_of(out[k]) == TM_COMPLEX64;
        tm_tensor *plain = pairs ? tm_clone(out[k]) : tm_astype(out[k], TM_FLOAT32);
        const float *from = tm_data(plain);
        for (int64_t b = 0; from && b < examples; b++)
            memcpy(to + b * all + before, from + b * width[k], sizeof *to * (size_t)width[k]);
        before += width[k];
        tm_release(plain);
    }
    release_all(out, o->num_out);
    return all * examples;
}

/* What one run takes beyond its results. */
static double memory_ours(open_row *o)
{
    tm_tensor *out[3];
    tm_memory_reset_peak();
    if (run_ours(o, out))
        return -1;
    tm_memory_stats stats = tm_memory_get_stats();
    double extra = (double)stats.peak_bytes - (double)stats.live_bytes;
    release_all(out, o->num_out);
    return extra;
}

/* -- Limits and loops -------------------------------------------------------------------------- */

/* The bytes of the op's first result, and of what stands beside it. */
static void out_sizes(const open_row *o, size_t *bytes, size_t *beside)
{
    const row *r = o->row;
    size_t example = 1, all = row_input_bytes(r, 0) / (size_t)r->batch;
    for (int i = 0; i < r->in[0].ndim; i++)
        example *= (size_t)r->in[0].sizes[i];
    *bytes = example * sizeof(float) * (size_t)o->batch;
    *beside = 2 * all * (size_t)o->batch;
    if (!strcmp(r->op, "concat"))
        *bytes *= 2;
    if (r->ours == ours_sum || r->ours == ours_mean || r->ours == ours_amax ||
        r->ours == ours_argmax)
        *bytes /= (size_t)r->in[0].sizes[r->arg == -1 ? r->in[0].ndim - 1 : 0];
    if (!strcmp(r->op, "gather"))
        *bytes /= 2;
    if (!strcmp(r->op, "matmul") && r->in[0].shared)
        *bytes = (size_t)row_input_count(r, 1) * sizeof(float);
}

/* Whether the output is the op's: streams compute something else, and a transposed matrix has
 * other factors. */
static bool is_comparable(const open_row *o, role as)
{
    const row *r = o->row;
    if (as == LOOP)
        return r->place == FIRST && r->loop != loop_qsort_indices && strcmp(r->op, "lu") != 0 &&
               strcmp(r->op, "qr") != 0;
    switch (r->limit) {
    case LIMIT_read:
    case LIMIT_copy:
    case LIMIT_triad:
    case LIMIT_two_passes:
        return false;
    case LIMIT_addcmul:
        return r->place == FIRST && !strcmp(r->op, "addcmul");
    case LIMIT_gemm:
        return !r->in[0].shared || r->in[1].ndim == 1;
    default:
        return r->place == FIRST;
    }
}

static bool open_limit(open_row *o, role as, char *arena)
{
    const row *r = o->row;
    limit_data *d = &o->data;
    *d = (limit_data){.batch = o->batch, .num_in = row_num_inputs(r), .arg = r->arg};
    if (as == LIMIT && r->limit == LIMIT_none)
        return false;
    o->fn = as == LOOP ? r->loop : limit_find(r->limit);
    if (!o->fn)
        return false;
    for (int k = 0; k < d->num_in; k++) {
        d->bytes[k] = row_input_bytes(r, k);
        d->count[k] = row_input_count(r, k);
        d->example[k] = r->in[k].shared ? d->count[k] : d->count[k] / r->batch;
        d->last[k] = r->in[k].sizes[r->in[k].ndim - 1];
        d->in[k] = buffer_of(k, d->bytes[k]);
        if (!d->in[k])
            return false;
        memcpy(d->in[k], row_input_in(r, k, arena), d->bytes[k]);
    }
    size_t beside;
    out_sizes(o, &d->out_bytes, &beside);
    d->out = buffer_of(MAX_INPUTS, d->out_bytes);
    d->out2 = buffer_of(MAX_INPUTS + 1, beside);
    if (!d->out || !d->out2)
        return false;
    memset(d->out, 0, d->out_bytes);
    memset(d->out2, 0, beside);
    double best[2] = {INFINITY, INFINITY}; /* with stores through the cache, and past it */
    for (int i = 0; i < 10; i++) {
        d->stream = i % 2;
        double time = time_limit(o, 1);
        if (time < best[i % 2])
            best[i % 2] = time;
    }
    d->stream = best[1] < best[0];
    return true;
}

static int64_t check_limit(open_row *o, role as, float *to)
{
    if (!is_comparable(o, as))
        return -1;
    time_limit(o, 1);
    size_t bytes = o->data.out_bytes;
    if (as == LOOP && o->row->in[0].ndim == 2) { /* of an example's n x n matrix: what is left */
        size_t n = (size_t)o->data.last[0];
        const char *op = o->row->op;
        bytes /= !strcmp(op, "det")                                                  ? n * n
                 : !strcmp(op, "solve") || !strcmp(op, "eigh") || !strcmp(op, "svd") ? n
                                                                                     : 1;
    }
    memcpy(to, o->data.out, bytes);
    return (int64_t)(bytes / sizeof(float));
}

/* -- The protocol ------------------------------------------------------------------------------ */

static void answer_open(open_row *o, role as, FILE *out, char *arena)
{
    if (as == OURS) {
        if (open_ours(o, arena))
            fprintf(out, "no %s\n", tm_error_message());
        else
            fprintf(out, "ok\n");
        return;
    }
    fprintf(out, open_limit(o, as, arena) ? "ok\n" : "no none\n");
}

void serve(role as, FILE *in, FILE *out, char *arena)
{
#ifdef TM_HAVE_LAPACK
    if (as != OURS)
        openblas_set_num_threads(1);
#endif
    open_row o = {0};
    char line[1024];
    while (fgets(line, sizeof line, in)) {
        char *word = strchr(line, ' ');
        if (word && !strncmp(line, "open", 4)) {
            close_ours(&o);
            o = (open_row){.row = &throughput_rows[strtol(word, &word, 10)]};
            o.threads = (int)strtol(word, &word, 10);
            o.batch = o.row->batch / strtol(word, &word, 10);
            answer_open(&o, as, out, arena);
        } else if (word && o.row && !strncmp(line, "time", 4)) {
            int64_t repeats = strtol(word, NULL, 10);
            double time = as == OURS ? time_ours(&o, repeats) : time_limit(&o, repeats);
            fprintf(out, time < 0 ? "no %.0f\n" : "ok %.0f\n", time);
        } else if (o.row && !strncmp(line, "check", 5)) {
            float *to = (float *)(void *)(arena + ARENA_OUT);
            int64_t count = as == OURS ? check_ours(&o, to) : check_limit(&o, as, to);
            fprintf(out, count < 0 ? "no\n" : "ok %lld\n", (long long)count);
        } else if (o.row && !strncmp(line, "memory", 6)) {
            fprintf(out, "ok %.0f\n", memory_ours(&o));
        }
        fflush(out);
    }
}
