/* A program outside the project: solves A x = b for a small A by the typed entry and by
 * descriptors. */
#include <startile.h>
#include <startile_lapack.h>

#include <stdio.h>

enum { N = 3 };

/* Fills A with 4 on the diagonal and 1 elsewhere; b := A x for an x of ones. */
static void make_problem(double *a, double *b)
{
    for (int j = 0; j < N; j++) {
        b[j] = 0;
        for (int i = 0; i < N; i++) {
            a[i + j * N] = i == j ? 4 : 1;
            b[j] += a[i + j * N];
        }
    }
}

/* Returns whether x is not a vector of ones, up to rounding. */
static int is_wrong(const double *x)
{
    for (int i = 0; i < N; i++)
        if (x[i] < 1 - 1e-12 || x[i] > 1 + 1e-12)
            return 1;
    return 0;
}

int main(void)
{
    double a[N * N], b[N];
    startile_matrix *A, *B;
    make_problem(a, b);
    int64_t info = startile_dposv('L', N, 1, a, N, b, N);
    if (info != 0 || is_wrong(b)) {
        fprintf(stderr, "startile_dposv: %s\n", startile_strerror(info));
        return 1;
    }
    make_problem(a, b);
    if (startile_init(NULL) != 0 || startile_matrix_wrap(&A, STARTILE_D, N, N, a, N, 2, 2) != 0 ||
        startile_matrix_wrap(&B, STARTILE_D, N, 1, b, N, 2, 2) != 0)
        return 1;
    info = startile_posv('U', A, B);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_finalize();
    if (info != 0 || is_wrong(b))
        return 1;
    printf("startile %s: solved\n", startile_version());
    return 0;
}
