/*
 * Calibrated performance models: the machine's folder (models.c), StarPU's files in it
 * (model_file.c) and the time of a task (model.c). Private to codelets/.
 */
#ifndef STARTILE_MODEL_H
#define STARTILE_MODEL_H

#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_device { MODEL_CPU, MODEL_CUDA, MODEL_DEVICES };
enum { MODEL_IMPLEMENTATIONS = 3 };

/* Mean of the measurements of tasks with one footprint. */
struct model_entry {
    uint32_t footprint;
    double time;              /* mean, microseconds */
    double operations, bytes; /* log(1 + operations), log(1 + bytes) */
};

/* Measurements of one implementation on one kind of device, sorted by footprint. */
struct model_curve {
    size_t count;
    struct model_entry *entry;
};

struct model {
    struct model *next;
    struct model_curve curve[MODEL_DEVICES][MODEL_IMPLEMENTATIONS];
};

/* Returns the task's time in microseconds, > 0. Without measurements of the implementation it uses
 * those of the first implementation; NaN without either on that kind of device. */
double model_time(const struct model *model, enum model_device device, unsigned implementation,
                  uint32_t footprint, double operations, double bytes);

/* Reads one of StarPU's files. Returns NULL without a usable file. *reason := the fault of an
 * unusable file, model_no_memory if the fault is not the file's, else NULL. */
struct model *model_read(const char *path, const char **reason);
extern const char model_no_memory[];
void model_free(struct model *model);

/* Returns whether StarPU can read and rewrite its file for a codelet, or has none. Removes a file
 * that it cannot. Call it when StarPU runs. (learned_model.c) */
bool learned_model_is_usable(const char *symbol);

/* -- a machine's tables --------------------------------------------------------------------- */

enum { TABLE_LINES = 1024 };

/* The fastest tiles for a routine from some size on. */
struct tile_line {
    char routine[16];
    char letter; /* letter of the type: s, d, c or z */
    bool on_cuda;
    int64_t from;   /* smallest n */
    int64_t mb, nb; /* mb = 0: all rows; nb = 0: the default tiles */
};

struct tile_table {
    int lines;
    struct tile_line line[TABLE_LINES];
};

/* The size from which a routine is faster than the machine's LAPACK. */
struct crossover_line {
    char routine[16];
    char letter;
    bool on_cuda;
    int64_t size;
};

struct crossover_table {
    int lines;
    struct crossover_line line[TABLE_LINES];
};

struct machine_tables {
    struct tile_table tiles;
    struct crossover_table crossovers;
};

/* -- the folder of a machine (models.c) ----------------------------------------------------- */

/* The processors that run the library's tasks; gpu is "" without GPUs. */
struct machine {
    char cpu[128], gpu[256];
    bool uses_cpu; /* CPU workers run tasks */
    int cores;
};

void machine_find(struct machine *m, bool uses_cpu, bool uses_gpu);

/* Returns the chosen folder, or the reason why none was chosen. env_value: a name or path, or NULL.
 * errno := ENOMEM if a folder was refused for lack of memory, else 0. (model_search.c) */
startile_models models_choose(const struct machine *machine, const char *env_value);
/* The same by the environment variable STARTILE_MODELS. *is_named := whether it is set.
 * (model_search.c) */
startile_models models_choose_by_environment(const struct machine *machine, bool *is_named);

/* Chooses the folder that the library uses until models_close(). Returns 0;
 * STARTILE_ERROR_ENVIRONMENT if STARTILE_MODELS names one that cannot be used; or
 * STARTILE_ERROR_MEMORY. */
int models_open(const struct machine *m);
void models_close(void);

bool models_are_open(void);
/* Returns whether CPU workers share the tasks on matrices of a type with GPUs, by the folder in
 * use; false without one. cpu_workers −1: one for each core of the machine. (sharing.c) */
bool models_say_share(startile_dtype dtype, int cpu_workers, int gpus);
/* Returns whether they share the tasks on a matrix whose larger dimension is n. (sharing.c) */
bool models_say_share_size(startile_dtype dtype, int64_t n);
/* Returns the rate of a GPU in products of a type, relative to that of a core, as the last call of
 * models_say_share() for the type has found it; INFINITY without models. (sharing.c) */
double models_gpu_in_cores(startile_dtype dtype);
/* Returns the operations per microsecond of the fastest measured task, of any implementation; 0 if
 * m is NULL or has none. (model.c) */
double model_fastest_rate(const struct model *m, enum model_device device);
/* Returns the number of cores of the machine of the folder in use; 0 without one. */
int models_cores(void);

/* Returns the tables of the folder in use; empty without one. */
const struct machine_tables *models_tables(void);

/* Reads the model of a codelet, for example startile_dgemm, from the folder in use. Returns NULL
 * without a usable file. */
const struct model *model_of(const char *symbol);
/* Returns the model of an operation for a type, read anew as by model_of(). */
const struct model *model_of_operation(const char *operation, startile_dtype dtype);

/* -- the state of a folder (model_folder.c) ------------------------------------------------- */

struct manifest;
/* Reads both tables. Returns false if one is damaged. */
bool folder_read_tables(struct machine_tables *tables, const char *folder, const char **reason);
/* Returns the fault that makes the folder unusable, whatever the machine, or NULL. */
const char *folder_fault(const char *folder, const struct manifest *m);
/* Returns whether a model file of the folder cannot be used, with a message in `words`. model_of()
 * ignores such a file. */
bool folder_is_damaged(const char *folder, const char *machine, char *words, size_t size);

/* Passes each line of the file, except comments and blank lines, to take(), which returns false for
 * a damaged line. Stops and returns false at the first damaged line; returns true if there is none,
 * or no file. (table_file.c) */
typedef bool table_line(void *data, const char *text);
bool table_file_read(const char *folder, const char *name, table_line *take, void *data);

/* Reads the table `tiles`. Returns false and sets *reason if the table is damaged. (tile_table.c)
 */
bool tile_table_read(struct tile_table *table, const char *folder, const char **reason);
/* Finds the tile shape for size n; *nb = 0: the default tiles. Returns false if the table has no
 * line for the routine, type and device with `from` ≤ n. */
bool tile_table_find(const struct tile_table *table, const char *routine, startile_dtype dtype,
                     bool on_cuda, int64_t n, int64_t *mb, int64_t *nb);

/* Reads the table `crossovers`. (crossover_table.c) */
bool crossover_table_read(struct crossover_table *table, const char *folder, const char **reason);
/* Returns the size of a line of the table, or 0 if it has none for the routine, type and device. */
int64_t crossover_table_find(const struct crossover_table *table, const char *routine,
                             startile_dtype dtype, bool on_cuda);

#endif
