#include "batch/batch_large.cuh"

#include "common/operations.cuh"

#include <algorithm>
#include <memory>
#include <new>

namespace startile_cuda
{

/* A batch as the host sees it */
template <typename T>
struct host_batch {
    const startile_matrices *of;
    std::unique_ptr<T *[]> each;  /* addresses of the matrices, or nullptr */
    std::unique_ptr<int[]> sizes; /* m, n, ld of each matrix, or nullptr */

    struct matrix {
        T *p;
        int m, n, ld;

        T *at(int i, int j) const
        {
            return p + i + static_cast<int64_t>(j) * ld;
        }
    };

    matrix operator[](int q) const
    {
        T *p = each ? each[q] : static_cast<T *>(of->a) + q * of->stride;
        const size_t at = 3 * static_cast<size_t>(q);
        if (!sizes)
            return {p, of->m, of->n, of->ld};
        return {p, sizes[at], sizes[at + 1], sizes[at + 2]};
    }
};

/* Copies an array from the device to a new one; waits for the stream. */
template <typename T>
static int fetch_array(startile_exec *x, size_t count, const void *from, std::unique_ptr<T[]> *to)
{
    to->reset(new (std::nothrow) T[count]);
    if (!*to)
        return STARTILE_ERROR_MEMORY;
    if (int error = check(
            cudaMemcpyAsync(to->get(), from, count * sizeof(T), cudaMemcpyDeviceToHost, x->stream)))
        return error;
    return check(cudaStreamSynchronize(x->stream));
}

/* Stores the batch A as the host sees it. */
template <typename T>
static int fetch(startile_exec *x, int count, const startile_matrices *A, host_batch<T> *batch)
{
    batch->of = A;
    if (A->each != nullptr)
        if (int error = fetch_array(x, count, A->each, &batch->each))
            return error;
    return A->sizes != nullptr ? fetch_array(x, 3 * size_t(count), A->sizes, &batch->sizes) : 0;
}

__global__ void store_info_kernel(const startile_tile_status *status, int64_t *info)
{
    *info = status->info;
}

template <typename T>
int potrf_one_by_one(startile_exec *x, char uplo, int count, const startile_matrices *A,
                     int64_t *info)
{
    host_batch<T> a;
    if (int error = fetch(x, count, A, &a))
        return error;
    if (int error = reserve_copy(x, sizeof(startile_tile_status)))
        return error;
    auto *const status = static_cast<startile_tile_status *>(x->copy);
    if (int error = check(cudaMemsetAsync(info, 0, count * sizeof *info, x->stream)))
        return error;
    for (int q = 0; q < count; q++) {
        const auto matrix = a[q];
        if (matrix.n == 0)
            continue;
        if (int error = potrf<T>(x, uplo, matrix.n, matrix.p, matrix.ld, nullptr, 0, status))
            return error;
        if (int error = launch(x, store_info_kernel, 1, 1,
                               static_cast<const startile_tile_status *>(status), info + q))
            return error;
    }
    return 0;
}

constexpr int store_threads = 256;

/* Stores the pivots and the info of a matrix. */
__global__ void __launch_bounds__(store_threads)
    store_lu_kernel(int k, const int64_t *of, const startile_tile_status *status, int64_t *ipiv,
                    int64_t *info)
{
    const int i = blockIdx.x * store_threads + threadIdx.x;
    if (ipiv != nullptr && i < k)
        ipiv[i] = of[i];
    if (i == 0)
        *info = status->info;
}

/* Factors P A = L U, or A = L U if ipiv is null. `of`: workspace of 5 min(m, n) integers */
template <typename T>
static int factor_lu(startile_exec *x, const typename host_batch<T>::matrix &a, int64_t *of,
                     startile_tile_status *status, int64_t *ipiv, int64_t *info)
{
    const int k = std::min(a.m, a.n);
    const startile_piece piece = {a.p, a.ld, a.m};
    if (int error = ipiv != nullptr
                        ? getrf<T>(x, 1, &piece, a.n, 0, {of, k}, nullptr, 0, status)
                        : getrf_nopiv<T>(x, a.n, a.p, a.ld, nullptr, 0, nullptr, 0, status))
        return error;
    return launch(x, store_lu_kernel, ceil_div(k, store_threads), store_threads, k,
                  static_cast<const int64_t *>(of),
                  static_cast<const startile_tile_status *>(status), ipiv, info);
}

template <typename T>
int getrf_one_by_one(startile_exec *x, int count, const startile_matrices *A,
                     const startile_matrices *P, int64_t *info)
{
    host_batch<T> a;
    host_batch<int64_t> pivots;
    const int most = std::min(A->m, A->n);
    if (int error = fetch(x, count, A, &a))
        return error;
    if (P != nullptr)
        if (int error = fetch(x, count, P, &pivots))
            return error;
    if (int error = reserve_copy(x, sizeof(startile_tile_status) + 5 * size_t(most) * sizeof *info))
        return error;
    auto *const status = static_cast<startile_tile_status *>(x->copy);
    auto *const of = reinterpret_cast<int64_t *>(status + 1);
    if (int error = check(cudaMemsetAsync(info, 0, count * sizeof *info, x->stream)))
        return error;
    for (int q = 0; q < count; q++)
        if (a[q].m > 0 && a[q].n > 0)
            if (int error = factor_lu<T>(x, a[q], of, status, P != nullptr ? pivots[q].p : nullptr,
                                         info + q))
                return error;
    return 0;
}

/* Copies k elements, from one to the next at the distances `step` and `step_to`: the diagonal of T
 * to tau, or tau to the diagonal. */
template <typename T>
__global__ void __launch_bounds__(store_threads)
    copy_diagonal_kernel(int k, const T *from, int64_t step, T *to, int64_t step_to)
{
    const int i = blockIdx.x * store_threads + threadIdx.x;
    if (i < k)
        to[i * step_to] = from[i * step];
}

/* Columns of a panel of QR; in double precision 256 columns are 12 % slower at order 2048, 2 % at
 * 1024 (H200). */
constexpr int qr_panel_columns = 512;

/* Sets *t to memory for T of a panel. */
template <typename T>
static int reserve_t(startile_exec *x, T **t)
{
    const int error = reserve_factor(x, qr_panel_columns * qr_panel_columns * sizeof(T));
    *t = static_cast<T *>(x->factor);
    return error;
}

/* Factors A = Q R, panel by panel. */
template <typename T>
static int factor_qr(startile_exec *x, const typename host_batch<T>::matrix &a, T *t, T *tau)
{
    const int k = std::min(a.m, a.n);
    for (int j = 0; j < k; j += qr_panel_columns) {
        const int columns = std::min(qr_panel_columns, k - j), right = j + columns;
        const startile_piece v = {a.at(j, j), a.ld, a.m - j}, c = {a.at(j, right), a.ld, a.m - j};
        /* A(j:m, j:right) = Q_j R_j, A(j:m, right:n) := Q_j^H A(j:m, right:n) */
        if (int error = geqrf<T>(x, 1, &v, columns, t, columns))
            return error;
        if (int error =
                launch(x, copy_diagonal_kernel<T>, ceil_div(columns, store_threads), store_threads,
                       columns, static_cast<const T *>(t), columns + 1, tau + j, 1))
            return error;
        if (int error = larfb<T>(x, 'C', 1, &v, columns, t, columns, 1, &c, a.n - right))
            return error;
    }
    return 0;
}

template <typename T>
int geqrf_one_by_one(startile_exec *x, int count, const startile_matrices *A,
                     const startile_matrices *tau)
{
    host_batch<T> a, taus;
    if (int error = fetch(x, count, A, &a))
        return error;
    if (int error = fetch(x, count, tau, &taus))
        return error;
    T *t;
    if (int error = reserve_t(x, &t))
        return error;
    for (int q = 0; q < count; q++)
        if (int error = factor_qr<T>(x, a[q], t, taus[q].p))
            return error;
    return 0;
}

/* Computes C := op(Q) C, panel by panel. v: V below the diagonal; k: number of reflectors */
template <typename T>
static int multiply_by_q(startile_exec *x, char op, int k, const typename host_batch<T>::matrix &v,
                         const T *tau, T *t, const typename host_batch<T>::matrix &c)
{
    const int panels = static_cast<int>(ceil_div(k, qr_panel_columns));
    for (int i = 0; i < panels; i++) {
        /* Q^H = ... Q_2^H Q_1^H begins with the first panel, Q = Q_1 Q_2 ... with the last one */
        const int j = (op == 'C' ? i : panels - 1 - i) * qr_panel_columns;
        const int columns = std::min(qr_panel_columns, k - j);
        const startile_piece v_j = {v.at(j, j), v.ld, v.m - j}, c_j = {c.at(j, 0), c.ld, c.m - j};
        if (int error = launch(x, copy_diagonal_kernel<T>, ceil_div(columns, store_threads),
                               store_threads, columns, tau + j, 1, t, columns + 1))
            return error;
        if (int error = larft<T>(x, 1, &v_j, columns, t, columns))
            return error;
        if (int error = larfb<T>(x, op, 1, &v_j, columns, t, columns, 1, &c_j, c.n))
            return error;
    }
    return 0;
}

template <typename T>
int ormqr_one_by_one(startile_exec *x, char trans, int count, const startile_matrices *A,
                     const startile_matrices *tau, const startile_matrices *C, const int64_t *info)
{
    host_batch<T> a, taus, c;
    if (int error = fetch(x, count, A, &a))
        return error;
    if (int error = fetch(x, count, tau, &taus))
        return error;
    if (int error = fetch(x, count, C, &c))
        return error;
    std::unique_ptr<int64_t[]> infos;
    if (info != nullptr)
        if (int error = fetch_array(x, count, info, &infos))
            return error;
    T *t;
    if (int error = reserve_t(x, &t))
        return error;
    for (int q = 0; q < count; q++) {
        const bool is_skipped = c[q].n == 0 || (infos && infos[q] != 0);
        const int k = is_skipped ? 0 : std::min(taus[q].m, c[q].m);
        if (int error = multiply_by_q<T>(x, trans == 'N' ? 'N' : 'C', k, a[q], taus[q].p, t, c[q]))
            return error;
    }
    return 0;
}

INSTANTIATE(potrf_one_by_one);
INSTANTIATE(getrf_one_by_one);
INSTANTIATE(geqrf_one_by_one);
INSTANTIATE(ormqr_one_by_one);

} // namespace startile_cuda
