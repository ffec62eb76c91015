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
/* Makes the context of the process' first GPU the calling thread's, if the thread has none and MPI
 * takes addresses of GPU memory. Call it before MPI's functions for communication: Open MPI 4.1
 * handles messages of all threads in any thread that calls it, and in a thread without a context it
 * ends the program, or stops copying between GPUs directly. (gpu_context.c) */
void ensure_gpu_context(void);
/* The same, and makes MPI start its CUDA support in this process. Call it before the first message
 * of a grid. Open MPI 4.1 starts it when MPI receives the first address of GPU memory. Another
 * process that sends tiles before asks five times whether this process can copy between GPUs, and
 * then copies through main memory for ever. (gpu_context.c) */
void start_gpu_messages(void);
void mpi_grid_free(startile_grid *g);
int combine(const startile_grid *g, int first, int count, void *data, void *received, size_t bytes,
            startile_join *join);
int64_t reserve_tags(const startile_grid *g, int64_t count);

#endif
