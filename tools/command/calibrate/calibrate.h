/*
 * Types and functions shared by the parts of `startile calibrate`.
 *
 * A calibration is a list of series. A series is a routine in a phase, with all its types, sizes
 * and tiles. A phase is a kind of worker and of kernels. The library runs in a child process for
 * each phase, because StarPU's environment variables differ between phases, because a child can end
 * without writing the models of a noisy series, and because StarPU ends the program when it fails.
 * The journal in the folder lists the finished series.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "bench/bench.h"
#include "models/manifest.h"
#include "models/model.h"

enum {
    FOLDER_LENGTH = 200, /* StarPU's limit for the path of a folder, with the final '\0' */
    PATH_LENGTH = FOLDER_LENGTH + 600,
    MOST_CASES = 4 * 8 * 5 /* types, orders, tile widths */
};

struct phase {
    const char *name;
    bool on_gpu;
    startile_implementation implementation;
    bool learns; /* true: StarPU calibrates its models, with one worker per GPU; false: only whole
                    routines are timed */
    bool own_and_vendor; /* true: only routines that have both own and vendor's kernels on GPUs */
};

struct calibration {
    char name[64];
    char folder[FOLDER_LENGTH];
    bool quick, force;
    bool cpu, gpu;        /* wanted kinds of workers */
    const char *routines; /* comma-separated list; NULL: all */
    struct precisions precisions;
    struct machine machine;
    int gpus;
    int64_t largest; /* largest order for which six matrices of any type fit the memory */
};

/* calibrate_cases.c */
struct series {
    const struct phase *phase;
    const char *name; /* name of a routine; or "batches"; or "others": tasks that no routine of the
                         bench runs */
    struct problem cases[MOST_CASES];
    size_t count;
    double work; /* operations, plus an allowance for each start */
};

/* Returns all series for this machine, to be freed by free(); NULL without memory. */
struct series *series_list(const struct calibration *c, size_t *count);
/* Returns whether the name is "others", "batches", or that of a routine that is measured. */
bool is_calibrated(const char *name);
/* Returns all these names, as "a, b, c". */
const char *calibrated_names(void);
/* Returns whether a comma-separated list contains the word. The list NULL contains all words. */
bool list_contains(const char *list, const char *word);

/* calibrate_run.c */
/* Result of a case, or of a whole series. series, number: indices of the series and of the case;
 * for a whole series `number` is its count of cases */
struct outcome {
    size_t series, number;
    int64_t mb, nb; /* size of the tiles that were used */
    double seconds; /* least time of the routine, NaN: not timed; for a whole series its duration */
    double noise;   /* for a whole series: share of the cores' time that other processes took */
    char error[120];
};

/* Largest noise at which a series is stored */
#define NOISE_LIMIT 0.05

enum child_result { CHILD_DONE, CHILD_NOISY, CHILD_FAILED };
typedef void take_outcome(void *data, const struct outcome *o);

/* Runs the series first ... last - 1, of one phase, that are not done, in a child process. Calls
 * take() in this process for each outcome. Without --force, the child ends after a series whose
 * noise exceeds NOISE_LIMIT, before StarPU stores its models. Reports a failure. */
enum child_result run_in_child(const struct calibration *c, const struct series *series,
                               const bool *done, size_t first, size_t last, take_outcome *take,
                               void *data);
/* Lets StarPU measure the transfers, unless the folder has them. Reports a failure. */
bool measure_transfers(const struct calibration *c);
/* Stores this machine's CPUs and GPUs in *c. Does so in a child process: if this process used CUDA,
 * its later children could not. */
bool describe_machine(struct calibration *c);

/* calibrate_tasks.c */
/* Runs tasks that no routine of the bench runs. Returns the first result of a call that is
 * not 0, or 0. */
int64_t run_other_tasks(const struct problem *p);
/* Runs all routines for batches. Returns 0, or −1 with the reason in the row. */
int run_batched(const struct bench_settings *s, const struct problem *p, struct row *row);

/* calibrate_load.c */
struct cpu_times {
    /* seconds: wall-clock time; busy time of all cores; CPU time of this process */
    double wall, busy, own;
};

/* Returns the current times. stat: path of /proc/stat. busy is 0 if the file has no times. */
struct cpu_times cpu_times_now(const char *stat);
/* Returns the share of the cores' time that other processes took between the two times. */
double load_of_others(const struct cpu_times *begin, const struct cpu_times *end, int cores);

/* calibrate_folder.c */
/* Creates the folder c->folder, or the default folder if that is "". Sets c->folder to the absolute
 * path and c->name, the machine's name, to the last part of the path. Reports a failure. */
bool folder_open(struct calibration *c);
/* Removes StarPU's empty folder `debug`. */
void folder_clean(const struct calibration *c);
/* Opens a file of the folder. Reports a failure, unless a file to read does not exist. */
FILE *folder_file(const struct calibration *c, const char *name, const char *mode);
/* Closes a file. Returns whether all was written; false for NULL. */
bool file_close(FILE *f);

/* calibrate_journal.c: the files `manifest` and `runs` */
/* Time of a whole routine. */
struct routine_time {
    char phase[16], routine[16], letter;
    int64_t m, n, mb, nb;
    double seconds;
    bool usual; /* true: the library's default tiles */
};

/* Returns false after a report if the manifest is of another machine or version, or if there is a
 * journal but no usable manifest. Writes the manifest, without a date, if there is neither. */
bool journal_begin(const struct calibration *c);
/* Returns whether the journal has the series for all wanted types. */
bool journal_has(const struct calibration *c, const struct series *series);
/* Adds a series to the journal, unless one of its cases failed. Returns false if the write
 * failed. */
bool journal_add(const struct calibration *c, const struct series *series,
                 const struct outcome *outcomes);
/* Returns all times, to be freed by free(). Returns NULL, with *count = 0, if there are none. */
struct routine_time *journal_read(const struct calibration *c, size_t *count);
/* Writes the manifest, with a date if is_complete. The library uses only folders whose manifest has
 * a date. */
bool manifest_write(const struct calibration *c, bool is_complete);

/* calibrate_tiles.c: the table of the fastest tiles */
/* Writes the table from the journal's times. */
bool tiles_write(const struct calibration *c);
/* Returns whether the table is made from the times of this phase. */
bool is_tile_phase(const char *phase);

/* calibrate_crossovers.c */
/* Measures the crossovers of LAPACK's symbols and stores them in the folder of a complete
 * calibration. Returns false after a report on failure. */
bool calibrate_crossovers(struct calibration *c);

/* calibrate_show.c */
/* Prints calibrated models. machine: name or folder; NULL: the models in use on this machine */
bool show_models(const struct calibration *c, const char *machine);

#endif
