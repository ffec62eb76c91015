/* Product with a block reflector whose rows several process rows own. Each process row multiplies
 * its own rows; the products V_i^H C_i are summed over the process rows by a binary tree. Error:
 * ‖ΔC‖ ≤ c (m + log₂ p) n eps ‖C‖ (Higham 2002, section 19.5). */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

bool rows_are_split_alike(const startile_matrix *A, const startile_matrix *C)
{
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    return process_rows(A) > 1 && same_tiles(a.m, a.mb, c.mb);
}

column rows_of_part(const grid_reflector *Q, const startile_matrix *X, int64_t j, int i)
{
    return rows_of_process(rows_from(X, j, Q->row), (Q->top + i) % Q->p);
}

column part_of_v(const grid_reflector *Q, int i)
{
    int64_t row = (Q->top + i) % Q->p * startile_matrix_shape(Q->V).mb;
    return rows_of(Q->V, Q->k % column_period(Q->A), row, rows_of_part(Q, Q->A, Q->k, i).rows);
}

grid_reflector new_reflector(context ctx, const startile_matrix *A, const startile_matrix *T,
                             int64_t k)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t n = pivots_in_panel(A, k), row = first_row(A, k), height = 0;
    int64_t top = row / a.mb, p = process_rows(A), q = column_period(A);
    int64_t reflectors =
        startile_matrix_shape(T).n - row; /* reflectors of this panel and of the later ones */
    grid_reflector Q = {.A = A, .k = k, .row = row, .p = (int)p, .top = (int)(top % p)};
    Q.n = reflectors < n ? reflectors : n;
    Q.parts = (int)(a.mt - top < p ? a.mt - top : p);
    Q.T = at(view_of(T, 'N'), 0, k);
    for (int i = 0; i < Q.parts; i++) {
        int64_t rows = rows_of_part(&Q, A, k, i).rows;
        height = rows > height ? rows : height;
    }
    Q.V = temporary_matrix(ctx, A, p * height, q * Q.n, height, Q.n);
    return Q;
}

void read_reflector(context ctx, int64_t priority, const grid_reflector *Q)
{
    for (int i = 0; i < Q->parts; i++) /* V_i := A_i(row:,k) */
        insert_copy(ctx, priority, 'G', rows_of_part(Q, Q->A, Q->k, i), part_of_v(Q, i));
    insert_laset_column(ctx, priority, 'U', 1, part_of_v(Q, 0)); /* R := 0, diagonal := 1 */
}

/* Sends the parts of V along the process rows, and T to the process row that multiplies by it, for
 * the block columns of C from `first` on. */
static void broadcast_reflector(context ctx, int64_t priority, const grid_reflector *Q,
                                const startile_matrix *C, int64_t first)
{
    view V = view_of(Q->V, 'N'), all = view_of(C, 'N');
    int64_t columns = all.nt - first;
    for (int i = 0; i < Q->parts; i++) {
        int64_t r = (Q->top + i) % Q->p;
        send_tile(ctx, priority, at(V, r, Q->k % column_period(Q->A)),
                  owners_of(all, r, first, 1, columns));
    }
    send_tile(ctx, priority, Q->T, owners_of(all, Q->top, first, 1, columns));
}

bool owns_part(const grid_reflector *Q, int i)
{
    int64_t r = (Q->top + i) % Q->p;
    return own_row(view_of(Q->V, 'N'), r) == r;
}

/* Submits C(row:,j) := op(I − V T V^H) C(row:,j). W is workspace: a tile of n rows for each process
 * row. A process submits the tasks that it runs or exchanges data with. */
static void apply_to_column(context ctx, int64_t priority, char trans, const grid_reflector *Q,
                            const startile_matrix *W, const startile_matrix *C, int64_t j)
{
    view products = view_of(W, 'N');
    tile W0 = at(products, Q->top, j);
    for (int i = 0; i < Q->parts; i++) /* W_i := V_i^H C_i */
        if (owns_part(Q, i))
            insert_column_product(ctx, priority, 1, part_of_v(Q, i), rows_of_part(Q, C, j, i), 0,
                                  at(products, (Q->top + i) % Q->p, j));
    for (int d = 1; d < Q->parts; d *= 2)
        for (int i = 0; i + d < Q->parts; i += 2 * d) /* W_i += W_(i+d) */
            if (owns_part(Q, i) || owns_part(Q, i + d))
                insert_geadd(ctx, priority, 1, at(products, (Q->top + i + d) % Q->p, j), 1,
                             at(products, (Q->top + i) % Q->p, j));
    if (owns_part(Q, 0)) /* W_0 := op(T) W_0 */
        insert_trmm(ctx, priority, 'L', 'U', 1, tile_op(trans, Q->T), W0);
    send_tile(ctx, priority, W0, owners_down(W0, Q->parts));
    for (int i = 0; i < Q->parts; i++) /* C_i -= V_i W_0 */
        if (owns_part(Q, i))
            insert_gemm_column(ctx, priority, part_of_v(Q, i), rows_of(W, j, Q->top * Q->n, Q->n),
                               rows_of_part(Q, C, j, i));
}

void apply_reflector(context ctx, int64_t priority, char trans, const grid_reflector *Q,
                     const startile_matrix *C, int64_t first, int64_t urgent)
{
    startile_shape c = startile_matrix_shape(C);
    startile_matrix *W = temporary_matrix(ctx, C, Q->p * Q->n, c.n, Q->n, c.nb);
    view tiles_of_c = view_of(C, 'N');
    if (W == NULL || Q->V == NULL)
        return;
    broadcast_reflector(ctx, priority, Q, C, first);
    for_own_columns(j, tiles_of_c, first, c.nt)
        apply_to_column(ctx, j == urgent ? critical(priority - 1) : priority - (j - first), trans,
                        Q, W, C, j);
}
