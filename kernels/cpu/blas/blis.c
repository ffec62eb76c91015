/* BLIS, with the reference LAPACK or libFLAME */
#include "blas.h"

#include <stdint.h>
#include <stdio.h>

/* Functions of blis.h. Its dim_t has 64 bits on 64-bit machines. */
extern void bli_thread_set_num_threads(int64_t threads);
extern void bli_finalize(void);
extern char *bli_info_get_version_str(void);

int startile_blas_setup(int threads)
{
    (void)threads;
    bli_thread_set_num_threads(1);
    return 0;
}

void startile_blas_free(void)
{
    bli_finalize();
}

void startile_blas_describe(char *text, int size)
{
    snprintf(text, (size_t)size, "BLIS %s", bli_info_get_version_str());
}
