/* Tests wrong arguments of functions on descriptors: a function whose argument i is wrong returns
 * −i and writes nothing. test_routine_arguments.c has the routines on matrices, test_random_calls
 * those with LAPACK's arguments. */
#include "check.h"
#include "objects.h"
#include "triangles.h"

#include <limits.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, NB = 4 };

/* Initial value of descriptors; a failing constructor must not write it. */
#define UNTOUCHED ((startile_matrix *)(uintptr_t)0x5a5a)

#define UNTOUCHED_PIVOTS ((startile_pivots *)(uintptr_t)0x5a5a)

#define UNTOUCHED_TREE ((startile_tree *)(uintptr_t)0x5a5a)

/* Requires the call, whose argument number `argument` is wrong, to return −argument. */
#define wrong(argument, call)                                                                      \
    do {                                                                                           \
        in_case("%s", #call);                                                                      \
        require_info(call, -(argument));                                                           \
    } while (0)

/* Operands of all tests */
static struct array c, before;
static startile_matrix *A;          /* 12 × 12, in c */
static startile_matrix *rectangle;  /* 12 × 10 */
static startile_matrix *straddling; /* 12 × 12 in tiles of 5 × 3, which cut diagonal blocks */
static startile_matrix *triangles;  /* T for A */
static startile_pivots *P;          /* for A */
static startile_request *r;

static int set_up(void **state)
{
    (void)state;
    c = array_new_random(dtype, N, N, 0);
    before = array_copy(c);
    A = matrix_wrapped(dtype, N, N, c.a, c.ld, NB, NB);
    rectangle = matrix_created(dtype, N, 10, NB, NB);
    straddling = matrix_created(dtype, N, N, 5, 3);
    P = pivots_created(A);
    triangles = reflectors_created(A);
    r = request_created();
    return 0;
}

/* Requires that no element, pivot or border has changed. */
static int tear_down(void **state)
{
    (void)state;
    int64_t ipiv[N];
    in_case("after the wrong calls");
    startile_request_destroy(r);
    matrices_destroy(A, rectangle, straddling, triangles);
    require_info(startile_pivots_to_lapack(P, ipiv), 0);
    for (int64_t k = 0; k < N; k++)
        require_info(ipiv[k], k + 1);
    startile_pivots_destroy(P);
    require(is_same(c, before));
    arrays_free(c, before);
    return 0;
}

static void test_requests(void)
{
    int done = -7;
    wrong(1, startile_request_create(NULL));
    wrong(1, startile_request_set_priority(NULL, 0));
    wrong(2, startile_request_set_priority(r, 1001));
    wrong(2, startile_request_set_priority(r, -1001));
    wrong(2, startile_request_set_priority(r, INT_MIN));
    wrong(1, startile_request_wait(NULL));
    wrong(1, startile_request_test(NULL, &done));
    wrong(2, startile_request_test(r, NULL));
    wrong(1, startile_request_cancel(NULL));
    starpu_data_handle_t outcome = NULL;
    wrong(1, startile_request_outcome(NULL, &outcome));
    wrong(2, startile_request_outcome(r, NULL));
    require(outcome == NULL);
    startile_request_destroy(NULL);
    require(done == -7);
}

static void test_create(void)
{
    startile_matrix *M = UNTOUCHED;
    wrong(1, startile_matrix_create(NULL, dtype, 4, 4, 2, 2));
    wrong(2, startile_matrix_create(&M, (startile_dtype)4, 4, 4, 2, 2));
    wrong(2, startile_matrix_create(&M, (startile_dtype)-1, 4, 4, 2, 2));
    wrong(3, startile_matrix_create(&M, dtype, -1, 4, 2, 2));
    wrong(4, startile_matrix_create(&M, dtype, 4, -1, 2, 2));
    wrong(5, startile_matrix_create(&M, dtype, 4, 4, 0, 0));
    wrong(5, startile_matrix_create(&M, dtype, 4, 4, (int64_t)INT_MAX + 1, 2));
    wrong(6, startile_matrix_create(&M, dtype, 4, 4, 2, 0));
    wrong(6, startile_matrix_create(&M, dtype, 4, 4, 2, (int64_t)INT_MAX + 1));
    wrong(1, startile_matrix_create_for(NULL, "getrf", dtype, 4, 4));
    wrong(2, startile_matrix_create_for(&M, NULL, dtype, 4, 4));
    wrong(2, startile_matrix_create_for(&M, "dgetrf", dtype, 4, 4));
    wrong(3, startile_matrix_create_for(&M, "getrf", (startile_dtype)4, 4, 4));
    wrong(4, startile_matrix_create_for(&M, "getrf", dtype, -1, 4));
    wrong(5, startile_matrix_create_for(&M, "getrf", dtype, 4, -1));
    require(M == UNTOUCHED);
}

static void test_wrap(void)
{
    startile_matrix *M = UNTOUCHED;
    wrong(1, startile_matrix_wrap(NULL, dtype, N, N, c.a, N, 2, 2));
    wrong(2, startile_matrix_wrap(&M, (startile_dtype)9, N, N, c.a, N, 2, 2));
    wrong(3, startile_matrix_wrap(&M, dtype, -1, N, c.a, N, 2, 2));
    wrong(4, startile_matrix_wrap(&M, dtype, N, -1, c.a, N, 2, 2));
    wrong(5, startile_matrix_wrap(&M, dtype, N, N, NULL, N, 2, 2));
    wrong(6, startile_matrix_wrap(&M, dtype, N, N, c.a, N - 1, 2, 2));
    wrong(6, startile_matrix_wrap(&M, dtype, 0, N, c.a, 0, 2, 2));
    wrong(6, startile_matrix_wrap(&M, dtype, N, N, c.a, -N, 2, 2));
    wrong(7, startile_matrix_wrap(&M, dtype, N, N, c.a, N, 0, 0));
    wrong(8, startile_matrix_wrap(&M, dtype, N, N, c.a, N, 2, 0));
    wrong(1, startile_matrix_wrap_for(NULL, "potrf", dtype, N, N, c.a, N));
    wrong(2, startile_matrix_wrap_for(&M, "", dtype, N, N, c.a, N));
    wrong(3, startile_matrix_wrap_for(&M, "potrf", (startile_dtype)9, N, N, c.a, N));
    wrong(4, startile_matrix_wrap_for(&M, "potrf", dtype, -1, N, c.a, N));
    wrong(5, startile_matrix_wrap_for(&M, "potrf", dtype, N, -1, c.a, N));
    wrong(6, startile_matrix_wrap_for(&M, "potrf", dtype, N, N, NULL, N));
    wrong(7, startile_matrix_wrap_for(&M, "potrf", dtype, N, N, c.a, N - 1));
    require(M == UNTOUCHED);
    /* a NULL is allowed for an empty matrix only */
    M = matrix_wrapped(dtype, 0, 3, NULL, 1, 2, 2);
    startile_matrix_destroy(M);
    M = matrix_wrapped(dtype, 3, 0, NULL, 3, 2, 2);
    startile_matrix_destroy(M);
}

static void test_from_handles(void)
{
    startile_matrix *M = UNTOUCHED;
    starpu_data_handle_t tiles[4], wrong_tiles[4], wide, tall, wrong_size, vector, unordered;
    double memory[64] = {0};
    size_t size = element_size(dtype), other_size = size == 4 ? 8 : 4;
    for (int t = 0; t < 4; t++)
        starpu_matrix_data_register(&tiles[t], -1, 0, 2, 2, 2, size);
    starpu_matrix_data_register(&wide, -1, 0, 2, 2, 3, size);
    starpu_matrix_data_register(&tall, -1, 0, 3, 3, 2, size);
    starpu_matrix_data_register(&wrong_size, -1, 0, 2, 2, 2, other_size);
    starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)memory, 4, sizeof(double));
    starpu_matrix_data_register(&unordered, -1, 0, 2, 2, 2, size);
    starpu_data_set_sequential_consistency_flag(unordered, 0);

    wrong(1, startile_matrix_from_handles(NULL, dtype, 4, 4, 2, 2, tiles, 2));
    wrong(2, startile_matrix_from_handles(&M, (startile_dtype)4, 4, 4, 2, 2, tiles, 2));
    wrong(3, startile_matrix_from_handles(&M, dtype, -4, 4, 2, 2, tiles, 2));
    wrong(4, startile_matrix_from_handles(&M, dtype, 4, -4, 2, 2, tiles, 2));
    wrong(5, startile_matrix_from_handles(&M, dtype, 4, 4, 0, 2, tiles, 2));
    wrong(6, startile_matrix_from_handles(&M, dtype, 4, 4, 2, 0, tiles, 2));
    require_message(startile_matrix_from_handles(&M, dtype, 4, 4, 2, 2, NULL, 2), -7, "is NULL");
    wrong(8, startile_matrix_from_handles(&M, dtype, 4, 4, 2, 2, tiles, 1));
    const starpu_data_handle_t unsuitable[] = {wide, tall, wrong_size, vector, unordered};
    static const char *const words[] = {"2 x 3 elements, not 2 x 2", "3 x 2 elements, not 2 x 2",
                                        "elements of", "not registered as a matrix",
                                        "no sequential consistency"};
    for (int u = 0; u < 5; u++)
        for (int place = 0; place < 4; place++) {
            for (int t = 0; t < 4; t++)
                wrong_tiles[t] = t == place ? unsuitable[u] : tiles[t];
            require_message(startile_matrix_from_handles(&M, dtype, 4, 4, 2, 2, wrong_tiles, 2), -7,
                            words[u]);
            /* the next -7 may be another function's */
            require(strstr(startile_strerror(-7), words[u]) == NULL);
        }
    /* the last tiles must be smaller */
    wrong(7, startile_matrix_from_handles(&M, dtype, 3, 4, 2, 2, tiles, 2));
    require(M == UNTOUCHED);

    /* valid: ldt = 3 is larger than the number of tile rows, and one tile is NULL */
    starpu_data_handle_t padded_tiles[6] = {tiles[0], tiles[1], NULL, NULL, tiles[3], NULL};
    require_info(startile_matrix_from_handles(&M, dtype, 4, 4, 2, 2, padded_tiles, 3), 0);
    require(startile_matrix_handle(M, 1, 1) == tiles[3]);
    require(startile_matrix_handle(M, 0, 1) == NULL);
    startile_matrix_destroy(M);
    starpu_data_handle_t all[] = {tiles[0], tiles[1],   tiles[2], tiles[3], wide,
                                  tall,     wrong_size, vector,   unordered};
    for (int h = 0; h < 9; h++)
        starpu_data_unregister(all[h]);
}

static const char *const routines[] = {"potrf", "getrf", "geqrf", "geqrf_tree", "gesv_mixed"};
enum { ROUTINES = sizeof routines / sizeof *routines };

/* Tests numbers of tiles that exceed the memory or an integer. */
static void test_too_many_tiles(void)
{
    startile_matrix *M = UNTOUCHED;
    in_case("2^40 × 2^40 in tiles of 2^10");
    require_info(
        startile_matrix_create(&M, dtype, (int64_t)1 << 40, (int64_t)1 << 40, 1 << 10, 1 << 10),
        STARTILE_ERROR_MEMORY);
    in_case("2^62 × 2^62 in tiles of 1");
    require_info(startile_matrix_create(&M, dtype, (int64_t)1 << 62, (int64_t)1 << 62, 1, 1),
                 STARTILE_ERROR_MEMORY);
    for (int i = 0; i < ROUTINES; i++) {
        in_case("2^62 × 2^62 in tiles for %s", routines[i]);
        require_info(
            startile_matrix_create_for(&M, routines[i], dtype, (int64_t)1 << 62, (int64_t)1 << 62),
            STARTILE_ERROR_MEMORY);
    }
    require(M == UNTOUCHED);
}

/* Destroys M after a check of its tiles. */
static void require_tiles(startile_matrix *M, int64_t mb, int64_t nb)
{
    startile_shape s = startile_matrix_shape(M);
    require(s.mb == mb && s.nb == nb);
    startile_matrix_destroy(M);
}

/* Tests that startile_matrix_create_for() and startile_matrix_wrap_for() use the tiles of
 * startile_tile_shape() and startile_tile_shape_in_host(). */
static void test_tiles_for_routines(void)
{
    enum { LARGE = 4000 };
    void *a = calloc((size_t)LARGE * LARGE, element_size(dtype));
    require(a != NULL);
    for (int i = 0; i < ROUTINES; i++) {
        startile_matrix *made;
        int64_t mb, nb;
        in_case("tiles for %s", routines[i]);
        require_info(startile_tile_shape(routines[i], dtype, LARGE, LARGE, &mb, &nb), 0);
        require_info(startile_matrix_create_for(&made, routines[i], dtype, LARGE, LARGE), 0);
        require_tiles(made, mb, nb);
        require_info(startile_tile_shape_in_host(routines[i], dtype, LARGE, LARGE, &mb, &nb), 0);
        require_info(startile_matrix_wrap_for(&made, routines[i], dtype, LARGE, LARGE, a, LARGE),
                     0);
        require_tiles(made, mb, nb);
    }
    free(a);
}

static void test_matrix_functions(void)
{
    wrong(1, startile_matrix_gather(NULL));
    wrong(1, startile_matrix_gather(rectangle));
    startile_matrix_destroy(NULL);
    in_case("handles out of range");
    require(startile_matrix_handle(NULL, 0, 0) == NULL);
    require(startile_matrix_handle(A, -1, 0) == NULL && startile_matrix_handle(A, 0, -1) == NULL);
    require(startile_matrix_handle(A, 3, 0) == NULL && startile_matrix_handle(A, 0, 3) == NULL);
    require(startile_matrix_handle(A, 2, 2) != NULL);
    startile_shape shape_of_null = startile_matrix_shape(NULL),
                   s = startile_matrix_shape(rectangle);
    require(shape_of_null.m == 0 && shape_of_null.n == 0 && shape_of_null.mb == 0 &&
            shape_of_null.nb == 0 && shape_of_null.mt == 0 && shape_of_null.nt == 0);
    require(s.dtype == dtype && s.m == N && s.n == 10 && s.mb == NB && s.nb == NB && s.mt == 3 &&
            s.nt == 3);
    wrong(1, startile_matrix_from_lapack(NULL, c.a, N));
    wrong(2, startile_matrix_from_lapack(A, NULL, N));
    wrong(3, startile_matrix_from_lapack(A, c.a, N - 1));
    wrong(1, startile_matrix_to_lapack(NULL, c.a, N));
    wrong(2, startile_matrix_to_lapack(A, NULL, N));
    wrong(3, startile_matrix_to_lapack(A, c.a, N - 1));
}

/* Tests functions of pivots, and startile_tile_shape(). */
static void test_pivots(void)
{
    startile_pivots *made = UNTOUCHED_PIVOTS;
    int64_t mb = -7, nb = -7, ipiv[N];
    for (int64_t k = 0; k < N; k++)
        ipiv[k] = k + 1;
    wrong(1, startile_pivots_create(NULL, A));
    wrong(2, startile_pivots_create(&made, NULL));
    require(made == UNTOUCHED_PIVOTS);
    wrong(1, startile_pivots_to_lapack(NULL, ipiv));
    wrong(2, startile_pivots_to_lapack(P, NULL));
    wrong(1, startile_pivots_from_lapack(NULL, ipiv));
    wrong(2, startile_pivots_from_lapack(P, NULL));
    ipiv[5] = 5;
    wrong(2, startile_pivots_from_lapack(P, ipiv));
    ipiv[5] = N + 1;
    wrong(2, startile_pivots_from_lapack(P, ipiv));
    startile_pivots_destroy(NULL);
    in_case("handles out of range");
    require(startile_pivots_handle(NULL, 0) == NULL && startile_pivots_handle(P, -1) == NULL);
    require(startile_pivots_handle(P, 3) == NULL && startile_pivots_handle(P, 2) != NULL);
    wrong(1, startile_tile_shape(NULL, dtype, N, N, &mb, &nb));
    wrong(1, startile_tile_shape("", dtype, N, N, &mb, &nb));
    wrong(1, startile_tile_shape("dgetrf", dtype, N, N, &mb, &nb));
    wrong(2, startile_tile_shape("getrf", (startile_dtype)4, N, N, &mb, &nb));
    wrong(3, startile_tile_shape("getrf", dtype, -1, N, &mb, &nb));
    wrong(4, startile_tile_shape("potrf", dtype, N, -1, &mb, &nb));
    wrong(5, startile_tile_shape("getrf", dtype, N, N, NULL, &nb));
    wrong(6, startile_tile_shape("getrf", dtype, N, N, &mb, NULL));
    require(mb == -7 && nb == -7);
}

static void test_reflectors(void)
{
    startile_matrix *made = UNTOUCHED;
    double tau[2 * N] = {0};
    wrong(1, new_triangles(NULL, A));
    wrong(2, new_triangles(&made, NULL));
    startile_reflectors *same = NULL;
    wrong(1, startile_reflectors_from_matrix(NULL, triangles));
    wrong(2, startile_reflectors_from_matrix(&same, NULL));
    wrong(2, startile_reflectors_from_matrix(&same, straddling));
    require(same == NULL && startile_reflectors_matrix(NULL) == NULL);
    startile_reflectors_destroy(NULL);
    require(made == UNTOUCHED);
    wrong(1, startile_reflectors_to_lapack(NULL, tau));
    wrong(2, startile_reflectors_to_lapack(reflectors_of(triangles), NULL));
    wrong(1, startile_reflectors_to_lapack(reflectors_of(straddling), tau));
    wrong(1, startile_reflectors_from_lapack('X', A, tau, reflectors_of(triangles)));
    wrong(2, startile_reflectors_from_lapack('C', NULL, tau, reflectors_of(triangles)));
    wrong(2, startile_reflectors_from_lapack('R', straddling, tau, reflectors_of(triangles)));
    wrong(3, startile_reflectors_from_lapack('C', A, NULL, reflectors_of(triangles)));
    startile_matrix *const wrongs[] = {
        NULL, matrix_created((startile_dtype)((dtype + 1) % 4), NB, N, NB, NB),
        matrix_created(dtype, NB - 1, N, NB - 1, NB - 1),
        matrix_created(dtype, NB + 1, N, NB + 1, NB + 1), matrix_created(dtype, NB, N + 1, NB, NB)};
    for (int i = 0; i < 5; i++) {
        wrong(4, startile_reflectors_from_lapack('C', A, tau, reflectors_of(wrongs[i])));
        startile_matrix_destroy(wrongs[i]);
    }
}

static void test_trees(void)
{
    startile_tree *made = UNTOUCHED_TREE;
    wrong(1, startile_tree_create(NULL, A, STARTILE_TREE_FLAT));
    wrong(2, startile_tree_create(&made, NULL, STARTILE_TREE_FLAT));
    wrong(2, startile_tree_create(&made, straddling, STARTILE_TREE_BINARY));
    wrong(3, startile_tree_create(&made, A, (startile_tree_kind)3));
    wrong(3, startile_tree_create(&made, A, (startile_tree_kind)-1));
    require(made == UNTOUCHED_TREE);
    startile_tree_destroy(NULL);
}

/* Tests that the first of several wrong arguments is reported, as by LAPACK. */
static void test_first_wrong_argument(void)
{
    startile_matrix *M = UNTOUCHED;
    wrong(2, startile_matrix_create(&M, (startile_dtype)7, -1, -1, -1, -1));
    wrong(4, startile_matrix_wrap(&M, dtype, N, -1, NULL, 0, -1, -1));
    wrong(5, startile_matrix_wrap(&M, dtype, N, N, NULL, 0, -1, -1));
    wrong(2, startile_matrix_wrap_for(&M, "", (startile_dtype)7, -1, -1, NULL, 0));
    startile_tree *tree = UNTOUCHED_TREE;
    wrong(2, startile_tree_create(&tree, NULL, (startile_tree_kind)7));
    require(M == UNTOUCHED && tree == UNTOUCHED_TREE);
}

static void test_memory(void)
{
    double x[8];
    wrong(1, startile_pin(NULL, 8));
    wrong(2, startile_pin(x, 0));
    wrong(1, startile_unpin(NULL, 8));
    wrong(2, startile_unpin(x, 0));
    startile_free(NULL, 8);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    return check_finish(run_group_between(
        set_up, tear_down, "arguments", test_requests, test_create, test_wrap, test_from_handles,
        test_too_many_tiles, test_tiles_for_routines, test_matrix_functions, test_pivots,
        test_reflectors, test_trees, test_first_wrong_argument, test_memory));
}
