/*
 * Lets StarPU-MPI's progress thread sleep. StarPU-MPI 1.4 calls MPI_Test() without a pause while a
 * message is outstanding; without a core of its own the thread takes half of a worker's core
 * (StarPU quirk 35). This MPI_Test() replaces MPI's by means of MPI's profiling interface, and for
 * other threads calls MPI's. If no message has completed in POLL microseconds and in a test of each
 * request, the progress thread sleeps, the longer the more time has passed since the last message.
 *
 * A test of more than MOVING microseconds has moved a fragment of a message, and counts as a
 * message: Open MPI moves large messages in fragments, and only while it is called. Idle tests take
 * 0.1 µs, with TCP 0.8. 24 messages of 32 MiB between two processes of the same machine, GB/s
 * without and with this rule: 0.8 and 9.7 through shared memory (32 KiB a fragment), 2.5 and 2.2 by
 * TCP, 6.1 and 7.6 where one process copies from the other (no fragments).
 *
 * Two processes of one core each, n = 4096, nb 256, 1 x 2, GFlop/s of potrf / getrf (Emerald
 * Rapids, virtual), by the length of the sleep after each test: 50 µs 54 / 52; 200 µs 74-77 / 79;
 * 50 to 1000 µs 73 / 93. With sleeps of 50 to 1000 µs after a test of all requests: 76 / 92.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { POLL = 5, SHORTEST = 50, LONGEST = 1000, MOVING = 2 }; /* µs */

static bool is_progress_thread(void)
{
    char name[16] = "";
    if (pthread_getname_np(pthread_self(), name, sizeof name) != 0 || strcmp(name, "MPI") != 0)
        return false;
    prctl(PR_SET_TIMERSLACK, 1000); /* ns; 50 µs by default */
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Sleeps for a quarter of `idle`, the time since a message completed, within SHORTEST … LONGEST. */
static void sleep_after(double idle)
{
    double pause = idle / 4 < SHORTEST ? SHORTEST : idle / 4 > LONGEST ? LONGEST : idle / 4;
    nanosleep(&(struct timespec){.tv_nsec = (long)(1000 * pause)}, NULL);
}

#pragma GCC visibility push(default)
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    static _Thread_local int is_progress = -1;
    static _Thread_local double last_message, awake_since;
    static _Thread_local const MPI_Request
        *first; /* first request of a turn through all requests */
    if (is_progress < 0)
        is_progress = is_progress_thread();
    if (!is_progress)
        return PMPI_Test(request, flag, status);
    double began = now();
    int result = PMPI_Test(request, flag, status);
    if (*flag || now() - began > MOVING) {
        last_message = awake_since = now();
        first = NULL;
    } else if (first == NULL) {
        first = request;
    } else if (first == request && now() - awake_since > POLL) {
        sleep_after(now() - last_message);
        awake_since = now();
    }
    return result;
}
#pragma GCC visibility pop
