/* Comparison of two checksums (algorithms/verify.h) */
#include "operations/insert_checksum.h"
#include "request/decision.h"
#include "task/operands.h"

struct compare_args {
    struct task_args task;
    double bound;
    int64_t before;
    struct tile_column c, d;
    int found;               /* index + 1 of the buffer of the result */
    startile_piece *d_block; /* space for the blocks of D, after those of C */
    startile_piece block[];
};

static struct operation compare_checksums = {.name = "compare_checksums", .color = 0xbab0ac};

static int run_compare_checksums(const startile_kernels *K, startile_exec *x, void **buffers,
                                 struct task_args *task)
{
    struct compare_args *s = (struct compare_args *)task;
    int error = 0;
    tile_column_blocks(&s->c, buffers, STARTILE_D, s->block);
    tile_column_blocks(&s->d, buffers, STARTILE_D, s->d_block);
    for (int64_t row = 0, m; row < s->c.rows && error == 0; row += m) {
        startile_piece c = tile_column_from(s->block, row, STARTILE_D),
                       d = tile_column_from(s->d_block, row, STARTILE_D);
        m = c.m < d.m ? c.m : d.m;
        error = K->compare_checksums(x, (int)m, c.p, c.ld, d.p, d.ld, s->bound, s->before + row,
                                     values_in_buffer(buffers, s->found, 0));
    }
    return error;
}

void insert_compare_checksums(context ctx, startile_dtype dtype, double bound, int64_t before,
                              column C, column D, const values *found)
{
    int64_t tiles = column_tiles(C) + column_tiles(D);
    struct starpu_task *t =
        task_new(&compare_checksums, ctx, 0, dtype, run_compare_checksums,
                 sizeof(struct compare_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 1))
        return;
    struct compare_args *s = t->cl_arg;
    s->d_block = s->block + column_tiles(C);
    s->bound = bound;
    s->before = before;
    s->c = column_access(t, C, STARPU_R);
    s->d = column_access(t, D, STARPU_R);
    s->found = values_access(t, found, STARPU_RW);
    task_submit(t, (struct work){.m = C.rows, .n = column_width(C)});
}
