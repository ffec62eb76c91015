/*
 * Householder reconstruction: LU factorization Q − S = V1 U without pivoting, by recursion on
 * halves of the columns. S is diagonal with elements s_j = ±1. s_j is chosen when column j is
 * eliminated: it is the sign that Householder QR of Q would choose (Ballard, Demmel, Grigori,
 * Jacquelin, Knight & Nguyen, "Reconstructing Householder vectors from tall-skinny QR", J. Parallel
 * Distrib. Comput. 85, 2015; LAPACK xUNHR_COL).
 *
 * All pivots are at least 1 in magnitude, and no element of V1 exceeds 1 by more than roundoff.
 * |ΔQ| ≤ γ_n |V1| |U| for the top of Q (Higham 2002, theorem 9.3).
 */
#include "dtype.h"

/* Returns s_j = ±1, of opposite sign to the real part of the pivot. Subtracting s_j does not change
 * the sign of that real part, so the pivot may be given before or after the subtraction. */
static real sign_for(element pivot)
{
    return creal(pivot) < 0 ? 1 : -1;
}

/* Factors the first n columns of A − S; A has m rows. */
static void factor(int m, int n, element *a, int lda)
{
    if (n == 1) {
        *a -= sign_for(*a);
        for (int i = 1; i < m; i++)
            a[i] /= *a;
        return;
    }
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int n1 = n / 2, n2 = n - n1;
    element *a12 = a + (ptrdiff_t)n1 * lda, *a21 = a + n1, *a22 = a12 + n1;
    factor(m, n1, a, lda);
    NAME(trsm)(NULL, 'L', 'L', 'N', 'U', n1, n2, one, a, lda, a12, lda);
    NAME(gemm)(NULL, 'N', 'N', m - n1, n2, n1, minus_one, a21, lda, a12, lda, one, a22, lda);
    factor(m - n1, n2, a22, lda);
}

/* R := S R for the upper triangle R of order n. S follows from the signs of U's diagonal. */
static void change_signs(int n, const element *u, int ldu, element *r, int ldr)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            r[i + (ptrdiff_t)j * ldr] *= sign_for(u[i + (ptrdiff_t)i * ldu]);
}

int NAME(reconstruct)(startile_exec *x, int n, void *q, int ldq, void *u, int ldu, void *t, int ldt,
                      void *r, int ldr)
{
    (void)x;
    const startile_scalar zero = {0, 0}, one = {1, 0};
    if (n == 0)
        return 0;
    factor(n, n, q, ldq);
    NAME(laset)(NULL, 'L', n, n, 0, zero, zero, u, ldu);
    NAME(lacpy)(NULL, 'U', n, n, q, ldq, u, ldu);
    NAME(laset)(NULL, 'U', n, n, 0, zero, one, q, ldq);
    change_signs(n, u, ldu, r, ldr);
    NAME(lacpy)(NULL, 'G', n, n, u, ldu, t, ldt);
    for (int j = 0; j < n; j++) {
        element *column = (element *)t + (ptrdiff_t)j * ldt;
        real minus_s = -sign_for(column[j]);
        for (int i = 0; i <= j; i++)
            column[i] *= minus_s;
    }
    return NAME(trsm)(NULL, 'R', 'L', 'C', 'U', n, n, one, q, ldq, t, ldt);
}
