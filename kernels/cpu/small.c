/* Choice of the kernels for small matrices by the CPU's instruction sets. */
#include "small.h"

#ifdef STARTILE_X86
static const struct small_kernels avx512 = {64 / sizeof(real),        NAME(potrf_together_avx512),
                                            NAME(potrf_small_avx512), NAME(getrf_together_avx512),
                                            NAME(getrf_small_avx2),   NAME(iamax_small_avx512)};
static const struct small_kernels avx2 = {32 / sizeof(real),      NAME(potrf_together_avx2),
                                          NAME(potrf_small_avx2), NAME(getrf_together_avx2),
                                          NAME(getrf_small_avx2), NAME(iamax_small_avx2)};
#endif
static const struct small_kernels baseline = {16 / sizeof(real), NAME(potrf_together),
                                              NAME(potrf_small), NAME(getrf_together),
                                              NAME(getrf_small), NAME(iamax_small)};

const struct small_kernels *NAME(small)(void)
{
#ifdef STARTILE_X86
    if (__builtin_cpu_supports("avx512f"))
        return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &avx2;
#endif
    return &baseline;
}
