/*
 * The parts of `startile bench` and what they share.
 *
 * A problem is a routine with sizes, or a batch: many small problems, all of one size or, variable,
 * of sizes that are spread evenly up to the largest. Operands are random. Those of a large problem
 * are matrices in tiles, which the library's run, the peer's run and the check generate from the
 * same seeds; of a batch see batch/batch.h.
 */
#ifndef BENCH_H
#define BENCH_H

#include "energy.h"
#include "operand.h"
#include "options.h"
#include "peer/peer_cuda.h"
#include "placement.h"
#include "report.h"
#include "scalar.h"
#include "startile.h"
#include "startile_batch.h"

#include <stdbool.h>
#include <stdio.h>

enum bench_where { WHERE_CPU, WHERE_GPU, WHERE_HYBRID, WHERE_ALL };
enum batch_layout { BATCH_STRIDED, BATCH_POINTERS, BATCH_VARIABLE };
enum { MAX_OPERANDS = 3, PEER_NAME = 128 };

struct routine;
struct bench_settings;
struct problem;
struct reference;

/* The processes of a run under mpirun and what they do together (grid/ranks.c). All functions but
 * `sent` are collective. */
struct ranks {
    int p, q, rank, count, on_host; /* on_host: processes on this host */
    startile_grid *grid;            /* while the library is started */
    /* Makes the grid; returns the least status of all processes, of which `status` is this one's.
     */
    int (*open)(struct ranks *r, int status);
    void (*close)(struct ranks *r);
    /* Returns the largest value of all processes. */
    double (*most)(double value);
    void (*sum)(double *values, int64_t count);
    /* Prints where they run. */
    void (*describe)(const struct ranks *r);
    /* Returns the bytes that this process has sent. */
    double (*sent)(const struct ranks *r);
    /* As reference_measure(), with ScaLAPACK */
    bool (*peer)(const struct bench_settings *s, const struct problem *p,
                 struct reference *reference, char *reason, size_t size);
};

struct problem {
    const struct routine *routine;
    startile_dtype dtype;
    char uplo;
    /* Of a batch the largest. k: right-hand sides, or the inner dimension of a product */
    union {
        struct dimensions size;
        struct {
            int64_t m, n, k;
        };
    };
    int64_t mb, nb; /* rows and columns of a tile; 0: the library's choice */
    startile_tree_kind tree;
    int64_t count,
        per_task; /* problems of a batch, or 0; those of a task, or 0: the library's choice */
    enum batch_layout layout;
    struct ranks *ranks; /* NULL: this process alone */
};

/* An operand in tiles, as startile_random() takes it. */
struct random_matrix {
    char name; /* in formulas */
    int64_t m, n;
    char kind;
    uint64_t seed;
    double bump;
    bool result; /* overwritten by the routine */
};

/* Operands of the library's run. Entries that the routine does not have are NULL. */
struct library_data {
    startile_matrix *matrix[MAX_OPERANDS];
    startile_pivots *pivots;
    startile_matrix *reflectors; /* the triangles T */
    startile_tree *tree;
};

/* Operands of the peer's run: column-major storage, in main memory or on the GPU. */
struct peer_data {
    void *matrix[MAX_OPERANDS];
    void *ipiv; /* min(m, n) row interchanges; int on the CPU, int64_t on the GPU */
    void *tau;  /* min(m, n) */
};

/* -- routines: bench_routines.c --------------------------------------------------------------- */

enum meaning_of_k { K_UNUSED, K_DEFAULTS_TO_1, K_DEFAULTS_TO_N };

enum traits {
    M_IS_FREE = 1, /* else m = n */
    NEEDS_M_GE_N = 2,
    TALL_TILES = 4, /* LU, QR: a tile has all rows, unless --mb says otherwise */
    PIVOTS = 8,
    BY_TREE = 16,
    TRIANGLE = 32, /* --uplo names it */
    /* The first operand has the reflectors of Q in its columns, or in its rows. */
    REFLECTORS_IN_COLUMNS = 64,
    REFLECTORS_IN_ROWS = 128,
    REFLECTORS = REFLECTORS_IN_COLUMNS | REFLECTORS_IN_ROWS,
    VECTORS = 256, /* of n elements */
};

/* One row per routine. Its operands are those of a batch: of matrices in tiles, pivots (P), scalars
 * of reflectors (T) and info (i) are no operands but traits. */
struct routine {
    const char *name, *alias; /* alias may be NULL */
    enum meaning_of_k meaning_of_k;
    unsigned traits;
    struct operand operand[OPERANDS];
    double (*flops)(const struct problem *p); /* NULL: none to count */
    /* Of the residual (residual.h), where m > n and where m < n if that is another. tiled: of
     * matrices in tiles, before which nothing is prepared. F: LQ of A */
    const char *formula, *tall, *wide, *tiled_formula;
    /* The CPU peer; returns info. */
    int64_t (*cpu_peer)(const struct problem *p, const struct peer_data *x);

    /* Matrices in tiles; submit NULL: none */
    int (*submit)(const struct problem *p, const struct library_data *x, startile_request *r);
    /* Turns random operands into the routine's input, untimed; or NULL. */
    int64_t (*prepare)(const struct problem *p, const struct library_data *x);
    int temporaries; /* of the largest operand's size, allocated while the routine runs */
    cuda_function *cuda_peer;
    enum mg_routine several_gpus; /* cusolverMg's routine */
    /* Name of the peer's routine that does the same, if it is another; or NULL */
    const char *cpu_peer_does, *cuda_peer_does;

    /* Batches; submit_batch NULL: none */
    int (*submit_batch)(const struct problem *p, startile_batch *const *x, startile_request *r);
    /* As prepare, by the CPU peer */
    int64_t (*cpu_prepare)(const struct problem *p, const struct peer_data *x);
    double (*residual)(const struct problem *p, void *const *after); /* in place of a formula */
    const char *blas[4]; /* symbols of the CPU peer by type, where they are not in peer_cpu.h */
};

/* A name that ends in "_batch" is that of batches. Returns NULL when there is none of that name. */
const struct routine *find_routine(const char *name);
bool is_batch_name(const char *name);
/* Returns the i-th routine of batches; NULL behind the last. */
const struct routine *batch_routine(int i);
/* Returns the names of all routines in words: of batches, or of matrices in tiles. */
const char *routine_names(bool of_batches);
/* Describes the operands in tiles of a problem; returns their number. */
int describe_operands(const struct problem *p, struct random_matrix o[MAX_OPERANDS]);

/* -- arguments: bench_arguments.c ------------------------------------------------------------- */

struct bench_settings {
    int where;            /* enum bench_where */
    bool resident_on_gpu; /* else in main memory */
    const char *disk;     /* or in files in that folder; NULL */
    int repeats;
    bool check, peer, placement, energy;
    struct joules idle_watts; /* NaN: unknown */
    const char *simulate;     /* the machine whose time is predicted; NULL: this one */
    struct ranks *ranks;      /* NULL: this process alone */
    startile_options library;
};

struct bench_arguments {
    struct bench_settings settings;
    const struct routine *routine;
    const char *name; /* of the routine, as given */
    bool batches;
    int64_t count, per_task; /* 0: the default */
    int layout;
    struct size_list m, n, nb;
    int64_t mb, k; /* 0: the routine's default */
    struct precisions precisions;
    int uplo, tree, resident; /* index into the option's list of words; −1: not given */
    bool tensor_single;
    int implementation;
    /* Names of options that were given; or NULL */
    const char *where_given, *gpu_option, *tile_option, *batch_option;
    const char *csv_file, *trace_folder;
    const char *grid; /* as given, "PxQ"; or NULL */
    int nodes;        /* of a simulated cluster; 0: one machine */
    const char *network;
};

/* Returns the rows of a nearly square grid: the largest divisor up to the square root. */
int nearly_square(int processes);
/* Ends the program where the command line is wrong. ranks: of mpirun, or NULL */
void bench_parse(int argc, char **argv, struct ranks *ranks, struct bench_arguments *a);
void bench_free(struct bench_arguments *a);
/* Returns the settings with the devices and the matrix' residence of that place. */
struct bench_settings settings_for(const struct bench_arguments *a, enum bench_where where);
/* Calls a function for the problem of each precision and size; returns whether all calls did. */
bool for_problems(const struct bench_arguments *a,
                  bool (*call)(const struct problem *p, void *data), void *data);
/* Ends the program where matrices that are to reside on so many GPUs do not fit there. */
void refuse_small_gpus(const struct bench_arguments *a, int gpus);

/* bench.c: returns whether all is well. */
bool bench(const struct bench_arguments *a);

/* bench_simulate.c: replaces this program by the one that was built for simulations; returns where
 * that cannot be started, after saying why. */
void bench_simulate(const struct bench_arguments *a, int argc, char **argv);

/* -- results ---------------------------------------------------------------------------------- */

/* The peer's result. NaN, or an empty name: not measured. */
struct reference {
    char name[PEER_NAME];
    double seconds;
    double gemm_gflop_s;
    int64_t info;
    void *result[MAX_OPERANDS]; /* for the check, or NULL */
    void *input[MAX_OPERANDS];  /* the others, where the check needs them too, or NULL */
    int64_t *ipiv;              /* as in LAPACK, or NULL: it did not pivot */
    void *tau;                  /* as in LAPACK, or NULL: there are no reflectors */
};

struct row {
    struct problem problem; /* with the tile size in use */
    char name[24], precision;
    const char *where_name, *tree, *layout;
    int workers;
    double mean_n, tasks;
    double submit_seconds, seconds, seconds_min, seconds_max;
    double gflop_s, gbyte_s;
    double sent_most, sent_mean, sent_bound, sent_ratio; /* bytes of a process */
    char peer_name[PEER_NAME];                           /* "" for none */
    double peer_seconds, peer_gflop_s, ratio;
    double gemm_gflop_s, fraction_of_gemm;
    double scaled_residual, lapack_residual;
    struct joules joules;  /* of one run */
    double energy_seconds; /* mean time of the measured runs */
    double gflops_per_watt, gflops_per_watt_of_gpus;
    struct placement placement; /* count 0: not asked for */
    bool ok;
    char status[160];
};

/* Fills a row of numbers that are unknown: NaN. */
void row_clear(struct row *row, const struct bench_settings *s, const struct problem *p);
/* Sets the status of a row that failed. */
__attribute__((format(printf, 2, 3))) void row_fail(struct row *row, const char *format, ...);
/* Sets the times of runs, which get sorted. */
void row_times(struct row *row, double *seconds, size_t runs);
/* Sets the rates of the times. */
void row_rate(struct row *row, double flops);
/* Fails a row whose residual is too large. */
void row_check_residual(struct row *row);

/* bench_report.c */
enum bench_reports { TILES = 1, BATCHES = 2, ENERGY = 4, RANKS = 8 };
extern const struct report_field bench_fields[];

/* bench_volume.c: bytes between the matrix and a memory of that size, by the paper's formula for
 * potrf, getrf and geqrf; else NaN. */
double volume_by_formula(const struct problem *p, double memory);
/* Bytes that those move between GPUs which hold the matrix together. */
double volume_between_gpus(const struct problem *p, int gpus, double memory);

/* bench_sent.c: the mean number of bytes that a process of a p × q grid sends where the owner of an
 * element computes it; NaN: no formula. */
double sent_by_formula(const struct problem *p, int rows, int columns);

/* -- parts ------------------------------------------------------------------------------------ */

/* bench_operands.c: operands of one run. */
struct operands {
    const struct problem *problem;
    bool resident_on_gpu;
    const char *disk;
    int count;
    struct random_matrix describe[MAX_OPERANDS];
    struct library_data data;
    void *host[MAX_OPERANDS]; /* storage where resident in main memory */
    bool pageable;            /* some of it could not be page-locked */
    int64_t *ipiv;            /* the pivots there */
    void *triangles;          /* the reflectors' triangles there */
};
/* Creates a matrix without storage of the caller, distributed over the problem's processes. */
int64_t create_matrix(startile_matrix **A, const struct problem *p, int64_t m, int64_t n,
                      int64_t mb, int64_t nb);
size_t operand_bytes(const struct problem *p, const struct random_matrix *o);
/* Returns min(m, n), the number of pivots and of reflectors; 1 at least. */
int64_t pivot_count(const struct problem *p);
/* Allocates storage of problem p, and chooses its tile size where it has none. */
int64_t operands_open(struct operands *x, struct problem *p, bool resident_on_gpu,
                      const char *disk);
/* Makes them ready for a run: random, prepared, and only where they reside. */
int64_t operands_fill(struct operands *x);
/* Waits until the results are in main memory, where they reside there. */
int64_t operands_gather(struct operands *x);
/* Makes the library's matrices of the peer's results; *complete: all are there. */
int64_t operands_take(const struct operands *x, const struct reference *reference,
                      struct library_data *data, bool *complete);
/* Destroys the matrices; also after a failure. */
void library_data_free(struct library_data *data);
void operands_close(struct operands *x);

/* bench_check.c: returns an element as startile_random() makes it. */
double _Complex random_element(startile_dtype dtype, const void *random_matrix, int64_t i,
                               int64_t j);
/* *residual := the routine's scaled residual of the results in x. */
int64_t check_result(const struct problem *p, const struct library_data *x, double *residual);

/* bench_peer.c: runs while the library is stopped, so that its workers are not in the way. */
bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size);
void reference_free(struct reference *reference);
/* Writes the peer's name and version, and its routine if that is another; empty where there is no
 * peer. */
void name_peer(const struct bench_settings *s, const struct problem *p, char name[PEER_NAME]);
/* Returns the number of GPUs that the library is given. */
int gpus_in_use(const struct bench_settings *s);

/* batch/batch_run.c: measures a batch, and its peer. */
void run_batch(const struct bench_settings *s, const struct problem *p, struct row *row);
/* Returns bytes of main memory: what is before and after a run, and the sizes of all problems. */
double batch_memory(const struct problem *p);
/* Returns the number of problems that make some 100 MB. */
int64_t usual_count(const struct problem *p);

/* bench_run.c: the library has been started. */
struct times {
    double submit, total; /* seconds */
    double sent;          /* bytes, by this process */
};
/* Times a run from the first submission until the result is where it belongs. */
int64_t run_once(struct operands *x, struct times *times);
/* Runs a problem; *tasks := the tasks that StarPU's workers executed. */
int64_t run_counted(struct operands *x, struct times *times, double *tasks);
void run_problem(const struct bench_settings *s, const struct problem *p,
                 const struct reference *reference, struct row *row);

/* bench_energy.c: the library has not been started; between the runs of a problem. */
void find_idle_power(struct bench_settings *s);
int64_t find_energy(struct operands *x, struct row *row);

/* bench_placement.c: a run of its own. */
int64_t find_placement(struct operands *x, struct row *row);

/* bench_trace.c: a run of its own, while the library is stopped. */
bool trace_problem(const struct bench_arguments *a, struct problem p);

#endif
