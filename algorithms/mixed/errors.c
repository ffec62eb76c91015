/* Errors of the solution after an iteration, and the bounds that end the iterations. */
#include "mixed.h"
#include "request/decision.h"

#include <float.h>
#include <math.h>

/* Unit roundoff of double precision, LAPACK's dlamch('E') */
static const double unit_roundoff = DBL_EPSILON / 2;

void raise_maximum(double *largest, double x)
{
    if (!(x <= *largest) && !isnan(*largest))
        *largest = x;
}

double largest_of_values(const values *v, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        raise_maximum(&largest, values_read(v)[i]);
    return largest;
}

double scale_factor(double x)
{
    return x > 0 && isfinite(x) ? ldexp(1, -ilogb(x)) : 1;
}

/* Sets the members of e that depend on the scale factors only. least_sum is NaN for a matrix with
 * NaN or Inf. */
static void find_sums(const mixed_system *s, errors *e)
{
    bool is_least_squares = s->steps->is_least_squares;
    const values *scales = is_least_squares ? s->column : s->row_sums;
    const double *scale = values_read(scales);
    e->largest_sum = largest_of_values(s->row_sums, startile_matrix_shape(s->A).m);
    e->least_sum = e->least_scale = INFINITY;
    e->largest_scale = largest_of_values(scales, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        e->least_sum = fmin(e->least_sum, scale[i] * scale_factor(scale[i]));
        e->least_scale = fmin(e->least_scale, scale[i]);
    }
    if (!isfinite(e->largest_sum))
        e->least_sum = NAN;
    e->least_residual = unit_roundoff * e->least_sum * (is_least_squares ? e->largest_sum : 1);
}

double rowwise_error(const mixed_solver *s, int i, int64_t column)
{
    const column_maxima *m = &s->iteration.maxima[i];
    double r = values_read(m->r)[column];
    return r == 0 ? 0 : r / s->errors.least_sum / values_read(m->x)[column];
}

/* e->inverse_norm := max(itself, ‖D‖∞ / ‖f(row_sums) Q‖∞) for the newest direction that is
 * orthogonal to the earlier ones. A direction that ends a stagnation has a small image Q, and gives
 * a large bound. */
static void find_inverse_norm(const iteration *it, errors *e)
{
    const direction *d = &it->direction[it->directions - 2];
    const double *largest_d = values_read(d->largest_d), *largest_q = values_read(d->largest_q);
    for (int64_t j = 0; j < it->nrhs; j++)
        if (largest_q[j] > 0)
            raise_maximum(&e->inverse_norm, largest_d[j] / largest_q[j]);
}

/* Returns e->inverse_norm · ‖r‖ / ‖x‖, with the rows of A and of the residual r scaled. r counts as
 * at least its rounding errors. */
static double error_from_residual(const errors *e)
{
    return fmax(e->residual, e->least_residual) * e->inverse_norm;
}

/* Returns an estimate of the error in x after iteration `i`: the larger of error_from_residual()
 * and, for refinement, the sum of the corrections that would follow. Each is q times the one
 * before, so their sum is q ‖d‖ / (1 − q) (Demmel et al. 2006). `correction` is ‖d‖ / ‖x‖ of
 * iteration i, e->correction that of the iteration before. */
static double forward_error(const errors *e, int i, bool is_gmres, double correction)
{
    double q = i == 0 ? 0.5 : correction / e->correction;
    double further = is_gmres ? 0 : q < 1 ? q * correction / (1 - q) : correction;
    return fmax(unit_roundoff, fmax(further, error_from_residual(e)));
}

bool find_errors(mixed_solver *s, int i)
{
    const iteration *it = &s->iteration;
    errors *e = &s->errors;
    const column_maxima *m = &it->maxima[i], *before = i == 0 ? &it->before : m - 1;
    const double *x = values_read(m->x), *r = values_read(m->r), *d = values_read(m->d),
                 *r_before = values_read(before->r), *scaled = values_read(before->r_scaled);
    double correction = 0;
    if (i == 0)
        find_sums(&s->system, e);
    e->last_error = e->error;
    e->error = e->residual = 0;
    for (int64_t j = 0; j < it->nrhs; j++) {
        double d_j = d[j] / (i < it->first_gmres ? scale_factor(scaled[j]) : 1);
        raise_maximum(&e->error, s->system.steps->error(s, i, j));
        raise_maximum(&e->residual, r[j] == 0 ? 0 : r[j] / x[j]);
        raise_maximum(&correction, d_j == 0 ? 0 : d_j / x[j]);
        if (i <= it->first_gmres) /* later d is not the correction for this residual */
            raise_maximum(&e->inverse_norm, d_j == 0 ? 0 : d_j / r_before[j]);
    }
    if (i == 0)
        e->first_error = e->error;
    if (i > it->first_gmres)
        find_inverse_norm(it, e);
    e->forward = forward_error(e, i, i >= it->first_gmres, correction);
    e->correction = correction;
    return isfinite(e->least_sum) && isfinite(e->error) && isfinite(correction);
}

void include_known_solution(mixed_solver *s)
{
    const column_maxima *found = &s->known->found;
    errors *e = &s->errors;
    const double *x = values_read(found->x), *d = values_read(found->d), *r = values_read(found->r);
    for (int j = 0; j < KNOWN_COLUMNS; j++)
        if (!(d[j] <= 0)) /* also NaN */
            raise_maximum(&e->inverse_norm, d[j] / (r[j] + e->least_residual * x[j]));
    raise_maximum(&e->forward, error_from_residual(e));
}

double tolerance(const mixed_solver *s)
{
    return unit_roundoff * (s->system.options.tolerance > 0 ? s->system.options.tolerance : 10);
}

double sufficient_error(const mixed_solver *s)
{
    startile_shape a = startile_matrix_shape(s->system.A);
    double n = (double)a.n, m = (double)a.m;
    bool is_complex = a.dtype == STARTILE_Z;
    double usual = s->system.steps->is_least_squares ? sqrt(m * n) : sqrt(is_complex ? n / 2 : n);
    return fmax(tolerance(s), unit_roundoff * usual);
}

bool has_error_within(const mixed_solver *s, double bound)
{
    bool may_be_meaningless = s->system.steps->is_least_squares && !(s->errors.correction < 0.1);
    return s->errors.error <= bound && !may_be_meaningless;
}
