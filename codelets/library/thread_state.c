#define _GNU_SOURCE /* affinity of threads */
#include "library/thread_state.h"

#include "grid/agreement.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

static locale_t c_locale; /* 0 without memory; uselocale() then changes nothing */

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t use_c_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return uselocale(c_locale);
}

struct call {
    pthread_t caller;
    int (*function)(void *arg);
    void *arg;
    int result;
};

static void *run(void *arg)
{
    struct call *c = arg;
    cpu_set_t before, after;
    fesetenv(FE_DFL_ENV);
    use_c_locale();
    bool is_known = sched_getaffinity(0, sizeof before, &before) == 0;
    c->result = c->function(c->arg);
    if (is_known && sched_getaffinity(0, sizeof after, &after) == 0 && !CPU_EQUAL(&before, &after))
        pthread_setaffinity_np(c->caller, sizeof after, &after);
    return NULL;
}

/* Blocks what the new thread must not handle. Stores the calling thread's mask. */
static void block_signals(sigset_t *mask)
{
    static const int of_instructions[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t s = 0; s < sizeof of_instructions / sizeof *of_instructions; s++)
        sigdelset(&blocked, of_instructions[s]);
    pthread_sigmask(SIG_SETMASK, &blocked, mask);
}

/* Makes threads of these attributes not inherit a real-time policy of the calling thread. */
static void leave_real_time(pthread_attr_t *attributes)
{
    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    if (policy != SCHED_FIFO && policy != SCHED_RR)
        return;
    pthread_attr_setschedpolicy(attributes, SCHED_OTHER);
    pthread_attr_setschedparam(attributes, &(struct sched_param){.sched_priority = 0});
    pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
}

bool run_in_default_thread(int (*function)(void *arg), void *arg, int *result)
{
    struct call c = {pthread_self(), function, arg, 0};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t mask;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    leave_real_time(&attributes);
    block_signals(&mask);
    bool runs = pthread_create(&thread, &attributes, run, &c) == 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_attr_destroy(&attributes);
    if (runs)
        pthread_join(thread, NULL);
    *result = c.result;
    return runs;
}
