/*
 * Tests of QR with column pivoting on a grid: mpirun -n P test_mpi_geqp3 BACKEND TYPE p q, where P
 * = p q. With p = 1 the factors of geqp3_random are checked by the first process, and compared with
 * those of a local matrix in each process.
 */
#include "generate_qr.h"
#include "grid_program.h"
#include "pivoted.h"
#include "startile_testing.h"

#include <string.h>

static int rows;

/* Returns a matrix on g with the elements of A, in block columns of width nb. */
static startile_matrix *scatter_on(startile_grid *g, struct array A, int64_t nb)
{
    startile_matrix *X = NULL;
    require_info(startile_matrix_create_distributed(&X, A.dtype, A.m, A.n, max(A.m, 1), nb, g), 0);
    require_info(startile_matrix_from_lapack(X, rank == 0 ? A.a : NULL, A.ld), 0);
    return X;
}

/* Returns the factors of A on g with `verify`. The first process has F. All processes have jpvt and
 * tau. */
static struct pivoted factored(struct array A, int64_t nb, uint64_t seed, int verify,
                               startile_grid *g)
{
    struct pivoted p = pivoted_new(A, NULL);
    startile_matrix *X = scatter_on(g, A, nb), *T = NULL;
    startile_permutation *P = NULL;
    startile_request *r = request_created();
    require_info(new_triangles(&T, X), 0);
    require_info(startile_permutation_create(&P, X), 0);
    require_info(startile_request_set_verify(r, verify), 0);
    require_info(startile_geqp3_random_async(X, P, reflectors_of(T), seed, r), 0);
    require_info(startile_request_wait(r), 0);
    require_info(startile_permutation_to_lapack(P, p.jpvt), 0);
    require_info(startile_reflectors_to_lapack(reflectors_of(T), p.f.tau.a), 0);
    require_info(startile_matrix_to_lapack(X, rank == 0 ? p.f.F.a : NULL, p.f.F.ld), 0);
    require_agreement(p.jpvt, (size_t)A.n * sizeof *p.jpvt);
    startile_request_destroy(r);
    startile_permutation_destroy(P);
    matrices_destroy(X, T);
    return p;
}

/* Returns whether the elements are equal. 0 and −0 are. */
static bool is_equal(struct array A, struct array B)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (get(A, i, j) != get(B, i, j))
                return false;
    return true;
}

/* Factors A on g. Checks the factors, and on CPU cores requires those of one process, whose tasks
 * on A are the same. */
static void check_factored(struct array A, int64_t nb, int verify, double times, startile_grid *g)
{
    const uint64_t seed = 4;
    struct pivoted p = factored(A, nb, seed, verify, g),
                   local = pivoted_by(&seed, A, NULL, WRAPPED, nb);
    for (int64_t j = 0; j < A.n && A.m == 0; j++)
        require(p.jpvt[j] == j + 1);
    if (A.m > 0 && A.n > 0 && rank == 0) {
        struct array B = permuted(A, p.jpvt);
        check_qr(B, p.f, times);
        array_free(B);
    }
    if (backend == CPU) {
        require(memcmp(p.jpvt, local.jpvt, (size_t)A.n * sizeof *p.jpvt) == 0);
        require(is_equal(p.f.tau, local.f.tau) && (rank > 0 || is_equal(p.f.F, local.f.F)));
    }
    pivoted_free(p);
    pivoted_free(local);
}

/* Tests shapes with narrow last block columns, and with fewer block columns than processes. */
static void test_shapes(void)
{
    static const int64_t shapes[][3] = {{60, 40, 8}, {40, 60, 8},   {53, 37, 8}, {37, 53, 9},
                                        {90, 90, 6}, {30, 9, 16},   {9, 30, 16}, {16, 33, 16},
                                        {1, 1, 4},   {1, 9, 1},     {9, 1, 4},   {0, 5, 2},
                                        {5, 0, 2},   {150, 120, 32}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        in_case("%d × %d, nb = %d", (int)m, (int)n, (int)shapes[s][2]);
        random_seed(s);
        struct array A = generate_general(&random_general, dtype, m, n, 1);
        check_factored(A, shapes[s][2], (int)(s % 2), 2, grid);
        array_free(A);
    }
}

static void test_kinds(void)
{
    const struct {
        const struct general *kinds;
        double times;
    } lists[] = {{full_rank, 2}, {mixed, INFINITY}, {deficient, INFINITY}, {extremes, 2}};
    for (int l = 0; l < 4; l++)
        for (const struct general *g = lists[l].kinds; g->name != NULL; g++) {
            in_case("%s", g->name);
            random_seed(7);
            struct array A = generate_general(g, dtype, 50, 43, 3);
            check_factored(A, 6, 0, lists[l].times, grid);
            array_free(A);
        }
}

/* Tests a matrix that the first process owns alone. The others get the permutation, too. */
static void test_root(void)
{
    in_case("matrix of the first process");
    random_seed(3);
    struct array A = generate_general(&random_general, dtype, 40, 50, 0);
    check_factored(A, 7, 1, 2, startile_grid_root(grid));
    array_free(A);
}

static void test_nan(void)
{
    in_case("NaN");
    random_seed(9);
    struct array A = generate_general(&random_general, dtype, 30, 20, 0);
    set(A, 29, 13, NAN);
    struct pivoted p = factored(A, 4, 1, 0, grid);
    struct array B = permuted(A, p.jpvt);
    require(rank > 0 || !is_finite(p.f.F));
    pivoted_free(p);
    arrays_free(A, B);
}

/* A call on a grid, with objects of its shape */
struct objects {
    startile_matrix *A, *T;
    startile_permutation *P;
};

static struct objects objects_new(int64_t mb)
{
    struct objects x = {NULL};
    require_info(startile_matrix_create_distributed(&x.A, dtype, 40, 30, mb, 4, grid), 0);
    require_info(startile_random('G', 1, 0, x.A), 0);
    require_info(new_triangles(&x.T, x.A), 0);
    require_info(startile_permutation_create(&x.P, x.A), 0);
    return x;
}

static void objects_free(struct objects x)
{
    startile_permutation_destroy(x.P);
    matrices_destroy(x.A, x.T);
}

/* Tests grids, tiles and arguments that are refused. */
static void test_arguments(void)
{
    in_case("arguments");
    struct objects x = objects_new(40), tiles = objects_new(20);
    int64_t chosen[30] = {0}, r = 0;
    require_info(startile_geqp3(x.A, x.P, reflectors_of(x.T)), -1);
    require_info(startile_geqp3_rank(x.A, x.P, reflectors_of(x.T), 0, 9, &r), -1);
    require_info(startile_geqp3_random(tiles.A, tiles.P, reflectors_of(tiles.T), 1), -1);
    require_info(startile_geqp3_random(x.A, x.P, reflectors_of(x.T), 1), rows > 1 ? -1 : 0);
    require_info(startile_geqp3_random(x.A, rank == 0 ? NULL : x.P, reflectors_of(x.T), 1),
                 rows > 1 ? -1 : -2);
    require_info(startile_geqp3_random(x.A, x.P, reflectors_of(x.T), (uint64_t)rank),
                 rows > 1        ? -1
                 : processes > 1 ? STARTILE_ERROR_MISMATCH
                                 : 0);
    chosen[3] = rank == processes - 1;
    require_info(startile_permutation_choose(x.P, chosen), 0);
    require_info(startile_geqp3_random(x.A, x.P, reflectors_of(x.T), 1), rows > 1 ? -1 : -2);
    objects_free(x);
    objects_free(tiles);
}

/* Tests a request that the last process cancels during the factorization, or just behind its end:
 * the outcome is the same on all processes. */
static void test_cancel(void)
{
    in_case("cancelled request");
    struct objects x = objects_new(40);
    startile_request *r = request_created();
    require_info(startile_geqp3_random_async(x.A, x.P, reflectors_of(x.T), 1, r), 0);
    if (rank == processes - 1)
        startile_request_cancel(r);
    int64_t outcome = startile_request_wait(r);
    require(outcome == STARTILE_ERROR_CANCELLED || outcome == 0);
    require_agreement(&outcome, sizeof outcome);
    startile_request_destroy(r);
    objects_free(x);
}

/* Tests two factorizations in one request, the second of R, and Q^H A P = R by unmqr. */
static void test_one_request(void)
{
    in_case("several calls in one request");
    struct objects x = objects_new(40), y = objects_new(40);
    startile_request *r = request_created();
    require_info(startile_geqp3_random_async(x.A, x.P, reflectors_of(x.T), 1, r), 0);
    require_info(startile_unmqr_async('L', 'C', x.A, reflectors_of(x.T), y.A, r), 0);
    require_info(startile_geqp3_random_async(y.A, y.P, reflectors_of(y.T), 1, r), 0);
    require_info(startile_request_wait(r), 0);
    int64_t x_jpvt[30], y_jpvt[30];
    require_info(startile_permutation_to_lapack(x.P, x_jpvt), 0);
    require_info(startile_permutation_to_lapack(y.P, y_jpvt), 0);
    require_agreement(x_jpvt, sizeof x_jpvt);
    require_agreement(y_jpvt, sizeof y_jpvt);
    startile_request_destroy(r);
    objects_free(x);
    objects_free(y);
}

int main(int argc, char **argv)
{
    grid_program_begin(argc, argv);
    rows = atoi(argv[3]);
    test_arguments();
    if (rows == 1) {
        test_shapes();
        test_kinds();
        test_root();
        test_nan();
        test_one_request();
        test_cancel();
    }
    return grid_program_end();
}
