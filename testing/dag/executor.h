/*
 * Replaces StarPU and the folders of codelets/ below the insert functions of codelets/operations,
 * so that one thread can run and inspect the task graphs of algorithms/. A task runs when it is
 * submitted, or during the wait for its request in any order that the accesses of the tasks allow.
 */
#ifndef TESTING_EXECUTOR_H
#define TESTING_EXECUTOR_H

#include "request/context.h"

enum executor_order {
    AT_ONCE,     /* each task when it is submitted */
    RANDOM,      /* any ready task */
    BY_PRIORITY, /* at each step as many ready tasks as there are workers, the highest priorities
                    first */
};

/* Settings of the next run. */
extern struct executor {
    enum executor_order order;
    uint64_t seed;             /* RANDOM */
    int workers;               /* BY_PRIORITY */
    int64_t tiles_per_task;    /* most tiles of a tile_range */
    int64_t columns_at_a_time; /* block columns that fit the memory; 0: all of them */
    int owners;                /* GPUs that own tiles */
} executor;

/* Forgets the tasks of earlier runs. */
void executor_reset(void);

/* executor_tasks() returns the number of tasks of that name (NULL: of all tasks), without callbacks
 * and returns of tiles. executor_tasks_at() returns the number of tasks that open the request's
 * gate (OPENS_GATE), wait for it (WAITS_FOR_GATE), or do neither (NO_GATE). */
int executor_tasks(const char *name);
int executor_tasks_at(enum gate gate);
/* Returns the number of tasks on the longest chain of dependent tasks, counted as by
 * executor_tasks(). */
int executor_longest_chain(void);
/* executor_panels_left_behind() returns how often a ready panel task got no worker although an
 * update ran (BY_PRIORITY). executor_late_writes() returns how often a task wrote a tile of a
 * wrapped matrix after the tile's return to host memory, without a wait in between. */
int executor_panels_left_behind(void);
int executor_late_writes(void);
/* Returns the number of A's tiles that did not return to host memory after their last writer. */
int executor_unreturned_tiles(const startile_matrix *A);
/* Returns the number of handles and requests that exist. */
int executor_live_objects(void);

#endif
