/*
 * Calibrated performance models: the folder of the machine that fits (models.c), StarPU's files in
 * it (model_file.c) and what they say of a task (model.c). Private to this folder.
 */
#ifndef STARTILE_MODEL_H
#define STARTILE_MODEL_H

#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_device { MODEL_CPU, MODEL_CUDA, MODEL_DEVICES };
enum { MODEL_IMPLEMENTATIONS = 3 };

/* What was measured of work of one footprint. */
struct model_entry {
    uint32_t footprint;
    double time;              /* mean, microseconds */
    double operations, bytes; /* log(1 + …) */
};

/* Of one implementation on one kind of device, by footprint. */
struct model_curve {
    size_t count;
    struct model_entry *entry;
};

struct model {
    struct model *next;
    struct model_curve curve[MODEL_DEVICES][MODEL_IMPLEMENTATIONS];
};

/* Microseconds, above 0; NaN where nothing was measured on that kind of device. */
double model_time(const struct model *model, enum model_device device, unsigned implementation,
                  uint32_t footprint, double operations, double bytes);

/* From one of StarPU's files. NULL where there is none, or where *reason, else NULL, says what is
 * wrong with it. */
struct model *model_read(const char *path, const char **reason);
void model_free(struct model *model);

/* -- a machine's tables ------------------------------------------------------------------------ */

enum { TABLE_LINES = 1024 };

/* The fastest tiles for a routine from some size on. */
struct tile_line {
    char routine[16];
    char letter; /* of the type */
    bool on_cuda;
    int64_t from;   /* n */
    int64_t mb, nb; /* mb = 0: all rows; nb = 0: the usual tiles */
    int workers;    /* per GPU; 0: not measured */
};

struct tile_table {
    bool counts_cpu; /* has lines for CPU workers */
    int lines;
    struct tile_line line[TABLE_LINES];
};

/* The size from which on a routine is faster than the machine's LAPACK. */
struct crossover_line {
    char routine[16];
    char letter;
    bool on_cuda;
    int64_t size;
};

struct crossover_table {
    bool counts_cpu;
    int lines;
    struct crossover_line line[TABLE_LINES];
};

struct machine_tables {
    struct tile_table tiles;
    struct crossover_table crossovers;
};

/* -- the folder of a machine (models.c) ------------------------------------------------------- */

/* What tasks of the library will run on; the GPU's name is "" where none will be used. */
struct machine {
    char cpu[128], gpu[256];
    bool uses_cpu; /* else all tasks run on GPUs */
    int cores;
};

void machine_find(struct machine *m, bool uses_cpu, bool uses_gpu);

/* Visits the folders that folders of machines are in, the most particular first; in_library is the
 * address of anything in the library. */
typedef void models_root_callback(void *data, const char *root);
void models_roots(const void *in_library, models_root_callback *callback, void *data);
/* The user's own; false where the environment names none. */
bool models_user_root(char *root, size_t size);

/* Chooses the folder for this start of the library; to be undone. */
void models_open(const struct machine *m);
void models_close(void);
/* Before StarPU starts: how many workers a GPU were the fastest; 0: nothing says. */
int models_preview(const struct machine *m);

/* Those of the folder in use; empty where there is none. */
const struct machine_tables *models_tables(void);

/* Of the codelet with that name in StarPU's files; NULL where the folder has none that is good. */
const struct model *models_of(const char *symbol);

/* -- the state of a folder (model_folder.c) --------------------------------------------------- */

struct manifest;
/* Reads both tables. The lines for CPU workers count only on a machine with as many cores as the
 * folder's; false: one is damaged. */
bool folder_read_tables(struct machine_tables *tables, const char *folder, bool same_cores,
                        const char **reason);
/* Why it cannot be used, whatever the machine; NULL: it can. */
const char *folder_fault(const char *folder, const struct manifest *m);
/* True, with words, where one of its files is damaged: it is left out when its codelet comes up. */
bool folder_is_damaged(const char *folder, const char *machine, char *words, size_t size);

/* Hands over the lines of a file, if it is there, up to one that take() finds damaged; false then.
 * (table_file.c) */
typedef bool table_line(void *data, const char *text);
bool table_file_read(const char *folder, const char *name, table_line *take, void *data);

/* tile_table.c */
bool tile_table_read(struct tile_table *table, const char *folder, bool same_cores,
                     const char **reason);
/* False where the table says nothing of the routine; *nb = 0: the usual tiles. */
bool tile_table_find(const struct tile_table *table, const char *routine, startile_dtype dtype,
                     bool on_cuda, int64_t n, int64_t *mb, int64_t *nb);
/* 0: not measured */
int tile_table_workers_per_cuda(const struct tile_table *table);

/* crossover_table.c, for startile_crossover() */
bool crossover_table_read(struct crossover_table *table, const char *folder, bool same_cores,
                          const char **reason);

#endif
