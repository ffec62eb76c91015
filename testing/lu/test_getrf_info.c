/* Tests of getrf, gesv and getri on singular matrices and on NaN: info and the state of the
 * operands. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

/* Four tile rows, the last one smaller. */
enum { NB = 6, N = 3 * NB + 4 };

/* Returns the first, middle or last row of a tile row, 1-based in the matrix. */
static int64_t row_in_tile(int64_t tile, int where)
{
    int64_t first = tile * NB, last = first + NB < N ? first + NB : N;
    return where == 0 ? first + 1 : where == 1 ? (first + last) / 2 : last;
}

/* Checks that the factorization continues after a zero pivot: L, U and pivots equal the known ones
 * to the last bit. */
static void check_zeros(int64_t m, int64_t n, const int64_t *zeros, int count, enum way way,
                        struct tiling t)
{
    struct known_lu K = known_lu(dtype, m, n, 2, zeros, count, true);
    struct lu f = lu_of(K.A, PARTIAL, way, t);
    check_known(K, f);
    lu_free(f);
    known_lu_free(K);
}

/* Tests a zero pivot in the first, middle and last row of every tile row. */
static void test_every_tile(void)
{
    for (int64_t tile = 0; tile * NB < N; tile++)
        for (int where = 0; where < 3; where++)
            for (int t = 0; t < TILINGS; t++) {
                int64_t k = row_in_tile(tile, where);
                enum way way = (enum way)((k + t) % WAYS);
                struct tiling square = tiling_of(t, N, NB), tall = tiling_of(t, N + 20, NB);
                in_case("singular at %d, %s, %s", (int)k, square.name, way_names[way]);
                random_seed((uint64_t)k);
                check_zeros(N, N, &k, 1, way, square);
                in_case("tall, singular at %d, %s, %s", (int)k, tall.name, way_names[way]);
                check_zeros(N + 20, N, &k, 1, way, tall);
                in_case("wide, singular at %d, %s, %s", (int)k, square.name, way_names[way]);
                check_zeros(N, N + 20, &k, 1, way, square);
            }
}

/* Tests several zero pivots: info is the index of the first, in whichever order panels are
 * computed. */
static void test_first_of_several(void)
{
    static const int64_t zeros[][3] = {{2, 5, 5},       {4, NB + 1, N}, {NB + 2, N, N},
                                       {NB, NB + 1, 9}, {1, 2, 3},      {1, N, N}};
    for (int z = 0; z < 6; z++)
        for (int t = 0; t < TILINGS; t++) {
            in_case("zeros at %d, %d and %d, tiling %d", (int)zeros[z][0], (int)zeros[z][1],
                    (int)zeros[z][2], t);
            random_seed((uint64_t)z);
            check_zeros(N, N, zeros[z], 3, WRAPPED, tiling_of(t, N, NB));
        }
}

/* Tests one panel that is the whole matrix, so that info comes from the kernel alone. */
static void test_single_panel(void)
{
    for (int64_t k = 1; k <= N; k += 7) {
        in_case("singular at %d, one panel", (int)k);
        random_seed((uint64_t)k);
        check_zeros(N, N, &k, 1, WRAPPED, tiling_of(0, N, 2 * N));
        check_zeros(N + 9, N, &k, 1, CREATED, tiling_of(0, N, 2 * N));
    }
}

/* Tests one or more zero columns in a random matrix: info is the index of the first, and the
 * factors match LAPACK's. */
static void test_zero_columns(void)
{
    for (int64_t first = 0; first < N; first += 5)
        /* with step N only one column is zero */
        for (int64_t step = 4; step <= N; step += N - 4)
            for (int t = 0; t < TILINGS; t++) {
                in_case("columns at steps of %d from %d on are 0, tiling %d", (int)step, (int)first,
                        t);
                random_seed((uint64_t)first);
                struct array A = generate_general(&random_general, dtype, N, N, 1);
                for (int64_t j = first; j < N; j += step)
                    for (int64_t i = 0; i < N; i++)
                        set(A, i, j, 0);
                struct lu f = lu_of(A, PARTIAL, WRAPPED, tiling_of(t, N, NB)), g = lapack_lu(A);
                require_info(f.info, first + 1);
                check_lu_against(A, f, g, 2);
                check_multipliers(f.F);
                check_pivots_match(f, g);
                lu_free(f);
                lu_free(g);
                array_free(A);
            }
    check_report("zero columns");
}

static void test_all_zero(void)
{
    static const int64_t shapes[][2] = {{N, N}, {1, 1}, {50, 7}, {7, 50}};
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < TILINGS; t++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            in_case("all zero, %d × %d, tiling %d", (int)m, (int)n, t);
            struct array A = array_new(dtype, m, n, 0);
            array_fill(A, 0);
            struct lu f = lu_of(A, PARTIAL, (enum way)(t % WAYS), tiling_of(t, m, NB));
            require_info(f.info, 1);
            for (int64_t k = 0; k < m && k < n; k++)
                require_info(f.ipiv[k], k + 1);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < m; i++)
                    require(get(f.F, i, j) == 0);
            lu_free(f);
            array_free(A);
        }
}

/* -- NaN and infinity ------------------------------------------------------------------------ */

/* Positions (i, j), from 0: pivots in the first, third and last diagonal tile, elements below and
 * above the diagonal of a diagonal tile, and elements in tiles below and above the diagonal. */
static const int64_t positions[][2] = {
    {0, 0},           {3, 3},  {NB - 1, NB - 1},     {4, 1},     {1, 4},           {NB, 0},
    {NB + 2, NB - 1}, {0, NB}, {2 * NB + 1, NB + 3}, {N - 1, 2}, {2 * NB, 2 * NB}, {N - 1, N - 1},
};
enum { POSITIONS = sizeof positions / sizeof positions[0] };

/* Checks factors of a matrix with a NaN or infinity in column `column`. Columns to its left have
 * the factors of the matrix without it, and the result is not finite. The pivot row chosen among
 * NaN differs between BLAS libraries and is not checked. */
static void check_spoilt(struct array A, int64_t column, enum pivoting pivoting, struct tiling t)
{
    struct lu f = lu_of(A, pivoting, WRAPPED, t), g = lapack_lu(A);
    require(!is_finite(g.F) && !is_finite(f.F));
    require(f.info == 0 || (f.info > column && f.info <= N));
    check_part(A, N, column, f, pivoting == PARTIAL ? 2 : 8);
    lu_free(f);
    lu_free(g);
}

static void test_not_finite(void)
{
    const double what[] = {NAN, INFINITY, -INFINITY};
    for (int pivoting = PARTIAL; pivoting <= TOURNAMENT; pivoting++)
        for (int v = 0; v < 3; v++)
            for (int p = 0; p < POSITIONS; p++)
                for (int t = 0; t < TILINGS; t++) {
                    int64_t i = positions[p][0], j = positions[p][1];
                    in_case("%g at (%d, %d), pivoting %s, tiling %d", what[v], (int)i, (int)j,
                            pivoting_names[pivoting], t);
                    random_seed(5);
                    struct array A = generate_general(&random_general, dtype, N, N, 1);
                    set(A, i, j, what[v]);
                    check_spoilt(A, j, (enum pivoting)pivoting, tiling_of(t, N, NB));
                    array_free(A);
                }
}

/* Tests matrices whose elements are all NaN, or all infinite. */
static void test_all_not_finite(void)
{
    const double what[] = {NAN, INFINITY};
    for (int pivoting = PARTIAL; pivoting <= NONE; pivoting++)
        for (int v = 0; v < 2; v++)
            for (int t = 0; t < TILINGS; t++) {
                in_case("all %g, pivoting %s, tiling %d", what[v], pivoting_names[pivoting], t);
                struct array A = array_new(dtype, N, N, 0);
                array_fill(A, what[v]);
                struct lu f = lu_of(A, (enum pivoting)pivoting, WRAPPED, tiling_of(t, N, NB));
                require(f.info >= 0 && f.info <= N);
                require(has_nan(f.F, 'L') && has_nan(f.F, 'U'));
                lu_free(f);
                array_free(A);
            }
}

/* -- operations after a singular factorization ------------------------------------------------ */

/* Tests gesv if A is singular in the first, a middle or the last panel, also with refinement: B
 * keeps every bit, and A contains the factors. */
static void test_gesv_leaves_B(void)
{
    static const int64_t zero[] = {1, NB, NB + 1, 2 * NB + 3, N};
    for (int z = 0; z < 5; z++)
        for (int w = 0; w < WAYS; w++)
            for (int refine = 0; refine < 2; refine++) {
                in_case("gesv, zero at %d, %s, refine %d", (int)zero[z], way_names[w], refine);
                random_seed((uint64_t)z);
                struct known_lu K = known_lu(dtype, N, N, 1, &zero[z], 1, true);
                struct lu f = {array_copy(K.A), pivots_new(N), -1};
                struct array B = array_new_random(dtype, N, 5, 2), X = array_copy(B);
                struct test_matrix S = test_matrix_new(f.F, (enum way)w, 'G', 2 * NB, NB);
                struct test_matrix Y = test_matrix_new(X, (enum way)w, 'G', NB, 2);
                startile_pivots *P = pivots_created(S.A);
                f.info = startile_gesv(S.A, P, Y.A, refine);
                require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
                startile_pivots_destroy(P);
                test_matrices_finish(&S, &Y);
                require(is_same(X, B));
                check_known(K, f);
                lu_free(f);
                known_lu_free(K);
                arrays_free(B, X);
            }
}

/* Tests that later operations of the request change no operand: solve, inverse, another
 * factorization, norm. The condition estimate gives rcond = 0. */
static void test_operations_after_failure(void)
{
    enum { ZERO = NB + 2 };
    in_case("more in the request of a singular matrix");
    int64_t zero = ZERO;
    double norm = -7, rcond = -7;
    random_seed(1);
    struct known_lu K = known_lu(dtype, N, N, 1, &zero, 1, true);
    struct lu f = {array_copy(K.A), pivots_new(N), -1};
    struct array B = array_new_random(dtype, N, 3, 0), C = array_new_random(dtype, N, N, 0);
    struct array X = array_copy(B), G = array_copy(C);
    struct test_matrix S = test_matrix_new(f.F, WRAPPED, 'G', N, NB);
    struct test_matrix Y = test_matrix_new(X, WRAPPED, 'G', NB, 2),
                       Z = test_matrix_new(G, WRAPPED, 'G', NB, NB);
    startile_pivots *P = pivots_created(S.A), *Q = pivots_created(Z.A);
    startile_request *r = request_created();
    require_info(startile_getrf_async(S.A, P, r), 0);
    require_info(startile_request_wait(r), ZERO);
    require_info(startile_getrs_async('N', S.A, P, Y.A, r), 0);
    require_info(startile_getri_async(S.A, P, r), 0);
    require_info(startile_getrf_async(Z.A, Q, r), 0);
    require_info(startile_gecon_async('1', Z.A, &norm, &rcond, r), 0);
    require_info(startile_lange_async('1', Z.A, &norm, r), 0);
    require_info(startile_request_wait(r), ZERO);
    startile_request_destroy(r);
    require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
    f.info = ZERO;
    test_matrices_finish(&S, &Y, &Z);
    startile_pivots_destroy(P);
    startile_pivots_destroy(Q);
    require(norm == -7 && rcond == 0);
    require(is_same(X, B) && is_same(G, C));
    check_known(K, f);
    lu_free(f);
    known_lu_free(K);
    arrays_free(B, C, X, G);
}

/* Tests two singular systems in one request. The small one, submitted last, may end before the
 * large one has its zero pivot. info is that of the system submitted first, and neither B is
 * changed. */
static void test_two_singular_systems(void)
{
    enum { LARGE = 20 * NB, SMALL = 3 };
    in_case("two singular systems in one request");
    startile_matrix *A[2], *B[2];
    startile_pivots *P[2];
    double largest[2];
    startile_request *r = request_created();
    for (int i = 0; i < 2; i++) {
        int64_t n = i == 0 ? LARGE : SMALL;
        A[i] = matrix_created(dtype, n, n, n, NB);
        B[i] = matrix_created(dtype, n, 2, n, 2);
        P[i] = pivots_created(A[i]);
        /* matrices of rank one and of rank zero */
        require_info(startile_laset('G', i == 0 ? 1 : 0, i == 0 ? 1 : 0, A[i]), 0);
        require_info(startile_laset('G', 1, 1, B[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        require_info(startile_gesv_async(A[i], P[i], B[i], 0, r), 0);
    require_info(startile_request_wait(r), 2); /* the second pivot of the matrix of rank one is 0 */
    startile_request_destroy(r);
    for (int i = 0; i < 2; i++) {
        require_info(startile_lange('M', B[i], &largest[i]), 0);
        require(largest[i] == 1);
        matrices_destroy(A[i], B[i]);
        startile_pivots_destroy(P[i]);
    }
}

/* Calls that submit a factorization and a solve. */
enum route { GESV, REFINED, TRANSPOSED, CONJUGATE, WITHOUT_PIVOTS, ROUTES };
static const char *const route_names[] = {"gesv", "gesv with refinement", "getrf and getrs T",
                                          "getrf_tntpiv and getrs C", "getrf_nopiv and getrs"};

/* Submits the calls of the route. P is not used without pivots. */
static void submit(enum route route, startile_matrix *A, startile_pivots *P, startile_matrix *B,
                   startile_request *r)
{
    switch (route) {
    case GESV:
    case REFINED:
        require_info(startile_gesv_async(A, P, B, route == REFINED, r), 0);
        break;
    case TRANSPOSED:
        require_info(startile_getrf_async(A, P, r), 0);
        require_info(startile_getrs_async('T', A, P, B, r), 0);
        break;
    case CONJUGATE:
        require_info(startile_getrf_tntpiv_async(A, P, r), 0);
        require_info(startile_getrs_async('C', A, P, B, r), 0);
        break;
    default:
        require_info(startile_getrf_nopiv_async(A, r), 0);
        require_info(startile_getrs_async('N', A, NULL, B, r), 0);
    }
}

/* Tests operations that are submitted before the factorization ends: whichever panel has the zero,
 * B and the factors that getri would overwrite keep their elements. */
static void test_operations_without_wait(void)
{
    for (int64_t zero = 1; zero <= N; zero += 3)
        for (enum route route = GESV; route < ROUTES; route++)
            for (int t = 0; t < 2; t++) {
                in_case("%s, then getri without a wait, zero pivot at %d, tiling %d",
                        route_names[route], (int)zero, t);
                struct tiling tiling = tiling_of(t, N, NB);
                random_seed(2);
                struct known_lu K = known_lu(dtype, N, N, 1, &zero, 1, route != WITHOUT_PIVOTS);
                struct array T = array_copy(K.A), B = array_new_random(dtype, N, 4, 0),
                             X = array_copy(B);
                struct test_matrix S = test_matrix_new(T, WRAPPED, 'G', tiling.mb, tiling.nb);
                struct test_matrix Y = test_matrix_new(X, WRAPPED, 'G', NB, 2);
                startile_pivots *P = pivots_created(S.A);
                startile_request *r = request_created();
                submit(route, S.A, P, Y.A, r);
                require_info(startile_getri_async(S.A, route == WITHOUT_PIVOTS ? NULL : P, r), 0);
                require_info(startile_request_wait(r), zero);
                startile_request_destroy(r);
                test_matrices_finish(&S, &Y);
                startile_pivots_destroy(P);
                require(is_same(X, B));
                /* the routes with partial pivoting compute K's factors */
                for (int64_t j = 0; j < N && route <= TRANSPOSED; j++)
                    for (int64_t i = 0; i < N; i++)
                        require(get(T, i, j) == get(K.F, i, j));
                known_lu_free(K);
                arrays_free(T, B, X);
            }
}

static void test_typed_entries(void)
{
    enum { ORDER = 200 };
    for (int64_t k = 1; k <= ORDER; k += 33) {
        in_case("typed, zero at %d", (int)k);
        random_seed((uint64_t)k);
        struct known_lu K = known_lu(dtype, ORDER, ORDER, 1, &k, 1, true);
        struct lu f = {array_copy(K.A), pivots_new(ORDER), -1};
        struct lu g = {array_copy(K.A), pivots_new(ORDER), -1};
        struct array B = array_new_random(dtype, ORDER, 3, 1), X = array_copy(B);
        f.info = lapack(f.F)->typed_getrf(ORDER, ORDER, f.F.a, f.F.ld, f.ipiv);
        check_known(K, f);
        g.info = lapack(g.F)->typed_gesv(ORDER, 3, g.F.a, g.F.ld, g.ipiv, X.a, X.ld);
        check_known(K, g);
        require(is_same(X, B));
        require_info(lapack(f.F)->typed_getri(ORDER, f.F.a, f.F.ld, f.ipiv), k);
        check_known(K, f);
        require(has_borders_intact(f.F) && has_borders_intact(g.F));
        lu_free(f);
        lu_free(g);
        known_lu_free(K);
        arrays_free(B, X);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "getrf info", test_every_tile, test_first_of_several,
                      test_single_panel, test_zero_columns, test_all_zero, test_not_finite,
                      test_all_not_finite, test_gesv_leaves_B, test_operations_after_failure,
                      test_two_singular_systems, test_operations_without_wait, test_typed_entries);
}
