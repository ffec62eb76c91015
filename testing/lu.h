/* LU factorizations of an array, by the library and by LAPACK, and what must hold of them. */
#ifndef TESTING_LU_H
#define TESTING_LU_H

#include "array.h"
#include "generate.h"
#include "shapes.h"

enum pivoting { PARTIAL, TOURNAMENT, NONE };
extern const char *const pivoting_names[3];

/* P A = L U as LAPACK has it: L and U in one array, min(m, n) pivots, info. */
struct lu {
    struct array F;
    int64_t *ipiv;
    int64_t info;
};

/* The library's factors of a copy of A. Without pivoting ipiv is the identity's. */
struct lu lu_of(struct array A, enum pivoting pivoting, enum way way, struct tiling t);
struct lu lapacks_lu(struct array A);
void lu_free(struct lu f);

/* Guarded memory for k pivots; pivots_free() requires the guards to be there still. */
int64_t *pivots_new(int64_t k);
void pivots_free(int64_t *ipiv, int64_t k);

/* The interchanges of k pivots on the rows of A, or with `inverse` back. */
void interchange(struct array A, const int64_t *ipiv, int64_t k, bool inverse);

/* L, m × k with its unit diagonal, and U, k × n, of the factors F. */
struct array lower_of(struct array F);
struct array upper_of(struct array F);

/* Every step takes one of the rows that are left. */
void check_ipiv(const int64_t *ipiv, int64_t m, int64_t k);

/*
 * The factors f of the m × n matrix A, k = min(m, n):
 *  - ‖PA − LU‖₁ / (max(m, n) ‖A‖₁ eps) beside that of LAPACK's xGETRF, as check_residual() says;
 * one roundoff is that of the larger of ‖A‖₁ and ‖U‖₁. For orders above 600, where these products
 *    take seconds, of ‖(PA − LU) V‖₁ / ‖V‖₁ for 8 random columns V;
 *  - max |PA − LU|_ij / ((|L| |U|)_ij k eps) < 30: what every order of the operations keeps (Higham
 *    2002, theorem 9.3), and which neither growing elements nor bad scaling hide. Up to order 600.
 */
void check_lu(struct array A, struct lu f, double times);
/* The same where LAPACK's factors g are there already. */
void check_lu_beside(struct array A, struct lu f, struct lu g, double times);

/* check_lu() of the first rows and columns alone: whatever A holds in others, they are factored as
 * if that were not there, up to the interchanges. All rows, or as many as columns. */
void check_part(struct array A, int64_t rows, int64_t columns, struct lu f, double times);

/* No multiplier of partial pivoting is above 1; for complex types, whose pivots are the largest by
 * |re| + |im|, above √2. */
void check_multipliers(struct array F);

/* All of K's factors and pivots, to the last bit. */
void check_known(struct known_lu K, struct lu f);

/* The pivots are LAPACK's, up to a step where two candidates are the same but for rounding. */
void check_pivots_are_lapacks(struct array A, struct lu f);

#endif
