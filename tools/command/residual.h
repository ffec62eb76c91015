/*
 * Residuals of dense operations, computed from formulas.
 *
 * "p(P) A0 - l(A) u(A) / A0" is ||(P A0 − L U) V||₁ / (||A0 V||₁ d eps). A0 is the array A before
 * the operation, A the same array after it, d the larger dimension of the first array and eps the
 * unit roundoff. V has eight columns of 1-norm 1: a random one, which sees any gross error, and
 * unit vectors, all of them or spread evenly; the column with the largest residual counts. No
 * product of matrices is formed.
 *
 *   formula      sum [/ product, product, … + product, …]: divided by the product of the norms, a
 *                sum of such products; without '/' each element of the sum is divided by the sum of
 *                the absolute values of its terms
 *   ; and |      the larger, the smaller of the residuals beside them; | binds more strongly
 *   term         factor factor …
 *   A, A'        the array, its conjugate transpose
 *   A?           op(A) by the array's `trans`
 *   l(A), u(A)   its unit lower, its upper trapezoid
 *   n(A)         its lower trapezoid
 *   t(A), h(A)   its triangle `uplo`; the Hermitian matrix of that triangle
 *   c(A)         L of A = L Lᴴ, from the factor in the triangle `uplo`
 *   p(P)         the row interchanges of LAPACK's ipiv
 *   q(A)         Q of reflectors in A with tau in the next array, or as apply_q() has it; a shorter
 *                vector gets zeros
 *   f(A)         Q = I − V T Vᴴ with V in A and T in the next array
 *   x(A)         as many rows of A as the smaller dimension of the first array
 *   I, E         the identity; its first columns, as many as the smaller dimension of the first
 * array J            the upper triangle of what follows, of the columns that the unit vectors pick
 */
#ifndef RESIDUAL_H
#define RESIDUAL_H

#include "startile.h"
#include "team.h"

#include <stdbool.h>

enum { RESIDUAL_ARRAYS = 6, RESIDUAL_PROBES = 8 };

/* A column-major matrix in main memory, or a column of int64_t pivots; or what access functions
 * take. */
struct residual_array {
    char name; /* in formulas */
    char trans;
    int64_t m, n, ld;
    const void *before, *after;
};

/* A part of a matrix in main memory; row, column: the place of its first element in the matrix */
struct residual_tile {
    const void *a;
    int64_t ld, row, column, m, n;
};
typedef void residual_tile_function(const struct residual_tile *t, void *argument);

/* Ways to matrices that are not whole in main memory. Functions return 0 or a startile_error. */
struct residual_access {
    /* Returns an element of a matrix before the operation. */
    double _Complex (*element)(startile_dtype dtype, const void *before, int64_t i, int64_t j);
    /* Calls the function for each tile of a matrix after the operation. */
    int64_t (*for_tiles)(const void *after, residual_tile_function *function, void *argument);
    /* X := op(Q) X, where X has RESIDUAL_PROBES columns side by side. */
    int64_t (*apply_q)(const void *after, char trans, int64_t rows, double _Complex *x);
    /* Part `part` of `parts` processes that work on the residual: for_tiles() has the tiles of this
     * process, and sum() adds up the processes' values. */
    int part, parts;
    void (*sum)(double *values, int64_t count);
};

struct residual_problem {
    startile_dtype dtype;
    char uplo;
    bool q_of_rows; /* Q's order is the number of columns of its array: A = L Q */
    int count;
    struct residual_array array[RESIDUAL_ARRAYS];
    const struct residual_access *access; /* of all matrices; NULL: they are in main memory */
    struct team *team;                    /* threads for large matrices; or NULL */
};

/* NaN also without memory */
double residual(const struct residual_problem *p, const char *formula);

/* The larger; NaN wins. */
double worse(double a, double b);

/* The error of a result of vectors x, and y, of n elements, in units of n eps and the sum of the
 * absolute terms */
enum residual_sum { SUM_NRM2, SUM_ASUM, SUM_DOTC };
double residual_sum(enum residual_sum which, startile_dtype dtype, int64_t n, const void *x,
                    const void *y, double _Complex result);
/* 0; or infinity where the element of that 1-based index is not the largest */
double residual_iamax(startile_dtype dtype, int64_t n, const void *x, int64_t index);

#endif
