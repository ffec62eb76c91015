/*
 * Fits a polynomial to samples of a function: least squares by QR, with LAPACK's arguments.
 */
#include <math.h>
#include <startile.h>
#include <startile_lapack.h>
#include <stdio.h>

enum { m = 2000, n = 6 }; /* numbers of samples and of coefficients */

static double a[m * n], b[m];

/* Returns sample point i, in [0, 1]. */
static double sample_point(int i)
{
    return (double)i / (m - 1);
}

/* Sets A and b: column j of A has the powers tʲ of the sample points t, and b has eᵗ. */
static void make_problem(void)
{
    for (int i = 0; i < m; i++) {
        double power = 1;
        for (int j = 0; j < n; j++, power *= sample_point(i))
            a[i + j * m] = power;
        b[i] = exp(sample_point(i));
    }
}

/* Returns the value at t of the polynomial with coefficients x, by Horner's scheme. */
static double polynomial(const double *x, double t)
{
    double value = 0;
    for (int j = n - 1; j >= 0; j--)
        value = value * t + x[j];
    return value;
}

/* Returns ‖b − A x‖₂. *gradient := the largest magnitude of an element of Aᵀ (b − A x), which is 0
 * for the exact least-squares solution. */
static double residual_norm(const double *x, double *gradient)
{
    double sum = 0, products[n] = {0};
    for (int i = 0; i < m; i++) {
        double t = sample_point(i), r = exp(t) - polynomial(x, t), power = 1;
        sum += r * r;
        for (int j = 0; j < n; j++, power *= t)
            products[j] += power * r;
    }
    *gradient = 0;
    for (int j = 0; j < n; j++)
        *gradient = fmax(*gradient, fabs(products[j]));
    return sqrt(sum);
}

int main(void)
{
    make_problem();
    int64_t info = startile_dgels('N', m, n, 1, a, m, b, m);
    if (info != 0) {
        fprintf(stderr, "dgels: %s\n", startile_strerror(info));
        return 1;
    }

    /* The first n elements of b are x. The norm of the other elements is the residual norm. */
    double squares = 0, gradient, norm = residual_norm(b, &gradient);
    for (int i = n; i < m; i++)
        squares += b[i] * b[i];
    printf("e^t by a polynomial of degree %d on %d places: residual norm %.6e (%.6e by dgels), "
           "largest element of A'r %.1e\n",
           n - 1, m, norm, sqrt(squares), gradient);
    return gradient < 1e-11 && fabs(norm - sqrt(squares)) < 1e-11 ? 0 : 1;
}
