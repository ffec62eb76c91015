/*
 * Solves a positive definite system whose matrix is in a file and larger than the limit of main
 * memory, here 12 MiB:
 *
 *     STARPU_LIMIT_CPU_MEM=12 disk /scratch
 */
#include <startile.h>
#include <startile_disk.h>
#include <startile_testing.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 2000, seed_of_a = 1, seed_of_b = 2 };

static double x[n], r[n]; /* x: right-hand side, then solution; r: residual */

/* Ends the program with a message if the status is not 0. */
static void require(int64_t status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "disk: %s: %s\n", what, startile_strerror(status));
    exit(EXIT_FAILURE);
}

/* Generates A and the right-hand side by tasks on tiles, because only the file can hold all of A,
 * and solves. */
static void solve(startile_matrix *A, startile_matrix *X)
{
    require(startile_random('S', seed_of_a, n, A), "random");
    require(startile_random('G', seed_of_b, 0, X), "random");
    require(startile_potrf('L', A), "potrf");
    require(startile_potrs('L', A, X), "potrs");
}

/* Returns max |b − A·x|. Generates A and b again, because the file contains the factor and X the
 * solution. */
static double largest_residual(startile_matrix *A, startile_matrix *X, startile_matrix *R)
{
    double residual;
    require(startile_random('S', seed_of_a, n, A), "random");
    require(startile_random('G', seed_of_b, 0, R), "random");
    require(startile_gemm('N', 'N', -1, A, X, 1, R), "gemm");
    require(startile_lange('M', R, &residual), "lange");
    return residual;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".", *limit = getenv("STARPU_LIMIT_CPU_MEM");
    startile_matrix *A, *X, *R;
    int64_t nb, read, written;
    require(startile_init(NULL), "init");
    /* square tiles for the memory limit */
    require(startile_tile_shape("posv", STARTILE_D, n, n, &nb, &nb), "tile_shape");
    require(startile_matrix_create_on_disk(&A, STARTILE_D, n, n, nb, nb, folder), folder);
    require(startile_matrix_wrap(&X, STARTILE_D, n, 1, x, n, nb, nb), "wrap");
    require(startile_matrix_wrap(&R, STARTILE_D, n, 1, r, n, nb, nb), "wrap");
    solve(A, X);
    require(startile_matrix_disk_bytes(A, &read, &written), "disk_bytes");
    double residual = largest_residual(A, X, R);
    printf("n = %d, %d bytes in a file, main memory for %s MiB: %lld bytes read, %lld written, "
           "largest residual %.1e\n",
           n, 8 * n * n, limit ? limit : "more", (long long)read, (long long)written, residual);
    startile_matrix_destroy(R);
    startile_matrix_destroy(X);
    startile_matrix_destroy(A); /* deletes the file too */
    startile_finalize();
    return residual < 1e-12 ? 0 : 1;
}
