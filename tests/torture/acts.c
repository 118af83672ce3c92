/* acts.c: uses of the library that can be made over and over. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <transmute/dlpack.h>

#include "failing.h"
#include "torture.h"

enum { SIDE = 40, VALUES = 3 * SIDE * SIDE };

static float values[VALUES];
static tm_tensor *batch, *shared; /* (3, 40, 40) and (40, 40) */

void acts_begin(void)
{
    for (int i = 0; i < VALUES; i++)
        values[i] = (float)((i * 37 + i / 41) % 101) / 16 - 3;
    for (int i = 0; i < 3 * SIDE; i++) /* diagonals large: factors exist */
        values[i * SIDE + i % SIDE] += 200;
    batch = tm_from_data(TM_FLOAT32, 3, (const int64_t[]){3, SIDE, SIDE}, values);
    shared = tm_from_data(TM_FLOAT32, 2, (const int64_t[]){SIDE, SIDE}, values);
    MUST(batch && shared, "no inputs");
}

void acts_check_inputs(void)
{
    MUST(memcmp(tm_data(batch), values, sizeof values) == 0, "an input was changed");
    MUST(memcmp(tm_data(shared), values, sizeof values / 3) == 0, "an input was changed");
}

void acts_end(void)
{
    tm_release(batch);
    tm_release(shared);
}

/* -- Ops under levels -------------------------------------------------------------------------- */

typedef tm_tensor *(*one_fn)(const tm_tensor *m, const tm_tensor *w);

static tm_status call_one(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = (*(const one_fn *)user)(in[0], in[1]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status map(one_fn one, int64_t chunk, digest *d)
{
    const tm_tensor *in[] = {batch, shared};
    const int64_t in_dims[] = {0, TM_NOT_MAPPED};
    const tm_vmap_options options = {
        .struct_size = sizeof options, .randomness = TM_RANDOMNESS_DIFFERENT, .chunk_size = chunk};
    tm_tensor *out;
    tm_seed(7);
    tm_status status = tm_vmap(call_one, &one, &options, 2, in, in_dims, 1, &out, NULL);
    if (status == TM_OK)
        digest_tensor(d, out);
    return status;
}

static tm_tensor *elementwise(const tm_tensor *m, const tm_tensor *w)
{
    return tm_exp(tm_mul(tm_sub(m, w), tm_astype(tm_gt(m, w), TM_FLOAT64)));
}

static tm_tensor *written(const tm_tensor *m, const tm_tensor *w)
{
    tm_tensor *z = tm_clone(w); /* one for all, until the first mapped write */
    tm_tensor *row = tm_select(z, 0, 1);
    if (!tm_add_(row, tm_select(m, 0, 0)))
        return NULL;
    return tm_add_out(tm_swapaxes(z, 0, 1), m, z);
}

static tm_tensor *reduced(const tm_tensor *m, const tm_tensor *w)
{
    return tm_add(tm_sum(m, &TM_INTS(0), false), tm_cumsum(tm_mean(w, &TM_INTS(1), false), 0));
}

static tm_tensor *products(const tm_tensor *m, const tm_tensor *w)
{
    return tm_add(tm_matmul(m, w), tm_matmul(tm_swapaxes(m, 0, 1), m));
}

#ifdef TM_HAVE_LAPACK
static tm_tensor *factors(const tm_tensor *m, const tm_tensor *w)
{
    return tm_matmul(tm_inv(m), tm_qr(w, "reduced").q);
}

static tm_tensor *values_of(const tm_tensor *m, const tm_tensor *w)
{
    (void)w;
    return tm_svdvals(m);
}

static tm_tensor *small_factors(const tm_tensor *m, const tm_tensor *w)
{
    (void)w;
    return tm_inv(tm_strided_view(m, 2, (const int64_t[]){4, 4}, (const int64_t[]){SIDE, 1}, 0));
}
#endif

static tm_tensor *transformed(const tm_tensor *m, const tm_tensor *w)
{
    tm_trim(); /* the tables are made anew */
    return tm_add(tm_fft(m, NULL, -1, "backward"), tm_fft(w, TM_SOME(int64_t, SIDE), 0, "ortho"));
}

static tm_tensor *ordered(const tm_tensor *m, const tm_tensor *w)
{
    return tm_take_along_axis(tm_sort(m, 0, true, true), tm_argsort(w, 0, false, true), 0);
}

static tm_tensor *joined(const tm_tensor *m, const tm_tensor *w)
{
    tm_tensor_list parts = tm_split(m, 8, 0);
    if (!parts.data)
        return NULL;
    return tm_concat(TM_TENSORS(w, parts.data[0], parts.data[1], parts.data[2], parts.data[3],
                                parts.data[4], tm_reshape(tm_swapaxes(m, 0, 1), TM_INTS(-1, SIDE))),
                     0);
}

static tm_tensor *drawn(const tm_tensor *m, const tm_tensor *w)
{
    (void)w;
    return tm_add(m, tm_randn(TM_INTS(SIDE, SIDE), TM_FLOAT32, NULL));
}

static tm_tensor *indexed(const tm_tensor *m, const tm_tensor *w)
{
    tm_tensor *index = tm_vmap_index(tm_vmap_current());
    return tm_add(tm_softmax(m, 0), tm_mul(index, w));
}

static const struct {
    const char *name;
    one_fn one;
} mapped[] = {{"elementwise", elementwise},
              {"written", written},
              {"reduced", reduced},
              {"products", products},
#ifdef TM_HAVE_LAPACK
              {"factors", factors},
              {"values_of", values_of},
              {"small_factors", small_factors},
#endif
              {"transformed", transformed},
              {"ordered", ordered},
              {"joined", joined},
              {"drawn", drawn},
              {"indexed", indexed}};

static tm_status ops(digest *d)
{
    for (int i = 0; i < COUNT(mapped); i++) {
        tm_status status = map(mapped[i].one, 0, d);
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

static tm_status pieces(digest *d)
{
    for (int i = 0; i < COUNT(mapped); i += 3) {
        tm_status status = map(mapped[i].one, 2, d);
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

static tm_status on_two_threads(digest *d)
{
    tm_status status = tm_set_num_threads(2);
    tm_set_path(TM_PATH_SPLIT, TM_PATH_ON);
    if (status == TM_OK)
        status = ops(d);
    tm_set_path(TM_PATH_SPLIT, TM_PATH_AUTO);
    tm_set_num_threads(1);
    return status;
}

/* -- Levels by hand, modes --------------------------------------------------------------------- */

static tm_mode_answer pass(tm_call *call, void *state)
{
    (void)state;
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static tm_status under_modes(FILE *stream, const char *prefix, digest *d)
{
    static const tm_mode_def passing = {
        .struct_size = sizeof(tm_mode_def), .name = "passing", .handle = pass};
    tm_mode *trace = tm_trace_push_saving(stream, prefix);
    tm_vmap_level *v = trace ? tm_vmap_push(NULL) : NULL;
    tm_mode *mode = v ? tm_mode_push(&passing, NULL) : NULL;
    tm_tensor *x = mode ? tm_vmap_in(v, batch, 0) : NULL;
    tm_tensor *z = tm_linear(x, shared, tm_select(shared, 0, 0));
    tm_status status = z ? TM_OK : tm_error_code();
    if (mode)
        MUST(tm_mode_pop(mode) == TM_OK, "%s", tm_error_message());
    tm_tensor *out = z ? tm_vmap_out(v, z, -1) : NULL;
    if (z && !out)
        status = tm_error_code();
    if (v)
        MUST(tm_vmap_pop(v) == TM_OK, "%s", tm_error_message());
    if (trace)
        MUST(tm_mode_pop(trace) == TM_OK, "%s", tm_error_message());
    digest_tensor(d, out);
    return status;
}

/* What is traced may lose a line, and says so; what is computed is no other. */
static tm_status traced(digest *d)
{
    static digest expected;
    char path[64], input[80], text[8192] = "";
    snprintf(path, sizeof path, "/tmp/transmute-torture-%ld.", (long)getpid());
    failing_pause();
    FILE *stream = tmpfile();
    MUST(stream, "no temporary file");
    failing_resume();
    tm_status status = under_modes(stream, path, d);
    failing_pause();
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    for (int i = 0; i < 4; i++) {
        snprintf(input, sizeof input, "%sx%d.npy", path, i);
        unlink(input);
    }
    failing_resume();
    digest written = {0};
    digest_bytes(&written, text, strlen(text));
    if (!expected.hash)
        expected = written;
    bool says_so = strstr(text, "# no memory") || strstr(text, "= input(");
    MUST(status != TM_OK || says_so || written.hash == expected.hash, "another trace:\n%s", text);
    return status;
}

/* -- Exchange ---------------------------------------------------------------------------------- */

static tm_status exchanged(digest *d)
{
    DLManagedTensorVersioned *out = tm_to_dlpack_versioned(tm_swapaxes(shared, 0, 1));
    if (!out)
        return tm_error_code();
    tm_tensor *back = tm_from_dlpack_versioned(out);
    if (!back) {
        tm_status status = tm_error_code();
        out->deleter(out);
        return status;
    }
    digest_tensor(d, back);
    DLManagedTensor *old = tm_to_dlpack(back);
    if (!old)
        return tm_error_code();
    old->deleter(old);
    return TM_OK;
}

static tm_status read_archive(const tm_npz *npz, digest *d)
{
    for (int64_t i = 0; i < tm_npz_count(npz); i++) {
        tm_tensor *x = tm_npz_load(npz, tm_npz_name(npz, i));
        if (!x)
            return tm_error_code();
        digest_tensor(d, x);
    }
    return TM_OK;
}

static tm_status archived(digest *d)
{
    static const char *const names[] = {"batch", "shared"};
    const tm_tensor *const tensors[] = {batch, tm_swapaxes(shared, 0, 1)};
    if (!tensors[1])
        return tm_error_code();
    tm_status status = TM_OK;
    for (int compressed = 0; compressed < 2 && status == TM_OK; compressed++) {
        size_t size;
        void *bytes = tm_npz_save_memory(2, names, tensors, compressed, &size);
        tm_npz *npz = bytes ? tm_npz_open_memory(bytes, size) : NULL;
        status = npz ? read_archive(npz, d) : tm_error_code();
        tm_npz_close(npz);
        tm_buffer_free(bytes);
    }
    return status;
}

static tm_status through_files(const char *path, digest *d)
{
    static const char *const names[] = {"x"};
    const tm_tensor *const tensors[] = {batch};
    tm_status status = tm_npy_save(path, batch);
    if (status != TM_OK)
        return status;
    tm_tensor *loaded = tm_npy_load(path), *at_once = loaded ? tm_npy_map(path) : NULL;
    if (!at_once)
        return tm_error_code();
    tm_tensor *nothing = tm_sub(loaded, at_once);
    if (!nothing)
        return tm_error_code();
    digest_tensor(d, nothing);
    status = tm_npz_save(path, 1, names, tensors, true);
    tm_npz *npz = status == TM_OK ? tm_npz_open(path) : NULL;
    if (!npz)
        return tm_error_code();
    status = read_archive(npz, d);
    tm_npz_close(npz);
    return status;
}

static tm_status filed(digest *d)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/transmute-torture-%ld.npy", (long)getpid());
    tm_status status = through_files(path, d);
    unlink(path);
    return status;
}

static tm_status printed(digest *d)
{
    const int64_t precision = 30;
    const tm_print_options options = {.struct_size = sizeof options,
                                      .precision = &precision,
                                      .threshold = 3000,
                                      .floatmode = TM_PRINT_FIXED};
    char *text = tm_to_string_with(shared, &options);
    if (!text)
        return tm_error_code();
    digest_bytes(d, text, strlen(text));
    tm_string_free(text);
    return TM_OK;
}

/* -- The rest ---------------------------------------------------------------------------------- */

static tm_status generated(digest *d)
{
    tm_generator *generator = tm_generator_new(3);
    if (!generator)
        return tm_error_code();
    tm_tensor *x = tm_randint(0, 9, TM_INTS(50), TM_INT32, generator);
    tm_tensor *y = tm_randperm(50, TM_INT64, generator);
    tm_status status = x && y ? TM_OK : tm_error_code();
    tm_generator_free(generator);
    digest_tensor(d, x);
    digest_tensor(d, y);
    return status;
}

/* Wraps, views, keeps, retains; in scopes within scopes. */
static tm_status held(digest *d)
{
    tm_scope *scope = tm_scope_push();
    if (!scope)
        return tm_error_code();
    tm_tensor *x = tm_wrap(TM_FLOAT32, 1, (const int64_t[]){9}, NULL, values, NULL);
    tm_tensor *view = tm_strided_view(x, 1, (const int64_t[]){9}, (const int64_t[]){-1}, 8);
    tm_tensor *kept = tm_keep(tm_add(view, x));
    tm_status status = kept ? TM_OK : tm_error_code();
    MUST(tm_scope_pop(scope) == TM_OK, "%s", tm_error_message());
    digest_tensor(d, kept);
    return status;
}

typedef struct thread {
    pthread_t id;
    digest digest;
    tm_status status;
} thread;

static void *in_a_thread(void *user)
{
    thread *t = user;
    tm_scope *scope = tm_scope_push(); /* the thread's first use of the library */
    t->status = scope ? map(written, 0, &t->digest) : tm_error_code();
    if (scope)
        tm_scope_pop(scope);
    return NULL;
}

static tm_status in_threads(digest *d)
{
    thread threads[3] = {0};
    failing_pause(); /* whether there are threads is the program's business */
    for (int i = 0; i < COUNT(threads); i++)
        MUST(pthread_create(&threads[i].id, NULL, in_a_thread, &threads[i]) == 0, "no thread");
    for (int i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i].id, NULL);
    failing_resume();
    tm_status status = TM_OK;
    for (int i = 0; i < COUNT(threads); i++) {
        digest_bytes(d, &threads[i].digest, sizeof(digest));
        if (threads[i].status != TM_OK)
            status = threads[i].status;
    }
    return status;
}

/* The checker checks, or says that it could not. */
static tm_status checked(digest *d)
{
    static const char *const names[] = {"triu", "add", "cholesky"};
    const tm_law_options options = {.struct_size = sizeof options,
                                    .ops = names,
                                    .num_ops = COUNT(names),
                                    .cases = 6,
                                    .seed = 4};
    tm_law_result result = {.struct_size = sizeof result};
    tm_status status = tm_law_run(&options, &result);
    MUST(result.violations == 0 && result.leaks == 0, "law: %lld violations, %lld leaks",
         (long long)result.violations, (long long)result.leaks);
    (void)d;
    return status;
}

const act acts[] = {{.name = "calls of every contract", .run = call_contract_ops},
                    {.name = "built-in ops", .run = ops},
                    {.name = "batches in pieces", .run = pieces},
                    {.name = "two threads", .run = on_two_threads},
                    {.name = "trace", .run = traced},
                    {.name = "DLPack", .run = exchanged},
                    {.name = "archives", .run = archived},
                    {.name = "files", .run = filed, .may_be_io = true},
                    {.name = "texts", .run = printed},
                    {.name = "generators", .run = generated},
                    {.name = "scopes", .run = held},
                    {.name = "threads", .run = in_threads, .elsewhere = true},
                    {.name = "law", .run = checked}};
const int num_acts = COUNT(acts);
