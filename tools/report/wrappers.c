/*
 * Symbols of routines that startile does not have (routines.h): each passes its call to the library
 * that the program would use without them, and counts it. The symbols have no declarations of
 * their arguments. Every argument of LAPACK is an address, or the length of a character argument:
 * a word. So each symbol takes and passes MOST_ARGUMENTS words. Those beyond the caller's
 * arguments are whatever its stack frame has there, and the routine does not read them.
 */
#define _GNU_SOURCE
#include "calls.h"
#include "dropin.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* pzgesvx has the most arguments: 29 and the lengths of three characters. */
#define PARAMETERS                                                                                 \
    uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5,            \
        uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11,      \
        uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17,  \
        uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, uintptr_t a23,  \
        uintptr_t a24, uintptr_t a25, uintptr_t a26, uintptr_t a27, uintptr_t a28, uintptr_t a29,  \
        uintptr_t a30, uintptr_t a31, uintptr_t a32, uintptr_t a33, uintptr_t a34, uintptr_t a35,  \
        uintptr_t a36, uintptr_t a37, uintptr_t a38, uintptr_t a39
#define ARGUMENTS                                                                                  \
    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
        a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38,  \
        a39

typedef void routine_function(PARAMETERS);

/* A symbol. target: the routine, found at the first call */
struct symbol {
    const char *name, *routine; /* such as "scipy_dgesdd_", "dgesdd" */
    const char *place;
    _Atomic(routine_function *) target;
};

/* Finds the routine among the libraries behind this one, and then among all loaded ones, since
 * Python's modules load LAPACK with local scope. If there is none, ends the process with the exit
 * code of the loader for an undefined symbol. */
static routine_function *find_target(const char *name)
{
    union {
        void *object;
        routine_function *function;
    } found = {dlsym(RTLD_NEXT, name)};
    if (found.object == NULL) {
        void *library = open_loaded_library(name);
        found.object = library != NULL ? dlsym(library, name) : NULL;
    }
    if (found.object != NULL)
        return found.function;
    fprintf(
        stderr,
        "libstartile_report: the program calls %s, which none of its libraries has. Only --report "
        "defines it.\n",
        name);
    _Exit(127);
}

__attribute__((noinline)) static void forward(struct symbol *s, PARAMETERS)
{
    struct report_span span = {.is_served = false};
    routine_function *target = s->target;
    if (target == NULL)
        s->target = target = find_target(s->name);
    startile_report_enter(&span);
    target(ARGUMENTS);
    startile_report_leave(&span, &(struct report_call){.name = s->routine,
                                                       .place = s->place,
                                                       .reason = report_not_in_startile,
                                                       .size = -1});
}

#define DEFINE(symbol_name, routine_name, library)                                                 \
    __attribute__((visibility("default"))) void symbol_name(PARAMETERS);                           \
    void symbol_name(PARAMETERS)                                                                   \
    {                                                                                              \
        static struct symbol s = {#symbol_name, #routine_name, library, NULL};                     \
        forward(&s, ARGUMENTS);                                                                    \
    }

#define REAL(op) ROUTINE(s##op) ROUTINE(d##op)
#define COMPLEX(op) ROUTINE(c##op) ROUTINE(z##op)
#define ALL(op) REAL(op) COMPLEX(op)

/* The symbols of LAPACK, of LAPACK with 64-bit INTEGER, and of the OpenBLAS of PyPI's scipy and
 * numpy */
static const char lapack[] = "machine's LAPACK", scalapack[] = "machine's ScaLAPACK";
#define ROUTINE(name)                                                                              \
    DEFINE(name##_, name, lapack)                                                                  \
    DEFINE(name##_64_, name, lapack)                                                               \
    DEFINE(scipy_##name##_, name, lapack)                                                          \
    DEFINE(scipy_##name##_64_, name, lapack)
#include "routines.h"

#undef ROUTINE
#define ROUTINE(name) DEFINE(p##name##_, p##name, scalapack)
#define OF_SCALAPACK
#include "routines.h"
