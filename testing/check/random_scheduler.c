#include "random_scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* -- random numbers that differ from run to run ---------------------------------------------- */

unsigned any_below(unsigned n)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static unsigned seed;
    pthread_mutex_lock(&mutex);
    if (seed == 0)
        seed = (unsigned)getpid();
    unsigned number = (unsigned)rand_r(&seed) % n;
    pthread_mutex_unlock(&mutex);
    return number;
}

/* -- the policy ------------------------------------------------------------------------------ */

static starpu_pthread_mutex_t mutex;
static struct starpu_task_list ready;

/* Locks the mutex, and lets other workers act on this worker while it waits for the mutex. */
static void lock(void)
{
    starpu_worker_relax_on();
    starpu_pthread_mutex_lock(&mutex);
    starpu_worker_relax_off();
}

static void begin(unsigned context)
{
    (void)context;
    starpu_pthread_mutex_init(&mutex, NULL);
    starpu_task_list_init(&ready);
}

static void end(unsigned context)
{
    (void)context;
    starpu_pthread_mutex_destroy(&mutex);
}

static int push(struct starpu_task *t)
{
    lock();
    starpu_task_list_push_back(&ready, t);
    starpu_push_task_end(t);
    starpu_pthread_mutex_unlock(&mutex);
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        starpu_wake_worker_relax_light(w);
    return 0;
}

/* Returns a random bit that is set in `mask`, which is not 0. */
static unsigned random_bit(unsigned mask)
{
    unsigned chosen = 0, bits = 0;
    for (unsigned b = 0; b < STARPU_MAXIMPLEMENTATIONS; b++)
        if ((mask >> b & 1) != 0 && any_below(++bits) == 0)
            chosen = b;
    return chosen;
}

static struct starpu_task *pop(unsigned context)
{
    unsigned worker = (unsigned)starpu_worker_get_id_check(), mask, candidates = 0, chosen_mask = 0;
    struct starpu_task *chosen = NULL;
    (void)context;
    lock();
    for (struct starpu_task *t = starpu_task_list_begin(&ready); t != starpu_task_list_end(&ready);
         t = starpu_task_list_next(t))
        if (starpu_worker_can_execute_task_impl(worker, t, &mask) && any_below(++candidates) == 0) {
            chosen = t;
            chosen_mask = mask;
        }
    if (chosen != NULL) {
        starpu_task_list_erase(&ready, chosen);
        starpu_task_set_implementation(chosen, random_bit(chosen_mask));
    }
    starpu_pthread_mutex_unlock(&mutex);
    return chosen;
}

/* Delays one in eight tasks, in their worker. */
static void delay(struct starpu_task *t, unsigned context)
{
    (void)t;
    (void)context;
    if (any_below(8) == 0)
        usleep(any_below(300));
}

struct starpu_sched_policy random_scheduler = {.init_sched = begin,
                                               .deinit_sched = end,
                                               .push_task = push,
                                               .pop_task = pop,
                                               .pre_exec_hook = delay,
                                               .policy_name = "random order",
                                               .policy_description = "random order with delays",
                                               .worker_type = STARPU_WORKER_LIST};
