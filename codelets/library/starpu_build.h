#ifndef STARTILE_STARPU_BUILD_H
#define STARTILE_STARPU_BUILD_H

#include <stdbool.h>

/*
 * Returns whether the running StarPU has the patches of tools/starpu-patches that keep data correct
 * in full memories (StarPU quirks 50 and 52). Without them the library works in a safe mode:
 * StarPU prefetches nothing (start_starpu.c), and a task writes the zeros of data that is read
 * before it is written (handle.c).
 */
bool starpu_is_patched(void);

#endif
