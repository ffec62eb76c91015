/*
 * Allocations of startile that fail on request. The test program contains startile's objects, whose
 * calls of malloc(), calloc(), realloc(), strdup() and starpu_malloc_flags() the linker replaces
 * (--wrap). Allocations of StarPU, OpenBLAS and the C library, which may end the program when they
 * fail, do not fail.
 */
#ifndef TESTING_FAILING_MALLOC_H
#define TESTING_FAILING_MALLOC_H

#include <stdbool.h>

/* Makes allocation number `first`, counted from 1 at this call, fail, and also all later ones if
 * `all`. first = 0: none fails. Thread-safe. */
void fail_allocation(long first, bool all);

/* Returns the number of allocations since fail_allocation(). */
long allocations(void);
/* Between exempt_allocations(true) and exempt_allocations(false) allocations do not fail and are
 * not counted. */
void exempt_allocations(bool exempt);

#endif
