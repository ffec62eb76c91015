/*
 * Shared by the parts of `startile calibrate`.
 *
 * A calibration is a list of batches: a routine in a phase. A phase is a kind of worker and of
 * kernels. The library runs in a child process for each phase, because StarPU and CUDA start once a
 * process, and because StarPU ends the program where it fails. The journal in the folder has the
 * batches that are done.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "bench/bench.h"
#include "models/manifest.h"
#include "models/model.h"

enum {
    FOLDER_LENGTH = 200, /* StarPU's limit */
    PATH_LENGTH = FOLDER_LENGTH + 600,
    MOST_CASES = 4 * 8 * 5 /* types, orders, tile widths */
};

struct phase {
    const char *name;
    bool on_gpu;
    startile_implementation implementation;
    bool learns;   /* StarPU calibrates its models, with one worker per GPU; false: only whole
                      routines   are timed */
    bool products; /* only routines that have own and vendor kernels on GPUs */
};

struct calibration {
    char name[64];
    char folder[FOLDER_LENGTH];
    bool quick, force;
    const char *pack;     /* file, or NULL */
    bool cpu, gpu;        /* wanted kinds of workers */
    const char *routines; /* list; NULL: all */
    struct precisions precisions;
    struct machine machine;
    int gpus;
    int64_t largest; /* order that fits the memory */
};

/* calibrate_cases.c */
struct batch {
    const struct phase *phase;
    const char *
        name; /* of a routine; or "batches"; or "others": tasks that no routine of the bench runs */
    struct problem cases[MOST_CASES];
    size_t count;
    double work; /* operations, with an allowance for each start */
};

/* Returns all batches for this machine, for free(), or NULL without memory. */
struct batch *batches_list(const struct calibration *c, size_t *count);
/* Returns whether a comma-separated list contains the word; NULL contains all. */
bool is_in(const char *list, const char *word);

/* calibrate_run.c */
/* Result of one case, or of a whole batch if number is the count of its cases. */
struct outcome {
    size_t batch, number;
    int64_t mb, nb; /* tiles that were used */
    double seconds;
    double others; /* of a batch: share of the cores' time that other processes took */
    char error[120];
};

/* Largest tolerated `others`. */
#define NOISE_LIMIT 0.05

enum child_result { CHILD_DONE, CHILD_NOISY, CHILD_FAILED };
typedef void take_outcome(void *data, const struct outcome *o);

/* Runs the batches first to last - 1, of one phase, that are not done. The child ends at the first
 * batch with noise, which StarPU then has not stored. Reports a failure. */
enum child_result run_in_child(const struct calibration *c, const struct batch *batches,
                               const bool *done, size_t first, size_t last, take_outcome *take,
                               void *data);
/* Finds the processors, in a child: a process that has used CUDA has no children that can. */
bool describe_machine(struct calibration *c);

/* calibrate_tasks.c */
int64_t run_others(const struct problem *p);
/* Returns 0, or −1 with the reason in the row. */
int run_batched(const struct bench_settings *s, const struct problem *p, struct row *row);

/* calibrate_load.c */
struct cpu_times {
    double wall, busy, own; /* seconds: clock, all cores, this process */
};

/* Returns the times by now. `stat`: /proc/stat. busy is 0 if the file has no times. */
struct cpu_times cpu_times_now(const char *stat);
/* Returns the share of the cores' time that other processes took; 0 without times. */
double load_of_others(const struct cpu_times *begin, const struct cpu_times *end, int cores);

/* calibrate_folder.c */
/* Makes the folder; its last part is the machine's name. */
bool folder_open(struct calibration *c);
/* Writes the folder as one file, see cmake/StartileModels.cmake. */
bool folder_pack(const struct calibration *c);
/* Opens a file of the folder; reports a failure, except a missing file to read. */
FILE *folder_file(const struct calibration *c, const char *name, const char *mode);
/* Closes a file, which may be NULL. Returns whether all was written. */
bool file_close(FILE *f);

/* calibrate_journal.c: the files `manifest` and `runs` */
/* Time of a whole routine. */
struct measured {
    char phase[16], routine[16], letter;
    int64_t m, n, mb, nb;
    double seconds;
    bool usual; /* the library's default tiles */
};

/* Refuses, and reports, a folder of another machine or version. Writes the manifest, without a
 * date, if there is none. */
bool journal_begin(const struct calibration *c);
bool journal_has(const struct calibration *c, const struct batch *b);
/* Adds a batch of which no case failed. */
bool journal_add(const struct calibration *c, const struct batch *b,
                 const struct outcome *outcomes);
/* Returns all times; NULL and 0 without any. */
struct measured *journal_read(const struct calibration *c, size_t *count);
/* Writes the manifest; the library uses the folder when it has a date. */
bool manifest_write(const struct calibration *c, bool is_complete);

/* calibrate_tiles.c: the table of the fastest tiles */
bool tiles_write(const struct calibration *c);
/* Returns whether the table is made from this phase. */
bool tells_tiles(const char *phase);

/* calibrate_show.c */
/* machine: name or folder, or NULL for the models in use here. */
bool show_models(const struct calibration *c, const char *machine);

#endif
