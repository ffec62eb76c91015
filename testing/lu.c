#include "lu.h"
#include "check.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const pivoting_names[3] = {"partial", "tournament", "none"};

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* -- pivots ---------------------------------------------------------------------------------- */

static const int64_t guard = 0x5aa55aa55aa55aa5;

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

static struct lu lu_new(struct array A)
{
    return (struct lu){array_copy(A), pivots_new(min(A.m, A.n)), -1};
}

void lu_free(struct lu f)
{
    pivots_free(f.ipiv, min(f.F.m, f.F.n));
    array_free(f.F);
}

struct lu lapacks_lu(struct array A)
{
    struct lu f = lu_new(A);
    f.info = lapack(A)->getrf(f.F, f.ipiv);
    return f;
}

struct lu lu_of(struct array A, enum pivoting pivoting, enum way way, struct tiling t)
{
    struct lu f = lu_new(A);
    int64_t k = min(A.m, A.n);
    struct subject S = subject_new(f.F, way, 'G', t.mb, t.nb);
    if (pivoting == NONE) {
        f.info = startile_getrf_nopiv(S.A);
        for (int64_t i = 0; i < k; i++)
            f.ipiv[i] = i + 1;
    } else {
        startile_pivots *P;
        require_info(startile_pivots_create(&P, S.A), 0);
        f.info = pivoting == PARTIAL ? startile_getrf(S.A, P) : startile_getrf_tntpiv(S.A, P);
        require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
        startile_pivots_destroy(P);
    }
    subject_home(&S);
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

enum { ALL_OF_IT = 600, SAMPLES = 8 };

static struct array product(struct array A, struct array B)
{
    struct array C = array_new(A.dtype, A.m, B.n, 0);
    lapack(A)->gemm('N', 'N', 1, A, B, 0, C);
    return C;
}

/* PA − LU, or (PA − LU) V if there is a V, in the arithmetic of A's type */
static struct array residual(struct array A, struct lu f, const struct array *V)
{
    struct array L = lower_of(f.F), U = upper_of(f.F);
    struct array R = V == NULL ? array_copy(A) : product(A, *V);
    struct array UV = V == NULL ? array_copy(U) : product(U, *V);
    interchange(R, f.ipiv, L.n, false);
    if (L.n > 0)
        lapack(A)->gemm('N', 'N', -1, L, UV, 1, R);
    struct array all[] = {L, U, UV};
    for (int i = 0; i < 3; i++)
        array_free(all[i]);
    return R;
}

/* ‖PA − LU‖₁, or of a sample of it */
static double residual_norm(struct array A, struct lu f, const struct array *V)
{
    struct array R = residual(A, f, V);
    double norm = lapack(R)->lange('1', R);
    if (V != NULL)
        norm /= lapack(*V)->lange('1', *V);
    array_free(R);
    return norm;
}

static struct array magnitudes(struct array A)
{
    struct array M = array_new(STARTILE_D, A.m, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(M, i, j, cabs(get(A, i, j)));
    return M;
}

/* The largest of |PA − LU|_ij / ((|L| |U|)_ij k eps); an element below the smallest normal number
 * is as good as 0. */
static double elementwise_residual(struct array A, struct lu f)
{
    struct array R = residual(A, f, NULL), L = lower_of(f.F), U = upper_of(f.F);
    struct array absolute_L = magnitudes(L), absolute_U = magnitudes(U);
    struct array bound = product(absolute_L, absolute_U);
    double largest = 0,
           least = A.dtype == STARTILE_S || A.dtype == STARTILE_C ? 0x1p-126 : 0x1p-1022;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            double unit = (double)L.n * unit_roundoff(A.dtype) * creal(get(bound, i, j));
            double r = cabs(get(R, i, j)) / (unit + least);
            largest = r > largest || isnan(r) ? r : largest;
        }
    struct array all[] = {R, L, U, absolute_L, absolute_U, bound};
    for (int i = 0; i < 6; i++)
        array_free(all[i]);
    return largest;
}

static double norm_of_upper(struct array F)
{
    struct array U = upper_of(F);
    double norm = lapack(U)->lange('1', U);
    array_free(U);
    return norm;
}

void check_lu(struct array A, struct lu f, double times)
{
    struct lu g = lapacks_lu(A);
    check_lu_beside(A, f, g, times);
    lu_free(g);
}

/* Norm of U over that of A, which is below 1 for most matrices, when elements grow in each step. */
static const double MOST_GROWTH = 2;

void check_lu_beside(struct array A, struct lu f, struct lu g, double times)
{
    if (A.m == 0 || A.n == 0)
        return;
    struct array V = array_new(A.dtype, A.n, SAMPLES, 0);
    bool sampled = min(A.m, A.n) > ALL_OF_IT;
    array_random(V);
    double norm = lapack(A)->lange('1', A), norm_U = fmax(norm_of_upper(g.F), norm_of_upper(f.F));
    /* of a matrix of zeros nothing but zeros may be left: any unit will do */
    if (norm == 0)
        norm = norm_U = 1;
    double n = (double)max(A.m, A.n), scale = n * norm * unit_roundoff(A.dtype);
    double ours = residual_norm(A, f, sampled ? &V : NULL) / scale;
    double lapacks = residual_norm(A, g, sampled ? &V : NULL) / scale;
    array_free(V);
    /* Where elements grow, so do the roundings of both, each in its own order, and the bound by |A|
     * says nothing: what is left to ask is the componentwise one by |L| |U|, below. */
    if (sampled || norm_U / norm <= MOST_GROWTH)
        check_residual(ours, lapacks, times, min(A.m, A.n), fmax(1, norm_U / norm) / n);
    if (!sampled)
        check_componentwise(elementwise_residual(A, f));
}

void check_part(struct array A, int64_t rows, int64_t columns, struct lu f, double times)
{
    int64_t k = min(columns, min(A.m, A.n));
    struct array moved = array_copy(A), part = array_new(A.dtype, rows, k, 0);
    struct lu left = {array_part(f.F, 0, 0, rows, k), pivots_new(k), 0};
    interchange(moved, f.ipiv, min(A.m, A.n), false);
    for (int64_t j = 0; j < k; j++) {
        left.ipiv[j] = j + 1;
        for (int64_t i = 0; i < rows; i++)
            set(part, i, j, get(moved, i, j));
    }
    require(is_finite(left.F));
    check_lu(part, left, times);
    pivots_free(left.ipiv, k);
    array_free(moved);
    array_free(part);
}

/* -- choice of pivots ------------------------------------------------------------------------ */

void check_multipliers(struct array F)
{
    double most = F.dtype >= STARTILE_C ? sqrt(2) : 1;
    for (int64_t j = 0; j < min(F.m, F.n); j++)
        for (int64_t i = j + 1; i < F.m; i++)
            require_below(cabs(get(F, i, j)), most * (1 + 16 * unit_roundoff(F.dtype)));
}

/* What LAPACK compares: the magnitude is |re| + |im|. */
static double size_of(startile_complex v)
{
    return fabs(creal(v)) + fabs(cimag(v));
}

/* The runner-up's share of the pivot in step j of LAPACK's factorization. */
static double rival(struct array F, int64_t j)
{
    double largest = 0;
    for (int64_t i = j + 1; i < F.m; i++)
        largest = fmax(largest, size_of(get(F, i, j) * get(F, j, j)));
    return largest / size_of(get(F, j, j));
}

void check_pivots_are_lapacks(struct array A, struct lu f)
{
    struct lu g = lapacks_lu(A);
    int64_t k = min(A.m, A.n), j = 0;
    while (j < k && f.ipiv[j] == g.ipiv[j])
        j++;
    if (j < k) {
        double share = rival(g.F, j), tie = 1 - 1000 * unit_roundoff(A.dtype);
        if (share < tie)
            print_error("pivot %lld is row %lld, LAPACK's %lld; the next candidate has %g of it\n",
                        (long long)j + 1, (long long)f.ipiv[j], (long long)g.ipiv[j], share);
        require(share >= tie);
    }
    lu_free(g);
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
