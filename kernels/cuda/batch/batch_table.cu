/* Kernel tables of operations on batches */
#include "batch/batch.cuh"

namespace startile_cuda
{

/* In the order of batch.h */
template <typename T>
static constexpr startile_batch_kernels batches = {
    potrf_batch<T>, potrs_batch<T>, getrf_batch<T>, getrs_batch<T>, getri_batch<T>, geqrf_batch<T>,
    ormqr_batch<T>, gels_batch<T>,  gemm_batch<T>,  trsm_batch<T>,  nrm2_batch<T>,  asum_batch<T>,
    dot_batch<T>,   iamax_batch<T>, scal_batch<T>,  axpy_batch<T>,
};

} // namespace startile_cuda

using namespace startile_cuda;

const startile_batch_kernels *const startile_cuda_batch_kernels[4] = {
    &batches<float>, &batches<double>, &batches<cuComplex>, &batches<cuDoubleComplex>};
