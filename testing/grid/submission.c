/*
 * Measures the time that one process of a large grid spends in submission. StarPU-MPI takes this
 * process for rank STARPU_MPI_FAKE_RANK of STARPU_MPI_FAKE_SIZE and sends nothing. Each message is
 * replaced by the access to its data that StarPU-MPI would submit for it. The request is cancelled
 * first, so that tasks do nothing. Arguments are the routine, the rows and columns of the process
 * grid, and the number of tile rows, which is also that of tile columns:
 *
 *     STARPU_MPI_FAKE_SIZE=64 STARPU_MPI_FAKE_RANK=9 submission potrf 8 8 240
 */
#include "mpi/mpi_grid.h"
#include "startile_trace.h"

#include <starpu_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct network network;
static int64_t messages;

struct message {
    starpu_data_handle_t handle;
    void (*done)(void *);
    void *arg;
};

/* StarPU calls it when it grants the access. Ends the access, reports the message as done, and
 * frees its struct message, `arg`. */
static void end_access(void *arg)
{
    struct message *m = arg;
    starpu_data_release(m->handle);
    m->done(m->arg);
    free(m);
}

/* Replaces a message by an asynchronous access to its data. done(arg) is called after the access.
 */
static void submit_access(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                          void (*done)(void *), void *arg)
{
    struct message *m = malloc(sizeof *m);
    if (m == NULL)
        abort();
    *m = (struct message){handle, done, arg};
    messages++;
    starpu_data_acquire_cb(handle, mode, end_access, m);
}

/* Replace network->send() and network->receive(). */
static void send_message(const startile_grid *g, starpu_data_handle_t handle, int rank,
                         int priority, void (*done)(void *), void *arg)
{
    (void)g, (void)rank, (void)priority;
    submit_access(handle, STARPU_R, done, arg);
}

static void receive_message(const startile_grid *g, starpu_data_handle_t handle, int rank,
                            int priority, void (*done)(void *), void *arg)
{
    (void)g, (void)rank, (void)priority;
    submit_access(handle, STARPU_W, done, arg);
}

/* Replaces network->least(): leaves the elements as they are. */
static int least_unchanged(const startile_grid *g, int64_t *element, int count)
{
    (void)g, (void)element, (void)count; /* all processes have the same elements */
    return 0;
}

/* Replaces network->combine(): exchanges no data. */
static int combine_nothing(const startile_grid *g, int first, int count, void *data, void *received,
                           size_t bytes, startile_join *join)
{
    (void)g, (void)first, (void)count, (void)data, (void)received, (void)bytes, (void)join;
    return 0;
}

/* Returns the time of the clock in seconds. */
static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns a p × q grid in which this process has rank `rank`. The grid is static; call it once.
 * StarPU-MPI keeps the owners and tags of data. */
static startile_grid *grid_of(int rank, int p, int q)
{
    static char nothing; /* memory of the grid's `turn`, which has no value */
    static struct mpi_grid g;
    network = mpi_network;
    network.least = least_unchanged;
    network.combine = combine_nothing;
    network.send = send_message;
    network.receive = receive_message;
    /* the first tag is arbitrary, as nothing else in this program has tags */
    g = (struct mpi_grid){.tiles = MPI_COMM_WORLD, .agree = MPI_COMM_SELF, .tag = 1 << 20};
    g.grid = (startile_grid){.network = &network,
                             .group = 1,
                             .p = p,
                             .q = q,
                             .processes = p * q,
                             .rank = rank,
                             .root = &g.grid};
    order_ranks(&g.grid, 1, q);
    starpu_variable_data_register(&g.grid.turn, STARPU_MAIN_RAM, (uintptr_t)&nothing,
                                  sizeof nothing);
    return &g.grid;
}

/* Submits the routine to r. Returns what the routine returns; −1 for an unknown name. */
static int submit(const char *routine, startile_matrix *A, startile_pivots *P,
                  startile_reflectors *T, startile_request *r)
{
    return strcmp(routine, "potrf") == 0          ? startile_potrf_async('L', A, r)
           : strcmp(routine, "getrf") == 0        ? startile_getrf_async(A, P, r)
           : strcmp(routine, "getrf_tntpiv") == 0 ? startile_getrf_tntpiv_async(A, P, r)
           : strcmp(routine, "getrf_nopiv") == 0  ? startile_getrf_nopiv_async(A, r)
           : strcmp(routine, "geqrf") == 0        ? startile_geqrf_async(A, T, r)
                                                  : -1;
}

/* Submits the routine on a new matrix of nt × nt tiles, to a cancelled request. time[0], time[1] :=
 * seconds of the thread's processor time and of the clock for the submission alone. Returns −1 if
 * the submission fails, else the number of tasks if `count_tasks`, else 0. */
static int64_t run(const char *routine, int64_t nt, startile_grid *g, bool count_tasks,
                   double time[2])
{
    enum { NB = 2 }; /* small tiles to save memory: the tasks do nothing */
    startile_matrix *A;
    startile_reflectors *T = NULL;
    startile_pivots *P = NULL;
    startile_request *r;
    startile_profile *profile = NULL;
    int failed =
        startile_matrix_create_distributed(&A, STARTILE_D, nt * NB, nt * NB, NB, NB, g) != 0 ||
        startile_pivots_create(&P, A) != 0 || startile_reflectors_create(&T, A) != 0 ||
        startile_request_create(&r) != 0;
    if (failed || (count_tasks && startile_profile_start() != 0))
        abort();
    startile_request_cancel(r);
    time[0] = -seconds(CLOCK_THREAD_CPUTIME_ID);
    time[1] = -seconds(CLOCK_MONOTONIC);
    failed = submit(routine, A, P, T, r);
    time[0] += seconds(CLOCK_THREAD_CPUTIME_ID);
    time[1] += seconds(CLOCK_MONOTONIC);
    startile_request_wait(r);
    if (count_tasks)
        startile_profile_stop(&profile);
    int64_t tasks = profile != NULL ? profile->count : 0;
    startile_profile_destroy(profile);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    startile_reflectors_destroy(T);
    startile_matrix_destroy(A);
    return failed != 0 ? -1 : tasks;
}

int main(int argc, char **argv)
{
    int level, rank, size;
    if (argc != 5) {
        fprintf(stderr, "usage: submission ROUTINE P Q TILES\n");
        return 1;
    }
    int p = atoi(argv[2]), q = atoi(argv[3]);
    int64_t nt = atoll(argv[4]);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    startile_options options;
    startile_options_default(&options, sizeof options);
    options.ncpu = 1;
    options.ncuda = 0;
    if (startile_init(&options) != 0 || starpu_mpi_init_comm(NULL, NULL, 0, MPI_COMM_WORLD) != 0)
        return 1;
    starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
    starpu_mpi_comm_size(MPI_COMM_WORLD, &size);
    if (size != p * q) {
        fprintf(stderr, "STARPU_MPI_FAKE_SIZE must be P * Q\n");
        return 1;
    }
    startile_grid *g = grid_of(rank, p, q);
    double time[2];
    int64_t tasks = run(argv[1], nt, g, true, time);
    if (tasks < 0) {
        fprintf(stderr,
                "submission: %s failed, or is none of potrf, getrf, getrf_nopiv, "
                "getrf_tntpiv and geqrf\n",
                argv[1]);
        return 1;
    }
    messages = 0;
    /* the timed run: without the profile that counts tasks */
    run(argv[1], nt, g, false, time);
    printf(
        "%s, rank %d of %d x %d, %lld x %lld tiles: %lld tasks, %lld messages; submission %.3f s "
        "of the thread = %.2f us a task (%.3f s on the clock)\n",
        argv[1], rank, p, q, (long long)nt, (long long)nt, (long long)tasks, (long long)messages,
        time[0], 1e6 * time[0] / (double)tasks, time[1]);
    fflush(stdout);
    _Exit(0); /* StarPU-MPI cannot stop: the other ranks do not exist */
}
