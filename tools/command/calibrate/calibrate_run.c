/*
 * The library's runs for `startile calibrate`, in a child process.
 */
#include "calibrate.h"
#include "command.h"
#include "measure.h"
#include "peer_cuda.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 2 };

/* -- a child and what it says ----------------------------------------------------------------- */

struct child {
    pid_t pid;
    FILE *from; /* in the parent */
    int to;     /* in the child */
};

/* 1 in the child, 0 in the parent, −1: it has been reported. */
static int child_start(struct child *child)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends)) {
        report("calibrate: %s", strerror(errno));
        return -1;
    }
    child->pid = fork();
    if (child->pid < 0) {
        report("calibrate: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    close(ends[child->pid ? 1 : 0]);
    child->to = ends[1];
    child->from = child->pid ? fdopen(ends[0], "r") : NULL;
    return child->pid == 0;
}

/* Whether it ended well. */
static bool child_end(struct child *child)
{
    int status = -1;
    if (child->from)
        fclose(child->from);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
        return true;
    if (WIFSIGNALED(status))
        report("calibrate: the measuring process ended by signal %d (%s); what was done before is "
               "kept",
               WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        report("calibrate: the measuring process failed; what was done before is kept");
    return false;
}

static void say(const struct child *child, const void *message, size_t size)
{
    /* messages are shorter than PIPE_BUF, so they are written at once or not at all */
    if (write(child->to, message, size) != (ssize_t)size)
        _exit(EXIT_FAILED);
}

/* -- the runs --------------------------------------------------------------------------------- */

static void set_environment(const struct calibration *c, const struct phase *phase)
{
    setenv("STARTILE_MODELS", "none", 1);
    setenv("STARPU_SILENT", "1", 1);
    unsetenv("STARTILE_IMPLEMENTATION");
    unsetenv("STARPU_SCHED");
    if (phase->learns) {
        setenv("STARPU_PERF_MODEL_DIR", c->folder, 1);
        setenv("STARPU_HOSTNAME", c->name, 1);
        setenv("STARPU_CALIBRATE", "1", 1);
    }
}

static struct bench_settings settings_of(const struct phase *phase)
{
    struct bench_settings s = {.where = phase->on_gpu ? WHERE_GPU : WHERE_CPU,
                               .resident_on_gpu = phase->on_gpu,
                               .repeats = REPEATS};
    startile_options_default(&s.library);
    s.library.implementation = phase->implementation;
    if (phase->on_gpu) {
        s.library.ncpu = 0;
        s.library.ncuda = 1;
        s.library.workers_per_cuda = phase->workers;
    } else {
        s.library.ncuda = 0;
    }
    return s;
}

static void run_case(const struct bench_settings *s, const struct batch *b, const struct problem *p,
                     struct outcome *o)
{
    static const struct reference none = {.seconds = NAN, .gemm_gflop_s = NAN};
    struct row row;
    if (!p->routine) {
        int64_t status = strcmp(b->name, "batches") ? run_others(p) : run_batched(p);
        o->seconds = NAN;
        if (status)
            snprintf(o->error, sizeof o->error, "%s", startile_strerror(status));
        return;
    }
    run_problem(s, p, &none, &row);
    o->seconds = row.seconds_min;
    o->mb = row.problem.mb;
    o->nb = row.problem.nb;
    if (!row.ok)
        snprintf(o->error, sizeof o->error, "%.100s", row.status);
}

static void run_batch(const struct child *child, const struct batch *b, size_t number)
{
    struct bench_settings s = settings_of(b->phase);
    struct outcome o = {.batch = number};
    double start = now_seconds();
    int status = startile_init(&s.library);
    if (status) {
        report("calibrate: %s: %s", b->phase->name, startile_strerror(status));
        _exit(EXIT_FAILED);
    }
    for (size_t i = 0; i < b->count; i++) {
        o = (struct outcome){.batch = number, .number = i};
        run_case(&s, b, &b->cases[i], &o);
        say(child, &o, sizeof o);
    }
    startile_finalize(); /* StarPU writes the models */
    o = (struct outcome){.batch = number, .number = b->count, .seconds = now_seconds() - start};
    say(child, &o, sizeof o);
}

bool run_in_child(const struct calibration *c, const struct batch *batches, const bool *done,
                  size_t first, size_t last, take_outcome *take, void *data)
{
    struct child child;
    struct outcome o;
    int side = child_start(&child);
    if (side == 1) {
        set_environment(c, batches[first].phase);
        for (size_t i = first; i < last; i++)
            if (!done[i])
                run_batch(&child, &batches[i], i);
        _exit(EXIT_SUCCESS);
    }
    while (side == 0 && child.from && fread(&o, sizeof o, 1, child.from) == 1)
        take(data, &o);
    return side == 0 && child_end(&child);
}

/* -- the machine ------------------------------------------------------------------------------ */

struct description {
    struct machine machine;
    int gpus;
    size_t memory; /* of the first GPU */
    char cuda[160];
};

static void describe(struct description *d)
{
    *d = (struct description){.gpus = cuda_count()};
    machine_find(&d->machine, true, d->gpus > 0);
#ifdef STARTILE_HAVE_CUDA
    struct gpu gpu;
    if (d->gpus > 0 && !cuda_describe(0, &gpu))
        d->memory = gpu.memory;
    if (d->gpus > 0)
        cuda_versions(d->cuda, sizeof d->cuda);
#endif
}

bool describe_machine(struct calibration *c)
{
    struct child child;
    struct description d = {.gpus = 0};
    int side = child_start(&child);
    if (side == 1) {
        describe(&d);
        say(&child, &d, sizeof d);
        _exit(EXIT_SUCCESS);
    }
    bool heard = side == 0 && child.from && fread(&d, sizeof d, 1, child.from) == 1;
    if (side == 0 && !child_end(&child))
        return false;
    /* operands, temporaries and a copy, all of the largest type */
    double memory =
        (double)(d.gpus > 0 && d.memory < memory_available() ? d.memory : memory_available());
    c->machine = d.machine;
    c->gpus = d.gpus;
    c->cores = d.machine.cores;
    c->largest = (int64_t)sqrt(memory / (6 * 16.0));
    memcpy(c->cuda, d.cuda, sizeof c->cuda);
    return heard;
}
