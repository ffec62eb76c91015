/* Products in complex double precision */
#include "gemm/product_emulated.cuh"
#include "gemm/product_launch.cuh"

namespace startile_cuda
{

template <>
int multiply_plain(startile_exec *x, const product_group<cuDoubleComplex> &g)
{
    using tall = product_shape<128, 64, 4>;
    using small = product_shape<64, 64, 2>;
    return multiply_group_by_shape<tall, small, small, product_shape<64, 128, 2>, tall>(x, g);
}

template <>
int multiply_group(startile_exec *x, const product_group<cuDoubleComplex> &g)
{
    return can_multiply_emulated(x, g) ? multiply_emulated(x, g) : multiply_plain(x, g);
}

} // namespace startile_cuda
