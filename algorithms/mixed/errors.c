/* Errors of the solution after an iteration, and the bounds that end the iterations. */
#include "mixed.h"

#include <float.h>
#include <math.h>

/* Unit roundoff of double precision, LAPACK's dlamch('E') */
static const double unit_roundoff = DBL_EPSILON / 2;

void include(double *largest, double x)
{
    if (!(x <= *largest) && !isnan(*largest))
        *largest = x;
}

double largest_of_values(const values *v, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        include(&largest, values_read(v)[i]);
    return largest;
}

double scale_factor(double x)
{
    return x > 0 && isfinite(x) ? ldexp(1, -ilogb(x)) : 1;
}

/* Finds s->least_sum and s->largest_sum; NaN for a matrix with NaN or Inf. */
static void find_sums(mixed_solver *s)
{
    bool is_least_squares = s->steps->is_least_squares;
    const values *scales = is_least_squares ? s->column : s->row_sums;
    const double *scale = values_read(scales);
    s->largest_sum = largest_of_values(s->row_sums, startile_matrix_shape(s->A).m);
    s->least_sum = s->least_scale = INFINITY;
    s->largest_scale = largest_of_values(scales, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        s->least_sum = fmin(s->least_sum, scale[i] * scale_factor(scale[i]));
        s->least_scale = fmin(s->least_scale, scale[i]);
    }
    if (!isfinite(s->largest_sum))
        s->least_sum = NAN;
    s->least_residual = unit_roundoff * s->least_sum * (is_least_squares ? s->largest_sum : 1);
}

double rowwise_error(const mixed_solver *s, int i, int64_t column)
{
    double r = values_read(s->maxima[i].r)[column];
    return r == 0 ? 0 : r / s->least_sum / values_read(s->maxima[i].x)[column];
}

/* s->inverse_norm := max(itself, ‖D‖∞ / ‖f(row_sums) Q‖∞) for the newest direction that is
 * orthogonal to the earlier ones. The directions that end a stagnation have small images. */
static void find_inverse_norm(mixed_solver *s)
{
    const direction *d = &s->direction[s->directions - 2];
    const double *largest_d = values_read(d->largest_d), *largest_q = values_read(d->largest_q);
    for (int64_t j = 0; j < s->nrhs; j++)
        if (largest_q[j] > 0)
            include(&s->inverse_norm, largest_d[j] / largest_q[j]);
}

/* Returns the bound of the inverse's norm times ‖r‖ / ‖x‖, both with scaled rows. The residual
 * counts as at least its rounding errors. */
static double error_from_residual(const mixed_solver *s)
{
    return fmax(s->residual, s->least_residual) * s->inverse_norm;
}

/* Returns an estimate of the error in x after iteration `i`: error_from_residual(). For refinement
 * it is at least the sum of the further corrections, whose sizes ‖d‖ / ‖x‖, here `correction`,
 * shrink by a factor q: q ‖d_i‖ / ((1 − q) ‖x‖) (Demmel et al. 2006). */
static double forward_error(const mixed_solver *s, int i, double correction)
{
    double q = i == 0 ? 0.5 : correction / s->last_correction;
    double further = i >= s->first_gmres ? 0 : q < 1 ? q * correction / (1 - q) : correction;
    return fmax(unit_roundoff, fmax(further, error_from_residual(s)));
}

bool find_errors(mixed_solver *s, int i)
{
    const column_maxima *m = &s->maxima[i], *before = i == 0 ? &s->before : m - 1;
    const double *x = values_read(m->x), *r = values_read(m->r), *d = values_read(m->d),
                 *r_before = values_read(before->r), *scaled = values_read(before->r_scaled);
    double correction = 0;
    if (i == 0)
        find_sums(s);
    s->error = s->residual = 0;
    for (int64_t j = 0; j < s->nrhs; j++) {
        double d_j = d[j] / (i < s->first_gmres ? scale_factor(scaled[j]) : 1);
        include(&s->error, s->steps->error(s, i, j));
        include(&s->residual, r[j] == 0 ? 0 : r[j] / x[j]);
        include(&correction, d_j == 0 ? 0 : d_j / x[j]);
        if (i <= s->first_gmres) /* later d is not the correction for this residual */
            include(&s->inverse_norm, d_j == 0 ? 0 : d_j / r_before[j]);
    }
    if (i > s->first_gmres)
        find_inverse_norm(s);
    s->forward = forward_error(s, i, correction);
    s->last_correction = correction;
    return isfinite(s->least_sum) && isfinite(s->error) && isfinite(correction);
}

void include_known_solution(mixed_solver *s)
{
    const double *x = values_read(s->known.x), *e = values_read(s->known.d),
                 *r = values_read(s->known.r);
    for (int j = 0; j < KNOWN_COLUMNS; j++)
        if (!(e[j] <= 0)) /* also NaN */
            include(&s->inverse_norm, e[j] / (r[j] + s->least_residual * x[j]));
    include(&s->forward, error_from_residual(s));
}

double tolerance(const mixed_solver *s)
{
    return unit_roundoff * (s->options.tolerance > 0 ? s->options.tolerance : 10);
}

double sufficient_error(const mixed_solver *s)
{
    double n = (double)s->n, m = (double)startile_matrix_shape(s->A).m;
    bool is_complex = startile_matrix_shape(s->A).dtype == STARTILE_Z;
    double usual = s->steps->is_least_squares ? sqrt(m * n) : sqrt(is_complex ? n / 2 : n);
    return fmax(tolerance(s), unit_roundoff * usual);
}

bool is_within(const mixed_solver *s, double bound)
{
    return s->error <= bound && (!s->steps->is_least_squares || s->last_correction < 0.1);
}
