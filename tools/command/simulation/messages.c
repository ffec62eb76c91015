/*
 * Messages between the processes of a simulated cluster, in place of SimGrid's MPI (linker option
 * --wrap). SimGrid 3.32 keeps a message in a list of the thread that sends or receives it until
 * this thread waits for it, and searches that list. In StarPU-MPI another thread waits, a new one
 * for each message (StarPU quirk 65), so that the lists grow until the end of the run. Here a
 * thread waits for one message after the other, a message ends without a search, and tiles have no
 * data to copy (StarPU quirk 42).
 */
#include "messages.h"

#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int __wrap_MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Wait(MPI_Request *request, MPI_Status *status);
void __wrap__starpu_simgrid_xbt_thread_create(const char *name, starpu_pthread_attr_t *attributes,
                                              void (*code)(void *), void *argument);

/* -- send and receive -------------------------------------------------------------------------- */

enum { HEADER = 16 }; /* bytes that SimGrid's MPI adds to each message */

/* One end of a message */
struct end {
    struct end *next;  /* in the queue of ends without a partner */
    struct end *other; /* NULL before there is one */
    sg_host_t host;
    int peer, tag; /* peer: the other process, or MPI_ANY_SOURCE */
    size_t bytes;
    void *data;
    sg_sem_t resumed; /* of the thread that waits; NULL if none does */
    bool is_receive, is_done;
};

/* Ends without a partner, in the order in which they were posted */
struct ends {
    struct end *first, **end;
};

/* Ends of messages to one process */
struct inbox {
    struct ends sends, receives;
};

struct inbox *inboxes_create(int processes)
{
    return calloc((size_t)processes, sizeof(struct inbox));
}

static void append(struct ends *q, struct end *e)
{
    if (!q->first)
        q->end = &q->first;
    *q->end = e;
    q->end = &e->next;
}

/* Removes and returns the first end with this tag from or to `peer`; NULL if there is none. */
static struct end *take(struct ends *q, int peer, int tag)
{
    for (struct end **at = &q->first; *at; at = &(*at)->next) {
        struct end *e = *at;
        bool is_for = e->peer == peer || e->peer == MPI_ANY_SOURCE || peer == MPI_ANY_SOURCE;
        if (!is_for || e->tag != tag)
            continue;
        *at = e->next;
        if (q->end == &e->next)
            q->end = at;
        e->next = NULL;
        return e;
    }
    return NULL;
}

static void resume(struct end *e)
{
    if (e->resumed)
        sg_sem_release(e->resumed);
}

static void suspend(struct end *e)
{
    e->resumed = sg_sem_init(0);
    sg_sem_acquire(e->resumed);
    sg_sem_destroy(e->resumed);
    e->resumed = NULL;
}

static struct end *new_end(const void *data, int count, MPI_Datatype type, int peer, int tag)
{
    struct end *e = malloc(sizeof *e);
    MPI_Count size = 0;
    MPI_Type_size_x(type, &size);
    *e = (struct end){.host = sg_host_self(),
                      .peer = peer,
                      .tag = tag,
                      .bytes = (size_t)(count * size),
                      .data = (void *)data};
    return e;
}

/* Connects the end with the one that waits for it, if there is one. */
static void post(struct end *e, struct ends *same, struct end *other)
{
    if (!other) {
        append(same, e);
        return;
    }
    e->other = other;
    other->other = e;
    if (other->is_receive)
        resume(other);
}

int __wrap_MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    struct inbox *box = &inboxes()[to];
    int me = starpu_mpi_world_rank();
    struct end *e = new_end(data, count, type, me, tag);
    (void)comm;
    post(e, &box->sends, take(&box->receives, me, tag));
    *request = (MPI_Request)e;
    return MPI_SUCCESS;
}

int __wrap_MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    struct inbox *box = &inboxes()[starpu_mpi_world_rank()];
    struct end *e = new_end(data, count, type, from, tag);
    (void)comm;
    e->is_receive = true;
    post(e, &box->receives, take(&box->sends, from, tag));
    *request = (MPI_Request)e;
    return MPI_SUCCESS;
}

/* Waits for the other end, lets the time of the message pass and resumes the sender. */
static void receive(struct end *e, MPI_Status *status)
{
    if (!e->other)
        suspend(e);
    struct end *sent = e->other;
    sg_host_sendto(sent->host, e->host, (double)(sent->bytes + HEADER));
    if (sent->bytes <= LARGEST_COPIED)
        memcpy(e->data, sent->data, sent->bytes);
    if (status != MPI_STATUS_IGNORE)
        *status =
            (MPI_Status){.MPI_SOURCE = sent->peer, .MPI_TAG = sent->tag, .MPI_ERROR = MPI_SUCCESS};
    sent->is_done = true;
    resume(sent);
}

int __wrap_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct end *e = (struct end *)*request;
    if (e->is_receive)
        receive(e, status);
    else if (!e->is_done)
        suspend(e);
    free(e);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* -- threads that wait for messages ------------------------------------------------------------ */

/* A thread that calls code(argument), which waits for a message */
struct waiter {
    sg_sem_t resumed;
    void (*code)(void *);
    void *argument;
    struct waiter *next;
};

static struct waiter *idle;

/* Is the thread's function: runs its code, then waits for another one. */
static void *wait_for_messages(void *argument)
{
    struct waiter *w = argument;
    for (;;) {
        sg_actor_ref(sg_actor_self()); /* w->code() detaches the thread */
        w->code(w->argument);
        w->next = idle;
        idle = w;
        sg_sem_acquire(w->resumed);
    }
    return NULL;
}

/* Replaces StarPU's function, which creates a thread. StarPU-MPI calls it for each message. */
void __wrap__starpu_simgrid_xbt_thread_create(const char *name, starpu_pthread_attr_t *attributes,
                                              void (*code)(void *), void *argument)
{
    starpu_pthread_t thread;
    struct waiter *w = idle;
    bool is_new = !w;
    (void)attributes;
    if (is_new) {
        w = calloc(1, sizeof *w);
        w->resumed = sg_sem_init(0);
    } else {
        idle = w->next;
    }
    w->code = code;
    w->argument = argument;
    if (is_new)
        starpu_pthread_create_on(name, &thread, NULL, wait_for_messages, w, sg_host_self());
    else
        sg_sem_release(w->resumed);
}
