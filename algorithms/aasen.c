/* Aasen's factorization: copies, sums, interchanges, and the LU factorization of the band. */
#include "aasen.h"
#include "library/library.h"
#include "memory/capacity.h"

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

/* Returns the rows of blocks i, i + 1, … of A(:,j), where A is W or has its tiles' rows, up to the
 * end of a tile; next_tile() returns the first block after these. */
static column rows_in_tile(const struct aasen *f, const startile_matrix *A, int64_t j, int64_t i)
{
    int64_t row = first_row(f->W, i);
    return view_of(f->W, 'N').mt == 1 ? rows_from(A, j, row) : rows_of(A, j, row, order_of(f, i));
}

static int64_t next_tile(const struct aasen *f, int64_t i)
{
    return view_of(f->W, 'N').mt == 1 ? f->p->V.nt : i + 1;
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
                        .order = row_order_begin(ctx, s.n > 0 ? s.n : 1),
                        .W = temporary_matrix(ctx, p->A, s.n, s.n, mb, s.nb),
                        .D = temporary_like(ctx, p->A),
                        .T = temporary_like(ctx, p->A)};
    /* each GPU gathers from its own copy of A if half of its memory holds it */
    f->copies = f->W != NULL && columns_of_task(f->W) >= p->V.nt ? gpus_of_products() : 1;
    f->F = temporary_matrix(ctx, p->A, s.n, p->V.nt * f->copies * s.nb, s.n > 0 ? s.n : s.nb, s.nb);
    return f->F != NULL && f->order != NULL && f->W != NULL && f->D != NULL && f->T != NULL;
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
#define for_column_groups(g, f, end)                                                               \
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
    tile I = block_of_l(f, 0, 0);
    insert_laset(ctx, 'G', 0, 1, I);
    insert_getrf(without_info(ctx), 0, rows_of_tile(I), p->P, 0, false);
    for (int64_t j = 0; j < p->V.nt; j++)
        for (int64_t c = 0; c < f->copies; c++) /* F(:,j,c) := A(:,j) */
            insert_both_triangles(ctx, p->uplo, p->op, p->A, j, I,
                                  first_tile(f->F, j * f->copies + c));
}

void gather_column(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    int64_t blocks = k > 0 ? f->p->V.nt : 1; /* P_0 = I */
    for (int64_t i = k; i < f->p->V.nt; i = next_tile(f, i))
        insert_gather_block(ctx, priority, f->F, k % f->copies, f->copies, blocks, f->order,
                            rows_in_tile(f, f->W, k, i));
}

void store_row(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    bool is_copied = f->p->uplo == 'L' || f->p->op == 'C' || !is_complex(f->p->A);
    if (is_copied)
        for_column_groups(g, f, k) /* A(k,j-1) := L(k,j), for uplo 'U' A(j-1,k) := op(L(k,j)) */
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
    for_column_groups(g, f, k - 1) {
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

/* Submits C(i:,c) := C(i:,c) − L(i:,j) H_j − … for the j − 1 of the group; C is W or S. */
static void subtract_group(context ctx, int64_t priority, const struct aasen *f, struct group g,
                           tile_sequence H, const startile_matrix *C, int64_t c, int64_t i)
{
    for (; i < f->p->V.nt; i = next_tile(f, i))
        insert_gemm_columns(ctx, priority, rows_in_tile(f, f->W, g.first, i), g.step, H,
                            rows_in_tile(f, C, c, i));
}

/* Submits C := C − L(k,j) H(j,k) − … for the j − 1 of the group. */
static void subtract_blocks(context ctx, int64_t priority, const struct aasen *f, struct group g,
                            int64_t k, tile C)
{
    insert_gemm_columns(ctx, priority, block_of_w(f, k, g.first), g.step,
                        along_column(block_of_h(f, g.first + 1), g), rows_of_tile(C));
}

void subtract_product(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile H)
{
    struct group g = {k - 1, 1, 1};
    subtract_group(ctx, priority, f, g, along_column(H, g), f->W, k, k + 1);
}

/* Submit M(c) := 0 for the sums of all GPUs but the one with W(:,k), and `own` += M(c) for them. */
static void clear_other_sums(context ctx, const startile_matrix *M, int64_t k)
{
    int64_t owners = gpus_of_products();
    for (int64_t c = 0; c < owners && c < k - 1; c++)
        if (c != k % owners)
            insert_laset(ctx, 'G', 0, 0, first_tile(M, c));
}

static void add_other_sums(context ctx, int64_t priority, const startile_matrix *M, int64_t k,
                           tile own)
{
    int64_t owners = gpus_of_products();
    for (int64_t c = 0; c < owners && c < k - 1; c++)
        if (c != k % owners)
            insert_geadd(ctx, priority, 1, first_tile(M, c), 1, own);
}

/* Each GPU multiplies its block columns of L; then the sums are added. */
void subtract_from_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile X)
{
    int64_t owners = gpus_of_products(), own = k % owners;
    insert_copy(ctx, priority, 'G', block_of_w(f, k, k), rows_of_tile(X));
    clear_other_sums(ctx, f->R, k);
    if (k > 1) /* X -= L(k,k) H(k,k) */
        subtract_blocks(ctx, priority, f, (struct group){k - 1, 1, 1}, k, X);
    for_column_groups(g, f, k - 1) /* X -= L(k,j) H(j,k), or R(c) -= L(k,j) H(j,k) */
        subtract_blocks(ctx, priority, f, g, k,
                        g.first % owners == own ? X : first_tile(f->R, g.first % owners));
    add_other_sums(ctx, priority, f->R, k, X); /* X += R(c) */
}

/* As subtract_from_diagonal(). L(:,k) is multiplied by the GPU that has W(:,k), which needs it for
 * subtract_product(), too; first, because it is transferred while the other tasks wait for H. */
void subtract_products(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    int64_t owners = gpus_of_products(), own = k % owners;
    clear_other_sums(ctx, f->S, k);
    if (k > 1) /* W(k+1:,k) -= L(k+1:,k) H(k,k) */
        subtract_product(ctx, priority, f, k, block_of_h(f, k));
    for_column_groups(g, f, k - 1) {
        /* W(k+1:,k) -= L(k+1:,j) H(j,k), or S(k+1:,c) -= L(k+1:,j) H(j,k) */
        int64_t c = g.first % owners;
        subtract_group(ctx, priority, f, g, along_column(block_of_h(f, g.first + 1), g),
                       c == own ? f->W : f->S, c == own ? k : c, k + 1);
    }
    add_other_sums(ctx, priority, f->S, k, first_tile(f->W, k)); /* W(:,k) += S(:,c) */
}

void interchange(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    insert_compose_moves(ctx, critical(priority), f->p->P, k, f->order);
    for (int64_t j = 0; j < k - 1; j++) /* W(k:,j) := P_k W(k:,j) */
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
