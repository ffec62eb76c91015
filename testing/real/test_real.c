/*
 * Tests Cholesky of bcsstk13_700, a structural stiffness matrix of condition 1.6e9, as a dense
 * matrix. Checks backward errors only, because the solution has few correct digits. Single
 * precision is not tested: there the matrix is too close to singular.
 */
#include "check.h"
#include "real.h"
#include "reference.h"
#include "test_matrix.h"

static void test_bcsstk13(void **state)
{
    struct array A = *(struct array *)*state, B = row_sums(A), R = array_copy(A), Z = array_copy(B);
    require_info(lapack(R)->potrf('L', R), 0);
    lapack(R)->potrs('L', R, Z);
    for (int u = 0; u < 2; u++) {
        char uplo = "LU"[u], other = "UL"[u];
        in_case("bcsstk13, uplo %c", uplo);
        struct array T = array_copy(A), X = array_copy(B);
        array_poison(T, other);
        int64_t nb;
        require_info(startile_tile_shape("posv", dtype, A.n, A.n, &nb, &nb), 0);
        struct test_matrix S = test_matrix_new(T, WRAPPED, uplo, nb, nb);
        struct test_matrix Y = test_matrix_new(X, WRAPPED, 'G', nb, 1);
        require_info(startile_posv(uplo, S.A, Y.A), 0);
        test_matrices_finish(&S, &Y);
        require(is_poisoned(T, other));
        check_factor(uplo, A, T, A.n);
        check_solution(A, X, Z, B);
        arrays_free(T, X);
    }
    check_report("bcsstk13");
    arrays_free(B, R, Z);
}

int main(int argc, char **argv)
{
    static struct array A;
    check_arguments(argc, argv); /* sets the type, which read_real() needs */
    A = read_real("bcsstk13_700");
    check_start(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_bcsstk13, &A)};
    int failed = cmocka_run_group_tests_name("real matrices", tests, NULL, NULL);
    array_free(A);
    return check_finish(failed);
}
