/*
 * cuBLAS: its routines for the four element types, its values of LAPACK's letters, its errors.
 * Private to kernels/cuda. The other headers do without cublas_v2.h, which doubles the time that a
 * small kernel takes to compile.
 */
#ifndef STARTILE_CUBLAS_CUH
#define STARTILE_CUBLAS_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

#include <cublas_v2.h>

namespace startile_cuda
{

template <typename T>
struct blas;

template <>
struct blas<float> {
    static constexpr cudaDataType data_type = CUDA_R_32F;
    static constexpr auto gemm = cublasSgemm;
    static constexpr auto gemm_batched = cublasSgemmBatched;
    static constexpr auto gemm_strided_batched = cublasSgemmStridedBatched;
    static constexpr auto hemm = cublasSsymm;
    static constexpr auto syrk = cublasSsyrk;
    static constexpr auto trmm = cublasStrmm;
    static constexpr auto trsm = cublasStrsm;
};

template <>
struct blas<double> {
    static constexpr cudaDataType data_type = CUDA_R_64F;
    static constexpr auto gemm = cublasDgemm;
    static constexpr auto gemm_batched = cublasDgemmBatched;
    static constexpr auto gemm_strided_batched = cublasDgemmStridedBatched;
    static constexpr auto hemm = cublasDsymm;
    static constexpr auto syrk = cublasDsyrk;
    static constexpr auto trmm = cublasDtrmm;
    static constexpr auto trsm = cublasDtrsm;
};

template <>
struct blas<cuComplex> {
    static constexpr cudaDataType data_type = CUDA_C_32F;
    static constexpr auto gemm = cublasCgemm;
    static constexpr auto gemm_batched = cublasCgemmBatched;
    static constexpr auto gemm_strided_batched = cublasCgemmStridedBatched;
    static constexpr auto hemm = cublasChemm;
    static constexpr auto herk = cublasCherk;
    static constexpr auto syrk = cublasCsyrk;
    static constexpr auto trmm = cublasCtrmm;
    static constexpr auto trsm = cublasCtrsm;
};

template <>
struct blas<cuDoubleComplex> {
    static constexpr cudaDataType data_type = CUDA_C_64F;
    static constexpr auto gemm = cublasZgemm;
    static constexpr auto gemm_batched = cublasZgemmBatched;
    static constexpr auto gemm_strided_batched = cublasZgemmStridedBatched;
    static constexpr auto hemm = cublasZhemm;
    static constexpr auto herk = cublasZherk;
    static constexpr auto syrk = cublasZsyrk;
    static constexpr auto trmm = cublasZtrmm;
    static constexpr auto trsm = cublasZtrsm;
};

inline cublasFillMode_t fill_mode(char uplo)
{
    return uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

inline cublasSideMode_t side_mode(char side)
{
    return side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}

/* Returns cuBLAS's value for trans. For real types 'C' becomes 'T', which every routine of cuBLAS
 * accepts. */
template <typename T>
cublasOperation_t operation(char trans)
{
    return trans == 'N'                             ? CUBLAS_OP_N
           : trans == 'C' && element<T>::is_complex ? CUBLAS_OP_C
                                                    : CUBLAS_OP_T;
}

inline int check(cublasStatus_t e)
{
    return e == CUBLAS_STATUS_SUCCESS        ? 0
           : e == CUBLAS_STATUS_ALLOC_FAILED ? STARTILE_ERROR_MEMORY
                                             : STARTILE_ERROR_DEVICE;
}

} // namespace startile_cuda

#endif
