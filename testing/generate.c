#include "generate.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static startile_complex random_scalar(bool is_complex)
{
    return random_element(is_complex ? STARTILE_Z : STARTILE_D);
}

/* A := H A H with the Householder reflection of a random vector */
static void reflect(int64_t n, bool is_complex, startile_complex *a)
{
    startile_complex *v = malloc((size_t)n * sizeof *v), *w = calloc((size_t)n, sizeof *w);
    double norm2 = 0;
    startile_complex vw = 0;
    if (v == NULL || w == NULL)
        abort();
    for (int64_t i = 0; i < n; i++) {
        v[i] = random_scalar(is_complex);
        norm2 += creal(v[i] * conj(v[i]));
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            w[i] += a[i + j * n] * v[j];
    for (int64_t i = 0; i < n; i++)
        vw += conj(v[i]) * w[i];
    /* A − τ(v wᴴ + w vᴴ) + τ² (vᴴAv) v vᴴ with τ = 2/‖v‖² */
    double tau = 2 / norm2;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            a[i + j * n] += tau * tau * creal(vw) * v[i] * conj(v[j]) -
                            tau * (v[i] * conj(w[j]) + w[i] * conj(v[j]));
    free(v);
    free(w);
}

/* eigenvalues from 1 down to 1/condition in geometric steps, random eigenvectors */
static void with_condition(int64_t n, bool is_complex, double condition, startile_complex *h)
{
    for (int64_t t = 0; t < n * n; t++)
        h[t] = 0;
    for (int64_t i = 0; i < n; i++)
        h[i + i * n] = n == 1 ? 1 : pow(condition, -(double)i / (double)(n - 1));
    for (int64_t r = 0; r < n && r < 12 && n > 1; r++)
        reflect(n, is_complex, h);
}

static void fill_random(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)single;
    with_condition(n, is_complex, 100, h);
}

static void fill_ill(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    with_condition(n, is_complex, single ? 1e4 : 1e10, h);
}

/* rows and columns that fall from 1 to 1e-3 (1e-6): dlatmr's grading 'H' */
static void fill_graded(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    double last = single ? 1e-3 : 1e-6;
    with_condition(n, is_complex, 100, h);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] *= pow(last, (double)(i + j) / (double)n);
}

/* D A D with d from 1e-6 to 1e6 in no order */
static void fill_scaled(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)single;
    double *d = malloc((size_t)(n + 1) * sizeof *d);
    if (d == NULL)
        abort();
    with_condition(n, is_complex, 100, h);
    for (int64_t i = 0; i < n; i++)
        d[i] = pow(10, 6 * random_real());
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] *= d[i] * d[j];
    free(d);
}

static void fill_identity(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t t = 0; t < n * n; t++)
        h[t] = t % (n + 1) == 0;
}

static void fill_diagonal(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t t = 0; t < n * n; t++)
        h[t] = t % (n + 1) == 0 ? pow(10, 6 * random_real()) : 0;
}

/* UᵀU for the unit U with −1 above the diagonal: integers, a factor of integers, and an inverse
 * that grows as 2ⁿ */
static void fill_moler(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] = i == j ? (double)(i + 1) : (double)(i < j ? i : j) - 1;
}

static void fill_lehmer(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] = (double)((i < j ? i : j) + 1) / (double)((i < j ? j : i) + 1);
}

/* LLᵀ for the L of all ones */
static void fill_minij(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] = (double)(i < j ? i : j) + 1;
}

static void fill_hilbert(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] = 1 / (double)(i + j + 1);
}

const struct generator generators[] = {
    {"random", fill_random},     {"ill-conditioned", fill_ill},
    {"graded", fill_graded},     {"scaled", fill_scaled},
    {"identity", fill_identity}, {"diagonal", fill_diagonal},
    {"moler", fill_moler},       {"lehmer", fill_lehmer},
    {"minij", fill_minij},       {NULL, NULL},
};

const struct generator hilbert = {"hilbert", fill_hilbert};
const struct generator well_conditioned = {"random", fill_random};

struct array generate(const struct generator *g, startile_dtype type, int64_t n, int64_t pad)
{
    struct array A = array_new(type, n, n, pad);
    startile_complex *h = malloc((size_t)(n * n + 1) * sizeof *h);
    if (h == NULL)
        abort();
    g->fill(n, type >= STARTILE_C, type == STARTILE_S || type == STARTILE_C, h);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            /* from one triangle, so that rounding leaves the matrix exactly Hermitian */
            startile_complex v = i >= j ? h[i + j * n] : conj(h[j + i * n]);
            set(A, i, j, i == j ? creal(v) : v);
        }
    free(h);
    return A;
}

struct array known_minor(startile_dtype type, int64_t n, int64_t pad, int64_t k, double pivot)
{
    struct array A = array_new(type, n, n, pad);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            int64_t order = (i < j ? i : j) + 1;
            set(A, i, j, (double)order + (order >= k ? pivot - 1 : 0));
        }
    return A;
}

int64_t textbook_potrf(struct array A)
{
    for (int64_t j = 0; j < A.n; j++) {
        double pivot = creal(get(A, j, j));
        for (int64_t k = 0; k < j; k++)
            pivot -= creal(get(A, j, k) * conj(get(A, j, k)));
        if (!(pivot > 0))
            return j + 1;
        pivot = sqrt(pivot);
        set(A, j, j, pivot);
        for (int64_t i = j + 1; i < A.n; i++) {
            startile_complex v = get(A, i, j);
            for (int64_t k = 0; k < j; k++)
                v -= get(A, i, k) * conj(get(A, j, k));
            set(A, i, j, v / pivot);
        }
    }
    return 0;
}
