/*
 * QR factorization with column pivoting by random sketches A P = Q R (Martinsson, Quintana-Ortí,
 * Heavner & van de Geijn 2017; Duersch & Gu 2017). LU with partial pivoting chooses the columns of
 * a panel from the sketch (Melnichenko, Murray, Killian, Demmel, Mahoney & Luszczek 2025).
 *
 * The sketch Y = A^H G, for a random G of b columns, has a row for each column of A. Instead of
 * dividing Y by R11, which may be singular, each step applies Q^H to G as to a further block column
 * of A: then Y loses the rows of R by one product.
 */
#include "geqp3_random.h"
#include "algorithms.h"
#include "data/permutation.h"
#include "data/pivots.h"
#include "data/reflectors.h"
#include "memory/tile_copies.h"
#include "operations/insert_pivoted.h"

typedef struct {
    startile_matrix *G, *Y;
    startile_matrix *G_k; /* G(k,:), a small tile for all GPUs */
    startile_pivots *P;   /* interchanges of each panel */
    int64_t fitting;      /* block columns of A that fit the memory */
} sketch;

/* Submits G := random numbers, Y := A^H G. */
static bool begin_sketch(context ctx, const plan *p, sketch *s)
{
    startile_shape a = startile_matrix_shape(p->A);
    s->G = temporary_matrix(ctx, p->A, a.m, a.nb, a.m, a.nb);
    s->Y = temporary_matrix(ctx, p->A, a.n, a.nb, a.nb, a.nb);
    s->G_k = temporary_matrix(ctx, p->A, a.nb, a.nb, a.nb, a.nb);
    s->P = temporary_pivots(ctx, p->A);
    if (s->G == NULL || s->Y == NULL || s->G_k == NULL || s->P == NULL)
        return false;
    s->fitting = end_of_block(p->A, 0);
    hint_idle_if_large(p->A);
    insert_random(ctx, 'G', p->seed, 0, at(view_of(s->G, 'N'), 0, 0));
    for_row_blocks(B, p->A, 0, 0, a.m)
        insert_row_product(ctx, p->panels, 1, B, rows_from(s->G, 0, 0), 0, s->Y);
    return true;
}

/* Submits A(:,k:) := A(:,k:) P_k^T for the columns that LU of Y(k:,:) brings to the front. */
static void choose_columns(context ctx, const plan *p, const sketch *s, int64_t k)
{
    int64_t priority = critical(p->panels - k), row = first_row(p->A, k);
    column Y = rows_from(s->Y, 0, row);
    /* P_k Y(k:,:) = L U */
    insert_select_and_order(ctx, priority, Y, pivots_in_panel(p->A, k), s->P, k);
    insert_lapmt_in_groups(ctx, priority, s->P, k, p->A); /* A := A P_k^T */
    /* Y(k:,:) := P_k Y(k:,:) */
    insert_laswp(ctx, p->panels - k, s->P, k, k + 1, false, Y, NULL);
    insert_permute(ctx, p->permutation, s->P, k); /* P := P P_k^T */
}

/* Submits A := R and V, P := the permutation, T := the triangles of the block reflectors. */
bool factor_by_sketches(context ctx, const plan *p, const truncation_criterion *criterion)
{
    startile_matrix *A = p->A;
    int64_t nt = startile_matrix_shape(A).nt;
    sketch s;
    if (p->panels == 0)
        return true;
    if (!begin_sketch(ctx, p, &s))
        return false;
    /* Before step k, block columns 0 … k − 1 hold R and V, and the others Q_{k−1}^H … Q_0^H A P. G
     * holds Q_{k−1}^H … Q_0^H G, and Y(k:,:) = A(k:,k:)^H G(k:,:). */
    for (int64_t k = 0; k < p->panels; k++) {
        context step = unless_stopped(begin_step(ctx, A, k), criterion, k);
        int64_t row = first_row(A, k), rows = pivots_in_panel(A, k), priority = p->panels - k;
        column V = rows_from(A, k, row), G = rows_from(s.G, 0, row),
               G_k = rows_of(s.G_k, 0, 0, rows);
        tile T_k = at(view_of(p->T, 'N'), 0, k);
        choose_columns(step, p, &s, k); /* A := A P_k^T */
        /* A(k:,k) := R and V of its QR factorization, T_k := the triangle */
        insert_geqrf(step, critical(priority), V, T_k);
        /* G(k:,:) := (I − V T_k V^H)^H G(k:,:) */
        insert_larfb(step, critical(priority), 'C', V, T_k, G);
        insert_copy(step, critical(priority), 'G', rows_of(s.G, 0, row, rows), G_k); /* := G(k,:) */
        /* The interchanges go from left to right, the updates from right to left: if A exceeds the
         * memory, each begins with the block columns that the other has left there, and a product
         * goes before the next update, because A(k,j) is there. */
        int64_t product_priority = s.fitting < nt ? priority + 1 : priority;
        for_row_blocks(B, A, k + 1, row, V.rows) {
            /* B := (I − V T_k V^H)^H B, Y −= B(k,:)^H G(k,:) for the blocks B of A(k:,k+1:) */
            insert_larfb_row(step, priority, 'C', V, T_k, B);
            insert_row_product(step, product_priority, -1, first_rows(B, rows), G_k, 1, s.Y);
            if (B.j >= k + s.fitting)
                hint_idle(at(view_of(A, 'N'), 0, B.j));
        }
        if (criterion != NULL)
            stop_after(step, p, criterion, s.P, k);
        end_step(step);
    }
    return true;
}

static bool factor(context ctx, const plan *p)
{
    return factor_by_sketches(ctx, p, NULL);
}

int check_sketches(const startile_matrix *A, const startile_permutation *P,
                   const startile_reflectors *T)
{
    int wrong = check_geqp3(A, P, triangles_of(T));
    return wrong == 0 && permutation_chosen(P) != 0 ? -2 : wrong;
}

int submit_geqp3_random(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                        uint64_t seed, startile_request *request)
{
    int wrong = check_sketches(A, P, T);
    if (wrong != 0 || request == NULL)
        return wrong != 0 ? wrong : -5;
    plan p = plan_of_geqp3("geqp3_random", A, P, triangles_of(T));
    p.working_set = GEQP3_RANDOM;
    p.submit = factor;
    p.seed = seed;
    submit_plan(&p, request);
    return 0;
}
