/*
 * Splits a factor into the planes of a format, in the layout that the products read:
 * - a unit is 64 rows (or columns) by 32 k, contiguous in memory
 * - a unit holds its part of each plane, one plane after the other
 * - a plane holds cores of 8 rows by 8 k; the four cores of the same 8 rows follow each other
 * - a core is stored row by row
 * - a complex factor is stored as a real one (factor_kind in product.cuh)
 */
#ifndef STARTILE_SPLIT_PLANES_CUH
#define STARTILE_SPLIT_PLANES_CUH

#include "gemm/split_format.cuh"

#include <stdint.h>

namespace startile_cuda
{

constexpr int unit_length = 64, unit_k = 32;
constexpr int core_bytes = 128;
constexpr int cores_of_row = 4;
constexpr int plane_bytes = unit_length * unit_k * 2;
template <typename Format>
constexpr int unit_bytes = Format::planes *plane_bytes;

/* Returns the number of rows of units of a factor that has `length` rows (or columns). */
__host__ __device__ inline int unit_rows(int length)
{
    return (length + unit_length - 1) / unit_length;
}

/* A factor: `length` rows of op(A) or columns of op(B) */
struct split_factor {
    const float *p;
    int ld, length; /* ld: in elements, of one or two numbers */
    factor_kind kind;
    int imaginary_sign; /* −1 for a conjugated factor */
    int first_unit_row; /* index of its first row of units among those of all factors */
    bool along;         /* true: contiguous along its length; false: along k */
    bool is_aligned;    /* the factor and its columns are aligned to 16 bytes */
    bool used_as[2];    /* [0]: as A, [1]: as B; a factor may be both */
};

constexpr int max_factors = 128; /* two for each piece of a launch */

/* Arguments of split_kernel: all factors of a launch */
struct split_factors {
    int count, k, units_of_row; /* k: in numbers */
    unsigned char *planes;
    split_guard *guard;
    split_factor factor[max_factors];
};

/* Numbers of one row for 8 consecutive k; those outside the factor are 0 */
struct eight_elements {
    float x[8];
};

/* Returns the numbers of a row of a real factor for k0 … k0 + 7. */
__device__ inline eight_elements read_real(const split_factor &f, int row, int k0, int k)
{
    eight_elements t;
    if (!f.along && f.is_aligned && row < f.length && k0 + 8 <= k) {
        const float4 *from = reinterpret_cast<const float4 *>(f.p + k0 + int64_t(row) * f.ld);
        const float4 low = from[0], high = from[1];
        return {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const bool is_inside = row < f.length && k0 + i < k;
        const int64_t at = f.along ? row + int64_t(k0 + i) * f.ld : k0 + i + int64_t(row) * f.ld;
        t.x[i] = is_inside ? f.p[at] : 0;
    }
    return t;
}

/* Returns the numbers of a row of a complex factor for k0 … k0 + 7. */
__device__ inline eight_elements read_complex(const split_factor &f, int row, int k0, int k)
{
    const bool is_left = f.kind == complex_left, is_imaginary = is_left && row % 2 != 0;
    const int complex_row = is_left ? row / 2 : row;
    float2 z[4];
    if (!f.along && f.is_aligned && row < f.length && k0 + 8 <= k) {
        const float4 *from =
            reinterpret_cast<const float4 *>(f.p + k0 + 2 * int64_t(complex_row) * f.ld);
        const float4 low = from[0], high = from[1];
        z[0] = {low.x, low.y}, z[1] = {low.z, low.w};
        z[2] = {high.x, high.y}, z[3] = {high.z, high.w};
    } else {
        const float2 *p = reinterpret_cast<const float2 *>(f.p);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int l = k0 / 2 + i;
            const bool is_inside = row < f.length && 2 * l < k;
            const int64_t at =
                f.along ? complex_row + int64_t(l) * f.ld : l + int64_t(complex_row) * f.ld;
            z[i] = is_inside ? p[at] : float2{0, 0};
        }
    }
    eight_elements t;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float imaginary = f.imaginary_sign < 0 ? -z[i].y : z[i].y;
        t.x[2 * i] = is_imaginary ? imaginary : z[i].x;
        t.x[2 * i + 1] = is_imaginary ? z[i].x : is_left ? -imaginary : imaginary;
    }
    return t;
}

/* Returns the elements rounded, as their part of the next plane, and replaces them by what the
 * rounded values leave, divided by plane_scale. The subtraction is exact. */
template <typename Format>
__device__ inline uint4 extract_plane(eight_elements &t)
{
    uint4 plane;
    unsigned int *pairs = &plane.x;
#pragma unroll
    for (int i = 0; i < 8; i += 2) {
        const typename Format::pair pair = Format::round(t.x[i], t.x[i + 1]);
        t.x[i] = (t.x[i] - __low2float(pair)) * (1 / Format::plane_scale);
        t.x[i + 1] = (t.x[i + 1] - __high2float(pair)) * (1 / Format::plane_scale);
        pairs[i / 2] = *reinterpret_cast<const unsigned int *>(&pair);
    }
    return plane;
}

/* Extremes of a thread's elements, as in split_guard */
struct split_extremes {
    unsigned int largest, smallest_but_0;

    __device__ void include(const eight_elements &t)
    {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const unsigned int bits = __float_as_uint(t.x[i]) & 0x7fffffff;
            largest = max(largest, bits);
            smallest_but_0 = max(smallest_but_0, 0 - bits);
        }
    }

    /* Merges the extremes into the guard, by all threads of a warp. */
    __device__ void merge(split_guard &guard, const bool (&used_as)[2]) const
    {
        const unsigned int l = __reduce_max_sync(~0u, largest);
        const unsigned int s = __reduce_max_sync(~0u, smallest_but_0);
        for (int f = 0; f < 2; f++)
            if (used_as[f] && threadIdx.x % 32 == 0) {
                raise(guard.largest[f], l);
                raise(guard.smallest_but_0[f], s);
            }
    }

    /* Raises `to` to `value` if `value` is larger. Reads `to` first, because most values change
     * nothing, and atomic operations would queue. */
    __device__ static void raise(unsigned int &to, unsigned int value)
    {
        if (value > *const_cast<volatile unsigned int *>(&to))
            atomicMax(&to, value);
    }
};

constexpr int split_threads = 256; /* one thread for each 8 elements of a unit */
constexpr int units_of_block = 4;  /* neighbouring units that a thread block splits */

/* Splits all factors. Grid: rows of units of the longest factor; units of a row, divided by
 * units_of_block; factors */
template <typename Format, bool is_complex>
__global__ void __launch_bounds__(split_threads)
    split_kernel(const __grid_constant__ split_factors g)
{
    const split_factor &f = g.factor[blockIdx.z];
    const int unit_row = blockIdx.x;
    if (unit_row * unit_length >= f.length)
        return;
    /* Neighbouring threads read neighbouring elements. */
    const int row = f.along ? threadIdx.x % unit_length : threadIdx.x / cores_of_row;
    const int core = f.along ? threadIdx.x / unit_length : threadIdx.x % cores_of_row;
    const int place = (row / 8 * cores_of_row + core) * core_bytes + row % 8 * 16;
    split_extremes extremes = {};
#pragma unroll
    for (int i = 0; i < units_of_block; i++) {
        const int unit = blockIdx.y * units_of_block + i;
        if (unit >= g.units_of_row)
            break;
        const int of_factor = unit_row * unit_length + row, k0 = unit * unit_k + core * 8;
        eight_elements t =
            is_complex ? read_complex(f, of_factor, k0, g.k) : read_real(f, of_factor, k0, g.k);
        extremes.include(t);
        const int64_t to_unit = int64_t(f.first_unit_row + unit_row) * g.units_of_row + unit;
        unsigned char *to = g.planes + to_unit * unit_bytes<Format> + place;
#pragma unroll
        for (int plane = 0; plane < Format::planes; plane++)
            *reinterpret_cast<uint4 *>(to + plane * plane_bytes) = extract_plane<Format>(t);
    }
    extremes.merge(*g.guard, f.used_as);
}

} // namespace startile_cuda

#endif
