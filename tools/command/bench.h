/*
 * What the parts of `startile bench` share.
 *
 * A problem is a routine at given sizes. Its operands are random matrices, which every part makes
 * anew from their seeds where it needs them: the library's run, the peer's run and the checks.
 */
#ifndef BENCH_H
#define BENCH_H

#include "energy.h"
#include "peer_cuda.h"
#include "placement.h"
#include "size_list.h"
#include "startile.h"

#include <stdbool.h>
#include <stdio.h>

enum bench_where { WHERE_CPU, WHERE_GPU, WHERE_HYBRID };
enum { MAX_OPERANDS = 3 };

struct routine;

struct problem {
    const struct routine *routine;
    startile_dtype dtype;
    char uplo;
    int64_t m, n;
    int64_t k;      /* right-hand sides, or the inner dimension of a product */
    int64_t mb, nb; /* rows and columns of a tile; 0: the library's choice */
    startile_tree_kind tree;
};

/* A random matrix, as startile_random() takes it. */
struct operand {
    int64_t m, n;
    char kind;
    uint64_t seed;
    double bump;
    bool result; /* overwritten by the routine */
};

/* What a routine works on, in the library's hands. Entries that it does not have are NULL. */
struct library_data {
    startile_matrix *matrix[MAX_OPERANDS];
    startile_pivots *pivots;
    startile_matrix *reflectors; /* the triangles T */
    startile_tree *tree;
};

/* The same in the peer's hands: column-major storage, in main memory or on the GPU. */
struct peer_data {
    void *matrix[MAX_OPERANDS];
    void *ipiv; /* min(m, n) row interchanges; int on the CPU, int64_t on the GPU */
    void *tau;  /* min(m, n) */
};

enum meaning_of_k { K_UNUSED, K_DEFAULTS_TO_1, K_DEFAULTS_TO_N };

/* Where LAPACK's form of Q lies in the first operand. */
enum reflectors { NO_REFLECTORS, REFLECTORS_IN_COLUMNS, REFLECTORS_IN_ROWS };

/* *residual := scaled residual of the results in x; matrices that are none may be NULL. */
typedef int64_t check_function(const struct problem *p, const struct library_data *x,
                               double *residual);

/* One entry a routine: all that the rest of the program knows about it. */
struct routine {
    const char *name, *alias;
    enum meaning_of_k meaning_of_k;
    bool m_is_free; /* else m = n */
    bool needs_m_ge_n;
    bool tall_tiles; /* LU, QR: a tile has all rows, unless told otherwise */
    bool pivots;     /* library_data has them */
    enum reflectors reflectors;
    bool by_tree;  /* library_data has a tree instead of reflectors */
    bool triangle; /* --uplo names it */
    int operands;
    int temporaries; /* of the largest operand's size, which it takes while it runs */
    void (*describe)(const struct problem *p, struct operand *operand);
    double (*flops)(const struct problem *p);
    /* Turns random operands into what the routine takes, untimed; or NULL. */
    int64_t (*prepare)(const struct problem *p, const struct library_data *x);
    int (*submit)(const struct problem *p, const struct library_data *x, startile_request *r);
    check_function *check;
    /* The same on the CPU peer; info. */
    int64_t (*cpu_peer)(const struct problem *p, const struct peer_data *x);
    /* The same on the GPU peer: workspace (or NULL), then enqueueing. */
    int (*cuda_prepare)(const struct problem *p, const struct peer_data *x);
    int (*cuda_peer)(const struct problem *p, const struct peer_data *x);
    enum mg_routine several_gpus; /* the same on several, by cusolverMg */
    /* What the peer does where it has no such routine, else NULL. */
    const char *cpu_peer_does, *cuda_peer_does;
};

/* bench_lu.c, bench_qr.c; each ends with an entry without a name. */
extern const struct routine lu_routines[], qr_routines[];

/* NULL when there is none of that name. */
const struct routine *find_routine(const char *name);

struct bench_settings {
    enum bench_where where;
    bool resident_on_gpu; /* else in main memory */
    const char *disk;     /* or in files in that folder; NULL */
    int repeats;
    bool check, peer, placement, energy;
    struct joules idle_watts; /* a second, that is; NaN: unknown */
    const char *simulate;     /* the machine whose time is told; NULL: this one */
    startile_options library;
};

struct bench_arguments {
    struct bench_settings settings;
    const struct routine *routine;
    struct size_list m, n, nb;
    int64_t mb; /* 0: the routine's default */
    int64_t k;  /* 0: the routine's default */
    startile_dtype dtypes[4];
    int dtype_count;
    char uplo;
    startile_tree_kind tree;
    bool tree_given;
    bool where_given, resident_given, uplo_given;
    const char *option_of_gpus; /* one that was given; or NULL */
    const char *csv_file;
    const char *trace_folder;
    bool everywhere; /* at each place, one after the other */
};

/* bench_arguments.c: ends the program where they are wrong. */
void bench_parse(int argc, char **argv, struct bench_arguments *a);
/* The settings, with devices and the matrix' residence as that place has them. */
struct bench_settings settings_for(const struct bench_arguments *a, enum bench_where where);
void bench_free(struct bench_arguments *a);

/* bench.c: whether all is well. */
bool bench(const struct bench_arguments *a);
/* One of those that are asked for. */
struct problem make_problem(const struct bench_arguments *a, startile_dtype dtype, int64_t m,
                            int64_t n);

/* bench_refuse.c: these end the program where there is no such folder, or no room. */
void refuse_folder(const struct bench_arguments *a);
void refuse_check_without_room(const struct bench_arguments *a);
/* Matrices that are to reside on so many GPUs have room there; what to do if not. */
bool gpus_have_room(const struct bench_arguments *a, int gpus);
__attribute__((noreturn)) void refuse_gpus_without_room(const struct bench_arguments *a, int gpus);
/* A check of matrices in files has the operands, what they were and a product in main memory, as
 * tiles without a home. */
double memory_for_check(const struct problem *p);

/* bench_simulate.c: the same bench by the program that was built for simulations; returns where
 * that cannot be started, after saying why. */
void bench_simulate(const struct bench_arguments *a, int argc, char **argv);

/* -- results -------------------------------------------------------------------------------- */

enum { PEER_NAME = 128 };

/* What the library is compared with. NaN, or an empty name: not measured. */
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
    enum bench_where where;
    int workers;
    int64_t tasks; /* −1: unknown */
    double submit_seconds, seconds, seconds_min, seconds_max;
    double gflop_s;
    const char *peer_name; /* "" for none */
    double peer_gflop_s, ratio;
    double gemm_gflop_s, fraction_of_gemm;
    double scaled_residual, lapack_residual;
    struct joules joules;       /* of one run; NaN: unknown */
    double energy_seconds;      /* of the runs that were measured, the mean */
    struct placement placement; /* nothing in it: not asked for */
    bool ok;
    char status[160];
};

/* bench_volume.c: bytes between the matrix and a memory of that size, by the paper's formula for
 * potrf, getrf and geqrf; else NaN. */
double volume_by_formula(const struct problem *p, double memory);
/* Bytes that those move between GPUs which have room for the matrix together. */
double volume_between_gpus(const struct problem *p, int gpus, double memory);

/* -- parts ---------------------------------------------------------------------------------- */

/* bench_operands.c: operands of one run, in the library's hands. */
struct operands {
    const struct problem *problem;
    bool resident_on_gpu;
    const char *disk;
    struct operand describe[MAX_OPERANDS];
    struct library_data data;
    void *host[MAX_OPERANDS]; /* storage where resident in main memory */
    bool pageable;            /* some of it could not be page-locked */
    int64_t *ipiv;            /* the pivots there */
    void *triangles;          /* the reflectors' there */
};
size_t operand_bytes(const struct problem *p, const struct operand *o);
/* Rows of its tiles: all, where the first operand's have all of that. */
int64_t operand_mb(const struct problem *p, const struct operand *o);
/* min(m, n), for pivots and for reflectors; 1 at least */
int64_t pivot_count(const struct problem *p);
/* A new matrix without a home, in tiles of mb × nb, with the operand's random contents. */
int64_t operand_make(const struct problem *p, const struct operand *o, int64_t mb, int64_t nb,
                     startile_matrix **A);
/* Storage of problem p, which gets its tile size where it has none. */
int64_t operands_open(struct operands *x, struct problem *p, bool resident_on_gpu,
                      const char *disk);
/* Makes them ready for a run: random, prepared, and only where they reside. */
int64_t operands_fill(struct operands *x);
/* Waits until the results are in main memory, where they reside there. */
int64_t operands_gather(struct operands *x);
void operands_close(struct operands *x);

/* bench_apply.c: matrix times vector on the host, tile by tile, in double precision. */
enum apply_as { APPLY_GENERAL, APPLY_CONJUGATE_TRANSPOSE, APPLY_HERMITIAN, APPLY_TRIANGULAR };
/* y += scale · A x; uplo for Hermitian and triangular A. */
int64_t apply(const startile_matrix *A, enum apply_as as, char uplo, double scale,
              const double _Complex *x, double _Complex *y);

/* bench_peer_result.c: the peer's operands, from LAPACK's storage; result_free() also after a
 * failure. Whether all results are there: *complete. */
int64_t result_take_over(const struct operands *x, const struct reference *reference,
                         struct library_data *data, bool *complete);
void result_free(struct library_data *data);

/* bench_check.c, bench_check_lu.c, bench_check_qr.c, bench_check_gels.c */
check_function check_cholesky, check_solution, check_gemm, check_herk, check_trsm;
check_function check_lu, check_inverse;
check_function check_qr, check_lq, check_apply_q, check_make_q, check_gels;

/* bench_reference.c: runs while the library is stopped, so that its workers are not in the way. */
bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size);
void reference_free(struct reference *reference);
/* The peer's name and version, and what it does instead; empty where there is none. */
void name_peer(const struct bench_settings *s, const struct problem *p, char name[PEER_NAME]);

/* bench_run.c: the library has been started. */
struct times {
    double submit, total; /* seconds */
};
/* From the first submission until the result is where it belongs. */
int64_t run_once(struct operands *x, struct times *times);
void run_problem(const struct bench_settings *s, const struct problem *p,
                 const struct reference *reference, struct row *row);

/* bench_energy.c: the library has not been started; between the runs of a problem. */
void find_idle_power(struct bench_settings *s);
int64_t find_energy(struct operands *x, struct row *row);

/* bench_trace.c: a run of its own, while the library is stopped. */
bool trace_problem(const struct bench_arguments *a, struct problem p);

/* bench_report.c */
void print_heading(const struct bench_settings *s);
void print_row(const struct bench_settings *s, const struct row *row);
void print_power(const struct bench_settings *s, const struct row *row);
bool csv_heading(FILE *csv);
bool csv_row(FILE *csv, const struct row *row);

#endif
