/*
 * A shared OpenBLAS whose symbols have a prefix, such as PyPI's scipy-openblas32. It starts its
 * threads when it is loaded, unless OPENBLAS_NUM_THREADS is 1 then; they stay idle.
 */
#include "blas.h"
#include "common/blas_names.h"

extern void BLAS_SYMBOL(openblas_set_num_threads)(int threads);
extern char *BLAS_SYMBOL(openblas_get_config)(void);

int startile_blas_setup(int threads)
{
    (void)threads;
    BLAS_SYMBOL(openblas_set_num_threads)(1);
    return 0;
}

/* OpenBLAS' own destructor frees the buffers. */
void startile_blas_free(void)
{
}

void startile_blas_describe(char *text, int size)
{
    startile_name_openblas(BLAS_SYMBOL(openblas_get_config)(), text, size);
}
