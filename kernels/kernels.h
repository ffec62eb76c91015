/*
 * Interface between codelets and kernels: one function per operation on one tile, with one
 * signature for all types and devices. Each type and device has one table of functions.
 *
 * Tiles are column-major with a leading dimension in elements. Flags are LAPACK's letters; the
 * caller has checked them. All dimensions may be 0. CPU kernels compute before they return; CUDA
 * kernels enqueue on the stream of their startile_exec and return at once.
 *
 * Kernels return 0 or a startile_error. They never print, and they do not use StarPU.
 */
#ifndef STARTILE_KERNELS_H
#define STARTILE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Resources of a CUDA worker: stream, cuBLAS and cuSOLVER handles, workspace. One per worker, used
 * by one thread at a time. NULL for the CPU. */
typedef struct startile_exec startile_exec;

typedef struct {
    double re, im;
} startile_scalar;

/* Status of the factorization of a diagonal tile or a panel. It is in page-locked host memory,
 * which GPUs write directly, so that the host can read it when the task has ended. */
typedef struct {
    int64_t info; /* 0; or the 1-based order of the failing minor (potrf) or the 1-based column of
                     the first zero pivot (getrf), inside the tile or panel */
    int32_t
        use_inverse; /* 1: the inverse passed the norm check and may be used for multiplication */
} startile_panel;

/* One piece of a stack. The rows of a block column lie in several tiles: a stack of pieces, each
 * column-major, from top to bottom. Kernels treat a stack as one m × n matrix, where m is the sum
 * of the pieces' m. */
typedef struct {
    void *p;
    int ld, m;
} startile_piece;

/* Largest number of pieces of a CUDA kernel: they are passed as kernel arguments, which nvcc limits
 * to 32764 bytes. */
enum { STARTILE_MOST_PIECES = 1024 };

/* One product of a group: C := alpha op(A) op(B) + beta C, where C is m × n. */
typedef struct {
    const void *a, *b;
    void *c;
    int lda, ldb, ldc, m, n;
} startile_product;

/* Largest number of products of a group: they are passed as arguments of a CUDA kernel. */
enum { STARTILE_MOST_PRODUCTS = 512 };

/* Row interchanges of a panel of k pivots: an array `of` of 5 k integers. of[0 … k−1]: ipiv. Row r0
 * + j (0-based, r0 = the first row of the panel) was interchanged with row ipiv[j] − 1, for j = 0,
 * 1, … in this order. ipiv is LAPACK's, in 1-based rows of the whole matrix. of[k … 3k−1] "to" and
 * of[3k … 5k−1] "from": the interchanges as one permutation: row to[i] gets the elements of row
 * from[i]. The rows are 0-based rows of the whole matrix. Every row that moves occurs once, in any
 * order. Unused entries have to = −1. */
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

    /* B := alpha op(W) B (side L) or alpha B op(W) (side R), where W is triangular and its other
     * triangle is zero. With W = T⁻¹ from potrf this is trsm by multiplication. */
    int (*trmm)(startile_exec *x, char side, char uplo, char trans, int m, int n,
                startile_scalar alpha, const void *w, int ldw, void *b, int ldb);

    /* A := its Cholesky factor T. If w is not NULL, W := T⁻¹ (other triangle zero) and
     * panel->use_inverse := ‖W‖₁ ‖T‖₁ ≤ n; both norms are the largest column sums of the stored
     * triangles. */
    int (*potrf)(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                 startile_panel *panel);

    /* A := offdiag off the diagonal and diag on it, in the triangle uplo ('G': everywhere). The
     * diagonal is where row + shift = column. */
    int (*laset)(startile_exec *x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
                 startile_scalar diag, void *a, int lda);

    /* B := A in the triangle uplo ('G': everywhere) */
    int (*lacpy)(startile_exec *x, char uplo, int m, int n, const void *a, int lda, void *b,
                 int ldb);

    /* A := random elements that depend only on seed and the global indices i0 + i, j0 + j (see
     * random.h); bump is added where the two indices are equal */
    int (*random)(startile_exec *x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
                  int64_t j0, int m, int n, void *a, int lda);

    /* acc := partial norm acc combined with the tile's; acc is a vector of doubles. 'M': acc[0] =
     * max(acc[0], |a_ij|) '1': acc[j] += Σ_i |a_ij|          (n of them) 'I': acc[i] += Σ_j |a_ij|
     * (m of them) 'F': acc[0]² acc[1] += weight Σ |a_ij|²    (scale and scaled sum of squares, as
     * LASSQ) weight is 1, or 2 for 'F' to count a tile twice. NaN propagates into acc. */
    int (*lange)(startile_exec *x, char norm, int m, int n, double weight, const void *a, int lda,
                 double *acc);

    /* acc := partial norm acc combined with that of a diagonal tile of a symmetric (hermitian = 0)
     * or Hermitian matrix, whose triangle uplo is read; see lange. '1' and 'I' are equal. */
    int (*lansy)(startile_exec *x, char norm, char uplo, int hermitian, int n, const void *a,
                 int lda, double *acc);

    /* A (a stack, m × n) := its factors L and U with partial pivoting, as LAPACK's xGETRF: P A = L
     * U with unit L and k = min(m, n) pivots. A pivot is the largest element of its column by |re|
     * + |im|, the topmost of equal ones. row0 is the row of the whole matrix at which A begins; it
     * is used only in `pivots` (written, k pivots). panel->info is the first zero pivot; the
     * factorization continues after it. If w is not NULL, W := L11⁻¹ (k × k, unit lower, other
     * triangle zero) and panel->use_inverse := ‖W‖₁ ‖L11‖₁ ≤ k. */
    int (*getrf)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                 startile_pivots_of_panel pivots, void *w, int ldw, startile_panel *panel);

    /* A (n × n) := its factors L and U without pivoting. panel->info is the first zero pivot; the
     * factorization continues after it, with infinities. If wl and wu are not NULL, they become the
     * inverses of L and U (other triangles zero), and panel->use_inverse := both inverses pass the
     * norm check; if it is 0, they may be undefined. */
    int (*getrf_nopiv)(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu,
                       int ldwu, startile_panel *panel);

    /* Applies the interchanges of `panels` panels, first to last, to the rows of A, a stack of n
     * columns that begins at row row0 of the whole matrix. With inverse ≠ 0, undoes them, last to
     * first. All interchanged rows lie in A. */
    int (*laswp)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                 int panels, const startile_pivots_of_panel *p, int inverse);

    /* A := A P for the permutation matrix P of a panel's interchanges: column from[i] gets the
     * elements of column to[i], as xGETRI undoes them. A is a row of blocks of nb columns and a->m
     * rows (the last block may be narrower). Its first column is column column0 of the whole
     * matrix. All interchanged columns lie in A. */
    int (*lapmt)(startile_exec *x, int blocks, const startile_piece *a, int nb, int64_t column0,
                 startile_pivots_of_panel pivots);

    /* Selects the k = min(m, n) pivot rows of A (a stack, m × n; read) by partial pivoting, in the
     * order of the pivots: B := these rows of A, unchanged (k × n), rows_out := their row numbers
     * in the whole matrix. rows_in[q] has the row numbers of piece q. If it is NULL, the numbers
     * are row0, row0 + 1, … from A's first row. B may be a piece of A, and rows_out the row numbers
     * of that piece. (Tournament pivoting) */
    int (*select_rows)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                       const int64_t *const *rows_in, void *b, int ldb, int64_t *rows_out);

    /* pivots := the interchanges that move rows[0 … k−1] of the whole matrix, all different and ≥
     * row0, to rows row0, row0 + 1, … in this order */
    int (*order_rows)(startile_exec *x, int64_t row0, const int64_t *rows,
                      startile_pivots_of_panel pivots);

    /* B := alpha A + beta B */
    int (*geadd)(startile_exec *x, int m, int n, startile_scalar alpha, const void *a, int lda,
                 startile_scalar beta, void *b, int ldb);

    /* One step of Higham's 1-norm estimator (LAPACK xLACN2) on the contiguous n-vector v; *estimate
     * is in the memory of the device that runs the kernel. STARTILE_LACN2_START:       estimate :=
     * 0, v := (1/n, …, 1/n) STARTILE_LACN2_SIGN:        estimate := max(estimate, ‖v‖₁), v :=
     * sign(v) = v/|v|, 1 for 0 STARTILE_LACN2_UNIT:        v := the unit vector at the (first)
     * largest |v_i| STARTILE_LACN2_ALTERNATING: estimate := max(estimate, ‖v‖₁), v_i := (−1)^i (1 +
     * i/(n−1)) STARTILE_LACN2_END:         estimate := max(estimate, 2 ‖v‖₁ / (3 n)) NaN in v makes
     * the estimate NaN, and it stays NaN. */
    int (*lacn2)(startile_exec *x, startile_lacn2 step, int n, void *v, double *estimate);

    /* panel->info := before + the 1-based index of the first zero on the diagonal of the n × n
     * matrix A. panel->info does not change if it is not 0, if no diagonal element is 0, or if
     * *largest is 0. *largest is in the memory of the device that runs the kernel; largest may be
     * NULL. */
    int (*first_zero)(startile_exec *x, int n, const void *a, int lda, int64_t before,
                      const double *largest, startile_panel *panel);

    /* B (n × m) := Aᴴ; A is m × n */
    int (*transpose)(startile_exec *x, int m, int n, const void *a, int lda, void *b, int ldb);

    /* A (a stack, m × n) := R and V in the form of LAPACK's xGEQRF: A = Q R, Q = H₁ … H_k = I − V T
     * Vᴴ, k = min(m, n). T (k × k) := the upper triangle, zeros below the diagonal; its diagonal is
     * tau. If A is very tall, the CUDA kernel waits once for its stream. */
    int (*geqrf)(startile_exec *x, int pieces, const startile_piece *a, int n, void *t, int ldt);

    /* T := the k × k upper triangle of the block reflector I − V T Vᴴ, from tau on T's diagonal;
     * zeros below the diagonal (LAPACK xLARFT, forward, columnwise). V is a stack of k columns from
     * geqrf. */
    int (*larft)(startile_exec *x, int pieces, const startile_piece *v, int k, void *t, int ldt);

    /* C := (I − V op(T) Vᴴ) C, op 'N' or 'C', for a stack C of n columns. V and C have the same
     * number of rows, but may have different pieces. V (k columns) and T are results of geqrf: the
     * elements on and above V's diagonal are not used, and T is zero below its diagonal. The first
     * k rows of V and of C lie in their first pieces. (LAPACK xLARFB) */
    int (*larfb)(startile_exec *x, char trans, int v_pieces, const startile_piece *v, int k,
                 const void *t, int ldt, int c_pieces, const startile_piece *c, int n);

    /* QR factorization of the upper triangle R (n × n, argument a) on top of B (m × n): R := the
     * new R, B := V, T (n × n) := the upper triangle of the block reflector I − [I; V] T [I; V]ᴴ,
     * zeros below the diagonal. uplo 'G': B is full; 'U': B is upper trapezoidal. The elements
     * below the diagonals of R and of a trapezoidal B are not touched. (LAPACK xTPQRT) */
    int (*tpqrt)(startile_exec *x, char uplo, int m, int n, void *a, int lda, void *b, int ldb,
                 void *t, int ldt);

    /* [A; B] := (I − [I; V] op(T) [I; V]ᴴ) [A; B], op 'N' or 'C'; A is k × n, B is m × n; V (m ×
     * k), T and uplo are those of tpqrt. (LAPACK xTPMQRT) */
    int (*tpmqrt)(startile_exec *x, char uplo, char trans, int m, int n, int k, const void *v,
                  int ldv, const void *t, int ldt, void *a, int lda, void *b, int ldb);

    /* A := 2^(e(*up) − e(*down)) A. 2^e(x) scales an x < s to [1, 2) and an x > 1/s to [1/(2s),
     * 1/s), where s is the smallest normal number divided by the machine epsilon; for other x, e(x)
     * = 0. *up and *down are in the memory of the device that runs the kernel; a NULL pointer means
     * e = 0. As in LAPACK, A := 0 if *up is 0; A is first multiplied by 0 if *up is ∞; A is last
     * multiplied by ∞ if *down is ∞. (LAPACK xLASCL, as used by xGELS) */
    int (*lascl)(startile_exec *x, int m, int n, const double *up, const double *down, void *a,
                 int lda);

    /* C_q := alpha op(A_q) op(B_q) + beta C_q for a group of at most STARTILE_MOST_PRODUCTS
     * products with one k. uplo 'L' or 'U': the first product is a rank-k update as in herk: B_0 =
     * A_0, ops 'N', 'C' or 'C', 'N', real alpha and beta, and only the triangle uplo of C_0 is
     * updated. uplo 'G': the first product is a general one. */
    int (*gemm_group)(startile_exec *x, char transa, char transb, int k, startile_scalar alpha,
                      int count, const startile_product *products, startile_scalar beta, char uplo);

    /* trmm for a group of at most STARTILE_MOST_PRODUCTS pieces: B_q := alpha op(W) B_q (side L;
     * B_q is k × b[q].m) or alpha B_q op(W) (side R; B_q is b[q].m × k). W is k × k. */
    int (*trmm_group)(startile_exec *x, char side, char uplo, char trans, int k,
                      startile_scalar alpha, const void *w, int ldw, int count,
                      const startile_piece *b);
} startile_kernels;

/* Indexed by startile_dtype. */
extern const startile_kernels *const startile_cpu_kernels[4];
extern const startile_kernels *const startile_cuda_kernels[4];
/* Tables of the library's own kernels, and of cuBLAS' and cuSOLVER's for products, triangular
 * operations and potrf. startile_cuda_kernels takes the faster of the two for each call. */
extern const startile_kernels *const startile_cuda_own_kernels[4];
extern const startile_kernels *const startile_cuda_vendor_kernels[4];

/* Element size in bytes, indexed by startile_dtype. */
extern const int startile_element_size[4];

/* Computes "to" and "from" of a panel from its ipiv; row0 is its first row. Returns 0 or
 * STARTILE_ERROR_MEMORY. */
int startile_moves_of_pivots(int64_t row0, startile_pivots_of_panel pivots);

/* Computes order_rows on the CPU, for all types. */
int startile_pivots_of_rows(int64_t row0, const int64_t *rows, startile_pivots_of_panel pivots);

/* Sets up the library's own copy of OpenBLAS. Must be called before any CPU kernel, with the number
 * of threads that call CPU kernels at the same time. Returns 0 or STARTILE_ERROR_MEMORY. */
int startile_cpu_setup(int threads);

/* Returns whether this process cannot use GPUs because its parent had used them before fork(). */
int startile_cuda_unusable_after_fork(void);

/* Creates the resources for the calling thread's current CUDA device; all work is enqueued on
 * `stream` (a cudaStream_t). Returns NULL if a handle or memory cannot be allocated. */
startile_exec *startile_exec_create(void *stream);
void startile_exec_destroy(startile_exec *x);

/* Sets whether products in single precision may split their operands and run on tensor cores. */
void startile_exec_allow_tensor_single(startile_exec *x, int allowed);

/* Returns the number of products, or groups of products, that have split their operands. */
int64_t startile_exec_splits(const startile_exec *x);

/* Sets whether the library's own kernels also compute the products that they leave to cuBLAS
 * because cuBLAS is faster: one small product, or a small triangle. For tests and measurements. */
void startile_exec_keep_own(startile_exec *x, int kept);

/* Switch x to its high-priority stream and back. Work enqueued in between has priority over other
 * work of the device, and stays in order with the work enqueued on x before and after. Calls nest.
 * Return 0 or a startile_error. */
int startile_exec_use_priority_stream(startile_exec *x);
int startile_exec_use_default_stream(startile_exec *x);

#ifdef __cplusplus
}
#endif
#endif
