/*
 * Tests in a program that has started StarPU itself, has disabled sequential consistency by
 * default, and passes its own handles to the library: with and without implicit dependences,
 * written and not written.
 */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"
#include "startile_batch.h"
#include "triangles.h"

#include <starpu.h>
#include <stdlib.h>

enum { N = 300, NB = 64, NRHS = 3 };

/* Overwrites T with its factors and X with the solution. Returns info. method: 'L' or 'U': Cholesky
 * of that triangle, 'G': LU, 'Q': QR */
static int64_t solve(char method, struct array T, int64_t *ipiv, struct array X)
{
    const struct reference *r = lapack(T);
    return method == 'G'   ? r->typed_gesv(T.n, X.n, T.a, T.ld, ipiv, X.a, X.ld)
           : method == 'Q' ? r->typed_gels('N', T.m, T.n, X.n, T.a, T.ld, X.a, X.ld)
                           : r->typed_posv(method, T.n, X.n, T.a, T.ld, X.a, X.ld);
}

/* Computes with LAPACK what solve() computes with startile. */
static void solve_by_lapack(char method, struct array T, int64_t *ipiv, struct array X)
{
    if (method == 'G') {
        lapack(T)->getrf(T, ipiv);
        lapack(T)->getrs('N', T, ipiv, X);
    } else if (method == 'Q') {
        lapack(T)->gels('N', T, X);
    } else {
        lapack(T)->potrf(method, T);
        lapack(T)->potrs(method, T, X);
    }
}

/* Tests that typed entries return LAPACK's solutions without sequential consistency by default. */
static void test_typed_entries(void)
{
    for (const char *method = "GLUQ"; *method != '\0'; method++) {
        in_case("solved by %c", *method);
        random_seed(7);
        struct array A = *method == 'L' || *method == 'U'
                             ? generate(&well_conditioned, dtype, N, 1)
                             : generate_general(&random_general, dtype, N, N, 1);
        struct array B = array_new_random(dtype, N, NRHS, 2);
        struct array T = array_copy(A), X = array_copy(B), F = array_copy(A), Z = array_copy(B);
        int64_t *ipiv = pivots_new(N);
        require_info(solve(*method, T, ipiv, X), 0);
        solve_by_lapack(*method, F, ipiv, Z);
        check_solution(A, X, Z, B);
        pivots_free(ipiv, N);
        arrays_free(A, B, T, X, F, Z);
    }
    check_report("without sequential consistency by default");
}

/* Tests two products of batches, of which the second reads the result of the first. */
static void test_batches(void)
{
    enum { COUNT = 60, ORDER = 12 };
    in_case("a batch");
    struct array A = array_new(dtype, ORDER, ORDER * COUNT, 0), D = array_copy(A);
    startile_batch *a, *c, *d;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < ORDER; i++)
            set(A, i, j, j % ORDER == i ? 4 : 0);
    require_info(
        startile_batch_wrap(&a, dtype, COUNT, ORDER, ORDER, A.a, ORDER, ORDER * ORDER, 4, NULL), 0);
    require_info(
        startile_batch_wrap(&d, dtype, COUNT, ORDER, ORDER, D.a, ORDER, ORDER * ORDER, 0, a), 0);
    require_info(startile_batch_create(&c, dtype, COUNT, ORDER, ORDER, 0, a), 0);
    startile_request *r = request_created();
    require_info(startile_gemm_batch_async('N', 'N', 1, a, a, 0, c, r), 0);
    require_info(startile_gemm_batch_async('N', 'N', 1, c, a, 0, d, r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_batch_destroy(c);
    startile_batch_destroy(d);
    startile_batch_destroy(a);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < ORDER; i++)
            require(get(D, i, j) == 16 * get(A, i, j));
    arrays_free(A, D);
}

/* -- the program's handles --------------------------------------------------------------------- */

enum { TILES = 2 };

/* Registers the tiles of a square matrix: in T's storage, or without memory if T has no elements.
 * ordered: with sequential consistency. */
static void register_tiles(starpu_data_handle_t tile[TILES][TILES], struct array T, bool ordered)
{
    for (int j = 0; j < TILES; j++)
        for (int i = 0; i < TILES; i++) {
            char *a = T.a == NULL
                          ? NULL
                          : (char *)T.a + (size_t)(i * NB + j * NB * T.ld) * element_size(dtype);
            starpu_matrix_data_register(&tile[j][i], a == NULL ? -1 : STARPU_MAIN_RAM, (uintptr_t)a,
                                        a == NULL ? NB : (uint32_t)T.ld, NB, NB,
                                        element_size(dtype));
            starpu_data_set_sequential_consistency_flag(tile[j][i], ordered);
        }
}

static void unregister_tiles(starpu_data_handle_t tile[TILES][TILES])
{
    for (int j = 0; j < TILES; j++)
        for (int i = 0; i < TILES; i++)
            starpu_data_unregister(tile[j][i]);
}

/* Makes a matrix from the handles and requires that this returns `expected`. */
static startile_matrix *from_tiles(starpu_data_handle_t tile[TILES][TILES], int64_t mb,
                                   int expected)
{
    startile_matrix *A = NULL;
    require_info(
        startile_matrix_from_handles(&A, dtype, TILES * NB, TILES * NB, mb, NB, &tile[0][0], TILES),
        expected);
    return A;
}

/* Tests that handles without sequential consistency are refused, when the matrix is made and by
 * later routines. */
static void test_unordered_handles(void)
{
    starpu_data_handle_t tile[TILES][TILES];
    struct array T = generate(&well_conditioned, dtype, TILES * NB, 0), F = array_copy(T);
    in_case("handles without implicit dependences");
    register_tiles(tile, T, false);
    require(from_tiles(tile, NB, -7) == NULL);
    for (int t = 0; t < TILES * TILES; t++)
        starpu_data_set_sequential_consistency_flag(tile[t / TILES][t % TILES], 1);
    in_case("switched on");
    startile_matrix *A = from_tiles(tile, NB, 0);
    require_info(startile_potrf('L', A), 0);
    in_case("switched off again");
    starpu_data_set_sequential_consistency_flag(tile[0][1], 0);
    double norm;
    require_info(startile_lange('1', A, &norm), STARTILE_ERROR_TILE);
    starpu_data_set_sequential_consistency_flag(tile[0][1], 1);
    startile_matrix_destroy(A);
    unregister_tiles(tile);
    arrays_free(T, F);
}

/* Tests that batches from vectors without sequential consistency are refused. */
static void test_unordered_vectors(void)
{
    enum { COUNT = 2 };
    double x[COUNT * 8] = {0};
    int64_t counts[] = {COUNT};
    starpu_data_handle_t vector;
    startile_batch *b = NULL;
    in_case("vectors without implicit dependences");
    starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)x, COUNT, element_size(dtype));
    require_info(startile_batch_from_handles(&b, dtype, 1, 1, 1, 1, 1, &vector, counts), -8);
    starpu_data_unregister(vector);
    starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)x, COUNT, sizeof(int64_t));
    require_info(startile_batch_integers_from_handles(&b, 1, 1, 1, &vector, counts), -5);
    starpu_data_unregister(vector);
}

/* -- without a value --------------------------------------------------------------------------- */

/* Requires routines that read the unwritten matrix A to fail. C is the result of a product. */
static void require_refused(startile_matrix *A, startile_matrix *C)
{
    double norm;
    in_case("unwritten tiles");
    require_info(startile_potrf('L', A), STARTILE_ERROR_TILE);
    require_info(startile_potrf('U', A), STARTILE_ERROR_TILE);
    require_info(startile_lange('1', A, &norm), STARTILE_ERROR_TILE);
    require_info(startile_gemm('N', 'N', 1, A, A, 1, C), STARTILE_ERROR_TILE);
    startile_matrix *T = reflectors_created(A);
    require_info(startile_geqrf(A, reflectors_of(T)), STARTILE_ERROR_TILE);
    startile_matrix_destroy(T);
    startile_pivots *P = pivots_created(A);
    require_info(startile_getrf(A, P), STARTILE_ERROR_TILE);
    require_info(startile_getrf_tntpiv(A, P), STARTILE_ERROR_TILE);
    startile_pivots_destroy(P);
}

/* Requires that A may be written, and that tasks that read it may be submitted before the writing
 * tasks have run. */
static void require_usable(startile_matrix *A)
{
    double norm = -1;
    in_case("written");
    startile_request *r = request_created();
    require_info(startile_laset_async('G', 0, 4, A, r), 0);
    require_info(startile_potrf_async('L', A, r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    require_info(startile_lange('M', A, &norm), 0);
    require(norm == 2);
}

/* Tests that routines refuse tiles without a value, and accept them once they are written. */
static void test_unwritten_tiles(void)
{
    starpu_data_handle_t tile[TILES][TILES], tile_of_B[TILES][TILES];
    register_tiles(tile, (struct array){.a = NULL}, true);
    register_tiles(tile_of_B, (struct array){.a = NULL}, true);
    startile_matrix *A = from_tiles(tile, NB, 0), *B = from_tiles(tile_of_B, NB, 0);
    require_refused(A, B);
    require_usable(A);
    require_refused(B, A);
    in_case("written, then dropped by the program");
    starpu_data_invalidate(tile[0][0]);
    starpu_task_wait_for_all();
    require_info(startile_potrf('L', A), STARTILE_ERROR_TILE);
    require_usable(A);
    matrices_destroy(A, B);
    unregister_tiles(tile);
    unregister_tiles(tile_of_B);
}

/* Tests that routines on batches refuse vectors without a value. */
static void test_unwritten_vectors(void)
{
    enum { COUNT = 5, ORDER = 4 };
    starpu_data_handle_t a, infos;
    startile_batch *A, *info;
    int64_t counts[] = {COUNT}, read[COUNT];
    in_case("an unwritten batch");
    starpu_vector_data_register(&a, -1, 0, COUNT * ORDER * ORDER, element_size(dtype));
    starpu_vector_data_register(&infos, -1, 0, COUNT, sizeof(int64_t));
    starpu_data_set_sequential_consistency_flag(a, 1);
    starpu_data_set_sequential_consistency_flag(infos, 1);
    require_info(
        startile_batch_from_handles(&A, dtype, ORDER, ORDER, ORDER, ORDER * ORDER, 1, &a, counts),
        0);
    require_info(startile_batch_integers_from_handles(&info, 1, 1, 1, &infos, counts), 0);
    require_info(startile_potrf_batch('L', A, info), STARTILE_ERROR_TILE);
    require_info(startile_batch_to_lapack(info, read, 1, 1), STARTILE_ERROR_TILE);
    startile_batch_destroy(A);
    startile_batch_destroy(info);
    starpu_data_unregister(a);
    starpu_data_unregister(infos);
}

/* Tests pivots with gaps between the columns of the batch, in a registered vector without a value.
 * The library need not keep the content of the gaps. */
static void test_dropped_gaps(void)
{
    enum { COUNT = 5, ORDER = 2, STRIDE = 3 };
    struct array A = array_new(dtype, ORDER, ORDER * COUNT, 0);
    int64_t pivots[COUNT * STRIDE] = {0}, counts[] = {COUNT};
    starpu_data_handle_t a, p;
    startile_batch *F, *P, *info;
    in_case("pivots whose value was dropped");
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < ORDER; i++)
            set(A, i, j, j % ORDER == i ? 4 : 0);
    starpu_vector_data_register(&a, STARPU_MAIN_RAM, (uintptr_t)A.a, ORDER * ORDER * COUNT,
                                element_size(dtype));
    starpu_vector_data_register(&p, STARPU_MAIN_RAM, (uintptr_t)pivots, COUNT * STRIDE,
                                sizeof(int64_t));
    starpu_data_set_sequential_consistency_flag(a, 1);
    starpu_data_set_sequential_consistency_flag(p, 1);
    starpu_data_invalidate(p);
    require_info(
        startile_batch_from_handles(&F, dtype, ORDER, ORDER, ORDER, ORDER * ORDER, 1, &a, counts),
        0);
    require_info(startile_batch_integers_from_handles(&P, ORDER, STRIDE, 1, &p, counts), 0);
    require_info(startile_batch_create_integers(&info, COUNT, 1, 0, F), 0);
    require_info(startile_getrf_batch(F, P, info), 0);
    startile_batch_destroy(F);
    startile_batch_destroy(P);
    startile_batch_destroy(info);
    starpu_data_unregister(a);
    starpu_data_unregister(p);
    for (int q = 0; q < COUNT; q++)
        require(pivots[q * STRIDE] == 1 && pivots[q * STRIDE + 1] == 2);
    array_free(A);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    startile_options o = check_options();
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncuda = o.ncuda;
    if (starpu_init(&conf) != 0)
        check_skip("StarPU does not start");
    starpu_data_set_default_sequential_consistency_flag(0);
    require_info(startile_init(&o), 0);
    int failed = check_finish(run_group(
        "handles", test_typed_entries, test_batches, test_unordered_handles, test_unordered_vectors,
        test_unwritten_tiles, test_unwritten_vectors, test_dropped_gaps));
    starpu_shutdown();
    return failed;
}
