/*
 * The electrostatic capacitance of the unit cube, as in capacitance.c, on any number of MPI
 * processes: mpirun -n 4 --oversubscribe distributed [panels along an edge].
 *
 * Each process computes its own part of the matrix, in ScaLAPACK's block-cyclic layout. The library
 * factors and solves. The processes add up their parts of the charge.
 */
#include "cube.h"

#include <startile_mpi.h>
#include <stdio.h>

static int rank;

/* Ends all processes with a message if `code`, a result of the library, is not 0. */
static void require(int64_t code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "distributed: process %d: %s: %s\n", rank, what, startile_strerror(code));
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* Returns how many of n rows (columns) belong to process row (column) `at` of `count`, as
 * ScaLAPACK's NUMROC. */
static int64_t local_size(int64_t n, int64_t nb, int at, int count)
{
    int64_t size = 0;
    for (int64_t first = at * nb; first < n; first += count * nb)
        size += n - first < nb ? n - first : nb;
    return size;
}

/* Returns the row (column) of the whole matrix that is local row (column) k of process row (column)
 * `at`, as ScaLAPACK's INDXL2G, counted from 0. */
static int64_t global_index(int64_t k, int64_t nb, int at, int count)
{
    return (k / nb * count + at) * nb + k % nb;
}

int main(int argc, char **argv)
{
    enum { NB = 96 };
    int level, processes, shape[2] = {0, 0}, p = argc > 1 ? atoi(argv[1]) : 16;
    int64_t n = 6 * (int64_t)p * p;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Dims_create(processes, 2, shape);
    int rows = shape[0], columns = shape[1], row = rank / columns, column = rank % columns;

    startile_grid *grid;
    require(startile_init(NULL), "starting startile");
    require(startile_grid_create(&grid, MPI_COMM_WORLD, rows, columns, 'R'), "grid");

    panel *panels = cut_cube(p);
    /* m × k: this process' part of the matrix */
    int64_t m = local_size(n, NB, row, rows), k = local_size(n, NB, column, columns);
    double *a = startile_malloc((size_t)(m * k + 1) * sizeof *a);
    double *q = startile_malloc((size_t)(m + 1) * sizeof *q);
    require(panels == NULL || a == NULL || q == NULL ? STARTILE_ERROR_MEMORY : 0, "memory");
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < m; i++) {
            int64_t gi = global_index(i, NB, row, rows), gj = global_index(j, NB, column, columns);
            a[i + j * m] = potential_coefficient(&panels[gi], &panels[gj]);
        }
    for (int64_t i = 0; i < m; i++)
        q[i] = 1; /* potential; process column 0 owns the right-hand side, a single column */

    startile_matrix *A, *Q;
    int64_t lld = m > 1 ? m : 1;
    require(startile_matrix_wrap_local(&A, STARTILE_D, n, n, a, lld, NB, NB, grid), "matrix");
    require(startile_matrix_wrap_local(&Q, STARTILE_D, n, 1, q, lld, NB, NB, grid), "charges");
    double start = MPI_Wtime();
    require(startile_posv('L', A, Q), "solving");
    double seconds = MPI_Wtime() - start, own_charge = 0, charge;
    startile_matrix_destroy(A);
    startile_matrix_destroy(Q);

    for (int64_t i = 0; i < m && column == 0; i++)
        own_charge += q[i];
    MPI_Allreduce(&own_charge, &charge, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double error = fabs(1 - charge / literature);
    double bound = error_constant / ((double)p * p * p) + error_floor;
    if (rank == 0)
        printf("%d x %d processes, n = %lld: capacitance %.8f x 4 pi eps0 x edge, relative error "
               "%.2e (bound %.2e), %.3f s\n",
               rows, columns, (long long)n, charge, error, bound, seconds);

    startile_free(a, (size_t)(m * k + 1) * sizeof *a);
    startile_free(q, (size_t)(m + 1) * sizeof *q);
    free(panels);
    require(startile_grid_destroy(grid), "freeing the grid");
    startile_finalize();
    MPI_Finalize();
    return error <= bound ? EXIT_SUCCESS : EXIT_FAILURE;
}
