/*
 * Columns to multiply residuals with, in main memory, and the library's products with them.
 */
#include "bench_probes.h"
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

void *probe_columns(const struct problem *p, int64_t rows)
{
    return calloc((size_t)at_least_1(rows) * PROBES, dtype_size(p->dtype));
}

int64_t probe_row(int64_t n, int64_t c)
{
    return (c - 1) * (n - 1) / (PROBES - 2);
}

void *probes_make(const struct problem *p, int64_t n)
{
    unsigned seed = 1;
    void *v = probe_columns(p, n);
    for (int64_t i = 0; v && i < n; i++)
        element_set(p->dtype, v, (size_t)i, (rand_r(&seed) & 64 ? 1.0 : -1.0) / (double)n);
    for (int64_t c = 1; v && c < PROBES; c++)
        element_set(p->dtype, v, (size_t)(c * n + probe_row(n, c)), 1);
    return v;
}

void probes_copy(const struct problem *p, const void *x, int64_t x_rows, void *y, int64_t y_rows)
{
    for (int64_t c = 0; c < PROBES; c++)
        for (int64_t i = 0; i < y_rows; i++)
            element_set(p->dtype, y, (size_t)(i + c * y_rows),
                        i < x_rows ? element_get(p->dtype, x, (size_t)(i + c * x_rows)) : 0);
}

double probes_distance(const struct problem *p, const void *x, const void *y, int64_t rows)
{
    double largest = 0;
    for (int64_t c = 0; c < PROBES; c++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            size_t at = (size_t)(i + c * rows);
            sum += cabs(element_get(p->dtype, x, at) - element_get(p->dtype, y, at));
        }
        largest = sum > largest || isnan(sum) ? sum : largest;
    }
    return largest;
}

int64_t probes_multiply(char trans, const startile_matrix *A, void *x, void *y)
{
    startile_shape a = startile_matrix_shape(A);
    startile_matrix *X = NULL, *Y = NULL;
    void *across = trans == 'N' ? x : y, *down = trans == 'N' ? y : x; /* beside A's two sides */
    startile_matrix **wide = trans == 'N' ? &X : &Y, **tall = trans == 'N' ? &Y : &X;
    int64_t status =
        startile_matrix_wrap(wide, a.dtype, a.n, PROBES, across, at_least_1(a.n), a.nb, PROBES);
    if (!status)
        status =
            startile_matrix_wrap(tall, a.dtype, a.m, PROBES, down, at_least_1(a.m), a.mb, PROBES);
    if (!status)
        status = startile_gemm(trans, 'N', 1, A, X, 0, Y);
    startile_matrix_destroy(X);
    startile_matrix_destroy(Y);
    return status;
}

int64_t probes_multiply_operand(const struct problem *p, int i, void *x, void *y, double *norm)
{
    struct operand o[MAX_OPERANDS];
    startile_matrix *A = NULL;
    p->routine->describe(p, o);
    int64_t status = operand_make(p, &o[i], 0, 0, &A);
    if (!status)
        status = startile_lange('1', A, norm);
    if (!status)
        status = probes_multiply('N', A, x, y);
    startile_matrix_destroy(A);
    return status;
}

int64_t probes_multiply_triangle(char uplo, char diag, const startile_matrix *A, void *x, void *y)
{
    startile_shape s = startile_matrix_shape(A);
    startile_matrix *T = NULL;
    int64_t status = startile_matrix_create(&T, s.dtype, s.m, s.n, s.mb, s.nb);
    if (!status)
        status = startile_laset('G', 0, 0, T);
    if (!status)
        status = startile_lacpy(uplo, A, T);
    if (!status && diag == 'U')
        status = startile_laset(uplo == 'L' ? 'U' : 'L', 0, 1, T);
    if (!status)
        status = probes_multiply('N', T, x, y);
    startile_matrix_destroy(T);
    return status;
}

/* -- triangles ------------------------------------------------------------------------------ */

int64_t square_copy_open(startile_matrix *A, int64_t m, int64_t n, struct square_copy *copy)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t ld = at_least_1(s.m);
    copy->bytes = (size_t)ld * (size_t)at_least_1(s.n) * dtype_size(s.dtype);
    if (posix_memalign(&copy->storage, 4096, copy->bytes)) {
        copy->storage = NULL;
        return STARTILE_ERROR_MEMORY;
    }
    /* Transfers work without page-locking too, slower. */
    (void)startile_pin(copy->storage, copy->bytes);
    int64_t status = startile_to_lapack(A, copy->storage, ld);
    return status ? status
                  : startile_matrix_wrap(&copy->matrix, s.dtype, m, n, copy->storage, ld, 0, 0);
}

void square_copy_close(struct square_copy *copy)
{
    startile_matrix_destroy(copy->matrix);
    if (copy->storage)
        (void)startile_unpin(copy->storage, copy->bytes);
    free(copy->storage);
}
