/* Tests of the kernels that move rows and columns: interchanges of one or several panels, and
 * choice and order of rows in tournament pivoting. */
#include "check.h"
#include "device.h"
#include "generate.h"
#include "kernel_tests.h"
#include "lu.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* -- rows ------------------------------------------------------------------------------------ */

/* Interchanges of `count` consecutive panels; of[q] is the array `of` of panel q
 * (startile_pivots_of_panel). */
enum { MOST_PANELS = 130 };
struct panels {
    int count;
    struct array of[MOST_PANELS];
    int64_t *ipiv; /* pivots of all panels, 0-based rows */
};

/* Returns `count` panels of nb pivots each, from row `first` on. A row is interchanged with one of
 * the next 2 nb rows or, in half of the cases, with any row below it up to row m − 1. */
static struct panels random_panels(int count, int64_t nb, int64_t first, int64_t m)
{
    struct panels P = {.count = count, .ipiv = malloc((size_t)(count * nb + 1) * sizeof *P.ipiv)};
    for (int q = 0; q < count; q++) {
        int64_t row0 = first + q * nb;
        P.of[q] = integers_new(5 * nb);
        for (int64_t j = 0; j < nb; j++) {
            int64_t row = row0 + j, reach = random_real() < 0 ? m - row : 2 * nb;
            reach = reach < m - row ? reach : m - row;
            P.ipiv[q * nb + j] = row + (int64_t)((double)reach * (random_real() + 1) / 2);
            integers(P.of[q])[j] = P.ipiv[q * nb + j] + 1;
        }
        require_info(
            startile_moves_of_pivots(row0, (startile_pivots_of_panel){integers(P.of[q]), (int)nb}),
            0);
    }
    return P;
}

static void panels_free(struct panels P)
{
    for (int q = 0; q < P.count; q++)
        array_free(P.of[q]);
    free(P.ipiv);
}

/* Applies the interchanges to A one after the other, or with `inverse` undoes them in reverse
 * order. The first panel begins at row `first` of A; P.ipiv are rows of A. */
static void interchange_rows(struct array A, struct panels P, int64_t nb, int64_t first,
                             bool inverse)
{
    int64_t steps = P.count * nb;
    for (int64_t s = 0; s < steps; s++) {
        int64_t j = inverse ? steps - 1 - s : s, row = first + j, pivot_row = P.ipiv[j];
        for (int64_t c = 0; c < A.n; c++) {
            startile_complex held = get(A, row, c);
            set(A, row, c, get(A, pivot_row, c));
            set(A, pivot_row, c, held);
        }
    }
}

/* Checks laswp on a tile column that begins at row ROW0 of the matrix; the panels begin `skip` rows
 * below its top. */
static void check_laswp(int64_t m, int64_t n, int pieces, const int64_t *heights, int count,
                        int64_t nb, int64_t skip)
{
    enum { ROW0 = 1000 };
    struct panels P = random_panels(count, nb, ROW0 + skip, ROW0 + m);
    struct array A = array_new_random(dtype, m, n, 0);
    for (int64_t j = 0; j < count * nb; j++)
        P.ipiv[j] -= ROW0; /* rows of A */
    for (int inverse = 0; inverse < 2; inverse++) {
        startile_pivots_of_panel p[MOST_PANELS];
        struct array E = array_copy(A), C = array_copy(A);
        struct tile_column S = tile_column_put(C, pieces, heights);
        interchange_rows(E, P, nb, skip, inverse);
        for (int q = 0; q < count; q++)
            p[q] = pivots_put(P.of[q]);
        require_info(kernels->laswp(exec, pieces, S.piece, (int)n, ROW0, count, p, inverse), 0);
        tile_column_fetch(&S);
        for (int q = 0; q < count; q++)
            pivots_fetch(P.of[q], p[q]);
        require(is_same(C, E));
        arrays_free(C, E);
    }
    array_free(A);
    panels_free(P);
}

static void test_laswp(void)
{
    static const int64_t cuts[][4] = {
        {300, 0, 0, 0}, {100, 100, 100, 0}, {1, 150, 0, 149}, {64, 64, 64, 108}};
    static const int pieces[] = {1, 3, 4, 4};
    static const int64_t columns[] = {0, 1, 7, 32, 33, 100};
    static const int64_t widths[] = {1, 5, 32, 60};
    random_seed(1);
    for (int cut = 0; cut < 4; cut++)
        for (int c = 0; c < 6; c++)
            for (int w = 0; w < 4; w++)
                for (int count = 1; count <= 5; count += 2)
                    for (int64_t skip = 0; skip <= 30; skip += 30) {
                        if (skip + count * widths[w] > 300)
                            continue;
                        in_case("laswp, cut %d, %d columns, %d panels of %d, first row %d", cut,
                                (int)columns[c], count, (int)widths[w], (int)skip);
                        check_laswp(300, columns[c], pieces[cut], cuts[cut], count, widths[w],
                                    skip);
                    }
}

/* Tests no panel, a panel of all rows, 130 panels, and a panel without interchanges. */
static void test_laswp_edges(void)
{
    static const int64_t height = 40;
    random_seed(2);
    in_case("no panel");
    check_laswp(height, 5, 1, &height, 0, 4, 0);
    in_case("as many pivots as rows");
    check_laswp(height, 5, 1, &height, 1, height, 0);
    in_case("130 panels");
    int64_t many = 300;
    check_laswp(many, 3, 1, &many, MOST_PANELS, 2, 5);
    in_case("panels that move nothing");
    struct array A = array_new_random(dtype, height, 9, 0), of = integers_new(5 * 8);
    struct array E = array_copy(A);
    for (int64_t j = 0; j < 8; j++)
        integers(of)[j] = j + 1;
    require_info(startile_moves_of_pivots(0, (startile_pivots_of_panel){integers(of), 8}), 0);
    struct tile_column S = tile_column_put(A, 1, &height);
    startile_pivots_of_panel p = pivots_put(of);
    require_info(kernels->laswp(exec, 1, S.piece, 9, 0, 1, &p, 0), 0);
    tile_column_fetch(&S);
    pivots_fetch(of, p);
    require(is_same(A, E));
    arrays_free(A, E, of);
}

/* Tests many rows, for which a GPU uses many thread blocks. */
static void test_laswp_tall(void)
{
    static const int64_t cuts[][2] = {{20000, 0}, {129, 19871}};
    random_seed(3);
    for (int cut = 0; cut < 2; cut++) {
        in_case("laswp of 20000 rows in %d pieces", cut + 1);
        check_laswp(20000, 40, cut + 1, cuts[cut], 2, 64, 0);
    }
}

/* -- columns --------------------------------------------------------------------------------- */

/* Interchanges the columns of blocks that are in two memories: `elsewhere` has bit b for those that
 * the panel, block 0, is not with. */
static void interchange_in_groups(int blocks, const startile_piece *piece, unsigned elsewhere,
                                  int64_t nb, int64_t column0, startile_pivots_of_panel p)
{
    struct array N = array_new_random(dtype, piece->m, nb, 2);
    startile_piece here[8], there[8], arrived = {device_put(N), (int)N.ld, piece->m};
    for (int b = 0; b < blocks; b++) {
        bool is_there = (elsewhere >> b & 1) != 0;
        here[b] = is_there ? (startile_piece){NULL, 0, 0} : piece[b];
        there[b] = is_there ? piece[b] : (startile_piece){NULL, 0, 0};
    }
    require_info(
        kernels->exchange_columns(exec, blocks, there, piece[0], arrived, (int)nb, column0, p), 0);
    require_info(kernels->lapmt(exec, blocks, here, arrived, (int)nb, column0, p, 0), 0);
    device_fetch(N, arrived.p);
    array_free(N);
}

/* Checks lapmt on a row of blocks of nb columns, n in all, that begins at column column0 of the
 * matrix, with k random interchanges; elsewhere: as in interchange_in_groups(). */
static void check_lapmt(int64_t m, int64_t n, int64_t nb, int64_t k, int64_t column0, bool inverse,
                        unsigned elsewhere)
{
    int blocks = (int)((n + nb - 1) / nb);
    struct panels P = random_panels(1, k, column0, column0 + n);
    struct array A = array_new_random(dtype, m, n, 0), block[8];
    startile_piece piece[8], none = {NULL, 0, 0};
    for (int b = 0; b < blocks; b++) {
        int64_t width = n - b * nb < nb ? n - b * nb : nb;
        block[b] = array_new(dtype, m, width, b);
        for (int64_t j = 0; j < width; j++)
            for (int64_t i = 0; i < m; i++)
                set(block[b], i, j, get(A, i, b * nb + j));
        piece[b] = (startile_piece){device_put(block[b]), (int)block[b].ld, (int)m};
    }
    /* E := Aᵀ; the row interchanges on E give (A Pᵀ)ᵀ, undoing them (A P)ᵀ */
    struct array E = array_new(dtype, n, m, 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(E, j, i, get(A, i, j));
    for (int64_t j = 0; j < k; j++)
        P.ipiv[j] -= column0;
    interchange_rows(E, P, k, 0, inverse);
    startile_pivots_of_panel p = pivots_put(P.of[0]);
    if (elsewhere != 0)
        interchange_in_groups(blocks, piece, elsewhere, nb, column0, p);
    else
        require_info(kernels->lapmt(exec, blocks, piece, none, (int)nb, column0, p, inverse), 0);
    pivots_fetch(P.of[0], p);
    for (int b = 0; b < blocks; b++) {
        device_fetch(block[b], piece[b].p);
        for (int64_t j = 0; j < block[b].n; j++)
            for (int64_t i = 0; i < m; i++)
                require(get(block[b], i, j) == get(E, b * nb + j, i));
        array_free(block[b]);
    }
    arrays_free(A, E);
    panels_free(P);
}

/* Returns Aᵀ. */
static struct array transposed(struct array A)
{
    struct array B = array_new(A.dtype, A.n, A.m, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(B, j, i, get(A, i, j));
    return B;
}

/* Gathers rows row0 … and columns column0 … of P A Pᵀ, where P has the interchanges of `count`
 * panels of nb pivots, from the blocks of A before block `cut`, then from the others. */
static void check_gather_block(int64_t n, int64_t nb, int count, int64_t row0, int64_t column0,
                               int64_t columns, int cut)
{
    enum { MOST_BLOCKS = 40 };
    int blocks = (int)((n + nb - 1) / nb);
    struct panels P = random_panels(count, nb, 0, n);
    struct array A = array_new_random(dtype, n, n, 0), block[MOST_BLOCKS], order = integers_new(n);
    startile_piece piece[MOST_BLOCKS];
    require(blocks <= MOST_BLOCKS);
    for (int b = 0; b < blocks; b++) {
        block[b] = array_new(dtype, n, n - b * nb < nb ? n - b * nb : nb, b % 3);
        for (int64_t j = 0; j < block[b].n; j++)
            for (int64_t i = 0; i < n; i++)
                set(block[b], i, j, get(A, i, b * nb + j));
        piece[b] = (startile_piece){device_put(block[b]), (int)block[b].ld, (int)n};
    }
    struct array B = array_copy(A), C = array_new_random(dtype, n - row0, columns, 2),
                 D = array_new_random(dtype, n - row0, columns, 1);
    interchange_rows(B, P, nb, 0, false);
    struct array E = transposed(B);
    interchange_rows(E, P, nb, 0, false); /* (P A Pᵀ)ᵀ */
    for (int64_t i = 0; i < n; i++)
        integers(order)[i] = 0;
    int64_t *o = device_put(order);
    for (int q = 0; q < count; q++) {
        startile_pivots_of_panel p = pivots_put(P.of[q]);
        require_info(kernels->compose_moves(exec, p, o), 0);
        pivots_fetch(P.of[q], p);
    }
    void *c = device_put(C);
    require_info(kernels->gather_block(exec, cut, piece, (int)nb, 0, o, row0, column0, (int)C.m,
                                       (int)columns, c, (int)C.ld),
                 0);
    require_info(kernels->gather_block(exec, blocks - cut, piece + cut, (int)nb, cut * nb, o, row0,
                                       column0, (int)C.m, (int)columns, c, (int)C.ld),
                 0);
    void *d = device_put(D);
    for (int half = 0; half < 2; half++) { /* every second block is missing */
        startile_piece present[MOST_BLOCKS];
        for (int b = 0; b < blocks; b++)
            present[b] = b % 2 == half ? piece[b] : (startile_piece){NULL, 0, 0};
        require_info(kernels->gather_block(exec, blocks, present, (int)nb, 0, o, row0, column0,
                                           (int)D.m, (int)columns, d, (int)D.ld),
                     0);
    }
    device_fetch(C, c);
    device_fetch(D, d);
    device_fetch(order, o);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < C.m; i++) {
            require(get(C, i, j) == get(E, column0 + j, row0 + i));
            require(get(D, i, j) == get(C, i, j));
        }
    for (int b = 0; b < blocks; b++) {
        device_fetch(block[b], piece[b].p);
        array_free(block[b]);
    }
    arrays_free(A, B);
    arrays_free(C, D, E);
    array_free(order);
    panels_free(P);
}

static void test_gather_block(void)
{
    /* n, nb, panels, row0, column0, columns, cut */
    static const int64_t cases[][7] = {{1, 1, 1, 0, 0, 1, 1},         {50, 8, 0, 8, 8, 8, 3},
                                       {50, 8, 1, 0, 8, 8, 7},        {50, 8, 5, 40, 40, 8, 0},
                                       {50, 8, 6, 48, 48, 2, 2},      {300, 8, 20, 160, 160, 8, 33},
                                       {700, 64, 3, 192, 192, 64, 5}, {33, 33, 1, 0, 0, 33, 1}};
    random_seed(6);
    for (int i = 0; i < 8; i++) {
        const int64_t *c = cases[i];
        in_case("gather_block, order %d, %d panels of %d", (int)c[0], (int)c[2], (int)c[1]);
        check_gather_block(c[0], c[1], (int)c[2], c[3], c[4], c[5], (int)c[6]);
    }
}

static void test_lapmt(void)
{
    static const int64_t rows[] = {0, 1, 31, 100, 700};
    /* n, nb, k */
    static const int64_t shapes[][3] = {{8, 8, 8},   {50, 8, 8}, {50, 16, 16},
                                        {50, 50, 7}, {1, 8, 1},  {33, 16, 16}};
    random_seed(4);
    for (int r = 0; r < 5; r++)
        for (int s = 0; s < 6; s++)
            for (int inverse = 0; inverse < 2; inverse++) {
                int64_t column0 = 64 * ((r + s) % 2);
                in_case("lapmt, %d × %d in blocks of %d, %d pivots, first column %d, inverse %d",
                        (int)rows[r], (int)shapes[s][0], (int)shapes[s][1], (int)shapes[s][2],
                        (int)column0, inverse);
                check_lapmt(rows[r], shapes[s][0], shapes[s][1], shapes[s][2], column0, inverse, 0);
            }
}

static void test_exchange_columns(void)
{
    static const int64_t rows[] = {0, 1, 31, 300}, pivots[] = {1, 5, 8};
    static const unsigned elsewhere[] = {2, 64, 42, 84, 126};
    random_seed(5);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 3; k++)
            for (int e = 0; e < 5; e++) {
                int64_t column0 = 64 * ((r + e) % 2);
                in_case("exchange_columns, %d × 50 in blocks of 8, %d pivots, first column %d, "
                        "blocks 0x%x elsewhere",
                        (int)rows[r], (int)pivots[k], (int)column0, elsewhere[e]);
                check_lapmt(rows[r], 50, 8, pivots[k], column0, false, elsewhere[e]);
            }
}

/* -- tournament ------------------------------------------------------------------------------ */

/* winner[] := the indices of the min(m, n) rows that partial pivoting brings to the top, in its
 * order */
static void expected_winners(struct array A, int64_t *winner)
{
    struct lu g = lapack_lu(A);
    int64_t *row = malloc((size_t)(A.m + 1) * sizeof *row);
    for (int64_t i = 0; i < A.m; i++)
        row[i] = i;
    for (int64_t j = 0; j < A.m && j < A.n; j++) {
        int64_t held = row[j];
        row[j] = row[g.ipiv[j] - 1];
        row[g.ipiv[j] - 1] = held;
        winner[j] = row[j];
    }
    free(row);
    lu_free(g);
}

enum { ROW0 = 300 };
/* Blocks of 20 rows of one of two processes, from row 307 on */
static const startile_rows SPREAD = {300, 7, 20, 2};

/* Returns the row of the matrix that SPREAD gives to row i of the tile column. */
static int64_t row_number(int64_t i)
{
    return 300 + (i + 7) / 20 * 40 + (i + 7) % 20;
}

/* Checks select_rows with the result in memory of its own. Row numbers are given for every other
 * piece (`numbered`) or for none; SPREAD gives the others. */
static void check_select(int64_t m, int64_t n, int pieces, const int64_t *heights, bool numbered)
{
    int64_t k = m < n ? m : n, winner[128], row = 0;
    struct array A = array_new(dtype, m, n, 0), B = array_new(dtype, k, n, 2);
    struct array out = integers_new(k), numbers[MOST_PARTS];
    const int64_t *rows_in[MOST_PARTS];
    int64_t *row_numbers = malloc((size_t)(m + 1) * sizeof *row_numbers);
    array_random(A);
    struct array before = array_copy(A);
    struct tile_column S = tile_column_put(A, pieces, heights);
    for (int q = 0; q < pieces; q++) {
        bool has_numbers = numbered && q % 2 == 0;
        numbers[q] = integers_new(heights[q]);
        for (int64_t i = 0; i < heights[q]; i++, row++)
            row_numbers[row] = integers(numbers[q])[i] =
                has_numbers ? 5000 - 7 * row : row_number(row);
        void *p = device_put(numbers[q]);
        rows_in[q] = has_numbers ? p : NULL;
        if (!has_numbers)
            device_fetch(numbers[q], p);
    }
    void *b = device_put(B), *o = device_put(out);
    require_info(
        kernels->select_rows(exec, pieces, S.piece, (int)n, SPREAD, rows_in, b, (int)B.ld, o), 0);
    device_fetch(B, b);
    device_fetch(out, o);
    tile_column_fetch(&S);
    for (int q = 0; q < pieces; q++) {
        if (rows_in[q] != NULL)
            device_fetch(numbers[q], (void *)(uintptr_t)rows_in[q]);
        array_free(numbers[q]);
    }
    require(is_same(A, before));
    expected_winners(A, winner);
    for (int64_t i = 0; i < k; i++) {
        require_info(integers(out)[i], row_numbers[winner[i]]);
        for (int64_t j = 0; j < n; j++)
            require(get(B, i, j) == get(A, winner[i], j));
    }
    free(row_numbers);
    arrays_free(A, before, B, out);
}

static void test_select_rows(void)
{
    static const int64_t cuts[][4] = {{100, 0, 0, 0}, {50, 50, 0, 0}, {30, 1, 60, 9}};
    static const int pieces[] = {1, 2, 4};
    static const int64_t columns[] = {1, 2, 5, 16, 32, 33, 64, 100};
    random_seed(5);
    for (int cut = 0; cut < 3; cut++)
        for (int c = 0; c < 8; c++)
            for (int numbered = 0; numbered < 2; numbered++) {
                in_case("select, %d columns, cut %d, row numbers given: %d", (int)columns[c], cut,
                        numbered);
                check_select(100, columns[c], pieces[cut], cuts[cut], numbered);
            }
    static const int64_t few[] = {1, 3, 20};
    for (int f = 0; f < 3; f++) {
        in_case("select, fewer rows than columns: %d × 24", (int)few[f]);
        check_select(few[f], 24, 1, &few[f], false);
    }
    int64_t tall = 3000;
    in_case("select, 3000 × 32");
    check_select(tall, 32, 1, &tall, false);
    if (backend == GPU) {
        tall = 20000;
        in_case("select, 20000 × 64");
        check_select(tall, 64, 1, &tall, false);
    }
}

/* Tests one match of the tournament: winners overwrite the first piece and its row numbers. */
static void test_select_in_place(void)
{
    for (int64_t n = 1; n <= 64; n += 9) {
        in_case("match of 2 × %d rows in place", (int)n);
        random_seed((uint64_t)n);
        const int64_t heights[] = {n, n};
        int64_t winner[64];
        struct array A = array_new_random(dtype, 2 * n, n, 0), first = integers_new(n),
                     second = integers_new(n);
        struct array before = array_copy(A);
        for (int64_t i = 0; i < n; i++) {
            integers(first)[i] = 10 * i + 1;
            integers(second)[i] = 10 * i + 1002;
        }
        struct tile_column S = tile_column_put(A, 2, heights);
        int64_t *first_rows = device_put(first), *second_rows = device_put(second);
        const int64_t *rows_in[] = {first_rows, second_rows};
        require_info(kernels->select_rows(exec, 2, S.piece, (int)n, SPREAD, rows_in, S.piece[0].p,
                                          S.piece[0].ld, first_rows),
                     0);
        tile_column_fetch(&S);
        device_fetch(first, first_rows);
        device_fetch(second, second_rows);
        expected_winners(before, winner);
        for (int64_t i = 0; i < n; i++) {
            int64_t w = winner[i];
            require_info(integers(first)[i], w < n ? 10 * w + 1 : 10 * (w - n) + 1002);
            require_info(integers(second)[i], 10 * i + 1002);
            for (int64_t j = 0; j < n; j++) {
                require(get(A, i, j) == get(before, w, j));
                require(get(A, n + i, j) == get(before, n + i, j));
            }
        }
        arrays_free(A, before, first, second);
    }
}

/* Tests rows of zeros, of NaN, or of both: the chosen rows must still be different from each other.
 */
static void test_select_odd_rows(void)
{
    enum { M = 60, N = 12 };
    for (int kind = 0; kind < 3; kind++) {
        in_case("select among rows of %s", kind == 0 ? "zeros" : kind == 1 ? "NaN" : "both");
        struct array A = array_new(dtype, M, N, 0), B = array_new(dtype, N, N, 0);
        struct array out = integers_new(N);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < M; i++)
                set(A, i, j, kind == 0 || (kind == 2 && i % 2) ? 0 : NAN);
        const int64_t height = M, *no_numbers = NULL;
        bool seen[M] = {false};
        struct tile_column S = tile_column_put(A, 1, &height);
        void *b = device_put(B), *o = device_put(out);
        const startile_rows all = {0, 0, M, 1};
        require_info(kernels->select_rows(exec, 1, S.piece, N, all, &no_numbers, b, (int)B.ld, o),
                     0);
        device_fetch(B, b);
        device_fetch(out, o);
        tile_column_fetch(&S);
        for (int64_t i = 0; i < N; i++) {
            int64_t r = integers(out)[i];
            require(r >= 0 && r < M && !seen[r]);
            seen[r] = true;
        }
        arrays_free(A, B, out);
    }
}

/* Checks order_rows: the interchanges, in sequence and as one permutation, must bring the rows
 * `chosen` to the top in this order. */
static void check_order(int64_t m, int64_t k, const int64_t *chosen)
{
    struct array rows = integers_new(k), of = integers_new(5 * k);
    int64_t *row = malloc((size_t)(2 * m + 1) * sizeof *row), *moved = row + m;
    for (int64_t i = 0; i < k; i++)
        integers(rows)[i] = ROW0 + chosen[i];
    for (int64_t i = 0; i < m; i++)
        row[i] = moved[i] = i;
    void *p = device_put(rows);
    startile_pivots_of_panel pivots = pivots_put(of);
    require_info(kernels->order_rows(exec, ROW0, p, pivots), 0);
    pivots_fetch(of, pivots);
    device_fetch(rows, p);
    const int64_t *ipiv = integers(of), *to = ipiv + k, *from = ipiv + 3 * k;
    for (int64_t j = 0; j < k; j++) {
        int64_t pivot_row = ipiv[j] - 1 - ROW0, held = row[j];
        require(pivot_row >= j && pivot_row < m);
        row[j] = row[pivot_row];
        row[pivot_row] = held;
        require_info(row[j], chosen[j]);
    }
    for (int64_t i = 0; i < 2 * k; i++)
        if (to[i] != -1)
            moved[to[i] - ROW0] = from[i] - ROW0;
    for (int64_t i = 0; i < m; i++)
        require_info(moved[i], row[i]);
    free(row);
    arrays_free(rows, of);
}

static void test_order_rows(void)
{
    enum { M = 300 };
    static const int64_t counts[] = {1, 2, 5, 16, 32, 33, 64, 128};
    random_seed(6);
    for (int c = 0; c < 8; c++)
        for (int kind = 0; kind < 3; kind++) {
            /* chosen rows: k of all rows, k of 2 k rows, or a permutation of the top k rows */
            int64_t k = counts[c], m = kind == 0 ? M : kind == 1 ? 2 * k : k, row[M];
            in_case("order of %d rows among %d", (int)k, (int)m);
            for (int64_t i = 0; i < m; i++)
                row[i] = i;
            for (int64_t i = 0; i < k; i++) {
                int64_t j = i + (int64_t)((double)(m - i) * (random_real() + 1) / 2);
                int64_t held = row[i];
                row[i] = row[j];
                row[j] = held;
            }
            check_order(m, k, row);
        }
    static const int64_t as_they_are[] = {0, 1, 2, 3, 4}, cycle[] = {4, 0, 1, 2, 3};
    in_case("order of rows that are in order");
    check_order(9, 5, as_they_are);
    in_case("order of a cycle");
    check_order(9, 5, cycle);
}

/* Checks that zeros among the rows, from a process that did not select rows, give valid pivots. */
static void test_order_zeros(void)
{
    enum { M = 50, K = 12 };
    for (int step = 1; step <= 3; step++) {
        in_case("order of rows, of which 1 in %d is not zero", step + 1);
        struct array rows = integers_new(K), of = integers_new(5 * K);
        for (int64_t i = 0; i < K; i++)
            integers(rows)[i] = i % (step + 1) == 0 ? ROW0 + M - 1 - 2 * i : 0;
        void *p = device_put(rows);
        startile_pivots_of_panel pivots = pivots_put(of);
        require_info(kernels->order_rows(exec, ROW0, p, pivots), 0);
        pivots_fetch(of, pivots);
        device_fetch(rows, p);
        for (int64_t j = 0; j < K; j++)
            require(integers(of)[j] > ROW0 && integers(of)[j] <= ROW0 + M);
        arrays_free(rows, of);
    }
}

int test_kernel_rows(void)
{
    return run_group("kernels of rows", test_laswp, test_laswp_edges, test_laswp_tall, test_lapmt,
                     test_exchange_columns, test_gather_block, test_select_rows,
                     test_select_in_place, test_select_odd_rows, test_order_rows, test_order_zeros);
}
