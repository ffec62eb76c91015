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
#include "models/manifest.h"
#include "models/model.h"

enum {
    MOST_ROUTINES = 24,
    FOLDER_LENGTH = 200, /* as StarPU has room for */
    PATH_LENGTH = FOLDER_LENGTH + 600
};

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
    char kept[512];       /* lines of the manifest that stay */
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
    const char
        *name; /* of the routine; "batches"; "others" for what no routine of the bench does */
    struct problem *cases;
    size_t count;
    double work; /* operations, with some for each start */
};

/* All that this machine is asked for, or NULL without memory. */
struct batch *batches_list(const struct calibration *c, size_t *count);
void batches_free(struct batch *list, size_t count);
/* Whether a list, its items between commas, has the word; NULL has all. */
bool is_in(const char *list, const char *word);
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

/* calibrate_others.c, calibrate_batches.c */
int64_t run_others(const struct problem *p);
int64_t run_batched(const struct problem *p);

/* -- calibrate_folder.c ----------------------------------------------------------------------- */

/* The times of whole routines, as the journal has them. */
struct measured {
    char phase[16], routine[16], letter;
    int64_t m, n, mb, nb;
    double seconds;
    bool usual; /* the tiles that the library takes without a table */
};

/* calibrate_name.c: name and folder, where the user gave none. */
bool name_folder(struct calibration *c);

bool folder_open(struct calibration *c);
/* Nothing but what a calibration wrote. */
bool folder_clear(const struct calibration *c);
/* Opens FILE of the folder; what fails is reported, but for one to read that does not exist. */
FILE *folder_file(const struct calibration *c, const char *name, const char *mode);

/* -- calibrate_state.c: of which machine and which library the folder is ---------------------- */

/* False, and reported, where it is of another machine or of another version of the library. */
bool state_fits(const struct calibration *c);
/* Whether it was measured on other processors. */
bool state_is_elsewheres(const struct calibration *c);
/* What the manifest tells that no calibration measures is kept for the next one. */
void state_keep(struct calibration *c);
/* The machine's name as the folder has it; false where it has none. */
bool state_name(const struct calibration *c, char *name, size_t size);

/* -- calibrate_journal.c ---------------------------------------------------------------------- */

/* Says of which machine it is, where it does not yet, and which command this is. */
bool journal_begin(const struct calibration *c);
bool journal_has(const struct calibration *c, const struct batch *b);
/* A batch with a case that failed is not done. */
bool journal_add(const struct calibration *c, const struct batch *b,
                 const struct outcome *outcomes);
/* What was done of a batch, as a set: 1 << startile_dtype. */
unsigned journal_types(const struct calibration *c, const struct batch *b, bool quick);
/* All times; NULL and 0 where there are none. */
struct measured *journal_read(const struct calibration *c, size_t *count);

/* calibrate_manifest.c */
bool manifest_write(const struct calibration *c);

/* calibrate_tiles.c: the table of the best tile sizes, from the journal. */
bool tiles_write(const struct calibration *c);
/* CPU workers, and GPUs with the workers that they have by default. */
bool tells_tiles(const char *phase);

/* calibrate_show.c */
struct shown {
    const char *machine, *plot; /* NULL: that in use here; none */
    const char *codelets;       /* list, without the letter of the type; NULL: all */
    const startile_dtype *dtypes;
    int dtype_count;
};
bool show_models(const struct shown *what);

#endif
