/*
 * Solves a positive definite system on all GPUs of the host, or on its CPU cores if it has none:
 *
 *     gpus [n]
 *
 * Nothing in the program depends on their number. The library spreads the tiles over the GPUs.
 */
#include <startile.h>
#include <startile_testing.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { seed_of_a = 1, seed_of_b = 2, nrhs = 10 };

/* Ends the program with a message if the status is not 0. */
static void require(int64_t status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "gpus: %s: %s\n", what, startile_strerror(status));
    exit(EXIT_FAILURE);
}

/* Returns the time in seconds. */
static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns ‖B − A·X‖ / (‖A‖·‖X‖) in the ∞-norm. Generates A and B again. */
static double backward_error(int64_t n, startile_matrix *A, startile_matrix *X, startile_matrix *B)
{
    double a, x, r;
    require(startile_random('S', seed_of_a, (double)n, A), "random");
    require(startile_random('G', seed_of_b, 0, B), "random");
    require(startile_gemm('N', 'N', -1, A, X, 1, B), "gemm");
    require(startile_lange('I', A, &a), "lange");
    require(startile_lange('I', X, &x), "lange");
    require(startile_lange('I', B, &r), "lange");
    return r / (a * x);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 2000;
    startile_matrix *A, *X, *B;
    require(startile_init(NULL), "init");
    require(startile_matrix_create_for(&A, "posv", STARTILE_D, n, n), "create");
    int64_t nb = startile_matrix_shape(A).nb; /* chosen by the library for the machine */
    require(startile_matrix_create(&X, STARTILE_D, n, nrhs, nb, nb), "create");
    require(startile_matrix_create(&B, STARTILE_D, n, nrhs, nb, nb), "create");
    require(startile_random('S', seed_of_a, (double)n, A), "random"); /* each tile on its GPU */
    require(startile_random('G', seed_of_b, 0, X), "random");

    double start = now();
    require(startile_posv('L', A, X), "posv");
    double seconds = now() - start, size = (double)n, error = backward_error(n, A, X, B);
    printf("%d workers on GPUs, %d on CPU cores: n = %lld, %.3f s, %.1f GFlop/s, backward error "
           "%.1e\n",
           startile_cuda_workers(), startile_cpu_workers(), (long long)n, seconds,
           (size * size * size / 3 + 2 * size * size * nrhs) / seconds * 1e-9, error);

    startile_matrix_destroy(B);
    startile_matrix_destroy(X);
    startile_matrix_destroy(A);
    startile_finalize();
    return error < 1e-14 ? 0 : 1;
}
