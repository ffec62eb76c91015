/*
 * Residuals of LU and of the inverse in `startile bench`, eps being the unit roundoff of the type.
 *
 * A residual matrix R is not formed: it is multiplied with some columns V of 1-norm 1. So
 * ‖R V‖₁ ≤ ‖R‖₁, with equality for the columns of R that V picks. One column of V is random: it
 * sees all that is grossly wrong anywhere.
 */
#include "bench.h"
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { PROBES = 32 };

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

/* -- columns in main memory ----------------------------------------------------------------- */

static void *columns(const struct problem *p, int64_t rows)
{
    return calloc((size_t)at_least_1(rows) * PROBES, dtype_size(p->dtype));
}

/* Random signs by n, and unit vectors: all of them up to n = PROBES − 1, else spread evenly. */
static void *make_probes(const struct problem *p, int64_t n)
{
    unsigned seed = 1;
    void *v = columns(p, n);
    for (int64_t i = 0; v && i < n; i++)
        element_set(p->dtype, v, (size_t)i, (rand_r(&seed) & 64 ? 1.0 : -1.0) / (double)n);
    for (int64_t c = 1; v && c < PROBES; c++)
        element_set(p->dtype, v, (size_t)(c * n + (c - 1) * (n - 1) / (PROBES - 2)), 1);
    return v;
}

/* The first rows of x, as many as y has; zeros below where x has less. */
static void copy_rows(const struct problem *p, const void *x, int64_t x_rows, void *y,
                      int64_t y_rows)
{
    for (int64_t c = 0; c < PROBES; c++)
        for (int64_t i = 0; i < y_rows; i++)
            element_set(p->dtype, y, (size_t)(i + c * y_rows),
                        i < x_rows ? element_get(p->dtype, x, (size_t)(i + c * x_rows)) : 0);
}

/* LAPACK's xLASWP: row i with row ipiv[i], 1-based, one after the other. */
static void interchange_rows(const struct problem *p, const int64_t *ipiv, int64_t count, void *x,
                             int64_t rows)
{
    for (int64_t c = 0; c < PROBES; c++)
        for (int64_t i = 0; i < count; i++) {
            size_t here = (size_t)(i + c * rows), there = (size_t)(ipiv[i] - 1 + c * rows);
            double _Complex value = element_get(p->dtype, x, here);
            element_set(p->dtype, x, here, element_get(p->dtype, x, there));
            element_set(p->dtype, x, there, value);
        }
}

/* ‖X − Y‖₁ */
static double distance(const struct problem *p, const void *x, const void *y, int64_t rows)
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

/* residual / (n · norm · eps) */
static double scaled(double residual, const struct problem *p, double norm)
{
    return residual == 0 ? 0 : residual / ((double)p->n * norm * dtype_unit_roundoff(p->dtype));
}

/* Y := A X for columns X and Y. */
static int64_t multiply(const startile_matrix *A, void *x, void *y)
{
    startile_shape a = startile_matrix_shape(A);
    startile_matrix *X = NULL, *Y = NULL;
    int64_t status =
        startile_matrix_wrap(&X, a.dtype, a.n, PROBES, x, at_least_1(a.n), a.nb, PROBES);
    if (!status)
        status = startile_matrix_wrap(&Y, a.dtype, a.m, PROBES, y, at_least_1(a.m), a.mb, PROBES);
    if (!status)
        status = startile_gemm('N', 'N', 1, A, X, 0, Y);
    startile_matrix_destroy(X);
    startile_matrix_destroy(Y);
    return status;
}

/* Y := A X for the operand, which is made for this call; *norm := ‖A‖₁ */
static int64_t multiply_operand(const struct problem *p, void *x, void *y, double *norm)
{
    struct operand o[MAX_OPERANDS];
    startile_matrix *A = NULL;
    p->routine->describe(p, o);
    int64_t status = operand_make(p, &o[0], 0, 0, &A);
    if (!status)
        status = startile_lange('1', A, norm);
    if (!status)
        status = multiply(A, x, y);
    startile_matrix_destroy(A);
    return status;
}

/* -- ‖P A − L U‖₁ / (n ‖A‖₁ eps) ----------------------------------------------------------------
 */

/* Y := T X, where T is the upper triangle of LU, or the lower one with ones on the diagonal. */
static int64_t multiply_factor(char uplo, const startile_matrix *LU, void *x, void *y)
{
    startile_shape s = startile_matrix_shape(LU);
    startile_matrix *T = NULL;
    int64_t status = startile_matrix_create(&T, s.dtype, s.m, s.n, s.mb, s.nb);
    if (!status)
        status = startile_laset('G', 0, 0, T);
    if (!status)
        status = startile_lacpy(uplo, LU, T);
    if (!status && uplo == 'L')
        status = startile_laset('U', 0, 1, T);
    if (!status)
        status = multiply(T, x, y);
    startile_matrix_destroy(T);
    return status;
}

/* Y := L U V. U's rows beyond the n-th are zero, and so are L's columns beyond the m-th. */
static int64_t multiply_factors(const struct problem *p, const startile_matrix *LU, void *v,
                                void *y)
{
    void *w = columns(p, p->n);
    int64_t status = w ? multiply_factor('U', LU, v, y) : STARTILE_ERROR_MEMORY;
    if (!status) {
        copy_rows(p, y, p->m, w, p->n);
        status = multiply_factor('L', LU, w, y);
    }
    free(w);
    return status;
}

/* The factors in square tiles, which alone laset and lacpy cut into triangles. */
struct square_copy {
    void *storage;
    size_t bytes;
    startile_matrix *matrix;
};

static int64_t copy_into_square_tiles(startile_matrix *LU, struct square_copy *copy)
{
    startile_shape s = startile_matrix_shape(LU);
    int64_t ld = at_least_1(s.m);
    copy->bytes = (size_t)ld * (size_t)at_least_1(s.n) * dtype_size(s.dtype);
    if (posix_memalign(&copy->storage, 4096, copy->bytes)) {
        copy->storage = NULL;
        return STARTILE_ERROR_MEMORY;
    }
    /* Transfers work without page-locking too, slower. */
    (void)startile_pin(copy->storage, copy->bytes);
    int64_t status = startile_to_lapack(LU, copy->storage, ld);
    return status ? status
                  : startile_matrix_wrap(&copy->matrix, s.dtype, s.m, s.n, copy->storage, ld, 0, 0);
}

static void free_copy(struct square_copy *copy)
{
    startile_matrix_destroy(copy->matrix);
    if (copy->storage)
        (void)startile_unpin(copy->storage, copy->bytes);
    free(copy->storage);
}

/* Y := P Y */
static int64_t apply_pivots(const struct problem *p, startile_pivots *P, void *y)
{
    int64_t *ipiv = malloc((size_t)pivot_count(p) * sizeof *ipiv);
    int64_t status = ipiv ? startile_pivots_to_lapack(P, ipiv) : STARTILE_ERROR_MEMORY;
    if (!status)
        interchange_rows(p, ipiv, pivot_count(p), y, p->m);
    free(ipiv);
    return status;
}

int64_t check_lu(const struct problem *p, const struct library_data *x, double *residual)
{
    void *v = make_probes(p, p->n), *pav = columns(p, p->m), *luv = columns(p, p->m);
    struct square_copy copy = {.matrix = NULL};
    double a = NAN;
    int64_t status = v && pav && luv ? 0 : STARTILE_ERROR_MEMORY;
    if (!status)
        status = multiply_operand(p, v, pav, &a);
    if (!status && x->pivots)
        status = apply_pivots(p, x->pivots, pav);
    if (!status)
        status = copy_into_square_tiles(x->matrix[0], &copy);
    if (!status)
        status = multiply_factors(p, copy.matrix, v, luv);
    if (!status)
        *residual = scaled(distance(p, pav, luv, p->m), p, a);
    free_copy(&copy);
    free(v);
    free(pav);
    free(luv);
    return status;
}

/* -- ‖I − A X‖₁ or ‖I − X A‖₁, the smaller, / (n ‖A‖₁ ‖X‖₁ eps) ----------------------------------
 */

/* A method for the inverse makes one of the two small; the other may then be larger by A's
 * condition number (Higham 2002, section 14.1). */
int64_t check_inverse(const struct problem *p, const struct library_data *x, double *residual)
{
    void *v = make_probes(p, p->n), *w = columns(p, p->n), *y = columns(p, p->n);
    double a = NAN, inverse = NAN, left = NAN, right = NAN;
    int64_t status = v && w && y ? 0 : STARTILE_ERROR_MEMORY;
    if (!status)
        status = startile_lange('1', x->matrix[0], &inverse);
    if (!status)
        status = multiply_operand(p, v, w, &a);
    if (!status)
        status = multiply(x->matrix[0], w, y);
    if (!status) {
        left = distance(p, v, y, p->n);
        status = multiply(x->matrix[0], v, w);
    }
    if (!status)
        status = multiply_operand(p, w, y, &a);
    if (!status) {
        right = distance(p, v, y, p->n);
        *residual = scaled(left < right ? left : right, p, a * inverse);
    }
    free(v);
    free(w);
    free(y);
    return status;
}
