/* The table of one type. */
#include "dtype.h"

extern const startile_kernels NAME(kernels);

const startile_kernels NAME(kernels) = {
    .gemm = NAME(gemm),
    .herk = NAME(herk),
    .syrk = NAME(syrk),
    .trsm = NAME(trsm),
    .trmm = NAME(trmm),
    .potrf = NAME(potrf),
    .laset = NAME(laset),
    .lacpy = NAME(lacpy),
    .random = NAME(random),
    .lange = NAME(lange),
    .lansy = NAME(lansy),
};
