/*
 * Routines of the GPU peer: cuSOLVER and cuBLAS on a problem's operands. All calls share one
 * workspace of the largest size that any needs. cuSOLVER's potri and its routines that apply or
 * form Q have 32-bit sizes and a name for each type.
 */
#include "bench/bench.h"
#include "peer_cuda_state.h"

#include <stdlib.h>
#include <string.h>

#define A x->matrix[0]
#define B x->matrix[1]
#define C x->matrix[2]
#define SOLVER cuda_peer.solver, cuda_peer.parameters
#define WORK                                                                                       \
    cuda_peer.device_work, cuda_peer.device_bytes, cuda_peer.host_work, cuda_peer.host_bytes,      \
        cuda_peer.info

static cublasFillMode_t fill_mode(const struct problem *p)
{
    return p->uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

/* Returns the number of elements of the workspace. */
static int work_elements(startile_dtype dtype)
{
    return (int)(cuda_peer.device_bytes / dtype_size(dtype));
}

/* Defines cuda_potrf() and the like. of_query, of_call: arguments that precede the workspace, in
 * parentheses, of the query and of the call */
#define FACTORIZATION(routine, of_query, of_call)                                                  \
    int cuda_##routine(const struct problem *p, const struct peer_data *x, enum cuda_step step)    \
    {                                                                                              \
        const cudaDataType type = cuda_type(p->dtype);                                             \
        size_t device, host;                                                                       \
        if (step == CUDA_RUN)                                                                      \
            return CUSOLVER(cusolverDnX##routine, SOLVER, ARGUMENTS of_call, type, WORK);          \
        return CUSOLVER(cusolverDnX##routine##_bufferSize, SOLVER, ARGUMENTS of_query, type,       \
                        &device, &host) ||                                                         \
               reserve_work(device, host);                                                         \
    }
#define ARGUMENTS(...) __VA_ARGS__
#define POTRF fill_mode(p), p->n, type, A, p->n
#define GETRF p->m, p->n, type, A, p->m
#define GEQRF p->m, p->n, type, A, p->m, type, x->tau
FACTORIZATION(potrf, (POTRF), (POTRF))
FACTORIZATION(getrf, (GETRF), (GETRF, x->ipiv))
FACTORIZATION(geqrf, (GEQRF), (GEQRF))

/* -- Cholesky ------------------------------------------------------------------------------- */

int cuda_potrs(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const cudaDataType type = cuda_type(p->dtype);
    return step == CUDA_RUN && CUSOLVER(cusolverDnXpotrs, SOLVER, fill_mode(p), p->n, p->k, type, A,
                                        p->n, type, B, p->n, cuda_peer.info + 1);
}

int cuda_posv(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    return cuda_potrf(p, x, step) || cuda_potrs(p, x, step);
}

int cuda_potri(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const int n = (int)p->n;
    int count = 0;
    if (step == CUDA_RUN)
        return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSpotri, cusolverDnDpotri, cusolverDnCpotri,
                       cusolverDnZpotri, cuda_peer.solver, fill_mode(p), n, A, n,
                       cuda_peer.device_work, work_elements(p->dtype), cuda_peer.info);
    return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSpotri_bufferSize, cusolverDnDpotri_bufferSize,
                   cusolverDnCpotri_bufferSize, cusolverDnZpotri_bufferSize, cuda_peer.solver,
                   fill_mode(p), n, A, n, &count) ||
           reserve_work((size_t)count * dtype_size(p->dtype), 0);
}

/* -- symmetric indefinite --------------------------------------------------------------------- */

/* Converts the pivots of sytrf, which are int, to int64_t, which sytrs takes. Waits for the GPU. */
static int widen_pivots(const struct problem *p, void *ipiv)
{
    size_t n = (size_t)p->n;
    int64_t *wide = cuda_peer.host_work;
    if (cuda_peer_to_host(wide, ipiv, n * sizeof(int)) || cuda_peer_wait())
        return -1;
    for (size_t i = n; i-- > 0;) { /* from the last one on: in place */
        int narrow;
        memcpy(&narrow, (char *)wide + i * sizeof narrow, sizeof narrow);
        wide[i] = narrow;
    }
    return cuda_peer_to_device(ipiv, wide, n * sizeof *wide);
}

int cuda_sytrf(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const int n = (int)p->n;
    int count = 0;
    if (step == CUDA_RUN)
        return CUSOLVER_TYPED(p->dtype, sytrf, cuda_peer.solver, fill_mode(p), n, A, n, x->ipiv,
                              cuda_peer.device_work, work_elements(p->dtype), cuda_peer.info) ||
               widen_pivots(p, x->ipiv);
    return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSsytrf_bufferSize, cusolverDnDsytrf_bufferSize,
                   cusolverDnCsytrf_bufferSize, cusolverDnZsytrf_bufferSize, cuda_peer.solver, n, A,
                   n, &count) ||
           reserve_work((size_t)count * dtype_size(p->dtype), (size_t)n * sizeof(int64_t));
}

int cuda_sysv(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const cudaDataType type = cuda_type(p->dtype);
    size_t device, host;
    if (cuda_sytrf(p, x, step))
        return -1;
    if (step == CUDA_RUN)
        return CUSOLVER(cusolverDnXsytrs, cuda_peer.solver, fill_mode(p), p->n, p->k, type, A, p->n,
                        x->ipiv, type, B, p->n, cuda_peer.device_work, cuda_peer.device_bytes,
                        cuda_peer.host_work, cuda_peer.host_bytes, cuda_peer.info + 1);
    return CUSOLVER(cusolverDnXsytrs_bufferSize, cuda_peer.solver, fill_mode(p), p->n, p->k, type,
                    A, p->n, x->ipiv, type, B, p->n, &device, &host) ||
           reserve_work(device, host);
}

/* -- LU ------------------------------------------------------------------------------------- */

int cuda_getrf_nopiv(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const struct peer_data without_pivots = {.matrix = {A}};
    return cuda_getrf(p, &without_pivots, step);
}

/* Enqueues b := A⁻¹ b for an n × columns matrix b, with the factors of getrf in A and x->ipiv. */
static int solve_lu(const struct problem *p, const struct peer_data *x, int64_t columns, void *b)
{
    const cudaDataType type = cuda_type(p->dtype);
    return CUSOLVER(cusolverDnXgetrs, SOLVER, CUBLAS_OP_N, p->n, columns, type, A, p->n, x->ipiv,
                    type, b, p->n, cuda_peer.info + 1);
}

int cuda_getrs(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    return step == CUDA_RUN && solve_lu(p, x, p->k, B);
}

int cuda_gesv(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    return cuda_getrf(p, x, step) || cuda_getrs(p, x, step);
}

/* cuSOLVER's solver in single precision with refinement, for types of double precision. Refuses
 * sizes of more than 32 bits. It waits for the GPU. */
#define REFINED(letters, type)                                                                     \
    (step == CUDA_PREPARE                                                                          \
         ? CUSOLVER(cusolverDn##letters##gesv_bufferSize, cuda_peer.solver, n, k, (type *)A, n,    \
                    (int *)x->ipiv, (type *)B, n, (type *)C, n, NULL, &bytes) ||                   \
               reserve_work(bytes, 0)                                                              \
         : CUSOLVER(cusolverDn##letters##gesv, cuda_peer.solver, n, k, (type *)A, n,               \
                    (int *)x->ipiv, (type *)B, n, (type *)C, n, cuda_peer.device_work,             \
                    cuda_peer.device_bytes, &iterations, cuda_peer.info))
int cuda_gesv_refined(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    int n = (int)p->n, k = (int)p->k, iterations = 0;
    size_t bytes = 0;
    if (n != p->n || k != p->k)
        return library_check("cusolverDnDSgesv", 1);
    return p->dtype == STARTILE_D ? REFINED(DS, double) : REFINED(ZC, cuDoubleComplex);
}

/* Allocates the workspace: an n × n matrix, followed by n elements that are set to 1. */
static int reserve_identity(const struct problem *p)
{
    size_t size = dtype_size(p->dtype), column_bytes = (size_t)p->n * size,
           matrix_bytes = (size_t)p->n * column_bytes;
    char *ones = malloc(column_bytes);
    if (!ones)
        return library_check("malloc", 1);
    for (int64_t i = 0; i < p->n; i++)
        element_set(p->dtype, ones, (size_t)i, 1);
    int failed = reserve_work(matrix_bytes + column_bytes, 0) ||
                 CUDA(cudaMemcpy((char *)cuda_peer.device_work + matrix_bytes, ones, column_bytes,
                                 cudaMemcpyHostToDevice));
    free(ones);
    return failed;
}

/* Solves with the identity by getrs, and copies the result to A: cuSOLVER has no getri. */
int cuda_getri(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    size_t size = dtype_size(p->dtype), column_bytes = (size_t)p->n * size,
           matrix_bytes = (size_t)p->n * column_bytes;
    char *inverse = cuda_peer.device_work;
    if (step == CUDA_PREPARE)
        return reserve_identity(p);
    return CUDA(cudaMemsetAsync(inverse, 0, matrix_bytes, cuda_peer.stream)) ||
           /* the ones behind the matrix to its diagonal */
           CUDA(cudaMemcpy2DAsync(inverse, column_bytes + size, inverse + matrix_bytes, size, size,
                                  (size_t)p->n, cudaMemcpyDeviceToDevice, cuda_peer.stream)) ||
           solve_lu(p, x, p->n, inverse) ||
           CUDA(cudaMemcpyAsync(A, inverse, matrix_bytes, cudaMemcpyDeviceToDevice,
                                cuda_peer.stream));
}

/* -- QR ------------------------------------------------------------------------------------- */

/* Computes B := op(Q) B for an m × k matrix B and min(m, n) reflectors. trans: 'N' or 'C' */
static int apply_q(const struct problem *p, const struct peer_data *x, char trans,
                   enum cuda_step step)
{
    const int m = (int)p->m, reflectors = (int)(p->m < p->n ? p->m : p->n);
    const cublasOperation_t op = cuda_operation(p->dtype, trans);
    int count = 0;
    if (step == CUDA_RUN)
        return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSormqr, cusolverDnDormqr, cusolverDnCunmqr,
                       cusolverDnZunmqr, cuda_peer.solver, CUBLAS_SIDE_LEFT, op, m, (int)p->k,
                       reflectors, A, m, x->tau, B, m, cuda_peer.device_work,
                       work_elements(p->dtype), cuda_peer.info + 1);
    return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSormqr_bufferSize, cusolverDnDormqr_bufferSize,
                   cusolverDnCunmqr_bufferSize, cusolverDnZunmqr_bufferSize, cuda_peer.solver,
                   CUBLAS_SIDE_LEFT, op, m, (int)p->k, reflectors, A, m, x->tau, B, m, &count) ||
           reserve_work((size_t)count * dtype_size(p->dtype), 0);
}

int cuda_ormqr(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    return apply_q(p, x, 'C', step);
}

int cuda_orgqr(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const int m = (int)p->m, n = (int)p->n;
    int count = 0;
    if (step == CUDA_RUN)
        return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr,
                       cusolverDnZungqr, cuda_peer.solver, m, n, n, A, m, x->tau,
                       cuda_peer.device_work, work_elements(p->dtype), cuda_peer.info + 1);
    return BY_TYPE(p->dtype, CUSOLVER, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize,
                   cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize, cuda_peer.solver, m, n,
                   n, A, m, x->tau, &count) ||
           reserve_work((size_t)count * dtype_size(p->dtype), 0);
}

/* -- LQ and least squares, by geqrf ----------------------------------------------------------- */

/* Enqueues b := aᴴ for an m × n matrix a. */
static int transpose(startile_dtype dtype, int64_t m, int64_t n, const void *a, void *b)
{
    return CUBLAS_TYPED(dtype, geam, cuda_peer.blas, cuda_operation(dtype, 'C'), CUBLAS_OP_N,
                        (int)n, (int)m, cuda_scalar(dtype, 1), a, (int)m, cuda_scalar(dtype, 0), b,
                        (int)n, b, (int)n);
}

/* Stores the problem for Aᴴ. CUDA_PREPARE allocates cuda_peer.spare for Aᴴ. */
static int prepare_adjoint(const struct problem *p, enum cuda_step step, struct problem *of_adjoint)
{
    *of_adjoint = *p;
    of_adjoint->m = p->n;
    of_adjoint->n = p->m;
    return step == CUDA_PREPARE &&
           CUDA(cudaMalloc(&cuda_peer.spare, (size_t)p->m * (size_t)p->n * dtype_size(p->dtype)));
}

/* Factors Aᴴ by geqrf, and transposes the result back to A. */
int cuda_gelqf(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    struct problem adjoint_problem;
    if (prepare_adjoint(p, step, &adjoint_problem))
        return -1;
    void *adjoint = cuda_peer.spare;
    const struct peer_data adjoint_data = {.matrix = {adjoint}, .tau = x->tau};
    return (step == CUDA_RUN && transpose(p->dtype, p->m, p->n, A, adjoint)) ||
           cuda_geqrf(&adjoint_problem, &adjoint_data, step) ||
           (step == CUDA_RUN && transpose(p->dtype, p->n, p->m, adjoint, A));
}

/* Enqueues b := op(a)⁻¹ b for a triangle a. trans: 'N' or 'C' */
static int solve_triangle(const struct problem *p, cublasFillMode_t fill, char trans, int64_t n,
                          const void *a, int64_t lda, void *b, int64_t ldb)
{
    return CUBLAS_TYPED(p->dtype, trsm, cuda_peer.blas, CUBLAS_SIDE_LEFT, fill,
                        trans == 'N' ? CUBLAS_OP_N : CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, (int)n,
                        (int)p->k, cuda_scalar(p->dtype, 1), a, (int)lda, b, (int)ldb);
}

/* Computes the solution X of least norm from Aᴴ = Q R: solves Rᴴ Y = B in B's first m rows, sets
 * the rows below them to zero, and applies X = Q Y. */
static int least_norm(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const size_t size = dtype_size(p->dtype), m = (size_t)p->m, n = (size_t)p->n;
    struct problem adjoint_problem;
    if (prepare_adjoint(p, step, &adjoint_problem))
        return -1;
    void *adjoint = cuda_peer.spare;
    const struct peer_data adjoint_data = {.matrix = {adjoint, B}, .tau = x->tau};
    return (step == CUDA_RUN && transpose(p->dtype, p->m, p->n, A, adjoint)) ||
           cuda_geqrf(&adjoint_problem, &adjoint_data, step) ||
           (step == CUDA_RUN &&
            (solve_triangle(p, CUBLAS_FILL_MODE_UPPER, 'C', p->m, adjoint, p->n, B, p->n) ||
             CUDA(cudaMemset2DAsync((char *)B + m * size, n * size, 0, (n - m) * size, (size_t)p->k,
                                    cuda_peer.stream)))) ||
           apply_q(&adjoint_problem, &adjoint_data, 'N', step);
}

int cuda_gels(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    if (p->m < p->n)
        return least_norm(p, x, step);
    return cuda_geqrf(p, x, step) || apply_q(p, x, 'C', step) ||
           (step == CUDA_RUN &&
            solve_triangle(p, CUBLAS_FILL_MODE_UPPER, 'N', p->n, A, p->m, B, p->m));
}

/* -- products ------------------------------------------------------------------------------- */

int cuda_gemm(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const cudaDataType type = cuda_type(p->dtype);
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    return step == CUDA_RUN &&
           CUBLAS(cublasGemmEx, cuda_peer.blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                  cuda_scalar(p->dtype, -1), A, type, m, B, type, k, cuda_scalar(p->dtype, 1), C,
                  type, m, cuda_compute(p->dtype), CUBLAS_GEMM_DEFAULT);
}

int cuda_herk(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    const int n = (int)p->n, k = (int)p->k;
    return step == CUDA_RUN &&
           BY_TYPE(p->dtype, CUBLAS, cublasSsyrk, cublasDsyrk, cublasCherk, cublasZherk,
                   cuda_peer.blas, fill_mode(p), CUBLAS_OP_N, n, k, cuda_scalar(p->dtype, -1), A, n,
                   cuda_scalar(p->dtype, 1), B, n);
}

int cuda_trsm(const struct problem *p, const struct peer_data *x, enum cuda_step step)
{
    return step == CUDA_RUN && solve_triangle(p, fill_mode(p), 'N', p->n, A, p->n, B, p->n);
}
