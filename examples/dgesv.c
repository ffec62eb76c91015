/*
 * Solves a general system with LAPACK's arguments, and estimates its condition number.
 */
#include <math.h>
#include <startile.h>
#include <startile_lapack.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 500 };

static double a[n * n], x[n];
static int64_t ipiv[n];

/* Returns element (i, j). The diagonal is 1, and a_ij = −a_ji elsewhere. Therefore xᵀAx = xᵀx, and
 * A is not singular. */
static double element(int i, int j)
{
    double magnitude = pow(0.9, abs(i - j));
    return i >= j ? magnitude : -magnitude;
}

/* Sets A, and the right-hand side to ones. Returns ‖A‖₁. */
static double make_system(void)
{
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            a[i + j * n] = element(i, j);
            sum += fabs(a[i + j * n]);
        }
        norm = fmax(norm, sum);
        x[j] = 1;
    }
    return norm;
}

/* Returns the largest |b − A x|, where b is all ones. */
static double largest_residual(void)
{
    double residual = 0;
    for (int i = 0; i < n; i++) {
        double r = 1;
        for (int j = 0; j < n; j++)
            r -= element(i, j) * x[j];
        residual = fmax(residual, fabs(r));
    }
    return residual;
}

int main(void)
{
    double norm = make_system(), rcond;
    int64_t info = startile_dgesv(n, 1, a, n, ipiv, x, n);
    if (info == 0) /* a contains the factors */
        info = startile_dgecon('1', n, a, n, norm, &rcond);
    if (info != 0) {
        fprintf(stderr, "dgesv: %s\n", startile_strerror(info));
        return 1;
    }

    double residual = largest_residual();
    printf("n = %d, condition number about %.0f, largest residual %.1e\n", n, 1 / rcond, residual);
    return residual < 1e-12 ? 0 : 1;
}
