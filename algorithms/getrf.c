/* LU factorization with partial pivoting P A = L U, right-looking (LAPACK xGETRF; Volkov & Demmel
 * 2008, section 5). The other LU factorizations differ in the panel. */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "journal/journal.h"

static inverse *factor_with_pivots(const step *s)
{
    const plan *p = s->p;
    /* P_k A(k:,k) = L U; returns the inverses of L11's diagonal blocks if another block column
     * follows */
    return insert_getrf(s->panel, critical(s->urgency),
                        rows_from(p->A, s->k, first_row(p->A, s->k)), p->P, s->k,
                        s->k + 1 < p->V.nt && !has_journal(p->A));
}

/* Submits A := L and U. With several blocks the rows of L are interchanged at the end, because the
 * updates of later blocks need each panel of L in the row order of its factorization. For n_B
 * blocks and panels of b columns, (4 + (n_B − 1)/2) m n − n² + n b elements are transferred
 * (Yamazaki, Tomov & Dongarra, section 4.1). Returns whether all steps were submitted. */
bool factor_lu(context ctx, const plan *p)
{
    startile_matrix *A = p->A;
    bool has_pivots = p->P != NULL, one_block = is_one_block(p);
    step s = first_step(ctx, p);
    /* Before step k, block columns 0 … k − 1 hold L and U of P_{k−1} … P_0 A, and the others of the
     * current block U and the Schur complement of k panels; later blocks hold A. The interchanges
     * of L may still wait for a task or, with several blocks, for the end. */
    while (next_step(&s)) {
        int64_t k = s.k, row = first_row(A, k);
        if (s.has_panel) /* P_k A(k:,k) = L U */
            keep_inverse(&s, p->panel(&s));
        /* W is the inverse of L11 or of its diagonal blocks, or NULL */
        substitution L = {.uplo = 'L',
                          .trans = 'N',
                          .diag = 'U',
                          .n = pivots_in_panel(A, k),
                          .columns = rows_from(A, k, row),
                          .W = s.W};
        send_column(s.update, critical(s.urgency), L.columns,
                    owners_of_columns(A, s.first, s.last));
        if (has_pivots && s.has_panel)
            send_pivots(s.update, critical(s.urgency), p->P, k, A);
        for_task_columns(j, A, s.first, s.last) {
            /* block column k + 1 is the next panel and therefore critical */
            int64_t priority = priority_at(&s, j - k);
            priority = j == k + 1 ? critical(priority) : priority;
            /* A(k:,j) := P_k A(k:,j), A(k,j) := L11^-1 A(k,j), A(k+1:,j) -= A(k+1:,k) * A(k,j) */
            if (has_pivots)
                insert_update(s.update, priority, p->P, k, &L, rows_from(A, j, row));
            else
                insert_substitution(s.update, priority, &L, rows_from(A, j, row));
        }
        if (has_pivots && one_block)
            interchange_left(&s);
    }
    if (!s.is_complete || !has_pivots || one_block || p->panels == 0)
        return s.is_complete;
    /* The block column of the last panel has no interchanges: a journal need not save it, but
     * without a journal submit_second_pass() also hints that it is idle. */
    return submit_second_pass(ctx, p, has_journal(A) ? p->panels - 1 : p->panels,
                              interchange_columns);
}

plan plan_of_lu(const char *name, startile_matrix *A, startile_pivots *P,
                panel_factorization *panel)
{
    return (plan){.name = name,
                  .working_set = GETRF,
                  .equation = LU,
                  .A = A,
                  .uplo = 'G',
                  .V = view_of(A, 'N'),
                  .submit = P != NULL && process_rows(A) > 1 ? factor_lu_on_grid : factor_lu,
                  .panels = panels_of(A),
                  .P = P,
                  .panel = panel,
                  .reuses_inverses = true};
}

int submit_getrf(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong != 0)
        return wrong;
    plan p = plan_of_lu("getrf", A, P, factor_with_pivots);
    submit_plan(&p, request);
    return 0;
}
