/* Steps of Higham's 1-norm estimator, whose result is a lower bound of the norm (LAPACK xLACN2).
 * kernel_list.h defines the steps. */
#include "dtype.h"

static double norm1(int n, const element *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += MAGNITUDE(v[i]);
    return sum;
}

/* v_i := v_i / |v_i|, or 1 for v_i = 0. */
static void replace_by_signs(int n, element *v)
{
    for (int i = 0; i < n; i++)
        v[i] = v[i] == 0 ? 1 : v[i] / (real)MAGNITUDE(v[i]);
}

/* v := the unit vector at the index of v's first largest element. *estimate := NaN if v contains
 * NaN. */
static void set_unit_at_largest(int n, element *v, double *estimate)
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

static void set_alternating(int n, element *v)
{
    for (int i = 0; i < n; i++)
        v[i] = (real)((i % 2 == 0 ? 1 : -1) * (1 + (n > 1 ? i / (double)(n - 1) : 0)));
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
        take_max(estimate, norm1(n, v));
        replace_by_signs(n, v);
        break;
    case STARTILE_LACN2_UNIT:
        set_unit_at_largest(n, v, estimate);
        break;
    case STARTILE_LACN2_ALTERNATING:
        take_max(estimate, norm1(n, v));
        set_alternating(n, v);
        break;
    case STARTILE_LACN2_END:
        take_max(estimate, 2 * norm1(n, v) / (3 * (double)n));
        break;
    }
    return 0;
}
