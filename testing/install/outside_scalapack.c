/* A program of one process, linked with the installed libstartile_scalapack_c. Opens ScaLAPACK,
 * which contains BLACS, at run time; does nothing if it is missing. */
#include <startile_scalapack.h>

#include <dlfcn.h>
#include <mpi.h>

typedef void any_function();

/* Returns the function of BLACS with that name. */
static any_function *blacs(void *library, const char *name)
{
    union {
        void *object;
        any_function *function;
    } found = {dlsym(library, name)};
    return found.function;
}

int main(int argc, char **argv)
{
    void *library = dlopen("libscalapack-openmpi.so.2.2", RTLD_NOW);
    if (library == NULL)
        return 0;
    MPI_Init(&argc, &argv);
    int context;
    double a[4] = {4, 2, 2, 5};
    blacs(library, "Cblacs_get")(-1, 0, &context);
    blacs(library, "Cblacs_gridinit")(&context, "R", 1, 1);
    const int desc[9] = {1, context, 2, 2, 2, 2, 0, 0, 2};
    int info = startile_pdpotrf('L', 2, a, 1, 1, desc);
    blacs(library, "Cblacs_gridexit")(context);
    MPI_Finalize();
    return info != 0 || a[0] != 2 || a[1] != 1 || a[3] != 2;
}
