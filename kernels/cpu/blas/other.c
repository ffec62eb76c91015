/* A BLAS of another vendor, which starts no threads */
#include "blas.h"

#include <stdio.h>

int startile_blas_setup(int threads)
{
    (void)threads;
    return 0;
}

void startile_blas_free(void)
{
}

/* STARTILE_BLAS_VENDOR is CMake's BLA_VENDOR. */
void startile_blas_describe(char *text, int size)
{
    snprintf(text, (size_t)size, "%s", STARTILE_BLAS_VENDOR);
}
