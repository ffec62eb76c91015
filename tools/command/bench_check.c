/*
 * Scaled residuals of `startile bench`, eps being the unit roundoff of the type. They are small
 * numbers for any backward stable method, and below 30 for a good result.
 */
#include "bench.h"
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static void describe(const struct problem *p, struct operand *o)
{
    p->routine->describe(p, o);
}

static double ratio(double residual, double scale)
{
    return residual == 0 ? 0 : residual / scale;
}

/* -- Cholesky: ‖A − T Tᴴ‖₁ / (n ‖A‖₁ eps) --------------------------------------------------------
 */

/* *T := the triangle uplo of A, zero elsewhere */
static int64_t triangle_of(const struct problem *p, const startile_matrix *A, startile_matrix **T)
{
    *T = NULL;
    int64_t status = startile_matrix_create(T, p->dtype, p->n, p->n, p->mb, p->nb);
    if (!status)
        status = startile_laset('G', 0, 0, *T);
    return status ? status : startile_lacpy(p->uplo, A, *T);
}

int64_t check_cholesky(const struct problem *p, const struct library_data *x, double *residual)
{
    struct operand o[MAX_OPERANDS];
    startile_matrix *R = NULL, *T = NULL;
    double a = NAN, r = NAN;
    describe(p, o);
    int64_t status = operand_make(p, &o[0], p->mb, p->nb, &R);
    if (!status)
        status = startile_lanhe('1', p->uplo, R, &a);
    if (!status)
        status = triangle_of(p, x->matrix[0], &T);
    if (!status)
        status = startile_herk(p->uplo, p->uplo == 'L' ? 'N' : 'C', -1, T, 1, R);
    if (!status)
        status = startile_lanhe('1', p->uplo, R, &r);
    startile_matrix_destroy(T);
    startile_matrix_destroy(R);
    *residual = ratio(r, (double)p->n * a * dtype_unit_roundoff(p->dtype));
    return status;
}

/* -- solves: ‖B − A X‖₁ / (n ‖A‖₁ ‖X‖₁ eps) ------------------------------------------------------
 */

int64_t check_solution(const struct problem *p, const struct library_data *x, double *residual)
{
    struct operand o[MAX_OPERANDS];
    startile_matrix *A = NULL, *R = NULL;
    double a = NAN, solution = NAN, r = NAN;
    describe(p, o);
    /* X's tiles may be as tall as the matrix; then A's must be as wide here. */
    int64_t status = operand_make(p, &o[0], p->nb, p->mb, &A);
    if (!status)
        status = operand_make(p, &o[1], p->nb, p->nb, &R);
    if (!status)
        status = startile_lange('1', A, &a);
    if (!status)
        status = startile_lange('1', x->matrix[1], &solution);
    if (!status)
        status = startile_gemm('N', 'N', -1, A, x->matrix[1], 1, R);
    if (!status)
        status = startile_lange('1', R, &r);
    startile_matrix_destroy(A);
    startile_matrix_destroy(R);
    *residual = ratio(r, (double)p->n * a * solution * dtype_unit_roundoff(p->dtype));
    return status;
}

/* -- products and triangular solves: on random vectors, on the host -----------------------------
 */

enum { VECTORS = 2 };

/* Vectors of the longest dimension: v random, y and w for results. */
struct vectors {
    int64_t length;
    double _Complex *v, *w, *y;
};

static bool make_vectors(const struct problem *p, struct vectors *u, unsigned seed)
{
    int64_t longest = p->m > p->n ? p->m : p->n;
    u->length = longest > p->k ? longest : p->k;
    size_t count = u->length > 0 ? (size_t)u->length : 1;
    u->v = calloc(count, sizeof *u->v);
    u->w = calloc(count, sizeof *u->w);
    u->y = calloc(count, sizeof *u->y);
    for (size_t i = 0; u->v && i < count; i++) {
        double re = rand_r(&seed) / (double)RAND_MAX - 0.5;
        double im = rand_r(&seed) / (double)RAND_MAX - 0.5;
        u->v[i] = dtype_is_complex(p->dtype) ? CMPLX(re, im) : re;
    }
    return u->v && u->w && u->y;
}

static void free_vectors(struct vectors *u)
{
    free(u->v);
    free(u->w);
    free(u->y);
}

static double norm1(const double _Complex *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += cabs(y[i]);
    return sum;
}

/* y += scale · operand · v for an operand that is made for this call; *norm := its 1-norm, where
 * norm is not NULL. */
static int64_t apply_operand(const struct problem *p, const struct operand *o, enum apply_as as,
                             double scale, const double _Complex *v, double _Complex *y,
                             double *norm)
{
    startile_matrix *A = NULL;
    int64_t status = operand_make(p, o, p->mb, p->nb, &A);
    if (!status && norm)
        status = as == APPLY_TRIANGULAR || as == APPLY_HERMITIAN
                     ? startile_lanhe('1', p->uplo, A, norm)
                     : startile_lange('1', A, norm);
    if (!status)
        status = apply(A, as, p->uplo, scale, v, y);
    startile_matrix_destroy(A);
    return status;
}

typedef int64_t vector_check(const struct problem *p, const struct library_data *x,
                             struct vectors *u, double *residual);

/* The largest residual over a few vectors. */
static int64_t check_on_vectors(vector_check *check, const struct problem *p,
                                const struct library_data *x, double *residual)
{
    int64_t status = 0;
    *residual = 0;
    for (unsigned seed = 1; seed <= VECTORS && !status; seed++) {
        struct vectors u;
        double value = NAN;
        status = make_vectors(p, &u, seed) ? check(p, x, &u, &value) : STARTILE_ERROR_MEMORY;
        free_vectors(&u);
        *residual = value > *residual || isnan(value) ? value : *residual;
    }
    return status;
}

/* y := C v − C₀ v + A (B v), by max(m, n, k) (‖A‖ ‖B‖ + ‖C₀‖) ‖v‖ eps */
static int64_t gemm_on_vector(const struct problem *p, const struct library_data *x,
                              struct vectors *u, double *residual)
{
    struct operand o[MAX_OPERANDS];
    double a = NAN, b = NAN, c = NAN;
    describe(p, o);
    int64_t status = apply(x->matrix[2], APPLY_GENERAL, 'G', 1, u->v, u->y);
    if (!status)
        status = apply_operand(p, &o[2], APPLY_GENERAL, -1, u->v, u->y, &c);
    if (!status)
        status = apply_operand(p, &o[1], APPLY_GENERAL, 1, u->v, u->w, &b);
    if (!status)
        status = apply_operand(p, &o[0], APPLY_GENERAL, 1, u->w, u->y, &a);
    *residual = ratio(norm1(u->y, p->m), (double)u->length * (a * b + c) * norm1(u->v, p->n) *
                                             dtype_unit_roundoff(p->dtype));
    return status;
}

/* y := C v − C₀ v + A (Aᴴ v), by max(n, k) (‖A‖ ‖Aᴴ v‖ + ‖C₀‖ ‖v‖) eps */
static int64_t herk_on_vector(const struct problem *p, const struct library_data *x,
                              struct vectors *u, double *residual)
{
    struct operand o[MAX_OPERANDS];
    double a = NAN, c = NAN;
    describe(p, o);
    int64_t status = apply(x->matrix[1], APPLY_HERMITIAN, p->uplo, 1, u->v, u->y);
    if (!status)
        status = apply_operand(p, &o[1], APPLY_HERMITIAN, -1, u->v, u->y, &c);
    if (!status)
        status = apply_operand(p, &o[0], APPLY_CONJUGATE_TRANSPOSE, 1, u->v, u->w, &a);
    if (!status)
        status = apply_operand(p, &o[0], APPLY_GENERAL, 1, u->w, u->y, NULL);
    double scale = a * norm1(u->w, p->k) + c * norm1(u->v, p->n);
    *residual = ratio(norm1(u->y, p->n), (double)u->length * scale * dtype_unit_roundoff(p->dtype));
    return status;
}

/* y := A (X v) − B v, by n ‖A‖ ‖X v‖ eps, A's norm being that of the Hermitian matrix with the
 * same triangle */
static int64_t trsm_on_vector(const struct problem *p, const struct library_data *x,
                              struct vectors *u, double *residual)
{
    struct operand o[MAX_OPERANDS];
    double a = NAN;
    describe(p, o);
    int64_t status = apply(x->matrix[1], APPLY_GENERAL, 'G', 1, u->v, u->w);
    if (!status)
        status = apply_operand(p, &o[0], APPLY_TRIANGULAR, 1, u->w, u->y, &a);
    if (!status)
        status = apply_operand(p, &o[1], APPLY_GENERAL, -1, u->v, u->y, NULL);
    double scale = (double)p->n * a * norm1(u->w, p->n);
    *residual = ratio(norm1(u->y, p->n), scale * dtype_unit_roundoff(p->dtype));
    return status;
}

int64_t check_gemm(const struct problem *p, const struct library_data *x, double *residual)
{
    return check_on_vectors(gemm_on_vector, p, x, residual);
}

int64_t check_herk(const struct problem *p, const struct library_data *x, double *residual)
{
    return check_on_vectors(herk_on_vector, p, x, residual);
}

int64_t check_trsm(const struct problem *p, const struct library_data *x, double *residual)
{
    return check_on_vectors(trsm_on_vector, p, x, residual);
}
