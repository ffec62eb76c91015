/*
 * Partial norms of a tile (LAPACK xLANGE, xLANSY, xLANHE), accumulated in double.
 *
 * If an element is NaN, a maximum becomes and stays NaN, as in LAPACK. The Frobenius norm is kept
 * as a scale and a sum of squares relative to the scale (LAPACK xLASSQ), so that it neither
 * overflows nor underflows.
 */
#include "dtype.h"
#include "power_of_two.h"

/* Adds weight v² to acc[0]² acc[1]. */
static void add_square(double *acc, double weight, double v)
{
    if (v == 0)
        return;
    if (acc[0] < v) {
        double ratio = acc[0] / v;
        acc[1] = weight + acc[1] * ratio * ratio;
        acc[0] = v;
    } else {
        double ratio = v == acc[0] ? 1 : v / acc[0];
        acc[1] += weight * ratio * ratio;
    }
}

/* Adds |a_ij| = v to the norm. `weight` counts for the Frobenius norm only. */
static void accumulate(char norm, double *acc, int i, int j, double weight, double v)
{
    switch (norm) {
    case 'M':
        take_max(acc, v);
        break;
    case '1':
        acc[j] += v;
        break;
    case 'I':
        acc[i] += v;
        break;
    default:
        add_square(acc, weight, v);
    }
}

int NAME(lange)(startile_exec *x, char norm, int m, int n, double weight, const void *a, int lda,
                double *acc)
{
    (void)x;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            accumulate(norm, acc, i, j, weight,
                       MAGNITUDE(((const element *)a)[i + (ptrdiff_t)j * lda]));
    return 0;
}

int NAME(lansy)(startile_exec *x, char norm, char uplo, int hermitian, int n, const void *a,
                int lda, double *acc)
{
    (void)x;
    for (int j = 0; j < n; j++) {
        const element *column = (const element *)a + (ptrdiff_t)j * lda;
        for (int i = first_row(uplo, n, j); i < end_row(uplo, n, j); i++) {
            if (i == j) {
                double v = hermitian ? fabs(creal(column[i])) : MAGNITUDE(column[i]);
                accumulate(norm, acc, i, j, 1, v);
            } else {
                accumulate(norm, acc, i, j, 2, MAGNITUDE(column[i]));
                /* the mirrored element belongs to column i and row j */
                if (norm == '1' || norm == 'I')
                    accumulate(norm, acc, j, i, 1, MAGNITUDE(column[i]));
            }
        }
    }
    return 0;
}

int NAME(row_squares)(startile_exec *x, char uplo, int m, int n, const void *a, int lda,
                      const double *largest, double *sums)
{
    (void)x;
    int exponent = startile_exponent(largest, 0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < (uplo == 'U' && j + 1 < m ? j + 1 : m); i++) {
            double v =
                startile_scaled(MAGNITUDE(((const element *)a)[i + (ptrdiff_t)j * lda]), -exponent);
            sums[i] += v * v;
        }
    return 0;
}
