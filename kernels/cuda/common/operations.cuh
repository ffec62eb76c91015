/*
 * Operations of kernel_list.h as templates, each in a file named after it or after a related
 * operation, and steps that several operations share. Private to kernels/cuda.
 */
#ifndef STARTILE_OPERATIONS_CUH
#define STARTILE_OPERATIONS_CUH

#include "common/element.cuh"
#include "common/exec.cuh"
#include "gemm/product.cuh"

#include <limits.h>

namespace startile_cuda
{

#define KERNEL(name, parameters)                                                                   \
    template <typename T>                                                                          \
    int name parameters;
#include "kernel_list.h"

/* Operations by cuBLAS (vendor.cu, trsm_by_inverses.cu) */
template <typename T>
int vendor_gemm(startile_exec *x, char transa, char transb, int m, int n, int k,
                startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
                startile_scalar beta, void *c, int ldc);
template <typename T>
int vendor_herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc);
template <typename T>
int vendor_syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc);
template <typename T>
int vendor_trmm(startile_exec *x, char side, char uplo, char trans, int m, int n,
                startile_scalar alpha, const void *w, int ldw, void *b, int ldb);
template <typename T>
int vendor_gemm_group(startile_exec *x, char transa, char transb, int k, startile_scalar alpha,
                      int count, const startile_product *products, startile_scalar beta, char uplo);
template <typename T>
int vendor_trmm_group(startile_exec *x, char side, char uplo, char trans, int k,
                      startile_scalar alpha, const void *w, int ldw, int count,
                      const startile_piece *b);

template <typename T>
int vendor_trsm_by_inverses(startile_exec *x, char uplo, char trans, char diag, int m, int n,
                            const void *t, int ldt, const void *w, int ldw, void *b, int ldb);

/* X := alpha op(A)⁻¹ B for few right-hand sides, by one kernel (trsm_few.cu) */
template <typename T>
int trsm_few(startile_exec *x, char uplo, char trans, char diag, int m, int n, T alpha, const T *a,
             int lda, T *b, int ldb);

/* Computes trsm_by_inverses; `gemm` computes the products where block_substitution.cu is not used.
 * (trsm_by_inverses.cu) */
template <typename T>
int trsm_by_inverses_with(startile_exec *x, decltype(startile_kernels::gemm) gemm, char uplo,
                          char trans, int m, int n, const void *t, int ldt, const void *w, int ldw,
                          void *b, int ldb);

/* Overwrites B, with `columns` columns, with L⁻¹ B for the lower triangle L of order n. w has the
 * inverses of L's diagonal blocks of order STARTILE_INVERTED_ORDER; L's own ones are not read.
 * (block_substitution.cu) */
struct block_substitution {
    int n, columns;
    const double *l, *w;
    double *b;
    int64_t ldl, ldw, ldb;
};
int substitute_blocks(startile_exec *x, const block_substitution &s);

/* Returns whether the device has the clusters that substitute_blocks() needs, and L has more than
 * one diagonal block and B a column. (block_substitution.cu) */
bool can_substitute_blocks(const startile_exec *x, const block_substitution &s);

/* Computes C := beta C in the triangle uplo ('G': everywhere). beta = 0 overwrites even NaN. With
 * `hermitian`, also sets the imaginary parts of the diagonal to zero. Does nothing at all if beta =
 * 1. (gemm.cu) */
template <typename T>
int scale(startile_exec *x, char uplo, bool hermitian, int m, int n, T beta, T *c, int ldc);

/* Computes C := beta C for all pieces, which is the result of the products if k = 0 or alpha = 0.
 */
template <typename T>
int scale_group(startile_exec *x, const product_group<T> &g)
{
    for (int q = 0; q < g.pieces; q++)
        if (int error = scale(x, g.piece[q].uplo, g.hermitian && g.piece[q].uplo != 'G',
                              g.piece[q].m, g.piece[q].n, g.beta, g.piece[q].c, g.piece[q].ldc))
            return error;
    return 0;
}

/* Sets the triangle uplo of B ('G': all of B) to that of Aᴴ; A is m × n. (transpose.cu) */
template <typename T>
int conjugate_transpose(startile_exec *x, char uplo, int m, int n, const T *a, int lda, T *b,
                        int ldb);

/* Overwrites A with its Cholesky factor L, and W with L⁻¹, with zeros above the diagonal. Sets
 * x->status->info to 0, or to the order of the first minor that is not positive definite; then W is
 * undefined. (potrf.cu) */
template <typename T>
int factor_and_invert(startile_exec *x, int n, T *a, int lda, T *w, int ldw);

/* Sets *bytes to the bytes of the workspace, from its beginning, that factor_and_invert() uses for
 * lda = n. (potrf.cu) */
template <typename T>
int factor_workspace(startile_exec *x, int n, size_t *bytes);

/* vendor_factor overwrites A with its Cholesky factor and sets x->status->info as
 * factor_and_invert() does. vendor_factor_workspace and vendor_potrf do what factor_workspace and
 * potrf do. All by cuSOLVER. (potrf_vendor.cu) */
template <typename T>
int vendor_factor(startile_exec *x, char uplo, int n, T *a, int lda);
template <typename T>
int vendor_factor_workspace(startile_exec *x, int n, size_t *bytes);
template <typename T>
int vendor_potrf(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                 startile_tile_status *status);

/* Overwrites A with its Cholesky factor in one kernel, for matrices of moderate order. If w is not
 * null, also computes the inverse W of the factor. If `status` is not null, also checks W and
 * writes *status. (potrf_tile.cu) */
template <typename T>
int potrf_by_tiles(startile_exec *x, char uplo, int n, T *a, int lda, T *w, int ldw,
                   startile_tile_status *status);

/* Returns the bytes of the workspace, from its beginning, that potrf_by_tiles uses.
 * (potrf_tile.cu) */
template <typename T>
size_t potrf_tiles_workspace(int n, bool with_inverse);

/* Returns the bytes of shared memory that a thread block of potrf_by_tiles uses at most.
 * (potrf_tile.cu) */
template <typename T>
int potrf_tiles_smem();

/* Does what getrf_nopiv does, by cuSOLVER. (getrf_nopiv_vendor.cu) */
template <typename T>
int vendor_getrf_nopiv(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu,
                       int ldwu, startile_tile_status *status);

/* Does what getrf_nopiv does, in one kernel. The inverses are computed if neither wl nor wu is
 * null; use_inverse is 0 if the 1-norm of one of them is above largest_norm. (getrf_nopiv_tile.cu)
 */
template <typename T>
int nopiv_by_tiles(startile_exec *x, int n, T *a, int lda, T *wl, int ldwl, T *wu, int ldwu,
                   double largest_norm, startile_tile_status *status);

/* Returns the bytes of workspace that nopiv_by_tiles uses. (getrf_nopiv_tile.cu) */
template <typename T>
size_t nopiv_tiles_workspace(int n, bool with_inverses);

/* Returns the bytes of shared memory that a thread block of nopiv_by_tiles uses at most.
 * (getrf_nopiv_tile.cu) */
template <typename T>
int nopiv_tiles_smem();

/* A triangle T and its inverse W. diag 'U': the diagonal of T is 1 and is not read. */
template <typename T>
struct inverse_of {
    char uplo, diag;
    const T *t;
    int ldt;
    T *w;
    int ldw;
};

/* Largest number of triangles that invert() inverts together */
constexpr int most_inverses = 2;

/* Returns the bytes of the workspace, from its beginning, that invert() uses. */
template <typename T>
size_t invert_workspace(int n, int count = 1)
{
    return (size_t(n) * n + 3) / 4 * sizeof(T) * count;
}

/* The order of the diagonal blocks that invert() inverts and check_inverse() checks: the whole T,
 * or STARTILE_INVERTED_ORDER */
constexpr int whole_triangle = INT_MAX;

/* Computes W := T⁻¹ for `count` triangles of order n, in the same launches, and clears the other
 * triangles of W. With `order`: for the diagonal blocks of T; the rest of W is undefined.
 * (trtri.cu) */
template <typename T>
int invert(startile_exec *x, int n, int count, const inverse_of<T> *list,
           int order = whole_triangle);

/* Checks ‖W‖₁ ‖T‖₁ ≤ n for the inverse W of T. With `order`, T and W are the block diagonal
 * matrices of the diagonal blocks, and the limit is min(n, order). The check fails if w is null, or
 * if diag is 'N' and x->status->info ≠ 0. If `status` is not null, writes to it x->status->info, or
 * an earlier NaN pivot as info, and whether all checks since the last report passed. If `status` is
 * null, another check must follow. (trtri.cu) */
template <typename T>
int check_inverse(startile_exec *x, char uplo, char diag, int n, const T *t, int ldt, const T *w,
                  int ldw, startile_tile_status *status, int order = whole_triangle);

} // namespace startile_cuda

#endif
