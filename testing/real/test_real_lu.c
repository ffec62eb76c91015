/*
 * Tests LU of unsymmetric matrices of real problems, as dense matrices: west0067, a chemical plant
 * with a mostly zero diagonal; olm1000, the Olmstead flow model; cryg2500, crystal growth. Checks
 * backward errors and condition numbers only, because the matrices' condition leaves few correct
 * digits of a solution.
 */
#include "check.h"
#include "lu.h"
#include "objects.h"
#include "real.h"
#include "reference.h"

#include <stdio.h>

static const char *const names[] = {"west0067", "olm1000", "cryg2500"};

/* Solves by gesv, with or without a step of refinement, and calls gecon, on the library's tiles.
 * Returns the factors, with their pivots and info. X := the solution; it has the right-hand side at
 * first. *rcond := gecon's result for the 1-norm `anorm`. */
static struct lu solve(struct array A, struct array X, bool refine, double anorm, double *rcond)
{
    int64_t n = A.n, mb, nb;
    struct lu f = {array_copy(A), pivots_new(n), -1};
    require_info(startile_tile_shape("getrf", dtype, n, n, &mb, &nb), 0);
    struct test_matrix S = test_matrix_new(f.F, WRAPPED, 'G', mb, nb);
    struct test_matrix Y = test_matrix_new(X, WRAPPED, 'G', mb, 1);
    startile_pivots *P = pivots_created(S.A);
    f.info = startile_gesv(S.A, P, Y.A, refine);
    require_info(f.info, 0);
    require_info(startile_gecon('1', S.A, &anorm, rcond), 0);
    require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
    startile_pivots_destroy(P);
    test_matrices_finish(&S, &Y);
    check_ipiv(f.ipiv, n, n);
    return f;
}

/* Requires an estimate within a factor of 10 of LAPACK's where the condition number has correct
 * digits, else one below 1e4 roundoffs. */
static void check_rcond(double rcond, double lapacks, const char *name)
{
    printf("%s: reciprocal condition %.3g, LAPACK's estimate %.3g\n", name, rcond, lapacks);
    if (lapacks > 100 * unit_roundoff(dtype)) {
        require_below(rcond / lapacks, 10);
        require_below(lapacks / rcond, 10);
    } else {
        require(rcond >= 0);
        require_below(rcond, 1e4 * unit_roundoff(dtype));
    }
}

static void test_solving(void **state)
{
    const struct array *matrices = *state;
    for (int m = 0; m < 3; m++) {
        if (is_left_to_other_types(m + 1)) /* s has the largest */
            continue;
        struct array A = matrices[m], B = row_sums(A), Z = array_copy(B);
        double anorm = lapack(A)->lange('1', A), rcond = -7;
        struct lu g = lapack_lu(A);
        lapack(A)->getrs('N', g.F, g.ipiv, Z);
        /* the largest matrix takes long and runs once */
        for (int refine = 0; refine < (m < 2 ? 2 : 1); refine++) {
            in_case("%s, %s refinement", names[m], refine ? "with" : "without");
            struct array X = array_copy(B);
            struct lu f = solve(A, X, refine, anorm, &rcond);
            check_lu_against(A, f, g, 2);
            check_multipliers(f.F);
            check_solution(A, X, Z, B);
            array_free(X);
            lu_free(f);
        }
        check_rcond(rcond, lapack(A)->gecon('1', g.F, anorm), names[m]);
        check_report(names[m]);
        arrays_free(B, Z);
        lu_free(g);
    }
}

/* Tests factorizations of the two smaller matrices by the typed entry and by tournament
 * pivoting. */
static void test_factoring(void **state)
{
    const struct array *matrices = *state;
    for (int m = 0; m < 2; m++) {
        struct array A = matrices[m];
        struct lu g = lapack_lu(A);
        in_case("%s, typed getrf", names[m]);
        struct lu f = {array_copy(A), pivots_new(A.n), 0};
        require_info(lapack(A)->typed_getrf(A.n, A.n, f.F.a, f.F.ld, f.ipiv), 0);
        check_lu_against(A, f, g, 2);
        check_multipliers(f.F);
        lu_free(f);
        in_case("%s, tournament", names[m]);
        f = lu_of(A, TOURNAMENT, WRAPPED, tiling_of(1, A.n, 20));
        require_info(f.info, 0);
        check_lu_against(A, f, g, 4);
        lu_free(f);
        lu_free(g);
        check_report(names[m]);
    }
}

int main(int argc, char **argv)
{
    static struct array matrices[3];
    check_arguments(argc, argv);
    for (int m = 0; m < 3; m++)
        matrices[m] = read_real(names[m]);
    check_start(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_solving, matrices),
                                       cmocka_unit_test_prestate(test_factoring, matrices)};
    int failed = cmocka_run_group_tests_name("real matrices by LU", tests, NULL, NULL);
    for (int m = 0; m < 3; m++)
        array_free(matrices[m]);
    return check_finish(failed);
}
