/*
 * `startile solve`: the command line, the system and its solution.
 */
#ifndef SOLVE_H
#define SOLVE_H

#include "startile.h"

#include <stdbool.h>

/* METHOD_AUTO: QR if A is not square, Cholesky if it looks positive definite, else LU */
enum solve_method { METHOD_AUTO, METHOD_CHOLESKY, METHOD_LU, METHOD_QR };

/* The command line. */
struct solve_settings {
    const char *a_file, *b_file, *out_file, *trace_folder, *random, *precision_given;
    int64_t random_m, random_n; /* shape of a random A; 0: A is in a file */
    enum solve_method method;
    int64_t refine; /* steps after LU */
    startile_dtype dtype;
    int upper; /* the triangle: uplo */
    char uplo;
    int64_t nb; /* 0: the library's choice */
};

/* Returns A's name in messages. */
const char *matrix_name(const struct solve_settings *s);

struct linear_system {
    startile_dtype dtype;
    int64_t m, n, nrhs;
    char words[64];    /* description of A */
    void *a, *factors; /* m × n */
    void *b, *x;       /* m × nrhs and n × nrhs */
};

struct solution {
    enum solve_method method;
    char reason[96]; /* why METHOD_AUTO chose LU or QR; else "" */
    int64_t mb, nb;
    double seconds;
    double rcond; /* reciprocal condition number; NaN: unknown */
};

/* Returns zeros for count elements and at least one, or NULL after a report. */
void *elements(startile_dtype dtype, int64_t count);

/* Reads or makes A and b, and allocates x. Returns false after a report. (solve_system.c) */
bool system_read(const struct solve_settings *s, struct linear_system *p);
void system_free(struct linear_system *p);
/* x := b, for square A */
void system_reset(struct linear_system *p);

/* Returns 0, LAPACK's info, or a ::startile_error. (solve_library.c) */
int64_t run_library(const struct solve_settings *s, startile_options *o, struct linear_system *p,
                    struct solution *solution);
/* Returns whether columns of A, or its rows, depend on each other by QR's condition number. */
bool is_rank_deficient(const struct linear_system *p, const struct solution *solution);

/* (solve_report.c) */
struct errors {
    double scaled_residual; /* that of the normal equations if m > n */
    double backward, forward;
    double residual_norm; /* ‖b − A x‖₂ */
};
/* Returns false after a report. */
bool find_errors(const struct solve_settings *s, const struct linear_system *p, struct errors *e);
void print_result(const struct solve_settings *s, const struct linear_system *p,
                  const struct solution *solution, const struct errors *e);

#endif
