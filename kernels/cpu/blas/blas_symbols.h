/* Declares CBLAS and LAPACK. BLAS_SYMBOL makes the name of a symbol of the kernels' copy: all
 * symbols of PyPI's scipy-openblas32 begin with BLAS_SYMBOL_PREFIX. */
#ifndef STARTILE_BLAS_SYMBOLS_H
#define STARTILE_BLAS_SYMBOLS_H

#ifdef BLAS_SYMBOL_PREFIX
#define BLAS_SYMBOL_PASTED(prefix, name) prefix##name
#define BLAS_SYMBOL_EXPANDED(prefix, name) BLAS_SYMBOL_PASTED(prefix, name)
#define BLAS_SYMBOL(name) BLAS_SYMBOL_EXPANDED(BLAS_SYMBOL_PREFIX, name)
#define LAPACK_GLOBAL(lower, upper) BLAS_SYMBOL(lower##_)
#else
#define BLAS_SYMBOL(name) name
#endif

#include <cblas.h>
#include <lapack.h>

#endif
