/* Product with the Q of QR (LAPACK xUNMQR), panel by panel. */
#include "algorithms.h"

void apply_reflectors(startile_request *r, char trans, const startile_matrix *A,
                      const startile_matrix *T, const startile_matrix *C)
{
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    view triangles = view_of(T, 'N');
    int64_t panels = triangles.nt;
    for (int64_t step = 0; step < panels; step++) {
        int64_t k = trans == 'C' ? step : panels - 1 - step, row = k * a.nb;
        begin_step(r, step);
        for (int64_t j = 0; j < c.nt; j++)
            /* C(k:,j) := op(I − V T V^H) C(k:,j), V = A(k:,k) */
            insert_larfb(r, panels - step, trans, below(A, k, row), at(triangles, 0, k),
                         below(C, j, row));
    }
    end_steps(r);
}

char other_trans(char trans)
{
    return trans == 'N' ? 'C' : 'N';
}

/* With side 'R', C op(Q) = (op(Q)ᴴ Cᴴ)ᴴ. */
void apply_on_side(startile_request *r, char side, char trans, const startile_matrix *A,
                   const startile_matrix *T, startile_matrix *C)
{
    if (!has_capacity_for_columns(r, A) || !has_capacity_for_columns(r, C))
        return;
    startile_matrix *X = side == 'R' ? transposed(r, C) : NULL;
    if (side == 'L')
        apply_reflectors(r, trans, A, T, C);
    else if (X != NULL) {
        apply_reflectors(r, other_trans(trans), A, T, X);
        transpose(r, X, C);
    }
    send_home(r, C);
    forget_matrix(X);
}

char conjugating_trans(char trans, const startile_matrix *A)
{
    trans = capital(trans);
    if (trans == 'T' && (A == NULL || !is_complex(A)))
        return 'C';
    return is_one_of(trans, "NC") ? trans : '\0';
}

int check_product(char side, char trans, const startile_matrix *A)
{
    if (!is_one_of(side, "LR"))
        return -1;
    if (conjugating_trans(trans, A) == '\0')
        return -2;
    return A == NULL || !has_panels(A) ? -3 : 0;
}

bool is_other_factor(char side, const startile_matrix *C, const startile_matrix *A, int64_t order)
{
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    return C != NULL && C != A && c.dtype == a.dtype && (side == 'L' ? c.m : c.n) == order;
}

int check_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                const startile_matrix *C, int64_t order, const startile_request *request)
{
    int wrong = check_product(side, trans, A);
    if (wrong != 0)
        return wrong;
    if (T == NULL || !reflectors_fit(T, A))
        return -4;
    if (!is_other_factor(side, C, A, order) || C == T ||
        (side == 'L' && !has_whole_blocks(C, startile_matrix_shape(A).nb)))
        return -5;
    return request == NULL ? -6 : 0;
}

int startile_unmqr_async(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                         startile_matrix *C, startile_request *request)
{
    side = capital(side);
    int wrong = check_unmqr(side, trans, A, T, C, startile_matrix_shape(A).m, request);
    if (wrong == 0)
        apply_on_side(request, side, conjugating_trans(trans, A), A, T, C);
    return wrong;
}

int64_t startile_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                       startile_matrix *C)
{
    startile_request *r = request_start();
    return request_finish(r, startile_unmqr_async(side, trans, A, T, C, r));
}
