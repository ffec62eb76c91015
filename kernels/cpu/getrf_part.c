/*
 * LU factorization with partial pivoting of a panel whose rows belong to several processes, by
 * recursion on halves of its columns (Toledo, "Locality of reference in LU decomposition with
 * partial pivoting", SIAM J. Matrix Anal. Appl. 18, 1997). Each column takes one combination of two
 * rows over the processes: the pivot row, and the row of the diagonal block that it replaces
 * (Petitet et al., HPL).
 *
 * Backward error: |ΔA| ≤ γ_k |L| |U| (Higham 2002, theorem 9.3).
 */
#include "part.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Columns up to which the overhead of BLAS-3 calls exceeds their gain. */
enum { LEAF = 8 };

/* What the processes combine for a column: the best pivot of the rows below the diagonal with its
 * row, and the row on the diagonal from the process that has it. */
struct message {
    double magnitude; /* |re| + |im|, or −1 without rows */
    int64_t row;      /* row of the pivot in the matrix */
    int64_t has_diagonal;
    element elements[]; /* n of the pivot row, n of the row on the diagonal */
};

struct panel {
    element *a; /* the process' rows, m × n */
    int lda, m, n;
    bool has_top; /* the first n rows are the diagonal block */
    element *u;   /* the pivot rows */
    int ldu;
    startile_rows rows;
    const startile_channel *others;
    struct message *mine, *received;
    size_t bytes;
    int64_t *pivot;
    int info, error;
};

static void join_failures(void *data, const void *received, size_t bytes)
{
    (void)bytes;
    int64_t *a = data, b = *(const int64_t *)received;
    *a = b < *a ? b : *a;
}

static void join_columns(void *data, const void *received, size_t bytes)
{
    struct message *a = data;
    const struct message *b = received;
    size_t n = (bytes - sizeof *a) / sizeof(element) / 2;
    if (b->magnitude > a->magnitude || (b->magnitude == a->magnitude && b->row < a->row)) {
        a->magnitude = b->magnitude;
        a->row = b->row;
        memcpy(a->elements, b->elements, n * sizeof(element));
    }
    if (b->has_diagonal) {
        a->has_diagonal = 1;
        memcpy(a->elements + n, b->elements + n, n * sizeof(element));
    }
}

/* Returns |re| + |im|, and infinity for NaN, so that all processes choose the same pivot. */
static double magnitude(element x)
{
    double size = (double)(real)(fabs(creal(x)) + fabs(cimag(x)));
    return isnan(size) ? (double)INFINITY : size;
}

/* Returns the number of rows that have become pivot rows' places before column c. */
static int rows_done(const struct panel *p, int c)
{
    return p->has_top ? c : 0;
}

static void get_row(const element *a, int lda, int n, element *row)
{
    for (int j = 0; j < n; j++)
        row[j] = a[(ptrdiff_t)j * lda];
}

static void put_row(const element *row, int n, element *a, int lda)
{
    for (int j = 0; j < n; j++)
        a[(ptrdiff_t)j * lda] = row[j];
}

/* Chooses the pivot of column c among the rows of all processes, moves the pivot row to U and the
 * row on the diagonal to its place. */
static void exchange_rows(struct panel *p, int c)
{
    struct message *mine = p->mine;
    const element *column = p->a + (ptrdiff_t)c * p->lda;
    int best = -1;
    mine->magnitude = -1;
    mine->row = INT64_MAX;
    mine->has_diagonal = p->has_top;
    for (int i = rows_done(p, c); i < p->m; i++)
        if (magnitude(column[i]) > mine->magnitude) {
            mine->magnitude = magnitude(column[i]);
            best = i;
        }
    memset(mine->elements, 0, 2 * (size_t)p->n * sizeof(element));
    if (best >= 0) {
        mine->row = part_row(&p->rows, best);
        get_row(p->a + best, p->lda, p->n, mine->elements);
    }
    if (p->has_top)
        get_row(p->a + c, p->lda, p->n, mine->elements + p->n);
    int error = p->others->combine(p->others, mine, p->received, p->bytes, join_columns);
    p->error = error != 0 ? error : p->error;
    p->pivot[c] = mine->row + 1;
    int64_t place = part_index(&p->rows, mine->row, p->m);
    if (place >= 0)
        put_row(mine->elements + p->n, p->n, p->a + place, p->lda);
    put_row(mine->elements, p->n, p->u + c, p->ldu);
}

/* x := x / pivot. The reciprocal of a tiny pivot overflows. (LAPACK xGETF2) */
static void divide(int m, element pivot, element *x)
{
    const real least = sizeof(real) == sizeof(double) ? DBL_MIN : (real)FLT_MIN;
    if (MAGNITUDE(pivot) >= (double)least)
        BLAS(scal)(m, SCALAR(1 / pivot), x, 1);
    else
        for (int i = 0; i < m && pivot != 0; i++)
            x[i] /= pivot;
}

/* Factors columns first … first + n − 1 column by column. */
static void factor_leaf(struct panel *p, int first, int n)
{
    for (int c = first; c < first + n; c++) {
        exchange_rows(p, c);
        int done = rows_done(p, c + 1), m = p->m - done;
        element *l = p->a + (ptrdiff_t)c * p->lda + done, pivot = p->u[c + (ptrdiff_t)c * p->ldu];
        if (pivot == 0 && p->info == 0)
            p->info = c + 1;
        divide(m, pivot, l);
        for (int j = c + 1; j < first + n; j++) {
            element u = p->u[c + (ptrdiff_t)j * p->ldu],
                    *column = p->a + (ptrdiff_t)j * p->lda + done;
            BLAS(axpy)(m, SCALAR(-u), l, 1, column, 1);
        }
    }
}

static void factor(struct panel *p, int first, int n)
{
    if (n <= LEAF) {
        factor_leaf(p, first, n);
        return;
    }
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int n1 = n / 2, n2 = n - n1, second = first + n1, done = rows_done(p, second);
    factor(p, first, n1);
    element *l11 = p->u + first + (ptrdiff_t)first * p->ldu, *u12 = l11 + (ptrdiff_t)n1 * p->ldu;
    element *l21 = p->a + done + (ptrdiff_t)first * p->lda,
            *a22 = p->a + done + (ptrdiff_t)second * p->lda;
    NAME(trsm)(NULL, 'L', 'L', 'N', 'U', n1, n2, one, l11, p->ldu, u12, p->ldu);
    NAME(gemm)
    (NULL, 'N', 'N', p->m - done, n2, n1, minus_one, l21, p->lda, u12, p->ldu, one, a22, p->lda);
    factor(p, second, n2);
}

/* Returns the least failure of all processes. */
static int64_t agree(struct panel *p, int64_t failure)
{
    int64_t received;
    int error = p->others->combine(p->others, &failure, &received, sizeof failure, join_failures);
    return error != 0 ? error : failure;
}

int NAME(getrf_part)(int pieces, const startile_piece *a, int n, startile_rows rows, int64_t row0,
                     startile_pivots_of_panel pivots, void *u, int ldu,
                     const startile_channel *others, int64_t failure, startile_tile_status *status)
{
    int m = (int)stack_rows(pieces, a), ld = m > 0 ? m : 1;
    size_t bytes = sizeof(struct message) + 2 * (size_t)n * sizeof(element);
    bool has_top = m > 0 && part_row(&rows, 0) == row0;
    struct panel p = {a->p,          a->ld,         m,     n,         has_top, u, ldu, rows, others,
                      malloc(bytes), malloc(bytes), bytes, pivots.of, 0,       0};
    element *copy = pieces == 1 ? NULL : malloc((size_t)ld * (size_t)n * sizeof *copy + 1);
    bool has_memory = p.mine != NULL && p.received != NULL && (pieces == 1 || copy != NULL);
    failure =
        agree(&p, has_memory || failure != STARTILE_NO_FAILURE ? failure : STARTILE_ERROR_MEMORY);
    if (failure == STARTILE_NO_FAILURE) {
        if (copy != NULL)
            stack_gather(pieces, a, n, p.a = copy, p.lda = ld);
        factor(&p, 0, n);
        if (has_top)
            NAME(lacpy)(NULL, 'G', n, n, u, ldu, p.a, p.lda);
        if (copy != NULL)
            stack_scatter(pieces, a, n, copy, ld);
        status->info = p.info;
        failure = p.error != 0 ? p.error : startile_moves_of_pivots(row0, pivots);
    }
    free(p.mine);
    free(p.received);
    free(copy);
    return (int)failure;
}
