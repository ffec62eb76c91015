/* An integer for each row or column of a matrix, in one handle with main memory as home node. */
#ifndef STARTILE_INDEX_ARRAY_H
#define STARTILE_INDEX_ARRAY_H

#include <starpu.h>
#include <stdint.h>

typedef struct {
    int64_t n;
    int64_t *of; /* n × columns of index_array_create() */
    starpu_data_handle_t handle;
} index_array;

/* Makes `columns` columns 1 … n. Returns 0 or a startile_error. */
int index_array_create(index_array *made, int64_t n, int columns);
/* Waits for the tasks on the array, and frees it. */
void index_array_destroy(index_array *a);

/* Waits for the tasks that write the array. to := column 0. Returns 0, −2 if `to` is NULL, or a
 * startile_error. */
int64_t index_array_get(const index_array *a, int64_t *to);

#endif
