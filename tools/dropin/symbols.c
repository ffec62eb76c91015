/* Finds the LAPACK or ScaLAPACK that the program would use without this library. */
#define _GNU_SOURCE
#include "common.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined STARTILE_SCALAPACK
static const char *const libraries[] = {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so",
                                        "libscalapack.so"};
#elif defined STARTILE_ILP64
static const char *const libraries[] = {"liblapack64_.so.3", "libopenblas64_.so.0",
                                        "liblapack64.so.3", "libopenblas64.so.0"};
#else
static const char *const libraries[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so",
                                        "libopenblas.so"};
#endif

/* Suffixes of the symbols. LAPACKs with 64-bit INTEGER have names that end with "_64_" or "_". A
 * library with names that end with "_" must not call functions of the same names in the program,
 * which may have 32-bit INTEGER. RTLD_DEEPBIND prevents this, but ASan does not allow that flag. */
#if !defined STARTILE_ILP64
static const char *const suffixes[] = {"_"};
#define SCOPE RTLD_LOCAL
#elif defined __SANITIZE_ADDRESS__
static const char *const suffixes[] = {"_64_"};
#define SCOPE RTLD_LOCAL
#else
static const char *const suffixes[] = {"_64_", "_"};
#define SCOPE (RTLD_LOCAL | RTLD_DEEPBIND)
#endif

enum {
    LIBRARIES = sizeof libraries / sizeof libraries[0],
    SUFFIXES = sizeof suffixes / sizeof suffixes[0]
};

static void *machine;                     /* the opened library, or NULL */
static bool is_named;                     /* STARTILE_LAPACK_LIBRARY names a library */
static int machine_suffix = SUFFIXES - 1; /* index in suffixes[] for that library */

any_function *library_symbol(void *library, const char *name)
{
    union {
        void *object;
        any_function *function;
    } found = {dlsym(library, name)};
    return found.function;
}

/* Returns whether the address is in this library, which may be installed under LAPACK's name. */
static bool is_own(const void *address)
{
    Dl_info there, here;
    return dladdr(address, &there) != 0 && dladdr(libraries, &here) != 0 &&
           there.dli_fbase == here.dli_fbase;
}

/* Returns a symbol of the library, or NULL if there is none outside this library. */
static void *find(void *library, const char *name, const char *suffix)
{
    char symbol[40];
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    void *found = dlsym(library, symbol);
    return found != NULL && !is_own(found) ? found : NULL;
}

/* Opens the library that the environment names. libstartile_scalapack ignores a library without
 * ScaLAPACK, which is for libstartile_lapack. */
static void open_named(void)
{
    const char *name = getenv("STARTILE_LAPACK_LIBRARY");
    is_named = name != NULL && *name != '\0';
    if (is_named)
        machine = dlopen(name, RTLD_NOW | SCOPE);
#ifdef STARTILE_SCALAPACK
    if (machine != NULL && find(machine, "pdpotrf", suffixes[0]) == NULL) {
        dlclose(machine);
        machine = NULL;
        is_named = false;
    }
#endif
}

/* Opens the machine's library, unless STARTILE_LAPACK_LIBRARY names one, and finds the suffix of
 * the opened library's symbols. */
static void open_machine(void)
{
    for (int l = 0; l < LIBRARIES && !is_named && machine == NULL; l++)
        machine = dlopen(libraries[l], RTLD_NOW | SCOPE);
    for (int s = SUFFIXES - 1; s >= 0 && machine != NULL; s--)
        if (find(machine, "xerbla", suffixes[s]) != NULL)
            machine_suffix = s;
}

/* Opens the machine's library only if the program itself does not have the routine, because the
 * library may start threads. */
any_function *machine_symbol(const char *name)
{
    static pthread_once_t named_once = PTHREAD_ONCE_INIT, once = PTHREAD_ONCE_INIT;
    union {
        void *object;
        any_function *function;
    } found = {NULL};
    pthread_once(&named_once, open_named);
    if (!is_named)
        found.object = find(RTLD_NEXT, name, suffixes[0]);
    if (found.object == NULL) {
        pthread_once(&once, open_machine);
        found.object = machine != NULL ? find(machine, name, suffixes[machine_suffix]) : NULL;
    }
    return found.function;
}

bool has_same_suffix(void)
{
    return machine_suffix == 0;
}
