/* Tests of the kernels that interchange rows of a block column whose rows belong to several
 * processes. The test has the parts of all processes, and arrays take the place of the messages
 * between them. */
#include "check.h"
#include "device.h"
#include "generate.h"
#include "kernel_tests.h"

#include <stdlib.h>

enum { MOST_PROCESSES = 66 };

/* The rows of one process at or below row row0 of the matrix (part_put()). */
struct part {
    startile_rows rows;
    struct array A;
    struct tile_column S;
};

/* Copies the part to the process' rows of the matrix (to_whole), or back. The process has every
 * `processes`-th tile row; `local` is a row's index among its rows from the first tile's top on. */
static void copy_part(const struct part *P, struct array whole, bool to_whole)
{
    for (int64_t i = 0; i < P->A.m; i++) {
        int64_t local = i + P->rows.skip, mb = P->rows.mb;
        int64_t row = P->rows.first + local / mb * mb * P->rows.processes + local % mb;
        for (int64_t j = 0; j < whole.n; j++)
            if (to_whole)
                set(whole, row, j, get(P->A, i, j));
            else
                set(P->A, i, j, get(whole, row, j));
    }
}

/* Returns the part of process r of p: its tiles of mb rows, from row row0 of the matrix on. */
static struct part part_put(struct array whole, int r, int p, int64_t mb, int64_t row0)
{
    int64_t t = row0 / mb, heights[MOST_PARTS], m = 0;
    int pieces = 0;
    while (t % p != r)
        t++;
    struct part P = {.rows = {t * mb, (int)max(row0 - t * mb, 0), (int)mb, p}};
    for (; t * mb < whole.m; t += p) {
        require(pieces < MOST_PARTS);
        heights[pieces] = min((t + 1) * mb, whole.m) - max(t * mb, row0);
        m += heights[pieces++];
    }
    P.A = array_new(whole.dtype, m, whole.n, 0);
    copy_part(&P, whole, false);
    P.S = tile_column_put(P.A, pieces, heights);
    return P;
}

/* Ends the use of the part: copies it to its rows of the matrix, and frees it. */
static void part_fetch(struct part *P, struct array whole)
{
    tile_column_fetch(&P->S);
    copy_part(P, whole, true);
    array_free(P->A);
}

/* Returns random interchanges of rows row0 … row0 + k − 1 with rows below them, or none
 * (on_diagonal). Applies them, or the inverse ones, to `expected`. */
static struct array apply_random_interchanges(int64_t row0, int64_t k, bool on_diagonal,
                                              bool inverse, struct array expected)
{
    struct array of = integers_new(5 * k);
    for (int64_t j = 0; j < k; j++) {
        int64_t row = row0 + j, below = expected.m - row;
        row += on_diagonal ? 0 : (int64_t)((double)below * (random_real() + 1) / 2);
        integers(of)[j] = row + 1;
    }
    require_info(startile_moves_of_pivots(row0, (startile_pivots_of_panel){integers(of), (int)k}),
                 0);
    for (int64_t s = 0; s < k; s++) {
        int64_t j = inverse ? k - 1 - s : s, row = row0 + j, pivot_row = integers(of)[j] - 1;
        for (int64_t c = 0; c < expected.n; c++) {
            startile_complex held = get(expected, row, c);
            set(expected, row, c, get(expected, pivot_row, c));
            set(expected, pivot_row, c, held);
        }
    }
    return of;
}

/* p process rows; an m × n matrix in tiles of mb rows; k interchanges from row row0 on. */
struct problem {
    int p;
    int64_t mb, m, n, row0, k;
};

/* -- one panel ------------------------------------------------------------------------------- */

/* Checks pack_rows, merge_rows and place_rows, which apply the interchanges of one panel. Process
 * row `first` has the panel's top rows. E is the expected matrix. */
static void check_panel(const struct problem *q, bool on_diagonal)
{
    int p = q->p, first = (int)(q->row0 / q->mb % p);
    struct array A = array_new_random(dtype, q->m, q->n, 0), E = array_copy(A);
    struct array of = apply_random_interchanges(q->row0, q->k, on_diagonal, false, E);
    struct array W[MOST_PROCESSES], D = array_new(dtype, q->k, q->n, 2);
    struct array U = array_new(dtype, q->k, q->n, 1), top_rows = array_new(dtype, q->k, q->n, 1);
    struct part P[MOST_PROCESSES];
    startile_piece w[MOST_PROCESSES];
    startile_pivots_of_panel pivots = pivots_put(of);
    void *d = device_put(D), *u = device_put(U);
    for (int r = 0; r < p; r++) {
        P[r] = part_put(A, r, p, q->mb, q->row0);
        W[r] = array_new(dtype, q->k, q->n, r);
        w[r] = (startile_piece){device_put(W[r]), (int)W[r].ld, (int)q->k};
        require_info(kernels->pack_rows(exec, P[r].S.pieces, P[r].S.piece, (int)q->n, P[r].rows,
                                        q->row0, pivots, w[r].p, w[r].ld, r == first ? d : NULL,
                                        (int)D.ld),
                     0);
    }
    /* a binary tree brings the rows of all process rows to process row `first`, which has the top
     * rows and gets U */
    for (int distance = 1; distance < p; distance *= 2)
        for (int i = 0; i + distance < p; i += 2 * distance) {
            startile_piece to = w[(first + i) % p], from = w[(first + i + distance) % p];
            require_info(kernels->merge_rows(
                             exec, (int)q->n, P[0].rows, q->row0, pivots, first + i + distance,
                             (int)min(distance, p - i - distance), from.p, from.ld, to.p, to.ld),
                         0);
        }
    for (int r = 0; r < p; r++)
        require_info(kernels->place_rows(exec, P[r].S.pieces, P[r].S.piece, (int)q->n, P[r].rows,
                                         q->row0, pivots, d, (int)D.ld, w[first].p, w[first].ld,
                                         r == first ? u : NULL, (int)U.ld),
                     0);
    for (int r = 0; r < p; r++) {
        part_fetch(&P[r], A);
        device_fetch(W[r], w[r].p);
        array_free(W[r]);
    }
    device_fetch(D, d);
    device_fetch(U, u);
    pivots_fetch(of, pivots);
    array_assign(array_part(E, q->row0, 0, q->k, q->n), top_rows);
    require(is_same(U, top_rows));
    array_assign(U, array_part(A, q->row0, 0, q->k, q->n)); /* place_rows does not write these */
    require(is_same(A, E));
    arrays_free(A, E, D, U, top_rows, of);
}

static void test_panel(void)
{
    static const struct problem problems[] = {{1, 8, 40, 5, 0, 8},     {2, 8, 80, 7, 0, 8},
                                              {2, 16, 90, 33, 24, 8},  {3, 8, 75, 1, 16, 8},
                                              {4, 16, 130, 9, 64, 5},  {3, 300, 2000, 40, 300, 300},
                                              {66, 4, 66 * 4, 3, 8, 4}};
    random_seed(11);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int on_diagonal = 0; on_diagonal < 2; on_diagonal++) {
            const struct problem *q = &problems[i];
            in_case("%d process rows, tiles of %d rows, %d × %d, %d pivots from row %d on%s", q->p,
                    (int)q->mb, (int)q->m, (int)q->n, (int)q->k, (int)q->row0,
                    on_diagonal ? ", no interchange" : "");
            check_panel(q, on_diagonal);
        }
}

/* -- several panels -------------------------------------------------------------------------- */

/* Checks gather_rows and scatter_rows, which apply the joined interchanges of several panels. E is
 * the expected matrix. */
static void check_panels(const struct problem *q, bool inverse)
{
    int p = q->p;
    struct array A = array_new_random(dtype, q->m, q->n, 0), E = array_copy(A);
    struct array of = apply_random_interchanges(q->row0, q->k, false, inverse, E);
    struct array *M = malloc(sizeof *M * (size_t)(p * p));
    startile_piece *message = malloc(sizeof *message * (size_t)(p * p));
    startile_pivots_of_panel pivots = pivots_put(of);
    struct part P[MOST_PROCESSES];
    for (int r = 0; r < p; r++)
        P[r] = part_put(A, r, p, q->mb, q->row0);
    /* M[p i + j]: rows that process row i sends to process row j */
    for (int i = 0; i < p * p; i++) {
        M[i] = array_new(dtype, 2 * q->k, q->n, i % 3);
        message[i] = (startile_piece){device_put(M[i]), (int)M[i].ld, (int)M[i].m};
    }
    for (int r = 0; r < p; r++)
        require_info(kernels->gather_rows(exec, P[r].S.pieces, P[r].S.piece, (int)q->n, P[r].rows,
                                          pivots, inverse, message + r * p),
                     0);
    for (int r = 0; r < p; r++) {
        startile_piece from[MOST_PROCESSES];
        for (int s = 0; s < p; s++)
            from[s] = message[s * p + r];
        require_info(kernels->scatter_rows(exec, P[r].S.pieces, P[r].S.piece, (int)q->n, P[r].rows,
                                           pivots, inverse, from),
                     0);
    }
    for (int r = 0; r < p; r++)
        part_fetch(&P[r], A);
    for (int i = 0; i < p * p; i++) {
        device_fetch(M[i], message[i].p);
        array_free(M[i]);
    }
    pivots_fetch(of, pivots);
    require(is_same(A, E));
    arrays_free(A, E, of);
    free(M);
    free(message);
}

static void test_panels(void)
{
    static const struct problem problems[] = {{1, 8, 40, 5, 0, 40},    {2, 8, 80, 7, 0, 24},
                                              {2, 16, 90, 33, 24, 66}, {3, 8, 75, 1, 16, 20},
                                              {4, 16, 130, 9, 64, 17}, {3, 300, 2000, 40, 300, 900},
                                              {66, 2, 66 * 2, 2, 8, 9}};
    random_seed(12);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int inverse = 0; inverse < 2; inverse++) {
            const struct problem *q = &problems[i];
            in_case("%d process rows, tiles of %d rows, %d × %d, %d%s interchanges from row %d on",
                    q->p, (int)q->mb, (int)q->m, (int)q->n, (int)q->k, inverse ? " inverse" : "",
                    (int)q->row0);
            check_panels(q, inverse);
        }
}

int test_kernel_move_rows(void)
{
    return run_group("kernels of rows of several processes", test_panel, test_panels);
}
