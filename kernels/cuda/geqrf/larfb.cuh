/* Parts that the kernels of block reflectors share (larfb.cu, larfb_row.cu) */
#ifndef STARTILE_LARFB_CUH
#define STARTILE_LARFB_CUH

#include "common/apply_elementwise.cuh"
#include "gemm/product_split.cuh"

namespace startile_cuda
{

/* Copies the first k rows of V, with a unit diagonal and zeros above. */
template <typename T>
struct unit_top_element {
    const T *v;
    int64_t ldv;
    T *top;
    int64_t k;

    __device__ void operator()(int i, int j) const
    {
        top[i + j * k] = i > j ? v[i + j * ldv] : to_element<T>(i == j, 0);
    }
};

/* Returns whether a group is computed with split operands: as accurately as single precision,
 * whatever shorter format x->products allows. */
template <typename T>
bool splits(const startile_exec *x, const product_group<T> &g)
{
    return x->products != STARTILE_PRODUCTS_PLAIN &&
           can_multiply_split(x, g, STARTILE_PRODUCTS_SPLIT);
}

} // namespace startile_cuda

#endif
