/**
 * @file startile_batch.h
 * @brief Batches: one operation on many small matrices or vectors, divided among tasks.
 *
 * Two levels, as for large matrices:
 *  - typed entries, for example `startile_dpotrf_batch_strided()`, `startile_dpotrf_batch()` and
 *    `startile_dpotrf_vbatch()`, take LAPACK's arguments and block;
 *  - `startile_potrf_batch_async()` takes descriptors, submits and returns, and
 *    `startile_potrf_batch()` waits.
 *
 * A ::startile_batch is divided into chunks: a chunk is one StarPU handle, and a task works on one
 * chunk of each operand. All operands of a call must be divided into the same chunks; otherwise the
 * call returns −i for a wrong argument. The argument `like` of the constructors copies the chunks
 * of another batch.
 *
 * **Return values** are those of startile.h. A singular or indefinite matrix, or NaN in one, does
 * not affect the call or the other matrices: every matrix has its own info, with LAPACK's meaning,
 * in an array or a batch of integers. A blocking call returns k > 0 if matrix k, counted from 1 in
 * the caller's order, is the first with info ≠ 0. An asynchronous call does not fail its request
 * for this reason. With count = 0 a call does nothing.
 *
 * **Threads.** As in startile.h.
 */
#ifndef STARTILE_BATCH_H
#define STARTILE_BATCH_H

#include "startile.h"
#include "startile_lapack.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup batch Batches
 *
 *  **Memory.** Wrapped matrices are either all in host memory or all in the memory of one GPU. That
 *  GPU must have a StarPU worker, else the call returns #STARTILE_ERROR_NO_WORKER. Between wrapping
 *  and startile_batch_destroy() the caller must not write the matrices, and may read results only
 *  after startile_batch_gather(). Matrices at arbitrary addresses in host memory are used in place
 *  if only CPU workers run tasks. For GPUs the constructor copies each chunk into page-locked
 *  memory; startile_batch_gather() and startile_batch_destroy() copy back the chunks that
 *  tasks have written.
 *
 *  Elements in the memory of a GPU must be aligned to their size, as CUDA requires; in host memory
 *  C's alignment of the type suffices.
 *
 *  **Chunks.** The constructors take per_task, the number of matrices in a chunk, and `like`. With
 *  like = NULL and per_task = 0 the library chooses the chunks: on CPUs one for a batch of at most
 *  300 µs, else a few per worker, but tasks of at least 100 µs; on GPUs two per GPU, but at least
 *  4096 matrices in a chunk; if CPUs and GPUs share a batch, one per core and two per GPU, but
 *  chunks of at most about one millisecond on a GPU. With GPUs a chunk has at most about 512 MiB.
 *  The times are those of an LU factorization, whichever operations follow, by the machine's
 *  calibrated models. Without models, and for vectors, the assumed speeds are 7 GFLOP/s and 50 ns a
 *  column on a core, and 500 GFLOP/s on a GPU. With like ≠ NULL per_task is ignored: the batch gets
 *  the chunks of `like`, and its order if those matrices were sorted.
 *
 *  **Threads.** One thread at a time uses a batch in a call. Threads may use different batches at
 *  once, and pass one batch as `like`.
 *  @{
 */

/** @brief Many small matrices, or columns of integers. */
typedef struct startile_batch startile_batch;

/** @brief Type, dimensions and chunks of a batch, see startile_batch_shape(). */
typedef struct startile_batch_dims {
    startile_dtype dtype; /**< type of the elements, unless they are integers */
    int has_integers;     /**< non-zero: elements are int64_t */
    int64_t count;        /**< number of matrices */
    int64_t m;            /**< rows of each matrix; the largest number if varies */
    int64_t n;            /**< columns of each matrix; the largest number if varies */
    int64_t chunks;       /**< number of chunks, each one handle */
    int varies;           /**< non-zero: the matrices have different m and n */
} startile_batch_dims;

/**
 * @brief Creates a batch in memory of the library. A chunk is allocated where a task first writes
 * it; its elements are zero until then.
 * @param[out] b the descriptor
 * @param dtype type of the elements
 * @param count number of matrices, ≥ 0
 * @param m rows of each, ≥ 0
 * @param n columns of each, ≥ 0; m·n < 2³¹
 * @param per_task matrices in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −7, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_batch_create(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                              int64_t n, int64_t per_task, const startile_batch *like);

/**
 * @brief Creates a batch of int64_t columns: pivots are columns of m = min(rows, columns) integers,
 * an info is a column of one integer.
 * @param[out] b the descriptor
 * @param count number of columns, ≥ 0
 * @param m integers of each, ≥ 0
 * @param per_task columns in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −5, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_batch_create_integers(startile_batch **b, int64_t count, int64_t m,
                                       int64_t per_task, const startile_batch *like);

/**
 * @brief Wraps matrices at a constant stride without a copy.
 *
 * A vector of increment inc is a matrix of one row with ld = inc.
 * @param[out] b the descriptor
 * @param dtype type of the elements
 * @param count number of matrices, ≥ 0
 * @param m rows of each, ≥ 0
 * @param n columns of each, ≥ 0
 * @param a the first matrix; matrix q begins at a + q·stride
 * @param ld leading dimension of each, max(1, m) … 2³¹ − 1
 * @param stride elements from one matrix to the next, at least (n − 1)·ld + m. 0: all matrices of
 *         the batch are one matrix, which operations may only read. Not used for a single matrix
 *         and for matrices without elements
 * @param per_task matrices in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −10, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU, #STARTILE_ERROR_NO_WORKER
 */
int64_t startile_batch_wrap(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                            int64_t n, void *a, int64_t ld, int64_t stride, int64_t per_task,
                            const startile_batch *like);

/**
 * @brief Wraps columns of m integers at a constant stride, as startile_batch_wrap() does.
 * @param[out] b the descriptor
 * @param count number of columns, ≥ 0
 * @param m integers of each, ≥ 0
 * @param a the first column
 * @param stride integers from one column to the next, as for startile_batch_wrap() with n = 1
 * @param per_task columns in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −7, or as for startile_batch_wrap()
 */
int64_t startile_batch_wrap_integers(startile_batch **b, int64_t count, int64_t m, int64_t *a,
                                     int64_t stride, int64_t per_task, const startile_batch *like);

/**
 * @brief Wraps matrices of one size at arbitrary addresses.
 * @param[out] b the descriptor
 * @param dtype type of the elements
 * @param count number of matrices, ≥ 0
 * @param m rows of each, ≥ 0
 * @param n columns of each, ≥ 0
 * @param each addresses of the matrices: an array of count pointers in host memory, which is copied
 * @param ld leading dimension of each, max(1, m) … 2³¹ − 1
 * @param per_task matrices in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −9 or as startile_batch_wrap()
 */
int64_t startile_batch_wrap_pointers(startile_batch **b, startile_dtype dtype, int64_t count,
                                     int64_t m, int64_t n, void *const *each, int64_t ld,
                                     int64_t per_task, const startile_batch *like);

/**
 * @brief Wraps matrices of different sizes at arbitrary addresses.
 *
 * With like = NULL matrices in host memory are sorted by size, so that the matrices of a chunk have
 * similar sizes; the other operands of a call must then be created with this batch as `like`. All
 * argument arrays are in host memory and are copied. The wrapped matrices stay in place. A batch of
 * startile_batch_create() or startile_batch_create_integers() with a sorted `like` is stored in the
 * sorted order; startile_batch_to_lapack() returns it in the caller's order.
 * @param[out] b the descriptor
 * @param dtype type of the elements
 * @param count number of matrices, ≥ 0
 * @param m rows of each
 * @param n columns of each
 * @param each addresses of the matrices
 * @param ld leading dimension of each
 * @param per_task matrices in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −9 or as startile_batch_wrap()
 */
int64_t startile_batch_wrap_sizes(startile_batch **b, startile_dtype dtype, int64_t count,
                                  const int64_t *m, const int64_t *n, void *const *each,
                                  const int64_t *ld, int64_t per_task, const startile_batch *like);

/**
 * @brief Wraps columns of m[q] integers at arbitrary addresses, as startile_batch_wrap_sizes()
 * does.
 * @param[out] b the descriptor
 * @param count number of columns, ≥ 0
 * @param m integers of each; count numbers
 * @param each addresses of the columns
 * @param per_task columns in a chunk, or 0
 * @param like a batch of as many matrices, or NULL
 * @return 0, −1 … −6, or as for startile_batch_wrap()
 */
int64_t startile_batch_wrap_integer_pointers(startile_batch **b, int64_t count, const int64_t *m,
                                             int64_t *const *each, int64_t per_task,
                                             const startile_batch *like);

/**
 * @brief Creates a batch from the caller's StarPU vectors, one per chunk.
 *
 * Matrix q of a chunk begins at element q·stride of its vector. The caller keeps the ownership of
 * the handles. All matrices have one size: use one batch with its own vectors per size, or, if the
 * operation allows it, extend smaller matrices to the largest size by an identity block. Only
 * startile_batch_wrap_sizes() supports different sizes in one batch, without handles of the caller.
 * The elements between the matrices of an operand that is only written (info, pivots, tau, results)
 * keep their values if the vector has a home node, and are undefined after the operation otherwise.
 * A vector whose sequential consistency flag is off is refused with −8. An operation that reads a
 * vector without a value ends its request with #STARTILE_ERROR_TILE.
 * @param[out] b the descriptor
 * @param dtype type of the elements
 * @param m rows of each matrix
 * @param n columns of each
 * @param ld leading dimension of each
 * @param stride elements from one matrix to the next, at least (n − 1)·ld + m
 * @param chunks number of handles
 * @param handles vectors of elements of dtype, each at least (counts[i] − 1)·stride + (n − 1)·ld +
 *         m elements long
 * @param counts number of matrices in each chunk, ≥ 1
 * @return 0, −1 … −9, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_batch_from_handles(startile_batch **b, startile_dtype dtype, int64_t m, int64_t n,
                                    int64_t ld, int64_t stride, int64_t chunks,
                                    const starpu_data_handle_t *handles, const int64_t *counts);

/**
 * @brief Creates a batch of columns of m integers, stride ≥ m, from the caller's StarPU vectors of
 * int64_t, as startile_batch_from_handles() does. A wrong vector is refused with −5.
 * @param[out] b the descriptor
 * @param m integers of each column, ≥ 0
 * @param stride integers from one column to the next, at least m
 * @param chunks number of handles
 * @param handles vectors of int64_t, each at least (counts[i] − 1)·stride + m integers long
 * @param counts number of columns in each chunk, ≥ 1
 * @return 0, −1 … −6, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_batch_integers_from_handles(startile_batch **b, int64_t m, int64_t stride,
                                             int64_t chunks, const starpu_data_handle_t *handles,
                                             const int64_t *counts);

/**
 * @brief Waits for the tasks on a wrapped batch and transfers its results to the caller's memory.
 * @return 0, −1 for NULL or a batch that is not wrapped, #STARTILE_ERROR_STARPU
 */
int64_t startile_batch_gather(startile_batch *b);

/**
 * @brief Waits for the tasks on a batch and copies its matrices to host memory, in the caller's
 * order. Use it to read a batch that is not wrapped: pivots, infos and results in batches of
 * startile_batch_create() and startile_batch_create_integers(), and the caller's handles.
 * @param b batch of matrices at a constant stride
 * @param[out] a destination, of the batch's element type or int64_t; matrix q, counted from 0, is
 *         copied to a + q·stride
 * @param ld leading dimension of each matrix in a, max(1, m) … 2³¹ − 1
 * @param stride elements from one matrix to the next in a, at least (n − 1)·ld + m
 * @return 0, −1 … −4, #STARTILE_ERROR_TILE for a caller's vector without a value,
 *         #STARTILE_ERROR_STARPU. −1 also for matrices wrapped by pointers, or at a constant stride
 *         with a sorted `like`: startile_batch_gather() returns these to the caller's memory
 */
int64_t startile_batch_to_lapack(const startile_batch *b, void *a, int64_t ld, int64_t stride);

/**
 * @brief Runs startile_batch_gather(), then frees the descriptor; NULL is allowed. Does not wait
 * for tasks on the caller's handles.
 */
void startile_batch_destroy(startile_batch *b);

/**
 * @brief Returns type, dimensions and chunks of a batch; all fields are 0 for NULL. Thread-safe.
 */
startile_batch_dims startile_batch_shape(const startile_batch *b);

/**
 * @brief Returns StarPU's handle of a chunk, for the caller's own tasks: a matrix interface whose
 * columns are the chunk's matrices, or the caller's vector. Returns NULL if the chunk does not
 * exist, and for matrices wrapped by pointers, or at a constant stride with a sorted `like`.
 * Thread-safe.
 */
starpu_data_handle_t startile_batch_handle(const startile_batch *b, int64_t chunk);

/** @brief Returns the number of matrices in a chunk; 0 if the chunk does not exist. Thread-safe. */
int64_t startile_batch_chunk_size(const startile_batch *b, int64_t chunk);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup batch_operations Operations on batches
 *
 *  Each operation has a form on descriptors, asynchronous and blocking, and typed entries. Each
 *  matrix has the shape that LAPACK's routine requires; `info` holds one integer per matrix and is
 *  written. A matrix that is written must not overlap any other matrix of the call.
 *
 *  **Threads.** Several threads may call these functions at once: the forms on descriptors each on
 *  its own batches and requests, typed entries as those of startile_lapack.h.
 *
 *  **Typed entries.** The arguments are LAPACK's in LAPACK's order, with 64-bit sizes and pivots
 *  and these additions:
 *   - `_batch_strided`: a stride, the number of elements from one matrix to the next, follows each
 *     leading dimension or increment, ipiv and tau. The matrices of a batch must not overlap. An
 *     operand that is only read may have stride 0: one matrix for all. The stride of a single
 *     matrix, or of matrices without elements, is not used.
 *   - `_batch`: an array of `count` pointers replaces each matrix, ipiv and tau.
 *   - `_vbatch`: arrays of `count` pointers as in `_batch`; an array of `count` values replaces
 *     each dimension and leading dimension.
 *   - info and results are arrays of `count`, in the caller's order; the last argument is `count`.
 *   - Without a GPU all cores share one matrix after the other, as in the typed entry for one
 *     matrix, if there are fewer matrices than cores and their order is at least 512 and large
 *     enough for that number of cores; else each core has a matrix of its own. The forms on
 *     descriptors, getrf_nopiv, determinants, geqp3 and gelsy always work in the second way.
 *   - trans of ormqr and gels is 'N' or 'T' for real types, 'N' or 'C' for complex ones, as in
 *     LAPACK.
 *
 *  Increments must be positive, leading dimensions and strides less than 2³¹. A matrix must have
 *  fewer than 2³¹ elements, else the matrix is the wrong argument; if a strided matrix spans 2³¹ or
 *  more elements from its first to its last, its leading dimension is the wrong argument. Matrices
 *  and arrays of numbers may be in the memory of a GPU, all matrices of one argument on the same
 *  GPU. Arrays of pointers, dimensions and leading dimensions must be in host memory. All entries
 *  block, and start StarPU as the entries of startile_lapack.h do. They return 0, −i for a wrong
 *  argument i, or a ::startile_error. Entries with an info argument return k > 0 if matrix k,
 *  counted from 1, is the first with info ≠ 0.
 *  @{
 */

/*
 * STARTILE_BATCH_TYPES(op) declares the typed entries of an operation. For potrf they are
 *     startile_spotrf_batch_strided(), startile_spotrf_batch(), startile_spotrf_vbatch()
 * and those of d, c and z. STARTILE_STRIDED_op is the prototype of op's entry _batch_strided with
 * element type T and real type R. STARTILE_POINTERS_op is the prototype of its entry _batch, where
 * SIZE is int64_t, and of its entry _vbatch, where SIZE is const int64_t *. Programs call the
 * entries and do not use the macros.
 */
#define STARTILE_BATCH_ENTRIES(op, routine, T, R)                                                  \
    /** @copybrief startile_##op##_batch_async() See startile_##op##_batch_async(). */             \
    STARTILE_STRIDED_##op(routine##_batch_strided, T, R);                                          \
    /** @copybrief startile_##op##_batch_async() See startile_##op##_batch_async(). */             \
    STARTILE_POINTERS_##op(routine##_batch, T, R, int64_t);                                        \
    /** @copybrief startile_##op##_batch_async() See startile_##op##_batch_async(). */             \
    STARTILE_POINTERS_##op(routine##_vbatch, T, R, const int64_t *);
#define STARTILE_BATCH_TYPES(op)                                                                   \
    STARTILE_BATCH_ENTRIES(op, startile_s##op, float, float)                                       \
    STARTILE_BATCH_ENTRIES(op, startile_d##op, double, double)                                     \
    STARTILE_BATCH_ENTRIES(op, startile_c##op, startile_cfloat, float)                             \
    STARTILE_BATCH_ENTRIES(op, startile_z##op, startile_cdouble, double)

/**
 * @brief Computes Cholesky factorizations (LAPACK xPOTRF): A = L·Lᴴ or A = Uᴴ·U.
 *
 * The backward error of each is bounded as LAPACK's: ‖A − L·Lᴴ‖ ≤ c·n·eps·‖A‖ (Higham 2002, theorem
 * 10.3).
 * @param uplo 'L' or 'U': the triangle that is read and overwritten
 * @param A n × n; overwritten by the factors
 * @param info k > 0: the leading minor of order k is not positive definite
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_potrf_batch_async(char uplo, startile_batch *A, startile_batch *info,
                                   startile_request *request);
/** @brief Blocking startile_potrf_batch_async(). */
int64_t startile_potrf_batch(char uplo, startile_batch *A, startile_batch *info);
#define STARTILE_STRIDED_potrf(name, T, R)                                                         \
    int64_t name(char uplo, int64_t n, T *a, int64_t lda, int64_t stridea, int64_t *info,          \
                 int64_t count)
#define STARTILE_POINTERS_potrf(name, T, R, SIZE)                                                  \
    int64_t name(char uplo, SIZE n, T *const *a, SIZE lda, int64_t *info, int64_t count)
STARTILE_BATCH_TYPES(potrf)

/**
 * @brief Solves A·X = B with the factors of potrf (LAPACK xPOTRS).
 * @param uplo as given to potrf
 * @param A the factors; read
 * @param B n × nrhs; overwritten by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_potrs_batch_async(char uplo, const startile_batch *A, startile_batch *B,
                                   startile_request *request);
/** @brief Blocking startile_potrs_batch_async(). */
int64_t startile_potrs_batch(char uplo, const startile_batch *A, startile_batch *B);
#define STARTILE_STRIDED_potrs(name, T, R)                                                         \
    int64_t name(char uplo, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stridea,     \
                 T *b, int64_t ldb, int64_t strideb, int64_t count)
#define STARTILE_POINTERS_potrs(name, T, R, SIZE)                                                  \
    int64_t name(char uplo, SIZE n, SIZE nrhs, T *const *a, SIZE lda, T *const *b, SIZE ldb,       \
                 int64_t count)
STARTILE_BATCH_TYPES(potrs)

/**
 * @brief Factors Hermitian positive definite matrices A and solves A·X = B (LAPACK xPOSV).
 *
 * A right-hand side is not changed if its matrix has info ≠ 0.
 * @param uplo as for potrf
 * @param A n × n; overwritten by the factors
 * @param B n × nrhs; overwritten by X
 * @param info as for potrf
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_posv_batch_async(char uplo, startile_batch *A, startile_batch *B,
                                  startile_batch *info, startile_request *request);
/** @brief Blocking startile_posv_batch_async(). */
int64_t startile_posv_batch(char uplo, startile_batch *A, startile_batch *B, startile_batch *info);
#define STARTILE_STRIDED_posv(name, T, R)                                                          \
    int64_t name(char uplo, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t stridea, T *b,     \
                 int64_t ldb, int64_t strideb, int64_t *info, int64_t count)
#define STARTILE_POINTERS_posv(name, T, R, SIZE)                                                   \
    int64_t name(char uplo, SIZE n, SIZE nrhs, T *const *a, SIZE lda, T *const *b, SIZE ldb,       \
                 int64_t *info, int64_t count)
STARTILE_BATCH_TYPES(posv)

/**
 * @brief Computes LU factorizations with partial pivoting (LAPACK xGETRF): P·A = L·U.
 * @param A m × n; overwritten by L and U
 * @param ipiv columns of min(m, n) integers: LAPACK's, 1-based; written
 * @param info k > 0: U(k, k) is the first diagonal element of U that is exactly zero; the
 *         factorization is complete
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_getrf_batch_async(startile_batch *A, startile_batch *ipiv, startile_batch *info,
                                   startile_request *request);
/** @brief Blocking startile_getrf_batch_async(). */
int64_t startile_getrf_batch(startile_batch *A, startile_batch *ipiv, startile_batch *info);
#define STARTILE_STRIDED_getrf(name, T, R)                                                         \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t stridea, int64_t *ipiv,          \
                 int64_t stridep, int64_t *info, int64_t count)
#define STARTILE_POINTERS_getrf(name, T, R, SIZE)                                                  \
    int64_t name(SIZE m, SIZE n, T *const *a, SIZE lda, int64_t *const *ipiv, int64_t *info,       \
                 int64_t count)
STARTILE_BATCH_TYPES(getrf)

/**
 * @brief Computes LU factorizations without pivoting, A = L·U, for matrices that need none.
 * @param A m × n; overwritten by L and U
 * @param info as for getrf
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_getrf_nopiv_batch_async(startile_batch *A, startile_batch *info,
                                         startile_request *request);
/** @brief Blocking startile_getrf_nopiv_batch_async(). */
int64_t startile_getrf_nopiv_batch(startile_batch *A, startile_batch *info);
#define STARTILE_STRIDED_getrf_nopiv(name, T, R)                                                   \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t stridea, int64_t *info,          \
                 int64_t count)
#define STARTILE_POINTERS_getrf_nopiv(name, T, R, SIZE)                                            \
    int64_t name(SIZE m, SIZE n, T *const *a, SIZE lda, int64_t *info, int64_t count)
STARTILE_BATCH_TYPES(getrf_nopiv)

/**
 * @brief Solves op(A)·X = B with the factors of an LU factorization (LAPACK xGETRS). An element of
 * U's diagonal may be replaced by its reciprocal, which costs one more rounding than a division.
 * @param trans 'N', 'T' or 'C'
 * @param A n × n, the factors; read
 * @param ipiv LAPACK's 1-based pivots; read. NULL: no interchanges. An integer outside 1 … n
 *         interchanges nothing.
 * @param B n × nrhs; overwritten by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_getrs_batch_async(char trans, const startile_batch *A, const startile_batch *ipiv,
                                   startile_batch *B, startile_request *request);
/** @brief Blocking startile_getrs_batch_async(). */
int64_t startile_getrs_batch(char trans, const startile_batch *A, const startile_batch *ipiv,
                             startile_batch *B);
#define STARTILE_STRIDED_getrs(name, T, R)                                                         \
    int64_t name(char trans, int64_t n, int64_t nrhs, const T *a, int64_t lda, int64_t stridea,    \
                 const int64_t *ipiv, int64_t stridep, T *b, int64_t ldb, int64_t strideb,         \
                 int64_t count)
#define STARTILE_POINTERS_getrs(name, T, R, SIZE)                                                  \
    int64_t name(char trans, SIZE n, SIZE nrhs, T *const *a, SIZE lda, int64_t *const *ipiv,       \
                 T *const *b, SIZE ldb, int64_t count)
STARTILE_BATCH_TYPES(getrs)

/**
 * @brief Factors A and solves A·X = B (LAPACK xGESV).
 *
 * A right-hand side is not changed if its matrix has info ≠ 0.
 * @param A n × n; overwritten by L and U
 * @param ipiv as for getrf; NULL: factorization without pivoting
 * @param B n × nrhs; overwritten by X
 * @param info as for getrf
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_gesv_batch_async(startile_batch *A, startile_batch *ipiv, startile_batch *B,
                                  startile_batch *info, startile_request *request);
/** @brief Blocking startile_gesv_batch_async(). */
int64_t startile_gesv_batch(startile_batch *A, startile_batch *ipiv, startile_batch *B,
                            startile_batch *info);
#define STARTILE_STRIDED_gesv(name, T, R)                                                          \
    int64_t name(int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t stridea, int64_t *ipiv,       \
                 int64_t stridep, T *b, int64_t ldb, int64_t strideb, int64_t *info,               \
                 int64_t count)
#define STARTILE_POINTERS_gesv(name, T, R, SIZE)                                                   \
    int64_t name(SIZE n, SIZE nrhs, T *const *a, SIZE lda, int64_t *const *ipiv, T *const *b,      \
                 SIZE ldb, int64_t *info, int64_t count)
STARTILE_BATCH_TYPES(gesv)

/**
 * @brief Computes A⁻¹ from the factors of an LU factorization (LAPACK xGETRI).
 * @param A n × n, the factors; overwritten by the inverse
 * @param ipiv LAPACK's 1-based pivots; read. NULL: no interchanges. An integer outside 1 … n
 *         interchanges nothing.
 * @param info k > 0: U(k, k) is the first diagonal element of U that is exactly zero, and this
 *        matrix is not changed
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_getri_batch_async(startile_batch *A, const startile_batch *ipiv,
                                   startile_batch *info, startile_request *request);
/** @brief Blocking startile_getri_batch_async(). */
int64_t startile_getri_batch(startile_batch *A, const startile_batch *ipiv, startile_batch *info);
#define STARTILE_STRIDED_getri(name, T, R)                                                         \
    int64_t name(int64_t n, T *a, int64_t lda, int64_t stridea, const int64_t *ipiv,               \
                 int64_t stridep, int64_t *info, int64_t count)
#define STARTILE_POINTERS_getri(name, T, R, SIZE)                                                  \
    int64_t name(SIZE n, T *const *a, SIZE lda, int64_t *const *ipiv, int64_t *info, int64_t count)
STARTILE_BATCH_TYPES(getri)

/**
 * @brief Computes sign and logarithm of determinants from the factors of an LU factorization:
 * det A = sign · exp(logabsdet). See startile_gedet_async().
 *
 * The products are computed in double precision; the results are rounded to the matrices' type.
 * @param A n × n, the factors; read
 * @param ipiv LAPACK's 1-based pivots; read. NULL: no interchanges
 * @param sign one element per matrix; written
 * @param logabsdet one element of the real type per matrix; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_gedet_batch_async(const startile_batch *A, const startile_batch *ipiv,
                                   startile_batch *sign, startile_batch *logabsdet,
                                   startile_request *request);
/** @brief Blocking startile_gedet_batch_async(). */
int64_t startile_gedet_batch(const startile_batch *A, const startile_batch *ipiv,
                             startile_batch *sign, startile_batch *logabsdet);
#define STARTILE_STRIDED_gedet(name, T, R)                                                         \
    int64_t name(int64_t n, const T *a, int64_t lda, int64_t stridea, const int64_t *ipiv,         \
                 int64_t stridep, T *sign, R *logabsdet, int64_t count)
#define STARTILE_POINTERS_gedet(name, T, R, SIZE)                                                  \
    int64_t name(SIZE n, T *const *a, SIZE lda, int64_t *const *ipiv, T *sign, R *logabsdet,       \
                 int64_t count)
STARTILE_BATCH_TYPES(gedet)

/**
 * @brief Computes log det A from Cholesky factors (LINPACK xPODI). See startile_podet_async().
 * @param A n × n, the factors; read. The result is undefined for a matrix whose factorization has
 *        failed.
 * @param logdet one element of the real type per matrix; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_podet_batch_async(const startile_batch *A, startile_batch *logdet,
                                   startile_request *request);
/** @brief Blocking startile_podet_batch_async(). */
int64_t startile_podet_batch(const startile_batch *A, startile_batch *logdet);
#define STARTILE_STRIDED_podet(name, T, R)                                                         \
    int64_t name(int64_t n, const T *a, int64_t lda, int64_t stridea, R *logdet, int64_t count)
#define STARTILE_POINTERS_podet(name, T, R, SIZE)                                                  \
    int64_t name(SIZE n, T *const *a, SIZE lda, R *logdet, int64_t count)
STARTILE_BATCH_TYPES(podet)

/**
 * @brief Computes QR factorizations (LAPACK xGEQRF): A = Q·R.
 * @param A m × n; overwritten by R and the reflectors, in LAPACK's form
 * @param tau columns of min(m, n) elements; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_geqrf_batch_async(startile_batch *A, startile_batch *tau,
                                   startile_request *request);
/** @brief Blocking startile_geqrf_batch_async(). */
int64_t startile_geqrf_batch(startile_batch *A, startile_batch *tau);
#define STARTILE_STRIDED_geqrf(name, T, R)                                                         \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t stridea, T *tau,                 \
                 int64_t stridet, int64_t count)
#define STARTILE_POINTERS_geqrf(name, T, R, SIZE)                                                  \
    int64_t name(SIZE m, SIZE n, T *const *a, SIZE lda, T *const *tau, int64_t count)
STARTILE_BATCH_TYPES(geqrf)

/**
 * @brief Computes QR factorizations with column pivoting (LAPACK xGEQP3): A·P = Q·R.
 *
 * On GPUs pivots and norms are those of startile_geqp3_async(), on CPUs those of the machine's
 * LAPACK; they differ for NaN. All columns are free, and jpvt is output only. On GPUs a thread
 * block factors a matrix. Matrices that fit its shared memory with their norms, such as 160 × 160
 * in double precision on an H100, take the least time; larger ones, of any order, are in global
 * memory, and above 512 rows take much longer.
 * @param A m × n; overwritten by R and the reflectors, in LAPACK's form
 * @param jpvt columns of n integers: column j of A·P is column jpvt(j) of A, counted from 1;
 *        written. The identity if m = 0
 * @param tau columns of min(m, n) elements; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_geqp3_batch_async(startile_batch *A, startile_batch *jpvt, startile_batch *tau,
                                   startile_request *request);
/** @brief Blocking startile_geqp3_batch_async(). */
int64_t startile_geqp3_batch(startile_batch *A, startile_batch *jpvt, startile_batch *tau);
#define STARTILE_STRIDED_geqp3(name, T, R)                                                         \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t stridea, int64_t *jpvt,          \
                 int64_t stridep, T *tau, int64_t stridet, int64_t count)
#define STARTILE_POINTERS_geqp3(name, T, R, SIZE)                                                  \
    int64_t name(SIZE m, SIZE n, T *const *a, SIZE lda, int64_t *const *jpvt, T *const *tau,       \
                 int64_t count)
STARTILE_BATCH_TYPES(geqp3)

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of geqrf (LAPACK xORMQR, xUNMQR).
 * @param side 'L' or 'R'
 * @param trans 'N', or 'C' (for real types also 'T')
 * @param A m rows, with the reflectors in as many columns as tau has rows; read. The order of Q is
 *         m
 * @param tau columns of at most min(m, A's columns) elements; read
 * @param C m × n ('L') or n × m ('R'); updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −6
 */
int64_t startile_unmqr_batch_async(char side, char trans, const startile_batch *A,
                                   const startile_batch *tau, startile_batch *C,
                                   startile_request *request);
/** @brief Blocking startile_unmqr_batch_async(). */
int64_t startile_unmqr_batch(char side, char trans, const startile_batch *A,
                             const startile_batch *tau, startile_batch *C);
#define STARTILE_STRIDED_unmqr(name, T, R)                                                         \
    int64_t name(char side, char trans, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,  \
                 int64_t stridea, const T *tau, int64_t stridet, T *c, int64_t ldc,                \
                 int64_t stridec, int64_t count)
#define STARTILE_POINTERS_unmqr(name, T, R, SIZE)                                                  \
    int64_t name(char side, char trans, SIZE m, SIZE n, SIZE k, T *const *a, SIZE lda,             \
                 T *const *tau, T *const *c, SIZE ldc, int64_t count)
STARTILE_BATCH_ENTRIES(unmqr, startile_sormqr, float, float)
STARTILE_BATCH_ENTRIES(unmqr, startile_dormqr, double, double)
STARTILE_BATCH_ENTRIES(unmqr, startile_cunmqr, startile_cfloat, float)
STARTILE_BATCH_ENTRIES(unmqr, startile_zunmqr, startile_cdouble, double)

/**
 * @brief Solves least-squares problems, or computes solutions of least norm, for op(A) of full rank
 * (LAPACK xGELS, without its scaling against overflow and underflow).
 * @param trans 'N', or 'C' (for real types also 'T')
 * @param A m × n; overwritten
 * @param B max(m, n) × nrhs; overwritten by X and, below it, the rest of LAPACK's B
 * @param info k > 0: element (k, k) of R, or of L if A has more columns than rows, is exactly zero,
 *        and this matrix' B is not changed
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_gels_batch_async(char trans, startile_batch *A, startile_batch *B,
                                  startile_batch *info, startile_request *request);
/** @brief Blocking startile_gels_batch_async(). */
int64_t startile_gels_batch(char trans, startile_batch *A, startile_batch *B, startile_batch *info);
#define STARTILE_STRIDED_gels(name, T, R)                                                          \
    int64_t name(char trans, int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda,                \
                 int64_t stridea, T *b, int64_t ldb, int64_t strideb, int64_t *info,               \
                 int64_t count)
#define STARTILE_POINTERS_gels(name, T, R, SIZE)                                                   \
    int64_t name(char trans, SIZE m, SIZE n, SIZE nrhs, T *const *a, SIZE lda, T *const *b,        \
                 SIZE ldb, int64_t *info, int64_t count)
STARTILE_BATCH_TYPES(gels)

/**
 * @brief Solves least-squares problems for A of any rank (LAPACK xGELSY): each column of X
 * minimizes the 2-norm of its column of B − A·X, and of all minimizers it has the least 2-norm.
 *
 * Rank, scaling and solution are those of startile_gelsy_async(). Sizes on GPUs as for
 * startile_geqp3_batch_async().
 * @param A m × n; undefined afterwards
 * @param B max(m, n) × nrhs. On entry the first m rows are the right-hand sides; on exit the
 *        first n rows are X. For rank n < m the squares of a column's elements below X add up
 *        to the squared 2-norm of its residual; otherwise the rows below X are undefined. If m = 0
 *        or n = 0, all of B becomes 0
 * @param rcond bound of 1 / condition for the rank, one for all matrices; < 0: the machine epsilon
 *        (2⁻⁵² or 2⁻²³) times max(m, n) of the matrix
 * @param rank one integer per matrix; written; 0 without elements or right-hand sides
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −5
 */
int64_t startile_gelsy_batch_async(startile_batch *A, startile_batch *B, double rcond,
                                   startile_batch *rank, startile_request *request);
/** @brief Blocking startile_gelsy_batch_async(). */
int64_t startile_gelsy_batch(startile_batch *A, startile_batch *B, double rcond,
                             startile_batch *rank);
#define STARTILE_STRIDED_gelsy(name, T, R)                                                         \
    int64_t name(int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t stridea, T *b,     \
                 int64_t ldb, int64_t strideb, R rcond, int64_t *rank, int64_t count)
#define STARTILE_POINTERS_gelsy(name, T, R, SIZE)                                                  \
    int64_t name(SIZE m, SIZE n, SIZE nrhs, T *const *a, SIZE lda, T *const *b, SIZE ldb, R rcond, \
                 int64_t *rank, int64_t count)
STARTILE_BATCH_TYPES(gelsy)

/**
 * @brief Computes C := alpha·op(A)·op(B) + beta·C (BLAS xGEMM).
 *
 * With beta = 0 C is not read.
 * @param transa 'N', 'T' or 'C'
 * @param transb 'N', 'T' or 'C'
 * @param alpha scalar, one for all matrices
 * @param A op(A) is m × k; read
 * @param B op(B) is k × n; read
 * @param beta scalar, one for all matrices
 * @param C m × n; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −5, −7, −8
 */
int64_t startile_gemm_batch_async(char transa, char transb, startile_complex alpha,
                                  const startile_batch *A, const startile_batch *B,
                                  startile_complex beta, startile_batch *C,
                                  startile_request *request);
/** @brief Blocking startile_gemm_batch_async(). */
int64_t startile_gemm_batch(char transa, char transb, startile_complex alpha,
                            const startile_batch *A, const startile_batch *B, startile_complex beta,
                            startile_batch *C);
#define STARTILE_STRIDED_gemm(name, T, R)                                                          \
    int64_t name(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T *a,   \
                 int64_t lda, int64_t stridea, const T *b, int64_t ldb, int64_t strideb, T beta,   \
                 T *c, int64_t ldc, int64_t stridec, int64_t count)
#define STARTILE_POINTERS_gemm(name, T, R, SIZE)                                                   \
    int64_t name(char transa, char transb, SIZE m, SIZE n, SIZE k, T alpha, T *const *a, SIZE lda, \
                 T *const *b, SIZE ldb, T beta, T *const *c, SIZE ldc, int64_t count)
STARTILE_BATCH_TYPES(gemm)

/**
 * @brief Computes B := alpha·op(A)⁻¹·B or B := alpha·B·op(A)⁻¹ for triangular A (BLAS xTRSM).
 * @param side 'L' or 'R'
 * @param uplo 'L' or 'U'
 * @param trans 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param alpha scalar, one for all matrices
 * @param A m × m ('L') or n × n ('R'); read
 * @param B m × n; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4, −6 … −8
 */
int64_t startile_trsm_batch_async(char side, char uplo, char trans, char diag,
                                  startile_complex alpha, const startile_batch *A,
                                  startile_batch *B, startile_request *request);
/** @brief Blocking startile_trsm_batch_async(). */
int64_t startile_trsm_batch(char side, char uplo, char trans, char diag, startile_complex alpha,
                            const startile_batch *A, startile_batch *B);
#define STARTILE_STRIDED_trsm(name, T, R)                                                          \
    int64_t name(char side, char uplo, char trans, char diag, int64_t m, int64_t n, T alpha,       \
                 const T *a, int64_t lda, int64_t stridea, T *b, int64_t ldb, int64_t strideb,     \
                 int64_t count)
#define STARTILE_POINTERS_trsm(name, T, R, SIZE)                                                   \
    int64_t name(char side, char uplo, char trans, char diag, SIZE m, SIZE n, T alpha,             \
                 T *const *a, SIZE lda, T *const *b, SIZE ldb, int64_t count)
STARTILE_BATCH_TYPES(trsm)

/**
 * @brief Computes ‖x‖₂ of each vector without intermediate overflow or underflow (BLAS xNRM2).
 * @param X vectors: matrices of one row; read
 * @param result one element of the real type per vector; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_nrm2_batch_async(const startile_batch *X, startile_batch *result,
                                  startile_request *request);
/** @brief Blocking startile_nrm2_batch_async(). */
int64_t startile_nrm2_batch(const startile_batch *X, startile_batch *result);
#define STARTILE_STRIDED_nrm2(name, T, R)                                                          \
    int64_t name(int64_t n, const T *x, int64_t incx, int64_t stridex, R *result, int64_t count)
#define STARTILE_POINTERS_nrm2(name, T, R, SIZE)                                                   \
    int64_t name(SIZE n, T *const *x, SIZE incx, R *result, int64_t count)
STARTILE_BATCH_TYPES(nrm2)

/**
 * @brief Computes Σ (|re| + |im|) of each vector (BLAS xASUM).
 *
 * Arguments and return values are those of startile_nrm2_batch_async().
 */
int64_t startile_asum_batch_async(const startile_batch *X, startile_batch *result,
                                  startile_request *request);
/** @brief Blocking startile_asum_batch_async(). */
int64_t startile_asum_batch(const startile_batch *X, startile_batch *result);
#define STARTILE_STRIDED_asum STARTILE_STRIDED_nrm2
#define STARTILE_POINTERS_asum STARTILE_POINTERS_nrm2
STARTILE_BATCH_TYPES(asum)

/**
 * @brief Finds the 1-based index of the first element of largest |re| + |im| of each vector (BLAS
 * IxAMAX).
 *
 * The index is 0 for an empty vector. NaN counts as larger than any number.
 * @param X vectors; read
 * @param result one integer per vector; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_iamax_batch_async(const startile_batch *X, startile_batch *result,
                                   startile_request *request);
/** @brief Blocking startile_iamax_batch_async(). */
int64_t startile_iamax_batch(const startile_batch *X, startile_batch *result);
#define STARTILE_STRIDED_iamax(name, T, R)                                                         \
    int64_t name(int64_t n, const T *x, int64_t incx, int64_t stridex, int64_t *result,            \
                 int64_t count)
#define STARTILE_POINTERS_iamax(name, T, R, SIZE)                                                  \
    int64_t name(SIZE n, T *const *x, SIZE incx, int64_t *result, int64_t count)
STARTILE_BATCH_TYPES(iamax)

/**
 * @brief Computes Σ x·y of each pair of vectors (BLAS xDOT, xDOTU).
 * @param X vectors; read
 * @param Y vectors of the same lengths; read
 * @param result one element per pair; written
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_dot_batch_async(const startile_batch *X, const startile_batch *Y,
                                 startile_batch *result, startile_request *request);
/** @brief Blocking startile_dot_batch_async(). */
int64_t startile_dot_batch(const startile_batch *X, const startile_batch *Y,
                           startile_batch *result);
#define STARTILE_STRIDED_dot(name, T, R)                                                           \
    int64_t name(int64_t n, const T *x, int64_t incx, int64_t stridex, const T *y, int64_t incy,   \
                 int64_t stridey, T *result, int64_t count)
#define STARTILE_POINTERS_dot(name, T, R, SIZE)                                                    \
    int64_t name(SIZE n, T *const *x, SIZE incx, T *const *y, SIZE incy, T *result, int64_t count)
STARTILE_BATCH_TYPES(dot)

/**
 * @brief Computes Σ x̄·y of each pair of vectors (BLAS xDOTC).
 *
 * Arguments and return values are those of startile_dot_batch_async().
 */
int64_t startile_dotc_batch_async(const startile_batch *X, const startile_batch *Y,
                                  startile_batch *result, startile_request *request);
/** @brief Blocking startile_dotc_batch_async(). */
int64_t startile_dotc_batch(const startile_batch *X, const startile_batch *Y,
                            startile_batch *result);
#define STARTILE_STRIDED_dotc STARTILE_STRIDED_dot
#define STARTILE_POINTERS_dotc STARTILE_POINTERS_dot
STARTILE_BATCH_TYPES(dotc)

/**
 * @brief Computes x := alpha·x for each vector (BLAS xSCAL).
 * @param alpha one element per vector, or one for all (stride 0); read
 * @param X vectors; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_scal_batch_async(const startile_batch *alpha, startile_batch *X,
                                  startile_request *request);
/** @brief Blocking startile_scal_batch_async(). */
int64_t startile_scal_batch(const startile_batch *alpha, startile_batch *X);
#define STARTILE_STRIDED_scal(name, T, R)                                                          \
    int64_t name(int64_t n, T alpha, T *x, int64_t incx, int64_t stridex, int64_t count)
#define STARTILE_POINTERS_scal(name, T, R, SIZE)                                                   \
    int64_t name(SIZE n, T alpha, T *const *x, SIZE incx, int64_t count)
STARTILE_BATCH_TYPES(scal)

/**
 * @brief Computes y := alpha·x + y for each pair of vectors (BLAS xAXPY).
 * @param alpha one element per pair, or one for all (stride 0); read
 * @param X vectors; read
 * @param Y vectors of the same lengths; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_axpy_batch_async(const startile_batch *alpha, const startile_batch *X,
                                  startile_batch *Y, startile_request *request);
/** @brief Blocking startile_axpy_batch_async(). */
int64_t startile_axpy_batch(const startile_batch *alpha, const startile_batch *X,
                            startile_batch *Y);
#define STARTILE_STRIDED_axpy(name, T, R)                                                          \
    int64_t name(int64_t n, T alpha, const T *x, int64_t incx, int64_t stridex, T *y,              \
                 int64_t incy, int64_t stridey, int64_t count)
#define STARTILE_POINTERS_axpy(name, T, R, SIZE)                                                   \
    int64_t name(SIZE n, T alpha, T *const *x, SIZE incx, T *const *y, SIZE incy, int64_t count)
STARTILE_BATCH_TYPES(axpy)

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
