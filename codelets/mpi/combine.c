/* Combines data of the processes in one column of a grid, inside tasks, by recursive doubling.
 * Processes beyond the largest power of two first send their data to others, and receive the result
 * at the end. */
#include "mpi/mpi_grid.h"

#include <time.h>

/* The processes that combine data. Member i is in process row first + i, cyclically. */
struct members {
    MPI_Comm communicator;
    const startile_grid *g;
    int first; /* process row of member 0 */
    int bytes;
    int failed; /* MPI's error codes, combined by | */
};

enum {
    TAG = 0
}; /* one tag suffices: messages between two processes come in the order of their tasks */

static int rank_of(const struct members *s, int member)
{
    return grid_rank(s->g, (s->first + member) % s->g->p, s->g->col);
}

static void wait_for(struct members *s, MPI_Request *request)
{
    if (s->failed == MPI_SUCCESS)
        s->failed = wait_without_spinning(request);
}

static void receive(struct members *s, void *data, int member)
{
    MPI_Request request;
    s->failed |=
        MPI_Irecv(data, s->bytes, MPI_BYTE, rank_of(s, member), TAG, s->communicator, &request);
    wait_for(s, &request);
}

static void send(struct members *s, const void *data, int member)
{
    MPI_Request request;
    s->failed |=
        MPI_Isend(data, s->bytes, MPI_BYTE, rank_of(s, member), TAG, s->communicator, &request);
    wait_for(s, &request);
}

static void exchange(struct members *s, const void *data, void *received, int member)
{
    MPI_Request request;
    s->failed |=
        MPI_Isend(data, s->bytes, MPI_BYTE, rank_of(s, member), TAG, s->communicator, &request);
    receive(s, received, member);
    wait_for(s, &request);
}

int combine(const startile_grid *g, int first, int count, void *data, void *received, size_t bytes,
            startile_join *join)
{
    struct members s = {((const struct mpi_grid *)g)->agree, g, first, (int)bytes, MPI_SUCCESS};
    int me = (g->row - first + g->p) % g->p, power_of_two = 1;
    ensure_gpu_context();
    /* the largest power of two ≤ count: the members below it exchange data */
    while (2 * power_of_two <= count)
        power_of_two *= 2;
    if (me >= power_of_two) {
        send(&s, data, me - power_of_two);
        receive(&s, data, me - power_of_two);
    } else if (me + power_of_two < count) {
        receive(&s, received, me + power_of_two);
        join(data, received, bytes);
    }
    for (int distance = 1; distance < power_of_two && me < power_of_two; distance *= 2) {
        exchange(&s, data, received, me ^ distance);
        join(data, received, bytes);
    }
    if (me + power_of_two < count)
        send(&s, data, me + power_of_two);
    return s.failed != MPI_SUCCESS ? STARTILE_ERROR_MPI : 0;
}
