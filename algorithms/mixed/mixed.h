/*
 * Solution of A X = B in mixed precision: A is factored in single precision, and X is refined to
 * double precision (refinement.c). gesv_mixed.c and posv_mixed.c have what depends on the
 * factorization.
 */
#ifndef STARTILE_MIXED_H
#define STARTILE_MIXED_H

#include "algorithms.h"

enum { MOST_ITERATIONS = 30 }; /* as in LAPACK's xSGESV */

/* Maxima over the elements of each column, in one iteration */
typedef struct {
    values *x, *d;        /* of X, and of the scaled correction of the iteration */
    values *r, *r_scaled; /* of the residual B − A X after the iteration, and of its rows after
                             scaling */
} column_maxima;

typedef struct mixed_solver mixed_solver;
struct mixed_solver {
    temporary owned;
    const struct mixed_steps *steps;
    char uplo; /* triangle of A for Cholesky, else 0 */
    startile_matrix *A, *X;
    startile_pivots *P; /* LU, else NULL */
    const startile_matrix *B;
    startile_mixed_options options;
    startile_mixed_result *result; /* the caller's, or NULL */
    startile_request *request;     /* the caller's */
    startile_request *work;        /* values, residual and the decisions */
    startile_request *low, *full;  /* factorization and solves in single, in double precision */
    hold *hold;
    startile_matrix *F, *S; /* single precision: the factors; the residual, then the correction */
    inverse **WL, **WU;     /* inverses of the diagonal blocks of L and U (NULL for Cholesky) */
    startile_matrix *R;     /* residual */
    values *row_sums;       /* Σ_j |a_ij| */
    values *row, *column;   /* rows and columns of A are scaled by f(row_i) f(column_j), see
                               insert_lag2() */
    values *ratios;         /* componentwise backward errors */
    column_maxima before;   /* r, r_scaled: of B, the residual before the first iteration */
    column_maxima maxima[MOST_ITERATIONS + 1];
    int64_t n, nrhs;            /* order of A, columns of B */
    int submitted, decided;     /* number of iterations submitted, and number examined */
    startile_products products; /* of the factorization */
    int iterations;             /* LAPACK's ITER */
    double normwise, forward, last_correction; /* largest over all columns, see check() */
};

/* Steps of a solver that depend on the factorization */
typedef struct mixed_steps {
    /* Submits row_sums, the scale factors, and F := the scaled A in single precision. */
    void (*convert)(context ctx, mixed_solver *s);
    /* Returns the products that suffice for the matrix, from row_sums and the scale factors in main
     * memory; NULL: two FP16 numbers. */
    startile_products (*choose_products)(const mixed_solver *s);
    void (*factor)(mixed_solver *s); /* F := its factors, in request s->low */
    /* S(:,j) := F⁻¹ S(:,j) */
    void (*solve)(context ctx, mixed_solver *s, int64_t j);
    void (*find_residual)(context ctx, mixed_solver *s); /* R := B − A X */
    /* W := W + |A| |X| */
    void (*abs_product)(context ctx, const mixed_solver *s, const startile_matrix *W);
    /* A := its factors and X := A⁻¹ X in double precision, in request s->full */
    void (*solve_in_double)(mixed_solver *s);
} mixed_steps;

/* Submits W[k] := the inverse of the triangle in F's diagonal block k, for all k. Does nothing if W
 * is NULL. */
void invert_diagonal_blocks(context ctx, char uplo, char diag, const startile_matrix *F,
                            inverse **W);
/* Validates `options`, which may be NULL, and returns whether they are valid. */
bool has_valid_options(const startile_mixed_options *options);
/* Returns whether A has double precision and is not on a grid. */
bool may_be_mixed(const startile_matrix *A);
/* Returns whether X has the shape and the block columns of B, and is a matrix of its own. */
bool is_solution_of(const startile_matrix *X, const startile_matrix *B, const startile_matrix *A);
/* Submits the solution. The arguments are valid. */
void solve_mixed(const mixed_steps *steps, char uplo, startile_matrix *A, startile_pivots *P,
                 const startile_matrix *B, startile_matrix *X,
                 const startile_mixed_options *options, startile_mixed_result *result,
                 startile_request *request);

#endif
