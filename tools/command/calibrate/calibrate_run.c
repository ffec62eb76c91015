/* The library's runs for `startile calibrate`, in a child process. */
#include "calibrate.h"
#include "command.h"
#include "measure.h"
#include "peer/peer_cuda.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 2, EXIT_NOISY = 3 };

struct child {
    pid_t pid;  /* 0 in the child itself */
    FILE *from; /* end of the pipe that the parent reads */
    int to;     /* end of the pipe that the child writes */
};

/* Starts a child with a pipe to this process. Returns false after a report on failure. */
static bool child_start(struct child *child)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) || (child->pid = fork()) < 0) {
        report("calibrate: %s", strerror(errno));
        return false;
    }
    close(ends[child->pid ? 1 : 0]);
    child->to = ends[1];
    child->from = child->pid ? fdopen(ends[0], "r") : NULL;
    return true;
}

/* Waits for the child. Reports a failure. */
static enum child_result child_end(struct child *child)
{
    int status = -1;
    if (child->from)
        fclose(child->from);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
        return CHILD_DONE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOISY)
        return CHILD_NOISY;
    report("calibrate: the measuring process failed%s%s; what was done before is kept",
           WIFSIGNALED(status) ? ": " : "", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
    return CHILD_FAILED;
}

/* Sends a message to the parent; on failure ends the child. Messages are shorter than PIPE_BUF, so
 * each is written whole or not at all. */
static void send_message(const struct child *child, const void *message, size_t size)
{
    if (write(child->to, message, size) != (ssize_t)size)
        _exit(EXIT_FAILED);
}

/* Sets the environment in which the child starts the library. With `learns` StarPU reads and writes
 * its models only in the calibration's folder: without STARPU_HOME, what an earlier run has left in
 * the home folder would take the place of measurements. */
static void set_environment(const struct calibration *c, const struct phase *phase)
{
    setenv("STARTILE_MODELS", "none", 1);
    setenv("STARPU_SILENT", "1", 1);
    unsetenv("STARTILE_IMPLEMENTATION");
    unsetenv("STARPU_SCHED");
    if (phase->learns) {
        setenv("STARPU_PERF_MODEL_DIR", c->folder, 1);
        setenv("STARPU_HOME", c->folder, 1);
        unsetenv("XDG_CACHE_HOME"); /* StarPU prefers it to STARPU_HOME */
        unsetenv("STARPU_PERF_MODEL_PATH");
        setenv("STARPU_HOSTNAME", c->name, 1);
        setenv("STARPU_CALIBRATE", "1", 1);
    }
}

/* Returns the settings of the runs in a phase. */
static struct bench_settings settings_of(const struct phase *phase)
{
    struct bench_settings s = {.where = phase->on_gpu ? WHERE_GPU : WHERE_CPU,
                               .resident_on_gpu = phase->on_gpu,
                               .repeats = REPEATS};
    startile_options_default(&s.library, sizeof s.library);
    s.library.implementation = phase->implementation;
    s.library.ncpu = phase->on_gpu ? 0 : -1; /* -1: all cores */
    s.library.ncuda = phase->on_gpu;         /* one GPU or none */
    s.library.workers_per_cuda = phase->learns ? 1 : 3;
    return s;
}

/* Runs one case, and stores its time and tiles, or the error. The time is NaN for batches and for
 * tasks of no routine. */
static void run_case(const struct bench_settings *s, const struct series *series,
                     const struct problem *p, struct outcome *o)
{
    static const struct reference none = {.seconds = {NAN, NAN, NAN}, .gemm_gflop_s = NAN};
    struct row row;
    if (!strcmp(series->name, "batches")) {
        struct bench_settings in_main_memory = *s;
        in_main_memory.resident_on_gpu = false;
        o->seconds = NAN;
        if (run_batched(&in_main_memory, p, &row))
            snprintf(o->error, sizeof o->error, "%s: %.90s", row.name, row.status);
        return;
    }
    if (!p->routine) {
        int64_t status = run_other_tasks(p);
        o->seconds = NAN;
        if (status)
            snprintf(o->error, sizeof o->error, "%s", startile_strerror(status));
        return;
    }
    run_problem(s, p, &none, &row);
    o->seconds = row.seconds.min;
    o->mb = row.problem.mb;
    o->nb = row.problem.nb;
    if (!row.ok)
        snprintf(o->error, sizeof o->error, "%.100s", row.status);
}

/* Starts the library, runs the cases of a series, sends their outcomes, and stops the library.
 * StarPU writes its models when it stops; if noise exceeds NOISE_LIMIT without --force, the child
 * ends without stopping StarPU. index: index of the series */
static void run_cases(const struct child *child, const struct calibration *c,
                      const struct series *series, size_t index)
{
    struct bench_settings s = settings_of(series->phase);
    struct outcome o;
    int64_t status = startile_init(&s.library);
    if (status) {
        report("calibrate: %s: %s", series->phase->name, startile_strerror(status));
        _exit(EXIT_FAILED);
    }
    struct cpu_times before = cpu_times_now("/proc/stat");
    for (size_t i = 0; i < series->count; i++) {
        o = (struct outcome){.series = index, .number = i};
        run_case(&s, series, &series->cases[i], &o);
        send_message(child, &o, sizeof o);
    }
    struct cpu_times after = cpu_times_now("/proc/stat");
    o = (struct outcome){.series = index,
                         .number = series->count,
                         .seconds = after.wall - before.wall,
                         .noise = load_of_others(&before, &after, c->machine.cores)};
    bool is_noisy = o.noise > NOISE_LIMIT && !c->force;
    if (!is_noisy)
        startile_finalize();
    send_message(child, &o, sizeof o);
    if (is_noisy)
        _exit(EXIT_NOISY);
}

enum child_result run_in_child(const struct calibration *c, const struct series *series,
                               const bool *done, size_t first, size_t last, take_outcome *take,
                               void *data)
{
    struct child child;
    struct outcome o;
    if (!child_start(&child))
        return CHILD_FAILED;
    if (child.pid == 0) {
        set_environment(c, series[first].phase);
        for (size_t i = first; i < last; i++)
            if (!done[i])
                run_cases(&child, c, &series[i], i);
        _exit(EXIT_SUCCESS);
    }
    while (child.from && fread(&o, sizeof o, 1, child.from) == 1)
        take(data, &o);
    return child_end(&child);
}

/* Returns whether the folder has what simulations read of StarPU's measurements of transfers. */
static bool has_transfers(const struct calibration *c)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/bus/%s.platform.v4.xml", c->folder, c->name);
    return !access(path, R_OK);
}

bool measure_transfers(const struct calibration *c)
{
    static const struct phase transfers = {.name = "transfers", .learns = true};
    struct bench_settings s = settings_of(&transfers);
    struct child child;
    if (has_transfers(c))
        return true;
    if (!child_start(&child))
        return false;
    if (child.pid == 0) { /* StarPU measures the transfers, also those of all GPUs, at its start */
        set_environment(c, &transfers);
        int64_t status = startile_init(&s.library);
        if (status)
            report("calibrate: transfers: %s", startile_strerror(status));
        else
            startile_finalize();
        _exit(status ? EXIT_FAILED : EXIT_SUCCESS);
    }
    if (child_end(&child) != CHILD_DONE)
        return false;
    if (!has_transfers(c))
        report("calibrate: StarPU has not stored the transfers in %s/bus", c->folder);
    return has_transfers(c);
}

/* Stores the CPUs, the GPUs and the largest order in *c. */
static void store_machine(struct calibration *c)
{
    double memory = (double)memory_available();
    c->gpus = cuda_count();
    machine_find(&c->machine, true, c->gpus > 0);
#ifdef STARTILE_HAVE_CUDA
    struct gpu gpu;
    if (c->gpus > 0 && !cuda_describe(0, &gpu))
        memory = fmin(memory, (double)gpu.memory);
#endif
    /* six matrices of the largest type: operands, temporaries and a copy */
    c->largest = (int64_t)sqrt(memory / (6 * 16.0));
}

bool describe_machine(struct calibration *c)
{
    struct child child;
    struct calibration described;
    if (!child_start(&child))
        return false;
    if (child.pid == 0) {
        store_machine(c);
        send_message(&child, c, sizeof *c);
        _exit(EXIT_SUCCESS);
    }
    bool is_known = child.from && fread(&described, sizeof described, 1, child.from) == 1;
    if (child_end(&child) != CHILD_DONE || !is_known)
        return false;
    *c = described;
    return true;
}
