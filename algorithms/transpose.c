/* B := Aᴴ for any tile shapes of A and B. LQ is computed as QR of Aᴴ, and C op(Q) as op(Q)ᴴ Cᴴ. */
#include "algorithms.h"

/* Returns the number of columns of block column j. */
static int64_t width(startile_shape s, int64_t j)
{
    return s.n - j * s.nb < s.nb ? s.n - j * s.nb : s.nb;
}

void transpose(context ctx, const startile_matrix *A, const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    for (int64_t i = 0; i < b.nt; i++)
        for (int64_t j = 0; j < a.nt; j++)
            /* B(j,i) := A(i,j)^H, blocks of b.nb rows and a.nb columns of A */
            insert_transpose(ctx, rows_of(A, j, i * b.nb, width(b, i)),
                             rows_of(B, i, j * a.nb, width(a, j)));
}

startile_matrix *transposed(context ctx, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    if (!has_capacity_for_copy(ctx.request, A, s.n))
        return NULL;
    startile_matrix *F = temporary_matrix(ctx, A, s.n, s.m, s.n > 1 ? s.n : 1, s.nb);
    if (F != NULL)
        transpose(ctx, A, F);
    return F;
}
