/* The tables of CPU kernels on batches, indexed by startile_dtype. Compiled once, not per type. */
#include "batch.h"

extern const startile_batch_kernels startile_cpu_sbatch_kernels, startile_cpu_dbatch_kernels,
    startile_cpu_cbatch_kernels, startile_cpu_zbatch_kernels;

const startile_batch_kernels *const startile_cpu_batch_kernels[4] = {
    &startile_cpu_sbatch_kernels, &startile_cpu_dbatch_kernels, &startile_cpu_cbatch_kernels,
    &startile_cpu_zbatch_kernels};
