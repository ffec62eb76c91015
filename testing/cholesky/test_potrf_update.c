/* Tests of potrf_update and potrf_downdate: residuals, against LAPACK's factor of the new matrix,
 * and downdates that lose definiteness. */
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>

/* Returns A + sign V Vᴴ, both triangles. */
static struct array changed(struct array A, int sign, struct array V)
{
    struct array B = array_copy(A);
    lapack(B)->gemm('N', 'C', sign, V, V, 1, B);
    for (int64_t i = 0; i < B.n; i++)
        set(B, i, i, creal(get(B, i, i)));
    return B;
}

/* Returns a Hermitian positive definite matrix of order n with eigenvalues of about n. */
static struct array definite(int64_t n)
{
    struct array T = array_new_random(dtype, n, n, 1);
    for (int64_t i = 0; i < n; i++)
        set(T, i, i, 2 * (double)n + 1);
    struct array A = full_hermitian('L', T);
    array_free(T);
    return A;
}

/* Requires a positive diagonal without imaginary parts. */
static void require_positive(struct array F)
{
    for (int64_t i = 0; i < F.n; i++)
        require(creal(get(F, i, i)) > 0 && cimag(get(F, i, i)) == 0);
}

/* Changes LAPACK's factor of `before` by V, whose tiles have width nb_of_v, and returns it; *info
 * := the result. */
static struct array change(char uplo, int sign, struct array before, struct array V, enum way way,
                           int64_t nb, int64_t nb_of_v, int64_t *info)
{
    struct array F = array_new(dtype, before.n, before.n, 2), V0 = array_copy(V);
    array_assign(before, F);
    require_info(lapack(F)->potrf(uplo, F), 0);
    array_poison(F, uplo == 'L' ? 'U' : 'L');
    struct test_matrix S = test_matrix_new(F, way, uplo, nb, nb),
                       SV = test_matrix_new(V, way, 'G', nb, nb_of_v);
    *info = sign > 0 ? startile_potrf_update(uplo, S.A, SV.A)
                     : startile_potrf_downdate(uplo, S.A, SV.A);
    test_matrices_finish(&S, &SV);
    require(is_same(V, V0));
    require(is_poisoned(F, uplo == 'L' ? 'U' : 'L'));
    array_free(V0);
    return F;
}

/* Requires ‖A − F Fᴴ‖₁ (Fᴴ F for 'U') to be below 30 (n + k) eps ‖B‖₁, where B is the matrix before
 * a downdate of rank k. */
static void check_downdate(char uplo, struct array A, struct array B, struct array F, int64_t k)
{
    struct array T = array_new(dtype, A.n, A.n, 0), R = array_copy(A);
    array_fill(T, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            if (is_in_triangle(uplo, i, j))
                set(T, i, j, get(F, i, j));
    lapack(R)->gemm(uplo == 'L' ? 'N' : 'C', uplo == 'L' ? 'C' : 'N', -1, T, T, 1, R);
    if (A.n > 0)
        require_below(lapack(R)->lange('1', R),
                      30 * (double)(A.n + k) * unit_roundoff(dtype) * lapack(B)->lange('1', B));
    arrays_free(T, R);
}

static void test_sizes(void)
{
    enum { NB = 8 };
    static const int64_t sizes[] = {0, 1, 2, NB - 1, NB, NB + 1, 2 * NB + 3, 50, 100};
    static const int64_t ranks[] = {0, 1, 3, NB, 2 * NB + 1, 40};
    int cases = 0;
    for (int s = 0; s < 9; s++)
        for (int k = 0; k < 6; k++)
            for (int u = 0; u < 2; u++)
                for (int sign = 1; sign >= -1; sign -= 2) {
                    int64_t n = sizes[s], rank = ranks[k], info, nb_of_v = k % 2 ? NB : 5;
                    enum way way = (enum way)((s + k + u) % WAYS);
                    char uplo = "LU"[u];
                    if (is_left_out(cases++))
                        continue;
                    in_case("%s %c, n %d, rank %d, %s", sign > 0 ? "update" : "downdate", uplo,
                            (int)n, (int)rank, way_names[way]);
                    random_seed((uint64_t)(n + rank));
                    struct array A = definite(n), V = array_new_random(dtype, n, rank, 1);
                    struct array B = changed(A, 1, V);
                    /* A and B = A + V Vᴴ are both definite */
                    struct array F =
                        change(uplo, sign, sign > 0 ? A : B, V, way, NB, nb_of_v, &info);
                    require_info(info, 0);
                    if (sign > 0)
                        check_factor(uplo, B, F, n);
                    else
                        check_downdate(uplo, A, B, F, rank);
                    require_positive(F);
                    arrays_free(A, B, V, F);
                }
    check_report("update");
}

/* Tests a downdate that leaves a small matrix: the error is relative to the matrix before. */
static void test_cancellation(void)
{
    enum { N = 30, K = 12, NB = 7 };
    for (int u = 0; u < 2; u++) {
        char uplo = "LU"[u];
        int64_t info;
        in_case("cancellation, %c", uplo);
        random_seed(5);
        struct array A = definite(N), V = array_new_random(dtype, N, K, 0);
        for (int64_t j = 0; j < K; j++)
            for (int64_t i = 0; i < N; i++)
                set(V, i, j, 100 * get(V, i, j));
        struct array B = changed(A, 1, V), F = change(uplo, -1, B, V, WRAPPED, NB, NB, &info);
        require_info(info, 0);
        check_downdate(uplo, A, B, F, K);
        arrays_free(A, B, V, F);
    }
}

/* Tests downdates that lose definiteness in column `bad` of V: info is its number, and the factor
 * is the one before. */
static void test_lost_definiteness(void)
{
    enum { N = 50, K = 21, NB = 8 };
    for (int u = 0; u < 2; u++)
        for (int64_t bad = 0; bad < K; bad += 10) {
            char uplo = "LU"[u];
            enum way way = (enum way)((u + bad / 10) % WAYS);
            int64_t info;
            in_case("lost definiteness, %c, column %d, %s", uplo, (int)bad, way_names[way]);
            random_seed(6);
            struct array A = definite(N), V = array_new_random(dtype, N, K, 0), G = array_copy(A);
            for (int64_t j = 0; j < K; j++)
                for (int64_t i = 0; i < N; i++)
                    set(V, i, j, get(V, i, j) * (j == bad ? 10 : 0.1));
            struct array F = change(uplo, -1, A, V, way, NB, 4, &info);
            require_info(info, bad + 1);
            require_info(lapack(G)->potrf(uplo, G), 0);
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = 0; i < N; i++)
                    require(!is_in_triangle(uplo, i, j) || get(F, i, j) == get(G, i, j));
            arrays_free(A, V, F, G);
        }
}

/* Tests that an update, and a downdate that fails, follow each other in one request. */
static void test_one_request(void)
{
    enum { N = 25, K = 3, NB = 8 };
    in_case("one request");
    random_seed(7);
    struct array A = definite(N), V = array_new_random(dtype, N, K, 0), F = array_copy(A);
    struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', NB, NB),
                       SV = test_matrix_new(V, WRAPPED, 'G', NB, NB);
    startile_request *r = request_created();
    require_info(startile_potrf_async('L', S.A, r), 0);
    require_info(startile_potrf_update_async('L', S.A, SV.A, r), 0);
    require_info(startile_potrf_downdate_async('L', S.A, SV.A, r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    test_matrices_finish(&S, &SV);
    check_factor('L', A, F, N);
    arrays_free(A, V, F);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "potrf_update", test_sizes, test_cancellation,
                      test_lost_definiteness, test_one_request);
}
