/* The table of CPU kernels on batches, for one element type. Compiled once per type. */
#include "batch_matrix.h"

extern const startile_batch_kernels NAME(batch_kernels);

#define BATCH_KERNEL(name, parameters) .name = NAME(name##_batch),
const startile_batch_kernels NAME(batch_kernels) = {
#include "batch_list.h"
};
