/* Choice of OpenBLAS' kernels for this CPU. */
#include "openblas.h"

#include <stdlib.h>
#include <string.h>

static const char variable[] = "OPENBLAS_CORETYPE";

/* Returns OpenBLAS' name of the kernels for this CPU's instruction sets, or NULL if neither AVX-512
 * nor AVX2 is supported. */
static const char *kernels_for_cpu(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

void startile_openblas_choose_kernels(struct openblas_choice copy)
{
    static const char oldest[] = "Prescott";
    if (copy.core == NULL || copy.quit == NULL || copy.init == NULL || getenv(variable) != NULL ||
        strcmp(copy.core(), oldest) != 0)
        return;
    const char *better = kernels_for_cpu();
    if (better == NULL || setenv(variable, better, 1) != 0)
        return;
    copy.quit();
    copy.init();
    unsetenv(variable);
}
