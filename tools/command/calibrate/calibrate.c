/*
 * `startile calibrate`: options, and the way through the batches.
 */
#include "calibrate.h"
#include "command.h"
#include "measure.h"
#include "scalar.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "startile calibrate";

struct arguments {
    struct calibration c;
    bool show;
    const char *machine, *plot;
    const char *measures; /* an option that only measurements have */
};

enum {
    KEY_QUICK = 256,
    KEY_NAME,
    KEY_FOLDER,
    KEY_WHERE,
    KEY_ROUTINE,
    KEY_PRECISION,
    KEY_AGAIN,
    KEY_SHOW,
    KEY_PLOT
};

static const struct argp_option options[] = {
    {"quick", KEY_QUICK, NULL, 0, "fewer and smaller sizes: about a minute on CPU cores", 0},
    {"name", KEY_NAME, "NAME", 0,
     "of the machine: lower-case letters, digits and - (default: made of its processors)", 0},
    {"folder", KEY_FOLDER, "DIR", 0,
     "where to (default: ${XDG_DATA_HOME:-~/.local/share}/startile/models/NAME)", 0},
    {"where", KEY_WHERE, "cpu|gpu", 0, "these workers only (default: all that there are)", 0},
    {"routine", KEY_ROUTINE, "LIST", 0,
     "these routines of the bench only, or `batches', or `others', which are tasks of none of "
     "them; "
     "with --show these codelets, without the letter of the type",
     0},
    {"precision", KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: all)", 0},
    {"again", KEY_AGAIN, NULL, 0, "begin anew, instead of going on where it was interrupted", 0},
    {"show", KEY_SHOW, NULL, 0,
     "prints models as a table, and measures nothing: those of MACHINE, a name or a folder, or "
     "those in use here",
     0},
    {"plot", KEY_PLOT, "FILE", 0,
     "with --show: plots time against operations for each kind of worker, as FILE.png or FILE.svg "
     "(by python3-matplotlib)",
     0},
    {0}};

/* Of those that there are, each once. */
static void set_precisions(struct calibration *c, const char *list)
{
    const char *at = list;
    for (c->dtype_count = 0; c->dtype_count < 4; at += 2) {
        bool good = dtype_from_letter(*at, &c->dtypes[c->dtype_count]) && (!at[1] || at[1] == ',');
        for (int t = 0; t < c->dtype_count; t++)
            good = good && c->dtypes[t] != c->dtypes[c->dtype_count];
        if (!good)
            break;
        c->dtype_count++;
        if (!at[1])
            return;
    }
    usage_error(command, "--precision %s: must be a list of s, d, c, z", list);
}

static void set_name(struct calibration *c, const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (!length || name[length] || length >= sizeof c->name)
        usage_error(command, "--name %s: must be lower-case letters, digits and -", name);
    strcpy(c->name, name);
}

static void set_folder(struct calibration *c, const char *folder)
{
    if (!*folder || strlen(folder) >= sizeof c->folder)
        usage_error(command, "--folder %s: must have 1 to %d characters", folder,
                    FOLDER_LENGTH - 1);
    strcpy(c->folder, folder);
}

/* With --show it names codelets. */
static void check_routines(const struct arguments *a)
{
    char name[32];
    const char *list = a->c.routines, *next;
    for (const char *at = list; at; at = next ? next + 1 : NULL) {
        next = strchr(at, ',');
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (!*name)
            usage_error(command, "--routine %s: a name is missing at a comma", list);
        if (!a->show && !is_in("others,batches", name) && !find_routine(name))
            usage_error(command, "--routine %s: there is no routine '%s'", list, name);
    }
}

static void set_where(struct calibration *c, const char *where)
{
    c->cpu = !strcmp(where, "cpu");
    c->gpu = !strcmp(where, "gpu");
    if (!c->cpu && !c->gpu)
        usage_error(command, "--where %s: must be cpu or gpu", where);
}

static bool measures_only(int key)
{
    return key == KEY_QUICK || key == KEY_NAME || key == KEY_FOLDER || key == KEY_WHERE ||
           key == KEY_AGAIN;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct arguments *a = state->input;
    for (const struct argp_option *o = options; o->name; o++)
        if (o->key == key && measures_only(key))
            a->measures = o->name;
    switch (key) {
    case KEY_QUICK:
        a->c.quick = true;
        return 0;
    case KEY_NAME:
        set_name(&a->c, argument);
        return 0;
    case KEY_FOLDER:
        set_folder(&a->c, argument);
        return 0;
    case KEY_WHERE:
        set_where(&a->c, argument);
        return 0;
    case KEY_ROUTINE:
        a->c.routines = argument;
        return 0;
    case KEY_PRECISION:
        set_precisions(&a->c, argument);
        return 0;
    case KEY_AGAIN:
        a->c.again = true;
        return 0;
    case KEY_SHOW:
        a->show = true;
        return 0;
    case KEY_PLOT:
        a->plot = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (a->machine)
            usage_error(command, "'%s': one machine at a time", argument);
        a->machine = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "[--show [MACHINE]]",
    "Measures the tasks of all routines on this machine, so that StarPU places them well and the "
    "library takes the best tile sizes. The library finds the result by itself from then on; see "
    "startile info."
    "\v"
    "What is measured goes into a folder: StarPU's models of the tasks (codelets) and of the "
    "transfers (bus), the fastest tile sizes (tiles), the runs (runs) and the conditions "
    "(manifest). Interrupted, the same command goes on where it was. Nothing else should run on "
    "the machine meanwhile.\n\n"
    "The environment variable STARTILE_MODELS names a machine or a folder for the library to use, "
    "or says none.",
    NULL,
    NULL,
    NULL};

/* -- progress --------------------------------------------------------------------------------- */

struct progress {
    const struct calibration *c;
    const struct batch *batches;
    struct outcome *outcomes;               /* of the batch that is running */
    double start, total, finished, counted; /* seconds; work: all, done, done since the start */
    bool failed, draws, drawn;
};

static void draw(struct progress *p, const struct batch *b, const struct problem *at)
{
    enum { WIDTH = 30 };
    double fraction = p->finished / p->total, seconds = now_seconds() - p->start;
    double left = p->counted > 0 ? seconds * (p->total - p->finished) / p->counted : 0;
    int filled = (int)(fraction * WIDTH);
    if (!p->draws)
        return;
    fprintf(stderr, "\r%-10s %-12s %c n = %-6d [", b->phase->name, b->name, dtype_letter(at->dtype),
            (int)at->n);
    for (int i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : ' ', stderr);
    fprintf(stderr, "] %3.0f %%, %d:%02d left ", 100 * fraction, (int)left / 60, (int)left % 60);
    fflush(stderr);
    p->drawn = true;
}

static void wipe(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

static void end_batch(struct progress *p, const struct batch *b, double seconds)
{
    wipe(p);
    printf("%-10s %-12s %3zu cases %7.1f s\n", b->phase->name, b->name, b->count, seconds);
    fflush(stdout);
    for (size_t i = 0; i < b->count; i++)
        if (p->outcomes[i].error[0]) {
            report("calibrate: %s %s, n = %d, nb = %d: %s", b->phase->name, b->name,
                   (int)b->cases[i].n, (int)b->cases[i].nb, p->outcomes[i].error);
            p->failed = true;
        }
    p->failed = !journal_add(p->c, b, p->outcomes) || p->failed;
}

static void take(void *data, const struct outcome *o)
{
    struct progress *p = data;
    const struct batch *b = &p->batches[o->batch];
    if (o->number == b->count) {
        end_batch(p, b, o->seconds);
        return;
    }
    const struct problem *at = &b->cases[o->number];
    p->outcomes[o->number] = *o;
    p->finished += case_work(at);
    p->counted += case_work(at);
    draw(p, b, at);
}

/* -- all of it -------------------------------------------------------------------------------- */

/* Batches of one phase share a child. */
static bool run_batches(struct progress *p, const struct batch *batches, const bool *done,
                        size_t count)
{
    bool good = true;
    for (size_t i = 0, j; i < count && good; i = j) {
        bool all_done = true;
        for (j = i; j < count && batches[j].phase == batches[i].phase; j++)
            all_done = all_done && done[j];
        if (!all_done)
            good = run_in_child(p->c, batches, done, i, j, take, p);
    }
    wipe(p);
    return good && !p->failed;
}

static bool measure(const struct calibration *c, const struct batch *batches, size_t count)
{
    struct progress p = {.c = c, .batches = batches, .draws = isatty(STDERR_FILENO)};
    size_t most = 1;
    bool *done = calloc(count, sizeof *done);
    for (size_t i = 0; done && i < count; i++) {
        done[i] = journal_has(c, &batches[i]);
        p.total += batches[i].work;
        p.finished += done[i] ? batches[i].work : 0;
        most = batches[i].count > most ? batches[i].count : most;
    }
    p.outcomes = calloc(most, sizeof *p.outcomes);
    p.start = now_seconds();
    bool good = done && p.outcomes && run_batches(&p, batches, done, count);
    free(p.outcomes);
    free(done);
    return good;
}

/* The folder is there, empty or of this machine. */
static bool prepare(struct calibration *c)
{
    if (!name_folder(c) || !folder_open(c))
        return false;
    state_keep(c);
    return (c->again ? folder_clear(c) : state_fits(c)) && journal_begin(c);
}

static bool calibrate(struct calibration *c)
{
    size_t count;
    if (!describe_machine(c))
        return false;
    if (c->gpu && !c->gpus && !c->cpu) {
        report("calibrate: --where gpu: no GPU that CUDA can use here");
        return false;
    }
    c->gpu = c->gpu && c->gpus > 0;
    if (!prepare(c))
        return false;
    struct batch *batches = batches_list(c, &count);
    if (!batches) {
        report("calibrate: %s", strerror(ENOMEM));
        return false;
    }
    bool good = measure(c, batches, count);
    batches_free(batches, count);
    good = good && tiles_write(c) && manifest_write(c);
    if (good)
        printf("%s\n", c->folder);
    return good;
}

/* As it was given, on one line. */
static void keep_words(struct calibration *c, int argc, char **argv)
{
    size_t length = (size_t)snprintf(c->words, sizeof c->words, "startile calibrate");
    for (int i = 1; i < argc && length < sizeof c->words; i++)
        length += (size_t)snprintf(c->words + length, sizeof c->words - length, " %s", argv[i]);
    for (char *at = c->words; *at; at++)
        if (*at == '\n')
            *at = ' ';
}

int calibrate_command(int argc, char **argv)
{
    struct arguments a = {.c = {.cpu = true,
                                .gpu = true,
                                .dtypes = {STARTILE_S, STARTILE_D, STARTILE_C, STARTILE_Z},
                                .dtype_count = 4}};
    refuse_trace(
        command,
        "a calibration is thousands of runs in processes of their own, which a trace would "
        "slow down; trace one run with startile bench",
        argc, argv);
    keep_words(&a.c, argc, argv);
    parse_command_line(&argp, command, argc, argv, &a);
    if (a.machine && !a.show)
        usage_error(command, "'%s': a machine is named with --show; say --name or --folder",
                    a.machine);
    if (a.plot && !a.show)
        usage_error(command, "--plot: needs --show");
    if (a.show && a.measures)
        usage_error(command, "--%s: not with --show, which measures nothing", a.measures);
    check_routines(&a);
    struct shown shown = {a.machine, a.plot, a.c.routines, a.c.dtypes, a.c.dtype_count};
    if (a.show)
        return show_models(&shown) ? EXIT_SUCCESS : EXIT_FAILED;
    return calibrate(&a.c) ? EXIT_SUCCESS : EXIT_FAILED;
}
