/* The Q of QR and of LQ (LAPACK xUNGQR, xUNGLQ): the block reflectors applied to the identity, from
 * the last one to the first. */
#include "algorithms.h"
#include "data/reflectors.h"
#include "grid/owner.h"

static void set_identity(context ctx, startile_matrix *A, int64_t j)
{
    view V = view_of(A, 'N');
    for (int64_t i = 0; i < V.mt; i++)
        insert_laset(ctx, 'G', 0, 1, at(V, i, j)); /* A(i,j) := I(i,j) */
}

/* Does the work of generate() if several processes own rows of a block column. */
static void generate_on_grid(context ctx, startile_matrix *A, const startile_matrix *T)
{
    int64_t panels = startile_matrix_shape(T).nt;
    for (int64_t j = panels; j < startile_matrix_shape(A).nt; j++)
        set_identity(ctx, A, j);
    for (int64_t k = panels - 1; k >= 0; k--) {
        ctx = begin_paced_step(ctx, A, panels - 1 - k);
        grid_reflector Q = new_reflector(ctx, A, T, k);
        if (Q.V == NULL)
            return;
        read_reflector(ctx, k, &Q);                       /* V := the reflectors in A(k:,k) */
        set_identity(ctx, A, k);                          /* A(:,k) := I(:,k) */
        apply_reflector(ctx, k, 'N', &Q, A, k, NO_INDEX); /* A(k:,k:) := (I − V T V^H) A(k:,k:) */
        end_step(ctx);
    }
}

/* Submits A := the first n columns of Q, in place. The reflectors of block column k are copied to a
 * temporary V, then A(:,k) := I(:,k). The temporaries that exist at one time may reach A's size.
 * Panel k does not change the block columns to its left. */
static void generate(context ctx, startile_matrix *A, const startile_matrix *T)
{
    startile_shape s = startile_matrix_shape(A);
    view triangles = view_of(T, 'N');
    if (process_rows(A) > 1) {
        generate_on_grid(ctx, A, T);
        return;
    }
    for (int64_t j = triangles.nt; j < s.nt; j++)
        set_identity(ctx, A, j);
    for (int64_t k = triangles.nt - 1; k >= 0; k--) {
        int64_t row = k * s.nb, rows = s.m - row;
        int64_t n = pivots_in_panel(A, k), owner = k % column_period(A);
        ctx = begin_paced_step(ctx, A, triangles.nt - 1 - k);
        startile_matrix *W = temporary_matrix(ctx, A, rows, (owner + 1) * n, rows, n);
        if (W == NULL)
            return;
        column V = rows_from(W, owner, 0);                 /* in the process column of A(k:,k) */
        insert_copy(ctx, k, 'G', rows_from(A, k, row), V); /* V := A(k:,k) */
        set_identity(ctx, A, k);                           /* A(:,k) := I(:,k) */
        for (int64_t j = k; j < s.nt; j++)
            /* A(k:,j) := (I − V T V^H) A(k:,j) */
            insert_larfb(ctx, k, 'N', V, at(triangles, 0, k), rows_from(A, j, row));
        end_step(ctx);
    }
}

static bool generate_qr(context ctx, const plan *p)
{
    generate(ctx, p->A, p->T);
    return true;
}

static bool generate_lq(context ctx, const plan *p)
{
    startile_matrix *F = adjoint_copy(ctx, p->A);
    if (F == NULL)
        return false;
    generate(ctx, F, p->T);
    transpose(ctx, F, p->A); /* A := F^H */
    return true;
}

/* Checks the arguments, and completes and carries out the plan p. shape_fits: A has a shape for
 * which Q can have orthonormal columns (LQ: rows). */
static int submit_generation(plan p, startile_matrix *A, bool shape_fits, const startile_matrix *T,
                             startile_request *request)
{
    if (A == NULL || !has_panels(A) || !shape_fits)
        return -1;
    if (T == NULL || !reflectors_fit(T, A))
        return -2;
    if (request == NULL)
        return -3;
    p.A = A;
    p.uplo = 'G';
    p.V = view_of(A, 'N');
    p.T = T;
    submit_plan(&p, request);
    return 0;
}

int submit_ungqr(startile_matrix *A, const startile_reflectors *T, startile_request *request)
{
    startile_shape s = startile_matrix_shape(A);
    plan p = {.name = "ungqr", .working_set = UNGQR, .submit = generate_qr};
    return submit_generation(p, A, s.m >= s.n, triangles_of(T), request);
}

int submit_unglq(startile_matrix *A, const startile_reflectors *T, startile_request *request)
{
    startile_shape s = startile_matrix_shape(A);
    plan p = {.name = "unglq", .working_set = UNGLQ, .submit = generate_lq};
    return submit_generation(p, A, s.m <= s.n, triangles_of(T), request);
}
