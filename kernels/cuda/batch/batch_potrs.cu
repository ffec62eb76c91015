/*
 * Computes B := A⁻¹ B for a batch of Cholesky factors, by two triangular solves. For small matrices
 * both are in one launch, which reads the factor once.
 */
#include "batch/batch_solve_lanes.cuh"

namespace startile_cuda
{

template <typename T>
int potrs_batch(startile_exec *x, char uplo, int count, const startile_matrices *A,
                const startile_matrices *B, const int64_t *factor_info)
{
    if (count == 0 || B->m == 0 || B->n == 0)
        return 0;
    const T one = to_element<T>(1, 0);
    const solves<T> first = {A, B, solve_view('L', uplo, uplo == 'L' ? 'N' : 'C', 'N'), one,
                             factor_info};
    const solves<T> second = {A, B, solve_view('L', uplo, uplo == 'L' ? 'C' : 'N', 'N'), one,
                              factor_info};
    if (is_small(first))
        return solve_small<true>(x, count, first);
    if (int error = solve_large(x, count, first))
        return error;
    return solve_large(x, count, second);
}

INSTANTIATE(potrs_batch);

} // namespace startile_cuda
