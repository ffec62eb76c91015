/* Tests of geqrf_tree and unmqr_tree: flat, binary and greedy trees over few and many rows of
 * tiles. */
#include "check.h"
#include "generate_qr.h"
#include "qr.h"
#include "reference.h"

#include <ctype.h>
#include <math.h>

enum { NB = 5, KINDS = 3 };

/* Bound on our residual / LAPACK's residual. It is above 2, because small tiles cause many more
 * roundings than LAPACK's panels; with usual tile sizes 2 suffices (test_tall). */
static const double times = 4;
static const char *const kind_names[KINDS] = {"flat", "binary", "greedy"};

/* A factorization by a tree. F: array of A; S: the library's matrix on F. */
struct tree {
    struct array F;
    struct test_matrix S;
    startile_tree *tree;
    enum way way;
};

/* Returns the factorization of a copy of A by a tree of this kind. */
static struct tree tree_of(struct array A, startile_tree_kind kind, enum way way, struct tiling t)
{
    struct tree f = {.F = array_copy(A), .way = way};
    f.S = test_matrix_new(f.F, way, 'G', t.mb, t.nb);
    require_info(startile_tree_create(&f.tree, f.S.A, kind), 0);
    require_info(startile_geqrf_tree(f.S.A, f.tree), 0);
    return f;
}

/* Copies A back to its array and destroys the tree. */
static void tree_finish(struct tree *f)
{
    test_matrix_finish(&f->S);
    startile_tree_destroy(f->tree);
}

/* Computes C := op(Q) C (side 'L') or C op(Q) with C in tiles of mb × nb. For side 'L' mb is A's
 * tile height. */
static void multiply(const struct tree *f, char side, char trans, struct array C, int64_t mb,
                     int64_t nb)
{
    struct test_matrix B = test_matrix_new(C, f->way, 'G', mb, nb);
    require_info(startile_unmqr_tree(side, trans, f->S.A, f->tree, B.A), 0);
    test_matrix_finish(&B);
}

/* Checks op(Q) C and C op(Q) by the tree against products with Q itself, for random C. The letters
 * of side and trans, and C's tiles, depend on `variant`. */
static void check_products(const struct tree *f, struct array Q, int64_t mb, int variant)
{
    static const int64_t widths[] = {1, 4, NB, 20};
    char trans = (dtype < STARTILE_C ? "NTCt" : "NCnc")[variant % 4];
    char upper_trans = toupper(trans) == 'N' ? 'N' : 'C';
    struct array QC = array_new_random(dtype, Q.m, 11, 1), CQ = array_new_random(dtype, 6, Q.m, 1);
    struct array expected_QC = product(upper_trans, 'N', Q, QC);
    struct array expected_CQ = product('N', upper_trans, CQ, Q);
    multiply(f, "Ll"[variant / 4 % 2], trans, QC, mb, widths[variant / 2 % 4]);
    multiply(f, "rR"[variant / 4 % 2], trans, CQ, widths[variant % 4], widths[variant / 4 % 4]);
    check_product(QC, expected_QC, Q.m);
    check_product(CQ, expected_CQ, Q.m);
    arrays_free(QC, CQ, expected_QC, expected_CQ);
}

/* Forms Q (m × m). Checks Q, products with Q, and its first min(m, n) columns with R as factors of
 * A. bound: largest ratio of the residual to LAPACK's. */
static void check_tree(struct array A, startile_tree_kind kind, enum way way, struct tiling t,
                       double bound)
{
    static int cases;
    if (is_left_out(cases++))
        return;
    struct tree f = tree_of(A, kind, way, t);
    int64_t m = A.m, k = m < A.n ? m : A.n;
    struct array Q = array_new_identity(dtype, m, m);
    multiply(&f, 'L', 'N', Q, t.mb, NB);
    if (m > 0) {
        check_componentwise(loss_of_orthogonality(Q) / ((double)m * unit_roundoff(dtype)));
        check_products(&f, Q, t.mb, (int)(m + A.n + kind));
    }
    tree_finish(&f);
    struct factors a = {array_part(Q, 0, 0, m, k), array_new(dtype, k, A.n, 0)};
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < k; i++)
            set(a.R, i, j, i <= j ? get(f.F, i, j) : 0);
    check_factors(A, a, bound);
    arrays_free(a.R, Q, f.F);
}

/* Tile heights: square tiles, and twice as tall. */
static const int64_t heights[2] = {NB, 2 * NB};

/* Sets the description of a case with tiles of mb × NB. */
static void in_tree_case(const char *what, int kind, int64_t m, int64_t n, int64_t mb, enum way way)
{
    in_case("%s, %s tree, %d × %d in tiles of %d × %d, %s", what, kind_names[kind], (int)m, (int)n,
            (int)mb, NB, way_names[way]);
}

/* Checks m rows with several numbers of columns: one block column, slightly more, and more block
 * columns than tile rows. */
static void check_rows(int kind, int64_t m, int64_t mb)
{
    const int64_t columns[] = {3, NB, NB + 1, 3 * NB + 2, NB * (m / mb + 2) + 3};
    for (int c = 0; c < 5; c++) {
        enum way way = (enum way)((m + c) % WAYS);
        in_tree_case("random", kind, m, columns[c], mb, way);
        random_seed((uint64_t)(100 * m + c));
        struct array A = generate_general(&random_general, dtype, m, columns[c], 1);
        check_tree(A, (startile_tree_kind)kind, way, (struct tiling){"", mb, NB}, times);
        array_free(A);
    }
}

/* Tests different numbers of tile rows; the last tile is whole, one row high, or three rows
 * short. */
static void test_rows(void)
{
    static const int64_t rows[] = {1, 2, 3, 5, 8};
    for (int kind = 0; kind < KINDS; kind++)
        for (int h = 0; h < 2; h++)
            /* with one tile row all trees are equal */
            for (int t = kind > 0; t < 5; t++) {
                int64_t mb = heights[h], m = mb * rows[t];
                check_rows(kind, m, mb);
                check_rows(kind, m - mb + 1, mb);
                check_rows(kind, m - 3, mb);
            }
    check_report("rows of tiles");
}

/* Tests tiles as tall as the matrix or taller, so that there is no tree; empty matrices. */
static void test_single(void)
{
    static const int64_t shapes[][2] = {{50, 20}, {20, 50}, {1, 1}, {1, 9}, {0, 5}, {5, 0}, {0, 0}};
    for (int kind = 0; kind < KINDS; kind++)
        for (int s = 0; s < 7; s++)
            for (int t = 1; t < TILINGS; t += 2) { /* whole columns; taller than the matrix */
                int64_t m = shapes[s][0], n = shapes[s][1];
                struct tiling tiling = tiling_of(t, m, NB);
                enum way way = (enum way)((s + t) % WAYS);
                in_tree_case(tiling.name, kind, m, n, tiling.mb, way);
                random_seed((uint64_t)s);
                struct array A = generate_general(&random_general, dtype, m, n, 0);
                check_tree(A, (startile_tree_kind)kind, way, tiling, times);
                array_free(A);
            }
    check_report("single tiles");
}

/* Tests tall and narrow matrices in larger tiles, as in TSQR. */
static void test_tall(void)
{
    enum { M = 400, WIDTH = 40, HEIGHT = 80 };
    static const int64_t columns[] = {1, 21, WIDTH, 2 * WIDTH + 3};
    for (int kind = 0; kind < KINDS; kind++)
        for (int c = 0; c < 4; c++) {
            in_case("tall, %s tree, %d × %d in tiles of %d × %d", kind_names[kind], M,
                    (int)columns[c], HEIGHT, WIDTH);
            random_seed((uint64_t)c);
            struct array A = generate_general(&random_general, dtype, M, columns[c], 0);
            check_tree(A, (startile_tree_kind)kind, WRAPPED, (struct tiling){"", HEIGHT, WIDTH}, 2);
            array_free(A);
        }
    check_report("tall");
}

static void check_kinds(const struct general *kinds, double bound)
{
    for (const struct general *g = kinds; g->name != NULL; g++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int h = 0; h < 2; h++) {
                in_tree_case(g->name, kind, 90, 20, heights[h], WRAPPED);
                random_seed(7);
                struct array A = generate_general(g, dtype, 90, 20, 1);
                check_tree(A, (startile_tree_kind)kind, WRAPPED,
                           (struct tiling){"", heights[h], NB}, bound);
                array_free(A);
            }
}

static void test_kinds(void)
{
    check_kinds(full_rank, times);
    check_kinds(mixed, times);
    /* integers and zeros, for which some orders of the operations have no rounding error */
    check_kinds(deficient, INFINITY);
    check_report("kinds");
}

/* Tests several factorizations with one tree. */
static void test_reused_tree(void)
{
    enum { M = 70, N = 20 };
    for (int kind = 0; kind < KINDS; kind++) {
        startile_tree *tree = NULL;
        for (int round = 0; round < 3; round++) {
            in_tree_case("the same tree again", kind, M, N, NB, WRAPPED);
            random_seed((uint64_t)round);
            struct array A = generate_general(&random_general, dtype, M, N, 0);
            struct array F = array_copy(A), C = array_copy(A);
            struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', NB, NB);
            struct test_matrix B = test_matrix_new(C, WRAPPED, 'G', NB, 5);
            if (tree == NULL)
                require_info(startile_tree_create(&tree, S.A, (startile_tree_kind)kind), 0);
            require_info(startile_geqrf_tree(S.A, tree), 0);
            require_info(startile_unmqr_tree('L', 'C', S.A, tree, B.A), 0);
            test_matrices_finish(&S, &B);
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = j + 1; i < M; i++)
                    set(F, i, j, 0);
            check_product(C, F, M);
            arrays_free(A, F, C);
        }
        startile_tree_destroy(tree);
    }
}

/* Tests a NaN or infinity in column j: the call ends, columns of R to the left of j are finite, and
 * column j is not. */
static void test_not_finite(void)
{
    enum { M = 70, N = 20 };
    static const int64_t positions[][2] = {{0, 0}, {69, 0}, {30, NB}, {3, 11}, {69, 19}};
    for (int kind = 0; kind < KINDS; kind++)
        for (int p = 0; p < 5; p++)
            for (int infinite = 0; infinite < 2; infinite++) {
                int64_t i = positions[p][0], j = positions[p][1];
                in_tree_case(infinite ? "infinity" : "NaN", kind, M, N, NB, WRAPPED);
                random_seed(5);
                struct array A = generate_general(&random_general, dtype, M, N, 0);
                set(A, i, j, infinite ? INFINITY : NAN);
                struct tree f =
                    tree_of(A, (startile_tree_kind)kind, WRAPPED, (struct tiling){"", NB, NB});
                tree_finish(&f);
                require(!is_finite(array_part(f.F, 0, j, j + 1, 1)));
                for (int64_t c = 0; c < j; c++)
                    require(is_finite(array_part(f.F, 0, c, c + 1, 1)));
                arrays_free(A, f.F);
            }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "geqrf_tree", test_rows, test_single, test_tall, test_kinds,
                      test_reused_tree, test_not_finite);
}
