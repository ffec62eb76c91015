/*
 * QR factorization with column pivoting of a panel, and its updates of the columns to the right, by
 * the algorithm of LAPACK xLAQPS (Quintana-Ortí, Sun & Bischof, "A BLAS-3 version of the QR
 * factorization with column pivoting", SIAM J. Sci. Comput. 19, 1998). Column norms are down-dated
 * with the safeguard of Drmač & Bujanović, "On the failure of rank-revealing QR factorization
 * software", ACM TOMS 35, 2008.
 *
 * A block of at most INNER columns leaves the columns right of it as they were, except for the rows
 * of R. Column c then needs A(:,c) −= V W(:,c), where V are the block's reflectors. LAPACK ends a
 * block where a norm is lost to cancellation. Here this column alone gets its update, its norm is
 * computed anew, and its W(:,c) becomes 0.
 *
 * Each column reads all columns right of it once, in groups that the team's threads share. The
 * groups, and so the results, do not depend on the number of threads.
 *
 * The error bounds are those of geqrf.
 */
#include "dtype.h"
#include "team.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Number of reflectors of a block, as in LAPACK; number of columns in a group */
enum { INNER = 32, GROUP = 32 };

/* Columns are numbered from the panel's first one. Column j has its diagonal element in row row0 +
 * j. */
struct panel {
    startile_team *team;
    const startile_piece *block;
    int nb, m;
    int64_t row0, n;
    int64_t *order;
    double *norm, *exact_norm; /* of the rows below R; exact_norm: when last computed from them */
    element *w;                /* W, INNER × n */
    int first;                 /* first column of the block */
    int j;                     /* newest column of the block */
    bool has_norms;            /* column j is not the caller's choice */
    element tau;
    /* for the newest reflector v and the earlier ones V of the block: */
    element z[INNER];   /* vᴴ V */
    element row[INNER]; /* V in the row of v's diagonal element */
};

static element conjugate(element x)
{
    return (element)conj(x);
}

static element *column(const struct panel *p, int64_t c)
{
    const startile_piece *block = &p->block[c / p->nb];
    return (element *)block->p + (ptrdiff_t)(c % p->nb) * block->ld;
}

static element *coefficients(const struct panel *p, int64_t c)
{
    return p->w + c * INNER;
}

/* Returns the address of the block's reflectors in row `row`. */
static element *reflectors(const struct panel *p, int64_t row)
{
    return column(p, p->first) + row;
}

/* -- groups of columns ------------------------------------------------------------------------ */

/* Work on columns c … c + count − 1, which are in one block of A */
typedef void group_work(struct panel *p, int64_t c, int count);

struct group_loop {
    struct panel *p;
    group_work *work;
    int64_t from;
    int first;
};

static int groups_in_block(const struct panel *p)
{
    return (p->nb + GROUP - 1) / GROUP;
}

static void work_on_group(void *context, int i)
{
    const struct group_loop *loop = context;
    struct panel *p = loop->p;
    int g = loop->first + i, in_block = groups_in_block(p);
    int64_t block = (int64_t)(g / in_block) * p->nb;
    int64_t begin = block + (int64_t)(g % in_block) * GROUP, end = begin + GROUP;
    if (end > block + p->nb)
        end = block + p->nb;
    if (end > p->n)
        end = p->n;
    if (begin < loop->from)
        begin = loop->from;
    if (begin < end)
        loop->work(p, begin, (int)(end - begin));
}

/* Does the work on all columns from `from` on. */
static void for_groups(struct panel *p, int64_t from, group_work *work)
{
    if (from >= p->n)
        return;
    int in_block = groups_in_block(p);
    int first = (int)(from / p->nb) * in_block + (int)(from % p->nb) / GROUP;
    int64_t last = p->n - 1;
    int count = (int)(last / p->nb) * in_block + (int)(last % p->nb) / GROUP + 1 - first;
    struct group_loop loop = {p, work, from, first};
    run_by_team(p->team, count, work_on_group, &loop);
}

/* -- norms ----------------------------------------------------------------------------------- */

static void compute_norm(struct panel *p, int64_t c, int64_t row)
{
    p->norm[c] = p->exact_norm[c] = BLAS_REAL(nrm2)((int)(p->m - row), column(p, c) + row, 1);
}

/* Computes the norms of the rows from that of column p->j on. */
static void compute_norms(struct panel *p, int64_t c, int count)
{
    for (int i = 0; i < count; i++)
        compute_norm(p, c + i, p->row0 + p->j);
}

/* Applies the block's reflectors to column c below row `row`, the row of the newest one. */
static void update_column(struct panel *p, int64_t c, int64_t row)
{
    int below = (int)(p->m - row - 1), k = p->j - p->first + 1;
    element *w = coefficients(p, c);
    if (below > 0)
        BLAS(gemv)
    (CblasColMajor, CblasNoTrans, below, k, SCALAR(-1), reflectors(p, row + 1), p->block->ld, w, 1,
     SCALAR(1), column(p, c) + row + 1, 1);
    for (int q = 0; q < k; q++)
        w[q] = 0;
}

/* Removes the element r of R from the norm of column c. Where cancellation leaves no correct digit,
 * updates the column and computes the norm anew. */
static void downdate_norm(struct panel *p, int64_t c, int64_t row, element r)
{
    const double least = sqrt(sizeof(real) == sizeof(double) ? DBL_EPSILON / 2 : FLT_EPSILON / 2);
    if (p->norm[c] == 0)
        return;
    double part = MAGNITUDE(r) / p->norm[c], left = (1 + part) * (1 - part),
           since = p->norm[c] / p->exact_norm[c];
    left = left < 0 ? 0 : left;
    if (left * since * since <= least) {
        update_column(p, c, row);
        compute_norm(p, c, row + 1);
    } else {
        p->norm[c] *= sqrt(left);
    }
}

/* -- one column ------------------------------------------------------------------------------ */

/* Returns the column with the largest norm, the first of several; NaN is the largest. */
static int64_t largest_column(const struct panel *p)
{
    int64_t largest = p->j;
    for (int64_t c = p->j + 1; c < p->n; c++)
        if (p->norm[c] > p->norm[largest] || (isnan(p->norm[c]) && !isnan(p->norm[largest])))
            largest = c;
    return largest;
}

static void swap_columns(struct panel *p, int64_t c, int64_t d)
{
    int64_t number = p->order[c];
    if (c == d)
        return;
    BLAS(swap)(p->m, column(p, c), 1, column(p, d), 1);
    p->order[c] = p->order[d];
    p->order[d] = number;
}

/* Interchanges column p->j with the one of the largest norm. The norms of column p->j are not used
 * any more. */
static void take_pivot(struct panel *p)
{
    int64_t pivot = largest_column(p);
    swap_columns(p, p->j, pivot);
    BLAS(swap)(p->j - p->first, coefficients(p, p->j), 1, coefficients(p, pivot), 1);
    p->norm[pivot] = p->norm[p->j];
    p->exact_norm[pivot] = p->exact_norm[p->j];
}

/* y := x W for the block's earlier reflectors and a group of columns */
static void multiply_coefficients(const struct panel *p, const element *x, int64_t c, int count,
                                  element *y)
{
    int q = p->j - p->first;
    if (q > 0)
        BLAS(gemv)
    (CblasColMajor, CblasTrans, q, count, SCALAR(1), coefficients(p, c), INNER, x, 1, SCALAR(0), y,
     1);
    else memset(y, 0, (size_t)count * sizeof *y);
}

/* W(q,c) := conj(tau) vᴴ (A(:,c) − V W(:,c)) for the newest reflector v, number q of the block, and
 * the row of R, A(row,c) −= V(row,:) W(:,c) */
static void reflect_group(struct panel *p, int64_t c, int count)
{
    int64_t row = p->row0 + p->j;
    int q = p->j - p->first, ld = p->block[c / p->nb].ld;
    element dots[GROUP], known[GROUP], in_row[GROUP], *a = column(p, c) + row;
    BLAS(gemv)
    (CblasColMajor, CblasConjTrans, (int)(p->m - row), count, SCALAR(1), a, ld,
     column(p, p->j) + row, 1, SCALAR(0), dots, 1);
    multiply_coefficients(p, p->z, c, count, known);
    multiply_coefficients(p, p->row, c, count, in_row);
    for (int i = 0; i < count; i++, a += ld) {
        element w = conjugate(p->tau) * (conjugate(dots[i]) - known[i]);
        coefficients(p, c + i)[q] = w;
        *a -= in_row[i] + w;
        if (p->has_norms)
            downdate_norm(p, c + i, row, *a);
    }
}

/* Computes the reflector of column p->j, and W and the row of R for the columns to its right. */
static void factor_column(struct panel *p, element *tau)
{
    int64_t row = p->row0 + p->j;
    int rows = (int)(p->m - row), q = p->j - p->first, ldv = p->block->ld, one = 1;
    const element *V = reflectors(p, row);
    element *a = column(p, p->j) + row;
    if (q > 0) /* a −= V W(:,j) */
        BLAS(gemv)
    (CblasColMajor, CblasNoTrans, rows, q, SCALAR(-1), V, ldv, coefficients(p, p->j), 1, SCALAR(1),
     a, 1);
    LAPACK(larfg)(&rows, a, rows > 1 ? a + 1 : a, &one, &p->tau);
    element beta = *a;
    *a = 1;
    if (q > 0) /* z = vᴴ V */
        BLAS(gemv)
    (CblasColMajor, CblasConjTrans, rows, q, SCALAR(1), V, ldv, a, 1, SCALAR(0), p->z, 1);
    for (int k = 0; k < q; k++) {
        p->z[k] = conjugate(p->z[k]);
        p->row[k] = V[(ptrdiff_t)k * ldv];
    }
    for_groups(p, p->j + 1, reflect_group);
    *a = beta;
    *tau = p->tau;
}

/* -- blocks ---------------------------------------------------------------------------------- */

/* A(:,c) −= V W(:,c) below the rows of R */
static void update_group(struct panel *p, int64_t c, int count)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int64_t row = p->row0 + p->j;
    NAME(gemm)
    (NULL, 'N', 'N', (int)(p->m - row), count, p->j - p->first, minus_one, reflectors(p, row),
     p->block->ld, coefficients(p, c), INNER, one, column(p, c) + row, p->block[c / p->nb].ld);
}

/* Begins a block at column p->j, after the update of all columns from there on. */
static void begin_block(struct panel *p)
{
    if (p->row0 + p->j < p->m && p->j > p->first)
        for_groups(p, p->j, update_group);
    p->first = p->j;
}

/* Numbers all columns, and moves those that the caller wants first to the front. */
static void move_chosen(struct panel *p, int64_t chosen)
{
    for (int64_t c = 0; c < p->n; c++)
        p->order[c] = c + 1;
    for (int64_t c = 0; c < chosen; c++)
        swap_columns(p, c, p->order[p->n + c] - 1);
}

int NAME(geqp3)(startile_exec *x, startile_team *team, int blocks, const startile_piece *a, int nb,
                int64_t row0, int64_t n, int k, int64_t chosen, int64_t *order, double *norms,
                void *t, int ldt)
{
    element *w = malloc((size_t)n * INNER * sizeof *w + 1), *tau = t;
    (void)x;
    (void)blocks;
    if (w == NULL)
        return STARTILE_ERROR_MEMORY;
    struct panel p = {.team = team,
                      .block = a,
                      .nb = nb,
                      .m = a->m,
                      .row0 = row0,
                      .n = n,
                      .order = order + row0,
                      .norm = norms + row0,
                      .exact_norm = norms + row0 + n + row0,
                      .w = w};
    if (row0 == 0)
        move_chosen(&p, chosen);
    for (; p.j < k; p.j++) {
        int64_t column_number = row0 + p.j;
        if (p.j - p.first == INNER || column_number == chosen)
            begin_block(&p);
        if (column_number == chosen)
            for_groups(&p, p.j, compute_norms);
        p.has_norms = column_number >= chosen;
        if (p.has_norms)
            take_pivot(&p);
        factor_column(&p, tau + p.j + (ptrdiff_t)p.j * ldt);
    }
    begin_block(&p);
    free(w);
    return 0;
}
