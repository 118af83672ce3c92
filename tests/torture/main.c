/* main.c: fails the 1st, the 2nd, ... allocation of each act until it completes without meeting the
 * failure; once alone, once with all after it. Each time an error comes back and says what it is,
 * nothing leaks, inputs are as they were, and the act then succeeds with the same result; one that
 * gets by without that memory has the same result too.
 *
 *     transmute_torture [WORD]     the acts whose name contains WORD
 */
#include <string.h>

#include "failing.h"
#include "torture.h"

/* -- Digests ----------------------------------------------------------------------------------- */

void digest_bytes(digest *d, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        d->hash = (d->hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u + 1;
}

static void digest_from(digest *d, const tm_tensor *x, int dim, const char *data)
{
    size_t item = tm_dtype_size(tm_dtype_of(x));
    if (dim == tm_ndim(x)) {
        digest_bytes(d, data, item);
        return;
    }
    for (int64_t i = 0; i < tm_shape(x)[dim]; i++)
        digest_from(d, x, dim + 1, data + i * tm_strides(x)[dim] * (int64_t)item);
}

void digest_tensor(digest *d, const tm_tensor *x)
{
    if (!x)
        return;
    digest_bytes(d, tm_shape(x), (size_t)tm_ndim(x) * sizeof(int64_t));
    digest_from(d, x, 0, tm_data(x));
}

/* -- One act ----------------------------------------------------------------------------------- */

static tm_status run(const act *a, digest *d)
{
    *d = (digest){0};
    tm_scope *scope = tm_scope_push();
    if (!scope)
        return tm_error_code();
    tm_status status = a->run(d);
    MUST(tm_scope_pop(scope) == TM_OK, "%s: %s", a->name, tm_error_message());
    MUST(!tm_vmap_current(), "%s: a level is left open", a->name);
    return status;
}

static void check_error(const act *a, int64_t n, tm_status status)
{
    const char *message = tm_error_message();
    bool memory = status == TM_ERR_MEMORY || (a->may_be_io && status == TM_ERR_IO);
    MUST(memory, "%s, allocation %lld: %s: %s", a->name, (long long)n, tm_status_name(status),
         message);
    if (a->elsewhere)
        return;
    MUST(tm_error_code() == status, "%s, allocation %lld: the record is %s: %s", a->name,
         (long long)n, tm_status_name(tm_error_code()), message);
    MUST(strstr(message, "memory"), "%s, allocation %lld: %s", a->name, (long long)n, message);
}

/* What a run leaves behind. */
typedef struct left_over {
    int64_t blocks, tensors, all;
} left_over;

static left_over held_now(void)
{
    tm_trim();
    tm_memory_stats stats = tm_memory_get_stats();
    return (left_over){(int64_t)stats.live_blocks, (int64_t)stats.live_tensors, failing_live()};
}

/* Fails allocation n, and if `on` those after it; returns whether it was met. */
static bool fail_at(const act *a, int64_t n, bool on, const digest *expected)
{
    left_over before = held_now(), after;
    bool met = false;
    for (int turn = 0; turn < 2; turn++) { /* what is kept once is no leak */
        digest d;
        failing_arm(n, on);
        tm_status status = run(a, &d);
        met = failing_disarm();
        if (status == TM_OK)
            MUST(d.hash == expected->hash, "%s, allocation %lld: another result", a->name,
                 (long long)n);
        else
            check_error(a, n, status);
        MUST(status == TM_OK || met, "%s fails with all memory: %s", a->name, tm_error_message());
        tm_error_clear();
        after = held_now();
        MUST(after.tensors == before.tensors, "%s, allocation %lld leaks %lld handles", a->name,
             (long long)n, (long long)(after.tensors - before.tensors));
        if (after.blocks == before.blocks && after.all <= before.all)
            break;
        MUST(turn == 0, "%s, allocation %lld leaks: %lld blocks, %lld of malloc's", a->name,
             (long long)n, (long long)(after.blocks - before.blocks),
             (long long)(after.all - before.all));
        before = after;
    }
    acts_check_inputs();
    return met;
}

static void torture(const act *a)
{
    digest expected, again;
    for (int i = 0; i < 2; i++)
        MUST(run(a, i ? &again : &expected) == TM_OK, "%s: %s", a->name, tm_error_message());
    MUST(again.hash == expected.hash, "%s: another result the second time", a->name);
    int64_t n = 1;
    for (int on = 0; on < 2; on++) {
        for (n = 1; fail_at(a, n, on, &expected); n++)
            MUST(run(a, &again) == TM_OK && again.hash == expected.hash,
                 "%s, allocation %lld: not as it was afterwards: %s", a->name, (long long)n,
                 tm_error_message());
        MUST(run(a, &again) == TM_OK && again.hash == expected.hash, "%s: %s", a->name,
             tm_error_message());
    }
    printf("%s: %lld allocations\n", a->name, (long long)n - 1);
    fflush(stdout);
}

/* -- All --------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} apart[] = {{"first use", torture_first_use},
             {"pool", torture_pool},
             {"program", torture_program}},
  once[] = {{"registering", torture_registering}, {"plug-in", torture_plugin}};

static bool chosen(const char *name, const char *word)
{
    return !word || strstr(name, word);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    failing_install();
    for (int i = 0; i < COUNT(apart); i++) /* before this process has used the library */
        if (chosen(apart[i].name, word))
            apart[i].run();
    for (int i = 0; i < COUNT(once); i++)
        if (chosen(once[i].name, word))
            once[i].run();
    acts_begin();
    tm_library *library = tm_library_open("torture");
    for (int i = 0; i < num_contract_ops; i++) {
        const tm_op *op = tm_library_register(library, &contract_ops[i]);
        MUST(op, "%s", tm_error_message());
        contract_ops_registered(i, op);
    }
    for (int i = 0; i < num_acts; i++)
        if (chosen(acts[i].name, word))
            torture(&acts[i]);
    tm_library_close(library);
    acts_end();
    return 0;
}
