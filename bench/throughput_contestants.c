/* throughput_contestants.c: starting, asking and stopping the processes that are timed. */
#include "throughput_contestants.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

char *arena;
static int arena_fd;

bool open_arena(void)
{
    arena_fd = memfd_create("bench", 0);
    if (arena_fd < 0 || ftruncate(arena_fd, ARENA_SIZE))
        return false;
    void *at = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, arena_fd, 0);
    arena = at == MAP_FAILED ? NULL : at;
    return arena != NULL;
}

/* -- Processes --------------------------------------------------------------------------------- */

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

double ask_all(contestant *c, const char *line, char *note, size_t size)
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

bool open_row(contestant *c, int number, char *note, size_t size)
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

double time_once(contestant *c, int64_t repeats, char *note, size_t size)
{
    char line[64];
    snprintf(line, sizeof line, "time %lld\n", (long long)repeats);
    double time = ask_all(c, line, note, size);
    return time < 0 ? -1 : time / (double)repeats;
}

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

void start_all(contestant *all, int threads, bool peers, report *r)
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
            r->has[c] = peers && start_peer(&all[c], torch, (char *[]){torch, fd, number, NULL});
        else if (c == BY_NUMPY)
            r->has[c] =
                peers && start_peer(&all[c], numpy, (char *[]){python, numpy, fd, number, NULL});
        else if (c < BY_ONE_THREAD || threads == 2) {
            all[c].num_processes = all[c].parts;
            for (int i = 0; i < all[c].parts; i++)
                if (!start(&all[c].processes[i], roles[c], NULL))
                    all[c].num_processes = 0;
            r->has[c] = all[c].num_processes > 0;
        }
    }
}

void stop_all(contestant *all)
{
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < all[c].num_processes; i++)
            stop(&all[c].processes[i]);
}
