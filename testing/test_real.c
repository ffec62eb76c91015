/*
 * bcsstk13, a structural stiffness matrix of condition about 1e10 (Matrix Market, 2003 × 2003), as
 * a dense matrix by Cholesky: backward errors only, since the solution itself has no more than a
 * few digits. In single precision it is too close to singular for any bound to be asked for.
 */
#include "check.h"
#include "generate.h"
#include "reference.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

/* coordinate real symmetric; the other triangle is filled in. Returns an array without storage
 * when the file is not there. */
static struct array read_symmetric(const char *name)
{
    const char *folder = getenv("STARTILE_TEST_DATA");
    char path[4096], line[1024];
    long long m, n, entries;
    if (folder == NULL)
        check_skip("STARTILE_TEST_DATA does not say where the real matrices are");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        printf("no %s\n", path);
        check_skip("the real matrices are not in STARTILE_TEST_DATA");
    }
    do
        require(fgets(line, sizeof line, f) != NULL);
    while (line[0] == '%');
    require(sscanf(line, "%lld %lld %lld", &m, &n, &entries) == 3 && m == n);
    struct array A = array_new(dtype, n, n, 5);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(A, i, j, 0);
    for (long long e = 0; e < entries; e++) {
        long long i, j;
        double v;
        require(fscanf(f, "%lld %lld %lf", &i, &j, &v) == 3);
        require(i >= 1 && i <= n && j >= 1 && j <= n);
        set(A, i - 1, j - 1, v);
        set(A, j - 1, i - 1, v);
    }
    fclose(f);
    return A;
}

/* B := A · 1 */
static struct array row_sums(struct array A)
{
    struct array B = array_new(dtype, A.n, 1, 0), ones = array_new(dtype, A.n, 1, 0);
    for (int64_t i = 0; i < A.n; i++) {
        set(ones, i, 0, 1);
        set(B, i, 0, 0);
    }
    lapack(A)->gemm('N', 'N', 1, A, ones, 0, B);
    array_free(ones);
    return B;
}

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
        struct subject S = subject_new(T, WRAPPED, uplo, 0, 0);
        struct subject Y = subject_new(X, WRAPPED, 'G', startile_matrix_shape(S.A).nb, 1);
        require_info(startile_posv(uplo, S.A, Y.A), 0);
        subject_home(&S);
        subject_home(&Y);
        require(is_poisoned(T, other));
        check_factor(uplo, A, T, A.n);
        check_solution(A, X, Z, B);
        array_free(T);
        array_free(X);
    }
    check_report("bcsstk13");
    array_free(B);
    array_free(R);
    array_free(Z);
}

int main(int argc, char **argv)
{
    static struct array A;
    check_arguments(argc, argv);
    A = read_symmetric("bcsstk13.mtx");
    check_start(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_bcsstk13, &A)};
    int failed = cmocka_run_group_tests_name("real matrices", tests, NULL, NULL);
    array_free(A);
    return check_finish(failed);
}
