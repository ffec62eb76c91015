/* Product with the Q of LQ (LAPACK xUNMLQ). */
#include "algorithms.h"
#include "data/reflectors.h"

/* Multiplies by the Q of Aᴴ = Q R. The Q of A = L Q is its conjugate transpose, so 'N' and 'C' are
 * exchanged. */
int submit_unmlq(char side, char trans, const startile_matrix *A, const startile_reflectors *T,
                 startile_matrix *C, startile_request *request)
{
    side = capital(side);
    int wrong =
        check_unmqr(side, trans, A, triangles_of(T), C, startile_matrix_shape(A).n, request);
    startile_matrix *F = wrong == 0 ? adjoint_copy(context_of(request), A) : NULL;
    if (F != NULL)
        submit_product_with_q(side, other_trans(conjugating_trans(trans, A)), F, triangles_of(T), C,
                              request);
    return wrong;
}
