/* Names the BLAS of the CPU kernels. */
#include "kernels.h"

#include <pthread.h>

#include "startile.h"

static char text[80];

static void write_text(void)
{
#ifndef STARTILE_SIMULATION
    startile_cpu_describe(text, sizeof text);
#endif
}

const char *startile_blas_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, write_text);
    return text;
}
