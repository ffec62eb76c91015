/* Accumulators of a warp's part of a block of C, and the functions that store them to C */
#ifndef STARTILE_PRODUCT_ACCUMULATORS_CUH
#define STARTILE_PRODUCT_ACCUMULATORS_CUH

#include "gemm/product_blocks.cuh"
#include "gemm/product_operand.cuh"

namespace startile_cuda
{

/* Computes multiply_block with 8 × 8 × 4 mma instructions, for devices before Hopper. */
template <int count>
__device__ inline void multiply_blocks_of_four(double (&d)[4], const double (&a)[2][count],
                                               const double (&b)[count])
{
#pragma unroll
    for (int q = 0; q < count; q++) {
        multiply_tile(reinterpret_cast<double(&)[2]>(d[0]), a[0][q], b[q]);
        multiply_tile(reinterpret_cast<double(&)[2]>(d[2]), a[1][q], b[q]);
    }
}

/* Computes D (16 × 8) += A (16 × 4 q) B (4 q × 8) on tensor cores, q = 2 or 4, by a warp. With g =
 * lane / 4 and t = lane % 4, a lane holds
 * - rows g (a[0]) and g + 8 (a[1]) of A in columns t, t + 4, …
 * - column g of B in rows t, t + 4, …
 * - D(g, 2 t), D(g, 2 t + 1), D(g + 8, 2 t), D(g + 8, 2 t + 1) */
__device__ inline void multiply_block(double (&d)[4], const double (&a)[2][4], const double (&b)[4])
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(a[0][2]), "d"(a[1][2]),
          "d"(a[0][3]), "d"(a[1][3]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
    multiply_blocks_of_four(d, a, b);
#endif
}

__device__ inline void multiply_block(double (&d)[4], const double (&a)[2][2], const double (&b)[2])
{
    const double both[4] = {a[0][0], a[1][0], a[0][1], a[1][1]};
    multiply_16_8_8(d, both, b);
}

/* Returns −x if `negated`, otherwise x. */
__device__ inline double negate_if(double x, bool negated)
{
    return __longlong_as_double(__double_as_longlong(x) ^ (int64_t(negated) << 63));
}

/* Accumulators of a warp's wm × wn elements of C. A lane has `chunks` chunks of 16 bytes of C, each
 * in one column. row() and column() return the position of a chunk's first element, get() the
 * chunk's sums. paired: a lane has columns 2 g and 2 g + 1 of B's 16-column fragment, g = lane / 4;
 * otherwise g and g + 8 (operand::rows_are_pairs). */
template <typename T, int wm, int wn, bool paired>
struct product_accumulators;

template <int wm, int wn, bool paired>
struct product_accumulators<double, wm, wn, paired> {
    double sum[wm / 16][wn / 8][4];
    static constexpr int chunks = wm / 16 * (wn / 4);

    __device__ void clear()
    {
#pragma unroll
        for (auto &line : sum)
#pragma unroll
            for (auto &block : line)
#pragma unroll
                for (double &s : block)
                    s = 0;
    }

    /* Adds the products of the 16 × 16 block at (16 i, 16 j). The unnamed parameters are the
     * conjugation flags of complex types. */
    __device__ void add(int i, int j, const fragment<double> &a, const fragment<double> &b, bool,
                        bool)
    {
        multiply_block(sum[i][2 * j], a.value, b.value[0]);
        multiply_block(sum[i][2 * j + 1], a.value, b.value[1]);
    }

    static __device__ int row(int chunk)
    {
        return 16 * (chunk / (wn / 4)) + 2 * (threadIdx.x % 32 / 4);
    }

    /* Returns the first of the columns in which the warp has this chunk. */
    static __device__ int first_column(int chunk)
    {
        return 16 * (chunk % (wn / 4) / 4);
    }

    static __device__ int column(int chunk)
    {
        const int c = chunk % (wn / 4), t = threadIdx.x % 4;
        return 16 * (c / 4) + (paired ? 4 * t + c % 4 : 2 * t + c % 2 + 8 * (c % 4 / 2));
    }

    __device__ void get(int chunk, double (&value)[2]) const
    {
        const int i = chunk / (wn / 4), c = chunk % (wn / 4);
        const int block = paired ? c % 2 : c % 4 / 2, e = paired ? c % 4 / 2 : c % 2;
#pragma unroll
        for (int r = 0; r < 2; r++)
            value[r] = sum[i][c / 4 * 2 + block][e + 2 * r];
    }
};

template <int wm, int wn, bool paired>
struct product_accumulators<cuDoubleComplex, wm, wn, paired> {
    double re[wm / 16][wn / 8][4], im[wm / 16][wn / 8][4];
    static constexpr int chunks = wm / 16 * (wn / 2);

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < wm / 16; i++)
#pragma unroll
            for (int j = 0; j < wn / 8; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    re[i][j][e] = im[i][j][e] = 0;
    }

    __device__ void add(int i, int j, const fragment<cuDoubleComplex> &a,
                        const fragment<cuDoubleComplex> &b, bool conjugate_a, bool conjugate_b)
    {
        double a_re[2][2], a_im[2][2];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int q = 0; q < 2; q++) {
                a_re[r][q] = a.value[r][q].x;
                a_im[r][q] = negate_if(a.value[r][q].y, conjugate_a);
            }
#pragma unroll
        for (int s = 0; s < 2; s++) {
            const double2 b0 = b.value[s][0], b1 = b.value[s][1];
            const double b_re[2] = {b0.x, b1.x};
            const double b_im[2] = {negate_if(b0.y, conjugate_b), negate_if(b1.y, conjugate_b)};
            const double minus_b_im[2] = {-b_im[0], -b_im[1]};
            multiply_block(re[i][2 * j + s], a_re, b_re);
            multiply_block(im[i][2 * j + s], a_re, b_im);
            multiply_block(re[i][2 * j + s], a_im, minus_b_im);
            multiply_block(im[i][2 * j + s], a_im, b_re);
        }
    }

    static __device__ int row(int chunk)
    {
        return 16 * (chunk / (wn / 2)) + threadIdx.x % 32 / 4 + 8 * (chunk % 2);
    }

    static __device__ int first_column(int chunk)
    {
        return 8 * (chunk % (wn / 2) / 4);
    }

    static __device__ int column(int chunk)
    {
        const int of_row = chunk % (wn / 2);
        return 8 * (of_row / 4) + 2 * (threadIdx.x % 4) + of_row % 4 / 2;
    }

    __device__ void get(int chunk, cuDoubleComplex (&value)[1]) const
    {
        const int i = chunk / (wn / 2), of_row = chunk % (wn / 2);
        const int e = of_row % 4 / 2 + 2 * (of_row % 2);
        value[0] = {re[i][of_row / 4][e], im[i][of_row / 4][e]};
    }
};

/* Writes a chunk of C. */
template <typename T, int per_chunk>
__device__ inline void write_chunk_of_c(T *to, const T (&x)[per_chunk])
{
    double2 y;
    if constexpr (per_chunk == 1)
        y = x[0];
    else
        y = {x[0], x[1]};
    asm volatile("st.global.cg.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(y.x), "d"(y.y) : "memory");
}

/* Reads a chunk of C from shared memory. */
template <typename T, int per_chunk>
__device__ inline void read_chunk_of_c(T (&x)[per_chunk], uint32_t from)
{
    const double2 y = read_chunk(from);
    if constexpr (per_chunk == 1)
        x[0] = y;
    else
        x[0] = y.x, x[1] = y.y;
}

/* Destination of a warp's accumulators, C := alpha accumulators + beta C. The accumulators begin at
 * element (row0, column0) of C. */
template <typename T>
struct product_target {
    T *c;
    int64_t ld;
    int m, n, row0, column0;
    T alpha, beta;
    bool is_whole;      /* all elements of the block are written, and chunks are aligned */
    char uplo;          /* triangle of C that is written, or 'G' */
    bool real_diagonal; /* the imaginary parts of C's diagonal become zero */
};

/* Writes the elements of a chunk that are in C and its triangle. */
template <typename T, int per_chunk>
__device__ inline void write_elements(const product_target<T> &to, int row, int column,
                                      const T (&x)[per_chunk])
{
#pragma unroll
    for (int r = 0; r < per_chunk; r++) {
        const int i = row + r;
        if (i < to.m && column < to.n &&
            (to.uplo == 'G' || (to.uplo == 'L' ? i >= column : i <= column)))
            to.c[i + column * to.ld] =
                to.real_diagonal && i == column ? to_element<T>(real_part(x[r]), 0) : x[r];
    }
}

/* Writes chunk e of the accumulators. */
template <bool is_whole, typename Sums, typename T, int per_chunk>
__device__ inline void write_chunk(const product_target<T> &to, int e, const T (&x)[per_chunk])
{
    if constexpr (is_whole) {
        T *const c = to.c + (to.row0 + Sums::row(0)) + (to.column0 + Sums::column(0)) * to.ld;
        write_chunk_of_c(
            c + (Sums::row(e) - Sums::row(0)) + (Sums::column(e) - Sums::column(0)) * to.ld, x);
    } else {
        write_elements(to, to.row0 + Sums::row(e), to.column0 + Sums::column(e), x);
    }
}

/* Stores C := alpha sums. is_whole: as to.is_whole */
template <bool is_whole, typename T, typename Sums>
__device__ void store_new(const Sums &sums, const product_target<T> &to)
{
#pragma unroll
    for (int e = 0; e < Sums::chunks; e++) {
        T value[chunk_elements<T>];
        sums.get(e, value);
#pragma unroll
        for (T &v : value)
            v = multiply_add(to.alpha, v, to_element<T>(0, 0));
        write_chunk<is_whole, Sums>(to, e, value);
    }
}

/* Stores C := alpha sums + beta C in `width` of the accumulators' columns from `begin` on. The old
 * elements are in shared memory, in columns of `pitch` bytes. is_whole: as to.is_whole */
template <bool is_whole, int pitch, typename T, typename Sums>
__device__ void store_columns(const Sums &sums, const product_target<T> &to, int begin, int width,
                              uint32_t old)
{
    constexpr int per_chunk = chunk_elements<T>;
    const uint32_t from = old + Sums::row(0) * int(sizeof(T)) + Sums::column(0) * pitch;
#pragma unroll
    for (int e = 0; e < Sums::chunks; e++) {
        const int column = Sums::first_column(e) - begin;
        if (column < 0 || column >= width)
            continue;
        T value[per_chunk], c[per_chunk];
        sums.get(e, value);
        read_chunk_of_c(c, from + (Sums::row(e) - Sums::row(0)) * int(sizeof(T)) +
                               (Sums::column(e) - Sums::column(0) - begin) * pitch);
#pragma unroll
        for (int r = 0; r < per_chunk; r++)
            value[r] =
                multiply_add(to.beta, c[r], multiply_add(to.alpha, value[r], to_element<T>(0, 0)));
        write_chunk<is_whole, Sums>(to, e, value);
    }
}

} // namespace startile_cuda

#endif
