/**
 * @file startile_mpi.h
 * @brief Matrices distributed over MPI processes, on StarPU-MPI.
 *
 * The routines of startile.h take distributed matrices as they take local ones. All processes of a
 * grid call the same routines on its matrices in the same order, with the same arguments; only the
 * values of pointers may differ. Link with libstartile_mpi and libstartile.
 *
 * A routine on distributed operands, blocking or asynchronous, begins with a comparison of routine
 * and arguments: one MPI_Allreduce() of four numbers. No process returns from the routine before
 * all have called it. If an argument is wrong on any process, all return the least −i of all
 * processes. If routines or arguments differ, all return #STARTILE_ERROR_MISMATCH. A process takes
 * part in the comparison if one of its operands is distributed; with local operands it works alone.
 * A process that passes NULL for all operands takes part if the grids of all its matrices have the
 * same processes. The constructors of matrices, pivots, reflectors and trees, and the copies of
 * matrices, pivots and reflectors from and to LAPACK's storage begin with the same comparison.
 * startile_request_wait(), startile_request_reset() and startile_request_destroy() are collective
 * if an operation of the request was on a grid. The other functions on requests,
 * startile_matrix_gather(), queries, and the destruction of matrices, pivots, reflectors and trees
 * are not collective.
 *
 * Asynchronous routines bound the memory for received tiles: before they submit a step, they wait
 * while unfinished steps need too much of it. During such a call the caller must not hold data of
 * its matrices by starpu_data_acquire().
 *
 * A process that dies ends the program as MPI does by default; the library does not recover from
 * it.
 */
#ifndef STARTILE_MPI_H
#define STARTILE_MPI_H

#include "startile.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/**
 * @defgroup grid Grids of processes
 *
 *  **Threads.** At most one thread of a process at a time may call functions on grids, on objects
 *  of any grid, and on requests with operations on grids, because all processes must make these
 *  calls in the same order. Meanwhile other threads may work on local objects.
 *  @{
 */

/**
 * @brief Creates a grid of p × q processes, as BLACS_GRIDINIT does. Collective over the
 * communicator.
 *
 * startile_init() has been called on each process, and MPI was initialized with
 * MPI_THREAD_MULTIPLE. If the program has started StarPU-MPI, the grid uses that, and the program
 * stops it after it has destroyed its grids. Else this function starts StarPU-MPI, and the last
 * startile_grid_destroy() stops it; no other thread may call getenv() during the start. If MPI
 * takes addresses of GPU memory and the calling thread has no CUDA context, this function makes the
 * process' first GPU the thread's current one.
 *
 * The processes agree on errors through the communicator. A process whose communicator cannot be
 * used (−2) cannot take part: if the communicator is MPI_COMM_NULL or freed on some processes only,
 * the others wait for ever.
 * @param[out] grid the new grid
 * @param communicator p·q processes; it may be freed afterwards
 * @param p process rows, ≥ 1
 * @param q process columns, ≥ 1
 * @param order 'R': ranks increase along each process row, 'C': along each process column, 'N': the
 *        processes of each node form a block of the grid. In 'N' ranks increase by rows in a block,
 *        and blocks follow each other by rows. The block is the one with the least number of nodes
 *        in a process row plus nodes in a process column. 'N' is 'R' if the ranks of a node are not
 *        consecutive, or if nodes differ in their number of processes. The grid of a local array in
 *        ScaLAPACK's layout has the order of its BLACS context, 'R' or 'C'
 * @return 0; −1; −2 for MPI_COMM_NULL, an intercommunicator, or a communicator that MPI knows to be
 *         freed; −3 or −4 if p or q < 1, or −4 if p·q is not the size of the
 *         communicator; −5; #STARTILE_ERROR_MPI; #STARTILE_ERROR_MISMATCH if p or order differ
 *         between the processes; #STARTILE_ERROR_STARPU, #STARTILE_ERROR_MEMORY. The same on all
 *         processes, except −2
 */
int64_t startile_grid_create(startile_grid **grid, MPI_Comm communicator, int p, int q, char order);

/**
 * @brief Creates a grid of p × q processes on which groups of `columns` adjacent block columns have
 * the same owners. Collective over the communicator.
 *
 * Tile (i, j) belongs to the process in row i mod p and column ⌊j / columns⌋ mod q of the grid. In
 * LU and QR on 1 × q processes the panels of a group follow each other in one process without a
 * message, and the link carries one panel while the process factors the next one. Choose `columns`
 * so that A has at least six groups for each process; docs/many-nodes.md compares times.
 *
 * startile_matrix_wrap_local() uses ScaLAPACK's layout with column blocks of `columns` · nb
 * elements.
 *
 * The rules of startile_grid_create() about MPI, StarPU-MPI and errors hold.
 * @param[out] grid the new grid
 * @param communicator p·q processes; it may be freed afterwards
 * @param p process rows, ≥ 1
 * @param q process columns, ≥ 1
 * @param order 'R', 'C' or 'N', as for startile_grid_create()
 * @param columns number of block columns in a group, ≥ 1; 1: startile_grid_create()
 * @return as startile_grid_create(); −6 if columns < 1; #STARTILE_ERROR_MISMATCH also if `columns`
 *         differs between the processes
 */
int64_t startile_grid_create_grouped(startile_grid **grid, MPI_Comm communicator, int p, int q,
                                     char order, int columns);

/**
 * @brief Creates a symmetric grid, which distributes tiles so that a Cholesky factorization sends
 * fewer bytes than on any grid of p × q processes. Collective over the communicator.
 *
 * The owners of tiles repeat after r = `order` rows and columns of tiles, except on the diagonal.
 * Let i ≡ a and j ≡ b modulo r. If a ≠ b, tiles (i, j) and (j, i) belong to the process of the pair
 * {a, b}: rank b (b − 1) / 2 + a for 0 ≤ a < b < r. If a = b, tile (i, j) belongs
 *
 * - with r (r − 1) / 2 processes, to a process of a pair {a, c}, with another c in the next copy of
 *   the r × r pattern;
 * - with r² / 2 processes, r even, to rank r (r − 1) / 2 + ⌊a / 2⌋.
 *
 * | processes P | owners of a row or column of tiles | a tile of the factor is sent to | all send |
 * |---|---|---|---|
 * | r (r − 1) / 2 | r − 1 | r − 2 processes | n² (r − 2) / 2 elements |
 * | r² / 2 | r | r − 1 processes | n² (r − 1) / 2 elements |
 *
 * Here r ≈ √(2 P). On p × q processes all send n² (p + q − 2) / 2 elements, about √2 times as many.
 * startile_matrix_owner() names the owners. (Beaumont, Duchon, Eyraud-Dubois, Langou and Vérité,
 * "Symmetric Block-Cyclic Distribution: Fewer Communications Leads to Faster Dense Cholesky
 * Factorization", SC22)
 *
 * Cholesky's routines, products, triangular solves, norms and copies take matrices on symmetric
 * grids. LU, QR and least squares, whose panels are parts of block columns, return the same −i for
 * them as for unsuitable tiles. startile_pivots_create(), startile_reflectors_create() and
 * startile_tree_create() return −2. startile_matrix_wrap_local() returns −9, because the tiles of a
 * process do not form ScaLAPACK's local array. startile_lacpy() copies from and to other grids of
 * the same processes.
 *
 * The rules of startile_grid_create() about MPI, StarPU-MPI and errors hold.
 * @param[out] grid the new grid
 * @param communicator r (r − 1) / 2 or, for even r, r² / 2 processes; it may be freed afterwards
 * @param order r ≥ 2
 * @return 0; −1; −2 as startile_grid_create(); −3 if order < 2, or if the communicator has another
 *         number of processes; #STARTILE_ERROR_MPI; #STARTILE_ERROR_MISMATCH if `order` differs
 *         between the processes, or some call another constructor; #STARTILE_ERROR_STARPU,
 *         #STARTILE_ERROR_MEMORY. The same on all processes, except −2
 */
int64_t startile_grid_create_symmetric(startile_grid **grid, MPI_Comm communicator, int order);

/**
 * @brief Returns the bytes of tiles and other data that this process has sent on this grid and on
 * others with the same processes; 0 for NULL. A message counts when it is submitted. Thread-safe.
 */
int64_t startile_grid_bytes_sent(const startile_grid *grid);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
