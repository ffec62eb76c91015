/* The state of a request. */
#ifndef STARTILE_REQUEST_STATE_H
#define STARTILE_REQUEST_STATE_H

#include "data/temporary.h"
#include "data/view.h"
#include "kernels.h"
#include "request/hold.h"
#include "request/request.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>

/* Page-locked status records of diagonal tiles and of the request's info; a request keeps its slabs
 * until it is destroyed. */
enum { STATUSES_PER_SLAB = 64 };
struct tile_status_slab {
    struct tile_status_slab *next;
    int used;
    startile_tile_status *statuses;
};

/* A stage: the tasks and messages between two calls of begin_step(). `whole` is the stage of all
 * tasks, messages and transfers between two calls of startile_request_outcome(); it is its own
 * `whole`. */
struct stage {
    startile_request *request;
    struct stage *whole;
    atomic_long unfinished;          /* number of tasks and messages */
    int64_t bytes;                   /* size of the data that the stage receives or discards */
    int64_t most_before;             /* largest `bytes` of an earlier stage */
    starpu_data_handle_t *exchanged; /* data whose copies end_step() drops */
    int64_t exchanged_count, exchanged_capacity;
    struct stage *next;
};

struct startile_request {
    atomic_llong outcome;    /* first failure: info > 0 or a startile_error */
    char *failure_text;      /* its message, or NULL for that of startile_strerror() */
    atomic_llong zero_pivot; /* info > 0 of a factorization that continues after it, or 0 */
    atomic_int zero_pivot_factorization; /* index of zero_pivot's factorization, or INT_MAX */
    int factorizations;                  /* number of LU factorizations submitted so far */
    atomic_bool cancelled;
    atomic_long unfinished;       /* number of tasks, messages and transfers */
    starpu_pthread_mutex_t mutex; /* StarPU's type (StarPU quirk 28) */
    starpu_pthread_cond_t finished;
    bool is_blocking; /* of a blocking call, which runs in the thread `caller` */
    pthread_t caller;
    int priority;
    atomic_int products;               /* startile_products in single precision on GPUs */
    startile_request *whole_operation; /* its tasks are a part of an operation of this request, or
                                          NULL */
    hold *hold;                        /* tiles that its tasks use during a hold, or NULL */
    int verify;                        /* level of the option `verify` */
    startile_corruption corruption;    /* first corruption found; routine NULL: none */
    struct attempts *attempts;         /* attempts at an operation of which it is one, or NULL */
    struct tile_status_slab *slabs;
    temporary *temporaries;        /* the newest first */
    starpu_data_handle_t gate;     /* order-only handle of opens_gate(), or NULL */
    starpu_data_handle_t info;     /* a tile status: tasks that may set outcome > 0 write it; NULL
                                      before the first access, see request_info() */
    bool info_is_shared;           /* all processes of the grid have received the info */
    startile_grid *grid;           /* grid of its tasks' distributed matrices, or NULL */
    struct stage first;            /* the operations before the first outcome */
    _Atomic(struct stage *) whole; /* the operations after the newest outcome, or &first */
    /* outcomes: list of the outcomes since the last reset, the oldest first; pending: the oldest
     * one whose operations have not ended */
    struct outcome *outcomes, *pending, *newest_outcome;
    /* stages: list of the stages since the last wait, the oldest first; unfinished_stages: the
     * oldest one that may be unfinished */
    struct stage *stages, *unfinished_stages, *newest_stage;
};

/* Makes startile_request_wait() agree on the outcome with the grid's processes. The request keeps
 * the first grid; a later grid of other processes fails the request. */
void request_use_grid(startile_request *r, startile_grid *grid);
/* Count a task, message or transfer. request_begin_one() returns the stage to pass to
 * request_end_one(). */
struct stage *request_begin_one(startile_request *r);
void request_end_one(struct stage *whole);
/* Count a task or message in its stage and request. stage_begin_one() returns the stage.
 * (step.c, request.c) */
struct stage *stage_begin_one(context ctx);
void stage_end_one(struct stage *s);
/* Makes end_step() drop the copies of the data, of which this process sends or receives one.
 * Without memory it fails the request. (step.c) */
void stage_note_copies(context ctx, starpu_data_handle_t handle);
/* Adds the size of data that the stage receives or discards; s may be NULL. (step.c) */
void stage_add_bytes(struct stage *s, starpu_data_handle_t handle);
/* Takes the outcomes whose operations have ended from the pending ones and sets their values. Call
 * it with the mutex locked, and outcomes_submit() with the result when it is unlocked; the tasks
 * that wait for these outcomes then start. (outcome.c) */
struct outcome *outcomes_due(startile_request *r);
void outcomes_submit(struct outcome *due);
/* Frees the outcomes of a request without unfinished tasks, after the tasks on their handles.
 * (outcome.c) */
void free_outcomes(startile_request *r);
/* Frees the stages of a request without unfinished tasks. (step.c) */
void free_stages(startile_request *r);
/* Returns whether a task with this ctx.factorization must do nothing. Fails the request if it was
 * cancelled. */
bool request_skips(startile_request *r, int factorization);
startile_tile_status *request_tile_status(startile_request *r);
/* Returns the handle of the request's info. Without memory fails the request and returns NULL. */
starpu_data_handle_t request_info(startile_request *r);
/* Gives the request a new info for the tasks that it submits from now on. */
void request_leave_info(startile_request *r);
/* Gives the task's accesses to held tiles the order of the hold. Returns an array that the caller
 * frees after the submission; NULL without memory. (hold.c) */
unsigned char *hold_order(struct starpu_task *t, const hold *h);
/* Frees the spare slabs when the library stops. */
void request_free_spares(void);
/* Makes the corruption that the request has found the last one of the calling thread.
 * (corruption.c) */
void keep_corruption(const startile_request *r);

#endif
