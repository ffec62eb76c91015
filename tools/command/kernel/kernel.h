/*
 * What the parts of `startile bench kernel` share.
 *
 * A trial is a kernel at given sizes: arrays on the GPU, and the library's kernels and the vendor's
 * routine on them, in turns.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "cuda_access.h"
#include "operand.h"
#include "options.h"
#include "peer/peer_cuda.h"
#include "report.h"
#include "scalar.h"
#include "team.h"

#include <stdio.h>

struct shape {
    startile_dtype dtype;
    struct dimensions size;
    int pieces; /* of a group */
    char transa, transb;
};

/* A column-major matrix without gaps; of a group, its pieces side by side */
struct array {
    int m, n; /* of a piece */
    size_t piece_bytes, bytes;
    void *device, *original; /* original: content before a run, of a changed array */
    void *before, *after;    /* the same on the host, for the check */
};

struct trial {
    const struct kernel *kernel;
    struct shape shape;
    int arrays;
    struct array array[OPERANDS];
    startile_exec *exec;
    const startile_cuda_access *library;
    startile_tile_status *status; /* page-locked */
    void *peer_data;              /* tau or pivots of the peer, on the device; or NULL */
};

/* One row per kernel (kernel_rows.c). Functions return 0 or a startile_error. */
struct kernel {
    const char *name;
    const char *sizes; /* those that it has, of "mnkp" (p: pieces), and "a" for --trans */
    const char *flags; /* 't': needs m >= k, or n where it has no k; 'm': its work is bytes, else
                          operations; 'v': the library has it by cuBLAS or cuSOLVER, too; 's': a
                          product that can run on split operands, in precision s */
    struct dimensions usual; /* m, k: 0 is as n */
    const char *does;
    struct operand operand[OPERANDS];
    double (*work)(const struct shape *s);
    int (*run)(const struct trial *t, const startile_kernels *K);
    const char *formula;       /* residual.h, for each piece; Z: the first array's first piece */
    const char *first_formula; /* for the first piece, or NULL */
    int (*prepare)(struct trial *t); /* makes what the kernel takes of random arrays; or NULL */
};
/* Ends with a row without a name. */
extern const struct kernel kernels[];
bool kernel_has(const struct kernel *k, char size);
bool kernel_is(const struct kernel *k, char flag);

/* With the sizes of its arrays */
struct trial trial_of(const struct kernel *kernel, const struct shape *shape);
/* Of all pieces, from the host's copies of the arrays */
double trial_residual(const struct trial *t, struct team *team);

/* One row per routine of the vendor's (kernel_gpu_peer.c). Functions return 0, or −1 with
 * cuda_peer_reason(). */
struct kernel_peer {
    const char *kernel, *does;
    bool alike; /* leaves the same result */
    int (*run)(struct trial *t, enum cuda_step step);
};
/* NULL: none */
const struct kernel_peer *kernel_peer_of(const struct kernel *k);

/* SPLIT: the library's own with split operands on tensor cores */
enum { OWN, VENDOR, SPLIT, PEER, CONTENDERS };
extern const char *const contender_names[CONTENDERS];

struct kernel_settings {
    const struct kernel *kernel; /* NULL: all, at their usual sizes */
    struct size_list m, n, k;    /* empty: the usual ones */
    struct precisions precisions;
    int pieces, repeats, trans; /* trans: of NC, NN, CN, CC */
    bool named, list, implementation[PEER];
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
    double residual, peer_residual;
    bool ok;
    char status[128];
};

/* kernel_gpu_race.c: prints all rows; whether all are ok. */
bool kernel_run(const struct kernel_settings *s, const struct report *report);
/* kernel_report.c */
extern const struct report_field kernel_fields[];
/* Completes a row: what is derived from the kernel, its shape and the times. */
void kernel_row_name(struct kernel_row *row, const struct kernel *k, const struct shape *s);

#endif
