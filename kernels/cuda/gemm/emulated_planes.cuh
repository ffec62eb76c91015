/*
 * Residues of the factors of an emulated product. A plane is the matrix of the residues of all
 * factors modulo one modulus, as signed bytes:
 * - a unit is 128 rows (or columns) by 128 k, contiguous in memory, in the layout of shared memory
 *   with swizzling of 128 bytes that wgmma reads
 * - the units of the same rows follow each other along k
 * - a complex factor is stored as a real one (factor_kind in product.cuh)
 */
#ifndef STARTILE_EMULATED_PLANES_CUH
#define STARTILE_EMULATED_PLANES_CUH

#include "gemm/emulated_residues.cuh"
#include "gemm/product.cuh"

namespace startile_cuda
{

constexpr int residue_rows = 128, residue_k = 128; /* of a unit */
constexpr int residue_unit_bytes = residue_rows * residue_k;

/* Returns the number of rows of units of a factor that has `length` rows (or columns). */
__host__ __device__ inline int residue_unit_rows(int length)
{
    return (length + residue_rows - 1) / residue_rows;
}

/* A factor: `length` rows of op(A) or columns of op(B), as real numbers. Element l of row r of a
 * real factor is p[r row_stride + l k_stride]; one of the strides is 1. The strides of a complex
 * one are those of its elements, which are two numbers. */
struct emulated_factor {
    const double *p;
    int64_t row_stride, k_stride;
    int length;
    factor_kind kind;
    int imaginary_sign; /* −1 for a conjugated factor */
    int first_unit_row; /* index of its first row of units among those of all factors */

    template <bool is_complex>
    __device__ double at(int r, int l) const
    {
        if constexpr (!is_complex)
            return p[r * row_stride + l * k_stride];
        const bool is_left = kind == complex_left;
        const int row_part = is_left ? r % 2 : 0, part = l % 2 ^ row_part;
        const double x = p[(is_left ? r / 2 : r) * row_stride + l / 2 * k_stride + part];
        const int sign = is_left && l % 2 > row_part ? -1 : 1;
        return part == 0 ? x : sign * imaginary_sign * x;
    }
};

constexpr int emulated_max_factors = 128;

/* Arguments of the kernels that prepare the planes of all factors of a launch */
struct emulated_factors {
    int count, k, units_of_row, unit_rows;
    int *exponents;  /* of each row of all factors: row 2^−exponent is rounded to integers */
    int *unsuitable; /* set to 1 if a row does not satisfy the guard (product_emulated.cuh) */
    signed char *planes;
    emulated_factor factor[emulated_max_factors];
};

constexpr int norm_rows = 32, norm_threads = 256;

/* Returns the exponent e for a row of 2-norm `norm`, such that the 2-norm of row 2^−e is below
 * √(P / 2), with room for the rounding of norm and integers. */
__device__ inline int exponent_of_row(double norm)
{
    constexpr double most = range_mantissa() * (1 - 0x1p-16);
    constexpr int half_range = (range_exponent - 1) / 2;
    if (norm == 0)
        return 0;
    const int e = ilogb(norm);
    const double mantissa = scalbn(norm, -e);
    return e - half_range + (mantissa * mantissa > most ? 1 : 0);
}

/* Finds the exponents of all rows and checks the guard. Grid: groups of norm_rows rows of the
 * longest factor; factors */
template <bool is_complex>
__global__ void __launch_bounds__(norm_threads)
    emulated_norm_kernel(const __grid_constant__ emulated_factors g)
{
    constexpr int lanes = norm_threads / norm_rows;                    /* threads per row */
    constexpr double least_element = 0x1p-400, most_element = 0x1p400; /* squares do not overflow */
    constexpr double least_norm = 0x1p-380;
    __shared__ double squares[lanes][norm_rows + 1], sums[lanes][norm_rows + 1];
    const emulated_factor &f = g.factor[blockIdx.y];
    const int first = blockIdx.x * norm_rows;
    if (first >= residue_unit_rows(f.length) * residue_rows)
        return;
    /* Neighbouring threads read neighbouring elements. */
    const bool along = f.row_stride == (is_complex ? 2 : 1);
    const int row = along ? threadIdx.x % norm_rows : threadIdx.x / lanes;
    const int lane = along ? threadIdx.x / norm_rows : threadIdx.x % lanes;
    double square = 0, sum = 0;
    bool unsuitable = false;
    if (first + row < f.length)
#pragma unroll 8
        for (int l = lane; l < g.k; l += lanes) {
            const double x = fabs(f.template at<is_complex>(first + row, l));
            unsuitable = unsuitable || !(x <= most_element);
            sum += x;
            if (x >= least_element)
                square = fma(x, x, square);
        }
    squares[lane][row] = square;
    sums[lane][row] = sum;
    __syncthreads();
    if (threadIdx.x < norm_rows) {
        square = sum = 0;
        for (int i = 0; i < lanes; i++) {
            square += squares[i][threadIdx.x];
            sum += sums[i][threadIdx.x];
        }
        const double norm = sqrt(square), k = g.k;
        unsuitable =
            unsuitable || (sum > 0 && norm < least_norm) || square * k > sum * sum * sqrt(k) / 4;
        g.exponents[f.first_unit_row * residue_rows + first + threadIdx.x] = exponent_of_row(norm);
    }
    if (unsuitable)
        *g.unsuitable = 1;
}

constexpr int residue_threads = 256;

/* Computes the residues of all factors. Grid: units of a row of units; rows of units of the longest
 * factor; factors */
template <bool is_complex>
__global__ void __launch_bounds__(residue_threads)
    emulated_residue_kernel(const __grid_constant__ emulated_factors g)
{
    constexpr int chunk = 16, chunks = residue_k / chunk; /* consecutive k of a thread */
    const emulated_factor &f = g.factor[blockIdx.z];
    const int unit = blockIdx.x, unit_row = blockIdx.y;
    if (unit_row >= residue_unit_rows(f.length) || *g.unsuitable)
        return;
    const int64_t plane_bytes = int64_t(g.unit_rows) * g.units_of_row * residue_unit_bytes;
    signed char *planes =
        g.planes +
        (int64_t(f.first_unit_row + unit_row) * g.units_of_row + unit) * residue_unit_bytes;
#pragma unroll 1
    for (int item = threadIdx.x; item < residue_rows * chunks; item += residue_threads) {
        const int row = item % 8 + item / (8 * chunks) * 8, part = item / 8 % chunks;
        const int r = unit_row * residue_rows + row, l = unit * residue_k + part * chunk;
        const int exponent =
            r < f.length ? g.exponents[(f.first_unit_row + unit_row) * residue_rows + row] : 0;
        const double scale = scalbn(1.0, -exponent);
        uint32_t low[chunk], high[chunk];
#pragma unroll
        for (int i = 0; i < chunk; i++) {
            const bool is_inside = r < f.length && l + i < g.k;
            const biased_integer x(is_inside ? f.template at<is_complex>(r, l + i) * scale : 0);
            low[i] = x.low, high[i] = x.high;
        }
        signed char *to = planes + row * residue_k + (part ^ row % 8) * chunk;
        for_each_constant<moduli>([&](auto i) {
            uint32_t bytes[chunk / 4];
#pragma unroll
            for (int q = 0; q < chunk; q += 4) {
                uint32_t r4[4];
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    biased_integer x(0);
                    x.low = low[q + e], x.high = high[q + e];
                    r4[e] = residue<decltype(i)::value>(x);
                }
                bytes[q / 4] = __byte_perm(__byte_perm(r4[0], r4[1], 0x0040),
                                           __byte_perm(r4[2], r4[3], 0x0040), 0x5410);
            }
            *reinterpret_cast<uint4 *>(to + decltype(i)::value * plane_bytes) =
                make_uint4(bytes[0], bytes[1], bytes[2], bytes[3]);
        });
    }
}

} // namespace startile_cuda

#endif
