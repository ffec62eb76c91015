/* Access to the matrices of a batch, and the operations on batches of one type. */
#ifndef STARTILE_BATCH_MATRIX_H
#define STARTILE_BATCH_MATRIX_H

#include "batch.h"
#include "dtype.h"

struct matrix {
    element *p;
    int m, n, ld;
};

/* Returns the address of matrix q; `size` is the element size in bytes. */
static inline void *start_of(const startile_matrices *A, size_t size, int q)
{
    return A->each != NULL ? A->each[q] : (char *)A->a + q * A->stride * (ptrdiff_t)size;
}

static inline struct matrix matrix_of(const startile_matrices *A, int q)
{
    element *p = start_of(A, sizeof *p, q);
    if (A->sizes == NULL)
        return (struct matrix){p, A->m, A->n, A->ld};
    const int *size = A->sizes + 3 * (ptrdiff_t)q;
    return (struct matrix){p, size[0], size[1], size[2]};
}

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

/* the functions of batch.h, in its order */
int NAME(potrf_batch)(startile_exec *, char, int, const startile_matrices *, int64_t *);
int NAME(potrs_batch)(startile_exec *, char, int, const startile_matrices *,
                      const startile_matrices *, const int64_t *);
int NAME(getrf_batch)(startile_exec *, int, const startile_matrices *, const startile_matrices *,
                      int64_t *);
int NAME(getrs_batch)(startile_exec *, char, int, const startile_matrices *,
                      const startile_matrices *, const startile_matrices *, const int64_t *);
int NAME(getri_batch)(startile_exec *, int, const startile_matrices *, const startile_matrices *,
                      int64_t *);
int NAME(geqrf_batch)(startile_exec *, int, const startile_matrices *, const startile_matrices *);
int NAME(ormqr_batch)(startile_exec *, char, char, int, const startile_matrices *,
                      const startile_matrices *, const startile_matrices *);
int NAME(gels_batch)(startile_exec *, char, int, const startile_matrices *,
                     const startile_matrices *, int64_t *);
int NAME(gemm_batch)(startile_exec *, char, char, int, startile_scalar, const startile_matrices *,
                     const startile_matrices *, startile_scalar, const startile_matrices *);
int NAME(trsm_batch)(startile_exec *, char, char, char, char, int, startile_scalar,
                     const startile_matrices *, const startile_matrices *);
int NAME(nrm2_batch)(startile_exec *, int, const startile_matrices *, void *);
int NAME(asum_batch)(startile_exec *, int, const startile_matrices *, void *);
int NAME(dot_batch)(startile_exec *, int, int, const startile_matrices *, const startile_matrices *,
                    void *);
int NAME(iamax_batch)(startile_exec *, int, const startile_matrices *, int64_t *);
int NAME(scal_batch)(startile_exec *, int, const void *, int, const startile_matrices *);
int NAME(axpy_batch)(startile_exec *, int, const void *, int, const startile_matrices *,
                     const startile_matrices *);

#endif
