/* Tests of getrs and gesv: transposes, numbers of right-hand sides, tiles of A and B, refinement,
 * factors of other routines. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>

enum { NB = 8 };

/* Checks X of op(A) X = B against LAPACK's solution. */
static void check_solved(char trans, struct array A, struct array X, struct array B)
{
    struct lu g = lapack_lu(A);
    struct array Z = array_copy(B), T = array_new_op(trans, A);
    lapack(A)->getrs(trans, g.F, g.ipiv, Z);
    struct array U = upper_of(g.F);
    double growth = lapack(A)->lange('M', U) / lapack(A)->lange('M', A);
    /* only large growth needs a larger bound */
    check_solution_grown(T, X, Z, B, growth > 100 ? growth : 1);
    arrays_free(U, Z, T);
    lu_free(g);
}

enum route { FACTOR_AND_SOLVE, GESV, REFINED };

/* Solves by getrf and getrs, or by gesv ('N' only), with B in tiles of mb × width, and checks
 * the solution. */
static void solve_and_check(char trans, struct array A, struct array B, enum route route,
                            enum way way, struct tiling t, int64_t mb, int64_t width)
{
    struct array F = array_copy(A), X = array_copy(B);
    struct test_matrix S = test_matrix_new(F, way, 'G', t.mb, t.nb);
    struct test_matrix Y = test_matrix_new(X, way, 'G', mb, width);
    startile_pivots *P = pivots_created(S.A);
    if (route == FACTOR_AND_SOLVE) {
        require_info(startile_getrf(S.A, P), 0);
        require_info(startile_getrs(trans, S.A, P, Y.A), 0);
    } else {
        require_info(startile_gesv(S.A, P, Y.A, route == REFINED), 0);
    }
    startile_pivots_destroy(P);
    test_matrices_finish(&S, &Y);
    check_solved(trans, A, X, B);
    arrays_free(F, X);
}

/* Returns B's tile height: A's tile width, twice that, or more rows than B has. */
static int64_t height_of(int which, int64_t n)
{
    return which == 0 ? NB : which == 1 ? 2 * NB : n + 3;
}

static void test_sizes(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, NB - 1, NB, NB + 1, 2 * NB + 3};
    static const int64_t columns[] = {0, 1, 2, NB, NB + 1};
    static const int64_t widths[] = {1, 3, NB, 20};
    for (int s = 0; s < 11; s++)
        for (int c = 0; c < 5; c++)
            for (int w = 0; w < 4; w++)
                for (int u = 0; u < 3; u++) {
                    /* ways, routes and tilings alternate */
                    enum way way = (enum way)((s + c + w) % WAYS);
                    enum route route = u == 0 ? (enum route)((s + w) % 3) : FACTOR_AND_SOLVE;
                    struct tiling t = tiling_of((s + c + u) % TILINGS, sizes[s], NB);
                    int64_t mb = height_of((c + w) % 3, sizes[s]);
                    in_case("n %d, nrhs %d, B's tiles %d × %d, %c, %s, %s, enum route %d",
                            (int)sizes[s], (int)columns[c], (int)mb, (int)widths[w], "NTC"[u],
                            t.name, way_names[way], (int)route);
                    random_seed((uint64_t)(100 * s + c));
                    struct array A =
                        generate_general(&random_general, dtype, sizes[s], sizes[s], 1);
                    struct array B = array_new_random(dtype, sizes[s], columns[c], 3);
                    solve_and_check("NTC"[u], A, B, route, way, t, mb, widths[w]);
                    arrays_free(A, B);
                }
    check_report("sizes");
}

/* Tests every tile shape of A with every tile shape of B. */
static void test_tilings(void)
{
    enum { N = 6 * NB + 5 };
    random_seed(1);
    struct array A = generate_general(&random_general, dtype, N, N, 0);
    struct array B = array_new_random(dtype, N, 5, 3);
    for (int t = 0; t < TILINGS; t++)
        for (int h = 0; h < 3; h++)
            for (int u = 0; u < 3; u++)
                for (int w = 0; w < WAYS; w++) {
                    struct tiling tiling = tiling_of(t, N, NB);
                    in_case("%s, B's tiles %d high, %c, %s", tiling.name, (int)height_of(h, N),
                            "NTC"[u], way_names[w]);
                    solve_and_check("NTC"[u], A, B, FACTOR_AND_SOLVE, (enum way)w, tiling,
                                    height_of(h, N), 2);
                }
    check_report("tilings");
    arrays_free(A, B);
}

static void test_kinds(void)
{
    for (const struct general *g = generals; g->name != NULL; g++) {
        for (int u = 0; u < 3; u++)
            for (int route = FACTOR_AND_SOLVE; route <= (u == 0 ? GESV : FACTOR_AND_SOLVE);
                 route++) {
                /* in double precision Hilbert's matrix is singular to working precision from order
                 * 13 on */
                int64_t n = g->fill == hilbert_general.fill ? 6 : 35;
                in_case("%s, %c, enum route %d", g->name, "NTC"[u], route);
                random_seed(8);
                struct array A = generate_general(g, dtype, n, n, 0);
                struct array B = array_new_random(dtype, n, 5, 3);
                solve_and_check("NTC"[u], A, B, (enum route)route, WRAPPED, tiling_of(1, n, 8), 8,
                                4);
                arrays_free(A, B);
            }
        check_report(g->name);
    }
}

/* -- refinement ------------------------------------------------------------------------------ */

/* Returns max |b − Ax|_i / (|A| |x| + |b|)_i over all columns in units of the roundoff: Oettli and
 * Prager's componentwise backward error (Higham 2002, theorem 7.3). Computed in double, which
 * suffices for d and z to distinguish few roundoffs from many. */
static double backward_error(struct array A, struct array X, struct array B)
{
    double largest = 0;
    for (int64_t c = 0; c < B.n; c++)
        for (int64_t i = 0; i < A.n; i++) {
            startile_complex r = get(B, i, c);
            double scale = cabs(r);
            for (int64_t j = 0; j < A.n; j++) {
                r -= get(A, i, j) * get(X, j, c);
                scale += cabs(get(A, i, j)) * cabs(get(X, j, c));
            }
            double error = scale > 0 ? cabs(r) / scale : 0;
            largest = error > largest || isnan(error) ? error : largest;
        }
    return largest / unit_roundoff(A.dtype);
}

/* Returns the backward error of the library's solution after `steps` steps of refinement. */
static double refined_error(struct array A, struct array B, int steps, enum way way,
                            struct tiling t, int64_t mb)
{
    struct array F = array_copy(A), X = array_copy(B);
    struct test_matrix S = test_matrix_new(F, way, 'G', t.mb, t.nb),
                       Y = test_matrix_new(X, way, 'G', mb, 2);
    startile_pivots *P = pivots_created(S.A);
    require_info(startile_gesv(S.A, P, Y.A, steps), 0);
    startile_pivots_destroy(P);
    test_matrices_finish(&S, &Y);
    double error = backward_error(A, X, B);
    arrays_free(F, X);
    return error;
}

/* Returns the backward error of LAPACK's solution after xGERFS. */
static double lapack_refined_error(struct array A, struct array B)
{
    struct lu g = lapack_lu(A);
    struct array X = array_copy(B);
    lapack(A)->getrs('N', g.F, g.ipiv, X);
    lapack(A)->gerfs('N', A, g.F, g.ipiv, B, X);
    double error = backward_error(A, X, B);
    array_free(X);
    lu_free(g);
    return error;
}

/* Returns the order at which growth by 1.9 in each step loses half of the digits. */
static int64_t order_losing_half_the_digits(void)
{
    return dtype == STARTILE_S || dtype == STARTILE_C ? 12 : 28;
}

/* Returns a random matrix whose rows are scaled by 1e-6 to 1e6. Partial pivoting chooses the small
 * rows last. */
static struct array badly_scaled(int64_t n)
{
    struct array A = generate_general(&random_general, dtype, n, n, 2);
    for (int64_t i = 0; i < n; i++) {
        double unit = pow(10, 6 * random_real());
        for (int64_t j = 0; j < n; j++)
            set(A, i, j, unit * get(A, i, j));
    }
    return A;
}

/* Checks that refinement restores the accuracy that growth of elements and bad scaling cost: growth
 * loses digits, and bad scaling leaves large errors in small rows. One step at least halves the
 * backward error. After two steps it is below the larger of n roundoffs and twice LAPACK's error
 * after xGERFS. */
static void check_refinement(const char *name, struct array A)
{
    struct array B = array_new_random(dtype, A.n, 3, 3),
                 solution = array_new_random(dtype, A.n, 3, 3);
    lapack(A)->gemm('N', 'N', 1, A, solution, 0, B);
    double bound = fmax(2 * lapack_refined_error(A, B), (double)A.n);
    for (int t = 0; t < TILINGS; t++)
        for (int w = 0; w < WAYS; w++) {
            double error[3];
            struct tiling tiling = tiling_of(t, A.n, NB);
            for (int steps = 0; steps <= 2; steps++) {
                in_case("%s, %s, %s, %d steps", name, tiling.name, way_names[w], steps);
                error[steps] =
                    refined_error(A, B, steps, (enum way)w, tiling, height_of((t + w) % 3, A.n));
            }
            require_below(error[2], bound);
            require_below(error[1], error[0] / 2);
            if (t == 0 && w == 0)
                printf("%s: backward error %.3g, after one step %.3g, after two %.3g roundoffs; "
                       "bound %.3g\n",
                       name, error[0], error[1], error[2], bound);
        }
    arrays_free(B, solution);
}

static void test_refinement(void)
{
    random_seed(12);
    struct array A = generate_general(&growing, dtype, order_losing_half_the_digits(),
                                      order_losing_half_the_digits(), 1);
    check_refinement("growing", A);
    array_free(A);
    A = badly_scaled(40);
    check_refinement("badly scaled", A);
    array_free(A);
}

/* -- pivots and factors of other routines ------------------------------------------------------ */

/* Tests that the library solves with LAPACK's factors and pivots, and LAPACK with the library's. */
static void test_exchange(void)
{
    enum { N = 45 };
    for (int t = 0; t < TILINGS; t++)
        for (int u = 0; u < 3; u++) {
            in_case("exchanged factors, tiling %d, %c", t, "NTC"[u]);
            random_seed(5);
            struct tiling tiling = tiling_of(t, N, NB);
            struct array A = generate_general(&random_general, dtype, N, N, 1);
            struct array B = array_new_random(dtype, N, 4, 3), X = array_copy(B), Y = array_copy(B);
            struct lu g = lapack_lu(A), f = lu_of(A, PARTIAL, WRAPPED, tiling);
            int64_t *returned_ipiv = pivots_new(N);
            struct array G = array_copy(g.F);
            struct test_matrix S = test_matrix_new(g.F, WRAPPED, 'G', tiling.mb, tiling.nb);
            struct test_matrix V = test_matrix_new(X, WRAPPED, 'G', NB, 2);
            startile_pivots *P = pivots_created(S.A);
            require_info(startile_pivots_from_lapack(P, g.ipiv), 0);
            require_info(startile_getrs("NTC"[u], S.A, P, V.A), 0);
            require_info(startile_pivots_to_lapack(P, returned_ipiv), 0);
            startile_pivots_destroy(P);
            test_matrices_finish(&S, &V);
            require(is_same(g.F, G));
            for (int64_t k = 0; k < N; k++)
                require_info(returned_ipiv[k], g.ipiv[k]);
            check_solved("NTC"[u], A, X, B);
            lapack(A)->getrs("NTC"[u], f.F, f.ipiv, Y);
            check_solved("NTC"[u], A, Y, B);
            pivots_free(returned_ipiv, N);
            lu_free(f);
            lu_free(g);
            arrays_free(A, B, X, Y, G);
        }
    check_report("exchanged factors");
}

/* Tests getrs with factors of getrf_nopiv and P = NULL. */
static void test_without_pivots(void)
{
    enum { N = 45 };
    for (int t = 0; t < TILINGS; t++)
        for (int u = 0; u < 3; u++) {
            in_case("no pivots, tiling %d, %c", t, "NTC"[u]);
            random_seed(6);
            struct array A = generate_general(&dominant, dtype, N, N, 1), F = array_copy(A);
            struct array B = array_new_random(dtype, N, 4, 3), X = array_copy(B);
            struct tiling tiling = tiling_of(t, N, NB);
            struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', tiling.mb, tiling.nb);
            struct test_matrix V = test_matrix_new(X, CREATED, 'G', NB, 3);
            require_info(startile_getrf_nopiv(S.A), 0);
            require_info(startile_getrs("NTC"[u], S.A, NULL, V.A), 0);
            test_matrices_finish(&S, &V);
            check_solved("NTC"[u], A, X, B);
            arrays_free(A, F, B, X);
        }
    check_report("no pivots");
}

/* Tests the pivots object: never written it is the identity; it takes and returns ipiv, and refuses
 * a wrong one; each panel's handle has its part of ipiv in the first of its five columns. */
static void test_pivots(void)
{
    enum { M = 30, N = 21, K = 21 };
    int64_t ipiv[K], out[K];
    in_case("pivots of a %d × %d matrix", M, N);
    startile_matrix *A = matrix_created(dtype, M, N, M, NB);
    startile_pivots *P = pivots_created(A);
    require_info(startile_pivots_to_lapack(P, out), 0);
    for (int k = 0; k < K; k++)
        require_info(out[k], k + 1);
    random_seed(9);
    for (int k = 0; k < K; k++)
        ipiv[k] = k + 1 + (int64_t)((M - k) * (random_real() + 1) / 2);
    require_info(startile_pivots_from_lapack(P, ipiv), 0);
    require_info(startile_pivots_to_lapack(P, out), 0);
    for (int k = 0; k < K; k++)
        require_info(out[k], ipiv[k]);
    /* with one wrong element nothing is changed */
    for (int k = 0; k < K; k++)
        for (int w = 0; w < 3; w++) {
            const int64_t wrong[] = {k, M + 1, -1};
            int64_t held = ipiv[k];
            ipiv[k] = wrong[w];
            require_info(startile_pivots_from_lapack(P, ipiv), -2);
            ipiv[k] = held;
        }
    require_info(startile_pivots_to_lapack(P, out), 0);
    for (int k = 0; k < K; k++)
        require_info(out[k], ipiv[k]);
    for (int panel = 0; panel < 3; panel++) {
        starpu_data_handle_t h = startile_pivots_handle(P, panel);
        int64_t count = panel < 2 ? NB : K - 2 * NB;
        require(h != NULL && starpu_matrix_get_nx(h) == (uint32_t)count &&
                starpu_matrix_get_ny(h) == 5 && starpu_matrix_get_elemsize(h) == sizeof(int64_t));
        require(starpu_data_acquire(h, STARPU_R) == 0);
        const int64_t *panel_ipiv = starpu_data_handle_to_pointer(h, STARPU_MAIN_RAM);
        for (int64_t k = 0; k < count; k++)
            require_info(panel_ipiv[k], ipiv[panel * NB + k]);
        starpu_data_release(h);
    }
    require(startile_pivots_handle(P, 3) == NULL && startile_pivots_handle(P, -1) == NULL);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
}

/* -- other cases ------------------------------------------------------------------------------ */

/* Tests a singular U, which is not detected, as in LAPACK: the solution contains infinities or NaN.
 */
static void test_singular_factors(void)
{
    for (int u = 0; u < 3; u++) {
        in_case("a zero on U's diagonal, %c", "NTC"[u]);
        int64_t zero = 12;
        random_seed(3);
        struct known_lu K = known_lu(dtype, 20, 20, 0, &zero, 1, true);
        struct array X = array_new_random(dtype, 20, 2, 3);
        struct test_matrix S = test_matrix_new(K.F, WRAPPED, 'G', 20, NB);
        struct test_matrix V = test_matrix_new(X, WRAPPED, 'G', 20, NB);
        startile_pivots *P = pivots_created(S.A);
        require_info(startile_pivots_from_lapack(P, K.ipiv), 0);
        require_info(startile_getrs("NTC"[u], S.A, P, V.A), 0);
        startile_pivots_destroy(P);
        test_matrices_finish(&S, &V);
        require(!is_finite(X));
        array_free(X);
        known_lu_free(K);
    }
}

/* Tests that a NaN in B affects its own column only. */
static void test_nan(void)
{
    enum { N = 30 };
    in_case("NaN in one right-hand side");
    random_seed(4);
    struct array A = generate_general(&random_general, dtype, N, N, 0), F = array_copy(A);
    struct array X = array_new_random(dtype, N, 5, 3);
    set(X, 17, 2, NAN);
    struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', N, NB),
                       V = test_matrix_new(X, WRAPPED, 'G', NB, 1);
    startile_pivots *P = pivots_created(S.A);
    require_info(startile_gesv(S.A, P, V.A, 1), 0);
    startile_pivots_destroy(P);
    test_matrices_finish(&S, &V);
    for (int64_t c = 0; c < 5; c++)
        require(is_finite(array_part(X, 0, c, N, 1)) == (c != 2));
    arrays_free(A, F, X);
}

static void test_typed_entries(void)
{
    static const int64_t sizes[] = {0, 1, 7, 150};
    for (int s = 0; s < 4; s++)
        for (int u = 0; u < 3; u++) {
            int64_t n = sizes[s], nrhs = 3;
            in_case("typed, n %d, %c", (int)n, "NTC"[u]);
            random_seed(11);
            struct array A = generate_general(&random_general, dtype, n, n, 2);
            struct array B = array_new_random(dtype, n, nrhs, 3), X = array_copy(B),
                         Y = array_copy(B);
            struct lu f = {array_copy(A), pivots_new(n), 0}, h = {array_copy(A), pivots_new(n), 0};
            require_info(lapack(A)->typed_getrf(n, n, f.F.a, f.F.ld, f.ipiv), 0);
            struct array factors = array_copy(f.F);
            require_info(
                lapack(A)->typed_getrs("NTC"[u], n, nrhs, f.F.a, f.F.ld, f.ipiv, X.a, X.ld), 0);
            require(is_same(f.F, factors) && has_borders_intact(X));
            check_solved("NTC"[u], A, X, B);
            require_info(lapack(A)->typed_gesv(n, nrhs, h.F.a, h.F.ld, h.ipiv, Y.a, Y.ld), 0);
            require(has_borders_intact(h.F) && has_borders_intact(Y));
            check_lu(A, h, 2);
            check_solved('N', A, Y, B);
            lu_free(f);
            lu_free(h);
            arrays_free(A, B, X, Y, factors);
        }
    check_report("typed entries");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "getrs", test_sizes, test_tilings, test_kinds, test_refinement,
                      test_exchange, test_without_pivots, test_pivots, test_singular_factors,
                      test_nan, test_typed_entries);
}
