/*
 * Operation counts of LAPACK Working Note 41.
 */
#include "flops.h"

#include "scalar.h"

static double total(startile_dtype dtype, double multiplications, double additions)
{
    return dtype_is_complex(dtype) ? 6 * multiplications + 2 * additions
                                   : multiplications + additions;
}

double flops_potrf(startile_dtype dtype, double n)
{
    return total(dtype, n * n * n / 6 + n * n / 2 + n / 3, n * n * n / 6 - n / 6);
}

double flops_potrs(startile_dtype dtype, double n, double nrhs)
{
    return total(dtype, nrhs * n * (n + 1), nrhs * n * (n - 1));
}

double flops_gemm(startile_dtype dtype, double m, double n, double k)
{
    return total(dtype, m * n * k, m * n * k);
}

double flops_herk(startile_dtype dtype, double n, double k)
{
    return total(dtype, k * n * (n + 1) / 2, k * n * (n + 1) / 2);
}

double flops_trsm(startile_dtype dtype, double m, double nrhs)
{
    return total(dtype, nrhs * m * (m + 1) / 2, nrhs * m * (m - 1) / 2);
}
