/* Steps of Higham's 1-norm estimator, a lower bound of the norm (LAPACK xLACN2; see kernels.h). */
#include "dtype.h"

static double norm1(int n, const element *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += MAGNITUDE(v[i]);
    return sum;
}

static void signs(int n, element *v)
{
    for (int i = 0; i < n; i++)
        v[i] = v[i] == 0 ? 1 : v[i] / (real)MAGNITUDE(v[i]);
}

static void unit_at_largest(int n, element *v, double *estimate)
{
    int largest = 0;
    for (int i = 0; i < n; i++) {
        if (MAGNITUDE(v[i]) > MAGNITUDE(v[largest]))
            largest = i;
        if (isnan(MAGNITUDE(v[i])))
            *estimate = NAN;
    }
    for (int i = 0; i < n; i++)
        v[i] = i == largest;
}

static void alternate(int n, element *v)
{
    for (int i = 0; i < n; i++)
        v[i] = (real)((i % 2 == 0 ? 1 : -1) * (1 + (n > 1 ? i / (double)(n - 1) : 0)));
}

static void take(double *estimate, double value)
{
    if (!(value <= *estimate) && !isnan(*estimate))
        *estimate = value;
}

int NAME(lacn2)(startile_exec *x, startile_lacn2 step, int n, void *vector, double *estimate)
{
    (void)x;
    element *v = vector;
    switch (step) {
    case STARTILE_LACN2_START:
        *estimate = 0;
        for (int i = 0; i < n; i++)
            v[i] = (real)(1 / (double)n);
        break;
    case STARTILE_LACN2_SIGN:
        take(estimate, norm1(n, v));
        signs(n, v);
        break;
    case STARTILE_LACN2_UNIT:
        unit_at_largest(n, v, estimate);
        break;
    case STARTILE_LACN2_ALTERNATING:
        take(estimate, norm1(n, v));
        alternate(n, v);
        break;
    case STARTILE_LACN2_END:
        take(estimate, 2 * norm1(n, v) / (3 * (double)n));
        break;
    }
    return 0;
}
