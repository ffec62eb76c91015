/*
 * Shapes of the strip kernels (getrf_strip.cu, geqrf_strip.cu): columns that a thread holds in
 * registers (width), rows per thread, and compute threads per thread block
 */
#ifndef STARTILE_STRIP_SHAPE_CUH
#define STARTILE_STRIP_SHAPE_CUH

#include <type_traits>

namespace startile_cuda
{

/* Compute threads per thread block of the largest shapes. In the very largest one a thread holds 96
 * bytes, or 24 registers, of each of its four columns. */
constexpr int max_compute_threads = 352;
/* Largest number of rows of a thread block */
template <typename T>
constexpr int max_rows_of_block = max_compute_threads *(96 / static_cast<int>(sizeof(T)));

/* Calls f(width, rows per thread, compute_threads) with the first shape that holds rows_of_block
 * rows, at most max_rows_of_block, and returns f's result. least_threads is 128 for LU and 256 for
 * QR, whose kernel hung with 128 compute threads in complex double precision. Shapes of 256 compute
 * threads have at most max_of_medium rows per thread; only LU has one of 3 rows. 352 compute
 * threads and the bookkeeping warp make 12 warps, 3 for each quarter of a multiprocessor. */
template <typename T, int least_threads, int max_of_medium, typename F>
int with_shape(int rows_of_block, F f)
{
    constexpr int words = sizeof(T) / 4;
    using std::integral_constant;
    constexpr integral_constant<int, 8> eight;
    constexpr integral_constant<int, 4> four;
    constexpr integral_constant<int, 3> three;
    constexpr integral_constant<int, 2> two;
    constexpr integral_constant<int, 1> one;
    constexpr integral_constant<int, least_threads> small;
    constexpr integral_constant<int, 256> medium;
    constexpr integral_constant<int, max_compute_threads> large;
    if constexpr (least_threads < medium())
        if (rows_of_block <= small())
            return f(eight, one, small);
    if (rows_of_block <= medium())
        return f(eight, one, medium);
    if (rows_of_block <= 2 * medium())
        return f(eight, two, medium);
    if constexpr (words <= 2 && least_threads < medium())
        if (rows_of_block <= 3 * medium())
            return f(eight, three, medium);
    if constexpr (words <= 2)
        if (rows_of_block <= 4 * medium())
            return f(eight, four, medium);
    if constexpr (words == 1 && max_of_medium == 8)
        if (rows_of_block <= 8 * medium())
            return f(eight, eight, medium);
    constexpr integral_constant<int, 12 / words> half_rows;
    constexpr integral_constant<int, 24 / words> all_rows;
    if (rows_of_block <= half_rows * large)
        return f(eight, half_rows, large);
    return f(four, all_rows, large);
}

} // namespace startile_cuda

#endif
