/* Partial results of an operation: vectors of real numbers that tasks write, combined in main
 * memory after the last one. */
#ifndef STARTILE_PARTIAL_RESULTS_H
#define STARTILE_PARTIAL_RESULTS_H

#include "request/state.h"

/* The first member of the structure with an operation's results. */
struct partial_results {
    startile_request *request;
    struct stage *stage;       /* counts the transfer of the parts as unfinished */
    const startile_grid *grid; /* grid of the operand, or NULL */
    int factorization;
    /* stores the results; not called if the request skips */
    void (*combine)(const struct partial_results *p);
    int64_t count;
    atomic_llong missing; /* parts not yet in main memory */
    starpu_data_handle_t *part;
};

/* Returns a structure of `size` bytes, beginning with `count` parts of `length` numbers that are
 * initially 0. Fails the request and returns NULL without memory. */
void *partial_results_begin(context ctx, size_t size, const startile_grid *grid, int64_t count,
                            int64_t length);
/* Calls combine() when all parts are in main memory, on all processes of the grid, then frees p. */
void partial_results_end(context ctx, struct partial_results *p,
                         void (*combine)(const struct partial_results *p));
/* Return, for combine(), part q and its number of elements. */
const double *part_values(const struct partial_results *p, int64_t q);
int64_t part_length(const struct partial_results *p, int64_t q);

#endif
