/*
 * BLAS and LAPACK of the CPU kernels, and their threads. One file of this folder, named by the
 * product, defines the functions below; cmake/StartileBLAS.cmake chooses it.
 *
 * A StarPU worker is one core, so BLAS must not start threads in it. The program may use BLAS with
 * all its threads elsewhere in the process, and the number of threads is a global variable of most
 * products. Therefore the library contains its own copy with hidden symbols, set to one thread:
 * neither the program's BLAS nor its number of threads is used or changed.
 */
#ifndef STARTILE_BLAS_H
#define STARTILE_BLAS_H

#include "blas_symbols.h"

/* Sets the copy to one thread and allocates what `threads` threads need that call it at the same
 * time. Must be called before any CPU kernel. Returns 0 or STARTILE_ERROR_MEMORY. */
int startile_blas_setup(int threads);

/* Frees the memory of the copy. Runs when the library is unloaded and no thread is in a kernel. */
void startile_blas_free(void);

/* Writes name and version into text, `size` bytes: "OpenBLAS 0.3.21". */
void startile_blas_describe(char *text, int size);

#endif
