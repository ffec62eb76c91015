/* Tests of getri: sizes, tiles, kinds of matrices, singular factors, typed entries. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

/* Returns A⁻¹, from factors by the library. */
static struct array inverse_of(struct array A, enum pivoting pivoting, enum way way,
                               struct tiling t)
{
    struct array X = array_copy(A);
    struct test_matrix S = test_matrix_new(X, way, 'G', t.mb, t.nb);
    startile_pivots *P = NULL;
    if (pivoting == NONE) {
        require_info(startile_getrf_nopiv(S.A), 0);
    } else {
        P = pivots_created(S.A);
        require_info(pivoting == PARTIAL ? startile_getrf(S.A, P) : startile_getrf_tntpiv(S.A, P),
                     0);
    }
    require_info(startile_getri(S.A, P), 0);
    startile_pivots_destroy(P);
    test_matrix_finish(&S);
    return X;
}

/* Returns LAPACK's A⁻¹. */
static struct array lapack_inverse(struct array A)
{
    struct lu g = lapack_lu(A);
    require_info(lapack(A)->getri(g.F, g.ipiv), 0);
    struct array X = array_copy(g.F);
    lu_free(g);
    return X;
}

/* Checks both residuals of X against the larger one of LAPACK's inverse. The library solves A X =
 * I, which bounds I − AX; LAPACK solves X L = U⁻¹, which bounds I − XA. */
static void check_inverse(struct array A, struct array X)
{
    if (A.n == 0)
        return;
    struct array Y = lapack_inverse(A);
    double lapacks = fmax(inverse_residual(Y, A), inverse_residual(A, Y));
    check_residual(inverse_residual(A, X), lapacks, 2, A.n, 1 / (double)A.n);
    check_residual(inverse_residual(X, A), lapacks, 2, A.n, 1 / (double)A.n);
    array_free(Y);
}

/* Inverts an n × n matrix of g and checks the inverse. */
static void invert_and_check(const struct general *g, int64_t n, enum pivoting pivoting,
                             enum way way, struct tiling t)
{
    in_case("%s, n %d, pivoting %s, %s of %d × %d, %s", g->name, (int)n, pivoting_names[pivoting],
            t.name, (int)t.mb, (int)t.nb, way_names[way]);
    random_seed((uint64_t)n);
    struct array A = generate_general(g, dtype, n, n, n % 3);
    struct array X = inverse_of(A, pivoting, way, t);
    check_inverse(A, X);
    arrays_free(A, X);
}

static void test_sizes(void)
{
    static const int64_t widths[] = {1, 8, 32};
    for (int b = 0; b < 3; b++) {
        int64_t nb = widths[b];
        const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, nb - 1, nb, nb + 1, 2 * nb + 3};
        for (int s = 0; s < 11; s++)
            for (int w = 0; w < WAYS; w++)
                for (int t = 0; t < TILINGS; t++)
                    /* omits cases with thousands of tasks that cover nothing new */
                    if (nb > 1 || sizes[s] <= 10)
                        invert_and_check(&random_general, sizes[s], PARTIAL, (enum way)w,
                                         tiling_of(t, sizes[s], nb));
    }
    check_report("sizes");
}

static void test_library_tiles(void)
{
    struct tiling recommended = {"startile_tile_shape()'s", -1, -1};
    require_info(startile_tile_shape("getrf", dtype, 300, 300, &recommended.mb, &recommended.nb),
                 0);
    invert_and_check(&random_general, 300, PARTIAL, WRAPPED, recommended);
    invert_and_check(&random_general, 300, PARTIAL, CREATED, recommended);
    check_report("the library's tiles");
}

static void test_other_factors(void)
{
    for (int t = 0; t < TILINGS; t++) {
        invert_and_check(&random_general, 60, TOURNAMENT, WRAPPED, tiling_of(t, 60, 4));
        invert_and_check(&dominant, 60, NONE, WRAPPED, tiling_of(t, 60, 8));
    }
    check_report("other factors");
}

static void test_kinds(void)
{
    for (const struct general *g = generals; g->name != NULL; g++) {
        bool is_growing = g->fill == gfpp.fill || g->fill == growing.fill;
        /* elements that grow, or Hilbert's condition, leave no correct inverse at larger orders */
        int64_t n = is_growing ? 20 : g->fill == hilbert_general.fill ? 5 : 60;
        for (int t = 0; t < TILINGS; t++)
            invert_and_check(g, n, PARTIAL, WRAPPED, tiling_of(t, n, 8));
        check_report(g->name);
    }
}

/* Tests the interchanges of columns with A = 4 P for a permutation P, whose inverse Pᵀ/4 is
 * exact. */
static void test_permutation(void)
{
    enum { N = 45 };
    for (int t = 0; t < TILINGS; t++)
        for (int w = 0; w < WAYS; w++) {
            in_case("permutation, tiling %d, %s", t, way_names[w]);
            int64_t row_of[N];
            random_seed((uint64_t)t);
            /* a random permutation: element j changes places with a random one of 0 … j */
            for (int64_t j = 0; j < N; j++) {
                int64_t k = (int64_t)((double)(j + 1) * (random_real() + 1) / 2);
                row_of[j] = k < j ? row_of[k] : j;
                if (k < j)
                    row_of[k] = j;
            }
            struct array A = array_new(dtype, N, N, 0);
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = 0; i < N; i++)
                    set(A, i, j, i == row_of[j] ? 4 : 0);
            struct array X = inverse_of(A, PARTIAL, (enum way)w, tiling_of(t, N, 8));
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = 0; i < N; i++)
                    require(get(X, j, i) == (i == row_of[j] ? 0.25 : 0));
            arrays_free(A, X);
        }
}

/* Tests a zero at each position k of U's diagonal, and zeros behind it: info is k, and the factors
 * keep every bit. */
static void test_singular(void)
{
    enum { N = 22, NB = 6 };
    for (int64_t k = 1; k <= N; k++)
        for (int t = 0; t < TILINGS; t++) {
            const int64_t zeros[] = {k, N, k + 3};
            enum way way = (enum way)((k + t) % WAYS);
            in_case("zeros at %d and behind, tiling %d, %s", (int)k, t, way_names[way]);
            random_seed((uint64_t)k);
            struct known_lu K = known_lu(dtype, N, N, 1, zeros, 3, true);
            struct array F = array_copy(K.F);
            struct tiling tiling = tiling_of(t, N, NB);
            struct test_matrix S = test_matrix_new(F, way, 'G', tiling.mb, tiling.nb);
            startile_pivots *P = pivots_created(S.A);
            require_info(startile_pivots_from_lapack(P, K.ipiv), 0);
            require_info(startile_getri(S.A, P), k);
            require_info(startile_getri(S.A, NULL), k);
            startile_pivots_destroy(P);
            test_matrix_finish(&S);
            require(is_same(F, K.F));
            array_free(F);
            known_lu_free(K);
        }
}

/* Tests a NaN in the factors, which is not a zero: info is 0 and the result contains NaN. */
static void test_nan(void)
{
    in_case("NaN on the diagonal");
    random_seed(2);
    struct known_lu K = known_lu(dtype, 20, 20, 0, NULL, 0, false);
    set(K.F, 9, 9, NAN);
    struct test_matrix S = test_matrix_new(K.F, WRAPPED, 'G', 20, 8);
    require_info(startile_getri(S.A, NULL), 0);
    test_matrix_finish(&S);
    require(!is_finite(K.F));
    known_lu_free(K);
}

static void test_typed_entries(void)
{
    static const int64_t sizes[] = {0, 1, 7, 150};
    for (int s = 0; s < 4; s++) {
        int64_t n = sizes[s];
        in_case("typed, n %d", (int)n);
        random_seed(11);
        struct array A = generate_general(&random_general, dtype, n, n, 2);
        struct lu f = {array_copy(A), pivots_new(n), 0};
        require_info(lapack(A)->typed_getrf(n, n, f.F.a, f.F.ld, f.ipiv), 0);
        require_info(lapack(A)->typed_getri(n, f.F.a, f.F.ld, f.ipiv), 0);
        require(has_borders_intact(f.F));
        check_inverse(A, f.F);
        lu_free(f);
        array_free(A);
    }
    check_report("typed entries");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "getri", test_sizes, test_library_tiles, test_other_factors,
                      test_kinds, test_permutation, test_singular, test_nan, test_typed_entries);
}
