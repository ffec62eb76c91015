/*
 * Operation counts of LAPACK Working Note 41 (Blackford & Dongarra), appendix C. A complex
 * multiplication counts as six operations and a complex addition as two.
 */
#ifndef FLOPS_H
#define FLOPS_H

#include "startile.h"

double flops_potrf(startile_dtype dtype, double n);
double flops_potrs(startile_dtype dtype, double n, double nrhs);
/* Inverse from the factor, without the factorization */
double flops_potri(startile_dtype dtype, double n);
/* Reduction of a generalized eigenproblem, without the factorization */
double flops_sygst(startile_dtype dtype, double n);
double flops_getrf(startile_dtype dtype, double m, double n);
double flops_getrs(startile_dtype dtype, double n, double nrhs);
/* Inverse from the factors, without the factorization */
double flops_getri(startile_dtype dtype, double n);
double flops_geqrf(startile_dtype dtype, double m, double n);
double flops_gelqf(startile_dtype dtype, double m, double n);
/* k reflectors applied to an m × n matrix from the left */
double flops_ormqr(startile_dtype dtype, double m, double n, double k);
/* First n columns of the product of k reflectors of length m */
double flops_orgqr(startile_dtype dtype, double m, double n, double k);
/* Sum of the factorization, of Q applied to the right-hand sides, and of a triangular solve */
double flops_gels(startile_dtype dtype, double m, double n, double nrhs);
double flops_gemm(startile_dtype dtype, double m, double n, double k);
double flops_herk(startile_dtype dtype, double n, double k);
/* Triangular solve with an m × m triangle from the left */
double flops_trsm(startile_dtype dtype, double m, double nrhs);

#endif
