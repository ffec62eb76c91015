#include "generate.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Returns a random number in double precision; a real one unless is_complex. */
static startile_complex random_scalar(bool is_complex)
{
    return random_element(is_complex ? STARTILE_Z : STARTILE_D);
}

/* A := H A H for a Hermitian A and the Householder reflection H of a random vector v */
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
    /* A − τ(v wᴴ + w vᴴ) + τ² (vᴴw) v vᴴ with w = A v and τ = 2/‖v‖² */
    double tau = 2 / norm2;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            a[i + j * n] += tau * tau * creal(vw) * v[i] * conj(v[j]) -
                            tau * (v[i] * conj(w[j]) + w[i] * conj(v[j]));
    free(v);
    free(w);
}

/* Fills h with a Hermitian matrix whose eigenvalues fall geometrically from 1 to 1/condition and
 * whose eigenvectors are random. */
static void fill_with_condition(int64_t n, bool is_complex, double condition, startile_complex *h)
{
    for (int64_t t = 0; t < n * n; t++)
        h[t] = 0;
    for (int64_t i = 0; i < n; i++)
        h[i + i * n] = n == 1 ? 1 : pow(condition, -(double)i / (double)(n - 1));
    /* 12 reflections in place of n − 1, to save time: the eigenvectors are random enough */
    for (int64_t r = 0; r < n && r < 12 && n > 1; r++)
        reflect(n, is_complex, h);
}

/* Fills h with a matrix of condition 100. */
static void fill_random(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)single;
    fill_with_condition(n, is_complex, 100, h);
}

/* Fills h with a matrix of condition 1e10 (single: 1e4). */
static void fill_ill_conditioned(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    fill_with_condition(n, is_complex, single ? 1e4 : 1e10, h);
}

/* Fills h with a matrix of condition 100 whose rows and columns are scaled from 1 down to 1e-6
 * (single: 1e-3), dlatmr's grading 'H'. */
static void fill_graded(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    double last = single ? 1e-3 : 1e-6;
    fill_with_condition(n, is_complex, 100, h);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] *= pow(last, (double)(i + j) / (double)n);
}

/* Fills h with D A D, for A of condition 100 and a diagonal D with random elements from 1e-6 to
 * 1e6. */
static void fill_scaled(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)single;
    double *d = malloc((size_t)(n + 1) * sizeof *d);
    if (d == NULL)
        abort();
    fill_with_condition(n, is_complex, 100, h);
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

/* Fills h with a diagonal of random elements from 1e-6 to 1e6. */
static void fill_diagonal(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t t = 0; t < n * n; t++)
        h[t] = t % (n + 1) == 0 ? pow(10, 6 * random_real()) : 0;
}

/* Fills h with UᵀU for the unit triangle U with −1 above the diagonal. All elements of the matrix
 * and of U are integers; the elements of U⁻¹ grow as 2ⁿ. */
static void fill_moler(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] = i == j ? (double)(i + 1) : (double)(i < j ? i : j) - 1;
}

/* Fills h with h_ij = min(i, j) / max(i, j), i and j counted from 1. */
static void fill_lehmer(int64_t n, bool is_complex, bool single, startile_complex *h)
{
    (void)is_complex, (void)single;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            h[i + j * n] = (double)((i < j ? i : j) + 1) / (double)((i < j ? j : i) + 1);
}

/* Fills h with L Lᵀ for the lower triangle L of ones. */
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
    {"random", fill_random},     {"ill-conditioned", fill_ill_conditioned},
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
            /* Both triangles come from the lower one, so that the matrix is exactly Hermitian after
             * rounding. */
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

/* -- general matrices ------------------------------------------------------------------------- */

/* Fills A with random elements, and adds 2m to the diagonal. */
static void general_dominant(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, random_element(A.dtype) + (i == j ? 2 * (double)A.m : 0));
}

/* Fills A with random elements; the last column is nearly a multiple of the mean of the others. */
static void general_nearly_singular(struct array A)
{
    double distance = is_single(A.dtype) ? 1e-3 : 1e-9;
    array_random(A);
    for (int64_t i = 0; i < A.m && A.n > 1; i++) {
        startile_complex sum = distance * random_element(A.dtype);
        for (int64_t j = 0; j + 1 < A.n; j++)
            sum += get(A, i, j) / (double)A.n;
        set(A, i, A.n - 1, sum);
    }
}

/* Fills A with random elements; rows and columns are scaled from 1 down to 1e-6 (1e-3 in single
 * precision). */
static void general_graded(struct array A)
{
    double last = is_single(A.dtype) ? 1e-3 : 1e-6;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j,
                random_element(A.dtype) * pow(last, (double)i / (double)A.m) *
                    pow(last, (double)j / (double)A.n));
}

/* Returns n random factors from 1e-6 to 1e6. The caller frees them. */
static double *scales(int64_t n)
{
    double *d = malloc((size_t)(n + 1) * sizeof *d);
    if (d == NULL)
        abort();
    for (int64_t i = 0; i < n; i++)
        d[i] = pow(10, 6 * random_real());
    return d;
}

/* Fills A with a random matrix whose rows and columns are scaled by random factors from 1e-6 to
 * 1e6. */
static void general_scaled(struct array A)
{
    double *row = scales(A.m), *column = scales(A.n);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, random_element(A.dtype) * row[i] * column[j]);
    free(row);
    free(column);
}

static void general_hilbert(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, 1 / (double)(i + j + 1));
}

/* Fills A with Wilkinson's tridiagonal matrix W⁺, which has pairs of nearly equal eigenvalues. */
static void general_wilkinson(struct array A)
{
    int64_t n = A.m < A.n ? A.n : A.m;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, i == j ? fabs((double)(n - 1) / 2 - (double)i) : llabs(i - j) > 1 ? 0 : 1);
}

/* Fills each diagonal of A with one random number. */
static void general_toeplitz(struct array A)
{
    startile_complex *t = malloc((size_t)(A.m + A.n + 1) * sizeof *t);
    if (t == NULL)
        abort();
    for (int64_t d = 0; d < A.m + A.n; d++)
        t[d] = random_element(A.dtype);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, t[i - j + A.n]);
    free(t);
}

/* Fills A with ones on the diagonal and in the last column, and −1 below the diagonal. In every
 * step the last column's elements double, and all candidates for the pivot have the same magnitude,
 * so the topmost is chosen. All elements are integers. */
static void general_gfpp(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, i == j || j == A.n - 1 ? 1 : i > j ? -1 : 0);
}

/* A := L T, except for the last column, which is ones: L is the unit triangle with −0.9 below the
 * diagonal, and T a random upper triangle. */
static void general_growing(struct array A)
{
    const double c = 0.9;
    for (int64_t j = 0; j < A.n; j++) {
        startile_complex above = 0; /* contribution of the rows of T above row i to column j */
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex t = i > j ? 0 : i == j ? 1.5 : random_element(A.dtype);
            set(A, i, j, j == A.n - 1 ? 1 : t - c * above);
            above += t;
        }
    }
}

/* Fills A with ±1, and ±i for complex types, so that in the first step all candidates for the pivot
 * have the same magnitude. */
static void general_ties(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            double one = random_real() < 0 ? -1 : 1;
            set(A, i, j, A.dtype >= STARTILE_C && random_real() < 0 ? one * I : one);
        }
}

const struct general generals[] = {
    {"random", array_random, true},
    {"dominant", general_dominant, true},
    {"nearly singular", general_nearly_singular, false},
    {"graded", general_graded, true},
    {"scaled", general_scaled, false},
    {"hilbert", general_hilbert, false},
    {"wilkinson", general_wilkinson, true},
    {"toeplitz", general_toeplitz, true},
    {"gfpp", general_gfpp, true},
    {"gfpp, T random", general_growing, false},
    {"ties", general_ties, false},
    {NULL, NULL, false},
};

const struct general random_general = {"random", array_random, true};
const struct general dominant = {"dominant", general_dominant, true};
const struct general gfpp = {"gfpp", general_gfpp, true};
const struct general growing = {"gfpp, T random", general_growing, false};
const struct general hilbert_general = {"hilbert", general_hilbert, false};
const struct general nearly_singular = {"nearly singular", general_nearly_singular, false};

struct array generate_general(const struct general *g, startile_dtype type, int64_t m, int64_t n,
                              int64_t pad)
{
    struct array A = array_new(type, m, n, pad);
    g->fill(A);
    return A;
}

/* Returns true if k is in zeros[0 … count − 1]. */
static bool is_among(int64_t k, const int64_t *zeros, int count)
{
    for (int z = 0; z < count; z++)
        if (zeros[z] == k)
            return true;
    return false;
}

/* Returns 2, 4 or 8, times ±1 or ±i. */
static startile_complex power_of_two(startile_dtype type)
{
    double p = ldexp(random_real() < 0 ? -1 : 1, 2 + (int)floor(1.5 * random_real() + 0.5));
    return type >= STARTILE_C && random_real() < 0 ? p * I : p;
}

/* Returns a random even integer from −8 to 8; for complex types with such an imaginary part. */
static startile_complex even_integer(startile_dtype type)
{
    startile_complex v = 4 * random_element(type);
    return 2 * (round(creal(v)) + round(cimag(v)) * I);
}

/* Returns element (i, j) of the factors, counted from 0. N = L − I is nonzero only in odd rows and
 * even columns, so that N² = 0. Without `interchanges` U is nonzero above its diagonal only in even
 * rows and odd columns, so that U⁻¹ is exact too. zero: U(j, j) and column j of N are 0. */
static startile_complex known_factor(struct known_lu K, int64_t i, int64_t j, bool interchanges,
                                     bool zero)
{
    if (i == j)
        return zero ? 0 : power_of_two(K.A.dtype);
    if (i < j)
        return interchanges || (i % 2 == 0 && j % 2 == 1) ? even_integer(K.A.dtype) : 0;
    if (i % 2 == 0 || j % 2 == 1 || zero || random_real() < -0.5)
        return 0;
    return (random_real() < 0 ? -1 : 1) * (interchanges ? 0.5 : 2);
}

/* A := L U */
static void multiply_factors(struct known_lu K)
{
    for (int64_t j = 0; j < K.A.n; j++)
        for (int64_t i = 0; i < K.A.m; i++) {
            startile_complex sum = i <= j ? get(K.F, i, j) : 0;
            for (int64_t k = 0; k < i && k <= j; k++)
                sum += get(K.F, i, k) * get(K.F, k, j);
            set(K.A, i, j, sum);
        }
}

static void swap_rows(struct array A, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < A.n; j++) {
        startile_complex v = get(A, i, j);
        set(A, i, j, get(A, k, j));
        set(A, k, j, v);
    }
}

struct known_lu known_lu(startile_dtype type, int64_t m, int64_t n, int64_t pad,
                         const int64_t *zeros, int count, bool interchanges)
{
    int64_t steps = m < n ? m : n;
    struct known_lu K = {array_new(type, m, n, pad), array_new(type, m, n, pad),
                         malloc((size_t)(steps + 1) * sizeof *K.ipiv), 0};
    if (K.ipiv == NULL)
        abort();
    for (int64_t j = 0; j < n; j++) {
        bool zero = is_among(j + 1, zeros, count) && j < steps;
        if (zero && K.info == 0)
            K.info = j + 1;
        for (int64_t i = 0; i < m; i++)
            set(K.F, i, j, known_factor(K, i, j, interchanges, zero));
    }
    multiply_factors(K);
    /* A := Pᵀ L U: the last interchange first */
    for (int64_t k = steps - 1; k >= 0; k--) {
        /* a step whose column is zero does not interchange rows */
        bool moves = interchanges && !is_among(k + 1, zeros, count);
        K.ipiv[k] = k + 1 + (moves ? (int64_t)((double)(m - k) * (random_real() + 1) / 2) : 0);
        swap_rows(K.A, k, K.ipiv[k] - 1);
    }
    return K;
}

void known_lu_free(struct known_lu K)
{
    arrays_free(K.A, K.F);
    free(K.ipiv);
}
