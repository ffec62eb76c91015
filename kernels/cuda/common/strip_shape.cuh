/*
 * The shapes that the threads of a strip kernel come in (getrf_strip.cu, geqrf_strip.cu): columns
 * at a time, rows of a thread, threads of the team.
 */
#ifndef STARTILE_STRIP_SHAPE_CUH
#define STARTILE_STRIP_SHAPE_CUH

#include <type_traits>

namespace startile_cuda
{

/* A thread of the largest team keeps 96 bytes of each of the columns at hand, or 24 registers. */
constexpr int max_compute_threads = 352;
template <typename T>
constexpr int max_rows_of_block = max_compute_threads *(96 / static_cast<int>(sizeof(T)));

/* f(width, rows, team) for a shape with room for so many rows of a block; a team of 256 has up to
 * max_of_medium rows a thread. With the clerk, a team of 352 makes 12 warps, 3 for each quarter of
 * a multiprocessor's registers. */
template <typename T, int max_of_medium, typename F>
int with_shape(int rows_of_block, F f)
{
    constexpr int words = sizeof(T) / 4;
    using std::integral_constant;
    constexpr integral_constant<int, 8> eight;
    constexpr integral_constant<int, 4> four;
    constexpr integral_constant<int, 2> two;
    constexpr integral_constant<int, 1> one;
    constexpr integral_constant<int, 256> medium;
    constexpr integral_constant<int, max_compute_threads> large;
    if (rows_of_block <= medium())
        return f(eight, one, medium);
    if (rows_of_block <= 2 * medium())
        return f(eight, two, medium);
    if constexpr (words <= 2)
        if (rows_of_block <= 4 * medium())
            return f(eight, four, medium);
    if constexpr (words == 1 && max_of_medium == 8)
        if (rows_of_block <= 8 * medium())
            return f(eight, eight, medium);
    constexpr integral_constant<int, 12 / words> some;
    constexpr integral_constant<int, 24 / words> more;
    if (rows_of_block <= some * large)
        return f(eight, some, large);
    return f(four, more, large);
}

} // namespace startile_cuda

#endif
