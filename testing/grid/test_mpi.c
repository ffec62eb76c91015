/*
 * Tests of distributed matrices: mpirun -n P test_mpi BACKEND TYPE p q [GROUP], where P = p q and
 * GROUP adjacent block columns have the same owners. Most
 * routines run on distributed matrices and on local ones with the same elements; the tiles that
 * this process owns must agree. `test_mpi level` tests an MPI with too low a thread level, and
 * `test_mpi BACKEND TYPE symmetric r` a symmetric grid of order r.
 */
#include "check.h"
#include "objects.h"
#include "startile_mixed.h"
#include "startile_testing.h"
#include "triangles.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <starpu.h>
#include <startile_mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static startile_grid *grid;
static bool is_symmetric; /* grid is a symmetric one */
static int group = 1;     /* adjacent block columns with the same owners */
static int rank, failures;

/* Counts and prints a failure if the two differ; `what` names the value. The test continues. */
static void expect(int64_t found, int64_t expected, const char *what)
{
    if (found == expected)
        return;
    fprintf(stderr, "rank %d: %s: %lld instead of %lld\n", rank, what, (long long)found,
            (long long)expected);
    failures++;
}

/* Returns whether no process has counted a failure. Collective, so that all processes skip the same
 * tests. */
static bool none_failed(void)
{
    int most = failures;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most == 0;
}

/* Replaces MPI's function: each node has two processes, though all run on one host. The library
 * asks it which processes share a node. */
__attribute__((visibility("default"))) int MPI_Comm_split_type(MPI_Comm all, int type, int key,
                                                               MPI_Info info, MPI_Comm *node)
{
    int number;
    (void)type, (void)info;
    MPI_Comm_rank(all, &number);
    return MPI_Comm_split(all, number / 2, key, node);
}

/* A distributed matrix, `shared`, and a local matrix with the same elements. */
struct pair {
    startile_matrix *shared, *local;
};

/* Returns two m × n matrices of mb × nb tiles with the elements of startile_random(kind, …, bump).
 * Pairs with equal m, n, kind and bump have equal elements, whatever their tiles are. */
static struct pair new_pair_mb_nb(int64_t m, int64_t n, int64_t mb, int64_t nb, char kind,
                                  double bump)
{
    struct pair x;
    expect(startile_matrix_create_distributed(&x.shared, dtype, m, n, mb, nb, grid), 0, "create");
    expect(startile_matrix_create(&x.local, dtype, m, n, mb, nb), 0, "create local");
    expect(startile_random(kind, 7 + (uint64_t)n, bump, x.shared), 0, "random");
    expect(startile_random(kind, 7 + (uint64_t)n, bump, x.local), 0, "random local");
    return x;
}

/* Returns a pair with square tiles. */
static struct pair new_pair(int64_t m, int64_t n, int64_t nb, char kind, double bump)
{
    return new_pair_mb_nb(m, n, nb, nb, kind, bump);
}

static void free_pair(struct pair x)
{
    matrices_destroy(x.shared, x.local);
}

/* Returns number i, from 0, of an array of real numbers; a complex element is two of them. */
static double real_at(const char *p, int64_t i)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    return is_single ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

/* Returns the largest |a − b| / (1 + |b|) for the real and imaginary parts a of the distributed
 * matrix and b of the local one, in this process' tiles, in the triangle uplo or everywhere ('G');
 * NaN if one of them is NaN. */
static double difference(struct pair x, char uplo)
{
    startile_shape s = startile_matrix_shape(x.shared);
    static const size_t size[] = {4, 8, 8, 16};
    int parts = dtype >= STARTILE_C ? 2 : 1;
    double worst = 0;
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++) {
            if (startile_matrix_owner(x.shared, i, j) != rank ||
                (uplo == 'L' ? i < j : uplo == 'U' && i > j))
                continue;
            starpu_data_handle_t h[2] = {startile_matrix_handle(x.shared, i, j),
                                         startile_matrix_handle(x.local, i, j)};
            starpu_data_acquire(h[0], STARPU_R);
            starpu_data_acquire(h[1], STARPU_R);
            const char *p[2] = {starpu_data_get_local_ptr(h[0]), starpu_data_get_local_ptr(h[1])};
            size_t ld[2] = {starpu_matrix_get_local_ld(h[0]), starpu_matrix_get_local_ld(h[1])};
            int64_t m = starpu_matrix_get_nx(h[0]), n = starpu_matrix_get_ny(h[0]);
            for (int64_t c = 0; c < n; c++)
                for (int64_t r = 0; r < m * parts; r++) {
                    int64_t row = r / parts;
                    if (i == j && (uplo == 'L' ? row < c : uplo == 'U' && row > c))
                        continue;
                    double a = real_at(p[0] + (size_t)c * ld[0] * size[dtype], r);
                    double b = real_at(p[1] + (size_t)c * ld[1] * size[dtype], r);
                    double d = fabs(a - b) / (1 + fabs(b));
                    if (d > worst || isnan(d))
                        worst = d;
                }
            starpu_data_release(h[0]);
            starpu_data_release(h[1]);
        }
    return worst;
}

/* Expects difference(x, uplo) <= tolerance, which is false for NaN. */
static void expect_near(struct pair x, char uplo, double tolerance, const char *what)
{
    double d = difference(x, uplo);
    if (d <= tolerance)
        return;
    fprintf(stderr, "rank %d: %s differs by %g\n", rank, what, d);
    failures++;
}

/* Expects the matrices to be equal up to rounding errors. */
static void expect_same(struct pair x, char uplo, const char *what)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    expect_near(x, uplo, is_single ? 1e-4 : 1e-12, what);
}

/* Returns the result of gecon for the factors F or, with uplo 'L' or 'U', of pocon. The norm is
 * that of F, because only equal results on grids and without one are required; it is computed in
 * the same request. */
static double rcond_of(char uplo, const startile_matrix *F)
{
    double rcond = -1, norm = -1;
    startile_request *r;
    expect(startile_request_create(&r), 0, "request");
    expect(startile_lange_async('1', F, &norm, r), 0, "lange");
    expect(uplo == 'G' ? startile_gecon_async('1', F, &norm, &rcond, r)
                       : startile_pocon_async(uplo, F, &norm, &rcond, r),
           0, "gecon or pocon");
    expect(startile_request_wait(r), 0, "gecon or pocon");
    startile_request_destroy(r);
    return rcond;
}

/* Tests Cholesky's routines against those on a local matrix. */
static void test_cholesky(int64_t n, int64_t nb, char uplo)
{
    struct pair A = new_pair(n, n, nb, 'H', (double)n), B = new_pair(n, 3 * nb / 2, nb, 'G', 0);
    expect(startile_potrf(uplo, A.shared), startile_potrf(uplo, A.local), "potrf");
    expect_same(A, uplo, "potrf");
    expect(startile_potrs(uplo, A.shared, B.shared), startile_potrs(uplo, A.local, B.local),
           "potrs");
    expect_same(B, 'G', "potrs");
    double norm[2] = {-1, -1};
    expect(startile_lansy('1', uplo, A.shared, &norm[0]), 0, "lansy");
    expect(startile_lansy('1', uplo, A.local, &norm[1]), 0, "lansy");
    expect(fabs(norm[0] - norm[1]) <= 1e-5 * norm[1], 1, "lansy agrees with the local norm");
    double rcond[2] = {rcond_of(uplo, A.shared), rcond_of(uplo, A.local)};
    expect(fabs(rcond[0] - rcond[1]) <= 1e-3 * rcond[1], 1, "pocon agrees with the local rcond");
    expect(startile_potri(uplo, A.shared), startile_potri(uplo, A.local), "potri");
    expect_same(A, uplo, "potri");
    free_pair(A);
    free_pair(B);
}

/* Tests an update of a Cholesky factor and a downdate by V, with k columns in tiles of width
 * nb_of_v, and a downdate by a large V, whose info all processes return and which leaves the factor
 * unchanged. */
static void test_update(int64_t n, int64_t k, int64_t nb, int64_t nb_of_v, char uplo)
{
    struct pair A = new_pair(n, n, nb, 'H', 2 * (double)n);
    struct pair V = new_pair_mb_nb(n, k, nb, nb_of_v, 'G', 0),
                large = new_pair_mb_nb(n, k, nb, nb_of_v, 'G', 100);
    expect(startile_potrf(uplo, A.shared), startile_potrf(uplo, A.local), "potrf");
    expect(startile_potrf_update(uplo, A.shared, V.shared), 0, "potrf_update");
    expect(startile_potrf_update(uplo, A.local, V.local), 0, "potrf_update");
    expect_same(A, uplo, "potrf_update");
    expect_same(V, 'G', "potrf_update's V");
    expect(startile_potrf_downdate(uplo, A.shared, V.shared), 0, "potrf_downdate");
    expect(startile_potrf_downdate(uplo, A.local, V.local), 0, "potrf_downdate");
    expect_same(A, uplo, "potrf_downdate");
    int64_t info = startile_potrf_downdate(uplo, A.local, large.local);
    expect(info > 0, 1, "info of a downdate by a large matrix is positive");
    expect(startile_potrf_downdate(uplo, A.shared, large.shared), info, "failing potrf_downdate");
    expect_same(A, uplo, "failing potrf_downdate");
    expect(startile_potrf_update(uplo, A.shared, V.local), -3, "update by a local matrix");
    free_pair(A);
    free_pair(V);
    free_pair(large);
}

/* Tests that all processes return the info of a matrix that is not positive definite, and that B
 * then equals the local B. */
static void test_info(int64_t n, int64_t nb, double bump)
{
    struct pair A = new_pair(n, n, nb, 'H', bump), B = new_pair(n, nb, nb, 'G', 0);
    int64_t info = startile_posv('L', A.local, B.local);
    expect(startile_posv('L', A.shared, B.shared), info, "posv");
    expect(info > 0, 1, "info > 0");
    expect_same(B, 'G', "B after posv");
    free_pair(A);
    free_pair(B);
}

/* Tests products, a triangular solve and norms: A is m × k, B k × n, C m × n, D m × m. */
static void test_products(int64_t m, int64_t n, int64_t k, int64_t nb)
{
    struct pair A = new_pair(m, k, nb, 'G', 0), B = new_pair(k, n, nb, 'G', 0);
    struct pair C = new_pair(m, n, nb, 'G', 0), D = new_pair(m, m, nb, 'H', 3 * (double)m);
    double norm[2];
    expect(startile_gemm('N', 'N', 2, A.shared, B.shared, -1, C.shared), 0, "gemm");
    expect(startile_gemm('N', 'N', 2, A.local, B.local, -1, C.local), 0, "gemm");
    expect_same(C, 'G', "gemm");
    expect(startile_herk('L', 'N', 2, A.shared, 1, D.shared), 0, "herk");
    expect(startile_herk('L', 'N', 2, A.local, 1, D.local), 0, "herk");
    expect_same(D, 'L', "herk");
    expect(startile_trsm('L', 'L', 'N', 'N', 1, D.shared, C.shared), 0, "trsm");
    expect(startile_trsm('L', 'L', 'N', 'N', 1, D.local, C.local), 0, "trsm");
    expect_same(C, 'G', "trsm");
    expect(startile_trmm('L', 'U', 'C', 'N', 0.5, D.shared, C.shared), 0, "trmm");
    expect(startile_trmm('L', 'U', 'C', 'N', 0.5, D.local, C.local), 0, "trmm");
    expect_same(C, 'G', "trmm");
    struct pair E = new_pair(m, n, nb, 'G', 0);
    expect(startile_hemm('L', 'L', 1, D.shared, C.shared, 1, E.shared), 0, "hemm");
    expect(startile_hemm('L', 'L', 1, D.local, C.local, 1, E.local), 0, "hemm");
    expect_near(E, 'G', 1000 * (double)(m * m) * unit_roundoff(dtype), "hemm");
    free_pair(E);
    for (const char *kind = "M1IF"; *kind != '\0'; kind++) {
        expect(startile_lange(*kind, C.shared, &norm[0]), 0, "lange");
        expect(startile_lange(*kind, C.local, &norm[1]), 0, "lange");
        expect(fabs(norm[0] - norm[1]) <= 1e-4 * norm[1], 1, "lange agrees with the local norm");
    }
    expect(startile_lacpy('G', C.shared, C.shared), -3, "lacpy on itself");
    expect(startile_gemm('N', 'N', 1, A.local, B.shared, 0, C.shared), -5, "mixed gemm");
    free_pair(A);
    free_pair(B);
    free_pair(C);
    free_pair(D);
}

/* Tests gesv with one step of refinement, gecon and getri. P[0] belongs to the distributed matrix,
 * P[1] to the local one. */
static void test_lu(int64_t n, int64_t mb, int64_t nb)
{
    struct pair A = new_pair_mb_nb(n, n, mb, nb, 'G', 0), B = new_pair_mb_nb(n, nb, mb, nb, 'G', 0);
    startile_pivots *P[2];
    int64_t ipiv[2][512];
    expect(startile_pivots_create(&P[0], A.shared), 0, "pivots");
    expect(startile_pivots_create(&P[1], A.local), 0, "pivots");
    expect(startile_gesv(A.shared, P[0], B.shared, 1), startile_gesv(A.local, P[1], B.local, 1),
           "gesv");
    for (int i = 0; i < 2; i++)
        expect(startile_pivots_to_lapack(P[i], ipiv[i]), 0, "pivots");
    expect(memcmp(ipiv[0], ipiv[1], (size_t)n * sizeof(int64_t)), 0,
           "memcmp of ipiv and the local one");
    expect_same(A, 'G', "gesv's A");
    double rcond[2] = {rcond_of('G', A.shared), rcond_of('G', A.local)};
    expect(fabs(rcond[0] - rcond[1]) <= 1e-2 * rcond[1], 1, "gecon agrees with the local rcond");
    /* anorm is 1, so 1 / rcond is about ‖A^-1‖; rounding errors of X and of A^-1 grow with it */
    double tolerance = 32 * unit_roundoff(dtype) / rcond[1];
    expect_near(B, 'G', tolerance, "gesv's B");
    startile_complex sign[2] = {7, 8};
    double logabsdet[2] = {7, 8};
    expect(startile_gedet(A.shared, P[0], &sign[0], &logabsdet[0]), 0, "gedet");
    expect(startile_gedet(A.local, P[1], &sign[1], &logabsdet[1]), 0, "gedet");
    expect(cabs(sign[0] - sign[1]) <= 1e4 * unit_roundoff(dtype), 1, "sign is the local one");
    expect(fabs(logabsdet[0] - logabsdet[1]) <= 1e4 * unit_roundoff(dtype), 1,
           "logabsdet is the local one");
    expect(startile_getri(A.shared, P[0]), startile_getri(A.local, P[1]), "getri");
    expect_near(A, 'G', tolerance, "getri");
    startile_pivots_destroy(P[0]);
    startile_pivots_destroy(P[1]);
    free_pair(A);
    free_pair(B);
}

/* Sets column `column`, from 0, of A to zero; −1: changes nothing. */
static void clear_column(startile_matrix *A, int64_t column)
{
    startile_shape s = startile_matrix_shape(A);
    static const size_t size[] = {4, 8, 8, 16};
    bool is_local = startile_matrix_grid(A) == NULL;
    for (int64_t i = 0; i < s.mt && column >= 0; i++) {
        if (!is_local && startile_matrix_owner(A, i, column / s.nb) != rank)
            continue;
        starpu_data_handle_t h = startile_matrix_handle(A, i, column / s.nb);
        starpu_data_acquire(h, STARPU_RW);
        char *p = starpu_data_get_local_ptr(h);
        memset(p + (size_t)(column % s.nb) * starpu_matrix_get_local_ld(h) * size[dtype], 0,
               starpu_matrix_get_nx(h) * size[dtype]);
        starpu_data_release(h);
    }
}

/* Tests that pivots and factors agree with those of a local matrix. Column `zero`, from 0, of the
 * matrix is zero, so that info is zero + 1; −1: no column is zero, and info is 0. */
static void test_getrf(int64_t m, int64_t n, int64_t mb, int64_t nb, int64_t zero)
{
    struct pair A = new_pair_mb_nb(m, n, mb, nb, 'G', 0);
    startile_pivots *P[2];
    int64_t ipiv[2][512], count = m < n ? m : n;
    clear_column(A.shared, zero);
    clear_column(A.local, zero);
    expect(startile_pivots_create(&P[0], A.shared), 0, "pivots");
    expect(startile_pivots_create(&P[1], A.local), 0, "pivots");
    expect(startile_getrf(A.shared, P[0]), zero < count ? zero + 1 : 0, "getrf");
    expect(startile_getrf(A.local, P[1]), zero < count ? zero + 1 : 0, "getrf");
    for (int i = 0; i < 2; i++) {
        expect(startile_pivots_to_lapack(P[i], ipiv[i]), 0, "pivots");
        startile_pivots_destroy(P[i]);
    }
    expect(memcmp(ipiv[0], ipiv[1], (size_t)count * sizeof(int64_t)), 0,
           "memcmp of ipiv and the local one");
    expect_same(A, 'G', "getrf");
    free_pair(A);
}

/* Tests odd sizes, processes without rows or columns, zero columns, and tiles with mb = 2 nb, which
 * hold two diagonal blocks. */
static void test_getrf_shapes(void)
{
    /* m, n, mb, nb */
    static const int64_t size[][4] = {{41, 41, 8, 8},  {41, 19, 8, 8}, {19, 41, 8, 8},
                                      {97, 90, 8, 8},  {9, 9, 8, 8},   {5, 5, 8, 8},
                                      {37, 30, 12, 6}, {3, 2, 1, 1}};
    for (size_t s = 0; s < sizeof size / sizeof *size && none_failed(); s++) {
        int64_t m = size[s][0], n = size[s][1], mb = size[s][2], nb = size[s][3];
        test_getrf(m, n, mb, nb, -1);
        if (s % 2 == 0)
            test_getrf(m, n, mb, nb, (m < n ? m : n) - 1);
    }
    for (int64_t zero = 0; zero < 40 && none_failed(); zero += 8) /* the last column: above */
        test_getrf(41, 41, 8, 8, zero);
}

/* Solves A X = B by tournament pivoting. The pivots depend on the grid, so only ‖B − A X‖ ≤ 30 n
 * eps ‖A‖ ‖X‖ is required, in the norm 'M'. F is a copy of A; X is one of B until getrs solves.
 * Then factors a zero matrix. */
static void test_tournament(int64_t n, int64_t mb, int64_t nb)
{
    struct pair A = new_pair_mb_nb(n, n, mb, nb, 'G', 0), F = new_pair_mb_nb(n, n, mb, nb, 'G', 0);
    struct pair B = new_pair_mb_nb(n, nb, mb, nb, 'G', 0),
                X = new_pair_mb_nb(n, nb, mb, nb, 'G', 0);
    double norm[3], eps = dtype == STARTILE_S || dtype == STARTILE_C ? 6e-8 : 1.2e-16;
    startile_pivots *P;
    expect(startile_pivots_create(&P, F.shared), 0, "pivots");
    expect(startile_getrf_tntpiv(F.shared, P), 0, "getrf_tntpiv");
    expect(startile_getrs('N', F.shared, P, X.shared), 0, "getrs");
    startile_lange('M', A.shared, &norm[0]);
    startile_lange('M', X.shared, &norm[1]);
    expect(startile_gemm('N', 'N', -1, A.shared, X.shared, 1, B.shared), 0, "gemm");
    startile_lange('M', B.shared, &norm[2]);
    expect(norm[2] <= 30 * eps * (double)n * norm[0] * norm[1], 1,
           "residual of getrf_tntpiv is small");
    startile_laset('G', 0, 0, F.shared);
    expect(startile_getrf_tntpiv(F.shared, P), 1, "getrf_tntpiv of zeros");
    startile_pivots_destroy(P);
    free_pair(A);
    free_pair(B);
    free_pair(F);
    free_pair(X);
}

/* Factors a diagonally dominant matrix, then one with column n / 2 zero, which needs m >= n. */
static void test_getrf_nopiv(int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    struct pair A = new_pair_mb_nb(m, n, mb, nb, 'G', (double)(m + n));
    expect(startile_getrf_nopiv(A.shared), 0, "getrf_nopiv");
    expect(startile_getrf_nopiv(A.local), 0, "getrf_nopiv");
    expect_same(A, 'G', "getrf_nopiv");
    clear_column(A.shared, n / 2);
    clear_column(A.local, n / 2);
    if (m >= n)
        expect(startile_getrf_nopiv(A.shared), startile_getrf_nopiv(A.local), "zero pivot");
    free_pair(A);
}

/* Solves with the factors of a diagonally dominant matrix, and with other pivots than its own,
 * which interchange many rows. */
static void test_getrs(int64_t n, int64_t mb, int64_t nb, int64_t columns)
{
    struct pair A = new_pair_mb_nb(n, n, mb, nb, 'G', (double)(2 * n));
    startile_pivots *P[2];
    int64_t ipiv[512];
    expect(startile_pivots_create(&P[0], A.shared), 0, "pivots");
    expect(startile_pivots_create(&P[1], A.local), 0, "pivots");
    expect(startile_getrf(A.shared, P[0]), 0, "getrf");
    expect(startile_getrf(A.local, P[1]), 0, "getrf");
    for (int64_t i = 0; i < n; i++)
        ipiv[i] = i + 1 + (7 * i * i + 3) % (n - i);
    for (int i = 0; i < 2; i++)
        expect(startile_pivots_from_lapack(P[i], ipiv), 0, "pivots");
    for (const char *trans = dtype < STARTILE_C ? "NT" : "NTC"; *trans != '\0'; trans++) {
        struct pair B = new_pair_mb_nb(n, columns, mb, nb, 'G', 0);
        expect(startile_getrs(*trans, A.shared, P[0], B.shared), 0, "getrs");
        expect(startile_getrs(*trans, A.local, P[1], B.local), 0, "getrs");
        expect_same(B, 'G', "getrs");
        expect(startile_getrs(*trans, A.shared, NULL, B.shared), 0, "getrs without pivots");
        expect(startile_getrs(*trans, A.local, NULL, B.local), 0, "getrs without pivots");
        expect_same(B, 'G', "getrs without pivots");
        free_pair(B);
    }
    startile_pivots_destroy(P[0]);
    startile_pivots_destroy(P[1]);
    free_pair(A);
}

/* Tests one panel and many, processes without rows, and tiles with mb = 2 nb, which hold two
 * diagonal blocks. */
static void test_lu_solves(void)
{
    /* n, mb, nb, columns of B */
    static const int64_t size[][4] = {{110, 16, 16, 40}, {91, 8, 8, 3}, {5, 8, 8, 1},
                                      {60, 12, 6, 20},   {9, 4, 4, 9},  {70, 70, 16, 20}};
    for (size_t s = 0; s < sizeof size / sizeof *size && none_failed(); s++) {
        test_getrs(size[s][0], size[s][1], size[s][2], size[s][3]);
        test_getrf_nopiv(size[s][0], size[s][0], size[s][1], size[s][2]);
    }
    test_getrf_nopiv(70, 43, 8, 8);
    test_getrf_nopiv(43, 70, 8, 8);
}

/* Tests that all processes return the index of a zero pivot, 1 for a zero matrix, and that B does
 * not change. */
static void test_zero_pivot(int64_t n, int64_t mb, int64_t nb)
{
    struct pair A = new_pair_mb_nb(n, n, mb, nb, 'G', 0), B = new_pair_mb_nb(n, nb, mb, nb, 'G', 0);
    startile_pivots *P[2];
    startile_laset('G', 0, 0, A.shared);
    startile_laset('G', 0, 0, A.local);
    expect(startile_pivots_create(&P[0], A.shared), 0, "pivots");
    expect(startile_pivots_create(&P[1], A.local), 0, "pivots");
    expect(startile_gesv(A.shared, P[0], B.shared, 0), 1, "gesv of zeros");
    expect_same(B, 'G', "B after gesv");
    expect(startile_getri(A.shared, P[0]), 1, "getri of zeros");
    startile_pivots_destroy(P[0]);
    startile_pivots_destroy(P[1]);
    free_pair(A);
    free_pair(B);
}

/* Expects the n scalar factors tau of two matrices of triangles to be equal up to rounding errors.
 */
static void expect_same_tau(struct pair T, int64_t n)
{
    char tau[2][16 * 512];
    int parts = dtype >= STARTILE_C ? 2 : 1;
    double worst = 0;
    expect(startile_reflectors_to_lapack(reflectors_of(T.shared), tau[0]), 0, "tau");
    expect(startile_reflectors_to_lapack(reflectors_of(T.local), tau[1]), 0, "tau");
    for (int64_t j = 0; j < n * parts; j++)
        worst = fmax(worst, fabs(real_at(tau[0], j) - real_at(tau[1], j)));
    expect(worst <= (dtype == STARTILE_S || dtype == STARTILE_C ? 1e-4 : 1e-12), 1,
           "tau agrees with the local one");
}

/* Tests geqrf, unmqr, ungqr and gels. A2 has the elements of A, which geqrf overwrites. */
static void test_qr(int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    struct pair A = new_pair_mb_nb(m, n, mb, nb, 'G', 0), C = new_pair_mb_nb(m, nb, mb, nb, 'G', 0),
                T = {NULL};
    struct pair A2 = new_pair_mb_nb(m, n, mb, nb, 'G', 0),
                B = new_pair_mb_nb(m, nb, mb, nb, 'G', 0);
    expect(new_triangles(&T.shared, A.shared), 0, "reflectors");
    expect(new_triangles(&T.local, A.local), 0, "reflectors");
    expect(startile_geqrf(A.shared, reflectors_of(T.shared)),
           startile_geqrf(A.local, reflectors_of(T.local)), "geqrf");
    expect_same(A, 'G', "geqrf");
    expect_same_tau(T, n);
    expect(startile_unmqr('L', 'C', A.shared, reflectors_of(T.shared), C.shared), 0, "unmqr");
    expect(startile_unmqr('L', 'C', A.local, reflectors_of(T.local), C.local), 0, "unmqr");
    expect_same(C, 'G', "unmqr");
    expect(startile_ungqr(A.shared, reflectors_of(T.shared)),
           startile_ungqr(A.local, reflectors_of(T.local)), "ungqr");
    expect_same(A, 'G', "ungqr");
    expect(startile_gels('N', A2.shared, B.shared), startile_gels('N', A2.local, B.local), "gels");
    expect_same(B, 'G', "gels");
    free_pair(A);
    free_pair(A2);
    free_pair(B);
    free_pair(C);
    free_pair(T);
}

/* Creates a matrix on grid g that has all elements of A ('G'), or A's upper triangle and zeros
 * below ('U'). */
static startile_matrix *copy_of(const startile_matrix *A, char uplo, startile_grid *g)
{
    startile_shape s = startile_matrix_shape(A);
    startile_matrix *B;
    expect(startile_matrix_create_distributed(&B, dtype, s.m, s.n, s.mb, s.nb, g), 0, "copy");
    expect(startile_laset('G', 0, 0, B), 0, "laset");
    expect(startile_lacpy(uplo, A, B), 0, "lacpy");
    return B;
}

/* Tests Q^H A = [R; 0] and Q Q^H C = C. On grids with several process rows the tree differs from
 * that of a local matrix, so only the Frobenius norms of both R are compared, without their
 * diagonals. In the pair QA both matrices are distributed: `local` is R above zeros. */
static void test_tree(int64_t m, int64_t n, int64_t mb, int64_t nb, startile_tree_kind kind)
{
    struct pair A = new_pair_mb_nb(m, n, mb, nb, 'G', 0), C = new_pair_mb_nb(m, nb, mb, nb, 'G', 0);
    struct pair QA = {.shared = copy_of(A.shared, 'G', grid)};
    startile_tree *tree[2];
    double norm[2];
    expect(startile_tree_create(&tree[0], A.shared, kind), 0, "tree");
    expect(startile_tree_create(&tree[1], A.local, kind), 0, "tree");
    expect(startile_geqrf_tree(A.shared, tree[0]), 0, "geqrf_tree");
    expect(startile_geqrf_tree(A.local, tree[1]), 0, "geqrf_tree");
    expect(startile_unmqr_tree('L', 'C', A.shared, tree[0], QA.shared), 0, "unmqr_tree");
    QA.local = copy_of(A.shared, 'U', grid);
    expect_same(QA, 'G', "Q^H A");
    expect(startile_unmqr_tree('L', 'C', A.shared, tree[0], C.shared), 0, "unmqr_tree");
    expect(startile_unmqr_tree('L', 'N', A.shared, tree[0], C.shared), 0, "unmqr_tree");
    expect_same(C, 'G', "Q Q^H C");
    for (int64_t i = 0; i < 2; i++) {
        startile_matrix *R = i == 0 ? A.shared : A.local;
        expect(startile_laset('L', 0, 0, R), 0, "laset");
        expect(startile_lange('F', R, &norm[i]), 0, "lange");
    }
    expect(fabs(norm[0] - norm[1]) <= 1e-4 * norm[1], 1, "norms of R agree");
    startile_tree_destroy(tree[0]);
    startile_tree_destroy(tree[1]);
    free_pair(A);
    free_pair(C);
    free_pair(QA);
}

/* Tests syrk, hegst, trtri, trtrs, lauum, gelqf, unmlq and unglq. */
static void test_other_routines(int64_t n, int64_t mb, int64_t nb)
{
    struct pair L = new_pair_mb_nb(n, n, nb, nb, 'H', (double)n);
    struct pair A = new_pair_mb_nb(nb, n, mb, nb, 'G', 0),
                C = new_pair_mb_nb(n, 20, nb, nb, 'G', 0), T = {NULL},
                H = new_pair_mb_nb(n, n, nb, nb, 'H', 0);
    expect(startile_syrk('U', 'N', 2, C.shared, 1, L.shared), 0, "syrk");
    expect(startile_syrk('U', 'N', 2, C.local, 1, L.local), 0, "syrk");
    expect_same(L, 'U', "syrk");
    for (int itype = 1; itype <= 2; itype++)
        for (int u = 0; u < 2; u++) {
            char uplo = "LU"[u];
            expect(startile_hegst(itype, uplo, H.shared, L.shared),
                   startile_hegst(itype, uplo, H.local, L.local), "hegst");
            expect_same(H, uplo, "hegst");
        }
    expect(startile_trtri('U', 'N', L.shared), startile_trtri('U', 'N', L.local), "trtri");
    expect_same(L, 'U', "trtri");
    expect(startile_trtrs('U', 'C', 'N', L.shared, C.shared),
           startile_trtrs('U', 'C', 'N', L.local, C.local), "trtrs");
    expect_same(C, 'G', "trtrs");
    expect(startile_lauum('U', L.shared), startile_lauum('U', L.local), "lauum");
    expect_same(L, 'U', "lauum");
    expect(new_triangles(&T.shared, A.shared), 0, "reflectors");
    expect(new_triangles(&T.local, A.local), 0, "reflectors");
    expect(startile_gelqf(A.shared, reflectors_of(T.shared)),
           startile_gelqf(A.local, reflectors_of(T.local)), "gelqf");
    expect_same(A, 'G', "gelqf");
    expect(startile_unmlq('L', 'N', A.shared, reflectors_of(T.shared), C.shared),
           startile_unmlq('L', 'N', A.local, reflectors_of(T.local), C.local), "unmlq");
    expect_same(C, 'G', "unmlq");
    expect(startile_unglq(A.shared, reflectors_of(T.shared)),
           startile_unglq(A.local, reflectors_of(T.local)), "unglq");
    expect_same(A, 'G', "unglq");
    free_pair(L);
    free_pair(A);
    free_pair(C);
    free_pair(T);
    free_pair(H);
}

/* -- copies between distributions -------------------------------------------------------------- */

/* Scatters a matrix from the first process, copies it to another grid and back, and gathers it. */
static void test_copies(int64_t m, int64_t n, int64_t nb, int p, int q)
{
    size_t size = (size_t)(m * n) * sizeof(double);
    double *a = rank == 0 ? malloc(size) : NULL, *b = rank == 0 ? malloc(size) : NULL;
    for (int64_t i = 0; i < m * n && rank == 0; i++)
        a[i] = (double)i, b[i] = -1;
    startile_grid *other_grid; /* q × p, column-major */
    startile_matrix *A, *B;
    expect(startile_grid_create(&other_grid, MPI_COMM_WORLD, q, p, 'C'), 0, "other grid");
    expect(startile_matrix_create_distributed(&A, STARTILE_D, m, n, nb, nb, grid), 0, "A");
    expect(startile_matrix_create_distributed(&B, STARTILE_D, m, n, nb, nb, other_grid), 0, "B");
    expect(startile_matrix_from_lapack(A, a, m), 0, "from_lapack");
    expect(startile_lacpy('G', A, B), 0, "lacpy to another grid");
    expect(startile_laset('G', 5, 5, A), 0, "laset");
    expect(startile_lacpy('G', B, A), 0, "lacpy back");
    expect(startile_matrix_to_lapack(A, b, m), 0, "to_lapack");
    expect(startile_gemm('N', 'C', 1, A, B, 0, A), -5, "gemm on two grids");
    if (rank == 0)
        expect(memcmp(a, b, size), 0, "memcmp of elements after scatter, copies and gather");
    matrices_destroy(A, B);
    expect(startile_grid_destroy(other_grid), 0, "other grid");
    free(a);
    free(b);
}

/* Tiles of mb × nb on a grid. */
struct distribution {
    const char *name;
    startile_grid *grid;
    int64_t mb, nb;
};

/* Copies a random matrix, or its triangle uplo, to a matrix of another distribution. The random
 * elements do not depend on the tiles, so the copy must equal a local one. */
static void check_redistribution(char uplo, int64_t m, int64_t n, struct distribution from,
                                 struct distribution to)
{
    startile_matrix *A, *local_A;
    struct pair B;
    char what[80];
    snprintf(what, sizeof what, "lacpy %c from %s to %s", uplo, from.name, to.name);
    expect(startile_matrix_create_distributed(&A, dtype, m, n, from.mb, from.nb, from.grid), 0,
           "A");
    expect(startile_matrix_create_distributed(&B.shared, dtype, m, n, to.mb, to.nb, to.grid), 0,
           "B");
    expect(startile_matrix_create(&local_A, dtype, m, n, to.mb, to.nb), 0, "A local");
    expect(startile_matrix_create(&B.local, dtype, m, n, to.mb, to.nb), 0, "B local");
    expect(startile_random('G', 3, 0, A), 0, "random");
    expect(startile_random('G', 3, 0, local_A), 0, "random");
    expect(startile_laset('G', 5, 7, B.shared), 0, "laset");
    expect(startile_laset('G', 5, 7, B.local), 0, "laset");
    expect(startile_lacpy(uplo, A, B.shared), 0, what);
    expect(startile_lacpy(uplo, local_A, B.local), 0, "lacpy");
    expect_same(B, 'G', what);
    matrices_destroy(A, local_A);
    free_pair(B);
}

/* Tests copies between all pairs of six distributions, on three grids and on the first process
 * alone, and of each triangle in one direction between them. */
static void test_redistribution(int64_t m, int64_t n, int processes)
{
    startile_grid *row_grid, *column_grid, *root = startile_grid_root(grid);
    expect(startile_grid_create(&row_grid, MPI_COMM_WORLD, 1, processes, 'R'), 0,
           "grid of one row");
    expect(startile_grid_create(&column_grid, MPI_COMM_WORLD, processes, 1, 'C'), 0,
           "grid of one column");
    const struct distribution all[] = {
        {"square tiles", grid, 16, 16},    {"large square tiles", grid, 64, 64},
        {"tall tiles", row_grid, m, 24},   {"wide tiles", column_grid, 10, 40},
        {"the first process", root, m, n}, {"tiles of the first process", root, 32, 20},
    };
    enum { ALL = sizeof all / sizeof all[0] };
    for (const char *uplo = "GLU"; *uplo != '\0'; uplo++)
        for (int from = 0; from < ALL; from++)
            for (int to = 0; to < ALL && none_failed(); to++)
                if (*uplo == 'G' || (*uplo == 'L' ? from < to : from > to))
                    check_redistribution(*uplo, m, n, all[from], all[to]);
    expect(startile_grid_destroy(row_grid), 0, "grid of one row");
    expect(startile_grid_destroy(column_grid), 0, "grid of one column");
}

/* -- ScaLAPACK's storage ---------------------------------------------------------------------- */

/* Returns how many of n rows (columns) in blocks of nb process `at` of `count` owns. (ScaLAPACK
 * NUMROC) */
static int64_t extent(int64_t n, int64_t nb, int64_t at, int64_t count)
{
    int64_t total = 0;
    for (int64_t k = at; k * nb < n; k += count)
        total += (k + 1) * nb <= n ? nb : n - k * nb;
    return total;
}

/* Factors an n × n matrix, n on the diagonal and 1 elsewhere, in wrapped storage. This process has
 * m × k of it. Column 0 of the factor must be in the caller's array afterwards, and the rows below
 * the matrix, m … lld − 1, must still be −7. */
static void test_wrapped(int64_t n, int64_t nb, int p, int q)
{
    int64_t row = rank / q, col = rank % q, width = group * nb;
    int64_t m = extent(n, nb, row, p), k = extent(n, width, col, q);
    int64_t lld = m + 3;
    double *a = malloc((size_t)(lld * (k + 1)) * sizeof *a);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < lld; i++) {
            /* global indices */
            int64_t gi = (i / nb * p + row) * nb + i % nb;
            int64_t gj = (j / width * q + col) * width + j % width;
            a[i + j * lld] = i >= m ? -7 : gi == gj ? (double)n : 1;
        }
    startile_matrix *A;
    expect(startile_matrix_wrap_local(&A, STARTILE_D, n, n, a, m - 1, nb, nb, grid), -6,
           "lld too small");
    expect(startile_matrix_wrap_local(&A, STARTILE_D, n, n, a, lld, nb, nb, grid), 0, "wrap");
    expect(startile_potrf('L', A), 0, "potrf of wrapped storage");
    startile_matrix_destroy(A);
    double worst = 0, d = (double)n, l = 0; /* column 0 of L: sqrt(n), then 1 / sqrt(n) */
    for (int64_t i = 0; i < m && col == 0; i++) {
        l = (i / nb * p + row) * nb + i % nb == 0 ? sqrt(d) : 1 / sqrt(d);
        worst = fmax(worst, fabs(a[i] - l));
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = m; i < lld; i++)
            worst = fmax(worst, fabs(a[i + j * lld] + 7));
    expect(worst <= 1e-12, 1, "column 0 of L is right, padding is unchanged");
    free(a);
}

/* -- accuracy of QR --------------------------------------------------------------------------- */

enum kind { HILBERT, ZERO_COLUMNS, HUGE_ELEMENTS, TINY_ELEMENTS, RANK_ONE, TRIANGULAR, KINDS };

/* Returns element (i, j) of a matrix that is difficult for Cholesky QR. */
static double difficult_element(enum kind kind, int64_t i, int64_t j)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    double element = sin(1.0 + (double)(3 * i * i + 7 * j + i * j)),
           huge = is_single ? 1e35 : 1e300;
    switch (kind) {
    case HILBERT:
        return 1 / (1.0 + (double)(i + j));
    case ZERO_COLUMNS:
        return j % 3 == 0 ? 0 : element;
    case HUGE_ELEMENTS:
        return huge * element;
    case TINY_ELEMENTS:
        return element / huge;
    case RANK_ONE:
        return cos((double)i) * (double)(1 + j);
    default:
        return i <= j ? 1 + element : 0;
    }
}

/* Fills this process' part of the matrix of the kind, m × n elements with leading dimension m, on a
 * p × q grid. Imaginary parts are half the real parts. */
static void fill_local(void *local, int64_t m, int64_t n, int64_t nb, int p, int q, enum kind kind)
{
    int parts = dtype >= STARTILE_C ? 2 : 1;
    int64_t width = group * nb;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            for (int part = 0; part < parts; part++) {
                int64_t gi = (i / nb * p + rank / q) * nb + i % nb;
                int64_t gj = (j / width * q + rank % q) * width + j % width;
                double x = part == 0 ? difficult_element(kind, gi, gj)
                                     : difficult_element(kind, gi, gj) / 2;
                if (dtype == STARTILE_S || dtype == STARTILE_C)
                    ((float *)local)[(i + j * m) * parts + part] = (float)x;
                else
                    ((double *)local)[(i + j * m) * parts + part] = x;
            }
}

/* Returns the 1-norm of X. */
static double norm_of(startile_matrix *X)
{
    double norm = NAN;
    expect(startile_lange('1', X, &norm), 0, "lange");
    return norm;
}

/* Copies all to the first process. Checks ‖A − Q R‖, the residual, and ‖I − Q^H Q‖, the departure
 * from orthogonality. R is the upper triangle of its argument, Q is square. */
static void check_qr(startile_matrix *A, startile_matrix *Q, startile_matrix *R, const char *what)
{
    startile_grid *root = startile_grid_root(grid);
    startile_matrix *E = copy_of(A, 'G', root), *U = copy_of(R, 'U', root);
    startile_matrix *V = copy_of(Q, 'G', root), *P = copy_of(Q, 'G', root);
    double eps = dtype == STARTILE_S || dtype == STARTILE_C ? 0x1p-23 : 0x1p-52;
    double norm = norm_of(E), m = (double)startile_matrix_shape(A).m;
    expect(startile_gemm('N', 'N', -1, V, U, 1, E), 0, "A - Q R");
    expect(startile_laset('G', 0, 1, P), 0, "I");
    expect(startile_gemm('C', 'N', 1, V, V, -1, P), 0, "Q^H Q - I");
    double residual = norm_of(E) / (norm * m * eps), departure = norm_of(P) / (m * eps);
    matrices_destroy(E, U, V, P);
    if (residual <= 10 && departure <= 10)
        return;
    fprintf(stderr, "rank %d: QR of %s: residual %g, departure %g\n", rank, what, residual,
            departure);
    failures++;
}

/* Checks the QR factorization of an m × n matrix in ScaLAPACK's storage on a p × q grid. */
static void test_accuracy(int64_t m, int64_t n, int64_t nb, int p, int q, enum kind kind)
{
    static const char *const names[] = {"a Hilbert matrix", "zero columns",    "huge elements",
                                        "tiny elements",    "a rank-1 matrix", "a triangle"};
    int64_t rows = extent(m, nb, rank / q, p), columns = extent(n, group * nb, rank % q, q);
    int64_t lld = rows > 0 ? rows : 1;
    void *a = calloc((size_t)(lld * columns + 1), 16);
    startile_matrix *A, *Q, *T = NULL;
    fill_local(a, rows, columns, nb, p, q, kind);
    expect(startile_matrix_wrap_local(&A, dtype, m, n, a, lld, nb, nb, grid), 0, "wrap");
    expect(startile_matrix_create_distributed(&Q, dtype, m, m, nb, nb, grid), 0, "Q");
    expect(new_triangles(&T, A), 0, "reflectors");
    startile_matrix *A0 = copy_of(A, 'G', grid);
    expect(startile_geqrf(A, reflectors_of(T)), 0, "geqrf");
    expect(startile_laset('G', 0, 1, Q), 0, "laset");
    expect(startile_unmqr('L', 'N', A, reflectors_of(T), Q), 0, "unmqr");
    check_qr(A0, Q, A, names[kind]);
    matrices_destroy(A, A0, Q, T);
    free(a);
}

/* Checks tall, square and wide matrices, and one of 3 × 2 tiles, of which some processes of larger
 * grids have none. */
static void test_qr_accuracy(int p, int q)
{
    static const int64_t shapes[][3] = {{110, 50, 16}, {65, 65, 16}, {40, 70, 16}, {5, 3, 2}};
    for (int kind = 0; kind < KINDS && none_failed(); kind++)
        test_accuracy(shapes[kind % 3][0], shapes[kind % 3][1], shapes[kind % 3][2], p, q,
                      (enum kind)kind);
    test_accuracy(shapes[3][0], shapes[3][1], shapes[3][2], p, q, HILBERT);
}

/* -- failures --------------------------------------------------------------------------------- */

/* Checks that a wrong argument on one process, or arguments that differ, are an error on all. */
static void test_disagreement(int processes)
{
    startile_matrix *A;
    expect(startile_matrix_create_distributed(&A, dtype, 40, 40, rank == 0 ? 0 : 8, 8, grid), -5,
           "mb = 0 on one process");
    expect(startile_matrix_wrap_local(&A, dtype, 40, 40, NULL, 40, 8, 0, grid), -8, "nb = 0");
    expect(startile_matrix_from_mpi_handles(&A, dtype, 40, 40, 0, 8, NULL, 5, grid), -5, "mb = 0");
    expect(startile_matrix_create_distributed(&A, dtype, 40, 40, 8, 8 + rank, grid),
           processes > 1 ? STARTILE_ERROR_MISMATCH : 0, "different nb");
    if (processes == 1)
        startile_matrix_destroy(A);
}

/* Checks that a request that one process cancels fails on all, and that a grid in use cannot be
 * destroyed. */
static void test_cancel(void)
{
    struct pair A = new_pair(200, 200, 16, 'H', 200);
    startile_request *r;
    expect(startile_request_create(&r), 0, "request");
    if (rank == 0)
        startile_request_cancel(r);
    expect(startile_potrf_async('L', A.shared, r), 0, "potrf");
    expect(startile_request_wait(r), STARTILE_ERROR_CANCELLED, "cancelled potrf");
    expect(startile_grid_destroy(grid), -1, "grid in use");
    startile_request_destroy(r);
    free_pair(A);
}

/* Checks that the tasks of a panel, which wait for each other, end on all processes when one
 * process cancels the request, and that tournament pivoting does, too. */
static void test_cancelled_getrf(int processes)
{
    struct pair A = new_pair(150, 150, 16, 'G', 0);
    startile_pivots *P;
    startile_request *r;
    expect(startile_pivots_create(&P, A.shared), 0, "pivots");
    expect(startile_request_create(&r), 0, "request");
    expect(startile_getrf_async(A.shared, P, r), 0, "getrf");
    if (rank == 0)
        startile_request_cancel(r);
    int64_t outcome = startile_request_wait(r); /* the cancellation may come too late */
    expect(outcome == 0 || outcome == STARTILE_ERROR_CANCELLED, 1, "cancelled getrf");
    startile_request_reset(r);
    if (rank == 0)
        startile_request_cancel(r);
    expect(startile_getrf_async(A.shared, P, r), 0, "getrf");
    expect(startile_request_wait(r), STARTILE_ERROR_CANCELLED, "getrf cancelled before");
    for (int process = 0; process < processes; process++) {
        /* the other processes receive candidates that this one has not selected */
        startile_request_reset(r);
        if (rank == process)
            startile_request_cancel(r);
        expect(startile_getrf_tntpiv_async(A.shared, P, r), 0, "getrf_tntpiv");
        expect(startile_request_wait(r), STARTILE_ERROR_CANCELLED, "getrf_tntpiv cancelled before");
    }
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    free_pair(A);
}

/* Runs two LU factorizations at once, each after a product that its first panel waits for. Tasks of
 * one panel on different processes wait for each other, so all processes must run the panels in the
 * same order. */
static void test_several_getrf(void)
{
    struct pair A[2], C = new_pair(120, 120, 16, 'G', 0);
    startile_pivots *P[2];
    startile_request *r[2];
    for (int i = 0; i < 2; i++) {
        A[i] = new_pair(120, 120, 16, 'G', i);
        expect(startile_pivots_create(&P[i], A[i].shared), 0, "pivots");
        expect(startile_request_create(&r[i]), 0, "request");
        startile_gemm_async('N', 'N', 0.01, C.shared, C.shared, 1, A[i].shared, r[i]);
        startile_gemm('N', 'N', 0.01, C.local, C.local, 1, A[i].local);
    }
    startile_request_set_priority(r[1], 5);
    for (int i = 0; i < 2; i++)
        expect(startile_getrf_async(A[i].shared, P[i], r[i]), 0, "getrf");
    for (int i = 0; i < 2; i++) {
        startile_pivots *local;
        expect(startile_request_wait(r[i]), 0, "wait");
        startile_request_destroy(r[i]);
        startile_pivots_destroy(P[i]);
        expect(startile_pivots_create(&local, A[i].local), 0, "pivots");
        expect(startile_getrf(A[i].local, local), 0, "getrf");
        startile_pivots_destroy(local);
        expect_same(A[i], 'G', "one of two getrf");
        free_pair(A[i]);
    }
    free_pair(C);
}

/* -- memory ----------------------------------------------------------------------------------- */

static atomic_bool is_watching;

/* Runs as a thread. While is_watching, raises *most to the largest number of bytes that StarPU has
 * allocated in main memory. */
static void *watch_memory(void *most)
{
    while (atomic_load(&is_watching)) {
        size_t used = starpu_memory_get_used(STARPU_MAIN_RAM);
        if (used > *(size_t *)most)
            *(size_t *)most = used;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return most;
}

/* Returns the number of elements of A that this process owns. */
static double own_elements(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    double elements = 0;
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++) {
            int64_t m = s.m - i * s.mb < s.mb ? s.m - i * s.mb : s.mb;
            int64_t n = s.n - j * s.nb < s.nb ? s.n - j * s.nb : s.nb;
            elements += startile_matrix_owner(A, i, j) == rank ? (double)(m * n) : 0;
        }
    return elements;
}

/* Operands of a routine whose memory is measured: A, C of n × n; B, X of n × 2 nb; D of n × n in
 * larger tiles on the first process; T, the triangles of A's reflectors, of nb × n; P, pivots of A;
 * tree, for geqrf_tree. A is Hermitian and diagonally dominant. */
struct operands {
    startile_matrix *A, *B, *X, *C, *D, *T;
    startile_pivots *P;
    startile_tree *tree;
};

/* Defines a function that calls a routine. */
#define ROUTINE(name, call)                                                                        \
    static int64_t name(const struct operands *x)                                                  \
    {                                                                                              \
        return call;                                                                               \
    }
ROUTINE(potrf, startile_potrf('L', x->A))
ROUTINE(potrs, startile_potrs('L', x->A, x->B))
ROUTINE(potri, startile_potri('L', x->A))
ROUTINE(hegst_solves, startile_hegst(1, 'L', x->C, x->A))
ROUTINE(hegst_products, startile_hegst(2, 'U', x->C, x->A))
ROUTINE(trsm, startile_trsm('R', 'U', 'T', 'N', 1, x->A, x->C))
ROUTINE(gemm, startile_gemm('N', 'T', 1, x->A, x->A, 1, x->C))
ROUTINE(herk, startile_herk('U', 'C', 1, x->A, 1, x->C))
ROUTINE(getrf, startile_getrf(x->A, x->P))
ROUTINE(getrf_tntpiv, startile_getrf_tntpiv(x->A, x->P))
ROUTINE(getrf_nopiv, startile_getrf_nopiv(x->A))
ROUTINE(getrs, startile_getrs('N', x->A, x->P, x->B))
ROUTINE(getri, startile_getri(x->A, x->P))
ROUTINE(gesv, startile_gesv(x->A, x->P, x->B, 1))
ROUTINE(geqrf, startile_geqrf(x->A, reflectors_of(x->T)))
ROUTINE(unmqr, startile_unmqr('L', 'N', x->A, reflectors_of(x->T), x->C))
ROUTINE(ungqr, startile_ungqr(x->A, reflectors_of(x->T)))
ROUTINE(geqrf_tree, startile_geqrf_tree(x->A, x->tree))
ROUTINE(gels, startile_gels('N', x->A, x->B))
ROUTINE(potrf_update, startile_potrf_update('L', x->A, x->B))
ROUTINE(potrf_downdate, startile_potrf_downdate('L', x->A, x->B))

static int64_t gesv_mixed(const struct operands *x)
{
    static const startile_mixed_options options = {.size = sizeof options,
                                                   .method = STARTILE_METHOD_REFINEMENT};
    return startile_gesv_mixed(x->A, x->P, x->B, x->X, &options, NULL);
}

static int64_t posv_mixed(const struct operands *x)
{
    static const startile_mixed_options options = {
        .size = sizeof options, .method = STARTILE_METHOD_GMRES, .certificate = 1};
    return startile_posv_mixed('L', x->A, x->B, x->X, &options, NULL);
}

ROUTINE(lacpy, startile_lacpy('G', x->A, x->D))

/* A routine, the routine `before` that is called before it (NULL: none), and how many copies of all
 * of A and of B it makes. */
static const struct bounded {
    const char *name;
    int64_t (*routine)(const struct operands *), (*before)(const struct operands *);
    int copies_of_a, copies_of_b;
    bool is_by_columns; /* a step sends data of all block columns along process columns */
    bool is_in_double;  /* only in types d and z */
    bool is_tree; /* a step on one process row sends triangles as large as three block columns */
    bool needs_panels; /* refuses symmetric grids */
} bounded[] = {
    {.name = "potrf", .routine = potrf},
    {.name = "potrs", .routine = potrs, .before = potrf},
    {.name = "potri", .routine = potri, .before = potrf},
    {.name = "hegst 1", .routine = hegst_solves, .before = potrf},
    {.name = "hegst 2", .routine = hegst_products, .before = potrf},
    {.name = "trsm", .routine = trsm},
    {.name = "gemm", .routine = gemm},
    {.name = "herk", .routine = herk},
    {.name = "getrf", .routine = getrf, .needs_panels = true, .is_by_columns = true},
    {.name = "getrf_tntpiv", .routine = getrf_tntpiv, .needs_panels = true, .is_by_columns = true},
    {.name = "getrf_nopiv", .routine = getrf_nopiv, .needs_panels = true},
    {.name = "getrs", .routine = getrs, .needs_panels = true, .before = getrf},
    {.name = "getri", .routine = getri, .needs_panels = true, .before = getrf, .copies_of_a = 1},
    {.name = "gesv",
     .routine = gesv,
     .needs_panels = true,
     .copies_of_a = 1,
     .copies_of_b = 2,
     .is_by_columns = true},
    {.name = "geqrf", .routine = geqrf, .needs_panels = true, .is_by_columns = true},
    {.name = "unmqr",
     .routine = unmqr,
     .needs_panels = true,
     .before = geqrf,
     .is_by_columns = true},
    {.name = "ungqr",
     .routine = ungqr,
     .needs_panels = true,
     .before = geqrf,
     .is_by_columns = true},
    {.name = "geqrf_tree",
     .routine = geqrf_tree,
     .needs_panels = true,
     .before = geqrf_tree,
     .is_tree = true},
    {.name = "gels", .routine = gels, .needs_panels = true, .is_by_columns = true},
    {.name = "potrf_update", .routine = potrf_update, .before = potrf, .copies_of_b = 1},
    {.name = "potrf_downdate", .routine = potrf_downdate, .before = potrf_update, .copies_of_b = 2},
    {.name = "gesv_mixed",
     .routine = gesv_mixed,
     .needs_panels = true,
     .copies_of_a = 1,
     .copies_of_b = 6,
     .is_by_columns = true,
     .is_in_double = true},
    {.name = "posv_mixed",
     .routine = posv_mixed,
     .copies_of_a = 2,
     .copies_of_b = 6,
     .is_in_double = true},
    {.name = "lacpy", .routine = lacpy}};

/* Returns operands of order n in tiles of nb; D has tiles of 4 nb. */
static struct operands new_operands(int64_t n, int64_t nb)
{
    struct operands x;
    startile_matrix **all[] = {&x.A, &x.C, &x.B, &x.X};
    for (int i = 0; i < 4; i++) {
        expect(
            startile_matrix_create_distributed(all[i], dtype, n, i > 1 ? 2 * nb : n, nb, nb, grid),
            0, "operand");
        expect(startile_random(i == 0 ? 'H' : 'G', 1, i == 0 ? 2 * (double)n : 0, *all[i]), 0,
               "random");
    }
    expect(startile_matrix_create_distributed(&x.D, dtype, n, n, 4 * nb, 4 * nb,
                                              startile_grid_root(grid)),
           0, "operand");
    expect(startile_laset('G', 0, 0, x.D), 0, "laset");
    x.P = NULL, x.T = NULL, x.tree = NULL;
    if (is_symmetric)
        return x;
    expect(startile_pivots_create(&x.P, x.A), 0, "pivots");
    expect(new_triangles(&x.T, x.A), 0, "reflectors");
    expect(startile_laset('G', 0, 0, x.T), 0, "laset");
    expect(startile_tree_create(&x.tree, x.A, STARTILE_TREE_GREEDY), 0, "tree");
    return x;
}

static void free_operands(struct operands x)
{
    startile_tree_destroy(x.tree);
    startile_pivots_destroy(x.P);
    matrices_destroy(x.A, x.B, x.X, x.C, x.D, x.T);
}

/* Tests that a routine allocates, beside its operands, at most a quarter of this process' part of
 * A, two block columns, and the copies that it makes. A step of LU and QR needs more where p > q. A
 * step of a tree needs more where p = 1, and data of another step may arrive before it ends. The
 * bound is for types d, c and z; for s it is twice as large. */
static void test_bound(const struct bounded *b, int64_t n, int64_t nb, int p, int q)
{
    struct operands x = new_operands(n, nb);
    pthread_t watcher;
    if (b->before != NULL)
        expect(b->before(&x), 0, b->name);
    size_t before = starpu_memory_get_used(STARPU_MAIN_RAM), most = before;
    atomic_store(&is_watching, true);
    pthread_create(&watcher, NULL, watch_memory, &most);
    expect(b->routine(&x), 0, b->name);
    atomic_store(&is_watching, false);
    pthread_join(watcher, NULL);
    double of_a = own_elements(x.A), of_b = own_elements(x.B);
    /* 9: two steps of about four block columns each, and one more (docs/many-nodes.md) */
    int columns = b->is_by_columns && p > q ? 2 + p / q : b->is_tree && p == 1 ? 9 : 2;
    double bound =
        of_a / 4 + columns * (double)(n * nb) + b->copies_of_a * of_a + b->copies_of_b * of_b;
    bound *= (double)element_size(dtype);
    double used = (double)(most - before);
    if (!(used <= bound)) {
        fprintf(stderr, "rank %d: %s: %.0f bytes beside the matrices, the bound is %.0f\n", rank,
                b->name, used, bound);
        failures++;
    }
    free_operands(x);
}

/* Not with sanitizers: the bounds are numbers of bytes, and the other tests call these routines.
 * With groups only the routines whose steps send along process columns, where a group has more
 * tiles. */
static void test_bounds(int p, int q)
{
#ifdef __SANITIZE_ADDRESS__
    (void)p, (void)q;
    return;
#endif
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if ((!is_single || !bounded[i].is_in_double) &&
            (!is_symmetric || !bounded[i].needs_panels) && (group == 1 || bounded[i].is_by_columns))
            test_bound(&bounded[i], 512, 32, p, q);
}

/* Runs two Cholesky factorizations in two requests at once. */
static void test_several_requests(void)
{
    struct pair A = new_pair(120, 120, 16, 'H', 120), B = new_pair(120, 120, 16, 'H', 240);
    startile_request *r[2];
    for (int i = 0; i < 2; i++)
        expect(startile_request_create(&r[i]), 0, "request");
    expect(startile_potrf_async('L', A.shared, r[0]), 0, "potrf");
    expect(startile_potrf_async('U', B.shared, r[1]), 0, "potrf");
    for (int i = 0; i < 2; i++) {
        expect(startile_request_wait(r[i]), 0, "wait");
        startile_request_destroy(r[i]);
    }
    expect(startile_potrf('L', A.local), 0, "potrf");
    expect(startile_potrf('U', B.local), 0, "potrf");
    expect_same(A, 'L', "first of two requests");
    expect_same(B, 'U', "second of two requests");
    free_pair(A);
    free_pair(B);
}

/* Checks that all processes are refused if rank 0 has not requested MPI_THREAD_MULTIPLE. Open MPI
 * puts the rank into the environment. Returns the program's exit status: 1, too, if MPI has that
 * level although a lower one was requested. */
static int test_level(int argc, char **argv)
{
    const char *given_rank = getenv("OMPI_COMM_WORLD_RANK");
    bool is_first = given_rank == NULL || atoi(given_rank) == 0;
    int level, processes;
    MPI_Init_thread(&argc, &argv, is_first ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    expect(startile_init(NULL), 0, "init");
    expect(startile_grid_create(&grid, MPI_COMM_WORLD, 1, processes, 'R'), STARTILE_ERROR_MPI,
           "grid");
    startile_finalize();
    MPI_Finalize();
    return failures != 0 || (is_first && level == MPI_THREAD_MULTIPLE);
}

/* Tests calls of the first half of the processes on a grid of their own, in which their order is
 * reversed, before and between calls of all processes. */
static void test_part_of_processes(int processes)
{
    int members = (processes + 1) / 2;
    startile_grid *all = grid, *part = NULL;
    MPI_Comm communicator;
    MPI_Comm_split(MPI_COMM_WORLD, rank < members ? 0 : MPI_UNDEFINED, -rank, &communicator);
    if (communicator != MPI_COMM_NULL) {
        expect(startile_grid_create(&part, communicator, members, 1, 'C'), 0, "grid of a part");
        MPI_Comm_free(&communicator);
    }
    for (int round = 0; round < 2; round++) {
        for (grid = part; grid != NULL; grid = NULL) { /* once, and only in members of `part` */
            startile_matrix *A;
            expect(startile_matrix_create_distributed(&A, dtype, 100, 100, 32, 32, grid), 0, "A");
            expect(startile_random('H', 1, 100, A), 0, "random");
            expect(startile_potrf('L', A), 0, "potrf on a part of the processes");
            startile_matrix_destroy(A);
        }
        grid = all;
        test_cholesky(100, 32, 'L');
    }
    expect(startile_grid_destroy(part), 0, "grid of a part");
}

/* Ends the program, and returns its exit status. */
static int end(bool passed)
{
    startile_finalize();
    MPI_Finalize();
    if (passed && rank == 0)
        printf("passed\n");
    return passed ? 0 : 1;
}

/* -- symmetric grids --------------------------------------------------------------------------- */

/* Tests wrong arguments of startile_grid_create_symmetric() and creates the grid. */
static void create_symmetric_grid(int order, int processes)
{
    expect(startile_grid_create_symmetric(&grid, MPI_COMM_WORLD, order + 1), -3, "wrong order");
    expect(startile_grid_create_symmetric(&grid, MPI_COMM_WORLD, 0), -3, "order 0");
    expect(startile_grid_create_symmetric(&grid, MPI_COMM_NULL, order), -2, "MPI_COMM_NULL");
    expect(startile_grid_create_symmetric(NULL, MPI_COMM_WORLD, order), -1, "NULL");
    expect(startile_grid_create(&grid, MPI_COMM_WORLD, 1, processes, 'S'), -5, "order S");
    int64_t info = rank == 0 ? startile_grid_create_symmetric(&grid, MPI_COMM_WORLD, order)
                             : startile_grid_create(&grid, MPI_COMM_WORLD, processes, 1, 'R');
    expect(info, processes > 1 ? STARTILE_ERROR_MISMATCH : 0, "different grids");
    if (processes == 1)
        startile_grid_destroy(grid);
    expect(startile_grid_create_symmetric(&grid, MPI_COMM_WORLD, order), 0, "grid");
}

/* Tests that routines with panels, their operands and ScaLAPACK's storage are refused. */
static void test_refusals(void)
{
    struct pair A = new_pair(40, 40, 8, 'H', 40), B = new_pair(40, 8, 8, 'G', 0);
    startile_matrix *T = NULL, *W = NULL;
    startile_reflectors *R = NULL;
    startile_pivots *P = NULL;
    startile_tree *tree = NULL;
    double rcond, norm = 1;
    char local[16];
    expect(startile_matrix_create_distributed(&T, dtype, 8, 40, 8, 8, grid), 0, "T");
    expect(startile_pivots_create(&P, A.shared), -2, "pivots");
    expect(startile_reflectors_create(&R, A.shared), -2, "reflectors");
    expect(startile_tree_create(&tree, A.shared, STARTILE_TREE_FLAT), -2, "tree");
    expect(startile_matrix_wrap_local(&W, dtype, 1, 1, local, 1, 1, 1, grid), -9, "wrap_local");
    expect(startile_getrf(A.shared, NULL), -1, "getrf");
    expect(startile_getrf_tntpiv(A.shared, NULL), -1, "getrf_tntpiv");
    expect(startile_getrf_nopiv(A.shared), -1, "getrf_nopiv");
    expect(startile_gesv(A.shared, NULL, B.shared, 0), -1, "gesv");
    expect(startile_getri(A.shared, NULL), -1, "getri");
    expect(startile_getrs('N', A.shared, NULL, B.shared), -2, "getrs");
    expect(startile_gecon('1', A.shared, &norm, &rcond), -2, "gecon");
    expect(startile_geqrf(A.shared, reflectors_of(T)), -1, "geqrf");
    expect(startile_gelqf(A.shared, reflectors_of(T)), -1, "gelqf");
    expect(startile_ungqr(A.shared, reflectors_of(T)), -1, "ungqr");
    expect(startile_unmqr('L', 'N', A.shared, reflectors_of(T), B.shared), -3, "unmqr");
    expect(startile_gels('N', A.shared, B.shared), -2, "gels");
    expect_same(A, 'G', "a matrix that routines have refused");
    matrices_destroy(T);
    free_pair(A);
    free_pair(B);
}

/* Tests the solver in mixed precision and the verification of Cholesky. */
static void test_other_cholesky(int64_t n, int64_t nb)
{
    struct pair A = new_pair(n, n, nb, 'H', (double)n), B = new_pair(n, 3, nb, 'G', 0),
                X = new_pair(n, 3, nb, 'G', 0);
    bool is_double = dtype == STARTILE_D || dtype == STARTILE_Z;
    int64_t expected = is_double ? 0 : -2;
    expect(startile_posv_mixed('L', A.shared, B.shared, X.shared, NULL, NULL), expected, "mixed");
    expect(startile_posv_mixed('L', A.local, B.local, X.local, NULL, NULL), expected, "mixed");
    expect_same(X, 'G', "posv_mixed");
    startile_request *r;
    expect(startile_request_create(&r), 0, "request");
    expect(startile_request_set_verify(r, 1), 0, "verify");
    expect(startile_potrf_async('L', A.shared, r), 0, "verified potrf");
    expect(startile_trsm_async('L', 'L', 'N', 'N', 1, A.shared, B.shared, r), 0, "verified trsm");
    expect(startile_gemm_async('N', 'N', 1, A.shared, B.shared, 0, X.shared, r), 0,
           "verified gemm");
    expect(startile_request_wait(r), 0, "verified routines");
    startile_request_destroy(r);
    expect(startile_potrf('L', A.local), 0, "potrf");
    expect_same(A, 'L', "verified potrf");
    free_pair(A);
    free_pair(B);
    free_pair(X);
}

/* Tests syrk, hegst, trtri, trtrs, trsm from the right and lauum. */
static void test_triangles(int64_t n, int64_t nb, char uplo)
{
    struct pair L = new_pair(n, n, nb, 'H', (double)n), C = new_pair(n, 2 * nb + 1, nb, 'G', 0),
                D = new_pair(2 * nb + 1, n, nb, 'G', 0), H = new_pair(n, n, nb, 'H', 0);
    expect(startile_syrk(uplo, 'N', 2, C.shared, 1, L.shared), 0, "syrk");
    expect(startile_syrk(uplo, 'N', 2, C.local, 1, L.local), 0, "syrk");
    expect_same(L, uplo, "syrk");
    for (int itype = 1; itype <= 2; itype++) {
        expect(startile_hegst(itype, uplo, H.shared, L.shared), 0, "hegst");
        expect(startile_hegst(itype, uplo, H.local, L.local), 0, "hegst");
        expect_same(H, uplo, "hegst");
    }
    expect(startile_trtri(uplo, 'N', L.shared), startile_trtri(uplo, 'N', L.local), "trtri");
    expect_same(L, uplo, "trtri");
    expect(startile_trtrs(uplo, 'C', 'N', L.shared, C.shared),
           startile_trtrs(uplo, 'C', 'N', L.local, C.local), "trtrs");
    expect_same(C, 'G', "trtrs");
    expect(startile_trsm('R', uplo, 'N', 'U', 2, L.shared, D.shared), 0, "trsm");
    expect(startile_trsm('R', uplo, 'N', 'U', 2, L.local, D.local), 0, "trsm");
    expect_same(D, 'G', "trsm from the right");
    expect(startile_lauum(uplo, L.shared), startile_lauum(uplo, L.local), "lauum");
    expect_same(L, uplo, "lauum");
    free_pair(L);
    free_pair(C);
    free_pair(D);
    free_pair(H);
}

/* Factors a matrix that is copied from a p × q grid, and copies the factor back. */
static void test_redistributed_cholesky(int64_t n, int64_t nb, int processes)
{
    struct pair A = new_pair(n, n, nb, 'H', (double)n);
    startile_grid *rows;
    startile_matrix *B;
    expect(startile_grid_create(&rows, MPI_COMM_WORLD, 1, processes, 'R'), 0, "1 × P grid");
    expect(startile_matrix_create_distributed(&B, dtype, n, n, n, nb + 3, rows), 0, "B");
    expect(startile_laset('G', 0, 0, B), 0, "laset");
    expect(startile_lacpy('L', A.shared, B), 0, "lacpy to tall tiles");
    expect(startile_laset('G', 5, 5, A.shared), 0, "laset");
    expect(startile_lacpy('L', B, A.shared), 0, "lacpy back");
    expect(startile_potrf('L', A.shared), startile_potrf('L', A.local), "potrf");
    expect_same(A, 'L', "potrf of a copy");
    matrices_destroy(B);
    expect(startile_grid_destroy(rows), 0, "1 × P grid");
    free_pair(A);
}

/* Runs the tests of a symmetric grid of that order. With many processes on few cores a call takes
 * long, so that only the tests in which most tiles travel are run there. */
static void test_symmetric(int order, int processes)
{
    bool is_small = processes <= 3;
    is_symmetric = true;
    create_symmetric_grid(order, processes);
    for (const char *uplo = "LU"; *uplo != '\0' && none_failed(); uplo++) {
        test_cholesky(3 * 16 * order + 5, 16, *uplo);
        if (!is_small)
            continue;
        test_cholesky(20, 32, *uplo);
        test_cholesky(0, 8, *uplo);
        test_triangles(90, 16, *uplo);
    }
    if (none_failed()) {
        test_products(100, 70, 130, 24);
        test_redistributed_cholesky(101, 16, processes);
    }
    if (none_failed() && is_small) {
        test_update(50, 10, 8, 3, 'L');
        test_update(50, 10, 8, 3, 'U');
        test_info(150, 16, -3);
        test_other_cholesky(100, 16);
        test_copies(100, 70, 16, 1, processes);
        test_refusals();
        test_cancel();
        test_several_requests();
    }
    if (none_failed() && processes == 3)
        test_bounds(1, 1);
    expect(startile_grid_destroy(grid), 0, "grid destroy");
}

int main(int argc, char **argv)
{
    int level, processes;
    expect(startile_grid_create(&grid, MPI_COMM_WORLD, 1, 1, 'R'), STARTILE_ERROR_MPI,
           "grid before MPI_Init()");
    if (argc == 2)
        return test_level(argc, argv);
    if (argc != 5 && argc != 6)
        return 2;
    group = argc == 6 ? atoi(argv[5]) : 1;
    check_arguments(3, argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    int p = atoi(argv[3]), q = atoi(argv[4]);
    startile_options options = check_options();
    options.ncpu = 1;
    expect(startile_init(&options), 0, "init");
    if (strcmp(argv[3], "symmetric") == 0) {
        test_symmetric(q, processes);
        return end(none_failed());
    }
    expect(startile_grid_create(&grid, MPI_COMM_WORLD, p + 1, q, 'R'), -4, "grid of wrong size");
    expect(startile_grid_create(&grid, MPI_COMM_NULL, p, q, 'R'), -2, "MPI_COMM_NULL");
    expect(startile_grid_create(&grid, MPI_COMM_WORLD, p, q, 'X'), -5, "order X");
    expect(startile_grid_create(NULL, MPI_COMM_WORLD, p, q, 'R'), -1, "NULL");
    expect(startile_grid_create_grouped(&grid, MPI_COMM_WORLD, p, q, 'R', 0), -6, "groups of 0");
    if (processes > 1)
        expect(startile_grid_create_grouped(&grid, MPI_COMM_WORLD, p, q, 'R', 1 + (rank == 0)),
               STARTILE_ERROR_MISMATCH, "different groups");
    expect(startile_grid_create_grouped(&grid, MPI_COMM_WORLD, p, q, 'N', group), 0, "grid");
    for (const char *uplo = "LU"; *uplo != '\0' && none_failed(); uplo++) {
        test_cholesky(150, 32, *uplo);
        test_cholesky(20, 32, *uplo);
        test_update(70, 40, 16, 12, *uplo);
        test_update(50, 3, 24, 3, *uplo);
        test_update(5, 9, 8, 8, *uplo);
    }
    if (none_failed())
        test_info(150, 32, -3);
    if (none_failed())
        test_products(100, 70, 130, 24);
    static const int64_t heights[] = {150, 32};
    for (int h = 0; h < 2 && none_failed(); h++) {
        test_lu(150, heights[h], 32);
        test_zero_pivot(150, heights[h], 32);
        test_qr(150, 90, heights[h], 32);
        test_tree(150, 90, 32, 32, h == 0 ? STARTILE_TREE_FLAT : STARTILE_TREE_GREEDY);
        test_other_routines(100, heights[h], 32);
    }
    if (none_failed()) {
        test_getrf_shapes();
        test_lu_solves();
    }
    if (none_failed()) {
        test_tournament(150, 32, 32);
        test_tournament(41, 8, 8);
    }
    if (none_failed()) {
        test_copies(100, 70, 16, p, q);
        test_redistribution(90, 130, processes);
        test_wrapped(100, 16, p, q);
        test_qr_accuracy(p, q);
        test_disagreement(processes);
        test_cancel();
        test_several_requests();
        test_cancelled_getrf(processes);
        test_several_getrf();
    }
    if (p * q == 4 && none_failed())
        test_bounds(p, q);
    if (none_failed())
        test_part_of_processes(processes);
    expect(startile_grid_destroy(grid), 0, "grid destroy");
    expect(startile_grid_create(&grid, MPI_COMM_WORLD, q, p, 'C'), 0, "second grid");
    if (none_failed())
        test_cholesky(100, 32, 'L');
    expect(startile_grid_destroy(grid), 0, "second grid destroy");
    return end(none_failed());
}
