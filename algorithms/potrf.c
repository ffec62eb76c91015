/* Cholesky factorization A = L Lᴴ, right-looking (LAPACK xPOTRF; Volkov & Demmel 2008, section
 * 5). */
#include "algorithms.h"

/* Solves block column k below its diagonal tile: A(m,k) := A(m,k) L(k,k)⁻ᴴ for m > k. A(k+1,k) is
 * solved in its own task, because the next diagonal tile waits for it. */
static void solve(startile_request *r, char uplo, view A, int64_t k, inverse *W)
{
    int64_t urgency = 2 * (A.nt - k);
    tile L = tile_op('C', at(A, k, k));
    /* A(m,k) := A(m,k) * L(k,k)^-H, by multiplication with W if its condition allows */
    insert_trsm_inverse(r, critical(urgency - 1), uplo, L, W, (tile_range){A, k + 1, k, 1});
    for (tile_range B = tiles_from(A, k + 2, k); B.count > 0; B = tiles_from(A, B.i + B.count, k))
        insert_trsm_inverse(r, urgency - (B.i - k), uplo, L, W, B);
    for (int64_t m = k + 1; m < A.nt; m++)
        return_to_host(r, at(A, m, k));
}

/* Updates block column n by block column k, from row m on. In block columns k + 1 and k + 2 the
 * first tile has its own task, because it is soon on the critical path and must not wait for the
 * other tiles. */
static void update(startile_request *r, char uplo, view A, int64_t k, int64_t n, int64_t m)
{
    int64_t urgency = 2 * (A.nt - k) - (n - k);
    tile_range C = tiles_from(A, m, n);
    if (n <= k + 2 && C.count > 1)
        C.count = 1;
    for (; C.count > 0; C = tiles_from(A, C.i + C.count, n))
        /* A(i,n) -= L(i,k) * L(n,k)^H for the tiles i of C */
        insert_herk_gemm(r, urgency - (C.i - k), uplo, (tile_range){A, C.i, k, C.count},
                         at(A, n, k), C);
}

/* Updates block columns first … last − 1 by the earlier block column k, and hints that column k may
 * be evicted afterwards. */
static void update_block(startile_request *r, char uplo, view A, int64_t k, int64_t first,
                         int64_t last)
{
    begin_step(r, k);
    for (int64_t n = first; n < last; n++)
        for (tile_range C = tiles_from(A, n, n); C.count > 0; C = tiles_from(A, C.i + C.count, n))
            /* A(i,n) -= L(i,k) * L(n,k)^H for the tiles i of C */
            insert_herk_gemm(r, -2 * last, uplo, (tile_range){A, C.i, k, C.count}, at(A, n, k), C);
    for (int64_t m = first; m < A.nt; m++)
        hint_idle(at(A, m, k));
}

/* Factors block columns first … last − 1, already updated by the earlier ones. The priority of a
 * task is twice the number of block columns that depend on step k, less the distance of its tile
 * from tile (k, k). */
static void factor_block(startile_request *r, char uplo, view A, int64_t first, int64_t last)
{
    for (int64_t k = first; k < last; k++) {
        int64_t urgency = 2 * (A.nt - k), next = k + 1;
        begin_step(r, k);
        /* A(k,k) = L(k,k) * L(k,k)^H, W := L(k,k)^-1 */
        inverse *W = insert_potrf(r, critical(urgency), uplo, at(A, k, k), next < A.nt);
        if (next < A.nt)
            solve(r, uplo, A, k, W);
        if (next < last) {
            /* A(next,next) -= L(next,k) * L(next,k)^H */
            insert_herk(r, critical(urgency - 1), 'C', uplo, -1, at(A, next, k), 1,
                        at(A, next, next));
            update(r, uplo, A, k, next, next + 1);
        }
        for (int64_t n = next + 1; n < last; n++)
            update(r, uplo, A, k, n, n);
        return_to_host(r, at(A, k, k));
        forget(W);
        for (int64_t m = k; m < A.nt && last < A.nt; m++)
            hint_idle(at(A, m, k));
    }
}

/* Processes A in blocks of block columns that fit the memory. A matrix that fits is one block, and
 * the loop is right-looking. Otherwise each block is transferred once, and the columns before it
 * once per block (Yamazaki, Tomov & Dongarra, section 4.2: (n_B/2 + 1/3) n² + (B/12 + 11 b/4) n
 * elements for n_B blocks of B columns). */
static void factor(startile_request *r, char uplo, view A)
{
    startile_shape s = startile_matrix_shape(A.A);
    if (columns_at_a_time(A.A, 0, s.m, false) < A.nt)
        hint_idle_matrix(A.A);
    for (int64_t first = 0, last; first < A.nt; first = last) {
        last = first + columns_at_a_time(A.A, first, s.m - first * s.mb, false);
        if (last > A.nt)
            last = A.nt;
        for (int64_t k = 0; k < first; k++)
            update_block(r, uplo, A, k, first, last);
        factor_block(r, uplo, A, first, last);
    }
    end_steps(r);
}

/* Checks the capacity for the largest task, insert_herk_gemm(): several tiles of two block columns
 * and one further tile. */
static bool has_capacity_for_update(startile_request *r, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t tiles = 2 * tiles_from(view_of(A, 'N'), 0, 0).count + 1;
    return has_capacity(r, A, tiles * s.mb, s.nb);
}

int startile_potrf_async(char uplo, startile_matrix *A, startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A))
        return -2;
    if (request == NULL)
        return -3;
    begin_factorization(request);
    if (!has_capacity_for_update(request, A))
        return 0;
    factor(request, uplo, view_of(A, uplo == 'L' ? 'N' : 'C'));
    return 0;
}

int64_t startile_potrf(char uplo, startile_matrix *A)
{
    startile_request *r = request_start();
    return request_finish(r, startile_potrf_async(uplo, A, r));
}
