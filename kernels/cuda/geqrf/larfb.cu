/*
 * C := (I − V op(T) Vᴴ) C for a block reflector, by products alone (Schreiber & Van Loan, "A
 * storage-efficient WY representation for products of Householder transformations", SIAM J. Sci.
 * Stat. Comput. 10, 1989): W := Vᴴ C, W := op(T) W, C := C − V W.
 *
 * The top of V (the first k rows), a unit triangle that shares its storage with R, is copied with
 * its ones and zeros. A dense product with it, as with T, runs at full rate, and spends only 3 k² n
 * of 4 m k n flops on zeros. Below the top, V and C are used in place: one product for each pair of
 * a piece of V and a piece of C with common rows, or one batched product for many short pairs of
 * one shape. In single precision long products split their operands (gemm/product_split.cuh); Vᴴ C
 * is then cut into sections of rows, whose products fill the device together.
 *
 * Error: the computed C is the exact result of an orthogonal transformation of C + ΔC with ‖ΔC‖_F ≤
 * c m k eps ‖C‖_F and a small constant c (Higham, Accuracy and Stability of Numerical Algorithms,
 * 2nd ed., 19.5).
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"
#include "geqrf/larfb.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Position in a tile column */
struct tile_column_cursor {
    const startile_piece *piece;
    int row;

    /* Moves past a finished piece and empty pieces. Returns the number of remaining rows of the
     * piece where the cursor then is. */
    int advance()
    {
        for (; row == piece->m; piece++)
            row = 0;
        return piece->m - row;
    }

    /* Returns the part of the piece from the current row on. */
    template <typename T>
    matrices<T> matrix_at_cursor() const
    {
        return {static_cast<T *>(piece->p) + row, piece->ld, 0};
    }
};

/* Maximal number of pairs in a batched product */
constexpr int max_pairs = 64;

/* Maximal number of sections of a product of split operands, and rows of a section at least:
 * estimates, because each launch takes some µs and the sum of the parts is read and written once */
constexpr int max_sections = 16, least_section = 1024;

/* Number of rows from which on a pair is not batched, measured for double and k = n = 512
 * (perf_models/NOTES.md, "Kernels on one tile") */
constexpr int long_pair = 8192;

/* Pairs of a part of V and a part of C with the same rows. All pairs have one shape. */
template <typename T>
struct pairs {
    int count, rows, ldv, ldc;
    const T *v[max_pairs];
    T *c[max_pairs];
};

/* Addresses of the matrices of a batched product, in device memory */
template <typename T>
struct addresses {
    const T *v[max_pairs];
    T *c[max_pairs];
    T *w[max_pairs];
};

/* Writes the addresses of the matrices of a batched product. to->w[i] := w + i · stride */
template <typename T>
__global__ void __launch_bounds__(max_pairs)
    addresses_kernel(const __grid_constant__ pairs<T> p, T *w, int64_t stride, addresses<T> *to)
{
    const int i = threadIdx.x;
    if (i >= p.count)
        return;
    to->v[i] = p.v[i];
    to->c[i] = p.c[i];
    to->w[i] = w + i * stride;
}

constexpr int sum_threads = 256;

/* Sets W to the sum of the parts, or with `add` adds this sum to W. */
template <typename T>
__global__ void __launch_bounds__(sum_threads)
    sum_products_kernel(int64_t size, int count, const T *parts, bool add, T *w)
{
    const int64_t i = blockIdx.x * int64_t(sum_threads) + threadIdx.x;
    if (i >= size)
        return;
    T sum = add ? w[i] : to_element<T>(0, 0);
#pragma unroll 8
    for (int part = 0; part < count; part++)
        sum = multiply_add(to_element<T>(1, 0), parts[i + part * size], sum);
    w[i] = sum;
}

/* A block reflector and the workspace to apply it */
template <typename T>
struct block_reflector {
    startile_exec *x;
    int pieces, k, n; /* pieces of V; columns of V; columns of C */
    const startile_piece *v;
    int batch; /* maximal number of pairs of a batched product */
    addresses<T> *pointers;
    T *top;       /* the first k rows of V */
    T *w, *tw;    /* k × n */
    T *parts;     /* max(batch, sections) matrices, k × n; none if both are 1 */
    int sections; /* maximal number of sections of a long product Vᴴ C */

    int lay_out();
    template <typename F>
    int for_each_batch(const startile_piece *c, F f) const;
    int add_parts(int count, bool add) const;
    int project_split(const pairs<T> &p, bool add) const;
    int project(const pairs<T> &p, bool add) const;
    int subtract(const pairs<T> &p) const;
    int apply(char trans, const T *t, int ldt, const startile_piece *c) const;
};

/* Computes C := alpha op(A) op(B) + beta C. */
template <typename T>
static int multiply_one(startile_exec *x, char transa, int m, int n, int k, T alpha,
                        matrices<const T> a, matrices<const T> b, T beta, matrices<T> c)
{
    if constexpr (is_single<T>) {
        const product_piece<T> piece = {a.p, b.p, c.p, a.ld, b.ld, c.ld, m, n};
        product_group<T> g = {transa, 'N', k, alpha, beta, 1, &piece};
        if (splits(x, g))
            return multiply_split(x, g, STARTILE_PRODUCTS_SPLIT);
    }
    return multiply<T>(x, transa, 'N', m, n, k, alpha, a, b, beta, c);
}

/* Sets the arrays in the workspace, `batch`, and `sections`. One product with at least 1024 × 1024
 * elements of output keeps an H100 busy. Smaller products are batched, at most max_pairs of them,
 * with up to 4 × 1024 × 1024 elements of output. */
template <typename T>
int block_reflector<T>::lay_out()
{
    const int64_t k_n = int64_t(k) * n, k_k = int64_t(k) * k, enough = int64_t(1) << 20;
    batch = k_n >= enough ? 1 : static_cast<int>(std::min<int64_t>(4 * enough / k_n, max_pairs));
    /* tiles of a product of split operands; two for each multiprocessor keep it busy */
    const int tiles = ceil_div(parts_of<T> * k, 192) * ceil_div(n, 128);
    sections = is_single<T> ? std::clamp(2 * x->multiprocessors / tiles, 1, max_sections) : 1;
    const int count = std::max(batch, sections);
    const int64_t elements = k_k + (2 + (count > 1 ? count : 0)) * k_n;
    if (int error = reserve(x, sizeof *pointers + elements * sizeof(T)))
        return error;
    pointers = static_cast<addresses<T> *>(x->workspace);
    top = reinterpret_cast<T *>(pointers + 1);
    w = top + k_k;
    tw = w + k_n;
    parts = tw + k_n;
    return 0;
}

/* Splits V and C into pairs of parts with the same rows, and calls f for one batch of pairs after
 * the other, from row 0 to the last row. */
template <typename T>
template <typename F>
int block_reflector<T>::for_each_batch(const startile_piece *c, F f) const
{
    const int64_t m = rows_of(pieces, v);
    tile_column_cursor in_v = {v, 0}, in_c = {c, 0};
    pairs<T> p = {};
    int rows;
    for (int64_t row = 0; row < m; row += rows) {
        rows = std::min(in_v.advance(), in_c.advance());
        matrices<const T> v_here = in_v.matrix_at_cursor<const T>();
        const matrices<T> c_here = in_c.matrix_at_cursor<T>();
        if (row < k) {
            rows = static_cast<int>(std::min<int64_t>(rows, k - row));
            v_here = {top + row, k, 0};
        }
        const bool fits = rows == p.rows && v_here.ld == p.ldv && c_here.ld == p.ldc;
        if (p.count > 0 && (p.count == batch || p.rows >= long_pair || !fits)) {
            if (int error = f(p))
                return error;
            p.count = 0;
        }
        p.rows = rows;
        p.ldv = v_here.ld;
        p.ldc = c_here.ld;
        p.v[p.count] = v_here.p;
        p.c[p.count++] = c_here.p;
        in_v.row += rows;
        in_c.row += rows;
    }
    return p.count > 0 ? f(p) : 0;
}

/* Sets W to the sum of `count` parts, or with `add` adds this sum to W. */
template <typename T>
int block_reflector<T>::add_parts(int count, bool add) const
{
    const int64_t k_n = int64_t(k) * n;
    return launch(x, sum_products_kernel<T>, ceil_div(k_n, sum_threads), sum_threads, k_n, count,
                  parts, add, w);
}

/* Does what project() does for one pair, with split operands and the rows cut into sections.
 * Returns −1 if another way is faster or a split is not allowed. */
template <typename T>
int block_reflector<T>::project_split(const pairs<T> &p, bool add) const
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const int count = std::min(sections, p.rows / least_section);
    if (count < 2)
        return -1;
    const int rows = p.rows / count / 32 * 32, done = rows * count;
    product_piece<T> piece[max_sections];
    for (int q = 0; q < count; q++)
        piece[q] = {p.v[0] + q * rows,
                    p.c[0] + q * rows,
                    parts + q * (int64_t(k) * n),
                    p.ldv,
                    p.ldc,
                    k,
                    k,
                    n};
    product_group<T> g = {'C', 'N', rows, one, zero, count, piece};
    if (!splits(x, g))
        return -1;
    if (int error = multiply_split(x, g, STARTILE_PRODUCTS_SPLIT))
        return error;
    if (int error = add_parts(count, add))
        return error;
    if (done == p.rows)
        return 0;
    return multiply<T>(x, 'C', 'N', k, n, p.rows - done, one, {p.v[0] + done, p.ldv, 0},
                       {p.c[0] + done, p.ldc, 0}, one, {w, k, 0});
}

/* Sets W to Σ Vᴴ C over the pairs, or with `add` adds this sum to W. */
template <typename T>
int block_reflector<T>::project(const pairs<T> &p, bool add) const
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const int64_t k_n = int64_t(k) * n;
    if constexpr (is_single<T>)
        if (p.count == 1)
            if (int error = project_split(p, add); error != -1)
                return error;
    if (p.count == 1)
        return multiply_one<T>(x, 'C', k, n, p.rows, one, {p.v[0], p.ldv, 0}, {p.c[0], p.ldc, 0},
                               add ? one : zero, {w, k, 0});
    if (int error = launch(x, addresses_kernel<T>, 1, max_pairs, p, parts, k_n, pointers))
        return error;
    if (int error = check(blas<T>::gemm_batched(x->cublas, operation<T>('C'), CUBLAS_OP_N, k, n,
                                                p.rows, &one, pointers->v, p.ldv, pointers->c,
                                                p.ldc, &zero, pointers->w, k, p.count)))
        return error;
    return add_parts(p.count, add);
}

/* Computes C := C − V tw for the pairs, where tw = op(T) W. */
template <typename T>
int block_reflector<T>::subtract(const pairs<T> &p) const
{
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    if (p.count == 1)
        return multiply_one<T>(x, 'N', p.rows, n, k, minus_one, {p.v[0], p.ldv, 0}, {tw, k, 0}, one,
                               {p.c[0], p.ldc, 0});
    if (int error = launch(x, addresses_kernel<T>, 1, max_pairs, p, tw, int64_t(0), pointers))
        return error;
    return check(blas<T>::gemm_batched(x->cublas, CUBLAS_OP_N, CUBLAS_OP_N, p.rows, n, k,
                                       &minus_one, pointers->v, p.ldv, pointers->w, k, &one,
                                       pointers->c, p.ldc, p.count));
}

/* Computes W := Vᴴ C, tw := op(T) W, C := C − V tw. */
template <typename T>
int block_reflector<T>::apply(char trans, const T *t, int ldt, const startile_piece *c) const
{
    bool add = false;
    if (int error = for_each_batch(c, [&](const pairs<T> &p) {
            int error = project(p, add);
            add = true;
            return error;
        }))
        return error;
    if (int error = multiply<T>(x, trans, 'N', k, n, k, to_element<T>(1, 0), {t, ldt, 0}, {w, k, 0},
                                to_element<T>(0, 0), {tw, k, 0}))
        return error;
    return for_each_batch(c, [&](const pairs<T> &p) { return subtract(p); });
}

template <typename T>
int larfb(startile_exec *x, char trans, int v_pieces, const startile_piece *v, int k, const void *t,
          int ldt, int c_pieces, const startile_piece *c, int n)
{
    if (k == 0 || n == 0)
        return 0;
    if (rows_of(v_pieces, v) != rows_of(c_pieces, c))
        return STARTILE_ERROR_DEVICE;
    block_reflector<T> q = {x, v_pieces, k, n, v};
    if (int error = q.lay_out())
        return error;
    if (int error = apply_elementwise(
            x, 'G', k, k, unit_top_element<T>{static_cast<const T *>(v->p), v->ld, q.top, k}))
        return error;
    return q.apply(trans, static_cast<const T *>(t), ldt, c);
}

INSTANTIATE(larfb);

} // namespace startile_cuda
