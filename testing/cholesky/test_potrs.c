/* Tests of potrs and posv: numbers of right-hand sides, tile widths of B, kinds of matrices. */
#include "check.h"
#include "generate.h"
#include "reference.h"
#include "test_matrix.h"

static const char uplos[] = {'L', 'U'};

/* Solves by potrf and potrs, or by posv, with B in tiles of nb × width, and compares with LAPACK's
 * solution. */
static void solve_and_check(struct array A, struct array B, char uplo, bool by_posv, enum way way,
                            int64_t nb, int64_t width)
{
    char other_triangle = uplo == 'L' ? 'U' : 'L';
    struct array T = array_copy(A), X = array_copy(B), R = array_copy(A), Z = array_copy(B);
    lapack(R)->potrf(uplo, R);
    lapack(R)->potrs(uplo, R, Z);
    array_poison(T, other_triangle);
    struct test_matrix S = test_matrix_new(T, way, uplo, nb, nb);
    struct test_matrix Y = test_matrix_new(X, way, 'G', nb, width);
    if (by_posv) {
        require_info(startile_posv(uplo, S.A, Y.A), 0);
    } else {
        require_info(startile_potrf(uplo, S.A), 0);
        require_info(startile_potrs(uplo, S.A, Y.A), 0);
    }
    test_matrices_finish(&S, &Y);
    require(is_poisoned(T, other_triangle));
    check_factor(uplo, A, T, A.n);
    check_solution(A, X, Z, B);
    arrays_free(T, X, R, Z);
}

static void test_sizes(void)
{
    enum { NB = 8 };
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, NB - 1, NB, NB + 1, 2 * NB + 3};
    static const int64_t columns[] = {0, 1, 2, NB, NB + 1};
    static const int64_t widths[] = {1, 3, NB, 20};
    for (int s = 0; s < 11; s++)
        for (int c = 0; c < 5; c++)
            for (int w = 0; w < 4; w++)
                for (int u = 0; u < 2; u++) {
                    /* ways and routes alternate */
                    enum way way = (enum way)((s + c + w) % WAYS);
                    bool by_posv = (s + c + w + u) % 2;
                    in_case("n %d, nrhs %d, B's tiles %d wide, uplo %c, %s, %s", (int)sizes[s],
                            (int)columns[c], (int)widths[w], uplos[u], way_names[way],
                            by_posv ? "posv" : "potrs");
                    random_seed((uint64_t)(100 * s + c));
                    struct array A = generate(&well_conditioned, dtype, sizes[s], 1);
                    struct array B = array_new_random(dtype, sizes[s], columns[c], 3);
                    solve_and_check(A, B, uplos[u], by_posv, way, NB, widths[w]);
                    arrays_free(A, B);
                }
    check_report("sizes");
}

/* Tests kinds of matrices, at an order for which the solution for Moler's matrix, near 2^2n, is
 * finite in single precision. */
static void test_kinds(void)
{
    for (const struct generator *g = generators; g->name != NULL; g++) {
        for (int u = 0; u < 2; u++)
            for (int by_posv = 0; by_posv < 2; by_posv++) {
                in_case("%s, uplo %c, %s", g->name, uplos[u], by_posv ? "posv" : "potrs");
                random_seed(8);
                struct array A = generate(g, dtype, 50, 0), B = array_new_random(dtype, 50, 5, 3);
                solve_and_check(A, B, uplos[u], by_posv, WRAPPED, 16, 4);
                arrays_free(A, B);
            }
        check_report(g->name);
    }
}

/* Tests a matrix of one tile. B's tile height may then differ from A's. */
static void test_one_tile(void)
{
    in_case("one tile");
    random_seed(9);
    struct array A = generate(&well_conditioned, dtype, 20, 0),
                 B = array_new_random(dtype, 20, 3, 3);
    struct array X = array_copy(B), T = array_copy(A), Z = array_copy(B), R = array_copy(A);
    lapack(R)->potrf('L', R);
    lapack(R)->potrs('L', R, Z);
    struct test_matrix S = test_matrix_new(T, WRAPPED, 'L', 20, 20),
                       Y = test_matrix_new(X, WRAPPED, 'G', 32, 2);
    require_info(startile_posv('L', S.A, Y.A), 0);
    test_matrices_finish(&S, &Y);
    check_solution(A, X, Z, B);
    arrays_free(A, B, X, T, Z, R);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "potrs", test_sizes, test_kinds, test_one_tile);
}
