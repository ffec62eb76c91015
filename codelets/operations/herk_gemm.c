/* C := C - A B^H on tiles of a block column: the update of Cholesky's trailing matrix */
#include "operations/insert.h"
#include "task/operands.h"

struct herk_gemm_args {
    struct task_args task;
    char uplo;          /* triangle of C's first tile, or 'G' */
    bool is_transposed; /* C is a view of the conjugate transpose of the stored matrix */
    int count;
    startile_product product[];
};

static struct operation herk_gemm = {
    .name = "herk_gemm", .color = 0x4e79a7, .has_vendor_kernels = true};

/* Updates the tiles of C. The buffers are the tiles of C, the tiles of A, then B unless it is A's
 * first tile. On a transposed view the stored tiles are updated by C := C - B A^H. */
static int run_herk_gemm(const startile_kernels *K, startile_exec *x, void **buffers,
                         struct task_args *task)
{
    struct herk_gemm_args *h = (struct herk_gemm_args *)task;
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    struct buffer b = matrix_buffer(buffers[h->uplo == 'G' ? 2 * h->count : h->count]);
    for (int q = 0; q < h->count; q++) {
        struct buffer c = matrix_buffer(buffers[q]), a = matrix_buffer(buffers[h->count + q]);
        h->product[q] = h->is_transposed
                            ? (startile_product){b.p, a.p, c.p, b.ld, a.ld, c.ld, c.m, c.n}
                            : (startile_product){a.p, b.p, c.p, a.ld, b.ld, c.ld, c.m, c.n};
    }
    return K->gemm_group(x, h->is_transposed ? 'C' : 'N', h->is_transposed ? 'N' : 'C',
                         h->is_transposed ? b.m : b.n, minus_one, h->count, h->product, one,
                         h->uplo);
}

void insert_herk_gemm(context ctx, int64_t priority, char uplo, tile_range A, tile B, tile_range C)
{
    startile_dtype dtype = B.A->shape.dtype;
    struct starpu_task *t =
        task_new(&herk_gemm, ctx, priority, dtype, run_herk_gemm,
                 sizeof(struct herk_gemm_args) + (size_t)C.count * sizeof(startile_product));
    if (t == NULL || !task_reserve(t, 2 * C.count + 1))
        return;
    struct herk_gemm_args *h = t->cl_arg;
    h->uplo = C.i == C.j ? uplo : 'G';
    h->is_transposed = C.A.op != 'N';
    h->count = (int)C.count;
    tile_range_access(t, C, STARPU_RW);
    tile_range_access(t, A, STARPU_R);
    if (h->uplo == 'G')
        task_tile(t, B, STARPU_R);
    int64_t n = h->is_transposed ? tile_rows(at(C.A, C.i, C.j)) : tile_columns(at(C.A, C.i, C.j));
    int64_t k = h->is_transposed ? tile_rows(B) : tile_columns(B);
    double elements = tile_range_elements(C), left_out = (double)n * (double)(n - 1) / 2;
    bool is_general = h->uplo == 'G';
    task_submit(t, (struct work){.m = (int64_t)elements / n,
                                 .n = n,
                                 .k = k,
                                 .variant = !is_general,
                                 .flops = flops_of(dtype, (elements - (is_general ? 0 : left_out)) *
                                                              (double)k)});
}
