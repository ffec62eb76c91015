/*
 * Groups of products in double precision on INT8 tensor cores (product_emulated.cuh). A check on
 * the device leaves factors that do not suit to FP64 tensor cores:
 *
 *     emulated_norm_kernel      exponents of rows of op(A) and columns of op(B); the guard
 *     emulated_residue_kernel   planes of residues to global memory      (emulated_planes.cuh)
 *     product_emulated_kernel   C, if the factors are suitable           (emulated_block.cuh)
 *     product_kernel            C, if they are not                       (product_engine.cuh)
 *
 * Compiled for sm_90a only.
 */
#include "gemm/emulated_write.cuh"
#include "gemm/product_emulated.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Computes the tiles of a group from the planes of its factors. Does nothing if they are not
 * suitable. */
__global__ void __launch_bounds__(emulated_block_threads, 1)
    __cluster_dims__(emulated_cluster, 1, 1)
        product_emulated_kernel(const __grid_constant__ emulated_arguments g)
{
    extern __shared__ __align__(1024) unsigned char emulated_shared[];
    emulated_memory &shared = *reinterpret_cast<emulated_memory *>(emulated_shared);
    if (*g.unsuitable)
        return;
    if (threadIdx.x == 0) {
        for (int s = 0; s < emulated_stages; s++) {
            mbarrier::init(shared_address(&shared.full[s]), 1);
            mbarrier::init(shared_address(&shared.empty[s]),
                           emulated_cluster * emulated_warpgroups * 4);
        }
        for (int b = 0; b < 2; b++) {
            mbarrier::init(shared_address(&shared.ready[b]), emulated_warpgroups * 128);
            mbarrier::init(shared_address(&shared.free[b]), write_warps * 32);
        }
    }
    mbarrier::fence_init();
    cluster_barrier();
    const int warpgroup = threadIdx.x / 128, warp = threadIdx.x % 128 / 32;
    if (warpgroup < emulated_warpgroups)
        multiply_emulated_tiles(g, shared, warpgroup);
    else if (warp > 0)
        write_emulated_tiles(g, shared, warp - 1);
    else if (threadIdx.x % 32 == 0)
        fetch_residues(g, shared);
    __syncwarp();
    cluster_barrier(); /* the other block may still arrive here */
}

/* -- launching -------------------------------------------------------------------------------- */

/* Returns whether x is this real number. */
/* Arguments of the launches for one range of k, on the host */
struct emulated_plan {
    emulated_factors factors;
    emulated_arguments arguments;
};

/* Adds a factor to the plan and returns the index of its first row of units. A factor that occurs
 * twice is added once. */
static int add_factor(emulated_factors &to, emulated_factor f)
{
    for (int i = to.count - 1; i >= 0; i--) {
        const emulated_factor &old = to.factor[i];
        if (old.p == f.p && old.row_stride == f.row_stride && old.k_stride == f.k_stride &&
            old.length == f.length && old.kind == f.kind && old.imaginary_sign == f.imaginary_sign)
            return old.first_unit_row;
    }
    f.first_unit_row = to.unit_rows;
    to.unit_rows += residue_unit_rows(f.length);
    to.factor[to.count++] = f;
    return f.first_unit_row;
}

/* Plans the launch for the pieces from number `first` on and for k0 … k0 + k − 1. */
template <typename T>
static void make_plan(emulated_plan &plan, const product_group<T> &g, int first, int k0, int k)
{
    constexpr int parts = parts_of<T>;
    constexpr factor_kind left = parts == 2 ? complex_left : real_factor,
                          right = parts == 2 ? complex_right : real_factor;
    /* equal for both factors of a real group, which may be the same tile */
    const int sign_a = parts == 2 && g.transa == 'C' ? -1 : 1,
              sign_b = parts == 2 && g.transb == 'C' ? -1 : 1;
    emulated_factors &f = plan.factors;
    emulated_arguments &to = plan.arguments;
    f.count = f.unit_rows = 0;
    f.k = parts * k;
    f.units_of_row = to.units_of_row = ceil_div(f.k, residue_k);
    to.pieces = std::min(g.pieces - first, emulated_max_pieces);
    to.tiles = 0;
    to.alpha = real_part(g.alpha);
    for (int q = 0; q < to.pieces; q++) {
        const product_piece<T> &p = g.piece[first + q];
        const int64_t a_row = parts * (g.transa == 'N' ? 1 : int64_t(p.lda)),
                      a_k = parts * (g.transa == 'N' ? int64_t(p.lda) : 1);
        const int64_t b_row = parts * (g.transb == 'N' ? int64_t(p.ldb) : 1),
                      b_k = parts * (g.transb == 'N' ? 1 : int64_t(p.ldb));
        const double *from_a = reinterpret_cast<const double *>(p.a) + k0 * a_k,
                     *from_b = reinterpret_cast<const double *>(p.b) + k0 * b_k;
        const int m = parts * p.m, ldc = parts * p.ldc;
        const int a = add_factor(f, {from_a, a_row, a_k, m, left, sign_a, 0});
        const int b = add_factor(f, {from_b, b_row, b_k, p.n, right, sign_b, 0});
        const bool is_aligned = reinterpret_cast<uintptr_t>(p.c) % 16 == 0 && ldc % 2 == 0;
        to.piece[q] = {reinterpret_cast<double *>(p.c), ldc, m, p.n, {a, b}, is_aligned, p.uplo};
        to.first_tile[q] = to.tiles;
        to.tiles += emulated_order::tiles_of_piece(p.uplo, m, p.n);
    }
    to.unit_rows = f.unit_rows;
}

/* Launches the kernels of the plan. Sets *unsuitable to the flag of the guard. */
template <bool is_complex>
static int launch_emulated(startile_exec *x, emulated_plan &plan, int **unsuitable)
{
    struct head { /* in front of the exponents, zero at the start */
        int unsuitable;
        unsigned int started;
    };
    constexpr size_t alignment = 128;
    const auto aligned = [](size_t bytes) {
        return (bytes + alignment - 1) / alignment * alignment;
    };
    emulated_factors &f = plan.factors;
    emulated_arguments &to = plan.arguments;
    const int clusters = std::min(x->multiprocessors / emulated_cluster, to.tiles);
    const size_t exponents = aligned(sizeof(head));
    const size_t planes = exponents + aligned(size_t(f.unit_rows) * residue_rows * sizeof(int));
    const size_t scratch =
        planes + size_t(moduli) * f.unit_rows * f.units_of_row * residue_unit_bytes;
    const size_t bytes = scratch + size_t(clusters) * emulated_cluster * fractions_bytes_of_block;
    if (int error = reserve_operands(x, bytes))
        return error;
    unsigned char *base = static_cast<unsigned char *>(x->operands);
    head *status = reinterpret_cast<head *>(base);
    *unsuitable = f.unsuitable = &status->unsuitable;
    f.exponents = reinterpret_cast<int *>(base + exponents);
    f.planes = reinterpret_cast<signed char *>(base + planes);
    to.planes = f.planes, to.exponents = f.exponents, to.unsuitable = f.unsuitable;
    to.started = &status->started;
    to.scratch = base + scratch;
    int longest = 0;
    for (int i = 0; i < f.count; i++)
        longest = std::max(longest, residue_unit_rows(f.factor[i].length));
    const unsigned int groups = longest * (residue_rows / norm_rows), count = f.count;
    if (int error = check(cudaMemsetAsync(status, 0, sizeof *status, x->stream)))
        return error;
    if (int error =
            launch(x, emulated_norm_kernel<is_complex>, dim3(groups, count), norm_threads, f))
        return error;
    const dim3 units(f.units_of_row, longest, count);
    if (int error = launch(x, emulated_residue_kernel<is_complex>, units, residue_threads, f))
        return error;
    return launch_with_smem(x, product_emulated_kernel, clusters * emulated_cluster,
                            emulated_block_threads, sizeof(emulated_memory), to);
}

/* Adds the sums over k0 … k0 + k − 1 to C, for the pieces from number `first` on. */
template <typename T>
static int multiply_part(startile_exec *x, const product_group<T> &g, emulated_plan &plan,
                         int first, int k0, int k)
{
    make_plan(plan, g, first, k0, k);
    product_piece<T> piece[emulated_max_pieces];
    product_group<T> native = g;
    native.piece = piece;
    native.pieces = plan.arguments.pieces;
    native.k = k;
    for (int q = 0; q < native.pieces; q++) {
        piece[q] = g.piece[first + q];
        piece[q].a += g.transa == 'N' ? int64_t(k0) * piece[q].lda : k0;
        piece[q].b += g.transb == 'N' ? k0 : int64_t(k0) * piece[q].ldb;
    }
    if (plan.arguments.tiles == 0)
        return 0;
    int *unsuitable = nullptr;
    const int error = launch_emulated<element<T>::is_complex>(x, plan, &unsuitable);
    if (error != 0 && error != STARTILE_ERROR_MEMORY)
        return error;
    x->splits += error == 0 ? 1 : 0;
    native.only_if = error == 0 ? unsuitable : nullptr;
    return multiply_plain(x, native);
}

/* Returns the number of terms of each sum, a range of k, that one launch adds. Cuts k into the
 * fewest equal parts that have at most emulated_max_k terms and planes within 1 GiB. If fewer than
 * min_k terms fit, parts have up to min_k terms. */
static int terms_per_launch(int k, int unit_rows)
{
    constexpr size_t max_bytes = size_t(1) << 30;
    constexpr int min_k = 1024;
    const size_t bytes = size_t(moduli) * unit_rows * residue_unit_bytes;
    const int fit = static_cast<int>(std::min<size_t>(max_bytes / bytes, 1 << 20)) * residue_k;
    const int most = std::min(std::max(fit, min_k), emulated_max_k);
    return ceil_div(ceil_div(k, ceil_div(k, most)), residue_k) * residue_k;
}

/* Computes a group of which all elements of C are written. */
template <typename T>
static int multiply_whole(startile_exec *x, const product_group<T> &g)
{
    constexpr int parts = parts_of<T>;
    emulated_plan plan;
    for (int first = 0; first < g.pieces; first += emulated_max_pieces) {
        make_plan(plan, g, first, 0, g.k);
        const int part_k =
            terms_per_launch(parts * g.k, std::max(1, plan.factors.unit_rows)) / parts;
        for (int k0 = 0; k0 < g.k; k0 += part_k)
            if (int error = multiply_part(x, g, plan, first, k0, std::min(part_k, g.k - k0)))
                return error;
    }
    return 0;
}

template <typename T>
int multiply_emulated(startile_exec *x, const product_group<T> &g)
{
    /* the triangle of a complex C is not one of its real numbers */
    product_group<T> triangles = g, others = g;
    triangles.pieces = element<T>::is_complex ? count_triangles(g) : 0;
    others.piece += triangles.pieces;
    others.pieces -= triangles.pieces;
    if (triangles.pieces > 0)
        if (int error = multiply_plain(x, triangles))
            return error;
    return multiply_whole(x, others);
}

/* Returns whether the emulated product is faster than FP64 tensor cores. Its time is estimated as
 * that of the planes plus that of the waves of C's tiles, one tile per cluster in a wave, from
 * measurements on an H100 (perf_models/NOTES.md, "Emulated products in double precision"). */
template <typename T>
static bool emulation_is_faster(const startile_exec *x, const product_group<T> &g)
{
    /* native_flops: per µs; launches: µs for all launches; wave, wave_of_k: µs for a wave, and for
     * each k of it; plane: µs for one element of a factor */
    constexpr double native_flops = 55e6, launches = 25, wave = 50, wave_of_k = 0.088;
    constexpr double plane = 13e-6;
    constexpr int parts = parts_of<T>;
    const double k = parts * g.k;
    double flops = 0, elements = 0;
    int tiles = 0;
    for (int q = element<T>::is_complex ? count_triangles(g) : 0; q < g.pieces; q++) {
        const product_piece<T> &p = g.piece[q];
        const bool has_own_b = q == 0 ? parts == 2 || p.b != p.a : p.b != g.piece[q - 1].b;
        flops += (p.uplo == 'G' ? 2.0 : 1.0) * parts * p.m * p.n * k;
        elements += k * (parts * p.m + (has_own_b ? p.n : 0));
        tiles += emulated_order::tiles_of_piece(p.uplo, parts * p.m, p.n);
    }
    const double waves = ceil_div(tiles, x->multiprocessors / emulated_cluster);
    return launches + elements * plane + waves * (wave + wave_of_k * k) < flops / native_flops;
}

template <typename T>
bool can_multiply_emulated(const startile_exec *x, const product_group<T> &g)
{
    constexpr int min_k = 512; /* shorter products are never faster */
    constexpr double most_alpha = 0x1p20;
    const double size = std::abs(real_part(g.alpha));
    return x->emulates_double && x->capability == 90 && x->cluster_blocks >= emulated_cluster &&
           parts_of<T> * g.k >= min_k && is_real(g.alpha, real_part(g.alpha)) &&
           is_real(g.beta, 1) && g.triangle == 'G' && size <= most_alpha &&
           size >= 1 / most_alpha && (x->keeps_own || emulation_is_faster(x, g));
}

template decltype(can_multiply_emulated<double>) can_multiply_emulated<double>;
template decltype(can_multiply_emulated<cuDoubleComplex>) can_multiply_emulated<cuDoubleComplex>;

template decltype(multiply_emulated<double>) multiply_emulated<double>;
template decltype(multiply_emulated<cuDoubleComplex>) multiply_emulated<cuDoubleComplex>;

} // namespace startile_cuda
