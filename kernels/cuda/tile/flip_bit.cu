/* Flips one bit, for tests of what detects it */
#include "common/operations.cuh"

namespace startile_cuda
{

static __global__ void flip_kernel(unsigned char *byte, unsigned char mask)
{
    *byte ^= mask;
}

template <typename T>
int flip_bit(startile_exec *x, void *a, int64_t bit)
{
    return launch(x, flip_kernel, 1, 1, static_cast<unsigned char *>(a) + bit / 8,
                  static_cast<unsigned char>(1u << bit % 8));
}

INSTANTIATE(flip_bit);

} // namespace startile_cuda
