/* judge.c: the sample alone, outside any level, against what it states: values or a failure. */
#include "law/case.h"

#include <string.h>

#include "law/elements.h"

static bool judge_failure(tm_law_case *c)
{
    const tm_law_sample *sample = c->sample;
    const tm_law_expected *expected = &c->expected;
    if (expected->verdict == TM_LAW_RESULT)
        return tm_law_problem(c, "the sample states a failure, but the call succeeds\n  %s: %s",
                              tm_status_name(sample->code), sample->message);
    if (expected->failure.code == sample->code &&
        strcmp(expected->failure.message, sample->message) == 0)
        return true;
    return tm_law_problem(c,
                          "the sample fails otherwise than it states\n  stated %s: %.600s\n  "
                          "got    %s: %.600s",
                          tm_status_name(sample->code), sample->message,
                          tm_status_name(expected->failure.code), expected->failure.message);
}

static double number(tm_scalar s, bool imaginary)
{
    if (s.kind == TM_KIND_COMPLEX && imaginary)
        return s.value.c.im;
    return imaginary ? 0 : tm_scalar_as_float(s);
}

static bool judge_scalar(tm_law_case *c, int i)
{
    tm_scalar want = c->sample->expected_scalar[i], got = c->expected.scalars[i];
    double a[2] = {number(got, false), number(got, true)};
    double b[2] = {number(want, false), number(want, true)};
    if (tm_law_equal(TM_COMPLEX128, (char *)a, (char *)b, c->sample->source->rtol,
                     c->sample->source->atol))
        return true;
    return tm_law_problem(c, "result %d is %.17g, the sample states %.17g", i, a[0], b[0]);
}

static bool judge_tensor(tm_law_case *c, int i)
{
    const tm_law_tensor *want = &c->sample->expected[i];
    const tm_spec *spec = &c->expected.specs[i];
    bool same = want->dtype == spec->dtype && want->ndim == spec->ndim;
    for (int d = 0; same && d < want->ndim; d++)
        same = want->shape[d] == spec->shape[d];
    if (!same) {
        char stated[200], got[200];
        tm_format_shape(stated, sizeof stated, want->ndim, want->shape);
        tm_format_shape(got, sizeof got, spec->ndim, spec->shape);
        return tm_law_problem(c, "result %d is %s %s, the sample states %s %s", i,
                              tm_dtype_name(spec->dtype), got, tm_dtype_name(want->dtype), stated);
    }
    const tm_sample *source = c->sample->source;
    int64_t at = tm_law_first_difference(want->dtype, want->numel, c->expected.values[i],
                                         want->literal, source->rtol, source->atol);
    if (at < 0)
        return true;
    size_t item = tm_dtype_size(want->dtype);
    char stated[64], got[64];
    tm_law_element_text(want->dtype, want->literal + (size_t)at * item, stated, sizeof stated);
    tm_law_element_text(want->dtype, c->expected.values[i] + (size_t)at * item, got, sizeof got);
    return tm_law_problem(c, "element %lld of result %d is %s, the sample states %s", (long long)at,
                          i, got, stated);
}

bool tm_law_judge(tm_law_case *c)
{
    const tm_law_sample *sample = c->sample;
    if (sample->invalid)
        return judge_failure(c);
    if (c->expected.verdict != TM_LAW_RESULT)
        return tm_law_problem(c, "the sample is to succeed, but fails with %s: %s",
                              tm_status_name(c->expected.failure.code),
                              c->expected.failure.message);
    if (sample->has_expected && sample->num_expected != c->num_results)
        return tm_law_problem(c, "the list holds %d tensors, the sample states %d", c->num_results,
                              sample->num_expected);
    for (int i = 0; sample->has_expected && i < c->num_results; i++) {
        bool scalar = tm_law_gives_scalar(c->op, i);
        if (!(scalar ? judge_scalar(c, i) : judge_tensor(c, i)))
            return false;
    }
    return true;
}
