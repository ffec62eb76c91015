/* cuSOLVER and its errors. Private to kernels/cuda. */
#ifndef STARTILE_CUSOLVER_CUH
#define STARTILE_CUSOLVER_CUH

#include "common/cublas.cuh"

#include <cusolverDn.h>

namespace startile_cuda
{

inline int check(cusolverStatus_t e)
{
    return e == CUSOLVER_STATUS_SUCCESS        ? 0
           : e == CUSOLVER_STATUS_ALLOC_FAILED ? STARTILE_ERROR_MEMORY
                                               : STARTILE_ERROR_DEVICE;
}

} // namespace startile_cuda

#endif
