/* throughput.c: the coordinator. Fills the arena with a row's inputs, has every contestant show its
 * answer, holds the answers against each other, then times contestants in turn, round by round.
 *
 *   bench_throughput [--quick] [--rows PATTERN] [--threads N] [--rounds N] [--json FILE]
 *                    [--svg FILE] [--markdown FILE] [--no-peers] [--list]
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "throughput_ours.h"
#include "throughput_report.h"

typedef struct options {
    bool quick, list, peers;
    const char *pattern, *json, *svg, *markdown;
    int threads; /* 0: one, then two */
    int rounds;
} options;

/* -- Processes --------------------------------------------------------------------------------- */

typedef struct process {
    pid_t pid; /* 0: none */
    FILE *to, *from;
} process;

static char *arena;
static int arena_fd;

/* A child that speaks the protocol: this program's own role, or a command. */
static bool start(process *p, role as, char *const *command)
{
    int down[2], up[2];
    if (pipe(down) || pipe(up))
        return false;
    fflush(NULL);
    p->pid = fork();
    if (p->pid < 0)
        return false;
    if (!p->pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(down[0], 0);
        dup2(up[1], 1);
        close(down[0]);
        close(down[1]);
        close(up[0]);
        close(up[1]);
        if (command) {
            execv(command[0], command);
            _exit(127);
        }
        serve(as, stdin, stdout, arena);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    p->to = fdopen(down[1], "w");
    p->from = fdopen(up[0], "r");
    return p->to && p->from;
}

static void stop(process *p)
{
    if (p->pid <= 0)
        return;
    kill(p->pid, SIGKILL); /* it has nothing to finish, and may be stopped */
    fclose(p->to);
    fclose(p->from);
    waitpid(p->pid, NULL, 0);
    *p = (process){0};
}

/* The answer without its end of line; false where the child has died. */
static bool answer_of(process *p, char *line, size_t size)
{
    if (p->pid <= 0 || !fgets(line, (int)size, p->from))
        return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

static void ask(process *p, const char *line)
{
    if (p->pid <= 0)
        return;
    kill(p->pid, SIGCONT);
    fputs(line, p->to);
    fflush(p->to);
}

/* -- Contestants ------------------------------------------------------------------------------- */

typedef struct contestant {
    process processes[2];
    role role;
    int threads, parts, num_processes;
} contestant;

/* Asks every process and takes the greatest number of the answers "ok N"; -1 and a note else. All
 * are stopped afterwards, so that no thread of theirs spins beside the next contestant. */
static double ask_all(contestant *c, const char *line, char *note, size_t size)
{
    double most = -1;
    char answer[256];
    bool failed = false;
    for (int i = 0; i < c->num_processes; i++)
        ask(&c->processes[i], line);
    for (int i = 0; i < c->num_processes; i++) {
        double value = 0;
        if (!answer_of(&c->processes[i], answer, sizeof answer)) {
            snprintf(answer, sizeof answer, "no died");
            c->processes[i].pid = c->processes[i].pid > 0 ? -c->processes[i].pid : 0;
        }
        if (strncmp(answer, "ok", 2) != 0) {
            snprintf(note, size, "%.*s", (int)size - 1,
                     answer[0] && answer[2] ? answer + 3 : answer);
            failed = true;
        } else if (answer[2]) {
            value = strtod(answer + 2, NULL);
        }
        most = value > most ? value : most;
    }
    for (int i = 0; i < c->num_processes; i++)
        if (c->processes[i].pid > 0)
            kill(c->processes[i].pid, SIGSTOP);
    return failed ? -1 : most;
}

static bool open_row(contestant *c, int number, char *note, size_t size)
{
    const row *r = &throughput_rows[number];
    char line[512];
    int n = snprintf(line, sizeof line, "open %d %d %d %s %d %d", number, c->threads, c->parts,
                     r->op, r->arg, row_num_inputs(r));
    for (int k = 0; k < row_num_inputs(r); k++) {
        int64_t sizes[MAX_SIZES + 1];
        int axis, ndim = row_input_sizes(r, k, sizes, &axis);
        fill f = r->in[k].fill;
        n += snprintf(line + n, sizeof line - (size_t)n, " %c %d %d",
                      f == INDICES   ? 'i'
                      : f == COMPLEX ? 'c'
                                     : 'f',
                      axis, ndim);
        for (int i = 0; i < ndim; i++)
            n += snprintf(line + n, sizeof line - (size_t)n, " %lld", (long long)sizes[i]);
    }
    snprintf(line + n, sizeof line - (size_t)n, "\n");
    return ask_all(c, line, note, size) >= 0;
}

static double time_once(contestant *c, int64_t repeats, char *note, size_t size)
{
    char line[64];
    snprintf(line, sizeof line, "time %lld\n", (long long)repeats);
    double time = ask_all(c, line, note, size);
    return time < 0 ? -1 : time / (double)repeats;
}

/* -- Inputs
 * ---------------------------------------------------------------------------------------- */

static uint64_t state;

static float uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int32_t)(state >> 32) >> 8) * 0x1p-23f;
}

/* Example by example, whatever the layout: element i of example b lies at b * step + f(i). */
static void fill_input(const row *r, int k)
{
    const input *x = &r->in[k];
    int64_t count = row_input_count(r, k), n = x->sizes[x->ndim - 1], nn = n * n;
    float *to = row_input_in(r, k, arena);
    state = (uint64_t)k + 1;
    if (x->fill == INDICES) {
        int64_t range = r->in[0].sizes[r->in[0].ndim - 1];
        for (int64_t i = 0; i < count; i++)
            ((int64_t *)(void *)to)[i] = (int64_t)((uniform() + 1) / 2 * (float)range) % range;
        return;
    }
    for (int64_t i = 0; i < count * (x->fill == COMPLEX ? 2 : 1); i++)
        to[i] = uniform();
    /* Matrices lie one after the other: such rows have the batch in front. */
    if (x->fill == DOMINANT)
        for (int64_t i = 0; i < count; i++)
            to[i] += i % nn % n == (i % nn / n + 1) % n ? (float)n / 2 + 1 : 0;
    if (x->fill == SPD)
        for (float *a = to; a < to + count; a += nn) {
            float m[32 * 32];
            memcpy(m, a, sizeof *m * (size_t)nn);
            for (int64_t i = 0; i < nn; i++) {
                a[i] = i / n == i % n ? 1 : 0;
                for (int64_t j = 0; j < n; j++)
                    a[i] += m[i / n * n + j] * m[i % n * n + j];
            }
        }
}

/* Example b's input, row-major. */
static void take_example(const row *r, int k, int64_t b, void *to)
{
    const input *x = &r->in[k];
    int64_t sizes[MAX_SIZES + 1], inner = 1, outer = 1;
    int axis, ndim = row_input_sizes(r, k, sizes, &axis);
    size_t size = x->fill == INDICES || x->fill == COMPLEX ? 8 : 4;
    const char *from = row_input_in(r, k, arena);
    for (int i = 0; i < ndim; i++)
        *(i < axis ? &outer : i == axis ? &(int64_t){1} : &inner) *= sizes[i];
    int64_t batch = axis < 0 ? 1 : r->batch;
    if (axis < 0)
        b = 0;
    for (int64_t i = 0; i < outer; i++)
        memcpy((char *)to + (size_t)(i * inner) * size,
               from + (size_t)((i * batch + b) * inner) * size, (size_t)inner * size);
}

/* -- Answers
 * --------------------------------------------------------------------------------------- */

static bool is_near(const row *r, float a, float b)
{
    if (r->flags & SIZES)
        a = fabsf(a), b = fabsf(b);
    float tolerance = (float)(r->tolerance > 0 ? r->tolerance : 2e-5);
    return fabsf(a - b) <= tolerance * fmaxf(1, fmaxf(fabsf(a), fabsf(b)));
}

/* How many of the elements differ; `first` is one that does. */
static int64_t count_wrong(const row *r, const float *a, const float *b, int64_t n, int64_t *first)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++)
        if (!is_near(r, a[i], b[i]) && wrong++ == 0)
            *first = i;
    return wrong;
}

enum { BARE_EXAMPLES = 100, BARE_FLOATS = 1 << 20 };

/* Ours against the bare code, for some of the examples. */
static bool check_bare(result *x, const float *ours, int64_t count)
{
    const row *r = x->row;
    static char in[MAX_INPUTS][BARE_FLOATS * 4];
    static float out[BARE_FLOATS];
    const void *const inputs[] = {in[0], in[1], in[2]};
    int64_t examples = r->batch < BARE_EXAMPLES ? r->batch : BARE_EXAMPLES;
    for (int64_t i = 0; i < examples; i++) {
        int64_t b = i * (r->batch - 1) / (examples > 1 ? examples - 1 : 1), first = 0;
        for (int k = 0; k < row_num_inputs(r); k++)
            take_example(r, k, b, in[k]);
        int64_t n = r->bare(r, inputs, out);
        if (n * r->batch != count) {
            snprintf(x->note, sizeof x->note, "%lld numbers instead of %lld", (long long)count,
                     (long long)n * (long long)r->batch);
            return false;
        }
        if (count_wrong(r, ours + b * n, out, n, &first)) {
            snprintf(x->note, sizeof x->note, "example %lld, element %lld: %g, should be %g",
                     (long long)b, (long long)first, (double)ours[b * n + first],
                     (double)out[first]);
            return false;
        }
    }
    x->checked = true;
    return true;
}

static float *answers; /* ours */
static int64_t num_answers;

/* A contestant's answer against ours; one that has none to show is let through. A peer may differ
 * in one number of 10,000: equal elements need not keep their order there. */
static bool check_against_ours(result *x, contestant *c, timing *t)
{
    char note[160] = "";
    double count = ask_all(c, "check\n", note, sizeof note);
    if (count < 0)
        return true;
    int64_t first = 0, wrong = 0;
    const float *theirs = (const float *)(const void *)(arena + ARENA_OUT);
    if ((int64_t)count == num_answers)
        wrong = count_wrong(x->row, answers, theirs, num_answers, &first);
    if ((int64_t)count != num_answers)
        snprintf(t->note, sizeof t->note, "%.0f numbers, ours %lld", count, (long long)num_answers);
    else if (wrong > num_answers / 10000 * (c->role >= FUNCTORCH))
        snprintf(t->note, sizeof t->note, "%lld of %lld differ: [%lld] %g, ours %g",
                 (long long)wrong, (long long)num_answers, (long long)first, (double)theirs[first],
                 (double)answers[first]);
    else
        x->checked = true;
    return !t->note[0];
}

static bool take_ours(result *x, contestant *c)
{
    double count = ask_all(c, "check\n", x->note, sizeof x->note);
    if (count < 0)
        return false;
    num_answers = (int64_t)count;
    float *room = realloc(answers, sizeof *answers * (size_t)(num_answers + 1));
    if (!room)
        return false;
    answers = room;
    memcpy(answers, arena + ARENA_OUT, sizeof *answers * (size_t)num_answers);
    return !x->row->bare || check_bare(x, answers, num_answers);
}

/* -- A row
 * ------------------------------------------------------------------------------------------ */

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

/* -- All rows
 * --------------------------------------------------------------------------------------- */

/* The folder of this program, where the peers are. */
static void folder(char *to, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", to, size - 1);
    to[n > 0 ? n : 0] = 0;
    char *slash = strrchr(to, '/');
    if (slash)
        *slash = 0;
}

/* Whether the peer answers. */
static bool start_peer(contestant *c, const char *needed, char *const *command)
{
    char note[160];
    if (access(command[0], X_OK) || access(needed, R_OK) ||
        !start(&c->processes[0], c->role, command))
        return false;
    c->num_processes = 1;
    if (ask_all(c, "hello\n", note, sizeof note) >= 0)
        return true;
    stop(&c->processes[0]);
    c->num_processes = 0;
    return false;
}

static void start_all(contestant *all, int threads, const options *o, report *r)
{
    char number[16], fd[16], here[512], torch[600];
    char python[] = "/usr/bin/python3", numpy[] = PEER_NUMPY;
    static const role roles[COLUMNS] = {OURS, LIMIT, LOOP, FUNCTORCH, NUMPY, OURS, OURS};
    snprintf(number, sizeof number, "%d", threads);
    snprintf(fd, sizeof fd, "%d", arena_fd);
    setenv("OMP_NUM_THREADS", number, 1);
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1); /* the peers' heaps have huge pages */
    setenv("OPENBLAS_NUM_THREADS", number, 1);
    folder(here, sizeof here);
    snprintf(torch, sizeof torch, "%s/bench_peer_torch", here);
    for (int c = 0; c < COLUMNS; c++) {
        all[c] = (contestant){.role = roles[c], .threads = threads, .parts = 1};
        if (c == BY_ONE_THREAD)
            all[c].threads = 1;
        if (c == BY_PROCESSES)
            all[c].threads = 1, all[c].parts = 2;
        if (c == BY_FUNCTORCH)
            r->has[c] = o->peers && start_peer(&all[c], torch, (char *[]){torch, fd, number, NULL});
        else if (c == BY_NUMPY)
            r->has[c] =
                o->peers && start_peer(&all[c], numpy, (char *[]){python, numpy, fd, number, NULL});
        else if (c < BY_ONE_THREAD || threads == 2) {
            all[c].num_processes = all[c].parts;
            for (int i = 0; i < all[c].parts; i++)
                if (!start(&all[c].processes[i], roles[c], NULL))
                    all[c].num_processes = 0;
            r->has[c] = all[c].num_processes > 0;
        }
    }
}

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
    start_all(all, threads, o, r);
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
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < all[c].num_processes; i++)
            stop(&all[c].processes[i]);
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
    arena_fd = memfd_create("bench", 0);
    if (arena_fd < 0 || ftruncate(arena_fd, ARENA_SIZE)) {
        perror("bench: memfd");
        return 1;
    }
    arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, arena_fd, 0);
    report r = {.rounds = o.rounds, .results = calloc(MAX_RESULTS, sizeof *r.results)};
    if (arena == MAP_FAILED || !r.results) {
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
