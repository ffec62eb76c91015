/*
 * Tests of Aasen's method on a grid: mpirun -n P test_mpi_aasen BACKEND TYPE p q, where P = p q.
 * The first process checks factors and solutions as the tests without MPI do. All processes must
 * return the same info.
 */
#include "aasen_factors.h"
#include "check.h"
#include "grid_program.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"
#include "symmetric_matrices.h"

#include <math.h>
#include <startile_mpi.h>
#include <stdlib.h>

/* The library's objects of a factorization */
struct objects {
    startile_matrix *A, *band;
    startile_pivots *P, *band_pivots;
};

static struct objects objects_new(struct array A, int64_t nb)
{
    struct objects o = {.A = scatter(A, nb, nb)};
    require_info(startile_matrix_create_distributed(&o.band, A.dtype, A.n, A.n, nb, nb, grid), 0);
    o.P = pivots_created(o.A);
    o.band_pivots = pivots_created(o.band);
    return o;
}

static void objects_free(struct objects o)
{
    matrices_destroy(o.A, o.band);
    startile_pivots_destroy(o.P);
    startile_pivots_destroy(o.band_pivots);
}

static int64_t factor(char op, char uplo, struct objects o)
{
    return (op == 'T' ? startile_sytrf_aa : startile_hetrf_aa)(uplo, o.A, o.P, o.band,
                                                               o.band_pivots);
}

static int64_t solve(char op, char uplo, struct objects o, startile_matrix *B)
{
    return (op == 'T' ? startile_sytrs_aa : startile_hetrs_aa)(uplo, o.A, o.P, o.band,
                                                               o.band_pivots, B);
}

static int64_t factor_and_solve(char op, char uplo, struct objects o, startile_matrix *B)
{
    return (op == 'T' ? startile_sysv_aa : startile_hesv_aa)(uplo, o.A, o.P, o.band, o.band_pivots,
                                                             B);
}

static char other_triangle(char uplo)
{
    return uplo == 'L' ? 'U' : 'L';
}

/* Checks the factors of A, and the solution with nrhs right-hand sides by them. */
static void check_factors(struct array A, int64_t nrhs, char op, char uplo, int64_t nb,
                          bool is_singular)
{
    struct array F = array_copy(A), band = array_new(A.dtype, A.n, A.n, 0),
                 B = array_new_random(dtype, A.n, nrhs, 0), X = array_copy(B);
    array_poison(F, other_triangle(uplo));
    struct objects o = objects_new(F, nb);
    size_t bytes = ((size_t)A.n + 1) * sizeof(int64_t);
    struct aasen_factors f = {op, uplo, nb, 0, F, band, malloc(bytes), malloc(bytes)};
    require(f.ipiv != NULL && f.band_ipiv != NULL);
    f.info = agreed(factor(op, uplo, o));
    require((f.info > 0) == is_singular);
    startile_matrix *R = scatter(B, nb, nb);
    if (!is_singular)
        require_info(agreed(solve(op, uplo, o, R)), 0);
    gather(R, X);
    require_info(startile_pivots_to_lapack(o.P, f.ipiv), 0);
    require_info(startile_pivots_to_lapack(o.band_pivots, f.band_ipiv), 0);
    require_info(startile_matrix_to_lapack(o.A, rank == 0 ? F.a : NULL, F.ld), 0);
    require_info(startile_matrix_to_lapack(o.band, rank == 0 ? band.a : NULL, band.ld), 0);
    if (rank == 0 && A.n > 0) {
        require(is_poisoned(F, other_triangle(uplo)));
        aasen_require_l(f);
        require_below(aasen_residual(A, f), 30);
        if (nrhs > 0 && !is_singular)
            require_below(solution_residual(A, X, B), 30);
    }
    if (is_singular && rank == 0)
        require(get(band, f.info - 1, f.info - 1) == 0);
    objects_free(o);
    free(f.ipiv);
    free(f.band_ipiv);
    arrays_free(F, band, B, X);
}

/* Factors A and solves in one request. A singular A leaves B unchanged. */
static void check_system(struct array A, int64_t nrhs, char op, char uplo, int64_t nb,
                         bool is_singular)
{
    struct array B = array_new_random(dtype, A.n, nrhs, 0), X = array_copy(B);
    struct objects o = objects_new(A, nb);
    startile_matrix *R = scatter(B, nb, 5);
    int64_t info = agreed(factor_and_solve(op, uplo, o, R));
    require((info > 0) == is_singular);
    gather(R, X);
    if (rank == 0 && is_singular)
        require(is_same(X, B));
    if (rank == 0 && !is_singular && A.n > 0 && nrhs > 0)
        require_below(solution_residual(A, X, B), 30);
    objects_free(o);
    arrays_free(B, X);
}

static void test_sizes(char op, char uplo)
{
    /* n, nb */
    static const int64_t sizes[][2] = {{0, 8},  {1, 8},  {7, 8},   {8, 8},
                                       {17, 8}, {45, 8}, {100, 9}, {96, 16}};
    static const int64_t numbers[] = {3, 1, 13, 0};
    for (int s = 0; s < 8; s++) {
        int64_t n = sizes[s][0], nb = sizes[s][1];
        in_case("n %d, nb %d, op %c, uplo %c", (int)n, (int)nb, op, uplo);
        random_seed((uint64_t)n);
        struct array A =
            symmetric_matrix(s > 2 && s % 2 == 1 ? ZERO_DIAGONAL : RANDOM, op, dtype, n, s % 3);
        check_factors(A, numbers[s % 4], op, uplo, nb, false);
        check_system(A, numbers[(s + 1) % 4], op, uplo, nb, false);
        array_free(A);
    }
}

/* Tests matrices with rows and columns of zeros. */
static void test_singular(char op, char uplo)
{
    enum { N = 40, NB = 8 };
    for (int64_t first = 0; first < N; first += 12) {
        in_case("zeros in row %d, op %c, uplo %c", (int)first, op, uplo);
        random_seed(4);
        struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0);
        for (int64_t j = first; j < first + 2; j++)
            for (int64_t i = 0; i < N; i++) {
                set(A, i, j, 0);
                set(A, j, i, 0);
            }
        check_factors(A, 2, op, uplo, NB, true);
        check_system(A, 2, op, uplo, NB, true);
        array_free(A);
    }
}

/* Tests that a NaN fails nothing. */
static void test_nan(char op, char uplo)
{
    enum { N = 40, NB = 8 };
    in_case("NaN, op %c, uplo %c", op, uplo);
    random_seed(5);
    struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0);
    set(A, N - 1, 3, NAN);
    set(A, 3, N - 1, NAN);
    struct objects o = objects_new(A, NB);
    require(agreed(factor(op, uplo, o)) >= 0);
    objects_free(o);
    array_free(A);
}

/* Tests operands on other grids, and pivots with interchanges in the first panel. */
static void test_operands(void)
{
    enum { N = 30, NB = 8 };
    in_case("operands");
    random_seed(6);
    struct array A = symmetric_matrix(RANDOM, 'T', dtype, N, 0),
                 B = array_new_random(dtype, N, 2, 0), X = array_copy(B);
    struct objects o = objects_new(A, NB);
    startile_matrix *R = scatter(B, NB, NB), *low = scatter(B, NB / 2, NB),
                    *local = matrix_created(dtype, N, N, NB, NB);
    startile_pivots *P = pivots_created(local);
    require_info(startile_sytrf_aa('L', o.A, o.P, local, o.band_pivots), -4);
    require_info(startile_sytrf_aa('L', o.A, P, o.band, o.band_pivots), -3);
    require_info(startile_sytrf_aa('L', o.A, o.P, o.band, P), -5);
    require_info(startile_sysv_aa('L', o.A, o.P, o.band, o.band_pivots, low), -6);
    require_info(startile_sytrs_aa('L', o.A, o.P, o.band, o.band_pivots, local), -6);
    require_info(startile_random('G', 1, 0, o.band), 0);
    require_info(startile_getrf(o.band, o.P), 0);
    require_info(agreed(startile_sysv_aa('L', o.A, o.P, o.band, o.band_pivots, R)), 0);
    gather(R, X);
    if (rank == 0)
        require_below(solution_residual(A, X, B), 30);
    startile_pivots_destroy(P);
    matrices_destroy(low, local);
    objects_free(o);
    arrays_free(A, B, X);
}

/* Tests that a request gets the bits of another one. */
static void test_same_bits(void)
{
    enum { N = 60, NB = 8 };
    in_case("the same bits");
    random_seed(7);
    struct array A = symmetric_matrix(RANDOM, 'C', dtype, N, 0), F = array_copy(A),
                 G = array_copy(A);
    struct objects o = objects_new(A, NB), q = objects_new(A, NB);
    require_info(agreed(startile_hetrf_aa('U', o.A, o.P, o.band, o.band_pivots)), 0);
    require_info(agreed(startile_hetrf_aa('U', q.A, q.P, q.band, q.band_pivots)), 0);
    require_info(startile_matrix_to_lapack(o.A, rank == 0 ? F.a : NULL, F.ld), 0);
    require_info(startile_matrix_to_lapack(q.A, rank == 0 ? G.a : NULL, G.ld), 0);
    require(is_same(F, G));
    objects_free(o);
    objects_free(q);
    arrays_free(A, F, G);
}

int main(int argc, char **argv)
{
    grid_program_begin(argc, argv);
    for (const char *op = "TC"; *op != '\0'; op++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++) {
            test_sizes(*op, *uplo);
            test_singular(*op, *uplo);
            test_nan(*op, *uplo);
        }
    test_operands();
    test_same_bits();
    return grid_program_end();
}
