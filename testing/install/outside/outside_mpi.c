/* A program whose processes work alone, linked with the installed libstartile_mpi. */
#include <startile_mpi.h>
#include <startile_testing.h>

int main(int argc, char **argv)
{
    int level;
    startile_grid *grid;
    startile_matrix *A;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    int64_t failed =
        startile_init(NULL) != 0 || startile_grid_create(&grid, MPI_COMM_SELF, 1, 1, 'R') != 0 ||
        startile_matrix_create_distributed(&A, STARTILE_D, 50, 50, 20, 20, grid) != 0 ||
        startile_random('S', 1, 50, A) != 0 || startile_potrf('L', A) != 0;
    if (failed == 0) {
        startile_matrix_destroy(A);
        failed = startile_grid_destroy(grid);
        startile_finalize();
    }
    MPI_Finalize();
    return (int)failed;
}
