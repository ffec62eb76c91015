/*
 * What the parts of `startile solve` share.
 */
#ifndef SOLVE_H
#define SOLVE_H

#include "startile.h"

#include <stdbool.h>

/* METHOD_AUTO: QR where A is not square, Cholesky where it looks positive definite, LU else. */
enum solve_method { METHOD_AUTO, METHOD_CHOLESKY, METHOD_LU, METHOD_QR };

/* The command line. */
struct solve_settings {
    const char *a_file, *b_file, *out_file, *trace_folder;
    int64_t random_m, random_n; /* of a random A; 0: A is in a file */
    enum solve_method method;
    int64_t refine; /* steps after LU */
    bool precision_given;
    startile_dtype dtype;
    char uplo;
    int64_t nb; /* 0: the library's choice */
};

/* A's file, or what stands for it in messages. */
const char *matrix_name(const struct solve_settings *s);

struct linear_system {
    startile_dtype dtype;
    int64_t m, n, nrhs;
    char words[64]; /* about A */
    void *a;        /* m × n; Cholesky overwrites a triangle, which is restored afterwards */
    void *diagonal; /* of A, where it is square */
    void *b, *x;    /* m × nrhs and n × nrhs */
    void *factors;  /* m × n, of LU or QR; NULL without */
};

/* How it was solved. */
struct solution {
    enum solve_method method;
    char reason[96]; /* for LU or QR where another might have been; else "" */
    int64_t mb, nb;
    double seconds;
    double rcond; /* reciprocal condition number; NaN: unknown */
};

/* Room for count elements; one at least, so that NULL always means failure, which was reported. */
void *elements(startile_dtype dtype, int64_t count);

/* solve_system.c: A, b and room for x. False after a report. */
bool system_read(const struct solve_settings *s, struct linear_system *p);
void system_free(struct linear_system *p);
/* x := b, for square A */
void system_reset(struct linear_system *p);
/* A, where Cholesky has overwritten the triangle uplo. */
void system_restore(struct linear_system *p, char uplo);

/* solve_library.c: 0, LAPACK's info, or a ::startile_error. */
int64_t run_library(const struct solve_settings *s, startile_options *o, struct linear_system *p,
                    struct solution *solution);

/* solve_qr.c */
int64_t run_qr(const struct solve_settings *s, struct linear_system *p, struct solution *solution);
/* Whether the condition number says that the columns of A, or its rows, depend on each other. */
bool is_rank_deficient(const struct linear_system *p, const struct solution *solution);

/* solve_library.c: page-locks storage where that helps and can be had, or undoes it. */
void pin_elements(bool on, void *memory, int64_t count, startile_dtype dtype);

/* solve_report.c: how good x is. find_errors(): false after a report. */
struct errors {
    double scaled_residual; /* that of the normal equations where A is tall */
    double backward, forward;
    double residual_norm; /* ‖b − A x‖₂ */
};
bool find_errors(const struct solve_settings *s, const struct linear_system *p, struct errors *e);
void print_result(const struct solve_settings *s, const struct linear_system *p,
                  const struct solution *solution, const struct errors *e);

#endif
