/* report.c: a failing case, told so that it can be understood and run again. */
#include "law/case.h"

#include <transmute/plugin.h>

static void print_dim(FILE *stream, int64_t dim)
{
    if (dim == TM_NOT_MAPPED)
        fprintf(stream, " -");
    else
        fprintf(stream, " %lld", (long long)dim);
}

static void print_shape(FILE *stream, int ndim, const int64_t *sizes)
{
    char text[512];
    tm_format_shape(text, sizeof text, ndim, sizes);
    fprintf(stream, "%s", text);
}

static void report_levels(FILE *stream, const tm_law_case *c)
{
    static const char *const accelerations[] = {"auto", "off", "on"};
    static const char *const randomness[] = {"error", "different", "same"};
    static const char *const kinds[] = {"declines", "passes on", "observes"};
    fprintf(stream, "  levels:");
    for (int l = 0; l < c->num_levels; l++)
        fprintf(stream, " %lld", (long long)c->size[l]);
    fprintf(stream, c->num_levels ? " (outermost first; by" : " none; (");
    for (int l = 0; l < c->num_levels; l++) {
        fprintf(stream, " %s", c->functional[l] ? "tm_vmap" : "push");
        if (c->chunk[l] == TM_CHUNK_AUTO)
            fprintf(stream, " in automatic pieces");
        else if (c->chunk[l])
            fprintf(stream, " in pieces of %lld", (long long)c->chunk[l]);
    }
    fprintf(stream, "), %d thread%s, acceleration %s\n", c->threads, c->threads == 1 ? "" : "s",
            accelerations[c->acceleration]);
    for (int p = 0; p < TM_NUM_PATHS; p++)
        if (c->paths[p] != tm_get_path((tm_path)p))
            fprintf(stream, "  path %s %s\n", tm_path_name((tm_path)p), accelerations[c->paths[p]]);
    if (tm_law_draws(c)) {
        fprintf(stream, "  randomness:");
        for (int l = 0; l < c->num_levels; l++)
            fprintf(stream, " %s", randomness[c->randomness[l]]);
        fprintf(stream, "; generators: %s the loop's, %s the batch's\n",
                c->given[0] ? "one given" : "the thread's",
                c->given[1] ? "one given" : "the thread's");
    }
    if (c->mode_depth >= 0)
        fprintf(stream, "  a mode that %s, with %d levels open\n", kinds[c->mode_kind],
                c->mode_depth);
}

static void report_input(FILE *stream, const tm_law_case *c, const tm_law_input *in)
{
    fprintf(stream, "  %s: %s ", in->name, tm_dtype_name(in->tensor.dtype));
    print_shape(stream, in->tensor.ndim, in->tensor.shape);
    fprintf(stream, ", in_dims");
    for (int l = 0; l < c->num_levels; l++)
        print_dim(stream, in->in_dim[l]);
    fprintf(stream, ", in memory ");
    print_shape(stream, in->ndim, in->shape);
    fprintf(stream, " with strides ");
    print_shape(stream, in->ndim, in->strides);
    if (in->offset)
        fprintf(stream, " from element %lld", (long long)in->offset);
    if (in->written)
        fprintf(stream, ", written");
    if (in->made_at)
        fprintf(stream, ", made with %d levels open", in->made_at);
    if (in->by_alias)
        fprintf(stream, ", seen through an alias");
    if (in->alias_of >= 0)
        fprintf(stream, ", in the memory of %s", c->inputs[in->alias_of].name);
    if (in->source == TM_LAW_WRAPPED)
        fprintf(stream, ", wrapped read-only");
    if (in->source >= TM_LAW_COPIED)
        fprintf(stream, ", %s with %d levels open",
                in->source == TM_LAW_COPIED ? "copied by astype" : "promoted by copy_",
                in->copied_at);
    fprintf(stream, "\n");
}

void tm_law_report(FILE *stream, const tm_law_case *c)
{
    char name[128];
    const tm_law_sample *sample = c->sample;
    fprintf(stream, "\nviolation: %s", tm_law_name(c->op, name, sizeof name));
    if (sample)
        fprintf(stream, ", sample %d: %s", sample->number, sample->source->args);
    fprintf(stream, "%s\n", c->strange ? " (with another tensor than the sample's)" : "");
    if (sample && !c->alone && !c->edges) {
        report_levels(stream, c);
        for (int i = 0; c->inputs && i < c->num_inputs; i++)
            report_input(stream, c, &c->inputs[i]);
        for (int i = 0; c->num_levels && i < c->num_results; i++) {
            fprintf(stream, "  result %d: out_dims", i);
            for (int l = 0; l < c->num_levels; l++)
                print_dim(stream, c->out_dim[i][l]);
            fprintf(stream, "\n");
        }
    }
    fprintf(stream, "  %s\n", c->problem);
    const char *plugin = tm_plugin_of(c->op);
    fprintf(stream, "  again with: transmute law %s --cases %d --seed %llu%s%s%s%s\n",
            tm_law_name(c->op, name, sizeof name), c->alone ? 0 : 1, (unsigned long long)c->seed,
            c->checked ? " --check" : "", c->fail_alloc ? " --fail-alloc" : "",
            plugin ? " --load " : "", plugin ? plugin : "");
}
