/* Product with the Q of LQ (LAPACK xUNMLQ). */
#include "algorithms.h"

/* Multiplies by the Q of Aᴴ = Q R. The Q of A = L Q is its conjugate transpose, so 'N' and 'C' are
 * exchanged. */
int submit_unmlq(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                 startile_matrix *C, startile_request *request)
{
    side = capital(side);
    int wrong = check_unmqr(side, trans, A, T, C, startile_matrix_shape(A).n, request);
    if (wrong != 0)
        return wrong;
    context ctx = context_of(request);
    if (!has_capacity_of(ctx, COLUMN_PRODUCTS, C, NULL))
        return 0;
    startile_matrix *F = transposed(ctx, A);
    if (F != NULL)
        apply_on_side(ctx, side, other_trans(conjugating_trans(trans, A)), F, T, C);
    return 0;
}
