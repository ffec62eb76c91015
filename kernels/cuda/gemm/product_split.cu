/*
 * Groups of products in single and complex single precision on tensor cores. Each element is split
 * into one to three numbers of 16 bits (split_format.cuh), and the largest products of two
 * elements' parts are summed. A plane is the matrix of one of these parts of all elements. If a
 * check on the device (split_condition) fails, single_kernel multiplies the factors unsplit, with
 * FFMA:
 *
 *     split_kernel           planes of A and B to global memory; range of |A| and |B| to
 * split_guard product_split_kernel   C, if the condition holds           (split_block.cuh)
 *     single_kernel          C, if the condition does not hold   (single_block.cuh)
 *
 * Compiled for sm_90a only.
 */
#include "gemm/split_multiply.cuh"
#include "gemm/split_plan.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Computes the tiles of a group from the planes of its factors. Does nothing if the condition does
 * not hold. */
template <typename Format, int parts>
__global__ void __launch_bounds__(split_block_threads, 1)
    product_split_kernel(const __grid_constant__ split_arguments g)
{
    extern __shared__ __align__(128) unsigned char split_shared[];
    split_memory<Format> &shared = *reinterpret_cast<split_memory<Format> *>(split_shared);
    if (!g.condition.holds(g.k))
        return;
    if (threadIdx.x == 0)
        for (int s = 0; s < split_memory<Format>::stages; s++) {
            mbarrier::init(shared_address(&shared.full[s]), 1);
            mbarrier::init(shared_address(&shared.empty[s]), split_warpgroups * 4);
        }
    mbarrier::fence_init();
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup == split_warpgroups) {
        release_registers<split_fetch_registers>();
        if (threadIdx.x % 128 < 32)
            fetch_tiles<Format, parts>(g, shared);
    } else {
        acquire_registers<split_registers>();
        multiply_tiles<Format, parts>(g, shared, warpgroup);
    }
}

/* -- launching -------------------------------------------------------------------------------- */

/* Bytes of the guard in x->operands, in front of the planes */
constexpr size_t guard_bytes = 128;

/* Returns the number of terms of each sum, a range of k, that one launch adds. Cuts k into as few
 * equal parts as keep the planes within 1 GiB. If fewer than min_k terms fit, cuts k into parts of
 * at most min_k terms instead, because each launch reads and writes all of C. */
template <typename Format>
static int terms_per_launch(int k, int unit_rows)
{
    constexpr size_t max_bytes = size_t(1) << 30;
    constexpr int min_k = 512; /* an estimate */
    const int fit = static_cast<int>(max_bytes / (size_t(unit_rows) * unit_bytes<Format>)) * unit_k;
    const int parts = ceil_div(k, std::max(fit, min_k));
    return ceil_div(ceil_div(k, parts), unit_k) * unit_k;
}

/* Launches split_kernel for all factors of the plan, then product_split_kernel. */
template <typename Format, int parts>
static int launch_split(startile_exec *x, split_plan &plan)
{
    split_factors &f = plan.factors;
    int longest = 0;
    for (int i = 0; i < f.count; i++)
        longest = std::max(longest, f.factor[i].length);
    const dim3 grid(unit_rows(longest), ceil_div(f.units_of_row, units_of_block), f.count);
    if (int error = check(cudaMemsetAsync(f.guard, 0, sizeof *f.guard, x->stream)))
        return error;
    if (int error = launch(x, split_kernel<Format, parts == 2>, grid, split_threads, f))
        return error;
    return launch_with_smem(x, product_split_kernel<Format, parts>,
                            std::min(x->multiprocessors, plan.arguments.tiles), split_block_threads,
                            sizeof(split_memory<Format>), plan.arguments);
}

/* Adds the sums over k0 … k0 + k − 1 to C, for the pieces from number `first` on. The part with k0
 * = 0 applies g.beta to C first. */
template <typename Format, typename T>
static int multiply_part(startile_exec *x, const product_group<T> &g, split_plan &plan, int first,
                         int k0, int k)
{
    constexpr int parts = parts_of<T>;
    product_group<T> pieces = g;
    const T beta = k0 == 0 ? g.beta : to_element<T>(1, 0);
    make_plan<Format>(plan, g, first, k0);
    split_factors &f = plan.factors;
    split_arguments &to = plan.arguments;
    f.k = to.k = parts * k;
    to.k0 = parts * k0;
    f.units_of_row = to.units_of_row = ceil_div(to.k, unit_k);
    to.beta = real_part(beta);
    if (to.tiles == 0)
        return 0;
    pieces.piece = g.piece + first;
    pieces.pieces = to.pieces;
    const int error = reserve_operands(x, guard_bytes + size_t(plan.unit_rows) * to.units_of_row *
                                                            unit_bytes<Format>);
    if (error == STARTILE_ERROR_MEMORY)
        return multiply_fma(x, pieces, k0, k, beta, {});
    if (error != 0)
        return error;
    f.guard = static_cast<split_guard *>(x->operands);
    f.planes = static_cast<unsigned char *>(x->operands) + guard_bytes;
    to.condition = {f.guard, Format::limits};
    to.planes = f.planes;
    if (int error = launch_split<Format, parts>(x, plan))
        return error;
    x->splits++;
    return multiply_fma(x, pieces, k0, k, beta, to.condition);
}

template <typename Format, typename T>
static int multiply_split(startile_exec *x, const product_group<T> &g)
{
    constexpr int parts = parts_of<T>;
    split_plan plan;
    for (int first = 0; first < g.pieces; first += split_max_pieces) {
        make_plan<Format>(plan, g, first, 0);
        if (plan.arguments.tiles == 0)
            continue;
        const int part_k = terms_per_launch<Format>(parts * g.k, plan.unit_rows) / parts;
        for (int k0 = 0; k0 < g.k; k0 += part_k)
            if (int error =
                    multiply_part<Format>(x, g, plan, first, k0, std::min(part_k, g.k - k0)))
                return error;
    }
    return 0;
}

template <typename T>
int multiply_split(startile_exec *x, const product_group<T> &g, startile_products products)
{
    return with_split_format(products,
                             [&](auto format) { return multiply_split<decltype(format)>(x, g); });
}

/* Returns whether the split product is faster than FFMA, from estimates for an H200 in
 * microseconds. The split product has four launches, writes its planes, and computes one tile per
 * multiprocessor in each wave. */
template <typename Format, typename T>
static bool split_is_faster(const startile_exec *x, const product_group<T> &g)
{
    /* ffma_flops, split_bytes: rates in flops and bytes per µs; launches: µs for all launches */
    constexpr double ffma_flops = 48e6, launches = 15, split_bytes = 3e6;
    constexpr int bytes_of_split = 4 + 2 * Format::planes; /* for each number: read, written */
    constexpr int parts = parts_of<T>;
    const double k = parts * g.k;
    double flops = 0, bytes = 0;
    int tiles = 0;
    for (int q = 0; q < g.pieces; q++) {
        const product_piece<T> &p = g.piece[q];
        const bool has_own_b = q == 0 || p.b != g.piece[q - 1].b;
        const int m = parts * p.m;
        flops += (p.uplo == 'G' ? 2.0 : 1.0) * m * p.n * k;
        bytes += bytes_of_split * k * (m + (has_own_b ? p.n : 0));
        tiles += split_order<Format, parts>::tiles_of_piece(p.uplo, m, p.n);
    }
    const double waves = ceil_div(tiles, x->multiprocessors);
    return launches + bytes / split_bytes + waves * Format::time_per_k * k < flops / ffma_flops;
}

/* Returns whether the split is possible and faster. For k below min_k neither time nor accuracy was
 * measured. Code for sm_90a runs on compute capability 9.0 only. */
template <typename T>
bool can_multiply_split(const startile_exec *x, const product_group<T> &g,
                        startile_products products)
{
    constexpr int min_k = 256;
    if (products == STARTILE_PRODUCTS_PLAIN || products == STARTILE_PRODUCTS_TF32 ||
        parts_of<T> * g.k < min_k || x->capability != 90 || !is_real(g.alpha, real_part(g.alpha)) ||
        !is_real(g.beta, real_part(g.beta)))
        return false;
    return with_split_format(products,
                             [&](auto format) { return split_is_faster<decltype(format)>(x, g); });
}

template decltype(can_multiply_split<float>) can_multiply_split<float>;
template decltype(can_multiply_split<cuComplex>) can_multiply_split<cuComplex>;

template decltype(multiply_split<float>) multiply_split<float>;
template decltype(multiply_split<cuComplex>) multiply_split<cuComplex>;

} // namespace startile_cuda
