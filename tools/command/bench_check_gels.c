/*
 * Residuals of least squares in `startile bench`, eps being the unit roundoff of the type: as
 * LAPACK's qrt17 where A is tall, but in the Frobenius norm, since the 1-norm grows so much faster
 * with m that it hides errors; as its qrt16 where A is not tall, and for a wide A also how far X is
 * from the space that A's rows span.
 */
#include "bench.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* X's storage in main memory: max(m, n) rows, of which the first n count. */
struct solution_copy {
    int64_t ld;
    void *x;
};

static int64_t copy_solution(const struct problem *p, startile_matrix *X,
                             struct solution_copy *copy)
{
    copy->ld = larger(p->m, p->n);
    copy->x = malloc((size_t)copy->ld * (size_t)p->k * dtype_size(p->dtype));
    return copy->x ? startile_to_lapack(X, copy->x, copy->ld) : STARTILE_ERROR_MEMORY;
}

/* *residual := ‖Aᴴ R‖ / (max(m, n, nrhs) ‖A‖ ‖B‖ eps) in the Frobenius norm; G takes Aᴴ R */
static int64_t check_normal_equations(const struct problem *p, const startile_matrix *A, double b,
                                      const startile_matrix *R, double *residual)
{
    startile_shape s = startile_matrix_shape(A);
    startile_matrix *G = NULL;
    double a = NAN, g = NAN;
    int64_t status = startile_matrix_create(&G, p->dtype, p->n, p->k, s.nb, s.nb);
    if (!status)
        status = startile_gemm('C', 'N', 1, A, R, 0, G);
    if (!status)
        status = startile_lange('F', G, &g);
    if (!status)
        status = startile_lange('F', A, &a);
    startile_matrix_destroy(G);
    double scale = (double)larger(larger(p->m, p->n), p->k) * a * b;
    *residual = g == 0 ? 0 : g / (scale * dtype_unit_roundoff(p->dtype));
    return status;
}

/* R := B − A X for the first m rows of B, *b := their Frobenius norm before */
static int64_t subtract_product(const startile_matrix *A, const startile_matrix *X,
                                startile_matrix *R, double *b)
{
    int64_t status = startile_lange('F', R, b);
    return status ? status : startile_gemm('N', 'N', -1, A, X, 1, R);
}

static int64_t check_residual(const struct problem *p, const struct solution_copy *copy,
                              double *residual)
{
    struct operand o[MAX_OPERANDS];
    startile_matrix *A = NULL, *X = NULL, *R = NULL;
    double a = NAN, b = NAN, r = NAN, solution = NAN;
    p->routine->describe(p, o);
    o[1].m = p->m;
    int64_t status = operand_make(p, &o[0], 0, 0, &A), nb = startile_matrix_shape(A).nb;
    if (!status)
        status = operand_make(p, &o[1], nb, nb, &R);
    if (!status)
        status = startile_matrix_wrap(&X, p->dtype, p->n, p->k, copy->x, copy->ld, nb, nb);
    if (!status)
        status = startile_lange('1', A, &a);
    if (!status)
        status = startile_lange('1', X, &solution);
    if (!status)
        status = subtract_product(A, X, R, &b);
    if (!status)
        status = startile_lange('1', R, &r);
    double scale = (double)larger(p->m, p->n) * a * solution * dtype_unit_roundoff(p->dtype);
    *residual = r == 0 ? 0 : r / scale;
    if (!status && p->m > p->n)
        status = check_normal_equations(p, A, b, R, residual);
    startile_matrix_destroy(A);
    startile_matrix_destroy(X);
    startile_matrix_destroy(R);
    return status;
}

/* -- X in the span of A's rows: Q X, with A = L Q, is zero below row m --------------------------
 */

static int64_t apply_new_q(const struct problem *p, int64_t mb, int64_t nb,
                           const struct solution_copy *copy)
{
    struct operand o[MAX_OPERANDS];
    startile_matrix *A = NULL, *T = NULL, *X = NULL;
    p->routine->describe(p, o);
    int64_t status = operand_make(p, &o[0], mb, nb, &A);
    if (!status)
        status = startile_reflectors_create(&T, A);
    if (!status)
        status = startile_gelqf(A, T);
    if (!status)
        status = startile_matrix_wrap(&X, p->dtype, p->n, p->k, copy->x, copy->ld, p->n, nb);
    if (!status)
        status = startile_unmlq('L', 'N', A, T, X);
    startile_matrix_destroy(X);
    startile_matrix_destroy(T);
    startile_matrix_destroy(A);
    return status;
}

/* Largest column sum of the rows first … n − 1 */
static double rows_norm(const struct problem *p, const struct solution_copy *copy, int64_t first)
{
    double largest = 0;
    for (int64_t j = 0; j < p->k; j++) {
        double sum = 0;
        for (int64_t i = first; i < p->n; i++)
            sum += element_abs(p->dtype, copy->x, (size_t)(i + j * copy->ld));
        largest = sum > largest || isnan(sum) ? sum : largest;
    }
    return largest;
}

/* *residual := the larger of it and ‖(Q X)(m + 1 : n)‖₁ / (max(m, n) ‖X‖₁ eps) */
static int64_t check_least_norm(const struct problem *p, const struct library_data *x,
                                struct solution_copy *copy, double *residual)
{
    startile_shape s = startile_matrix_shape(x->matrix[0]);
    double solution = rows_norm(p, copy, 0);
    int64_t status = apply_new_q(p, s.mb, s.nb, copy);
    double outside = rows_norm(p, copy, p->m);
    double scale = (double)p->n * solution * dtype_unit_roundoff(p->dtype);
    if (!status && outside != 0 && !(outside / scale < *residual))
        *residual = outside / scale;
    return status;
}

int64_t check_gels(const struct problem *p, const struct library_data *x, double *residual)
{
    struct solution_copy copy;
    int64_t status = copy_solution(p, x->matrix[1], &copy);
    if (!status)
        status = check_residual(p, &copy, residual);
    if (!status && p->m < p->n)
        status = check_least_norm(p, x, &copy, residual);
    free(copy.x);
    return status;
}
