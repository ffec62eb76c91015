/*
 * The part of a block of C that a warp computes: sums in registers, and what becomes of them.
 */
#ifndef STARTILE_PRODUCT_SUMS_CUH
#define STARTILE_PRODUCT_SUMS_CUH

#include "product_blocks.cuh"
#include "product_operand.cuh"

namespace startile_cuda
{

/* By a warp: D (16 × 8) += A (16 × 4) B (4 × 8). With g = lane / 4 and t = lane % 4 a lane has A's
 * (g, t) and (g + 8, t), B's (t, g), and D's (g, 2 t), (g, 2 t + 1) and those eight rows below. */
__device__ inline void multiply_block(double (&d)[4], double a0, double a1, double b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a0), "d"(a1), "d"(b));
#else
    multiply_tile(reinterpret_cast<double(&)[2]>(d[0]), a0, b);
    multiply_tile(reinterpret_cast<double(&)[2]>(d[2]), a1, b);
#endif
}

__device__ inline double with_sign(double x, bool turned)
{
    return __longlong_as_double(__double_as_longlong(x) ^ (int64_t(turned) << 63));
}

/* wm × wn sums of a warp. A lane has `chunks` chunks of 16 bytes of C, each within one column. */
template <typename T, int wm, int wn>
struct product_sums;

template <int wm, int wn>
struct product_sums<double, wm, wn> {
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

    /* The 16 rows of block i by all columns; conjugation means nothing here. */
    template <bool a_k_first, bool b_k_first>
    __device__ void add(int i, const fragment &a, const fragment (&b)[wn / 16], bool, bool)
    {
#pragma unroll
        for (int k = 0; k < 2; k++)
#pragma unroll
            for (int j = 0; j < wn / 8; j++)
                multiply_block(sum[i][j], a.value<a_k_first>(0, k), a.value<a_k_first>(1, k),
                               b[j / 2].template value<b_k_first>(j % 2, k));
    }

    static __device__ int row(int chunk)
    {
        return 16 * (chunk / (wn / 4)) + 2 * (threadIdx.x % 32 / 4);
    }

    static __device__ int column(int chunk)
    {
        const int of_row = chunk % (wn / 4);
        return 16 * (of_row / 4) + 4 * (threadIdx.x % 4) + of_row % 4;
    }

    __device__ void get(int chunk, double (&value)[2]) const
    {
        const int i = chunk / (wn / 4), of_row = chunk % (wn / 4);
#pragma unroll
        for (int r = 0; r < 2; r++)
            value[r] = sum[i][of_row / 4 * 2 + of_row % 2][of_row % 4 / 2 + 2 * r];
    }
};

template <int wm, int wn>
struct product_sums<cuDoubleComplex, wm, wn> {
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

    template <bool a_k_first, bool b_k_first>
    __device__ void add(int i, const fragment &a, const fragment (&b)[wn / 16], bool conjugate_a,
                        bool conjugate_b)
    {
        const double re0 = a.chunk[0].x, im0 = with_sign(a.chunk[0].y, conjugate_a);
        const double re1 = a.chunk[1].x, im1 = with_sign(a.chunk[1].y, conjugate_a);
#pragma unroll
        for (int j = 0; j < wn / 8; j++) {
            const double2 right = b[j / 2].chunk[j % 2];
            multiply_block(re[i][j], re0, re1, right.x);
            multiply_block(im[i][j], re0, re1, with_sign(right.y, conjugate_b));
        }
#pragma unroll
        for (int j = 0; j < wn / 8; j++) {
            const double2 right = b[j / 2].chunk[j % 2];
            multiply_block(re[i][j], im0, im1, with_sign(right.y, !conjugate_b));
            multiply_block(im[i][j], im0, im1, right.x);
        }
    }

    static __device__ int row(int chunk)
    {
        return 16 * (chunk / (wn / 2)) + threadIdx.x % 32 / 4 + 8 * (chunk % 2);
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

template <typename T, int per>
__device__ inline void read_chunk_of_matrix(T (&x)[per], const T *from)
{
    double2 y;
    asm volatile("ld.global.cg.v2.f64 {%0, %1}, [%2];"
                 : "=d"(y.x), "=d"(y.y)
                 : "l"(from)
                 : "memory");
    if constexpr (per == 1)
        x[0] = y;
    else
        x[0] = y.x, x[1] = y.y;
}

template <typename T, int per>
__device__ inline void write_chunk_of_matrix(T *to, const T (&x)[per])
{
    double2 y;
    if constexpr (per == 1)
        y = x[0];
    else
        y = {x[0], x[1]};
    asm volatile("st.global.cg.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(y.x), "d"(y.y) : "memory");
}

/* What is to become of a warp's sums: alpha times them plus beta C, from row0 and column0 on. */
template <typename T>
struct product_target {
    T *c;
    int64_t ld;
    int m, n, row0, column0;
    T alpha, beta;
    bool reads; /* beta is not 0 */
    char uplo;  /* what of C is written */
    bool real_diagonal;
};

/* For blocks that lie in C as a whole, where chunks are aligned. Reads and writes stay in this
 * order: the compiler would run out of registers. */
template <typename T, typename Sums>
__device__ void store_whole(const Sums &sums, const product_target<T> &to)
{
    constexpr int at_once = 8, per = chunk_elements<T>;
    T *c = to.c + (to.row0 + Sums::row(0)) + (to.column0 + Sums::column(0)) * to.ld;
#pragma unroll
    for (int first = 0; first < Sums::chunks; first += at_once) {
        T old[at_once][per] = {};
        if (to.reads) {
#pragma unroll
            for (int e = 0; e < at_once; e++)
                read_chunk_of_matrix(old[e],
                                     c + (Sums::row(first + e) - Sums::row(0)) +
                                         (Sums::column(first + e) - Sums::column(0)) * to.ld);
        }
#pragma unroll
        for (int e = 0; e < at_once; e++) {
            T value[per];
            sums.get(first + e, value);
#pragma unroll
            for (int r = 0; r < per; r++) {
                value[r] = multiply_add(to.alpha, value[r], to_element<T>(0, 0));
                if (to.reads)
                    value[r] = multiply_add(to.beta, old[e][r], value[r]);
            }
            write_chunk_of_matrix(c + (Sums::row(first + e) - Sums::row(0)) +
                                      (Sums::column(first + e) - Sums::column(0)) * to.ld,
                                  value);
        }
    }
}

/* For all others, element by element */
template <typename T, typename Sums>
__device__ void store_part(const Sums &sums, const product_target<T> &to)
{
    constexpr int per = chunk_elements<T>;
#pragma unroll
    for (int e = 0; e < Sums::chunks; e++) {
        T value[per];
        sums.get(e, value);
        const int column = to.column0 + Sums::column(e);
#pragma unroll
        for (int r = 0; r < per; r++) {
            const int row = to.row0 + Sums::row(e) + r;
            if (row < to.m && column < to.n &&
                (to.uplo == 'G' || (to.uplo == 'L' ? row >= column : row <= column))) {
                T *c = to.c + row + column * to.ld;
                T result = multiply_add(to.alpha, value[r], to_element<T>(0, 0));
                if (to.reads)
                    result = multiply_add(to.beta, *c, result);
                *c = to.real_diagonal && row == column ? to_element<T>(real_part(result), 0)
                                                       : result;
            }
        }
    }
}

} // namespace startile_cuda

#endif
