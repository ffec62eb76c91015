/*
 * What the parts of `startile bench ROUTINE_batch` share.
 *
 * A case is a routine on many small problems, all of one size or, variable, of sizes that are
 * spread evenly up to the largest. Its arrays hold one matrix a problem, one behind the other
 * without gaps, and for each array the command keeps what is in it before a run.
 */
#ifndef BATCH_H
#define BATCH_H

#include "peer_cpu_batch.h"
#include "size_list.h"
#include "startile.h"

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum batch_place { BATCH_CPU, BATCH_GPU, BATCH_HYBRID };
enum batch_layout { BATCH_STRIDED, BATCH_POINTERS, BATCH_VARIABLE };
enum { BATCH_ARRAYS = 4, BATCH_PROBES = 4 };

/* k: right-hand sides, or the inner dimension of a product */
struct batch_shape {
    int64_t m, n, k;
};

struct batch_extent {
    int64_t m, n;
};

/* REALS: of the real type; INTEGERS: int64_t */
enum batch_element { ELEMENTS, REALS, INTEGERS };

/* Before a run. DEFINITE: Hermitian, positive definite; DOMINANT: by its diagonal; NOTHING: to be
 * written, or what prepare makes */
enum batch_content { UNIFORM, DEFINITE, DOMINANT, NOTHING };

struct batch_operand {
    enum batch_element element;
    enum batch_content content;
    bool read, written;
    bool number; /* one a problem: an info, or the result of vectors */
};

/* One problem, in main memory. Leading dimensions are the numbers of rows. */
struct batch_one {
    startile_dtype dtype;
    char uplo;
    struct batch_shape shape;
    void *array[BATCH_ARRAYS];
    struct peer_work *work;
    double _Complex *scratch; /* BATCH_COLUMNS vectors of the largest dimension of the case */
};
enum { BATCH_COLUMNS = 5 };

/* What scal and axpy take as alpha */
#define BATCH_FACTOR 0.75

/* What the library works on, startile_batch.h's; integers too. Those that are not there: NULL. */
struct startile_batch;

enum batch_k { BATCH_NO_K, BATCH_K_IS_1, BATCH_K_IS_N };
enum batch_ceiling { NO_CEILING, READING, COPYING };
struct batch_case;

/* One entry a routine: all that the rest knows about it. */
struct batch_routine {
    const char *name, *alias; /* the alias may be NULL */
    enum batch_k meaning_of_k;
    bool triangular; /* takes uplo */
    bool m_is_free;  /* else m = n; vectors have n elements */
    bool vectors;
    bool scaled; /* takes BATCH_FACTOR */
    enum batch_ceiling ceiling;
    int arrays;
    struct batch_operand operand[BATCH_ARRAYS];
    void (*describe)(const struct batch_shape *s, struct batch_extent *extent);
    double (*flops)(startile_dtype dtype, const struct batch_shape *s); /* NULL: none to count */
    /* Turns what is generated into what the routine takes, by LAPACK; or NULL. info */
    int64_t (*prepare)(const struct batch_one *one);
    /* Arrays as in `operand`; the last of BATCH_ARRAYS + 1 is alpha */
    int (*submit)(const struct batch_case *c, struct startile_batch *const *array,
                  startile_request *r);
    int64_t (*lapack)(const struct batch_one *one);
    double (*residual)(const struct batch_one *before, const struct batch_one *after);
    const char *lapack_does; /* where LAPACK has no such routine, else NULL */
};

/* batch_factors.c, batch_solves.c, batch_vectors.c; each ends with an entry without a name. */
extern const struct batch_routine batch_factors[], batch_solves[], batch_vectors[];
/* NULL when there is none of that name or alias. */
const struct batch_routine *batch_routine_named(const char *name);

struct batch_case {
    const struct batch_routine *routine;
    startile_dtype dtype;
    char uplo;
    enum batch_layout layout;
    struct batch_shape shape; /* the largest */
    int64_t count;
    int64_t per_task; /* 0: the library's choice */
};

/* Of problem q */
struct batch_shape batch_shape_of(const struct batch_case *c, int64_t q);
/* Sums over all problems; flops NaN where there are none to count. */
void batch_totals(const struct batch_case *c, double *flops, double *bytes, double *mean_n);
/* Main memory that one copy of all arrays takes */
double batch_bytes_of_one(const struct batch_case *c);
size_t batch_element_size(const struct batch_case *c, int array);

struct batch_settings {
    enum batch_place where;
    bool resident_on_gpu;
    bool check, peer;
    int repeats;
    startile_options library;
};

struct batch_arguments {
    struct batch_settings settings;
    const struct batch_routine *routine;
    struct size_list m, n;
    int64_t k, count, per_task; /* 0: the default */
    startile_dtype dtypes[4];
    int dtype_count;
    char uplo; /* 0: none was given, until the arguments have been checked */
    enum batch_layout layout;
    bool resident_given;
    const char *csv_file;
};

/* batch_arguments.c: ends the program where they are wrong. */
void batch_parse(int argc, char **argv, struct batch_arguments *a);

/* -- batch_team.c: threads that share the problems of a batch -------------------------------- */

struct team;
/* With the caller as one of them; fewer where no more can be started. NULL: no memory */
struct team *team_open(int threads);
void team_close(struct team *team);
int team_threads(const struct team *team);
/* work(argument, thread, q) for q = 0 … count − 1 */
void team_run(struct team *team, int64_t count, void (*work)(void *argument, int thread, int64_t q),
              void *argument);
/* Cores that this process may use */
int team_cores(void);

/* -- batch_data.c ---------------------------------------------------------------------------- */

struct batch_data {
    const struct batch_case *batch;
    size_t *start[BATCH_ARRAYS]; /* of problem q, in elements; with one more entry at the end */
    size_t bytes[BATCH_ARRAYS];
    void *original[BATCH_ARRAYS], *now[BATCH_ARRAYS];
};

/* What each thread needs that goes through the problems. */
struct batch_worker {
    struct peer_work work;
    double _Complex *scratch;
};

/* Random, prepared; false: no memory. *info: the first that is not 0 of the preparation */
bool batch_data_open(struct batch_data *d, const struct batch_case *c, struct team *team,
                     int64_t *info);
void batch_data_close(struct batch_data *d);
/* now := original, where the routine writes */
void batch_data_restore(struct batch_data *d);
struct batch_one batch_data_at(const struct batch_data *d, void *const *arrays, int64_t q,
                               struct batch_worker *worker);
/* One a thread; NULL: no memory */
struct batch_worker *batch_workers_open(const struct batch_case *c, int threads);
void batch_workers_close(struct batch_worker *workers, int threads);

/* -- batch_check.c --------------------------------------------------------------------------- */

/* dimension times the unit roundoff of the type */
double batch_unit(const struct batch_one *x, int64_t dimension);
/* Vector c of BATCH_COLUMNS */
double _Complex *batch_scratch(const struct batch_one *x, int c);
/* The largest residual of all problems; NaN wins. */
double batch_check(struct batch_data *d, struct team *team);

/* -- results --------------------------------------------------------------------------------- */

struct batch_times {
    double median, least, most;
};

struct batch_row {
    const struct batch_case *batch;
    const char *where;
    double mean_n;
    int workers;
    struct batch_times seconds;
    double gflop_s, gbyte_s;
    char peer_name[96];
    double peer_seconds, ratio;
    double ceiling, fraction; /* of the device's memory, GB/s */
    double residual, lapack_residual, peer_residual;
    bool ok;
    char status[160];
};

__attribute__((format(printf, 2, 3))) void batch_fail(struct batch_row *row, const char *format,
                                                      ...);
/* A repetition at a time: work() runs what is timed and returns its seconds, or below 0 after a
 * failure. The first one warms up. */
bool batch_time(int repeats, double (*work)(void *argument), void *argument,
                struct batch_times *times);

/* batch_library.c: the library's runs, and the last one's results in d->now */
bool batch_run_library(const struct batch_settings *s, struct batch_data *d, struct batch_row *row);
/* batch_race_cpu.c: LAPACK in a loop; timed where repeats > 0; results in d->now */
bool batch_race_cpu(struct batch_data *d, int threads, int repeats, struct batch_times *times);
/* batch_gpu_race.c: the vendor's batched routines */
void batch_race_gpu(const struct batch_settings *s, struct batch_data *d, struct team *team,
                    struct batch_row *row);
/* What the vendor has for the case in words; NULL: nothing */
const char *batch_gpu_peer(const struct batch_case *c);

/* batch_gpu.c; functions that return int return 0, or −1 with batch_gpu_reason(). The arrays in GPU
 * memory, in the order of d's: */
int batch_gpu_alloc(const struct batch_data *d, void **device);
void batch_gpu_free(void **device);
/* device := original, and nothing of it in the L2 cache */
int batch_gpu_restore(const struct batch_data *d, void *const *device);
/* d->now := device, where the routine writes */
int batch_gpu_fetch(struct batch_data *d, void *const *device);
/* Bytes/s that the GPU's memory reads, and reads and writes in a copy; measured once */
int batch_ceilings(double *reading, double *copying);
const char *batch_gpu_reason(void);

/* batch_report.c */
void batch_print_heading(void);
void batch_print_row(const struct batch_row *row);
bool batch_csv_heading(FILE *csv);
bool batch_csv_row(FILE *csv, const struct batch_row *row);

#endif
