/* Products with a triangular matrix over tiles, in place (BLAS xTRMM). */
#include "algorithms.h"
#include "memory/tile_copies.h"

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
 * is lower as seen, because a new block row is computed from the old ones above it, else from the
 * first one down. */
static bool multiply(context ctx, const plan *p)
{
    view A = p->left, B = p->V;
    bool is_lower = is_lower_as_seen(p);
    int64_t steps = p->alpha == 0 ? 0 : A.nt;
    if (p->alpha == 0)
        scale_matrix(ctx, 0, B); /* without reading A, as in BLAS */
    for (int64_t s = 0; s < steps; s++) {
        int64_t m = is_lower ? steps - 1 - s : s, first = is_lower ? 0 : m + 1,
                last = is_lower ? m : steps;
        ctx = begin_paced_step(ctx, larger_matrix(A.A, B.A), s);
        startile_matrix *W = diagonal_triangle(ctx, p->triangle, p->diag, A.A, m);
        if (W != NULL)
            for (int64_t n = 0; n < B.nt; n++) {
                /* B(m,n) := alpha * A(m,m) * B(m,n) */
                insert_trmm(ctx, steps - s, 'L', p->triangle, p->alpha, at(view_of(W, A.op), 0, 0),
                            at(B, m, n));
                for (int64_t k = first; k < last; k++)
                    /* B(m,n) += alpha * A(m,k) * B(k,n) */
                    insert_gemm(ctx, steps - s, p->alpha, at(A, m, k), at(B, k, n), 1, at(B, m, n));
                return_to_host(ctx, at(B, m, n));
            }
        end_step(ctx);
    }
    return true;
}

int submit_trmm(char side, char uplo, char transa, char diag, startile_complex alpha,
                const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    return submit_with_triangle((plan){.name = "trmm", .submit = multiply}, side, uplo, transa,
                                diag, alpha, A, B, request);
}
