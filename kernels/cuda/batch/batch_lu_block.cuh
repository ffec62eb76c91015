/*
 * LU of a matrix in shared memory by a thread block, one row per thread. All warps have the same
 * role. Rows stay in place; each thread tracks the position of its row. Column k, with buffer k %
 * 2:
 *
 *     each warp: its best candidate -> best_of_warp[buffer][warp],
 *                that row -> candidate_rows[buffer][warp]
 *     __syncthreads                    (the only barrier of a column)
 *     each warp: chooses the pivot among best_of_warp[buffer], eliminates its rows with that row
 *
 * Eight columns at a time are factored in registers. Then
 *
 *     L of the eight pivot rows -> diagonal
 *     __syncthreads
 *     solve:   U of the eight pivot rows, one column per thread -> u
 *     __syncthreads
 *     update:  the thread's row in the columns to the right -= L U
 */
#ifndef STARTILE_BATCH_LU_BLOCK_CUH
#define STARTILE_BATCH_LU_BLOCK_CUH

#include "batch/batch.cuh"
#include "batch/batch_pivot.cuh"
#include "common/hopper.cuh"

namespace startile_cuda
{

constexpr int lu_width = 8;
constexpr int small_lu_threads = 128, medium_lu_threads = 512, max_lu_threads = 1024;

/* A warp's candidate for the pivot row */
struct candidate {
    unsigned long long order; /* pivot_order (pivot.cuh) */
    int position, row;        /* current position; index of the row, which is its thread */
};

/* Layout of dynamic shared memory: this struct, then the matrix, then eight rows of U,
 * transposed */
template <typename T, int max_threads>
struct alignas(16) lu_smem {
    T candidate_rows[2][max_threads / 32][lu_width];
    T diagonal[lu_width][lu_width]; /* diagonal[k]: column k of L11 */
    candidate best_of_warp[2][max_threads / 32];
    int pivots[lu_width]; /* rows of the last eight pivots */
    int row_at_position[max_threads];

    /* Returns the leading dimension of the matrix, which is odd, so that the elements of a row are
     * in different banks. */
    static __host__ __device__ int ld(int m)
    {
        return m | 1;
    }

    static __host__ __device__ size_t elements(int m, int n)
    {
        return (static_cast<size_t>(ld(m)) * n + 3) / 4 * 4;
    }

    static __host__ size_t bytes(int m, int n)
    {
        return sizeof(lu_smem) + (elements(m, n) + static_cast<size_t>(n) * lu_width) * sizeof(T);
    }
};

/* State of a thread that factors the m × n matrix s together with its block */
template <typename T, int max_threads>
struct lu_thread {
    using smem_layout = lu_smem<T, max_threads>;
    smem_layout &smem;
    T *s, *u; /* the matrix and the eight rows of U, in shared memory */
    int m, n, ld;
    /* position: current position of the thread's row; −1: no row. failed: 1-based column of the
     * first zero pivot; 0: none */
    int position, failed;

    __device__ lu_thread(smem_layout &r, int rows, int columns)
        : smem(r), s(reinterpret_cast<T *>(&r + 1)), u(s + smem_layout::elements(rows, columns)),
          m(rows), n(columns), ld(smem_layout::ld(rows)),
          position(static_cast<int>(threadIdx.x) < rows ? static_cast<int>(threadIdx.x) : -1),
          failed(0)
    {
    }

    /* Chooses the pivot of column k: by its magnitude if `pivots`, otherwise the diagonal element.
     * x is the thread's element of that column, `mine` its row of eight columns. Returns the index
     * of the pivot in best_of_warp and candidate_rows. */
    __device__ int choose(bool pivots, int k, T x, const T (&mine)[lu_width])
    {
        const int buffer = k % 2, lane = threadIdx.x % 32;
        int warp = threadIdx.x / 32;
        const unsigned long long order = position >= k ? pivot_order(x, position == k) : 0;
        const int best = pivots ? lane_of_pivot<32>(order, position) : lane;
        if (pivots ? lane == best : position == k) {
            smem.best_of_warp[buffer][pivots ? warp : 0] = {order, position,
                                                            static_cast<int>(threadIdx.x)};
#pragma unroll
            for (int j = 0; j < lu_width; j++)
                smem.candidate_rows[buffer][pivots ? warp : 0][j] = mine[j];
        }
        __syncthreads();
        if (!pivots)
            return 0;
        candidate c = {0, 0, 0};
        if (lane < static_cast<int>(blockDim.x) / 32)
            c = smem.best_of_warp[buffer][lane];
        return lane_of_pivot<32>(c.order, c.position);
    }

    /* Factors columns c0 … c0 + 7. On entry and exit, `a` has the thread's elements of these
     * columns. ipiv begins at column c0. The loop is not unrolled; instead the elements of `a` move
     * by one place in each step. Unrolled, a column took about 2000 cycles for every type and order
     * (H200), far more than its latency, probably because the code did not stay in the instruction
     * cache. */
    __device__ void factor_columns(bool pivots, int c0, T (&a)[lu_width], int64_t *ipiv,
                                   int64_t row0)
    {
        const bool has_row = static_cast<int>(threadIdx.x) < m;
        T *const out = s + threadIdx.x + c0 * ld;
        const int steps = min(min(m, n) - c0, lu_width), columns = min(n - c0, lu_width);
#pragma unroll 1
        for (int k = 0; k < columns; k++) {
            if (k < steps)
                eliminate(pivots, c0 + k, a, ipiv + k, row0);
            if (has_row)
                out[k * ld] = a[0];
#pragma unroll
            for (int j = 0; j + 1 < lu_width; j++)
                a[j] = a[j + 1];
        }
#pragma unroll
        for (int j = 0; j < lu_width; j++)
            a[j] = has_row && j < columns ? out[j * ld] : to_element<T>(0, 0);
    }

    /* Chooses the pivot of column k and eliminates the column; a[0] is the thread's element of
     * it. */
    __device__ void eliminate(bool pivots, int k, T (&a)[lu_width], int64_t *ipiv, int64_t row0)
    {
        const int warp = choose(pivots, k, a[0], a);
        const T *const row = smem.candidate_rows[k % 2][warp];
        const candidate c = smem.best_of_warp[k % 2][warp];
        if (static_cast<int>(threadIdx.x) == c.row) {
            smem.pivots[k % lu_width] = c.row;
            if (pivots)
                *ipiv = row0 + c.position + 1;
            position = k;
        } else if (position == k) {
            position = c.position;
        }
        const T pivot = row[0];
        if (failed == 0 && is_zero(pivot))
            failed = k + 1;
        if (position > k) {
            a[0] = divisor<T>(pivot)(a[0]);
#pragma unroll
            for (int j = 1; j < lu_width; j++)
                a[j] = subtract_product(a[j], a[0], row[j]);
        }
    }

    /* Computes U of the last eight pivot rows in the columns from c1 on. */
    __device__ void solve(int c1)
    {
        const int width = min(lu_width, min(m, n) - (c1 - lu_width));
        for (int j = c1 + threadIdx.x; j < n; j += blockDim.x) {
            T x[lu_width];
#pragma unroll
            for (int i = 0; i < lu_width; i++)
                x[i] = i < width ? s[smem.pivots[i] + j * ld] : to_element<T>(0, 0);
#pragma unroll
            for (int k = 0; k < lu_width; k++)
#pragma unroll
                for (int i = k + 1; i < lu_width; i++)
                    if (i < width)
                        x[i] = subtract_product(x[i], smem.diagonal[k][i], x[k]);
#pragma unroll
            for (int i = 0; i < lu_width; i++) {
                u[j * lu_width + i] = x[i];
                if (i < width)
                    s[smem.pivots[i] + j * ld] = x[i];
            }
        }
    }

    /* Elements i … i + pack_elements − 1 of column j of U, loaded at once */
    static constexpr int pack_elements = sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1;
    struct alignas(16) pack {
        T value[pack_elements];
    };

    __device__ const pack &u_pack(int j, int i) const
    {
        return *reinterpret_cast<const pack *>(u + j * lu_width + i);
    }

    /* Updates the thread's row in columns j … j + columns − 1 with the last eight pivots; `a` has
     * its multipliers. */
    template <int columns>
    __device__ void update_columns(const T (&a)[lu_width], int j)
    {
        T *const row = s + threadIdx.x + j * ld;
        T x[columns];
#pragma unroll
        for (int c = 0; c < columns; c++)
            x[c] = row[c * ld];
#pragma unroll
        for (int i = 0; i < lu_width; i += pack_elements)
#pragma unroll
            for (int c = 0; c < columns; c++) {
                const pack y = u_pack(j + c, i);
#pragma unroll
                for (int k = 0; k < pack_elements; k++)
                    x[c] = subtract_product(x[c], a[i + k], y.value[k]);
            }
#pragma unroll
        for (int c = 0; c < columns; c++)
            row[c * ld] = x[c];
    }

    /* Updates the thread's row in the columns from c1 on. Does nothing if this row already is a
     * pivot row. */
    __device__ void update(const T (&a)[lu_width], int c1)
    {
        constexpr int columns = 8;
        if (position < c1)
            return;
        int j = c1;
        for (; j + columns <= n; j += columns)
            update_columns<columns>(a, j);
        for (; j < n; j++)
            update_columns<1>(a, j);
    }

    /* Factors the matrix in shared memory, eight columns at a time. */
    __device__ void factor(bool pivots, int64_t *ipiv, int64_t row0)
    {
        const int t = threadIdx.x;
        for (int c0 = 0; c0 < min(m, n); c0 += lu_width) {
            T a[lu_width];
#pragma unroll
            for (int j = 0; j < lu_width; j++)
                a[j] = t < m && c0 + j < n ? s[t + (c0 + j) * ld] : to_element<T>(0, 0);
            factor_columns(pivots, c0, a, ipiv + c0, row0);
            if (c0 + lu_width >= n)
                break;
            if (position >= c0 && position < c0 + lu_width)
#pragma unroll
                for (int j = 0; j < lu_width; j++)
                    smem.diagonal[j][position - c0] = a[j];
            __syncthreads();
            solve(c0 + lu_width);
            __syncthreads();
            update(a, c0 + lu_width);
        }
    }

    __device__ void load(const T *a, int64_t lda)
    {
        const int t = threadIdx.x;
        if (t < m)
            for (int j = 0; j < n; j++)
                copy_async(s + t + j * ld, a + t + j * lda);
        wait_for_copies();
    }

    /* Stores all rows at their final positions. */
    __device__ void store(T *a, int64_t lda)
    {
        const int t = threadIdx.x;
        if (t < m)
            smem.row_at_position[position] = t;
        __syncthreads();
        if (t < m) {
            const T *const row = s + smem.row_at_position[t];
            constexpr int columns = 8;
            for (int c0 = 0; c0 < n; c0 += columns) {
                T x[columns];
#pragma unroll
                for (int j = 0; j < columns; j++)
                    x[j] = row[min(c0 + j, n - 1) * ld];
#pragma unroll
                for (int j = 0; j < columns; j++)
                    if (c0 + j < n)
                        a[t + (c0 + j) * lda] = x[j];
            }
        }
    }
};

/* Factors columns first … first + width − 1 from row `first` on, one matrix per block: a whole
 * matrix or a panel; with partial pivoting if `pivots`. For a panel, `sources` gets the original
 * position of each row; matrix q has A.m elements there. */
template <typename T, int max_threads>
__global__ void __launch_bounds__(max_threads)
    lu_block_kernel(batch<T> A, batch<int64_t> P, bool pivots, int64_t *info, int first, int width,
                    int *sources)
{
    extern __shared__ double2 shared[];
    const int q = blockIdx.x, t = threadIdx.x;
    const auto matrix = A[q];
    const int m = matrix.m - first, n = min(width, matrix.n - first);
    if (m <= 0 || n <= 0) {
        if (first == 0 && t == 0)
            info[q] = 0;
        return;
    }
    lu_thread<T, max_threads> lu(*reinterpret_cast<lu_smem<T, max_threads> *>(shared), m, n);
    T *const a = &matrix(first, first);
    lu.load(a, matrix.ld);
    lu.factor(pivots, pivots ? P[q].p + first : nullptr, first);
    lu.store(a, matrix.ld);
    if (sources != nullptr && t < m)
        sources[static_cast<int64_t>(q) * A.m + first + t] = first + lu.smem.row_at_position[t];
    if (t == 0 && (first == 0 || (info[q] == 0 && lu.failed != 0)))
        info[q] = lu.failed == 0 ? 0 : first + lu.failed;
}

} // namespace startile_cuda

#endif
