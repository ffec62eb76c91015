/*
 * LU factorization with partial pivoting of a panel whose rows belong to several processes, by
 * recursion on halves of its columns (Toledo, "Locality of reference in LU decomposition with
 * partial pivoting", SIAM J. Matrix Anal. Appl. 18, 1997). For each column the processes combine
 * one message with two rows: the pivot row, and the row of the diagonal block that it replaces
 * (Petitet et al., HPL). The rows of this message have only the columns of a leaf of the recursion,
 * so that it is short. After each leaf the processes combine one more message, which interchanges
 * the rows in all other columns.
 *
 * Backward error: |ΔA| ≤ γ_k |L| |U| (Higham 2002, theorem 9.3).
 */
#include "part.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of columns of a leaf of the recursion: up to it the overhead of BLAS-3 calls
 * exceeds their gain. At most 64, the bits of has_pivot_row. Measured in double precision for a
 * panel of 256 columns with 1024 / 4096 rows, on two processes of one core each (virtual machine):
 * LEAF = 8 takes 3.2 / 7.0 ms, LEAF = 16 takes 3.4 / 7.5 ms. With whole rows in each column's
 * message the panel takes 4.2 / 7.8 ms, because Open MPI 4.1 asks the receiver before it sends more
 * than 4 KB. */
enum { LEAF = 8 };

/* Message that the processes combine for each column: the best pivot on or below the diagonal with
 * its row, and the diagonal row from the process that owns it. Both rows have the n columns of the
 * leaf. */
struct message {
    double magnitude;     /* |re| + |im| of the pivot; −1 if the process has no candidate row */
    int64_t row;          /* row of the pivot in the matrix */
    int64_t has_diagonal; /* 1: the message contains the diagonal row */
    element elements[];   /* n elements of the pivot row, then n of the diagonal row */
};

/* Message that the processes combine after each leaf of n columns: the parts of rows outside the
 * columns of the leaf. */
struct leaf_message {
    uint64_t has_pivot_row; /* bit i: the message contains pivot row i */
    /* has_diagonal: 1 if the message contains the rows of the diagonal block; width: number of the
     * panel's columns outside the leaf */
    int64_t has_diagonal, width;
    element elements[]; /* n pivot rows, then the n rows that they replace, one after the other */
};

/* Interchanges of a leaf of n columns as one permutation: matrix row place[i] gets the elements of
 * matrix row row[i]. place[0 … n−1] are the rows of the leaf's diagonal block. */
struct moves {
    int count;
    int64_t place[2 * LEAF], row[2 * LEAF];
};

struct panel {
    element *a; /* the process' rows, m × n */
    int lda, m, n;
    bool has_top; /* the process owns the diagonal block, as its first n rows */
    element *u;   /* the pivot rows, n × n */
    int ldu;
    startile_rows rows;
    const startile_channel *channel; /* of all processes of the panel */
    struct message *mine, *received; /* buffers of messages; also struct leaf_message */
    int64_t row0;                    /* first row of the diagonal block in the matrix */
    int64_t *pivot;                  /* LAPACK's ipiv, 1-based rows of the matrix */
    int info, error;
};

/* Joins two failures into the least one. (startile_join) */
static void join_failures(void *data, const void *received, size_t bytes)
{
    (void)bytes;
    int64_t *a = data, b = *(const int64_t *)received;
    *a = b < *a ? b : *a;
}

/* Joins two struct message: keeps the better pivot with its row, and the diagonal row. Of equal
 * pivots the upper one is better. (startile_join) */
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

/* Joins two struct leaf_message: collects the rows that either of them has. (startile_join) */
static void join_rows(void *data, const void *received, size_t bytes)
{
    struct leaf_message *a = data;
    const struct leaf_message *b = received;
    size_t size = (bytes - sizeof *a) / sizeof(element) / 2; /* elements of all pivot rows */
    size_t n = (size_t)a->width;
    for (size_t i = 0; i * n < size; i++)
        if ((b->has_pivot_row >> i & 1) != 0)
            memcpy(a->elements + i * n, b->elements + i * n, n * sizeof(element));
    if (b->has_diagonal)
        memcpy(a->elements + size, b->elements + size, size * sizeof(element));
    a->has_pivot_row |= b->has_pivot_row;
    a->has_diagonal |= b->has_diagonal;
}

/* Returns |re| + |im|, or infinity for NaN, so that all processes choose the same pivot. */
static double magnitude(element x)
{
    double size = (double)(real)(fabs(creal(x)) + fabs(cimag(x)));
    return isnan(size) ? (double)INFINITY : size;
}

/* Returns how many of the process' first rows no longer take part from column c on: the rows of the
 * diagonal block that the pivot rows of the columns before c have replaced. */
static int rows_done(const struct panel *p, int c)
{
    return p->has_top ? c : 0;
}

/* Copies one row of n columns to consecutive elements; put_row() copies it back. */
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

/* Combines p->mine of all processes. Stores an error in p->error. */
static void combine(struct panel *p, size_t bytes, startile_join *join)
{
    int error = p->channel->combine(p->channel, p->mine, p->received, bytes, join);
    p->error = error != 0 ? error : p->error;
}

/* Chooses the pivot of column c among the rows of all processes. In the n columns of the leaf, from
 * column `first` on, copies the pivot row to U and the diagonal row to the pivot row's place. */
static void exchange_rows(struct panel *p, int c, int first, int n)
{
    struct message *mine = p->mine;
    element *leaf = p->a + (ptrdiff_t)first * p->lda;
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
    memset(mine->elements, 0, 2 * (size_t)n * sizeof(element));
    if (best >= 0) {
        mine->row = part_row(&p->rows, best);
        get_row(leaf + best, p->lda, n, mine->elements);
    }
    if (p->has_top)
        get_row(leaf + c, p->lda, n, mine->elements + n);
    combine(p, sizeof *mine + 2 * (size_t)n * sizeof(element), join_columns);
    p->pivot[c] = mine->row + 1;
    int64_t place = part_index(&p->rows, mine->row, p->m);
    if (place >= 0)
        put_row(mine->elements + n, n, leaf + place, p->lda);
    put_row(mine->elements, n, p->u + c + (ptrdiff_t)first * p->ldu, p->ldu);
}

/* Returns the interchanges of the n columns from `first` on as one permutation. */
static struct moves moves_of(const struct panel *p, int first, int n)
{
    struct moves s = {.count = n};
    for (int i = 0; i < n; i++)
        s.place[i] = s.row[i] = p->row0 + first + i;
    for (int i = 0; i < n; i++) {
        int64_t pivot = p->pivot[first + i] - 1, moved = s.row[i];
        int partner = 0;
        while (partner < s.count && s.place[partner] != pivot)
            partner++;
        if (partner == s.count) {
            s.place[partner] = s.row[partner] = pivot;
            s.count++;
        }
        s.row[i] = s.row[partner];
        s.row[partner] = moved;
    }
    return s;
}

/* Copy one row, in the columns outside the leaf, to consecutive elements and back. `end` is the
 * number of columns of the panel. */
static void get_outside_leaf(const element *a, int lda, int first, int n, int end, element *row)
{
    get_row(a, lda, first, row);
    get_row(a + (ptrdiff_t)(first + n) * lda, lda, end - first - n, row + first);
}

static void put_outside_leaf(const element *row, int first, int n, int end, element *a, int lda)
{
    put_row(row, first, a, lda);
    put_row(row + first, end - first - n, a + (ptrdiff_t)(first + n) * lda, lda);
}

/* Applies the interchanges of a leaf to all other columns of the panel. */
static void interchange_outside_leaf(struct panel *p, int first, int n)
{
    struct leaf_message *mine = (struct leaf_message *)p->mine;
    struct moves s = moves_of(p, first, n);
    int width = p->n - n;
    element *diagonal = mine->elements + (ptrdiff_t)n * width;
    if (width == 0)
        return;
    *mine = (struct leaf_message){.has_diagonal = p->has_top, .width = width};
    for (int i = 0; i < n; i++) {
        int64_t own_index = part_index(&p->rows, s.row[i], p->m);
        if (own_index >= 0) {
            mine->has_pivot_row |= (uint64_t)1 << i;
            get_outside_leaf(p->a + own_index, p->lda, first, n, p->n,
                             mine->elements + (ptrdiff_t)i * width);
        }
        if (p->has_top)
            get_outside_leaf(p->a + first + i, p->lda, first, n, p->n,
                             diagonal + (ptrdiff_t)i * width);
    }
    combine(p, sizeof *mine + 2 * (size_t)n * (size_t)width * sizeof(element), join_rows);
    for (int i = 0; i < n; i++)
        put_outside_leaf(mine->elements + (ptrdiff_t)i * width, first, n, p->n, p->u + first + i,
                         p->ldu);
    for (int i = n; i < s.count; i++) { /* these places get rows of the diagonal block */
        int64_t own_index = part_index(&p->rows, s.place[i], p->m);
        int64_t diagonal_row = s.row[i] - p->row0 - first;
        if (own_index >= 0 && diagonal_row >= 0 && diagonal_row < n)
            put_outside_leaf(diagonal + diagonal_row * width, first, n, p->n, p->a + own_index,
                             p->lda);
    }
}

/* x := x / pivot. Multiplies by the reciprocal. Divides if |pivot| is below the smallest normal
 * number, because the reciprocal may overflow. Does nothing if the pivot is 0. (LAPACK xGETF2) */
static void divide(int m, element pivot, element *x)
{
    const real least = sizeof(real) == sizeof(double) ? DBL_MIN : (real)FLT_MIN;
    if (MAGNITUDE(pivot) >= (double)least)
        BLAS(scal)(m, SCALAR(1 / pivot), x, 1);
    else
        for (int i = 0; i < m && pivot != 0; i++)
            x[i] /= pivot;
}

/* Factors the n columns from `first` on, column by column. */
static void factor_leaf(struct panel *p, int first, int n)
{
    for (int c = first; c < first + n; c++) {
        exchange_rows(p, c, first, n);
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
    interchange_outside_leaf(p, first, n);
}

/* Factors the n columns from `first` on by recursion. */
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

/* Returns the least `failure` of all processes, or the error of channel->combine(). */
static int64_t least_failure(struct panel *p, int64_t failure)
{
    int64_t received;
    int error = p->channel->combine(p->channel, &failure, &received, sizeof failure, join_failures);
    return error != 0 ? error : failure;
}

int NAME(getrf_part)(int pieces, const startile_piece *a, int n, startile_rows rows, int64_t row0,
                     startile_pivots_of_panel pivots, void *u, int ldu,
                     const startile_channel *channel, int64_t failure, startile_tile_status *status)
{
    int m = (int)tile_column_rows(pieces, a), ld = m > 0 ? m : 1;
    size_t bytes = sizeof(struct leaf_message) + 2 * LEAF * (size_t)n * sizeof(element);
    bool has_top = m > 0 && part_row(&rows, 0) == row0;
    struct panel p = {.a = a->p,
                      .lda = a->ld,
                      .m = m,
                      .n = n,
                      .has_top = has_top,
                      .u = u,
                      .ldu = ldu,
                      .rows = rows,
                      .channel = channel,
                      .mine = calloc(1, bytes),
                      .received = calloc(1, bytes),
                      .row0 = row0,
                      .pivot = pivots.of};
    element *copy = pieces == 1 ? NULL : malloc((size_t)ld * (size_t)n * sizeof *copy + 1);
    bool has_memory = p.mine != NULL && p.received != NULL && (pieces == 1 || copy != NULL);
    failure = least_failure(
        &p, has_memory || failure != STARTILE_NO_FAILURE ? failure : STARTILE_ERROR_MEMORY);
    if (failure == STARTILE_NO_FAILURE) {
        if (copy != NULL)
            gather_tile_column(pieces, a, n, p.a = copy, p.lda = ld);
        factor(&p, 0, n);
        if (has_top)
            NAME(lacpy)(NULL, 'G', n, n, u, ldu, p.a, p.lda);
        if (copy != NULL)
            scatter_tile_column(pieces, a, n, copy, ld);
        status->info = p.info;
        failure = p.error != 0 ? p.error : startile_moves_of_pivots(row0, pivots);
    }
    free(p.mine);
    free(p.received);
    free(copy);
    return (int)failure;
}
