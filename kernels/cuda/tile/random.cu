/*
 * Random elements as functions of their position (random.h), with the same bits as
 * kernels/cpu/random.c
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "random.h"

namespace startile_cuda
{

template <typename T>
struct random_element {
    startile_symmetry kind;
    uint64_t seed;
    double bump;
    int64_t i0, j0;
    T *a;
    int64_t lda;

    __device__ void operator()(int i, int j) const
    {
        int64_t row = i0 + i, column = j0 + j;
        bool diagonal = row == column, above = row < column && kind != STARTILE_GENERAL;
        int64_t first = above ? column : row, second = above ? row : column;
        double re = startile_uniform(seed, first, second, 0) + (diagonal ? bump : 0), im = 0;
        if constexpr (element<T>::is_complex) {
            im = startile_uniform(seed, first, second, 1);
            if (kind == STARTILE_HERMITIAN)
                im = diagonal ? 0 : above ? -im : im;
        }
        a[i + j * lda] = to_element<T>(re, im);
    }
};

template <typename T>
int random(startile_exec *x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
           int64_t j0, int m, int n, void *a, int lda)
{
    return apply_elementwise(x, 'G', m, n,
                             random_element<T>{kind, seed, bump, i0, j0, static_cast<T *>(a), lda});
}

INSTANTIATE(random);

} // namespace startile_cuda
