/*
 * What the parts of `startile calibrate` share.
 *
 * A calibration is a list of batches: a routine in a phase. A phase is a kind of worker and of
 * kernels; the library runs in a child process for each, because StarPU and CUDA start once a
 * process, and because StarPU ends the program where it fails. The journal in the folder says which
 * batches are done.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "bench.h"
#include "model.h"

enum { MOST_ROUTINES = 24, FOLDER_LENGTH = 200 /* as StarPU has room for */ };

struct phase {
    const char *name;
    bool on_gpu;
    startile_implementation implementation;
    int workers;       /* a GPU */
    bool learns;       /* the models; else the times of whole routines only */
    bool products;     /* of the routines with two kinds of kernels only */
    bool workers_only; /* a few cases, to compare numbers of workers */
};

extern const struct phase phases[];
extern const int phase_count;

struct calibration {
    char name[64], folder[FOLDER_LENGTH];
    bool quick, again;
    char words[256];      /* of the command line */
    bool cpu, gpu;        /* kinds of workers that are wanted */
    const char *routines; /* list; NULL: all */
    startile_dtype dtypes[4];
    int dtype_count;
    struct machine machine;
    int cores, gpus;
    char cuda[160];
    int64_t largest; /* order that fits the memory */
};

/* -- calibrate_cases.c ------------------------------------------------------------------------ */

struct batch {
    const struct phase *phase;
    const char *name; /* of the routine; "others" for what no routine of the bench does */
    struct problem *cases;
    size_t count;
    double work; /* operations, with some for each start */
};

/* All that this machine is asked for, or NULL without memory. */
struct batch *batches_list(const struct calibration *c, size_t *count);
void batches_free(struct batch *list, size_t count);
double case_work(const struct problem *p);

/* -- calibrate_run.c -------------------------------------------------------------------------- */

/* Of one case, or the end of a batch (problem.routine is NULL then, and seconds are those of all).
 */
struct outcome {
    size_t batch, number;
    int64_t mb, nb; /* in use */
    double seconds;
    char error[120]; /* "" for none */
};

/* Runs those batches, of one phase, in a child; false: the child ended before they did, for the
 * reason that has been reported. */
typedef void take_outcome(void *data, const struct outcome *o);
bool run_in_child(const struct calibration *c, const struct batch *batches, const bool *done,
                  size_t first, size_t last, take_outcome *take, void *data);
/* What processors there are: in a child, since a process that has used CUDA cannot have one that
 * does. */
bool describe_machine(struct calibration *c);

/* calibrate_others.c */
int64_t run_others(const struct problem *p);

/* -- calibrate_folder.c ----------------------------------------------------------------------- */

/* The times of whole routines, as the journal has them. */
struct measured {
    char phase[16], routine[16], letter;
    int64_t m, n, mb, nb;
    double seconds;
    bool usual; /* the tiles that the library takes without a table */
};

bool folder_open(struct calibration *c);
bool folder_clear(const struct calibration *c);
bool journal_has(const struct calibration *c, const struct batch *b);
bool journal_add(const struct calibration *c, const struct batch *b,
                 const struct outcome *outcomes);
bool journal_add_command(const struct calibration *c);
/* All times; NULL and 0 where there are none. */
struct measured *journal_read(const struct calibration *c, size_t *count);
bool manifest_write(const struct calibration *c);

/* calibrate_tiles.c: the table of the best tile sizes, from the journal. */
bool tiles_write(const struct calibration *c);
/* CPU workers, and GPUs with the workers that they have by default. */
bool tells_tiles(const char *phase);

/* calibrate_show.c */
bool show_models(const char *machine, const char *plot);

#endif
