/*
 * Element type of a kernel file. Each kernel file of this folder is compiled four times, with one
 * of STARTILE_TYPE_S, _D, _C, _Z defined, which selects the types and the routines here.
 * other_element is the type in the other precision, double_element the one in double precision. The
 * macros make the names of these routines for the type:
 * - NAME: a function of this library
 * - BLAS: a CBLAS routine
 * - BLAS_REAL: a CBLAS routine with a real result (scnrm2)
 * - BLAS_PARTS: a real CBLAS routine, applied to the real and imaginary parts of a complex vector
 * - LAPACK: a LAPACK routine
 * - LAPACK_Q: a LAPACK routine for Q (dormqr, zunmqr)
 */
#ifndef STARTILE_DTYPE_H
#define STARTILE_DTYPE_H

#include "blas/blas_symbols.h"
#include "kernels.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#if defined STARTILE_TYPE_S
typedef float element;
typedef float real;
typedef double other_element;
#define NAME(op) startile_cpu_s##op
#define BLAS(op) BLAS_SYMBOL(cblas_s##op)
#define BLAS_REAL(op) BLAS_SYMBOL(cblas_s##op)
#define LAPACK(op) LAPACK_s##op
#elif defined STARTILE_TYPE_D
typedef double element;
typedef double real;
typedef float other_element;
#define NAME(op) startile_cpu_d##op
#define BLAS(op) BLAS_SYMBOL(cblas_d##op)
#define BLAS_REAL(op) BLAS_SYMBOL(cblas_d##op)
#define LAPACK(op) LAPACK_d##op
#elif defined STARTILE_TYPE_C
typedef float _Complex element;
typedef float real;
typedef double _Complex other_element;
#define NAME(op) startile_cpu_c##op
#define BLAS(op) BLAS_SYMBOL(cblas_c##op)
#define BLAS_REAL(op) BLAS_SYMBOL(cblas_sc##op)
#define BLAS_PARTS(op) BLAS_SYMBOL(cblas_s##op)
#define LAPACK(op) LAPACK_c##op
#define STARTILE_COMPLEX
#elif defined STARTILE_TYPE_Z
typedef double _Complex element;
typedef double real;
typedef float _Complex other_element;
#define NAME(op) startile_cpu_z##op
#define BLAS(op) BLAS_SYMBOL(cblas_z##op)
#define BLAS_REAL(op) BLAS_SYMBOL(cblas_dz##op)
#define BLAS_PARTS(op) BLAS_SYMBOL(cblas_d##op)
#define LAPACK(op) LAPACK_z##op
#define STARTILE_COMPLEX
#endif

#ifdef STARTILE_COMPLEX
/* CBLAS takes complex scalars by address and real ones by value. */
#define SCALAR(x) (&(element){(element)(x)})
#define LAPACK_Q(op) LAPACK(un##op)
#define MAGNITUDE(x) cabs(x)
#define ABS1(x) (fabs(creal(x)) + fabs(cimag(x)))
typedef double _Complex double_element;
static inline element to_element(startile_scalar s)
{
    return (element)CMPLX(s.re, s.im);
}
#else
#define SCALAR(x) (x)
#define LAPACK_Q(op) LAPACK(or ##op)
#define MAGNITUDE(x) fabs((double)(x))
#define ABS1(x) fabs((double)(x))
typedef double double_element;
static inline element to_element(startile_scalar s)
{
    return (element)s.re;
}
#endif

/* Returns LAPACK's letter for the conjugate transpose: 'T' in real routines, 'C' in complex
 * ones. */
static inline char conjugate_transpose(void)
{
    return sizeof(element) == sizeof(real) ? 'T' : 'C';
}

static inline enum CBLAS_TRANSPOSE cblas_trans(char trans)
{
    return trans == 'N' ? CblasNoTrans : trans == 'T' ? CblasTrans : CblasConjTrans;
}

static inline enum CBLAS_UPLO cblas_uplo(char uplo)
{
    return uplo == 'L' ? CblasLower : CblasUpper;
}

static inline enum CBLAS_SIDE cblas_side(char side)
{
    return side == 'L' ? CblasLeft : CblasRight;
}

static inline enum CBLAS_DIAG cblas_diag(char diag)
{
    return diag == 'N' ? CblasNonUnit : CblasUnit;
}

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

/* *acc := max(*acc, v); NaN stays NaN. */
static inline void take_max(double *acc, double v)
{
    if (!(v <= *acc) && !isnan(*acc))
        *acc = v;
}

/* Return the first row of column j in the triangle uplo of a tile of m rows, and its end, the row
 * after the last one. For uplo 'G' these are 0 and m. */
static inline int first_row(char uplo, int m, int j)
{
    return uplo == 'L' ? (j < m ? j : m) : 0;
}

static inline int end_row(char uplo, int m, int j)
{
    return uplo == 'U' && j + 1 < m ? j + 1 : m;
}

/* Largest number of right-hand sides for which a kernel reads the matrix once for each of them, by
 * BLAS xGEMV and xTRSV: xGEMM and xTRSM copy the matrix first. One core of an EPYC, tiles of
 * 512 × 512 in a matrix of order 4096, GB/s of the matrix, xGEMM and xGEMV: one column 9.3, 15.8;
 * two 8.8, 12.4; four 8.8, 7.4. */
enum { FEW_COLUMNS = 2 };

#define KERNEL(name, parameters) int NAME(name) parameters;
#include "kernel_list.h"
startile_getrf_part NAME(getrf_part);
startile_triangle_rank NAME(trank);
startile_row_permutation NAME(lapmr);

/* Factors an m × n matrix by LAPACK xGETRF or xGETRF2. Returns LAPACK's info. ipiv has min(m, n)
 * elements. (getrf.c) */
int NAME(lu)(int m, int n, element *a, int lda, int *ipiv);

/* The diagonal blocks of W of the given order := the inverses of those of T; with order ≥ n, W :=
 * T⁻¹. Returns ‖T‖₁ ‖W‖₁ for T and W as block diagonal matrices of these blocks, or infinity if one
 * is singular. (trtri.c) */
double NAME(invert)(char uplo, char diag, int n, int order, const element *t, int ldt, element *w,
                    int ldw);

/* Returns use_inverse of a unit triangle of order n, given ‖W‖₁ ‖T‖₁ (STARTILE_UNIT_CONDITION). */
static inline int use_unit_inverse(int n, double condition)
{
    if (condition <= n)
        return 1;
    return condition <= (double)STARTILE_UNIT_CONDITION * n ? STARTILE_INVERSE_BLOCKS : 0;
}

#endif
