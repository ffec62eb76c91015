/*
 * Residuals of dense operations, computed from formulas.
 *
 * For example, "p(P) A0 - l(A) u(A) / A0" is ||(P A0 − L U) V||₁ / (||A0 V||₁ d eps). A0 is the
 * array A before the operation, A the same array after it, d the larger dimension of the first
 * array and eps the unit roundoff. V has eight columns of 1-norm 1: one random vector, which
 * detects any gross error, and seven unit vectors, whose ones are spread evenly over the rows. The
 * norm of a product is the largest 1-norm of its columns. Only products of matrices with V are
 * computed.
 *
 *   formula      sum [/ norms]: the norm of the sum, divided by the norms, d and eps. Without '/',
 *                each element of the sum is divided by eps and by the sum of the magnitudes of its
 *                terms; the residual is the largest quotient
 *   sum          term + term − …
 *   norms        term, term, … + term, …: ',' multiplies the norms of terms, '+' adds products
 *   f ; g        the larger one of two residuals
 *   f | g        the smaller one of two residuals; '|' binds more strongly than ';'
 *   term         factor factor …
 *   A, A'        the array, its conjugate transpose
 *   l(A), u(A)   the unit lower trapezoid, the upper trapezoid of A
 *   n(A)         the lower trapezoid of A
 *   t(A)         the triangle `uplo` of A
 *   h(A), y(A)   the Hermitian matrix, the symmetric matrix with this triangle
 *   c(A)         L of A = L Lᴴ, from the factor in the triangle `uplo`
 *   p(P)         the row interchanges of LAPACK's ipiv
 *   q(A)         Q of the reflectors in A with tau in the next array; if the problem has access
 *                functions, their apply_q() multiplies by Q. q(A) extends a vector shorter than
 *                Q's order by zeros
 *   s(A)         the inverse of the symmetric or Hermitian matrix with factors in A, by the access
 *                function solve()
 *   x(A)         the first rows of A, as many as the smaller dimension of the first array
 *   I            the identity
 *   E            diag(I, 0), where the order of I is the smaller dimension of the first array
 *   J            takes the upper triangle of the product of the factors that follow, only in the
 *                columns that the unit vectors select
 */
#ifndef RESIDUAL_H
#define RESIDUAL_H

#include "startile.h"
#include "team.h"

#include <stdbool.h>

enum { RESIDUAL_ARRAYS = 6, RESIDUAL_PROBES = 8 };

/* An array of a formula: a column-major matrix in main memory, or a column of int64_t pivots. If
 * the problem has access functions, `before` and `after` of a matrix are arguments of these
 * functions instead. */
struct residual_array {
    char name; /* name in formulas */
    int64_t m, n, ld;
    const void *before, *after; /* before and after the operation */
};

/* A part of a matrix in main memory. row, column: position of its first element in the matrix */
struct residual_tile {
    const void *a;
    int64_t ld, row, column, m, n;
};
typedef void residual_tile_function(const struct residual_tile *t, void *argument);

/* Access to matrices that are not entirely in main memory. Functions of type int64_t return 0 or a
 * startile_error. */
struct residual_access {
    /* Returns an element of a matrix before the operation. */
    double _Complex (*element)(startile_dtype dtype, const void *before, int64_t i, int64_t j);
    /* Calls the function for each tile of a matrix after the operation. */
    int64_t (*for_tiles)(const void *after, residual_tile_function *function, void *argument);
    /* Computes x := op(Q) x for RESIDUAL_PROBES vectors of `rows` elements, stored row by row.
     * trans: 'N' or 'C' */
    int64_t (*apply_q)(const void *after, char trans, int64_t rows, double _Complex *x);
    /* Computes x := A⁻¹ x for factors of A = L D op(L) or L T op(L), with vectors as those of
     * apply_q(). */
    int64_t (*solve)(const void *after, int64_t rows, double _Complex *x);
    /* part: index of this process, from 0; parts: number of processes that compute the residual
     * together. for_tiles() has the tiles of this process only. sum() replaces each value by its
     * sum over all processes; it is called only if parts > 1. */
    int part, parts;
    void (*sum)(double *values, int64_t count);
};

struct residual_problem {
    startile_dtype dtype;
    char uplo;
    bool q_of_rows; /* true: Q is the factor of A = L Q, of order n; false: that of A = Q R, of
                       order m */
    int count;
    struct residual_array array[RESIDUAL_ARRAYS];
    const struct residual_access *access; /* NULL: all matrices are in main memory */
    struct team *team;                    /* threads for large matrices; NULL: none */
};

/* Returns the residual by the formula; NaN also if memory does not suffice. */
double residual(const struct residual_problem *p, const char *formula);

/* Returns the larger residual; NaN if one of them is NaN. */
double worse(double a, double b);

/* Returns |result − exact result| / (n eps s) for a BLAS reduction of vectors of n elements: xNRM2
 * or xASUM of x, or xDOT (complex types: xDOTC) of x and y. s: the same reduction of the terms'
 * magnitudes */
enum residual_sum { SUM_NRM2, SUM_ASUM, SUM_DOTC };
double residual_sum(enum residual_sum which, startile_dtype dtype, int64_t n, const void *x,
                    const void *y, double _Complex result);
/* Returns 0 if no element of x has a larger |re| + |im| than the one with this 1-based index, for
 * complex types up to rounding; else infinity. */
double residual_iamax(startile_dtype dtype, int64_t n, const void *x, int64_t index);

#endif
