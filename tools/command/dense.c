/*
 * Host computations of `startile solve` outside the library.
 */
#include "dense.h"

#include "command.h"
#include "scalar.h"
#include "team.h"

#include <complex.h>
#include <math.h>

/* Returns the index of element (i, j) in column-major storage. */
static size_t at(int64_t ld, int64_t i, int64_t j)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

/* A NaN stays the largest value, because no comparison with it is true. */
double dense_norm1(startile_dtype dtype, int64_t m, int64_t n, const void *a)
{
    double largest = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += element_abs(dtype, a, at(m, i, j));
        largest = sum > largest || isnan(sum) ? sum : largest;
    }
    return largest;
}

double dense_norm_inf(startile_dtype dtype, int64_t m, int64_t n, const void *a, double *sums)
{
    double largest = 0;
    for (int64_t i = 0; i < m; i++)
        sums[i] = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            sums[i] += element_abs(dtype, a, at(m, i, j));
    for (int64_t i = 0; i < m; i++)
        largest = sums[i] > largest || isnan(sums[i]) ? sums[i] : largest;
    return largest;
}

double dense_column_max(startile_dtype dtype, int64_t m, const void *a, int64_t column)
{
    double largest = 0;
    for (int64_t i = 0; i < m; i++) {
        double magnitude = element_abs(dtype, a, at(m, i, column));
        largest = magnitude > largest || isnan(magnitude) ? magnitude : largest;
    }
    return largest;
}

bool dense_is_symmetric(startile_dtype dtype, int64_t n, const void *a, bool conjugated,
                        double tolerance, int64_t *row, int64_t *column)
{
    double largest = 0;
    for (int64_t j = 0; j < n; j++)
        largest = fmax(largest, dense_column_max(dtype, n, a, j));
    double allowed = tolerance * dtype_unit_roundoff(dtype) * largest;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double _Complex lower = element_get(dtype, a, at(n, i, j));
            double _Complex upper = element_get(dtype, a, at(n, j, i));
            if (cabs(lower - (conjugated ? conj(upper) : upper)) > allowed) {
                *row = i;
                *column = j;
                return false;
            }
        }
    return true;
}

void dense_upper_triangle(startile_dtype dtype, int64_t n, const void *a, int64_t lda, bool adjoint,
                          void *r)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double _Complex value = 0;
            if (i <= j)
                value = adjoint ? conj(element_get(dtype, a, at(lda, j, i)))
                                : element_get(dtype, a, at(lda, i, j));
            element_set(dtype, r, at(n, i, j), value);
        }
}

long double dense_norm_frobenius(startile_dtype dtype, int64_t m, int64_t n, const void *a)
{
    long double sum = 0; /* long double has the range for squares of doubles */
    for (size_t i = 0; i < (size_t)m * (size_t)n; i++) {
        long double magnitude = element_abs(dtype, a, i);
        sum += magnitude * magnitude;
    }
    return sqrtl(sum);
}

/* Returns Σ conj(a_i) r_i for column `column` of A. */
static long double _Complex inner_product(startile_dtype dtype, int64_t m, const void *a,
                                          int64_t column, const double _Complex *r)
{
    long double _Complex sum = 0;
    for (int64_t i = 0; i < m; i++)
        sum += (long double _Complex)conj(element_get(dtype, a, at(m, i, column))) * r[i];
    return sum;
}

long double dense_adjoint_norm(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs,
                               const void *a, const double _Complex *r)
{
    long double sum = 0;
    for (int64_t k = 0; k < nrhs; k++)
        for (int64_t j = 0; j < n; j++) {
            long double magnitude = cabsl(inner_product(dtype, m, a, j, r + at(m, 0, k)));
            sum += magnitude * magnitude;
        }
    return sqrtl(sum);
}

/* -- residual ------------------------------------------------------------------------------- */

enum { CHUNK = 256 }; /* rows that a thread computes at a time */

struct residual_job {
    startile_dtype dtype;
    int64_t m, n, nrhs;
    const void *a, *b, *x;
    double _Complex *r;
};

/* The loops of subtract_column(), whose variables they use */
#define SUBTRACT_REAL(type)                                                                        \
    for (int64_t i = 0; i < rows; i++)                                                             \
    re[i] -= (long double)((const type *)a)[first + (size_t)i] * xr

/* Complex elements are read as pairs of real numbers. */
#define SUBTRACT_COMPLEX(type)                                                                     \
    for (int64_t i = 0; i < rows; i++) {                                                           \
        const type *z = (const type *)a + 2 * (first + (size_t)i);                                 \
        re[i] -= z[0] * xr - z[1] * xi;                                                            \
        im[i] -= z[0] * xi + z[1] * xr;                                                            \
    }

/* re[k] + i im[k] −= x a[first + k] for k = 0 … rows − 1, where i is the imaginary unit */
static void subtract_column(startile_dtype dtype, const void *a, size_t first, int64_t rows,
                            double _Complex x, long double *re, long double *im)
{
    long double xr = creal(x), xi = cimag(x);
    switch (dtype) {
    case STARTILE_S:
        SUBTRACT_REAL(float);
        break;
    case STARTILE_D:
        SUBTRACT_REAL(double);
        break;
    case STARTILE_C:
        SUBTRACT_COMPLEX(float)
        break;
    case STARTILE_Z:
        SUBTRACT_COMPLEX(double)
        break;
    }
}

/* Computes `rows` ≤ CHUNK elements of column k of the residual, from row `first` on. */
static void residual_of_rows(const struct residual_job *job, int64_t first, int64_t rows, int64_t k)
{
    long double re[CHUNK] = {0}, im[CHUNK] = {0};
    for (int64_t i = 0; i < rows && job->b; i++) {
        double _Complex b = element_get(job->dtype, job->b, at(job->m, first + i, k));
        re[i] = creal(b);
        im[i] = cimag(b);
    }
    for (int64_t j = 0; j < job->n; j++)
        subtract_column(job->dtype, job->a, at(job->m, first, j), rows,
                        element_get(job->dtype, job->x, at(job->n, j, k)), re, im);
    for (int64_t i = 0; i < rows; i++)
        job->r[at(job->m, first + i, k)] = CMPLX((double)re[i], (double)im[i]);
}

/* Computes the residual of chunk q of rows in all columns. Called by team_run(). */
static void residual_of_chunk(void *argument, int thread, int64_t q)
{
    const struct residual_job *job = argument;
    int64_t first = CHUNK * q, remaining = job->m - first;
    (void)thread;
    for (int64_t k = 0; k < job->nrhs; k++)
        residual_of_rows(job, first, remaining < CHUNK ? remaining : CHUNK, k);
}

bool dense_residual(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, const void *a,
                    const void *b, const void *x, double _Complex *r)
{
    struct residual_job job = {dtype, m, n, nrhs, a, b, x, r};
    struct team *team = team_open(team_cores());
    if (team)
        team_run(team, (m + CHUNK - 1) / CHUNK, residual_of_chunk, &job);
    else
        report("no memory for the residual");
    team_close(team);
    return team != NULL;
}
