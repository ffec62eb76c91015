/* The table of operations on batches of one type. */
#include "batch_matrix.h"

extern const startile_batch_kernels NAME(batch_kernels);

const startile_batch_kernels NAME(batch_kernels) = {
    .potrf = NAME(potrf_batch),
    .potrs = NAME(potrs_batch),
    .getrf = NAME(getrf_batch),
    .getrs = NAME(getrs_batch),
    .getri = NAME(getri_batch),
    .geqrf = NAME(geqrf_batch),
    .ormqr = NAME(ormqr_batch),
    .gels = NAME(gels_batch),
    .gemm = NAME(gemm_batch),
    .trsm = NAME(trsm_batch),
    .nrm2 = NAME(nrm2_batch),
    .asum = NAME(asum_batch),
    .dot = NAME(dot_batch),
    .iamax = NAME(iamax_batch),
    .scal = NAME(scal_batch),
    .axpy = NAME(axpy_batch),
};
