/* Residuals of Aasen's factorizations. */
#include "aasen_factors.h"
#include "checked_routines.h"
#include "symmetric_matrices.h"

#include <math.h>

double residual_aasen(char op, char uplo, struct arrays before, struct arrays after)
{
    struct array A = symmetric_of(op, uplo, before.a);
    struct aasen_factors f = {op, uplo, NB, 0, after.a, after.c, after.ipiv, after.jpvt};
    struct array T = aasen_t(f);
    double norm = lapack(A)->lange('1', A), norm_of_t = lapack(T)->lange('1', T);
    /* growth belongs to the bound, as for LU */
    double growth = norm_of_t < 1e3 * norm ? fmax(1, norm_of_t / norm) : 1;
    double residual = aasen_residual(A, f);
    arrays_free(A, T);
    return residual / growth;
}
