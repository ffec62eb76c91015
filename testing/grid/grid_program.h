/* Start and end of a test program on a grid: PROGRAM BACKEND TYPE p q. */
#ifndef TESTING_GRID_PROGRAM_H
#define TESTING_GRID_PROGRAM_H

#include "check.h"

#include <startile_mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Starts MPI and the library with one worker, and returns the grid of all processes. */
static inline startile_grid *grid_program_begin(int argc, char **argv, int *rank, int *processes)
{
    startile_grid *grid = NULL;
    int level;
    if (argc != 5)
        exit(2);
    check_arguments(3, argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, processes);
    startile_options options = check_options();
    options.ncpu = 1;
    require(startile_init(&options) == 0);
    require(startile_grid_create(&grid, MPI_COMM_WORLD, atoi(argv[3]), atoi(argv[4]), 'R') == 0);
    return grid;
}

/* Ends them. Returns the exit code of a program whose tests have passed. */
static inline int grid_program_end(startile_grid *grid, int rank)
{
    startile_grid_destroy(grid);
    startile_finalize();
    MPI_Finalize();
    if (rank == 0)
        printf("passed\n");
    return 0;
}

#endif
