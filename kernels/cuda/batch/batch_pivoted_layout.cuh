/*
 * Memory of a matrix that a thread block factors by QR with column pivoting (batch_pivoted.cuh):
 * all in shared memory, only the short arrays there, or all in a workspace in global memory.
 */
#ifndef STARTILE_BATCH_PIVOTED_LAYOUT_CUH
#define STARTILE_BATCH_PIVOTED_LAYOUT_CUH

#include "batch/batch_column_share.cuh"

#include <algorithm>

namespace startile_cuda
{

enum class placement { in_smem, columns_in_workspace, in_workspace };

/* Most rows of a column that is in registers while it is multiplied by a reflector */
constexpr int pivoted_rows = 512;

/* Most threads of a block; shares of more than 8 rows need more registers */
constexpr int pivoted_batch_threads = 512;
template <typename Share>
constexpr int most_pivoted_threads =
    Share::capacity == 0 || Share::capacity > 8 * Share::lanes ? share_threads
                                                               : pivoted_batch_threads;

/* Bytes of shared memory for variables of the kernels, beside a problem */
constexpr size_t static_smem = 1024;

/* One problem: A is m × n, and B, if there is one, has `sides` columns and max(m, n) rows. Columns
 * do not move: the column at position c of A P is column order[c] of A. */
template <typename T>
struct pivoted_problem {
    int m, n, sides;
    int64_t ld, ldb;
    double *norm, *exact_norm; /* of each column of A; exact_norm: when last computed from it */
    T *a, *b;
    T *v; /* the newest reflector from its first row on; v[tau_of_column]: its tau. Zeros follow. */
    int v_length;
    T *x; /* 2 min(m, n) elements for the rank (batch_rank.cuh) */
    int *order;

    /* Returns the address of the column at position c; those of B follow those of A. */
    __device__ T *column(int c) const
    {
        return c < n ? a + order[c] * ld : b + (c - n) * ldb;
    }
};

/* Placement and sizes of the largest problem of a batch */
template <typename T>
struct pivoted_layout {
    placement where;
    int m, n, sides;
    int lanes, capacity; /* of the column_share; capacity 0: long_column */
    int ld, ldb, v_length, estimates;
    size_t short_bytes, column_bytes;

    __host__ pivoted_layout(int m_, int n_, int sides_, bool finds_rank, size_t max_smem)
        : where(placement::in_smem), m(m_), n(n_), sides(sides_), lanes(m <= 32    ? 4
                                                                        : m <= 64  ? 8
                                                                        : m <= 128 ? 16
                                                                                   : 32),
          capacity(m <= 256 ? lanes * 8 : pivoted_rows), ld(m), ldb(std::max(m, n)),
          estimates(finds_rank ? 2 * std::min(m, n) : 0)
    {
        /* columns that groups of lanes of a warp read at a time begin in different banks */
        if (lanes <= 8)
            ld = ((m + lanes - 1) / lanes | 1) * lanes;
        column_bytes = rounded((size_t(ld) * n + size_t(ldb) * sides) * sizeof(T));
        set_short_bytes();
        if (m <= pivoted_rows && short_bytes + column_bytes <= max_smem)
            return;
        where = placement::columns_in_workspace;
        lanes = 32;
        capacity = pivoted_rows;
        set_short_bytes();
        if (m <= pivoted_rows && short_bytes <= max_smem)
            return;
        where = placement::in_workspace;
        capacity = 0;
        set_short_bytes();
    }

    static size_t rounded(size_t bytes)
    {
        return (bytes + 15) / 16 * 16;
    }

    void set_short_bytes()
    {
        v_length = std::max(capacity, m) + 1;
        short_bytes = rounded(2 * size_t(n) * sizeof(double) +
                              (size_t(v_length) + 1 + estimates) * sizeof(T) + n * sizeof(int));
    }

    size_t smem() const
    {
        return where == placement::in_smem                ? short_bytes + column_bytes
               : where == placement::columns_in_workspace ? short_bytes
                                                          : 0;
    }

    /* Returns the bytes of workspace that a thread block needs. */
    size_t workspace() const
    {
        return where == placement::in_smem                ? 0
               : where == placement::columns_in_workspace ? column_bytes
                                                          : short_bytes + column_bytes;
    }

    /* Returns the number of threads, at most `most`: a group of lanes for four columns. */
    int threads(int most) const
    {
        const int64_t groups = (int64_t(n) + sides + 3) / 4, warps = (groups * lanes + 31) / 32;
        return static_cast<int>(std::clamp<int64_t>(32 * warps, 32, most));
    }

    /* Returns the number of thread blocks for `count` problems. Workspaces take at most 512 MiB in
     * all, or one problem's. */
    unsigned int blocks(const startile_exec *x, int count) const
    {
        constexpr size_t most_bytes = size_t(512) << 20;
        if (where == placement::in_smem)
            return blocks_for(count);
        const size_t most = std::max<size_t>(1, most_bytes / workspace());
        return static_cast<unsigned int>(
            std::min({size_t(count), most, size_t(2) * x->multiprocessors}));
    }
};

/* Returns this thread block's problem. workspace: that of the first thread block */
template <placement where, typename T>
__device__ inline pivoted_problem<T> problem_of(const pivoted_layout<T> &l, char *workspace,
                                                int64_t bytes, int m, int n, int sides)
{
    extern __shared__ double2 pivoted_smem[];
    char *const smem = reinterpret_cast<char *>(pivoted_smem);
    char *const own = workspace + blockIdx.x * bytes;
    char *const arrays = where == placement::in_workspace ? own : smem;
    char *const columns = where == placement::columns_in_workspace ? own : arrays + l.short_bytes;
    pivoted_problem<T> p = {m, n, sides, l.ld, l.ldb};
    p.norm = reinterpret_cast<double *>(arrays);
    p.exact_norm = p.norm + l.n;
    p.v = reinterpret_cast<T *>(p.exact_norm + l.n) + 1;
    p.v_length = l.v_length;
    p.x = p.v + l.v_length;
    p.order = reinterpret_cast<int *>(p.x + l.estimates);
    p.a = reinterpret_cast<T *>(columns);
    p.b = p.a + int64_t(l.ld) * l.n;
    return p;
}

/* Calls f(share, where) for the layout's share of columns and placement. */
template <typename T, typename F>
int with_pivoted_share(const pivoted_layout<T> &l, const F &f)
{
    using in_smem = std::integral_constant<placement, placement::in_smem>;
    using columns_in_workspace = std::integral_constant<placement, placement::columns_in_workspace>;
    using in_workspace = std::integral_constant<placement, placement::in_workspace>;
    if (l.where == placement::in_workspace)
        return f(long_column<T>{}, in_workspace{});
    if (l.where == placement::columns_in_workspace)
        return f(column_share<T, 32, 16>{}, columns_in_workspace{});
    if (l.capacity <= 32)
        return f(column_share<T, 4, 8>{}, in_smem{});
    if (l.capacity <= 64)
        return f(column_share<T, 8, 8>{}, in_smem{});
    if (l.capacity <= 128)
        return f(column_share<T, 16, 8>{}, in_smem{});
    if (l.capacity <= 256)
        return f(column_share<T, 32, 8>{}, in_smem{});
    return f(column_share<T, 32, 16>{}, in_smem{});
}

} // namespace startile_cuda

#endif
