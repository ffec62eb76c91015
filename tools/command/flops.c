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

/* In step j of k: a reciprocal, m − j multiplications for L's column, and the update of the
 * (m − j) × (n − j) rest. The note's formula for m < n is that of the transpose, which is no
 * different but for smaller terms. */
double flops_getrf(startile_dtype dtype, double m, double n)
{
    double k = m < n ? m : n;
    double sum_j = k * (k + 1) / 2, sum_jj = k * (k + 1) * (2 * k + 1) / 6;
    double updates = k * m * n - (m + n) * sum_j + sum_jj;
    return total(dtype, k + k * m - sum_j + updates, updates);
}

double flops_getrs(startile_dtype dtype, double n, double nrhs)
{
    return total(dtype, nrhs * n * n, nrhs * n * (n - 1));
}

double flops_getri(startile_dtype dtype, double n)
{
    double cubes = 2 * n * n * n / 3;
    return total(dtype, cubes + n * n / 2 + 5 * n / 6, cubes - 3 * n * n / 2 + 5 * n / 6);
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
