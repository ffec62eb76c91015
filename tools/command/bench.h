/*
 * What the parts of `startile bench` share.
 *
 * A problem is a routine at given sizes. Its operands are random matrices, which every part makes
 * anew from their seeds where it needs them: the library's run, the peer's run and the checks.
 */
#ifndef BENCH_H
#define BENCH_H

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
};

/* A random matrix, as startile_random() takes it. */
struct operand {
    int64_t m, n;
    char kind;
    uint64_t seed;
    double bump;
    bool result; /* overwritten by the routine */
};

enum meaning_of_k { K_UNUSED, K_DEFAULTS_TO_1, K_DEFAULTS_TO_N };

/* One entry a routine: all that the rest of the program knows about it. */
struct routine {
    const char *name;
    enum meaning_of_k meaning_of_k;
    bool m_is_free; /* else m = n */
    int operands;
    void (*describe)(const struct problem *p, struct operand *operand);
    double (*flops)(const struct problem *p);
    /* Turns random operands into what the routine takes, untimed; or NULL. */
    int64_t (*prepare)(const struct problem *p, startile_matrix **x);
    int (*submit)(const struct problem *p, startile_matrix **x, startile_request *r);
    /* *residual := scaled residual of the results in x; other entries of x may be NULL. */
    int64_t (*check)(const struct problem *p, startile_matrix **x, double *residual);
    /* The same on the CPU peer and column-major storage; info. */
    int64_t (*cpu_peer)(const struct problem *p, void **x);
    /* The same on the GPU peer and device memory: workspace (or NULL), then enqueueing. */
    int (*cuda_prepare)(const struct problem *p, void **x);
    int (*cuda_peer)(const struct problem *p, void **x);
};

/* NULL when there is none of that name. */
const struct routine *find_routine(const char *name);

struct bench_settings {
    enum bench_where where;
    bool resident_on_gpu; /* else in main memory */
    int repeats;
    bool check, peer;
    startile_options library;
};

/* -- results -------------------------------------------------------------------------------- */

/* What the library is compared with. NaN, or an empty name: not measured. */
struct reference {
    char name[96];
    double seconds;
    double gemm_gflop_s;
    int64_t info;
    void *result[MAX_OPERANDS]; /* for the check, or NULL */
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
    bool ok;
    char status[160];
};

/* -- parts ---------------------------------------------------------------------------------- */

/* bench_operands.c: operands of one run, in the library's hands. */
struct operands {
    const struct problem *problem;
    bool resident_on_gpu;
    struct operand describe[MAX_OPERANDS];
    startile_matrix *matrix[MAX_OPERANDS];
    void *host[MAX_OPERANDS]; /* storage where resident in main memory */
};
size_t operand_bytes(const struct problem *p, const struct operand *o);
/* A new matrix without a home, with the operand's random contents. */
int64_t operand_make(const struct problem *p, const struct operand *o, startile_matrix **A);
/* Storage of problem p, which gets its tile size where it has none. */
int64_t operands_open(struct operands *x, struct problem *p, bool resident_on_gpu);
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

/* bench_check.c */
int64_t check_cholesky(const struct problem *p, startile_matrix **x, double *residual);
int64_t check_solution(const struct problem *p, startile_matrix **x, double *residual);
int64_t check_gemm(const struct problem *p, startile_matrix **x, double *residual);
int64_t check_herk(const struct problem *p, startile_matrix **x, double *residual);
int64_t check_trsm(const struct problem *p, startile_matrix **x, double *residual);

/* bench_reference.c: runs while the library is stopped, so that its workers are not in the way. */
bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size);
void reference_free(struct reference *reference);

/* bench_run.c: the library has been started. */
void run_problem(const struct bench_settings *s, const struct problem *p,
                 const struct reference *reference, struct row *row);

/* bench_report.c */
void print_heading(void);
void print_row(const struct row *row);
bool csv_heading(FILE *csv);
bool csv_row(FILE *csv, const struct row *row);

#endif
