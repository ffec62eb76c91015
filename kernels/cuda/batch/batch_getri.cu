/*
 * Inverses of many matrices from their LU factors. Small matrices take one launch, in registers or
 * shared memory (batch_inverse.cuh). Larger matrices take four launches: X := P, X := L⁻¹ X,
 * X := U⁻¹ X, A := X. The batch is cut into chunks, because each matrix of a chunk needs an X.
 *
 * Error bound for larger matrices: for each column of A⁻¹ that of two triangular solves (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., 14.3).
 */
#include "batch/batch_inverse.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T>
struct inverse_task {
    startile_exec *x;
    int count;
    batch<T> A;
    batch<int64_t> P;
    bool pivots; /* P has interchanges; otherwise P is not used */
    int64_t *info;
};

template <typename T, int N>
static int invert_in_warps(const inverse_task<T> &task)
{
    constexpr int threads = lu_group_threads<T, N>;
    return launch(task.x, inverse_warp_kernel<T, N>, ceil_div(task.count, threads / N), threads,
                  task.count, task.A, task.P, task.pivots, task.info);
}

constexpr int inverse_copy_threads = 256;

/* Writes info, sets the copies X to P, and writes the sizes of the copies. */
template <typename T>
__global__ void __launch_bounds__(inverse_copy_threads)
    prepare_inverse_kernel(batch<T> A, batch<int64_t> P, bool pivots, batch<T> copies, int *sizes,
                           int64_t *info)
{
    const int q = blockIdx.x, ld_of_copies = copies.ld;
    const auto a = A[q];
    T *const copy = copies.a + q * copies.stride;
    const int first_zero = first_zero_of_diagonal<T>(a);
    if (threadIdx.x == 0) {
        info[q] = first_zero <= a.n ? first_zero : 0;
        int *const size = sizes + 3 * static_cast<int64_t>(q);
        size[0] = size[1] = a.n;
        size[2] = ld_of_copies;
    }
    for (int i = threadIdx.x; i < a.n; i += inverse_copy_threads) {
        const int source = pivots ? source_of_row(P[q].p, a.n, i) : i;
        for (int j = 0; j < a.n; j++)
            copy[i + static_cast<int64_t>(j) * ld_of_copies] = to_element<T>(j == source, 0);
    }
}

/* Copies the inverses X to A where info is 0. */
template <typename T>
__global__ void __launch_bounds__(inverse_copy_threads)
    store_inverse_kernel(batch<T> A, batch<T> copies, const int64_t *info)
{
    const auto a = A[blockIdx.x], copy = copies[blockIdx.x];
    if (info[blockIdx.x] != 0)
        return;
    for (int j = blockIdx.y; j < a.n; j += gridDim.y)
        for (int i = threadIdx.x; i < a.n; i += inverse_copy_threads)
            a(i, j) = copy(i, j);
}

/* Returns the batch without its first q matrices. */
static startile_matrices matrices_from(const startile_matrices *A, int q, size_t bytes_of_element)
{
    startile_matrices tail = *A;
    if (A->a != nullptr)
        tail.a = static_cast<char *>(A->a) + q * A->stride * static_cast<int64_t>(bytes_of_element);
    if (A->each != nullptr)
        tail.each = A->each + q;
    if (A->sizes != nullptr)
        tail.sizes = A->sizes + 3 * static_cast<int64_t>(q);
    return tail;
}

/* Inverts `count` matrices. `buffer` has the capacity for their copies and sizes. */
template <typename T>
static int invert_chunk(startile_exec *x, int count, const startile_matrices *A,
                        const startile_matrices *P, int64_t *info, void *buffer)
{
    const startile_scalar one = {1, 0};
    const int64_t stride = static_cast<int64_t>(A->n) * A->n;
    int *const sizes = reinterpret_cast<int *>(static_cast<T *>(buffer) + count * stride);
    const startile_matrices copies = {buffer, stride, nullptr, A->n, A->n, A->n, sizes},
                            no_pivots = {};
    if (int error = launch(x, prepare_inverse_kernel<T>, count, inverse_copy_threads, batch<T>(A),
                           batch<int64_t>(P != nullptr ? P : &no_pivots), P != nullptr,
                           batch<T>(&copies), sizes, info))
        return error;
    if (int error = trsm_batch<T>(x, 'L', 'L', 'N', 'U', count, one, A, &copies))
        return error;
    if (int error = trsm_batch<T>(x, 'L', 'U', 'N', 'N', count, one, A, &copies))
        return error;
    const dim3 grid(count, std::min(A->n, 32));
    return launch(x, store_inverse_kernel<T>, grid, inverse_copy_threads, batch<T>(A),
                  batch<T>(&copies), static_cast<const int64_t *>(info));
}

/* Inverts the matrices chunk by chunk. The copies of a chunk take at most copies_bytes, or are
 * those of one matrix. */
template <typename T>
static int invert_in_copies(startile_exec *x, int count, const startile_matrices *A,
                            const startile_matrices *P, int64_t *info)
{
    constexpr size_t copies_bytes = size_t(512) << 20;
    const size_t bytes = static_cast<size_t>(A->n) * A->n * sizeof(T) + 3 * sizeof(int);
    const int at_once = static_cast<int>(std::clamp<size_t>(copies_bytes / bytes, 1, count));
    if (int error = reserve_copy(x, at_once * bytes))
        return error;
    for (int q = 0; q < count; q += at_once) {
        const startile_matrices chunk = matrices_from(A, q, sizeof(T));
        const startile_matrices pivots =
            P != nullptr ? matrices_from(P, q, sizeof(int64_t)) : startile_matrices{};
        if (int error = invert_chunk<T>(x, std::min(at_once, count - q), &chunk,
                                        P != nullptr ? &pivots : nullptr, info + q, x->copy))
            return error;
    }
    return 0;
}

template <typename T>
int getri_batch(startile_exec *x, int count, const startile_matrices *A, const startile_matrices *P,
                int64_t *info)
{
    const startile_matrices no_pivots = {};
    const inverse_task<T> task = {x, count, A, P != nullptr ? P : &no_pivots, P != nullptr, info};
    const int n = A->n;
    if (count == 0)
        return 0;
    if (n <= 8)
        return invert_in_warps<T, 8>(task);
    if (n <= 16)
        return invert_in_warps<T, 16>(task);
    if (n <= 32)
        return invert_in_warps<T, 32>(task);
    const size_t bytes = inverse_block<T>::bytes(n);
    if (n > max_inverse_threads || bytes + 64 > static_cast<size_t>(x->max_smem))
        return invert_in_copies<T>(x, count, A, P, info);
    return launch_with_smem(x, inverse_block_kernel<T>, count, (n + 31) / 32 * 32, bytes, task.A,
                            task.P, task.pivots, task.info);
}

INSTANTIATE(getri_batch);

} // namespace startile_cuda
