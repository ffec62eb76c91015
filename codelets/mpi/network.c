/* The network of a grid: StarPU-MPI. */
#include "mpi/mpi_grid.h"

#include <starpu_mpi.h>

static const struct mpi_grid *mpi_of(const startile_grid *g)
{
    return (const struct mpi_grid *)g;
}

/* Replaces each element by its least value on any process. Returns 0 or STARTILE_ERROR_MPI.
 * Collective. */
static int least(const startile_grid *g, int64_t *element, int count)
{
    MPI_Request request;
    ensure_gpu_context();
    int failed = MPI_Iallreduce(MPI_IN_PLACE, element, count, MPI_INT64_T, MPI_MIN,
                                mpi_of(g)->agree, &request);
    if (failed == MPI_SUCCESS)
        failed = wait_without_spinning(&request);
    return failed == MPI_SUCCESS ? 0 : STARTILE_ERROR_MPI;
}

/* Replaces each element by its sum over all processes. The first process sums and sends the result:
 * a reduction to all processes may round differently on each. Returns 0 or STARTILE_ERROR_MPI.
 * Collective. */
static int sum(const startile_grid *g, double *element, int count)
{
    MPI_Request request;
    MPI_Comm communicator = mpi_of(g)->agree;
    bool is_first = g->rank == 0;
    ensure_gpu_context();
    int failed = MPI_Ireduce(is_first ? MPI_IN_PLACE : element, is_first ? element : NULL, count,
                             MPI_DOUBLE, MPI_SUM, 0, communicator, &request);
    if (failed == MPI_SUCCESS)
        failed = wait_without_spinning(&request);
    if (failed == MPI_SUCCESS)
        failed = MPI_Ibcast(element, count, MPI_DOUBLE, 0, communicator, &request);
    if (failed == MPI_SUCCESS)
        failed = wait_without_spinning(&request);
    return failed == MPI_SUCCESS ? 0 : STARTILE_ERROR_MPI;
}

static void register_data(const startile_grid *g, starpu_data_handle_t handle, int64_t tag,
                          int owner)
{
    starpu_mpi_data_register_comm(handle, tag, owner, mpi_of(g)->tiles);
}

/* Returns the owner of the data, or −1. Data that StarPU-MPI does not know gets an empty record
 * first, because StarPU-MPI 1.4 ends the program when it is asked for the rank of unknown data
 * (StarPU quirk 37). */
static int owner(const startile_grid *g, starpu_data_handle_t handle)
{
    starpu_mpi_data_register_comm(handle, -1, -1, mpi_of(g)->tiles);
    return starpu_mpi_data_get_rank(handle);
}

/* Returns the tag of the data, or −1 for data without an owner. */
static int64_t tag(const startile_grid *g, starpu_data_handle_t handle)
{
    return owner(g, handle) < 0 ? -1 : starpu_mpi_data_get_tag(handle);
}

static bool mark_received(starpu_data_handle_t handle)
{
    return starpu_mpi_cached_receive_set(handle) != 0;
}

static bool mark_sent(starpu_data_handle_t handle, int rank)
{
    return starpu_mpi_cached_send_set(handle, rank) != 0;
}

static void outdate_copies(starpu_data_handle_t handle)
{
    starpu_mpi_cached_send_clear(handle);
    starpu_mpi_cached_receive_clear(handle);
}

static void send(const startile_grid *g, starpu_data_handle_t handle, int rank, int priority,
                 void (*done)(void *), void *arg)
{
    ((struct mpi_grid *)g->root)->sent += (int64_t)starpu_data_get_size(handle);
    starpu_mpi_isend_detached_prio(handle, rank, starpu_mpi_data_get_tag(handle), priority,
                                   mpi_of(g)->tiles, done, arg);
}

int64_t startile_grid_bytes_sent(const startile_grid *grid)
{
    return grid == NULL ? 0 : ((const struct mpi_grid *)grid->root)->sent;
}

static void receive(const startile_grid *g, starpu_data_handle_t handle, int rank, int priority,
                    void (*done)(void *), void *arg)
{
    starpu_mpi_irecv_detached_prio(handle, rank, starpu_mpi_data_get_tag(handle), priority,
                                   mpi_of(g)->tiles, done, arg);
}

static void drop_copy(const startile_grid *g, starpu_data_handle_t handle)
{
    starpu_mpi_cache_flush(mpi_of(g)->tiles, handle);
}

const struct network mpi_network = {
    .free = mpi_grid_free,
    .least = least,
    .sum = sum,
    .combine = combine,
    .reserve_tags = reserve_tags,
    .register_data = register_data,
    .owner = owner,
    .tag = tag,
    .mark_received = mark_received,
    .mark_sent = mark_sent,
    .outdate_copies = outdate_copies,
    .send = send,
    .receive = receive,
    .drop_copy = drop_copy,
};
