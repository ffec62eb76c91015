/* Groups of products in single precision by FFMA. No element is rounded before it is multiplied. */
#include "common/cublas.cuh"
#include "common/operations.cuh"
#include "gemm/single_block.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Computes the tiles of a group; each thread block computes every gridDim.x-th tile. Does nothing
 * if the condition holds, because product_split_kernel has computed C then. */
template <typename T, bool ConjugateA, bool ConjugateB>
__global__ void __launch_bounds__(single_threads, 2)
    single_kernel(const __grid_constant__ single_arguments<T> g)
{
    using block_of_tile = single_block<T, ConjugateA, ConjugateB>;
    using order = single_order<T>;
    extern __shared__ single_vector<float> single_memory[];
    if (g.condition.holds(g.k))
        return;
    block_of_tile block(*reinterpret_cast<typename block_of_tile::memory *>(single_memory));
    for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x) {
        tile_place place;
        place.piece = piece_of_tile(g.first_tile, g.pieces, tile);
        const product_piece<T> &p = g.piece[place.piece];
        order::find(p.uplo, p.m, p.n, tile - g.first_tile[place.piece], place);
        if (order::is_outside(p.uplo, place.row, place.column))
            continue;
        const int row = place.row * single_rows<T>::length;
        const int column = place.column * single_columns<T>::length;
        if (!g.overwrites)
            block.prefetch(p, row, column);
        block.sum(g, p, row, column);
        block.write(g, p, row, column);
    }
}

/* -- launching -------------------------------------------------------------------------------- */

template <typename T>
static bool is_aligned(const void *p, int ld)
{
    constexpr int bytes = 16;
    return reinterpret_cast<uintptr_t>(p) % bytes == 0 && ld * sizeof(T) % bytes == 0;
}

template <typename T, bool ConjugateA, bool ConjugateB>
static int launch_single(startile_exec *x, const single_arguments<T> &g)
{
    constexpr size_t shared = sizeof(typename single_block<T, ConjugateA, ConjugateB>::memory);
    constexpr int blocks_of_fallback = 512; /* enough to occupy every multiprocessor */
    const int grid = g.condition.guard ? std::min(g.tiles, blocks_of_fallback) : g.tiles;
    return launch_with_smem(x, single_kernel<T, ConjugateA, ConjugateB>, grid, single_threads,
                            shared, g);
}

template <typename T>
static int launch_single(startile_exec *x, char transa, char transb, const single_arguments<T> &g)
{
    if constexpr (element<T>::is_complex) {
        if (transa == 'C' && transb == 'C')
            return launch_single<T, true, true>(x, g);
        if (transa == 'C')
            return launch_single<T, true, false>(x, g);
        if (transb == 'C')
            return launch_single<T, false, true>(x, g);
    }
    return launch_single<T, false, false>(x, g);
}

/* Returns the arguments of one launch: at most single_max_pieces pieces from number `first` on, and
 * the sums over k0 … k0 + k − 1. */
template <typename T>
static single_arguments<T> collect_arguments(const product_group<T> &g, int first, int k0, int k,
                                             T beta, const split_condition &condition)
{
    single_arguments<T> to = {};
    to.k0 = k0;
    to.k = k;
    to.pieces = std::min(g.pieces - first, single_max_pieces);
    to.alpha = g.alpha;
    to.beta = beta;
    to.overwrites = is_zero(beta);
    to.hermitian = g.hermitian;
    to.triangle = g.triangle;
    to.triangle_is_left = g.triangle_is_left;
    to.condition = condition;
    to.along_a = g.transa == 'N';
    to.along_b = g.transb != 'N';
    to.a_is_aligned = to.b_is_aligned = to.c_is_aligned = true;
    for (int q = 0; q < to.pieces; q++) {
        product_piece<T> p = g.piece[first + q];
        p.a += g.transa == 'N' ? int64_t(k0) * p.lda : k0;
        p.b += g.transb == 'N' ? k0 : int64_t(k0) * p.ldb;
        to.piece[q] = p;
        to.first_tile[q] = to.tiles;
        to.tiles += single_order<T>::tiles_of_piece(p.uplo, p.m, p.n);
        to.a_is_aligned = to.a_is_aligned && is_aligned<T>(p.a, p.lda);
        to.b_is_aligned = to.b_is_aligned && is_aligned<T>(p.b, p.ldb);
        to.c_is_aligned = to.c_is_aligned && is_aligned<T>(p.c, p.ldc);
    }
    return to;
}

template <typename T>
int multiply_fma(startile_exec *x, const product_group<T> &g, int k0, int k, T beta,
                 const split_condition &condition)
{
    for (int first = 0; first < g.pieces; first += single_max_pieces) {
        const single_arguments<T> to = collect_arguments(g, first, k0, k, beta, condition);
        if (to.tiles == 0)
            continue;
        if (int error = launch_single(x, g.transa, g.transb, to))
            return error;
    }
    return 0;
}

/* Returns whether to call cuBLAS: for one product with fewer tiles than multiprocessors, unless
 * keeps_own. cuBLAS is faster there, because it has smaller tiles and splits k. It computes a
 * triangle of C only if A = B. */
template <typename T>
static bool vendor_is_faster(const startile_exec *x, const product_group<T> &g)
{
    const product_piece<T> &p = g.piece[0];
    return !x->keeps_own && g.pieces == 1 && (p.uplo == 'G' || p.a == p.b) &&
           single_order<T>::tiles_of_piece(p.uplo, p.m, p.n) < x->multiprocessors;
}

template <typename T>
static startile_scalar scalar(T z)
{
    if constexpr (element<T>::is_complex)
        return {z.x, z.y};
    else
        return {z, 0};
}

template <typename T>
static int multiply_by_vendor(startile_exec *x, const product_group<T> &g)
{
    const startile_scalar alpha = scalar(g.alpha), beta = scalar(g.beta);
    const product_piece<T> &p = g.piece[0];
    if (p.uplo == 'G')
        return vendor_gemm<T>(x, g.transa, g.transb, p.m, p.n, g.k, alpha, p.a, p.lda, p.b, p.ldb,
                              beta, p.c, p.ldc);
    const auto update = g.hermitian ? vendor_herk<T> : vendor_syrk<T>;
    return update(x, p.uplo, g.transa, p.n, g.k, alpha, p.a, p.lda, beta, p.c, p.ldc);
}

/* Computes the products by split operands, cuBLAS or FFMA, whichever is fastest. */
template <typename T>
static int multiply_fastest(startile_exec *x, const product_group<T> &g, startile_products products)
{
    if (can_multiply_split(x, g, products))
        return multiply_split(x, g, products);
    if (vendor_is_faster(x, g))
        return multiply_by_vendor(x, g);
    return multiply_fma(x, g, 0, g.k, g.beta, {});
}

/* Computes one product by cuBLAS on TF32 tensor cores: with operands of 11 bits. */
template <typename T>
static int multiply_tf32(startile_exec *x, const product_group<T> &g, const product_piece<T> &p)
{
    constexpr cudaDataType type = blas<T>::data_type;
    if (p.m == 0 || p.n == 0)
        return 0;
    return check(cublasGemmEx(x->cublas, operation<T>(g.transa), operation<T>(g.transb), p.m, p.n,
                              g.k, &g.alpha, p.a, type, p.lda, p.b, type, p.ldb, &g.beta, p.c, type,
                              p.ldc, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT));
}

/* Computes all products by multiply_tf32, except triangles, which are computed in full single
 * precision. */
template <typename T>
static int multiply_group_tf32(startile_exec *x, const product_group<T> &g)
{
    product_group<T> triangles = g;
    triangles.pieces = count_triangles(g);
    int error = 0;
    if (triangles.pieces > 0)
        error = multiply_fastest(x, triangles, STARTILE_PRODUCTS_SPLIT);
    for (int q = triangles.pieces; q < g.pieces && error == 0; q++)
        error = multiply_tf32(x, g, g.piece[q]);
    return error;
}

template <typename T>
static int multiply_single(startile_exec *x, const product_group<T> &g)
{
    if (g.pieces == 0)
        return 0;
    if (g.k == 0 || is_zero(g.alpha))
        return scale_group(x, g);
    if (x->products == STARTILE_PRODUCTS_TF32)
        return multiply_group_tf32(x, g);
    return multiply_fastest(x, g, x->products);
}

template <>
int multiply_group<float>(startile_exec *x, const product_group<float> &g)
{
    return multiply_single(x, g);
}

template <>
int multiply_group<cuComplex>(startile_exec *x, const product_group<cuComplex> &g)
{
    return multiply_single(x, g);
}

template <>
int multiply_plain<float>(startile_exec *x, const product_group<float> &g)
{
    return multiply_fastest(x, g, STARTILE_PRODUCTS_PLAIN);
}

template <>
int multiply_plain<cuComplex>(startile_exec *x, const product_group<cuComplex> &g)
{
    return multiply_fastest(x, g, STARTILE_PRODUCTS_PLAIN);
}

template decltype(multiply_fma<float>) multiply_fma<float>;
template decltype(multiply_fma<cuComplex>) multiply_fma<cuComplex>;

} // namespace startile_cuda
