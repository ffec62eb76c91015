/* mpicc 05-pause-between-polls.c $(pkg-config --cflags --libs starpumpi-1.4)
 * STARPU_NCPU=1 STARPU_NCUDA=0 ./a.out
 * Without the patch exit status 1: StarPU-MPI's thread spins while it waits for a message.
 * With the patch exit status 0: the process takes less than 0.15 s of CPU time in a second. */
#include <starpu_mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0)
        return 77;
    int sent = 7, received = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    starpu_data_handle_t from, to;
    starpu_variable_data_register(&from, STARPU_MAIN_RAM, (uintptr_t)&sent, sizeof sent);
    starpu_variable_data_register(&to, STARPU_MAIN_RAM, (uintptr_t)&received, sizeof received);

    starpu_mpi_irecv_detached(to, rank, 1, MPI_COMM_WORLD, NULL, NULL);
    starpu_pause();
    usleep(100000);
    clock_t start = clock();
    sleep(1);
    double taken = (double)(clock() - start) / CLOCKS_PER_SEC;
    starpu_resume();
    starpu_mpi_isend_detached(from, rank, 1, MPI_COMM_WORLD, NULL, NULL);
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);

    starpu_data_unregister(from);
    starpu_data_unregister(to);
    starpu_mpi_shutdown();
    printf("CPU time of a second's wait for a message: %.3f s\n", taken);
    return received != sent || taken > 0.15;
}
