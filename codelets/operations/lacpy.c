/* B := A in a triangle, in all of a tile, or in the elements that both tiles have */
#include "library/integers.h"
#include "operations/insert.h"
#include "task/operands.h"

/* An m × n block, from row a_row and column a_column of tile A and from row b_row and column
 * b_column of tile B on. Element (i, j) of the block is on the matrix' diagonal if
 * i + shift = j. */
struct lacpy_args {
    struct task_args task;
    char uplo;
    int64_t m, n, shift;
    int64_t a_row, a_column, b_row, b_column;
};

static struct operation lacpy = {.name = "lacpy", .color = 0xbab0ac};

/* Returns the buffer with its address moved to element (i, j). */
static struct buffer buffer_from(struct buffer a, int64_t i, int64_t j, startile_dtype dtype)
{
    a.p = (char *)a.p + (size_t)(i + j * a.ld) * (size_t)startile_element_size[dtype];
    return a;
}

/* 'G': copies the block. 'L' and 'U': copies the columns left of the diagonal ('L') or the rows
 * above it ('U'), all of which are in the triangle, then the triangle of the part that begins on
 * the diagonal. */
static int run_lacpy(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct lacpy_args *l = (struct lacpy_args *)task;
    int m = (int)l->m, n = (int)l->n;
    struct buffer a = buffer_from(matrix_buffer(buffers[0]), l->a_row, l->a_column, task->dtype);
    struct buffer b = buffer_from(matrix_buffer(buffers[1]), l->b_row, l->b_column, task->dtype);
    if (l->uplo == 'G')
        return K->lacpy(x, 'G', m, n, a.p, a.ld, b.p, b.ld);
    int left = (int)min(max(l->shift, 0), n), above = (int)min(max(-l->shift, 0), m);
    int error = l->uplo == 'L' ? K->lacpy(x, 'G', m, left, a.p, a.ld, b.p, b.ld)
                               : K->lacpy(x, 'G', above, n, a.p, a.ld, b.p, b.ld);
    a = buffer_from(a, above, left, task->dtype);
    b = buffer_from(b, above, left, task->dtype);
    return error != 0 ? error : K->lacpy(x, l->uplo, m - above, n - left, a.p, a.ld, b.p, b.ld);
}

/* Submits the copy of the block that the arguments describe. */
static void insert_block(context ctx, struct lacpy_args block, tile A, tile B)
{
    struct starpu_task *t =
        task_new(&lacpy, ctx, 0, A.A->shape.dtype, run_lacpy, sizeof(struct lacpy_args));
    if (t == NULL)
        return;
    struct lacpy_args *l = t->cl_arg;
    block.task = l->task;
    *l = block;
    bool is_first = l->b_row == 0 && l->b_column == 0;
    task_tile(t, A, STARPU_R);
    task_tile(t, B, is_first && l->uplo == 'G' ? STARPU_W : STARPU_RW);
    task_submit(t, (struct work){.m = l->m, .n = l->n, .variant = l->uplo != 'G'});
}

void insert_lacpy(context ctx, char uplo, tile A, tile B)
{
    insert_block(ctx, (struct lacpy_args){.uplo = uplo, .m = tile_rows(A), .n = tile_columns(A)}, A,
                 B);
}

void insert_lacpy_overlap(context ctx, char uplo, tile A, tile B)
{
    int64_t row = max(tile_first_row(A), tile_first_row(B)),
            column = max(tile_first_column(A), tile_first_column(B));
    int64_t end_row = min(tile_first_row(A) + tile_rows(A), tile_first_row(B) + tile_rows(B));
    int64_t end_column =
        min(tile_first_column(A) + tile_columns(A), tile_first_column(B) + tile_columns(B));
    insert_block(ctx,
                 (struct lacpy_args){.uplo = uplo,
                                     .m = end_row - row,
                                     .n = end_column - column,
                                     .shift = row - column,
                                     .a_row = row - tile_first_row(A),
                                     .a_column = column - tile_first_column(A),
                                     .b_row = row - tile_first_row(B),
                                     .b_column = column - tile_first_column(B)},
                 A, B);
}
