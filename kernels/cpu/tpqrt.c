/*
 * QR factorization of a triangle R on top of B, by recursion on halves of the columns down to
 * LAPACK xTPQRT2 (Elmroth & Gustavson, "Applying recursion to serial and parallel QR factorization
 * leads to better performance", IBM J. Res. Dev. 44, 2000). The reflectors' vectors are [I; V], so
 * that the block reflector of two halves has T12 = −T1 V1ᴴ V2 T2.
 *
 * A trapezoidal B is factored in a copy with zeros below its diagonal, which stay zero. The
 * factorization of the left half of the columns skips the rows in which these columns are zero.
 *
 * Backward error of each column: ‖Δa_j‖ ≤ c m n eps ‖a_j‖ with a small constant c, as for
 * Householder QR (Higham 2002, theorem 19.4).
 */
#include "dtype.h"
#include "startile_types.h"

#include <stdlib.h>

/* Number of columns up to which xTPQRT2 is at least as fast as the recursion. */
enum { LEAF = 16 };

/* Leading dimensions of R, B and T */
struct layout {
    int lda, ldb, ldt;
};

/* Factors R (n × n) on top of B (m × n); the last l rows of B are upper trapezoidal. Returns 0 or a
 * startile_error. */
static int factor(const struct layout *p, int m, int n, int l, element *a, element *b, element *t)
{
    int no_trapezoid = 0, info = 0; /* xTPQRT2 gets B as a full matrix, with its zeros */
    if (n <= LEAF) {
        LAPACK(tpqrt2)(&m, &n, &no_trapezoid, a, &p->lda, b, &p->ldb, t, &p->ldt, &info);
        return 0;
    }
    const startile_scalar one = {1, 0}, zero = {0, 0}, minus_one = {-1, 0};
    /* the first n1 columns are zero below row m1 */
    int n1 = n / 2, n2 = n - n1, l1 = smaller(l, n1), m1 = m - l + l1;
    element *a12 = a + (ptrdiff_t)n1 * p->lda, *a22 = a12 + n1;
    element *b2 = b + (ptrdiff_t)n1 * p->ldb;
    element *t12 = t + (ptrdiff_t)n1 * p->ldt, *t22 = t12 + n1;

    int error = factor(p, m1, n1, l1, a, b, t);
    if (error == 0)
        error =
            NAME(tpmqrt)(NULL, 'G', 'C', m1, n2, n1, b, p->ldb, t, p->ldt, a12, p->lda, b2, p->ldb);
    if (error == 0)
        error = factor(p, m, n2, l - l1, a22, b2, t22);
    if (error != 0)
        return error;
    NAME(gemm)(NULL, 'C', 'N', n1, n2, m1, minus_one, b, p->ldb, b2, p->ldb, zero, t12, p->ldt);
    NAME(trmm)(NULL, 'L', 'U', 'N', n1, n2, one, t, p->ldt, t12, p->ldt);
    NAME(trmm)(NULL, 'R', 'U', 'N', n1, n2, one, t22, p->ldt, t12, p->ldt);
    return 0;
}

int NAME(tpqrt)(startile_exec *x, char uplo, int m, int n, void *a, int lda, void *b, int ldb,
                void *t, int ldt)
{
    (void)x;
    const startile_scalar zero = {0, 0};
    if (n == 0)
        return 0;
    int rows = uplo == 'U' ? smaller(m, n) : m, ld = rows > 0 ? rows : 1;
    NAME(laset)(NULL, 'G', n, n, 0, zero, zero, t, ldt);
    if (uplo == 'G')
        return factor(&(struct layout){lda, ldb, ldt}, rows, n, 0, a, b, t);
    element *copy = calloc((size_t)ld * (size_t)n, sizeof *copy);
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    NAME(lacpy)(NULL, 'U', rows, n, b, ldb, copy, ld);
    int error = factor(&(struct layout){lda, ld, ldt}, rows, n, rows, a, copy, t);
    NAME(lacpy)(NULL, 'U', rows, n, copy, ld, b, ldb);
    free(copy);
    return error;
}
