/*
 * Element type of a kernel file. The kernel files of this folder are compiled four times, with one
 * of STARTILE_TYPE_S, _D, _C, _Z defined; this header has all differences. BLAS_REAL names BLAS
 * routines with a real result, BLAS_PARTS real routines for vectors of real and imaginary parts,
 * LAPACK_Q routines that apply a Q.
 */
#ifndef STARTILE_DTYPE_H
#define STARTILE_DTYPE_H

#include "kernels.h"

#include <cblas.h>
#include <complex.h>
#include <lapack.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#if defined STARTILE_TYPE_S
typedef float element;
typedef float real;
#define NAME(op) startile_cpu_s##op
#define BLAS(op) cblas_s##op
#define BLAS_REAL(op) cblas_s##op
#define LAPACK(op) LAPACK_s##op
#elif defined STARTILE_TYPE_D
typedef double element;
typedef double real;
#define NAME(op) startile_cpu_d##op
#define BLAS(op) cblas_d##op
#define BLAS_REAL(op) cblas_d##op
#define LAPACK(op) LAPACK_d##op
#elif defined STARTILE_TYPE_C
typedef float _Complex element;
typedef float real;
#define NAME(op) startile_cpu_c##op
#define BLAS(op) cblas_c##op
#define BLAS_REAL(op) cblas_sc##op
#define BLAS_PARTS(op) cblas_s##op
#define LAPACK(op) LAPACK_c##op
#define STARTILE_COMPLEX
#elif defined STARTILE_TYPE_Z
typedef double _Complex element;
typedef double real;
#define NAME(op) startile_cpu_z##op
#define BLAS(op) cblas_z##op
#define BLAS_REAL(op) cblas_dz##op
#define BLAS_PARTS(op) cblas_d##op
#define LAPACK(op) LAPACK_z##op
#define STARTILE_COMPLEX
#endif

#ifdef STARTILE_COMPLEX
/* CBLAS takes complex scalars by address and real ones by value. */
#define SCALAR(x) (&(element){(element)(x)})
#define LAPACK_Q(op) LAPACK(un##op)
#define MAGNITUDE(x) cabs(x)
static inline element to_element(startile_scalar s)
{
    return (element)CMPLX(s.re, s.im);
}
#else
#define SCALAR(x) (x)
#define LAPACK_Q(op) LAPACK(or ##op)
#define MAGNITUDE(x) fabs((double)(x))
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

/* Return the range of rows [first_row, last_row) of column j in the triangle uplo of a tile of m
 * rows; all rows for 'G'. */
static inline int first_row(char uplo, int m, int j)
{
    return uplo == 'L' ? (j < m ? j : m) : 0;
}

static inline int last_row(char uplo, int m, int j)
{
    return uplo == 'U' && j + 1 < m ? j + 1 : m;
}

int NAME(gemm)(startile_exec *, char, char, int, int, int, startile_scalar, const void *, int,
               const void *, int, startile_scalar, void *, int);
int NAME(herk)(startile_exec *, char, char, int, int, startile_scalar, const void *, int,
               startile_scalar, void *, int);
int NAME(syrk)(startile_exec *, char, char, int, int, startile_scalar, const void *, int,
               startile_scalar, void *, int);
int NAME(trsm)(startile_exec *, char, char, char, char, int, int, startile_scalar, const void *,
               int, void *, int);
int NAME(trmm)(startile_exec *, char, char, char, int, int, startile_scalar, const void *, int,
               void *, int);
int NAME(potrf)(startile_exec *, char, int, void *, int, void *, int, startile_panel *);
int NAME(laset)(startile_exec *, char, int, int, int64_t, startile_scalar, startile_scalar, void *,
                int);
int NAME(lacpy)(startile_exec *, char, int, int, const void *, int, void *, int);
int NAME(random)(startile_exec *, startile_symmetry, uint64_t, double, int64_t, int64_t, int, int,
                 void *, int);
int NAME(lange)(startile_exec *, char, int, int, double, const void *, int, double *);
int NAME(lansy)(startile_exec *, char, char, int, int, const void *, int, double *);
int NAME(getrf)(startile_exec *, int, const startile_piece *, int, int64_t,
                startile_pivots_of_panel, void *, int, startile_panel *);
int NAME(getrf_nopiv)(startile_exec *, int, void *, int, void *, int, void *, int,
                      startile_panel *);
int NAME(laswp)(startile_exec *, int, const startile_piece *, int, int64_t, int,
                const startile_pivots_of_panel *, int);
int NAME(lapmt)(startile_exec *, int, const startile_piece *, int, int64_t,
                startile_pivots_of_panel);
int NAME(select_rows)(startile_exec *, int, const startile_piece *, int, int64_t,
                      const int64_t *const *, void *, int, int64_t *);
int NAME(order_rows)(startile_exec *, int64_t, const int64_t *, startile_pivots_of_panel);
int NAME(geadd)(startile_exec *, int, int, startile_scalar, const void *, int, startile_scalar,
                void *, int);
int NAME(lacn2)(startile_exec *, startile_lacn2, int, void *, double *);
int NAME(first_zero)(startile_exec *, int, const void *, int, int64_t, const double *,
                     startile_panel *);
int NAME(transpose)(startile_exec *, int, int, const void *, int, void *, int);
int NAME(geqrf)(startile_exec *, int, const startile_piece *, int, void *, int);
int NAME(larft)(startile_exec *, int, const startile_piece *, int, void *, int);
int NAME(larfb)(startile_exec *, char, int, const startile_piece *, int, const void *, int, int,
                const startile_piece *, int);
int NAME(tpqrt)(startile_exec *, char, int, int, void *, int, void *, int, void *, int);
int NAME(tpmqrt)(startile_exec *, char, char, int, int, int, const void *, int, const void *, int,
                 void *, int, void *, int);
int NAME(lascl)(startile_exec *, int, int, const double *, const double *, void *, int);
int NAME(gemm_group)(startile_exec *, char, char, int, startile_scalar, int,
                     const startile_product *, startile_scalar, char);
int NAME(trmm_group)(startile_exec *, char, char, char, int, startile_scalar, const void *, int,
                     int, const startile_piece *);

/* Factors an m × n matrix by LAPACK xGETRF; returns info. ipiv has min(m, n) elements. (getrf.c) */
int NAME(lu)(int m, int n, element *a, int lda, int *ipiv);

/* W := T⁻¹; returns ‖T‖₁ ‖W‖₁, infinite if T is singular. (trtri.c) */
double NAME(invert)(char uplo, char diag, int n, const element *t, int ldt, element *w, int ldw);

#endif
