/* Product of a triangle and its conjugate transpose, Lᴴ L or U Uᴴ, in place, by block rows from the
 * top (LAPACK xLAUUM); inverse from a Cholesky factor (LAPACK xPOTRI). */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Adds the products of block row k to the block rows above it. */
static void add_row(context ctx, int64_t urgency, char uplo, view A, int64_t k)
{
    for (int64_t n = 0; n < k; n++) /* send A(k,n) to block row n and block column n above row k */
        send_tile(ctx, urgency, at(A, k, n),
                  owners_of_both((tile_block){A, n, 0, 1, n + 1}, (tile_block){A, n, n, k - n, 1}));
    for_own_columns(n, A, 0, k) {
        if (is_own_tile(at(A, n, n))) /* A(n,n) += A(k,n)^H * A(k,n) */
            insert_herk(ctx, urgency, 'C', uplo, 1, tile_op('C', at(A, k, n)), 1, at(A, n, n));
        /* A(m,n) += A(k,m)^H * A(k,n) */
        for_own_tiles_in_column(m, A, n, n + 1, k)
            insert_gemm(ctx, urgency, 1, tile_op('C', at(A, k, m)), at(A, k, n), 1, at(A, m, n));
    }
}

/* Submits step k: A(0:k,0:k) += A(k,0:k)ᴴ A(k,0:k), A(k,0:k) := Lᴴ A(k,0:k), A(k,k) := Lᴴ L for L =
 * A(k,k). L is copied to W with zeros in the other triangle, because A(k,k) is overwritten by a
 * product with itself. The imaginary parts of the diagonal are ignored, as in LAPACK's xLAUU2. */
static void multiply_row(context ctx, char uplo, view A, int64_t k)
{
    startile_shape s = startile_matrix_shape(A.A);
    int64_t urgency = 2 * (A.nt - k), n = k + 1 < A.nt ? s.nb : s.n - k * s.nb;
    startile_matrix *W = temporary_matrix(ctx, A.A, n, n, n, n);
    if (W == NULL)
        return;
    tile stored = at(view_of(W, 'N'), 0, 0), L = at(view_of(W, A.op), 0, 0);
    /* W := A(k,k) with a real diagonal and zeros in the other triangle */
    insert_laset(ctx, 'G', 0, 0, stored);
    insert_lacpy(ctx, uplo, at(view_of(A.A, 'N'), k, k), stored);
    insert_real_diagonal(ctx, stored);
    add_row(ctx, urgency, uplo, A, k);
    send_tile(ctx, urgency, stored,
              owners_of(A, k, 0, 1, k + 1)); /* send W to the tiles of row k */
    /* no iteration in a process that owns no tiles of row k */
    for_own_tiles_in_row(j, A, k, 0, k)
        insert_trmm(ctx, urgency, 'L', uplo, 1, tile_op('C', L), at(A, k, j)); /* L^H * A(k,j) */
    if (is_own_tile(at(A, k, k))) /* A(k,k) := L^H * L */
        insert_herk(ctx, urgency, 'C', uplo, 1, tile_op('C', L), 0, at(A, k, k));
}

/* Submits A := Lᴴ L or U Uᴴ for the triangle uplo of A. */
static bool multiply_triangle(context ctx, const plan *p)
{
    for (int64_t k = 0; k < p->V.nt; k++) {
        ctx = begin_paced_step(ctx, p->A, k);
        multiply_row(ctx, p->uplo, p->V, k);
        end_step(ctx);
    }
    return true;
}

/* Submits A := A⁻¹ from the factor in A. */
static bool invert_from_factor(context ctx, const plan *p)
{
    return invert_triangle(ctx, p) && multiply_triangle(ctx, p);
}

int submit_lauum(char uplo, startile_matrix *A, startile_request *request)
{
    plan p = {.name = "lauum", .working_set = TILE_PRODUCTS, .submit = multiply_triangle};
    return submit_on_triangle(p, uplo, A, request);
}

int submit_potri(char uplo, startile_matrix *A, startile_request *request)
{
    plan p = {
        .name = "potri", .working_set = TILE_PRODUCTS, .submit = invert_from_factor, .diag = 'N'};
    return submit_on_triangle(p, uplo, A, request);
}
