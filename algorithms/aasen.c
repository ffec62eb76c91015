/* Aasen's factorization: copies, sums, interchanges, and the LU factorization of the band. */
#include "aasen.h"
#include "library/library.h"
#include "memory/capacity.h"
#include "operations/insert_pivoted.h"

/* Number of panels whose interchanges one task applies to a block column that is not factored */
enum { PANELS_AT_A_TIME = 8 };

/* -- blocks -------------------------------------------------------------------------------------
 */

/* Returns the number of rows, and columns, of block k. */
static int64_t order_of(const struct aasen *f, int64_t k)
{
    return pivots_in_panel(f->p->A, k);
}

tile block_of_l(const struct aasen *f, int64_t k, int64_t j)
{
    return k == j ? at(view_of(f->D, 'N'), k, k) : at(f->p->V, k, j - 1);
}

tile block_of_t(const struct aasen *f, int64_t i, int64_t j)
{
    view T = view_of(f->T, 'N');
    return i >= j ? at(T, i, j) : tile_op(f->p->op, at(T, j, i));
}

/* Returns block (i, j) of W. */
static column block_of_w(const struct aasen *f, int64_t i, int64_t j)
{
    return rows_of(f->W, j, first_row(f->W, i), order_of(f, i));
}

/* Returns the number of GPUs that share the products with L; 1 with the option reproducible,
 * because it changes the order of sums. */
static int64_t gpus_of_products(void)
{
    int64_t owners = runtime_is_reproducible() ? 1 : runtime_owners();
    return owners > 1 ? owners : 1;
}

/* Returns the index in H and X of tiles for L(:,j) or L(j,j): that of tiles with the owner of block
 * column j − 1 of W, which holds L(:,j). */
static int64_t index_of(int64_t j)
{
    return j - 1 + gpus_of_products();
}

tile block_of_h(const struct aasen *f, int64_t j)
{
    return at(view_of(f->H, 'N'), index_of(j), 0);
}

tile block_of_x(const struct aasen *f, int64_t k, int64_t i)
{
    return at(view_of(f->X, 'N'), i, index_of(k));
}

static tile first_tile(const startile_matrix *A, int64_t j)
{
    return at(view_of(A, 'N'), 0, j);
}

/* Returns the rows of a tile, as stored. */
static column rows_of_tile(tile t)
{
    startile_shape s = startile_matrix_shape(t.A);
    int64_t row = t.i * s.mb;
    return rows_of(t.A, t.j, row, s.mb < s.m - row ? s.mb : s.m - row);
}

bool aasen_create(context ctx, const plan *p, struct aasen *f)
{
    startile_shape s = startile_matrix_shape(p->A);
    int64_t mb = runtime_has_cuda() && s.n > 0 ? s.n : s.nb;
    *f = (struct aasen){.p = p,
                        .W = temporary_matrix(ctx, p->A, s.n, s.n, mb, s.nb),
                        .D = temporary_like(ctx, p->A),
                        .T = temporary_like(ctx, p->A)};
    return f->W != NULL && f->D != NULL && f->T != NULL;
}

bool aasen_create_step(context ctx, struct aasen *f, int64_t k)
{
    startile_shape s = startile_matrix_shape(f->p->A);
    int64_t columns = order_of(f, k), owners = gpus_of_products(), n = s.n + index_of(0) * s.nb;
    f->H = temporary_matrix(ctx, f->p->A, n, columns, s.nb, columns);
    f->X = temporary_matrix(ctx, f->p->A, 2 * columns, n, columns, s.nb);
    f->S = f->R = NULL;
    if (owners > 1) {
        f->S = temporary_matrix(ctx, f->p->A, s.n, owners * columns, s.n, columns);
        f->R = temporary_matrix(ctx, f->p->A, columns, owners * columns, columns, columns);
    }
    return f->H != NULL && f->X != NULL && (owners == 1 || (f->S != NULL && f->R != NULL));
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
    int64_t step = gpus_of_products(), most = columns_of_group(f->W);
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
#define for_groups(g, f, end)                                                                      \
    for (struct group g = group_from(f, 0, end); g.count > 0; g = next_group(f, g, end))

/* Return sequences of tiles for the indices of a group, from the first one on: along row k of the
 * view of A, on a diagonal of T, along the block column H. */
static tile_sequence along_row(const struct aasen *f, tile first, struct group g)
{
    bool is_row = f->p->uplo == 'L';
    return (tile_sequence){first, is_row ? 0 : g.step, is_row ? g.step : 0, g.count};
}

static tile_sequence along_diagonal(tile first, struct group g)
{
    return (tile_sequence){first, g.step, g.step, g.count};
}

static tile_sequence along_column(tile first, struct group g)
{
    return (tile_sequence){first, g.step, 0, g.count};
}

/* -- copies -------------------------------------------------------------------------------------
 */

/* Submits B := op(A). Complex elements that are not conjugated are multiplied by L(0,0) = I. */
static void transpose_block(context ctx, const struct aasen *f, column A, column B)
{
    if (f->p->op == 'C' || !is_complex(f->p->A)) {
        insert_transpose(ctx, 0, A, B);
        return;
    }
    startile_matrix *from = temporary_matrix(ctx, f->p->A, A.rows, B.rows, A.rows, B.rows),
                    *to = temporary_matrix(ctx, f->p->A, B.rows, A.rows, B.rows, A.rows);
    if (from == NULL || to == NULL)
        return;
    tile I = block_of_l(f, 0, 0), X = at(view_of(from, 'T'), 0, 0), Y = at(view_of(to, 'N'), 0, 0);
    insert_copy(ctx, 0, 'G', A, rows_of(from, 0, 0, A.rows));
    if (B.rows == order_of(f, 0))
        insert_gemm(ctx, 0, 1, I, X, 0, Y);
    else
        insert_gemm(ctx, 0, 1, X, I, 0, Y);
    insert_copy(ctx, 0, 'G', rows_of(to, 0, 0, B.rows), B);
}

void begin_aasen(context ctx, const struct aasen *f)
{
    const plan *p = f->p;
    bool is_lower = p->uplo == 'L';
    insert_laset(ctx, 'G', 0, 1, block_of_l(f, 0, 0));
    insert_getrf(without_info(ctx), 0, rows_of_tile(block_of_l(f, 0, 0)), p->P, 0, false);
    for (int64_t j = 0; j < p->V.nt; j++) {
        context step = begin_step(ctx, p->A, NO_STEP);
        insert_mirror(step, 0, p->uplo, p->op == 'C', at(view_of(p->A, 'N'), j, j),
                      block_of_t(f, j, j));
        insert_copy(step, 0, 'G', rows_of_tile(block_of_t(f, j, j)), block_of_w(f, j, j));
        for (int64_t i = j + 1; i < p->V.nt; i++) {
            column stored = rows_of_tile(at(p->V, i, j)), lower = block_of_w(f, i, j),
                   upper = block_of_w(f, j, i);
            /* W(i,j) := A(i,j), W(j,i) := op(A(i,j)); for uplo 'U' op(A(j,i)) and A(j,i) */
            insert_copy(step, 0, 'G', stored, is_lower ? lower : upper);
            transpose_block(step, f, stored, is_lower ? upper : lower);
        }
        end_step(step);
    }
}

void store_row(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    bool is_copied = f->p->uplo == 'L' || f->p->op == 'C' || !is_complex(f->p->A);
    if (is_copied)
        for_groups(g, f, k) /* A(k,j-1) := L(k,j), for uplo 'U' A(j-1,k) := op(L(k,j)) */
            insert_copy_sequence(ctx, priority, block_of_w(f, k, g.first), g.step,
                                 along_row(f, at(f->p->V, k, g.first), g));
    for (int64_t j = 1; j <= k && !is_copied; j++) /* A(j-1,k) := op(L(k,j)) */
        transpose_block(ctx, f, block_of_w(f, k, j - 1), rows_of_tile(at(f->p->V, k, j - 1)));
}

void split_panel(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    column top = block_of_w(f, k + 1, k);
    tile T = block_of_t(f, k + 1, k), L = block_of_l(f, k, k);
    /* T(k+1,k) := U op(L(k,k))^-1 */
    insert_laset(ctx, 'G', 0, 0, T);
    insert_copy(ctx, priority, 'U', top, rows_of_tile(T));
    insert_trsm(ctx, priority, 'R', 'L', 'U', 1, tile_op(f->p->op, L), T, false);
    /* W(k+1,k) := L(k+1,k+1) with its zeros and ones */
    insert_laset_column(ctx, priority, 'U', 1, top);
    insert_copy(ctx, priority, 'G', top, rows_of_tile(block_of_l(f, k + 1, k + 1)));
}

/* -- sums, interchanges -------------------------------------------------------------------------
 */

/* Submits H(j,k) := T(j,j+d) op(L(k,j+d)), or adds it, for the j − 1 of the group. */
static void multiply_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k,
                              struct group g, int64_t d, bool adds)
{
    int64_t j = g.first + 1;
    if (g.count > 0)
        insert_gemm_sequence(ctx, priority, along_diagonal(block_of_t(f, j, j + d), g),
                             along_row(f, tile_op(f->p->op, at(f->p->V, k, j + d - 1)), g), adds,
                             along_column(block_of_h(f, j), g));
}

void multiply_row(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    for_groups(g, f, k - 1) {
        /* H(j,k) := T(j,j) op(L(k,j)) + T(j,j+1) op(L(k,j+1)) + T(j,j-1) op(L(k,j-1)) */
        multiply_diagonal(ctx, priority, f, k, g, 0, false);
        multiply_diagonal(ctx, priority, f, k, g, 1, true);
        if (g.first == 0) { /* L(k,0) = 0 */
            g.first += g.step;
            g.count--;
        }
        multiply_diagonal(ctx, priority, f, k, g, -1, true);
    }
    if (k > 1) /* H(k,k) := T(k,k-1) op(L(k,k-1)) */
        insert_gemm(ctx, priority, 1, block_of_t(f, k, k - 1),
                    tile_op(f->p->op, block_of_l(f, k, k - 1)), 0, block_of_h(f, k));
}

/* Submits C := C − L(row:,j) H_j − … for the j − 1 of the group, where C is rows row … of W(:,k) or
 * of S(:,c). */
static void subtract_group(context ctx, int64_t priority, const struct aasen *f, struct group g,
                           tile_sequence H, const startile_matrix *C, int64_t c, int64_t row)
{
    startile_shape s = startile_matrix_shape(f->W);
    /* rows row … end − 1 are in one tile of W */
    for (int64_t end; row < s.n; row = end) {
        end = row / s.mb * s.mb + s.mb < s.n ? row / s.mb * s.mb + s.mb : s.n;
        insert_gemm_columns(ctx, priority, rows_of(f->W, g.first, row, end - row), g.step, H,
                            rows_of(C, c, row, end - row));
    }
}

void subtract_product(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile H)
{
    struct group g = {k - 1, 1, 1};
    subtract_group(ctx, priority, f, g, along_column(H, g), f->W, k, first_row(f->W, k + 1));
}

/* Each GPU multiplies its block columns of L; then the sums are added, first those of X. L(:,k) is
 * multiplied by the GPU that has W(:,k), which needs it for subtract_product(), too; first, because
 * it is transferred while the other tasks wait for H. */
void subtract_products(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile X)
{
    int64_t owners = gpus_of_products(), own = k % owners, row = first_row(f->W, k);
    for (int64_t c = 0; c < owners && c < k - 1; c++)
        if (c != own)
            insert_laset(ctx, 'G', 0, 0, first_tile(f->S, c));
    struct group last = {k - 1, 1, 1};
    if (k > 1) /* W(k:,k) -= L(k:,k) H(k,k) */
        subtract_group(ctx, priority, f, last, along_column(block_of_h(f, k), last), f->W, k, row);
    for_groups(g, f, k - 1) {
        /* W(k:,k) -= L(k:,j) H(j,k), or S(k:,c) -= L(k:,j) H(j,k) */
        int64_t c = g.first % owners;
        subtract_group(ctx, priority, f, g, along_column(block_of_h(f, g.first + 1), g),
                       c == own ? f->W : f->S, c == own ? k : c, row);
    }
    insert_copy(ctx, critical(priority), 'G', block_of_w(f, k, k), rows_of_tile(X));
    for (int64_t c = 0; c < owners && c < k - 1; c++)
        if (c != own) { /* X += S(k,c) */
            insert_copy(ctx, critical(priority), 'G', rows_of(f->S, c, row, order_of(f, k)),
                        rows_of_tile(first_tile(f->R, c)));
            insert_geadd(ctx, critical(priority), 1, first_tile(f->R, c), 1, X);
        }
    for (int64_t c = 0; c < owners && c < k - 1; c++)
        if (c != own) /* W(:,k) += S(:,c) */
            insert_geadd(ctx, priority, 1, first_tile(f->S, c), 1, first_tile(f->W, k));
}

void interchange_both(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    view W = view_of(f->W, 'N');
    const startile_pivots *P = f->p->P;
    for (int64_t j = 0; j < k - 1; j++) /* W(k:,j) := P_k W(k:,j) */
        insert_laswp(ctx, priority, P, k, k + 1, false, rows_from(f->W, j, first_row(f->W, k)),
                     NULL);
    if (W.mt == 1) /* W(:,k:) := W(:,k:) P_k^T */
        insert_lapmt_in_groups(ctx, critical(priority), P, k, f->W);
    for (int64_t i = 0; i < W.mt && W.mt > 1; i++) /* W(i,k:) := W(i,k:) P_k^T */
        insert_lapmt(ctx, critical(priority), P, k, false, f->W, i);
    int64_t collected = (k - 1) % PANELS_AT_A_TIME + 1, first = k - collected + 1;
    for (int64_t j = k; j < W.nt; j++)
        if (j == k || collected == PANELS_AT_A_TIME)
            /* W(first:,j) := P_k … P_first W(first:,j) */
            insert_laswp(ctx, j == k ? critical(priority) : priority, P, first, k + 1, false,
                         rows_from(f->W, j, first_row(f->W, first)), NULL);
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
        transpose_block(ctx, f, rows_of_tile(T), rows_of_tile(at(band, k - 1, k)));
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
