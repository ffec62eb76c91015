/*
 * mpirun -n 4 test_c_names LIBRARY: tests the C names of startile_scalapack.h against the symbols
 * of the machine's ScaLAPACK, LIBRARY, on 2 x 2 processes. Prints its counts as ScaLAPACK's own
 * tests do.
 */
#include "c_names.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int counts[2]; /* passed, failed */

void (*machine_routine(const struct grid *g, const char *name))()
{
    union {
        void *object;
        void (*function)();
    } found = {dlsym(g->machine, name)};
    if (found.object == NULL) {
        fprintf(stderr, "no %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return found.function;
}

void expect(const struct grid *g, int is_right, char type, const char *what)
{
    counts[is_right ? 0 : 1]++;
    if (!is_right)
        fprintf(stderr, "process (%d, %d), %c: %s\n", g->row, g->col, type, what);
}

int main(int argc, char **argv)
{
    int rank, total[2];
    if (argc != 2)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct grid g = {.machine = dlopen(argv[1], RTLD_NOW), .p = 2, .q = 2};
    if (g.machine == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    machine_routine(&g, "Cblacs_get")(-1, 0, &g.context);
    machine_routine(&g, "Cblacs_gridinit")(&g.context, "R", g.p, g.q);
    machine_routine(&g, "Cblacs_gridinfo")(g.context, &g.p, &g.q, &g.row, &g.col);
    test_c_names_s(&g);
    test_c_names_d(&g);
    test_c_names_c(&g);
    test_c_names_z(&g);
    MPI_Allreduce(counts, total, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d tests completed and passed\n 0 tests skipped\n %d tests completed and failed\n",
               total[0], total[1]);
    machine_routine(&g, "Cblacs_gridexit")(g.context);
    MPI_Finalize();
    return counts[1] != 0;
}
