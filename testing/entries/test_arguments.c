/* Tests wrong arguments: a function whose argument i is wrong returns −i, submits nothing and
 * writes nothing. */
#include "check.h"
#include "reference.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
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

/* Operands of all tests: valid arguments, and matrices each of which is wrong in one way. */
static struct array a, b, c, before_a, before_b, before_c;
static startile_matrix *A, *B, *C;
static startile_matrix *rectangle;         /* 12 × 10 */
static startile_matrix *rectangular_tiles; /* 12 × 12 in tiles of 4 × 3 */
static startile_matrix *other_tiles;       /* 12 × 12 in tiles of 5 × 5 */
static startile_matrix *other_type;        /* 12 × 12 of another type */
static startile_matrix *small;             /* 8 × 8 */
static startile_matrix *straddling;     /* 12 × 12 in tiles of 5 × 3, which cut diagonal blocks */
static startile_pivots *P;              /* for A */
static startile_pivots *P_of_rectangle; /* for rectangle */
static startile_matrix *triangles;      /* T for A */
static startile_matrix *triangles_of_rectangle; /* for rectangle */
static startile_matrix *wide;                   /* 10 × 12 */
static startile_tree *tree;                     /* for A */
static startile_tree *tree_of_rectangle;        /* for rectangle */
static startile_request *r;
static double value;

/* Returns a matrix from startile_matrix_create(). */
static startile_matrix *created(startile_dtype type, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    startile_matrix *M;
    require_info(startile_matrix_create(&M, type, m, n, mb, nb), 0);
    return M;
}

/* Makes the operands. `value` is the result of routines that return a number; −7: not written. */
static int set_up(void **state)
{
    (void)state;
    a = array_new(dtype, N, N, 1);
    b = array_new(dtype, N, 5, 2);
    c = array_new(dtype, N, N, 0);
    array_random(a);
    array_random(b);
    array_random(c);
    before_a = array_copy(a);
    before_b = array_copy(b);
    before_c = array_copy(c);
    require_info(startile_matrix_wrap(&A, dtype, N, N, a.a, a.ld, NB, NB), 0);
    require_info(startile_matrix_wrap(&B, dtype, N, 5, b.a, b.ld, NB, NB), 0);
    require_info(startile_matrix_wrap(&C, dtype, N, N, c.a, c.ld, NB, NB), 0);
    rectangle = created(dtype, N, 10, NB, NB);
    rectangular_tiles = created(dtype, N, N, NB, 3);
    other_tiles = created(dtype, N, N, 5, 5);
    other_type = created((startile_dtype)((dtype + 1) % 4), N, N, NB, NB);
    small = created(dtype, 8, 8, NB, NB);
    straddling = created(dtype, N, N, 5, 3);
    require_info(startile_pivots_create(&P, A), 0);
    require_info(startile_pivots_create(&P_of_rectangle, rectangle), 0);
    wide = created(dtype, 10, N, NB, NB);
    require_info(startile_reflectors_create(&triangles, A), 0);
    require_info(startile_reflectors_create(&triangles_of_rectangle, rectangle), 0);
    require_info(startile_tree_create(&tree, A, STARTILE_TREE_FLAT), 0);
    require_info(startile_tree_create(&tree_of_rectangle, rectangle, STARTILE_TREE_FLAT), 0);
    require_info(startile_request_create(&r), 0);
    value = -7;
    return 0;
}

/* Requires that nothing was submitted, and that no element, value or border has changed. */
static int tear_down(void **state)
{
    (void)state;
    int done = 0;
    in_case("after the wrong calls");
    require_info(startile_test(r, &done), 0);
    require(done == 1 && value == -7);
    require_info(startile_wait(r), 0);
    startile_request_destroy(r);
    startile_matrix *all[] = {
        A,          B,     C,          rectangle, rectangular_tiles,      other_tiles,
        other_type, small, straddling, triangles, triangles_of_rectangle, wide};
    for (int i = 0; i < 12; i++)
        startile_matrix_destroy(all[i]);
    startile_tree_destroy(tree);
    startile_tree_destroy(tree_of_rectangle);
    int64_t ipiv[N];
    require_info(startile_pivots_to_lapack(P, ipiv), 0);
    for (int64_t k = 0; k < N; k++)
        require_info(ipiv[k], k + 1);
    startile_pivots_destroy(P);
    startile_pivots_destroy(P_of_rectangle);
    require(is_same(a, before_a) && is_same(b, before_b) && is_same(c, before_c));
    struct array arrays[] = {a, b, c, before_a, before_b, before_c};
    for (int i = 0; i < 6; i++)
        array_free(arrays[i]);
    return 0;
}

static void test_requests(void **state)
{
    (void)state;
    int done = -7;
    wrong(1, startile_request_create(NULL));
    wrong(1, startile_request_set_priority(NULL, 0));
    wrong(2, startile_request_set_priority(r, 1001));
    wrong(2, startile_request_set_priority(r, -1001));
    wrong(2, startile_request_set_priority(r, INT_MIN));
    wrong(1, startile_wait(NULL));
    wrong(1, startile_test(NULL, &done));
    wrong(2, startile_test(r, NULL));
    wrong(1, startile_cancel(NULL));
    starpu_data_handle_t outcome = NULL;
    wrong(1, startile_request_outcome(NULL, &outcome));
    wrong(2, startile_request_outcome(r, NULL));
    require(outcome == NULL);
    startile_request_destroy(NULL);
    require(done == -7);
}

static void test_create(void **state)
{
    (void)state;
    startile_matrix *M = UNTOUCHED;
    wrong(1, startile_matrix_create(NULL, dtype, 4, 4, 2, 2));
    wrong(2, startile_matrix_create(&M, (startile_dtype)4, 4, 4, 2, 2));
    wrong(2, startile_matrix_create(&M, (startile_dtype)-1, 4, 4, 2, 2));
    wrong(3, startile_matrix_create(&M, dtype, -1, 4, 2, 2));
    wrong(4, startile_matrix_create(&M, dtype, 4, -1, 2, 2));
    wrong(5, startile_matrix_create(&M, dtype, 4, 4, -1, 2));
    wrong(5, startile_matrix_create(&M, dtype, 4, 4, (int64_t)INT_MAX + 1, 2));
    wrong(6, startile_matrix_create(&M, dtype, 4, 4, 2, -1));
    wrong(6, startile_matrix_create(&M, dtype, 4, 4, 2, (int64_t)INT_MAX + 1));
    wrong(6, startile_matrix_create(&M, dtype, 4, 4, 2, 0));
    wrong(6, startile_matrix_create(&M, dtype, 4, 4, 0, 2));
    require(M == UNTOUCHED);
}

static void test_wrap(void **state)
{
    (void)state;
    startile_matrix *M = UNTOUCHED;
    wrong(1, startile_matrix_wrap(NULL, dtype, N, N, c.a, N, 2, 2));
    wrong(2, startile_matrix_wrap(&M, (startile_dtype)9, N, N, c.a, N, 2, 2));
    wrong(3, startile_matrix_wrap(&M, dtype, -1, N, c.a, N, 2, 2));
    wrong(4, startile_matrix_wrap(&M, dtype, N, -1, c.a, N, 2, 2));
    wrong(5, startile_matrix_wrap(&M, dtype, N, N, NULL, N, 2, 2));
    wrong(6, startile_matrix_wrap(&M, dtype, N, N, c.a, N - 1, 2, 2));
    wrong(6, startile_matrix_wrap(&M, dtype, 0, N, c.a, 0, 2, 2));
    wrong(6, startile_matrix_wrap(&M, dtype, N, N, c.a, -N, 2, 2));
    wrong(7, startile_matrix_wrap(&M, dtype, N, N, c.a, N, -1, 2));
    wrong(8, startile_matrix_wrap(&M, dtype, N, N, c.a, N, 2, -1));
    wrong(8, startile_matrix_wrap(&M, dtype, N, N, c.a, N, 2, 0));
    wrong(8, startile_matrix_wrap(&M, dtype, N, N, c.a, N, 0, 2));
    require(M == UNTOUCHED);
    /* a NULL is allowed for an empty matrix only */
    require_info(startile_matrix_wrap(&M, dtype, 0, 3, NULL, 1, 2, 2), 0);
    startile_matrix_destroy(M);
    require_info(startile_matrix_wrap(&M, dtype, 3, 0, NULL, 3, 0, 0), 0);
    startile_matrix_destroy(M);
}

static void test_from_handles(void **state)
{
    (void)state;
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

/* Tests numbers of tiles that exceed the memory or an integer. */
static void test_too_many_tiles(void **state)
{
    (void)state;
    startile_matrix *M = UNTOUCHED;
    in_case("2^40 × 2^40 in tiles of 2^10");
    require_info(
        startile_matrix_create(&M, dtype, (int64_t)1 << 40, (int64_t)1 << 40, 1 << 10, 1 << 10),
        STARTILE_ERROR_MEMORY);
    in_case("2^62 × 2^62 in tiles of 1");
    require_info(startile_matrix_create(&M, dtype, (int64_t)1 << 62, (int64_t)1 << 62, 1, 1),
                 STARTILE_ERROR_MEMORY);
    require(M == UNTOUCHED);
}

static void test_matrix_functions(void **state)
{
    (void)state;
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
    wrong(1, startile_from_lapack(NULL, c.a, N));
    wrong(2, startile_from_lapack(A, NULL, N));
    wrong(3, startile_from_lapack(A, c.a, N - 1));
    wrong(1, startile_to_lapack(NULL, c.a, N));
    wrong(2, startile_to_lapack(A, NULL, N));
    wrong(3, startile_to_lapack(A, c.a, N - 1));
}

/* Tests laset, lacpy and random. */
static void test_laset(void **state)
{
    (void)state;
    wrong(1, startile_laset_async('X', 0, 1, A, r));
    wrong(4, startile_laset_async('G', 0, 1, NULL, r));
    wrong(4, startile_laset_async('L', 0, 1, rectangular_tiles, r));
    wrong(5, startile_laset_async('G', 0, 1, A, NULL));
    wrong(1, startile_laset('\0', 0, 1, A));
    wrong(4, startile_laset('U', 0, 1, NULL));

    wrong(1, startile_lacpy_async('X', A, C, r));
    wrong(2, startile_lacpy_async('G', NULL, C, r));
    wrong(3, startile_lacpy_async('G', A, NULL, r));
    wrong(3, startile_lacpy_async('G', A, A, r));
    wrong(3, startile_lacpy_async('G', other_type, A, r));
    wrong(3, startile_lacpy_async('G', small, A, r));
    wrong(3, startile_lacpy_async('G', rectangle, A, r));
    wrong(4, startile_lacpy_async('G', A, C, NULL));
    wrong(1, startile_lacpy('X', A, C));
    wrong(3, startile_lacpy('G', wide, C));

    wrong(1, startile_random_async('X', 1, 0, A, r));
    wrong(4, startile_random_async('G', 1, 0, NULL, r));
    wrong(4, startile_random_async('S', 1, 0, rectangle, r));
    wrong(4, startile_random_async('H', 1, 0, B, r));
    wrong(5, startile_random_async('G', 1, 0, A, NULL));
    wrong(1, startile_random('X', 1, 0, A));
    wrong(4, startile_random('S', 1, 0, B));
}

/* Tests lange, lansy and lanhe. */
static void test_norms(void **state)
{
    (void)state;
    wrong(1, startile_lange_async('X', A, &value, r));
    wrong(2, startile_lange_async('M', NULL, &value, r));
    wrong(3, startile_lange_async('M', A, NULL, r));
    wrong(4, startile_lange_async('M', A, &value, NULL));
    wrong(1, startile_lange('X', A, &value));
    wrong(3, startile_lange('M', A, NULL));
    int (*const async[])(char, char, const startile_matrix *, double *,
                         startile_request *) = {startile_lansy_async, startile_lanhe_async};
    int64_t (*const blocking[])(char, char, const startile_matrix *, double *) = {startile_lansy,
                                                                                  startile_lanhe};
    for (int h = 0; h < 2; h++) {
        wrong(1, async[h]('X', 'L', A, &value, r));
        wrong(2, async[h]('M', 'G', A, &value, r));
        wrong(3, async[h]('M', 'L', NULL, &value, r));
        wrong(3, async[h]('M', 'L', rectangle, &value, r));
        wrong(3, async[h]('M', 'L', rectangular_tiles, &value, r));
        wrong(4, async[h]('M', 'L', A, NULL, r));
        wrong(5, async[h]('M', 'L', A, &value, NULL));
        wrong(2, blocking[h]('F', 'X', A, &value));
        wrong(3, blocking[h]('F', 'U', B, &value));
    }
}

static void test_gemm(void **state)
{
    (void)state;
    wrong(1, startile_gemm_async('X', 'N', 1, A, C, 1, B, r));
    wrong(2, startile_gemm_async('N', 'X', 1, A, B, 1, C, r));
    wrong(4, startile_gemm_async('N', 'N', 1, NULL, B, 1, C, r));
    wrong(5, startile_gemm_async('N', 'N', 1, A, NULL, 1, C, r));
    wrong(5, startile_gemm_async('N', 'N', 1, A, other_type, 1, C, r));
    wrong(5, startile_gemm_async('N', 'N', 1, A, small, 1, C, r));
    wrong(5, startile_gemm_async('N', 'N', 1, A, other_tiles, 1, C, r));
    wrong(5, startile_gemm_async('N', 'T', 1, A, rectangular_tiles, 1, C, r));
    wrong(5, startile_gemm_async('N', 'C', 1, A, B, 1, C, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, C, 1, NULL, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, C, 1, A, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, C, 1, C, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, A, 1, other_type, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, A, 1, B, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, A, 1, small, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, A, 1, other_tiles, r));
    wrong(7, startile_gemm_async('N', 'N', 1, A, A, 1, rectangular_tiles, r));
    wrong(8, startile_gemm_async('N', 'N', 1, A, A, 1, C, NULL));
    wrong(1, startile_gemm('x', 'N', 1, A, A, 1, C));
    wrong(7, startile_gemm('N', 'N', 1, A, A, 1, B));
}

/* Tests herk and syrk. */
static void test_herk(void **state)
{
    (void)state;
    bool is_complex = dtype >= STARTILE_C;
    wrong(1, startile_herk_async('G', 'N', 1, A, 1, C, r));
    wrong(2, startile_herk_async('L', 'X', 1, A, 1, C, r));
    wrong(1, startile_syrk_async('G', 'N', 1, A, 1, C, r));
    wrong(2, startile_syrk_async('L', 'X', 1, A, 1, C, r));
    if (is_complex) {
        wrong(2, startile_herk_async('L', 'T', 1, A, 1, C, r));
        wrong(2, startile_syrk_async('L', 'C', 1, A, 1, C, r));
    }
    wrong(4, startile_herk_async('L', 'N', 1, NULL, 1, C, r));
    wrong(4, startile_syrk_async('L', 'N', 1, NULL, 1, C, r));
    startile_matrix *const unsuitable[] = {NULL,        A,          rectangle, rectangular_tiles,
                                           other_tiles, other_type, small,     B};
    for (int m = 0; m < 8; m++) {
        wrong(6, startile_herk_async('L', 'N', 1, A, 1, unsuitable[m], r));
        wrong(6, startile_syrk_async('L', 'N', 1, A, 1, unsuitable[m], r));
    }
    wrong(6, startile_herk_async('L', is_complex ? 'C' : 'T', 1, B, 1, C, r));
    wrong(7, startile_herk_async('L', 'N', 1, A, 1, C, NULL));
    wrong(7, startile_syrk_async('L', 'N', 1, A, 1, C, NULL));
    wrong(1, startile_herk('X', 'N', 1, A, 1, C));
    wrong(6, startile_syrk('U', 'N', 1, A, 1, B));
}

static void test_trsm(void **state)
{
    (void)state;
    wrong(1, startile_trsm_async('X', 'L', 'N', 'N', 1, A, B, r));
    wrong(2, startile_trsm_async('L', 'G', 'N', 'N', 1, A, B, r));
    wrong(3, startile_trsm_async('L', 'L', 'X', 'N', 1, A, B, r));
    wrong(4, startile_trsm_async('L', 'L', 'N', 'X', 1, A, B, r));
    wrong(6, startile_trsm_async('L', 'L', 'N', 'N', 1, NULL, B, r));
    wrong(6, startile_trsm_async('L', 'L', 'N', 'N', 1, rectangle, B, r));
    wrong(6, startile_trsm_async('L', 'L', 'N', 'N', 1, rectangular_tiles, B, r));
    wrong(7, startile_trsm_async('L', 'L', 'N', 'N', 1, A, NULL, r));
    wrong(7, startile_trsm_async('L', 'L', 'N', 'N', 1, A, A, r));
    wrong(7, startile_trsm_async('L', 'L', 'N', 'N', 1, other_type, B, r));
    wrong(7, startile_trsm_async('L', 'L', 'N', 'N', 1, small, B, r));
    wrong(7, startile_trsm_async('L', 'L', 'N', 'N', 1, other_tiles, B, r));
    wrong(7, startile_trsm_async('R', 'L', 'N', 'N', 1, A, B, r));
    wrong(7, startile_trsm_async('R', 'L', 'N', 'N', 1, A, rectangular_tiles, r));
    wrong(8, startile_trsm_async('L', 'L', 'N', 'N', 1, A, B, NULL));
    wrong(3, startile_trsm('L', 'L', 'x', 'N', 1, A, B));
    wrong(7, startile_trsm('R', 'U', 'N', 'N', 1, A, B));
}

static void test_trmm(void **state)
{
    (void)state;
    wrong(1, startile_trmm_async('X', 'L', 'N', 'N', 1, A, B, r));
    wrong(2, startile_trmm_async('L', 'G', 'N', 'N', 1, A, B, r));
    wrong(3, startile_trmm_async('L', 'L', 'X', 'N', 1, A, B, r));
    wrong(4, startile_trmm_async('L', 'L', 'N', 'X', 1, A, B, r));
    wrong(6, startile_trmm_async('L', 'L', 'N', 'N', 1, NULL, B, r));
    wrong(6, startile_trmm_async('L', 'L', 'N', 'N', 1, rectangle, B, r));
    wrong(6, startile_trmm_async('L', 'L', 'N', 'N', 1, rectangular_tiles, B, r));
    wrong(7, startile_trmm_async('L', 'L', 'N', 'N', 1, A, NULL, r));
    wrong(7, startile_trmm_async('L', 'L', 'N', 'N', 1, A, A, r));
    wrong(7, startile_trmm_async('L', 'L', 'N', 'N', 1, other_type, B, r));
    wrong(7, startile_trmm_async('L', 'L', 'N', 'N', 1, small, B, r));
    wrong(7, startile_trmm_async('L', 'L', 'N', 'N', 1, other_tiles, B, r));
    wrong(7, startile_trmm_async('R', 'L', 'N', 'N', 1, A, B, r));
    wrong(7, startile_trmm_async('R', 'L', 'N', 'N', 1, A, rectangular_tiles, r));
    wrong(8, startile_trmm_async('L', 'L', 'N', 'N', 1, A, B, NULL));
    wrong(3, startile_trmm('L', 'L', 'x', 'N', 1, A, B));
    wrong(7, startile_trmm('R', 'U', 'N', 'N', 1, A, B));
}

static void test_hemm(void **state)
{
    (void)state;
    int (*const product[])(char, char, startile_complex, const startile_matrix *,
                           const startile_matrix *, startile_complex, startile_matrix *,
                           startile_request *) = {startile_hemm_async, startile_symm_async};
    for (int i = 0; i < 2; i++) {
        wrong(1, product[i]('X', 'L', 1, A, B, 0, C, r));
        wrong(2, product[i]('L', 'G', 1, A, B, 0, C, r));
        wrong(4, product[i]('L', 'L', 1, NULL, B, 0, C, r));
        wrong(4, product[i]('L', 'L', 1, rectangle, B, 0, C, r));
        wrong(4, product[i]('L', 'L', 1, rectangular_tiles, B, 0, C, r));
        wrong(5, product[i]('L', 'L', 1, A, NULL, 0, C, r));
        wrong(5, product[i]('L', 'L', 1, other_type, B, 0, C, r));
        wrong(5, product[i]('L', 'L', 1, small, B, 0, C, r));
        wrong(5, product[i]('R', 'L', 1, A, rectangular_tiles, 0, C, r));
        wrong(7, product[i]('L', 'L', 1, A, A, 0, A, r));
        wrong(7, product[i]('L', 'L', 1, A, B, 0, B, r));
        wrong(7, product[i]('L', 'L', 1, A, B, 0, NULL, r));
        wrong(7, product[i]('L', 'L', 1, A, B, 0, rectangle, r));
        wrong(8, product[i]('L', 'L', 1, A, A, 0, C, NULL));
    }
    wrong(1, startile_hemm('x', 'L', 1, A, B, 0, C));
    wrong(2, startile_symm('r', 'x', 1, A, B, 0, C));
}

/* Tests factorization, solves, inverses and condition estimate. */
static void test_cholesky(void **state)
{
    (void)state;
    wrong(1, startile_potrf_async('G', A, r));
    wrong(2, startile_potrf_async('L', NULL, r));
    wrong(2, startile_potrf_async('L', B, r));
    wrong(2, startile_potrf_async('L', rectangular_tiles, r));
    wrong(3, startile_potrf_async('L', A, NULL));
    wrong(1, startile_potrf('X', A));
    wrong(2, startile_potrf('U', NULL));

    wrong(1, startile_potrs_async('G', A, B, r));
    wrong(2, startile_potrs_async('L', NULL, B, r));
    wrong(2, startile_potrs_async('L', B, A, r));
    wrong(3, startile_potrs_async('L', A, NULL, r));
    wrong(3, startile_potrs_async('L', A, A, r));
    wrong(3, startile_potrs_async('L', other_type, B, r));
    wrong(3, startile_potrs_async('L', small, B, r));
    wrong(3, startile_potrs_async('L', other_tiles, B, r));
    wrong(4, startile_potrs_async('L', A, B, NULL));
    wrong(1, startile_potrs('X', A, B));
    wrong(3, startile_potrs('U', A, A));

    wrong(1, startile_posv_async('G', A, B, r));
    wrong(2, startile_posv_async('L', NULL, B, r));
    wrong(2, startile_posv_async('L', rectangular_tiles, B, r));
    wrong(3, startile_posv_async('L', A, NULL, r));
    wrong(3, startile_posv_async('L', A, A, r));
    wrong(3, startile_posv_async('L', small, B, r));
    wrong(4, startile_posv_async('L', A, B, NULL));
    wrong(1, startile_posv('X', A, B));
    wrong(3, startile_posv('U', A, small));

    wrong(1, startile_trtri_async('G', 'N', A, r));
    wrong(2, startile_trtri_async('L', 'G', A, r));
    wrong(3, startile_trtri_async('L', 'N', NULL, r));
    wrong(3, startile_trtri_async('L', 'N', rectangle, r));
    wrong(3, startile_trtri_async('L', 'N', rectangular_tiles, r));
    wrong(4, startile_trtri_async('L', 'N', A, NULL));
    wrong(1, startile_trtri('X', 'N', A));
    int (*const change[])(char, startile_matrix *, const startile_matrix *, startile_request *) = {
        startile_potrf_update_async, startile_potrf_downdate_async};
    for (int i = 0; i < 2; i++) {
        wrong(1, change[i]('G', A, B, r));
        wrong(2, change[i]('L', NULL, B, r));
        wrong(2, change[i]('L', rectangle, B, r));
        wrong(2, change[i]('L', rectangular_tiles, B, r));
        wrong(3, change[i]('L', A, NULL, r));
        wrong(3, change[i]('L', A, A, r));
        wrong(3, change[i]('L', A, small, r));
        wrong(3, change[i]('L', A, other_type, r));
        wrong(3, change[i]('L', A, other_tiles, r));
        wrong(4, change[i]('U', A, B, NULL));
    }
    wrong(3, startile_potrf_update('U', A, NULL));
    wrong(1, startile_potrf_downdate('x', A, B));
    wrong(1, startile_lauum_async('G', A, r));
    wrong(2, startile_lauum_async('L', rectangular_tiles, r));
    wrong(3, startile_lauum_async('L', A, NULL));
    wrong(2, startile_lauum('U', NULL));
    wrong(1, startile_potri_async('G', A, r));
    wrong(2, startile_potri_async('L', rectangle, r));
    wrong(3, startile_potri_async('L', A, NULL));
    wrong(2, startile_potri('U', NULL));
    wrong(1, startile_pocon_async('G', A, 1, &value, r));
    wrong(2, startile_pocon_async('L', rectangular_tiles, 1, &value, r));
    wrong(3, startile_pocon_async('L', A, -1, &value, r));
    wrong(3, startile_pocon_async('L', A, NAN, &value, r));
    wrong(4, startile_pocon_async('L', A, 1, NULL, r));
    wrong(5, startile_pocon_async('L', A, 1, &value, NULL));
    wrong(1, startile_pocon('X', A, 1, &value));
    wrong(1, startile_podet_async(NULL, &value, r));
    wrong(1, startile_podet_async(rectangle, &value, r));
    wrong(1, startile_podet_async(rectangular_tiles, &value, r));
    wrong(2, startile_podet_async(A, NULL, r));
    wrong(3, startile_podet_async(A, &value, NULL));
    wrong(2, startile_podet(A, NULL));
}

/* Tests functions of pivots, and startile_tile_shape(). */
static void test_pivots(void **state)
{
    (void)state;
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

static void test_lu_factorizations(void **state)
{
    (void)state;
    int (*const async[])(startile_matrix *, startile_pivots *,
                         startile_request *) = {startile_getrf_async, startile_getrf_tntpiv_async};
    int64_t (*const blocking[])(startile_matrix *, startile_pivots *) = {startile_getrf,
                                                                         startile_getrf_tntpiv};
    for (int f = 0; f < 2; f++) {
        wrong(1, async[f](NULL, P, r));
        wrong(1, async[f](straddling, P, r));
        wrong(2, async[f](A, NULL, r));
        wrong(2, async[f](A, P_of_rectangle, r));
        wrong(2, async[f](rectangle, P, r));
        wrong(2, async[f](small, P, r));
        wrong(2, async[f](other_tiles, P, r));
        wrong(3, async[f](A, P, NULL));
        wrong(1, blocking[f](NULL, P));
        wrong(2, blocking[f](A, P_of_rectangle));
    }
    startile_matrix *too_many_tiles =
        created(dtype, 1025, 2, 1, 1); /* at most 1024 tile rows are allowed */
    wrong(1, startile_getrf_nopiv_async(too_many_tiles, r));
    startile_matrix_destroy(too_many_tiles);
    wrong(1, startile_getrf_nopiv_async(NULL, r));
    wrong(1, startile_getrf_nopiv_async(straddling, r));
    wrong(2, startile_getrf_nopiv_async(A, NULL));
    wrong(1, startile_getrf_nopiv(straddling));
}

/* Tests solves, refinement, inverse and condition estimate. */
static void test_lu_solves(void **state)
{
    (void)state;
    wrong(1, startile_getrs_async('X', A, P, B, r));
    wrong(2, startile_getrs_async('N', NULL, P, B, r));
    wrong(2, startile_getrs_async('N', rectangle, P_of_rectangle, B, r));
    wrong(2, startile_getrs_async('N', straddling, NULL, B, r));
    wrong(3, startile_getrs_async('N', A, P_of_rectangle, B, r));
    wrong(3, startile_getrs_async('T', small, P, B, r));
    wrong(4, startile_getrs_async('N', A, P, NULL, r));
    wrong(4, startile_getrs_async('N', A, P, A, r));
    wrong(4, startile_getrs_async('N', A, P, small, r));
    wrong(4, startile_getrs_async('N', A, P, other_type, r));
    wrong(4, startile_getrs_async('N', A, P, other_tiles, r));
    wrong(4, startile_getrs_async('C', A, NULL, straddling, r));
    wrong(5, startile_getrs_async('N', A, P, B, NULL));
    wrong(1, startile_getrs('x', A, P, B));
    wrong(4, startile_getrs('N', A, NULL, A));

    wrong(1, startile_gesv_async(NULL, P, B, 0, r));
    wrong(1, startile_gesv_async(rectangle, P_of_rectangle, B, 0, r));
    wrong(1, startile_gesv_async(straddling, P, B, 0, r));
    wrong(2, startile_gesv_async(A, NULL, B, 0, r));
    wrong(2, startile_gesv_async(A, P_of_rectangle, B, 0, r));
    wrong(3, startile_gesv_async(A, P, NULL, 0, r));
    wrong(3, startile_gesv_async(A, P, A, 0, r));
    wrong(3, startile_gesv_async(A, P, small, 0, r));
    wrong(3, startile_gesv_async(A, P, other_type, 0, r));
    wrong(4, startile_gesv_async(A, P, B, -1, r));
    wrong(4, startile_gesv_async(A, P, B, 11, r));
    wrong(5, startile_gesv_async(A, P, B, 10, NULL));
    wrong(1, startile_gesv(NULL, P, B, 0));
    wrong(4, startile_gesv(A, P, B, INT_MIN));

    wrong(1, startile_getri_async(NULL, P, r));
    wrong(1, startile_getri_async(rectangle, P_of_rectangle, r));
    wrong(1, startile_getri_async(straddling, NULL, r));
    wrong(2, startile_getri_async(A, P_of_rectangle, r));
    wrong(3, startile_getri_async(A, P, NULL));
    wrong(1, startile_getri(NULL, NULL));
    wrong(2, startile_getri(small, P));

    wrong(1, startile_gecon_async('F', A, 1, &value, r));
    wrong(2, startile_gecon_async('1', NULL, 1, &value, r));
    wrong(2, startile_gecon_async('O', rectangle, 1, &value, r));
    wrong(2, startile_gecon_async('O', straddling, 1, &value, r));
    wrong(3, startile_gecon_async('I', A, -1, &value, r));
    wrong(3, startile_gecon_async('I', A, NAN, &value, r));
    wrong(4, startile_gecon_async('1', A, 1, NULL, r));
    wrong(5, startile_gecon_async('1', A, 1, &value, NULL));
    wrong(1, startile_gecon('M', A, 1, &value));
    wrong(4, startile_gecon('i', A, 0, NULL));
    startile_complex sign = 7;
    wrong(1, startile_gedet_async(NULL, P, &sign, &value, r));
    wrong(1, startile_gedet_async(rectangle, P, &sign, &value, r));
    wrong(1, startile_gedet_async(straddling, NULL, &sign, &value, r));
    wrong(3, startile_gedet_async(A, P, NULL, &value, r));
    wrong(4, startile_gedet_async(A, NULL, &sign, NULL, r));
    wrong(5, startile_gedet_async(A, NULL, &sign, &value, NULL));
    wrong(4, startile_gedet(A, NULL, &sign, NULL));
    require(sign == 7);
}

/* wrong_triangles() stores matrices that are not valid triangles for A: NULL, another type,
 * narrower tiles, wider tiles, too many columns. wrong_triangles_end() destroys them. */
enum { WRONG_TRIANGLES = 5 };
static void wrong_triangles(startile_matrix *wrongs[WRONG_TRIANGLES])
{
    wrongs[0] = NULL;
    wrongs[1] = created((startile_dtype)((dtype + 1) % 4), NB, N, NB, NB);
    wrongs[2] = created(dtype, NB - 1, N, NB - 1, NB - 1);
    wrongs[3] = created(dtype, NB + 1, N, NB + 1, NB + 1);
    wrongs[4] = created(dtype, NB, N + 1, NB, NB);
}

static void wrong_triangles_end(startile_matrix *wrongs[WRONG_TRIANGLES])
{
    for (int i = 0; i < WRONG_TRIANGLES; i++)
        startile_matrix_destroy(wrongs[i]);
}

static void test_reflectors(void **state)
{
    (void)state;
    startile_matrix *made = UNTOUCHED, *wrongs[WRONG_TRIANGLES];
    double tau[2 * N] = {0};
    wrong(1, startile_reflectors_create(NULL, A));
    wrong(2, startile_reflectors_create(&made, NULL));
    require(made == UNTOUCHED);
    wrong(1, startile_reflectors_to_lapack(NULL, tau));
    wrong(2, startile_reflectors_to_lapack(triangles, NULL));
    wrong(1, startile_reflectors_to_lapack(straddling, tau));
    wrong(1, startile_reflectors_from_lapack('X', A, tau, triangles));
    wrong(2, startile_reflectors_from_lapack('C', NULL, tau, triangles));
    wrong(2, startile_reflectors_from_lapack('R', straddling, tau, triangles));
    wrong(3, startile_reflectors_from_lapack('C', A, NULL, triangles));
    wrong_triangles(wrongs);
    for (int i = 0; i < WRONG_TRIANGLES; i++)
        wrong(4, startile_reflectors_from_lapack('C', A, tau, wrongs[i]));
    wrong_triangles_end(wrongs);
}

static void test_qr_factorizations(void **state)
{
    (void)state;
    int (*const async[])(startile_matrix *, startile_matrix *,
                         startile_request *) = {startile_geqrf_async, startile_gelqf_async};
    int64_t (*const blocking[])(startile_matrix *, startile_matrix *) = {startile_geqrf,
                                                                         startile_gelqf};
    startile_matrix *wrongs[WRONG_TRIANGLES];
    wrong_triangles(wrongs);
    for (int f = 0; f < 2; f++) {
        wrong(1, async[f](NULL, triangles, r));
        for (int i = 0; i < WRONG_TRIANGLES; i++)
            wrong(2, async[f](A, wrongs[i], r));
        wrong(2, async[f](A, triangles_of_rectangle, r));
        wrong(2, async[f](rectangle, triangles, r));
        wrong(3, async[f](A, triangles, NULL));
        wrong(1, blocking[f](NULL, triangles));
        wrong(2, blocking[f](A, NULL));
    }
    wrong_triangles_end(wrongs);
    wrong(1, startile_geqrf_async(straddling, triangles, r));
    wrong(1, startile_geqrf(straddling, triangles));
}

static void test_products_with_q(void **state)
{
    (void)state;
    int (*const async[])(char, char, const startile_matrix *, const startile_matrix *,
                         startile_matrix *,
                         startile_request *) = {startile_unmqr_async, startile_unmlq_async};
    int64_t (*const blocking[])(char, char, const startile_matrix *, const startile_matrix *,
                                startile_matrix *) = {startile_unmqr, startile_unmlq};
    startile_matrix *wrongs[WRONG_TRIANGLES];
    wrong_triangles(wrongs);
    for (int f = 0; f < 2; f++) {
        wrong(1, async[f]('X', 'N', A, triangles, C, r));
        wrong(2, async[f]('L', 'X', A, triangles, C, r));
        if (dtype >= STARTILE_C)
            wrong(2, async[f]('L', 'T', A, triangles, C, r));
        wrong(3, async[f]('L', 'N', NULL, triangles, C, r));
        for (int i = 0; i < WRONG_TRIANGLES; i++)
            wrong(4, async[f]('L', 'N', A, wrongs[i], C, r));
        wrong(5, async[f]('L', 'N', A, triangles, NULL, r));
        wrong(5, async[f]('L', 'N', A, triangles, A, r));
        wrong(5, async[f]('L', 'N', A, triangles, small, r));
        wrong(5, async[f]('R', 'N', A, triangles, small, r));
        wrong(5, async[f]('R', 'C', A, triangles, B, r));
        wrong(5, async[f]('L', 'N', A, triangles, wide, r));
        wrong(5, async[f]('L', 'N', A, triangles, other_type, r));
        wrong(6, async[f]('L', 'N', A, triangles, C, NULL));
        wrong(1, blocking[f]('x', 'N', A, triangles, C));
        wrong(5, blocking[f]('r', 'n', A, triangles, rectangle));
    }
    wrong_triangles_end(wrongs);
    wrong(3, startile_unmqr_async('L', 'N', straddling, triangles, C, r));
    wrong(5, startile_unmqr_async('L', 'N', A, triangles, other_tiles, r));
}

static void test_generating_q(void **state)
{
    (void)state;
    wrong(1, startile_ungqr_async(NULL, triangles, r));
    wrong(1, startile_ungqr_async(wide, triangles, r));
    wrong(1, startile_ungqr_async(straddling, triangles, r));
    wrong(2, startile_ungqr_async(A, NULL, r));
    wrong(2, startile_ungqr_async(rectangle, triangles, r));
    wrong(2, startile_ungqr_async(other_tiles, triangles, r));
    wrong(3, startile_ungqr_async(A, triangles, NULL));
    wrong(1, startile_ungqr(wide, triangles));
    wrong(2, startile_ungqr(other_type, triangles));
    wrong(1, startile_unglq_async(NULL, triangles, r));
    wrong(1, startile_unglq_async(rectangle, triangles, r));
    wrong(2, startile_unglq_async(A, NULL, r));
    wrong(2, startile_unglq_async(wide, triangles, r));
    wrong(3, startile_unglq_async(A, triangles, NULL));
    wrong(1, startile_unglq(rectangle, triangles));
    wrong(2, startile_unglq(other_type, triangles));
}

static void test_gels(void **state)
{
    (void)state;
    wrong(1, startile_gels_async('X', A, B, r));
    if (dtype >= STARTILE_C)
        wrong(1, startile_gels_async('T', A, B, r));
    wrong(2, startile_gels_async('N', NULL, B, r));
    wrong(2, startile_gels_async('N', straddling, B, r));
    wrong(3, startile_gels_async('N', A, NULL, r));
    wrong(3, startile_gels_async('N', A, A, r));
    wrong(3, startile_gels_async('C', A, small, r));
    wrong(3, startile_gels_async('N', A, other_type, r));
    wrong(3, startile_gels_async('N', A, other_tiles, r));
    wrong(4, startile_gels_async('N', A, B, NULL));
    wrong(1, startile_gels('x', A, B));
    wrong(3, startile_gels('c', A, small));
}

static void test_trees(void **state)
{
    (void)state;
    startile_tree *made = UNTOUCHED_TREE;
    wrong(1, startile_tree_create(NULL, A, STARTILE_TREE_FLAT));
    wrong(2, startile_tree_create(&made, NULL, STARTILE_TREE_FLAT));
    wrong(2, startile_tree_create(&made, straddling, STARTILE_TREE_BINARY));
    wrong(3, startile_tree_create(&made, A, (startile_tree_kind)3));
    wrong(3, startile_tree_create(&made, A, (startile_tree_kind)-1));
    require(made == UNTOUCHED_TREE);
    startile_tree_destroy(NULL);
    wrong(1, startile_geqrf_tree_async(NULL, tree, r));
    wrong(2, startile_geqrf_tree_async(A, NULL, r));
    wrong(2, startile_geqrf_tree_async(A, tree_of_rectangle, r));
    wrong(2, startile_geqrf_tree_async(small, tree, r));
    wrong(2, startile_geqrf_tree_async(other_type, tree, r));
    wrong(3, startile_geqrf_tree_async(A, tree, NULL));
    wrong(1, startile_geqrf_tree(NULL, tree));
    wrong(2, startile_geqrf_tree(rectangle, tree));

    wrong(1, startile_unmqr_tree_async('X', 'N', A, tree, C, r));
    wrong(2, startile_unmqr_tree_async('L', 'X', A, tree, C, r));
    if (dtype >= STARTILE_C)
        wrong(2, startile_unmqr_tree_async('L', 'T', A, tree, C, r));
    wrong(3, startile_unmqr_tree_async('L', 'N', NULL, tree, C, r));
    wrong(4, startile_unmqr_tree_async('L', 'N', A, NULL, C, r));
    wrong(4, startile_unmqr_tree_async('L', 'N', A, tree_of_rectangle, C, r));
    wrong(5, startile_unmqr_tree_async('L', 'N', A, tree, NULL, r));
    wrong(5, startile_unmqr_tree_async('L', 'N', A, tree, A, r));
    wrong(5, startile_unmqr_tree_async('L', 'N', A, tree, small, r));
    wrong(5, startile_unmqr_tree_async('R', 'N', A, tree, B, r));
    wrong(5, startile_unmqr_tree_async('L', 'N', A, tree, other_type, r));
    wrong(5, startile_unmqr_tree_async('L', 'N', A, tree, other_tiles, r));
    wrong(6, startile_unmqr_tree_async('L', 'N', A, tree, C, NULL));
    wrong(1, startile_unmqr_tree('x', 'N', A, tree, C));
    wrong(5, startile_unmqr_tree('R', 'n', A, tree, rectangle));
}

/* Tests the typed entries of Cholesky, which take arrays. */
static void test_typed_entries(void **state)
{
    (void)state;
    struct array x = array_new(dtype, N, N, 0), y = array_new(dtype, N, 5, 0);
    array_random(x);
    array_random(y);
    struct array before_x = array_copy(x), before_y = array_copy(y);
    const struct reference *typed = lapack(x);
    wrong(1, typed->typed_potrf('X', N, x.a, N));
    wrong(2, typed->typed_potrf('L', -1, x.a, N));
    wrong(3, typed->typed_potrf('L', N, NULL, N));
    wrong(4, typed->typed_potrf('L', N, x.a, N - 1));
    wrong(4, typed->typed_potrf('L', 0, x.a, 0));
    int64_t (*const solve[])(char, int64_t, int64_t, void *, int64_t, void *, int64_t) = {
        (int64_t(*)(char, int64_t, int64_t, void *, int64_t, void *, int64_t))typed->typed_potrs,
        typed->typed_posv};
    for (int s = 0; s < 2; s++) {
        wrong(1, solve[s]('X', N, 5, x.a, N, y.a, N));
        wrong(2, solve[s]('L', -1, 5, x.a, N, y.a, N));
        wrong(3, solve[s]('L', N, -1, x.a, N, y.a, N));
        wrong(4, solve[s]('L', N, 5, NULL, N, y.a, N));
        wrong(5, solve[s]('L', N, 5, x.a, N - 1, y.a, N));
        wrong(6, solve[s]('L', N, 5, x.a, N, NULL, N));
        wrong(7, solve[s]('L', N, 5, x.a, N, y.a, N - 1));
        wrong(7, solve[s]('L', 0, 5, x.a, 1, y.a, 0));
    }
    require(is_same(x, before_x) && is_same(y, before_y));
    arrays_free(x, y, before_x, before_y);
}

static void test_typed_lu(void **state)
{
    (void)state;
    struct array x = array_new(dtype, N, N, 0), y = array_new(dtype, N, 5, 0);
    array_random(x);
    array_random(y);
    struct array before_x = array_copy(x), before_y = array_copy(y);
    const struct reference *typed = lapack(x);
    double rcond = -7;
    int64_t ipiv[N], out_of_range[N], kept[N];
    for (int64_t k = 0; k < N; k++)
        ipiv[k] = out_of_range[k] = kept[k] = k + 1;
    out_of_range[N - 1] = 1;
    wrong(1, typed->typed_getrf(-1, N, x.a, N, ipiv));
    wrong(2, typed->typed_getrf(N, -1, x.a, N, ipiv));
    wrong(3, typed->typed_getrf(N, N, NULL, N, ipiv));
    wrong(4, typed->typed_getrf(N, N, x.a, N - 1, ipiv));
    wrong(4, typed->typed_getrf(0, N, NULL, 0, ipiv));
    wrong(5, typed->typed_getrf(N, N, x.a, N, NULL));

    wrong(1, typed->typed_getrs('X', N, 5, x.a, N, ipiv, y.a, N));
    wrong(2, typed->typed_getrs('N', -1, 5, x.a, N, ipiv, y.a, N));
    wrong(3, typed->typed_getrs('T', N, -1, x.a, N, ipiv, y.a, N));
    wrong(4, typed->typed_getrs('C', N, 5, NULL, N, ipiv, y.a, N));
    wrong(5, typed->typed_getrs('n', N, 5, x.a, N - 1, ipiv, y.a, N));
    wrong(6, typed->typed_getrs('N', N, 5, x.a, N, NULL, y.a, N));
    wrong(6, typed->typed_getrs('N', N, 5, x.a, N, out_of_range, y.a, N));
    wrong(7, typed->typed_getrs('N', N, 5, x.a, N, ipiv, NULL, N));
    wrong(8, typed->typed_getrs('N', N, 5, x.a, N, ipiv, y.a, N - 1));
    wrong(8, typed->typed_getrs('N', 0, 5, x.a, 1, ipiv, y.a, 0));

    wrong(1, typed->typed_gesv(-1, 5, x.a, N, ipiv, y.a, N));
    wrong(2, typed->typed_gesv(N, -1, x.a, N, ipiv, y.a, N));
    wrong(3, typed->typed_gesv(N, 5, NULL, N, ipiv, y.a, N));
    wrong(4, typed->typed_gesv(N, 5, x.a, N - 1, ipiv, y.a, N));
    wrong(5, typed->typed_gesv(N, 5, x.a, N, NULL, y.a, N));
    wrong(6, typed->typed_gesv(N, 5, x.a, N, ipiv, NULL, N));
    wrong(7, typed->typed_gesv(N, 5, x.a, N, ipiv, y.a, N - 1));

    wrong(1, typed->typed_getri(-1, x.a, N, ipiv));
    wrong(2, typed->typed_getri(N, NULL, N, ipiv));
    wrong(3, typed->typed_getri(N, x.a, N - 1, ipiv));
    wrong(4, typed->typed_getri(N, x.a, N, NULL));
    wrong(4, typed->typed_getri(N, x.a, N, out_of_range));

    wrong(1, typed->typed_gecon('F', N, x.a, N, 1, &rcond));
    wrong(2, typed->typed_gecon('1', -1, x.a, N, 1, &rcond));
    wrong(3, typed->typed_gecon('O', N, NULL, N, 1, &rcond));
    wrong(4, typed->typed_gecon('I', N, x.a, N - 1, 1, &rcond));
    wrong(5, typed->typed_gecon('i', N, x.a, N, -1, &rcond));
    wrong(5, typed->typed_gecon('1', N, x.a, N, NAN, &rcond));
    wrong(6, typed->typed_gecon('1', N, x.a, N, 1, NULL));
    require(rcond == -7);
    require(memcmp(ipiv, kept, sizeof ipiv) == 0);
    require(is_same(x, before_x) && is_same(y, before_y));
    arrays_free(x, y, before_x, before_y);
}

/* Returns a letter that is wrong for the type: 'C' for real types, 'T' for complex ones. */
static char wrong_trans(void)
{
    return dtype < STARTILE_C ? 'C' : 'T';
}

/* Tests the typed unmqr and unmlq. x, y, tau: valid arrays. */
static void check_typed_products(struct array x, struct array y, void *tau)
{
    int64_t (*const multiply[])(char, char, int64_t, int64_t, int64_t, const void *, int64_t,
                                const void *, void *,
                                int64_t) = {lapack(x)->typed_unmqr, lapack(x)->typed_unmlq};
    for (int f = 0; f < 2; f++) {
        wrong(1, multiply[f]('X', 'N', N, 5, N, x.a, N, tau, y.a, N));
        wrong(2, multiply[f]('L', 'X', N, 5, N, x.a, N, tau, y.a, N));
        wrong(2, multiply[f]('L', wrong_trans(), N, 5, N, x.a, N, tau, y.a, N));
        wrong(3, multiply[f]('L', 'N', -1, 5, N, x.a, N, tau, y.a, N));
        wrong(4, multiply[f]('r', 'n', N, -1, N, x.a, N, tau, y.a, N));
        wrong(5, multiply[f]('L', 'N', N, 5, N + 1, x.a, N, tau, y.a, N));
        wrong(5, multiply[f]('R', 'N', N, 5, 6, x.a, N, tau, y.a, N));
        wrong(5, multiply[f]('L', 'N', N, 5, -1, x.a, N, tau, y.a, N));
        wrong(6, multiply[f]('L', 'N', N, 5, N, NULL, N, tau, y.a, N));
        wrong(7, multiply[f]('L', 'N', N, 5, N, x.a, N - 1, tau, y.a, N));
        wrong(8, multiply[f]('L', 'N', N, 5, N, x.a, N, NULL, y.a, N));
        wrong(9, multiply[f]('L', 'N', N, 5, N, x.a, N, tau, NULL, N));
        wrong(10, multiply[f]('L', 'N', N, 5, N, x.a, N, tau, y.a, N - 1));
    }
    /* the reflectors of ormqr are columns, so lda ≥ N; those of ormlq are 4 rows, so lda ≥ 4 */
    wrong(7, multiply[0]('L', 'N', N, 5, 4, x.a, N - 1, tau, y.a, N));
    wrong(7, multiply[1]('L', 'N', N, 5, 4, x.a, 3, tau, y.a, N));
}

/* Tests the typed ungqr and unglq. */
static void check_typed_generating(struct array x, void *tau)
{
    int64_t (*const generate[])(int64_t, int64_t, int64_t, void *, int64_t,
                                const void *) = {lapack(x)->typed_ungqr, lapack(x)->typed_unglq};
    for (int f = 0; f < 2; f++) {
        wrong(1, generate[f](-1, N, 3, x.a, N, tau));
        wrong(2, generate[f](N, -1, 3, x.a, N, tau));
        wrong(3, generate[f](N, N, -1, x.a, N, tau));
        wrong(3, generate[f](N, N, N + 1, x.a, N, tau));
        wrong(4, generate[f](N, N, 3, NULL, N, tau));
        wrong(5, generate[f](N, N, 3, x.a, N - 1, tau));
        wrong(6, generate[f](N, N, 3, x.a, N, NULL));
    }
    wrong(2, generate[0](5, 6, 3, x.a, N, tau));
    wrong(2, generate[1](6, 5, 3, x.a, N, tau));
}

static void check_typed_gels(struct array x, struct array y)
{
    const struct reference *typed = lapack(x);
    wrong(1, typed->typed_gels('X', N, N, 5, x.a, N, y.a, N));
    wrong(1, typed->typed_gels(wrong_trans(), N, N, 5, x.a, N, y.a, N));
    wrong(2, typed->typed_gels('N', -1, N, 5, x.a, N, y.a, N));
    wrong(3, typed->typed_gels('N', N, -1, 5, x.a, N, y.a, N));
    wrong(4, typed->typed_gels('N', N, N, -1, x.a, N, y.a, N));
    wrong(5, typed->typed_gels('N', N, N, 5, NULL, N, y.a, N));
    wrong(6, typed->typed_gels('N', N, N, 5, x.a, N - 1, y.a, N));
    wrong(7, typed->typed_gels('N', N, N, 5, x.a, N, NULL, N));
    wrong(8, typed->typed_gels('N', N, N, 5, x.a, N, y.a, N - 1));
    wrong(8, typed->typed_gels('N', 4, N, 5, x.a, N, y.a, N - 1));
}

static void test_typed_qr(void **state)
{
    (void)state;
    struct array x = array_new(dtype, N, N, 0), y = array_new(dtype, N, 5, 0);
    struct array tau = array_new(dtype, N, 1, 0);
    array_random(x);
    array_random(y);
    array_random(tau);
    struct array before[] = {array_copy(x), array_copy(y), array_copy(tau)};
    int64_t (*const factor[])(int64_t, int64_t, void *, int64_t, void *) = {lapack(x)->typed_geqrf,
                                                                            lapack(x)->typed_gelqf};
    for (int f = 0; f < 2; f++) {
        wrong(1, factor[f](-1, N, x.a, N, tau.a));
        wrong(2, factor[f](N, -1, x.a, N, tau.a));
        wrong(3, factor[f](N, N, NULL, N, tau.a));
        wrong(4, factor[f](N, N, x.a, N - 1, tau.a));
        wrong(4, factor[f](0, N, NULL, 0, tau.a));
        wrong(5, factor[f](N, N, x.a, N, NULL));
    }
    check_typed_products(x, y, tau.a);
    check_typed_generating(x, tau.a);
    check_typed_gels(x, y);
    require(is_same(x, before[0]) && is_same(y, before[1]) && is_same(tau, before[2]));
    arrays_free(x, y, tau, before[0], before[1], before[2]);
}

/* Tests that the first of several wrong arguments is reported, as by LAPACK. */
static void test_first_wrong_argument(void **state)
{
    (void)state;
    startile_matrix *M = UNTOUCHED;
    wrong(2, startile_matrix_create(&M, (startile_dtype)7, -1, -1, -1, -1));
    wrong(4, startile_matrix_wrap(&M, dtype, N, -1, NULL, 0, -1, -1));
    wrong(5, startile_matrix_wrap(&M, dtype, N, N, NULL, 0, -1, -1));
    wrong(1, startile_potrf_async('X', NULL, NULL));
    wrong(2, startile_posv_async('L', NULL, NULL, NULL));
    wrong(1, startile_gemm_async('X', 'X', 1, NULL, NULL, 1, NULL, NULL));
    wrong(4, startile_gemm_async('N', 'N', 1, NULL, NULL, 1, NULL, NULL));
    wrong(2, startile_herk_async('L', 'X', 1, NULL, 1, NULL, NULL));
    wrong(6, startile_trsm_async('L', 'L', 'N', 'N', 1, NULL, NULL, NULL));
    wrong(1, lapack(a)->typed_posv('X', -1, -1, NULL, 0, NULL, 0));
    wrong(3, lapack(a)->typed_potrs('L', 3, -1, NULL, 0, NULL, 0));
    wrong(1, startile_getrf_async(NULL, NULL, NULL));
    wrong(2, startile_getrf_async(A, NULL, NULL));
    wrong(1, startile_getrs_async('X', NULL, NULL, NULL, NULL));
    wrong(4, startile_getrs_async('N', A, NULL, NULL, NULL));
    wrong(3, startile_gesv_async(A, P, NULL, -1, NULL));
    wrong(4, startile_gesv_async(A, P, B, -1, NULL));
    wrong(3, startile_gecon_async('1', A, -1, NULL, NULL));
    wrong(1, startile_geqrf_async(NULL, NULL, NULL));
    wrong(2, startile_gelqf_async(A, NULL, NULL));
    wrong(2, startile_unmqr_async('L', 'X', NULL, NULL, NULL, NULL));
    wrong(4, startile_unmlq_async('L', 'N', A, NULL, NULL, NULL));
    wrong(1, startile_ungqr_async(wide, NULL, NULL));
    wrong(2, startile_gels_async('N', NULL, NULL, NULL));
    wrong(2, startile_tree_create(&tree_of_rectangle, NULL, (startile_tree_kind)7));
    wrong(2, startile_geqrf_tree_async(A, NULL, NULL));
    wrong(4, startile_unmqr_tree_async('R', 'N', A, NULL, NULL, NULL));
    wrong(1, lapack(a)->typed_getrf(-1, -1, NULL, 0, NULL));
    wrong(4, lapack(a)->typed_getrs('N', 3, 1, NULL, 0, NULL, NULL, 0));
    wrong(6, lapack(a)->typed_getrs('N', 3, 1, a.a, N, NULL, NULL, 0));
    wrong(5, lapack(a)->typed_gesv(3, 1, a.a, N, NULL, NULL, 0));
    wrong(3, lapack(a)->typed_getri(3, a.a, 0, NULL));
    wrong(4, lapack(a)->typed_gecon('1', 3, a.a, 0, -1, NULL));
    require(M == UNTOUCHED);
}

static void test_memory(void **state)
{
    (void)state;
    double x[8];
    wrong(1, startile_pin(NULL, 8));
    wrong(2, startile_pin(x, 0));
    wrong(1, startile_unpin(NULL, 8));
    wrong(2, startile_unpin(x, 0));
    startile_free(NULL, 8);
}

int main(int argc, char **argv)
{
#define with_matrices(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        with_matrices(test_requests),
        with_matrices(test_create),
        with_matrices(test_wrap),
        with_matrices(test_from_handles),
        with_matrices(test_too_many_tiles),
        with_matrices(test_matrix_functions),
        with_matrices(test_laset),
        with_matrices(test_norms),
        with_matrices(test_gemm),
        with_matrices(test_herk),
        with_matrices(test_trsm),
        with_matrices(test_trmm),
        with_matrices(test_hemm),
        with_matrices(test_cholesky),
        with_matrices(test_pivots),
        with_matrices(test_lu_factorizations),
        with_matrices(test_lu_solves),
        with_matrices(test_reflectors),
        with_matrices(test_qr_factorizations),
        with_matrices(test_products_with_q),
        with_matrices(test_generating_q),
        with_matrices(test_gels),
        with_matrices(test_trees),
        with_matrices(test_typed_entries),
        with_matrices(test_typed_lu),
        with_matrices(test_typed_qr),
        with_matrices(test_first_wrong_argument),
        with_matrices(test_memory),
    };
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("arguments", tests, NULL, NULL));
}
