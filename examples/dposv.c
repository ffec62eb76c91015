/*
 * Solves a symmetric positive definite system with LAPACK's arguments. The library starts StarPU at
 * the first call.
 */
#include <math.h>
#include <startile.h>
#include <startile_lapack.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 500 };

static double a[n * n], x[n];

/* Returns element (i, j), 0.9^|i−j|, of a positive definite matrix. */
static double element(int i, int j)
{
    return pow(0.9, abs(i - j));
}

int main(void)
{
    for (int j = 0; j < n; j++) {
        x[j] = 1; /* the right-hand side, then the solution */
        for (int i = 0; i < n; i++)
            a[i + j * n] = element(i, j);
    }

    int64_t info = startile_dposv('L', n, 1, a, n, x, n);
    if (info != 0) {
        fprintf(stderr, "dposv: %s\n", startile_strerror(info));
        return 1;
    }

    double residual = 0;
    for (int i = 0; i < n; i++) {
        double r = 1;
        for (int j = 0; j < n; j++)
            r -= element(i, j) * x[j];
        residual = fmax(residual, fabs(r));
    }
    printf("n = %d, largest residual %.1e\n", n, residual);
    return residual < 1e-12 ? 0 : 1;
}
