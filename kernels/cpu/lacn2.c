/* Steps of Higham's 1-norm estimator, whose result is a lower bound of the norm (LAPACK xLACN2).
 * kernel_list.h defines the steps. */
#include "dtype.h"

#include <string.h>

static double norm1(int n, const element *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += MAGNITUDE(v[i]);
    return sum;
}

/* *estimate := max(*estimate, norm); best := v if that raises it. `best` may be NULL. */
static void raise_estimate(double *estimate, double norm, int n, const element *v, element *best)
{
    if (best != NULL && norm > *estimate)
        memcpy(best, v, (size_t)n * sizeof *v);
    take_max(estimate, norm);
}

/* v_i := s v_i / |v_i|, or s for v_i = 0. */
static void replace_by_signs(int n, real s, element *v)
{
    for (int i = 0; i < n; i++)
        v[i] = s * (v[i] == 0 ? 1 : v[i] / (real)MAGNITUDE(v[i]));
}

/* v := s times the unit vector at the index of v's first largest element. The estimate becomes NaN
 * if v contains NaN. */
static void set_unit_at_largest(int n, real s, element *v, double *state)
{
    int largest = 0;
    for (int i = 0; i < n; i++) {
        if (MAGNITUDE(v[i]) > MAGNITUDE(v[largest]))
            largest = i;
        if (isnan(MAGNITUDE(v[i])))
            state[STARTILE_LACN2_ESTIMATE] = NAN;
    }
    for (int i = 0; i < n; i++)
        v[i] = i == largest ? s : 0;
    state[STARTILE_LACN2_REPEATS] = state[STARTILE_LACN2_INDEX] == largest + 1;
    state[STARTILE_LACN2_INDEX] = largest + 1;
}

static void set_alternating(int n, real s, element *v)
{
    for (int i = 0; i < n; i++)
        v[i] = s * (real)((i % 2 == 0 ? 1 : -1) * (1 + (n > 1 ? i / (double)(n - 1) : 0)));
}

int NAME(lacn2)(startile_exec *x, startile_lacn2 step, int n, double s, void *vector, void *best,
                double *state)
{
    (void)x;
    element *v = vector;
    double *estimate = state + STARTILE_LACN2_ESTIMATE;
    const real scale = (real)s;
    bool repeats = step != STARTILE_LACN2_START && state[STARTILE_LACN2_REPEATS] != 0;
    if (repeats && (step == STARTILE_LACN2_SIGN || step == STARTILE_LACN2_UNIT))
        return 0;
    switch (step) {
    case STARTILE_LACN2_START:
        memset(state, 0, STARTILE_LACN2_STATE * sizeof *state);
        for (int i = 0; i < n; i++)
            v[i] = (real)(s / (double)n);
        break;
    case STARTILE_LACN2_SIGN:
        raise_estimate(estimate, norm1(n, v), n, v, best);
        replace_by_signs(n, scale, v);
        break;
    case STARTILE_LACN2_UNIT:
        set_unit_at_largest(n, scale, v, state);
        break;
    case STARTILE_LACN2_ALTERNATING:
        if (!repeats)
            raise_estimate(estimate, norm1(n, v), n, v, best);
        set_alternating(n, scale, v);
        break;
    case STARTILE_LACN2_END:
        raise_estimate(estimate, 2 * norm1(n, v) / (3 * (double)n), n, v, best);
        break;
    }
    return 0;
}
