/* Matrices in main memory: page-locked arrays, tasks on cores. */
#ifndef STARTILE_HOST_MEMORY_H
#define STARTILE_HOST_MEMORY_H

#include "startile.h"

/* Page-locks the array of a wrapped matrix until the matrix is destroyed, if there are GPUs and the
 * array is pageable, contiguous and not small; NULL is allowed. Only for an array that a blocking
 * call overwrites, which no other thread may use at that time: CUDA refuses copies that begin in a
 * page-locked range and end outside. (host_memory.c) */
void page_lock(startile_matrix *A);

/* Undoes page_lock(). */
void page_unlock(startile_matrix *A);

/* Lets CPU workers run all tasks on tiles of A, which is in main memory. For a matrix that a call
 * reads once or a few times for few operations, so that its copy to a GPU would take longer.
 * (data/matrix.c) */
void keep_on_cores(startile_matrix *A);
/* Does that for all of the `count` matrices if they are small and in main memory, see
 * suits_cores(). Those that are NULL are left out. (data/matrix.c) */
void keep_small_on_cores(int count, startile_matrix *const A[]);

#endif
