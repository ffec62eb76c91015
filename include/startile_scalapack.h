/**
 * @file startile_scalapack.h
 * @brief ScaLAPACK's routines with C arguments: scalars by value, INFO as the return value.
 *
 * Arguments are those of ScaLAPACK, in its order, without the workspaces, which the functions
 * allocate, and without INFO. Matrices are submatrices at (ia, ja), counted from 1, of block-cyclic
 * arrays with ScaLAPACK's descriptors of nine int (DESCINIT); pivots, reflectors and factors have
 * ScaLAPACK's form, so ScaLAPACK's own routines can use them. Large problems run on startile,
 * others in the program's ScaLAPACK (docs/scalapack.md). Link with libstartile_scalapack_c, which
 * has no Fortran symbols of ScaLAPACK, and with a shared ScaLAPACK for BLACS.
 *
 * All functions are blocking and collective over the processes of the BLACS context desca[1]. All
 * processes pass the same arguments, apart from addresses and the leading dimension in the
 * descriptors. The return value is the same on all processes of the context:
 * - 0;
 * - −i: argument i is wrong; −(100 i + j): argument i is a descriptor, and its element j, from
 *   1, is wrong. ScaLAPACK calls PXERBLA, which prints the error;
 * - k > 0: see each function;
 * - a ::startile_error: a failure at run time, after which the output arguments are undefined;
 *   #STARTILE_ERROR_MEMORY also if a workspace cannot be allocated, #STARTILE_ERROR_MPI also if no
 *   ScaLAPACK is found.
 *
 * One thread of a process at a time may call them. startile starts with the first large problem, if
 * MPI provides MPI_THREAD_MULTIPLE, and stops in MPI_Finalize().
 */
#ifndef STARTILE_SCALAPACK_H
#define STARTILE_SCALAPACK_H

#include "startile.h"
#include "startile_lapack.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/** @defgroup scalapack_cholesky ScaLAPACK: Cholesky and triangles
 *  @{ */

/**
 * @brief Computes the Cholesky factorization of a Hermitian positive definite A (PxPOTRF): A = L·Lᴴ
 * or A = Uᴴ·U.
 * @param uplo 'L' or 'U': the triangle of A that is used; the other is not changed
 * @param n order of A, ≥ 0
 * @param a local part of A (n × n); overwritten by the factor
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @return 0; k > 0: the leading minor of order k is not positive definite; < 0: see the head of
 * this file
 */
int startile_pspotrf(char uplo, int n, float *a, int ia, int ja, const int *desca);
/** @copydoc startile_pspotrf */
int startile_pdpotrf(char uplo, int n, double *a, int ia, int ja, const int *desca);
/** @copydoc startile_pspotrf */
int startile_pcpotrf(char uplo, int n, startile_cfloat *a, int ia, int ja, const int *desca);
/** @copydoc startile_pspotrf */
int startile_pzpotrf(char uplo, int n, startile_cdouble *a, int ia, int ja, const int *desca);

/**
 * @brief Computes the inverse A⁻¹ of a Hermitian positive definite A from its Cholesky factor
 * (PxPOTRI).
 * @param uplo 'L' or 'U': the triangle of A that is used; the other is not changed
 * @param n order of A, ≥ 0
 * @param a local part of the factor (n × n); overwritten by the triangle of A⁻¹
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @return 0; k > 0: the k-th diagonal element of the factor is the first that is 0; < 0: see the
 * head of this file
 */
int startile_pspotri(char uplo, int n, float *a, int ia, int ja, const int *desca);
/** @copydoc startile_pspotri */
int startile_pdpotri(char uplo, int n, double *a, int ia, int ja, const int *desca);
/** @copydoc startile_pspotri */
int startile_pcpotri(char uplo, int n, startile_cfloat *a, int ia, int ja, const int *desca);
/** @copydoc startile_pspotri */
int startile_pzpotri(char uplo, int n, startile_cdouble *a, int ia, int ja, const int *desca);

/**
 * @brief Computes the inverse A⁻¹ of a triangular A (PxTRTRI).
 * @param uplo 'L' or 'U': the triangle of A that is used; the other is not changed
 * @param diag 'N', or 'U' for a diagonal of ones that is not read
 * @param n order of A, ≥ 0
 * @param a local part of A (n × n); overwritten by A⁻¹
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @return 0; k > 0: the k-th diagonal element is the first that is 0; < 0: see the head of this
 * file
 */
int startile_pstrtri(char uplo, char diag, int n, float *a, int ia, int ja, const int *desca);
/** @copydoc startile_pstrtri */
int startile_pdtrtri(char uplo, char diag, int n, double *a, int ia, int ja, const int *desca);
/** @copydoc startile_pstrtri */
int startile_pctrtri(char uplo, char diag, int n, startile_cfloat *a, int ia, int ja,
                     const int *desca);
/** @copydoc startile_pstrtri */
int startile_pztrtri(char uplo, char diag, int n, startile_cdouble *a, int ia, int ja,
                     const int *desca);

/**
 * @brief Solves A·X = B with the Cholesky factor of A (PxPOTRS).
 * @param uplo 'L' or 'U': the triangle that holds the factor
 * @param n order of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a local part of the factor (n × n)
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param b local part of B (n × nrhs); overwritten by X
 * @param ib first row of the submatrix B, from 1, at a block boundary
 * @param jb first column, likewise
 * @param descb descriptor of the array b; its blocks are as high as those of A, and both
 * submatrices begin on the same process row
 * @return 0; < 0: see the head of this file
 */
int startile_pspotrs(char uplo, int n, int nrhs, const float *a, int ia, int ja, const int *desca,
                     float *b, int ib, int jb, const int *descb);
/** @copydoc startile_pspotrs */
int startile_pdpotrs(char uplo, int n, int nrhs, const double *a, int ia, int ja, const int *desca,
                     double *b, int ib, int jb, const int *descb);
/** @copydoc startile_pspotrs */
int startile_pcpotrs(char uplo, int n, int nrhs, const startile_cfloat *a, int ia, int ja,
                     const int *desca, startile_cfloat *b, int ib, int jb, const int *descb);
/** @copydoc startile_pspotrs */
int startile_pzpotrs(char uplo, int n, int nrhs, const startile_cdouble *a, int ia, int ja,
                     const int *desca, startile_cdouble *b, int ib, int jb, const int *descb);

/**
 * @brief Factors a Hermitian positive definite A and solves A·X = B (PxPOSV).
 * @param uplo 'L' or 'U': the triangle of A that is used; the other is not changed
 * @param n order of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a local part of A (n × n); overwritten by its Cholesky factor
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param b local part of B (n × nrhs); overwritten by X
 * @param ib first row of the submatrix B, from 1, at a block boundary
 * @param jb first column, likewise
 * @param descb descriptor of the array b; its blocks are as high as those of A, and both
 * submatrices begin on the same process row
 * @return 0; k > 0: the leading minor of order k is not positive definite, and B is not changed;
 * < 0: see the head of this file
 */
int startile_psposv(char uplo, int n, int nrhs, float *a, int ia, int ja, const int *desca,
                    float *b, int ib, int jb, const int *descb);
/** @copydoc startile_psposv */
int startile_pdposv(char uplo, int n, int nrhs, double *a, int ia, int ja, const int *desca,
                    double *b, int ib, int jb, const int *descb);
/** @copydoc startile_psposv */
int startile_pcposv(char uplo, int n, int nrhs, startile_cfloat *a, int ia, int ja,
                    const int *desca, startile_cfloat *b, int ib, int jb, const int *descb);
/** @copydoc startile_psposv */
int startile_pzposv(char uplo, int n, int nrhs, startile_cdouble *a, int ia, int ja,
                    const int *desca, startile_cdouble *b, int ib, int jb, const int *descb);

/**
 * @brief Estimates 1/(‖A‖₁·‖A⁻¹‖₁) from the Cholesky factor of A (PxPOCON).
 * @param uplo 'L' or 'U': the triangle that holds the factor
 * @param n order of A, ≥ 0
 * @param a local part of the factor (n × n)
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param anorm ‖A‖₁
 * @param[out] rcond the estimate, 0 … 1
 * @return 0; < 0: see the head of this file
 */
int startile_pspocon(char uplo, int n, const float *a, int ia, int ja, const int *desca,
                     float anorm, float *rcond);
/** @copydoc startile_pspocon */
int startile_pdpocon(char uplo, int n, const double *a, int ia, int ja, const int *desca,
                     double anorm, double *rcond);
/** @copydoc startile_pspocon */
int startile_pcpocon(char uplo, int n, const startile_cfloat *a, int ia, int ja, const int *desca,
                     float anorm, float *rcond);
/** @copydoc startile_pspocon */
int startile_pzpocon(char uplo, int n, const startile_cdouble *a, int ia, int ja, const int *desca,
                     double anorm, double *rcond);
/** @} */

/** @defgroup scalapack_lu ScaLAPACK: LU
 *  @{ */

/**
 * @brief Computes the LU factorization with partial pivoting P·A = L·U (PxGETRF).
 * @param m rows of A, ≥ 0
 * @param n columns of A, ≥ 0
 * @param a local part of A (m × n); overwritten by L without its diagonal of ones and by U
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param[out] ipiv row of the array, from 1, that each local row was interchanged with; as many
 * elements as the array has local rows, and one block more
 * @return 0; k > 0: the k-th diagonal element of U is the first that is 0; < 0: see the head of
 * this file
 */
int startile_psgetrf(int m, int n, float *a, int ia, int ja, const int *desca, int *ipiv);
/** @copydoc startile_psgetrf */
int startile_pdgetrf(int m, int n, double *a, int ia, int ja, const int *desca, int *ipiv);
/** @copydoc startile_psgetrf */
int startile_pcgetrf(int m, int n, startile_cfloat *a, int ia, int ja, const int *desca, int *ipiv);
/** @copydoc startile_psgetrf */
int startile_pzgetrf(int m, int n, startile_cdouble *a, int ia, int ja, const int *desca,
                     int *ipiv);

/**
 * @brief Solves op(A)·X = B with the LU factors of A (PxGETRS), where op(A) is A, Aᵀ or Aᴴ.
 * @param trans 'N': A; 'T': Aᵀ; 'C': Aᴴ
 * @param n order of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a local part of the factors (n × n)
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param ipiv pivots of the factorization
 * @param b local part of B (n × nrhs); overwritten by X
 * @param ib first row of the submatrix B, from 1, at a block boundary
 * @param jb first column, likewise
 * @param descb descriptor of the array b; its blocks are as high as those of A, and both
 * submatrices begin on the same process row
 * @return 0; < 0: see the head of this file
 */
int startile_psgetrs(char trans, int n, int nrhs, const float *a, int ia, int ja, const int *desca,
                     const int *ipiv, float *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgetrs */
int startile_pdgetrs(char trans, int n, int nrhs, const double *a, int ia, int ja, const int *desca,
                     const int *ipiv, double *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgetrs */
int startile_pcgetrs(char trans, int n, int nrhs, const startile_cfloat *a, int ia, int ja,
                     const int *desca, const int *ipiv, startile_cfloat *b, int ib, int jb,
                     const int *descb);
/** @copydoc startile_psgetrs */
int startile_pzgetrs(char trans, int n, int nrhs, const startile_cdouble *a, int ia, int ja,
                     const int *desca, const int *ipiv, startile_cdouble *b, int ib, int jb,
                     const int *descb);

/**
 * @brief Factors A with partial pivoting and solves A·X = B (PxGESV).
 * @param n order of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a local part of A (n × n); overwritten by its LU factors
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param[out] ipiv pivots
 * @param b local part of B (n × nrhs); overwritten by X
 * @param ib first row of the submatrix B, from 1, at a block boundary
 * @param jb first column, likewise
 * @param descb descriptor of the array b; its blocks are as high as those of A, and both
 * submatrices begin on the same process row
 * @return 0; k > 0: the k-th diagonal element of U is the first that is 0, and B is not changed;
 * < 0: see the head of this file
 */
int startile_psgesv(int n, int nrhs, float *a, int ia, int ja, const int *desca, int *ipiv,
                    float *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgesv */
int startile_pdgesv(int n, int nrhs, double *a, int ia, int ja, const int *desca, int *ipiv,
                    double *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgesv */
int startile_pcgesv(int n, int nrhs, startile_cfloat *a, int ia, int ja, const int *desca,
                    int *ipiv, startile_cfloat *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgesv */
int startile_pzgesv(int n, int nrhs, startile_cdouble *a, int ia, int ja, const int *desca,
                    int *ipiv, startile_cdouble *b, int ib, int jb, const int *descb);

/**
 * @brief Computes A⁻¹ from the LU factors of A (PxGETRI).
 * @param n order of A, ≥ 0
 * @param a local part of the factors (n × n); overwritten by A⁻¹
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param ipiv pivots of the factorization
 * @return 0; k > 0: the k-th diagonal element of U is the first that is 0; < 0: see the head of
 * this file
 */
int startile_psgetri(int n, float *a, int ia, int ja, const int *desca, const int *ipiv);
/** @copydoc startile_psgetri */
int startile_pdgetri(int n, double *a, int ia, int ja, const int *desca, const int *ipiv);
/** @copydoc startile_psgetri */
int startile_pcgetri(int n, startile_cfloat *a, int ia, int ja, const int *desca, const int *ipiv);
/** @copydoc startile_psgetri */
int startile_pzgetri(int n, startile_cdouble *a, int ia, int ja, const int *desca, const int *ipiv);

/**
 * @brief Estimates 1/(‖A‖·‖A⁻¹‖) from the LU factors of A (PxGECON).
 * @param norm '1' or 'O': the one-norm; 'I': the infinity norm
 * @param n order of A, ≥ 0
 * @param a local part of the factors (n × n)
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param anorm ‖A‖ in that norm
 * @param[out] rcond the estimate, 0 … 1
 * @return 0; < 0: see the head of this file
 */
int startile_psgecon(char norm, int n, const float *a, int ia, int ja, const int *desca,
                     float anorm, float *rcond);
/** @copydoc startile_psgecon */
int startile_pdgecon(char norm, int n, const double *a, int ia, int ja, const int *desca,
                     double anorm, double *rcond);
/** @copydoc startile_psgecon */
int startile_pcgecon(char norm, int n, const startile_cfloat *a, int ia, int ja, const int *desca,
                     float anorm, float *rcond);
/** @copydoc startile_psgecon */
int startile_pzgecon(char norm, int n, const startile_cdouble *a, int ia, int ja, const int *desca,
                     double anorm, double *rcond);
/** @} */

/** @defgroup scalapack_qr ScaLAPACK: QR, LQ and least squares
 *  @{ */

/**
 * @brief Computes the QR factorization A = Q·R (PxGEQRF).
 * @param m rows of A, ≥ 0
 * @param n columns of A, ≥ 0
 * @param a local part of A (m × n); overwritten by R and, below it, by the vectors of Q
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param[out] tau scalar of each reflector, with its local column; as many elements as the array
 * has local columns up to ja + min(m, n) − 1
 * @return 0; < 0: see the head of this file
 */
int startile_psgeqrf(int m, int n, float *a, int ia, int ja, const int *desca, float *tau);
/** @copydoc startile_psgeqrf */
int startile_pdgeqrf(int m, int n, double *a, int ia, int ja, const int *desca, double *tau);
/** @copydoc startile_psgeqrf */
int startile_pcgeqrf(int m, int n, startile_cfloat *a, int ia, int ja, const int *desca,
                     startile_cfloat *tau);
/** @copydoc startile_psgeqrf */
int startile_pzgeqrf(int m, int n, startile_cdouble *a, int ia, int ja, const int *desca,
                     startile_cdouble *tau);

/**
 * @brief Computes the LQ factorization A = L·Q (PxGELQF).
 * @param m rows of A, ≥ 0
 * @param n columns of A, ≥ 0
 * @param a local part of A (m × n); overwritten by L and, right of it, by the vectors of Q
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param[out] tau scalar of each reflector, with its local row; as many elements as the array has
 * local rows up to ia + min(m, n) − 1
 * @return 0; < 0: see the head of this file
 */
int startile_psgelqf(int m, int n, float *a, int ia, int ja, const int *desca, float *tau);
/** @copydoc startile_psgelqf */
int startile_pdgelqf(int m, int n, double *a, int ia, int ja, const int *desca, double *tau);
/** @copydoc startile_psgelqf */
int startile_pcgelqf(int m, int n, startile_cfloat *a, int ia, int ja, const int *desca,
                     startile_cfloat *tau);
/** @copydoc startile_psgelqf */
int startile_pzgelqf(int m, int n, startile_cdouble *a, int ia, int ja, const int *desca,
                     startile_cdouble *tau);

/**
 * @brief Forms the first n columns of the Q of a QR factorization (PxORGQR, PxUNGQR).
 * @param m rows of Q, ≥ 0
 * @param n columns of Q, 0 … m
 * @param k number of reflectors, 0 … n
 * @param a local part of the vectors (m × n); overwritten by Q
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param tau scalars of the reflectors
 * @return 0; < 0: see the head of this file
 */
int startile_psorgqr(int m, int n, int k, float *a, int ia, int ja, const int *desca,
                     const float *tau);
/** @copydoc startile_psorgqr */
int startile_pdorgqr(int m, int n, int k, double *a, int ia, int ja, const int *desca,
                     const double *tau);
/** @copydoc startile_psorgqr */
int startile_pcungqr(int m, int n, int k, startile_cfloat *a, int ia, int ja, const int *desca,
                     const startile_cfloat *tau);
/** @copydoc startile_psorgqr */
int startile_pzungqr(int m, int n, int k, startile_cdouble *a, int ia, int ja, const int *desca,
                     const startile_cdouble *tau);

/**
 * @brief Computes op(Q)·C or C·op(Q) with the Q of a QR factorization (PxORMQR, PxUNMQR), where
 * op(Q) is Q or Qᴴ.
 * @param side 'L': op(Q)·C; 'R': C·op(Q)
 * @param trans 'N': Q; 'T' (real types) or 'C' (complex types): Qᴴ
 * @param m rows of C, ≥ 0
 * @param n columns of C, ≥ 0
 * @param k number of reflectors, 0 … order of Q: m for 'L', n for 'R'
 * @param a local part of the vectors (order of Q × k)
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param tau scalars of the reflectors
 * @param c local part of C (m × n); overwritten by the product
 * @param ic first row of the submatrix C, from 1, at a block boundary
 * @param jc first column, likewise
 * @param descc descriptor of the array c; for 'L' its blocks are as high as those of A, and both
 * submatrices begin on the same process row; for 'R' its blocks are as wide as those of A are high
 * @return 0; < 0: see the head of this file
 */
int startile_psormqr(char side, char trans, int m, int n, int k, const float *a, int ia, int ja,
                     const int *desca, const float *tau, float *c, int ic, int jc,
                     const int *descc);
/** @copydoc startile_psormqr */
int startile_pdormqr(char side, char trans, int m, int n, int k, const double *a, int ia, int ja,
                     const int *desca, const double *tau, double *c, int ic, int jc,
                     const int *descc);
/** @copydoc startile_psormqr */
int startile_pcunmqr(char side, char trans, int m, int n, int k, const startile_cfloat *a, int ia,
                     int ja, const int *desca, const startile_cfloat *tau, startile_cfloat *c,
                     int ic, int jc, const int *descc);
/** @copydoc startile_psormqr */
int startile_pzunmqr(char side, char trans, int m, int n, int k, const startile_cdouble *a, int ia,
                     int ja, const int *desca, const startile_cdouble *tau, startile_cdouble *c,
                     int ic, int jc, const int *descc);

/**
 * @brief Solves least squares problems, min ‖B − op(A)·X‖, or finds the X of least norm with
 * op(A)·X = B (PxGELS); A has full rank, and op(A) is A or Aᴴ.
 * @param trans 'N': A; 'T' (real types) or 'C' (complex types): Aᴴ
 * @param m rows of A, ≥ 0
 * @param n columns of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a local part of A (m × n); overwritten by its QR or LQ factors
 * @param ia first row of the submatrix, from 1, at a block boundary
 * @param ja first column, likewise
 * @param desca descriptor of the array a
 * @param b local part of B (max(m, n) × nrhs); overwritten by X
 * @param ib first row of the submatrix B, from 1, at a block boundary
 * @param jb first column, likewise
 * @param descb descriptor of the array b; its blocks are as high as those of A, and both
 * submatrices begin on the same process row
 * @return 0; k > 0: the k-th diagonal element of the triangular factor is the first that is 0;
 * < 0: see the head of this file
 */
int startile_psgels(char trans, int m, int n, int nrhs, float *a, int ia, int ja, const int *desca,
                    float *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgels */
int startile_pdgels(char trans, int m, int n, int nrhs, double *a, int ia, int ja, const int *desca,
                    double *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgels */
int startile_pcgels(char trans, int m, int n, int nrhs, startile_cfloat *a, int ia, int ja,
                    const int *desca, startile_cfloat *b, int ib, int jb, const int *descb);
/** @copydoc startile_psgels */
int startile_pzgels(char trans, int m, int n, int nrhs, startile_cdouble *a, int ia, int ja,
                    const int *desca, startile_cdouble *b, int ib, int jb, const int *descb);
/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
