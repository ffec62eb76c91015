/*
 * Threads that share many small pieces of work, and sleep between the calls of team_run().
 */
#define _GNU_SOURCE
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct team {
    int threads;       /* number of threads, the caller's included */
    pthread_t *thread; /* element 0, the caller's, is not used */
    pthread_mutex_t lock;
    pthread_cond_t begin, end; /* a call of team_run() begins; all threads have ended its work */
    int64_t round;             /* number of calls of team_run() */
    int working, numbered;     /* new threads that still work; new threads that have an index */
    bool shall_end;            /* the threads shall end */
    void (*work)(void *argument, int thread, int64_t q);
    void *argument;
    int64_t count, share; /* pieces of work: number of all; number that a thread takes at a time */
    atomic_llong next;    /* index of the first piece that no thread has taken */
};

int team_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

int team_threads(const struct team *team)
{
    return team->threads;
}

/* Does pieces of the work of the current team_run() until all are taken. Called by each thread,
 * with its index. */
static void do_pieces(struct team *team, int index)
{
    int64_t first;
    while ((first = atomic_fetch_add(&team->next, team->share)) < team->count) {
        int64_t remaining = team->count - first,
                share = remaining < team->share ? remaining : team->share;
        for (int64_t q = first; q < first + share; q++)
            team->work(team->argument, index, q);
    }
}

/* Start function of a thread: waits for calls of team_run() and takes part in them. */
static void *run_thread(void *argument)
{
    struct team *team = argument;
    int64_t round = 0; /* last round in which this thread worked; team_run() counts from 1 */
    pthread_mutex_lock(&team->lock);
    int index = ++team->numbered;
    for (;;) {
        while (team->round == round && !team->shall_end)
            pthread_cond_wait(&team->begin, &team->lock);
        if (team->shall_end)
            break;
        round = team->round;
        pthread_mutex_unlock(&team->lock);
        do_pieces(team, index);
        pthread_mutex_lock(&team->lock);
        if (--team->working == 0)
            pthread_cond_signal(&team->end);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

struct team *team_open(int threads)
{
    struct team *team = calloc(1, sizeof *team);
    if (!team || !(team->thread = calloc((size_t)threads, sizeof *team->thread))) {
        free(team);
        return NULL;
    }
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
    team->threads = 1;
    while (team->threads < threads &&
           !pthread_create(&team->thread[team->threads], NULL, run_thread, team))
        team->threads++;
    return team;
}

void team_close(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->shall_end = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    for (int i = 1; i < team->threads; i++)
        pthread_join(team->thread[i], NULL);
    pthread_cond_destroy(&team->begin);
    pthread_cond_destroy(&team->end);
    pthread_mutex_destroy(&team->lock);
    free(team->thread);
    free(team);
}

void team_run(struct team *team, int64_t count, void (*work)(void *argument, int thread, int64_t q),
              void *argument)
{
    enum { SHARES = 32 }; /* shares per thread, so that all threads end at about the same time */
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->argument = argument;
    team->count = count;
    team->share = 1 + count / (SHARES * team->threads);
    atomic_store(&team->next, 0);
    team->working = team->threads - 1;
    team->round++;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    do_pieces(team, 0);
    pthread_mutex_lock(&team->lock);
    while (team->working)
        pthread_cond_wait(&team->end, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
