/*
 * Tests with difficult matrices on a grid: mpirun -n P test_mpi_accuracy BACKEND TYPE p q, where P
 * = p q. The first process checks LU, Cholesky and least squares as the tests without MPI do. All
 * processes must return LAPACK's info.
 */
#include "check.h"
#include "generate_qr.h"
#include "grid_program.h"
#include "lu.h"
#include "qr.h"
#include "reference.h"

#include <math.h>
#include <startile_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 8, N = 5 * NB + 3 };

/* -- Cholesky ---------------------------------------------------------------------------------- */

/* Factors a copy of A on the grid. Requires info `expected`, and checks the factor; with expected >
 * 0, the factor of the leading block of order expected − 1. */
static void check_potrf(struct array A, char uplo, int64_t expected)
{
    struct array T = array_copy(A);
    startile_matrix *grid_A = scatter(T, NB, NB);
    require_info(agreed(startile_potrf(uplo, grid_A)), expected);
    gather(grid_A, T);
    if (rank == 0)
        check_factor(uplo, A, T, expected == 0 ? A.n : expected - 1);
    array_free(T);
}

/* Solves with random right-hand sides B on the grid, X in Y, and by LAPACK, X in Z. */
static void check_posv(struct array A, char uplo)
{
    struct array B = array_new_random(dtype, A.n, NB + 1, 0), Y = array_copy(B), Z = array_copy(B);
    struct array F = array_copy(A);
    startile_matrix *grid_A = scatter(A, NB, NB), *grid_B = scatter(B, NB, NB);
    require_info(agreed(startile_posv(uplo, grid_A, grid_B)), 0);
    startile_matrix_destroy(grid_A);
    gather(grid_B, Y);
    require(lapack(A)->potrf(uplo, F) == 0 && lapack(A)->potrs(uplo, F, Z) == 0);
    if (rank == 0)
        check_solution(A, Y, Z, B);
    arrays_free(B, Y, Z, F);
}

/* Returns the info of LAPACK's xPOTRF for a copy of A. */
static int64_t lapack_potrf(struct array A, char uplo)
{
    struct array F = array_copy(A);
    int64_t info = lapack(A)->potrf(uplo, F);
    array_free(F);
    return info;
}

/* Tests positive definite matrices, for which info is LAPACK's. */
static void test_definite(char uplo)
{
    for (const struct generator *g = generators; g->name != NULL; g++) {
        in_case("potrf %c, %s", uplo, g->name);
        random_seed(5);
        struct array A = generate(g, dtype, N, 2);
        check_potrf(A, uplo, lapack_potrf(A, uplo));
        check_posv(A, uplo);
        array_free(A);
    }
    in_case("potrf %c, Hilbert's matrix", uplo);
    struct array A = generate(&hilbert, dtype, is_single(dtype) ? 5 : 11, 0);
    check_potrf(A, uplo, 0);
    array_free(A);
}

/* Tests matrices whose first leading minor that is not positive has order k and is zero or
 * negative. k goes through all diagonal tiles. */
static void test_minors(char uplo)
{
    for (int64_t k = 1; k <= N; k += NB - 1) {
        in_case("potrf %c, minor of order %d", uplo, (int)k);
        struct array A = known_minor(dtype, N, 0, k, k % 2 == 0 ? -2 : 0);
        check_potrf(A, uplo, k);
        array_free(A);
    }
}

/* Tests an element `value` at (i, j) and (j, i). */
static void check_potrf_of(double value, char uplo, int64_t i, int64_t j)
{
    in_case("potrf %c, %g at (%d, %d)", uplo, value, (int)i, (int)j);
    random_seed(6);
    struct array A = generate(&well_conditioned, dtype, N, 0);
    set(A, i, j, value);
    set(A, j, i, value);
    struct array T = array_copy(A);
    check_potrf(A, uplo, textbook_potrf(T));
    arrays_free(A, T);
}

/* Tests an element `value` (NaN or infinity) below the diagonal in column j, and −value on the
 * diagonal: +∞ is a valid pivot. Columns j are in the first two block columns. */
static void test_potrf_of(double value, char uplo)
{
    for (int64_t j = 0; j < 2 * NB; j += NB + 3) {
        check_potrf_of(value, uplo, 2 * NB + 1, j);
        check_potrf_of(-value, uplo, j, j);
    }
}

/* -- LU ---------------------------------------------------------------------------------------- */

/* Factors a copy of A on the grid. The factors F are on the first process, ipiv and info on all. */
static struct lu factor(struct array A, enum pivoting pivoting)
{
    int64_t k = min(A.m, A.n);
    struct lu f = {array_copy(A), pivots_new(k), 0};
    startile_matrix *grid_A = scatter(A, NB, NB);
    startile_pivots *P = NULL;
    require(startile_pivots_create(&P, grid_A) == 0);
    f.info =
        agreed(pivoting == PARTIAL ? startile_getrf(grid_A, P) : startile_getrf_tntpiv(grid_A, P));
    require(startile_pivots_to_lapack(P, f.ipiv) == 0);
    startile_pivots_destroy(P);
    gather(grid_A, f.F);
    return f;
}

/* Checks the LU factorization of an m × n matrix. Tournament pivoting has other pivots than LAPACK,
 * so its residual (times = INFINITY) and pivots are not compared with LAPACK's. */
static void check_getrf(const struct general *g, int64_t m, int64_t n, enum pivoting pivoting)
{
    in_case("%s, %s, %d × %d", pivoting_names[pivoting], g->name, (int)m, (int)n);
    random_seed(7);
    struct array A = generate_general(g, dtype, m, n, 3);
    struct lu f = factor(A, pivoting), l = lapack_lu(A);
    /* Hilbert's matrix is singular to working precision: with the pivots of the tournament, which
     * differ from LAPACK's, a pivot may be rounded to zero */
    bool may_have_zero_pivot = pivoting == TOURNAMENT && strcmp(g->name, "hilbert") == 0;
    if (f.info == 0 || !may_have_zero_pivot)
        require_info(f.info, l.info);
    if (rank == 0 && f.info == l.info)
        check_lu_against(A, f, l, pivoting == PARTIAL ? 2 : INFINITY);
    if (rank == 0 && pivoting == PARTIAL && g->has_clear_pivots)
        check_pivots_match(f, l);
    lu_free(f);
    lu_free(l);
    array_free(A);
}

static void test_general(enum pivoting pivoting)
{
    for (const struct general *g = generals; g->name != NULL; g++) {
        check_getrf(g, N, N, pivoting);
        check_getrf(g, 2 * N, N - NB, pivoting);
    }
}

/* Tests zero pivots in matrices whose factors are known to the last bit. */
static void test_zero_pivots(void)
{
    for (int64_t k = 1; k <= N; k += NB - 1) {
        in_case("getrf, U(%d,%d) = 0", (int)k, (int)k);
        random_seed(8);
        struct known_lu K = known_lu(dtype, N, N, 0, (const int64_t[]){k, N}, 2, true);
        struct lu f = factor(K.A, PARTIAL);
        require_info(f.info, K.info);
        if (rank == 0)
            check_known(K, f);
        lu_free(f);
        known_lu_free(K);
    }
}

/* Tests an element `value` (NaN or infinity) in column j: info is LAPACK's, the columns left of
 * column j have the factors of the matrix without the element, and the others have elements that
 * are not finite. */
static void test_getrf_of(double value)
{
    for (int64_t j = 0; j < 2 * NB; j += NB + 3) {
        in_case("getrf, %g in column %d", value, (int)j);
        random_seed(9);
        struct array A = generate_general(&random_general, dtype, N, N, 0);
        set(A, 2 * NB + 1, j, value);
        struct lu f = factor(A, PARTIAL), l = lapack_lu(A);
        require_info(f.info, l.info);
        if (rank == 0) {
            check_part(A, N, j, f, 2);
            require(!is_finite(array_part(f.F, 0, j, N, N - j)));
        }
        lu_free(f);
        lu_free(l);
        array_free(A);
    }
}

/* -- least squares ----------------------------------------------------------------------------- */

/* B := the least-squares or minimum-norm solution X of op(A) X = B. Returns info. */
static int64_t solve(char trans, struct array A, struct array B)
{
    startile_matrix *grid_A = scatter(A, NB, NB), *grid_B = scatter(B, NB, NB);
    int64_t info = agreed(startile_gels(trans, grid_A, grid_B));
    startile_matrix_destroy(grid_A);
    gather(grid_B, B);
    return info;
}

/* Checks the least-squares or minimum-norm solution for a random B against LAPACK's residual. */
static void check_gels(const struct general *g, int64_t m, int64_t n, char trans)
{
    in_case("gels %c, %s, %d × %d", trans, g->name, (int)m, (int)n);
    random_seed(10);
    bool is_untransposed = trans == 'N';
    int64_t rows = is_untransposed ? m : n, columns = is_untransposed ? n : m, max_mn = max(m, n);
    struct array A = generate_general(g, dtype, m, n, 1), F = array_copy(A);
    struct array B = array_new_random(dtype, max_mn, 3, 0), Y = array_copy(B), Z = array_copy(B);
    require_info(solve(trans, A, Y), lapack(A)->gels(trans, F, Z));
    if (rank == 0) {
        struct array ours = array_part(Y, 0, 0, columns, 3),
                     theirs = array_part(Z, 0, 0, columns, 3);
        struct array rhs = array_new_rows(B, rows);
        double (*residual)(char, struct array, struct array, struct array) =
            rows > columns ? qrt17 : qrt16;
        check_residual(residual(trans, A, ours, rhs), residual(trans, A, theirs, rhs), 4,
                       roundings(max_mn), 1 / (double)max_mn);
        array_free(rhs);
    }
    arrays_free(A, F, B, Y, Z);
}

/* Tests matrices of full rank that are tall, wide, transposed and nearly singular. */
static void test_least_squares(void)
{
    char conjugate = dtype >= STARTILE_C ? 'C' : 'T';
    for (const struct general *g = full_rank; g->name != NULL; g++) {
        check_gels(g, N + NB, N, 'N');
        check_gels(g, 2 * N, N - NB, 'N');
        check_gels(g, N, N + NB, 'N');
        check_gels(g, N + NB, N, conjugate);
    }
    check_gels(&nearly_singular, N, N, 'N');
}

/* Tests a matrix whose column k, from 1, is zero: R(k,k) is exactly 0, so that info is k. */
static void test_gels_zero_column(void)
{
    for (int64_t k = 1; k <= N; k += NB - 1) {
        in_case("gels, column %d is zero", (int)k);
        random_seed(11);
        struct array A = array_new_random(dtype, N + NB, N, 0);
        struct array B = array_new_random(dtype, N + NB, 2, 0), F = array_copy(A);
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, k - 1, 0);
        array_assign(A, F);
        struct array Z = array_copy(B);
        int64_t info = solve('N', A, B);
        require_info(info, k);
        require_info(info, lapack(A)->gels('N', F, Z));
        arrays_free(A, B, F, Z);
    }
}

/* Tests an element `value` (NaN or infinity): info is LAPACK's, and X has a NaN if and only if
 * LAPACK's X has one. */
static void test_gels_of(double value)
{
    in_case("gels, an element %g", value);
    random_seed(12);
    struct array A = array_new_random(dtype, N + NB, N, 0);
    struct array B = array_new_random(dtype, N + NB, 2, 0), Z = array_copy(B);
    set(A, NB + 1, NB + 2, value);
    struct array F = array_copy(A);
    require_info(solve('N', A, B), lapack(A)->gels('N', F, Z));
    if (rank == 0)
        require(has_nan(array_part(B, 0, 0, N, 2), 'G') == has_nan(array_part(Z, 0, 0, N, 2), 'G'));
    arrays_free(A, B, F, Z);
}

int main(int argc, char **argv)
{
    grid_program_begin(argc, argv);
    for (const char *uplo = "LU"; *uplo != '\0'; uplo++) {
        test_definite(*uplo);
        test_minors(*uplo);
        test_potrf_of(NAN, *uplo);
        test_potrf_of(INFINITY, *uplo);
    }
    test_general(PARTIAL);
    test_general(TOURNAMENT);
    test_zero_pivots();
    test_getrf_of(NAN);
    test_getrf_of(INFINITY);
    test_least_squares();
    test_gels_zero_column();
    test_gels_of(NAN);
    test_gels_of(INFINITY);
    return grid_program_end();
}
