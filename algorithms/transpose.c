/* B := Aᴴ for any tile shapes of A and B. LQ is computed as QR of Aᴴ, and C op(Q) as op(Q)ᴴ Cᴴ. */
#include "algorithms.h"
#include "memory/capacity.h"

/* Returns the number of columns of block column j. */
static int64_t width(startile_shape s, int64_t j)
{
    return s.n - j * s.nb < s.nb ? s.n - j * s.nb : s.nb;
}

/* Submits B(j,i) := A(i,j)ᴴ. Block A(i,j) has the columns of block column j of A, and the rows that
 * become the columns of block column i of B. */
static void transpose_block(context ctx, const startile_matrix *A, const startile_matrix *B,
                            int64_t i, int64_t j)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    insert_transpose(ctx, 0, rows_of(A, j, i * b.nb, width(b, i)),
                     rows_of(B, i, j * a.nb, width(a, j)));
}

/* Submits B := Aᴴ by block columns of B. On a grid it goes by block columns of A, and drops the
 * copies of each at its end. */
void transpose(context ctx, const startile_matrix *A, const startile_matrix *B)
{
    int64_t rows = startile_matrix_shape(B).nt, columns = startile_matrix_shape(A).nt;
    if (startile_matrix_grid(A) == NULL) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                transpose_block(ctx, A, B, i, j);
        return;
    }
    for (int64_t j = 0; j < columns; j++) {
        ctx = begin_paced_step(ctx, A, ctx.step);
        for (int64_t i = 0; i < rows; i++)
            transpose_block(ctx, A, B, i, j);
        end_step(ctx);
    }
}

startile_matrix *adjoint_copy(context ctx, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    if (!has_capacity_for_copy(ctx.request, A, s.n))
        return NULL;
    startile_matrix *F = temporary_matrix(ctx, A, s.n, s.m, s.n > 1 ? s.n : 1, s.nb);
    if (F != NULL)
        transpose(ctx, A, F);
    return F;
}
