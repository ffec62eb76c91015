/* Waiting for the library's own MPI messages. */
#include "mpi/mpi_grid.h"

#include <sched.h>
#include <time.h>

/* Polls, then yields, then sleeps. A message of a process that works on the same panel or call
 * arrives while this process polls or yields. A longer wait sleeps: the sender is late, and this
 * core has other work.
 *
 * Two processes of one core each, getrf, n = 4096, nb 256, 2 x 1, GFlop/s (virtual machine): 40 if
 * it sleeps after 200 polls, 50 if it yields first. */
int wait_without_spinning(MPI_Request *request)
{
    enum { POLLS = 200, YIELDS = 2000, PAUSE = 20000 }; /* about 50 µs; about 1 ms; in ns */
    int is_done = 0, failed = MPI_SUCCESS;
    for (int polls = 0; !is_done && failed == MPI_SUCCESS; polls++) {
        if (polls > POLLS + YIELDS)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
        else if (polls > POLLS)
            sched_yield();
        failed = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    }
    return failed;
}
