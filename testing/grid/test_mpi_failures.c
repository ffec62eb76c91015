/*
 * mpirun -n P test_mpi_failures BACKEND TEST p q, where P = p q. TEST `failures`: tests of failures
 * on grids. TEST `joined`: tests in a program that starts StarPU-MPI itself and has its own tasks
 * and handles.
 */
#include "check.h"
#include "objects.h"
#include "startile_disk.h"
#include "startile_testing.h"
#include "triangles.h"

#include <math.h>
#include <starpu_mpi.h>
#include <startile_mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 90, NB = 16, NT = (N + NB - 1) / NB };

static startile_grid *grid;
static int rank, processes, failures;

/* Counts and prints a failure if the two differ. The test continues. */
static void expect_at(int line, int64_t found, int64_t expected)
{
    if (found == expected)
        return;
    fprintf(stderr, "rank %d, line %d: %lld instead of %lld\n", rank, line, (long long)found,
            (long long)expected);
    failures++;
}

#define EXPECT(found, expected) expect_at(__LINE__, found, expected)

/* Expects `found` to be the same on all processes. A failure prints its least and largest value. */
static void expect_same(int line, int64_t found)
{
    int64_t bounds[] = {found, -found};
    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    expect_at(line, bounds[0], -bounds[1]);
}

/* Returns an N × n matrix, distributed or local: for 'H' a diagonally dominant Hermitian one (n =
 * N), for 'G' a general one. */
static startile_matrix *new_matrix(int64_t n, char kind, bool distributed)
{
    startile_matrix *A = NULL;
    EXPECT(distributed ? startile_matrix_create_distributed(&A, STARTILE_D, N, n, NB, NB, grid)
                       : startile_matrix_create(&A, STARTILE_D, N, n, NB, NB),
           0);
    EXPECT(startile_random(kind, 3, kind == 'H' ? N : 0, A), 0);
    return A;
}

/* Checks that a child of fork() gets an error at once instead of a message from MPI. */
static void test_fork(void)
{
    startile_matrix *A = new_matrix(N, 'H', true);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        startile_grid *made;
        startile_matrix *B;
        alarm(20);
        bool refused = startile_grid_create(&made, MPI_COMM_WORLD, 1, processes, 'R') < 0 &&
                       startile_potrf('L', A) == STARTILE_ERROR_STARPU &&
                       startile_grid_destroy(grid) != 0 &&
                       startile_matrix_create_distributed(&B, STARTILE_D, N, N, NB, NB, grid) ==
                           STARTILE_ERROR_STARPU;
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child, true);
    EXPECT(status, 0);
    startile_matrix_destroy(A);
}

/* -- wrong and different arguments ------------------------------------------------------------- */

/* Checks that a wrong argument on process `bad` alone is an error on all processes. If the next
 * process has another wrong argument, all return the lesser code. */
static void test_wrong_arguments(int bad)
{
    bool wrong = rank == bad, is_next = rank == (bad + 1) % processes;
    startile_matrix *A = new_matrix(N, 'H', true), *B = new_matrix(NB, 'G', true), *T = NULL;
    startile_pivots *P;
    startile_tree *tree;
    startile_request *r;
    double value;
    int64_t ipiv[N];
    char tau[N * sizeof(double)];
    EXPECT(startile_request_create(&r), 0);
    EXPECT(startile_potrf(wrong ? 'X' : 'L', A), -1);
    EXPECT(startile_potrf('L', wrong ? NULL : A), -2);
    EXPECT(startile_potrf_async('L', A, wrong ? NULL : r), -3);
    EXPECT(startile_potrs('L', A, wrong ? NULL : B), -3);
    EXPECT(startile_potrs(is_next ? 'X' : 'L', A, wrong ? NULL : B), processes > 1 ? -3 : -1);
    EXPECT(startile_gemm('N', 'N', 1, A, B, 0, wrong ? B : NULL), -7);
    EXPECT(startile_lange('M', A, wrong ? NULL : &value), -3);
    EXPECT(startile_gecon('1', A, wrong ? NULL : &value, &value), -3);
    /* −1 on all: the processes agree on A before the first one checks its array, NULL */
    EXPECT(startile_matrix_from_lapack(wrong ? NULL : A, NULL, 1),
           wrong || processes > 1 ? -1 : -2);
    EXPECT(startile_pivots_create(wrong ? NULL : &P, A), -1);
    EXPECT(startile_pivots_create(&P, wrong ? NULL : A), -2);
    EXPECT(startile_pivots_create(&P, A), 0);
    EXPECT(startile_gesv(A, wrong ? NULL : P, B, 1), -2);
    EXPECT(startile_gesv(A, P, B, wrong ? 99 : 1), -4);
    EXPECT(startile_pivots_to_lapack(P, wrong ? NULL : ipiv), -2);
    startile_pivots_destroy(P);
    EXPECT(new_triangles(&T, wrong ? NULL : A), -2);
    EXPECT(new_triangles(&T, A), 0);
    EXPECT(startile_geqrf(A, reflectors_of(wrong ? A : T)), -2);
    EXPECT(startile_reflectors_to_lapack(reflectors_of(T), wrong ? NULL : tau), -2);
    startile_matrix_destroy(T);
    EXPECT(startile_tree_create(&tree, A, wrong ? (startile_tree_kind)99 : STARTILE_TREE_GREEDY),
           -3);
    EXPECT(startile_matrix_create_distributed(&T, STARTILE_D, 4, 4, 2, 2, wrong ? NULL : grid), -7);
    EXPECT(startile_request_wait(r), 0);
    EXPECT(startile_potrf('L', A), 0);
    startile_request_destroy(r);
    matrices_destroy(A, B);
}

/* Checks that all processes fail if they call different routines, or one routine with different
 * arguments. */
static void test_different_calls(void)
{
    bool first = rank == 0;
    /* one process alone makes valid calls */
    int64_t code = processes > 1 ? STARTILE_ERROR_MISMATCH : 0;
    startile_matrix *A = new_matrix(N, 'H', true), *B = new_matrix(N, 'H', true);
    startile_request *r;
    double value;
    EXPECT(first ? startile_potrf('L', A) : startile_lauum('L', A), code);
    EXPECT(startile_potrf(first ? 'U' : 'l', B), code);
    EXPECT(startile_lange('M', first ? A : B, &value), code);
    EXPECT(startile_laset('G', 0, first ? 1 : 2, A), code);
    EXPECT(startile_random('H', first ? 1 : 2, N, A), code);
    EXPECT(startile_request_create(&r), 0);
    EXPECT(startile_laset_async('G', 0, 1, A, r), 0);
    EXPECT(first ? startile_request_wait(r) : startile_laset('G', 0, 1, B), code);
    EXPECT(startile_request_reset(r), 0);
    EXPECT(startile_laset_async('G', 0, 1, A, r), 0);
    EXPECT(startile_request_wait(r), 0);
    startile_request_destroy(r);
    matrices_destroy(A, B);
}

/* -- failures of requests ---------------------------------------------------------------------- */

/* A(i,i) := −1, i from 0, on the process that owns the element. The leading minor of order i + 1 is
 * not positive then. */
static void spoil(startile_matrix *A, int64_t i)
{
    if (startile_matrix_owner(A, i / NB, i / NB) != rank)
        return;
    starpu_data_handle_t handle = startile_matrix_handle(A, i / NB, i / NB);
    starpu_data_acquire(handle, STARPU_RW);
    double *a = (double *)starpu_matrix_get_local_ptr(handle);
    a[i % NB * (1 + starpu_matrix_get_local_ld(handle))] = -1;
    starpu_data_release(handle);
}

/* Checks the info of matrices that are not positive definite. The first leading minor that is not
 * positive ends in each diagonal tile in turn, so each process with diagonal tiles finds one. B
 * must not change. */
static void test_minors(void)
{
    for (int64_t k = 0; k < NT; k++) {
        startile_matrix *A = new_matrix(N, 'H', true), *B = new_matrix(NB, 'G', true);
        double before, after;
        EXPECT(startile_lange('F', B, &before), 0);
        spoil(A, k * NB + 5);
        spoil(A, N - 1);
        EXPECT(startile_posv(k % 2 == 0 ? 'L' : 'U', A, B), k * NB + 6);
        EXPECT(startile_lange('F', B, &after), 0);
        EXPECT(before == after, 1);
        matrices_destroy(A, B);
    }
}

/* Runs three requests at once: one succeeds, one factors a matrix that is not positive definite,
 * and the last process cancels one after its submission. All must end. */
static void test_requests(void)
{
    startile_request *r[3];
    startile_matrix *A[3];
    for (int i = 0; i < 3; i++) {
        EXPECT(startile_request_create(&r[i]), 0);
        A[i] = new_matrix(N, 'H', true);
    }
    spoil(A[1], N / 2);
    for (int i = 0; i < 3; i++)
        EXPECT(startile_potrf_async('L', A[i], r[i]), 0);
    if (rank == processes - 1)
        startile_request_cancel(r[2]);
    int done = 0;
    for (int i = 0; i < 3; i++, done = 0)
        while (done == 0) {
            int64_t code =
                startile_request_test(r[i], &done); /* the outcome of this process' tasks */
            EXPECT(code == 0 || (i == 1 && code == N / 2 + 1) ||
                       (i == 2 && code == STARTILE_ERROR_CANCELLED),
                   1);
        }
    EXPECT(startile_request_wait(r[0]), 0);
    EXPECT(startile_request_wait(r[1]), N / 2 + 1);
    expect_same(__LINE__, startile_request_wait(r[2])); /* the cancellation may come too late */
    for (int i = 0; i < 3; i++) {
        startile_request_destroy(r[i]);
        startile_matrix_destroy(A[i]);
    }
}

/* Checks that a request that failed works again after its reset, and after another reset on a grid
 * of half of the processes. */
static void test_reset(void)
{
    startile_matrix *A = new_matrix(N, 'H', true), *B;
    startile_request *r;
    MPI_Comm half;
    startile_grid *half_grid;
    double largest = 0;
    int members;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_size(half, &members);
    EXPECT(startile_request_create(&r), 0);
    spoil(A, N / 2);
    EXPECT(startile_potrf_async('L', A, r), 0);
    EXPECT(startile_request_wait(r), N / 2 + 1);
    EXPECT(startile_request_reset(r), 0);
    EXPECT(startile_laset_async('G', 0, 2, A, r), 0);
    EXPECT(startile_request_wait(r), 0);
    EXPECT(startile_lange('M', A, &largest), 0);
    EXPECT(largest == 2, 1);
    EXPECT(startile_request_reset(r), 0);
    EXPECT(startile_grid_create(&half_grid, half, 1, members, 'R'), 0);
    EXPECT(startile_matrix_create_distributed(&B, STARTILE_D, N, N, NB, NB, half_grid), 0);
    EXPECT(startile_matrix_journal(B, "no_journal"), -1);
    EXPECT(startile_random_async('S', 1, N, B, r), 0);
    EXPECT(startile_request_wait(r), 0);
    startile_request_destroy(r);
    matrices_destroy(A, B);
    EXPECT(startile_grid_destroy(half_grid), 0);
    MPI_Comm_free(&half);
}

/* Returns ‖X‖ for the solution of A X = B by LU, or by QR. A and B are distributed or local. */
static double solution_norm(bool distributed, bool by_qr)
{
    startile_matrix *A = new_matrix(N, 'G', distributed), *B = new_matrix(NB, 'G', distributed);
    startile_pivots *P;
    double norm = -1;
    EXPECT(startile_pivots_create(&P, A), 0);
    EXPECT(by_qr ? startile_gels('N', A, B) : startile_gesv(A, P, B, 1), 0);
    EXPECT(startile_lange('F', B, &norm), 0);
    startile_pivots_destroy(P);
    matrices_destroy(A, B);
    return norm;
}

/* Checks that the library is usable after the failures. */
static void test_usable(void)
{
    for (int by_qr = 0; by_qr < 2; by_qr++) {
        double expected = solution_norm(false, by_qr), found = solution_norm(true, by_qr);
        EXPECT(fabs(found - expected) <= 1e-9 * expected, 1);
    }
}

/* -- grids ------------------------------------------------------------------------------------- */

/* Checks that all processes refuse a grid if the last process passes a wrong argument, if arguments
 * differ, and for an intercommunicator, MPI_COMM_NULL and a freed communicator. */
static void test_grids(int p, int q)
{
    startile_grid *g;
    MPI_Comm freed, stale, half, intercommunicator;
    bool wrong = rank == processes - 1;
    EXPECT(startile_grid_create(wrong ? NULL : &g, MPI_COMM_WORLD, p, q, 'R'), -1);
    EXPECT(startile_grid_create(&g, MPI_COMM_WORLD, wrong ? 0 : p, q, 'R'), -3);
    EXPECT(startile_grid_create(&g, MPI_COMM_WORLD, p, wrong ? q + 1 : q, 'R'), -4);
    EXPECT(startile_grid_create(&g, MPI_COMM_WORLD, p, q, wrong ? 'X' : 'C'), -5);
    if (processes > 1) {
        EXPECT(startile_grid_create(&g, MPI_COMM_WORLD, p, q, wrong ? 'R' : 'C'),
               STARTILE_ERROR_MISMATCH);
        EXPECT(startile_grid_create(&g, MPI_COMM_WORLD, wrong ? 1 : processes,
                                    wrong ? processes : 1, 'R'),
               STARTILE_ERROR_MISMATCH);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &intercommunicator);
        EXPECT(startile_grid_create(&g, intercommunicator, 1, 1, 'R'), -2);
        MPI_Comm_free(&intercommunicator);
        MPI_Comm_free(&half);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    stale = freed;
    MPI_Comm_free(&freed);
    EXPECT(startile_grid_create(&g, freed, p, q, 'R'), -2); /* MPI_COMM_NULL now */
    EXPECT(startile_grid_create(&g, stale, p, q, 'R'), -2);
}

/* Checks that a grid is refused on all processes if process 0 has no memory for the stack of
 * StarPU-MPI's thread. */
static void test_no_thread(int p, int q)
{
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they map terabytes */
    struct rlimit before, limit;
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    EXPECT(f != NULL && fscanf(f, "%ld", &pages) == 1 && fclose(f) == 0, 1);
    EXPECT(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (1 << 20));
    if (rank == 0)
        EXPECT(setrlimit(RLIMIT_AS, &limit), 0);
    EXPECT(startile_grid_create(&grid, MPI_COMM_WORLD, p, q, 'R'), STARTILE_ERROR_MEMORY);
    EXPECT(setrlimit(RLIMIT_AS, &before), 0);
#else
    (void)p, (void)q;
#endif
}

/* Runs the tests of failures. No grid can be created before process 0 has started startile, nor
 * after MPI_Finalize(). */
static void run_failures(int argc, char **argv, int p, int q)
{
    int level;
    startile_options options = check_options();
    options.ncpu = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (rank > 0)
        EXPECT(startile_init(&options), 0);
    EXPECT(startile_grid_create(&grid, MPI_COMM_WORLD, p, q, 'R'), STARTILE_ERROR_STARPU);
    if (rank == 0)
        EXPECT(startile_init(&options), 0);
    test_no_thread(p, q);
    test_grids(p, q);
    EXPECT(startile_grid_create(&grid, MPI_COMM_WORLD, p, q, 'R'), 0);
    test_fork();
    test_wrong_arguments(0);
    test_wrong_arguments(processes - 1);
    test_different_calls();
    test_minors();
    test_requests();
    test_reset();
    test_usable();
    EXPECT(startile_grid_destroy(grid), 0);
    startile_finalize();
    MPI_Finalize();
    EXPECT(startile_grid_create(&grid, MPI_COMM_WORLD, p, q, 'R'), STARTILE_ERROR_MPI);
}

/* -- the program's own StarPU-MPI and handles ---------------------------------------------------
 */

enum { FIRST_TAG = 17 };

/* Returns element (i, j) of a symmetric, diagonally dominant N × N matrix. */
static double element(int64_t i, int64_t j)
{
    return i == j ? N : 1 / (1 + (double)(i > j ? i - j : j - i));
}

/* Returns the rows of tile row k, which are also the columns of tile column k. */
static int64_t tile_extent(int64_t k)
{
    return k + 1 < NT ? NB : N - k * NB;
}

/* Registers tile (i, j) of the matrix of element(). *elements := its elements, which only the owner
 * allocates; NULL on other processes. */
static starpu_data_handle_t register_tile(int64_t i, int64_t j, int owner, double **elements)
{
    starpu_data_handle_t handle;
    int64_t m = tile_extent(i), n = tile_extent(j);
    *elements = owner == rank ? malloc((size_t)(m * n) * sizeof **elements) : NULL;
    for (int64_t k = 0; k < m * n && owner == rank; k++)
        (*elements)[k] = element(i * NB + k % m, j * NB + k / m);
    starpu_matrix_data_register(&handle, owner == rank ? STARPU_MAIN_RAM : -1, (uintptr_t)*elements,
                                (uint32_t)m, (uint32_t)m, (uint32_t)n, sizeof **elements);
    starpu_mpi_data_register(handle, FIRST_TAG + i + j * NT, owner);
    return handle;
}

/* B(0,0) := B(0,0) + A(0,0) for the tiles A, buffer 0, and B, buffer 1 */
static void add_corner(void *buffers[], void *arg)
{
    (void)arg;
    *(double *)STARPU_MATRIX_GET_PTR(buffers[1]) += *(double *)STARPU_MATRIX_GET_PTR(buffers[0]);
}

static struct starpu_codelet add_corner_codelet = {
    .cpu_funcs = {add_corner}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "add_corner"};

/* Submits potrf, then tasks of the program that add the corner of each diagonal tile to the corner
 * of the next one, then lauum. tile[i + j NT] is tile (i, j), tile[k (NT + 1)] diagonal tile k.
 * Compares this process' tiles with the results for a local matrix. */
static void test_handles(int p, int q)
{
    starpu_data_handle_t tile[NT * NT];
    double *elements[NT * NT], *local = malloc(N * N * sizeof *local), worst = 0;
    startile_matrix *A, *L;
    startile_request *r;
    for (int64_t k = 0; k < NT * NT; k++)
        tile[k] = register_tile(k % NT, k / NT, (int)(k % NT % p * q + k / NT % q), &elements[k]);
    EXPECT(startile_matrix_from_mpi_handles(&A, STARTILE_D, N, N, NB, NB, tile, NT, grid), 0);
    EXPECT(startile_request_create(&r), 0);
    EXPECT(startile_potrf_async('L', A, r), 0);
    for (int64_t k = 0; k + 1 < NT; k++)
        EXPECT(starpu_mpi_task_insert(MPI_COMM_WORLD, &add_corner_codelet, STARPU_R,
                                      tile[k * (NT + 1)], STARPU_RW, tile[(k + 1) * (NT + 1)], 0),
               0);
    EXPECT(startile_lauum_async('L', A, r), 0);
    EXPECT(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_matrix_destroy(A);
    for (int64_t k = 0; k < N * N; k++)
        local[k] = element(k % N, k / N);
    EXPECT(startile_matrix_wrap(&L, STARTILE_D, N, N, local, N, NB, NB), 0);
    EXPECT(startile_potrf('L', L), 0);
    EXPECT(startile_matrix_gather(L), 0);
    for (int64_t k = NB; k < N; k += NB)
        local[k * (N + 1)] += local[(k - NB) * (N + 1)];
    EXPECT(startile_lauum('L', L), 0);
    startile_matrix_destroy(L);
    for (int64_t k = 0; k < NT * NT; k++) {
        starpu_data_unregister(tile[k]);
        int64_t i = k % NT, j = k / NT, m = tile_extent(i);
        for (int64_t e = 0; e < m * tile_extent(j) && elements[k] != NULL; e++)
            if (i * NB + e % m >= j * NB + e / m)
                worst = fmax(worst,
                             fabs(elements[k][e] - local[i * NB + e % m + (j * NB + e / m) * N]));
        free(elements[k]);
    }
    EXPECT(worst <= 1e-10, 1);
    free(local);
}

/* Checks that all processes refuse handles that do not suit the grid: a tile with another owner,
 * one that StarPU-MPI does not know, a missing array, and NULL on one process. NULL on all is a
 * tile that does not exist. */
static void test_wrong_handles(void)
{
    startile_matrix *A = NULL;
    double *elements[2];
    starpu_data_handle_t tile[2] = {register_tile(0, 0, 0, &elements[0]),
                                    register_tile(1, 1, processes - 1, &elements[1])},
                         none = NULL, unknown;
    starpu_matrix_data_register(&unknown, -1, 0, NB, NB, NB, sizeof(double));
    EXPECT(startile_matrix_from_mpi_handles(&A, STARTILE_D, NB, NB, NB, NB, &tile[1], 1, grid),
           processes > 1 ? -7 : 0);
    startile_matrix_destroy(processes > 1 ? NULL : A);
    EXPECT(startile_matrix_from_mpi_handles(&A, STARTILE_D, NB, NB, NB, NB,
                                            rank == 0 ? &unknown : &tile[0], 1, grid),
           -7);
    EXPECT(startile_matrix_from_mpi_handles(&A, STARTILE_D, NB, NB, NB, NB,
                                            rank == 0 ? NULL : &tile[0], 1, grid),
           -7);
    if (processes > 1)
        EXPECT(startile_matrix_from_mpi_handles(&A, STARTILE_D, NB, NB, NB, NB,
                                                rank == 0 ? &none : &tile[0], 1, grid),
               STARTILE_ERROR_MISMATCH);
    EXPECT(startile_matrix_from_mpi_handles(&A, STARTILE_D, NB, NB, NB, NB, &none, 1, grid), 0);
    EXPECT(startile_potrf('L', A), STARTILE_ERROR_TILE);
    startile_matrix_destroy(A);
    starpu_data_unregister(unknown);
    for (int i = 0; i < 2; i++) {
        starpu_data_unregister(tile[i]);
        free(elements[i]);
    }
}

/* Adds the elements of the tile, buffer 0, to the sum, buffer 1. */
static void add_elements(void *buffers[], void *arg)
{
    const double *a = (const double *)STARPU_MATRIX_GET_PTR(buffers[0]);
    double *sum = (double *)STARPU_VARIABLE_GET_PTR(buffers[1]);
    size_t m = STARPU_MATRIX_GET_NX(buffers[0]), n = STARPU_MATRIX_GET_NY(buffers[0]);
    (void)arg;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            *sum += a[i + j * STARPU_MATRIX_GET_LD(buffers[0])];
}

static struct starpu_codelet add_elements_codelet = {.cpu_funcs = {add_elements},
                                                     .nbuffers = 2,
                                                     .modes = {STARPU_R, STARPU_RW},
                                                     .name = "add_elements"};

/* Submits tasks of the program in which each process reads all tiles. sum[r] has process r's sum of
 * the elements. */
static void submit_sums(const startile_matrix *A, starpu_data_handle_t *sum)
{
    for (int64_t k = 0; k < NT * NT * processes; k++)
        EXPECT(starpu_mpi_task_insert(
                   MPI_COMM_WORLD, &add_elements_codelet, STARPU_R,
                   startile_matrix_handle(A, k / processes % NT, k / processes / NT), STARPU_RW,
                   sum[k % processes], 0),
               0);
}

/* Returns this process' sum of the elements that its tasks have read, and sets it to 0. */
static double take_sum(starpu_data_handle_t sum)
{
    starpu_data_acquire(sum, STARPU_RW);
    double *value = (double *)starpu_variable_get_local_ptr(sum), found = *value;
    *value = 0;
    starpu_data_release(sum);
    return found;
}

/* Returns the sum of all elements, computed without copies of tiles. */
static double sum_of_owners(const startile_matrix *A, starpu_data_handle_t sum)
{
    for (int64_t k = 0; k < NT * NT; k++)
        if (startile_matrix_owner(A, k % NT, k / NT) == rank)
            EXPECT(starpu_task_insert(&add_elements_codelet, STARPU_R,
                                      startile_matrix_handle(A, k % NT, k / NT), STARPU_RW, sum, 0),
                   0);
    double total = take_sum(sum);
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* Checks tasks of the program that read all tiles in all processes. Tasks submitted before the
 * routine must read the elements from before it, tasks submitted after it its result. `here` is
 * this process' sum. */
static void test_reads(const char *routine)
{
    starpu_data_handle_t sum[processes];
    double here = 0;
    startile_matrix *A = new_matrix(N, 'H', true), *T = NULL;
    startile_pivots *P;
    startile_request *r;
    for (int i = 0; i < processes; i++) {
        starpu_variable_data_register(&sum[i], i == rank ? STARPU_MAIN_RAM : -1, (uintptr_t)&here,
                                      sizeof here);
        starpu_mpi_data_register(sum[i], FIRST_TAG + NT * NT + i, i);
    }
    EXPECT(startile_pivots_create(&P, A), 0);
    EXPECT(new_triangles(&T, A), 0);
    EXPECT(startile_laset('G', 0, 0, T), 0);
    EXPECT(startile_request_create(&r), 0);
    double before = sum_of_owners(A, sum[rank]);
    submit_sums(A, sum);
    EXPECT(strcmp(routine, "potrf") == 0          ? startile_potrf_async('L', A, r)
           : strcmp(routine, "getrf") == 0        ? startile_getrf_async(A, P, r)
           : strcmp(routine, "getrf_tntpiv") == 0 ? startile_getrf_tntpiv_async(A, P, r)
           : strcmp(routine, "ungqr") == 0        ? startile_ungqr_async(A, reflectors_of(T), r)
                                                  : startile_geqrf_async(A, reflectors_of(T), r),
           0);
    EXPECT(fabs(take_sum(sum[rank]) - before) <= 1e-9 * fabs(before), 1);
    submit_sums(A, sum);
    EXPECT(startile_request_wait(r), 0);
    double seen = take_sum(sum[rank]), after = sum_of_owners(A, sum[rank]);
    if (!(fabs(seen - after) <= 1e-9 * fabs(after))) {
        fprintf(stderr, "rank %d: after %s the sum is %g, tasks have read %g\n", rank, routine,
                after, seen);
        failures++;
    }
    for (int i = 0; i < processes; i++)
        starpu_data_unregister(sum[i]);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    matrices_destroy(T, A);
}

/* Starts StarPU-MPI as a program would, and runs the tests that use it. */
static void run_joined(int argc, char **argv, int p, int q)
{
    int level;
    struct starpu_conf conf;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    if (backend == CPU)
        conf.ncuda = 0;
    EXPECT(starpu_mpi_init_conf(&argc, &argv, 0, MPI_COMM_WORLD, &conf), 0);
    EXPECT(startile_init(NULL), 0);
    for (int round = 0; round < 2; round++) {
        EXPECT(startile_grid_create(&grid, MPI_COMM_WORLD, p, q, 'R'), 0);
        test_handles(p, q);
        test_wrong_handles();
        test_reads("potrf");
        test_reads("getrf");
        test_reads("getrf_tntpiv");
        test_reads("geqrf");
        test_reads("ungqr");
        test_usable();
        EXPECT(startile_grid_destroy(grid), 0);
    }
    startile_finalize();
    starpu_mpi_barrier(MPI_COMM_WORLD); /* the program's StarPU-MPI still runs */
    starpu_mpi_shutdown();
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    check_arguments(2, argv);
    (strcmp(argv[2], "joined") == 0 ? run_joined : run_failures)(argc, argv, atoi(argv[3]),
                                                                 atoi(argv[4]));
    if (failures == 0 && rank == 0)
        printf("passed\n");
    return failures != 0;
}
