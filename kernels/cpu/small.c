/* Choice of the kernels for small matrices by the CPU's instruction sets. */
#include "small.h"

#ifdef STARTILE_X86
static const struct small_kernels avx512 = {.lanes = 64 / sizeof(real),
                                            .potrf_together = NAME(potrf_together_avx512),
                                            .potrf = NAME(potrf_small_avx512),
                                            .getrf_together = NAME(getrf_together_avx512),
                                            .getrf = NAME(getrf_small_avx2),
                                            .geqrf_together = NAME(geqrf_together_avx512),
                                            .geqrf = NAME(geqrf_small_avx2),
                                            .gels_together = NAME(gels_together_avx512),
                                            .gels = NAME(gels_small_avx2),
                                            .iamax = NAME(iamax_small_avx512)};
static const struct small_kernels avx2 = {.lanes = 32 / sizeof(real),
                                          .potrf_together = NAME(potrf_together_avx2),
                                          .potrf = NAME(potrf_small_avx2),
                                          .getrf_together = NAME(getrf_together_avx2),
                                          .getrf = NAME(getrf_small_avx2),
                                          .geqrf_together = NAME(geqrf_together_avx2),
                                          .geqrf = NAME(geqrf_small_avx2),
                                          .gels_together = NAME(gels_together_avx2),
                                          .gels = NAME(gels_small_avx2),
                                          .iamax = NAME(iamax_small_avx2)};
#endif
static const struct small_kernels baseline = {.lanes = 16 / sizeof(real),
                                              .potrf_together = NAME(potrf_together),
                                              .potrf = NAME(potrf_small),
                                              .getrf_together = NAME(getrf_together),
                                              .getrf = NAME(getrf_small),
                                              .geqrf_together = NAME(geqrf_together),
                                              .geqrf = NAME(geqrf_small),
                                              .gels_together = NAME(gels_together),
                                              .gels = NAME(gels_small),
                                              .iamax = NAME(iamax_small)};

const struct small_kernels *NAME(small_variant)(int variant)
{
#ifdef STARTILE_X86
    if (variant == 2)
        return __builtin_cpu_supports("avx512f") ? &avx512 : NULL;
    if (variant == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2 : NULL;
#endif
    return variant == 0 ? &baseline : NULL;
}

const struct small_kernels *NAME(small)(void)
{
    const struct small_kernels *fastest = NULL;
    for (int v = STARTILE_SMALL_VARIANTS - 1; fastest == NULL; v--)
        fastest = NAME(small_variant)(v);
    return fastest;
}
