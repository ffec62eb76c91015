/* Strided views of matrices, so that one kernel serves upper, lower, left, right and transposed */
#ifndef STARTILE_STRIDED_CUH
#define STARTILE_STRIDED_CUH

#include <stdint.h>

namespace startile_cuda
{

/* View of a matrix with any strides: as stored, transposed, or with reversed rows */
template <typename T>
struct strided {
    T *p;
    int64_t row, column; /* distance in elements to the next row and to the next column */
    int m, n;

    __device__ T &operator()(int i, int j) const
    {
        return p[i * row + j * column];
    }

    /* Returns the view of the part from row i0 and column j0 on, which may be empty. */
    __host__ __device__ strided from(int i0, int j0) const
    {
        return {p + i0 * row + j0 * column, row, column, m - i0, n - j0};
    }

    __host__ __device__ strided transposed() const
    {
        return {p, column, row, n, m};
    }

    /* Returns the view with the order of the rows reversed. */
    __host__ __device__ strided rows_reversed() const
    {
        return {p + (m - 1) * row, -row, column, m, n};
    }

    /* Returns whether rows are contiguous in memory. */
    __device__ bool is_row_major() const
    {
        return column == 1 || column == -1;
    }
};

} // namespace startile_cuda

#endif
