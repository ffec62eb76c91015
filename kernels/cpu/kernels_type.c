/* The table of kernels of one type. */
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
    .getrf = NAME(getrf),
    .getrf_nopiv = NAME(getrf_nopiv),
    .laswp = NAME(laswp),
    .lapmt = NAME(lapmt),
    .select_rows = NAME(select_rows),
    .order_rows = NAME(order_rows),
    .geadd = NAME(geadd),
    .lacn2 = NAME(lacn2),
    .first_zero = NAME(first_zero),
    .transpose = NAME(transpose),
    .geqrf = NAME(geqrf),
    .larft = NAME(larft),
    .larfb = NAME(larfb),
    .tpqrt = NAME(tpqrt),
    .tpmqrt = NAME(tpmqrt),
    .lascl = NAME(lascl),
    .gemm_group = NAME(gemm_group),
    .trmm_group = NAME(trmm_group),
};
