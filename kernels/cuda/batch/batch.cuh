/*
 * Operations on batches (kernels/batch.h) as templates, each in the file batch_NAME.cu, and the
 * view of a batch in CUDA kernels. Private to kernels/cuda.
 *
 *     order of the matrices    one matrix is held by          warps synchronise by
 *     up to 16 or 32           4 to 32 lanes of a warp,       __syncwarp, shuffles
 *                                one row or column per lane
 *     fits shared memory       one thread block               __syncthreads
 *     larger                   one thread block per tile or   __syncthreads; one launch per panel
 *                                strip, or one per matrix
 *     vector                   1 to 32 lanes, or one warp     shuffles; a second launch combines
 *                                per chunk of 16 KiB            chunks
 *
 *     global memory --> registers or shared memory: all operations on the matrix --> global memory
 *
 * The file of each operation has a picture of the roles of its warps where they differ.
 */
#ifndef STARTILE_BATCH_CUH
#define STARTILE_BATCH_CUH

#include "batch.h"
#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* startile_matrices (batch.h) as a by-value argument of CUDA kernels. batch[q] is matrix q. */
template <typename T>
struct batch {
    T *a;
    int64_t stride;
    T *const *each;
    const int *sizes;
    int m, n, ld;

    __host__ batch(const startile_matrices *A)
        : a(static_cast<T *>(A->a)), stride(A->stride), each(reinterpret_cast<T *const *>(A->each)),
          sizes(A->sizes), m(A->m), n(A->n), ld(A->ld)
    {
    }

    struct matrix {
        T *p;
        int m, n, ld;

        __device__ T &operator()(int i, int j) const
        {
            return p[i + static_cast<int64_t>(j) * ld];
        }
    };

    __device__ matrix operator[](int q) const
    {
        T *p = each != nullptr ? each[q] : a + q * stride;
        if (sizes == nullptr)
            return {p, m, n, ld};
        return {p, sizes[3 * static_cast<int64_t>(q)], sizes[3 * static_cast<int64_t>(q) + 1],
                sizes[3 * static_cast<int64_t>(q) + 2]};
    }
};

/* Largest number of rows of a column of QR that is in registers (column_share) */
constexpr int max_panel_rows = 1024;

/* Declares the functions of batch_list.h: NAME_batch<T>. */
#define BATCH_KERNEL(name, parameters)                                                             \
    template <typename T>                                                                          \
    int name##_batch parameters;
#include "batch_list.h"

} // namespace startile_cuda
#endif
