/* law.c: tm_law_run: which ops, which cases, and the count of what was wrong.
 *
 * Case i checks op i modulo their number, with seed + i. What a case is depends on its op and its
 * seed alone, so naming the op and the seed brings it back. Before the cases, each sample is held
 * against what it states, outside any level. A case that leaves more handles or bytes behind than
 * it found is run again: memory that is kept once (a thread's record) is no leak.
 */
#include <transmute/law.h>

#include <string.h>

#include "dispatch/error.h"
#include "dispatch/given.h"
#include "dispatch/thread.h"
#include "law/case.h"
#include "modes/check.h"

enum { FULL_REPORTS = 20, EDGES_PERCENT = 3 };

/* The samples of a declared op, which its derived forms share. */
typedef struct family {
    const tm_op *op;
    tm_law_sample **samples;
    int count;
    struct family *next;
} family;

typedef struct subject {
    const tm_op *op;
    family *family;
} subject;

typedef struct law_run {
    tm_law_options options;
    tm_law_result result;
    tm_law_arena samples, scratch;
    family *families;
    subject *subjects;
    int64_t num_subjects;
    int64_t reported;
    tm_law_case *running;
    bool no_memory; /**< the checker itself ran out: it stops */
} law_run;

static void count_violation(law_run *run, const tm_law_case *c)
{
    char name[128];
    FILE *stream = run->options.report;
    run->result.violations++;
    if (!stream)
        return;
    if (run->reported++ < FULL_REPORTS)
        tm_law_report(stream, c);
    else
        fprintf(stream, "violation: transmute law %s --cases %d --seed %llu\n",
                tm_law_name(c->op, name, sizeof name), c->alone ? 0 : 1,
                (unsigned long long)c->seed);
}

/* -- Running one case -------------------------------------------------------------------------- */

/* From the op's name and the seed to the case's own stream of numbers. */
static uint64_t state_of(const tm_op *op, uint64_t seed)
{
    char name[128];
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *s = tm_law_name(op, name, sizeof name); *s; s++)
        hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
    return tm_law_mix(hash ^ tm_law_mix(seed));
}

static bool run_drawn(tm_law_case *c)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 0);
    if (!tm_law_inputs(c) || !tm_law_meta(c))
        return false;
    c->edges = tm_law_chance(&rng, EDGES_PERCENT) && c->expected.verdict == TM_LAW_RESULT;
    if (!c->edges) {
        tm_law_draw(c);
        tm_law_draw_out_dims(c);
        tm_law_draw_layouts(c);
    } else {
        c->count = 1;
    }
    if (!tm_law_draw_values(c))
        return false;
    if (c->edges)
        return tm_law_edges(c);
    return tm_law_loop(c) && tm_law_batch(c) && tm_law_compare(c);
}

static bool run_alone(tm_law_case *c)
{
    c->count = 1;
    return tm_law_inputs(c) && tm_law_meta(c) && tm_law_draw_values(c) && tm_law_loop(c) &&
           tm_law_judge(c);
}

/* Runs the case in a scope; what it leaves behind is counted in *bytes and *tensors. */
static void run_guarded(tm_law_case *c, int64_t *bytes, int64_t *tensors)
{
    tm_memory_stats before = tm_memory_get_stats();
    tm_error_clear();
    tm_scope *scope = tm_scope_push();
    if (!scope)
        tm_law_problem(c, "no scope: %s", tm_error_message());
    else if (!(c->alone ? run_alone(c) : run_drawn(c)))
        tm_law_problem(c, "no memory for the case");
    if (tm_vmap_current())
        tm_law_problem(c, "a level is left open");
    if (scope && tm_scope_pop(scope) != TM_OK)
        tm_law_problem(c, "a scope is left open");
    tm_error_clear();
    bool violated = c->problem[0] != '\0';
    if (!violated) /* a report still needs it */
        tm_law_free_all(c->arena);
    tm_memory_stats after = tm_memory_get_stats();
    *bytes = violated ? 0 : (int64_t)(after.live_bytes - before.live_bytes);
    *tensors = (int64_t)(after.live_tensors - before.live_tensors);
}

static void run_case(law_run *run, const tm_law_case *what)
{
    for (int turn = 0; turn < 2; turn++) {
        tm_law_case c = *what;
        int64_t bytes, tensors;
        c.failures = tm_memory_get_stats().failures;
        c.arena = &run->scratch;
        run->running = &c;
        run_guarded(&c, &bytes, &tensors);
        run->running = NULL;
        bool violated = c.problem[0] != '\0';
        bool failed = tm_memory_get_stats().failures != c.failures;
        run->no_memory = run->scratch.lost || (violated && failed);
        if (violated && turn == 0 && !run->no_memory)
            count_violation(run, &c);
        tm_law_free_all(&run->scratch);
        if (c.alone && turn == 0) {
            tm_law_sample *sample = (tm_law_sample *)(uintptr_t)c.sample;
            sample->fails_in_meta = sample->invalid && c.expected.verdict == TM_LAW_META;
            /* What a check refuses draws, where another tensor lets it pass. */
            sample->draws = c.drew || (sample->fails_in_meta && tm_law_takes_generator(c.op));
        }
        if ((bytes == 0 && tensors == 0) || run->no_memory)
            return;
        if (turn == 0)
            continue;
        char name[128];
        run->result.leaks++;
        if (run->options.report)
            fprintf(run->options.report,
                    "\nleak: %lld bytes, %lld handles\n  again with: transmute law %s --cases %d "
                    "--seed %llu\n",
                    (long long)bytes, (long long)tensors, tm_law_name(c.op, name, sizeof name),
                    c.alone ? 0 : 1, (unsigned long long)c.seed);
    }
}

/* -- Samples ----------------------------------------------------------------------------------- */

static void violation_of_op(law_run *run, const tm_op *op, const tm_law_sample *sample,
                            const char *problem)
{
    tm_law_case c = {.op = op, .sample = sample, .seed = run->options.seed, .alone = true};
    snprintf(c.problem, sizeof c.problem, "%s", problem);
    count_violation(run, &c);
}

static tm_status parse_samples(law_run *run, family *f)
{
    char error[512];
    const tm_op_samples *all = tm_op_get_samples(f->op);
    f->samples = tm_law_alloc_pointers(&run->samples, all ? (int64_t)all->count : 0);
    if (!f->samples)
        return TM_ERR_MEMORY;
    size_t at = 0;
    for (const tm_sample *source; (source = tm_law_next_sample(f->op, &at));) {
        tm_law_sample *sample = tm_law_alloc(&run->samples, sizeof *sample);
        if (!sample)
            return TM_ERR_MEMORY;
        if (!tm_law_parse(&run->samples, f->op, source, sample, error, sizeof error)) {
            if (run->samples.lost)
                return TM_ERR_MEMORY;
            sample->broken = true;
        }
        sample->number = f->count;
        f->samples[f->count++] = sample;
        if (sample->broken)
            violation_of_op(run, f->op, sample, error);
    }
    if (f->count == 0)
        violation_of_op(run, f->op, NULL, "the op has no samples");
    return TM_OK;
}

static void check_samples(law_run *run, const family *f)
{
    for (int i = 0; i < f->count && !run->no_memory; i++) {
        if (f->samples[i]->broken)
            continue;
        tm_law_case c = {.op = f->op,
                         .sample = f->samples[i],
                         .siblings = f->samples,
                         .num_siblings = f->count,
                         .seed = run->options.seed,
                         .checked = run->options.check,
                         .alone = true};
        c.state = state_of(f->op, run->options.seed + (uint64_t)i);
        run_case(run, &c);
    }
}

/* -- Which ops --------------------------------------------------------------------------------- */

static tm_status add_subject(law_run *run, const tm_op *op)
{
    for (int64_t i = 0; i < run->num_subjects; i++)
        if (run->subjects[i].op == op)
            return TM_OK;
    const tm_op *declared = tm_law_declared(op);
    family *f = run->families;
    while (f && f->op != declared)
        f = f->next;
    if (!f) {
        f = tm_law_alloc(&run->samples, sizeof *f);
        if (!f)
            return TM_ERR_MEMORY;
        f->op = declared;
        f->next = run->families;
        run->families = f;
        tm_status status = parse_samples(run, f);
        if (status != TM_OK)
            return status;
    }
    run->subjects[run->num_subjects++] = (subject){op, f};
    return TM_OK;
}

/* The op of that name first; then, where the name has no overload, the others of that name and
 * every form derived from them. */
static tm_status add_named(law_run *run, const char *given)
{
    char name[128];
    const char *dot = given ? strchr(given, '.') : NULL;
    size_t length = dot ? (size_t)(dot - given) : given ? strlen(given) : 0;
    if (!given || length >= sizeof name)
        return tm_error_set(TM_ERR_USAGE, "law_run", "ops",
                            "a name of an op is missing or too long");
    memcpy(name, given, length);
    name[length] = '\0';
    const tm_op *first = tm_op_find(name, dot ? dot + 1 : "");
    if (!first)
        return tm_error_set(TM_ERR_USAGE, "law_run", "ops", "there is no op '%s'", given);
    tm_status status = add_subject(run, first);
    const tm_op *op;
    for (int64_t i = 0; status == TM_OK && !dot && (op = tm_op_at(i)); i++)
        if (strcmp(tm_op_name(op), tm_op_name(first)) == 0)
            status = add_subject(run, op);
    for (int64_t i = 0; status == TM_OK && (op = tm_op_at(i)); i++)
        for (int64_t k = 0; k < run->num_subjects; k++)
            if (tm_op_base(op) == run->subjects[k].op) {
                status = add_subject(run, op);
                break;
            }
    return status;
}

static tm_status choose_ops(law_run *run)
{
    run->subjects = tm_law_alloc_array(&run->samples, tm_op_count(), sizeof *run->subjects);
    if (!run->subjects)
        return TM_ERR_MEMORY;
    tm_status status = TM_OK;
    const tm_op *op;
    for (int i = 0; run->options.ops && i < run->options.num_ops && status == TM_OK; i++)
        status = add_named(run, run->options.ops[i]);
    for (int64_t i = 0; !run->options.ops && status == TM_OK && (op = tm_op_at(i)); i++)
        status = add_subject(run, op);
    return status;
}

/* -- The run ----------------------------------------------------------------------------------- */

/* One of the family's samples that can be used, NULL where there is none. */
static const tm_law_sample *draw_sample(const family *f, uint64_t state)
{
    tm_law_rng rng = tm_law_rng_at(state, 6);
    const tm_law_sample *chosen = NULL;
    int64_t seen = 0;
    for (int i = 0; i < f->count; i++)
        if (!f->samples[i]->broken && tm_law_below(&rng, ++seen) == 0)
            chosen = f->samples[i];
    return chosen;
}

static void run_cases(law_run *run)
{
    for (const family *f = run->families; f; f = f->next)
        check_samples(run, f);
    for (int64_t i = 0; i < run->options.cases && run->num_subjects > 0 && !run->no_memory; i++) {
        const subject *s = &run->subjects[i % run->num_subjects];
        tm_law_case c = {.op = s->op,
                         .siblings = s->family->samples,
                         .num_siblings = s->family->count,
                         .seed = run->options.seed + (uint64_t)i,
                         .checked = run->options.check,
                         .fail_alloc = run->options.fail_alloc};
        c.state = state_of(s->op, c.seed);
        c.sample = draw_sample(s->family, c.state);
        run->result.cases++;
        if (c.sample)
            run_case(run, &c);
    }
}

/* What the check mode finds is the case's problem, whatever comes of the call. */
static void found(void *user, const char *op, const char *message)
{
    law_run *run = user;
    if (run->running)
        tm_law_problem(run->running, "%s: %s", op, message);
}

tm_status tm_law_run(const tm_law_options *options, tm_law_result *result)
{
    if (!options || !result)
        return tm_error_null("law_run", options ? "result" : "options");
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    if (tm_vmap_current())
        return tm_error_set(TM_ERR_USAGE, "law_run", NULL, "it cannot run inside a vmap");
    law_run run = {.samples = {0}};
    if (tm_given_take("law_run", "options", TM_GIVEN_TYPE(tm_law_options, report), options,
                      &run.options) != TM_OK ||
        tm_given_clear("law_run", "result", TM_GIVEN_TYPE(tm_law_result, leaks), result) != TM_OK)
        return tm_error_code();
    if (run.options.cases < 0 || (run.options.ops && run.options.num_ops < 0))
        return tm_error_set(TM_ERR_VALUE, "law_run", "options", "counts must not be negative");
    tm_generator generator = thread->generator;
    int threads = tm_get_num_threads();
    tm_acceleration acceleration = tm_get_acceleration();
    tm_set_num_threads(1);
    tm_set_acceleration(TM_ACCEL_OFF);
    tm_status status = choose_ops(&run);
    tm_mode *mode = NULL;
    if (status == TM_OK && run.options.check && !(mode = tm_check_push_telling(found, &run)))
        status = tm_error_code();
    if (status == TM_OK)
        run_cases(&run);
    if (mode)
        tm_mode_pop(mode);
    if (run.no_memory)
        status = TM_ERR_MEMORY;
    if (status == TM_ERR_MEMORY)
        tm_error_memory("law_run", (int64_t)sizeof(tm_law_sample));
    tm_set_num_threads(threads);
    tm_set_acceleration(acceleration);
    thread->generator = generator;
    tm_law_free_all(&run.samples);
    tm_law_free_all(&run.scratch);
    result->cases = run.result.cases;
    result->violations = run.result.violations;
    result->leaks = run.result.leaks;
    return status;
}
