/*
 * Interface between codelets and the kernels on Bunch–Kaufman factors A = L D op(L) or U D op(U),
 * where op is the transpose, or with `hermitian` the conjugate transpose, and on their pivots. As
 * in kernels.h, flags are LAPACK's capital letters, functions that return int return 0 or a
 * startile_error, and CUDA kernels are enqueued on the stream of x; CPU kernels ignore x.
 *
 * ipiv has n elements as those of LAPACK's xSYTRF. The triangle's tiles are nb × nb, the last ones
 * smaller.
 */
#ifndef STARTILE_SYMMETRIC_H
#define STARTILE_SYMMETRIC_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* D as an array of two columns: the diagonal, and beside it d(k+1,k), which is not 0 for a pivot of
 * order 2 in rows k and k + 1, and 0 for all other rows. */

/* Table of the kernels of one type */
typedef struct {
    /* D := that of the factors. tiles: (0,0), (1,0), (1,1), (2,1), (2,2), … of the lower triangle,
     * or (0,0), (0,1), (1,1), (1,2), (2,2), … of the upper one. status->info := the 1-based row of
     * a pivot of order 1 that is 0, as LAPACK's xSYTRI returns it, or 0; status may be NULL. */
    int (*diagonal)(startile_exec *x, char uplo, int hermitian, const startile_piece *tiles, int nb,
                    int n, const int64_t *ipiv, void *d, int ldd, startile_tile_status *status);
    /* T := block column k of the triangle L' or U' in P A Pᵀ = L' D op(L') or U' D op(U'), without
     * its diagonal. P is all interchanges. A: tiles (k,k), (k+1,k), … of the lower triangle, or
     * (0,k), …, (k,k) of the upper one. T has tiles alike. */
    int (*column)(startile_exec *x, char uplo, const startile_piece *a, int nb, int k, int n,
                  const int64_t *ipiv, const startile_piece *t);
    /* B := D⁻¹ B; B has `columns` columns, in pieces */
    int (*solve)(startile_exec *x, int hermitian, const void *d, int ldd, int pieces,
                 const startile_piece *b, int columns);
    /* CPU only: inertia := number of positive, negative and zero eigenvalues of D; one that is NaN
     * counts as zero */
    void (*inertia)(int n, const void *d, int ldd, int64_t *inertia);
    /* CPU only: *sign := det D / |det D|, *logarithm := log |det D| */
    void (*determinant)(int hermitian, int n, const void *d, int ldd, startile_scalar *sign,
                        double *logarithm);
    /* CPU only: W := D W for a checksum W (kernel_list.h), in pieces */
    void (*checksum)(int hermitian, const void *d, int ldd, int pieces, const startile_piece *w);
} startile_symmetric_kernels;

extern const startile_symmetric_kernels *const startile_cpu_symmetric_kernels[4],
    *const startile_cuda_symmetric_kernels[4];

/* interchanges := those of LAPACK's xGETRF, n elements, that are P in P A Pᵀ: row i with row
 * interchanges[i] − 1 ≥ i, for i = 0, 1, … in this order. */
int startile_symmetric_order(char uplo, int64_t n, const int64_t *ipiv, int64_t *interchanges);

#ifdef __cplusplus
}
#endif

#endif
