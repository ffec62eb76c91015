/* Access to the matrices of a batch; prototypes of the operations on batches of one type. */
#ifndef STARTILE_BATCH_MATRIX_H
#define STARTILE_BATCH_MATRIX_H

#include "batch.h"
#include "dtype.h"

/* One matrix of a batch. */
struct matrix {
    element *p;
    int m, n, ld;
};

/* Returns the address of matrix q; `size` is the element size in bytes. */
static inline void *start_of(const startile_matrices *A, size_t size, int q)
{
    return A->each != NULL ? A->each[q] : (char *)A->a + q * A->stride * (ptrdiff_t)size;
}

/* Returns matrix q of the batch. */
static inline struct matrix matrix_of(const startile_matrices *A, int q)
{
    element *p = start_of(A, sizeof *p, q);
    if (A->sizes == NULL)
        return (struct matrix){p, A->m, A->n, A->ld};
    const int *size = A->sizes + 3 * (ptrdiff_t)q;
    return (struct matrix){p, size[0], size[1], size[2]};
}

/* Returns the 1-based index of the first zero on the diagonal, or 0. */
static inline int first_zero_on_diagonal(struct matrix a)
{
    for (int k = 0; k < a.m && k < a.n; k++)
        if (a.p[k + (ptrdiff_t)k * a.ld] == 0)
            return k + 1;
    return 0;
}

/* LAPACK_BLOCK: LAPACK's block size in columns, with which workspaces are allocated.
 * LAPACK_TRIANGLE: workspace in elements that xORMQR and xORMLQ need for the triangle T. */
enum { LAPACK_BLOCK = 64, LAPACK_TRIANGLE = (LAPACK_BLOCK + 1) * LAPACK_BLOCK };

/* Prototypes of the kernels in batch_list.h */
#define BATCH_KERNEL(name, parameters) int NAME(name##_batch) parameters;
#include "batch_list.h"

#endif
