/*
 * Inverse of a triangle, and the check whether products with it may replace solves
 *
 * Inverse: for T = L lower triangular, W = L⁻¹ by recursive doubling:
 *
 *     invert_blocks_kernel               diagonal blocks, one thread block each
 *       |
 *       v  level by level (block_products.cuh)
 *     two groups of products a level     W21 = -W22 (L21 W11)
 *
 * The n³/3 useful flops become 2n³/3, in about 2 log₂(n/b) + 1 launches for diagonal blocks of
 * order b. This is a block method in the sense of Du Croz & Higham, "Stability of methods for
 * matrix inversion", IMA J. Numer. Anal. 12 (1992), with halves for blocks. Error of L W − I: each
 * level multiplies the error of the level below by at most κ = ‖L‖ ‖W‖ and adds at most c n eps κ²
 * (c: a small constant). The check bounds κ.
 *
 * T = U upper triangular is the same problem on the transposed view: elements are read with rows
 * and columns exchanged, and a product of views is stored as the product of the stored factors in
 * reverse order. Nothing is conjugated: (Uᵀ)⁻¹ = (U⁻¹)ᵀ.
 *
 * Check: ‖T‖₁ ‖W‖₁ ≤ n, with sums of columns as stored. For U these are the ∞-norms of the
 * transposes. For X = W B, ‖B − T X‖ ≤ (‖T W − I‖ + c n eps ‖T‖ ‖W‖) ‖B‖. Up to 256 n the diagonal
 * blocks of the inverse of a unit triangle may be used (trsm_by_inverses.cu). L of partial pivoting
 * on random panels has ‖L‖₁ ‖W‖₁ / n of 27, 82, 165 and 231 for n = 128, 512, 1024 and 1536 (numpy,
 * 8192 to 16384 rows), and there the elements of B − L X are at most 2.7 eps |L| |X|, those of a
 * substitution 2.2. Panels of LU have only the diagonal blocks of order 256 inverted and checked.
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "gemm/product.cuh"

namespace startile_cuda
{

/* Shape of invert_blocks_kernel: four threads per column of a block. A block fits into 48 KiB of
 * shared memory. */
template <typename T>
struct invert_shape {
    static constexpr int order = sizeof(T) > 8 ? 32 : 64;
    static constexpr int threads_per_column = 4;
    static constexpr int threads = order * threads_per_column;
    static constexpr int rows_per_thread = order / threads_per_column;
};

/* Triangles as a kernel argument */
template <typename T>
struct inverses {
    inverse_of<T> at[most_inverses];
};

/*
 * Inverts the diagonal blocks of triangle z. Thread block (x, y, z) of the grid has block row x and
 * block column y of the view. On the diagonal it inverts its block. Above the diagonal it writes
 * zeros to W. Below the diagonal, and outside the diagonal blocks of order `block_order`, it does
 * nothing: the products of invert() write the former, and nobody reads the latter.
 *
 * Column j of the inverse solves L w = eⱼ. Its threads hold the rows r · threads_per_column + part
 * in registers, and subtract column k of L times wₖ as soon as wₖ is known.
 */
template <typename T>
__global__ void __launch_bounds__(invert_shape<T>::threads)
    invert_blocks_kernel(int n, int block_order, const __grid_constant__ inverses<T> list)
{
    using shape = invert_shape<T>;
    const inverse_of<T> &one_of = list.at[blockIdx.z];
    const bool transposed = one_of.uplo == 'U', unit = one_of.diag == 'U';
    const T *t = one_of.t;
    T *w = one_of.w;
    const int64_t ldt = one_of.ldt, ldw = one_of.ldw;
    constexpr int order = shape::order;
    __shared__ T l[order][order + 1]; /* columns of the view */
    __shared__ T pivot_row[2][order];
    __shared__ T reciprocals[order];

    const int row0 = blockIdx.x * order, column0 = blockIdx.y * order;
    const int rows = min(order, n - row0), columns = min(order, n - column0);
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const int j = threadIdx.x % order, part = threadIdx.x / order;
    if (row0 > column0 || row0 / block_order != column0 / block_order)
        return;

    t += transposed ? column0 + row0 * ldt : row0 + column0 * ldt;
    w += transposed ? column0 + row0 * ldw : row0 + column0 * ldw;
    const bool diagonal = row0 == column0;

    if (diagonal) {
        /* Pad a partial block with the identity. */
        for (int q = part; q < order; q += shape::threads_per_column) {
            int p = j; /* stored row p, column q */
            int row = transposed ? q : p, column = transposed ? p : q;
            bool inside = row < rows && (unit ? row > column : row >= column);
            l[column][row] = inside ? t[p + q * ldt] : row == column ? one : zero;
        }
        __syncthreads();
        if (part == 0)
            reciprocals[j] = reciprocal(l[j][j]);
        __syncthreads();

        T x[shape::rows_per_thread];
#pragma unroll
        for (int r = 0; r < shape::rows_per_thread; r++)
            x[r] = r * shape::threads_per_column + part == j ? one : zero;

        for (int k = 0; k < order; k++) {
#pragma unroll
            for (int r = 0; r < shape::rows_per_thread; r++)
                if (r * shape::threads_per_column + part == k)
                    pivot_row[k % 2][j] = x[r] = multiply_add(reciprocals[k], x[r], zero);
            /* One barrier per step is enough: this row is overwritten two steps later. A thread
             * gets there only after all threads have passed the next barrier, and so have read the
             * row. */
            __syncthreads();
            T pivot = pivot_row[k % 2][j];
#pragma unroll
            for (int r = 0; r < shape::rows_per_thread; r++) {
                int row = r * shape::threads_per_column + part;
                if (row > k)
                    x[r] = subtract_product(x[r], l[k][row], pivot);
            }
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < shape::rows_per_thread; r++) {
            int row = r * shape::threads_per_column + part;
            l[j][row] = row >= j ? x[r] : zero;
        }
        __syncthreads();
    }

    for (int q = part; q < order; q += shape::threads_per_column) {
        int p = j;
        int row = transposed ? q : p, column = transposed ? p : q;
        if (row < rows && column < columns)
            w[p + q * ldw] = diagonal ? l[column][row] : zero;
    }
}

/* Warps per thread block; each warp checks one column */
constexpr int check_warps = 8;

/* Returns |a_first| + … + |a_last−1|, to all lanes of the warp. */
template <typename T>
__device__ double warp_sum(const T *a, int first, int last)
{
    double sum = 0;
#pragma unroll 8
    for (int i = first + threadIdx.x; i < last; i += 32)
        sum += magnitude(a[i]);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    return sum;
}

/* Returns the bits of a double ≥ 0, which compare as the doubles do, with NaN above infinity. */
__device__ inline unsigned long long order_bits(double nonnegative)
{
    return static_cast<unsigned long long>(__double_as_longlong(fabs(nonnegative)));
}

/* Checks the inverse. The thread block that finishes last compares the norms. If `status` is not
 * null, it also writes *status and prepares `state` for the next call. */
template <typename T>
__global__ void __launch_bounds__(32 * check_warps)
    check_inverse_kernel(char uplo, bool unit, int n, int order, const T *t, int64_t ldt,
                         const T *w, int64_t ldw, tile_status *state, startile_tile_status *status)
{
    __shared__ unsigned long long norm_t[check_warps], norm_w[check_warps];
    const int warp = threadIdx.y;
    const int64_t j = int64_t(blockIdx.x) * check_warps + warp;
    double sum_t = 0, sum_w = 0;
    if (j < n) {
        const int row = static_cast<int>(j);
        const int begin = row / order * order, end = order < n - begin ? begin + order : n;
        const int first = uplo == 'L' ? row : begin, last = uplo == 'L' ? end : row + 1;
        if (w != nullptr) {
            sum_t = warp_sum(t + j * ldt, unit && uplo == 'L' ? first + 1 : first,
                             unit && uplo == 'U' ? last - 1 : last);
            sum_w = warp_sum(w + j * ldw, first, last);
        }
        if (unit)
            sum_t += 1;
        else if (isinf(real_part(t[j + j * ldt])))
            sum_t = 0; /* The inverse is zero in that column. */
    }
    if (threadIdx.x == 0) {
        norm_t[warp] = order_bits(sum_t);
        norm_w[warp] = order_bits(sum_w);
    }
    __syncthreads();
    if (threadIdx.x != 0 || warp != 0)
        return;

    unsigned long long largest_t = 0, largest_w = 0;
    for (int i = 0; i < check_warps; i++) {
        largest_t = max(largest_t, norm_t[i]);
        largest_w = max(largest_w, norm_w[i]);
    }
    atomicMax(&state->norm_t, largest_t);
    atomicMax(&state->norm_w, largest_w);
    __threadfence();
    if (atomicAdd(&state->finished, 1) != gridDim.x - 1)
        return;

    __threadfence();
    double t1 = __longlong_as_double(static_cast<long long>(atomicExch(&state->norm_t, 0)));
    double w1 = __longlong_as_double(static_cast<long long>(atomicExch(&state->norm_w, 0)));
    atomicExch(&state->finished, 0);
    /* Comparisons with NaN are false. */
    const double condition = w == nullptr || !isfinite(w1) ? NAN : t1 * w1;
    const int limit = min(n, order);
    if (!(condition <= limit) || order < n)
        state->inverse_failed =
            max(state->inverse_failed,
                unit && condition <= double(STARTILE_UNIT_CONDITION) * limit ? 1 : 2);
    if (status == nullptr)
        return;
    int from_end = state->nan_pivot, nan = from_end > 0 ? n - from_end + 1 : 0;
    int info = state->info;
    if (nan > 0 && (info == 0 || nan < info))
        info = nan;
    status->info = info;
    constexpr int use[] = {1, STARTILE_INVERSE_BLOCKS, 0};
    status->use_inverse = unit || info == 0 ? use[state->inverse_failed] : 0;
    state->inverse_failed = state->nan_pivot = state->infinite_pivots = 0;
    __threadfence_system();
}

/* Equally spaced products of one triangle, as stored */
template <typename T>
struct spaced_products {
    int m, n;
    matrices<const T> a, b;
    matrices<T> c;
};

/* Returns the products of views that are m × n. Those of U-views, which are transposes, are stored
 * with the factors in reverse order. */
template <typename T>
static spaced_products<T> of_views(bool transposed, int m, int n, matrices<const T> a,
                                   matrices<const T> b, matrices<T> c)
{
    return transposed ? spaced_products<T>{n, m, b, a, c} : spaced_products<T>{m, n, a, b, c};
}

/* Computes C_q := alpha A_q B_q for `pairs` products of each of `count` triangles, with k terms in
 * each sum. Those of one triangle, and all in single precision, are computed by cuBLAS, which is
 * faster there (perf_models/NOTES.md, "LU on one GPU", "Diagonal tiles"). */
template <typename T>
static int multiply_spaced(startile_exec *x, int k, T alpha, int pairs, int count,
                           const spaced_products<T> *list)
{
    const T zero = to_element<T>(0, 0);
    if (count == 1 || sizeof(typename element<T>::real) == sizeof(float)) {
        int error = 0;
        for (int i = 0; i < count && error == 0; i++)
            error = multiply(x, 'N', 'N', list[i].m, list[i].n, k, alpha, list[i].a, list[i].b,
                             zero, list[i].c, pairs);
        return error;
    }
    product_piece<T> pieces[max_products];
    product_group<T> g;
    g.k = k;
    g.alpha = alpha;
    g.piece = pieces;
    for (int q = 0; q < pairs * count; q++) {
        const spaced_products<T> &p = list[q % count];
        const int64_t pair = q / count;
        pieces[g.pieces++] = {p.a.p + pair * p.a.stride,
                              p.b.p + pair * p.b.stride,
                              p.c.p + pair * p.c.stride,
                              p.a.ld,
                              p.b.ld,
                              p.c.ld,
                              p.m,
                              p.n};
        if (g.pieces < max_products && q + 1 < pairs * count)
            continue;
        if (int error = multiply_plain(x, g))
            return error;
        g.pieces = 0;
    }
    return 0;
}

template <typename T>
int invert(startile_exec *x, int n, int count, const inverse_of<T> *list, int order)
{
    using shape = invert_shape<T>;
    static_assert(STARTILE_INVERTED_ORDER % shape::order == 0,
                  "diagonal blocks consist of whole blocks of invert_blocks_kernel");
    const size_t of_one = invert_workspace<T>(n) / sizeof(T);
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);

    /* The product of a pair has n1 n2 elements, and the pairs of a level have Σ (n1 + n2) ≤ n, so
     * that n² / 4 elements for each triangle are enough. */
    T *products;
    if (int error = workspace(x, of_one * count, &products))
        return error;
    inverses<T> all = {};
    std::copy(list, list + count, all.at);
    const unsigned int blocks = ceil_div(n, shape::order);
    if (int error = launch(x, invert_blocks_kernel<T>, dim3(blocks, blocks, count), shape::threads,
                           n, order, all))
        return error;

    auto join = [&](int64_t first, int n1, int n2, int pairs) {
        const int64_t second = first + n1, distance = 2 * int64_t(n1);
        spaced_products<T> l21_w11[most_inverses], w21[most_inverses];
        for (int i = 0; i < count; i++) {
            const inverse_of<T> &v = list[i];
            const bool transposed = v.uplo == 'U';
            const int64_t step_t = distance * (int64_t(v.ldt) + 1),
                          step_w = distance * (int64_t(v.ldw) + 1);
            const int64_t row = transposed ? first : second, column = transposed ? second : first;
            const matrices<T> product = {products + i * of_one, transposed ? n1 : n2,
                                         int64_t(n1) * n2};
            l21_w11[i] =
                of_views<T>(transposed, n2, n1, {v.t + row + column * v.ldt, v.ldt, step_t},
                            {v.w + first + first * v.ldw, v.ldw, step_w}, product);
            w21[i] = of_views<T>(transposed, n2, n1, {v.w + second + second * v.ldw, v.ldw, step_w},
                                 {product.p, product.ld, product.stride},
                                 {v.w + row + column * v.ldw, v.ldw, step_w});
        }
        if (int error = multiply_spaced(x, n1, one, pairs, count, l21_w11))
            return error;
        return multiply_spaced(x, n2, minus_one, pairs, count, w21);
    };
    return for_each_pair(n, shape::order, join, order);
}

template <typename T>
int check_inverse(startile_exec *x, char uplo, char diag, int n, const T *t, int ldt, const T *w,
                  int ldw, startile_tile_status *status, int order)
{
    return launch(x, check_inverse_kernel<T>, ceil_div(n, check_warps), dim3(32, check_warps), uplo,
                  diag == 'U', n, order, t, ldt, w, ldw, x->status, status);
}

template <typename T>
int trtri(startile_exec *x, char uplo, char diag, int n, const void *t, int ldt, void *w, int ldw)
{
    if (n == 0)
        return 0;
    const inverse_of<T> one = {uplo, diag, static_cast<const T *>(t), ldt, static_cast<T *>(w),
                               ldw};
    return invert<T>(x, n, 1, &one);
}

INSTANTIATE(trtri);
INSTANTIATE(invert);
INSTANTIATE(check_inverse);

} // namespace startile_cuda
