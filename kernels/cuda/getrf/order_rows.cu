/*
 * Computes the interchanges that bring k given rows to the top, in one thread block. Each
 * interchange depends on those before; so one thread follows them all in shared memory. A row from
 * below the first k rows (the top) does not move before its own interchange; so two tables of k
 * entries give the position of every row. Bound: latency, a few accesses to shared memory per row.
 */
#include "common/operations.cuh"

namespace startile_cuda
{

constexpr int order_rows_threads = 256;

/* Tables in shared memory. Rows count from row0, and there are fewer than 2³¹. */
struct row_tables {
    int *wanted; /* [j]: row that interchange j moves to position j */
    int *now_at; /* [i]: current position of the top's row i */
    int *now_in; /* [j]: row that is now at position j of the top; valid until interchange j */
};

/* Writes ipiv by following the interchanges. Before interchange j, each position of the top holds
 * its final row or another row of the top, because a row from below comes to the top only in its
 * own interchange. */
__device__ inline void follow_interchanges(int64_t row0, int k, row_tables table, int64_t *ipiv)
{
    for (int j = 0; j < k; j++) {
        int wanted = table.wanted[j], displaced = table.now_in[j];
        int position = wanted < k ? table.now_at[wanted] : wanted;
        ipiv[j] = row0 + position + 1;
        table.now_at[displaced] = position;
        if (position < k)
            table.now_in[position] = displaced;
        if (wanted < k)
            table.now_at[wanted] = j;
    }
}

/* Writes pivots.of: ipiv, "to" and "from" of the interchanges. */
__global__ void __launch_bounds__(order_rows_threads)
    order_rows_kernel(int64_t row0, const int64_t *rows, startile_pivots_of_panel pivots)
{
    extern __shared__ int tables[];
    const int k = pivots.k;
    const row_tables table = {tables, tables + k, tables + 2 * k};
    for (int j = threadIdx.x; j < k; j += order_rows_threads) {
        table.wanted[j] = rows[j] < row0 ? j : static_cast<int>(rows[j] - row0);
        table.now_at[j] = table.now_in[j] = j;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        follow_interchanges(row0, k, table, pivots.of);
    __syncthreads();

    /* Lists first the moves to rows of the top, then the moves of top rows to rows below it. */
    int64_t *to = pivots.of + k, *from = pivots.of + 3 * int64_t(k);
    for (int j = threadIdx.x; j < k; j += order_rows_threads) {
        int wanted = table.wanted[j], position = table.now_at[j];
        to[j] = wanted == j ? -1 : row0 + j;
        from[j] = row0 + wanted;
        to[k + j] = position < k ? -1 : row0 + position;
        from[k + j] = row0 + j;
    }
}

/* Launches order_rows_kernel. T only selects the table of kernels; the interchanges do not depend
 * on it. */
template <typename T>
int order_rows(startile_exec *x, int64_t row0, const int64_t *rows, startile_pivots_of_panel pivots)
{
    if (pivots.k == 0)
        return 0;
    return launch_with_smem(x, order_rows_kernel, 1, order_rows_threads, 3 * sizeof(int) * pivots.k,
                            row0, rows, pivots);
}

INSTANTIATE(order_rows);

} // namespace startile_cuda
