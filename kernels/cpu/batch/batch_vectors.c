/*
 * Reductions and updates of many vectors, one by one. They use BLAS wherever its results are those
 * that batch_list.h defines. OpenBLAS' xNRM2 neither overflows nor underflows and reads the vector
 * once.
 */
#include "batch_matrix.h"
#include "small.h"

#include <limits.h>

int NAME(nrm2_batch)(startile_exec *x, int count, const startile_matrices *X, void *result)
{
    (void)x;
    for (int q = 0; q < count; q++) {
        struct matrix v = matrix_of(X, q);
        ((real *)result)[q] = BLAS_REAL(nrm2)(v.n, v.p, v.ld);
    }
    return 0;
}

/* Returns Σ (|re| + |im|). OpenBLAS up to version 0.3.25 returns a wrong SCASUM of contiguous
 * vectors on processors that it treats as Cooper Lake (OpenBLAS issue 4282). Therefore a contiguous
 * complex vector is summed as 2 n real numbers by SASUM or DASUM. */
static real asum(struct matrix v)
{
#ifdef STARTILE_COMPLEX
    if (v.ld == 1 && v.n <= INT_MAX / 2)
        return BLAS_PARTS(asum)(2 * v.n, (const real *)v.p, 1);
#endif
    return BLAS_REAL(asum)(v.n, v.p, v.ld);
}

int NAME(asum_batch)(startile_exec *x, int count, const startile_matrices *X, void *result)
{
    (void)x;
    for (int q = 0; q < count; q++) {
        struct matrix v = matrix_of(X, q);
        ((real *)result)[q] = asum(v);
    }
    return 0;
}

#ifdef STARTILE_COMPLEX
/* Returns Σ v_i w_i or Σ conj(v_i) w_i. */
static element strided_dot(bool conjugate, struct matrix v, struct matrix w)
{
    element sum = 0;
    for (int i = 0; i < v.n; i++) {
        element a = v.p[(ptrdiff_t)i * v.ld], b = w.p[(ptrdiff_t)i * w.ld];
        sum += (conjugate ? (element)conj(a) : a) * b;
    }
    return sum;
}
#endif

/* The ZDOT of Debian's OpenBLAS 0.3.21 reads one element beyond the end of vectors that are not
 * contiguous, where access may be forbidden; of its CDOT this was not seen. Therefore strided_dot()
 * takes complex vectors that are not contiguous. */
static element dot(bool conjugate, struct matrix v, struct matrix w)
{
#ifdef STARTILE_COMPLEX
    if (v.ld != 1 || w.ld != 1)
        return strided_dot(conjugate, v, w);
    element sum;
    (conjugate ? BLAS(dotc_sub) : BLAS(dotu_sub))(v.n, v.p, v.ld, w.p, w.ld, &sum);
    return sum;
#else
    (void)conjugate;
    return BLAS(dot)(v.n, v.p, v.ld, w.p, w.ld);
#endif
}

int NAME(dot_batch)(startile_exec *x, int conjugate, int count, const startile_matrices *X,
                    const startile_matrices *Y, void *result)
{
    (void)x;
    for (int q = 0; q < count; q++)
        ((element *)result)[q] = dot(conjugate, matrix_of(X, q), matrix_of(Y, q));
    return 0;
}

/* Uses the library's own kernel, because BLAS does not define the index if an element is NaN. */
int NAME(iamax_batch)(startile_exec *x, int count, const startile_matrices *X, int64_t *result)
{
    (void)x;
    const struct small_kernels *kernels = NAME(small)();
    for (int q = 0; q < count; q++) {
        struct matrix v = matrix_of(X, q);
        result[q] = kernels->iamax(v.n, v.p, v.ld);
    }
    return 0;
}

/* x := alpha x. With alpha = 0 OpenBLAS sets all elements to 0, also NaN. Therefore this function
 * multiplies the elements itself then, so that NaN stays NaN. */
static void scale(element alpha, struct matrix v)
{
    if (alpha != 0) {
        BLAS(scal)(v.n, SCALAR(alpha), v.p, v.ld);
        return;
    }
    for (int i = 0; i < v.n; i++)
        v.p[(ptrdiff_t)i * v.ld] *= alpha;
}

int NAME(scal_batch)(startile_exec *x, int count, const void *alpha, int step,
                     const startile_matrices *X)
{
    (void)x;
    for (int q = 0; q < count; q++)
        scale(((const element *)alpha)[(ptrdiff_t)q * step], matrix_of(X, q));
    return 0;
}

int NAME(axpy_batch)(startile_exec *x, int count, const void *alpha, int step,
                     const startile_matrices *X, const startile_matrices *Y)
{
    (void)x;
    for (int q = 0; q < count; q++) {
        struct matrix v = matrix_of(X, q), w = matrix_of(Y, q);
        BLAS(axpy)
        (v.n, SCALAR(((const element *)alpha)[(ptrdiff_t)q * step]), v.p, v.ld, w.p, w.ld);
    }
    return 0;
}
