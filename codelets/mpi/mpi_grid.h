/* Functions and types shared by the files of libstartile_mpi. */
#ifndef STARTILE_MPI_GRID_H
#define STARTILE_MPI_GRID_H

#include "grid/grid.h"
#include "startile_mpi.h"

struct mpi_grid {
    startile_grid grid;
    MPI_Comm tiles; /* communicator of StarPU-MPI, which receives from any process and sets error
                       handlers */
    MPI_Comm agree; /* communicator of this library's own messages and collective calls */
    int64_t tag;    /* next free tag; used in the root's grid only */
    _Atomic int64_t sent; /* bytes sent; used in the root's grid only */
};

extern const struct network mpi_network;
/* Waits for a message. MPI's own functions wait without a pause, which takes the core from the
 * workers; with more processes than cores the sender would wait for the core. Returns MPI's error
 * code. (wait.c) */
int wait_without_spinning(MPI_Request *request);
/* If MPI takes addresses of GPU memory and the calling thread has no CUDA context, makes that of
 * the process' first GPU its context. Call it before MPI's functions for communication: each call
 * of Open MPI 4.1 handles messages of all threads. In a thread without a context Open MPI
 * ends the program, or stops copying between GPUs directly. (gpu_context.c) */
void ensure_gpu_context(void);
/* Calls ensure_gpu_context(), and makes MPI start its CUDA support. Call it before the first
 * message of a grid. By itself Open MPI 4.1 starts that support when this process first passes an
 * address of GPU memory to it. A process that sends tiles to this one asks five times whether it
 * can copy between GPUs, and after five refusals always copies through main memory.
 * (gpu_context.c) */
void start_gpu_messages(void);
void mpi_grid_free(startile_grid *g);
int combine(const startile_grid *g, int first, int count, void *data, void *received, size_t bytes,
            startile_join *join);
int64_t reserve_tags(const startile_grid *g, int64_t count);

#endif
