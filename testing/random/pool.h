/* The memory of the operands of random calls on descriptors. */
#ifndef TESTING_POOL_H
#define TESTING_POOL_H

#include "startile.h"

#include <stdbool.h>

struct pool_block {
    unsigned char *all, *before; /* the allocation, and a copy from before the call */
    size_t bytes, element;
    int64_t rows, columns, ld, stride, count;
};

struct pool {
    struct pool_block block[64];
    int blocks;
};

/* Allocates `count` matrices with random elements, some of them NaN or infinite, and elements that
 * no call may write between and around them. is_integer: elements are int64_t from 1 to `rows`. */
void *pool_allocate(struct pool *pool, startile_dtype dtype, bool is_integer, int64_t rows,
                    int64_t columns, int64_t ld, int64_t stride, int64_t count);

/* Checks what has changed since the last call: only elements, if a call succeeded; nothing
 * otherwise. Returns the fault, or NULL. */
const char *pool_check(struct pool *pool, bool succeeded);

/* Frees all. */
void pool_clear(struct pool *pool);

/* A routine of the interface: its name, the names of its arguments, and a function that calls it.
 */
struct routine {
    const char *name, *arguments;
    int64_t (*run)(void);
    long successes;
};

/* Returns whether the text begins with the word, followed by a comma or the end. */
bool is_argument(const char *text, const char *word);
/* Returns the argument after this one in the text, or NULL. */
const char *next_argument(const char *text);

/* Random calls of descriptors; return whether a call had the fault, after a message. */
bool call_matrices(long number);
bool call_batches(long number);
/* Check that each routine has succeeded, and destroy the descriptors. Return the number of faults.
 */
int finish_matrices(void);
int finish_batches(void);

/* Checks a result of the routine, whose first argument that is wrong in any case is `wrong` (0:
 * unknown), and the pool. Counts successes. Returns whether there is a fault, after a message. */
bool has_fault(struct pool *pool, struct routine *routine, long number, int64_t result, int wrong,
               int64_t largest);
/* Returns the number of routines that never succeeded, after a message for each. */
int never_succeeded(const struct routine *list, int routines);

#endif
