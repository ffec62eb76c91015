/* Tests of potrf: sizes, tile sizes, kinds of matrices, typed entries. Failures are in
 * test_potrf_info.c. */
#include "check.h"
#include "generate.h"
#include "reference.h"
#include "test_matrix.h"

static const char uplos[] = {'L', 'U'};

/* Factors A in the triangle uplo and checks the factor, the other triangle and the borders. */
static void factor_and_check(struct array A, char uplo, enum way way, int64_t nb)
{
    struct array T = array_copy(A);
    char other_triangle = uplo == 'L' ? 'U' : 'L';
    array_poison(T, other_triangle);
    struct test_matrix S = test_matrix_new(T, way, uplo, nb, nb);
    require_info(startile_potrf(uplo, S.A), 0);
    test_matrix_finish(&S);
    require(is_poisoned(T, other_triangle));
    check_factor(uplo, A, T, A.n);
    array_free(T);
}

/* Tests every way and triangle with CONTRIBUTING.md's sizes around each tile size. */
static void test_sizes(void)
{
    static const int64_t tile_sizes[] = {1, 8, 32, 64};
    for (int t = 0; t < 4; t++) {
        int64_t nb = tile_sizes[t];
        const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, nb - 1, nb, nb + 1, 2 * nb + 3};
        for (int s = 0; s < 11; s++)
            for (int u = 0; u < 2; u++)
                for (int w = 0; w < WAYS; w++) {
                    int64_t n = sizes[s];
                    if (nb == 1 && n > 10)
                        continue; /* omits cases with tens of thousands of tasks that cover nothing
                                     new */
                    in_case("n %d, nb %d, uplo %c, %s", (int)n, (int)nb, uplos[u], way_names[w]);
                    random_seed((uint64_t)n);
                    struct array A = generate(&well_conditioned, dtype, n, (n + w) % 4);
                    factor_and_check(A, uplos[u], (enum way)w, nb);
                    array_free(A);
                }
    }
    check_report("sizes");
}

/* Tests the tiles of startile_tile_shape(), one and several. */
static void test_library_tiles(void)
{
    static const int64_t sizes[] = {50, 300};
    for (int s = 0; s < 2; s++)
        for (int w = WRAPPED; w <= CREATED; w++) {
            int64_t nb;
            in_case("n %d, startile_tile_shape()'s nb, %s", (int)sizes[s], way_names[w]);
            require_info(startile_tile_shape("potrf", dtype, sizes[s], sizes[s], &nb, &nb), 0);
            struct array A = generate(&well_conditioned, dtype, sizes[s], 5);
            factor_and_check(A, 'L', (enum way)w, nb);
            array_free(A);
        }
    check_report("the library's tiles");
}

static void test_kinds(void)
{
    static const int64_t sizes[][2] = {{35, 16}, {35, 64}, {200, 48}};
    for (const struct generator *g = generators; g->name != NULL; g++) {
        for (int s = 0; s < 3; s++)
            for (int u = 0; u < 2; u++) {
                in_case("%s, n %d, nb %d, uplo %c", g->name, (int)sizes[s][0], (int)sizes[s][1],
                        uplos[u]);
                random_seed(7);
                struct array A = generate(g, dtype, sizes[s][0], 3);
                factor_and_check(A, uplos[u], WRAPPED, sizes[s][1]);
                array_free(A);
            }
        check_report(g->name);
    }
}

/* Tests one tile with mb ≠ nb, which is allowed if both are at least n. */
static void test_one_rectangular_tile(void)
{
    in_case("n 10, mb 12, nb 40");
    struct array A = generate(&well_conditioned, dtype, 10, 0), T = array_copy(A);
    struct test_matrix S = test_matrix_new(T, WRAPPED, 'L', 12, 40);
    require_info(startile_potrf('L', S.A), 0);
    test_matrix_finish(&S);
    check_factor('L', A, T, 10);
    arrays_free(A, T);
}

static void test_typed_entries(void)
{
    static const int64_t sizes[] = {0, 1, 7, 150};
    for (int s = 0; s < 4; s++)
        for (int u = 0; u < 2; u++) {
            int64_t n = sizes[s], nrhs = 3;
            char uplo = uplos[u], other_triangle = uplo == 'L' ? 'U' : 'L';
            in_case("typed, n %d, uplo %c", (int)n, uplo);
            random_seed(11);
            struct array A = generate(&well_conditioned, dtype, n, 2), T = array_copy(A);
            struct array B = array_new_random(dtype, n, nrhs, 4);
            struct array X = array_copy(B), Y = array_copy(B), P = array_copy(A);
            struct array R = array_copy(A), Z = array_copy(B);
            /* results: T and X of potrf and potrs; P and Y of posv; R and Z of LAPACK */
            lapack(R)->potrf(uplo, R);
            lapack(R)->potrs(uplo, R, Z);
            array_poison(T, other_triangle);
            array_poison(P, other_triangle);

            require_info(lapack(A)->typed_potrf(uplo, n, T.a, T.ld), 0);
            require(is_poisoned(T, other_triangle) && has_borders_intact(T));
            check_factor(uplo, A, T, n);

            struct array factor = array_copy(T);
            require_info(lapack(A)->typed_potrs(uplo, n, nrhs, T.a, T.ld, X.a, X.ld), 0);
            require(is_same(T, factor) && has_borders_intact(X));
            check_solution(A, X, Z, B);

            require_info(lapack(A)->typed_posv(uplo, n, nrhs, P.a, P.ld, Y.a, Y.ld), 0);
            require(is_poisoned(P, other_triangle) && has_borders_intact(P) &&
                    has_borders_intact(Y));
            check_factor(uplo, A, P, n);
            check_solution(A, Y, Z, B);

            arrays_free(A, T, B, X, Y, P, R, Z, factor);
        }
    check_report("typed entries");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "potrf", test_sizes, test_library_tiles, test_kinds,
                      test_one_rectangular_tile, test_typed_entries);
}
