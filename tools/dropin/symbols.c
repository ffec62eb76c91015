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

static void *machine_library;             /* the opened library, or NULL */
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

bool is_in_dropin(const void *address)
{
    Dl_info address_library, own_library;
    return dladdr(address, &address_library) != 0 && dladdr(libraries, &own_library) != 0 &&
           (address_library.dli_fbase == own_library.dli_fbase ||
            strstr(address_library.dli_fname, "libstartile_lapack") != NULL);
}

/* Returns a symbol of the library, or NULL if there is none outside the drop-ins. */
static void *find_foreign_symbol(void *library, const char *name, const char *suffix)
{
    char symbol[40];
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    void *found = dlsym(library, symbol);
    return found != NULL && !is_in_dropin(found) ? found : NULL;
}

/* Opens the library that STARTILE_LAPACK_LIBRARY names. libstartile_scalapack closes a library
 * without ScaLAPACK: the variable then names the LAPACK for libstartile_lapack. */
static void open_named(void)
{
    const char *name = getenv("STARTILE_LAPACK_LIBRARY");
    is_named = name != NULL && *name != '\0';
    if (is_named)
        machine_library = dlopen(name, RTLD_NOW | SCOPE);
#ifdef STARTILE_SCALAPACK
    if (machine_library != NULL &&
        find_foreign_symbol(machine_library, "pdpotrf", suffixes[0]) == NULL) {
        dlclose(machine_library);
        machine_library = NULL;
        is_named = false;
    }
#endif
}

/* Opens the machine's library, unless STARTILE_LAPACK_LIBRARY names one, and finds the suffix of
 * the opened library's symbols: the first one of suffixes[] with which it has an XERBLA, else the
 * last one. */
static void open_machine(void)
{
    if (!is_named)
        for (int l = 0; l < LIBRARIES && machine_library == NULL; l++)
            machine_library = dlopen(libraries[l], RTLD_NOW | SCOPE);
    if (machine_library == NULL)
        return;
    for (int s = SUFFIXES - 1; s >= 0; s--)
        if (find_foreign_symbol(machine_library, "xerbla", suffixes[s]) != NULL)
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
    /* Only suffixes[0]: names of the program with "_" may have 32-bit INTEGER in an ILP64 build. */
    if (!is_named)
        found.object = find_foreign_symbol(RTLD_NEXT, name, suffixes[0]);
    if (found.object == NULL) {
        pthread_once(&once, open_machine);
        found.object = machine_library != NULL
                           ? find_foreign_symbol(machine_library, name, suffixes[machine_suffix])
                           : NULL;
    }
    return found.function;
}

bool has_same_suffix(void)
{
    return machine_suffix == 0;
}
