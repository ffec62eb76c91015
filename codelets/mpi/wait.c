/* Waits of the library's own messages. */
#include "mpi/mpi_grid.h"

#include <time.h>

int wait_without_spinning(MPI_Request *request)
{
    enum { POLLS = 200, PAUSE = 20000 }; /* about 50 µs; ns */
    int is_done = 0, failed = MPI_SUCCESS;
    for (int polls = 0; !is_done && failed == MPI_SUCCESS; polls++) {
        if (polls > POLLS)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
        failed = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    }
    return failed;
}
