/*
 * State of a panel of QR with column pivoting (geqp3.cu), and sums over a thread block. Columns are
 * numbered from the panel's first one; column j has its diagonal element in row row0 + j.
 */
#ifndef STARTILE_GEQP3_CUH
#define STARTILE_GEQP3_CUH

#include "common/exec.cuh"
#include "common/piece_list.cuh"
#include "geqrf/reflector.cuh"

namespace startile_cuda
{

constexpr int pivoted_threads = 256, pivoted_warps = pivoted_threads / 32;
/* Most reflectors of a block (geqp3.cu), as in LAPACK */
constexpr int pivoted_block = 32;
/* Most thread blocks that factor a column, and most parts of its rows in products */
constexpr int most_pivoted_blocks = 132, most_row_parts = 64;

/* Column with the largest norm of a group of pivoted_threads columns */
struct largest_norm {
    double norm;
    int column;
};

/* The newest reflector, and the results of the thread blocks that computed it */
template <typename T>
struct pivoted_column {
    unsigned int finished; /* thread blocks of reflect_kernel that have finished */
    double power;          /* a power of two near the column's largest element */
    reflector<wide<T>> h;  /* of the column divided by `power` */
    double largest[most_pivoted_blocks], square[most_pivoted_blocks];
};

template <typename T>
struct pivoted_panel {
    const listed_piece<T> *block;
    int nb; /* columns of a block of A */
    int m, row0, n;
    int first; /* first column of the block of reflectors */
    T *t;
    int64_t ldt;
    int64_t *order;
    double *norm, *exact_norm; /* of the rows below R; exact_norm: when last computed from them */
    T *w;                      /* Wᵀ: n × pivoted_block */
    T *x;                      /* m: the newest column before its reflection */
    wide<T> *sums;             /* most_row_parts × n: parts of xᴴ A */
    largest_norm *largest;     /* of each group of columns from column j on */
    pivoted_column<T> *state;

    __device__ T *column(int c) const
    {
        const listed_piece<T> b = block[c / nb];
        return b.p + (c % nb) * b.ld;
    }

    /* Returns the address of reflector q of the block. A panel's reflectors are in A's first block.
     */
    __device__ const T *reflector_at(int q) const
    {
        return block->p + (first + q) * block->ld;
    }
};

/* Interchanges column j with the one of the largest norm if is_pivoted, and computes its reflector.
 */
template <typename T>
int reflect_column(startile_exec *x, const pivoted_panel<T> &p, int j, bool is_pivoted);

/* Computes W(j,:), and the row of R right of column j. If is_pivoted, down-dates the norms. */
template <typename T>
int multiply_by_reflector(startile_exec *x, const pivoted_panel<T> &p, int j, bool is_pivoted);

/* Computes the norms of columns j … n − 1 below the rows of R. */
template <typename T>
int compute_norms(startile_exec *x, const pivoted_panel<T> &p, int j);

/* Finds the largest norm in each group of columns, of which the first one begins at column j. */
template <typename T>
int find_largest_norms(startile_exec *x, const pivoted_panel<T> &p, int j);

/* Returns whether x comes before y as a pivot: NaN first, then the larger norm, then the first
 * column, as LAPACK. */
__device__ inline bool comes_before(largest_norm x, largest_norm y)
{
    if (isnan(x.norm) != isnan(y.norm))
        return isnan(x.norm);
    return x.norm > y.norm || (!(x.norm < y.norm) && x.column < y.column);
}

/* Returns a power of two near x, or the least one that is used if x is 0. */
__device__ inline double power_near(double x)
{
    return x > 0 ? ldexp(1.0, min(max(ilogb(x), -1000), 1000)) : ldexp(1.0, -1000);
}

/* Return the sum or maximum over the thread block, in all threads. */
template <typename F>
__device__ inline double reduce_threads(double x, F combine)
{
    __shared__ double list[pivoted_warps];
    for (int distance = 16; distance > 0; distance /= 2)
        x = combine(x, __shfl_xor_sync(0xffffffff, x, distance));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        list[threadIdx.x / 32] = x;
    __syncthreads();
    x = list[0];
    for (int w = 1; w < pivoted_warps; w++)
        x = combine(x, list[w]);
    return x;
}

__device__ inline double sum_of_threads(double x)
{
    return reduce_threads(x, [](double a, double b) { return a + b; });
}

__device__ inline double largest_of_threads(double x)
{
    return reduce_threads(x, [](double a, double b) { return fmax(a, b); });
}

/* Returns |x / power|². */
template <typename S>
__device__ inline double square_of(S x, double power)
{
    const double re = real_part(x) / power, im = imaginary_part(x) / power;
    return fma(re, re, im * im);
}

/* Returns the norm of a vector of `count` elements, in all threads of the block. */
template <typename T>
__device__ inline double norm_of_vector(const T *a, int count)
{
    double largest = 0, square = 0;
    for (int i = threadIdx.x; i < count; i += pivoted_threads)
        largest = fmax(largest, largest_part(convert<wide<T>>(a[i])));
    const double power = power_near(largest_of_threads(largest));
    for (int i = threadIdx.x; i < count; i += pivoted_threads)
        square += square_of(convert<wide<T>>(a[i]), power);
    return power * sqrt(sum_of_threads(square));
}

} // namespace startile_cuda

#endif
