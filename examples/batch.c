/*
 * Solves many small symmetric positive definite systems twice: once with LAPACK's arguments, once
 * with descriptors. A StarPU program can combine the tasks on descriptors with its own tasks.
 */
#include <math.h>
#include <startile_batch.h>
#include <stdio.h>
#include <stdlib.h>

enum { systems = 1000, n = 20 };

static double a[systems][n * n], x[systems][n];
static int64_t info[systems];

/* Returns element (i, j) of matrix q, (0.5 + q / 4000)^|i−j|, which is positive definite. */
static double element(int q, int i, int j)
{
    return pow(0.5 + q / 4000.0, abs(i - j));
}

/* Sets the matrices, and all right-hand sides to ones. */
static void fill(void)
{
    for (int q = 0; q < systems; q++)
        for (int j = 0; j < n; j++) {
            x[q][j] = 1; /* the right-hand side, then the solution */
            for (int i = 0; i < n; i++)
                a[q][i + j * n] = element(q, i, j);
        }
}

/* Returns the largest |b − A x| of all systems, where b is all ones. */
static double largest_residual(void)
{
    double residual = 0;
    for (int q = 0; q < systems; q++)
        for (int i = 0; i < n; i++) {
            double r = 1;
            for (int j = 0; j < n; j++)
                r -= element(q, i, j) * x[q][j];
            residual = fmax(residual, fabs(r));
        }
    return residual;
}

/* Factors and solves with descriptors; StarPU schedules the tasks. Returns 0 or an error. */
static int64_t solve_with_descriptors(void)
{
    startile_batch *A = NULL, *X = NULL, *I = NULL;
    startile_request *request = NULL;
    int64_t status = startile_init(NULL);
    if (status != 0)
        return status;
    status = startile_request_create(&request);
    if (status == 0)
        status = startile_batch_wrap(&A, STARTILE_D, systems, n, n, a, n, n * n, 0, NULL);
    if (status == 0)
        status = startile_batch_wrap(&X, STARTILE_D, systems, n, 1, x, n, n, 0, A);
    if (status == 0)
        status = startile_batch_wrap_integers(&I, systems, 1, info, 1, 0, A);
    if (status == 0)
        status = startile_posv_batch_async('L', A, X, I, request);
    if (status == 0)
        status = startile_request_wait(request);
    startile_request_destroy(request);
    startile_batch_destroy(A);
    startile_batch_destroy(X); /* after this call the solutions are in x */
    startile_batch_destroy(I);
    startile_finalize();
    return status;
}

int main(void)
{
    fill();
    int64_t status =
        startile_dposv_batch_strided('L', n, 1, &a[0][0], n, n * n, &x[0][0], n, n, info, systems);
    double first = largest_residual();
    fill();
    if (status == 0)
        status = solve_with_descriptors();
    if (status != 0) {
        fprintf(stderr, "posv: %s\n", startile_strerror(status));
        return 1;
    }
    double second = largest_residual();
    printf("%d systems of order %d, largest residuals %.1e and %.1e\n", systems, n, first, second);
    return first < 1e-12 && second < 1e-12 ? 0 : 1;
}
