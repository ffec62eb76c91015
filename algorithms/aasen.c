/* Aasen's factorization: copies, sums, interchanges, and the LU factorization of the band. */
#include "aasen.h"
#include "library/library.h"
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

tile block_of_h(const struct aasen *f, int64_t j)
{
    return at(view_of(f->H, 'N'), j, 0);
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
    int64_t columns = order_of(f, k), owners = gpus_of_products();
    f->H = temporary_matrix(ctx, f->p->A, s.n, columns, s.nb, columns);
    f->X = temporary_matrix(ctx, f->p->A, columns, 2 * columns, columns, columns);
    f->S = owners > 1 ? temporary_matrix(ctx, f->p->A, s.n, owners * columns, s.n, columns) : NULL;
    return f->H != NULL && f->X != NULL && (owners == 1 || f->S != NULL);
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
    for (int64_t j = 1; j <= k; j++) {
        column L = block_of_w(f, k, j - 1), stored = rows_of_tile(at(f->p->V, k, j - 1));
        if (f->p->uplo == 'L') /* A(k,j-1) := L(k,j) */
            insert_copy(ctx, priority, 'G', L, stored);
        else /* A(j-1,k) := op(L(k,j)) */
            transpose_block(ctx, f, L, stored);
    }
}

void read_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    insert_copy(ctx, priority, 'G', block_of_w(f, k, k), rows_of(f->X, 0, 0, order_of(f, k)));
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

/* Each GPU multiplies its block columns of L; then the sums are added. */
void subtract_products(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    startile_shape s = startile_matrix_shape(f->W);
    int64_t owners = gpus_of_products();
    view W = view_of(f->W, 'N'), S = f->S != NULL ? view_of(f->S, 'N') : W;
    for (int64_t c = 0; c < owners && c < k; c++)
        if (c != k % owners)
            insert_laset(ctx, 'G', 0, 0, at(S, 0, c));
    /* rows row … end − 1 are in one tile of W */
    for (int64_t row = first_row(f->W, k + 1), end; row < s.n; row = end) {
        end = row / s.mb * s.mb + s.mb < s.n ? row / s.mb * s.mb + s.mb : s.n;
        for (int64_t j = 1; j <= k; j++) {
            int64_t c = (j - 1) % owners;
            /* W(i,k) -= L(i,j) H(j,k), or S(i,c) -= L(i,j) H(j,k) */
            insert_gemm_column(ctx, priority, rows_of(f->W, j - 1, row, end - row),
                               rows_of_tile(block_of_h(f, j)),
                               c == k % owners ? rows_of(f->W, k, row, end - row)
                                               : rows_of(f->S, c, row, end - row));
        }
    }
    for (int64_t c = 0; c < owners && c < k; c++)
        if (c != k % owners) /* W(:,k) += S(:,c) */
            insert_geadd(ctx, priority, 1, at(S, 0, c), 1, at(W, 0, k));
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
