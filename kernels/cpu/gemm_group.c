/* Groups of products, computed one after the other by the kernel for a single product */
#include "dtype.h"

int NAME(gemm_group)(startile_exec *x, char transa, char transb, int k, startile_scalar alpha,
                     int count, const startile_product *products, startile_scalar beta, char uplo)
{
    for (int q = 0; q < count; q++) {
        const startile_product *p = &products[q];
        if (q == 0 && uplo != 'G') {
            NAME(herk)(x, uplo, transa, p->n, k, alpha, p->a, p->lda, beta, p->c, p->ldc);
        } else {
            NAME(gemm)
            (x, transa, transb, p->m, p->n, k, alpha, p->a, p->lda, p->b, p->ldb, beta, p->c,
             p->ldc);
        }
    }
    return 0;
}

int NAME(trmm_group)(startile_exec *x, char side, char uplo, char trans, int k,
                     startile_scalar alpha, const void *w, int ldw, int count,
                     const startile_piece *b)
{
    for (int q = 0; q < count; q++) {
        int m = side == 'L' ? k : b[q].m, n = side == 'L' ? b[q].m : k;
        NAME(trmm)(x, side, uplo, trans, m, n, alpha, w, ldw, b[q].p, b[q].ld);
    }
    return 0;
}
