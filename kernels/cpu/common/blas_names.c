/* Names of BLAS libraries. */
#include "blas_names.h"

#include <stdio.h>
#include <string.h>

/* OpenBLAS describes itself as "OpenBLAS 0.3.21 DYNAMIC_ARCH … MAX_THREADS=64". */
void startile_name_openblas(const char *config, char *text, int size)
{
    const char *end = strchr(config, ' ');
    end = end != NULL ? strchr(end + 1, ' ') : NULL;
    int length = end != NULL ? (int)(end - config) : (int)strlen(config);
    snprintf(text, (size_t)size, "%.*s", length, config);
}

/* MKL describes itself as "Intel(R) oneAPI Math Kernel Library Version 2025.2-Product Build …". */
void startile_name_mkl(const char *description, char *text, int size)
{
    char version[24] = "";
    const char *found = strstr(description, "Version ");
    if (found != NULL)
        sscanf(found, "Version %23[0-9.]", version);
    snprintf(text, (size_t)size, "MKL %s", version);
}
