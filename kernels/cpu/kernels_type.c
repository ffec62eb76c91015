/* The table of CPU kernels on tiles, for one element type. Compiled once per type. */
#include "dtype.h"

extern const startile_kernels NAME(kernels);

#define KERNEL(name, parameters) .name = NAME(name),
const startile_kernels NAME(kernels) = {
#include "kernel_list.h"
    .getrf_part = NAME(getrf_part), .trank = NAME(trank), .lapmr = NAME(lapmr)};
