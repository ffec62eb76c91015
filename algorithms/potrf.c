/* Cholesky factorization A = L Lᴴ, right-looking (LAPACK xPOTRF; Volkov & Demmel 2008, sec. 5). */
#include "algorithms.h"

/* Returns k + 1 if the step gives tasks of their own to the tiles (k+1,k+1), (k+2,k+1) and
 * (k+2,k+2), which the critical path needs next, else −1. A left-looking update does so only with
 * the option reproducible (5 % slower on a simulated H200, n = 32768, 2150 MiB): a kernel for
 * several tiles rounds differently on GPUs. */
static int64_t next_diagonal(const step *s)
{
    return s->has_panel || runtime_is_reproducible() ? s->k + 1 : -1;
}

/* Sends L(:,k) to the updates of the step: L(i,k) to the tiles of row i and of column i. L(k+1,k)
 * has a higher priority, because all updates of block column k + 1 read it. */
static void send_panel(const step *s)
{
    view A = s->p->V;
    for (int64_t i = s->first; i < A.nt; i++) {
        int64_t last = i < s->last ? i + 1 : s->last;
        tile_block row = {A, i, s->first, 1, last - s->first};
        /* no tile if block column i is not updated: it then has 0 columns */
        tile_block column = {A, i, i, A.nt - i, i < s->last};
        int64_t priority = -(s->k * A.nt + i); /* the oldest panel first, its tiles in order */
        broadcast_to_both(s->update, i == s->k + 1 ? critical(s->urgency) : priority,
                          at(A, i, s->k), row, column);
    }
}

/* Submits A := L. Returns false if the request has failed. */
static bool factor(context ctx, const plan *p)
{
    view A = p->V;
    step s = first_step(ctx, p);
    /* Before step k, block columns 0 … k − 1 hold L, and A(k:,k:) holds A − L(k:,:k) * L(k:,:k)^H.
     */
    while (next_step(&s)) {
        int64_t k = s.k, next = next_diagonal(&s);
        int64_t urgent = s.has_panel ? critical(s.urgency - 1) : s.urgency;
        tile L = tile_op('C', at(A, k, k));
        if (s.has_panel) {
            /* A(k,k) = L(k,k) * L(k,k)^H, W := L(k,k)^-1 */
            keep_inverse(
                &s, insert_potrf(s.panel, critical(s.urgency), p->uplo, at(A, k, k), next < A.nt));
            broadcast(s.panel, critical(s.urgency), L, (tile_block){A, next, k, A.nt - next, 1});
            for (int64_t i = own_column(A, k) == k ? own_row(A, next) : A.mt; i < A.mt;) {
                /* A(i,k) := A(i,k) * L(k,k)^-H for the tiles i of B */
                tile_range B = i == next ? (tile_range){A, i, k, 1} : tiles_from(A, i, k);
                insert_trsm_inverse(s.panel, i == next ? urgent : priority_of_solve(&s, i), p->uplo,
                                    L, s.W, B);
                i = own_row(A, i + B.count);
            }
        }
        send_panel(&s);
        for (int64_t n = own_column(A, s.first); n < s.last; n = own_column(A, n + 1))
            for (int64_t i = own_row(A, n); i < A.mt;) {
                tile_range C = tiles_from(A, i, n);
                if (n <= next + 1 && i <= next + 1)
                    C.count = 1;
                if (i == next) /* A(next,next) -= L(next,k) * L(next,k)^H, since i >= n >= k + 1 */
                    insert_herk(s.update, urgent, 'C', p->uplo, -1, at(A, next, k), 1,
                                at(A, next, next));
                else /* A(i,n) -= L(i,k) * L(n,k)^H for the tiles i of C */
                    insert_herk_gemm(s.update, priority_of_update(&s, i, n), p->uplo,
                                     (tile_range){A, i, k, C.count}, at(A, n, k), C);
                i = own_row(A, i + C.count);
            }
    }
    return s.is_complete;
}

int submit_potrf(char uplo, startile_matrix *A, startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A))
        return -2;
    if (request == NULL)
        return -3;
    view L = view_of(A, uplo == 'L' ? 'N' : 'C');
    submit_plan(&(plan){.name = "potrf",
                        .working_set = POTRF,
                        .equation = LLH,
                        .A = A,
                        .uplo = uplo,
                        .V = L,
                        .submit = factor,
                        .panels = L.nt,
                        .is_triangular = true},
                request);
    return 0;
}
