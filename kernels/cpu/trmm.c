/* B := alpha op(W) B or alpha B op(W) for a triangle W, by BLAS xTRMM. Error bound of the product:
 * γ_k |op(W)| |B| or γ_k |B| |op(W)|, where k is the order of W (Higham 2002, section 3.5). */
#include "dtype.h"

int NAME(trmm)(startile_exec *x, char side, char uplo, char trans, int m, int n,
               startile_scalar alpha, const void *w, int ldw, void *b, int ldb)
{
    (void)x;
    BLAS(trmm)
    (CblasColMajor, cblas_side(side), cblas_uplo(uplo), cblas_trans(trans), CblasNonUnit, m, n,
     SCALAR(to_element(alpha)), w, ldw, b, ldb);
    return 0;
}
