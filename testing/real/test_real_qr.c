/*
 * Tests least squares problems of a survey, as dense matrices: well1850 and illc1850, 1850 × 712
 * with their right-hand sides; the second is ill-conditioned. Solves by panels and by trees and
 * compares with LAPACK's solution.
 */
#include "check.h"
#include "qr.h"
#include "real.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>

enum { PROBLEMS = 2 };
static const char *const names[PROBLEMS] = {"well1850", "illc1850"};

struct problem {
    struct array A, b, z; /* z: LAPACK's solution */
    double residual;      /* ‖b − A z‖₂ */
    double kappa;         /* LAPACK's estimate of the condition of A */
};

/* Returns ‖A‖_F. */
static double norm_of(struct array A)
{
    return lapack(A)->lange('F', A);
}

/* Returns ‖b − A x‖₂. */
static double residual_norm(struct array A, struct array x, struct array b)
{
    struct array r = array_copy(b);
    lapack(A)->gemm('N', 'N', -1, A, x, 1, r);
    double norm = norm_of(r);
    array_free(r);
    return norm;
}

/* Reads a problem and solves it by LAPACK once. */
static struct problem read_problem(const char *name)
{
    char right_side[32];
    struct problem p;
    snprintf(right_side, sizeof right_side, "%s_rhs1", name);
    p.A = read_real(name);
    p.b = read_real(right_side);
    struct array F = array_copy(p.A), solved = array_copy(p.b);
    require_info(lapack(F)->gels('N', F, solved), 0);
    p.z = array_new_rows(solved, p.A.n);
    p.residual = residual_norm(p.A, p.z, p.b);
    struct array R = array_new(dtype, p.A.n, p.A.n, 0);
    for (int64_t j = 0; j < R.n; j++)
        for (int64_t i = 0; i < R.m; i++)
            set(R, i, j, i <= j ? get(F, i, j) : 0);
    p.kappa = 1 / lapack(R)->gecon('1', R, lapack(R)->lange('1', R));
    arrays_free(F, solved, R);
    return p;
}

/* Checks x against LAPACK's solution z: x must have as small a residual, and may differ from z
 * within the condition κ of the problem (Higham 2002, theorem 20.1). returned_norm: the norm of the
 * residual that the library returned. */
static void check_answer(const struct problem *p, struct array x, double returned_norm)
{
    double eps = unit_roundoff(dtype), m = (double)p->A.m, n = (double)p->A.n;
    double scale = norm_of(p->A) * norm_of(p->z), residual = residual_norm(p->A, x, p->b);
    check_residual(qrt17('N', p->A, x, p->b), qrt17('N', p->A, p->z, p->b), 2, p->A.m, 1 / m);
    require_below(residual - p->residual, 30 * eps * scale);
    require_below(fabs(residual - returned_norm), 30 * m * eps * scale);
    struct array d = array_copy(x);
    for (int64_t i = 0; i < x.m; i++)
        set(d, i, 0, get(x, i, 0) - get(p->z, i, 0));
    double condition = p->kappa + p->kappa * p->kappa * p->residual / scale;
    require_below(norm_of(d) / norm_of(p->z), 30 * (m + n) * eps * condition);
    array_free(d);
}

/* Checks `solved`, which has the solution in its first rows and the residual, multiplied by Qᴴ, in
 * the rows below. */
static void check_solved(const struct problem *p, struct array solved)
{
    struct array x = array_new_rows(solved, p->A.n);
    check_answer(p, x, norm_of(array_part(solved, x.m, 0, solved.m - x.m, 1)));
    array_free(x);
}

/* Solves by the typed entry of gels and checks the solution. */
static void check_typed(const struct problem *p)
{
    struct array F = array_copy(p->A), solved = array_copy(p->b);
    require_info(lapack(F)->typed_gels('N', F.m, F.n, 1, F.a, F.ld, solved.a, solved.ld), 0);
    check_solved(p, solved);
    arrays_free(F, solved);
}

/* Solves by a tree over 8 tile rows: multiplies b by the tree's Qᴴ, and solves with R by the
 * reference. Checks the solution. */
static void check_tree(const struct problem *p, startile_tree_kind kind)
{
    enum { MB = 256, NB = 64 };
    struct array F = array_copy(p->A), solved = array_copy(p->b);
    struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', MB, NB);
    struct test_matrix Y = test_matrix_new(solved, WRAPPED, 'G', MB, 1);
    startile_tree *tree;
    require_info(startile_tree_create(&tree, S.A, kind), 0);
    require_info(startile_geqrf_tree(S.A, tree), 0);
    require_info(startile_unmqr_tree('L', 'C', S.A, tree, Y.A), 0);
    test_matrices_finish(&S, &Y);
    startile_tree_destroy(tree);
    lapack(F)->trsm('L', 'U', 'N', 'N', 1, F, array_part(solved, 0, 0, F.n, 1));
    check_solved(p, solved);
    arrays_free(F, solved);
}

static void test_problems(void **state)
{
    const struct problem *problems = *state;
    for (int i = 0; i < PROBLEMS; i++) {
        const struct problem *p = &problems[i];
        printf("%s: condition %.3g, residual %.3g\n", names[i], p->kappa, p->residual);
        in_case("%s, typed gels", names[i]);
        check_typed(p);
        in_case("%s, binary tree", names[i]);
        check_tree(p, STARTILE_TREE_BINARY);
        in_case("%s, greedy tree", names[i]);
        check_tree(p, STARTILE_TREE_GREEDY);
        check_report(names[i]);
    }
}

int main(int argc, char **argv)
{
    static struct problem problems[PROBLEMS];
    check_arguments(argc, argv);
    for (int i = 0; i < PROBLEMS; i++)
        problems[i] = read_problem(names[i]);
    check_start(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_problems, problems)};
    int failed = cmocka_run_group_tests_name("least squares of a survey", tests, NULL, NULL);
    for (int i = 0; i < PROBLEMS; i++) {
        arrays_free(problems[i].A, problems[i].b, problems[i].z);
    }
    return check_finish(failed);
}
