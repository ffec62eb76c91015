/*
 * Allocations of startile that fail on request. The test program contains startile's objects, whose
 * calls of malloc(), calloc(), realloc(), strdup() and starpu_malloc_flags() the linker replaces
 * (--wrap). Allocations of StarPU, OpenBLAS and the C library, which may end the program when they
 * fail, do not fail.
 */
#ifndef TESTING_FAILING_MALLOC_H
#define TESTING_FAILING_MALLOC_H

#include <stdbool.h>

enum { MOST_PATHS = 1 << 12 };

/* Makes allocation number `first`, counted from 1 at this call, and all later ones fail. first = 0:
 * none fails. Thread-safe, like the other functions. */
void fail_allocations_from(long first);
/* Returns the number of allocations since fail_allocations_from() or fail_path(). */
long allocations(void);
/* Returns whether one of them has failed. */
bool has_failed(void);

/* The path of an allocation is its innermost calls. */
void forget_paths(void);
/* Returns the number of paths of all allocations since forget_paths(). */
int paths(void);
/* Returns the number of allocations on the path, from 0, in the latest run, which ends here. */
long occurrences(int path);
/* Makes the allocation on the path, its number `occurrence` from 1 after this call, fail. */
void fail_path(int path, long occurrence);

/* Between exempt_allocations(true) and exempt_allocations(false) allocations do not fail and are
 * not counted. */
void exempt_allocations(bool exempt);

#endif
