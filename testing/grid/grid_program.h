/* Start and end of a test program on a grid, PROGRAM BACKEND TYPE p q, and the transfer of its
 * matrices. */
#ifndef TESTING_GRID_PROGRAM_H
#define TESTING_GRID_PROGRAM_H

#include "array.h"
#include "check.h"

#include <startile_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static startile_grid *grid; /* of all processes, row by row */
static int rank, processes; /* number of this process, and of all */

/* Starts MPI, the library with one worker, and the grid. */
static inline void grid_program_begin(int argc, char **argv)
{
    int level;
    if (argc != 5)
        exit(2);
    check_arguments(3, argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    startile_options options = check_options();
    options.ncpu = 1;
    require(startile_init(&options) == 0);
    require(startile_grid_create(&grid, MPI_COMM_WORLD, atoi(argv[3]), atoi(argv[4]), 'R') == 0);
}

/* Ends them. Returns the exit code of a program whose tests have passed. */
static inline int grid_program_end(void)
{
    startile_grid_destroy(grid);
    startile_finalize();
    MPI_Finalize();
    if (rank == 0)
        printf("passed\n");
    return 0;
}

/* Returns a distributed matrix with the first process' elements of X. */
static inline startile_matrix *scatter(struct array X, int64_t mb, int64_t nb)
{
    startile_matrix *A = NULL;
    require_info(startile_matrix_create_distributed(&A, X.dtype, X.m, X.n, mb, nb, grid), 0);
    require_info(startile_matrix_from_lapack(A, rank == 0 ? X.a : NULL, X.ld), 0);
    return A;
}

/* X := A on the first process. Destroys A. */
static inline void gather(startile_matrix *A, struct array X)
{
    require_info(startile_matrix_to_lapack(A, rank == 0 ? X.a : NULL, X.ld), 0);
    startile_matrix_destroy(A);
}

/* Requires the same info on all processes, and returns it. */
static inline int64_t agreed(int64_t info)
{
    int64_t bounds[] = {info, -info};
    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    require_info(bounds[0], -bounds[1]);
    return info;
}

/* Requires that all processes have the same bytes. */
static inline void require_agreement(const void *mine, size_t bytes)
{
    char *first = malloc(bytes + 1);
    require(first != NULL);
    memcpy(first, mine, bytes);
    MPI_Bcast(first, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    require(memcmp(first, mine, bytes) == 0);
    free(first);
}

#endif
