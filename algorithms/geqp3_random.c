/*
 * QR factorization with column pivoting by random sketches A P = Q R (Martinsson, Quintana-Ortí,
 * Heavner & van de Geijn 2017; Duersch & Gu 2017). LU with partial pivoting chooses the columns of
 * a panel from the sketch (Melnichenko, Murray, Killian, Demmel, Mahoney & Luszczek 2025).
 *
 * The sketch Y = A^H G, for a random G of b columns, has a row for each column of A. Instead of
 * dividing Y by R11, which may be singular, each step applies Q^H to G as to a further block column
 * of A: then Y loses the rows of R by one product.
 *
 * On a grid with one process row each process has a copy of G, and applies Q^H to it itself. Y is
 * in one process: the others send it their products, nb × nb elements for each of their block
 * columns, and it sends them the interchanges.
 */
#include "geqp3_random.h"
#include "algorithms.h"
#include "data/permutation.h"
#include "data/pivots.h"
#include "data/reflectors.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "memory/tile_copies.h"
#include "operations/insert_pivoted.h"

typedef struct {
    startile_matrix *G;        /* a block column for each process column, with the same elements */
    startile_matrix *G_k;      /* G(k,:), a small tile for all GPUs of each process column */
    int64_t own;               /* this process' block column of G and G_k */
    startile_matrix *Y;        /* in the process of tile (0,0) */
    startile_matrix *products; /* on a grid: A(k,j)^H G(k,:) in tile (j, j mod process columns) */
    startile_pivots *P;        /* interchanges of each panel */
    int64_t fitting;           /* block columns of A that fit the memory */
} sketch;

/* Returns whether this process has block columns of A from j on. */
static bool has_columns_from(const startile_matrix *A, int64_t j)
{
    return next_task_column(A, j) < startile_matrix_shape(A).nt;
}

/* Submits Y(j,:) := alpha B^H G + beta Y(j,:) for the blocks B of block columns j. */
static void add_products(context ctx, int64_t priority, const sketch *s, double alpha, row_blocks B,
                         column G, double beta)
{
    if (startile_matrix_grid(B.A) == NULL) {
        insert_row_product(ctx, priority, alpha, B, G, beta, s->Y, 0);
        return;
    }
    int64_t q = column_period(B.A); /* B.count is 1 */
    tile Y = at(view_of(s->Y, 'N'), B.j, 0), product = at(view_of(s->products, 'N'), B.j, B.j % q);
    if (is_own_tile(product)) /* alpha B^H G */
        insert_row_product(ctx, priority, alpha, B, G, 0, s->products, B.j % q);
    send_tile(ctx, priority, product, owners_of(view_of(s->Y, 'N'), B.j, 0, 1, 1));
    if (is_own_tile(Y)) /* Y(j,:) := alpha B^H G + beta Y(j,:) */
        insert_geadd(ctx, priority, 1, product, beta, Y);
}

/* Allocates the sketch. Returns false if the request has failed. */
static bool allocate(context ctx, const startile_matrix *A, sketch *s)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t q = column_period(A);
    bool is_on_grid = startile_matrix_grid(A) != NULL;
    s->G = temporary_matrix(ctx, A, a.m, q * a.nb, a.m, a.nb);
    s->G_k = temporary_matrix(ctx, A, a.nb, q * a.nb, a.nb, a.nb);
    s->Y = temporary_matrix(ctx, A, a.n, a.nb, a.nb, a.nb);
    s->products = is_on_grid ? temporary_matrix(ctx, A, a.n, q * a.nb, a.nb, a.nb) : NULL;
    s->P = temporary_pivots(ctx, A);
    if (s->G == NULL || s->G_k == NULL || s->Y == NULL || (is_on_grid && s->products == NULL) ||
        s->P == NULL)
        return false;
    s->own = next_task_column(s->G, 0);
    s->fitting = end_of_block(A, 0);
    return true;
}

/* Submits G := random numbers, Y := A^H G. */
static bool begin_sketch(context ctx, const plan *p, sketch *s)
{
    const startile_matrix *A = p->A;
    startile_shape a = startile_matrix_shape(A);
    if (!allocate(ctx, A, s))
        return false;
    hint_idle_if_large(A);
    context step = begin_step(ctx, A, ctx.step);
    /* The columns behind A's: startile_random() may have made A with the same seed. */
    if (has_columns_from(A, 0))
        insert_random_columns(step, p->seed, a.n, at(view_of(s->G, 'N'), 0, s->own));
    for_row_blocks(B, A, 0, 0, a.m)
        add_products(step, p->panels, s, 1, B, rows_from(s->G, s->own, 0), 0);
    end_step(step);
    return true;
}

/* Submits A(:,k:) := A(:,k:) P_k^T for the columns that LU of Y(k:,:) brings to the front. */
static void choose_columns(context ctx, const plan *p, const sketch *s, int64_t k)
{
    int64_t priority = critical(p->panels - k), row = first_row(p->A, k);
    column Y = rows_from(s->Y, 0, row);
    /* P_k Y(k:,:) = L U */
    insert_select_and_order(ctx, priority, Y, pivots_in_panel(p->A, k), s->P, k);
    send_pivots_to_all(ctx, s->P, k, p->A);
    /* A := A P_k^T */
    if (startile_matrix_grid(p->A) == NULL)
        insert_lapmt_in_groups(ctx, priority, s->P, k, p->A);
    else
        interchange_columns_on_grid(ctx, priority, s->P, k, p->A);
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
    /* The next panel is sent while its columns are chosen. ctx has no step, whose end would drop
     * the copies: they are dropped with those of the same tile as V. */
    send_old_panel(ctx, critical(p->panels), A, 0);
    /* Before step k, block columns 0 … k − 1 hold R and V, and the others Q_{k−1}^H … Q_0^H A P. G
     * holds Q_{k−1}^H … Q_0^H G, and Y(k:,:) = A(k:,k:)^H G(k:,:). */
    for (int64_t k = 0; k < p->panels; k++) {
        context step = unless_stopped(begin_step(ctx, A, k), criterion, k);
        int64_t row = first_row(A, k), rows = pivots_in_panel(A, k), priority = p->panels - k;
        column V = rows_from(A, k, row), G = rows_from(s.G, s.own, row),
               G_k = rows_of(s.G_k, s.own, 0, rows);
        tile T_k = at(view_of(p->T, 'N'), 0, k);
        choose_columns(step, p, &s, k); /* A := A P_k^T */
        /* A(k:,k) := R and V of its QR factorization, T_k := the triangle */
        insert_geqrf(step, critical(priority), V, T_k);
        send_column(step, critical(priority), V, owners_of_columns(A, k + 1, nt));
        send_tile(step, critical(priority), T_k, owners_of_columns(A, k + 1, nt));
        if (has_columns_from(A, k + 1)) {
            /* G(k:,:) := (I − V T_k V^H)^H G(k:,:), G_k := G(k,:) */
            insert_larfb(step, critical(priority), 'C', V, T_k, G);
            insert_copy(step, critical(priority), 'G', rows_of(s.G, s.own, row, rows), G_k);
        }
        /* The interchanges go from left to right, the updates from right to left: if A exceeds the
         * memory, each begins with the block columns that the other has left there, and a product
         * goes before the next update, because A(k,j) is there. */
        int64_t product_priority = s.fitting < nt ? priority + 1 : priority;
        /* on a grid block column k + 1 is sent while the updates of the others run */
        int64_t urgent = startile_matrix_grid(A) != NULL ? k + 1 : NO_INDEX;
        for_row_blocks(B, A, k + 1, row, V.rows) {
            /* B := (I − V T_k V^H)^H B, Y −= B(k,:)^H G(k,:) for the blocks B of A(k:,k+1:) */
            if (is_own_tile(at(view_of(A, 'N'), 0, B.j)))
                insert_larfb_row(step, B.j == urgent ? critical(priority) : priority, 'C', V, T_k,
                                 B);
            add_products(step, product_priority, &s, -1, first_rows(B, rows), G_k, 1);
            if (B.j >= k + s.fitting)
                hint_idle(at(view_of(A, 'N'), 0, B.j));
        }
        if (k + 1 < p->panels)
            send_old_panel(ctx, critical(priority), A, k + 1);
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
    int wrong = A != NULL && process_rows(A) > 1 ? -1 : check_panels_of_columns(A, P);
    if (wrong != 0)
        return wrong;
    if (permutation_chosen(P) != 0)
        return -2;
    return check_geqrf(A, triangles_of(T), NULL) == -2 ? -3 : 0;
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
