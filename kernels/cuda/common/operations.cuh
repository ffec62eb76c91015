/*
 * The operations of kernels.h as templates, each in the file of its name, and the steps that they
 * share. Private to kernels/cuda.
 */
#ifndef STARTILE_OPERATIONS_CUH
#define STARTILE_OPERATIONS_CUH

#include "common/element.cuh"
#include "common/exec.cuh"
#include "gemm/product.cuh"

namespace startile_cuda
{

template <typename T>
int gemm(startile_exec *x, char transa, char transb, int m, int n, int k, startile_scalar alpha,
         const void *a, int lda, const void *b, int ldb, startile_scalar beta, void *c, int ldc);
template <typename T>
int herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc);
template <typename T>
int syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc);
template <typename T>
int trsm(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
         startile_scalar alpha, const void *a, int lda, void *b, int ldb);
template <typename T>
int trmm(startile_exec *x, char side, char uplo, char trans, int m, int n, startile_scalar alpha,
         const void *w, int ldw, void *b, int ldb);
template <typename T>
int potrf(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
          startile_panel *panel);
template <typename T>
int laset(startile_exec *x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
          startile_scalar diag, void *a, int lda);
template <typename T>
int lacpy(startile_exec *x, char uplo, int m, int n, const void *a, int lda, void *b, int ldb);
template <typename T>
int random(startile_exec *x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
           int64_t j0, int m, int n, void *a, int lda);
template <typename T>
int lange(startile_exec *x, char norm, int m, int n, double weight, const void *a, int lda,
          double *acc);
template <typename T>
int lansy(startile_exec *x, char norm, char uplo, int hermitian, int n, const void *a, int lda,
          double *acc);
template <typename T>
int getrf(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
          startile_pivots_of_panel pivots, void *w, int ldw, startile_panel *panel);
template <typename T>
int getrf_nopiv(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu, int ldwu,
                startile_panel *panel);
template <typename T>
int laswp(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0, int panels,
          const startile_pivots_of_panel *p, int inverse);
template <typename T>
int lapmt(startile_exec *x, int blocks, const startile_piece *a, int nb, int64_t column0,
          startile_pivots_of_panel pivots);
template <typename T>
int select_rows(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                const int64_t *const *rows_in, void *b, int ldb, int64_t *rows_out);
int order_rows(startile_exec *x, int64_t row0, const int64_t *rows,
               startile_pivots_of_panel pivots);
template <typename T>
int geadd(startile_exec *x, int m, int n, startile_scalar alpha, const void *a, int lda,
          startile_scalar beta, void *b, int ldb);
template <typename T>
int lacn2(startile_exec *x, startile_lacn2 step, int n, void *v, double *estimate);
template <typename T>
int first_zero(startile_exec *x, int n, const void *a, int lda, int64_t before,
               const double *largest, startile_panel *panel);
template <typename T>
int transpose(startile_exec *x, int m, int n, const void *a, int lda, void *b, int ldb);
template <typename T>
int geqrf(startile_exec *x, int pieces, const startile_piece *a, int n, void *t, int ldt);
template <typename T>
int larft(startile_exec *x, int pieces, const startile_piece *v, int k, void *t, int ldt);
template <typename T>
int larfb(startile_exec *x, char trans, int v_pieces, const startile_piece *v, int k, const void *t,
          int ldt, int c_pieces, const startile_piece *c, int n);
template <typename T>
int tpqrt(startile_exec *x, char uplo, int m, int n, void *a, int lda, void *b, int ldb, void *t,
          int ldt);
template <typename T>
int tpmqrt(startile_exec *x, char uplo, char trans, int m, int n, int k, const void *v, int ldv,
           const void *t, int ldt, void *a, int lda, void *b, int ldb);
template <typename T>
int lascl(startile_exec *x, int m, int n, const double *up, const double *down, void *a, int lda);
template <typename T>
int gemm_group(startile_exec *x, char transa, char transb, int k, startile_scalar alpha, int count,
               const startile_product *products, startile_scalar beta, char uplo);
template <typename T>
int trmm_group(startile_exec *x, char side, char uplo, char trans, int k, startile_scalar alpha,
               const void *w, int ldw, int count, const startile_piece *b);

/* The operations that cuBLAS and cuSOLVER have (vendor.cu) */
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

/* Computes C := beta C in the triangle uplo ('G': everywhere); beta = 0 overwrites even NaN. With
 * hermitian, sets the imaginary parts on the diagonal to zero. (gemm.cu) */
template <typename T>
int scale(startile_exec *x, char uplo, bool hermitian, int m, int n, T beta, T *c, int ldc);

/* Scales the C of all pieces: the result of products with k = 0 or alpha = 0. */
template <typename T>
int scale_group(startile_exec *x, const product_group<T> &g)
{
    for (int q = 0; q < g.pieces; q++)
        if (int error = scale(x, q == 0 ? g.uplo : 'G', q == 0 && g.hermitian, g.piece[q].m,
                              g.piece[q].n, g.beta, g.piece[q].c, g.piece[q].ldc))
            return error;
    return 0;
}

/* Sets the triangle uplo of B ('G': all of B) to that of Aᴴ; A is m × n. (transpose.cu) */
template <typename T>
int conjugate_transpose(startile_exec *x, char uplo, int m, int n, const T *a, int lda, T *b,
                        int ldb);

/* Overwrites A with its Cholesky factor; x->status->info tells whether it has one. (potrf.cu) */
template <typename T>
int factor(startile_exec *x, char uplo, int n, T *a, int lda);

/* Returns in *bytes the part of the workspace, from its beginning, that factor() uses for uplo 'L'
 * and lda = n. (potrf.cu) */
template <typename T>
int factor_workspace(startile_exec *x, int n, size_t *bytes);

/* Do the same by cuSOLVER. (potrf_vendor.cu) */
template <typename T>
int vendor_factor(startile_exec *x, char uplo, int n, T *a, int lda);
template <typename T>
int vendor_factor_workspace(startile_exec *x, int n, size_t *bytes);
template <typename T>
int vendor_potrf(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                 startile_panel *panel);

/* Does the same in one kernel, for matrices of moderate size. With w not null also computes the
 * inverse W and, with panel not null, checks it. (potrf_tile.cu) */
template <typename T>
int potrf_by_tiles(startile_exec *x, char uplo, int n, T *a, int lda, T *w, int ldw,
                   startile_panel *panel);

/* Returns the bytes of the workspace, from its beginning, that potrf_by_tiles uses. (potrf_tile.cu)
 */
template <typename T>
size_t potrf_tiles_workspace(int n, bool with_inverse);

/* Returns the maximal shared memory of a thread block of potrf_by_tiles, in bytes. (potrf_tile.cu)
 */
template <typename T>
int potrf_tiles_smem();

/* Computes W := T⁻¹ for a triangle T, whose diagonal is not read with diag 'U', and clears the
 * other triangle of W. Uses n²/4 elements of the workspace, from its beginning. (trtri.cu) */
template <typename T>
int invert(startile_exec *x, char uplo, char diag, int n, const T *t, int ldt, T *w, int ldw);

/* Checks ‖W‖₁ ‖T‖₁ ≤ n for the inverse W of T; a null W fails. With panel not null, writes
 * x->status->info and whether all checks since the last report passed to *panel; with panel null
 * another check must follow. A triangle with diag 'N' and x->status->info ≠ 0 also fails.
 * (trtri.cu) */
template <typename T>
int check_inverse(startile_exec *x, char uplo, char diag, int n, const T *t, int ldt, const T *w,
                  int ldw, startile_panel *panel);

} // namespace startile_cuda

#endif
