/* Product with the Q of QR (LAPACK xUNMQR), panel by panel. */
#include "algorithms.h"
#include "data/reflectors.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Does the work of apply_reflectors() if several processes own rows of a block column. */
static void apply_on_grid(context ctx, char trans, const startile_matrix *A,
                          const startile_matrix *T, const startile_matrix *C)
{
    int64_t panels = startile_matrix_shape(T).nt;
    for (int64_t step = 0; step < panels; step++) {
        ctx = begin_paced_step(ctx, larger_matrix(A, C), step);
        grid_reflector Q = new_reflector(ctx, A, T, trans == 'C' ? step : panels - 1 - step);
        if (Q.V == NULL)
            return;
        read_reflector(ctx, panels - step, &Q); /* V := the reflectors in A(k:,k) */
        /* C(k:,:) := op(I − V T V^H) C(k:,:) */
        apply_reflector(ctx, panels - step, trans, &Q, C, 0, NO_INDEX);
        end_step(ctx);
    }
}

void apply_reflectors(context ctx, char trans, const startile_matrix *A, const startile_matrix *T,
                      const startile_matrix *C)
{
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    view triangles = view_of(T, 'N');
    int64_t panels = triangles.nt;
    if (rows_are_split_alike(A, C)) {
        apply_on_grid(ctx, trans, A, T, C);
        return;
    }
    for (int64_t step = 0; step < panels; step++) {
        int64_t k = trans == 'C' ? step : panels - 1 - step, row = k * a.nb;
        column V = rows_from(A, k, row);
        tile triangle = at(triangles, 0, k);
        ctx = begin_paced_step(ctx, larger_matrix(A, C), step);
        send_column(ctx, panels - step, V, owners_of_columns(C, 0, c.nt));
        send_tile(ctx, panels - step, triangle, owners_of_columns(C, 0, c.nt));
        for_task_columns(j, C, 0, c.nt)
            /* C(k:,j) := op(I − V T V^H) C(k:,j), V = A(k:,k) */
            insert_larfb(ctx, panels - step, trans, V, triangle, rows_from(C, j, row));
        end_step(ctx);
    }
}

/* With side 'R', multiplies Cᴴ from the left, because C op(Q) = (op(Q)ᴴ Cᴴ)ᴴ. */
static bool apply_on_side(context ctx, const plan *p)
{
    if (p->V.op == 'N') {
        apply_reflectors(ctx, p->op, p->left.A, p->T, p->A);
        return true;
    }
    startile_matrix *X = adjoint_copy(ctx, p->A);
    if (X == NULL)
        return false;
    apply_reflectors(ctx, other_trans(p->op), p->left.A, p->T, X);
    transpose(ctx, X, p->A);
    return true;
}

void submit_product_with_q(char side, char trans, const startile_matrix *A,
                           const startile_matrix *T, startile_matrix *C, startile_request *request)
{
    submit_plan(&(plan){.name = "unmqr",
                        .working_set = COLUMN_PRODUCTS,
                        .A = C,
                        .uplo = 'G',
                        .V = view_of(C, side == 'L' ? 'N' : 'C'),
                        .submit = apply_on_side,
                        .T = T,
                        .left = view_of(A, 'N'),
                        .op = trans},
                request);
}

int submit_unmqr(char side, char trans, const startile_matrix *A, const startile_reflectors *T,
                 startile_matrix *C, startile_request *request)
{
    side = capital(side);
    int wrong =
        check_unmqr(side, trans, A, triangles_of(T), C, startile_matrix_shape(A).m, request);
    if (wrong == 0)
        submit_product_with_q(side, conjugating_trans(trans, A), A, triangles_of(T), C, request);
    return wrong;
}
