/*
 * X := L⁻¹ B in one kernel, for L with the inverses of its diagonal blocks of order 256, in double
 * precision. A cluster of four thread blocks computes 32 columns of X; each thread block has a
 * quarter of the rows of every diagonal block:
 *
 *     for each diagonal block, from top to bottom
 *       B_q -= L_qj X_j, j < q     in registers; X_j from global memory
 *       store B_q; cluster barrier
 *       X_q := W_qq B_q            in registers
 *       cluster barrier; store X_q; cluster barrier
 *
 * L, W and the columns of B pass through a ring of slots in shared memory. For order 1024 and 1024
 * columns the kernel alone takes 80 µs, as cuBLAS' trmm and gemm do; for 1023, where every other
 * column begins at an odd multiple of 8 bytes, 133. Within LU of order 8192 it takes 117, and
 * products and copies in eleven launches had taken 155 to 195 (H100; perf_models/NOTES.md, "LU on
 * one GPU"). For order 1024 the kernel reads 214 MB from the L2 cache; the tensor
 * cores alone would take 17 µs. What bounds it was not measured.
 *
 * The order of each sum depends on the shapes only, not on the alignment of the arrays: GPUs whose
 * copies of the same tile have other leading dimensions compute the same bits.
 *
 * Error in the 1-norm, with a small constant c, in each diagonal block q:
 *
 *     ‖B_q − Σ_(j≤q) L_qj X_j‖ ≤ c n eps (Σ_(j<q) ‖L_qj‖ ‖X_j‖ + ‖L_qq‖ ‖W_qq‖ ‖B′_q‖)
 *                                + ‖L_qq W_qq − I‖ ‖B′_q‖
 *
 * where B′_q = B_q − Σ_(j<q) L_qj X_j. The check of W limits ‖L_qq‖ ‖W_qq‖, which bounds
 * ‖L_qq W_qq − I‖, too (trtri.cu).
 */
#include "common/hopper.cuh"
#include "common/operations.cuh"
#include "common/smem_tile.cuh"
#include "gemm/product_pipeline.cuh"

namespace startile_cuda
{

constexpr int order = STARTILE_INVERTED_ORDER; /* of the diagonal blocks */
constexpr int blocks_of_cluster = 4, rows = order / blocks_of_cluster;

/* Shape of a step of a sum: a rows × depth part of L or W, column-major, and a depth × width part
 * of B, column-major, in one of `slots` slots. Other values were slower: width 64, depth 32, six
 * slots, more warps (H100). The leading dimensions are 4 modulo 16, so that the lanes that load a
 * fragment access different banks. */
constexpr int width = 32, depth = 16, slots = 4;
constexpr int warp_rows = 32, warp_columns = 16;
constexpr int threads = 32 * (rows / warp_rows) * (width / warp_columns);
constexpr int ld_left = rows + 4, ld_right = depth + 4;
constexpr int left_elements = depth * ld_left, slot_elements = left_elements + width * ld_right;
static_assert(order % blocks_of_cluster == 0 && rows % warp_rows == 0 &&
                  width % warp_columns == 0 && depth % (threads / (rows / 2)) == 0 &&
                  width % (threads / (depth / 2)) == 0,
              "thread blocks have whole warp blocks, and threads copy whole chunks");
constexpr int shared_bytes = slots * slot_elements * static_cast<int>(sizeof(double));

/* A factor in global memory: m × k elements */
struct left_factor {
    const double *p;
    int64_t ld;
    int m, k;
};

/* Copies columns k0 … k0 + depth − 1 of the factor to a slot. Elements outside it become zero.
 * is_aligned: every column begins at a multiple of 16 bytes. */
template <bool is_aligned>
__device__ inline void fetch_left(const left_factor &a, int k0, double *slot)
{
    constexpr int step = threads / (rows / 2);
    const int i = threadIdx.x % (rows / 2) * 2, first = threadIdx.x / (rows / 2);
    const double *from = a.p + i + (k0 + first) * a.ld;
    uint32_t to = shared_address(slot + i + first * ld_left);
    if (a.m >= rows && a.k - k0 >= depth) {
#pragma unroll
        for (int q = 0; q < depth; q += step, from += step * a.ld)
            copy_chunk<is_aligned>(to + q * ld_left * 8, from);
        return;
    }
#pragma unroll 1
    for (int q = k0 + first; q < k0 + depth; q += step, from += step * a.ld) {
        const int bytes = q < a.k ? 8 * min(max(a.m - i, 0), 2) : 0;
        copy_chunk<is_aligned>(to, bytes > 0 ? from : a.p, bytes);
        to += step * ld_left * 8;
    }
}

/* Copies rows k0 … k0 + depth − 1 of the cluster's columns of b, which has k rows, to a slot. */
template <bool is_aligned>
__device__ inline void fetch_right(const double *b, int64_t ld, int columns, int k, int k0,
                                   double *slot)
{
    constexpr int chunks = depth / 2, step = threads / chunks;
    const int q = threadIdx.x % chunks * 2, first = threadIdx.x / chunks;
    const double *from = b + k0 + q + first * ld;
    uint32_t to = shared_address(slot + left_elements + q + first * ld_right);
    if (columns >= width && k - k0 >= depth) {
#pragma unroll
        for (int j = 0; j < width; j += step, from += step * ld)
            copy_chunk<is_aligned>(to + j * ld_right * 8, from);
        return;
    }
#pragma unroll 1
    for (int j = first; j < width; j += step, from += step * ld) {
        const int bytes = j < columns ? 8 * min(max(k - k0 - q, 0), 2) : 0;
        copy_chunk<is_aligned>(to, bytes > 0 ? from : b, bytes);
        to += step * ld_right * 8;
    }
}

/* The elements of a thread in rows × width elements of B: those of its warp's block */
struct sums_of_thread : warp_block<double, warp_rows, warp_columns> {
    static __device__ int row0()
    {
        return threadIdx.x / 32 % (rows / warp_rows) * warp_rows;
    }

    static __device__ int column0()
    {
        return threadIdx.x / 32 / (rows / warp_rows) * warp_columns;
    }

    /* Calls f(row, column, element &) for the thread's elements. */
    template <typename F>
    __device__ void for_each_in_part(F f)
    {
        const int i0 = row0(), j0 = column0();
        this->for_each([&](int i, int j, double &e) { f(i0 + i, j0 + j, e); });
    }

    /* Adds the product of the factors in a slot. */
    __device__ void add_slot(const double *slot)
    {
        const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
        const double *a = slot + row0() + g + t * ld_left;
        const double *b = slot + left_elements + t + (column0() + g) * ld_right;
#pragma unroll
        for (int k = 0; k < depth; k += 8) {
            double x[warp_rows / 16][4], y[warp_columns / 8][2];
#pragma unroll
            for (int i = 0; i < warp_rows / 16; i++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    x[i][q] = a[16 * i + 8 * (q % 2) + (k + 4 * (q / 2)) * ld_left];
#pragma unroll
            for (int j = 0; j < warp_columns / 8; j++)
#pragma unroll
                for (int q = 0; q < 2; q++)
                    y[j][q] = b[k + 4 * q + 8 * j * ld_right];
#pragma unroll
            for (int i = 0; i < warp_rows / 16; i++)
#pragma unroll
                for (int j = 0; j < warp_columns / 8; j++)
                    multiply_16_8_8(value[i][j], x[i], y[j]);
        }
    }
};

/* Adds A B to the sums, where b has the cluster's columns. The first copies of A come before a
 * cluster barrier, after which b is complete. */
template <bool is_aligned>
__device__ inline void add_product_by_slots(sums_of_thread &sums, const left_factor &a,
                                            const double *b, int64_t ldb, int columns, double *smem)
{
    const int steps = (a.k + depth - 1) / depth;
    auto slot = [&](int step) { return smem + step % slots * slot_elements; };
    auto fetch = [&](int step) {
        if (step < steps)
            fetch_right<is_aligned>(b, ldb, columns, a.k, step * depth, slot(step));
        commit_copies();
    };
    __syncthreads(); /* The slots are free. */
    for (int step = 0; step < min(slots - 1, steps); step++)
        fetch_left<is_aligned>(a, step * depth, slot(step));
    cluster_barrier();
    for (int step = 0; step < slots - 1; step++)
        fetch(step);
    for (int step = 0; step < steps; step++) {
        const int next = step + slots - 1;
        wait_for_copies_except<slots - 2>();
        __syncthreads();
        if (next < steps)
            fetch_left<is_aligned>(a, next * depth, slot(next));
        fetch(next);
        sums.add_slot(slot(step));
    }
}

template <bool is_aligned>
__global__ void __launch_bounds__(threads)
    block_substitution_kernel(const __grid_constant__ block_substitution s)
{
    extern __shared__ double2 shared[];
    double *const smem = reinterpret_cast<double *>(shared);
    const int column = static_cast<int>(blockIdx.x) / blocks_of_cluster * width;
    const int columns = s.columns - column, rank = cluster_rank();
    double *const b = s.b + column * s.ldb;
    wait_for_previous_kernel();
    for (int first = 0; first < s.n; first += order) {
        const int row = first + rank * rows, m = s.n - row;
        /* Calls f(element, place in B) for the thread's elements in B. */
        auto for_each = [&](sums_of_thread &sums, auto f) {
            sums.for_each_in_part([&](int i, int j, double &e) {
                if (i < m && j < columns)
                    f(e, b + row + i + j * s.ldb);
            });
        };
        sums_of_thread sums = {};
        if (first > 0) {
            for_each(sums, [](double &e, double *place) { e = -__ldcg(place); });
            add_product_by_slots<is_aligned>(sums, {s.l + row, s.ldl, m, first}, b, s.ldb, columns,
                                             smem);
            for_each(sums, [](double e, double *place) { __stcg(place, -e); });
        }
        sums = {};
        add_product_by_slots<is_aligned>(
            sums, {s.w + row + first * s.ldw, s.ldw, m, min((rank + 1) * rows, s.n - first)},
            b + first, s.ldb, columns, smem);
        cluster_barrier_of_reads();
        for_each(sums, [](double e, double *place) { __stcg(place, e); });
    }
}

/* Returns whether every column begins at a multiple of 16 bytes. */
static bool has_whole_chunks(const double *p, int64_t ld)
{
    return reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld % 2 == 0;
}

bool can_substitute_blocks(const startile_exec *x, const block_substitution &s)
{
    return x->cluster_blocks >= blocks_of_cluster && s.n > order && s.columns > 0;
}

int substitute_blocks(startile_exec *x, const block_substitution &s)
{
    const bool is_aligned = has_whole_chunks(s.l, s.ldl) && has_whole_chunks(s.w, s.ldw) &&
                            has_whole_chunks(s.b, s.ldb);
    return launch_clusters(
        x, is_aligned ? block_substitution_kernel<true> : block_substitution_kernel<false>,
        blocks_of_cluster * ceil_div(s.columns, width), blocks_of_cluster, threads, shared_bytes,
        shared_bytes, s);
}

} // namespace startile_cuda
