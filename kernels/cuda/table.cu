/* The tables of all types. */
#include "operations.cuh"

namespace startile_cuda
{

/* in the order of kernels.h */
template <typename T>
static constexpr startile_kernels table = {
    gemm<T>,  herk<T>,        syrk<T>,    trsm<T>,  trmm<T>,   potrf<T>,       laset<T>,
    lacpy<T>, random<T>,      lange<T>,   lansy<T>, getrf<T>,  getrf_nopiv<T>, laswp<T>,
    lapmt<T>, select_rows<T>, order_rows, geadd<T>, lacn2<T>,  first_zero<T>,  transpose<T>,
    geqrf<T>, larft<T>,       larfb<T>,   tpqrt<T>, tpmqrt<T>, lascl<T>,
};

} // namespace startile_cuda

const startile_kernels *const startile_cuda_kernels[4] = {
    &startile_cuda::table<float>, &startile_cuda::table<double>, &startile_cuda::table<cuComplex>,
    &startile_cuda::table<cuDoubleComplex>};
