/*
 * Solves a system whose matrix cuBLAS computes on the GPU, in order with the program's CUDA stream:
 *
 *     stream [n]
 *
 * All data stays on the GPU, and no call waits for the whole device:
 *  1. cuBLAS computes A and B in the stream; the host only launches this work.
 *  2. startile_matrix_wrap_device() wraps A and B where they are, and orders the library's tasks
 *     after that work.
 *  3. startile_posv() factors A and overwrites B by X. It returns when X is complete.
 *  4. cuBLAS computes the residual in the same stream. It sees X without a further wait.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <startile.h>
#include <stdio.h>
#include <stdlib.h>

enum { nrhs = 10, skipped = 77 };

/* Ends the program with a message unless the condition is true. */
static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "stream: %s failed\n", what);
    exit(EXIT_FAILURE);
}

#define CUDA(call) require((call) == cudaSuccess, #call)
#define CUBLAS(call) require((call) == CUBLAS_STATUS_SUCCESS, #call)
#define STARTILE(call) require((call) == 0, #call)

static void skip(const char *why)
{
    printf("skipped: %s\n", why);
    exit(skipped);
}

/* Returns an m × n matrix in the memory of the GPU. */
static double *on_gpu(int64_t m, int64_t n)
{
    void *p;
    CUDA(cudaMalloc(&p, (size_t)(m * n) * sizeof(double)));
    return p;
}

/* Returns an m × n matrix in page-locked memory, from which copies run beside the host. */
static double *on_host(int64_t m, int64_t n)
{
    void *p;
    CUDA(cudaMallocHost(&p, (size_t)(m * n) * sizeof(double)));
    return p;
}

static void copy(double *to, const double *from, int64_t m, int64_t n, cudaStream_t stream)
{
    CUDA(cudaMemcpyAsync(to, from, (size_t)(m * n) * sizeof *to, cudaMemcpyDefault, stream));
}

/* Fills the host's G (n × n) with random numbers, and the column behind it with ones. */
static void fill(int64_t n, double *G)
{
    for (int64_t i = 0; i < n * n; i++)
        G[i] = 2.0 * rand() / RAND_MAX - 1;
    for (int64_t i = n * n; i < n * (n + 1); i++)
        G[i] = 1;
}

/* Launches A := G·Gᵀ + n·I in the lower triangle; behind G is a column of ones. */
static void compute_matrix(cublasHandle_t blas, int n, const double *G, double *A)
{
    const double one = 1, zero = 0, shift = n;
    CUBLAS(cublasDsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &one, G, n, &zero, A, n));
    CUBLAS(cublasDaxpy(blas, n, &shift, G + (size_t)n * (size_t)n, 1, A, n + 1));
}

/* Launches B := A·X + beta·B. */
static void multiply(cublasHandle_t blas, int n, const double *A, const double *X, double beta,
                     double *B)
{
    const double one = 1;
    CUBLAS(cublasDsymm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, n, nrhs, &one, A, n, X, n,
                       &beta, B, n));
}

/* F := its Cholesky factor, X := F⁻¹·X. Both are on GPU 0, and the stream's work writes them. */
static void solve(cudaStream_t stream, int n, double *F, double *X)
{
    startile_matrix *A, *B;
    int64_t nb;
    STARTILE(startile_tile_shape("posv", STARTILE_D, n, n, &nb, &nb)); /* square tiles */
    STARTILE(startile_matrix_wrap_device(&A, STARTILE_D, n, n, F, n, nb, nb, 0, stream));
    STARTILE(startile_matrix_wrap_device(&B, STARTILE_D, n, nrhs, X, n, nb, nb, 0, stream));
    STARTILE(startile_posv('L', A, B));
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2000, gpus = 0;
    require(n >= nrhs, "n >= 10");
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)
        skip("the machine has no GPU");
    STARTILE(startile_init(NULL));
    if (startile_cuda_workers() == 0)
        skip("StarPU has no worker on a GPU");
    cudaStream_t stream;
    cublasHandle_t blas;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUBLAS(cublasCreate(&blas));
    CUBLAS(cublasSetStream(blas, stream));

    double *A = on_gpu(n, n), *F = on_gpu(n, n), *G = on_gpu(n, n + 1);
    double *B = on_gpu(n, nrhs), *X = on_gpu(n, nrhs);
    double *source = on_host(n, n + 1), *residual = on_host(n, nrhs);
    fill(n, source);
    copy(G, source, n, n + 1, stream);
    compute_matrix(blas, n, G, A);
    copy(F, A, n, n, stream);
    copy(X, G, n, nrhs, stream);
    multiply(blas, n, A, X, 0, B); /* B := A·X */
    copy(X, B, n, nrhs, stream);

    solve(stream, n, F, X); /* X := A⁻¹·B */

    multiply(blas, n, A, X, -1, B); /* B := A·X − B */
    copy(residual, B, n, nrhs, stream);
    CUDA(cudaStreamSynchronize(stream));
    double largest = 0;
    for (int64_t i = 0; i < (int64_t)n * nrhs; i++)
        largest = fmax(largest, fabs(residual[i]));
    double error = largest / n; /* ‖A‖ is about 2·n, and ‖X‖ about 1 */
    printf("n = %d on the GPU: residual %.1e\n", n, error);

    CUBLAS(cublasDestroy(blas));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFreeHost(source));
    CUDA(cudaFreeHost(residual));
    for (double *const *p = (double *const[]){A, F, G, B, X, NULL}; *p != NULL; p++)
        CUDA(cudaFree(*p));
    startile_finalize();
    return error < 1e-12 ? 0 : 1;
}
