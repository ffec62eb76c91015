/* Aasen's factorization: copies, sums, interchanges, and the LU factorization of the band. */
#include "aasen.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "library/library.h"
#include "memory/capacity.h"

/* Number of parts of a sum, if tiles have all rows: owners send the first ones while they compute
 * others. */
enum { PARTS = 8 };

/* -- blocks -------------------------------------------------------------------------------------
 */

/* Returns the number of rows, and columns, of block k. */
static int64_t order_of(const struct aasen *f, int64_t k)
{
    return pivots_in_panel(f->p->A, k);
}

/* Returns the tile column, in matrices other than W, of tiles for L(:,j): one with the owner of
 * block column j − 1 of W. */
static int64_t index_of(const struct aasen *f, int64_t j)
{
    return j - 1 + f->owners;
}

static tile tile_in(const startile_matrix *A, int64_t i, int64_t j)
{
    return at(view_of(A, 'N'), i, j);
}

static tile block_of_k(const struct aasen *f, int64_t j)
{
    return tile_in(f->K, 0, index_of(f, j));
}

tile diagonal_of_l(const struct aasen *f, int64_t k)
{
    return k == 0 ? tile_in(f->I, 0, 0) : tile_in(f->X, 2, index_of(f, k));
}

tile block_of_t(const struct aasen *f, int64_t i, int64_t j)
{
    return tile_in(f->T, i, index_of(f, j));
}

/* Returns T(j,j−1) for the owner of L(:,j). */
static tile block_of_b(const struct aasen *f, int64_t j)
{
    return tile_in(f->B, j, index_of(f, j));
}

static tile block_of_h(const struct aasen *f, int64_t j)
{
    return tile_in(f->H, 0, index_of(f, j));
}

tile diagonal_of_h(const struct aasen *f, int64_t k)
{
    return tile_in(f->X, 0, index_of(f, k));
}

tile block_of_x(const struct aasen *f, int64_t k)
{
    return tile_in(f->X, 1, index_of(f, k));
}

tile diagonal_sum(const struct aasen *f, int64_t k)
{
    return tile_in(f->R, 0, index_of(f, k) % f->owners);
}

/* Returns block (i, j) of W. */
static column block_of_w(const struct aasen *f, int64_t i, int64_t j)
{
    return rows_of(f->W, j, first_row(f->W, i), order_of(f, i));
}

static bool has_whole_columns(const startile_matrix *A)
{
    return startile_matrix_shape(A).mt <= 1;
}

/* Returns the rows of blocks i, …, i + part − 1 of W(:,j). */
static column rows_in_part(const struct aasen *f, int64_t j, int64_t i)
{
    int64_t n = startile_matrix_shape(f->W).m, row = first_row(f->W, i),
            end = first_row(f->W, i + f->part);
    return rows_of(f->W, j, row, (end < n ? end : n) - row);
}

/* Returns these rows of owner c's sum for block column k, i > k. */
static column rows_of_sum(const struct aasen *f, int64_t k, int64_t c, int64_t i)
{
    column rows = rows_in_part(f, k, i);
    return f->S == NULL ? rows : rows_of(f->S, c, rows.row - first_row(f->W, k + 1), rows.rows);
}

/* Runs the statement for the first blocks i of parts of W's rows below block k. */
#define for_parts(i, f, k) for (int64_t i = (k) + 1; i < (f)->p->V.nt; i += (f)->part)

/* Returns the rows of a tile, as stored. */
static column rows_of_tile(tile t)
{
    startile_shape s = startile_matrix_shape(t.A);
    int64_t row = t.i * s.mb;
    return rows_of(t.A, t.j, row, s.mb < s.m - row ? s.mb : s.m - row);
}

/* Returns the number of owners. With the option reproducible only processes share the products,
 * because the number of GPUs would change the order of sums. */
static int64_t count_owners(const startile_matrix *W)
{
    if (startile_matrix_grid(W) != NULL)
        return column_period(W);
    int64_t gpus = runtime_is_reproducible() ? 1 : runtime_owners();
    return gpus > 1 ? gpus : 1;
}

/* Returns the number of owners with columns of block column k of P A Pᵀ: P_0 = I. */
static int64_t contributors(const struct aasen *f, int64_t k)
{
    int64_t nt = f->p->V.nt;
    return k == 0 ? 1 : f->owners < nt ? f->owners : nt;
}

bool aasen_create(context ctx, const plan *p, struct aasen *f)
{
    startile_shape s = startile_matrix_shape(p->A);
    int64_t n = s.n > 0 ? s.n : s.nb, order = s.n < s.nb ? s.n : s.nb;
    startile_matrix *W =
        temporary_in_one_row(ctx, p->A, s.n, s.n, runtime_has_cuda() ? n : s.nb, s.nb);
    if (W == NULL)
        return false;
    int64_t owners = count_owners(W), before = (owners - 1) * s.nb;
    *f = (struct aasen){.p = p,
                        .owners = owners,
                        .F = temporary_matrix(ctx, W, s.n, s.n, n, s.nb),
                        .order = row_order_begin(ctx, n),
                        .W = W,
                        .I = temporary_matrix(ctx, W, order, order, s.nb, s.nb),
                        .T = temporary_matrix(ctx, W, s.n, before + s.n, s.nb, s.nb),
                        .B = temporary_matrix(ctx, W, s.n, before + s.nt * s.nb, s.nb, s.nb)};
    return f->F != NULL && f->order != NULL && f->I != NULL && f->T != NULL && f->B != NULL;
}

bool aasen_create_step(context ctx, struct aasen *f, int64_t k)
{
    startile_shape s = startile_matrix_shape(f->p->A);
    int64_t m = order_of(f, k), below = s.n - k * s.nb - m, tiles = f->owners - 1 + s.nt;
    f->K = temporary_matrix(ctx, f->W, m, tiles * s.nb, m, s.nb);
    f->H = temporary_matrix(ctx, f->W, s.nb, tiles * m, s.nb, m);
    f->X = temporary_matrix(ctx, f->W, 3 * m, tiles * m, m, m);
    f->R = temporary_matrix(ctx, f->W, m, f->owners * m, m, m);
    bool has_sums = f->owners > 1 && below > 0;
    int64_t blocks = s.nt - k - 1, most = has_sums ? (blocks + PARTS - 1) / PARTS : blocks;
    f->part = has_whole_columns(f->W) && most > 1 ? most : 1;
    f->S = has_sums ? temporary_matrix(ctx, f->W, below, f->owners * m, f->part * s.nb, m) : NULL;
    return f->K != NULL && f->H != NULL && f->X != NULL && f->R != NULL &&
           (!has_sums || f->S != NULL);
}

/* -- groups -------------------------------------------------------------------------------------
 */

/* Block columns first, first + step, … of W, which one task reads: they have one owner. */
struct group {
    int64_t first, step, count;
};

/* Returns the group that begins at `first`, of block columns before `end`. */
static struct group group_from(const struct aasen *f, int64_t first, int64_t end)
{
    int64_t step = f->owners, most = columns_of_group(f->W);
    int64_t count = first < end ? (end - first + step - 1) / step : 0;
    return (struct group){first, step, count < most ? count : most};
}

/* Returns the next group of block columns before `end`: of the same owner, or of the next one. */
static struct group next_group(const struct aasen *f, struct group g, int64_t end)
{
    int64_t next = g.first + g.count * g.step, owner = g.first % g.step + 1;
    return next < end ? group_from(f, next, end) : group_from(f, owner < g.step ? owner : end, end);
}

/* Runs the statement for groups of the block columns 0 … end − 1 of W. */
#define for_column_groups(g, f, end)                                                               \
    for (struct group g = group_from(f, 0, end); g.count > 0; g = next_group(f, g, end))

/* Returns whether this process owns the block columns. */
static bool is_own(const struct aasen *f, struct group g)
{
    return is_own_tile(tile_in(f->W, 0, g.first));
}

/* Return sequences of tiles for the indices of a group, from the first one on: along a row of
 * tiles, on a diagonal. */
static tile_sequence along_row(tile first, struct group g)
{
    return (tile_sequence){first, 0, g.step, g.count};
}

static tile_sequence along_diagonal(tile first, struct group g)
{
    return (tile_sequence){first, g.step, g.step, g.count};
}

/* -- copies -------------------------------------------------------------------------------------
 */

/* Submits B := op(A). Complex elements that are not conjugated are multiplied by L(0,0) = I. */
static void transpose_block(context ctx, const struct aasen *f, tile A, tile B)
{
    if (f->p->op == 'C' || !is_complex(f->p->A))
        insert_transpose(ctx, 0, rows_of_tile(A), rows_of_tile(B));
    else
        insert_gemm(ctx, 0, 1, diagonal_of_l(f, 0), tile_op('T', A), 0, B);
}

void begin_aasen(context ctx, const struct aasen *f)
{
    const plan *p = f->p;
    tile I = diagonal_of_l(f, 0);
    context first = begin_step(ctx, p->A, ctx.step);
    for (int64_t k = 0; k < p->V.nt; k++) /* P may have been sent to other processes before */
        send_pivots(first, 0, p->P, k, f->W);
    insert_laset(first, 'G', 0, 1, I);
    insert_getrf(without_info(first), 0, rows_of_tile(I), p->P, 0, false);
    send_pivots(first, 0, p->P, 0, f->W);
    end_step(first);
    for (int64_t j = 0; j < p->V.nt; j++) { /* F(:,j) := A(:,j) */
        context step = begin_paced_step(ctx, p->A, ctx.step);
        insert_both_triangles(step, p->uplo, p->op, p->A, j, I, tile_in(f->F, 0, j));
        end_step(step);
    }
}

/* Submits K(j) := L(k,j), and sends it to the owners that multiply it for H(j−1,k) … H(j+1,k). */
void copy_row(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    for_column_groups(g, f, k)
        if (is_own(f, g))
            insert_copy_sequence(ctx, priority, block_of_w(f, k, g.first), g.step,
                                 along_row(block_of_k(f, g.first + 1), g));
    for (int64_t j = 1; j <= k; j++) {
        int64_t first = j > 1 ? j - 1 : j, last = j < k ? j + 1 : j;
        send_tile(ctx, priority, block_of_k(f, j),
                  owners_of(view_of(f->K, 'N'), 0, index_of(f, first), 1, last - first + 1));
    }
    if (k > 0) /* L(k,k) is in the first columns of its block */
        insert_copy(ctx, priority, 'G', rows_of_tile(block_of_k(f, k)),
                    rows_of_tile(diagonal_of_l(f, k)));
}

void store_row(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    const plan *p = f->p;
    bool is_row = p->uplo == 'L', is_copied = is_row || p->op == 'C' || !is_complex(p->A);
    if (is_copied)
        for_column_groups(g, f, k) { /* A(k,j-1) := L(k,j), for uplo 'U' A(j-1,k) := op(L(k,j)) */
            tile A = at(p->V, k, g.first), L = block_of_k(f, g.first + 1);
            if (is_own(f, g) || is_own_tile(A))
                insert_copy_sequence(
                    ctx, priority, rows_of_tile(L), g.step,
                    (tile_sequence){A, is_row ? 0 : g.step, is_row ? g.step : 0, g.count});
        }
    for (int64_t j = 1; j <= k && !is_copied; j++) /* A(k,j-1) := L(k,j) I */
        insert_gemm(ctx, priority, 1, block_of_k(f, j), diagonal_of_l(f, 0), 0, at(p->V, k, j - 1));
}

void gather_column(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    int64_t nt = f->p->V.nt, blocks = k > 0 ? nt : 1; /* P_0 = I */
    for (int64_t c = 0; c < contributors(f, k); c++) {
        tile_sequence A = {tile_in(f->F, 0, c), 0, f->owners, (blocks - c - 1) / f->owners + 1};
        if (!is_own_tile(A.first))
            continue;
        insert_gather_block(ctx, critical(priority), A, f->order, block_of_w(f, k, k),
                            rows_of_tile(tile_in(f->R, 0, c)));
        for_parts(i, f, k) insert_gather_block(ctx, priority, A, f->order, rows_in_part(f, k, i),
                                               rows_of_sum(f, k, c, i));
    }
}

void split_panel(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    column top = block_of_w(f, k + 1, k);
    tile T = block_of_b(f, k + 1);
    /* T(k+1,k) := U op(L(k,k))^-1 */
    insert_laset(ctx, 'G', 0, 0, T);
    insert_copy(ctx, priority, 'U', top, rows_of_tile(T));
    insert_trsm(ctx, priority, 'R', 'L', 'U', 1, tile_op(f->p->op, diagonal_of_l(f, k)), T, false);
    insert_copy(ctx, priority, 'G', rows_of_tile(T), rows_of_tile(block_of_t(f, k + 1, k)));
    /* W(k+1,k) := L(k+1,k+1) with its zeros and ones */
    insert_laset_column(ctx, priority, 'U', 1, top);
}

/* -- sums, interchanges -------------------------------------------------------------------------
 */

/* Submits H(j,k) := T L, or adds it, for the j − 1 of the group. T: T(j,i); L: op(L(k,i)) */
static void multiply_blocks(context ctx, int64_t priority, const struct aasen *f, struct group g,
                            tile T, tile L, bool adds)
{
    if (g.count > 0)
        insert_gemm_sequence(ctx, priority, along_diagonal(T, g), along_row(L, g), adds,
                             along_row(block_of_h(f, g.first + 1), g));
}

void multiply_row(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    char op = f->p->op;
    for_column_groups(g, f, k - 1) {
        if (!is_own(f, g))
            continue;
        int64_t j = g.first + 1;
        /* H(j,k) := T(j,j) op(L(k,j)) + T(j,j+1) op(L(k,j+1)) + T(j,j-1) op(L(k,j-1)) */
        multiply_blocks(ctx, priority, f, g, block_of_t(f, j, j), tile_op(op, block_of_k(f, j)),
                        false);
        multiply_blocks(ctx, priority, f, g, tile_op(op, block_of_t(f, j + 1, j)),
                        tile_op(op, block_of_k(f, j + 1)), true);
        if (j == 1) { /* L(k,0) = 0 */
            g.first += g.step;
            g.count--;
            j += g.step;
        }
        if (g.count > 0)
            multiply_blocks(ctx, priority, f, g, block_of_b(f, j),
                            tile_op(op, block_of_k(f, j - 1)), true);
    }
    if (k > 1) /* H(k,k) := T(k,k-1) op(L(k,k-1)) */
        insert_gemm(ctx, priority, 1, block_of_b(f, k), tile_op(op, block_of_k(f, k - 1)), 0,
                    diagonal_of_h(f, k));
}

void subtract_from_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    tile X = diagonal_sum(f, k);
    if (k > 1) /* X -= L(k,k) H(k,k) */
        insert_gemm(ctx, priority, -1, diagonal_of_l(f, k), diagonal_of_h(f, k), 1, X);
    for_column_groups(g, f, k - 1)
        if (is_own(f, g)) /* R(c) -= L(k,j) H(j,k) */
            insert_gemm_columns(ctx, priority, block_of_w(f, k, g.first), g.step,
                                along_row(block_of_h(f, g.first + 1), g),
                                rows_of_tile(tile_in(f->R, 0, g.first % f->owners)));
    for (int64_t c = 0; c < contributors(f, k); c++) {
        tile R = tile_in(f->R, 0, c);
        if (R.j != X.j && (is_own_tile(R) || is_own_tile(X)))
            insert_geadd(ctx, priority, 1, R, 1, X); /* X += R(c) */
    }
}

/* Submits S(c) := S(c) − L(k+1:,j) H_j − … for the j − 1 of the group, which owner c has. */
static void subtract_group(context ctx, int64_t priority, const struct aasen *f, int64_t k,
                           struct group g, tile H)
{
    if (is_own(f, g))
        for_parts(i, f, k)
            insert_gemm_columns(ctx, priority, rows_in_part(f, g.first, i), g.step, along_row(H, g),
                                rows_of_sum(f, k, g.first % f->owners, i));
}

void subtract_product(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile H)
{
    subtract_group(ctx, priority, f, k, (struct group){k - 1, 1, 1}, H);
}

void subtract_products(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    if (k > 1) /* S(c) -= L(k+1:,k) H(k,k) */
        subtract_product(ctx, priority, f, k, diagonal_of_h(f, k));
    for_column_groups(g, f, k - 1) /* S(c) -= L(k+1:,j) H(j,k) */
        subtract_group(ctx, priority, f, k, g, block_of_h(f, g.first + 1));
}

/* Submits S(c) := S(c) + S(d), where this process owns S(c) or S(d). */
static void add_sum(context ctx, int64_t priority, const struct aasen *f, int64_t d, int64_t c)
{
    view S = view_of(f->S, 'N');
    if (is_own_tile(at(S, 0, c)) || is_own_tile(at(S, 0, d)))
        for (int64_t i = 0; i < S.mt; i++)
            insert_geadd(ctx, priority, 1, at(S, i, d), 1, at(S, i, c));
}

/* Adds along a ring from the owner after that of W(:,k) to the owner of L(:,k), whose sum is
 * complete last, and to that of W(:,k): each receives and sends one sum, part by part. */
void add_sums(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    int64_t members = contributors(f, k), last = k % f->owners;
    if (f->S == NULL)
        return;
    for (int64_t d = 1; d < members; d++)
        add_sum(ctx, priority, f, (last + d) % members, (last + d + 1) % members);
    if (is_own_tile(tile_in(f->S, 0, last)))
        for_parts(i, f, k)
            insert_copy(ctx, priority, 'G', rows_of_sum(f, k, last, i), rows_in_part(f, k, i));
}

void interchange(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    send_pivots(ctx, critical(priority), f->p->P, k, f->W);
    if (own_column(view_of(f->W, 'N'), 0) < f->p->V.nt) /* this process has block columns */
        insert_compose_moves(ctx, critical(priority), f->p->P, k, f->order);
    for_task_columns(j, f->W, 0, k - 1) /* W(k:,j) := P_k W(k:,j) */
        insert_laswp(ctx, priority, f->p->P, k, k + 1, false,
                     rows_from(f->W, j, first_row(f->W, k)), NULL);
}

/* -- band ---------------------------------------------------------------------------------------
 */

void store_band(context ctx, const struct aasen *f, int64_t k)
{
    view band = view_of(f->p->band, 'N');
    insert_lacpy(ctx, 'G', block_of_t(f, k, k), at(band, k, k));
    if (k > 0) {
        tile T = block_of_t(f, k, k - 1);
        insert_lacpy(ctx, 'G', T, at(band, k, k - 1));
        transpose_block(ctx, f, T, at(band, k - 1, k));
    }
    if (k > 1) /* will be filled */
        insert_laset(ctx, 'G', 0, 0, at(band, k - 2, k));
}

substitution band_lower(const startile_matrix *band, int64_t k)
{
    startile_shape s = startile_matrix_shape(band);
    int64_t row = first_row(band, k), rows = 2 * s.nb;
    return (substitution){.uplo = 'L',
                          .trans = 'N',
                          .diag = 'U',
                          .n = pivots_in_panel(band, k),
                          .columns = rows_of(band, k, row, rows < s.n - row ? rows : s.n - row)};
}

void factor_band(context ctx, const plan *p, int64_t k)
{
    if (k < 0)
        return;
    substitution L = band_lower(p->band, k);
    /* Q_k T(k:k+1,k) = L U */
    insert_getrf(ctx, 0, L.columns, p->band_pivots, k, false);
    for (int64_t j = k + 1; j < p->V.nt && j <= k + 2; j++)
        /* T(k:k+1,j) := Q_k T(k:k+1,j), T(k,j) := L(k,k)^-1 T(k,j), T(k+1,j) -= L(k+1,k) T(k,j) */
        insert_update(ctx, 0, p->band_pivots, k, &L,
                      rows_of(p->band, j, L.columns.row, L.columns.rows));
}
