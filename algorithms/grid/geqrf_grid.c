/*
 * QR factorization on grids with several process rows, right-looking over block columns. Each panel
 * is factored by TSQR with one part for each process row, and LAPACK's V and T are reconstructed
 * from its Q (Ballard, Demmel, Grigori, Jacquelin, Knight & Nguyen, "Reconstructing Householder
 * vectors from tall-skinny QR", J. Parallel Distrib. Comput. 85, 2015).
 *
 * TSQR is unconditionally stable. CholeskyQR2 has as many operations and messages, but needs a test
 * of the panel's condition, and a second path for panels that fail it. A panel takes 4 m n²
 * multiplications and additions, shared by the process rows, where Householder QR takes 2 m n².
 *
 * Error: A + ΔA = Q R with ‖Δa_j‖ ≤ c m n eps ‖a_j‖ for TSQR (Mori, Yamamoto & Zhang 2012). V and T
 * give this Q up to eps times a polynomial in n, because |pivot| ≥ 1 in the reconstruction.
 *
 * V, T and R are those of LAPACK, except for roundoff: the signs in R are chosen by the same rule.
 * Where a column is zero below the diagonal, LAPACK has H = I and tau = 0; here H = I − 2 e e^H and
 * tau = 2, where e is the unit vector of the diagonal element.
 */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Small matrices of one part of a panel. OWN_T: triangle of the part's own reflectors. R: the
 * part's R, later the reflectors of the join that eliminates it. JOIN_T: triangle of the join's
 * reflectors. C: first rows of the part of Q, before and after the part's own reflectors are
 * applied. N: the part of Q below C is −V_i N. U: factor of the reconstruction, used in part 0
 * only. */
enum { OWN_T, R, JOIN_T, C, N, U, KINDS };

/* A panel and its small matrices, which are n × n tiles of X. */
struct panel {
    grid_reflector Q;
    startile_matrix *X;
    int64_t priority;
};

/* Returns the tile that holds the small matrix `kind` of part i. */
static tile small_tile(const struct panel *panel, int kind, int i)
{
    const grid_reflector *Q = &panel->Q;
    return at(view_of(panel->X, 'N'), (int64_t)kind * Q->p + (Q->top + i) % Q->p,
              Q->k % column_period(Q->A));
}

/* Returns the rows in use of part i's small matrix `kind`: n, or the number of rows of the part if
 * it is less. */
static column rows_of_small(const struct panel *panel, int kind, int i)
{
    tile t = small_tile(panel, kind, i);
    int64_t rows = part_of_v(&panel->Q, i).rows, n = panel->Q.n;
    return rows_of(panel->X, t.j, t.i * n, rows < n ? rows : n);
}

/* Returns the first rows of part i, as many as its R has. */
static column head(const struct panel *panel, column part, int i)
{
    part.rows = rows_of_small(panel, R, i).rows;
    return part;
}

/* Returns the rows of part i in A(:,k). */
static column part_of_a(const struct panel *panel, int i)
{
    return rows_of_part(&panel->Q, panel->Q.A, panel->Q.k, i);
}

/* Returns the distance between the parts of the last join: the largest power of two < parts. */
static int widest_join(int parts)
{
    int d = 1;
    while (2 * d < parts)
        d *= 2;
    return d;
}

/* Factors the panel by TSQR with a binary tree of joins. R_0 := the panel's R. */
static void factor_parts(context ctx, const struct panel *panel)
{
    int parts = panel->Q.parts;
    for (int i = 0; i < parts; i++) {
        if (!owns_part(&panel->Q, i))
            continue;
        /* A_i = Q_i R_i */
        insert_geqrf(ctx, panel->priority, part_of_a(panel, i), small_tile(panel, OWN_T, i));
        insert_copy(ctx, panel->priority, 'U', head(panel, part_of_a(panel, i), i),
                    rows_of_small(panel, R, i));
    }
    for (int d = 1; d < parts; d *= 2)
        for (int i = 0; i + d < parts; i += 2 * d)
            /* [R_i; R_(i+d)] = Q' R_i, the reflectors of Q' in R_(i+d) */
            if (owns_part(&panel->Q, i) || owns_part(&panel->Q, i + d))
                insert_tpqrt(ctx, panel->priority, 'U', rows_of_small(panel, R, i),
                             rows_of_small(panel, R, i + d), small_tile(panel, JOIN_T, i + d));
}

/* Returns the rows of part i below its first n. */
static column below_head(const struct panel *panel, column part, int i)
{
    int64_t rows = head(panel, part, i).rows;
    return rows_within(part, rows, part.rows - rows);
}

/* Applies the joins, from the root of the tree to its leaves, to the first n columns of the
 * identity: part i of Q is Q_i [C_i; 0] then. */
static void form_c(context ctx, const struct panel *panel)
{
    int parts = panel->Q.parts;
    for (int i = 0; i < parts; i++)
        if (owns_part(&panel->Q, i))
            insert_laset_column(ctx, panel->priority, 'G', i == 0, rows_of_small(panel, C, i));
    for (int d = widest_join(parts); d > 0; d /= 2)
        for (int i = 0; i + d < parts; i += 2 * d)
            /* [C_i; C_(i+d)] := Q' [C_i; C_(i+d)] */
            if (owns_part(&panel->Q, i) || owns_part(&panel->Q, i + d))
                insert_tpmqrt(ctx, panel->priority, 'U', 'N', rows_of_small(panel, R, i + d),
                              small_tile(panel, JOIN_T, i + d), rows_of_small(panel, C, i),
                              rows_of_small(panel, C, i + d));
}

/* Multiplies [C_i; 0] by Q_i = I − V_i T_i V_i^H: C_i becomes the first rows of the product, and
 * the rows below are −V_i N_i with N_i := T_i (V_i^H [C_i; 0]). */
static void apply_own_reflectors(context ctx, const struct panel *panel)
{
    for (int i = 0; i < panel->Q.parts; i++) {
        if (!owns_part(&panel->Q, i))
            continue;
        column A = head(panel, part_of_a(panel, i), i),
               top = head(panel, part_of_v(&panel->Q, i), i);
        if (below_head(panel, part_of_a(panel, i), i).rows > 0) {
            insert_copy(ctx, panel->priority, 'G', A, top); /* top := the first rows of V_i */
            insert_laset_column(ctx, panel->priority, 'U', 1, top);
            insert_column_product(ctx, panel->priority, 1, top, rows_of_small(panel, C, i), 0,
                                  small_tile(panel, N, i));
            insert_trmm(ctx, panel->priority, 'L', 'U', 1,
                        tile_op('N', small_tile(panel, OWN_T, i)), small_tile(panel, N, i));
        }
        insert_larfb(ctx, panel->priority, 'N', A, small_tile(panel, OWN_T, i),
                     rows_of_small(panel, C, i));
    }
}

/* Reconstructs the reflectors V' and the triangle T of Householder QR from the first n columns of
 * Q: Q − [S; 0] = V' U. A := S R in the upper triangle and V' below it; V := V'. */
static void reconstruct(context ctx, const struct panel *panel)
{
    const grid_reflector *Q = &panel->Q;
    tile u = small_tile(panel, U, 0);
    column upper = rows_of(panel->X, u.j, u.i * Q->n, Q->n);
    /* C_0 − S = V'_0 U, C_0 := V'_0, T := −U S V'_0^-H, R_0 := S R_0 */
    if (owns_part(Q, 0) || is_own_tile(Q->T))
        insert_reconstruct(ctx, panel->priority, rows_of_small(panel, C, 0), u, Q->T,
                           small_tile(panel, R, 0));
    send_tile(ctx, panel->priority, u, owners_down(u, Q->parts));
    for (int i = 0; i < Q->parts; i++) {
        if (!owns_part(Q, i))
            continue;
        column V = part_of_v(Q, i), A = part_of_a(panel, i), V_below = below_head(panel, V, i);
        if (i > 0) /* C_i := C_i U^-1 */
            insert_trsm_column(ctx, panel->priority, upper, Q->n, NULL, rows_of_small(panel, C, i));
        if (V_below.rows > 0) { /* V' below := −V_i (N_i U^-1) */
            insert_trsm_column(ctx, panel->priority, upper, Q->n, NULL, rows_of_small(panel, N, i));
            insert_laset_column(ctx, panel->priority, 'G', 0, V_below);
            insert_gemm_column(ctx, panel->priority, below_head(panel, A, i),
                               rows_of_small(panel, N, i), V_below);
        }
        insert_copy(ctx, panel->priority, 'G', rows_of_small(panel, C, i), head(panel, V, i));
        insert_copy(ctx, panel->priority - i, 'G', V, A); /* A_i := V'_i */
    }
    if (owns_part(Q, 0)) /* the triangle of A_0 := R_0 */
        insert_copy(ctx, panel->priority, 'U', rows_of_small(panel, R, 0),
                    head(panel, part_of_a(panel, 0), 0));
}

/* Submits the factorization of block column Q->k of A: A := R and the reflectors, T := the
 * triangle, and V := the reflectors with a unit diagonal. */
static void factor_panel(context ctx, int64_t priority, const grid_reflector *Q)
{
    int64_t q = column_period(Q->A);
    if (Q->parts == 1) {
        insert_geqrf(ctx, priority, rows_of_part(Q, Q->A, Q->k, 0), Q->T); /* A(row:,k) = Q R */
        read_reflector(ctx, priority, Q);
        return;
    }
    struct panel panel = {
        .Q = *Q,
        .X = temporary_matrix(ctx, Q->A, KINDS * Q->p * Q->n, q * Q->n, Q->n, Q->n),
        .priority = priority};
    if (panel.X == NULL)
        return;
    if (own_column(view_of(Q->A, 'N'), Q->k) != Q->k)
        return; /* this process creates only X, whose tags all processes must reserve */
    factor_parts(ctx, &panel);
    form_c(ctx, &panel);
    apply_own_reflectors(ctx, &panel);
    reconstruct(ctx, &panel);
}

bool factor_on_grid(context ctx, const plan *p)
{
    startile_matrix *A = p->A;
    int64_t nt = p->V.nt;
    step s = first_step(ctx, p);
    /* Before step k, block columns 0 … k − 1 hold R and V, and A(:,k:) holds Q_{k−1}^H … Q_0^H
     * A(:,k:). */
    while (next_step(&s)) {
        int64_t k = s.k;
        grid_reflector Q = new_reflector(s.panel, A, p->T, k);
        if (Q.V == NULL)
            continue; /* the request has failed; next_step() frees what the steps hold */
        factor_panel(s.panel, critical(s.urgency), &Q); /* A(row:,k) = Q R */
        if (k + 1 < nt)                                 /* A(row:,j) := Q^H A(row:,j), j > k */
            apply_reflector(s.update, s.urgency, 'C', &Q, A, k + 1, k + 1);
    }
    return s.is_complete;
}
