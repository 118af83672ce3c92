/* throughput.c: the coordinator. Fills the arena with a row's inputs, has every contestant show its
 * answer, holds the answers against each other, then times contestants in turn, round by round.
 *
 *   bench_throughput [--quick] [--rows PATTERN] [--threads N] [--rounds N] [--json FILE]
 *                    [--svg FILE] [--markdown FILE] [--no-peers] [--list]
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "throughput_check.h"

typedef struct options {
    bool quick, list, peers;
    const char *pattern, *json, *svg, *markdown;
    int threads; /* 0: one, then two */
    int rounds;
} options;

/* -- A row ------------------------------------------------------------------------------------- */

/* Nanoseconds up to which a run is made before each sample and not timed. */
#define MOST_WARMING 5e7

/* Opens, checks, and times everyone in turn. */
static void run_row(result *x, int number, contestant *all, int rounds, double target)
{
    const row *r = x->row;
    int64_t repeats[COLUMNS] = {0};
    double first[COLUMNS] = {0};
    for (int k = 0; k < row_num_inputs(r); k++)
        fill_input(r, k);
    for (int c = 0; c < COLUMNS; c++) {
        timing *t = &x->by[c];
        bool wanted = all[c].num_processes > 0 &&
                      !(r->flags & NO_PEERS && (c == BY_FUNCTORCH || c == BY_NUMPY)) &&
                      !(c == BY_PROCESSES && !(r->flags & COMPUTE)) &&
                      !(c == BY_ONE_THREAD && !(r->flags & SMALL)) && !(c == BY_LOOP && !r->loop) &&
                      !(c == BY_LIMIT && r->limit == LIMIT_none);
        if (!wanted || !open_row(&all[c], number, t->note, sizeof t->note))
            continue;
        if (c == BY_OURS ? !take_ours(x, &all[c])
                         : c < BY_ONE_THREAD && !check_against_ours(x, &all[c], t)) {
            x->wrong |= c <= BY_LOOP;
            if (c == BY_OURS)
                return;
            continue;
        }
        if (c == BY_OURS)
            x->extra_bytes = ask_all(&all[c], "memory\n", t->note, sizeof t->note);
        double time = time_once(&all[c], 1, t->note, sizeof t->note);
        if (time < target)
            time = time_once(&all[c], 2, t->note, sizeof t->note);
        first[c] = time;
        if (time > 0)
            repeats[c] = time < target ? (int64_t)(target / time) + 1 : 1;
    }
    for (int i = 0; i < rounds; i++)
        for (int c = 0; c < COLUMNS; c++) {
            timing *t = &x->by[c];
            if (!repeats[c])
                continue;
            if (!(first[c] > MOST_WARMING)) /* its caches, not those of who ran before */
                time_once(&all[c], 1, t->note, sizeof t->note);
            double time = time_once(&all[c], repeats[c], t->note, sizeof t->note);
            if (time < 0)
                repeats[c] = 0;
            else
                t->sample[t->rounds++] = time;
        }
    for (int c = 0; c < COLUMNS; c++)
        timing_settle(&x->by[c]);
}

/* -- All rows ---------------------------------------------------------------------------------- */

static bool matches(const row *r, const options *o)
{
    char text[256];
    if (o->quick && !(r->flags & MAIN))
        return false;
    if (!o->pattern)
        return true;
    snprintf(text, sizeof text, "%s: %s", r->group, r->name);
    return strstr(text, o->pattern) || !fnmatch(o->pattern, r->name, 0);
}

static void run_all(report *r, const options *o, int threads)
{
    contestant all[COLUMNS];
    start_all(all, threads, o->peers, r);
    print_heading(r, threads);
    for (int i = 0; i < throughput_num_rows; i++) {
        bool growth = throughput_rows[i].goal.kind == GOAL_GROWTH; /* said of one thread */
        if (!matches(&throughput_rows[i], o) || r->num_results == MAX_RESULTS ||
            (growth && threads > 1))
            continue;
        result *x = &r->results[r->num_results++];
        x->row = &throughput_rows[i];
        x->threads = threads;
        run_row(x, i, all, o->rounds, o->quick ? 2e6 : 4e6);
        print_result(r, x);
        fflush(stdout);
    }
    stop_all(all);
}

static bool save(const report *r, const char *path, void (*write)(const report *, FILE *))
{
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    write(r, f);
    return fclose(f) == 0;
}

static bool parse(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"quick", no_argument, NULL, 'q'},          {"rows", required_argument, NULL, 'r'},
        {"threads", required_argument, NULL, 't'},  {"rounds", required_argument, NULL, 'n'},
        {"json", required_argument, NULL, 'j'},     {"svg", required_argument, NULL, 's'},
        {"markdown", required_argument, NULL, 'm'}, {"list", no_argument, NULL, 'l'},
        {"no-peers", no_argument, NULL, 'p'},       {0}};
    int c;
    *o = (options){.peers = true};
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (c) {
        case 'q':
            o->quick = true;
            break;
        case 'r':
            o->pattern = optarg;
            break;
        case 't':
            o->threads = (int)strtol(optarg, NULL, 10);
            break;
        case 'n':
            o->rounds = (int)strtol(optarg, NULL, 10);
            break;
        case 'j':
            o->json = optarg;
            break;
        case 's':
            o->svg = optarg;
            break;
        case 'm':
            o->markdown = optarg;
            break;
        case 'l':
            o->list = true;
            break;
        case 'p':
            o->peers = false;
            break;
        default:
            return false;
        }
    }
    if (!o->rounds)
        o->rounds = o->quick ? 3 : 7;
    return o->rounds > 0 && o->rounds <= MAX_ROUNDS && o->threads >= 0 && o->threads <= 2 &&
           optind == argc;
}

int main(int argc, char **argv)
{
    options o;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: bench_throughput [--quick] [--rows PATTERN] [--threads 1|2]\n"
                        "       [--rounds N] [--json FILE] [--svg FILE] [--markdown FILE]\n"
                        "       [--no-peers] [--list]\n");
        return 2;
    }
    for (int i = 0; o.list && i < throughput_num_rows; i++)
        if (matches(&throughput_rows[i], &o))
            printf("%s: %s\n", throughput_rows[i].group, throughput_rows[i].name);
    if (o.list)
        return 0;
    signal(SIGPIPE, SIG_IGN);
    report r = {.rounds = o.rounds, .results = calloc(MAX_RESULTS, sizeof *r.results)};
    if (!r.results || !open_arena()) {
        perror("bench");
        free(r.results);
        return 1;
    }
    for (int threads = 1; threads <= 2; threads++)
        if (!o.threads ? threads == 1 || !o.quick : o.threads == threads)
            run_all(&r, &o, threads);
    print_summary(&r);
    bool saved = (!o.json || save(&r, o.json, write_json)) &&
                 (!o.svg || save(&r, o.svg, write_svg)) &&
                 (!o.markdown || save(&r, o.markdown, write_markdown));
    free(r.results);
    return saved ? 0 : 1;
}
