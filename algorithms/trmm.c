/* Products with a triangular matrix over tiles, in place (BLAS xTRMM). */
#include "algorithms.h"
#include "memory/tile_copies.h"

#include <complex.h>

/* Submits W := diagonal block k of A, a triangle, with zeros in the other triangle and, for diag
 * 'U', ones on the diagonal. W is a temporary; NULL without memory. */
static startile_matrix *diagonal_triangle(context ctx, char uplo, char diag,
                                          const startile_matrix *A, int64_t k)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t n = k + 1 < a.nt ? a.nb : a.n - k * a.nb;
    startile_matrix *W = temporary_matrix(ctx, A, n, n, n, n);
    if (W == NULL)
        return NULL;
    tile stored = at(view_of(W, 'N'), 0, 0);
    insert_laset(ctx, 'G', 0, 0, stored);                       /* W := 0 */
    insert_lacpy(ctx, uplo, at(view_of(A, 'N'), k, k), stored); /* W := the triangle */
    if (diag == 'U')                                            /* diagonal of W := 1 */
        insert_laset(ctx, uplo == 'L' ? 'U' : 'L', 0, 1, stored);
    return W;
}

/* Submits B := alpha A B for a triangular view A, block row by block row: from the last one up if A
 * is lower as seen, so that the rows above are unchanged, else from the first one down. */
static void multiply(context ctx, bool is_lower, char uplo, char diag, startile_complex alpha,
                     view A, view B)
{
    int64_t steps = A.nt;
    for (int64_t s = 0; s < steps; s++) {
        int64_t m = is_lower ? steps - 1 - s : s, first = is_lower ? 0 : m + 1,
                last = is_lower ? m : steps;
        ctx = begin_paced_step(ctx, larger(A.A, B.A), s);
        startile_matrix *W = diagonal_triangle(ctx, uplo, diag, A.A, m);
        if (W != NULL)
            for (int64_t n = 0; n < B.nt; n++) {
                /* B(m,n) := alpha * A(m,m) * B(m,n) */
                insert_trmm(ctx, steps - s, 'L', uplo, alpha, at(view_of(W, A.op), 0, 0),
                            at(B, m, n));
                for (int64_t k = first; k < last; k++)
                    /* B(m,n) += alpha * A(m,k) * B(k,n) */
                    insert_gemm(ctx, steps - s, alpha, at(A, m, k), at(B, k, n), 1, at(B, m, n));
                return_to_host(ctx, at(B, m, n));
            }
        end_step(ctx);
    }
}

int submit_trmm(char side, char uplo, char transa, char diag, startile_complex alpha,
                const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    int wrong = check_triangle(side, uplo, transa, diag, A, B, request);
    if (wrong != 0)
        return wrong;
    side = capital(side), uplo = capital(uplo), transa = capital(transa), diag = capital(diag);
    context ctx = context_of(request);
    if (!has_capacity_of(ctx, TILE_PRODUCTS, A, B))
        return 0;
    char transposition = transposition_for(side, transa);
    view V = view_of(A, side == 'L' ? transa : compose(transposition, transa));
    bool is_lower = (uplo == 'L') == (V.op == 'N');
    if (alpha == 0)
        scale_matrix(ctx, 0, view_of(B, 'N'));
    else
        multiply(ctx, is_lower, uplo, diag, transposition == 'C' ? conj(alpha) : alpha, V,
                 view_of(B, transposition));
    return 0;
}
