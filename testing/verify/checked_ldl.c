/* Residuals of Bunch–Kaufman factorizations. */
#include "checked_routines.h"
#include "factors.h"
#include "symmetric_matrices.h"

double residual_ldl(char op, char uplo, struct arrays before, struct arrays after)
{
    struct array A = symmetric_of(op, uplo, before.a);
    double residual =
        factors_residual(A, (struct factors){op, uplo, .F = after.a, .ipiv = after.ipiv});
    array_free(A);
    return residual;
}
