/* Factorization of tiles in single precision in double precision (potrf.cu, getrf_nopiv.cu) */
#ifndef STARTILE_IN_DOUBLE_CUH
#define STARTILE_IN_DOUBLE_CUH

#include "common/apply_elementwise.cuh"

namespace startile_cuda
{

/* Returns whether the compute capability has FP64 tensor cores at the rate of FP32. */
inline bool has_fast_double(const startile_exec *x)
{
    return x->capability == 80 || x->capability == 90;
}

template <typename To, typename From>
__device__ To converted(From x)
{
    if constexpr (element<From>::is_complex)
        return to_element<To>(x.x, x.y);
    else
        return static_cast<To>(x);
}

template <typename From, typename To>
struct converted_element {
    const From *from;
    int64_t ld_from;
    To *to;
    int64_t ld_to;

    __device__ void operator()(int i, int j) const
    {
        to[i + j * ld_to] = converted<To>(from[i + j * ld_from]);
    }
};

/* Sets the triangle uplo of `to` ('G': all of it) to the elements of `from`. Both have order n. */
template <typename From, typename To>
int convert(startile_exec *x, char uplo, int n, const From *from, int ld_from, To *to, int ld_to)
{
    return apply_elementwise(x, uplo, n, n, converted_element<From, To>{from, ld_from, to, ld_to});
}

} // namespace startile_cuda

#endif
