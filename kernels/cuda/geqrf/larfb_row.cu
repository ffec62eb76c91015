/*
 * C := (I − V op(T) Vᴴ) C for many blocks C_0, C_1, … of a row, as in larfb.cu, with one launch of
 * a group of products for all blocks: W_j := Vᴴ C_j, W := op(T) W, C_j := C_j − V W_j. A block
 * alone does not keep the device busy from the first to the last moment of each of its products.
 *
 * Error: as in larfb.cu.
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "geqrf/larfb.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Blocks of C in a group, which has two products for each */
constexpr int max_blocks = max_products / 2;

/* A block reflector, its workspace, and the blocks that it is applied to */
template <typename T>
struct reflected_row {
    startile_exec *x;
    int k, rows; /* columns of V; rows below its unit triangle */
    const T *v;  /* these rows */
    int ldv;
    T *top;    /* the unit triangle with its zeros, k × k */
    T *w, *tw; /* k × n */
    int nb, n;
    const startile_piece *c;

    int width(int j) const
    {
        return std::min(nb, n - j * nb);
    }
    T *block(int j) const
    {
        return static_cast<T *>(c[j].p);
    }
    int lay_out();
    int multiply_all(char transa, int inner, T alpha, T beta, int count,
                     const product_piece<T> *piece) const;
    int project(int first, int last) const;
    int subtract(int first, int last) const;
};

template <typename T>
int reflected_row<T>::lay_out()
{
    workspace_layout arrays;
    const size_t k_k = arrays.place<T>(size_t(k) * k), k_n = arrays.place<T>(size_t(k) * n),
                 product = arrays.place<T>(size_t(k) * n);
    if (int error = reserve(x, arrays.bytes))
        return error;
    top = in_workspace<T>(x, k_k);
    w = in_workspace<T>(x, k_n);
    tw = in_workspace<T>(x, product);
    return 0;
}

template <typename T>
int reflected_row<T>::multiply_all(char transa, int inner, T alpha, T beta, int count,
                                   const product_piece<T> *piece) const
{
    const product_group<T> g = {transa, 'N', inner, alpha, beta, count, piece};
    if constexpr (is_single<T>)
        if (splits(x, g))
            return multiply_split(x, g, STARTILE_PRODUCTS_SPLIT);
    return multiply_plain(x, g);
}

/* Computes W_j := Vᴴ C_j for blocks first … last − 1. */
template <typename T>
int reflected_row<T>::project(int first, int last) const
{
    product_piece<T> at_top[max_blocks], below[max_blocks];
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    for (int j = first; j < last; j++) {
        T *const w_j = w + int64_t(j) * nb * k;
        at_top[j - first] = {top, block(j), w_j, k, c[j].ld, k, k, width(j)};
        below[j - first] = {v, block(j) + k, w_j, ldv, c[j].ld, k, k, width(j)};
    }
    if (int error = multiply_all('C', k, one, zero, last - first, at_top))
        return error;
    return rows == 0 ? 0 : multiply_all('C', rows, one, one, last - first, below);
}

/* Computes C_j := C_j − V W_j for blocks first … last − 1. */
template <typename T>
int reflected_row<T>::subtract(int first, int last) const
{
    product_piece<T> piece[2 * max_blocks];
    int count = 0;
    for (int j = first; j < last; j++) {
        const T *const w_j = tw + int64_t(j) * nb * k;
        piece[count++] = {top, w_j, block(j), k, k, c[j].ld, k, width(j)};
        if (rows > 0)
            piece[count++] = {v, w_j, block(j) + k, ldv, k, c[j].ld, rows, width(j)};
    }
    return multiply_all('N', k, to_element<T>(-1, 0), to_element<T>(1, 0), count, piece);
}

/* Returns whether larfb is faster, block by block: if Vᴴ C has too few tiles of the group's
 * products for all multiprocessors. cuBLAS then cuts the sums into parts. */
static bool is_narrow(const startile_exec *x, int k, int n)
{
    constexpr int tile = 64;
    return int64_t(ceil_div(k, tile)) * ceil_div(n, tile) < x->multiprocessors;
}

template <typename T>
int larfb_row(startile_exec *x, char trans, startile_piece v, int k, const void *t, int ldt,
              int blocks, const startile_piece *c, int nb, int n)
{
    if (k == 0 || n == 0)
        return 0;
    T *const v_first = static_cast<T *>(v.p);
    reflected_row<T> q = {x, k, v.m - k, v_first + k, v.ld};
    q.nb = nb;
    q.n = n;
    q.c = c;
    if (is_narrow(x, k, n)) {
        for (int j = 0; j < blocks; j++)
            if (int error = larfb<T>(x, trans, 1, &v, k, t, ldt, 1, &c[j], q.width(j)))
                return error;
        return 0;
    }
    if (int error = q.lay_out())
        return error;
    if (int error = apply_elementwise(x, 'G', k, k, unit_top_element<T>{v_first, v.ld, q.top, k}))
        return error;
    for (int j = 0; j < blocks; j += max_blocks)
        if (int error = q.project(j, std::min(blocks, j + max_blocks)))
            return error;
    if (int error = multiply<T>(x, trans, 'N', k, n, k, to_element<T>(1, 0),
                                {static_cast<const T *>(t), ldt, 0}, {q.w, k, 0},
                                to_element<T>(0, 0), {q.tw, k, 0}))
        return error;
    for (int j = 0; j < blocks; j += max_blocks)
        if (int error = q.subtract(j, std::min(blocks, j + max_blocks)))
            return error;
    return 0;
}

INSTANTIATE(larfb_row);

} // namespace startile_cuda
