/* Finds whether the running StarPU has startile's patches. */
#include "library/starpu_build.h"

#include <pthread.h>
#include <starpu.h>
#include <stdio.h>

#include "startile.h"

/* tools/starpu-patches/13 defines it; NULL in other StarPUs. */
extern const int starpu_startile_patches __attribute__((weak));

bool starpu_is_patched(void)
{
    return &starpu_startile_patches != NULL;
}

static char text[160];

static void write_text(void)
{
    int major, minor, release;
    starpu_get_version(&major, &minor, &release);
    snprintf(text, sizeof text, "%d.%d.%d, %s", major, minor, release,
             starpu_is_patched()
                 ? "patched"
                 : "unpatched: safe mode, 1 to 26 % slower with GPUs; a program that "
                   "starts StarPU itself sets STARPU_PREFETCH=0");
}

const char *startile_starpu_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, write_text);
    return text;
}
