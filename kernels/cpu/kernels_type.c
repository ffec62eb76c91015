/* The table of kernels of one type. */
#include "dtype.h"

#define KERNEL(name, parameters) .name = NAME(name),
static const startile_part_kernels part = {
#include "part_list.h"
};

extern const startile_kernels NAME(kernels);

#define KERNEL(name, parameters) .name = NAME(name),
const startile_kernels NAME(kernels) = {
#include "kernel_list.h"
    .part = &part};
