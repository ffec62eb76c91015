/*
 * Solves least-squares and least-norm problems of a batch by the QR factorization S = Q R. S is A
 * if A has at least as many rows as columns, otherwise a copy of Aᴴ. Then
 * - S X = B in least squares is R X = the first rows of Qᴴ B,
 * - Sᴴ X = B in least norm is X = Q [R⁻ᴴ B; 0].
 *
 * After geqrf, one kernel solves with columns of B in registers, while the reflectors and R pass
 * through shared memory. Small systems have a kernel of their own (batch_gels_few.cuh). Few large
 * matrices are multiplied by Q one after the other (batch_large.cuh).
 *
 * Error, that of the QR factorization included: the computed X is the exact solution for A + ΔA
 * with a small constant c and ‖ΔA‖_F ≤ c m n eps ‖A‖_F (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., theorems 20.3 and 21.4).
 */
#include "batch/batch_gels_few.cuh"
#include "batch/batch_large.cuh"
#include "batch/batch_solve.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int gather_threads = 256;

/* Copies A, or Aᴴ if A is wide, to S with leading dimension ld. Writes m, n and ld of S to
 * sizes. */
template <typename T>
__global__ void __launch_bounds__(gather_threads)
    gather_tall_kernel(batch<T> A, T *s, int64_t stride, int ld, int *sizes, int count)
{
    for (int q = blockIdx.x; q < count; q += gridDim.x) {
        const auto a = A[q];
        const bool wide = a.m < a.n;
        T *to = s + q * stride;
        for (int64_t e = threadIdx.x; e < int64_t(a.m) * a.n; e += gather_threads) {
            const int i = static_cast<int>(e % a.m), j = static_cast<int>(e / a.m);
            const T value = a(i, j);
            if (wide)
                to[j + i * int64_t(ld)] = conjugate(value);
            else
                to[i + j * int64_t(ld)] = value;
        }
        if (threadIdx.x == 0) {
            sizes[3 * int64_t(q)] = max(a.m, a.n);
            sizes[3 * int64_t(q) + 1] = min(a.m, a.n);
            sizes[3 * int64_t(q) + 2] = ld;
        }
    }
}

/* Returns the 1-based index of the first zero on R's diagonal, or 0, to all threads of the
 * block. */
template <typename T>
__device__ inline int first_zero_of(const T *r, int64_t ld, int n)
{
    __shared__ int first;
    __syncthreads();
    if (threadIdx.x == 0)
        first = n;
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        if (is_zero(r[j + j * ld]))
            atomicMin(&first, j);
    __syncthreads();
    return first < n ? first + 1 : 0;
}

/* Columns of R, with zeros on and below the diagonal. The diagonal element is at index
 * tau_of_column. */
template <typename T>
struct triangle_of_matrix {
    const T *a;
    int64_t ld;

    __device__ T operator()(int i, int j) const
    {
        if (i == tau_of_column)
            return a[j + j * ld];
        return i < j ? a[i + j * ld] : to_element<T>(0, 0);
    }
};

/* Multiplies the first n elements of the column by R⁻¹, or by R⁻ᴴ with by_adjoint. */
template <typename Share, typename T>
__device__ inline void substitute(Share &column, int n, bool by_adjoint, T *buffer,
                                  const triangle_of_matrix<T> &triangle)
{
    for_each_column<Share>(n, by_adjoint, buffer, triangle, [&](int j, const auto &r) {
        const T diagonal = r(tau_of_column), top = column.at(j);
        if (by_adjoint) {
            const T known = scaled<T>(-1, column.dot(r));
            column.set(j, quotient(plus(top, known), conjugate(diagonal)));
        } else {
            const T x = quotient(top, diagonal);
            column.set(j, x);
            column.add(scaled<T>(-1, x), r);
        }
    });
}

/* Solves with the factors of S. One thread block has a tile of columns of B of one matrix, a group
 * of lanes per column. */
template <typename T, typename Share>
__global__ void __launch_bounds__(share_threads, Share::min_blocks)
    solve_tall_kernel(tall_systems<T> systems, int count, int tiles)
{
    extern __shared__ double2 solve_smem[];
    T *buffer = reinterpret_cast<T *>(solve_smem);
    for (int64_t problem = blockIdx.x; problem < int64_t(count) * tiles; problem += gridDim.x) {
        const int q = static_cast<int>(problem / tiles), tile = static_cast<int>(problem % tiles);
        const auto s = systems.S[q], b = systems.B[q], a = systems.A[q];
        const int m = max(a.m, a.n), n = min(a.m, a.n), first = tile * blockDim.x / Share::lanes;
        const int first_zero = b.n > 0 ? first_zero_of(s.p, s.ld, n) : 0;
        if (tile == 0 && threadIdx.x == 0)
            systems.info[q] = first_zero;
        if (first_zero > 0 || first >= b.n)
            continue;
        const int mine = first + threadIdx.x / Share::lanes;
        Share columns[1], &column = columns[0];
        column.lane = threadIdx.x % Share::lanes;
        const strided_vector<T> place = {b.p + mine * int64_t(b.ld), 1, mine < b.n ? m : 0, false};
        const reflectors_of_matrix<T> q_factor = {s.p, systems.tau[q].p, s.ld, m};
        const triangle_of_matrix<T> r_factor = {s.p, s.ld};
        const bool is_least_norm = (a.m >= a.n) == systems.adjoint || n == 0;
        column.load(place);
        if (is_least_norm)
            column.clear_from(n);
        else
            reflect(columns, n, true, buffer, q_factor);
        substitute(column, n, is_least_norm, buffer, r_factor);
        if (is_least_norm)
            reflect(columns, n, false, buffer, q_factor);
        column.store(place);
    }
}

/* Returns the batch without its first q matrices. */
template <typename T>
static startile_matrices matrices_from(const startile_matrices *A, int q)
{
    startile_matrices from = *A;
    if (A->each != nullptr)
        from.each = A->each + q;
    else
        from.a = static_cast<T *>(A->a) + q * A->stride;
    if (A->sizes != nullptr)
        from.sizes = A->sizes + 3 * static_cast<int64_t>(q);
    return from;
}

/* info := the 1-based index of the first zero on R's diagonal, or 0; 0 without right-hand sides */
template <typename T>
__global__ void __launch_bounds__(gather_threads) find_zero_kernel(tall_systems<T> systems)
{
    const int q = blockIdx.x;
    const auto s = systems.S[q];
    const int first_zero = systems.B[q].n > 0 ? first_zero_of(s.p, s.ld, s.n) : 0;
    if (threadIdx.x == 0)
        systems.info[q] = first_zero;
}

/* B := 0 from row `first` on, if the matrix' info is 0; one thread block per matrix */
template <typename T>
__global__ void __launch_bounds__(gather_threads)
    clear_below_kernel(batch<T> B, int first, const int64_t *info)
{
    const auto b = B[blockIdx.x];
    if (info[blockIdx.x] != 0)
        return;
    for (int j = 0; j < b.n; j++)
        for (int i = first + threadIdx.x; i < b.m; i += gather_threads)
            b(i, j) = to_element<T>(0, 0);
}

/* Solves with the factors of few large matrices S of one size, which are multiplied by Q one after
 * the other. */
template <typename T>
static int solve_one_by_one(startile_exec *x, bool is_least_norm, int count,
                            const startile_matrices &S, const startile_matrices &tau,
                            const startile_matrices *B, const tall_systems<T> &systems)
{
    startile_matrices R = S, top = *B;
    R.m = top.m = S.n;
    const solve_view view('L', 'U', is_least_norm ? 'C' : 'N', 'N');
    const solves<T> triangles = {&R, &top, view, to_element<T>(1, 0), systems.info};
    if (int error = launch(x, find_zero_kernel<T>, count, gather_threads, systems))
        return error;
    if (B->n == 0)
        return 0;
    if (!is_least_norm) { /* S = Q R, X := R^-1 (Q^H B) */
        if (int error = ormqr_one_by_one<T>(x, 'C', count, &S, &tau, B, systems.info))
            return error;
        return solve_large(x, count, triangles);
    }
    /* X := Q [R^-H B; 0] */
    if (int error = launch(x, clear_below_kernel<T>, count, gather_threads, batch<T>(B), S.n,
                           static_cast<const int64_t *>(systems.info)))
        return error;
    if (int error = solve_large(x, count, triangles))
        return error;
    return ormqr_one_by_one<T>(x, 'N', count, &S, &tau, B, systems.info);
}

/* Solves `count` problems. copy: memory for the copies S of the matrices, and for the sizes of S;
 * null: A is overwritten by the factors. */
template <typename T>
static int solve_chunk(startile_exec *x, bool adjoint, int count, const startile_matrices *A,
                       const startile_matrices *B, T *taus, T *copy, int64_t *info)
{
    const int rows = std::max(A->m, A->n), columns = std::min(A->m, A->n), ld = std::max(rows, 1);
    startile_matrices S = *A;
    const startile_matrices tau = {taus,   columns, nullptr, columns, 1, std::max(columns, 1),
                                   nullptr};
    if (copy != nullptr) {
        const int64_t size = int64_t(ld) * columns;
        int *sizes = reinterpret_cast<int *>(copy + count * size);
        S = {copy, size, nullptr, rows, columns, ld, sizes};
        if (int error = launch(x, gather_tall_kernel<T>, count, gather_threads, batch<T>(A), copy,
                               size, ld, sizes, count))
            return error;
    }
    if (int error = geqrf_batch<T>(x, count, &S, &tau))
        return error;
    const tall_systems<T> systems = {&S, &tau, A, B, adjoint, info};
    const bool is_fixed = A->sizes == nullptr && B->sizes == nullptr;
    if (is_fixed && columns > largest_in_registers<T> && geqrf_is_one_by_one(count, A)) {
        S.sizes = nullptr; /* all have the size of S */
        return solve_one_by_one(x, (A->m >= A->n) == adjoint, count, S, tau, B, systems);
    }
    if (rows <= few_rows && B->n <= few_columns) {
        const int sides = std::max(B->n, 1);
        return launch(x, solve_few_kernel<T>, ceil_div(32 * int64_t(count) * sides, few_threads),
                      few_threads, systems, count, sides);
    }
    return with_share<T>(rows, [&](auto share) {
        using Share = decltype(share);
        const int threads = threads_for(B->n, Share::lanes);
        const int tiles = ceil_div(std::max(B->n, 1), threads / Share::lanes);
        return launch_with_smem(x, solve_tall_kernel<T, Share>, blocks_for(int64_t(count) * tiles),
                                threads, columns_bytes<Share, T>, systems, count, tiles);
    });
}

/* Maximal bytes of the copies that exist at a time, unless one copy takes more; a batch may have
 * millions of matrices */
constexpr int64_t copies_bytes = int64_t(256) << 20;

template <typename T>
int gels_batch(startile_exec *x, char trans, int count, const startile_matrices *A,
               const startile_matrices *B, int64_t *info)
{
    if (count == 0)
        return 0;
    const bool copies = A->m < A->n || A->sizes != nullptr;
    const int64_t columns = std::min(A->m, A->n), rows = std::max({A->m, A->n, 1});
    const int64_t elements = (copies ? rows * columns : 0) + columns;
    const int64_t bytes = elements * int64_t(sizeof(T)) + 3 * int64_t(sizeof(int));
    const int at_once =
        static_cast<int>(std::min<int64_t>(count, std::max<int64_t>(1, copies_bytes / bytes)));
    /* not in the workspace, which geqrf uses */
    if (int error = reserve_copy(x, size_t(at_once) * bytes))
        return error;
    T *taus = static_cast<T *>(x->copy);
    for (int64_t q = 0; q < count; q += at_once) {
        const int first = static_cast<int>(q);
        const int chunk = std::min(at_once, count - first);
        const startile_matrices a = matrices_from<T>(A, first), b = matrices_from<T>(B, first);
        if (int error = solve_chunk<T>(x, trans != 'N', chunk, &a, &b, taus,
                                       copies ? taus + chunk * columns : nullptr, info + q))
            return error;
    }
    return 0;
}

INSTANTIATE(gels_batch);

} // namespace startile_cuda
