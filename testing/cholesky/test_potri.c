/* Tests of trtri, lauum, potri and pocon: sizes, ways, kinds of matrices, zeros, typed entries. */
#include "check.h"
#include "generate.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>

enum { NB = 8 };
static const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, NB - 1, NB, NB + 1, 2 * NB + 3};
static const char uplos[] = {'L', 'U'};

/* Returns the other triangle. */
static char other_triangle(char uplo)
{
    return uplo == 'L' ? 'U' : 'L';
}

/* Returns the triangle of T as a full matrix, with a unit diagonal for diag 'U'. */
static struct array full_triangle(char uplo, char diag, struct array T)
{
    struct array F = array_new(T.dtype, T.n, T.n, 0);
    for (int64_t j = 0; j < T.n; j++)
        for (int64_t i = 0; i < T.n; i++)
            set(F, i, j,
                i == j && diag == 'U'                ? 1
                : i == j || (i > j) == (uplo == 'L') ? get(T, i, j)
                                                     : 0);
    return F;
}

/* Returns LAPACK's Cholesky factor of g's matrix, which the other triangle still contains. */
static struct array factor_of(const struct generator *g, int64_t n, char uplo)
{
    random_seed((uint64_t)n);
    struct array A = generate(g, dtype, n, n % 3);
    require_info(lapack(A)->potrf(uplo, A), 0);
    return A;
}

typedef int64_t (*in_place)(char uplo, char diag, startile_matrix *A);

static int64_t run_lauum(char uplo, char diag, startile_matrix *A)
{
    (void)diag;
    return startile_lauum(uplo, A);
}

static int64_t run_potri(char uplo, char diag, startile_matrix *A)
{
    (void)diag;
    return startile_potri(uplo, A);
}

/* Returns the result of the routine on T with a poisoned other triangle, and a diagonal of NaN for
 * diag 'U'. The other triangle and the borders must keep their bits, and the diagonal its NaN. */
static struct array result_of(in_place routine, char uplo, char diag, struct array T, enum way way,
                              int64_t nb)
{
    struct array X = array_copy(T);
    array_poison(X, other_triangle(uplo));
    for (int64_t k = 0; k < T.n && diag == 'U'; k++)
        set(X, k, k, NAN);
    struct test_matrix S = test_matrix_new(X, way, uplo, nb, nb);
    require_info(routine(uplo, diag, S.A), 0);
    test_matrix_finish(&S);
    require(is_poisoned(X, other_triangle(uplo)) && has_borders_intact(X));
    for (int64_t k = 0; k < T.n && diag == 'U'; k++)
        require(isnan(creal(get(X, k, k))));
    return X;
}

/* Requires X to be the inverse of the triangle T. */
static void check_trtri(char uplo, char diag, struct array T, struct array X)
{
    if (T.n == 0)
        return;
    struct array A = full_triangle(uplo, diag, T), Y = full_triangle(uplo, diag, X);
    require_below(inverse_residual(Y, A), 30);
    arrays_free(A, Y);
}

/* Requires X to be Lᴴ L, or U Uᴴ, for the triangle in T. */
static void check_lauum(char uplo, struct array T, struct array X)
{
    if (T.n == 0)
        return;
    struct array A = full_triangle(uplo, 'N', T), P = array_new(T.dtype, T.n, T.n, 0);
    lapack(A)->gemm(uplo == 'L' ? 'C' : 'N', uplo == 'L' ? 'N' : 'C', 1, A, A, 0, P);
    double norm = lapack(A)->lange('F', A);
    check_near_in(uplo, X, P, 4 * (double)T.n * norm * norm);
    arrays_free(A, P);
}

/* Requires X to be the inverse of A in the triangle uplo. */
static void check_potri(char uplo, struct array A, struct array X)
{
    if (A.n == 0)
        return;
    struct array Y = full_hermitian(uplo, X);
    require_below(inverse_residual(Y, A), 30);
    array_free(Y);
}

static void test_sizes(void)
{
    for (int s = 0; s < 11; s++)
        for (int u = 0; u < 2; u++)
            for (int w = 0; w < WAYS; w++)
                for (int diag = 0; diag < 2; diag++) {
                    int64_t n = sizes[s];
                    char uplo = uplos[u];
                    in_case("n %d, uplo %c, diag %c, %s", (int)n, uplo, "NU"[diag], way_names[w]);
                    struct array T = factor_of(&well_conditioned, n, uplo);
                    /* a unit triangle of larger elements would have an inverse of size 2^n */
                    for (int64_t j = 0; j < n && diag; j++)
                        for (int64_t i = 0; i < n; i++)
                            set(T, i, j, get(T, i, j) / (double)n);
                    struct array X =
                        result_of(startile_trtri, uplo, "NU"[diag], T, (enum way)w, NB);
                    check_trtri(uplo, "NU"[diag], T, X);
                    array_free(X);
                    X = result_of(run_lauum, uplo, 'N', T, (enum way)w, NB);
                    check_lauum(uplo, T, X);
                    arrays_free(X, T);
                }
}

static void test_potri(void)
{
    for (const struct generator *g = generators; g->name != NULL; g++)
        for (int u = 0; u < 2; u++)
            for (int w = 0; w < WAYS; w++) {
                int64_t n = 3 + 7 * w;
                in_case("potri, %s, n %d, uplo %c, %s", g->name, (int)n, uplos[u], way_names[w]);
                struct array T = factor_of(g, n, uplos[u]);
                struct array X = result_of(run_potri, uplos[u], 'N', T, (enum way)w, 4);
                random_seed((uint64_t)n);
                struct array A = generate(g, dtype, n, 0);
                check_potri(uplos[u], A, X);
                arrays_free(A, X, T);
            }
}

/* Tests a zero at each position k of the diagonal: info is k, and no bit changes. A unit diagonal
 * is not read. */
static void test_zeros(void)
{
    enum { N = 19 };
    for (int64_t k = 1; k <= N; k++)
        for (int u = 0; u < 2; u++) {
            enum way way = (enum way)((k + u) % WAYS);
            in_case("zero at %d, uplo %c, %s", (int)k, uplos[u], way_names[way]);
            struct array T = factor_of(&well_conditioned, N, uplos[u]);
            set(T, k - 1, k - 1, 0);
            set(T, N - 1, N - 1, 0);
            struct array before = array_copy(T);
            struct test_matrix S = test_matrix_new(T, way, uplos[u], NB, NB);
            require_info(startile_trtri(uplos[u], 'N', S.A), k);
            require_info(startile_potri(uplos[u], S.A), k);
            test_matrix_finish(&S);
            require(is_same(T, before));
            S = test_matrix_new(T, way, uplos[u], NB, NB);
            require_info(startile_trtri(uplos[u], 'U', S.A), 0);
            test_matrix_finish(&S);
            require(is_finite(T) && get(T, k - 1, k - 1) == 0);
            arrays_free(T, before);
        }
}

static void add_to_diagonal(struct array T, startile_complex shift)
{
    for (int64_t k = 0; k < T.n; k++)
        set(T, k, k, get(T, k, k) + shift);
}

/* Tests imaginary parts of the diagonal, for complex types only. lauum ignores them, and its
 * product has a real diagonal. potri inverts the triangle with its imaginary parts, and then
 * ignores those of the inverse's diagonal. */
static void test_imaginary_diagonals(void)
{
    if (dtype < STARTILE_C)
        return;
    for (int s = 1; s < 11; s++)
        for (int u = 0; u < 2; u++)
            for (int w = 0; w < WAYS; w++) {
                enum way way = (enum way)w;
                char uplo = uplos[u];
                in_case("i on the diagonal, n %d, uplo %c, %s", (int)sizes[s], uplo, way_names[w]);
                struct array T = factor_of(&well_conditioned, sizes[s], uplo), F = array_copy(T);
                add_to_diagonal(T, 0.5 * I);
                struct array X = result_of(run_lauum, uplo, 'N', T, way, NB);
                check_lauum(uplo, F, X);
                struct array Y = result_of(run_potri, uplo, 'N', T, way, NB);
                struct array W = result_of(startile_trtri, uplo, 'N', T, way, NB);
                for (int64_t k = 0; k < W.n; k++) {
                    require(cimag(get(X, k, k)) == 0 && cimag(get(Y, k, k)) == 0);
                    set(W, k, k, creal(get(W, k, k)));
                }
                check_lauum(uplo, W, Y);
                arrays_free(T, F, X, Y, W);
            }
}

/* Returns pocon's rcond for the factor F, which must not change. */
static double rcond_of(char uplo, struct array F, double anorm, enum way way)
{
    double rcond = -7;
    struct array before = array_copy(F);
    struct test_matrix S = test_matrix_new(F, way, uplo, NB, NB);
    require_info(startile_pocon(uplo, S.A, &anorm, &rcond), 0);
    test_matrix_finish(&S);
    require(is_same(F, before));
    array_free(before);
    return rcond;
}

/* Tests pocon: the estimate of the inverse's norm is a lower bound, up to 1 %, and more than a
 * tenth of the norm. */
static void test_pocon(void)
{
    for (int s = 0; s < 11; s++)
        for (int u = 0; u < 2; u++) {
            int64_t n = sizes[s];
            char uplo = uplos[u];
            in_case("pocon, n %d, uplo %c", (int)n, uplo);
            struct array F = factor_of(&well_conditioned, n, uplo);
            random_seed((uint64_t)n);
            struct array A = generate(&well_conditioned, dtype, n, 0);
            double anorm = lapack(A)->lange('1', A);
            struct array X = result_of(run_potri, uplo, 'N', F, WRAPPED, NB);
            struct array Y = full_hermitian(uplo, X);
            double exact = n == 0 ? 1 : 1 / (anorm * lapack(Y)->lange('1', Y));
            array_poison(F, other_triangle(uplo));
            double rcond = rcond_of(uplo, F, anorm, WRAPPED);
            require_below(exact / rcond, 1.01);
            require_below(rcond / exact, 10);
            /* anorm = 0: rcond is 0, or 1 if n = 0 */
            require(rcond_of(uplo, F, 0, WRAPPED) == (n == 0));
            arrays_free(F, A, X, Y);
        }
}

static void test_typed(void)
{
    for (int s = 0; s < 3; s++)
        for (int u = 0; u < 2; u++) {
            int64_t n = (int64_t[]){0, 1, 150}[s];
            char uplo = uplos[u];
            in_case("typed, n %d, uplo %c", (int)n, uplo);
            struct array F = factor_of(&well_conditioned, n, uplo);
            random_seed((uint64_t)n);
            struct array A = generate(&well_conditioned, dtype, n, 0);
            array_poison(F, other_triangle(uplo));
            struct array X = array_copy(F), Y = array_copy(F), Z = array_copy(F);
            require_info(lapack(F)->typed_trtri(uplo, 'N', n, X.a, X.ld), 0);
            check_trtri(uplo, 'N', F, X);
            require_info(lapack(F)->typed_lauum(uplo, n, Y.a, Y.ld), 0);
            check_lauum(uplo, F, Y);
            require_info(lapack(F)->typed_potri(uplo, n, Z.a, Z.ld), 0);
            check_potri(uplo, A, Z);
            double rcond = lapack(F)->typed_pocon(uplo, n, F.a, F.ld, lapack(A)->lange('1', A));
            require(rcond > 0 && rcond <= 1);
            require(is_poisoned(X, other_triangle(uplo)) && is_poisoned(Y, other_triangle(uplo)) &&
                    is_poisoned(Z, other_triangle(uplo)) && is_poisoned(F, other_triangle(uplo)));
            require_info(lapack(F)->typed_trtri('X', 'N', n, X.a, X.ld), -1);
            require_info(lapack(F)->typed_trtri(uplo, 'X', n, X.a, X.ld), -2);
            require_info(lapack(F)->typed_trtri(uplo, 'N', -1, X.a, X.ld), -3);
            require_info(lapack(F)->typed_trtri(uplo, 'N', 5, NULL, 5), -4);
            require_info(lapack(F)->typed_trtri(uplo, 'N', n, X.a, n - 1), -5);
            require_info(lapack(F)->typed_potri('X', n, X.a, X.ld), -1);
            require_info(lapack(F)->typed_potri(uplo, -1, X.a, X.ld), -2);
            require_info(lapack(F)->typed_potri(uplo, n, X.a, n - 1), -4);
            require_info(lapack(F)->typed_lauum(uplo, 5, NULL, 5), -3);
            arrays_free(F, A, X, Y, Z);
        }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "potri", test_sizes, test_potri, test_zeros, test_pocon,
                      test_typed, test_imaginary_diagonals);
}
