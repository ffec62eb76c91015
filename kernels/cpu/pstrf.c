/*
 * Cholesky factorization with diagonal pivoting of a block column, and its update of the columns to
 * the right, by the algorithm of LAPACK xPSTRF (Hammarling, Higham & Lucas, "LAPACK-style codes for
 * pivoted Cholesky and QR updating", PARA 2006, LNCS 4699, 2007).
 *
 * A block of at most INNER columns leaves the trailing triangle as it was, except for interchanges.
 * Its columns of L are in W. The next pivot is the largest of the diagonal elements less the sums
 * of squares of their rows in W. So the column of each pivot needs an update by W alone, and the
 * trailing triangle one product for each block.
 *
 * The threads of the team share loops over groups of rows, and over square pieces of the trailing
 * triangle. Groups and pieces, and so the results, do not depend on the number of threads.
 *
 * Backward error: that of Cholesky, as long as the pivots are positive (Higham 2002, section 10.3).
 */
#include "dtype.h"
#include "team.h"

#include <stdlib.h>

/* Number of columns of a block, as in LAPACK; rows in a group; order of a piece; columns of L that
 * are interchanged together, which fit the L2 cache */
enum { INNER = 64, GROUP = 128, PIECE = 256, LEFT = 32 };

/* Least number of elements of W that the team shares in a loop over rows. Two hand-overs between
 * threads take about as long as reading 10,000 elements, and longer if other programs use the
 * cores. */
enum { LEAST_SHARED = 64 << 10 };

/* The largest of some diagonal elements less their sums of squares, the first of several. NaN is
 * never the largest. row: −1 if all are NaN */
struct pivot {
    real value;
    int64_t row;
};

/* Rows and columns have their numbers in the whole matrix. L is the lower triangle, which is stored
 * as the conjugate transpose with uplo 'U'. */
struct panel {
    startile_team *team;
    bool is_upper;
    const startile_piece *tiles;
    int nb;
    int64_t k; /* block column of the panel */
    int64_t n; /* rows of the matrix */
    int64_t *order;
    element *w; /* columns of L in the block, from row `first` on */
    int ldw;
    real *diagonal;       /* real parts of the trailing triangle's diagonal, by row */
    real *sum;            /* sums of squares of the rows of W */
    struct pivot *best;   /* of each group of rows, from that of row nb k on */
    int64_t first, j;     /* first and newest column of the block */
    int64_t pivot[INNER]; /* rows that were interchanged with those of the block's columns */
    element row[INNER];   /* conjugate of row j of W */
    real scale;           /* 1 / L(j,j) */
};

static element conjugate(element x)
{
    return (element)conj(x);
}

static element *in_w(const struct panel *p, int64_t i, int64_t c)
{
    return p->w + (i - p->first) + (c - p->first) * p->ldw;
}

/* -- elements of A --------------------------------------------------------------------------- */

static const startile_piece *tile_of(const struct panel *p, int64_t i, int64_t c)
{
    int64_t row = i / p->nb;
    return &p->tiles[row * (row + 1) / 2 - p->k * (p->k + 1) / 2 + c / p->nb];
}

/* Returns the address of L(i,c), i ≥ c. */
static element *address(const struct panel *p, int64_t i, int64_t c)
{
    const startile_piece *tile = tile_of(p, i, c);
    ptrdiff_t r = i % p->nb, q = c % p->nb;
    return (element *)tile->p + (p->is_upper ? q + r * tile->ld : r + q * tile->ld);
}

/* Return the distances of L(i,c) to L(i+1,c) and to L(i,c+1) within a tile. */
static int down(const struct panel *p, int64_t i, int64_t c)
{
    return p->is_upper ? tile_of(p, i, c)->ld : 1;
}

static int right(const struct panel *p, int64_t i, int64_t c)
{
    return p->is_upper ? 1 : tile_of(p, i, c)->ld;
}

/* -- groups of rows -------------------------------------------------------------------------- */

/* Rows i … end − 1, which are in one row of tiles */
struct group {
    int64_t i, end;
    int number; /* counted from that of row nb k */
};

static int groups_in_tile(const struct panel *p, int size)
{
    return (p->nb + size - 1) / size;
}

/* Returns the number of the group of `size` rows that row i is in. */
static int group_of(const struct panel *p, int64_t i, int size)
{
    i -= p->k * p->nb;
    return (int)(i / p->nb) * groups_in_tile(p, size) + (int)(i % p->nb) / size;
}

/* Returns those rows of a group that are not above row `from`. */
static struct group group_at(const struct panel *p, int number, int size, int64_t from)
{
    int in_tile = groups_in_tile(p, size);
    int64_t tile = (p->k + number / in_tile) * p->nb, i = tile + (int64_t)(number % in_tile) * size;
    int64_t end = i + size < tile + p->nb ? i + size : tile + p->nb;
    return (struct group){i > from ? i : from, end < p->n ? end : p->n, number};
}

typedef void group_work(struct panel *p, struct group g);

struct group_loop {
    struct panel *p;
    group_work *work;
    int64_t from;
};

static void work_on_group(void *context, int i)
{
    const struct group_loop *loop = context;
    struct group g = group_at(loop->p, group_of(loop->p, loop->from, GROUP) + i, GROUP, loop->from);
    loop->work(loop->p, g);
}

/* Does the work on all rows from `from` on, which reads all columns of W up to p->j. */
static void for_groups(struct panel *p, int64_t from, group_work *work)
{
    struct group_loop loop = {p, work, from};
    bool is_shared = (p->n - from) * (p->j - p->first + 1) >= LEAST_SHARED;
    if (from < p->n)
        run_by_team(is_shared ? p->team : NULL,
                    group_of(p, p->n - 1, GROUP) - group_of(p, from, GROUP) + 1, work_on_group,
                    &loop);
}

/* -- pivots ---------------------------------------------------------------------------------- */

static void take_larger(struct pivot *best, real value, int64_t row)
{
    if (value > best->value || (best->row < 0 && !isnan(value)))
        *best = (struct pivot){value, row};
}

static void find_best(struct panel *p, struct group g)
{
    struct pivot best = {(real)NAN, -1};
    for (int64_t i = g.i; i < g.end; i++)
        take_larger(&best, p->diagonal[i] - p->sum[i], i);
    p->best[g.number] = best;
}

/* Begins the sums of a block. */
static void read_diagonal(struct panel *p, struct group g)
{
    for (int64_t i = g.i; i < g.end; i++) {
        p->diagonal[i] = (real)creal(*address(p, i, i));
        p->sum[i] = 0;
    }
    find_best(p, g);
}

/* Returns the pivot of column p->j. */
static struct pivot largest(const struct panel *p)
{
    struct pivot best = {(real)NAN, -1};
    for (int g = group_of(p, p->j, GROUP); g <= group_of(p, p->n - 1, GROUP); g++)
        if (p->best[g].row >= 0)
            take_larger(&best, p->best[g].value, p->best[g].row);
    return best;
}

/* Returns whether the pivot is too small. The first one sets the limit *stop. As in LAPACK it only
 * has to be positive, but with real elements A(0,0) must not be NaN. */
static bool is_end(const struct panel *p, struct pivot pivot, double tol, double *stop)
{
    const double roundoff = sizeof(real) == sizeof(double) ? 0x1p-53 : 0x1p-24;
    if (p->j > 0)
        return !(pivot.value > *stop);
    *stop = tol >= 0 ? tol : (double)p->n * roundoff * (double)pivot.value;
    bool is_real = sizeof(element) == sizeof(real);
    return (is_real && isnan(p->diagonal[0])) || !(pivot.value > 0);
}

/* -- one column ------------------------------------------------------------------------------ */

/* W(i,j) := L(i,c) for the rows of a group, all below c; L(i,c) := L(i,j) */
static void take_below(struct panel *p, int64_t i, int64_t end, int64_t c)
{
    if (i >= end)
        return;
    element *from = address(p, i, c), *old = address(p, i, p->j), *w = in_w(p, i, p->j);
    int step = down(p, i, c), old_step = down(p, i, p->j);
    for (; i < end; i++, from += step, old += old_step) {
        element x = *from;
        *from = *old;
        *w++ = p->is_upper ? conjugate(x) : x;
    }
}

/* W(i,j) := conj(L(c,i)) for the rows of a group, all above c; L(c,i) := conj(L(i,j)) */
static void take_above(struct panel *p, int64_t i, int64_t end, int64_t c)
{
    if (i >= end)
        return;
    element *from = address(p, c, i), *old = address(p, i, p->j), *w = in_w(p, i, p->j);
    int step = right(p, c, i), old_step = down(p, i, p->j);
    for (; i < end; i++, from += step, old += old_step) {
        element x = *from;
        *from = conjugate(*old);
        *w++ = p->is_upper ? x : conjugate(x);
    }
}

/* Interchanges row and column p->j of the trailing triangle with those of the pivot, in the rows of
 * a group below p->j, and copies the new column p->j to W. */
static void interchange_group(struct panel *p, struct group g)
{
    int64_t c = p->pivot[p->j - p->first];
    int64_t above = c < g.end ? c : g.end, below = c + 1 > g.i ? c + 1 : g.i;
    if (c == p->j) {
        take_below(p, g.i, g.end, c);
        return;
    }
    take_above(p, g.i, above, c);
    if (g.i <= c && c < g.end) {
        element x = *address(p, c, p->j);
        *in_w(p, c, p->j) = p->is_upper ? x : conjugate(x);
    }
    take_below(p, below, g.end, c);
}

/* W(:,j) := (A(:,j) − W(:,first:j) W(j,first:j)ᴴ) / L(j,j), with the interchange and the new sums
 */
static void factor_group(struct panel *p, struct group g)
{
    element *w = in_w(p, g.i, p->j);
    int rows = (int)(g.end - g.i), columns = (int)(p->j - p->first);
    interchange_group(p, g);
    if (columns > 0)
        BLAS(gemv)
    (CblasColMajor, CblasNoTrans, rows, columns, SCALAR(-1), in_w(p, g.i, p->first), p->ldw, p->row,
     1, SCALAR(1), w, 1);
    for (int r = 0; r < rows; r++) {
        w[r] *= p->scale;
        real re = (real)creal(w[r]), im = (real)cimag(w[r]);
        p->sum[g.i + r] += re * re + im * im;
    }
    find_best(p, g);
}

/* Interchanges what belongs to rows p->j and c, besides the elements of interchange_group(). */
static void interchange_rows(struct panel *p, int64_t c)
{
    int64_t j = p->j, number = p->order[j];
    p->pivot[j - p->first] = c;
    if (c == j)
        return;
    p->order[j] = p->order[c];
    p->order[c] = number;
    p->diagonal[c] = p->diagonal[j];
    p->sum[c] = p->sum[j];
    *address(p, c, c) = *address(p, j, j);
    BLAS(swap)
    ((int)(j - p->first), in_w(p, j, p->first), p->ldw, in_w(p, c, p->first), p->ldw);
}

/* Computes column p->j of L. */
static void factor_column(struct panel *p, struct pivot pivot)
{
    interchange_rows(p, pivot.row);
    for (int64_t c = p->first; c < p->j; c++)
        p->row[c - p->first] = conjugate(*in_w(p, p->j, c));
    real root = (real)sqrt((double)pivot.value);
    *in_w(p, p->j, p->j) = root;
    p->scale = 1 / root;
    for_groups(p, p->j + 1, factor_group);
}

/* -- the end of a block ------------------------------------------------------------------------ */

/* L := W in the rows of a group */
static void store_group(struct panel *p, struct group g)
{
    for (int64_t c = p->first; c < p->j; c++) {
        int64_t i = g.i > c ? g.i : c;
        if (i >= g.end)
            return;
        element *to = address(p, i, c);
        const element *w = in_w(p, i, c);
        for (int step = down(p, i, c); i < g.end; i++, to += step, w++)
            *to = p->is_upper ? conjugate(*w) : *w;
    }
}

/* Applies the block's interchanges to the columns of L left of it that are a group of numbers. */
static void interchange_left(void *context, int number)
{
    const struct panel *p = context;
    int in_tile = groups_in_tile(p, LEFT);
    int64_t tile = (int64_t)(number / in_tile) * p->nb,
            c = tile + (int64_t)(number % in_tile) * LEFT;
    int64_t end = c + LEFT < tile + p->nb ? c + LEFT : tile + p->nb;
    end = end < p->first ? end : p->first;
    for (int64_t j = p->first; j < p->j; j++) {
        int64_t i = p->pivot[j - p->first];
        if (i != j && c < end)
            BLAS(swap)
        ((int)(end - c), address(p, j, c), right(p, j, c), address(p, i, c), right(p, i, c));
    }
}

/* A(i,c) −= W(i,:) W(c,:)ᴴ for a piece of the trailing triangle */
static void update_piece(void *context, int number)
{
    const struct panel *p = context;
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int group0 = group_of(p, p->j, PIECE), row = 0, columns = (int)(p->j - p->first);
    for (; number > row; row++)
        number -= row + 1;
    struct group r = group_at(p, group0 + row, PIECE, p->j),
                 c = group_at(p, group0 + number, PIECE, p->j);
    const element *in_rows = in_w(p, r.i, p->first), *in_columns = in_w(p, c.i, p->first);
    element *a = address(p, r.i, c.i);
    int m = (int)(r.end - r.i), n = (int)(c.end - c.i), ld = tile_of(p, r.i, c.i)->ld;
    if (row == number)
        NAME(herk)
    (NULL, p->is_upper ? 'U' : 'L', 'N', n, columns, minus_one, in_rows, p->ldw, one, a, ld);
    else if (p->is_upper) NAME(gemm)(NULL, 'N', 'C', n, m, columns, minus_one, in_columns, p->ldw,
                                     in_rows, p->ldw, one, a, ld);
    else NAME(gemm)(NULL, 'N', 'C', m, n, columns, minus_one, in_rows, p->ldw, in_columns, p->ldw,
                    one, a, ld);
}

/* Stores columns p->first … p->j − 1 of L, and applies their interchanges to the columns left of
 * them. */
static void store_block(struct panel *p)
{
    for_groups(p, p->first, store_group);
    if (p->first > 0)
        run_by_team(p->team,
                    (int)((p->first - 1) / p->nb) * groups_in_tile(p, LEFT) +
                        (int)((p->first - 1) % p->nb) / LEFT + 1,
                    interchange_left, p);
}

static void update_trailing(struct panel *p)
{
    if (p->j == p->n)
        return;
    int groups = group_of(p, p->n - 1, PIECE) - group_of(p, p->j, PIECE) + 1;
    run_by_team(p->team, groups * (groups + 1) / 2, update_piece, p);
}

/* -- the panel ------------------------------------------------------------------------------- */

/* Factors the panel's columns up to column `end`. Returns whether all pivots were large enough. */
static bool factor(struct panel *p, int64_t end, double tol, double *stop)
{
    while (p->j < end) {
        int64_t block_end = p->j + INNER < end ? p->j + INNER : end;
        p->first = p->j;
        for_groups(p, p->j, read_diagonal);
        for (; p->j < block_end; p->j++) {
            struct pivot pivot = largest(p);
            if (is_end(p, pivot, tol, stop)) {
                store_block(p);
                if (p->j > 0)
                    *address(p, p->j, p->j) = pivot.value;
                return false;
            }
            factor_column(p, pivot);
        }
        store_block(p);
        update_trailing(p);
    }
    return true;
}

int NAME(pstrf)(startile_exec *x, startile_team *team, char uplo, const startile_piece *tiles,
                int nb, int64_t k, int64_t n, double tol, int64_t *order, double *stop,
                startile_tile_status *status)
{
    (void)x;
    /* no leading dimension is a multiple of a page */
    int64_t begin = k * nb, end = begin + nb < n ? begin + nb : n, rows = n - begin,
            ldw = (rows + 7) / 8 * 8 + 8;
    struct panel p = {.team = team,
                      .is_upper = uplo == 'U',
                      .tiles = tiles,
                      .nb = nb,
                      .k = k,
                      .n = n,
                      .order = order,
                      .ldw = (int)ldw,
                      .j = begin};
    int groups = group_of(&p, n - 1, GROUP) + 1;
    element *w = malloc((size_t)(ldw * INNER) * sizeof *w);
    real *sums = malloc(2 * (size_t)n * sizeof *sums);
    struct pivot *best = malloc((size_t)groups * sizeof *best);
    bool has_memory = w != NULL && sums != NULL && best != NULL;
    if (has_memory) {
        p.w = w;
        p.diagonal = sums;
        p.sum = sums + n;
        p.best = best;
        for (int64_t i = 0; k == 0 && i < n; i++)
            order[i] = i + 1;
        status->info = factor(&p, end, tol, stop) ? 0 : p.j - begin + 1;
    }
    free(w);
    free(sums);
    free(best);
    return has_memory ? 0 : STARTILE_ERROR_MEMORY;
}
