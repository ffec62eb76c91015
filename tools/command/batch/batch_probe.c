/*
 * Small matrices times vectors in double precision, for the checks of batches.
 */
#include "batch_probe.h"

#include "scalar.h"

#include <math.h>

double batch_worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

void batch_probe(int64_t n, int c, double _Complex *x)
{
    uint64_t bits = 0x9e3779b97f4a7c15 * (uint64_t)n | 1;
    for (int64_t i = 0; i < n; i++) {
        bits ^= bits << 13; /* George Marsaglia's xorshift64 */
        bits ^= bits >> 7;
        bits ^= bits << 17;
        x[i] = c ? 0 : (bits >> 63 ? 1 : -1) / (double)n;
    }
    if (c)
        x[c == 1 ? 0 : c == 2 ? n / 2 : n - 1] = 1;
}

double batch_norm1(int64_t n, const double _Complex *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += cabs(x[i]);
    return sum;
}

double batch_distance(int64_t n, double _Complex *x, const double _Complex *y)
{
    for (int64_t i = 0; i < n; i++)
        x[i] -= y[i];
    return batch_norm1(n, x);
}

void batch_column(startile_dtype dtype, int64_t m, const void *a, int64_t ld, int64_t j,
                  double _Complex *x)
{
    for (int64_t i = 0; i < m; i++)
        x[i] = element_get(dtype, a, (size_t)(i + j * ld));
}

/* Rows first … last − 1 of column j: y += x_j a_j, or y_j += a_jᴴ x */
static void apply_column(startile_dtype dtype, char trans, const void *a, int64_t ld, int64_t j,
                         int64_t first, int64_t last, const double _Complex *x, double _Complex *y)
{
    double _Complex factor = x[j], sum = 0;
    for (int64_t i = first; i < last; i++) {
        double _Complex element = element_get(dtype, a, (size_t)(i + j * ld));
        if (trans == 'N')
            y[i] += element * factor;
        else
            sum += conj(element) * x[i];
    }
    if (trans != 'N')
        y[j] += sum;
}

void batch_product(startile_dtype dtype, char trans, int64_t m, int64_t n, const void *a,
                   int64_t ld, const double _Complex *x, double _Complex *y)
{
    for (int64_t i = 0; i < (trans == 'N' ? m : n); i++)
        y[i] = 0;
    for (int64_t j = 0; j < n; j++)
        apply_column(dtype, trans, a, ld, j, 0, m, x, y);
}

/* The triangle's rows of column j, without the diagonal where that is all ones */
static void rows_of(char uplo, char diag, int64_t m, int64_t j, int64_t *first, int64_t *last)
{
    bool ones = diag == 'U';
    *first = uplo == 'L' ? j + ones : 0;
    *last = uplo == 'L' ? m : j + !ones;
    *last = *last < m ? *last : m;
}

void batch_triangle(startile_dtype dtype, char uplo, char trans, char diag, int64_t m, int64_t n,
                    const void *a, const double _Complex *x, double _Complex *y)
{
    int64_t rows = trans == 'N' ? m : n, ones = m < n ? m : n, first, last;
    for (int64_t i = 0; i < rows; i++)
        y[i] = diag == 'U' && i < ones ? x[i] : 0;
    for (int64_t j = 0; j < n; j++) {
        rows_of(uplo, diag, m, j, &first, &last);
        apply_column(dtype, trans, a, m, j, first, last, x, y);
    }
}

double batch_triangle_norm1(startile_dtype dtype, char uplo, char diag, int64_t m, int64_t n,
                            const void *a)
{
    double largest = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t first, last;
        double sum = diag == 'U';
        rows_of(uplo, diag, m, j, &first, &last);
        for (int64_t i = first; i < last; i++)
            sum += element_abs(dtype, a, (size_t)(i + j * m));
        largest = batch_worse(sum, largest);
    }
    return largest;
}

void batch_interchange(int64_t k, const int64_t *ipiv, bool backwards, double _Complex *x)
{
    for (int64_t step = 0; step < k; step++) {
        int64_t i = backwards ? k - 1 - step : step, p = ipiv[i] - 1;
        double _Complex held = x[i];
        x[i] = x[p];
        x[p] = held;
    }
}

/* x := (I − tau v vᴴ) x, where v's first element is 1 and the others are in column j */
static void reflect_by(startile_dtype dtype, int64_t m, const void *a, int64_t j,
                       double _Complex tau, double _Complex *x)
{
    double _Complex product = x[j];
    for (int64_t i = j + 1; i < m; i++)
        product += conj(element_get(dtype, a, (size_t)(i + j * m))) * x[i];
    product *= tau;
    x[j] -= product;
    for (int64_t i = j + 1; i < m; i++)
        x[i] -= element_get(dtype, a, (size_t)(i + j * m)) * product;
}

void batch_reflect(startile_dtype dtype, char trans, int64_t m, int64_t k, const void *a,
                   const void *tau, double _Complex *x)
{
    for (int64_t step = 0; step < k; step++) {
        int64_t j = trans == 'N' ? k - 1 - step : step;
        double _Complex t = element_get(dtype, tau, (size_t)j);
        reflect_by(dtype, m, a, j, trans == 'N' ? t : conj(t), x);
    }
}
