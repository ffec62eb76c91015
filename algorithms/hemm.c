/* Products with a Hermitian or symmetric matrix over tiles (BLAS xHEMM, xSYMM). */
#include "algorithms.h"
#include "memory/tile_copies.h"

#include <complex.h>

startile_matrix *full_diagonal(context ctx, int64_t priority, char op, char uplo,
                               const startile_matrix *A, int64_t k)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t n = k + 1 < a.nt ? a.nb : a.n - k * a.nb;
    startile_matrix *D = temporary_matrix(ctx, A, n, n, n, n);
    if (D != NULL)
        insert_mirror(ctx, priority, uplo, op == 'C', at(view_of(A, 'N'), k, k),
                      at(view_of(D, 'N'), 0, 0));
    return D;
}

/* Returns tile (m, k) of p->left, of which the lower triangle is stored; D is its diagonal block k.
 */
static tile tile_of(const plan *p, const startile_matrix *D, int64_t m, int64_t k)
{
    return m == k  ? at(view_of(D, 'N'), 0, 0)
           : m > k ? at(p->left, m, k)
                   : tile_op(p->op, at(p->left, k, m));
}

/* Submits C := alpha A B + beta C. */
static bool multiply(context ctx, const plan *p)
{
    view A = p->left, B = p->right, C = p->V;
    int64_t steps = p->alpha == 0 ? 0 : A.nt;
    if (p->alpha == 0)
        scale_matrix(ctx, p->beta, C);
    for (int64_t k = 0; k < steps; k++) {
        ctx = begin_paced_step(ctx, larger_matrix(C.A, larger_matrix(A.A, B.A)), k);
        startile_matrix *D = full_diagonal(ctx, steps - k, p->op, p->triangle, A.A, k);
        if (D != NULL)
            for (int64_t n = 0; n < C.nt; n++)
                for (int64_t m = 0; m < C.mt; m++) {
                    /* C(m,n) := alpha * A(m,k) * B(k,n) + (k == 0 ? beta : 1) * C(m,n) */
                    insert_gemm(ctx, steps - k, p->alpha, tile_of(p, D, m, k), at(B, k, n),
                                k == 0 ? p->beta : 1, at(C, m, n));
                    if (k == steps - 1)
                        return_to_host(ctx, at(C, m, n));
                }
        end_step(ctx);
    }
    return true;
}

/* Validates the arguments and submits the product. C := alpha B A + beta C is computed as
 * op(C) := op(alpha) A op(B) + op(beta) op(C), since op(A) = A. */
static int submit_product(char op, char side, char uplo, startile_complex alpha,
                          const startile_matrix *A, const startile_matrix *B, startile_complex beta,
                          startile_matrix *C, startile_request *request)
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
    if (C == NULL || C == A || C == B || !have_same_type_and_grid(B, C) || c.m != b.m ||
        c.n != b.n || !same_tiles(c.m, c.mb, b.mb) || !same_tiles(c.n, c.nb, b.nb))
        return -7;
    if (request == NULL)
        return -8;
    bool is_right = side == 'R', conjugates = is_right && op == 'C';
    char transposition = is_right ? op : 'N';
    plan p = {.name = op == 'C' ? "hemm" : "symm",
              .working_set = TILE_PRODUCTS,
              .A = C,
              .uplo = 'G',
              .V = view_of(C, transposition),
              .returns_tiles = true,
              .submit = multiply,
              .left = view_of(A, uplo == 'L' ? 'N' : op),
              .right = view_of(B, transposition),
              .alpha = conjugates ? conj(alpha) : alpha,
              .beta = conjugates ? conj(beta) : beta,
              .triangle = uplo,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_hemm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                const startile_matrix *B, startile_complex beta, startile_matrix *C,
                startile_request *request)
{
    return submit_product('C', side, uplo, alpha, A, B, beta, C, request);
}

int submit_symm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                const startile_matrix *B, startile_complex beta, startile_matrix *C,
                startile_request *request)
{
    return submit_product('T', side, uplo, alpha, A, B, beta, C, request);
}
