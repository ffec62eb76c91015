/*
 * Factorizations of few large matrices of a batch: one after the other, each by the kernels for one
 * matrix, which use many thread blocks. Two chunks of a batch run at the same time
 * (codelets/batch/batch_chunk_size.c). Their errors are those of
 * these kernels: potrf/potrf.cu, getrf/getrf.cu, geqrf/geqrf.cu, geqrf/larfb.cu.
 */
#ifndef STARTILE_BATCH_LARGE_CUH
#define STARTILE_BATCH_LARGE_CUH

#include "batch/batch.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Factor the matrices one after the other, as the functions of batch_list.h. Wait for the stream
 * where addresses or sizes of the matrices must be read from the device. Without pivots the
 * matrices are square. */
template <typename T>
int potrf_one_by_one(startile_exec *x, char uplo, int count, const startile_matrices *A,
                     int64_t *info);
template <typename T>
int getrf_one_by_one(startile_exec *x, int count, const startile_matrices *A,
                     const startile_matrices *P, int64_t *info);
template <typename T>
int geqrf_one_by_one(startile_exec *x, int count, const startile_matrices *A,
                     const startile_matrices *tau);

/* C := Q C for 'N', else Qᴴ C, one after the other. C_q is left out if info[q] ≠ 0; info may be
 * NULL. */
template <typename T>
int ormqr_one_by_one(startile_exec *x, char trans, int count, const startile_matrices *A,
                     const startile_matrices *tau, const startile_matrices *C, const int64_t *info);

/* The functions below choose by times on an H200, two chunks at a time (perf_models/NOTES.md,
 * "Batches"). */

/* Returns whether Cholesky runs one by one: milliseconds of one by one and of tiles with two
 * launches for each column of tiles, single precision, 4 of order 1024: 0.95, 1.6; 8 of order
 * 2048: 2.9, 6.2; 16 of order 512: 1.5, 0.48 */
inline bool potrf_is_one_by_one(int count, int n)
{
    return int64_t(count) * 192 <= n;
}

/* Returns whether LU runs one by one: milliseconds of one by one and of panels, double precision, 4
 * of order 1024: 2.8, 3.6; 8 of order 1024: 5.6, 4.4; 4 of order 2048: 6.5, 21 */
inline bool getrf_is_one_by_one(int count, int m, int n)
{
    return int64_t(count) * 512 <= std::min(m, n);
}

/* Returns whether QR runs one by one: milliseconds of one by one and of panels, double precision, 8
 * of order 1024: 9.4, 8.4; 16 of order 512: 9.2, 1.6. With more than max_panel_rows rows there
 * are no panels: 2 of order 1100 took 700 ms. A batch of different sizes may have many small
 * matrices. */
inline bool geqrf_is_one_by_one(int count, const startile_matrices *A)
{
    constexpr int most_of_different_sizes = 256;
    if (A->m > max_panel_rows)
        return A->sizes == nullptr || count <= most_of_different_sizes;
    return int64_t(count) * 256 <= std::min(A->m, A->n);
}

} // namespace startile_cuda

#endif
