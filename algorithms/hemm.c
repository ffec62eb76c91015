/* Products with a Hermitian or symmetric matrix over tiles (BLAS xHEMM, xSYMM). */
#include "algorithms.h"
#include "memory/tile_copies.h"

#include <complex.h>

/* A Hermitian (op 'C') or symmetric (op 'T') matrix of which one triangle is stored. In the view L
 * this triangle is lower. */
typedef struct {
    char op, uplo;
    view L;
} mirrored;

/* Submits D := diagonal block k of A with both triangles, in a temporary. Returns NULL without
 * memory. */
static startile_matrix *full_diagonal(context ctx, int64_t priority, const mirrored *A, int64_t k)
{
    startile_shape a = startile_matrix_shape(A->L.A);
    int64_t n = k + 1 < a.nt ? a.nb : a.n - k * a.nb;
    startile_matrix *D = temporary_matrix(ctx, A->L.A, n, n, n, n);
    if (D != NULL)
        insert_mirror(ctx, priority, A->uplo, A->op == 'C', at(view_of(A->L.A, 'N'), k, k),
                      at(view_of(D, 'N'), 0, 0));
    return D;
}

/* Returns tile (m, k) of A, where D is the diagonal block k. */
static tile tile_of(const mirrored *A, const startile_matrix *D, int64_t m, int64_t k)
{
    return m == k  ? at(view_of(D, 'N'), 0, 0)
           : m > k ? at(A->L, m, k)
                   : tile_op(A->op, at(A->L, k, m));
}

/* Submits C := alpha A B + beta C. */
static void multiply(context ctx, startile_complex alpha, const mirrored *A, view B,
                     startile_complex beta, view C)
{
    int64_t steps = A->L.nt;
    for (int64_t k = 0; k < steps; k++) {
        ctx = begin_paced_step(ctx, larger(C.A, larger(A->L.A, B.A)), k);
        startile_matrix *D = full_diagonal(ctx, steps - k, A, k);
        if (D != NULL)
            for (int64_t n = 0; n < C.nt; n++)
                for (int64_t m = 0; m < C.mt; m++) {
                    /* C(m,n) := alpha * A(m,k) * B(k,n) + (k == 0 ? beta : 1) * C(m,n) */
                    insert_gemm(ctx, steps - k, alpha, tile_of(A, D, m, k), at(B, k, n),
                                k == 0 ? beta : 1, at(C, m, n));
                    if (k == steps - 1)
                        return_to_host(ctx, at(C, m, n));
                }
        end_step(ctx);
    }
}

/* Validates the arguments and submits the product. C := alpha B A + beta C is computed as
 * op(C) := op(alpha) A op(B) + op(beta) op(C), since op(A) = A. */
static int submit(char op, char side, char uplo, startile_complex alpha, const startile_matrix *A,
                  const startile_matrix *B, startile_complex beta, startile_matrix *C,
                  startile_request *request)
{
    startile_shape b = startile_matrix_shape(B), c = startile_matrix_shape(C);
    side = capital(side), uplo = capital(uplo);
    if (!is_one_of(side, "LR"))
        return -1;
    if (!is_one_of(uplo, "LU"))
        return -2;
    if (A == NULL || !has_square_tiles(A))
        return -4;
    if (B == NULL || !fits_on_side(side, A, B))
        return -5;
    if (C == NULL || C == A || C == B || !fit_together(B, C) || c.m != b.m || c.n != b.n ||
        !same_tiles(c.m, c.mb, b.mb) || !same_tiles(c.n, c.nb, b.nb))
        return -7;
    if (request == NULL)
        return -8;
    context ctx = context_of(request);
    if (!has_capacity_of(ctx, TILE_PRODUCTS, A, B) || !has_capacity_of(ctx, TILE_PRODUCTS, C, NULL))
        return 0;
    bool is_right = side == 'R', conjugates = is_right && op == 'C';
    char transposition = is_right ? op : 'N';
    const mirrored M = {op, uplo, view_of(A, uplo == 'L' ? 'N' : op)};
    if (alpha == 0)
        scale_matrix(ctx, beta, view_of(C, 'N'));
    else
        multiply(ctx, conjugates ? conj(alpha) : alpha, &M, view_of(B, transposition),
                 conjugates ? conj(beta) : beta, view_of(C, transposition));
    return 0;
}

int submit_hemm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                const startile_matrix *B, startile_complex beta, startile_matrix *C,
                startile_request *request)
{
    return submit('C', side, uplo, alpha, A, B, beta, C, request);
}

int submit_symm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                const startile_matrix *B, startile_complex beta, startile_matrix *C,
                startile_request *request)
{
    return submit('T', side, uplo, alpha, A, B, beta, C, request);
}
