/* The tables of kernels on Bunch–Kaufman factors, indexed by startile_dtype. Compiled once, not per
 * type. */
#include "symmetric.h"

extern const startile_symmetric_kernels startile_cpu_ssymmetric_kernels,
    startile_cpu_dsymmetric_kernels, startile_cpu_csymmetric_kernels,
    startile_cpu_zsymmetric_kernels;

const startile_symmetric_kernels *const startile_cpu_symmetric_kernels[4] = {
    &startile_cpu_ssymmetric_kernels, &startile_cpu_dsymmetric_kernels,
    &startile_cpu_csymmetric_kernels, &startile_cpu_zsymmetric_kernels};
