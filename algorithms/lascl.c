/* Scaling against overflow and underflow of squares (LAPACK xLASCL, as in xGELS). */
#include "algorithms.h"
#include "grid/owner.h"
#include "operations/insert_norms.h"

magnitude *largest_of(context ctx, const startile_matrix *A, int64_t rows)
{
    magnitude *x = magnitude_begin(ctx);
    for (int64_t j = 0; j < startile_matrix_shape(A).nt; j++)
        for (int r = 0; r < process_rows(A); r++)
            /* x := max(x, max |A(0:rows,j)|) */
            insert_largest(ctx, rows_of_process(rows_of(A, j, 0, rows), r), x);
    return x;
}

void rescale(context ctx, const magnitude *up, const magnitude *down, const startile_matrix *A,
             int64_t row, int64_t rows)
{
    for (int64_t j = 0; j < startile_matrix_shape(A).nt; j++)
        for (int r = 0; r < process_rows(A); r++)
            /* A(row:row+rows,j) *= f(up) / f(down), see insert_lascl() */
            insert_lascl(ctx, up, down, rows_of_process(rows_of(A, j, row, rows), r));
}
