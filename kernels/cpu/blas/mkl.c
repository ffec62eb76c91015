/* Intel's MKL, with its sequential or a threaded layer */
#include "blas.h"
#include "common/blas_names.h"

/* Functions of mkl_service.h */
extern void MKL_Set_Num_Threads(int threads);
extern void MKL_Free_Buffers(void);
extern void MKL_Get_Version_String(char *text, int size);

int startile_blas_setup(int threads)
{
    (void)threads;
    MKL_Set_Num_Threads(1);
    return 0;
}

void startile_blas_free(void)
{
    MKL_Free_Buffers();
}

void startile_blas_describe(char *text, int size)
{
    char description[256] = "";
    MKL_Get_Version_String(description, sizeof description - 1);
    startile_name_mkl(description, text, size);
}
