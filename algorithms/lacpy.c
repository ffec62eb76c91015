/* Copies of matrices (LAPACK xLACPY). */
#include "algorithms.h"
#include "grid/owner.h"
#include "library/integers.h"

/* A block of a matrix: first and last rows and columns, both inclusive. */
typedef struct {
    int64_t first_row, last_row, first_column, last_column;
} block;

static block block_of_tile(startile_shape s, int64_t i, int64_t j)
{
    return (block){i * s.mb, (i + 1) * s.mb - 1, j * s.nb, (j + 1) * s.nb - 1};
}

/* Returns the elements that both blocks have. */
static block overlap(block x, block y)
{
    return (block){max(x.first_row, y.first_row), min(x.last_row, y.last_row),
                   max(x.first_column, y.first_column), min(x.last_column, y.last_column)};
}

/* Returns whether the block has elements of the triangle uplo. */
static bool has_part_of_triangle(char uplo, block x)
{
    return uplo == 'G' ||
           (uplo == 'L' ? x.last_row >= x.first_column : x.first_row <= x.last_column);
}

/* Returns 'G' if all elements of the block are in the triangle uplo, else uplo. */
static char uplo_in_block(char uplo, block x)
{
    bool is_whole = uplo == 'L' ? x.first_row >= x.last_column : x.last_row <= x.first_column;
    return is_whole ? 'G' : uplo;
}

/* Submits the copies of tile A's elements to the tiles of B. */
static void copy_tile(context ctx, char uplo, tile A, const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A.A), b = startile_matrix_shape(B);
    block from = block_of_tile(a, A.i, A.j);
    for (int64_t j = from.first_column / b.nb; j < b.nt && j * b.nb <= from.last_column; j++)
        for (int64_t i = from.first_row / b.mb; i < b.mt && i * b.mb <= from.last_row; i++) {
            tile to = at(view_of(B, 'N'), i, j);
            block into = block_of_tile(b, i, j);
            if (has_part_of_triangle(uplo, overlap(from, into)) &&
                (is_own_tile(A) || is_own_tile(to)))
                /* B(i,j) := the elements that tiles A and B(i,j) have in common */
                insert_lacpy_overlap(ctx, uplo_in_block(uplo, into), A, to);
        }
}

/* Loops over the tiles of A, so that a process receives each tile of A once, and holds the copies
 * of one block column at a time. */
int submit_lacpy(char uplo, const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LUG"))
        return -1;
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    if (A == NULL)
        return -2;
    if (B == NULL || A == B || !may_copy(A, B) || a.m != b.m || a.n != b.n)
        return -3;
    if (request == NULL)
        return -4;
    context ctx = context_of(request);
    for (int64_t j = 0; j < a.nt; j++) {
        ctx = begin_paced_step(ctx, A, ctx.step);
        for (int64_t i = 0; i < a.mt; i++)
            copy_tile(ctx, uplo, at(view_of(A, 'N'), i, j), B);
        end_step(ctx);
    }
    return_matrix(ctx, B);
    return 0;
}

startile_matrix *temporary_like(context ctx, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return temporary_matrix(ctx, A, s.m, s.n, s.mb, s.nb);
}

startile_matrix *copy_of(context ctx, const startile_matrix *A)
{
    startile_matrix *copy = temporary_like(ctx, A);
    if (copy != NULL)
        submit_lacpy('G', A, copy, ctx.request);
    return copy;
}
