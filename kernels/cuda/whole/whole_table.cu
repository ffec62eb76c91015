/* Kernel tables of operations on whole matrices */
#include "whole/whole.cuh"

#include <type_traits>

namespace startile_cuda
{

template <typename T>
using in_single = std::conditional_t<element<T>::is_complex, cuComplex, float>;

template <typename T>
static constexpr startile_whole_kernels whole = {whole_solve<T, T>, whole_solve<in_single<T>, T>,
                                                 whole_residual<T>, whole_abs_sums<T>};

} // namespace startile_cuda

using namespace startile_cuda;

const startile_whole_kernels *const startile_cuda_whole_kernels[4] = {
    &whole<float>, &whole<double>, &whole<cuComplex>, &whole<cuDoubleComplex>};
