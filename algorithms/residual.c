/* Residuals R := B − A X by tasks on block columns. */
#include "algorithms.h"
#include "grid/owner.h"
#include "memory/capacity.h"
#include "operations/insert_refinement.h"

/* Returns part i of the rows of a block column: those of process row i, or part i of `height` rows.
 */
static column part_of_rows(column c, bool by_process, int64_t height, int64_t i)
{
    int64_t row = i * height, rest = c.rows - row;
    return by_process ? rows_of_process(c, (int)i)
                      : rows_of(c.A, c.j, row, rest < height ? rest : height);
}

/* If rows_are_split_alike(A, R), each process row multiplies its own rows of A. A product that CPU
 * cores and GPUs share has a chain of tasks for each tile of R, else for each block column. */
void find_residual(context ctx, const startile_matrix *A, const startile_matrix *X,
                   const startile_matrix *B, startile_matrix *R)
{
    startile_shape a = startile_matrix_shape(A), x = startile_matrix_shape(X),
                   r = startile_matrix_shape(R);
    bool by_process = rows_are_split_alike(A, R), by_tile = is_shared_product(A, R, r.mb);
    int64_t height = by_tile ? r.mb : r.m, parts = by_process ? process_rows(A)
                                                   : by_tile  ? r.mt
                                                              : 1;
    submit_lacpy('G', B, R, ctx.request);
    for (int64_t k = 0; k < a.nt; k++) {
        column A_k = rows_from(A, k, 0);
        ctx = begin_paced_step(ctx, A, ctx.step);
        for (int64_t j = 0; j < x.nt; j++) {
            column X_kj = rows_of(X, j, k * a.nb, pivots_in_panel(A, k)), R_j = rows_from(R, j, 0);
            /* R(:,j) -= A(:,k) * X(k,j) */
            for (int64_t i = 0; i < parts; i++)
                insert_gemm_column(ctx, a.nt - k, part_of_rows(A_k, by_process, height, i), X_kj,
                                   part_of_rows(R_j, by_process, height, i));
        }
        end_step(ctx);
    }
}

void find_hermitian_residual(context ctx, char uplo, const startile_matrix *A,
                             const startile_matrix *X, const startile_matrix *B, startile_matrix *R)
{
    startile_shape a = startile_matrix_shape(A);
    submit_lacpy('G', B, R, ctx.request); /* R := B */
    for (int64_t c = 0; c < startile_matrix_shape(X).nt; c++)
        for (int64_t k = 0; k < a.nt; k++) {
            int64_t row = k * a.nb, n = pivots_in_panel(A, k);
            int64_t top = uplo == 'L' ? row : 0, bottom = uplo == 'L' ? a.m : row + n;
            /* R(i,c) -= A(i,k) * X(k,c), R(k,c) -= A(i,k)^H * X(i,c) for i ≠ k,
             * R(k,c) -= A(k,k) * X(k,c) */
            insert_hemm_column(ctx, a.nt - k, uplo, rows_of(A, k, top, bottom - top), n,
                               rows_of(X, c, top, bottom - top), rows_of(R, c, top, bottom - top));
        }
}
