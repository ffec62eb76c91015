/*
 * Declarations shared by the files of `startile solve`: settings, linear system, solution.
 */
#ifndef SOLVE_H
#define SOLVE_H

#include "resume.h"
#include "startile.h"
#include "startile_mixed.h"

#include <stdbool.h>
#include <stdio.h>

/* METHOD_AUTO: QR if A is not square; Cholesky if A is Hermitian with a positive diagonal, and LDL
 * if Cholesky then finds that A is not positive definite; LDL if A is another Hermitian or a
 * complex symmetric matrix; LU otherwise, and in the place of LDL in mixed precision; METHOD_QRCP,
 * QR with column pivoting, if LDL, LU or QR finds no solution */
enum solve_method { METHOD_AUTO, METHOD_CHOLESKY, METHOD_LDL, METHOD_LU, METHOD_QR, METHOD_QRCP };

/* Largest difference between A and its transpose, or Aᴴ, for Cholesky and LDL, in units of the
 * unit roundoff and of the largest element */
enum { ROUNDOFFS_OF_SYMMETRY = 10 };

/* Values of the command line. Texts are NULL if their option or argument is not given. */
struct solve_settings {
    const char *a_file, *b_file, *out_file, *trace_folder, *random, *precision_given;
    FILE *out_stream; /* the standard output, if only x goes there (--out -); or NULL */
    bool all;         /* print all elements of x */
    const char *resume_file;
    struct resume resume;       /* of resume_file */
    int64_t random_m, random_n; /* shape of a random A; 0: A is in a file */
    enum solve_method method;
    int64_t refine; /* least number of steps of iterative refinement after Cholesky, LDL and LU */
    bool mixed;     /* factor in single precision, refine to double precision */
    startile_dtype dtype;
    int upper; /* value of the option --uplo: 0 for 'L', 1 for 'U' */
    char uplo;
    int64_t nb; /* tile size; 0: the library's choice */
};

/* Returns A's name for messages. */
const char *matrix_name(const struct solve_settings *s);

struct linear_system {
    startile_dtype dtype;
    int64_t m, n, nrhs;
    char description[64]; /* description of A for the output */
    void *a, *factors;    /* A and its factors, m × n */
    void *b, *x;          /* m × nrhs and n × nrhs */
};

/* Properties of the solution, whose elements are in the linear system's x */
struct solution {
    enum solve_method method;
    bool is_hermitian; /* of METHOD_LDL: A is Hermitian; false: complex symmetric */
    char reason[96];   /* reason why METHOD_AUTO did not choose Cholesky; else "" */
    int64_t rank;      /* numerical rank of METHOD_QRCP; of other methods min(m, n) */
    int64_t mb, nb;    /* rows and columns of a tile */
    double seconds;    /* time of factorization and solution */
    double rcond;      /* reciprocal condition number; NaN: unknown */
    int64_t steps;     /* steps of iterative refinement */
    double estimated_error; /* largest ‖x − A⁻¹·b‖∞ / ‖x‖∞ by porfs, syrfs or herfs; NaN: unknown */
    startile_mixed_result mixed; /* of a solver in mixed precision */
};

/* Allocates `count` elements, at least one, with value 0. Returns NULL after a report if memory
 * does not suffice. */
void *allocate_elements(startile_dtype dtype, int64_t count);

/* Reads or generates A and b, and allocates x and the factors. Returns false after a report on
 * failure. (solve_system.c) */
bool system_read(const struct solve_settings *s, struct linear_system *p);
void system_free(struct linear_system *p);

/* Starts the library, factors A, solves, and stops the library. Returns 0, LAPACK's info, or a
 * ::startile_error. (solve_library.c) */
int64_t run_library(const struct solve_settings *s, startile_options *o, struct linear_system *p,
                    struct solution *solution);
/* Returns whether the columns of A, or its rows if it has fewer rows, are linearly dependent to
 * working precision, by the condition number of R; false after other methods than QR. */
bool is_rank_deficient(const struct linear_system *p, const struct solution *solution);

/* Returns whether A x = b need not hold, because A has more rows than its rank. */
bool is_least_squares(const struct linear_system *p, const struct solution *solution);

/* Errors of the solution (solve_report.c) */
struct errors {
    double scaled_residual; /* of the system; of the normal equations of a least-squares problem */
    double backward, forward;
    double residual_norm; /* largest ‖b − A x‖₂ of all right-hand sides */
};
/* Computes the errors. Returns false on failure. */
bool find_errors(const struct solve_settings *s, const struct linear_system *p,
                 const struct solution *solution, struct errors *e);
void print_result(const struct solve_settings *s, const struct linear_system *p,
                  const struct solution *solution, const struct errors *e);

#endif
