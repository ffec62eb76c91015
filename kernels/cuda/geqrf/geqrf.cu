/*
 * QR factorization of a panel. The panel is divided into groups of up to 128 columns, and a group
 * into strips of up to 32 columns:
 *
 *     qr_panel::factor
 *       for each group:
 *         for each strip:
 *           qr_strip_kernel              one cluster of up to 16 thread blocks  (geqrf_strip.cu)
 *              |   or two kernels per column (geqrf_columns.cu: before Hopper, or too many rows)
 *              |   V, R, T of the strip
 *              v
 *           qr_update_kernel             C -= V T^H V^H C in the group          (geqrf_update.cu)
 *              |   W for the columns on the left
 *              v
 *           join_kernel                  T of the group so far                  (geqrf_join.cu)
 *         products_kernel, cuBLAS gemm   applies the group's block reflector to all columns on its
 *                                        right; T of the panel so far           (geqrf_products.cu)
 *
 * Without clusters, products_kernel and cuBLAS gemm also do the work of qr_update_kernel and
 * join_kernel. V^H is multiplied by the columns on the left as well, which hold V. These products
 * give T, strip by strip and group by group: T12 = -T1 (V1^H V2) T2 (Schreiber & Van Loan, "A
 * storage-efficient WY representation for products of Householder transformations", SIAM J. Sci.
 * Stat. Comput. 10, 1989; Elmroth & Gustavson, "Applying recursion to serial and parallel QR
 * factorization leads to better performance", IBM J. Res. Dev. 44, 2000).
 *
 * A column of a 4096 x 256 panel in double takes 2.2 µs (H100; cuSOLVER's xGEQRF 6.8), of which 1.4
 * are spent in strips, 0.4 in updates within groups and 0.2 in updates between groups. With 8192
 * rows it takes 2.6 µs (cuSOLVER 9.8).
 *
 * A tile column of several pieces is copied to one array and back. The panel runs on the priority
 * stream, for the reasons given in getrf.cu. geqrf_tall.cu factors large tall panels.
 *
 * Error: A + ΔA = Q R with ‖Δa_j‖ ≤ c m k eps ‖a_j‖ for each column j, where k = min(m, n) and c is
 * a small constant. I − V T Vᴴ is orthogonal up to the same bound (Higham, Accuracy and Stability
 * of Numerical Algorithms, 2nd ed., 19.3 and 19.5).
 */
#include "common/block_products.cuh"
#include "common/hopper.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"
#include "geqrf/geqrf.cuh"
#include "geqrf/geqrf_tall.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Columns of a group: few enough that all clusters of an update (geqrf_update.cu) run at the same
 * time on an H100 */
constexpr int group_columns = max_joined;

template <typename T>
struct qr_panel {
    startile_exec *x;
    T *a;
    int ld, m, n, k; /* k = min(m, n) */
    T *t;
    int ldt;
    T *r;            /* k × k */
    T *w, *partials; /* result and workspace of reflector_products */
    void *scratch;   /* workspace of a strip (qr_scratch_bytes) */

    T *at(int64_t i, int64_t j) const
    {
        return a + i + j * ld;
    }

    T *t_at(int64_t i, int64_t j) const
    {
        return t + i + j * ldt;
    }

    int factor();
    int factor_group(int first, int columns, int strip_columns);
    int apply(int c, int columns, int from, int to);
    int apply_in_group(int c, int columns, int from, int to);
    int products(int c, int columns, int from, int to);
    int join(int c, int columns, int from);
};

/* Computes W := Tᴴ Vᴴ A for the `columns` reflectors from column c on and for columns `from` to
 * `to` − 1 of A. */
template <typename T>
int qr_panel<T>::products(int c, int columns, int from, int to)
{
    return reflector_products<T>(x, m - c, to - from, columns, at(c, c), at(c, from), ld,
                                 t_at(c, c), ldt, partials, w);
}

/* Computes T₁₂ := −T₁ Wᴴ, the part of T in rows `from` to c − 1 and columns c to c + columns − 1,
 * given Wᴴ = (V₁ᴴ V₂) T₂ (join_triangle). Does nothing if c = from. */
template <typename T>
int qr_panel<T>::join(int c, int columns, int from)
{
    const int before = c - from;
    if (before == 0)
        return 0;
    return multiply<T>(x, 'N', 'C', before, columns, before, to_element<T>(-1, 0),
                       {t_at(from, from), ldt, 0}, {w, columns, 0}, to_element<T>(0, 0),
                       {t_at(from, c), ldt, 0});
}

/* Does what apply() does, in fewer kernels, for a strip and the columns of its group. Needs
 * clusters. */
template <typename T>
int qr_panel<T>::apply_in_group(int c, int columns, int from, int to)
{
    const int right = c + columns;
    const qr_update<T> u = {at(c, c), at(c, from), at(c, right), ld,  m - c, columns,
                            c - from, to - right,  t_at(c, c),   ldt, w};
    if (int error = apply_block_reflector<T>(x, u))
        return error;
    if (c == from)
        return 0;
    return join_triangle<T>(x, c - from, columns, t_at(from, from), w, t_at(from, c), ldt);
}

/* Applies the block reflector of columns c to c + columns − 1 to the columns right of them, up to
 * column `to` − 1. Joins its T with the T of columns `from` to c − 1. */
template <typename T>
int qr_panel<T>::apply(int c, int columns, int from, int to)
{
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    const int right = c + columns;
    if (c == from && right == to)
        return 0;
    if (x->cluster_blocks > 0 && columns <= max_strip_columns && to - from <= group_columns)
        return apply_in_group(c, columns, from, to);
    if (int error = products(c, columns, from, to))
        return error;
    const T *w_right = w + int64_t(right - from) * columns;
    if (to > right)
        if (int error =
                multiply<T>(x, 'N', 'N', m - c, to - right, columns, minus_one, {at(c, c), ld, 0},
                            {w_right, columns, 0}, one, {at(c, right), ld, 0}))
            return error;
    return join(c, columns, from);
}

/* Factors a group of columns, strip by strip. Each strip updates the rest of the group. */
template <typename T>
int qr_panel<T>::factor_group(int first, int columns, int strip_columns)
{
    const int end = first + columns;
    for (int c = first; c < end; c += strip_columns) {
        const int width = std::min(strip_columns, end - c);
        const qr_strip<T> s = {at(c, c),           ld, m - c,      width, c,
                               r + c * int64_t(k), k,  t_at(c, c), ldt,   scratch};
        if (int error = factor_qr_strip<T>(x, s))
            return error;
        if (int error = apply(c, width, first, end))
            return error;
    }
    return 0;
}

/* Factors the panel, group by group. Each group updates all columns right of it. */
template <typename T>
int qr_panel<T>::factor()
{
    const int strip_columns = qr_strip_columns<T>(x, m);
    for (int c = 0; c < k; c += group_columns) {
        const int columns = std::min(group_columns, k - c);
        if (int error = factor_group(c, columns, strip_columns))
            return error;
        if (int error = apply(c, columns, 0, n))
            return error;
    }
    return 0;
}

constexpr int restore_threads = 256;

/* Copies R back to A. */
template <typename T>
__global__ void __launch_bounds__(restore_threads)
    restore_kernel(int k, const T *r, T *a, int64_t ld)
{
    const int64_t j = blockIdx.x;
    wait_for_previous_kernel();
    for (int64_t i = threadIdx.x; i <= j; i += restore_threads)
        a[i + j * ld] = r[i + j * k];
}

/* Enqueues the factorization on x->stream: allocates the workspace, factors, and copies R back to
 * A. Several pieces are copied to one array first, and back at the end. */
template <typename T>
static int enqueue(startile_exec *x, int pieces, const startile_piece *a, int m, int n, T *t,
                   int ldt)
{
    const int k = std::min(m, n);
    workspace_layout arrays;
    const size_t r = arrays.place<T>(size_t(k) * k);
    const size_t w = arrays.place<T>(size_t(n) * group_columns);
    const size_t partials = arrays.place<T>(qr_partials<T>(m, n, group_columns));
    const size_t scratch = arrays.place<char>(qr_scratch_bytes);
    const size_t all = arrays.place<T>(pieces == 1 ? 0 : size_t(m) * n);
    if (int error = reserve(x, arrays.bytes))
        return error;
    qr_panel<T> p = {x,
                     pieces == 1 ? static_cast<T *>(a[0].p) : in_workspace<T>(x, all),
                     pieces == 1 ? a[0].ld : m,
                     m,
                     n,
                     k,
                     t,
                     ldt,
                     in_workspace<T>(x, r),
                     in_workspace<T>(x, w),
                     in_workspace<T>(x, partials),
                     in_workspace<char>(x, scratch)};
    if (int error = check(cudaMemset2DAsync(t, ldt * sizeof(T), 0, k * sizeof(T), k, x->stream)))
        return error;
    if (pieces > 1)
        if (int error = copy_pieces(x, true, pieces, a, n, p.a, m))
            return error;
    if (int error = p.factor())
        return error;
    if (int error = launch_dependent(x, restore_kernel<T>, k, restore_threads, k,
                                     static_cast<const T *>(p.r), p.a, static_cast<int64_t>(p.ld)))
        return error;
    return pieces > 1 ? copy_pieces(x, false, pieces, a, n, p.a, m) : 0;
}

/* Tries the method of geqrf_tall.cu if the panel suits it. Sets *done to whether this has
 * factored the panel; if not, A is unchanged. Returns 0 also if the memory for that method cannot
 * be allocated. */
template <typename T>
static int try_tall(startile_exec *x, int pieces, const startile_piece *a, int m, int n, T *t,
                    int ldt, bool *done)
{
    T *whole = static_cast<T *>(a[0].p);
    const int ld = pieces == 1 ? a[0].ld : m;
    *done = false;
    if (!suits_cholesky_qr<T>(m, n))
        return 0;
    int error = pieces == 1 ? 0 : reserve_copy(x, size_t(m) * n * sizeof(T));
    if (error == 0 && pieces > 1) {
        whole = static_cast<T *>(x->copy);
        error = copy_pieces(x, true, pieces, a, n, whole, m);
    }
    if (error == 0)
        error = factor_tall<T>(x, m, n, whole, ld, t, ldt, done);
    if (error == STARTILE_ERROR_MEMORY && !*done)
        return 0;
    return error || pieces == 1 || !*done ? error : copy_pieces(x, false, pieces, a, n, whole, m);
}

template <typename T>
int geqrf(startile_exec *x, int pieces, const startile_piece *a, int n, void *t, int ldt)
{
    const int m = static_cast<int>(rows_of(pieces, a));
    T *triangle = static_cast<T *>(t);
    bool done;
    if (m == 0 || n == 0)
        return 0;
    if (int error = use_priority_stream(x))
        return error;
    int error = try_tall<T>(x, pieces, a, m, n, triangle, ldt, &done);
    if (error == 0 && !done)
        error = enqueue<T>(x, pieces, a, m, n, triangle, ldt);
    int error_back = use_default_stream(x);
    return error ? error : error_back;
}

INSTANTIATE(geqrf);

} // namespace startile_cuda
