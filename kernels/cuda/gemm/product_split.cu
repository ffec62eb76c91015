/*
 * Groups of products in single precision, with single precision's accuracy, on tensor cores. Each
 * element is split into three numbers of 8 bits, and the six largest of the nine products of two
 * elements' parts are summed. A plane is the matrix of one of these parts of all elements. A check
 * on the device (split_guard) leaves factors that cannot be split to FFMA:
 *
 *     split_kernel           planes of A and B to global memory; range of |A| and |B| to the guard
 *     product_split_kernel   C, if the guard allows the split           (split_block.cuh)
 *     single_kernel          C, if the guard does not allow it          (single_block.cuh)
 *
 * Compiled for sm_90a only.
 */
#include "gemm/split_block.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Computes the tiles of a group from the planes of its factors. Does nothing if the guard forbids
 * the split. */
__global__ void __launch_bounds__(split_block_threads, 1)
    product_split_kernel(const __grid_constant__ split_arguments g)
{
    extern __shared__ __align__(128) unsigned char split_shared[];
    split_memory &shared = *reinterpret_cast<split_memory *>(split_shared);
    if (!allows_split(*g.guard, g.k))
        return;
    if (threadIdx.x == 0)
        for (int s = 0; s < split_stages; s++) {
            mbarrier::init(shared_address(&shared.full[s]), 1);
            mbarrier::init(shared_address(&shared.empty[s]), split_warpgroups * 4);
        }
    mbarrier::fence_init();
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup == split_warpgroups) {
        release_registers<split_fetch_registers>();
        if (threadIdx.x % 128 < 32)
            fetch_tiles(g, shared);
    } else {
        acquire_registers<split_registers>();
        multiply_tiles(g, shared, warpgroup);
    }
}

/* -- launching -------------------------------------------------------------------------------- */

/* Arguments of the launches for one range of k, on the host */
struct split_plan {
    split_factors factors;
    split_arguments arguments;
    int unit_rows; /* number of rows of units of all factors */
};

/* Adds a factor to the plan and returns the index of its first row of units. side: 0 for op(A), 1
 * for op(B). A factor that occurs twice is added once: all products of a tile column share a
 * factor, and a diagonal tile is multiplied by itself. */
static int add_factor(split_plan &plan, split_factor f, int side)
{
    split_factors &to = plan.factors;
    for (int i = to.count - 1; i >= 0; i--)
        if (to.factor[i].p == f.p && to.factor[i].ld == f.ld && to.factor[i].length == f.length &&
            to.factor[i].along == f.along) {
            to.factor[i].used_as[side] = true;
            return to.factor[i].first_unit_row;
        }
    f.first_unit_row = plan.unit_rows;
    f.used_as[side] = true;
    f.is_aligned = reinterpret_cast<uintptr_t>(f.p) % 16 == 0 && f.ld % 4 == 0;
    plan.unit_rows += unit_rows(f.length);
    to.factor[to.count++] = f;
    return f.first_unit_row;
}

/* Plans the launch for the pieces from number `first` on and for k from k0 on. */
static void make_plan(split_plan &plan, const product_group<float> &g, int first, int k0)
{
    plan.unit_rows = plan.factors.count = 0;
    split_arguments &to = plan.arguments;
    to.pieces = std::min(g.pieces - first, split_max_pieces);
    to.tiles = 0;
    to.alpha = g.alpha;
    to.uplo = first == 0 ? g.uplo : 'G';
    to.triangle = g.triangle;
    to.triangle_is_left = g.triangle_is_left;
    to.c_is_aligned = true;
    for (int q = 0; q < to.pieces; q++) {
        const product_piece<float> &p = g.piece[first + q];
        const bool along_a = g.transa == 'N', along_b = g.transb != 'N';
        split_factor a = {p.a + (along_a ? int64_t(k0) * p.lda : k0), p.lda, p.m};
        split_factor b = {p.b + (along_b ? int64_t(k0) * p.ldb : k0), p.ldb, p.n};
        a.along = along_a;
        b.along = along_b;
        to.piece[q] = {p.c, p.ldc, p.m, p.n, {add_factor(plan, a, 0), add_factor(plan, b, 1)}};
        to.first_tile[q] = to.tiles;
        to.tiles += split_order::tiles_of_piece(q == 0 ? to.uplo : 'G', p.m, p.n);
        to.c_is_aligned = to.c_is_aligned && p.ldc % 2 == 0 &&
                          reinterpret_cast<uintptr_t>(p.c) % sizeof(float2) == 0;
    }
}

/* Bytes of the guard in x->operands, in front of the planes */
constexpr size_t guard_bytes = 128;

/* Returns the number of terms of each sum, a range of k, that one launch adds. Cuts k into as few
 * equal parts as keep the planes within 1 GiB. If fewer than min_k terms fit, cuts k into parts of
 * at most min_k terms instead, because each launch reads and writes all of C. */
static int k_of_part(int k, int unit_rows)
{
    constexpr size_t max_bytes = size_t(1) << 30;
    constexpr int min_k = 512; /* an estimate */
    const int fit = static_cast<int>(max_bytes / (size_t(unit_rows) * unit_bytes)) * unit_k;
    const int parts = ceil_div(k, std::max(fit, min_k));
    return ceil_div(ceil_div(k, parts), unit_k) * unit_k;
}

/* Launches split_kernel for all factors of the plan, then product_split_kernel. */
static int launch_split(startile_exec *x, split_plan &plan)
{
    split_factors &f = plan.factors;
    int longest = 0;
    for (int i = 0; i < f.count; i++)
        longest = std::max(longest, f.factor[i].length);
    const dim3 grid(unit_rows(longest), ceil_div(f.units_of_row, units_of_block), f.count);
    if (int error = check(cudaMemsetAsync(f.guard, 0, sizeof *f.guard, x->stream)))
        return error;
    if (int error = launch(x, split_kernel, grid, split_threads, f))
        return error;
    return launch_with_smem(x, product_split_kernel,
                            std::min(x->multiprocessors, plan.arguments.tiles), split_block_threads,
                            sizeof(split_memory), plan.arguments);
}

/* Adds the sums over k0 … k0 + k − 1 to C, for the pieces from number `first` on. The part with k0
 * = 0 applies g.beta to C first. */
static int multiply_part(startile_exec *x, const product_group<float> &g, split_plan &plan,
                         int first, int k0, int k)
{
    product_group<float> pieces = g;
    make_plan(plan, g, first, k0);
    split_factors &f = plan.factors;
    split_arguments &to = plan.arguments;
    f.k = to.k = k;
    to.k0 = k0;
    f.units_of_row = to.units_of_row = ceil_div(k, unit_k);
    to.beta = k0 == 0 ? g.beta : 1;
    if (to.tiles == 0)
        return 0;
    pieces.piece = g.piece + first;
    pieces.pieces = to.pieces;
    pieces.uplo = to.uplo;
    const int error =
        reserve_operands(x, guard_bytes + size_t(plan.unit_rows) * to.units_of_row * unit_bytes);
    if (error == STARTILE_ERROR_MEMORY)
        return multiply_fma<float>(x, pieces, k0, k, to.beta, nullptr);
    if (error != 0)
        return error;
    f.guard = static_cast<split_guard *>(x->operands);
    f.planes = static_cast<unsigned char *>(x->operands) + guard_bytes;
    to.guard = f.guard;
    to.planes = f.planes;
    if (int error = launch_split(x, plan))
        return error;
    x->splits++;
    return multiply_fma(x, pieces, k0, k, to.beta, f.guard);
}

int multiply_split(startile_exec *x, const product_group<float> &g)
{
    split_plan plan;
    for (int first = 0; first < g.pieces; first += split_max_pieces) {
        make_plan(plan, g, first, 0);
        if (plan.arguments.tiles == 0)
            continue;
        const int part_k = k_of_part(g.k, plan.unit_rows);
        for (int k0 = 0; k0 < g.k; k0 += part_k)
            if (int error = multiply_part(x, g, plan, first, k0, std::min(part_k, g.k - k0)))
                return error;
    }
    return 0;
}

/* Returns whether the split product is faster than FFMA, from estimates for an H200 in
 * microseconds. The split product has four launches, writes its planes, and computes one tile per
 * multiprocessor in each wave. */
static bool split_is_faster(startile_exec *x, const product_group<float> &g)
{
    /* ffma_flops, split_bytes: rates in flops and bytes per µs; launches: µs for all launches;
     * time_per_k: µs for one k of a tile */
    constexpr double ffma_flops = 48e6, launches = 15, split_bytes = 3e6, time_per_k = 0.054;
    constexpr int bytes_of_split = 10; /* for each element: 4 read, 6 written */
    double flops = 0, bytes = 0;
    int tiles = 0;
    for (int q = 0; q < g.pieces; q++) {
        const product_piece<float> &p = g.piece[q];
        const char uplo = q == 0 ? g.uplo : 'G';
        const bool has_own_b = q == 0 || p.b != g.piece[q - 1].b;
        flops += (uplo == 'G' ? 2.0 : 1.0) * p.m * p.n * g.k;
        bytes += double(bytes_of_split) * g.k * (p.m + (has_own_b ? p.n : 0));
        tiles += split_order::tiles_of_piece(uplo, p.m, p.n);
    }
    const double waves = ceil_div(tiles, x->multiprocessors);
    return launches + bytes / split_bytes + waves * time_per_k * g.k < flops / ffma_flops;
}

/* Returns whether the split is possible and faster. For k below min_k neither time nor accuracy was
 * measured. Code for sm_90a runs on compute capability 9.0 only. */
bool can_multiply_split(startile_exec *x, const product_group<float> &g)
{
    constexpr int min_k = 256;
    return x->tensor_single && g.k >= min_k && x->capability == 90 && split_is_faster(x, g);
}

} // namespace startile_cuda
