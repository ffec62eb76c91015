/* A program that calls a routine of LAPACK if it finds one, though none of its libraries has it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int main(void)
{
    union {
        void *object;
        void (*function)(void);
    } found = {dlsym(RTLD_DEFAULT, "dgesvx_")};
    if (found.object != NULL)
        found.function();
    return 0;
}
