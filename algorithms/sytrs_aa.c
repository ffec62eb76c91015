/* Solution with Aasen's factors P A Pᵀ = L T op(L), Q T = L' U (LAPACK xSYTRS_AA_2STAGE,
 * xHETRS_AA_2STAGE); factorization and solution (LAPACK xSYSV_AA_2STAGE, xHESV_AA_2STAGE). */
#include "aasen.h"
#include "data/pivots.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Returns step k of the substitution with U, which has two blocks above the diagonal block. */
static substitution band_upper(const startile_matrix *band, int64_t k)
{
    int64_t row = first_row(band, k > 2 ? k - 2 : 0), n = pivots_in_panel(band, k);
    return (substitution){.uplo = 'U',
                          .trans = 'N',
                          .diag = 'N',
                          .n = n,
                          .columns = rows_of(band, k, row, first_row(band, k) + n - row)};
}

/* Submits B := T^-1 B. */
static void solve_band(context ctx, const plan *p)
{
    int64_t nt = p->left.nt;
    for (int64_t k = 0; k < nt; k++) {
        substitution lower = band_lower(p->band, k);
        ctx = begin_paced_step(ctx, larger_matrix(p->band, p->A), k);
        for (int64_t j = 0; j < p->V.nt; j++)
            /* B(k:k+1,j) := Q_k B(k:k+1,j), B(k,j) := L'(k,k)^-1 B(k,j), B(k+1,j) -= L'(k+1,k)
             * B(k,j) */
            insert_update(ctx, 3 * nt - k, p->band_pivots, k, &lower,
                          rows_of(p->A, j, lower.columns.row, lower.columns.rows));
        end_step(ctx);
    }
    for (int64_t k = nt - 1; k >= 0; k--) {
        substitution upper = band_upper(p->band, k);
        ctx = begin_paced_step(ctx, larger_matrix(p->band, p->A), k);
        for (int64_t j = 0; j < p->V.nt; j++)
            /* B(k,j) := U(k,k)^-1 B(k,j), B(i,j) -= U(i,k) B(k,j), i = k − 2, k − 1 */
            insert_substitution(ctx, nt + k, &upper,
                                rows_of(p->A, j, upper.columns.row, upper.columns.rows));
        end_step(ctx);
    }
}

/* Submits B(1:,:) := L^-1 B(1:,:), or op(L)^-1 B(1:,:) unless `forward`. L(m,k) is block (m,k−1) of
 * the view L. */
static void solve_shifted(context ctx, bool forward, const plan *p)
{
    view L = p->left, B = p->V;
    for (int64_t s = 1; s < L.nt; s++) {
        int64_t k = forward ? s : L.nt - s, urgency = forward ? 4 * L.nt - s : L.nt - s;
        tile diagonal = at(L, k, k - 1);
        ctx = begin_paced_step(ctx, larger_matrix(L.A, B.A), s);
        send_tile(ctx, urgency, diagonal, owners_of(B, k, 0, 1, B.nt));
        for_own_tiles_in_row(j, B, k, 0, B.nt)
            /* B(k,j) := L(k,k)^-1 B(k,j), or op(L(k,k))^-1 B(k,j) */
            insert_trsm(ctx, urgency, 'L', p->uplo, 'U', 1,
                        forward ? diagonal : tile_op(p->op, diagonal), at(B, k, j), false);
        for (int64_t j = 0; j < B.nt; j++) /* send B(k,j) to the rows that are not solved yet */
            send_tile(ctx, urgency, at(B, k, j),
                      owners_of(B, forward ? k + 1 : 1, j, L.nt - 1 - s, 1));
        for (int64_t t = s + 1; t < L.nt; t++) {
            int64_t m = forward ? t : L.nt - t;
            tile block = forward ? at(L, m, k - 1) : at(L, k, m - 1);
            send_tile(ctx, urgency, block, owners_of(B, m, 0, 1, B.nt));
            for_own_tiles_in_row(j, B, m, 0, B.nt)
                /* B(m,j) -= L(m,k) B(k,j), or op(L(k,m)) B(k,j) */
                insert_gemm(ctx, urgency, -1, forward ? block : tile_op(p->op, block), at(B, k, j),
                            1, at(B, m, j));
        }
        end_step(ctx);
    }
}

static bool solve(context ctx, const plan *p)
{
    int64_t nt = p->left.nt;
    if (nt == 0)
        return true;
    /* The first task waits for the band's last panel, and does nothing after a zero pivot; on a
     * grid the tasks read the info, which that panel writes. */
    tile last = at(view_of(p->band, 'N'), nt - 1, nt - 1);
    const tile *after = startile_matrix_grid(p->A) != NULL ? NULL : &last;
    interchange_rows(ctx, 5 * nt, p->interchanges, false, p->A, after); /* B := P B */
    solve_shifted(ctx, true, p);
    solve_band(ctx, p);
    solve_shifted(ctx, false, p);
    interchange_rows(ctx, 0, p->interchanges, true, p->A, NULL); /* B := P^T B */
    return true;
}

int check_aasen(char uplo, const startile_matrix *A, const startile_pivots *P,
                const startile_matrix *band, const startile_pivots *band_pivots)
{
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A) || startile_matrix_shape(A).nt > MOST_TILES ||
        is_on_symmetric_grid(A))
        return -2;
    if (P == NULL || !pivots_fit(P, A))
        return -3;
    if (band == NULL || band == A || !have_same_type_and_grid(band, A) || !has_square_tiles(band) ||
        startile_matrix_shape(band).n != startile_matrix_shape(A).n ||
        !same_tiles(startile_matrix_shape(A).n, startile_matrix_shape(band).nb,
                    startile_matrix_shape(A).nb))
        return -4;
    return band_pivots == NULL || band_pivots == P || !pivots_fit(band_pivots, band) ? -5 : 0;
}

/* Submits sytrs_aa with op 'T', hetrs_aa with 'C'. */
static int submit_solve(const char *name, char op, char uplo, const startile_matrix *A,
                        const startile_pivots *P, const startile_matrix *band,
                        const startile_pivots *band_pivots, startile_matrix *B,
                        startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check_aasen(uplo, A, P, band, band_pivots);
    if (wrong != 0)
        return wrong;
    if (B == NULL || B == band || !is_cholesky_right_hand_side(B, A))
        return -6;
    if (request == NULL)
        return -7;
    plan p = {.name = name,
              .working_set = COLUMN_PRODUCTS,
              .equation = UNCHECKED,
              .A = B,
              .uplo = uplo,
              .V = view_of(B, 'N'),
              .submit = solve,
              .left = view_of(A, uplo == 'L' ? 'N' : op),
              .interchanges = P,
              .band = band,
              .band_pivots = band_pivots,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_sytrs_aa(char uplo, const startile_matrix *A, const startile_pivots *P,
                    const startile_matrix *band, const startile_pivots *band_pivots,
                    startile_matrix *B, startile_request *request)
{
    return submit_solve("sytrs_aa", 'T', uplo, A, P, band, band_pivots, B, request);
}

int submit_hetrs_aa(char uplo, const startile_matrix *A, const startile_pivots *P,
                    const startile_matrix *band, const startile_pivots *band_pivots,
                    startile_matrix *B, startile_request *request)
{
    return submit_solve("hetrs_aa", 'C', uplo, A, P, band, band_pivots, B, request);
}

/* -- factorization and solution -----------------------------------------------------------------
 */

typedef int factorization(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                          startile_pivots *band_pivots, startile_request *request);
typedef int solution(char uplo, const startile_matrix *A, const startile_pivots *P,
                     const startile_matrix *band, const startile_pivots *band_pivots,
                     startile_matrix *B, startile_request *request);

static int factor_and_solve(factorization *factor, solution *solve_with, char uplo,
                            startile_matrix *A, startile_pivots *P, startile_matrix *band,
                            startile_pivots *band_pivots, startile_matrix *B,
                            startile_request *request)
{
    int wrong = factor(uplo, A, P, band, band_pivots, NULL);
    if (wrong != -6) /* that of the request */
        return wrong;
    wrong = solve_with(uplo, A, P, band, band_pivots, B, NULL);
    if (wrong != -7 || request == NULL)
        return wrong;
    factor(uplo, A, P, band, band_pivots, request);
    /* does nothing after a zero pivot */
    return solve_with(uplo, A, P, band, band_pivots, B, request);
}

int submit_sysv_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                   startile_pivots *band_pivots, startile_matrix *B, startile_request *request)
{
    return factor_and_solve(submit_sytrf_aa, submit_sytrs_aa, uplo, A, P, band, band_pivots, B,
                            request);
}

int submit_hesv_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                   startile_pivots *band_pivots, startile_matrix *B, startile_request *request)
{
    return factor_and_solve(submit_hetrf_aa, submit_hetrs_aa, uplo, A, P, band, band_pivots, B,
                            request);
}
