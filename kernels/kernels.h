/*
 * The contract between codelets and kernels: one function per operation on one tile, with the same
 * signature for every type and device, in one table per type and device.
 *
 * Tiles are column-major with a leading dimension in elements. Flags are LAPACK's letters and have
 * been checked. All dimensions may be 0. CPU kernels compute before they return; CUDA kernels
 * enqueue on the stream of their startile_exec and return at once.
 *
 * Kernels return 0 or a startile_error. They never print, and they know nothing of StarPU.
 */
#ifndef STARTILE_KERNELS_H
#define STARTILE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a CUDA worker needs to run kernels: stream, cuBLAS and cuSOLVER handles, workspace. One per
 * worker, used by one thread at a time. NULL for the CPU. */
typedef struct startile_exec startile_exec;

typedef struct {
    double re, im;
} startile_scalar;

/* Outcome of a diagonal tile or of a panel. Lives in page-locked host memory, which GPUs write
 * directly, so that the host can read it as soon as the task has ended. */
typedef struct {
    int64_t info;        /* 0, or the 1-based order of the failing minor (potrf), the 1-based
                            column of the first zero pivot (getrf), inside the tile or panel */
    int32_t use_inverse; /* 1: the inverse passed the norm check and may be multiplied with */
} startile_panel;

/* Rows of a block column lie in tiles, one under the other: a stack of pieces, each column-major.
 * Kernels take the pieces from top to bottom and see one m × n matrix, m the sum of the pieces'. */
typedef struct {
    void *p;
    int ld, m;
} startile_piece;

/* The most pieces that a CUDA kernel takes: they travel as its arguments, and the compiler allows
 * 32764 bytes of these. */
enum { STARTILE_MOST_PIECES = 1024 };

/* One of a group of products: C := alpha op(A) op(B) + beta C, where C is m × n. */
typedef struct {
    const void *a, *b;
    void *c;
    int lda, ldb, ldc, m, n;
} startile_product;

/* The most products of a group: they, too, travel as arguments of a CUDA kernel. */
enum { STARTILE_MOST_PRODUCTS = 512 };

/* The row interchanges of a panel of k pivots: an array `of` of 5 k integers.
 *   of[0 … k−1]: ipiv. Row r0 + j (0-based, r0 = the first row of the panel) was interchanged with
 *     row ipiv[j] − 1, in this order of j: LAPACK's, 1-based rows of the whole matrix.
 *   of[k … 3k−1] "to" and of[3k … 5k−1] "from": the same as a permutation, to be applied at once:
 *     row to[i] becomes what was in row from[i]; 0-based rows of the whole matrix, every row that
 *     moves once, in any order; unused entries have to = −1. */
typedef struct {
    int64_t *of;
    int k;
} startile_pivots_of_panel;

typedef enum {
    STARTILE_LACN2_START,
    STARTILE_LACN2_SIGN,
    STARTILE_LACN2_UNIT,
    STARTILE_LACN2_ALTERNATING,
    STARTILE_LACN2_END
} startile_lacn2;

typedef enum { STARTILE_GENERAL, STARTILE_SYMMETRIC, STARTILE_HERMITIAN } startile_symmetry;

typedef struct startile_kernels {
    /* C := alpha op(A) op(B) + beta C; C is m × n */
    int (*gemm)(startile_exec *x, char transa, char transb, int m, int n, int k,
                startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
                startile_scalar beta, void *c, int ldc);

    /* C := alpha op(A) op(A)ᴴ + beta C on one triangle; alpha.im and beta.im are 0 */
    int (*herk)(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc);

    /* C := alpha op(A) op(A)ᵀ + beta C on one triangle */
    int (*syrk)(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc);

    /* B := alpha op(A)⁻¹ B (side L) or alpha B op(A)⁻¹ (side R); B is m × n */
    int (*trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
                startile_scalar alpha, const void *a, int lda, void *b, int ldb);

    /* B := alpha op(W) B (side L) or alpha B op(W) (side R), where W is a triangle: the inverse
     * that potrf left, so that this is trsm by multiplication. The other triangle of W is zero. */
    int (*trmm)(startile_exec *x, char side, char uplo, char trans, int m, int n,
                startile_scalar alpha, const void *w, int ldw, void *b, int ldb);

    /* A := its Cholesky factor T. With w not NULL, also W := T⁻¹ (other triangle zero) and
     * panel->use_inverse := ‖W‖₁ ‖T‖₁ ≤ n, column sums as stored for both triangles. */
    int (*potrf)(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                 startile_panel *panel);

    /* A := offdiag off the diagonal and diag on it, in the triangle uplo ('G': everywhere). The
     * diagonal is where row + shift = column. */
    int (*laset)(startile_exec *x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
                 startile_scalar diag, void *a, int lda);

    /* B := A in the triangle uplo ('G': everywhere) */
    int (*lacpy)(startile_exec *x, char uplo, int m, int n, const void *a, int lda, void *b,
                 int ldb);

    /* A := random elements that depend on seed and the global indices i0 + i, j0 + j only (see
     * random.h); bump is added where those are equal */
    int (*random)(startile_exec *x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
                  int64_t j0, int m, int n, void *a, int lda);

    /* acc := acc combined with the tile, for one of the norms below; acc is a vector of doubles.
     *   'M': acc[0] = max(acc[0], |a_ij|)
     *   '1': acc[j] += Σ_i |a_ij|          (n of them)
     *   'I': acc[i] += Σ_j |a_ij|          (m of them)
     *   'F': acc[0]² acc[1] += weight Σ |a_ij|²    (scale and scaled sum of squares, as LASSQ)
     * weight is 1 except for 'F', where 2 counts a tile twice. NaN propagates into acc. */
    int (*lange)(startile_exec *x, char norm, int m, int n, double weight, const void *a, int lda,
                 double *acc);

    /* The same for a diagonal tile of a symmetric (hermitian = 0) or Hermitian matrix, of which
     * the triangle uplo is read; '1' and 'I' are the same. */
    int (*lansy)(startile_exec *x, char norm, char uplo, int hermitian, int n, const void *a,
                 int lda, double *acc);

    /* A (a stack, m × n) := its factors L and U with partial pivoting, as LAPACK's xGETRF: P A = L
     * U with unit L, k = min(m, n) pivots, the largest of a column by |re| + |im|, the topmost of
     * equals. row0 is the row of the whole matrix that A begins at: it enters `pivots` (written, k
     * pivots) only. A zero pivot is recorded in panel->info and the factorization goes on. With w
     * not NULL, also W := L11⁻¹, k × k, unit lower, other triangle zero, and panel->use_inverse :=
     * ‖W‖₁ ‖L11‖₁ ≤ k. */
    int (*getrf)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                 startile_pivots_of_panel pivots, void *w, int ldw, startile_panel *panel);

    /* A (n × n) := its factors L and U without pivoting; a zero pivot is recorded in panel->info
     * and the factorization goes on, with infinities. With wl and wu not NULL, also their inverses,
     * as triangles whose other halves are zero, and panel->use_inverse: both pass the norm check;
     * if not, they may be left undefined.
     */
    int (*getrf_nopiv)(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu,
                       int ldwu, startile_panel *panel);

    /* Applies the interchanges of `panels` panels, first to last, to the rows of A (a stack, n
     * columns) that begins at row row0 of the whole matrix; with inverse, undoes them, last to
     * first. All the rows that they name lie in A. */
    int (*laswp)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                 int panels, const startile_pivots_of_panel *p, int inverse);

    /* A := A P for the permutation matrix P of a panel's interchanges: column from[i] becomes what
     * was in column to[i], as xGETRI undoes them. A is a line of blocks of nb columns and a->m rows
     * (the last block may be narrower); its first column is column column0 of the whole matrix, and
     * all columns that are named lie in it. */
    int (*lapmt)(startile_exec *x, int blocks, const startile_piece *a, int nb, int64_t column0,
                 startile_pivots_of_panel pivots);

    /* Chooses k = min(m, n) rows of A (a stack, m × n; read) as partial pivoting would, in that
     * order: B := those rows as they are in A (k × n), rows_out := their names. rows_in[q] names
     * the rows of piece q; where it is NULL they are called row0, row0 + 1, … from A's first row.
     * B may be a piece of A, and rows_out the names of its rows. (Tournament pivoting.) */
    int (*select_rows)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                       const int64_t *const *rows_in, void *b, int ldb, int64_t *rows_out);

    /* pivots := the interchanges that bring rows[0 … k−1] of the whole matrix, all different and
     * ≥ row0, to row0, row0 + 1, … in this order */
    int (*order_rows)(startile_exec *x, int64_t row0, const int64_t *rows,
                      startile_pivots_of_panel pivots);

    /* B := alpha A + beta B */
    int (*geadd)(startile_exec *x, int m, int n, startile_scalar alpha, const void *a, int lda,
                 startile_scalar beta, void *b, int ldb);

    /* One step of the 1-norm estimator of Higham (LAPACK xLACN2) on the n-vector v, a contiguous
     * column; estimate is a double where the kernel runs.
     *   STARTILE_LACN2_START:       estimate := 0, v := (1/n, …, 1/n)
     *   STARTILE_LACN2_SIGN:        estimate := max(estimate, ‖v‖₁), v := sign(v) = v/|v|, 1 for 0
     *   STARTILE_LACN2_UNIT:        v := the unit vector at the (first) largest |v_i|
     *   STARTILE_LACN2_ALTERNATING: estimate := max(estimate, ‖v‖₁), v_i := (−1)^i (1 + i/(n−1))
     *   STARTILE_LACN2_END:         estimate := max(estimate, 2 ‖v‖₁ / (3 n))
     * NaN in v makes the estimate NaN for good. */
    int (*lacn2)(startile_exec *x, startile_lacn2 step, int n, void *v, double *estimate);

    /* panel->info := before + the 1-based index of the first zero on the diagonal of the n × n A,
     * where panel->info is 0 and there is one; else it stays as it is, and where *largest, a double
     * where the kernel runs, is 0. largest may be NULL. */
    int (*first_zero)(startile_exec *x, int n, const void *a, int lda, int64_t before,
                      const double *largest, startile_panel *panel);

    /* B (n × m) := Aᴴ; A is m × n */
    int (*transpose)(startile_exec *x, int m, int n, const void *a, int lda, void *b, int ldb);

    /* A (a stack, m × n) := R and V, as LAPACK's xGEQRF leaves them: A = Q R, Q = H₁ … H_k = I − V
     * T Vᴴ, k = min(m, n). T (k × k) := its upper triangle, zeros below; its diagonal is tau.
     * The CUDA kernel waits for its stream once where A is very tall. */
    int (*geqrf)(startile_exec *x, int pieces, const startile_piece *a, int n, void *t, int ldt);

    /* T := the k × k triangle of the block reflector I − V T Vᴴ, given tau on T's diagonal (LAPACK
     * xLARFT, forward, columnwise); zeros below. V is a stack of k columns as geqrf left it. */
    int (*larft)(startile_exec *x, int pieces, const startile_piece *v, int k, void *t, int ldt);

    /* C := (I − V op(T) Vᴴ) C, op 'N' or 'C', for a stack C of n columns and as many rows as V's,
     * which may be cut into pieces otherwise. V (k columns) and T are as geqrf left them: what is
     * on and above V's diagonal is not used, and T has its zeros. The first k rows of each lie in
     * its first piece. (LAPACK xLARFB) */
    int (*larfb)(startile_exec *x, char trans, int v_pieces, const startile_piece *v, int k,
                 const void *t, int ldt, int c_pieces, const startile_piece *c, int n);

    /* QR of a triangle R (n × n, upper; a) on top of B (m × n): R := the new one, B := V, T (n × n)
     * := the triangle of the block reflector I − [I; V] T [I; V]ᴴ, zeros below. uplo 'G': B is
     * full; 'U': B is upper trapezoidal, and what is below its diagonal is not touched. R's
     * other triangle is not touched either. (LAPACK xTPQRT) */
    int (*tpqrt)(startile_exec *x, char uplo, int m, int n, void *a, int lda, void *b, int ldb,
                 void *t, int ldt);

    /* [A; B] := (I − [I; V] op(T) [I; V]ᴴ) [A; B], op 'N' or 'C'; A is k × n, B is m × n; V (m × k)
     * and T are as tpqrt left them, uplo as there. (LAPACK xTPMQRT) */
    int (*tpmqrt)(startile_exec *x, char uplo, char trans, int m, int n, int k, const void *v,
                  int ldv, const void *t, int ldt, void *a, int lda, void *b, int ldb);

    /* A := 2^(e(up) − e(down)) A, where 2^e(x) brings an x below s to [1, 2) and one above 1/s
     * to [1/(2s), 1/s), s = the smallest normal number by the relative spacing of numbers; else
     * e(x) = 0. up and down, each a double where the kernel runs, may be NULL: e = 0. (LAPACK
     * xLASCL, as xGELS uses it.) As there A := 0 where *up is 0, A := 0·A before where *up is ∞, A
     * := ∞·A after where *down is ∞. */
    int (*lascl)(startile_exec *x, int m, int n, const double *up, const double *down, void *a,
                 int lda);

    /* C_q := alpha op(A_q) op(B_q) + beta C_q for the products of a group, with one k, at most
     * STARTILE_MOST_PRODUCTS. uplo 'L', 'U': the first is a rank-k update, as herk's: B_0 = A_0,
     * ops 'N', 'C' or 'C', 'N', real alpha and beta, only that triangle of C_0; 'G': it is not. */
    int (*gemm_group)(startile_exec *x, char transa, char transb, int k, startile_scalar alpha,
                      int count, const startile_product *products, startile_scalar beta, char uplo);

    /* trmm for a group of pieces: B_q := alpha op(W) B_q (side L; k × m_q), alpha B_q op(W) (side
     * R; m_q × k), for m_q of the piece, at most STARTILE_MOST_PRODUCTS. W is k × k. */
    int (*trmm_group)(startile_exec *x, char side, char uplo, char trans, int k,
                      startile_scalar alpha, const void *w, int ldw, int count,
                      const startile_piece *b);
} startile_kernels;

/* Indexed by startile_dtype. */
extern const startile_kernels *const startile_cpu_kernels[4];
extern const startile_kernels *const startile_cuda_kernels[4];
/* The first takes the faster of these: the library's own, and cuBLAS' and cuSOLVER's for products,
 * triangles and potrf. */
extern const startile_kernels *const startile_cuda_own_kernels[4];
extern const startile_kernels *const startile_cuda_vendor_kernels[4];

/* Element size in bytes, indexed by startile_dtype. */
extern const int startile_element_size[4];

/* Fills in "to" and "from" of a panel whose ipiv is there already; row0 is its first row. 0 or
 * STARTILE_ERROR_MEMORY. */
int startile_moves_of_pivots(int64_t row0, startile_pivots_of_panel pivots);

/* order_rows on the CPU, the same for all types. */
int startile_pivots_of_rows(int64_t row0, const int64_t *rows, startile_pivots_of_panel pivots);

/* To be called before any CPU kernel, with the number of threads that will call them at a time:
 * sets up the library's own copy of OpenBLAS. 0 or STARTILE_ERROR_MEMORY. */
int startile_cpu_setup(int threads);

/* Returns whether this process cannot use GPUs because its parent had used them before fork(). */
int startile_cuda_unusable_after_fork(void);

/* For the calling thread's current CUDA device, with everything enqueued on `stream` (a
 * cudaStream_t). NULL when a handle or memory cannot be had. */
startile_exec *startile_exec_create(void *stream);
void startile_exec_destroy(startile_exec *x);

/* Whether products in single precision may split their operands and run on tensor cores. */
void startile_exec_allow_tensor_single(startile_exec *x, int allowed);

/* Has grown where a product, or a group of them, did so. */
int64_t startile_exec_splits(const startile_exec *x);

/* Whether the library's own products also compute what they would leave to cuBLAS, since that is
 * faster at it: one small product, or a small triangle. For tests and measurements of them. */
void startile_exec_keep_own(startile_exec *x, int kept);

/* Switch x to its high-priority stream and back. Work enqueued in between goes before other work of
 * the device, and stays in order with the work enqueued on x before and after. Calls nest. Return 0
 * or a startile_error. */
int startile_exec_use_priority_stream(startile_exec *x);
int startile_exec_use_default_stream(startile_exec *x);

#ifdef __cplusplus
}
#endif
#endif
