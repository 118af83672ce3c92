/* throughput_report.c: medians, goals, the table and the JSON. */
#include "throughput_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const column_names[COLUMNS] = {
    "ours", "limit", "loop", "functorch", "NumPy", "one thread", "two processes"};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void timing_settle(timing *t)
{
    if (!t->rounds)
        return;
    double sorted[MAX_ROUNDS];
    memcpy(sorted, t->sample, sizeof sorted);
    qsort(sorted, (size_t)t->rounds, sizeof *sorted, by_value);
    t->median = sorted[t->rounds / 2];
    t->least = sorted[0];
    t->most = sorted[t->rounds - 1];
}

/* -- Goals ------------------------------------------------------------------------------------- */

static double over_ours(const result *x, column c)
{
    const timing *ours = &x->by[BY_OURS], *t = &x->by[c];
    return ours->rounds && t->rounds ? t->median / ours->median : NAN;
}

double goal_ratio(const report *r, const result *x, const goal *g)
{
    switch (g->kind) {
    case GOAL_LIMIT:
        return over_ours(x, BY_LIMIT);
    case GOAL_LOOP:
        return over_ours(x, BY_LOOP);
    case GOAL_FUNCTORCH:
        return over_ours(x, BY_FUNCTORCH);
    case GOAL_NUMPY:
        return over_ours(x, BY_NUMPY);
    case GOAL_GROWTH:
        for (const result *first = r->results; first <= x; first++)
            if (first->threads == x->threads && !strcmp(first->row->group, x->row->group))
                return over_ours(first, BY_LIMIT) / over_ours(x, BY_LIMIT);
        return NAN;
    default:
        return NAN;
    }
}

bool goal_met(const report *r, const result *x, const goal *g)
{
    double ratio = goal_ratio(r, x, g);
    return g->kind == GOAL_GROWTH ? ratio <= g->value : ratio >= g->value;
}

const char *goal_text(const goal *g)
{
    static const char *const texts[] = {
        [GOAL_NONE] = "",         [GOAL_LIMIT] = "of the limit",    [GOAL_LOOP] = "x the loop",
        [GOAL_NUMPY] = "x NumPy", [GOAL_FUNCTORCH] = "x functorch", [GOAL_GROWTH] = "x the first"};
    return texts[g->kind];
}

/* Whether a peer is faster: its column, or -1. */
static int faster_peer(const result *x)
{
    for (int c = BY_FUNCTORCH; c <= BY_NUMPY; c++)
        if (over_ours(x, (column)c) < 1)
            return c;
    return -1;
}

/* -- The table --------------------------------------------------------------------------------- */

void print_heading(const report *r, int threads)
{
    printf("\n%s, milliseconds, medians of %d rounds (ours: least .. most)\n",
           threads == 1 ? "One thread" : "Two threads", r->rounds);
    for (int c = BY_FUNCTORCH; c <= BY_NUMPY; c++)
        if (!r->has[c])
            printf("%s is absent.\n", column_names[c]);
    printf("\n%-60s %8s %19s %8s %8s %9s %8s  %s\n", "", "ours", "", "limit", "loop", "functorch",
           "NumPy", "goal");
}

static void print_time(const timing *t, int width)
{
    if (t->rounds)
        printf(" %*.*f", width, t->median < 1e5 ? 4 : 3, t->median / 1e6);
    else
        printf(" %*s", width, t->note[0] && strcmp(t->note, "none") != 0 ? "!" : "-");
}

static void print_goal(const report *r, const result *x, const goal *g)
{
    double ratio = goal_ratio(r, x, g);
    if (g->kind != GOAL_NONE && !isnan(ratio))
        printf("  %.2f %s (%g) %s", ratio, goal_text(g), g->value,
               goal_met(r, x, g) ? "met" : "MISSED");
}

void print_result(const report *r, const result *x)
{
    char range[48] = "";
    const timing *ours = &x->by[BY_OURS];
    if (ours->rounds)
        snprintf(range, sizeof range, "(%.3f .. %.3f)", ours->least / 1e6, ours->most / 1e6);
    printf("%-60s", x->row->name);
    print_time(ours, 8);
    printf(" %19s", range);
    print_time(&x->by[BY_LIMIT], 8);
    print_time(&x->by[BY_LOOP], 8);
    print_time(&x->by[BY_FUNCTORCH], 9);
    print_time(&x->by[BY_NUMPY], 8);
    print_goal(r, x, &x->row->goal);
    print_goal(r, x, &x->row->also);
    int peer = faster_peer(x);
    if (peer >= 0)
        printf("  %s is FASTER", column_names[peer]);
    double pair = over_ours(x, BY_PROCESSES), one = over_ours(x, BY_ONE_THREAD);
    if (!isnan(pair))
        printf("  %.2f of two processes (0.85) %s", pair, pair >= 0.85 ? "met" : "MISSED");
    if (!isnan(one))
        printf("  %.2f x one thread %s", one, one >= 0.95 ? "met" : "MISSED");
    if (x->extra_bytes > 1 << 20)
        printf("  +%.1f MB", x->extra_bytes / 1e6);
    if (x->wrong)
        printf("  WRONG %s", x->note);
    else if (!x->checked)
        printf("  unchecked");
    printf("\n");
    for (int c = 0; c < COLUMNS; c++)
        if (x->by[c].note[0] && !x->by[c].rounds && strcmp(x->by[c].note, "none") != 0)
            printf("    %s: %s\n", column_names[c], x->by[c].note);
}

void print_summary(const report *r)
{
    int goals = 0, met = 0, beaten = 0, compared = 0;
    for (int i = 0; i < r->num_results; i++) {
        const result *x = &r->results[i];
        const goal *all[] = {&x->row->goal, &x->row->also};
        for (int k = 0; k < 2; k++)
            if (!isnan(goal_ratio(r, x, all[k]))) {
                goals++;
                met += goal_met(r, x, all[k]);
            }
        if (x->by[BY_FUNCTORCH].rounds || x->by[BY_NUMPY].rounds) {
            compared++;
            beaten += faster_peer(x) < 0;
        }
    }
    printf("\n%d of %d goals met; every peer beaten on %d of %d rows\n", met, goals, beaten,
           compared);
}

/* -- JSON -------------------------------------------------------------------------------------- */

static void json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    fputc('"', f);
}

static void json_goal(const report *r, const result *x, const goal *g, FILE *f)
{
    double ratio = goal_ratio(r, x, g);
    if (isnan(ratio))
        return;
    fprintf(f, ",\n     \"%s\": {\"ratio\": %.4g, \"of\": \"%s\", \"at_%s\": %g, \"met\": %s}",
            g == &x->row->goal ? "goal" : "second_goal", ratio, goal_text(g),
            g->kind == GOAL_GROWTH ? "most" : "least", g->value,
            goal_met(r, x, g) ? "true" : "false");
}

void write_json(const report *r, FILE *f)
{
    fprintf(f, "{\"unit\": \"ns\", \"rounds\": %d,\n \"rows\": [", r->rounds);
    for (int i = 0; i < r->num_results; i++) {
        const result *x = &r->results[i];
        fprintf(f, "%s\n    {\"group\": ", i ? "," : "");
        json_text(f, x->row->group);
        fprintf(f, ", \"name\": ");
        json_text(f, x->row->name);
        fprintf(f, ", \"threads\": %d, \"checked\": %s, \"extra_bytes\": %.0f", x->threads,
                x->checked && !x->wrong ? "true" : "false", x->extra_bytes);
        for (int c = 0; c < COLUMNS; c++) {
            const timing *t = &x->by[c];
            if (t->rounds)
                fprintf(f, ",\n     \"%s\": {\"median\": %.1f, \"min\": %.1f, \"max\": %.1f}",
                        column_names[c], t->median, t->least, t->most);
        }
        json_goal(r, x, &x->row->goal, f);
        json_goal(r, x, &x->row->also, f);
        fprintf(f, "}");
    }
    fprintf(f, "]}\n");
}

/* -- Markdown ---------------------------------------------------------------------------------- */

/* The main rows. */
void write_markdown(const report *r, FILE *f)
{
    fprintf(f, "| milliseconds | threads | transmute | limit | loop | functorch | NumPy |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < r->num_results; i++) {
        const result *x = &r->results[i];
        if (!(x->row->flags & MAIN) || x->wrong)
            continue;
        fprintf(f, "| %s | %d |", x->row->name, x->threads);
        for (int c = BY_OURS; c <= BY_NUMPY; c++)
            if (x->by[c].rounds)
                fprintf(f, " %.3g |", x->by[c].median / 1e6);
            else
                fprintf(f, " |");
        fprintf(f, "\n");
    }
}
