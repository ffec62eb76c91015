/*
 * QR of a very tall panel by Cholesky factorizations, and what turns its Q into LAPACK's form.
 * Private to this folder.
 */
#ifndef STARTILE_GEQRF_TALL_CUH
#define STARTILE_GEQRF_TALL_CUH

#include "exec.cuh"

namespace startile_cuda
{

/* A (m × n, m > n) := R and V, T (n × n) := their triangle, as geqrf leaves them, or *done := false
 * and A is as before; T then is undefined. Waits for the stream. Uses all of the workspace; A may
 * lie in x->copy. (geqrf_tall.cu) */
template <typename T>
int factor_tall(startile_exec *x, int m, int n, T *a, int lda, T *t, int ldt, bool *done);

/* L U := Q − diag(signs), without pivoting; Q is overwritten. All three are n × n, in contiguous
 * columns, L and U in one. The signs are ±1. (geqrf_signs.cu) */
template <typename T>
int factor_with_signs(startile_exec *x, int n, T *q, T *lu, T *signs);

} // namespace startile_cuda

#endif
