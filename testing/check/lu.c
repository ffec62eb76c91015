#include "lu.h"
#include "check.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const pivoting_names[3] = {"partial", "tournament", "none"};

/* -- pivots ---------------------------------------------------------------------------------- */

static const int64_t guard = 0x5aa55aa55aa55aa5; /* value before and behind the pivots */

int64_t *pivots_new(int64_t k)
{
    int64_t *memory = malloc((size_t)(k + 2) * sizeof *memory);
    if (memory == NULL)
        abort();
    for (int64_t i = 0; i < k + 2; i++)
        memory[i] = guard;
    return memory + 1;
}

void pivots_free(int64_t *ipiv, int64_t k)
{
    require(ipiv[-1] == guard && ipiv[k] == guard);
    free(ipiv - 1);
}

static void swap_rows(struct array A, int64_t i, int64_t j)
{
    for (int64_t c = 0; c < A.n; c++) {
        startile_complex v = get(A, i, c);
        set(A, i, c, get(A, j, c));
        set(A, j, c, v);
    }
}

void interchange(struct array A, const int64_t *ipiv, int64_t k, bool inverse)
{
    for (int64_t step = 0; step < k; step++) {
        int64_t i = inverse ? k - 1 - step : step;
        if (ipiv[i] - 1 != i)
            swap_rows(A, i, ipiv[i] - 1);
    }
}

void check_ipiv(const int64_t *ipiv, int64_t m, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        require(ipiv[i] > i && ipiv[i] <= m);
}

/* -- factors --------------------------------------------------------------------------------- */

/* Returns a struct lu with allocated memory; F is a copy of A. */
static struct lu lu_new(struct array A)
{
    return (struct lu){array_copy(A), pivots_new(min(A.m, A.n)), -1};
}

void lu_free(struct lu f)
{
    pivots_free(f.ipiv, min(f.F.m, f.F.n));
    array_free(f.F);
}

struct lu lapack_lu(struct array A)
{
    struct lu f = lu_new(A);
    f.info = lapack(A)->getrf(f.F, f.ipiv);
    return f;
}

struct lu lu_of(struct array A, enum pivoting pivoting, enum way way, struct tiling t)
{
    struct lu f = lu_new(A);
    int64_t k = min(A.m, A.n);
    struct test_matrix S = test_matrix_new(f.F, way, 'G', t.mb, t.nb);
    if (pivoting == NONE) {
        f.info = startile_getrf_nopiv(S.A);
        for (int64_t i = 0; i < k; i++)
            f.ipiv[i] = i + 1;
    } else {
        startile_pivots *P = pivots_created(S.A);
        f.info = pivoting == PARTIAL ? startile_getrf(S.A, P) : startile_getrf_tntpiv(S.A, P);
        require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
        startile_pivots_destroy(P);
    }
    test_matrix_finish(&S);
    check_ipiv(f.ipiv, A.m, k);
    return f;
}

struct array lower_of(struct array F)
{
    struct array L = array_new(F.dtype, F.m, min(F.m, F.n), 0);
    for (int64_t j = 0; j < L.n; j++)
        for (int64_t i = 0; i < L.m; i++)
            set(L, i, j, i > j ? get(F, i, j) : i == j);
    return L;
}

struct array upper_of(struct array F)
{
    struct array U = array_new(F.dtype, min(F.m, F.n), F.n, 0);
    for (int64_t j = 0; j < U.n; j++)
        for (int64_t i = 0; i < U.m; i++)
            set(U, i, j, i <= j ? get(F, i, j) : 0);
    return U;
}

/* -- residuals ------------------------------------------------------------------------------- */

/* Orders above LARGEST_UNSAMPLED are checked on SAMPLES random columns. */
enum { LARGEST_UNSAMPLED = 600, SAMPLES = 8 };

/* Returns PA − LU, or (PA − LU) V if V is not NULL, computed in A's type. */
static struct array residual(struct array A, struct lu f, const struct array *V)
{
    struct array L = lower_of(f.F), U = upper_of(f.F);
    struct array R = V == NULL ? array_copy(A) : product('N', 'N', A, *V);
    struct array UV = V == NULL ? array_copy(U) : product('N', 'N', U, *V);
    interchange(R, f.ipiv, L.n, false);
    if (L.n > 0)
        lapack(A)->gemm('N', 'N', -1, L, UV, 1, R);
    arrays_free(L, U, UV);
    return R;
}

/* Returns ‖PA − LU‖₁, or ‖(PA − LU) V‖₁ / ‖V‖₁ if V is not NULL. */
static double residual_norm(struct array A, struct lu f, const struct array *V)
{
    struct array R = residual(A, f, V);
    double norm = lapack(R)->lange('1', R);
    if (V != NULL)
        norm /= lapack(*V)->lange('1', *V);
    array_free(R);
    return norm;
}

/* Returns |A|, elementwise. */
static struct array magnitudes(struct array A)
{
    struct array M = array_new(STARTILE_D, A.m, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(M, i, j, cabs(get(A, i, j)));
    return M;
}

/* Returns the largest |PA − LU|_ij / ((|L| |U|)_ij k eps), k = min(m, n). The smallest normal
 * number is added to each denominator, so that underflow does not count as an error. */
static double elementwise_residual(struct array A, struct lu f)
{
    struct array R = residual(A, f, NULL), L = lower_of(f.F), U = upper_of(f.F);
    struct array absolute_L = magnitudes(L), absolute_U = magnitudes(U);
    struct array bound = product('N', 'N', absolute_L, absolute_U);
    double largest = 0,
           least = A.dtype == STARTILE_S || A.dtype == STARTILE_C ? 0x1p-126 : 0x1p-1022;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            double unit = (double)L.n * unit_roundoff(A.dtype) * creal(get(bound, i, j));
            double r = cabs(get(R, i, j)) / (unit + least);
            largest = r > largest || isnan(r) ? r : largest;
        }
    arrays_free(R, L, U, absolute_L, absolute_U, bound);
    return largest;
}

/* Returns ‖U‖₁ for the factors F. */
static double norm_of_upper(struct array F)
{
    struct array U = upper_of(F);
    double norm = lapack(U)->lange('1', U);
    array_free(U);
    return norm;
}

void check_lu(struct array A, struct lu f, double times)
{
    struct lu g = lapack_lu(A);
    check_lu_against(A, f, g, times);
    lu_free(g);
}

/* Largest ‖U‖₁ / ‖A‖₁ at which elements do not count as growing. For most matrices the ratio is
 * below 1. */
static const double MOST_GROWTH = 2;

void check_lu_against(struct array A, struct lu f, struct lu g, double times)
{
    if (A.m == 0 || A.n == 0)
        return;
    struct array V = array_new(A.dtype, A.n, SAMPLES, 0);
    bool sampled = min(A.m, A.n) > LARGEST_UNSAMPLED;
    array_random(V);
    double norm = lapack(A)->lange('1', A), norm_U = fmax(norm_of_upper(g.F), norm_of_upper(f.F));
    /* A zero matrix must have a residual of zero, so any norm will do. */
    if (norm == 0)
        norm = norm_U = 1;
    double n = (double)max(A.m, A.n), scale = n * norm * unit_roundoff(A.dtype);
    double ours = residual_norm(A, f, sampled ? &V : NULL) / scale;
    double lapacks = residual_norm(A, g, sampled ? &V : NULL) / scale;
    array_free(V);
    /* Where elements grow, the rounding errors grow too, in both factorizations, and a bound by ‖A‖
     * is not meaningful. The componentwise bound by |L| |U| below still holds; it is not computed
     * for samples, which are therefore always checked here. */
    if (sampled || norm_U / norm <= MOST_GROWTH)
        check_residual(ours, lapacks, times, min(A.m, A.n), fmax(1, norm_U / norm) / n);
    if (!sampled)
        check_componentwise(elementwise_residual(A, f));
}

void check_part(struct array A, int64_t rows, int64_t columns, struct lu f, double times)
{
    int64_t k = min(columns, min(A.m, A.n));
    struct array permuted = array_copy(A), part = array_new(A.dtype, rows, k, 0);
    struct lu leading_lu = {array_part(f.F, 0, 0, rows, k), pivots_new(k), 0};
    interchange(permuted, f.ipiv, min(A.m, A.n), false);
    for (int64_t j = 0; j < k; j++) {
        leading_lu.ipiv[j] = j + 1; /* the rows of `permuted` are already interchanged */
        for (int64_t i = 0; i < rows; i++)
            set(part, i, j, get(permuted, i, j));
    }
    require(is_finite(leading_lu.F));
    check_lu(part, leading_lu, times);
    pivots_free(leading_lu.ipiv, k);
    arrays_free(permuted, part);
}

/* -- choice of pivots ------------------------------------------------------------------------ */

void check_multipliers(struct array F)
{
    double most = F.dtype >= STARTILE_C ? sqrt(2) : 1;
    for (int64_t j = 0; j < min(F.m, F.n); j++)
        for (int64_t i = j + 1; i < F.m; i++)
            require_below(cabs(get(F, i, j)), most * (1 + 16 * unit_roundoff(F.dtype)));
}

/* Returns |re| + |im|, the magnitude that LAPACK compares (its CABS1). */
static double cabs1(startile_complex v)
{
    return fabs(creal(v)) + fabs(cimag(v));
}

/* Returns the ratio of the second-largest candidate's magnitude to the pivot's, in step j of
 * LAPACK's factorization with factors F: candidate i is L(i, j) times the pivot. */
static double second_candidate_ratio(struct array F, int64_t j)
{
    double largest = 0;
    for (int64_t i = j + 1; i < F.m; i++)
        largest = fmax(largest, cabs1(get(F, i, j) * get(F, j, j)));
    return largest / cabs1(get(F, j, j));
}

void check_pivots_match(struct lu f, struct lu g)
{
    int64_t k = min(f.F.m, f.F.n), j = 0;
    while (j < k && f.ipiv[j] == g.ipiv[j])
        j++;
    if (j == k)
        return;
    double ratio = second_candidate_ratio(g.F, j), least_tie = 1 - 1000 * unit_roundoff(g.F.dtype);
    if (ratio < least_tie)
        print_error(
            "pivot %lld is row %lld, LAPACK's is row %lld; the second-largest candidate has "
            "%g of the magnitude of LAPACK's pivot\n",
            (long long)j + 1, (long long)f.ipiv[j], (long long)g.ipiv[j], ratio);
    require(ratio >= least_tie);
}

void check_known(struct known_lu K, struct lu f)
{
    require_info(f.info, K.info);
    for (int64_t k = 0; k < min(K.A.m, K.A.n); k++)
        require_info(f.ipiv[k], K.ipiv[k]);
    for (int64_t j = 0; j < K.A.n; j++)
        for (int64_t i = 0; i < K.A.m; i++)
            require(get(f.F, i, j) == get(K.F, i, j));
}
