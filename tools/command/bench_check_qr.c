/*
 * Residuals of QR in `startile bench`, eps being the unit roundoff of the type: the larger of
 * ‖(A − Q R) V‖₁ / (max(m, n) ‖A‖₁ eps), or what stands for it, and ‖(V − Qᴴ Q V)‖₁ / (order eps).
 */
#include "bench_probes.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static double scaled(const struct problem *p, double residual, int64_t dimension, double norm)
{
    double scale = (double)dimension * norm * dtype_unit_roundoff(p->dtype);
    return residual == 0 ? 0 : residual / scale;
}

/* Y := op(Q) Y for as many rows as Q's order */
static int64_t apply_q(const struct problem *p, const struct library_data *x, char trans, void *y)
{
    startile_shape a = startile_matrix_shape(x->matrix[0]);
    bool in_rows = p->routine->reflectors == REFLECTORS_IN_ROWS;
    int64_t order = in_rows ? a.n : a.m, mb = in_rows ? at_least_1(order) : a.mb;
    startile_matrix *Y = NULL;
    int64_t status =
        startile_matrix_wrap(&Y, a.dtype, order, PROBES, y, at_least_1(order), mb, PROBES);
    if (!status && x->tree)
        status = startile_unmqr_tree('L', trans, x->matrix[0], x->tree, Y);
    else if (!status && in_rows)
        status = startile_unmlq('L', trans, x->matrix[0], x->reflectors, Y);
    else if (!status)
        status = startile_unmqr('L', trans, x->matrix[0], x->reflectors, Y);
    startile_matrix_destroy(Y);
    return status;
}

/* *residual := the larger of it and Q's distance from a unitary matrix of that order */
static int64_t check_unitary(const struct problem *p, const struct library_data *x, int64_t order,
                             double *residual)
{
    void *v = probes_make(p, order), *w = probe_columns(p, order);
    int64_t status = v && w ? 0 : STARTILE_ERROR_MEMORY;
    if (!status) {
        probes_copy(p, v, order, w, order);
        status = apply_q(p, x, 'N', w);
    }
    if (!status)
        status = apply_q(p, x, 'C', w);
    if (!status)
        *residual = larger(scaled(p, probes_distance(p, v, w, order), order, 1), *residual);
    free(v);
    free(w);
    return status;
}

/* -- A − Q R -------------------------------------------------------------------------------- */

/* Y := Q R V */
static int64_t multiply_qr(const struct problem *p, const struct library_data *x, void *v, void *y)
{
    int64_t k = smaller(p->m, p->n);
    struct square_copy copy = {.matrix = NULL};
    void *w = probe_columns(p, k);
    int64_t status = w ? square_copy_open(x->matrix[0], k, p->n, &copy) : STARTILE_ERROR_MEMORY;
    if (!status)
        status = probes_multiply_triangle('U', 'N', copy.matrix, v, w);
    square_copy_close(&copy);
    if (!status) {
        probes_copy(p, w, k, y, p->m);
        status = apply_q(p, x, 'N', y);
    }
    free(w);
    return status;
}

/* Y := L Q V */
static int64_t multiply_lq(const struct problem *p, const struct library_data *x, void *v, void *y)
{
    int64_t k = smaller(p->m, p->n);
    struct square_copy copy = {.matrix = NULL};
    void *qv = probe_columns(p, p->n), *w = probe_columns(p, k);
    int64_t status = qv && w ? 0 : STARTILE_ERROR_MEMORY;
    if (!status) {
        probes_copy(p, v, p->n, qv, p->n);
        status = apply_q(p, x, 'N', qv);
    }
    if (!status)
        status = square_copy_open(x->matrix[0], p->m, k, &copy);
    if (!status) {
        probes_copy(p, qv, p->n, w, k);
        status = probes_multiply_triangle('L', 'N', copy.matrix, w, y);
    }
    square_copy_close(&copy);
    free(qv);
    free(w);
    return status;
}

typedef int64_t product(const struct problem *p, const struct library_data *x, void *v, void *y);

/* *residual := ‖(A − product) V‖₁, scaled */
static int64_t check_product(product *multiply, const struct problem *p,
                             const struct library_data *x, double *residual)
{
    void *v = probes_make(p, p->n), *av = probe_columns(p, p->m), *y = probe_columns(p, p->m);
    double a = NAN;
    int64_t status = v && av && y ? 0 : STARTILE_ERROR_MEMORY;
    if (!status)
        status = probes_multiply_operand(p, 0, v, av, &a);
    if (!status)
        status = multiply(p, x, v, y);
    if (!status)
        *residual = scaled(p, probes_distance(p, av, y, p->m), p->m > p->n ? p->m : p->n, a);
    free(v);
    free(av);
    free(y);
    return status;
}

int64_t check_qr(const struct problem *p, const struct library_data *x, double *residual)
{
    int64_t status = check_product(multiply_qr, p, x, residual);
    return status ? status : check_unitary(p, x, p->m, residual);
}

int64_t check_lq(const struct problem *p, const struct library_data *x, double *residual)
{
    int64_t status = check_product(multiply_lq, p, x, residual);
    return status ? status : check_unitary(p, x, p->n, residual);
}

/* -- ormqr: C₀ − Q C ------------------------------------------------------------------------ */

int64_t check_apply_q(const struct problem *p, const struct library_data *x, double *residual)
{
    void *v = probes_make(p, p->k), *w = probe_columns(p, p->m), *y = probe_columns(p, p->m);
    double c = NAN;
    int64_t status = v && w && y ? 0 : STARTILE_ERROR_MEMORY;
    if (!status)
        status = probes_multiply_operand(p, 1, v, w, &c);
    if (!status)
        status = probes_multiply('N', x->matrix[1], v, y);
    if (!status)
        status = apply_q(p, x, 'N', y);
    if (!status)
        *residual = scaled(p, probes_distance(p, w, y, p->m), p->m, c);
    free(v);
    free(w);
    free(y);
    return status;
}

/* -- orgqr: A − Q R with R the upper triangle of Qᴴ A --------------------------------------------
 */

/* Of the unit vectors' columns: what makes R's columns. */
static void cut_triangle(const struct problem *p, void *w)
{
    for (int64_t c = 1; c < PROBES; c++)
        for (int64_t i = probe_row(p->n, c) + 1; i < p->n; i++)
            element_set(p->dtype, w, (size_t)(i + c * p->n), 0);
}

/* Y := Q R V */
static int64_t multiply_made_q(const struct problem *p, const struct library_data *x, void *v,
                               void *y)
{
    void *w = probe_columns(p, p->n);
    double unused;
    int64_t status = w ? probes_multiply_operand(p, 0, v, y, &unused) : STARTILE_ERROR_MEMORY;
    if (!status)
        status = probes_multiply('C', x->matrix[0], y, w);
    if (!status) {
        cut_triangle(p, w);
        status = probes_multiply('N', x->matrix[0], w, y);
    }
    free(w);
    return status;
}

int64_t check_make_q(const struct problem *p, const struct library_data *x, double *residual)
{
    void *v = probes_make(p, p->n), *w = probe_columns(p, p->n), *y = probe_columns(p, p->m);
    int64_t status =
        v && w && y ? check_product(multiply_made_q, p, x, residual) : STARTILE_ERROR_MEMORY;
    if (!status)
        status = probes_multiply('N', x->matrix[0], v, y);
    if (!status)
        status = probes_multiply('C', x->matrix[0], y, w);
    if (!status)
        *residual = larger(scaled(p, probes_distance(p, v, w, p->n), p->m, 1), *residual);
    free(v);
    free(w);
    free(y);
    return status;
}
