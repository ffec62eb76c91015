/* Cholesky factorization A = L Lᴴ, right-looking (LAPACK xPOTRF; Volkov & Demmel 2008, sec. 5). */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Sends L(:,k) to the updates of the step: L(i,k) to the tiles of row i and of column i. */
static void send_panel(const step *s)
{
    view A = s->p->V;
    for (int64_t i = s->first; i < A.nt; i++) {
        int64_t last = i < s->last ? i + 1 : s->last;
        tile_block row = {A, i, s->first, 1, last - s->first};
        /* 0 columns, so no tiles, if the step does not update block column i */
        tile_block column = {A, i, i, A.nt - i, i < s->last};
        receivers to = owners_of_both(row, column);
        if (i == s->k + 1) /* the next panel begins with A(i,i) */
            to = first_to_owner_of(at(A, i, i), to);
        send_tile(s->update, priority_of_send(s, i), at(A, i, s->k), to);
    }
}

/* Submits A := L. Returns whether all steps were submitted. */
static bool factor(context ctx, const plan *p)
{
    view A = p->V;
    step s = first_step(ctx, p);
    /* Before step k, block columns 0 … k − 1 hold L, and the others of the current block hold A −
     * L(:,:k) * L(:,:k)^H; later blocks hold A. */
    while (next_step(&s)) {
        int64_t k = s.k, next = next_diagonal(&s);
        tile L = tile_op('C', at(A, k, k));
        if (s.has_panel) {
            /* A(k,k) = L(k,k) * L(k,k)^H, W := L(k,k)^-1 */
            keep_inverse(
                &s, insert_potrf(s.panel, critical(s.urgency), p->uplo, at(A, k, k), next < A.nt));
            receivers below = owners_of(A, next, k, A.nt - next, 1);
            /* L(next,k) is the first one that others wait for */
            send_tile(s.panel, critical(s.urgency), L,
                      next < A.nt ? first_to_owner_of(at(A, next, k), below) : below);
            for_own_ranges(B, A, k, next, next)
                /* A(i,k) := A(i,k) * L(k,k)^-H for the tiles i of B */
                insert_trsm_inverse(s.panel, priority_of_solve(&s, B.i), p->uplo, L, s.W, B);
        }
        send_panel(&s);
        for_own_columns(n, A, s.first, s.last)
            for_own_ranges(C, A, n, n, n <= next + 1 ? next + 1 : NO_INDEX)
                if (C.i == next) /* then n = next, too: A(next,next) -= L(next,k) * L(next,k)^H */
                    insert_herk(s.update, priority_of_update(&s, next, next), 'C', p->uplo, -1,
                                at(A, next, k), 1, at(A, next, next));
                else /* A(i,n) -= L(i,k) * L(n,k)^H for the tiles i of C */
                    insert_herk_gemm(s.update, priority_of_update(&s, C.i, n), p->uplo,
                                     (tile_range){A, C.i, k, C.count}, at(A, n, k), C);
    }
    return s.is_complete;
}

int submit_potrf(char uplo, startile_matrix *A, startile_request *request)
{
    plan p = {.name = "potrf",
              .working_set = POTRF,
              .equation = LLH,
              .returns_tiles = true,
              .submit = factor,
              .is_triangular = true};
    return submit_on_triangle(p, uplo, A, request);
}
