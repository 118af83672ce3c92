/* random.c: which generator a call draws from, and where it stands.
 *
 * A sample alone draws as it states. In a case the batch and the loop over examples draw from equal
 * seeds, each from the thread's generator or from one that is given, so that the two kinds are held
 * against each other as well.
 */
#include "law/case.h"

enum { LOOP, BATCH };

static int generator_param(const tm_op *op)
{
    for (int p = 0; p < tm_op_num_params(op); p++)
        if (tm_op_param(op, p)->type == TM_TYPE_GENERATOR)
            return p;
    return -1;
}

bool tm_law_takes_generator(const tm_op *op)
{
    return generator_param(op) >= 0;
}

bool tm_law_draws(const tm_law_case *c)
{
    return tm_op_contract(c->op) == TM_RANDOM || c->sample->draws;
}

void tm_law_draw_generators(tm_law_case *c, tm_law_rng *rng)
{
    c->random_seed = tm_law_next(rng);
    c->random_calls = (int)tm_law_below(rng, 3);
    for (int side = LOOP; side <= BATCH; side++)
        c->given[side] = tm_law_chance(rng, 50) && generator_param(c->op) >= 0;
}

/* The one given for a side, NULL: the thread's. Seeds both, so that what is drawn from the wrong
 * one shows. */
static tm_generator *begin(tm_law_case *c, int side, tm_value *args)
{
    int param = generator_param(c->op);
    tm_generator *generator = c->given[side] ? &c->generators[side] : NULL;
    tm_seed(c->random_seed);
    if (generator)
        tm_generator_seed(generator, c->random_seed);
    if (param >= 0)
        args[param].generator = generator;
    return generator;
}

/* The sample's own, as it states it. */
static void begin_alone(const tm_law_case *c, tm_value *args)
{
    int param = generator_param(c->op);
    tm_seed(0);
    if (param < 0 || !args[param].generator)
        return;
    const tm_law_arg *arg = &c->sample->args[param];
    tm_generator_seed(args[param].generator, arg->room.generator.seed);
    tm_generator_skip(args[param].generator, arg->room.generator.count);
}

void tm_law_random_example(tm_law_case *c, const int64_t *index, tm_value *args)
{
    int64_t drawn[TM_LAW_LEVELS];
    int n = 0;
    if (c->alone) {
        begin_alone(c, args);
        return;
    }
    tm_generator *generator = begin(c, LOOP, args);
    for (int l = 0; l < c->num_levels; l++)
        if (c->randomness[l] == TM_RANDOMNESS_DIFFERENT)
            drawn[n++] = index[l];
    if (generator)
        tm_generator_at(generator, (uint64_t)c->random_calls, n, drawn);
    else
        tm_rng_at((uint64_t)c->random_calls, n, drawn);
}

bool tm_law_drew(const tm_law_case *c, const tm_value *args)
{
    int param = generator_param(c->op);
    const tm_generator *given = param >= 0 ? args[param].generator : NULL;
    return tm_rng_count() > 0 || (given && tm_generator_count(given) > 0);
}

void tm_law_random_batch(tm_law_case *c, tm_value *args)
{
    begin(c, BATCH, args);
}

void tm_law_random_args(tm_law_case *c, tm_value *args)
{
    int param = generator_param(c->op);
    if (param >= 0)
        args[param].generator = c->given[BATCH] ? &c->generators[BATCH] : NULL;
}

void tm_law_random_counts(tm_law_case *c)
{
    bool given = c->given[BATCH];
    c->outcome.rng_count = given ? tm_generator_count(&c->generators[BATCH]) : tm_rng_count();
    c->outcome.stray_count = given ? tm_rng_count() : 0;
}
