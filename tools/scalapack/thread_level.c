/*
 * MPI's thread level. StarPU-MPI's own thread needs MPI_THREAD_MULTIPLE, and most programs ask for
 * less. The environment variable OMPI_MPI_THREAD_LEVEL raises the level of Open MPI's MPI_Init().
 * MPI_Init_thread() of Open MPI 4 ignores the variable, so this file defines that function, too.
 */
#define _GNU_SOURCE
#include "scalapack.h"

#include <dlfcn.h>
#include <stdlib.h>

#define VARIABLE "OMPI_MPI_THREAD_LEVEL"

/* A value that the user has set stays. */
__attribute__((constructor)) static void set_variable(void)
{
    setenv(VARIABLE, "3", 0);
}

typedef int init_thread_function(int *argc, char ***argv, int required, int *provided);

/* Calls MPI's function of this name with the larger one of `required` and the variable's level. */
static int init_thread(const char *name, int *argc, char ***argv, int required, int *provided)
{
    const char *value = getenv(VARIABLE);
    int least = value != NULL ? atoi(value) : MPI_THREAD_SINGLE;
    init_thread_function *next = (init_thread_function *)library_symbol(RTLD_NEXT, name);
    return next(argc, argv, required < least ? least : required, provided);
}

/* *provided is the level that MPI provides, as MPI_Query_thread() returns it: it may be higher than
 * `required`. */
__attribute__((visibility("default"))) int MPI_Init_thread(int *argc, char ***argv, int required,
                                                           int *provided)
{
    return init_thread("MPI_Init_thread", argc, argv, required, provided);
}

/* Open MPI's functions for Fortran (modules mpi and mpi_f08, mpif.h) and profiling libraries call
 * this one. */
__attribute__((visibility("default"))) int PMPI_Init_thread(int *argc, char ***argv, int required,
                                                            int *provided)
{
    return init_thread("PMPI_Init_thread", argc, argv, required, provided);
}

bool has_thread_level(void)
{
    static const char *const remarks[] = {
        [MPI_THREAD_SINGLE] = "MPI was initialized with MPI_THREAD_SINGLE: startile, which needs "
                              "MPI_THREAD_MULTIPLE, is not used",
        [MPI_THREAD_FUNNELED] = "MPI was initialized with MPI_THREAD_FUNNELED: startile, which "
                                "needs MPI_THREAD_MULTIPLE, is not used",
        [MPI_THREAD_SERIALIZED] = "MPI was initialized with MPI_THREAD_SERIALIZED: startile, which "
                                  "needs MPI_THREAD_MULTIPLE, is not used"};
    int is_initialized = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&is_initialized);
    if (!is_initialized)
        return false;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        report_remark(remarks[level]);
    return level == MPI_THREAD_MULTIPLE;
}
