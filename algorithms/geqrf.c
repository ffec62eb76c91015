/* QR factorization A = Q R, right-looking over block columns (LAPACK xGEQRF; Volkov & Demmel 2008,
 * section 5). */
#include "algorithms.h"
#include "data/reflectors.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Submits A := R and V, T := the triangles of the block reflectors. For n_B blocks and panels of b
 * columns, (3 + (n_B − 1)/2) m n − n² + (n_B + 3)/2 n b elements are transferred (Yamazaki, Tomov &
 * Dongarra, section 4.1). Returns whether all steps were submitted. */
static bool factor(context ctx, const plan *p)
{
    const startile_matrix *A = p->A;
    step s = first_step(ctx, p);
    /* Before step k, block columns 0 … k − 1 hold R and V, and the others of the current block hold
     * Q_{k−1}^H … Q_0^H A for the block reflectors Q_i = I − V_i T_i V_i^H; later blocks hold A. */
    while (next_step(&s)) {
        int64_t k = s.k;
        column V = rows_from(A, k, first_row(A, k));
        tile T_k = at(view_of(p->T, 'N'), 0, k);
        if (s.has_panel) /* A(k:,k) := R and V of its QR factorization, T_k := the triangle */
            insert_geqrf(s.panel, critical(s.urgency), V, T_k);
        send_column(s.update, critical(s.urgency), V, owners_of_columns(A, s.first, s.last));
        send_tile(s.update, critical(s.urgency), T_k, owners_of_columns(A, s.first, s.last));
        for_task_columns(j, A, s.first, s.last) {
            int64_t priority = priority_at(&s, j - k);
            /* A(k:,j) := (I − V T_k V^H)^H A(k:,j); column k + 1 is urgent */
            insert_larfb(s.update, j == k + 1 ? critical(priority) : priority, 'C', V, T_k,
                         rows_from(A, j, V.row));
        }
    }
    return s.is_complete;
}

static plan plan_of(startile_matrix *A, const startile_matrix *T)
{
    return (plan){.name = "geqrf",
                  .working_set = GEQRF,
                  .equation = QR,
                  .A = A,
                  .uplo = 'G',
                  .V = view_of(A, 'N'),
                  .submit = process_rows(A) > 1 ? factor_on_grid : factor,
                  .panels = startile_matrix_shape(T).nt,
                  .T = T};
}

bool factor_by_panels(context ctx, startile_matrix *A, const startile_matrix *T)
{
    plan p = plan_of(A, T);
    p.equation = UNCHECKED;
    return carry_out(ctx, &p);
}

int submit_geqrf(startile_matrix *A, startile_reflectors *T, startile_request *request)
{
    int wrong = check_geqrf(A, triangles_of(T), request);
    if (wrong != 0)
        return wrong;
    plan p = plan_of(A, triangles_of(T));
    submit_plan(&p, request);
    return 0;
}
