/*
 * Columns of matrices in registers: a group of neighbouring lanes of a warp holds one column and
 * applies Householder reflectors to it. The columns of a matrix are independent of each other,
 * except that they use the same reflectors, which pass through shared memory.
 */
#ifndef STARTILE_BATCH_COLUMN_SHARE_CUH
#define STARTILE_BATCH_COLUMN_SHARE_CUH

#include "batch/batch.cuh"
#include "geqrf/reflector.cuh"

namespace startile_cuda
{

constexpr unsigned int all_lanes = 0xffffffff;
/* Row index that stands for tau of the column (or, for R in batch_gels.cu, for its diagonal
 * element) */
constexpr int tau_of_column = -1;

/* Returns the sum of x over a group of lanes, to all lanes of the group. */
template <int lanes, typename T>
__device__ inline T sum_over_lanes(T x)
{
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        if constexpr (element<T>::is_complex)
            x = plus(x, T{__shfl_xor_sync(all_lanes, x.x, distance),
                          __shfl_xor_sync(all_lanes, x.y, distance)});
        else
            x += __shfl_xor_sync(all_lanes, x, distance);
    }
    return x;
}

/* Returns the largest x of a group of lanes, to all lanes of the group. */
template <int lanes>
__device__ inline double largest_over_lanes(double x)
{
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2)
        x = fmax(x, __shfl_xor_sync(all_lanes, x, distance));
    return x;
}

/* Returns x of lane `lane` of the group. */
template <int lanes, typename T>
__device__ inline T from_lane(T x, int lane)
{
    if constexpr (element<T>::is_complex)
        return T{__shfl_sync(all_lanes, x.x, lane, lanes),
                 __shfl_sync(all_lanes, x.y, lane, lanes)};
    else
        return __shfl_sync(all_lanes, x, lane, lanes);
}

/* A vector in memory: a column or, with is_row, the conjugate of a row */
template <typename T>
struct strided_vector {
    T *p;
    int64_t step;
    int length;
    bool is_row;

    __device__ T get(int i) const
    {
        return is_row ? conjugate(p[i * step]) : p[i * step];
    }

    __device__ void put(int i, T x) const
    {
        p[i * step] = is_row ? conjugate(x) : x;
    }
};

/* One lane's part of a column, in registers: rows lane, lane + lanes, …, with zeros after the last
 * row. In dot() and add(), v(i) is element i of a vector that is also zero after the last row. */
template <typename T, int lanes_, int rows_, int columns_ = 1>
struct column_share {
    static constexpr int lanes = lanes_, rows = rows_, capacity = lanes * rows;
    /* Number of columns of which a lane has a part at the same time */
    static constexpr int columns = columns_;
    /* Independent accumulators of a sum, because an addition waits for the one before */
    static constexpr int accumulators = 4;
    static constexpr int words = rows * int(sizeof(T) / 4); /* 32-bit registers of e */
    /* Minimal number of thread blocks resident on a multiprocessor */
    static constexpr int min_blocks = words <= 16 ? 3 : words <= 32 ? 2 : 1;
    T e[rows];
    int lane;

    __device__ int row(int r) const
    {
        return lane + r * lanes;
    }

    __device__ void load(const strided_vector<T> &from)
    {
        const T *p = from.p + lane * from.step;
#pragma unroll
        for (int r = 0; r < rows; r++, p += lanes * from.step)
            e[r] = row(r) < from.length ? *p : to_element<T>(0, 0);
        conjugate_if_row(from.is_row);
    }

    __device__ void store(const strided_vector<T> &to)
    {
        conjugate_if_row(to.is_row);
        int64_t step = to.step;
        /* Keeps the compiler from holding the addresses in registers since load(). */
        asm volatile("" : "+l"(step));
        T *p = to.p + lane * step;
#pragma unroll
        for (int r = 0; r < rows; r++, p += lanes * step)
            if (row(r) < to.length)
                *p = e[r];
    }

    /* Conjugates the part if the column is a row of the matrix. */
    __device__ void conjugate_if_row(bool is_row)
    {
        if (element<T>::is_complex && is_row)
#pragma unroll
            for (int r = 0; r < rows; r++)
                e[r] = conjugate(e[r]);
    }

    /* Returns vᴴ times the column. Skips the rows before top · lanes. */
    template <int top = 0, typename V>
    __device__ T dot(const V &v) const
    {
        T part[accumulators];
#pragma unroll
        for (int s = 0; s < accumulators; s++)
            part[s] = to_element<T>(0, 0);
#pragma unroll
        for (int r = top; r < rows; r++)
            part[r % accumulators] =
                multiply_add(conjugate(v(row(r))), e[r], part[r % accumulators]);
        return sum_over_lanes<lanes>(plus(plus(part[0], part[1]), plus(part[2], part[3])));
    }

    /* Adds multiple · v to the column, from row top · lanes on. If the part is large, reads v again
     * instead of keeping it from dot() on, which would take too many registers. */
    template <int top = 0, typename V>
    __device__ void add(T multiple, const V &v)
    {
        if constexpr (words > 64)
            asm volatile("" ::: "memory");
#pragma unroll
        for (int r = top; r < rows; r++)
            e[r] = multiply_add(multiple, v(row(r)), e[r]);
    }

    /* Returns element i, top · lanes ≤ i < end · lanes, to all lanes of the group. */
    template <int top = 0, int end = rows>
    __device__ T at(int i) const
    {
        T mine = to_element<T>(0, 0);
#pragma unroll
        for (int r = top; r < end; r++)
            if (row(r) == i)
                mine = e[r];
        return from_lane<lanes>(mine, i % lanes);
    }

    __device__ void set(int i, T x)
    {
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (row(r) == i)
                e[r] = x;
    }

    /* Sets the rows from i on to zero. */
    __device__ void clear_from(int i)
    {
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (row(r) >= i)
                e[r] = to_element<T>(0, 0);
    }
};

/* A column of any length, which stays in global memory. Slow. */
template <typename T>
struct long_column {
    static constexpr int lanes = 32, capacity = 0, min_blocks = 1, columns = 1;
    strided_vector<T> place;
    int lane;

    __device__ void load(const strided_vector<T> &from)
    {
        place = from;
    }

    __device__ void store(const strided_vector<T> &) const
    {
    }

    template <typename V>
    __device__ T dot(const V &v) const
    {
        T sum = to_element<T>(0, 0);
        for (int i = lane; i < place.length; i += lanes)
            sum = multiply_add(conjugate(v(i)), place.get(i), sum);
        return sum_over_lanes<lanes>(sum);
    }

    template <typename V>
    __device__ void add(T multiple, const V &v)
    {
        for (int i = lane; i < place.length; i += lanes)
            place.put(i, multiply_add(multiple, v(i), place.get(i)));
    }

    __device__ T at(int i) const
    {
        const bool mine = i % lanes == lane && i < place.length;
        return from_lane<lanes>(mine ? place.get(i) : to_element<T>(0, 0), i % lanes);
    }

    __device__ void set(int i, T x)
    {
        if (i % lanes == lane && i < place.length)
            place.put(i, x);
    }

    __device__ void clear_from(int i)
    {
        for (int l = lane; l < place.length; l += lanes)
            if (l >= i)
                place.put(l, to_element<T>(0, 0));
    }
};

/* Bytes of shared memory in which a thread block stages columns. If two columns need more,
 * columns_bytes is larger. */
constexpr int columns_smem_bytes = 24 << 10;

/* Number of columns that a thread block stages at a time */
template <typename Share, typename T>
constexpr int columns_at_once = Share::capacity == 0 ? 0
                                : columns_smem_bytes > (Share::capacity + 1) * int(sizeof(T)) * 2
                                    ? columns_smem_bytes / ((Share::capacity + 1) * int(sizeof(T)))
                                    : 2;

template <typename Share, typename T>
constexpr int columns_bytes = columns_at_once<Share, T> *(Share::capacity + 1) * int(sizeof(T));

/* Calls use(j, v) for j = 0, 1, … count − 1 (forward) or in reverse order, by all threads of a
 * block. v(i) is element(i, j); i is a row or tau_of_column. Columns pass through `buffer`,
 * columns_bytes of shared memory. */
template <typename Share, typename T, typename Element, typename Use>
__device__ inline void for_each_column(int count, bool forward, T *buffer, const Element &element,
                                       const Use &use)
{
    if constexpr (Share::capacity == 0) {
        for (int s = 0; s < count; s++) {
            const int j = forward ? s : count - 1 - s;
            use(j, [&element, j](int i) { return element(i, j); });
        }
    } else {
        constexpr int at_once = columns_at_once<Share, T>, length = Share::capacity + 1;
        const int chunks = (count + at_once - 1) / at_once;
        for (int c = 0; c < chunks; c++) {
            const int begin = (forward ? c : chunks - 1 - c) * at_once;
            const int end = min(count, begin + at_once);
            __syncthreads();
            for (int e = threadIdx.x; e < (end - begin) * length; e += blockDim.x)
                buffer[e] = element(e % length - 1, begin + e / length);
            __syncthreads();
            for (int s = begin; s < end; s++) {
                const int j = forward ? s : begin + end - 1 - s;
                const T *column = buffer + (j - begin) * length + 1;
                use(j, [=](int i) { return column[i]; });
            }
        }
    }
}

/* Reflectors as geqrf stores them: vectors below the diagonal of the matrix. operator() adds the
 * ones on the diagonal and the zeros above. */
template <typename T>
struct reflectors_of_matrix {
    const T *a, *tau;
    int64_t ld;
    int m;

    __device__ T operator()(int i, int j) const
    {
        if (i == tau_of_column)
            return tau[j];
        return i > j && i < m ? a[i + j * ld] : to_element<T>(i == j, 0);
    }
};

/* Multiplies the columns by Qᴴ (forward) or by Q. Q is the product of `count` reflectors. */
template <typename Share, int columns, typename T>
__device__ inline void reflect(Share (&column)[columns], int count, bool forward, T *buffer,
                               const reflectors_of_matrix<T> &q)
{
    for_each_column<Share>(count, forward, buffer, q, [&](int, const auto &v) {
        const T tau = v(tau_of_column), minus_tau = scaled<T>(-1, forward ? conjugate(tau) : tau);
        T product[columns];
#pragma unroll
        for (int c = 0; c < columns; c++)
            product[c] = column[c].dot(v);
#pragma unroll
        for (int c = 0; c < columns; c++)
            column[c].add(multiply(minus_tau, product[c]), v);
    });
}

/* Calls f(share) with the column_share of least capacity ≥ m, or with long_column if m >
 * max_panel_rows. For elements of at most 8 bytes and m ≤ 512, a lane has parts of two columns, so
 * that one read of v from shared memory serves both. */
template <typename T, typename F>
int with_share(int m, F f)
{
    constexpr int columns = sizeof(T) <= 8 ? 2 : 1;
    if (m <= 32)
        return f(column_share<T, 4, 8, columns>{});
    if (m <= 64)
        return f(column_share<T, 8, 8, columns>{});
    if (m <= 128)
        return f(column_share<T, 8, 16, columns>{});
    if (m <= 256)
        return f(column_share<T, 16, 16, columns>{});
    if (m <= 512)
        return f(column_share<T, 32, 16, columns>{});
    if (m <= max_panel_rows)
        return f(column_share<T, 32, 32>{});
    return f(long_column<T>{});
}

constexpr int share_threads = 256;

/* Returns the number of threads of a block that has n columns, `lanes` lanes each, limited to
 * share_threads. */
inline int threads_for(int n, int lanes)
{
    const int64_t needed = (int64_t(n) * lanes + 31) / 32 * 32;
    return static_cast<int>(needed < 32 ? 32 : needed < share_threads ? needed : share_threads);
}

/* Returns the number of thread blocks of a kernel that goes over `problems` problems in strides of
 * the grid size. */
inline unsigned int blocks_for(int64_t problems)
{
    constexpr int64_t max_blocks = int64_t(1) << 30;
    return static_cast<unsigned int>(problems < max_blocks ? problems : max_blocks);
}

/* Arguments of reflect_batch: multiplies columns column … column + vectors − 1 of C, of which some
 * may be missing, from row `row` on, by op(Q). is_row: the conjugated rows of C take the place of
 * columns. Q has up to `count` reflectors, from column `row` of A to its last column or, with
 * count_from_tau, to the last element of tau. forward: op(Q) = Qᴴ */
template <typename T>
struct reflection {
    batch<T> A, tau, C;
    int row, column, count, vectors;
    bool count_from_tau, is_row, forward;
};

/* Multiplies by op(Q). length: maximal length of the columns, or rows, of C from `row` on.
 * (batch_ormqr.cu) */
template <typename T>
int reflect_batch(startile_exec *x, int count, const reflection<T> &task, int length);

} // namespace startile_cuda

#endif
