/* `startile calibrate`: options, and the loop over the series. */
#include "calibrate.h"
#include "command.h"
#include "measure.h"
#include "peer/peer_cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "startile calibrate";

struct arguments {
    struct calibration c;
    int where; /* 0: "cpu", 1: "gpu"; −1: not given */
    bool show, crossovers;
    const char *folder, *machine;
    const char *measures; /* name of a given option that needs measurements; or NULL */
};

#define AT(member) .field = offsetof(struct arguments, member)
#define MEASURES .given = offsetof(struct arguments, measures)

static const struct option_row options[] = {
    {"quick", NULL, "fewer and smaller sizes: about a minute on CPU cores", OPTION_FLAG,
     AT(c.quick), MEASURES},
    {"force", NULL, "stores what is measured on a busy machine, too", OPTION_FLAG, AT(c.force),
     MEASURES},
    {"folder", "DIR", "result (default: ${XDG_DATA_HOME:-~/.local/share}/startile/models/HOSTNAME)",
     OPTION_TEXT, AT(folder), MEASURES},
    {"where", "cpu|gpu", "these workers only (default: all)", OPTION_WORD, AT(where), MEASURES},
    {"routine", "LIST",
     "some routines of the bench, `batches', or `others': tasks of no routine (default: all that "
     "are measured, which a wrong name lists); with --show codelets, without the letter of the "
     "type",
     OPTION_TEXT, AT(c.routines)},
    {"precision", "LIST", "of s, d, c, z (default: all)", OPTION_PRECISIONS, AT(c.precisions)},
    {"crossovers", NULL,
     "adds to a finished calibration the sizes from which LAPACK's routines are faster on startile "
     "than in the machine's LAPACK; about two minutes on two cores",
     OPTION_FLAG, AT(crossovers), MEASURES},
    {"show", NULL,
     "prints the models of MACHINE, a name or a folder, or those in use; measures nothing",
     OPTION_FLAG, AT(show)},
    REFUSED("trace", "a calibration is thousands of runs in processes of their own, which a trace "
                     "would slow down; trace one run with startile bench"),
    {.name = NULL}};

/* Ends the program unless each name in the list is measured. The list may be NULL. */
static void check_routines(const char *list)
{
    char name[32];
    const char *next;
    for (const char *at = list; at; at = next ? next + 1 : NULL) {
        next = strchr(at, ',');
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (!*name)
            usage_error(command, "--routine %s: a name is missing at a comma", list);
        if (!is_calibrated(name))
            usage_error(command, "--routine %s: '%s' is not measured, only %s", list, name,
                        calibrated_names());
    }
}

static void set_machine(void *settings, const char *name)
{
    struct arguments *a = settings;
    if (a->machine)
        usage_error(command, "'%s': one machine at a time", name);
    a->machine = name;
}

static void set_folder(struct calibration *c, const char *folder)
{
    if (!*folder || snprintf(c->folder, sizeof c->folder, "%s", folder) >= (int)sizeof c->folder)
        usage_error(command, "--folder %s: must have 1 to %d characters", folder,
                    FOLDER_LENGTH - 1);
}

static const char doc[] =
    "Measures the tasks of all routines on this machine, so that StarPU places them well and the "
    "library takes the best tile sizes. The library finds the result by itself from then on; see "
    "startile info.\v"
    "The result is a folder: StarPU's models of the tasks (codelets) and of the transfers (bus), "
    "the fastest tile sizes (tiles), the runs (runs), the conditions (manifest), and with "
    "--crossovers the sizes from which startile run uses startile (crossovers). The same command "
    "continues an interrupted calibration.\n\n"
    "The machine must be idle. Measurements of a routine during which other processes take more "
    "than 5 % of the cores' time are repeated twice, then refused with exit code 1; nothing of "
    "them is stored. What was stored before stays.\n\n"
    "The environment variable STARTILE_MODELS names a machine or a folder for the library to use, "
    "or says none.";

struct progress {
    const struct calibration *c;
    const struct series *series;
    bool *done;
    struct outcome outcomes[MOST_CASES]; /* outcomes of the current series */
    /* start: time in seconds. total, finished, counted: work (struct series) of all series, of the
     * finished series, of those that this run finished */
    double start, total, finished, counted;
    int noisy_runs; /* noisy runs of the current series */
    bool failed;
};

/* Prints the progress, reports failed cases, and adds the series to the journal. */
static void end_series(struct progress *p, const struct series *series, const struct outcome *o)
{
    p->finished += series->work;
    p->counted += series->work;
    double seconds_left = (now_seconds() - p->start) * (p->total - p->finished) / p->counted;
    printf("%-10s %-12s %3zu cases %7.1f s, others %2.0f %%, %3.0f %% done, %d:%02d left\n",
           series->phase->name, series->name, series->count, o->seconds, 100 * o->noise,
           100 * p->finished / p->total, (int)seconds_left / 60, (int)seconds_left % 60);
    fflush(stdout);
    for (size_t i = 0; i < series->count; i++)
        if (p->outcomes[i].error[0]) {
            report("calibrate: %s %s, n = %d, nb = %d: %s", series->phase->name, series->name,
                   (int)series->cases[i].n, (int)series->cases[i].nb, p->outcomes[i].error);
            p->failed = true;
        }
    p->failed = !journal_add(p->c, series, p->outcomes) || p->failed;
    p->done[o->series] = true;
    p->noisy_runs = 0;
}

/* Stores the outcome of a case. At the end of a series accepts the series, or, if its noise exceeds
 * NOISE_LIMIT without --force, reports the noise. */
static void receive_outcome(void *data, const struct outcome *o)
{
    struct progress *p = data;
    const struct series *series = &p->series[o->series];
    if (o->number < series->count) { /* a case; at the end of a series `number` is its count */
        p->outcomes[o->number] = *o;
    } else if (o->noise > NOISE_LIMIT && !p->c->force) {
        p->noisy_runs++;
        report("calibrate: %s %s: other processes took %.0f %% of the cores' time; not stored",
               series->phase->name, series->name, 100 * o->noise);
    } else {
        end_series(p, series, o);
    }
}

/* Runs the series first … last − 1, which are those of one phase. A noisy series runs up to
 * MOST_RUNS times. Returns false after a report on failure. */
static bool run_phase(struct progress *p, size_t first, size_t last)
{
    enum { MOST_RUNS = 3 };
    enum child_result result;
    do
        result = run_in_child(p->c, p->series, p->done, first, last, receive_outcome, p);
    while (result == CHILD_NOISY && p->noisy_runs < MOST_RUNS);
    if (result == CHILD_NOISY)
        report("calibrate: the machine is not idle: end the other processes, or say --force");
    return result == CHILD_DONE && !p->failed;
}

/* Measures all series that the journal lacks, phase by phase. Returns false after a report on
 * failure. */
static bool measure(const struct calibration *c, const struct series *series, size_t count)
{
    bool done[count + 1], good = true; /* + 1: an array must not be empty */
    struct progress p = {.c = c, .series = series, .done = done, .start = now_seconds()};
    for (size_t i = 0; i < count; i++) {
        done[i] = journal_has(c, &series[i]);
        p.total += series[i].work;
        p.finished += done[i] ? series[i].work : 0;
    }
    for (size_t i = 0, j; i < count && good; i = j) {
        bool all_done = true;
        for (j = i; j < count && series[j].phase == series[i].phase; j++)
            all_done = all_done && done[j];
        good = all_done || run_phase(&p, i, j);
    }
    return good;
}

/* Returns false after a report if batches are measured and LAPACK is not available. LAPACK makes
 * the factors that some batches read. */
static bool check_lapack(const struct calibration *c)
{
    if (!list_contains(c->routines, "batches") || cpu_peer_load())
        return true;
    report("calibrate: batches need libopenblas.so.0, or libblas.so.3 and liblapack.so.3; without "
           "them name the other routines with --routine");
    return false;
}

/* Measures, and writes the folder. Returns false after a report on failure. */
static bool calibrate(struct calibration *c)
{
    size_t count;
    if (!check_lapack(c) || !describe_machine(c))
        return false;
    if (c->gpu && !c->gpus && !c->cpu) {
        report("calibrate: --where gpu: no GPU that CUDA can use here");
        return false;
    }
    c->gpu = c->gpu && c->gpus > 0;
    if (!folder_open(c) || !journal_begin(c))
        return false;
    struct series *series = series_list(c, &count);
    if (!series) {
        report("calibrate: %s", strerror(ENOMEM));
        return false;
    }
    bool good = measure_transfers(c) && measure(c, series, count);
    folder_clean(c);
    free(series);
    good = good && tiles_write(c) && manifest_write(c, true);
    if (good)
        printf("%s\n", c->folder);
    return good;
}

int calibrate_command(int argc, char **argv)
{
    static const struct command_options command_options = {command, "[--show [MACHINE]]", doc,
                                                           options, set_machine,          NULL};
    struct arguments a = {.where = -1,
                          .c.precisions = {{STARTILE_S, STARTILE_D, STARTILE_C, STARTILE_Z}, 4}};
    parse_options(&command_options, argc, argv, &a);
    a.c.cpu = a.where != 1;
    a.c.gpu = a.where != 0;
    if (a.folder)
        set_folder(&a.c, a.folder);
    if (a.machine && !a.show)
        usage_error(command, "'%s': a machine is named with --show; say --folder", a.machine);
    if (a.show && a.measures)
        usage_error(command, "--%s: not with --show, which measures nothing", a.measures);
    if (a.show)
        return show_models(&a.c, a.machine) ? EXIT_SUCCESS : EXIT_FAILED;
    if (a.crossovers)
        return calibrate_crossovers(&a.c) ? EXIT_SUCCESS : EXIT_FAILED;
    check_routines(a.c.routines);
    return calibrate(&a.c) ? EXIT_SUCCESS : EXIT_FAILED;
}
