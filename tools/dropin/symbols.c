/*
 * The machine's LAPACK behind a handle of its own, and XERBLA.
 */
#define _GNU_SOURCE
#include "dropin.h"
#include "scalar.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef STARTILE_ILP64
static const char *const libraries[] = {"liblapack64.so.3", "libopenblas64.so.0"};
static const char suffix[] = "_64_";
#define XERBLA xerbla_64_
#else
static const char *const libraries[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so",
                                        "libopenblas.so"};
static const char suffix[] = "_";
#define XERBLA xerbla_
#endif
enum { LIBRARIES = sizeof libraries / sizeof libraries[0] };

static void *machine;

any_function *library_symbol(void *library, const char *name)
{
    union {
        void *object;
        any_function *function;
    } found = {dlsym(library, name)};
    return found.function;
}

static void open_machine(void)
{
    const char *said = getenv("STARTILE_LAPACK_LIBRARY");
    if (said != NULL && *said != '\0') {
        machine = dlopen(said, RTLD_NOW | RTLD_LOCAL);
        return;
    }
    for (int l = 0; l < LIBRARIES && machine == NULL; l++)
        machine = dlopen(libraries[l], RTLD_NOW | RTLD_LOCAL);
}

/* This library may itself go by a name of LAPACK's. */
static bool is_own(const void *address)
{
    Dl_info there, here;
    return dladdr(address, &there) != 0 && dladdr(libraries, &here) != 0 &&
           there.dli_fbase == here.dli_fbase;
}

any_function *machine_symbol(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char symbol[40];
    pthread_once(&once, open_machine);
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    if (machine == NULL || is_own(dlsym(machine, symbol)))
        return NULL;
    return library_symbol(machine, symbol);
}

/* A reference, so that the linker makes a program's own visible to libraries. */
typedef void xerbla_function(const char *name, const integer *position, size_t name_length);
extern xerbla_function XERBLA __attribute__((weak));

/* The program's; else the machine's. */
static xerbla_function *find_xerbla(void)
{
    return XERBLA != NULL ? XERBLA : (xerbla_function *)machine_symbol("xerbla");
}

bool is_wrong(int position, enum routine routine, startile_dtype dtype, integer *info)
{
    enum { NAME = 6 };
    char name[NAME + 1];
    if (position == 0)
        return false;
    const integer i = position;
    xerbla_function *xerbla = find_xerbla();
    snprintf(name, sizeof name, "%c%-5s", dtype_letter(dtype), routine_name(routine, dtype));
    for (int c = 0; c < NAME; c++)
        name[c] = (char)toupper((unsigned char)name[c]);
    *info = -i;
    if (xerbla != NULL)
        xerbla(name, &i, NAME);
    return true;
}
