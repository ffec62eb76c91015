/* Tests of the LU kernels: factors of a panel and of a diagonal block, their inverses, pivots, the
 * status record. */
#include "check.h"
#include "device.h"
#include "generate.h"
#include "kernel_tests.h"
#include "lu.h"
#include "reference.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- panels with pivoting -------------------------------------------------------------------- */

/* Number of rows of the matrix above the panel. */
enum { ABOVE = 17 };

/* Results of the kernel for a panel; ipiv counts from the panel's first row. */
struct outcome {
    struct lu f;
    struct array W, of;
    startile_tile_status tile_status;
};

/* Factors a copy of A, cut into pieces of these heights, by the kernel, and checks the ranges of
 * the pivots. The status begins with invalid values, which the kernel must replace. */
static struct outcome run_getrf(struct array A, int pieces, const int64_t *heights,
                                bool with_inverse)
{
    int64_t k = min(A.m, A.n);
    struct outcome o = {.f = {array_copy(A), pivots_new(k), 0},
                        .W = array_new(dtype, k, k, 2),
                        .of = integers_new(5 * k)};
    startile_tile_status *tile_status = device_status();
    *tile_status = (startile_tile_status){-7, -7};
    struct tile_column S = tile_column_put(o.f.F, pieces, heights);
    startile_pivots_of_panel pivots = pivots_put(o.of);
    void *w = device_put(o.W);
    require_info(kernels->getrf(exec, pieces, S.piece, (int)A.n, ABOVE, pivots,
                                with_inverse ? w : NULL, (int)o.W.ld, tile_status),
                 0);
    tile_column_fetch(&S);
    pivots_fetch(o.of, pivots);
    device_fetch(o.W, w);
    for (int64_t j = 0; j < k; j++)
        o.f.ipiv[j] = integers(o.of)[j] - ABOVE;
    o.tile_status = *tile_status;
    o.f.info = o.tile_status.info;
    check_ipiv(o.f.ipiv, A.m, k);
    require(with_inverse || is_poisoned(o.W, 'G'));
    return o;
}

static void outcome_free(struct outcome o)
{
    lu_free(o.f);
    arrays_free(o.W, o.of);
}

/* Requires the permutation in `to` and `from` to equal the sequence of interchanges in ipiv. */
static void check_moves(struct array of, int64_t m)
{
    int64_t k = of.m / 5, *row = malloc((size_t)(2 * m + 1) * sizeof *row), *moved = row + m;
    const int64_t *ipiv = integers(of), *to = ipiv + k, *from = ipiv + 3 * k;
    for (int64_t i = 0; i < m; i++)
        row[i] = moved[i] = i;
    for (int64_t j = 0; j < k; j++) {
        int64_t pivot_row = ipiv[j] - 1 - ABOVE, held = row[j];
        row[j] = row[pivot_row];
        row[pivot_row] = held;
    }
    for (int64_t i = 0; i < 2 * k; i++) {
        if (to[i] == -1)
            continue;
        require(to[i] >= ABOVE && to[i] < ABOVE + m && from[i] >= ABOVE && from[i] < ABOVE + m);
        require(moved[to[i] - ABOVE] == to[i] - ABOVE); /* each row moves once */
        moved[to[i] - ABOVE] = from[i] - ABOVE;
    }
    for (int64_t i = 0; i < m; i++)
        require_info(moved[i], row[i]);
    free(row);
}

/* Returns the unit lower ('L') or the upper ('U') triangle of the leading k × k block of the
 * factors F. */
static struct array triangle(struct array F, int64_t k, char uplo)
{
    struct array T = array_new(dtype, k, k, 0);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < k; i++)
            set(T, i, j,
                uplo == 'U' ? (i <= j ? get(F, i, j) : 0)
                : i == j    ? 1
                : i > j     ? get(F, i, j)
                            : 0);
    return T;
}

/* Returns ‖T⁻¹‖₁ ‖T‖₁. */
static double condition_of(struct array T, char uplo)
{
    struct array V = array_copy(T);
    require_info(lapack(V)->trtri(uplo, V), 0);
    double condition = lapack(T)->lange('1', T) * lapack(V)->lange('1', V);
    array_free(V);
    return condition;
}

/* Requires W to be the inverse of the triangle T, up to the rounding errors of the kernel and of
 * LAPACK, and W's other triangle to be zero. */
static void check_inverse(struct array T, char uplo, struct array W)
{
    struct array V = array_copy(T);
    for (int64_t j = 0; j < T.n; j++)
        for (int64_t i = 0; i < T.n; i++)
            require(uplo == 'L' ? i >= j || get(W, i, j) == 0 : i <= j || get(W, i, j) == 0);
    require_info(lapack(V)->trtri(uplo, V), 0);
    double norm_T = lapack(T)->lange('1', T), norm_W = lapack(V)->lange('1', V);
    check_near(W, V, 4 * (double)(T.n + 2) * norm_T * norm_W * norm_W);
    array_free(V);
}

/* Checks use_inverse of a unit triangle of order n, or of blocks of order n with by_blocks. Near a
 * limit rounding decides. */
static void check_use_inverse(double condition, double n, bool by_blocks, int use_inverse)
{
    const double last = STARTILE_UNIT_CONDITION * n;
    require(use_inverse == 0 || use_inverse == 1 || use_inverse == STARTILE_INVERSE_BLOCKS);
    require(use_inverse == 1 || by_blocks || condition > 0.999 * n);
    require(use_inverse != 1 || (!by_blocks && condition < 1.001 * n));
    require(use_inverse != 0 || condition > 0.999 * last);
    require(use_inverse == 0 || condition < 1.001 * last);
}

/* Sets the elements outside the diagonal blocks of order STARTILE_INVERTED_ORDER to zero. */
static void keep_diagonal_blocks(struct array A)
{
    enum { ORDER = STARTILE_INVERTED_ORDER };
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (i / ORDER != j / ORDER)
                set(A, i, j, 0);
}

/* Checks use_inverse and, unless it is 0, the inverses of the diagonal blocks of L11. */
static void check_inverse_of_panel(struct outcome o)
{
    struct array T = triangle(o.f.F, o.W.n, 'L');
    keep_diagonal_blocks(T);
    keep_diagonal_blocks(o.W);
    const int64_t order = min(o.W.n, STARTILE_INVERTED_ORDER);
    const int use_inverse = o.tile_status.use_inverse;
    check_use_inverse(condition_of(T, 'L'), (double)order, o.W.n > order, use_inverse);
    if (use_inverse)
        check_inverse(T, 'L', o.W);
    array_free(T);
}

/* Checks the kernel for A, with and without an inverse. clear_pivots: rounding cannot change the
 * choice of a pivot, so the pivots must be LAPACK's. */
static void check_panel(struct array A, int pieces, const int64_t *heights, bool clear_pivots)
{
    int64_t k = min(A.m, A.n);
    struct lu g = lapack_lu(A);
    for (int with_inverse = 0; with_inverse < 2; with_inverse++) {
        struct outcome o = run_getrf(A, pieces, heights, with_inverse);
        require_info(o.tile_status.info, 0);
        check_lu_against(A, o.f, g, 2);
        check_multipliers(o.f.F);
        if (clear_pivots)
            check_pivots_match(o.f, g);
        check_moves(o.of, A.m);
        if (with_inverse && k > 0)
            check_inverse_of_panel(o);
        if (!with_inverse)
            require(o.tile_status.use_inverse == 0);
        outcome_free(o);
    }
    lu_free(g);
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
    static const int64_t columns[] = {1, 2, 3, 8, 16, 31, 32, 33, 64};
    /* panels of 100 rows or more have only some numbers of columns, to save time */
    for (int r = 0; r < 14; r++)
        for (int c = 0; c < 9; c++)
            for (int cut = 0; cut < 4; cut++)
                if (rows[r] < 100 || columns[c] % 16 < 2)
                    check_shape(rows[r], columns[c], cut);
    check_report("sizes");
}

/* Tests heights at which a GPU uses several multiprocessors for a panel, and widths at which it
 * uses several kinds of updates. */
static void test_tall(void)
{
    static const int64_t shapes[][2] = {{3000, 16}, {5000, 7},    {2049, 32},
                                        {700, 520}, {300, 400},   {4096, 64},
                                        {9000, 64}, {12345, 128}, {40000, 33}};
    for (int s = 0; s < (backend == GPU ? 9 : 5); s++)
        for (int cut = 0; cut < 3; cut++)
            check_shape(shapes[s][0], shapes[s][1], cut);
    if (backend != GPU)
        printf("panels of more than 5000 rows: on a GPU only\n");
    check_report("tall");
}

static void test_kinds(void)
{
    for (const struct general *g = generals; g->name != NULL; g++) {
        static const int64_t shapes[][2] = {{90, 40}, {300, 24}, {60, 60}};
        for (int s = 0; s < 3; s++)
            for (int cut = 0; cut < 3; cut++) {
                int64_t heights[MOST_PARTS], m = shapes[s][0], n = shapes[s][1];
                int pieces = tile_column_cut(cut, m, n, heights);
                in_case("%s, %d × %d in %d pieces", g->name, (int)m, (int)n, pieces);
                random_seed(2);
                struct array A = generate_general(g, dtype, m, n, 0);
                check_panel(A, pieces, heights, g->has_clear_pivots);
                array_free(A);
            }
        check_report(g->name);
    }
}

/* Tests matrices whose elimination is exact, also with zero pivots: factors and pivots must agree
 * to the last bit. */
static void test_exact(void)
{
    static const int64_t shapes[][2] = {{22, 22}, {60, 25}, {25, 60}, {200, 33}, {33, 1}, {1, 1}};
    for (int s = 0; s < 6; s++)
        for (int64_t zero = 0; zero <= min(shapes[s][0], shapes[s][1]); zero += 3)
            for (int cut = 0; cut < 4; cut++) {
                int64_t heights[MOST_PARTS], m = shapes[s][0], n = shapes[s][1], k = min(m, n);
                int pieces = tile_column_cut(cut, m, k, heights);
                const int64_t zeros[] = {zero, zero + 2};
                in_case("known factors, %d × %d in %d pieces, zero at %d", (int)m, (int)n, pieces,
                        (int)zero);
                random_seed((uint64_t)(m + zero));
                struct known_lu K = known_lu(dtype, m, n, 0, zeros, zero > 0 ? 2 : 0, true);
                struct outcome o = run_getrf(K.A, pieces, heights, true);
                check_known(K, o.f);
                check_moves(o.of, m);
                check_inverse_of_panel(o);
                outcome_free(o);
                known_lu_free(K);
            }
}

/* Tests that the topmost of equal candidates is chosen, also if they are in different pieces or
 * belong to different thread blocks. */
static void test_topmost_of_equals(void)
{
    static const int64_t places[][2] = {{0, 599}, {3, 4}, {40, 300}, {255, 256}, {598, 599}};
    for (int p = 0; p < 5; p++)
        for (int cut = 0; cut < 4; cut++) {
            int64_t heights[MOST_PARTS];
            int pieces = tile_column_cut(cut, 600, 16, heights);
            in_case("the largest in rows %d and %d, %d pieces", (int)places[p][0],
                    (int)places[p][1], pieces);
            random_seed(1);
            struct array A = generate_general(&random_general, dtype, 600, 16, 0);
            set(A, places[p][0], 0, -5);
            set(A, places[p][1], 0, 5);
            struct outcome o = run_getrf(A, pieces, heights, false);
            require_info(o.f.ipiv[0], places[p][0] + 1);
            outcome_free(o);
            array_free(A);
        }
    in_case("all equal");
    struct array A = generate_general(&gfpp, dtype, 600, 30, 0);
    int64_t heights[MOST_PARTS];
    struct outcome o = run_getrf(A, tile_column_cut(2, 600, 30, heights), heights, false);
    for (int64_t k = 0; k < 30; k++)
        require_info(o.f.ipiv[k], k + 1);
    outcome_free(o);
    array_free(A);
}

/* Tests that the pivot is largest in |re| + |im|: for complex types 3 + 3i is chosen before 5,
 * whose absolute value is larger. For real types the imaginary part is dropped. */
static void test_magnitude(void)
{
    in_case("3 + 3i and 5");
    struct array A = generate_general(&random_general, dtype, 40, 2, 0);
    set(A, 10, 0, 5);
    set(A, 30, 0, 3 + 3 * I);
    struct outcome o = run_getrf(A, 1, &A.m, false);
    require_info(o.f.ipiv[0], dtype >= STARTILE_C ? 31 : 11);
    outcome_free(o);
    array_free(A);
}

/* Tests one element that is NaN or infinite. Columns left of it have the factors of the matrix
 * without it; the result is not finite, pivots stay in range, and an inverse that is not finite is
 * not used. */
static void test_not_finite(void)
{
    const double what[] = {NAN, INFINITY};
    static const int64_t at[][2] = {{0, 0}, {99, 0}, {50, 7}, {7, 7}, {3, 7}, {99, 15}, {0, 15}};
    for (int v = 0; v < 2; v++)
        for (int p = 0; p < 7; p++)
            for (int cut = 0; cut < 3; cut++) {
                int64_t heights[MOST_PARTS];
                int pieces = tile_column_cut(cut, 100, 16, heights);
                in_case("%g at (%d, %d), %d pieces", what[v], (int)at[p][0], (int)at[p][1], pieces);
                random_seed(3);
                struct array A = generate_general(&random_general, dtype, 100, 16, 0);
                set(A, at[p][0], at[p][1], what[v]);
                struct outcome o = run_getrf(A, pieces, heights, true);
                require(!is_finite(o.f.F));
                require(o.tile_status.info == 0 || o.tile_status.info > at[p][1]);
                check_part(A, 100, at[p][1], o.f, 2);
                check_moves(o.of, 100);
                require(o.tile_status.use_inverse == 0 || is_finite(o.W));
                outcome_free(o);
                array_free(A);
            }
}

/* Returns a subnormal number with one of the two parts larger than the other one; for real types
 * its real part is used. */
static startile_complex tiny_number(bool has_larger_real_part)
{
    const double tiny = (is_single(dtype) ? FLT_MIN : DBL_MIN) / 1024;
    return has_larger_real_part ? 2 * tiny + tiny * I : tiny + 2 * tiny * I;
}

/* Tests an identity with one column whose elements are p, from the diagonal down, and 2 p in the
 * last row. 1/(2p) overflows. The last row becomes the pivot, and the multipliers are 1/2. */
static void test_tiny_column(void)
{
    static const int64_t shapes[][2] = {{3, 2}, {40, 8}, {300, 33}, {700, 64}};
    for (int s = 0; s < 4; s++)
        for (int last = 0; last < 2; last++)
            for (int cut = 0; cut < 2; cut++) {
                const int64_t m = shapes[s][0], n = shapes[s][1], at = last ? n - 1 : 0;
                int64_t heights[MOST_PARTS];
                const int pieces = tile_column_cut(cut, m, n, heights);
                const startile_complex p = tiny_number((s + last) % 2);
                in_case("%d × %d in %d pieces, tiny column %d", (int)m, (int)n, pieces, (int)at);
                struct array A = array_new_identity(dtype, m, n);
                for (int64_t i = at; i < m; i++)
                    set(A, i, at, i == m - 1 ? 2 * p : p);
                struct outcome o = run_getrf(A, pieces, heights, false);
                require_info(o.tile_status.info, 0);
                require_info(o.f.ipiv[at], m);
                for (int64_t j = 0; j < n; j++)
                    for (int64_t i = 0; i < m; i++)
                        require(get(o.f.F, i, j) == (j != at   ? i == j
                                                     : i < at  ? 0
                                                     : i == at ? get(A, m - 1, at)
                                                               : 0.5));
                outcome_free(o);
                array_free(A);
            }
}

/* Tests that the check considers the diagonal blocks of L11 and W only. Three blocks: all elements
 * below them are 1, so that the inverse of the whole and its products with single columns of L are
 * too large. The blocks are identities, except the second one, which has −1 below the diagonal in
 * `growing` rows: its inverse has the 1-norm 2^(growing − 1). The elimination is exact. */
static void test_blocks_of_inverse(void)
{
    enum { ORDER = STARTILE_INVERTED_ORDER, N = 3 * ORDER };
    for (int growth = 0; growth < 2; growth++) {
        const int growing = growth ? 30 : 12; /* condition of the block 30 · 2²⁹, 12 · 2¹¹ */
        in_case("second block with %d growing rows", growing);
        struct array A = array_new_identity(dtype, N, N);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = j + 1; i < N; i++)
                if (i / ORDER > j / ORDER)
                    set(A, i, j, 1);
                else if (j >= ORDER && i < ORDER + growing)
                    set(A, i, j, -1);
        require(condition_of(A, 'L') > 2.0 * STARTILE_UNIT_CONDITION * N);
        const int64_t height = N;
        struct outcome o = run_getrf(A, 1, &height, true);
        require_info(o.tile_status.info, 0);
        require(o.tile_status.use_inverse == (growth ? 0 : STARTILE_INVERSE_BLOCKS));
        check_inverse_of_panel(o);
        outcome_free(o);
        array_free(A);
    }
}

/* -- diagonal blocks without pivoting ---------------------------------------------------------- */

/* Results of the kernel for a diagonal block: factors and their inverses. */
struct block {
    struct array F, WL, WU;
    startile_tile_status tile_status;
};

/* Factors a copy of A by the kernel getrf_nopiv. The status begins with invalid values. */
static struct block run_getrf_nopiv(struct array A, bool with_inverses)
{
    struct block b = {
        array_copy(A), array_new(dtype, A.n, A.n, 1), array_new(dtype, A.n, A.n, 3), {0, 0}};
    startile_tile_status *tile_status = device_status();
    *tile_status = (startile_tile_status){-7, -7};
    void *f = device_put(b.F), *wl = device_put(b.WL), *wu = device_put(b.WU);
    require_info(kernels->getrf_nopiv(exec, (int)A.n, f, (int)b.F.ld, with_inverses ? wl : NULL,
                                      (int)b.WL.ld, with_inverses ? wu : NULL, (int)b.WU.ld,
                                      tile_status),
                 0);
    device_fetch(b.F, f);
    device_fetch(b.WL, wl);
    device_fetch(b.WU, wu);
    b.tile_status = *tile_status;
    require(with_inverses || (is_poisoned(b.WL, 'G') && is_poisoned(b.WU, 'G')));
    return b;
}

static void block_free(struct block b)
{
    arrays_free(b.F, b.WL, b.WU);
}

/* Checks use_inverse, and WL and WU unless use_inverse is 0. */
static void check_inverses(struct block b)
{
    int64_t n = b.F.n;
    struct array L = triangle(b.F, n, 'L'), U = triangle(b.F, n, 'U');
    if (condition_of(U, 'U') > 1.001 * (double)n)
        require(b.tile_status.use_inverse == 0);
    else if (condition_of(U, 'U') < 0.999 * (double)n)
        check_use_inverse(condition_of(L, 'L'), (double)n, false, b.tile_status.use_inverse);
    if (b.tile_status.use_inverse) {
        check_inverse(L, 'L', b.WL);
        check_inverse(U, 'U', b.WU);
    }
    arrays_free(L, U);
}

/* Factors A without pivoting, with and without inverses, and checks the results. */
static void check_without_pivoting(struct array A)
{
    int64_t n = A.n;
    for (int with_inverses = 0; with_inverses < 2; with_inverses++) {
        struct block b = run_getrf_nopiv(A, with_inverses);
        struct lu f = {b.F, pivots_new(n), 0};
        for (int64_t k = 0; k < n; k++)
            f.ipiv[k] = k + 1;
        require_info(b.tile_status.info, 0);
        check_lu(A, f, 2);
        if (with_inverses && n > 0)
            check_inverses(b);
        if (!with_inverses)
            require(b.tile_status.use_inverse == 0);
        pivots_free(f.ipiv, n);
        block_free(b);
    }
}

static void test_without_pivoting(void)
{
    static const int64_t sizes[] = {0,  1,  2,  3,  5,   10,  15,  16,  17,  31,  32,
                                    33, 50, 64, 65, 100, 129, 200, 330, 450, 1030};
    /* On a GPU single precision of order 1030 is computed in double precision. */
    const int count = backend == GPU && dtype == STARTILE_S ? 21 : 20;
    for (int s = 0; s < count; s++) {
        in_case("n %d", (int)sizes[s]);
        random_seed((uint64_t)sizes[s]);
        struct array A = generate_general(&dominant, dtype, sizes[s], sizes[s], 2);
        check_without_pivoting(A);
        array_free(A);
    }
    check_report("without pivoting");
}

/* Tests random matrices with their rows in the order of partial pivoting. The inverses of both
 * factors are large, so that a kernel that works by tiles has to substitute. */
static void test_pivoted_rows(void)
{
    static const int64_t sizes[] = {60, 100, 330, 450};
    for (int s = 0; s < 4; s++) {
        int64_t n = sizes[s];
        in_case("rows in the order of partial pivoting, n %d", (int)n);
        random_seed((uint64_t)n);
        struct array A = generate_general(&random_general, dtype, n, n, 1);
        struct lu g = lapack_lu(A);
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n && g.ipiv[k] != k + 1; j++) {
                startile_complex v = get(A, k, j);
                set(A, k, j, get(A, g.ipiv[k] - 1, j));
                set(A, g.ipiv[k] - 1, j, v);
            }
        lu_free(g);
        check_without_pivoting(A);
        array_free(A);
    }
    check_report("rows in the order of partial pivoting");
}

/* Checks a matrix of order n whose elimination without pivoting is exact, with zero pivots in
 * columns `zero` and zero + 1, 1-based, or none if zero = 0. */
static void check_zeros(int64_t n, int64_t zero)
{
    static int cases;
    if (is_left_to_other_types(cases++))
        return;
    const int64_t zeros[] = {zero, zero + 1};
    for (int with_inverses = 0; with_inverses < 2; with_inverses++) {
        in_case("known factors, n %d, zero at %d", (int)n, (int)zero);
        random_seed((uint64_t)(n + zero));
        struct known_lu K = known_lu(dtype, n, n, 0, zeros, zero > 0 ? 2 : 0, false);
        struct block b = run_getrf_nopiv(K.A, with_inverses);
        /* order of the leading block before the first zero pivot */
        int64_t known_order = K.info > 0 ? K.info - 1 : n;
        require_info(b.tile_status.info, K.info);
        for (int64_t j = 0; j < known_order; j++)
            for (int64_t i = 0; i < known_order; i++)
                require(get(b.F, i, j) == get(K.F, i, j));
        if (zero > 0)
            require(b.tile_status.use_inverse == 0);
        else if (with_inverses)
            check_inverses(b);
        block_free(b);
        known_lu_free(K);
    }
}

/* Tests matrices whose elimination without pivoting is exact, although partial pivoting would
 * choose other pivots: with zero pivots at several positions, or none. */
static void test_zeros_without_pivoting(void)
{
    for (int64_t n = 1; n <= 70; n += 23)
        for (int64_t zero = 0; zero <= n; zero += zero < 4 ? 1 : 5)
            check_zeros(n, zero);
    static const int64_t zeros[] = {1, 64, 65, 400};
    for (int z = 0; z < 4; z++)
        check_zeros(450, zeros[z]);
}

/* Tests identities with one pivot p whose reciprocal overflows, and 3 p below it: the multiplier is
 * 3, the other factor the identity. */
static void test_tiny_pivots(void)
{
    static const int64_t sizes[] = {2, 20, 64, 65, 130};
    for (int s = 0; s < 5; s++)
        for (int last = 0; last < 2; last++) {
            const int64_t n = sizes[s], at = last ? n - 1 : 0;
            const startile_complex p = tiny_number((s + last) % 2);
            in_case("order %d, tiny pivot %d", (int)n, (int)at);
            struct array A = array_new(dtype, n, n, 0);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < n; i++)
                    set(A, i, j, i == at && j == at ? p : i == j);
            if (!last)
                set(A, n - 1, at, 3 * p);
            struct block b = run_getrf_nopiv(A, true);
            require_info(b.tile_status.info, 0);
            require(b.tile_status.use_inverse == 0);
            if (!last)
                set(A, n - 1, at, 3);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < n; i++)
                    require(get(b.F, i, j) == get(A, i, j));
            block_free(b);
            array_free(A);
        }
}

/* Tests use_inverse for an L or a U whose elements are small and whose inverse is of size 2ⁿ,
 * together with a well-conditioned U or L: the kernel must consider both factors. Bits 0 and 1 of
 * `growth` select the factors with such an inverse, L and U. */
static void test_use_inverse(void)
{
    enum { N = 20 };
    for (int growth = 0; growth < 4; growth++) {
        in_case("inverse of L %s, of U %s", growth & 1 ? "grows" : "does not grow",
                growth & 2 ? "grows" : "does not grow");
        struct array F = array_new(dtype, N, N, 0), A = array_new(dtype, N, N, 0);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < N; i++) {
                bool grows = i > j ? growth & 1 : growth & 2;
                set(F, i, j, i == j ? 1 : grows ? -1 : 0);
            }
        struct array L = triangle(F, N, 'L'), U = triangle(F, N, 'U');
        lapack(A)->gemm('N', 'N', 1, L, U, 0, A);
        struct block b = run_getrf_nopiv(A, true);
        require_info(b.tile_status.info, 0);
        require(b.tile_status.use_inverse == (growth == 0));
        check_inverses(b);
        block_free(b);
        arrays_free(F, A, L, U);
    }
}

/* -- the first zero on a diagonal -------------------------------------------------------------- */

/* Requires info = `expected` from first_zero, which adds the offset 100. `already` is the info
 * before the call. A stays unchanged. */
static void check_first_zero(struct array A, double largest, int64_t already, int64_t expected)
{
    startile_tile_status *tile_status = device_status();
    *tile_status = (startile_tile_status){already, 0};
    struct array copy = array_copy(A);
    struct array L = array_new(STARTILE_D, 1, 1, 0);
    set(L, 0, 0, largest);
    void *a = device_put(A), *l = device_put(L);
    require_info(kernels->first_zero(exec, (int)A.n, a, (int)A.ld, 100, l, tile_status), 0);
    device_fetch(A, a);
    device_fetch(L, l);
    array_free(L);
    require_info(tile_status->info, expected);
    require(is_same(A, copy));
    array_free(copy);
}

static void test_first_zero(void)
{
    static const int64_t orders[] = {0, 1, 31, 33, 300};
    for (int o = 0; o < 5; o++)
        for (int64_t zero = 0; zero <= orders[o]; zero += zero < 2 ? 1 : 29) {
            int64_t n = orders[o];
            in_case("n %d, first zero at %d", (int)n, (int)zero);
            random_seed(4);
            struct array A = generate_general(&dominant, dtype, n, n, 2);
            for (int64_t i = 1; i < n; i += 2)
                set(A, i, i - 1, 0); /* elements off the diagonal do not count */
            if (zero > 0)
                set(A, zero - 1, zero - 1, zero % 2 ? 0 : -0.0);
            if (zero > 0 && n > zero + 3)
                set(A, zero + 2, zero + 2, 0);
            if (n > 0 && zero != 1)
                set(A, 0, 0, NAN); /* NaN is not a zero */
            check_first_zero(A, 1, 0, zero > 0 ? 100 + zero : 0);
            check_first_zero(A, 1, 42, 42);
            check_first_zero(A, 0, 0, 0); /* largest = 0: the whole matrix is known to be 0 */
            array_free(A);
        }
}

int test_kernel_getrf(void)
{
    return run_group("kernel getrf", test_sizes, test_tall, test_kinds, test_exact,
                     test_topmost_of_equals, test_magnitude, test_not_finite, test_tiny_column,
                     test_blocks_of_inverse, test_without_pivoting, test_pivoted_rows,
                     test_zeros_without_pivoting, test_tiny_pivots, test_use_inverse,
                     test_first_zero);
}
