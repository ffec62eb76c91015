/*
 * Types and functions shared by the parts of `startile bench`.
 *
 * A problem is a routine with sizes, or a batch: many small problems, either all of one size or of
 * variable sizes, which are spread evenly up to the largest. Operands are random. The operands of a
 * large problem are matrices in tiles; the library's run, the peer's run and the check generate
 * them from the same seeds. batch/batch.h describes the operands of a batch.
 */
#ifndef BENCH_H
#define BENCH_H

#include "energy.h"
#include "measure.h"
#include "operand.h"
#include "options.h"
#include "peer/peer_cuda.h"
#include "placement.h"
#include "report.h"
#include "resume.h"
#include "scalar.h"
#include "startile.h"
#include "startile_batch.h"
#include "startile_mixed.h"

#include <stdbool.h>
#include <stdio.h>

enum bench_where { WHERE_CPU, WHERE_GPU, WHERE_HYBRID, WHERE_ALL };
/* The places of WHERE_ALL, in the order of the runs (bench.c) */
enum { PLACES = 3 };
extern const enum bench_where bench_places[PLACES];
enum batch_layout { BATCH_STRIDED, BATCH_POINTERS, BATCH_VARIABLE };
enum { MAX_OPERANDS = 3, PEER_NAME = 128 };

struct routine;
struct bench_settings;
struct problem;
struct reference;

/* Processes of a run under mpirun, and their operations (grid/ranks.c). All functions except `sent`
 * are collective. */
struct ranks {
    /* p x q: the grid, or that of the peer beside a symmetric grid; group: adjacent block columns
     * with the same owners; order: of a symmetric grid, else 0; count: number of processes; rank:
     * this process; on_host: number of processes on this host
     */
    int p, q, group, order, rank, count, on_host;
    startile_grid *grid; /* NULL before open() and after close() */
    /* Creates the grid if `status` is 0 on all processes. Returns the least status of all
     * processes, or the status of the creation. */
    int64_t (*open)(struct ranks *r, int64_t status);
    void (*close)(struct ranks *r);
    /* Returns the largest value of all processes. */
    double (*maximum)(double value);
    /* Replaces each value by its sum over all processes. */
    void (*sum)(double *values, int64_t count);
    /* Prints where the processes run. */
    void (*describe)(const struct ranks *r);
    /* Returns the bytes that this process has sent. */
    double (*sent)(const struct ranks *r);
    /* Measures ScaLAPACK as the peer. Arguments and result are those of reference_measure(). */
    bool (*peer)(const struct bench_settings *s, const struct problem *p,
                 struct reference *reference, char *reason, size_t size);
};

struct problem {
    const struct routine *routine;
    startile_dtype dtype;
    char uplo;
    /* Sizes; for a batch the largest. k: right-hand sides, or the inner dimension of a product */
    union {
        struct dimensions size;
        struct {
            int64_t m, n, k;
        };
    };
    int64_t mb, nb; /* rows and columns of a tile; 0: the library's choice */
    startile_tree_kind tree;
    startile_products products; /* of a solver in mixed precision */
    /* count: problems of the batch, 0: no batch; per_task: problems of a task, 0: the library's
     * choice */
    int64_t count, per_task;
    enum batch_layout layout;
    struct ranks *ranks; /* NULL: one process */
};

/* A random operand in tiles: arguments of startile_random() */
struct random_matrix {
    char name; /* name in formulas of residuals */
    int64_t m, n;
    char kind;
    uint64_t seed;
    double bump; /* added to the diagonal */
    bool result; /* true: the routine overwrites it */
};

/* Operands of the library's run. NULL: the routine has no such operand. */
struct library_data {
    startile_matrix *matrix[MAX_OPERANDS];
    startile_pivots *pivots, *band_pivots;
    startile_matrix *band;
    startile_symmetric_pivots *symmetric_pivots;
    startile_permutation *permutation;
    startile_reflectors *reflectors; /* triangles T of the block reflectors */
    startile_matrix *triangles;      /* the same, if this program has made T from a matrix */
    startile_tree *tree;
    startile_mixed_result *mixed; /* result of a solver in mixed precision */
};

/* Operands of the peer's run: column-major storage, in main memory or on the GPU. */
struct peer_data {
    void *matrix[MAX_OPERANDS];
    void *ipiv; /* min(m, n) interchanges; int on the CPU, int64_t on the GPU */
    void *tau;  /* min(m, n) scalars of the reflectors */
};

/* -- routines: bench_routines.c --------------------------------------------------------------- */

enum meaning_of_k { K_UNUSED, K_DEFAULTS_TO_1, K_DEFAULTS_TO_N };

enum traits {
    M_IS_FREE = 1, /* m may differ from n; else m = n */
    NEEDS_M_GE_N = 2,
    TALL_TILES = 4, /* LU, QR: by default a tile has all rows */
    PIVOTS = 8,
    BY_TREE = 16,
    TRIANGLE = 32, /* the routine works on the triangle that --uplo selects */
    /* The reflectors of Q are in the columns, or in the rows, of the first operand. */
    REFLECTORS_IN_COLUMNS = 64,
    REFLECTORS_IN_ROWS = 128,
    REFLECTORS = REFLECTORS_IN_COLUMNS | REFLECTORS_IN_ROWS,
    VECTORS = 256, /* operands are vectors of n elements */
    MIXED = 512,   /* a solver in mixed precision */
    COLUMN_PIVOTS = 1024,
    SYMMETRIC_PIVOTS = 2048, /* those of Bunch and Kaufman */
    BAND = 4096,             /* interchanges and a band matrix with interchanges of its own */
    ONE_PROCESS = 8192,      /* not on grids */
};

/* A routine; bench_routines.c has the table. `operand` lists the operands of the routine on a
 * batch. For matrices in tiles, pivots (P), scalars of reflectors (T) and info (i) are not
 * operands: `traits` says whether the routine has pivots and reflectors. */
struct routine {
    const char *name, *alias; /* alias: second name, or NULL */
    enum meaning_of_k meaning_of_k;
    unsigned traits;
    struct operand operand[OPERANDS];
    /* Returns the number of operations; NULL: none to count. */
    double (*flops)(const struct problem *p);
    /* Formulas of the residual (residual.h). tall, wide: for m > n and m < n, where they differ; or
     * NULL. tiled_formula: for matrices in tiles, where it differs; or NULL. For matrices in tiles
     * A0 is the matrix before prepare(), for batches the matrix after cpu_prepare(). F in a
     * formula: the LQ factorization of A0 */
    const char *formula, *tall, *wide, *tiled_formula;
    /* Calls the CPU peer's routine. Returns LAPACK's info. */
    int64_t (*cpu_peer)(const struct problem *p, const struct peer_data *x);
    const char *blas[4]; /* the CPU peer's symbols by type; NULL: peer_cpu.h has the routine */

    /* Members for matrices in tiles. submit is NULL if the routine is only for batches. */
    int (*submit)(const struct problem *p, const struct library_data *x, startile_request *r);
    /* Computes the routine's input from random operands; not timed. NULL: random operands are the
     * input. */
    int64_t (*prepare)(const struct problem *p, const struct library_data *x);
    int temporaries; /* number of arrays, as large as the largest operand, that the routine
                        allocates */
    cuda_function *cuda_peer;
    cuda_function *second_cuda_peer; /* another peer; the faster one counts. NULL: none */
    enum mg_routine several_gpus;    /* the peer on several GPUs */
    /* Routine that the peer runs instead, if it is another; or NULL */
    const char *cpu_stand_in, *cuda_stand_in;

    /* Members for batches. run_batch is NULL if the routine is only for matrices in tiles. */
    int64_t (*run_batch)(const struct problem *p, startile_batch *const *x);
    /* Computes the input of one problem of a batch, with the CPU peer; NULL as for prepare() */
    int64_t (*cpu_prepare)(const struct problem *p, const struct peer_data *x);
    /* Returns the residual from the operands after the run; NULL: use the formulas. */
    double (*residual)(const struct problem *p, void *const *after);
};

/* Returns the routine of that name, or NULL. A name that ends in "_batch" is that of a routine for
 * batches. */
const struct routine *find_routine(const char *name);
/* Returns whether the name ends in "_batch". */
bool is_batch_name(const char *name);
/* Returns the i-th routine for batches; NULL after the last. */
const struct routine *batch_routine(int i);
/* Returns the names of all routines for batches, or of all for matrices in tiles, as "a, b or
 * c". */
const char *routine_names(bool of_batches);
/* Stores a description of each operand in tiles. Returns the number of operands. */
int describe_operands(const struct problem *p, struct random_matrix o[MAX_OPERANDS]);

/* -- arguments: bench_arguments.c ------------------------------------------------------------- */

struct bench_settings {
    int where;               /* enum bench_where */
    bool resident_on_gpu;    /* true: the matrices are in GPU memory before and after a run; else in
                                main memory or on disk */
    const char *disk;        /* folder for the matrices' files; NULL: no disk */
    const char *resume_file; /* file for the matrix of one run that can be continued, or NULL */
    int repeats;
    bool check, placement, energy;
    const char *peer;         /* NULL: none; "mkl": MKL; else the default peer */
    struct joules idle_watts; /* power of the idle machine; NaN: unknown */
    const char *simulate;     /* machine to simulate; NULL: no simulation */
    struct ranks *ranks;      /* NULL: one process */
    startile_options library;
};

struct bench_arguments {
    struct bench_settings settings;
    const struct routine *routine;
    const char *name;        /* name of the routine, as given */
    bool batches;            /* true: the routine is for batches */
    int64_t count, per_task; /* 0: the default */
    int layout;
    struct size_list m, n, nb;
    int64_t mb, k; /* 0: the routine's default */
    struct precisions precisions;
    int uplo, tree, resident; /* index into the option's list of words; −1: not given */
    bool plain_single, emulated_double;
    int implementation, products;
    /* Names of given options: --where, one for GPUs, one for tiles, one for batches; NULL: not
     * given */
    const char *where_given, *gpu_option, *tile_option, *batch_option;
    bool continues; /* true: the first rows are those of an earlier run of the simulator */
    const char *csv_file, *trace_folder;
    const char *grid; /* as given, "PxQ", "PxQxK" or "symmetric"; or NULL */
    int nodes;        /* of a simulated cluster; 0: one machine */
    const char *network;
};

/* Returns the process rows of a nearly square grid: the largest divisor of `processes` up to its
 * square root. */
int nearly_square(int processes);
/* Parses and checks the command line. Ends the program if it is wrong. ranks: processes of mpirun,
 * or NULL */
void bench_parse(int argc, char **argv, struct ranks *ranks, struct bench_arguments *a);
void bench_free(struct bench_arguments *a);
/* Returns a's settings for runs on `where`: sets the devices and the residence of the matrices. */
struct bench_settings settings_for(const struct bench_arguments *a, enum bench_where where);
/* Calls call(problem, data) for each precision and size. Returns whether all calls returned
 * true. */
bool for_problems(const struct bench_arguments *a,
                  bool (*call)(const struct problem *p, void *data), void *data);
/* Ends the program if the matrices reside on GPUs and exceed STARPU_LIMIT_CUDA_MEM times `gpus`.
 * Does nothing if that variable is not set. */
void refuse_small_gpus(const struct bench_arguments *a, int gpus);

/* bench.c: runs the bench. Returns whether all rows are ok and all output was written. */
bool bench(const struct bench_arguments *a);

/* bench_simulate.c: replaces this program by the simulator, or, with --where all, runs the
 * simulator once for each place. Returns whether all runs succeeded; false after a report if the
 * simulator cannot be started. */
bool bench_simulate(const struct bench_arguments *a, int argc, char **argv);

/* Environment variable of the simulator with --where all: index in bench_places */
#define SIMULATED_PLACE "STARTILE_SIMULATED_PLACE"

/* -- results ---------------------------------------------------------------------------------- */

/* Times and results of the peer. NaN, or an empty name: not measured */
struct reference {
    char name[PEER_NAME];
    struct spread seconds;
    double gemm_gflop_s;
    int64_t info;
    void *result[MAX_OPERANDS]; /* for the check: operands that the routine overwrote; NULL: not
                                   kept */
    void *input[MAX_OPERANDS];  /* for the check: the other operands; NULL: not kept */
    int64_t *ipiv;              /* pivots as in LAPACK; NULL: the peer did not pivot */
    void *tau;                  /* scalars as in LAPACK; NULL: no reflectors */
};

struct row {
    struct problem problem; /* with the tile sizes in use */
    char name[24], precision;
    const char *where_name, *tree, *layout;
    int workers, gpus; /* gpus: those that compute */
    double mean_n, tasks;
    int repeats; /* timed runs */
    double submit_seconds;
    struct spread seconds;
    double gflop_s, gbyte_s;
    /* bytes that a process sent: largest, mean, by formula; sent_ratio: sent_mean / sent_bound;
     * sent_2d: by the formula of p x q processes, beside a symmetric grid */
    double sent_most, sent_mean, sent_bound, sent_ratio, sent_2d;
    char peer_name[PEER_NAME]; /* "": no peer */
    struct spread peer_seconds;
    double peer_gflop_s, ratio;
    double gemm_gflop_s, fraction_of_gemm;
    double scaled_residual, lapack_residual;
    struct joules joules;  /* of one run */
    double energy_seconds; /* mean time of the runs for joules */
    double gflops_per_watt, gflops_per_watt_of_gpus;
    struct placement placement; /* count 0: not measured */
    bool ok;
    char status[1024];
};

/* Initializes the row for problem p: status ok, all numbers NaN. */
void row_clear(struct row *row, const struct bench_settings *s, const struct problem *p);
/* Marks the row as failed, and formats its status. */
__attribute__((format(printf, 2, 3))) void row_fail(struct row *row, const char *format, ...);
/* Computes the rates and ratios from the times and `flops`. */
void row_rate(struct row *row, double flops);
/* Marks the row as failed if its residual is too large or NaN. */
void row_check_residual(struct row *row);

/* bench_report.c */
enum bench_reports { TILES = 1, BATCHES = 2, ENERGY = 4, RANKS = 8, SYMMETRIC_GRID = 16 };
extern const struct report_field bench_fields[];

/* bench_volume.c: returns the bytes that potrf, getrf or geqrf moves between the matrix and a
 * memory of `memory` bytes, by the formula of Yamazaki, Tomov & Dongarra; NaN for other
 * routines. */
double volume_by_formula(const struct problem *p, double memory);
/* Returns the bytes that potrf, getrf or geqrf moves between GPUs that hold the matrix together;
 * memory: bytes of all GPUs. NaN for other routines, for one GPU, for m < n, or if the matrix does
 * not fit. */
double volume_between_gpus(const struct problem *p, int gpus, double memory);

/* bench_sent.c: returns the mean number of bytes that a process of a rows x columns grid sends if
 * the owner of each element computes it; NaN: no formula for the routine. */
double sent_by_formula(const struct problem *p, int rows, int columns);
/* Returns that number for a symmetric grid of this order. */
double sent_on_symmetric_grid(const struct problem *p, int order, int processes);

/* -- parts ------------------------------------------------------------------------------------ */

/* bench_operands.c: operands of a run */
struct operands {
    const struct problem *problem;
    bool library_allocates; /* the matrices are not arrays of the command's */
    const char *disk;
    struct resume resume; /* the file of the first operand */
    int count;
    struct random_matrix description[MAX_OPERANDS];
    struct library_data data;
    void *host[MAX_OPERANDS];    /* storage of operands that reside in main memory; else NULL */
    bool pageable;               /* true: some storage could not be page-locked */
    int64_t *ipiv;               /* copy of the pivots in main memory */
    void *triangles;             /* storage of the reflectors' triangles; NULL: the library's */
    startile_mixed_result mixed; /* of the last run */
};
/* Creates a matrix that the library allocates; on several processes a distributed one. */
int64_t create_matrix(startile_matrix **A, const struct problem *p, int64_t m, int64_t n,
                      int64_t mb, int64_t nb);
/* Returns the bytes of an operand. */
size_t operand_bytes(const struct problem *p, const struct random_matrix *o);
/* Returns the number of pivots and of reflectors: min(m, n), but at least 1. */
int64_t pivot_count(const struct problem *p);
/* Initializes *x: chooses the tile sizes in *p that are 0, and allocates storage. */
int64_t operands_open(struct operands *x, struct problem *p, const struct bench_settings *s);
/* Fills the operands with random elements, calls the routine's prepare(), and leaves the elements
 * only where they reside. */
int64_t operands_fill(struct operands *x);
/* Brings the results back to main memory or disk, if they reside there, and waits. Does nothing for
 * operands on GPUs. */
int64_t operands_gather(struct operands *x);
/* Creates matrices on the arrays of the peer's results, so that --main-mem need not have memory for
 * copies. *complete: true if no result is missing. The caller frees *data with library_data_free(),
 * also after a failure. */
int64_t wrap_peer_results(const struct operands *x, const struct reference *reference,
                          struct library_data *data, bool *complete);
/* Destroys those operands that exist, and clears *data. */
void library_data_free(struct library_data *data);
/* Destroys the matrices, and frees the storage. */
void operands_close(struct operands *x);

/* bench_check.c: returns element (i, j) of the matrix that startile_random() generates.
 * random_matrix: its struct random_matrix */
double _Complex random_element(startile_dtype dtype, const void *random_matrix, int64_t i,
                               int64_t j);
/* Stores the scaled residual of the results in x. Returns 0, an info or a startile_error. */
int64_t check_result(const struct problem *p, const struct library_data *x, double *residual);

/* bench_peer.c */
/* Returns whether the check computes the peer's residual: with --check, up to n = 8192 on the host
 * and n = 32768 on GPUs; above that it takes longer than the runs. LQ counts as on the host,
 * because its check begins with a transposition there. */
bool check_needs_peer(const struct bench_settings *s, const struct problem *p);
/* Runs and times the peer. The library must be stopped: its workers would take the
 * peer's cores. Does nothing if neither a time nor a result of the peer is wanted, or if there is
 * no CPU peer. Returns false after a failure, with the reason in `reason`. */
bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size);
void reference_free(struct reference *reference);
/* Stores the peer's name and version, and the routine that stands in, if any; "" without a peer. */
void name_peer(const struct bench_settings *s, const struct problem *p, char name[PEER_NAME]);
/* Returns the number of GPUs that the library uses. */
int gpus_in_use(const struct bench_settings *s);

/* batch/batch_run.c: measures a batch and its peer, and fills the row. */
void run_batch(const struct bench_settings *s, const struct problem *p, struct row *row);
/* Returns the bytes of main memory that a batch needs: two copies of all arrays, and the offsets of
 * their matrices. */
double batch_memory(const struct problem *p);
/* Returns the default number of problems: those of about 100 MB, but at most a million. */
int64_t default_batch_count(const struct problem *p);

/* bench_run.c: time and traffic of a run. The functions below need the library to be started. */
struct times {
    double submit, total; /* seconds */
    double sent;          /* bytes, by this process */
};
/* Runs the routine once. Times it from the first submission until the results are where they
 * reside. Returns 0, info > 0 or a startile_error. */
int64_t run_once(struct operands *x, struct times *times);
/* Calls run_once(). *tasks := number of tasks that StarPU's workers executed. */
int64_t run_counted(struct operands *x, struct times *times, double *tasks);
/* Measures and checks a problem with one tile size, and fills the row. */
void run_problem(const struct bench_settings *s, const struct problem *p,
                 const struct reference *reference, struct row *row);

/* bench_energy.c: measures the power of the idle machine for a second. The library must be
 * stopped. */
void measure_idle_power(struct bench_settings *s);
/* Runs the problem for some seconds, and stores the joules of one run in the row. Does nothing if
 * no counter can be read. */
int64_t measure_energy(struct operands *x, struct row *row);

/* bench_placement.c: makes one more run with recorded tasks, and stores their placement in the
 * row. */
int64_t measure_placement(struct operands *x, struct row *row);

/* bench_trace.c: makes one more run with a trace by StarPU, and draws the trace. The library must
 * be stopped; in a simulation it must run with a trace, which is drawn when it stops. Returns
 * whether it succeeded. */
bool trace_problem(const struct bench_arguments *a, struct problem p);
/* Replaces about.txt, in which the library names this machine, by the command line and the
 * simulated machine. The library must run. */
void describe_simulated_trace(const struct bench_arguments *a, int argc, char **argv);

#endif
