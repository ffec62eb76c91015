/* Tests of the QR kernels: factors of a panel and of a triangle on top of a tile, the triangles of
 * block reflectors, their application, and the conjugate transpose. */
#include "check.h"
#include "device.h"
#include "generate.h"
#include "kernel_tests.h"
#include "lu.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

/* Returns the largest magnitude of an element. */
static double largest(struct array A)
{
    double value = 0;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            value = fmax(value, cabs(get(A, i, j)));
    return value;
}

static void free_all(int count, const struct array *all)
{
    for (int i = 0; i < count; i++)
        array_free(all[i]);
}

/* Returns `scale` times the first `rows` rows of A ('G'), or of A's upper triangle with zeros below
 * it ('U'). */
static struct array scaled_part(char uplo, struct array A, int64_t rows, double scale)
{
    struct array T = array_new(A.dtype, rows, A.n, 0);
    for (int64_t j = 0; j < T.n; j++)
        for (int64_t i = 0; i < T.m; i++)
            set(T, i, j, uplo == 'G' || i <= j ? scale * get(A, i, j) : 0);
    return T;
}

/* -- checks of a factorization ------------------------------------------------------------------
 */

/* A factorization A = Q R with Q = I − V T Vᴴ; V is m × k, with explicit ones and zeros. */
struct qr {
    struct array V, T, R;
};

static void qr_free(struct qr f)
{
    free_all(3, (struct array[]){f.V, f.T, f.R});
}

/* Returns V: explicit ones and zeros, other elements from below F's diagonal. */
static struct array reflectors(struct array F, int64_t k)
{
    struct array V = array_new(F.dtype, F.m, k, 1);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < F.m; i++)
            set(V, i, j, i > j ? get(F, i, j) : i == j);
    return V;
}

/* Returns C − V op(T) Vᴴ C. */
static struct array reflected(char op, struct array V, struct array T, struct array C)
{
    struct array W = product('C', 'N', V, C), TW = product(op, 'N', T, W), D = array_copy(C);
    if (V.n > 0 && C.m > 0 && C.n > 0)
        lapack(C)->gemm('N', 'N', -1, V, TW, 1, D);
    free_all(2, (struct array[]){W, TW});
    return D;
}

/* Returns T of the block reflector I − V T Vᴴ, computed from V and tau by the recurrence of xLARFT.
 */
static struct array triangle_of(struct array V, struct array tau)
{
    struct array T = array_new(V.dtype, V.n, V.n, 2), G = product('C', 'N', V, V);
    for (int64_t j = 0; j < V.n; j++)
        for (int64_t i = 0; i < V.n; i++) {
            startile_complex sum = 0;
            for (int64_t l = i; l < j; l++)
                sum += get(T, i, l) * get(G, l, j);
            set(T, i, j, i > j ? 0 : i == j ? get(tau, j, 0) : -get(tau, j, 0) * sum);
        }
    array_free(G);
    return T;
}

/* Returns LAPACK's factors of A. */
static struct qr lapack_qr(struct array A)
{
    int64_t k = min(A.m, A.n);
    struct array F = array_copy(A), tau = array_new(A.dtype, k, 1, 0);
    lapack(A)->geqrf(F, tau);
    struct qr f = {.V = reflectors(F, k), .R = scaled_part('U', F, k, 1)};
    f.T = triangle_of(f.V, tau);
    free_all(2, (struct array[]){F, tau});
    return f;
}

/* Returns scale (A − Q R). `scale` brings A and R to size 1, which avoids overflow and underflow.
 */
static struct array residual_of(struct array A, struct qr f, double scale)
{
    struct array R = array_new(A.dtype, A.m, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(R, i, j, i < f.R.m && i <= j ? scale * get(f.R, i, j) : 0);
    struct array QR = reflected('N', f.V, f.T, R);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(QR, i, j, scale * get(A, i, j) - get(QR, i, j));
    array_free(R);
    return QR;
}

/* Returns the 2-norm of column j. */
static double column_norm(struct array A, int64_t j)
{
    struct array column = array_part(A, 0, j, A.m, 1);
    return lapack(A)->lange('F', column);
}

/* Returns ‖I − QᴴQ‖₁ / (m eps) for Q's first k columns. */
static double loss_of_orthogonality(struct qr f)
{
    struct array E = array_new_identity(dtype, f.V.m, f.V.n),
                 D = array_new_identity(dtype, f.V.n, f.V.n);
    struct array Q = reflected('N', f.V, f.T, E);
    lapack(Q)->gemm('C', 'N', -1, Q, Q, 1, D);
    double loss = lapack(D)->lange('1', D) / ((double)E.m * unit_roundoff(dtype));
    free_all(3, (struct array[]){E, D, Q});
    return loss;
}

/* Checks CONTRIBUTING.md's bounds, the residual D of f against LAPACK's, E, and the residual by
 * columns. All residuals are those of the scaled matrix S. */
static void check_qr(struct array A, struct qr f)
{
    int64_t order = max(A.m, A.n);
    double size = largest(A), eps = unit_roundoff(A.dtype);
    if (f.V.n == 0)
        return;
    require_below(loss_of_orthogonality(f), 30);
    double scale = size > 0 ? ldexp(1, -ilogb(size)) : 1;
    struct qr g = lapack_qr(A);
    struct array D = residual_of(A, f, scale), E = residual_of(A, g, scale),
                 S = scaled_part('G', A, A.m, scale);
    double unit = (double)order * lapack(S)->lange('1', S) * eps;
    if (unit > 0)
        check_residual(lapack(D)->lange('1', D) / unit, lapack(E)->lange('1', E) / unit, 3, order,
                       1 / (double)order);
    for (int64_t j = 0; j < A.n; j++) {
        double norm = column_norm(S, j);
        double error = column_norm(D, j);
        /* in smaller columns underflow causes absolute errors; eps < 2^-30 in double precision */
        if (norm > (eps < 0x1p-30 ? 0x1p-900 : 0x1p-80))
            check_componentwise(error / (norm * (double)order * eps));
    }
    free_all(3, (struct array[]){D, E, S});
    qr_free(g);
}

/* Returns ‖R11⁻¹‖₁ ‖R11‖₁ for R's leading square block R11; infinity if R11 is singular. */
static double condition_of(struct array R)
{
    struct array T = array_part(R, 0, 0, R.m, min(R.m, R.n)), V = scaled_part('U', T, T.n, 1);
    double condition = INFINITY, norm = lapack(V)->lange('1', V);
    if (lapack(V)->trtri('U', V) == 0)
        condition = norm * lapack(V)->lange('1', V);
    array_free(V);
    return condition;
}

/* Compares R with LAPACK's R, within a bound by the condition number, and V and T too if the
 * diagonals of both R have the same signs: R is unique up to the signs of its rows, and V and T are
 * unique for given signs. Compares nothing if m < n, or if that bound is not below 0.01. */
static void check_against_lapack(struct array A, struct qr f)
{
    struct qr g = lapack_qr(A);
    double condition = A.m < A.n ? 1 / unit_roundoff(A.dtype) : condition_of(g.R);
    double bound = 10 * (double)max(A.m, A.n) * condition;
    bool same_signs = true;
    if (bound * unit_roundoff(A.dtype) < 1e-2) {
        for (int64_t i = 0; i < g.R.m; i++) {
            bool same = (creal(get(f.R, i, i)) > 0) == (creal(get(g.R, i, i)) > 0);
            same_signs = same_signs && same;
            for (int64_t j = i; j < g.R.n && !same; j++)
                set(g.R, i, j, -get(g.R, i, j));
        }
        check_near(f.R, g.R, bound * largest(g.R));
        if (same_signs) {
            check_near(f.V, g.V, bound);
            check_near(f.T, g.T, bound);
        }
    }
    qr_free(g);
}

/* Requires zeros strictly below the diagonal. */
static void check_lower_is_zero(struct array T)
{
    for (int64_t j = 0; j < T.n; j++)
        for (int64_t i = j + 1; i < T.m; i++)
            require(get(T, i, j) == 0);
}

/* Requires a real diagonal of R for complex types. */
static void check_real_diagonal(struct array R)
{
    for (int64_t i = 0; i < min(R.m, R.n); i++)
        require(cimag(get(R, i, i)) == 0);
}

/* -- panels -------------------------------------------------------------------------------------
 */

/* Results of the kernel: R above V in F, and the triangle T. */
struct panel {
    struct array F, T;
};

/* Factors a copy of A, cut into pieces of these heights, by the kernel. */
static struct panel run_geqrf(struct array A, int pieces, const int64_t *heights)
{
    int64_t k = min(A.m, A.n);
    struct panel p = {array_copy(A), array_new(dtype, k, k, 2)};
    struct tile_column S = tile_column_put(p.F, pieces, heights);
    void *t = device_put(p.T);
    require_info(kernels->geqrf(exec, pieces, S.piece, (int)A.n, t, (int)p.T.ld), 0);
    tile_column_fetch(&S);
    device_fetch(p.T, t);
    check_lower_is_zero(p.T);
    return p;
}

/* Returns copies of the panel's V, T and R. */
static struct qr factors_of(struct panel p)
{
    int64_t k = p.T.n;
    return (struct qr){reflectors(p.F, k), array_copy(p.T), scaled_part('U', p.F, k, 1)};
}

/* Returns V as the kernels get it: NaN on and above the diagonal, where a panel contains R. */
static struct array hidden_reflectors(struct array F, int64_t k)
{
    struct array V = array_new(F.dtype, F.m, k, 3);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < F.m; i++)
            set(V, i, j, i > j ? get(F, i, j) : NAN);
    return V;
}

/* Requires that the kernel has not changed the reflectors V. */
static void check_hidden(struct array V, struct array F)
{
    for (int64_t j = 0; j < V.n; j++)
        for (int64_t i = 0; i < V.m; i++)
            require(i > j ? get(V, i, j) == get(F, i, j) : isnan(creal(get(V, i, j))));
}

/* Computes T by larft from tau, the diagonal of the panel's T, and compares it with the panel's T.
 */
static void check_larft(struct panel p, int pieces, const int64_t *heights)
{
    int64_t k = p.T.n;
    struct array T = array_new(dtype, k, k, 1), V = hidden_reflectors(p.F, k);
    for (int64_t j = 0; j < k; j++)
        set(T, j, j, get(p.T, j, j));
    struct tile_column S = tile_column_put(V, pieces, heights);
    void *t = device_put(T);
    require_info(kernels->larft(exec, pieces, S.piece, (int)k, t, (int)T.ld), 0);
    tile_column_fetch(&S);
    device_fetch(T, t);
    check_hidden(V, p.F);
    check_lower_is_zero(T);
    if (k > 0) {
        double norm = lapack(T)->lange('1', p.T);
        check_near(T, p.T, 10 * (double)p.F.m * norm * norm);
    }
    free_all(2, (struct array[]){T, V});
}

/* Checks geqrf for A, cut into pieces of these heights, and larft for its reflectors. */
static void check_panel(struct array A, int pieces, const int64_t *heights,
                        bool compare_with_lapack)
{
    struct panel p = run_geqrf(A, pieces, heights);
    struct qr f = factors_of(p);
    check_qr(A, f);
    check_real_diagonal(f.R);
    if (compare_with_lapack && f.V.n > 0)
        check_against_lapack(A, f);
    check_larft(p, pieces, heights);
    qr_free(f);
    free_all(2, (struct array[]){p.F, p.T});
}

/* Checks a random m × n panel. For `cut` see tile_column_cut(). */
static void check_shape(int64_t m, int64_t n, int cut)
{
    static int cases;
    if (is_left_to_other_types(cases++ + (int)m))
        return;
    int64_t heights[MOST_PARTS];
    int pieces = tile_column_cut(cut, m, min(m, n), heights);
    in_case("%d × %d in %d pieces", (int)m, (int)n, pieces);
    random_seed((uint64_t)(1000 * m + n));
    struct array A = generate_general(&random_general, dtype, m, n, 1);
    check_panel(A, pieces, heights, true);
    array_free(A);
}

static void test_sizes(void)
{
    static const int64_t rows[] = {0, 1, 2, 3, 5, 10, 31, 32, 33, 64, 65, 100, 257, 600};
    static const int64_t columns[] = {0, 1, 2, 3, 8, 16, 31, 32, 33, 64, 100};
    /* panels of 64 rows or more have only some numbers of columns, to save time */
    for (int r = 0; r < 14; r++)
        for (int c = 0; c < 11; c++)
            for (int cut = 0; cut < 4; cut++)
                if (rows[r] < 64 || columns[c] % 16 < 2)
                    check_shape(rows[r], columns[c], cut);
    check_report("sizes");
}

/* Tests heights at which a GPU uses several multiprocessors for a panel, or another method for very
 * tall panels. */
static void test_tall(void)
{
    static const int64_t shapes[][2] = {{3000, 16},  {2049, 130},  {4096, 64},  {9000, 64},
                                        {3000, 300}, {12345, 128}, {40000, 64}, {150000, 33}};
    for (int s = 0; s < (backend == GPU ? 8 : 3); s++)
        for (int cut = 0; cut < 3; cut++)
            if (shapes[s][0] < 4096 || cut == s % 3) /* one cut of the tallest, to save time */
                check_shape(shapes[s][0], shapes[s][1], cut);
    if (backend != GPU)
        printf("panels of more than 4096 rows: on a GPU only\n");
    check_report("tall");
}

/* -- panels of other kinds ----------------------------------------------------------------------
 */

/* Multiplies column j by first · ratio^j. */
static void scale_columns(struct array A, double first, double ratio)
{
    double s = first;
    for (int64_t j = 0; j < A.n; j++, s *= ratio)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, s * get(A, i, j));
}

static bool is_double_precision(void)
{
    return unit_roundoff(dtype) < 0x1p-30;
}

/* Returns a number near the largest of the type. */
static double very_large(void)
{
    return is_double_precision() ? 1e300 : 1e35;
}

static void fill_huge(struct array A)
{
    array_random(A);
    scale_columns(A, very_large(), 1);
}

static void fill_tiny(struct array A)
{
    array_random(A);
    scale_columns(A, 1 / very_large(), 1);
}

/* Column j has elements of size 0.01^j in double precision, 0.3^j in single. */
static void fill_graded_down(struct array A)
{
    array_random(A);
    scale_columns(A, 1, is_double_precision() ? 0.01 : 0.3);
}

/* Column j has elements of size 1e-10 · 3^j in double precision, 1e-10 · 1.5^j in single. */
static void fill_graded_up(struct array A)
{
    array_random(A);
    scale_columns(A, 1e-10, is_double_precision() ? 3 : 1.5);
}

/* Rows have elements of sizes from 1 down to nearly 2^-20. */
static void fill_graded_rows(struct array A)
{
    array_random(A);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, get(A, i, j) * exp2(-20 * (double)i / (double)A.m));
}

/* Each third column is the difference of the two before it. */
static void fill_dependent(struct array A)
{
    array_random(A);
    for (int64_t j = 2; j < A.n; j++)
        for (int64_t i = 0; i < A.m && j % 3 == 2; i++)
            set(A, i, j, get(A, i, j - 1) - get(A, i, j - 2));
}

/* All columns are multiples of the first one. */
static void fill_rank_one(struct array A)
{
    array_random(A);
    for (int64_t j = 1; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, get(A, i, 0) * (double)(j + 1) / 7);
}

static void fill_zero(struct array A)
{
    array_fill(A, 0);
}

static void fill_some_zero_columns(struct array A)
{
    array_random(A);
    for (int64_t j = 1; j < A.n; j += 2)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, 0);
}

/* Fills A with an upper triangle, which needs no elimination and contains columns of the identity.
 */
static void fill_upper(struct array A)
{
    array_random(A);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (i > j || j % 4 == 0)
                set(A, i, j, i == j);
}

/* Indices of kinds that other tests use. */
enum { ALL_HUGE = 0, ALL_TINY = 1, DEPENDENT = 5, ZERO_COLUMNS = 8 };

/* Kinds of matrices beside `generals`. The last name is NULL. */
static const struct general more_kinds[] = {
    [ALL_HUGE] = {"huge", fill_huge, true},
    [ALL_TINY] = {"tiny", fill_tiny, true},
    {"columns graded down", fill_graded_down, true},
    {"columns graded up", fill_graded_up, true},
    {"rows graded", fill_graded_rows, true},
    [DEPENDENT] = {"dependent columns", fill_dependent, false},
    {"rank one", fill_rank_one, false},
    {"zero", fill_zero, false},
    [ZERO_COLUMNS] = {"some zero columns", fill_some_zero_columns, false},
    {"upper triangle", fill_upper, false},
    {NULL, NULL, false},
};

/* Checks panels of one kind in several shapes and cuts. */
static void check_kind(const struct general *g)
{
    static const int64_t shapes[][2] = {{90, 40}, {300, 24}, {60, 60}, {25, 60}};
    for (int s = 0; s < 4; s++)
        for (int cut = 0; cut < 3; cut++) {
            int64_t heights[MOST_PARTS], m = shapes[s][0], n = shapes[s][1];
            int pieces = tile_column_cut(cut, m, min(m, n), heights);
            in_case("%s, %d × %d in %d pieces", g->name, (int)m, (int)n, pieces);
            random_seed(2);
            struct array A = generate_general(g, dtype, m, n, 0);
            check_panel(A, pieces, heights, false);
            array_free(A);
        }
    check_report(g->name);
}

static void test_kinds(void)
{
    for (const struct general *g = generals; g->name != NULL; g++)
        check_kind(g);
    for (const struct general *g = more_kinds; g->name != NULL; g++)
        check_kind(g);
}

/* Returns G D W: a random G, a diagonal D with elements from 1 down to 1 / condition, and a product
 * W of random reflections, which makes the columns similar. */
static struct array conditioned(int64_t m, int64_t n, double condition)
{
    struct array G = array_new_random(dtype, m, n, 0), B = array_new(dtype, n, n, 0), v, w;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(B, i, j, i == j ? pow(condition, -(double)j / (double)max(n - 1, 1)) : 0);
    v = array_new(dtype, n, 1, 0);
    for (int reflections = 0; reflections < 4; reflections++) {
        array_random(v);
        double norm = lapack(v)->lange('F', v);
        w = product('N', 'N', B, v);
        lapack(B)->gemm('N', 'C', -2 / (norm * norm), w, v, 1, B);
        array_free(w);
    }
    struct array A = product('N', 'N', G, B);
    free_all(3, (struct array[]){G, B, v});
    return A;
}

/* Tests that a reflector is the identity (tau = 0), as in LAPACK, where there is nothing to
 * eliminate: in zero columns and, for real types and m ≤ n, in the last row. */
static void test_no_reflection(void)
{
    static const int64_t shapes[][2] = {{50, 20}, {20, 50}, {33, 33}, {1, 1}, {700, 40}};
    for (int s = 0; s < 5; s++)
        for (int cut = 0; cut < 3; cut++) {
            int64_t heights[MOST_PARTS], m = shapes[s][0], n = shapes[s][1], k = min(m, n);
            int pieces = tile_column_cut(cut, m, k, heights);
            in_case("zero columns, %d × %d in %d pieces", (int)m, (int)n, pieces);
            random_seed(5);
            struct array A = generate_general(&more_kinds[ZERO_COLUMNS], dtype, m, n, 0);
            struct panel p = run_geqrf(A, pieces, heights);
            for (int64_t j = 1; j < k; j += 2) {
                require(get(p.T, j, j) == 0);
                for (int64_t i = 0; i < m; i++)
                    require(get(p.F, i, j) == 0);
            }
            if (dtype < STARTILE_C && m <= n)
                require(get(p.T, k - 1, k - 1) == 0);
            free_all(3, (struct array[]){A, p.F, p.T});
        }
}

/* Returns the factors of the first k columns. T is computed from its diagonal, because zero times
 * NaN may have spoiled the panel's T. */
static struct qr first_columns(struct panel p, int64_t k)
{
    struct array F = array_new(dtype, p.F.m, k, 0), tau = array_new(dtype, k, 1, 0);
    for (int64_t j = 0; j < k; j++) {
        set(tau, j, 0, get(p.T, j, j));
        for (int64_t i = 0; i < F.m; i++)
            set(F, i, j, get(p.F, i, j));
    }
    struct qr f = {.V = reflectors(F, k), .R = scaled_part('U', F, k, 1)};
    f.T = triangle_of(f.V, tau);
    free_all(2, (struct array[]){F, tau});
    return f;
}

/* Tests a matrix whose element (i, j) is `value`, NaN or infinity. Requires that the columns left
 * of column j have the factors of the matrix without it, and that the result is not finite. The
 * matrix is m × 16. */
static void check_not_finite(double value, int64_t m, int64_t i, int64_t j, int cut)
{
    int64_t heights[MOST_PARTS];
    int pieces = tile_column_cut(cut, m, 16, heights);
    in_case("%g at (%d, %d) of %d × 16, %d pieces", value, (int)i, (int)j, (int)m, pieces);
    random_seed(3);
    struct array A = generate_general(&random_general, dtype, m, 16, 0),
                 left_columns = array_new(dtype, m, j, 0);
    for (int64_t c = 0; c < j; c++)
        for (int64_t r = 0; r < m; r++)
            set(left_columns, r, c, get(A, r, c));
    set(A, i, j, value);
    struct panel p = run_geqrf(A, pieces, heights);
    require(!is_finite(p.F));
    struct qr f = first_columns(p, j);
    check_qr(left_columns, f);
    qr_free(f);
    free_all(4, (struct array[]){A, left_columns, p.F, p.T});
}

static void test_not_finite(void)
{
    const double value[] = {NAN, INFINITY};
    static const int64_t at[][2] = {{0, 0}, {99, 0}, {50, 7}, {7, 7}, {3, 7}, {99, 15}, {0, 15}};
    for (int v = 0; v < 2; v++)
        for (int p = 0; p < 7; p++)
            for (int cut = 0; cut < 3; cut++)
                check_not_finite(value[v], 100, at[p][0], at[p][1], cut);
}

/* Returns the number of rows of a tall panel. On a GPU it has 16 MiB: geqrf then factors it by
 * Cholesky (suits_cholesky_qr() in geqrf_tall.cu). */
static int64_t tall_rows(int64_t n)
{
    return backend == GPU ? 1 + (int64_t)((16 << 20) / element_size(dtype)) / n : 2000;
}

/* Tests tall panels of several conditions and kinds, and a narrow one. */
static void test_tall_kinds(void)
{
    static const double conditions[] = {1, 1e7, 1e14};
    enum { NARROW = 16 };
    int64_t n = backend == GPU ? 136 : 40, m = tall_rows(n), rows = tall_rows(NARROW);
    in_case("%d × %d", (int)rows, NARROW);
    random_seed(5);
    struct array narrow = conditioned(rows, NARROW, 1e3);
    check_panel(narrow, 1, &rows, true);
    array_free(narrow);
    for (int c = 0; c < 3; c++) {
        in_case("%d × %d of condition %g", (int)m, (int)n, conditions[c]);
        random_seed(6);
        struct array A = conditioned(m, n, conditions[c]);
        check_panel(A, 1, &m, true);
        array_free(A);
    }
    static const int kinds[] = {ALL_HUGE, ALL_TINY, DEPENDENT, ZERO_COLUMNS};
    for (int k = 0; k < 4; k++) {
        const struct general *g = &more_kinds[kinds[k]];
        in_case("%s, %d × %d", g->name, (int)m, (int)n);
        random_seed(7);
        struct array A = generate_general(g, dtype, m, n, 1);
        check_panel(A, 1, &m, false);
        array_free(A);
    }
    check_not_finite(NAN, m, m - 1, 7, 0);
    check_not_finite(INFINITY, m, 2, 15, 0);
    check_report("tall kinds");
}

/* -- application ---------------------------------------------------------------------------------
 */

/* Returns check_near()'s bound, in roundoffs, for C − V op(T) Vᴴ C with V and T of a QR
 * factorization. */
static double application_bound(struct array V, struct array C)
{
    return 4 * (double)(V.m + V.n) * (double)(V.n + 1) * (largest(C) + 1);
}

/* Checks larfb for V, m × k, and C, m × n, which are cut in different ways (tile_column_cut()). */
static void check_larfb(int64_t m, int64_t k, int64_t n, int v_cut, int c_cut)
{
    static int cases;
    if (is_left_to_other_types(cases++))
        return;
    int64_t v_heights[MOST_PARTS], c_heights[MOST_PARTS];
    int v_pieces = tile_column_cut(v_cut, m, k, v_heights);
    int c_pieces = tile_column_cut(c_cut, m, max(k, m / 5), c_heights);
    random_seed((uint64_t)(m + 31 * n));
    struct array A = generate_general(&random_general, dtype, m, k, 0);
    struct qr f = lapack_qr(A);
    for (int c = 0; c < 2; c++) {
        char trans = "NC"[c];
        in_case("larfb, trans %c, m %d, k %d, n %d, V in %d pieces, C in %d", trans, (int)m, (int)k,
                (int)n, v_pieces, c_pieces);
        struct array C = array_new(dtype, m, n, 2), V = hidden_reflectors(f.V, k),
                     T = array_copy(f.T);
        array_random(C);
        struct array expected = reflected(trans, f.V, f.T, C);
        struct tile_column SV = tile_column_put(V, v_pieces, v_heights),
                           SC = tile_column_put(C, c_pieces, c_heights);
        void *t = device_put(T);
        require_info(kernels->larfb(exec, trans, v_pieces, SV.piece, (int)k, t, (int)T.ld, c_pieces,
                                    SC.piece, (int)n),
                     0);
        tile_column_fetch(&SV);
        tile_column_fetch(&SC);
        device_fetch(T, t);
        check_hidden(V, f.V);
        require(is_same(T, f.T));
        check_near(C, expected, application_bound(f.V, C));
        free_all(4, (struct array[]){C, V, T, expected});
    }
    qr_free(f);
    array_free(A);
}

static void test_larfb(void)
{
    static const int64_t shapes[][3] = {{0, 0, 3},    {1, 1, 1},     {5, 0, 4},     {5, 3, 0},
                                        {7, 7, 7},    {33, 32, 5},   {100, 16, 50}, {100, 33, 1},
                                        {257, 64, 8}, {300, 7, 129}, {600, 100, 40}};
    for (int s = 0; s < 11; s++)
        for (int v_cut = 0; v_cut < 4; v_cut++)
            for (int c_cut = 0; c_cut < 4; c_cut++)
                check_larfb(shapes[s][0], shapes[s][1], shapes[s][2], v_cut, c_cut);
}

/* Checks larfb_row for V, m × k, and C, m × n, in blocks of nb columns. */
static void check_larfb_row(int64_t m, int64_t k, int64_t n, int64_t nb)
{
    enum { MOST_BLOCKS = 300 };
    int blocks = (int)((n + nb - 1) / nb);
    random_seed((uint64_t)(m + 31 * n));
    struct array A = generate_general(&random_general, dtype, m, k, 0);
    struct qr f = lapack_qr(A);
    for (int q = 0; q < 2; q++) {
        char trans = "NC"[q];
        in_case("larfb_row, trans %c, m %d, k %d, n %d, nb %d", trans, (int)m, (int)k, (int)n,
                (int)nb);
        struct array C = array_new(dtype, m, n, 2), V = hidden_reflectors(f.V, k);
        array_random(C);
        struct array expected = reflected(trans, f.V, f.T, C);
        char *v = device_put(V), *t = device_put(f.T), *c = device_put(C);
        startile_piece block[MOST_BLOCKS];
        for (int j = 0; j < blocks; j++)
            block[j] = (startile_piece){c + j * nb * C.ld * (int64_t)element_size(dtype), (int)C.ld,
                                        (int)m};
        require_info(kernels->larfb_row(exec, trans, (startile_piece){v, (int)V.ld, (int)m}, (int)k,
                                        t, (int)f.T.ld, blocks, block, (int)nb, (int)n),
                     0);
        device_fetch(C, c);
        device_fetch(V, v);
        device_fetch(f.T, t);
        check_hidden(V, f.V);
        check_near(C, expected, application_bound(f.V, C));
        free_all(3, (struct array[]){C, V, expected});
    }
    qr_free(f);
    array_free(A);
}

/* The last shapes are so wide that a GPU multiplies groups of blocks, the very last one two groups.
 */
static void test_larfb_row(void)
{
    static const int64_t shapes[][4] = {
        {5, 0, 4, 4},          {5, 3, 0, 2},          {7, 7, 9, 4},
        {33, 32, 70, 32},      {300, 64, 200, 64},    {64, 64, 2200, 512},
        {190, 64, 10000, 512}, {150, 140, 4650, 140}, {70, 32, 9600, 32}};
    for (int s = 0; s < 9; s++)
        check_larfb_row(shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3]);
}

/* -- reconstruction ------------------------------------------------------------------------------
 */

/* Checks that LAPACK's V, T and R are reconstructed from Q and R, of which some columns (of Q) and
 * the same rows (of R) have the opposite sign; m > n. */
static void check_reconstruct(int64_t m, int64_t n)
{
    in_case("reconstruct, m %d, n %d", (int)m, (int)n);
    random_seed((uint64_t)(m + 31 * n));
    struct array A = generate_general(&random_general, dtype, m, n, 0);
    struct qr f = lapack_qr(A);
    struct array E = array_new_identity(dtype, m, n), all = reflected('N', f.V, f.T, E);
    struct array top = array_part(f.V, 0, 0, n, n), Q = array_new_rows(all, n);
    struct array R = array_new(dtype, n, n, 1), U = array_new(dtype, n, n, 2),
                 T = array_new(dtype, n, n, 1), expected = product('N', 'C', f.T, top);
    for (int64_t j = 0; j < n; j++) {
        double sign = j % 3 == 0 ? -1 : 1; /* S of this column */
        for (int64_t i = 0; i < n; i++) {
            set(Q, i, j, sign * get(Q, i, j));
            set(expected, i, j, -sign * get(expected, i, j)); /* U = −T V1^H S */
            set(R, i, j, (i % 3 == 0 ? -1 : 1) * get(f.R, i, j));
        }
    }
    array_poison(R, 'L');
    void *q = device_put(Q), *u = device_put(U), *t = device_put(T), *r = device_put(R);
    require_info(
        kernels->reconstruct(exec, (int)n, q, (int)Q.ld, u, (int)U.ld, t, (int)T.ld, r, (int)R.ld),
        0);
    device_fetch(Q, q);
    device_fetch(U, u);
    device_fetch(T, t);
    device_fetch(R, r);
    double bound = 8 * (double)m * (double)(n + 1);
    check_near(Q, top, bound);
    check_near(U, expected, bound);
    check_near(T, f.T, bound);
    check_lower_is_zero(T);
    check_lower_is_zero(U);
    require(is_poisoned(R, 'L'));
    struct array upper = scaled_part('U', R, n, 1);
    require(is_same(upper, f.R));
    free_all(8, (struct array[]){A, E, all, Q, R, U, expected, upper});
    array_free(T);
    qr_free(f);
}

static void test_reconstruct(void)
{
    static const int64_t orders[] = {0, 1, 2, 5, 31, 32, 33, 70, 100};
    for (int k = 0; k < 9; k++) {
        check_reconstruct(orders[k] + 1, orders[k]);
        check_reconstruct(3 * orders[k] + 10, orders[k]);
    }
    check_report("reconstruct");
}

/* -- a triangle on top of a tile -----------------------------------------------------------------
 */

/* Returns a random B; for uplo 'U' with poison below its upper trapezoid. */
static struct array bottom_new(char uplo, int64_t m, int64_t n)
{
    struct array B = array_new_random(dtype, m, n, 3);
    if (uplo == 'U')
        array_poison(B, 'L');
    return B;
}

/* Returns [A; B], with explicit zeros below the diagonal of a part whose uplo is not 'G'. */
static struct array joined(struct array A, char uplo_A, struct array B, char uplo_B)
{
    struct array J = array_new(dtype, A.m + B.m, A.n, 0);
    for (int64_t j = 0; j < J.n; j++)
        for (int64_t i = 0; i < J.m; i++) {
            bool top = i < A.m;
            int64_t row = top ? i : i - A.m;
            bool stored = (top ? uplo_A : uplo_B) == 'G' || row <= j;
            set(J, i, j, stored ? get(top ? A : B, row, j) : 0);
        }
    return J;
}

/* Checks the QR factorization of [R; B] for a random triangle R with a large diagonal and a random
 * B. Both are multiplied by `scale`. */
static void check_tpqrt(char uplo, int64_t m, int64_t n, double scale)
{
    in_case("tpqrt, uplo %c, m %d, n %d, scale %g", uplo, (int)m, (int)n, scale);
    random_seed((uint64_t)(100 * m + n));
    struct array R = array_new(dtype, n, n, 1), B = bottom_new(uplo, m, n),
                 T = array_new(dtype, n, n, 2), E = array_new_identity(dtype, n, n);
    array_random(R);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(R, i, j, scale * (get(R, i, j) + 3 * (i == j)));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m && (uplo == 'G' || i <= j); i++)
            set(B, i, j, scale * get(B, i, j));
    array_poison(R, 'L');
    struct array A = joined(R, 'U', B, uplo);
    void *r = device_put(R), *b = device_put(B), *t = device_put(T);
    require_info(
        kernels->tpqrt(exec, uplo, (int)m, (int)n, r, (int)R.ld, b, (int)B.ld, t, (int)T.ld), 0);
    device_fetch(R, r);
    device_fetch(B, b);
    device_fetch(T, t);
    require(is_poisoned(R, 'L') && (uplo == 'G' || is_poisoned(B, 'L')));
    check_lower_is_zero(T);
    struct qr f = {joined(E, 'G', B, uplo), T, scaled_part('U', R, n, 1)};
    check_qr(A, f);
    if (n > 0 && m > 0)
        check_against_lapack(A, f);
    qr_free(f);
    free_all(4, (struct array[]){R, B, E, A});
}

static void test_tpqrt(void)
{
    static const int64_t sizes[] = {0, 1, 2, 5, 17, 32, 33, 64, 100};
    for (int u = 0; u < 2; u++) {
        for (int r = 0; r < 9; r++)
            for (int c = 0; c < 9; c++)
                check_tpqrt("GU"[u], sizes[r], sizes[c], 1);
        check_tpqrt("GU"[u], 300, 48, 1);
        check_tpqrt("GU"[u], 40, 24, very_large() / 16);
        check_tpqrt("GU"[u], 40, 24, 1 / very_large());
    }
    check_report("tpqrt");
}

/* Tests R = 0 and B = 0: R, V and T must be 0. */
static void test_tpqrt_of_zeros(void)
{
    for (int u = 0; u < 2; u++) {
        in_case("tpqrt of zeros, uplo %c", "GU"[u]);
        struct array R = array_new(dtype, 20, 20, 0), B = bottom_new("GU"[u], 30, 20),
                     T = array_new(dtype, 20, 20, 0);
        fill_zero(R);
        fill_zero(B);
        void *r = device_put(R), *b = device_put(B), *t = device_put(T);
        require_info(kernels->tpqrt(exec, "GU"[u], 30, 20, r, 20, b, 30 + 3, t, 20), 0);
        device_fetch(R, r);
        device_fetch(B, b);
        device_fetch(T, t);
        require(largest(R) == 0 && largest(B) == 0 && largest(T) == 0);
        free_all(3, (struct array[]){R, B, T});
    }
}

/* Checks products with I − [I; V] op(T) [I; V]ᴴ. V and tau are random, so the product does not keep
 * norms, and the bound grows with ‖T‖. */
static void check_tpmqrt(char uplo, char trans, int64_t m, int64_t n, int64_t k)
{
    in_case("tpmqrt, uplo %c, trans %c, m %d, n %d, k %d", uplo, trans, (int)m, (int)n, (int)k);
    random_seed((uint64_t)(100 * m + n + k));
    struct array V = bottom_new(uplo, m, k), tau = array_new(dtype, k, 1, 0),
                 E = array_new_identity(dtype, k, k);
    array_random(tau);
    struct array IV = joined(E, 'G', V, uplo), T = triangle_of(IV, tau);
    struct array A = array_new_random(dtype, k, n, 1), B = array_new_random(dtype, m, n, 2);
    struct array AB = joined(A, 'G', B, 'G'), expected = reflected(trans, IV, T, AB);
    struct array V_before = array_copy(V), T_before = array_copy(T);
    void *v = device_put(V), *t = device_put(T), *a = device_put(A), *b = device_put(B);
    require_info(kernels->tpmqrt(exec, uplo, trans, (int)m, (int)n, (int)k, v, (int)V.ld, t,
                                 (int)T.ld, a, (int)A.ld, b, (int)B.ld),
                 0);
    device_fetch(V, v);
    device_fetch(T, t);
    device_fetch(A, a);
    device_fetch(B, b);
    require(is_same(V, V_before) && is_same(T, T_before));
    struct array result = joined(A, 'G', B, 'G');
    if (k > 0 && n > 0) {
        double norm = lapack(T)->lange('1', T) + 1;
        check_near(result, expected, application_bound(IV, AB) * norm);
    } else {
        require(is_same(result, AB));
    }
    free_all(12,
             (struct array[]){V, tau, E, IV, T, A, B, AB, expected, V_before, T_before, result});
}

static void test_tpmqrt(void)
{
    static const int64_t shapes[][3] = {{0, 4, 3},   {3, 0, 4},     {3, 4, 0},    {1, 1, 1},
                                        {5, 3, 9},   {9, 3, 5},     {16, 16, 16}, {33, 40, 20},
                                        {20, 7, 33}, {100, 30, 50}, {64, 129, 64}};
    for (int s = 0; s < 11; s++)
        for (int u = 0; u < 2; u++)
            for (int c = 0; c < 2; c++)
                check_tpmqrt("GU"[u], "NC"[c], shapes[s][0], shapes[s][1], shapes[s][2]);
}

/* -- the conjugate transpose ----------------------------------------------------------------------
 */

static void test_transpose(void)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 31, 32, 33, 64, 100, 500};
    for (int r = 0; r < 10; r++)
        for (int c = 0; c < 10; c++) {
            int64_t m = sizes[r], n = sizes[c];
            in_case("transpose, %d × %d", (int)m, (int)n);
            random_seed((uint64_t)(m + n));
            struct array A = array_new_random(dtype, m, n, 2), B = array_new(dtype, n, m, 3);
            struct array before = array_copy(A);
            void *a = device_put(A), *b = device_put(B);
            require_info(kernels->transpose(exec, (int)m, (int)n, a, (int)A.ld, b, (int)B.ld), 0);
            device_fetch(A, a);
            device_fetch(B, b);
            require(is_same(A, before));
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < m; i++)
                    require(get(B, j, i) == conj(get(A, i, j)));
            free_all(3, (struct array[]){A, B, before});
        }
}

int test_kernel_geqrf(void)
{
    return run_group("kernel geqrf", test_sizes, test_tall, test_kinds, test_tall_kinds,
                     test_no_reflection, test_not_finite, test_larfb, test_larfb_row, test_tpqrt,
                     test_tpqrt_of_zeros, test_tpmqrt, test_transpose, test_reconstruct);
}
