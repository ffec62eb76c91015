/*
 * Idle CPU workers that help a running task.
 *
 * A task on all columns of a matrix has many short loops, with less work in each than two
 * hand-overs of StarPU take. The task submits one helper task for each other CPU worker. A helper
 * that starts while the team is open runs iterations of the loops until the team is closed, else it
 * returns at once. The loops never wait for a helper that has not started.
 */
#include "task/team.h"

#include "library/thread_state.h"

#include <sched.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Word of a loop: its number, its count of iterations, and the next iteration */
enum { INDEX_BITS = 20, MOST_ITERATIONS = (1 << INDEX_BITS) - 1 };

struct team {
    startile_team loops;
    startile_team_work *work;
    void *context;
    _Atomic(uint64_t) word;
    atomic_int finished; /* iterations of the loop that have returned */
    atomic_bool is_closed;
    atomic_int users; /* threads that may use the team; the last one frees it */
};

static uint64_t next_of(uint64_t word)
{
    return word & MOST_ITERATIONS;
}

static uint64_t count_of(uint64_t word)
{
    return word >> INDEX_BITS & MOST_ITERATIONS;
}

/* Runs the next iteration of the loop, if there is one. A thread that has taken an iteration keeps
 * the loop from ending, so that work and context are those of its word. */
static bool run_next(struct team *team)
{
    uint64_t word = atomic_load(&team->word);
    while (next_of(word) < count_of(word))
        if (atomic_compare_exchange_weak(&team->word, &word, word + 1)) {
            team->work(team->context, (int)next_of(word));
            atomic_fetch_add(&team->finished, 1);
            return true;
        }
    return false;
}

/* Waits a moment: the processor's pause, and now and then another thread. */
static void pause_thread(int *waits)
{
    enum { PAUSES = 256 };
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
    if (++*waits % PAUSES == 0)
        sched_yield();
}

static void run_loop(startile_team *loops, int count, startile_team_work *work, void *context)
{
    struct team *team = (struct team *)loops;
    uint64_t number = (atomic_load(&team->word) >> 2 * INDEX_BITS) + 1;
    team->work = work;
    team->context = context;
    atomic_store(&team->finished, 0);
    atomic_store(&team->word, number << 2 * INDEX_BITS | (uint64_t)count << INDEX_BITS);
    while (run_next(team))
        ;
    for (int waits = 0; atomic_load(&team->finished) < count;)
        pause_thread(&waits);
}

static void leave(struct team *team)
{
    if (atomic_fetch_sub(&team->users, 1) == 1)
        free(team);
}

static void help(void *buffers[], void *arg)
{
    struct team *team = arg;
    struct floating_point caller = use_default_floating_point();
    (void)buffers;
    for (int waits = 0; !atomic_load(&team->is_closed);)
        if (run_next(team))
            waits = 0;
        else
            pause_thread(&waits);
    restore_floating_point(&caller);
    leave(team);
}

static struct starpu_codelet helper = {.cpu_funcs = {help},
                                       .cpu_funcs_name = {"help"},
                                       .where = STARPU_CPU,
                                       .name = "helper",
                                       .color = 0xbab0ac};

/* Submits one helper; returns whether StarPU has taken it. */
static bool submit_helper(struct team *team, int priority)
{
    struct starpu_task *t = starpu_task_create();
    t->cl = &helper;
    t->cl_arg = team;
    t->priority = priority;
    atomic_fetch_add(&team->users, 1);
    if (starpu_task_submit(t) == 0)
        return true;
    t->destroy = 0;
    starpu_task_destroy(t);
    leave(team);
    return false;
}

/* Least number of elements for one thread. Two hand-overs between threads in each loop take about
 * as long as reading 10,000 elements. */
enum { LEAST_ELEMENTS = 32 << 10 };

startile_team *task_team_open(int64_t elements)
{
    const struct starpu_task *task = starpu_task_get_current();
    int64_t workers = starpu_cpu_worker_get_count(), most = elements / LEAST_ELEMENTS,
            threads = most < workers ? most : workers;
    if (threads < 2 || task == NULL || starpu_worker_get_id() < 0)
        return NULL;
    struct team *team = malloc(sizeof *team);
    if (team == NULL)
        return NULL;
    *team = (struct team){.loops.run = run_loop, .users = 1};
    for (int64_t i = 1; i < threads && submit_helper(team, task->priority); i++)
        ;
    return &team->loops;
}

void task_team_close(startile_team *loops)
{
    struct team *team = (struct team *)loops;
    if (team == NULL)
        return;
    atomic_store(&team->is_closed, true);
    leave(team);
}
