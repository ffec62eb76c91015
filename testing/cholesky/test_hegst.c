/* Tests of hegst: sizes, types of the problem, ways, tiles, kinds of matrices, typed entries. */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>

enum { NB = 8 };
static const int64_t sizes[] = {0, 1, 2, 5, NB, NB + 1, 2 * NB, 2 * NB + 3, 50};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const char uplos[] = {'L', 'U'};

static char other_triangle(char uplo)
{
    return uplo == 'L' ? 'U' : 'L';
}

/* Returns a random Hermitian matrix. Its diagonal has imaginary parts, which hegst ignores. */
static struct array hermitian_matrix(int64_t n, int64_t pad)
{
    random_seed((uint64_t)n + 3);
    struct array A = array_new_random(dtype, n, n, pad);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++)
            set(A, i, j, conj(get(A, j, i)));
    return A;
}

/* Returns LAPACK's Cholesky factor of g's matrix, with poison in the other triangle. */
static struct array factor_of(const struct generator *g, int64_t n, char uplo, int64_t pad)
{
    random_seed((uint64_t)n);
    struct array B = generate(g, dtype, n, pad);
    require_info(lapack(B)->potrf(uplo, B), 0);
    array_poison(B, other_triangle(uplo));
    return B;
}

/* Submits A := op(F)ᴴ A op(F) with the triangle F, for the trans 'N' or 'C' of F. */
static void transform(char uplo, char trans, struct array F, struct array A)
{
    lapack(A)->trmm('L', uplo, trans == 'N' ? 'C' : 'N', 'N', 1, F, A);
    lapack(A)->trmm('R', uplo, trans, 'N', 1, F, A);
}

/* Returns ‖X − Y‖₁ / (n ‖F‖₁ ‖Fᴴ‖₁ ‖Z‖₁ eps). The triangle F has poison in its other triangle. */
static double residual(char uplo, struct array X, struct array Y, struct array F, struct array Z)
{
    struct array L = array_copy(F), D = array_copy(X);
    for (int64_t j = 0; j < F.n; j++)
        for (int64_t i = 0; i < F.n; i++) {
            if (!is_in_triangle(uplo, i, j))
                set(L, i, j, 0);
            set(D, i, j, get(X, i, j) - get(Y, i, j));
        }
    double norm = lapack(L)->lange('1', L) * lapack(L)->lange('I', L) * lapack(Z)->lange('1', Z);
    double error = lapack(D)->lange('1', D) / ((double)F.n * norm * unit_roundoff(dtype));
    arrays_free(L, D);
    return error;
}

/* Requires the triangle uplo of C to be that of the reduced A: L C Lᴴ = A or C = Lᴴ A L for the
 * lower factor F = L, Uᴴ C U = A or C = U A Uᴴ for the upper factor F = U. Its diagonal is real. */
static void check_reduced(int itype, char uplo, struct array A, struct array F, struct array C)
{
    if (A.n == 0)
        return;
    for (int64_t k = 0; k < A.n; k++)
        require(cimag(get(C, k, k)) == 0);
    struct array H = full_hermitian(uplo, A), G = full_hermitian(uplo, C);
    for (int64_t k = 0; k < A.n; k++)
        set(H, k, k, creal(get(H, k, k)));
    struct array T = array_copy(itype == 1 ? G : H);
    if (itype == 1)
        transform(uplo, uplo == 'L' ? 'C' : 'N', F, T);
    else
        transform(uplo, uplo == 'L' ? 'N' : 'C', F, T);
    require_below(residual(uplo, itype == 1 ? H : G, T, F, itype == 1 ? G : H), 30);
    arrays_free(H, G, T);
}

/* Reduces a copy of A, and checks the result. F, the other triangles and the borders must keep
 * their bits. */
static void check_case(int itype, char uplo, struct array A, struct array F, enum way way,
                       int64_t nb)
{
    struct array C = array_copy(A), before = array_copy(F);
    array_poison(C, other_triangle(uplo));
    struct test_matrix S = test_matrix_new(C, way, uplo, nb, nb);
    struct test_matrix B = test_matrix_new(F, way, uplo, nb, nb);
    require_info(startile_hegst(itype, uplo, S.A, B.A), 0);
    test_matrices_finish(&S, &B);
    require(is_poisoned(C, other_triangle(uplo)) && has_borders_intact(C));
    require(is_same(F, before));
    check_reduced(itype, uplo, A, F, C);
    arrays_free(C, before);
}

static void test_sizes(void)
{
    for (int s = 0, index = 0; s < SIZES; s++)
        for (int u = 0; u < 2; u++)
            for (int itype = 1; itype <= 3; itype++)
                for (int w = 0; w < WAYS; w++, index++) {
                    if (is_left_out(index + s + u + itype))
                        continue;
                    in_case("n %d, uplo %c, itype %d, %s", (int)sizes[s], uplos[u], itype,
                            way_names[w]);
                    struct array A = hermitian_matrix(sizes[s], s % 3);
                    struct array F = factor_of(&well_conditioned, sizes[s], uplos[u], w);
                    check_case(itype, uplos[u], A, F, (enum way)w, NB);
                    arrays_free(A, F);
                }
}

/* Tests all kinds of B, and tile widths. */
static void test_kinds(void)
{
    int index = 0;
    for (const struct generator *g = generators; g->name != NULL; g++)
        for (int u = 0; u < 2; u++)
            for (int itype = 1; itype <= 2; itype++, index++) {
                if (is_left_out(index))
                    continue;
                int64_t n = 23, nb = 1 + 3 * (index % 5);
                in_case("%s, uplo %c, itype %d, nb %d", g->name, uplos[u], itype, (int)nb);
                struct array A = hermitian_matrix(n, 0), F = factor_of(g, n, uplos[u], 0);
                check_case(itype, uplos[u], A, F, WRAPPED, nb);
                arrays_free(A, F);
            }
}

/* Tests a NaN at (17, 3) of the triangle: the result has NaNs, and info is 0. */
static void test_nan(void)
{
    for (int u = 0; u < 2; u++)
        for (int itype = 1; itype <= 2; itype++) {
            char uplo = uplos[u];
            in_case("NaN, uplo %c, itype %d", uplo, itype);
            struct array A = hermitian_matrix(20, 0);
            struct array F = factor_of(&well_conditioned, 20, uplo, 0);
            array_poison(F, other_triangle(uplo));
            set(A, uplo == 'L' ? 17 : 3, uplo == 'L' ? 3 : 17, NAN);
            startile_matrix *M = array_wrapped(A, NB, NB), *B = array_wrapped(F, NB, NB);
            require_info(startile_hegst(itype, uplo, M, B), 0);
            matrices_destroy(M, B);
            require(has_nan(A, uplo));
            arrays_free(A, F);
        }
}

/* Tests factorization and reduction in one request. If B is not positive definite, A keeps its
 * bits with itype 1. */
static void test_with_potrf(void)
{
    for (int fails = 0; fails < 2; fails++)
        for (int u = 0; u < 2; u++) {
            char uplo = uplos[u];
            int64_t n = 3 * NB - 1;
            in_case("with potrf, uplo %c, fails %d", uplo, fails);
            random_seed((uint64_t)n);
            struct array A = hermitian_matrix(n, 0), F = generate(&well_conditioned, dtype, n, 0);
            struct array before = array_copy(A);
            if (fails)
                set(F, n - 1, n - 1, -1);
            startile_matrix *M = array_wrapped(A, NB, NB), *B = array_wrapped(F, NB, NB);
            startile_request *r = request_created();
            require_info(startile_potrf_async(uplo, B, r), 0);
            require_info(startile_hegst_async(1, uplo, M, B, r), 0);
            require_info(startile_request_wait(r), fails ? n : 0);
            startile_request_destroy(r);
            matrices_destroy(M, B);
            if (fails)
                require(is_same(A, before));
            else
                check_reduced(1, uplo, before, F, A);
            arrays_free(A, F, before);
        }
}

static void test_typed(void)
{
    for (int s = 0; s < 3; s++)
        for (int u = 0; u < 2; u++)
            for (int itype = 1; itype <= 3; itype++) {
                int64_t n = (int64_t[]){0, 1, 300}[s];
                char uplo = uplos[u];
                in_case("typed, n %d, uplo %c, itype %d", (int)n, uplo, itype);
                struct array A = hermitian_matrix(n, 2);
                struct array F = factor_of(&well_conditioned, n, uplo, 1), C = array_copy(A);
                array_poison(C, other_triangle(uplo));
                require_info(lapack(A)->typed_hegst(itype, uplo, n, C.a, C.ld, F.a, F.ld), 0);
                require(is_poisoned(C, other_triangle(uplo)) && has_borders_intact(C));
                check_reduced(itype, uplo, A, F, C);
                array_assign(A, C);
                require_info(lapack(A)->typed_hegst(0, uplo, n, C.a, C.ld, F.a, F.ld), -1);
                require_info(lapack(A)->typed_hegst(4, uplo, n, C.a, C.ld, F.a, F.ld), -1);
                require_info(lapack(A)->typed_hegst(itype, 'X', n, C.a, C.ld, F.a, F.ld), -2);
                require_info(lapack(A)->typed_hegst(itype, uplo, -1, C.a, C.ld, F.a, F.ld), -3);
                require_info(lapack(A)->typed_hegst(itype, uplo, 5, NULL, 5, F.a, 5), -4);
                require_info(lapack(A)->typed_hegst(itype, uplo, n, C.a, n - 1, F.a, F.ld), -5);
                require_info(lapack(A)->typed_hegst(itype, uplo, 5, C.a, 5, NULL, 5), -6);
                require_info(lapack(A)->typed_hegst(itype, uplo, n, C.a, C.ld, F.a, n - 1), -7);
                require(is_same(A, C) || n == 0);
                arrays_free(A, F, C);
            }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "hegst", test_sizes, test_kinds, test_nan, test_with_potrf,
                      test_typed);
}
