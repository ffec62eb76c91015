/*
 * Operation counts of LAPACK Working Note 41.
 */
#include "flops.h"

#include "scalar.h"

/* Returns the number of real operations. A complex multiplication counts as 6, an addition as 2. */
static double real_operations(startile_dtype dtype, double multiplications, double additions)
{
    return dtype_is_complex(dtype) ? 6 * multiplications + 2 * additions
                                   : multiplications + additions;
}

double flops_potrf(startile_dtype dtype, double n)
{
    return real_operations(dtype, n * n * n / 6 + n * n / 2 + n / 3, n * n * n / 6 - n / 6);
}

double flops_potrs(startile_dtype dtype, double n, double nrhs)
{
    return real_operations(dtype, nrhs * n * (n + 1), nrhs * n * (n - 1));
}

double flops_potri(startile_dtype dtype, double n)
{
    double cubes = n * n * n / 3;
    return real_operations(dtype, cubes + n * n + 2 * n / 3, cubes - n * n / 2 + n / 6);
}

/* The cubic term only; the note has no xSYGST. */
double flops_sygst(startile_dtype dtype, double n)
{
    return real_operations(dtype, n * n * n / 2, n * n * n / 2);
}

/* Counts for step j of k: one reciprocal, m − j multiplications for the column of L, and the update
 * of the trailing (m − j) × (n − j) matrix. For m < n the note has another formula, which differs
 * in lower-order terms only. */
double flops_getrf(startile_dtype dtype, double m, double n)
{
    double k = m < n ? m : n;
    double sum_j = k * (k + 1) / 2, sum_jj = k * (k + 1) * (2 * k + 1) / 6;
    double updates = k * m * n - (m + n) * sum_j + sum_jj;
    return real_operations(dtype, k + k * m - sum_j + updates, updates);
}

double flops_getrs(startile_dtype dtype, double n, double nrhs)
{
    return real_operations(dtype, nrhs * n * n, nrhs * n * (n - 1));
}

double flops_getri(startile_dtype dtype, double n)
{
    double cubes = 2 * n * n * n / 3;
    return real_operations(dtype, cubes + n * n / 2 + 5 * n / 6, cubes - 3 * n * n / 2 + 5 * n / 6);
}

/* Returns the cubic terms of the number of multiplications in a factorization by k reflectors of
 * length l, the larger dimension. The number of additions has the same cubic terms. The other terms
 * depend on the routine. */
static double reflector_cubes(double l, double k)
{
    return k * k * (l - k / 3);
}

double flops_geqrf(startile_dtype dtype, double m, double n)
{
    double cubes = m < n ? reflector_cubes(n, m) : reflector_cubes(m, n);
    return m < n ? real_operations(dtype, cubes + 2 * m * n - m * m / 2 + 23 * m / 6,
                                   cubes + m * n - m * m / 2 + 5 * m / 6)
                 : real_operations(dtype, cubes + m * n + n * n / 2 + 23 * n / 6,
                                   cubes + n * n / 2 + 5 * n / 6);
}

double flops_gelqf(startile_dtype dtype, double m, double n)
{
    double cubes = m < n ? reflector_cubes(n, m) : reflector_cubes(m, n);
    return m < n ? real_operations(dtype, cubes + 2 * m * n - m * m / 2 + 29 * m / 6,
                                   cubes + m * m / 2 + 5 * m / 6)
                 : real_operations(dtype, cubes + m * n + n * n / 2 + 29 * n / 6,
                                   cubes + m * n - n * n / 2 + 5 * n / 6);
}

double flops_ormqr(startile_dtype dtype, double m, double n, double k)
{
    double cubes = n * k * (2 * m - k);
    return real_operations(dtype, cubes + 2 * n * k, cubes + n * k);
}

double flops_orgqr(startile_dtype dtype, double m, double n, double k)
{
    double cubes = k * (2 * m * n - k * (m + n) + 2 * k * k / 3);
    return real_operations(dtype, cubes + k * (2 * n - k - 5.0 / 3), cubes + k * (n - m + 1.0 / 3));
}

double flops_gels(startile_dtype dtype, double m, double n, double nrhs)
{
    double factorization = m < n ? flops_gelqf(dtype, m, n) : flops_geqrf(dtype, m, n);
    double l = m < n ? n : m, k = m < n ? m : n;
    return factorization + flops_ormqr(dtype, l, nrhs, k) + flops_trsm(dtype, k, nrhs);
}

double flops_gemm(startile_dtype dtype, double m, double n, double k)
{
    return real_operations(dtype, m * n * k, m * n * k);
}

double flops_herk(startile_dtype dtype, double n, double k)
{
    return real_operations(dtype, k * n * (n + 1) / 2, k * n * (n + 1) / 2);
}

double flops_trsm(startile_dtype dtype, double m, double nrhs)
{
    return real_operations(dtype, nrhs * m * (m + 1) / 2, nrhs * m * (m - 1) / 2);
}
