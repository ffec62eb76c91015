/*
 * QR in `startile solve`: systems, least squares, solutions of least norm.
 */
#include "dense.h"
#include "measure.h"
#include "scalar.h"
#include "solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Column-major, without holes; either may have more rows: the first ones count. */
static void copy_columns(startile_dtype dtype, int64_t columns, const void *from, int64_t from_rows,
                         void *to, int64_t to_rows)
{
    size_t size = dtype_size(dtype), bytes = (size_t)smaller(from_rows, to_rows) * size;
    for (int64_t k = 0; k < columns && bytes; k++)
        memcpy((char *)to + (size_t)(k * to_rows) * size,
               (const char *)from + (size_t)(k * from_rows) * size, bytes);
}

static int64_t choose_tiles(const struct solve_settings *s, const struct linear_system *p,
                            struct solution *solution)
{
    solution->mb = at_least_1(p->m);
    solution->nb = s->nb;
    return s->nb ? 0
                 : startile_tile_shape("gels", p->dtype, p->m, p->n, &solution->mb, &solution->nb);
}

/* The time ends with the results in main memory. */
static int64_t solve_in(struct linear_system *p, struct solution *solution, void *x)
{
    startile_matrix *A = NULL, *X = NULL;
    int64_t lda = at_least_1(p->m), rows = larger(p->m, p->n), ldx = at_least_1(rows);
    int64_t mb = solution->mb, nb = solution->nb;
    int64_t mbx = mb < p->m ? mb : ldx; /* both or none in tiles of all rows */
    double start = now_seconds();
    int64_t outcome = startile_matrix_wrap(&A, p->dtype, p->m, p->n, p->factors, lda, mb, nb);
    if (!outcome)
        outcome = startile_matrix_wrap(&X, p->dtype, rows, p->nrhs, x, ldx, mbx, nb);
    if (!outcome)
        outcome = startile_gels('N', A, X);
    startile_matrix_destroy(A);
    startile_matrix_destroy(X);
    solution->seconds = now_seconds() - start;
    return outcome;
}

/* x in storage with room for b too. */
static int64_t solve_system(struct linear_system *p, struct solution *solution)
{
    int64_t rows = larger(p->m, p->n), count = rows * p->nrhs;
    void *x = calloc((size_t)at_least_1(count), dtype_size(p->dtype));
    if (!x)
        return STARTILE_ERROR_MEMORY;
    copy_columns(p->dtype, p->nrhs, p->b, p->m, x, rows);
    pin_elements(true, x, count, p->dtype);
    int64_t outcome = solve_in(p, solution, x);
    pin_elements(false, x, count, p->dtype);
    copy_columns(p->dtype, p->nrhs, x, rows, p->x, p->n);
    free(x);
    return outcome;
}

/* gecon takes the factors L and U in one square matrix: here I and R, or I and Lᴴ of LQ. */
static int64_t estimate_condition(struct linear_system *p, struct solution *solution)
{
    int64_t k = smaller(p->m, p->n);
    void *r = malloc((size_t)at_least_1(k * k) * dtype_size(p->dtype));
    startile_matrix *R = NULL;
    if (!r)
        return STARTILE_ERROR_MEMORY;
    dense_upper_triangle(p->dtype, k, p->factors, p->m, p->m < p->n, r);
    double norm = dense_norm1(p->dtype, k, k, r);
    int64_t mb, nb, outcome = startile_tile_shape("gecon", p->dtype, k, k, &mb, &nb);
    if (!outcome)
        outcome = startile_matrix_wrap(&R, p->dtype, k, k, r, at_least_1(k), mb, nb);
    /* NaN tells nothing about the rank: the residual will show it. */
    if (!outcome && isfinite(norm))
        outcome = startile_gecon('1', R, norm, &solution->rcond);
    startile_matrix_destroy(R);
    free(r);
    return outcome;
}

int64_t run_qr(const struct solve_settings *s, struct linear_system *p, struct solution *solution)
{
    int64_t count = p->m * p->n;
    solution->method = METHOD_QR;
    p->factors = malloc((size_t)at_least_1(count) * dtype_size(p->dtype));
    if (!p->factors)
        return STARTILE_ERROR_MEMORY;
    copy_columns(p->dtype, p->n, p->a, p->m, p->factors, p->m);
    int64_t outcome = choose_tiles(s, p, solution);
    pin_elements(true, p->factors, count, p->dtype);
    if (!outcome)
        outcome = solve_system(p, solution);
    pin_elements(false, p->factors, count, p->dtype);
    return outcome ? outcome : estimate_condition(p, solution);
}

/* A column that depends on others leaves a diagonal element of R of some rounding errors of ‖A‖,
 * and norms make its reciprocal condition number smaller rather than larger. */
enum { ROUNDING_ERRORS = 4 };

bool is_rank_deficient(const struct linear_system *p, const struct solution *solution)
{
    return solution->method == METHOD_QR &&
           solution->rcond < ROUNDING_ERRORS * dtype_unit_roundoff(p->dtype);
}
