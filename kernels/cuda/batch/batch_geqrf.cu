/*
 * QR of a batch. A thread block has a panel of a matrix, or a whole small matrix, in registers. A
 * group of 1 to 32 lanes holds a column. Column j, with buffer j % 2:
 *
 *     group of column j                            groups of columns > j
 *
 *     make_reflector: v and tau
 *       -> shared memory v[j % 2]
 *     __syncthreads, or __syncwarp where a warp has the whole matrix
 *                                                  product = v^H column (shuffles in the group)
 *                                                  column -= conj(tau) product v
 *
 * The two buffers save a second barrier per column. The columns right of a panel are multiplied by
 * its reflectors as the columns of C in ormqr (batch_ormqr.cu).
 *
 * Error bound of Householder's method: ‖ΔA‖_F ≤ c m n eps ‖A‖_F with a small constant c, column by
 * column (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 19.3). A column whose
 * squares might overflow or underflow is divided by a power of two first.
 */
#include "batch/batch_column_share.cuh"
#include "batch/batch_large.cuh"

#include <algorithm>

namespace startile_cuda
{

/* A sum of squares between these bounds has lost no noticeable part to overflow or underflow. */
template <typename T>
constexpr double min_square = sizeof(typename element<T>::real) == 8 ? 1e-290 : 1e-30;
template <typename T>
constexpr double max_square = sizeof(typename element<T>::real) == 8 ? 1e300 : 1e36;

/* Limit of the exponent e of a power of two that scales a column. Up to it, with a margin, 2^e and
 * 2^−e are normal numbers of the type. */
template <typename T>
constexpr int exponent_limit = sizeof(typename element<T>::real) == 8 ? 1000 : 120;

/* Returns |x|². */
template <typename T>
__device__ inline typename element<T>::real square_of(T x)
{
    if constexpr (element<T>::is_complex)
        return fma(x.x, x.x, x.y * x.y);
    else
        return x * x;
}

/* Rows of columns first … last − 1 of a panel, as indices in a share: rows before top · lanes are
 * final, and rows from under · lanes on are below the diagonal of all these columns. */
template <typename Share, int first, int last>
struct column_range {
    static constexpr int top = first / Share::lanes;
    static constexpr int under_diagonal = (last + Share::lanes - 1) / Share::lanes;
    static constexpr int under = under_diagonal < Share::rows ? under_diagonal : Share::rows;
};

/* Calls f(e[r], i, r) for the rows i ≥ j of a share, where r is the index of row i in the share. */
template <typename Range, typename Share, typename F>
__device__ inline void for_rows_from(Share &column, int j, const F &f)
{
#pragma unroll
    for (int r = Range::top; r < Share::rows; r++)
        if (r >= Range::under || column.row(r) >= j)
            f(column.e[r], column.row(r), r);
}

/* Returns the sum of squares of the column below row j. */
template <typename Range, typename T, int lanes, int rows>
__device__ inline double square_below(column_share<T, lanes, rows> &column, int j)
{
    typename element<T>::real part[4] = {};
    for_rows_from<Range>(column, j + 1, [&](T e, int, int r) { part[r % 4] += square_of(e); });
    return sum_over_lanes<lanes>((part[0] + part[1]) + (part[2] + part[3]));
}

/* Returns a power of two near the column's largest element from row j on, and divides these rows by
 * it. If not `mine`, or if the largest element is zero, infinite or NaN, returns 1. Sets *is_zero
 * to whether all elements below row j are zero. */
template <typename Range, typename T, int lanes, int rows>
__device__ inline double scale_column(column_share<T, lanes, rows> &column, int j, bool mine,
                                      bool *is_zero)
{
    double below = 0, all = 0;
    for_rows_from<Range>(column, j, [&](T e, int i, int) {
        const double size = largest_part(convert<wide<T>>(e));
        all = fmax(all, size);
        below = i > j ? fmax(below, size) : below;
    });
    all = largest_over_lanes<lanes>(all);
    *is_zero = largest_over_lanes<lanes>(below) == 0;
    constexpr int limit = exponent_limit<T>;
    const bool is_scaled = mine && all > 0 && all <= DBL_MAX;
    const double power = is_scaled ? ldexp(1.0, min(max(ilogb(all), -limit), limit)) : 1;
    const typename element<T>::real inverse = 1 / power;
    for_rows_from<Range>(column, j, [&](T &e, int, int) { e = scaled<T>(inverse, e); });
    return power;
}

/* Called by a whole warp. Computes the reflector of column j. The group that holds the column
 * (`mine`) writes the reflector to v; v[tau_of_column], before row 0, gets tau. */
template <typename Range, typename T, int lanes, int rows>
__device__ inline void make_reflector(column_share<T, lanes, rows> &column, int j, bool mine, T *v)
{
    using S = wide<T>;
    const auto norm_squared = [&](S top, double square) {
        return fma(real_part(top), real_part(top),
                   fma(imaginary_part(top), imaginary_part(top), square));
    };
    S alpha = convert<S>(column.template at<Range::top, Range::under>(j));
    double square = square_below<Range>(column, j), power = 1;
    bool is_zero = false;
    const bool is_safe = square > min_square<T> && norm_squared(alpha, square) < max_square<T>;
    if (__any_sync(all_lanes, mine && !is_safe)) {
        power = scale_column<Range>(column, j, mine && !is_safe, &is_zero);
        alpha = convert<S>(column.template at<Range::top, Range::under>(j));
        square = square_below<Range>(column, j);
        is_zero = is_zero && !is_safe;
    }
    const reflector<S> h = reflector_of(alpha, square, is_zero);
    if (!mine)
        return;
    const T scale = convert<T>(h.scale);
    for_rows_from<Range>(column, j, [&](T &e, int i, int) {
        e = i == j ? to_element<T>(h.beta * power, 0) : multiply(scale, e);
        v[i] = i == j ? to_element<T>(1, 0) : e;
    });
#pragma unroll
    for (int r = Range::top; r < Range::under; r++)
        if (column.row(r) < j)
            v[column.row(r)] = to_element<T>(0, 0);
    if (column.lane == 0)
        v[tau_of_column] = convert<T>(h.tau);
}

/* Layout of a panel in a thread block, and number of matrices per block. fits_warp: a warp has one
 * panel or several. is_staged: one lane has a whole column; then matrices pass through shared
 * memory, so that neighbouring lanes access neighbouring elements in global memory. */
template <typename T, int columns_, int lanes, int rows>
struct panel_shape {
    using share = column_share<T, lanes, rows>;
    static constexpr int columns = columns_, threads_of_matrix = columns * lanes;
    static constexpr bool fits_warp = threads_of_matrix <= 32, is_staged = lanes == 1;
    static constexpr int stride = share::capacity + 1, stage = is_staged ? columns * stride : 0;
    /* Elements before row 0 of a vector, such that row 0 is aligned */
    static constexpr int gap = 16 / int(sizeof(T));
    static constexpr int vector = (share::capacity / gap + 1) * gap;
    static constexpr int bytes_of_matrix = (2 * vector + stage) * int(sizeof(T));
    static constexpr int max_matrices = fits_warp ? 128 / threads_of_matrix : 1;
    static constexpr int min_matrices = fits_warp ? 32 / threads_of_matrix : 1;
    static constexpr int matrices =
        max_matrices * bytes_of_matrix <= (40 << 10) ? max_matrices : min_matrices;
    static constexpr int threads = matrices * threads_of_matrix;
    static constexpr int blocks = std::max(1, share::min_blocks *share_threads / threads);
    /* Number of ranges of columns with code of their own, which skips the rows that are final */
    static constexpr int column_ranges = columns < share::capacity || rows < 8 ? 1 : 4;
};

/* Factors columns first … last − 1 of a panel. count: number of reflectors of the whole panel.
 * mine: column of this thread's group. tau: destination of that column's tau, or null */
template <typename Shape, int first, typename T>
__device__ inline void factor_range(typename Shape::share &column, int mine, int count, T *v,
                                    T *tau)
{
    constexpr int last = first + Shape::columns / Shape::column_ranges, lanes = Shape::share::lanes;
    using Range = column_range<typename Shape::share, first, last>;
    const int warp = Shape::fits_warp ? 0 : threadIdx.x / 32 * 32 / lanes;
    const int warp_end = Shape::fits_warp ? Shape::columns : warp + 32 / lanes;
    for (int j = first; j < min(last, count); j++) {
        T *now = v + j % 2 * Shape::vector;
        if (j >= warp && j < warp_end)
            make_reflector<Range>(column, j, mine == j, now);
        if constexpr (Shape::fits_warp)
            __syncwarp();
        else
            __syncthreads();
        if (mine == j && column.lane == 0 && tau != nullptr)
            tau[j] = now[tau_of_column];
        if (warp_end <= j + 1)
            continue;
        const auto vector = [=](int i) { return now[i]; };
        const T product = column.template dot<Range::top>(vector);
        const T multiple = multiply(scaled<T>(-1, conjugate(now[tau_of_column])), product);
        if (mine > j)
            column.template add<Range::top>(multiple, vector);
    }
}

/* Calls move(element in global memory, element in shared memory) for a matrix, by the threads of
 * that matrix. Pads the shared memory with zeros. */
template <typename Shape, typename T, typename Move>
__device__ inline void for_each_staged(const strided_vector<T> &a, int n, int thread, T *stage,
                                       const Move &move)
{
    constexpr int rows = Shape::share::capacity;
#pragma unroll 8
    for (int s = 0; s < rows * Shape::columns / Shape::threads_of_matrix; s++) {
        const int e = thread + s * Shape::threads_of_matrix, i = e % rows, j = e / rows;
        if (i < a.length && j < n)
            move(a.p[i + j * a.step], stage[i + j * Shape::stride]);
        else
            stage[i + j * Shape::stride] = to_element<T>(0, 0);
    }
    __syncwarp();
}

/* Factors columns first … last − 1 of each matrix, from row `first` on. The shape has at least that
 * many columns. */
template <typename T, typename Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    factor_panel_kernel(batch<T> A, batch<T> taus, int first, int last, int count)
{
    using share = typename Shape::share;
    __shared__ __align__(16) T vectors[Shape::matrices][2 * Shape::vector];
    __shared__ T stages[Shape::matrices][Shape::stage + 1];
    const int slot = threadIdx.x / Shape::threads_of_matrix;
    const int thread = threadIdx.x % Shape::threads_of_matrix;
    const int64_t q = int64_t(blockIdx.x) * Shape::matrices + slot;
    typename batch<T>::matrix a = {nullptr, 0, 0, 0};
    if (q < count)
        a = A[static_cast<int>(q)];
    const int m = max(a.m - first, 0), n = max(min(a.n, last) - first, 0);
    const int mine = thread / share::lanes, reflectors = min(m, n);
    T *corner = a.p + first + first * int64_t(a.ld), *stage = stages[slot];
    share column;
    column.lane = thread % share::lanes;
    const strided_vector<T> all = {corner, a.ld, m, false};
    const strided_vector<T> place = {corner + mine * int64_t(a.ld), 1, mine < n ? m : 0, false};
    const strided_vector<T> staged = {stage + mine * Shape::stride, 1, share::capacity, false};
    if constexpr (Shape::is_staged)
        for_each_staged<Shape>(all, n, thread, stage, [](T &from, T &to) { to = from; });
    column.load(Shape::is_staged ? staged : place);

    const int upto = Shape::fits_warp ? __reduce_max_sync(all_lanes, reflectors) : reflectors;
    T *tau = mine < reflectors ? taus[static_cast<int>(q)].p + first : nullptr;
    T *v = vectors[slot] + Shape::gap;
    constexpr int step = Shape::columns / Shape::column_ranges;
    factor_range<Shape, 0>(column, mine, upto, v, tau);
    if constexpr (Shape::column_ranges == 4) {
        factor_range<Shape, step>(column, mine, upto, v, tau);
        factor_range<Shape, 2 * step>(column, mine, upto, v, tau);
        factor_range<Shape, 3 * step>(column, mine, upto, v, tau);
    }

    column.store(Shape::is_staged ? staged : place);
    if constexpr (Shape::is_staged) {
        __syncwarp();
        for_each_staged<Shape>(all, n, thread, stage, [](T &to, T &from) { to = from; });
    }
}

/* Computes reflector j from a column of any length in global memory, by a thread block. */
template <typename T>
__device__ inline void make_long_reflector(T *a, int m, int j, T *tau)
{
    using S = wide<T>;
    __shared__ double list[2][32];
    __shared__ double found[2];
    const auto over_block = [&](double x, int which, bool is_sum) {
        x = is_sum ? sum_over_lanes<32>(x) : largest_over_lanes<32>(x);
        if (threadIdx.x % 32 == 0)
            list[which][threadIdx.x / 32] = x;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < int(blockDim.x) / 32; w++)
                x = is_sum ? x + list[which][w] : fmax(x, list[which][w]);
            found[which] = x;
        }
        __syncthreads();
        return found[which];
    };
    double max_part = 0, square = 0;
    for (int i = j + 1 + threadIdx.x; i < m; i += blockDim.x)
        max_part = fmax(max_part, largest_part(convert<S>(a[i])));
    max_part = over_block(max_part, 0, false);
    const bool is_zero = max_part == 0;
    max_part = fmax(max_part, largest_part(convert<S>(a[j])));
    const bool is_scaled = max_part > 0 && max_part <= DBL_MAX;
    const double power = is_scaled ? ldexp(1.0, min(max(ilogb(max_part), -1000), 1000)) : 1;
    for (int i = j + 1 + threadIdx.x; i < m; i += blockDim.x)
        square += square_of(scaled<S>(1 / power, convert<S>(a[i])));
    square = over_block(square, 1, true);
    const auto h = reflector_of(scaled<S>(1 / power, convert<S>(a[j])), square, is_zero);
    __syncthreads();
    for (int i = j + 1 + threadIdx.x; i < m; i += blockDim.x)
        a[i] = convert<T>(multiply(h.scale, scaled<S>(1 / power, convert<S>(a[i]))));
    if (threadIdx.x == 0) {
        a[j] = to_element<T>(h.beta * power, 0);
        *tau = convert<T>(h.tau);
    }
    __syncthreads();
}

/* Factors matrices of any size in global memory, one per thread block; slower than
 * factor_panel_kernel, which holds a panel in registers. For batches of many different sizes. */
template <typename T>
__global__ void __launch_bounds__(share_threads)
    factor_long_kernel(batch<T> A, batch<T> taus, int count)
{
    constexpr int lanes = long_column<T>::lanes;
    for (int q = blockIdx.x; q < count; q += gridDim.x) {
        const auto a = A[q];
        T *tau = taus[q].p;
        for (int j = 0; j < min(a.m, a.n); j++) {
            make_long_reflector(a.p + j * int64_t(a.ld), a.m, j, tau + j);
            const reflectors_of_matrix<T> q_factor = {a.p, tau, a.ld, a.m};
            const auto v = [&](int i) { return q_factor(i, j); };
            const T t = scaled<T>(-1, conjugate(tau[j]));
            for (int c = j + 1 + threadIdx.x / lanes; c < a.n; c += share_threads / lanes) {
                long_column<T> column = {{a.p + c * int64_t(a.ld), 1, a.m, false},
                                         int(threadIdx.x) % lanes};
                column.add(multiply(t, column.dot(v)), v);
            }
            __syncthreads();
        }
    }
}

/* Calls f with the panel_shape for matrices with m remaining rows and n remaining columns. For more
 * than 32 rows the panels have at most 16 columns. Above 64 rows these take less time per column
 * than panels of 32 columns (H200); 33 to 64 rows follow that choice. */
template <typename T, typename F>
int with_panel(int m, int n, F f)
{
    constexpr bool is_large = sizeof(T) == 16; /* fewer columns in the same registers */
    if (m <= 8 && n <= 8)
        return f(panel_shape<T, 8, 1, 8>{});
    if (m <= 16 && n <= 16)
        return f(panel_shape<T, 16, 1, 16>{});
    if (m <= 32)
        return f(panel_shape<T, 32, 4, 8>{});
    if (m <= 64)
        return f(panel_shape<T, 16, 8, 8>{});
    if (m <= 128)
        return f(panel_shape<T, 16, 8, 16>{});
    if (m <= 256)
        return f(panel_shape<T, 16, 16, 16>{});
    if (m <= 512)
        return f(panel_shape < T, is_large ? 8 : 16, 32, 16 > {});
    return f(panel_shape < T, sizeof(T) == 4 ? 16 : 8, 32, 32 > {});
}

/* Factors columns first … last − 1 from row `first` on: as one panel if a panel has that many
 * columns, otherwise by recursion. The recursion factors the left half, applies its reflectors to
 * the right half, and factors the right half. (Elmroth & Gustavson, "Applying recursion to serial
 * and parallel QR factorization leads to better performance", IBM J. Res. Dev. 44, 2000.) */
template <typename T>
static int factor_columns(startile_exec *x, int count, const batch<T> &a, const batch<T> &tau,
                          int first, int last)
{
    const int rows = a.m - first, columns = last - first;
    if (rows <= 0 || columns <= 0)
        return 0;
    int widest = 0;
    if (int error = with_panel<T>(rows, columns, [&](auto panel) {
            using shape = decltype(panel);
            widest = shape::columns;
            if (columns > widest)
                return 0;
            return launch(x, factor_panel_kernel<T, shape>, ceil_div(count, shape::matrices),
                          shape::threads, a, tau, first, last, count);
        }))
        return error;
    if (columns <= widest)
        return 0;
    const int half = std::min(columns / 2, rows), left = std::max(half / widest, 1) * widest;
    const int middle = first + left;
    if (int error = factor_columns(x, count, a, tau, first, middle))
        return error;
    const reflection<T> update = {a,    tau,           a,     first, middle,
                                  left, last - middle, false, false, true};
    if (int error = reflect_batch(x, count, update, rows))
        return error;
    return factor_columns(x, count, a, tau, middle, last);
}

template <typename T>
int geqrf_batch(startile_exec *x, int count, const startile_matrices *A,
                const startile_matrices *tau)
{
    if (count == 0 || A->m == 0 || A->n == 0)
        return 0;
    const batch<T> a = A, taus = tau;
    if (geqrf_is_one_by_one(count, A))
        return geqrf_one_by_one<T>(x, count, A, tau);
    if (A->m > max_panel_rows)
        return launch(x, factor_long_kernel<T>, count, share_threads, a, taus, count);
    return factor_columns(x, count, a, taus, 0, A->n);
}

INSTANTIATE(geqrf_batch);

} // namespace startile_cuda
