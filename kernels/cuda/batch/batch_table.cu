/* Kernel tables of operations on batches */
#include "batch/batch.cuh"

namespace startile_cuda
{

#define BATCH_KERNEL(name, parameters) name##_batch<T>,
template <typename T>
static constexpr startile_batch_kernels batches = {
#include "batch_list.h"
};

} // namespace startile_cuda

using namespace startile_cuda;

const startile_batch_kernels *const startile_cuda_batch_kernels[4] = {
    &batches<float>, &batches<double>, &batches<cuComplex>, &batches<cuDoubleComplex>};
