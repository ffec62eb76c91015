/*
 * The kernel tables of all types: the library's own kernels, those of cuBLAS and cuSOLVER where
 * they have any, and the faster of both.
 */
#include "common/operations.cuh"

#include <type_traits>

namespace startile_cuda
{

/* Returns whether products run on tensor cores with split operands, which is the fastest way in
 * single precision. */
template <typename T>
static bool splits(const startile_exec *x)
{
    return std::is_same<T, float>::value && x->tensor_single;
}

/* Chooses for one product. For C from 2048 × 512 on, the own kernel runs at 0.93 to 1.04 of cuBLAS'
 * rate in double, at 0.96 to 1.00 in complex double, at 0.91 in complex single, and at 0.88 to 1.21
 * in single, above 1 for short k; for smaller C it is slower (H200, perf_models/NOTES.md). */
template <typename T>
static int faster_gemm(startile_exec *x, char transa, char transb, int m, int n, int k,
                       startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
                       startile_scalar beta, void *c, int ldc)
{
    return (splits<T>(x) ? gemm<T> : vendor_gemm<T>)(x, transa, transb, m, n, k, alpha, a, lda, b,
                                                     ldb, beta, c, ldc);
}

/* Up to this many rows cuBLAS updates a triangle faster: dsyrk with k = 512 runs at 0.94 of cuBLAS'
 * rate for 4096 rows and at 1.21 for 16384 (H200, perf_models/NOTES.md). */
constexpr int max_rows_of_vendor = 4096;

template <typename T>
static bool own_is_faster(const startile_exec *x, int n)
{
    return splits<T>(x) || n > max_rows_of_vendor;
}

template <typename T>
static int faster_herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                       const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return (own_is_faster<T>(x, n) ? herk<T> : vendor_herk<T>)(x, uplo, trans, n, k, alpha, a, lda,
                                                               beta, c, ldc);
}

template <typename T>
static int faster_syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                       const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return (own_is_faster<T>(x, n) ? syrk<T> : vendor_syrk<T>)(x, uplo, trans, n, k, alpha, a, lda,
                                                               beta, c, ldc);
}

/* In the order of kernels.h */
template <typename T>
static constexpr startile_kernels own = {
    gemm<T>,        herk<T>,       syrk<T>,      trsm<T>,        trmm<T>,       potrf<T>,
    laset<T>,       lacpy<T>,      random<T>,    lange<T>,       lansy<T>,      getrf<T>,
    getrf_nopiv<T>, laswp<T>,      lapmt<T>,     select_rows<T>, order_rows,    geadd<T>,
    lacn2<T>,       first_zero<T>, transpose<T>, geqrf<T>,       larft<T>,      larfb<T>,
    tpqrt<T>,       tpmqrt<T>,     lascl<T>,     gemm_group<T>,  trmm_group<T>,
};

template <typename T>
static constexpr startile_kernels with_vendors()
{
    startile_kernels k = own<T>;
    k.gemm = vendor_gemm<T>;
    k.herk = vendor_herk<T>;
    k.syrk = vendor_syrk<T>;
    k.trmm = vendor_trmm<T>;
    k.potrf = vendor_potrf<T>;
    k.gemm_group = vendor_gemm_group<T>;
    k.trmm_group = vendor_trmm_group<T>;
    return k;
}

template <typename T>
static constexpr startile_kernels with_faster()
{
    startile_kernels k = own<T>;
    k.gemm = faster_gemm<T>;
    k.herk = faster_herk<T>;
    k.syrk = faster_syrk<T>;
    return k;
}

template <typename T>
static constexpr startile_kernels vendors = with_vendors<T>();
template <typename T>
static constexpr startile_kernels faster = with_faster<T>();

} // namespace startile_cuda

using namespace startile_cuda;

const startile_kernels *const startile_cuda_kernels[4] = {
    &faster<float>, &faster<double>, &faster<cuComplex>, &faster<cuDoubleComplex>};

const startile_kernels *const startile_cuda_own_kernels[4] = {
    &own<float>, &own<double>, &own<cuComplex>, &own<cuDoubleComplex>};

const startile_kernels *const startile_cuda_vendor_kernels[4] = {
    &vendors<float>, &vendors<double>, &vendors<cuComplex>, &vendors<cuDoubleComplex>};
