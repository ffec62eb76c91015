/* QR factorization A = Q R, right-looking over block columns (LAPACK xGEQRF; Volkov & Demmel 2008,
 * section 5). */
#include "verify.h"

static inverse *panel(context ctx, const factorization *f, step s)
{
    /* A(k:,k) := R and V of its QR factorization, T(k) := the triangle of the block reflector */
    insert_geqrf(ctx, critical(s.urgency), below(f->A, s.k, first_row(f->A, s.k)),
                 at(view_of(f->T, 'N'), 0, s.k));
    return NULL;
}

/* Applies the block reflector of panel k to block columns s.first … s.last − 1. */
static void update(context ctx, const factorization *f, step s, inverse *W)
{
    column V = below(f->A, s.k, first_row(f->A, s.k));
    tile T = at(view_of(f->T, 'N'), 0, s.k);
    (void)W;
    broadcast_column(ctx, critical(s.urgency), V, f->A, s.first, s.last);
    broadcast_tile(ctx, critical(s.urgency), T, f->A, s.first, s.last);
    for (int64_t j = next_task_column(f->A, s.first); j < s.last;
         j = next_task_column(f->A, j + 1)) {
        int64_t priority = priority_at(s, j - s.k);
        /* A(k:,j) := (I − V T V^H)^H A(k:,j) with V = A(k:,k), T = T(k); column k + 1 is urgent */
        insert_larfb(ctx, j == s.k + 1 ? critical(priority) : priority, 'C', V, T,
                     below(f->A, j, V.row));
    }
}

/* Factors by panels. For n_B blocks and panels of b columns, (3 + (n_B − 1)/2) m n − n² + (n_B +
 * 3)/2 n b elements are transferred (Yamazaki, Tomov & Dongarra, section 4.1). */
bool factor_by_panels(context ctx, startile_matrix *A, const startile_matrix *T)
{
    if (has_shared_columns(A, A))
        return factor_on_grid(ctx, A, T);
    factorization f = {"geqrf", panel, update, A, view_of(A, 'N'), startile_matrix_shape(T).nt,
                       .T = T};
    return factor_blocked(ctx, GEQRF, &f);
}

static int submit_again(const operation_again *o, startile_request *r)
{
    return submit_geqrf(o->written, o->T, r);
}

int submit_geqrf(startile_matrix *A, startile_matrix *T, startile_request *request)
{
    int wrong = check_geqrf(A, T, request);
    if (wrong != 0)
        return wrong;
    if (verify_again(
            request,
            &(operation_again){
                .submit = submit_again, .written = A, .uplo = 'G', .reads_written = true, .T = T}))
        return 0;
    context ctx = context_of(request);
    verification v = verify_columns(ctx, "geqrf", GEQRF, A);
    if (factor_by_panels(ctx, A, T)) {
        return_matrix(ctx, A);
        verify_qr_end(ctx, &v, T);
    }
    return 0;
}
