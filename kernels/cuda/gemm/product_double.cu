/* Products in double precision */
#include "gemm/product_emulated.cuh"
#include "gemm/product_launch.cuh"

namespace startile_cuda
{

template <>
int multiply_plain(startile_exec *x, const product_group<double> &g)
{
    using tall = product_shape<128, 64, 4>;
    return multiply_group_by_shape<product_shape<128, 128, 2>, tall, product_shape<64, 64, 2>,
                                   product_shape<64, 128, 2>, tall>(x, g);
}

template <>
int multiply_group(startile_exec *x, const product_group<double> &g)
{
    return can_multiply_emulated(x, g) ? multiply_emulated(x, g) : multiply_plain(x, g);
}

} // namespace startile_cuda
