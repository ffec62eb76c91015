/*
 * Interface between codelets and kernels: one function per operation on one tile. All types and
 * devices have the same signatures. Each type and device has one table of functions.
 *
 * Tiles are column-major with a leading dimension in elements. Flags are LAPACK's letters; the
 * caller has checked them. All dimensions may be 0. CPU kernels compute before they return. CUDA
 * kernels enqueue on the stream of their startile_exec and return at once.
 *
 * Kernels return 0 or a startile_error. They never print, and they do not use StarPU.
 */
#ifndef STARTILE_KERNELS_H
#define STARTILE_KERNELS_H

#include "startile_types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Resources of a CUDA worker: stream, cuBLAS and cuSOLVER handles, workspace. Each worker has one,
 * and one thread uses it at a time. CPU kernels get NULL. */
typedef struct startile_exec startile_exec;

/* Functions that allocate and free workspace on GPUs, as in startile_options; NULL: cudaMalloc()
 * and cudaFree(). */
typedef struct {
    startile_allocate *allocate;
    startile_release *release;
    void *context;
} startile_allocator;

typedef struct {
    double re, im;
} startile_scalar;

/* Status of the factorization of a diagonal tile or a panel. It is in page-locked host memory,
 * which GPUs write directly, so that the host can read it when the task has ended. */
typedef struct {
    int64_t info; /* 0, or the 1-based order of the failing minor (potrf), or the 1-based column of
                     the first zero pivot (getrf), inside the tile or panel */
    int32_t use_inverse; /* replacement for a substitution. 1: a product with the inverse;
                            STARTILE_INVERSE_BLOCKS: products with its diagonal blocks of order
                            STARTILE_INVERTED_ORDER (trsm_by_inverses); 0: nothing */
} startile_tile_status;

/* One piece of a tile column: m rows, column-major with leading dimension ld. The rows of a block
 * column lie in several tiles, so a tile column is an array of pieces from top to bottom. Kernels
 * treat it as one m × n matrix, where m is the sum of the pieces' m. */
typedef struct {
    void *p;
    int ld, m;
} startile_piece;

/* Largest number of pieces of a tile column. The pieces are arguments of CUDA kernels, and nvcc
 * limits the arguments of a kernel to 32764 bytes. */
enum { STARTILE_MOST_PIECES = 1024 };

/* One product of a group: C := alpha op(A) op(B) + beta C, where C is m × n. */
typedef struct {
    const void *a, *b;
    void *c;
    int lda, ldb, ldc, m, n;
} startile_product;

/* Largest number of products of a group. The products are arguments of CUDA kernels, and nvcc
 * limits the arguments of a kernel to 32764 bytes. */
enum { STARTILE_MOST_PRODUCTS = 512 };

/* use_inverse of the inverse W of a unit triangle T of order n: 1 for ‖W‖₁ ‖T‖₁ ≤ n,
 * STARTILE_INVERSE_BLOCKS up to STARTILE_UNIT_CONDITION n (trtri.cu has the measurements behind
 * it), else 0. Other triangles have no second limit. */
enum { STARTILE_UNIT_CONDITION = 256, STARTILE_INVERSE_BLOCKS = 2 };

/* Order of the diagonal blocks whose inverses replace a substitution. Larger ones take fewer
 * products, and the residual grows. LU of random matrices of order 4096 to 16384 in double
 * precision on an H100: seconds divided by those with 128, and residual divided by LAPACK's, are
 * 0.96 to 0.98 and 1.16 to 1.49 with 256, 0.95 to 0.96 and 2.8 to 4.7 with the whole inverse
 * (perf_models/NOTES.md, "LU on one GPU"). */
enum { STARTILE_INVERTED_ORDER = 256 };

/* Row interchanges of a panel of k pivots: an array `of` of 5 k integers. All rows are those of the
 * whole matrix.
 * - of[0 … k−1] is LAPACK's ipiv, 1-based: row r0 + j (0-based, r0 = first row of the panel) was
 *   interchanged with row ipiv[j] − 1, for j = 0, 1, … in this order.
 * - of[k … 3k−1] "to" and of[3k … 5k−1] "from" are the interchanges as one permutation, 0-based:
 *   row to[i] gets the elements of row from[i]. Every row that moves occurs once in `to`, in any
 *   order. Unused entries have to[i] = −1. */
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

/* Numbers of the state of the estimator: the estimate; one more than the index of the last unit
 * vector, or 0; whether that was the unit vector before it, too (1 or 0). */
enum {
    STARTILE_LACN2_ESTIMATE,
    STARTILE_LACN2_INDEX,
    STARTILE_LACN2_REPEATS,
    STARTILE_LACN2_STATE /* number of these numbers */
};

typedef enum { STARTILE_GENERAL, STARTILE_SYMMETRIC, STARTILE_HERMITIAN } startile_symmetry;

/* Rows of a matrix that one of several processes owns. Blocks of mb rows belong to the processes in
 * turn. One of the process' blocks begins at row `first` of the matrix; the process' row 0 is
 * `skip` rows below it. */
typedef struct {
    int64_t first;
    int skip, mb, processes;
} startile_rows;

/* Joins two messages: `data` := `data` joined with `received`. Commutative and associative. */
typedef void startile_join(void *data, const void *received, size_t bytes);
/* The processes that factor a panel together */
typedef struct startile_channel {
    /* Replaces `data`, on every process, by the join of the data of all processes; `received` is
     * workspace of the same size. Returns 0 or a startile_error. */
    int (*combine)(const struct startile_channel *c, void *data, void *received, size_t bytes,
                   startile_join *join);
} startile_channel;

/* Value of getrf_part's argument `failure` on a process without a failure */
#define STARTILE_NO_FAILURE INT64_MAX

/* Factors a panel of n columns with partial pivoting together with all processes of `channel`: P A
 * = L U, as the kernel getrf. A is a tile column with those rows of the matrix that `rows`
 * describes, all at or below row row0, where the panel begins. A := this process' rows of L and U.
 * U (n × n) := the pivot rows, which are the factors of the diagonal block. All rows of the
 * diagonal block belong to one process. All processes get the same pivots and status->info. If
 * `failure` of a process is not STARTILE_NO_FAILURE, or the memory of a process does not suffice,
 * all processes do nothing and return the least failure. */
typedef int startile_getrf_part(int pieces, const startile_piece *a, int n, startile_rows rows,
                                int64_t row0, startile_pivots_of_panel pivots, void *u, int ldu,
                                const startile_channel *channel, int64_t failure,
                                startile_tile_status *status);

/* Threads that run the iterations of a loop together: run() calls work(context, i) for 0 ≤ i <
 * count, in any order and in several threads, and returns when all calls have returned. */
typedef void startile_team_work(void *context, int i);
typedef struct startile_team startile_team;
struct startile_team {
    void (*run)(startile_team *team, int count, startile_team_work *work, void *context);
};

/* *rank := the numerical rank r of A's upper triangle R of k rows, the largest order of a leading
 * triangle with an estimated 1 / condition of at least rcond; rcond < 0: the machine epsilon times
 * the larger dimension of A. A is m × n in blocks as above, m = a->m. If r < n, the rows of A
 * from r on and its elements below the diagonal := 0. *estimate := the estimated 1 / condition of
 * R's leading triangle of order r, 0 for r = 0 */
typedef int startile_triangle_rank(const startile_piece *a, int nb, int64_t n, int k, double rcond,
                                   int64_t *rank, double *estimate);

/* A := P A: row i of A moves to row order[i] − 1 */
typedef int startile_row_permutation(int m, int n, const int64_t *order, void *a, int lda);

/* Table of the kernels of one type and device */
typedef struct startile_kernels {
#define KERNEL(name, parameters) int(*name) parameters;
#include "kernel_list.h"
    startile_getrf_part *getrf_part; /* NULL for CUDA */
    startile_triangle_rank *trank;   /* NULL for CUDA */
    startile_row_permutation *lapmr; /* NULL for CUDA */
} startile_kernels;

/* Tables of functions, indexed by startile_dtype */
extern const startile_kernels *const startile_cpu_kernels[4];
extern const startile_kernels *const startile_cuda_kernels[4];
/* Tables of the library's own kernels (own), some of which call cuBLAS or cuSOLVER, and tables that
 * use cuBLAS and cuSOLVER for all products, trmm and potrf (vendor). startile_cuda_kernels chooses
 * between the two for each call of gemm, herk and syrk; its other kernels are the own ones. */
extern const startile_kernels *const startile_cuda_own_kernels[4];
extern const startile_kernels *const startile_cuda_vendor_kernels[4];

/* Element size in bytes, indexed by startile_dtype. */
extern const int startile_element_size[4];

/* Computes "to" and "from" of a panel's interchanges from its ipiv; row0 is the panel's first row.
 * Returns 0 or STARTILE_ERROR_MEMORY. */
int startile_moves_of_pivots(int64_t row0, startile_pivots_of_panel pivots);

/* CPU implementation of the kernel order_rows (kernel_list.h), shared by all types */
int startile_order_rows_cpu(int64_t row0, const int64_t *rows, startile_pivots_of_panel pivots);

/* Sets up the library's own copy of BLAS. Must be called before any CPU kernel. `threads` is
 * the number of threads that call CPU kernels at the same time. Returns 0 or
 * STARTILE_ERROR_MEMORY. */
int startile_cpu_setup(int threads);
/* Notes that no thread calls CPU kernels until the next setup. */
void startile_cpu_stop(void);
/* Writes name and version of that BLAS into text, `size` bytes. */
void startile_cpu_describe(char *text, int size);

/* Returns 1 if this process cannot use GPUs because its parent used them before fork(), else 0. */
int startile_cuda_unusable_after_fork(void);

/* Creates the resources of a worker on the calling thread's current CUDA device. Kernels enqueue
 * their work on `stream` (a cudaStream_t). Returns NULL on failure. */
startile_exec *startile_exec_create(void *stream, const startile_allocator *allocator);
void startile_exec_destroy(startile_exec *x);

/* Sets how x computes products in single precision; PLAIN after startile_exec_create(). */
void startile_exec_set_products(startile_exec *x, startile_products products);

/* Sets whether x may emulate products in double precision on INT8 tensor cores; no after
 * startile_exec_create(). */
void startile_exec_emulate_double(startile_exec *x, int emulated);

/* Returns the number of launches of split products of x in single precision, and of emulated ones
 * in double precision. It includes the launches in which the elements did not allow tensor cores.
 */
int64_t startile_exec_splits(const startile_exec *x);

/* Sets whether the library's own kernels also compute those products for which cuBLAS is faster and
 * is called otherwise: one small product or a small triangle. For tests and measurements. */
void startile_exec_keep_own(startile_exec *x, int kept);

/* Switch x to its high-priority stream and back. Work enqueued in between has priority over other
 * work of the device. It stays in order with the work enqueued on x before and after. Calls nest.
 * Return 0 or a startile_error. */
int startile_exec_use_priority_stream(startile_exec *x);
int startile_exec_use_default_stream(startile_exec *x);

/* Makes the priority stream of `other` that of x, too; `other` is a context of the same device that
 * outlives x. Kernels whose thread blocks wait for each other then run one after the other, though
 * two threads launch them. */
void startile_exec_share_priority_stream(startile_exec *x, const startile_exec *other);

#ifdef __cplusplus
}
#endif
#endif
