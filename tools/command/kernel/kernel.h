/*
 * What the parts of `startile bench kernel` share.
 *
 * A kernel at given sizes is a trial: arrays on the GPU, the library's kernels and the vendor's
 * routine on them, in turns. What the arrays hold before a run follows from a seed (random.h), so
 * that the host can compute any element of a result anew, in long double.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "kernels.h"
#include "size_list.h"
#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MAX_ARRAYS = 4, SAMPLES = 24 };

struct shape {
    startile_dtype dtype;
    int m, n, k;
    int pieces; /* of a group */
    char transa, transb;
};

enum contents { RANDOM, NOTHING }; /* before a run; NOTHING: to be written, NaN until then */

/* What random elements are multiplied with. They come on a grid, on which sums in double precision
 * would be exact, and sums of squares err to one side. */
#define ARRAY_SCALE (1 / 3.0)

/* A column-major matrix without gaps. */
struct array {
    int m, n;
    enum contents contents;
    startile_symmetry kind;
    double bump;   /* on the diagonal */
    char triangle; /* 0, or 'L', 'U': zeros in the other half */
    bool changed;  /* by the kernel */
    uint64_t seed;
    size_t bytes;
    void *device, *original; /* original: what is there before a run, of a changed array */
    void *host;              /* columns of what is there after, as far as asked for */
    bool *fetched;
};

struct trial {
    const struct kernel *kernel;
    struct shape shape;
    struct array array[MAX_ARRAYS];
    startile_exec *exec;
    startile_panel *panel;                   /* page-locked */
    startile_pivots_of_panel pivots, hosted; /* on the device, on the host */
    int *short_pivots;                       /* on the device, as LAPACK has them */
    double *sums;                            /* on the device, 2 of them */
    bool failed_to_read;
};

/* One entry a kernel. Functions that return int return 0, a startile_error or, from CUDA's
 * libraries, −1 with cuda_peer_reason(). */
struct kernel {
    const char *name, *does, *peer; /* peer NULL: there is none */
    const char *sizes; /* those that it has, of "mnkp" (p: pieces), and "ab" for transa, transb */
    int m, n, k;       /* defaults; 0: as n */
    bool tall;         /* needs m >= k, or n where it has no k */
    bool moves;        /* its work is bytes, else operations */
    bool alike;        /* the peer leaves the same result */
    bool by_vendor;    /* cuBLAS or cuSOLVER have it: there is an implementation by way of those */
    bool splits;       /* a product that can run on split operands, in precision s */
    void (*describe)(const struct shape *s, struct array *array);
    double (*work)(const struct trial *t);
    int (*prepare)(struct trial *t); /* turns random arrays into what the kernel takes; or NULL */
    int (*run)(struct trial *t, const startile_kernels *kernels);
    int (*prepare_peer)(struct trial *t); /* or NULL */
    int (*run_peer)(struct trial *t);     /* or NULL */
    double (*error)(struct trial *t);
};

/* Each ends with an entry without a name. */
extern const struct kernel product_kernels[], group_kernels[], triangle_kernels[], factor_kernels[],
    qr_kernels[], pair_kernels[], row_kernels[], move_kernels[];

/* By number, from 0 on, and by name; NULL: none. */
const struct kernel *kernel_at(int i);
const struct kernel *kernel_named(const char *name);
bool kernel_has(const struct kernel *k, char size);

/* -- kernel_trial.c --------------------------------------------------------------------------- */

bool trial_open(struct trial *t, const struct kernel *kernel, const struct shape *shape);
void trial_close(struct trial *t);
/* Enqueues what puts the changed arrays back. */
int trial_restore(struct trial *t);
/* After a run that is to be looked at. */
void trial_forget(struct trial *t);
size_t trial_bytes(const struct kernel *kernel, const struct shape *shape);

/* -- kernel_check.c --------------------------------------------------------------------------- */

struct wide {
    long double re, im;
};

/* A sum of products and the sum of their sizes. */
struct sum {
    struct wide value;
    long double size;
};

/* An element before and after the run. */
struct wide element_before(const struct trial *t, const struct array *a, int64_t i, int64_t j);
struct wide element_after(struct trial *t, struct array *a, int64_t i, int64_t j);
struct wide conjugate(struct wide x);
/* s += scale x y */
void add_product(struct sum *s, double scale, struct wide x, struct wide y);
/* s += scale x */
void add(struct sum *s, double scale, struct wide x);
/* |x − s| in units of s's size and the roundoff of the type; 0 for equals. */
double distance(const struct trial *t, const struct sum *s, struct wide x);
/* 0 or infinity */
double unequal(struct wide x, struct wide y);
/* The larger; NaN wins. */
double worse(double a, double b);
/* Index number c of SAMPLES out of 0 … n − 1: both ends, the middle, others. */
int64_t sample(int64_t n, int c);
/* The largest of `at` over SAMPLES² places of an m × n matrix. */
double worst(struct trial *t, int64_t m, int64_t n,
             double (*at)(struct trial *t, int64_t i, int64_t j));

/* -- kernel_peer.c: cuBLAS, cuSOLVER ----------------------------------------------------------- */

int peer_gemm(const struct shape *s, int m, int n, const void *a, int lda, const void *b, int ldb,
              void *c);
/* C := C − A Aᵀ, lower */
int peer_syrk(startile_dtype dtype, int n, int k, const void *a, void *c);
/* B := B T⁻ᴴ, T lower, n × n */
int peer_trsm_right(startile_dtype dtype, int m, int n, const void *t, void *b);
/* B := alpha op(A) + beta B; A is B's size, or with trans 'C' its transpose's. */
int peer_geam(startile_dtype dtype, char trans, int m, int n, double alpha, const void *a,
              double beta, void *b);
/* *norm, on the device, := ‖x‖₂ */
int peer_nrm2(startile_dtype dtype, int64_t n, const void *x, double *norm);
int peer_laswp(startile_dtype dtype, int m, int n, int k, const int *ipiv, void *a);
int peer_prepare_inverse(startile_dtype dtype, int n, const void *a);
/* Of a lower triangle, in place */
int peer_inverse(startile_dtype dtype, int n, void *w);

/* -- results ---------------------------------------------------------------------------------- */

/* SPLIT: the library's own with split operands on tensor cores */
enum { OWN, VENDOR, SPLIT, PEER, CONTENDERS };
extern const char *const contender_names[CONTENDERS];

struct kernel_settings {
    const struct kernel *kernel; /* NULL: the list of all */
    struct size_list m, n, k;    /* empty: defaults */
    startile_dtype dtypes[4];
    int dtype_count;
    int pieces, repeats;
    char transa, transb;
    bool list; /* name the kernels, nothing else */
    bool implementation[PEER];
    const char *csv_file;
};

/* kernel_arguments.c: ends the program where they are wrong. */
void kernel_parse(int argc, char **argv, struct kernel_settings *s);

/* kernel_list.c: what `bench kernel all` measures; ends with an entry without a name. */
struct listed {
    const char *kernel;
    struct shape shape;
};
extern const struct listed all_kernels[];

/* kernel_ceilings.c: 0, or −1 with cuda_peer_reason() */
struct ceilings {
    double gemm[4], copy; /* operations/s, bytes/s; 0: not measured yet */
};
int kernel_ceilings(startile_dtype dtype, struct ceilings *ceilings);

struct kernel_row {
    const struct kernel *kernel;
    struct shape shape;
    const char *implementation;
    double seconds, seconds_min, seconds_max, rate; /* operations/s or bytes/s */
    double peer_rate, ratio, ceiling, fraction;
    double error, peer_error;
    bool ok;
    char status[128];
};

/* kernel_race.c: one row an implementation. */
bool kernel_race(const struct kernel_settings *s, const struct kernel *kernel,
                 const struct shape *shape, struct ceilings *ceilings,
                 bool (*show)(FILE *csv, const struct kernel_row *row), FILE *csv);

/* kernel_report.c */
void kernel_print_heading(void);
void kernel_print_row(const struct kernel_row *row);
bool kernel_csv_heading(FILE *csv);
bool kernel_csv_row(FILE *csv, const struct kernel_row *row);

#endif
