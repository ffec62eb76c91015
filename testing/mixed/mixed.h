/* Systems that the solvers in mixed precision solve, and the errors of the solutions. */
#ifndef TESTING_MIXED_H
#define TESTING_MIXED_H

#include "shapes.h"
#include "startile_mixed.h"
#include "test_matrix.h"

/* Result of a solver: X, and A as the solver left it. */
struct solved {
    struct array A, X;
    startile_mixed_result result;
    int64_t info;
};

void solved_free(struct solved s);

/* Solves A X = B by LU (uplo 'G') or Cholesky. B and X have tiles of t.nb × width; for Cholesky A
 * has tiles of t.nb × t.nb. Requires that B is unchanged, and A after a refinement. */
struct solved solve(char uplo, struct array A, struct array B,
                    const startile_mixed_options *options, enum way way, struct tiling t,
                    int64_t width);

/* Returns max ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞) of all columns in units of the roundoff. |z| is |re| + |im|
 * for vectors, as in the library. */
double backward_error(struct array A, struct array X, struct array B);
/* Returns LAPACK's backward error for the same system. */
double lapack_error(char uplo, struct array A, struct array B);

/* Returns a random matrix with a small condition number for LU (uplo 'G') or Cholesky. */
struct array new_matrix(char uplo, int64_t n);
/* Returns H D G for reflections H and G and D = diag(1, …, 1, smallest). G = H for Cholesky. */
struct array one_small_singular_value(char uplo, int64_t n, double smallest);
/* Makes columns 3, 10 and 17 nearly equal to columns 0, 1 and 2, so that three singular values are
 * about 1e-10 of the others: refinement stagnates, and GMRES needs several steps. */
void make_three_columns_equal(struct array A);

#endif
