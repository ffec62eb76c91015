/*
 * Messages between processes around a task. Every process submits the same tasks in the same order,
 * except in loops after a broadcast (broadcast.c); the owner of the largest tile that a task writes
 * runs it (tile_owner.c). Each process submits its part of the messages that the task needs, so
 * that all agree without asking each other.
 */
#ifndef STARTILE_EXCHANGE_H
#define STARTILE_EXCHANGE_H

#include "data/view.h"
#include "grid/grid.h"
#include "request/context.h"

#include <starpu.h>

/* Handles that a task writes, kept here because StarPU frees the task when it ends. */
struct exchange {
    context ctx;        /* context of the task; request NULL: no messages */
    int rank, priority; /* process that runs the task; the task's priority */
    int count;
    starpu_data_handle_t *written; /* array of the caller, with an element for each access */
};

/* Returns whether the data has an owner: it was registered with one, or an earlier
 * exchange_before() gave it one. */
bool has_owner(const startile_grid *g, starpu_data_handle_t handle);
/* Submits, before the task, the messages that bring its data to the process that runs it. That
 * process becomes the owner of data without an owner. Returns whether this process runs the task.
 */
bool exchange_before(struct starpu_task *t, struct exchange *x);
/* Submits, after the task, the messages that return the written data to its owners. All processes
 * call it. */
void exchange_after(struct exchange *x);
/* Submit one message, which the stage and the request count. */
void exchange_send(context ctx, const startile_grid *g, starpu_data_handle_t handle, int to,
                   int priority);
void exchange_receive(context ctx, const startile_grid *g, starpu_data_handle_t handle, int from,
                      int priority);
/* Frees the value of a temporary's tile in its owner, after the tasks submitted so far. Does
 * nothing in other processes, without a grid, and without a tile. (broadcast.c) */
void discard_tile(context ctx, tile T);
/* Submits messages that copy data from its owner to all processes of the grid. (broadcast.c) */
void exchange_with_all(context ctx, const startile_grid *g, starpu_data_handle_t handle);
/* Submits messages that copy data from its owner to those processes of process row `row` that have
 * one of the first `columns` block columns. */
void exchange_with_row(context ctx, const startile_grid *g, starpu_data_handle_t handle, int row,
                       int64_t columns, int priority);

#endif
