/*
 * Factors a general matrix once, with LAPACK's arguments, and solves with the factors for several
 * right-hand sides at a time: A·X = B, and Aᵀ·X = B.
 */
#include <math.h>
#include <startile.h>
#include <startile_lapack.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 500, nrhs = 20 };

static double a[n * n], x[n * nrhs];
static int64_t ipiv[n];

/* Returns element (i, j) of A. The diagonal is 1, and a_ij = −a_ji elsewhere. Therefore xᵀAx = xᵀx,
 * and A is not singular. */
static double element(int i, int j)
{
    double magnitude = pow(0.9, abs(i - j));
    return i >= j ? magnitude : -magnitude;
}

/* Returns element (i, k) of the right-hand sides. */
static double right_hand_side(int i, int k)
{
    return cos(i * (k + 1));
}

/* Overwrites x by the solution of A·X = B ('N') or Aᵀ·X = B ('T'). Returns LAPACK's info. */
static int64_t solve(char trans)
{
    for (int k = 0; k < nrhs; k++)
        for (int i = 0; i < n; i++)
            x[i + k * n] = right_hand_side(i, k);
    return startile_dgetrs(trans, n, nrhs, a, n, ipiv, x, n);
}

/* Returns the largest magnitude of an element of B − A·X ('N') or B − Aᵀ·X ('T'). */
static double largest_residual(char trans)
{
    double residual = 0;
    for (int k = 0; k < nrhs; k++)
        for (int i = 0; i < n; i++) {
            double r = right_hand_side(i, k);
            for (int j = 0; j < n; j++)
                r -= (trans == 'N' ? element(i, j) : element(j, i)) * x[j + k * n];
            residual = fmax(residual, fabs(r));
        }
    return residual;
}

int main(void)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i + j * n] = element(i, j);
    int64_t info = startile_dgetrf(n, n, a, n, ipiv); /* a := L and U */
    for (const char *trans = "NT"; info == 0 && *trans != '\0'; trans++) {
        info = solve(*trans);
        double residual = largest_residual(*trans);
        printf("getrs '%c', %d right-hand sides: largest residual %.1e\n", *trans, nrhs, residual);
        if (info == 0 && !(residual < 1e-12))
            return 1;
    }
    if (info != 0)
        fprintf(stderr, "dgetrs: %s\n", startile_strerror(info));
    return info != 0;
}
