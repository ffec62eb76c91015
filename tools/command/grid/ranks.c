/*
 * startile-mpi: `startile bench` and `startile info` on the processes of mpirun. The functions that
 * struct ranks (bench.h) points to.
 */
#include "ranks.h"

#include "command.h"

#include <startile_mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Creates the grid if `status` is 0 in all processes. Returns the least status of all processes, or
 * the status of the creation. The first call warns of shared cores, if all statuses are 0. */
static int64_t open_grid(struct ranks *r, int64_t status)
{
    static bool is_checked;
    status = -(int64_t)r->maximum((double)-status);
    if (!status && !is_checked)
        warn_of_shared_cores(r);
    is_checked = true;
    if (status)
        return status;
    return r->order > 0
               ? startile_grid_create_symmetric(&r->grid, MPI_COMM_WORLD, r->order)
               : startile_grid_create_grouped(&r->grid, MPI_COMM_WORLD, r->p, r->q, 'N', r->group);
}

static void close_grid(struct ranks *r)
{
    startile_grid_destroy(r->grid);
    r->grid = NULL;
}

static double maximum(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

static void sum(double *values, int64_t count)
{
    enum { AT_ONCE = 1 << 24 }; /* elements per call, because MPI's counts have type int */
    for (int64_t i = 0; i < count; i += AT_ONCE) {
        int n = (int)(count - i < AT_ONCE ? count - i : AT_ONCE);
        MPI_Allreduce(MPI_IN_PLACE, values + i, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static double sent(const struct ranks *r)
{
    return (double)startile_grid_bytes_sent(r->grid);
}

static void finalize(void)
{
    MPI_Finalize();
}

static int processes_on_host(void)
{
    int count;
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &count);
    MPI_Comm_free(&host);
    return count;
}

struct ranks *start_ranks(const char *subcommand, char **argv, bool is_wanted)
{
    static struct ranks r = {.open = open_grid,
                             .close = close_grid,
                             .maximum = maximum,
                             .sum = sum,
                             .sent = sent,
                             .peer = scalapack_measure,
                             .describe = describe_processes};
    int level;
    (void)subcommand, (void)argv, (void)is_wanted;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) || level < MPI_THREAD_MULTIPLE) {
        report("MPI does not start with MPI_THREAD_MULTIPLE");
        exit(EXIT_FAILED);
    }
    atexit(finalize);
    remember_binding();
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.count);
    r.on_host = processes_on_host();
    if (r.rank > 0 && !freopen("/dev/null", "w", stdout))
        exit(EXIT_FAILED);
    is_silent = r.rank > 0;
    return &r;
}
