/* Tests of porfs and posvx against LAPACK's xPOSVX: backward and forward errors, condition numbers,
 * and info. */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 12 };

/* What a driver returns. */
struct errors {
    int64_t info;
    double rcond, ferr[MOST], berr[MOST];
};

/* Returns a Hermitian positive definite matrix with small integers as elements, scaled in rows and
 * columns by 2^(scale i) so that it is badly scaled. All products with small integers are exact. */
static struct array integer_matrix(int64_t n, int scale)
{
    struct array A = array_new(dtype, n, n, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            startile_complex z = round(3 * random_real());
            if (dtype >= STARTILE_C && i != j)
                z += round(3 * random_real()) * I;
            z = i == j ? 4.0 * (double)n + 1 : z;
            z *= ldexp(1, scale * (int)(i % 3 + j % 3));
            set(A, i, j, z);
            set(A, j, i, conj(z));
        }
    return A;
}

/* Returns X with small integers, and B = A X. */
static struct array solution(struct array A, int64_t nrhs, struct array *B)
{
    struct array X = array_new(dtype, A.n, nrhs, 0);
    *B = array_new(dtype, A.n, nrhs, 2);
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(X, i, j, round(5 * random_real()));
    array_fill(*B, 0);
    lapack(A)->gemm('N', 'N', 1, A, X, 0, *B);
    return X;
}

static struct errors run_posvx(char uplo, struct array A, struct array F, struct array B,
                               struct array X, enum way way, int64_t nb, int64_t width)
{
    struct errors e = {.rcond = -7};
    struct array A0 = array_copy(A), B0 = array_copy(B);
    struct test_matrix SA = test_matrix_new(A, way, uplo, nb, nb),
                       SF = test_matrix_new(F, way, uplo, nb, nb),
                       SB = test_matrix_new(B, way, 'G', nb, width),
                       SX = test_matrix_new(X, way, 'G', nb, width);
    e.info = startile_posvx(uplo, SA.A, SF.A, SB.A, SX.A, &e.rcond, e.ferr, e.berr);
    struct test_matrix *all[] = {&SA, &SF, &SB, &SX};
    for (int i = 0; i < 4; i++)
        test_matrix_finish(all[i]);
    require(is_same(A, A0) && is_same(B, B0));
    arrays_free(A0, B0);
    return e;
}

static void check_one(char uplo, int64_t n, int64_t nrhs, int scale, enum way way, int64_t nb,
                      int64_t width)
{
    in_case("posvx %c, n %d, nrhs %d, scale %d, nb %d, %s", uplo, (int)n, (int)nrhs, scale, (int)nb,
            way_names[way]);
    random_seed((uint64_t)(n + nrhs));
    struct array A = integer_matrix(n, scale), B, Y = solution(A, nrhs, &B),
                 X = array_new(dtype, n, nrhs, 1), F = array_new(dtype, n, n, 0);
    struct array full = array_copy(A), G = array_copy(A), Z = array_copy(B);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    struct errors e = run_posvx(uplo, A, F, B, X, way, nb, width), l = {.rcond = -7};
    require_info(e.info, 0);
    l.info = lapack(full)->posvx(uplo, full, G, B, Z, &l.rcond, l.ferr, l.berr);
    require_info(l.info, 0);
    if (n > 0)
        check_factor(uplo, full, F, n);
    require(is_poisoned(F, uplo == 'L' ? 'U' : 'L'));
    double eps = unit_roundoff(dtype);
    require(n == 0 ? e.rcond == 1 : e.rcond < 3 * l.rcond && l.rcond < 3 * e.rcond);
    for (int64_t j = 0; j < nrhs; j++) {
        require_below(e.berr[j], n == 0 ? 1e-300 : fmax(4 * eps, 1.01 * l.berr[j]));
        require_below(error_of_column(X, Y, j), fmax(e.ferr[j], 1e-300));
        require_below(e.ferr[j], 3 * l.ferr[j] + 1e-300);
        require_below(l.ferr[j], 3 * e.ferr[j] + 1e-30); /* tiny where x = 0 */
    }
    arrays_free(A, B, X, Y, Z, F, G, full);
}

static void test_sizes(void)
{
    enum { NB = 8 };
    static const int64_t sizes[] = {0, 1, 2, NB - 1, NB, NB + 1, 2 * NB + 3, 60};
    int cases = 0;
    for (int s = 0; s < 8; s++)
        for (int nrhs = 0; nrhs < 4; nrhs++)
            for (int u = 0; u < 2; u++)
                if (!is_left_out(cases++ + nrhs))
                    check_one("LU"[u], sizes[s], nrhs * nrhs, s % 3, (enum way)(cases % WAYS), NB,
                              nrhs + 1);
}

/* Refines a solution with errors in its last digits, and one that is far from the right one. */
static void test_refinement(void)
{
    enum { N = 40, NRHS = 5, NB = 16 };
    for (int far = 0; far < 2; far++) {
        in_case("porfs of a %s solution", far ? "wrong" : "rough");
        double ferr[NRHS], berr[NRHS], eps = unit_roundoff(dtype);
        random_seed(3);
        struct array A = integer_matrix(N, 0), B, Y = solution(A, NRHS, &B), X = array_copy(Y),
                     F = array_copy(A);
        require_info(lapack(F)->potrf('L', F), 0);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < NRHS; j++)
                set(X, i, j, get(X, i, j) * (1 + (far ? 0.1 : 1e-4) * random_real()));
        struct test_matrix SA = test_matrix_new(A, CREATED, 'G', NB, NB),
                           SF = test_matrix_new(F, CREATED, 'G', NB, NB),
                           SB = test_matrix_new(B, CREATED, 'G', NB, NB),
                           SX = test_matrix_new(X, CREATED, 'G', NB, NB);
        require_info(startile_porfs('L', SA.A, SF.A, SB.A, SX.A, ferr, berr), 0);
        struct test_matrix *all[] = {&SA, &SF, &SB, &SX};
        for (int i = 0; i < 4; i++)
            test_matrix_finish(all[i]);
        for (int64_t j = 0; j < NRHS; j++) {
            require_below(berr[j], 4 * eps);
            require_below(error_of_column(X, Y, j), ferr[j]);
            require_below(ferr[j], 1000 * N * eps);
        }
        arrays_free(A, B, X, Y, F);
    }
}

/* Tests info: a minor that is not positive definite, and a matrix that is singular to working
 * precision, for which X is computed all the same. */
static void test_info(void)
{
    enum { N = 20, NB = 8, NRHS = 2 };
    for (int singular = 0; singular < 2; singular++) {
        in_case(singular ? "nearly singular" : "indefinite");
        random_seed(4);
        struct array A = integer_matrix(N, 0), B, Y = solution(A, NRHS, &B),
                     X = array_new(dtype, N, NRHS, 0), F = array_new(dtype, N, N, 0);
        if (!singular)
            set(A, 12, 12, -1);
        for (int64_t i = 0; i < N && singular; i++)
            for (int64_t j = 0; j < N; j++)
                set(A, i, j, i != j ? 0 : i == 7 ? unit_roundoff(dtype) / 64 : 1);
        struct errors e = run_posvx('L', A, F, B, X, WRAPPED, NB, NB);
        require_info(e.info, singular ? N + 1 : 13);
        require(singular ? e.rcond > 0 : e.rcond == 0);
        for (int64_t j = 0; j < NRHS && singular; j++)
            require(e.ferr[j] > 0 && e.berr[j] <= 4 * unit_roundoff(dtype));
        arrays_free(A, B, X, Y, F);
    }
}

/* Tests solutions of several systems in one request, which nothing waits for in between. */
static void test_async(void)
{
    enum { N = 50, NRHS = 3, SYSTEMS = 4 };
    struct array A[SYSTEMS], B[SYSTEMS], Y[SYSTEMS], X[SYSTEMS], F[SYSTEMS];
    struct test_matrix S[SYSTEMS][4];
    double rcond[SYSTEMS], ferr[SYSTEMS][NRHS], berr[SYSTEMS][NRHS];
    startile_request *r = request_created();
    random_seed(5);
    for (int s = 0; s < SYSTEMS; s++) {
        A[s] = integer_matrix(N, s % 3);
        Y[s] = solution(A[s], NRHS, &B[s]);
        X[s] = array_new(dtype, N, NRHS, 1);
        F[s] = array_new(dtype, N, N, 0);
        struct array all[] = {A[s], F[s], B[s], X[s]};
        for (int i = 0; i < 4; i++)
            S[s][i] = test_matrix_new(all[i], WRAPPED, i < 2 ? 'L' : 'G', 8, 8);
        rcond[s] = -7;
        require_info(startile_posvx_async('L', S[s][0].A, S[s][1].A, S[s][2].A, S[s][3].A,
                                          &rcond[s], ferr[s], berr[s], r),
                     0);
    }
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    for (int s = 0; s < SYSTEMS; s++) {
        in_case("system %d of a request", s);
        for (int i = 0; i < 4; i++)
            test_matrix_finish(&S[s][i]);
        struct errors e = run_posvx('L', A[s], F[s], B[s], X[s], WRAPPED, 8, 8);
        require_below(fabs(rcond[s] / e.rcond - 1), 0.01);
        for (int64_t j = 0; j < NRHS; j++) {
            require_below(berr[s][j], 4 * unit_roundoff(dtype));
            require_below(error_of_column(X[s], Y[s], j), ferr[s][j]);
        }
        arrays_free(A[s], B[s], Y[s], X[s], F[s]);
    }
}

/* Tests the arguments of posvx. */
static void test_wrong(void)
{
    in_case("wrong arguments of posvx");
    double rcond = -7, ferr[2] = {-7, -7}, berr[2] = {-7, -7};
    startile_matrix *A = matrix_created(dtype, 20, 20, 8, 8),
                    *F = matrix_created(dtype, 20, 20, 8, 8),
                    *B = matrix_created(dtype, 20, 2, 8, 8),
                    *X = matrix_created(dtype, 20, 2, 8, 8),
                    *wide = matrix_created(dtype, 20, 3, 8, 8),
                    *other = matrix_created(dtype, 20, 20, 5, 5);
    require_info(startile_posvx('G', A, F, B, X, &rcond, ferr, berr), -1);
    require_info(startile_posvx('L', NULL, F, B, X, &rcond, ferr, berr), -2);
    require_info(startile_posvx('L', B, F, B, X, &rcond, ferr, berr), -2);
    require_info(startile_posvx('L', A, NULL, B, X, &rcond, ferr, berr), -3);
    require_info(startile_posvx('L', A, A, B, X, &rcond, ferr, berr), -3);
    require_info(startile_posvx('L', A, other, B, X, &rcond, ferr, berr), -3);
    require_info(startile_posvx('L', A, F, NULL, X, &rcond, ferr, berr), -4);
    require_info(startile_posvx('L', A, F, other, X, &rcond, ferr, berr), -4);
    require_info(startile_posvx('L', A, F, B, NULL, &rcond, ferr, berr), -5);
    require_info(startile_posvx('L', A, F, B, B, &rcond, ferr, berr), -5);
    require_info(startile_posvx('L', A, F, B, wide, &rcond, ferr, berr), -5);
    require_info(startile_posvx('L', A, F, B, X, NULL, ferr, berr), -6);
    require_info(startile_posvx('L', A, F, B, X, &rcond, NULL, berr), -7);
    require_info(startile_posvx('L', A, F, B, X, &rcond, ferr, NULL), -8);
    require_info(startile_posvx_async('L', A, F, B, X, &rcond, ferr, berr, NULL), -9);
    startile_request *r = request_created();
    require_info(startile_porfs_async('L', A, F, B, X, NULL, berr, r), -6);
    require_info(startile_porfs_async('L', A, F, B, X, ferr, NULL, r), -7);
    require_info(startile_porfs_async('U', A, F, B, X, ferr, berr, NULL), -8);
    startile_request_destroy(r);
    require(rcond == -7 && ferr[0] == -7 && berr[1] == -7);
    matrices_destroy(A, F, B, X, wide, other);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "porfs", test_sizes, test_refinement, test_info, test_async,
                      test_wrong);
}
