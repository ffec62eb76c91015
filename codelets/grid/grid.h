/*
 * Grids of processes. The core library knows who owns a tile and which messages its tasks need
 * (exchange.c); libstartile_mpi makes the grids and gives them a network that sends.
 */
#ifndef STARTILE_GRID_H
#define STARTILE_GRID_H

#include "data/view.h"
#include "kernels.h"

#include <starpu.h>
#include <stdbool.h>

struct network;

struct startile_grid {
    const struct network *network;
    int p, q;  /* process rows and columns */
    int group; /* number of adjacent block columns with the same owners, ≥ 1 */
    /* shape of the blocks of the grid whose ranks are consecutive, by rows; the blocks follow each
       other by rows, too. 1 × q: ranks by rows of the grid, p × 1: by columns */
    int block_rows, block_columns;
    const int *node; /* least rank on the node of each rank; NULL: each rank has its own node */
    /* symmetric grid (symmetric.h): order r of the pattern; p = q = r, and row < col are the two
       rows of the pattern in which this process has positions. 0: a p × q grid */
    int order;
    int processes;      /* number of the communicator's processes, also in `root`, whose p and q
                           are 1 */
    int rank, row, col; /* this process; outside the grid row = p */
    /* grid of the communicator's first process alone; in that grid: its own address */
    startile_grid *root;
    startile_grid *one_row; /* 1 × `processes` grid of the same processes, by rank */
    int64_t users;          /* number of matrices and requests that use the grid */
    startile_grid *next;    /* next grid recorded by note_grid() */
    /* Handle without a value that orders the tasks which call combine() on this process: all of
     * them write it, so they run in the order of submission, which is the same on all processes.
     * All grids share it. */
    starpu_data_handle_t turn;
};

/* Functions by which the processes of a grid exchange data. Each registered handle has an owner.
 * done(arg) is called when a message has arrived, or when sent data may be changed again. */
struct network {
    void (*free)(startile_grid *g);
    /* element[i] := its least value on all processes; collective. Returns 0, or STARTILE_ERROR_MPI
     * if the communicator cannot be used. */
    int (*least)(const startile_grid *g, int64_t *element, int count);
    /* element[i] := its sum over all processes, with the same bits on all; collective. Returns 0
     * or STARTILE_ERROR_MPI. */
    int (*sum)(const startile_grid *g, double *element, int count);
    /* Combines by join() the data of the processes of this process' column in `count` process rows,
     * cyclically from `first` on; data := the result, the same on all of them. `received` is
     * workspace of the same size. Tasks call it. Returns 0 or STARTILE_ERROR_MPI. */
    int (*combine)(const startile_grid *g, int first, int count, void *data, void *received,
                   size_t bytes, startile_join *join);
    /* Returns the first of `count` tags. */
    int64_t (*reserve_tags)(const startile_grid *g, int64_t count);
    void (*register_data)(const startile_grid *g, starpu_data_handle_t handle, int64_t tag,
                          int owner);
    /* Return the owner and the tag, or −1 for data that was not registered. */
    int (*owner)(const startile_grid *g, starpu_data_handle_t handle);
    int64_t (*tag)(const startile_grid *g, starpu_data_handle_t handle);
    /* Record that this process receives the data, or that the data is sent to `rank`. Return
     * whether that was already recorded. */
    bool (*mark_received)(starpu_data_handle_t handle);
    bool (*mark_sent)(starpu_data_handle_t handle, int rank);
    /* Records that all sent and received copies of the data are out of date. */
    void (*outdate_copies)(starpu_data_handle_t handle);
    void (*send)(const startile_grid *g, starpu_data_handle_t handle, int rank, int priority,
                 void (*done)(void *), void *arg);
    void (*receive)(const startile_grid *g, starpu_data_handle_t handle, int rank, int priority,
                    void (*done)(void *), void *arg);
    /* Frees the copy of data that another process owns, after the tasks submitted so far. */
    void (*drop_copy)(const startile_grid *g, starpu_data_handle_t handle);
};

/* Returns the rank of the process in that row and column of a p × q grid. */
static inline int grid_rank(const startile_grid *g, int row, int col)
{
    int rows = g->block_rows, columns = g->block_columns;
    int block = row / rows * (g->q / columns) + col / columns;
    return block * rows * columns + row % rows * columns + col % columns;
}

/* Orders the ranks of a p × q grid by blocks of rows × columns processes. Sets the row and the
 * column of this process, whose rank is known. */
static inline void order_ranks(startile_grid *g, int rows, int columns)
{
    int block = g->rank / (rows * columns), at = g->rank % (rows * columns);
    int blocks_in_row = g->q / columns;
    g->block_rows = rows;
    g->block_columns = columns;
    g->row = block / blocks_in_row * rows + at / columns;
    g->col = block % blocks_in_row * columns + at % columns;
}

/* Returns the process column that owns block column j on a p × q grid. */
static inline int grid_column(const startile_grid *g, int64_t j)
{
    return (int)(j / g->group % g->q);
}

/* Returns the node of the process, as the least rank on it. */
static inline int node_of(const startile_grid *g, int rank)
{
    return g->node != NULL ? g->node[rank] : rank;
}

/* Calls network->least(); without a grid it does nothing. Returns 0 or STARTILE_ERROR_MPI. */
int grid_least(const startile_grid *g, int64_t *element, int count);
/* value[i] := its least value on all processes, as grid_least() does. Returns 0 or
 * STARTILE_ERROR_MPI; STARTILE_ERROR_MISMATCH on all processes if they pass different values of
 * `hash`, whose lowest bit is ignored. (agreement.c) */
int grid_agree(const startile_grid *g, uint64_t hash, int64_t value[2]);
/* Returns FNV-1a's hash of the bytes, begun with `seed`. (agreement.c) */
uint64_t hash_of(const void *bytes, size_t size, uint64_t seed);
/* Records that the grid has matrices, until the grid is destroyed. Does nothing for a root. */
void note_grid(startile_grid *g);
/* Returns one of the recorded grids if all have the same processes, else NULL. */
startile_grid *only_grid(void);
/* Returns whether the grids have the same processes, so that data may move between them; or both
 * are NULL. */
bool have_same_processes(const startile_grid *a, const startile_grid *b);
/* Returns the number of the n rows (columns), in tiles of nb, that process row (column) `at` of
 * `processes` owns. (ScaLAPACK NUMROC) */
int64_t grid_extent(int64_t n, int64_t nb, int at, int processes);
/* Returns the least number >= i that is congruent to `at` modulo `processes`. */
int64_t next_congruent(int64_t i, int at, int processes);
/* Returns the number of elements of a matrix that this process owns; on a symmetric grid the mean
 * of all processes. */
int64_t elements_of_process(const startile_shape *s, const startile_grid *g);
/* Returns the owner of a tile, 0 for a matrix without a grid. */
int tile_rank(tile t);
/* Returns whether the tile is registered here: own tiles of a matrix that is no temporary always
 * are, other tiles once a task needs them. */
bool has_handle(tile t);
/* Returns the tile's indices among the tiles of its owner. */
tile local_index(tile t);
/* Registers a tile without a home node. (distributed_matrix.c) */
void register_distributed_tile(tile t);

#endif
