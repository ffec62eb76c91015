/*
 * Interface between codelets and CUDA kernels on a whole square matrix of many blocks and few
 * columns, such as right-hand sides. Each replaces a chain of tasks on block columns, in which
 * starting the tasks takes longer than the work. As in kernels.h, flags are LAPACK's capital
 * letters, the caller has checked them, kernels enqueue on the stream of their startile_exec, and
 * the result is 0 or a startile_error.
 */
#ifndef STARTILE_WHOLE_H
#define STARTILE_WHOLE_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of blocks in a row. All blocks are arguments of CUDA kernels, which are limited to
 * 32764 bytes. */
enum { STARTILE_MOST_BLOCKS = 32 };

/* A square matrix of order n in `count` × `count` blocks of nb rows and columns; the last ones may
 * have fewer. Block (i, j) is block[i + j count]. Blocks that an operation does not read may have
 * no address. */
typedef struct {
    int64_t n;
    int nb, count;
    const startile_piece *block;
} startile_blocks;

/* Most bytes of shared memory that a thread block of solve_by_single uses. GPUs of compute
 * capability 8.0 and 9.0 offer as much, those of 8.6 and 8.9 do not. */
enum { STARTILE_SHARED_OF_SOLVE_BY_SINGLE = 152 * 1024 };

/* Table of the kernels of one type. Matrices of `columns` columns are in count blocks of rows. */
typedef struct {
    /* B := op(T)⁻¹ B for the triangle uplo of T. The same bits in each call. */
    int (*solve)(startile_exec *x, char uplo, char trans, char diag, startile_blocks t, int columns,
                 const startile_piece *b);
    /* As solve, with T in single precision, and all arithmetic in the type of B */
    int (*solve_by_single)(startile_exec *x, char uplo, char trans, char diag, startile_blocks t,
                           int columns, const startile_piece *b);
    /* R := B − A X. uplo 'G': A is general. uplo 'L', 'U': A is Hermitian; only the triangle uplo
     * is read, without the imaginary parts of the diagonal. The same bits in each call. R is not
     * B. */
    int (*residual)(startile_exec *x, char uplo, startile_blocks a, int columns,
                    const startile_piece *v, const startile_piece *b, const startile_piece *r);
    /* sums_i := Σ_j |a_ij| for A as in `residual`. `sums` is in the memory of the device. */
    int (*abs_sums)(startile_exec *x, char uplo, startile_blocks a, double *sums);
} startile_whole_kernels;

/* Table of functions, indexed by startile_dtype */
extern const startile_whole_kernels *const startile_cuda_whole_kernels[4];

#ifdef __cplusplus
}
#endif
#endif
