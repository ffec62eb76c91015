/* LU factorizations of an array by the library and by LAPACK, and checks of the factors. */
#ifndef TESTING_LU_H
#define TESTING_LU_H

#include "array.h"
#include "generate.h"
#include "shapes.h"

enum pivoting { PARTIAL, TOURNAMENT, NONE };
extern const char *const pivoting_names[3];

/* P A = L U in LAPACK's form: L and U in one array, min(m, n) pivots, info. */
struct lu {
    struct array F;
    int64_t *ipiv;
    int64_t info;
};

/* Returns the library's factors of a copy of A. For pivoting NONE ipiv is the identity. */
struct lu lu_of(struct array A, enum pivoting pivoting, enum way way, struct tiling t);
/* Returns LAPACK's factors of a copy of A. */
struct lu lapack_lu(struct array A);
/* Frees f, after checking the guards of its pivots. */
void lu_free(struct lu f);

/* Allocates guarded memory for k pivots; pivots_free() checks the guards. */
int64_t *pivots_new(int64_t k);
void pivots_free(int64_t *ipiv, int64_t k);

/* Applies the k interchanges to the rows of A, with `inverse` in reverse order. */
void interchange(struct array A, const int64_t *ipiv, int64_t k, bool inverse);

/* Return L (m × k, unit diagonal) and U (k × n) of the factors F. */
struct array lower_of(struct array F);
struct array upper_of(struct array F);

/* Requires every pivot to be in one of the m rows that is not eliminated yet. */
void check_ipiv(const int64_t *ipiv, int64_t m, int64_t k);

/*
 * Checks the factors f of the m × n matrix A, k = min(m, n):
 *  - ‖PA − LU‖₁ / (max(m, n) ‖A‖₁ eps) against LAPACK's xGETRF by check_residual(); one roundoff is
 *    that of the larger of ‖A‖₁ and ‖U‖₁. Omitted if ‖U‖₁ > 2 ‖A‖₁ and k ≤ 600. For k > 600, where
 *    these products take seconds, ‖(PA − LU) V‖₁ / ‖V‖₁ for 8 random columns V replaces the norm;
 *  - max |PA − LU|_ij / ((|L| |U|)_ij k eps) < 30 for k ≤ 600. This holds for every sequence of the
 *    operations (Higham 2002, theorem 9.3) and detects errors despite growth and bad scaling.
 * `times` is the argument of check_residual().
 */
void check_lu(struct array A, struct lu f, double times);
/* Checks as check_lu() does, with given factors g of LAPACK. */
void check_lu_against(struct array A, struct lu f, struct lu g, double times);

/* Applies check_lu() to the first `rows` rows and `columns` columns only: their factors do not
 * depend on the other columns, except for interchanges. `rows` is A.m or `columns`. */
void check_part(struct array A, int64_t rows, int64_t columns, struct lu f, double times);

/* Requires multipliers of at most 1, up to rounding; of at most √2 for complex types, whose pivots
 * are the largest by |re| + |im|. */
void check_multipliers(struct array F);

/* Requires f to be K's factors and pivots, to the last bit. */
void check_known(struct known_lu K, struct lu f);

/* Requires f to have the pivots of LAPACK's factors g. They may differ from the first step on in
 * which two candidates are equal up to rounding. */
void check_pivots_match(struct lu f, struct lu g);

#endif
