/* Aasen's factors of test matrices. */
#ifndef TESTING_SYMMETRIC_AASEN_FACTORS_H
#define TESTING_SYMMETRIC_AASEN_FACTORS_H

#include "check.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

/* The factors of a matrix in tiles of order nb: the arrays of the triangle and of the band, and the
 * interchanges as in LAPACK */
struct aasen_factors {
    char op, uplo;
    int64_t nb, info;
    struct array A, band;
    int64_t *ipiv, *band_ipiv;
};

static startile_complex aasen_adjoint(char op, startile_complex x)
{
    return op == 'C' ? conj(x) : x;
}

static void aasen_interchange(struct array M, int64_t i, int64_t j)
{
    for (int64_t c = 0; c < M.n && i != j; c++) {
        startile_complex x = get(M, i, c);
        set(M, i, c, get(M, j, c));
        set(M, j, c, x);
    }
}

/* Returns the element that LAPACK stores for L(i,j), j ≥ nb, in the block of j or below. */
static startile_complex aasen_element(struct aasen_factors f, int64_t i, int64_t j)
{
    return f.uplo == 'L' ? get(f.A, i, j - f.nb) : aasen_adjoint(f.op, get(f.A, j - f.nb, i));
}

/* Requires |l_ij| ≤ 1, up to rounding of the quotients, and the zeros and ones of L's diagonal
 * blocks. */
static inline void aasen_require_l(struct aasen_factors f)
{
    for (int64_t j = f.nb; j < f.A.n; j++)
        for (int64_t i = j / f.nb * f.nb; i < f.A.n; i++) {
            startile_complex x = aasen_element(f, i, j);
            require(i > j ? cabs(x) <= 1.5 || isnan(creal(x)) : x == (i == j));
        }
}

/* Returns L in double precision. */
static struct array aasen_l(struct aasen_factors f)
{
    struct array L = array_new_identity(STARTILE_Z, f.A.n, f.A.n);
    for (int64_t j = f.nb; j < f.A.n; j++)
        for (int64_t i = j + 1; i < f.A.n; i++)
            set(L, i, j, aasen_element(f, i, j));
    return L;
}

/* Returns T = Q_0^T L_0 Q_1^T L_1 … V in double precision. */
static struct array aasen_t(struct aasen_factors f)
{
    int64_t n = f.A.n, nb = f.nb, panels = (n + nb - 1) / nb;
    struct array M = array_new(STARTILE_Z, n, n, 0);
    array_fill(M, 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = max(0, (j / nb - 2) * nb); i <= j; i++)
            set(M, i, j, get(f.band, i, j));
    for (int64_t k = panels - 1; k >= 0; k--) {
        int64_t first = k * nb, end = min(first + nb, n), last = min(first + 2 * nb, n);
        for (int64_t i = last - 1; i > first; i--)
            for (int64_t l = first; l < min(i, end); l++)
                for (int64_t j = first; j < min(first + 3 * nb, n); j++)
                    set(M, i, j, get(M, i, j) + get(f.band, i, l) * get(M, l, j));
        for (int64_t j = end - 1; j >= first; j--) {
            require(f.band_ipiv[j] > j && f.band_ipiv[j] <= last);
            aasen_interchange(M, j, f.band_ipiv[j] - 1);
        }
    }
    return M;
}

/* Returns P A P^T in double precision. */
static struct array aasen_interchanged(struct array A, const int64_t *ipiv, int64_t nb)
{
    struct array B = array_new(STARTILE_Z, A.n, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(B, i, j, get(A, i, j));
    for (int64_t i = 0; i < A.n; i++) {
        require(i < nb ? ipiv[i] == i + 1 : ipiv[i] > i && ipiv[i] <= A.n);
        aasen_interchange(B, i, ipiv[i] - 1);
    }
    struct array C = array_new_op('T', B);
    for (int64_t i = 0; i < A.n; i++)
        aasen_interchange(C, i, ipiv[i] - 1);
    struct array R = array_new_op('T', C);
    arrays_free(B, C);
    return R;
}

/* Returns ‖P A P^T − L T op(L)‖₁ / (n ‖A‖₁ eps). */
static inline double aasen_residual(struct array A, struct aasen_factors f)
{
    struct array L = aasen_l(f), T = aasen_t(f), LT = product('N', 'N', L, T),
                 R = aasen_interchanged(A, f.ipiv, f.nb);
    double norm = lapack(A)->lange('1', A);
    lapack(R)->gemm('N', f.op, -1, LT, L, 1, R);
    double rest = lapack(R)->lange('1', R);
    arrays_free(L, T, LT, R);
    return rest == 0 ? 0 : rest / ((double)A.n * norm * unit_roundoff(A.dtype));
}

#endif
