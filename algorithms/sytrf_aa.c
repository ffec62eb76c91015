/* Aasen's factorization in two stages: P A Pᵀ = L T op(L), and the LU factorization of the band
 * matrix T (LAPACK xSYTRF_AA_2STAGE, xHETRF_AA_2STAGE; Ballard et al. 2014). op is ᵀ or ᴴ. */
#include "aasen.h"
#include "journal/journal.h"

/* L without its first block column, which is that of the identity, is stored one block column to
 * the left of its place, as in LAPACK. */
struct aasen {
    char op;
    startile_matrix *W; /* L, and the rows and columns of P A Pᵀ that are not factored yet */
    startile_matrix *D; /* the blocks L(k,k) on its diagonal */
    startile_matrix *T; /* T(k,k) and T(k+1,k); T(k,k+1) = op(T(k+1,k)) */
    startile_matrix *H; /* H(1:k,k), the step's block column of H = T op(L) */
};

static tile W(const struct aasen *f, int64_t i, int64_t j)
{
    return at(view_of(f->W, 'N'), i, j);
}

static tile L(const struct aasen *f, int64_t i, int64_t j)
{
    return i == j ? at(view_of(f->D, 'N'), i, i) : W(f, i, j - 1);
}

static tile T(const struct aasen *f, int64_t i, int64_t j)
{
    return i >= j ? at(view_of(f->T, 'N'), i, j) : tile_op(f->op, at(view_of(f->T, 'N'), j, i));
}

static tile H(const struct aasen *f, int64_t j)
{
    return at(view_of(f->H, 'N'), j, 0);
}

static tile op_of(const struct aasen *f, tile t)
{
    return tile_op(f->op, t);
}

/* Returns the rows of `count` tiles of a block column, from tile t on. */
static column rows_of_tiles(tile t, int64_t count)
{
    startile_shape s = startile_matrix_shape(t.A);
    int64_t row = t.i * s.mb, rows = count * s.mb;
    return rows_of(t.A, t.j, row, rows < s.m - row ? rows : s.m - row);
}

static column rows_of_tile(tile t)
{
    return rows_of_tiles(t, 1);
}

/* Submits B := A for stored tiles, of which one may be seen transposed. A transposition without
 * conjugation of complex elements is a product with L(0,0) = I. */
static void copy_tile(context ctx, const struct aasen *f, tile A, tile B)
{
    tile transposed = tile_op(B.op, A), stored = {B.A, B.i, B.j, 'N'}, I = L(f, 0, 0);
    if (A.op == B.op)
        insert_lacpy(ctx, 'G', (tile){A.A, A.i, A.j, 'N'}, stored);
    else if (f->op == 'C' || !is_complex(B.A))
        insert_transpose(ctx, rows_of_tile(A), rows_of_tile(stored));
    else if (B.i < B.j) /* then B has as many rows as I */
        insert_gemm(ctx, 0, 1, I, transposed, 0, stored);
    else
        insert_gemm(ctx, 0, 1, transposed, I, 0, stored);
}

/* Submits W := A, both triangles, L(0,0) := I and P_0 := I. */
static void begin(context ctx, const plan *p, const struct aasen *f)
{
    insert_laset(ctx, 'G', 0, 1, L(f, 0, 0));
    insert_getrf(without_info(ctx), 0, rows_of_tile(L(f, 0, 0)), p->P, 0, false);
    for (int64_t j = 0; j < p->V.nt; j++) {
        insert_mirror(ctx, 0, p->uplo, f->op == 'C', at(view_of(p->A, 'N'), j, j), W(f, j, j));
        for (int64_t i = j + 1; i < p->V.nt; i++) {
            copy_tile(ctx, f, at(p->V, i, j), W(f, i, j));
            copy_tile(ctx, f, op_of(f, at(p->V, i, j)), W(f, j, i));
        }
    }
}

/* Submits H(j,k) := T(j,:) * op(L(k,:)) for the blocks first … last of row j of T. */
static void multiply_row(context ctx, int64_t priority, const struct aasen *f, int64_t j, int64_t k,
                         int64_t first, int64_t last, bool adds)
{
    for (int64_t i = first; i <= last; i++, adds = true)
        insert_gemm(ctx, priority, 1, T(f, j, i), op_of(f, L(f, k, i)), adds, H(f, j));
}

/* Submits T(k,k) := L(k,k)^-1 W(k,k) op(L(k,k))^-1. */
static void find_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    insert_trsm(ctx, priority, 'L', 'L', 'U', 1, L(f, k, k), W(f, k, k), false);
    insert_trsm(ctx, priority, 'R', 'L', 'U', 1, op_of(f, L(f, k, k)), W(f, k, k), false);
    insert_mirror(ctx, priority, 'L', f->op == 'C', W(f, k, k), T(f, k, k));
}

/* Submits L(k+1,k+1) and T(k+1,k) := U op(L(k,k))^-1, of the panel's factors L(k+1,k+1) and U. */
static void split_panel(context ctx, int64_t priority, const struct aasen *f, int64_t k)
{
    tile panel = W(f, k + 1, k);
    insert_laset(ctx, 'G', 0, 0, T(f, k + 1, k));
    insert_lacpy(ctx, 'U', panel, T(f, k + 1, k));
    insert_trsm(ctx, priority, 'R', 'L', 'U', 1, op_of(f, L(f, k, k)), T(f, k + 1, k), false);
    insert_laset_column(ctx, priority, 'U', 1, rows_of_tile(panel));
    insert_laset(ctx, 'G', 0, 0, L(f, k + 1, k + 1));
    insert_lacpy(ctx, 'L', panel, L(f, k + 1, k + 1));
}

/* Submits the interchanges of panel k: rows of L, rows and columns of what is not factored. */
static void interchange(context ctx, int64_t priority, const plan *p, const struct aasen *f,
                        int64_t k)
{
    for (int64_t j = 0; j < p->V.nt; j++)
        if (j != k - 1) /* W(k:,j) := P_k W(k:,j) */
            insert_laswp(ctx, priority, p->P, k, k + 1, false,
                         rows_from(f->W, j, first_row(f->W, k)), NULL);
    for (int64_t i = k; i < p->V.nt; i++) /* W(i,k:) := W(i,k:) P_k^T */
        insert_lapmt(ctx, priority, p->P, k, false, f->W, i);
}

/* Submits the copies of row k of L to A, and of T(k,k), T(k,k−1), T(k−1,k) to the band, in which
 * block (k−2,k) will be filled. */
static void store(context ctx, const plan *p, const struct aasen *f, int64_t k)
{
    view band = view_of(p->band, 'N');
    for (int64_t j = 0; j < k; j++)
        copy_tile(ctx, f, W(f, k, j), at(p->V, k, j));
    copy_tile(ctx, f, T(f, k, k), at(band, k, k));
    if (k > 0) {
        copy_tile(ctx, f, T(f, k, k - 1), at(band, k, k - 1));
        copy_tile(ctx, f, T(f, k - 1, k), at(band, k - 1, k));
    }
    if (k > 1)
        insert_laset(ctx, 'G', 0, 0, at(band, k - 2, k));
}

/* Submits step k of the LU factorization of the band, if k is a step. */
static void factor_band(context ctx, const plan *p, int64_t k)
{
    int64_t nt = p->V.nt;
    if (k < 0 || k >= nt)
        return;
    substitution lower = band_lower(p->band, k);
    /* Q_k T(k:k+1,k) = L U */
    insert_getrf(ctx, 0, lower.columns, p->band_pivots, k, false);
    for (int64_t j = k + 1; j < nt && j <= k + 2; j++)
        /* T(k:k+1,j) := Q_k T(k:k+1,j), T(k,j) := L(k,k)^-1 T(k,j), T(k+1,j) -= L(k+1,k) T(k,j) */
        insert_update(ctx, 0, p->band_pivots, k, &lower,
                      rows_of(p->band, j, lower.columns.row, lower.columns.rows));
}

/* Submits the tasks, left-looking: a step updates its block column only, because the interchanges
 * decide what the next ones are. Updates of a block column, transfers of L and steps of the band's
 * factorization run at the same time. */
static bool factor(context ctx, const plan *p)
{
    int64_t nt = p->V.nt, n = startile_matrix_shape(p->A).n, nb = startile_matrix_shape(p->A).nb;
    struct aasen f = {.op = p->op,
                      .W = temporary_like(ctx, p->A),
                      .D = temporary_like(ctx, p->A),
                      .T = temporary_like(ctx, p->A)};
    if (f.W == NULL || f.D == NULL || f.T == NULL)
        return false;
    ctx = begin_factorization(ctx);
    if (nt > 0)
        begin(ctx, p, &f);
    /* Before step k, W(:,:k−1) holds L(:,1:k), with the interchanges of panels 1 … k, T(:k,:k−1) is
     * complete, and W(k:,k:) holds the rows and columns of P_k … P_1 A (P_k … P_1)ᵀ. */
    for (int64_t k = 0; k < nt; k++) {
        context step = begin_step(ctx, p->A, k);
        int64_t priority = nt - k, columns = pivots_in_panel(p->A, k);
        f.H = temporary_matrix(step, p->A, n, columns, nb, columns);
        if (f.H == NULL)
            return false;
        for (int64_t j = 1; j < k; j++) {
            /* H(j,k) := T(j,j-1) op(L(k,j-1)) + T(j,j) op(L(k,j)) + T(j,j+1) op(L(k,j+1)) */
            multiply_row(step, priority, &f, j, k, j > 1 ? j - 1 : 1, j + 1, false);
            /* W(k,k) -= L(k,j) H(j,k) */
            insert_gemm(step, priority, -1, L(&f, k, j), H(&f, j), 1, W(&f, k, k));
        }
        if (k > 1) {
            /* H(k,k) := T(k,k-1) op(L(k,k-1)), W(k,k) -= L(k,k) H(k,k) */
            multiply_row(step, critical(priority), &f, k, k, k - 1, k - 1, false);
            insert_gemm(step, critical(priority), -1, L(&f, k, k), H(&f, k), 1, W(&f, k, k));
        }
        find_diagonal(step, critical(priority), &f, k);
        store(step, p, &f, k);
        if (k + 1 < nt) {
            if (k > 0) /* H(k,k) += T(k,k) op(L(k,k)) */
                multiply_row(step, critical(priority), &f, k, k, k, k, k > 1);
            for (tile_range C = tiles_from(view_of(f.W, 'N'), k + 1, k); C.count > 0;
                 C = tiles_from(C.A, C.i + C.count, k))
                for (int64_t j = 1; j <= k; j++) /* W(i,k) -= L(i,j) H(j,k) for the tiles i of C */
                    insert_gemm_column(step, priority, rows_of_tiles(L(&f, C.i, j), C.count),
                                       rows_of_tile(H(&f, j)),
                                       rows_of_tiles(W(&f, C.i, k), C.count));
            /* P_{k+1} W(k+1:,k) = L(k+1:,k+1) U */
            insert_getrf(without_info(step), critical(priority),
                         rows_from(f.W, k, first_row(f.W, k + 1)), p->P, k + 1, false);
            split_panel(step, critical(priority), &f, k);
            interchange(step, critical(priority), p, &f, k + 1);
        }
        factor_band(step, p, k - 2);
        end_step(step);
    }
    factor_band(ctx, p, nt - 2);
    factor_band(ctx, p, nt - 1);
    after_factorization(ctx);
    return true;
}

static int check(char uplo, const startile_matrix *A, const startile_pivots *P,
                 const startile_matrix *band, const startile_pivots *band_pivots,
                 const startile_request *request)
{
    int wrong = check_aasen(uplo, A, P, band, band_pivots);
    if (wrong != 0)
        return wrong;
    if (has_journal(A)) /* it could not continue the factorization: W is not in it */
        return -2;
    return request == NULL ? -6 : 0;
}

/* Submits the factorization with op 'T' or 'C'. */
static int submit(const char *name, char op, char uplo, startile_matrix *A, startile_pivots *P,
                  startile_matrix *band, startile_pivots *band_pivots, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check(uplo, A, P, band, band_pivots, request);
    if (wrong != 0)
        return wrong;
    plan p = {.name = name,
              .working_set = SYTRF_AA,
              .equation = UNCHECKED,
              .A = A,
              .uplo = uplo,
              .V = view_of(A, uplo == 'L' ? 'N' : op),
              .submit = factor,
              .P = P,
              .band = band,
              .band_pivots = band_pivots,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_sytrf_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                    startile_pivots *band_pivots, startile_request *request)
{
    return submit("sytrf_aa", 'T', uplo, A, P, band, band_pivots, request);
}

int submit_hetrf_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                    startile_pivots *band_pivots, startile_request *request)
{
    return submit("hetrf_aa", 'C', uplo, A, P, band, band_pivots, request);
}
