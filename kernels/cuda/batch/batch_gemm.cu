/*
 * C := alpha op(A) op(B) + beta C for a batch. By the order of C:
 * - up to 8 × 8: 8 lanes per matrix, one row of C per lane, in registers. 8 columns of op(A) and 8
 *   rows of op(B) at a time pass through shared memory. Bound: memory.
 * - larger, if cuBLAS takes the operands (vendor_supports) and k > 0: cuBLAS (at 16 × 16 it takes
 *   0.7 of the time of 16 lanes per matrix, H200)
 * - otherwise up to 16 × 16: 16 lanes per matrix
 * - otherwise: one thread block per tile of C
 *
 * With k = 0 or alpha = 0 only C is accessed.
 */
#include "batch/batch_tile.cuh"
#include "common/cublas.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T>
struct batch_product {
    batch<T> A, B, C;
    char transa, transb;
    T alpha, beta;

    /* Returns the view of op(a), not conjugated. */
    __device__ strided<T> factor(const typename batch<T>::matrix &a, char trans) const
    {
        const strided<T> stored = as_stored<T>(a);
        return trans == 'N' ? stored : stored.transposed();
    }

    __device__ bool reads_c() const
    {
        return !is_zero(beta);
    }

    /* Returns the new element of C, given the sum of products and the old element. */
    __device__ T result(T sum, T old) const
    {
        const T scaled_old = multiply_add(beta, old, to_element<T>(0, 0));
        return is_zero(alpha) ? scaled_old : multiply_add(alpha, sum, scaled_old);
    }
};

template <typename T>
struct alignas(sizeof(T) < 16 ? 2 * sizeof(T) : 16) pair_of {
    static constexpr int size = sizeof(T) < 16 ? 2 : 1;
    T value[size];
};

/* State of one of the N lanes that compute a product, one row of C per lane */
template <typename T, int N>
struct product_in_lanes {
    static constexpr int ld = N + 2; /* aligns rows of op(B) for loads of pairs */
    static constexpr int elements = 2 * N * ld + 4;
    T *a, *b; /* op(A) by columns and op(B) by rows, in shared memory */
    int lane;
    T sum[N];

    /* Copies x(i, j) to to[i + j ld]. Neighbouring lanes read neighbouring elements. */
    __device__ void stage(const strided<T> &x, bool conjugated, T *to)
    {
        const bool by_rows = x.is_row_major();
#pragma unroll 8
        for (int e = 0; e < N; e++) {
            const int i = by_rows ? e : lane, j = by_rows ? lane : e;
            T value = to_element<T>(0, 0);
            if (i < x.m && j < x.n)
                value = x(i, j);
            to[i + j * ld] = conjugated ? conjugate(value) : value;
        }
    }

    /* Adds the product of k columns of op(A) and k rows of op(B). */
    __device__ void add(int k)
    {
        using pair = pair_of<T>;
#pragma unroll 4
        for (int p = 0; p < k; p++) {
            const T x = a[lane + p * ld];
#pragma unroll
            for (int j = 0; j < N; j += pair::size) {
                const pair y = *reinterpret_cast<const pair *>(b + j + p * ld);
#pragma unroll
                for (int e = 0; e < pair::size; e++)
                    sum[j + e] = multiply_add(x, y.value[e], sum[j + e]);
            }
        }
    }
};

/* Multiplies 32 / N matrices per block of one warp, N lanes each. */
template <typename T, int N>
__global__ void __launch_bounds__(32, 8) gemm_lanes_kernel(batch_product<T> g, int count)
{
    extern __shared__ int4 memory[];
    using product = product_in_lanes<T, N>;
    const int group_index = static_cast<int>(threadIdx.x) / N;
    const int64_t q = blockIdx.x * static_cast<int64_t>(32 / N) + group_index;
    product p;
    p.lane = threadIdx.x % N;
    p.a = reinterpret_cast<T *>(memory) + group_index * product::elements;
    p.b = p.a + N * product::ld;
    strided<T> a = {nullptr, 1, 0, 0, 0}, b = a, c = a;
    if (q < count) {
        a = g.factor(g.A[static_cast<int>(q)], g.transa);
        b = g.factor(g.B[static_cast<int>(q)], g.transb).transposed();
        c = as_stored<T>(g.C[static_cast<int>(q)]);
    }
#pragma unroll
    for (int j = 0; j < N; j++)
        p.sum[j] = to_element<T>(0, 0);
    const int k = is_zero(g.alpha) ? 0 : a.n;
    const int steps =
        static_cast<int>(__reduce_max_sync(0xffffffff, static_cast<unsigned int>((k + N - 1) / N)));
    for (int step = 0; step < steps; step++) {
        const int k0 = step * N, width = min(N, k - k0);
        if (width > 0) {
            p.stage(a.from(0, k0), g.transa == 'C', p.a);
            p.stage(b.from(0, k0), g.transb == 'C', p.b);
        }
        __syncwarp();
        p.add(width);
        __syncwarp();
    }
#pragma unroll
    for (int j = 0; j < N; j++) {
        const bool is_inside = p.lane < c.m && j < c.n;
        p.sum[j] =
            g.result(p.sum[j], is_inside && g.reads_c() ? c(p.lane, j) : to_element<T>(0, 0));
    }
#pragma unroll
    for (int j = 0; j < N; j++)
        if (p.lane < c.m && j < c.n)
            c(p.lane, j) = p.sum[j];
}

/* Multiplies matrix blockIdx.x. The blocks with the same blockIdx.x share its tiles. */
template <typename T>
__global__ void __launch_bounds__(tile_threads) gemm_tiles_kernel(batch_product<T> g)
{
    constexpr int order = tile<T>::order;
    extern __shared__ int4 memory[];
    T *const smem = reinterpret_cast<T *>(memory);
    const int q = blockIdx.x;
    const strided<T> c = as_stored<T>(g.C[q]), a = g.factor(g.A[q], g.transa),
                     b = g.factor(g.B[q], g.transb).transposed();
    const int k = is_zero(g.alpha) ? 0 : a.n;
    const int rows = (c.m + order - 1) / order, tiles = rows * ((c.n + order - 1) / order);
    for (int t = blockIdx.y; t < tiles; t += gridDim.y) {
        const int i0 = t % rows * order, j0 = t / rows * order;
        quadrant<T> sum;
        sum.clear();
        __syncthreads();
        add_product_of_factors<T>(sum, {a.from(i0, 0), g.transa == 'C', smem},
                                  {b.from(j0, 0), g.transb != 'C', smem + tile<T>::elements}, k);
        const strided<T> to = c.from(i0, j0);
        sum.for_each_in_tile([&](int i, int j, T &e) {
            const bool is_inside = i < to.m && j < to.n;
            e = g.result(e, is_inside && g.reads_c() ? to(i, j) : to_element<T>(0, 0));
        });
        sum.for_each_in_tile([&](int i, int j, T &e) {
            if (i < to.m && j < to.n)
                to(i, j) = e;
        });
    }
}

template <typename T, int N>
static int launch_gemm_lanes(startile_exec *x, const batch_product<T> &g, int count)
{
    return launch_with_smem(x, gemm_lanes_kernel<T, N>, ceil_div(count, 32 / N), 32,
                            32 / N * product_in_lanes<T, N>::elements * sizeof(T), g, count);
}

template <typename T>
static int launch_gemm_tiles(startile_exec *x, const batch_product<T> &g, int count)
{
    constexpr int64_t max_blocks_of_matrix = 65535;
    const int64_t tiles =
        int64_t(ceil_div(g.C.m, tile<T>::order)) * ceil_div(g.C.n, tile<T>::order);
    const dim3 grid(count, static_cast<unsigned int>(std::min(tiles, max_blocks_of_matrix)));
    return launch_with_smem(x, gemm_tiles_kernel<T>, grid, tile_threads, 2 * tile<T>::bytes, g);
}

/* Multiplies with cuBLAS, which takes matrices of one size, given all by pointers or all by
 * strides. */
template <typename T>
static int vendor_gemm_batch(startile_exec *x, const batch_product<T> &g, int k, int count)
{
    using e = blas<T>;
    const cublasOperation_t opa = operation<T>(g.transa), opb = operation<T>(g.transb);
    if (g.C.each == nullptr)
        return check(e::gemm_strided_batched(x->cublas, opa, opb, g.C.m, g.C.n, k, &g.alpha, g.A.a,
                                             g.A.ld, g.A.stride, g.B.a, g.B.ld, g.B.stride, &g.beta,
                                             g.C.a, g.C.ld, g.C.stride, count));
    return check(e::gemm_batched(x->cublas, opa, opb, g.C.m, g.C.n, k, &g.alpha, g.A.each, g.A.ld,
                                 g.B.each, g.B.ld, &g.beta, g.C.each, g.C.ld, count));
}

/* Returns whether cuBLAS takes these operands. */
template <typename T>
static bool vendor_supports(const batch_product<T> &g)
{
    const bool is_fixed = g.A.sizes == nullptr && g.B.sizes == nullptr && g.C.sizes == nullptr;
    const bool by_pointers = g.C.each != nullptr;
    return is_fixed && (g.A.each != nullptr) == by_pointers && (g.B.each != nullptr) == by_pointers;
}

template <typename T>
int gemm_batch(startile_exec *x, char transa, char transb, int count, startile_scalar alpha,
               const startile_matrices *A, const startile_matrices *B, startile_scalar beta,
               const startile_matrices *C)
{
    const int order = std::max(C->m, C->n), k = transa == 'N' ? A->n : A->m;
    if (count == 0 || C->m == 0 || C->n == 0)
        return 0;
    const batch_product<T> g = {A, B, C, transa, transb, to_element<T>(alpha), to_element<T>(beta)};
    if (order <= 8)
        return launch_gemm_lanes<T, 8>(x, g, count);
    if (k > 0 && vendor_supports(g))
        return vendor_gemm_batch(x, g, k, count);
    if (order <= 16)
        return launch_gemm_lanes<T, 16>(x, g, count);
    return launch_gemm_tiles(x, g, count);
}

INSTANTIATE(gemm_batch);

} // namespace startile_cuda
