/*
 * Counts the memory that the process has from malloc() and its kin. The functions replace those of
 * the C library (glibc) in the program and in all shared libraries, so that the tiles that StarPU
 * allocates count, too. Memory counts until free() returns it, whether or not the C library keeps
 * it. Not counted: mmap(), by which OpenBLAS allocates the buffers of its threads.
 */
#ifndef TESTING_COUNTED_MALLOC_H
#define TESTING_COUNTED_MALLOC_H

#include <stddef.h>

/* Begins a new peak at the memory in use, and returns it in bytes. */
size_t begin_peak(void);
/* Returns the peak of the memory in use since begin_peak(), in bytes. */
size_t peak_bytes(void);

#endif
