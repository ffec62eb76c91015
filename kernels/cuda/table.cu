/* The tables of all types: the library's own kernels, and the vendor's where there are any. */
#include "operations.cuh"

namespace startile_cuda
{

/* in the order of kernels.h */
template <typename T>
static constexpr startile_kernels table = {
    gemm<T>,        herk<T>,       syrk<T>,      trsm<T>,        trmm<T>,       potrf<T>,
    laset<T>,       lacpy<T>,      random<T>,    lange<T>,       lansy<T>,      getrf<T>,
    getrf_nopiv<T>, laswp<T>,      lapmt<T>,     select_rows<T>, order_rows,    geadd<T>,
    lacn2<T>,       first_zero<T>, transpose<T>, geqrf<T>,       larft<T>,      larfb<T>,
    tpqrt<T>,       tpmqrt<T>,     lascl<T>,     gemm_group<T>,  trmm_group<T>,
};

template <typename T>
static constexpr startile_kernels with_vendors_products()
{
    startile_kernels k = table<T>;
    k.gemm = vendor_gemm<T>;
    k.herk = vendor_herk<T>;
    k.syrk = vendor_syrk<T>;
    k.trmm = vendor_trmm<T>;
    k.gemm_group = vendor_gemm_group<T>;
    k.trmm_group = vendor_trmm_group<T>;
    return k;
}

template <typename T>
static constexpr startile_kernels vendor_table = with_vendors_products<T>();

} // namespace startile_cuda

const startile_kernels *const startile_cuda_kernels[4] = {
    &startile_cuda::table<float>, &startile_cuda::table<double>, &startile_cuda::table<cuComplex>,
    &startile_cuda::table<cuDoubleComplex>};

const startile_kernels *const startile_cuda_vendor_kernels[4] = {
    &startile_cuda::vendor_table<float>, &startile_cuda::vendor_table<double>,
    &startile_cuda::vendor_table<cuComplex>, &startile_cuda::vendor_table<cuDoubleComplex>};
