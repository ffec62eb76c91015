/* Capacity of the memories that tasks run on, for algorithms. */
#ifndef STARTILE_CAPACITY_H
#define STARTILE_CAPACITY_H

#include "startile.h"

#include <stdbool.h>

/* Returns whether each memory holds the data of two tasks for each of its workers, where a task
 * works on rows × columns elements of A, or holds all of A. On a grid, returns whether this is true
 * on all processes. Fails the request otherwise. */
bool has_capacity(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns);

/* For an A on a disk, returns whether main memory holds all of it; returns true for any other A. On
 * a grid, returns whether this is true on all processes. Fails the request otherwise. */
bool has_capacity_for_all(startile_request *r, const startile_matrix *A);

/* For an A on a disk, returns whether main memory holds a copy of `columns` columns of A and the
 * data of the tasks; returns true for any other A. On a grid, returns whether this is true on all
 * processes. Fails the request otherwise. */
bool has_capacity_for_copy(startile_request *r, const startile_matrix *A, int64_t columns);

/* Returns the number of block columns of `rows` rows in the block that begins at block column
 * `first`: all that follow if they fit the smallest memory that A's tiles are copied to, or if A is
 * on a grid; else as many as fit a share of this memory, at least 1. has_whole_panels: tasks work
 * on whole panels, so with several GPUs the share is smaller. */
int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels);

/* Returns the number of whole block columns of A that take half of the smallest memory that tasks
 * run on, at least 1. */
int64_t columns_of_task(const startile_matrix *A);

/* Returns whether one task works on the whole matrix A, or its first rows, and a block column of V:
 * one GPU runs tasks, A fits its memory, V has few columns, and if V has another precision than
 * A, the GPU has the shared memory for that. */
bool takes_whole(const startile_matrix *A, const startile_matrix *V);

/* Returns whether CPU cores and GPUs share a product R of A, computed in tiles of `height` rows:
 * both run tasks on A, R has so many columns that arithmetic bounds the product on a core, and a
 * GPU takes longer for all tiles than a core for one. */
bool is_shared_product(const startile_matrix *A, const startile_matrix *R, int64_t height);

/* Returns how many block columns of A one task updates at most (last_blocks()). */
int64_t blocks_of_a_task(const startile_matrix *A);

/* Returns how many block columns of A one task reads at most: many if all tasks run on GPUs whose
 * memories together hold A, else 1; 1 with the option reproducible. */
int64_t columns_of_group(const startile_matrix *A);

#endif
