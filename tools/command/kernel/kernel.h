/*
 * Types and functions shared by the parts of `startile bench kernel`.
 *
 * A trial is a kernel at given sizes, with its arrays on the GPU. The library's kernels and the
 * vendor's routine run on these arrays in turn.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "cuda_access.h"
#include "operand.h"
#include "options.h"
#include "peer/peer_cuda.h"
#include "report.h"
#include "scalar.h"

#include <stdio.h>

struct shape {
    startile_dtype dtype;
    struct dimensions size;
    int pieces; /* matrices of a group */
    char transa, transb;
};

/* A column-major matrix without gaps; for a group, its pieces side by side */
struct array {
    int m, n; /* rows and columns of a piece */
    size_t piece_bytes, bytes;
    void *device, *original; /* in GPU memory; original: content before a run, if the kernel changes
                                the array */
    int64_t *integers;       /* interchanges that the kernel reads, in main memory; or NULL */
};

struct trial {
    const struct kernel *kernel;
    struct shape shape;
    int arrays;
    struct array array[OPERANDS];
    startile_exec *exec;
    const startile_cuda_access *library;
    startile_tile_status *status; /* page-locked; has the kernel's info */
    void *peer_data;              /* the peer's tau or pivots, in GPU memory; or NULL */
};

/* A kernel of the library; kernel_rows.c has the table. run() and prepare() return 0 or a
 * startile_error. */
struct kernel {
    const char *name;
    const char *sizes; /* sizes that it has, of "mnkp" (p: pieces), and "a" if it has --trans */
    const char *flags; /* 't': needs m >= k, or m >= n if it has no k; 'm': work() counts bytes,
                          else operations; 'v': the library can also run it by cuBLAS or cuSOLVER;
                          's': a product that can use tensor cores in precisions s and c; 'l': the
                          result of the first piece is its lower triangle */
    struct dimensions usual; /* default sizes; m, k = 0: n */
    const char *description;
    struct operand operand[OPERANDS];
    double (*work)(const struct shape *s);
    int (*run)(const struct trial *t, const startile_kernels *K);
    int (*prepare)(struct trial *t); /* computes the kernel's input from random arrays; or NULL */
};
/* Table of the kernels; its last row has no name. */
extern const struct kernel kernels[];
/* Return whether k->sizes, or k->flags, has the letter. */
bool kernel_has_size(const struct kernel *k, char size);
bool kernel_has_flag(const struct kernel *k, char flag);

/* Returns the trial with its array sizes set. */
struct trial trial_of(const struct kernel *kernel, const struct shape *shape);

/* A vendor's routine; kernel_gpu_peer.c has the table. run() returns 0; after a failure not 0, with
 * the reason in cuda_peer_reason(). */
struct kernel_peer {
    const char *kernel, *description;
    bool same_result; /* true: leaves the kernel's result in the first array that the kernel writes
                       */
    int (*run)(struct trial *t, enum cuda_step step);
};
/* Returns the vendor's routine for the kernel; NULL: there is none. */
const struct kernel_peer *kernel_peer_of(const struct kernel *k);

/* Contenders. OWN: the library's kernel; VENDOR: cuBLAS or cuSOLVER by way of the library; SPLIT,
 * FP16X2, FP16, BF16: the library's kernel with operands in these formats on tensor cores; TF32:
 * the library's call of cuBLAS with TF32 tensor cores; PEER: the vendor's routine, called directly
 */
enum { OWN, VENDOR, SPLIT, FP16X2, FP16, BF16, TF32, PEER, CONTENDERS };
extern const char *const contender_names[CONTENDERS];

struct kernel_settings {
    const struct kernel *kernel; /* NULL: all kernels, at their default sizes */
    struct size_list m, n, k;    /* empty: the default sizes */
    struct precisions precisions;
    int pieces, repeats, trans;             /* trans: index into NC, NN, CN, CC */
    bool named, list, implementation[PEER]; /* named: a kernel or "all" is given */
    /* names of given options; NULL: not given */
    const char *implementation_given, *m_given, *n_given, *k_given, *pieces_given, *trans_given;
    const char *csv_file;
};

struct kernel_row {
    char name[32], precision;
    const char *kernel_name, *implementation, *peer, *unit, *csv_unit;
    struct shape shape;
    int64_t m, n, k, pieces; /* 0: the kernel has no such size */
    double seconds, seconds_min, seconds_max, microseconds;
    double rate, peer_rate, ratio; /* operations/s or bytes/s */
    double rate_in_unit, peer_rate_in_unit;
    double difference;
    bool ok;
    char status[128];
};

/* kernel_gpu_race.c: measures the kernels and prints all rows. Returns whether all are ok. */
bool kernel_run(const struct kernel_settings *s, const struct report *report);
/* kernel_report.c */
extern const struct report_field kernel_fields[];
/* Sets the members of a row that follow from the kernel, its shape and the times. */
void kernel_row_complete(struct kernel_row *row, const struct kernel *k, const struct shape *s);

#endif
