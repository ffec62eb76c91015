/* The tables of CPU kernels on tiles, indexed by startile_dtype. Compiled once, not per type. */
#include "kernels.h"

extern const startile_kernels startile_cpu_skernels, startile_cpu_dkernels, startile_cpu_ckernels,
    startile_cpu_zkernels;

const startile_kernels *const startile_cpu_kernels[4] = {
    &startile_cpu_skernels, &startile_cpu_dkernels, &startile_cpu_ckernels, &startile_cpu_zkernels};
