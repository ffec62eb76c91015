/*
 * Operation counts of LAPACK Working Note 41 (Blackford & Dongarra), appendix C. A complex
 * multiplication counts as six operations and a complex addition as two.
 */
#ifndef FLOPS_H
#define FLOPS_H

#include "startile.h"

double flops_potrf(startile_dtype dtype, double n);
double flops_potrs(startile_dtype dtype, double n, double nrhs);
double flops_getrf(startile_dtype dtype, double m, double n);
double flops_getrs(startile_dtype dtype, double n, double nrhs);
/* from the factors */
double flops_getri(startile_dtype dtype, double n);
double flops_geqrf(startile_dtype dtype, double m, double n);
double flops_gelqf(startile_dtype dtype, double m, double n);
/* side L: k reflectors on m × n */
double flops_ormqr(startile_dtype dtype, double m, double n, double k);
/* n columns of the product of k reflectors */
double flops_orgqr(startile_dtype dtype, double m, double n, double k);
/* the factorization, its reflectors on the right-hand sides, and a triangular solve */
double flops_gels(startile_dtype dtype, double m, double n, double nrhs);
double flops_gemm(startile_dtype dtype, double m, double n, double k);
double flops_herk(startile_dtype dtype, double n, double k);
/* side L: A is m × m */
double flops_trsm(startile_dtype dtype, double m, double nrhs);

#endif
