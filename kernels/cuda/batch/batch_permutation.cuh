/* LAPACK's row interchanges as a permutation. Private to batch/. */
#ifndef STARTILE_BATCH_PERMUTATION_CUH
#define STARTILE_BATCH_PERMUTATION_CUH

#include <cstdint>

namespace startile_cuda
{

/* Returns the original row that n interchanges move to row i, by undoing the interchanges. Each
 * thread tracks its own row and waits for no other thread. A pivot outside 1 … n, which a cancelled
 * factorization may leave, interchanges nothing. */
template <typename Index>
__device__ inline int source_of_row(const Index *ipiv, int n, int i)
{
#pragma unroll 4
    for (int k = n - 1; k >= 0; k--) {
        const int row = static_cast<int>(ipiv[k]) - 1;
        const int p = static_cast<unsigned>(row) < static_cast<unsigned>(n) ? row : k;
        i = i == k ? p : i == p ? k : i;
    }
    return i;
}

} // namespace startile_cuda

#endif
