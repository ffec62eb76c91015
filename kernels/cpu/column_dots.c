/* Products of corresponding columns, and sums of columns with quotients of such products as
 * factors.
 */
#include "dtype.h"

#ifdef STARTILE_COMPLEX
/* Returns conj(a) b. */
static double_element product_of(double_element a, double_element b)
{
    return CMPLX(creal(a) * creal(b) + cimag(a) * cimag(b),
                 creal(a) * cimag(b) - cimag(a) * creal(b));
}

/* Returns b + (re + i im) a. */
static double_element sum_of(double_element b, double re, double im, double_element a)
{
    return CMPLX(creal(b) + re * creal(a) - im * cimag(a),
                 cimag(b) + re * cimag(a) + im * creal(a));
}
#else
static double product_of(double a, double b)
{
    return a * b;
}

static double sum_of(double b, double re, double im, double a)
{
    (void)im;
    return b + re * a;
}
#endif

int NAME(column_dots)(startile_exec *x, int m, int n, const void *a, int lda, const void *b,
                      int ldb, double *acc)
{
    (void)x;
    for (int j = 0; j < n; j++) {
        const element *u = (const element *)a + (ptrdiff_t)j * lda,
                      *v = (const element *)b + (ptrdiff_t)j * ldb;
        double_element sum = 0;
        for (int i = 0; i < m; i++)
            sum += product_of(u[i], v[i]);
        acc[2 * j] += creal(sum);
        acc[2 * j + 1] += cimag(sum);
    }
    return 0;
}

int NAME(column_axpys)(startile_exec *x, int m, int n, int sign, const double *num,
                       const double *den, const void *a, int lda, void *b, int ldb)
{
    (void)x;
    for (int j = 0; j < n; j++) {
        const element *from = (const element *)a + (ptrdiff_t)j * lda;
        element *to = (element *)b + (ptrdiff_t)j * ldb;
        if (num != NULL && den[2 * j] == 0)
            continue;
        const double re = num == NULL ? sign : sign * num[2 * j] / den[2 * j],
                     im = num == NULL ? 0 : sign * num[2 * j + 1] / den[2 * j];
        for (int i = 0; i < m; i++)
            to[i] = (element)sum_of(to[i], re, im, from[i]);
    }
    return 0;
}
