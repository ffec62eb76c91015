/* Tests of laset, lacpy, random, and copies to and from LAPACK storage. */
#include "check.h"
#include "objects.h"
#include "startile_testing.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>
#include <starpu.h>

static const char uplos[] = {'L', 'U', 'G'};

static const int64_t shapes[][2] = {{0, 0}, {1, 1}, {4, 4}, {13, 13}, {17, 6}, {6, 17}, {0, 4}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void test_laset(void)
{
    static const int64_t tiles[][2] = {{4, 4}, {40, 40}, {3, 5}, {20, 2}};
    for (int s = 0; s < SHAPES; s++)
        for (int t = 0; t < 4; t++)
            for (int u = 0; u < 3; u++) {
                enum way way = (enum way)((s + t + u) % WAYS);
                in_case("laset %c, %d × %d, tiles %d × %d, %s", uplos[u], (int)shapes[s][0],
                        (int)shapes[s][1], (int)tiles[t][0], (int)tiles[t][1], way_names[way]);
                /* triangles need square tiles */
                if (uplos[u] != 'G' && tiles[t][0] != tiles[t][1])
                    continue;
                startile_complex off_diagonal = dtype >= STARTILE_C ? 0.25 - I : 0.25,
                                 diagonal = -3;
                struct array A = array_new_random(dtype, shapes[s][0], shapes[s][1], 1);
                struct array A0 = array_copy(A);
                struct test_matrix S = test_matrix_new(A, way, 'G', tiles[t][0], tiles[t][1]);
                require_info(startile_laset(uplos[u], off_diagonal, diagonal, S.A), 0);
                test_matrix_finish(&S);
                for (int64_t j = 0; j < A.n; j++)
                    for (int64_t i = 0; i < A.m; i++)
                        require(get(A, i, j) == (!is_in_triangle(uplos[u], i, j) ? get(A0, i, j)
                                                 : i == j                        ? diagonal
                                                                                 : off_diagonal));
                arrays_free(A, A0);
            }
}

static void test_lacpy(void)
{
    random_seed(60);
    for (int s = 0; s < SHAPES; s++)
        for (int u = 0; u < 3; u++)
            for (int w = 0; w < WAYS; w++) {
                in_case("lacpy %c, %d × %d, %s", uplos[u], (int)shapes[s][0], (int)shapes[s][1],
                        way_names[w]);
                struct array A = array_new_random(dtype, shapes[s][0], shapes[s][1], 1);
                struct array B = array_new_random(dtype, shapes[s][0], shapes[s][1], 3);
                struct array A0 = array_copy(A), B0 = array_copy(B);
                struct test_matrix SA = test_matrix_new(A, (enum way)w, 'G', 4, 4);
                struct test_matrix SB = test_matrix_new(B, (enum way)((w + 1) % WAYS), 'G', 4, 4);
                require_info(startile_lacpy(uplos[u], SA.A, SB.A), 0);
                test_matrices_finish(&SA, &SB);
                require(is_same(A, A0));
                for (int64_t j = 0; j < A.n; j++)
                    for (int64_t i = 0; i < A.m; i++)
                        require(get(B, i, j) == get(is_in_triangle(uplos[u], i, j) ? A : B0, i, j));
                arrays_free(A, B, A0, B0);
            }
}

/* Copies A, in tiles of a_tiles, to B, in tiles of b_tiles. If A is made from handles and has
 * square tiles, it has only the tiles of the triangle uplo. */
static void check_lacpy_to_tiles(char uplo, int64_t m, int64_t n, const int64_t a_tiles[2],
                                 const int64_t b_tiles[2], enum way a_way, enum way b_way)
{
    in_case("lacpy %c, %d × %d, tiles %d × %d to %d × %d, %s to %s", uplo, (int)m, (int)n,
            (int)a_tiles[0], (int)a_tiles[1], (int)b_tiles[0], (int)b_tiles[1], way_names[a_way],
            way_names[b_way]);
    struct array A = array_new_random(dtype, m, n, 1), B = array_new_random(dtype, m, n, 2);
    struct array A0 = array_copy(A), B0 = array_copy(B);
    char own_tiles = a_tiles[0] == a_tiles[1] ? uplo : 'G';
    struct test_matrix SA = test_matrix_new(A, a_way, own_tiles, a_tiles[0], a_tiles[1]);
    struct test_matrix SB = test_matrix_new(B, b_way, 'G', b_tiles[0], b_tiles[1]);
    require_info(startile_lacpy(uplo, SA.A, SB.A), 0);
    test_matrices_finish(&SA, &SB);
    require(is_same(A, A0) && has_borders_intact(B));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            require(get(B, i, j) == get(is_in_triangle(uplo, i, j) ? A : B0, i, j));
    arrays_free(A, B, A0, B0);
}

static void test_lacpy_to_tiles(void)
{
    static const int64_t tiles[][2] = {{4, 4}, {16, 16}, {5, 3}, {3, 7}, {40, 4}, {2, 40}, {1, 1}};
    enum { TILES = sizeof tiles / sizeof tiles[0] };
    static const int64_t sizes[][2] = {{33, 33}, {37, 22}, {9, 30}, {0, 3}};
    int cases = 0;
    random_seed(63);
    for (int s = 0; s < 4; s++)
        for (int a = 0; a < TILES; a++)
            for (int b = 0; b < TILES; b++)
                for (int u = 0; u < 3; u++)
                    if (!is_left_out(cases++ + b))
                        check_lacpy_to_tiles(uplos[u], sizes[s][0], sizes[s][1], tiles[a], tiles[b],
                                             (enum way)((s + a + u) % WAYS),
                                             (enum way)((a + b) % WAYS));
}

/* Tests that B may be made from the caller's handles without values, if all elements are written.
 */
static void test_lacpy_to_new_handles(void)
{
    in_case("lacpy to handles without values");
    enum { N = 11, SPLIT = 8 };
    starpu_data_handle_t handle[4];
    for (int t = 0; t < 4; t++)
        starpu_matrix_data_register(&handle[t], -1, 0, t % 2 == 0 ? SPLIT : N - SPLIT,
                                    t % 2 == 0 ? SPLIT : N - SPLIT, t / 2 == 0 ? SPLIT : N - SPLIT,
                                    element_size(dtype));
    struct array A = array_new_random(dtype, N, N, 0), C = array_new(dtype, N, N, 0);
    startile_matrix *B;
    startile_matrix *X = matrix_wrapped(dtype, N, N, A.a, A.ld, 3, 2);
    require_info(startile_matrix_from_handles(&B, dtype, N, N, SPLIT, SPLIT, handle, 2), 0);
    require_info(startile_lacpy('G', X, B), 0);
    require_info(startile_matrix_to_lapack(B, C.a, C.ld), 0);
    matrices_destroy(B, X);
    for (int t = 0; t < 4; t++)
        starpu_data_unregister(handle[t]);
    require(is_same(A, C));
    arrays_free(A, C);
}

/* Returns the matrix of startile_random() in a new array. */
static struct array random_matrix(char kind, uint64_t seed, double bump, int64_t m, int64_t n,
                                  enum way way, int64_t mb, int64_t nb)
{
    struct array A = array_new(dtype, m, n, 0);
    struct test_matrix S = test_matrix_new(A, way, 'G', mb, nb);
    require_info(startile_random(kind, seed, bump, S.A), 0);
    test_matrix_finish(&S);
    return A;
}

/* Tests that no bit of the elements depends on the tiling. */
static void test_random_by_tile_size(void)
{
    static const int64_t tiles[][2] = {{7, 7}, {64, 64}, {5, 11}, {33, 2}};
    for (const char *kind = "GSH"; *kind != '\0'; kind++) {
        struct array whole = random_matrix(*kind, 99, 2, 33, 33, WRAPPED, 33, 33);
        for (int t = 0; t < 4; t++)
            for (int w = 0; w < WAYS; w++) {
                in_case("random %c, tiles %d × %d, %s", *kind, (int)tiles[t][0], (int)tiles[t][1],
                        way_names[w]);
                struct array A =
                    random_matrix(*kind, 99, 2, 33, 33, (enum way)w, tiles[t][0], tiles[t][1]);
                require(is_same(A, whole));
                array_free(A);
            }
        array_free(whole);
    }
    in_case("random G, a part of a larger matrix");
    struct array large = random_matrix('G', 5, 0, 30, 20, WRAPPED, 8, 8);
    struct array small = random_matrix('G', 5, 0, 12, 7, WRAPPED, 8, 8);
    for (int64_t j = 0; j < 7; j++)
        for (int64_t i = 0; i < 12; i++)
            require(get(large, i, j) == get(small, i, j));
    arrays_free(large, small);
}

static void test_random_values(void)
{
    enum { N = 60 };
    struct array A = random_matrix('G', 1, 0, N, N, WRAPPED, 16, 16);
    struct array B = random_matrix('G', 2, 0, N, N, WRAPPED, 16, 16);
    startile_complex sum = 0;
    double squares = 0;
    int64_t equal = 0;
    in_case("random G, values");
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            double re = creal(get(A, i, j)), im = cimag(get(A, i, j));
            require(re >= -1 && re < 1 && im >= -1 && im < 1);
            sum += get(A, i, j);
            squares += re * re + im * im;
            equal += get(A, i, j) == get(B, i, j);
        }
    int parts = dtype >= STARTILE_C ? 2 : 1;
    /* mean and mean square are within five standard deviations of their values for a uniform
     * distribution */
    require_below(cabs(sum) / (N * N), 5 * sqrt(parts / 3.0) / N);
    require_below(fabs(squares / (N * N) - parts / 3.0), 5 * sqrt(parts * 4.0 / 45) / N);
    require(equal < 5); /* elements with another seed are different, apart from chance */
    arrays_free(A, B);
}

/* Tests that matrices are symmetric and Hermitian to the last bit, and that the bump is added to
 * the diagonal, also for 'G'. */
static void test_random_kinds(void)
{
    enum { N = 21 };
    for (const char *kind = "GSH"; *kind != '\0'; kind++) {
        in_case("random %c", *kind);
        struct array A = random_matrix(*kind, 3, 0, N, N, CREATED, 8, 8);
        struct array B = random_matrix(*kind, 3, N, N, N, CREATED, 8, 8);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < N; i++) {
                startile_complex v = get(A, i, j), mirror = get(A, j, i);
                require(*kind == 'G' || v == (*kind == 'S' ? mirror : conj(mirror)));
                require_below(cabs(get(B, i, j) - v - (i == j ? N : 0)), 1e-5);
            }
        arrays_free(A, B);
    }
}

/* Tests that with bump = n both triangles give a positive definite matrix. */
static void test_random_is_definite(void)
{
    for (int u = 0; u < 2; u++) {
        in_case("random H, bump n, uplo %c", uplos[u]);
        startile_matrix *A = matrix_created(dtype, 50, 50, 16, 16);
        require_info(startile_random('H', 4, 50, A), 0);
        require_info(startile_potrf(uplos[u], A), 0);
        startile_matrix_destroy(A);
    }
}

static void test_lapack_storage(void)
{
    static const int64_t tiles[][2] = {{4, 4}, {3, 5}, {20, 2}};
    random_seed(61);
    for (int s = 0; s < SHAPES; s++)
        for (int t = 0; t < 3; t++) {
            in_case("from and to, %d × %d, tiles %d × %d", (int)shapes[s][0], (int)shapes[s][1],
                    (int)tiles[t][0], (int)tiles[t][1]);
            struct array A = array_new_random(dtype, shapes[s][0], shapes[s][1], 0);
            struct array B = array_new(dtype, shapes[s][0], shapes[s][1], 4);
            struct array A0 = array_copy(A);
            startile_matrix *M = matrix_created(dtype, A.m, A.n, tiles[t][0], tiles[t][1]);
            require_info(startile_matrix_from_lapack(M, A.a, A.ld), 0);
            require_info(startile_matrix_to_lapack(M, B.a, B.ld), 0);
            startile_matrix_destroy(M);
            require(is_same(A, A0) && has_borders_intact(B));
            for (int64_t j = 0; j < A.n; j++)
                for (int64_t i = 0; i < A.m; i++)
                    require(get(A, i, j) == get(B, i, j));
            arrays_free(A, A0, B);
        }
}

/* Tests that the elements of a created matrix are 0 until a task writes them. */
static void test_zero_until_written(void)
{
    in_case("zero until written");
    struct array A = array_new(dtype, 11, 9, 2);
    startile_matrix *M = matrix_created(dtype, 11, 9, 4, 4);
    require_info(startile_laset('L', 1, 1, M), 0);
    require_info(startile_matrix_to_lapack(M, A.a, A.ld), 0);
    startile_matrix_destroy(M);
    for (int64_t j = 0; j < 9; j++)
        for (int64_t i = 0; i < 11; i++)
            require(get(A, i, j) == (i >= j));
    array_free(A);
}

/* Tests that after startile_matrix_gather() the caller may read and write the storage, and continue
 * with the matrix. */
static void test_gather(void)
{
    in_case("gather");
    struct array A = array_new(dtype, 10, 10, 1);
    startile_matrix *M = matrix_wrapped(dtype, 10, 10, A.a, A.ld, 4, 4);
    require_info(startile_laset('G', 1, 2, M), 0);
    require_info(startile_matrix_gather(M), 0);
    for (int64_t j = 0; j < 10; j++)
        for (int64_t i = 0; i < 10; i++) {
            require(get(A, i, j) == (i == j ? 2 : 1));
            set(A, i, j, (double)(i + j));
        }
    double largest = -1;
    require_info(startile_lange('M', M, &largest), 0);
    require(largest == 18);
    startile_matrix_destroy(M);
    require(has_borders_intact(A));
    array_free(A);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "laset", test_laset, test_lacpy, test_lacpy_to_tiles,
                      test_lacpy_to_new_handles, test_random_by_tile_size, test_random_values,
                      test_random_kinds, test_random_is_definite, test_lapack_storage,
                      test_zero_until_written, test_gather);
}
