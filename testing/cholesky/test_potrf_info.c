/* Tests of potrf and posv on matrices that are not positive definite: info and the state of A and
 * B. */
#include "check.h"
#include "generate.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char uplos[] = {'L', 'U'};

/* Four tile rows, the last one smaller. */
enum { NB = 6, N = 3 * NB + 4 };

/* Returns A with poison outside the triangle uplo. */
static struct array one_triangle(struct array A, char uplo)
{
    struct array T = array_copy(A);
    array_poison(T, uplo == 'L' ? 'U' : 'L');
    return T;
}

/* Runs potrf on a copy of A. Returns info; *T := the result in the copy. */
static int64_t factor(struct array A, char uplo, enum way way, int64_t nb, struct array *T)
{
    *T = one_triangle(A, uplo);
    struct test_matrix S = test_matrix_new(*T, way, uplo, nb, nb);
    int64_t info = startile_potrf(uplo, S.A);
    test_matrix_finish(&S);
    require(is_poisoned(*T, uplo == 'L' ? 'U' : 'L'));
    return info;
}

/* Requires the leading block of T, before the failing minor, to be a factor close to LAPACK's. The
 * block of A must be well-conditioned. */
static void check_leading_part(struct array A, char uplo, struct array T, int64_t info)
{
    struct array R = array_copy(A);
    require_info(lapack(A)->potrf(uplo, R), info);
    check_factor(uplo, A, T, info - 1);
    struct array ours = array_part(T, 0, 0, info - 1, info - 1);
    struct array lapacks = array_part(R, 0, 0, info - 1, info - 1);
    if (info > 1)
        check_near_in(uplo, ours, lapacks, 1000 * lapack(R)->lange('M', lapacks));
    array_free(R);
}

/* Requires potrf on each triangle to return info = expected and a factor of the block before. */
static void check_failing(struct array A, enum way way, int64_t nb, int64_t expected)
{
    for (int u = 0; u < 2; u++) {
        struct array T;
        require_info(factor(A, uplos[u], way, nb, &T), expected);
        check_leading_part(A, uplos[u], T, expected);
        array_free(T);
    }
}

/* Returns the first, middle or last row of a tile row, 1-based in the matrix. */
static int64_t row_in_tile(int64_t tile, int where)
{
    int64_t first = tile * NB, last = first + NB < N ? first + NB : N;
    return where == 0 ? first + 1 : where == 1 ? (first + last) / 2 : last;
}

/* Tests a negative or zero pivot in every tile and at its edges. */
static void test_every_tile(void)
{
    for (int64_t tile = 0; tile * NB < N; tile++)
        for (int where = 0; where < 3; where++) {
            int64_t k = row_in_tile(tile, where);
            enum way way = (enum way)(k % WAYS);
            in_case("indefinite at %d, %s", (int)k, way_names[way]);
            random_seed(3);
            struct array A = generate(&well_conditioned, dtype, N, 2);
            set(A, k - 1, k - 1, -1);
            check_failing(A, way, NB, k);
            array_free(A);

            in_case("singular at %d, %s", (int)k, way_names[way]);
            A = known_minor(dtype, N, 2, k, 0);
            check_failing(A, way, NB, k);
            array_free(A);
        }
}

/* Tests one tile that is the whole matrix, so that info comes from the kernel alone. */
static void test_single_tile(void)
{
    for (int64_t k = 1; k <= N; k += 7) {
        in_case("indefinite at %d, one tile", (int)k);
        struct array A = known_minor(dtype, N, 0, k, -2);
        check_failing(A, WRAPPED, 2 * N, k);
        array_free(A);
    }
}

/* Tests several failing minors: info is the order of the first, in whichever order tiles are
 * computed. */
static void test_first_of_several(void)
{
    static const int64_t pairs[][2] = {{2, 5}, {4, NB + 1}, {NB + 2, N}, {NB, NB + 1}, {1, N}};
    for (int p = 0; p < 5; p++) {
        in_case("indefinite at %d and %d", (int)pairs[p][0], (int)pairs[p][1]);
        random_seed(4);
        struct array A = generate(&well_conditioned, dtype, N, 0);
        set(A, pairs[p][0] - 1, pairs[p][0] - 1, -1);
        set(A, pairs[p][1] - 1, pairs[p][1] - 1, -3);
        check_failing(A, WRAPPED, NB, pairs[p][0]);
        array_free(A);
    }
}

/* Returns LAPACK's info for the leading k × k submatrix. LAPACK may choose other block sizes for it
 * than for A. */
static int64_t lapack_info(struct array A, char uplo, int64_t k)
{
    struct array R = array_new(A.dtype, k, k, 0);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < k; i++)
            set(R, i, j, get(A, i, j));
    int64_t info = lapack(R)->potrf(uplo, R);
    array_free(R);
    return info;
}

/* Tests Hilbert's matrix. Rounding decides where it stops being definite (near n = 8 for s, 13 for
 * d): info is within three of LAPACK's, and the leading part is a factor. */
static void test_hilbert(void)
{
    bool single = dtype == STARTILE_S || dtype == STARTILE_C;
    static const int64_t tile_sizes[] = {2, 5, 32};
    for (int t = 0; t < 3; t++)
        for (int u = 0; u < 2; u++) {
            int64_t nb = tile_sizes[t], safe = single ? 4 : 9;
            struct array T, A = generate(&hilbert, dtype, safe, 0);
            in_case("hilbert, n %d, nb %d, uplo %c", (int)safe, (int)nb, uplos[u]);
            require_info(factor(A, uplos[u], WRAPPED, nb, &T), 0);
            check_factor(uplos[u], A, T, safe);
            arrays_free(A, T);

            A = generate(&hilbert, dtype, 20, 0);
            in_case("hilbert, n 20, nb %d, uplo %c", (int)nb, uplos[u]);
            int64_t info = factor(A, uplos[u], WRAPPED, nb, &T);
            int64_t lapacks = lapack_info(A, uplos[u], 20), k = info - 1;
            require(info > safe);
            require(llabs(info - lapacks) <= 3);
            /* check_factor() needs a leading block that LAPACK factors too */
            while (lapack_info(A, uplos[u], k) != 0)
                k--;
            check_factor(uplos[u], A, T, k);
            printf("hilbert, nb %d, uplo %c: info %d, LAPACK's %d\n", (int)nb, uplos[u], (int)info,
                   (int)lapacks);
            arrays_free(A, T);
        }
}

/* Compares info with that of the textbook's loops. For LAPACK a NaN pivot is a failing minor, but
 * OpenBLAS's own potrf accepts it. */
static void check_against_textbook(struct array A, int64_t nb)
{
    struct array textbook = array_copy(A);
    int64_t expected = textbook_potrf(textbook);
    for (int u = 0; u < 2; u++) {
        struct array T;
        require_info(factor(A, uplos[u], WRAPPED, nb, &T), expected);
        if (expected > 1)
            check_factor(uplos[u], A, T, expected - 1);
        array_free(T);
    }
    array_free(textbook);
}

/* Sets element (i, j) to v and element (j, i) to its conjugate. */
static void set_pair(struct array A, int64_t i, int64_t j, startile_complex v)
{
    set(A, i, j, v);
    set(A, j, i, conj(v));
}

/* Positions (i, j), from 0: pivots in the first tile, an element below its diagonal, elements in
 * tiles below the diagonal, and pivots further down. */
static const int64_t positions[][2] = {
    {0, 0},           {3, 3},           {NB - 1, NB - 1},     {4, 1},
    {NB, 0},          {NB + 2, NB - 1}, {2 * NB + 1, NB + 3}, {N - 1, 2},
    {2 * NB, 2 * NB}, {N - 1, N - 1},
};
enum { POSITIONS = sizeof positions / sizeof positions[0] };

static void test_nan(void)
{
    for (int p = 0; p < POSITIONS; p++)
        for (int tiled = 0; tiled < 2; tiled++) {
            int64_t i = positions[p][0], j = positions[p][1];
            in_case("NaN at (%d, %d), %s", (int)i, (int)j, tiled ? "tiles" : "one tile");
            random_seed(5);
            struct array A = generate(&well_conditioned, dtype, N, 1);
            set_pair(A, i, j, NAN);
            check_against_textbook(A, tiled ? NB : 2 * N);
            array_free(A);
        }
}

/* Tests a NaN and a negative pivot: info is the order of the first failing minor. */
static void test_nan_and_negative(void)
{
    for (int64_t k = 3; k < N; k += 5)
        for (int tiled = 0; tiled < 2; tiled++) {
            in_case("NaN at (9, 4), -1 at %d, %s", (int)k, tiled ? "tiles" : "one tile");
            random_seed(6);
            struct array A = generate(&well_conditioned, dtype, N, 1);
            set_pair(A, 9, 4, NAN);
            set(A, k - 1, k - 1, -1);
            check_against_textbook(A, tiled ? NB : 2 * N);
            array_free(A);
        }
}

/* Tests that an infinity off the diagonal, or −∞ on it, makes the minor of its row fail. */
static void test_infinity(void)
{
    for (int p = 0; p < POSITIONS; p++)
        for (int tiled = 0; tiled < 2; tiled++) {
            int64_t i = positions[p][0], j = positions[p][1];
            in_case("Inf at (%d, %d), %s", (int)i, (int)j, tiled ? "tiles" : "one tile");
            random_seed(5);
            struct array A = generate(&well_conditioned, dtype, N, 1);
            set_pair(A, i, j, i == j ? -INFINITY : INFINITY);
            check_against_textbook(A, tiled ? NB : 2 * N);
            array_free(A);
        }
}

/* Tests +∞ on the diagonal, a valid pivot: its root is ∞ and the elements below it are zero. */
static void test_infinite_pivot(void)
{
    static const int64_t pivots[] = {0, 3, NB - 1, NB, 2 * NB + 2, N - 1};
    for (int p = 0; p < 6; p++)
        for (int u = 0; u < 2; u++) {
            int64_t k = pivots[p];
            in_case("pivot %d infinite, uplo %c", (int)k, uplos[u]);
            random_seed(5);
            struct array A = generate(&well_conditioned, dtype, N, 1), T, textbook;
            set(A, k, k, INFINITY);
            textbook = array_copy(A);
            require_info(textbook_potrf(textbook), 0);
            require_info(factor(A, uplos[u], WRAPPED, NB, &T), 0);
            require(!has_nan(T, uplos[u]));
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = j; i < N; i++) {
                    startile_complex ours = uplos[u] == 'L' ? get(T, i, j) : conj(get(T, j, i));
                    if (i == k && j == k)
                        require(isinf(creal(ours)));
                    else
                        require_below(cabs(ours - get(textbook, i, j)),
                                      1000 * unit_roundoff(dtype));
                }
            arrays_free(A, T, textbook);
        }
}

/* Tests every kind of pivot in a 1 × 1 matrix. */
static void test_order_one(void)
{
    const double pivots[] = {0, -0.0, -1, NAN, INFINITY, 4};
    for (int p = 0; p < 6; p++) {
        in_case("the pivot %g alone", pivots[p]);
        struct array T, A = array_new(dtype, 1, 1, 0);
        set(A, 0, 0, pivots[p]);
        require_info(factor(A, 'L', WRAPPED, 8, &T), pivots[p] > 0 ? 0 : 1);
        arrays_free(A, T);
    }
}

/* Tests that posv keeps every bit of B if A fails in the first, a middle or the last tile. */
static void test_posv_leaves_B(void)
{
    static const int64_t failing[] = {1, NB, NB + 1, 2 * NB + 3, N};
    for (int f = 0; f < 5; f++)
        for (int u = 0; u < 2; u++)
            for (int w = 0; w < WAYS; w++) {
                in_case("posv, minor %d, uplo %c, %s", (int)failing[f], uplos[u], way_names[w]);
                struct array A = known_minor(dtype, N, 1, failing[f], -1);
                struct array T = one_triangle(A, uplos[u]), B = array_new_random(dtype, N, 5, 2);
                struct array X = array_copy(B);
                struct test_matrix S = test_matrix_new(T, (enum way)w, uplos[u], NB, NB);
                struct test_matrix Y = test_matrix_new(X, (enum way)w, 'G', NB, 2);
                require_info(startile_posv(uplos[u], S.A, Y.A), failing[f]);
                test_matrices_finish(&S, &Y);
                require(is_same(X, B));
                check_leading_part(A, uplos[u], T, failing[f]);
                arrays_free(A, T, B, X);
            }
}

static void test_typed_entries(void)
{
    for (int64_t k = 1; k <= 200; k += 33)
        for (int u = 0; u < 2; u++) {
            in_case("typed, minor %d, uplo %c", (int)k, uplos[u]);
            struct array A = known_minor(dtype, 200, 1, k, -1), T = one_triangle(A, uplos[u]);
            struct array P = one_triangle(A, uplos[u]), B = array_new_random(dtype, 200, 3, 1);
            struct array X = array_copy(B);
            require_info(lapack(A)->typed_potrf(uplos[u], 200, T.a, T.ld), k);
            check_leading_part(A, uplos[u], T, k);
            require_info(lapack(A)->typed_posv(uplos[u], 200, 3, P.a, P.ld, X.a, X.ld), k);
            require(is_same(X, B));
            require(has_borders_intact(T) && has_borders_intact(P));
            arrays_free(A, T, P, B, X);
        }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "potrf info", test_every_tile, test_single_tile,
                      test_first_of_several, test_hilbert, test_nan, test_nan_and_negative,
                      test_infinity, test_infinite_pivot, test_order_one, test_posv_leaves_B,
                      test_typed_entries);
}
