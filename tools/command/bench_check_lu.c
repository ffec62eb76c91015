/*
 * Residuals of LU and of the inverse in `startile bench`, eps being the unit roundoff of the type.
 */
#include "bench_probes.h"
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

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

/* residual / (n · norm · eps) */
static double scaled(double residual, const struct problem *p, double norm)
{
    return residual == 0 ? 0 : residual / ((double)p->n * norm * dtype_unit_roundoff(p->dtype));
}

/* -- ‖P A − L U‖₁ / (n ‖A‖₁ eps) ----------------------------------------------------------------
 */

/* Y := L U V. U's rows beyond the n-th are zero, and so are L's columns beyond the m-th. */
static int64_t multiply_factors(const struct problem *p, const startile_matrix *LU, void *v,
                                void *y)
{
    void *w = probe_columns(p, p->n);
    int64_t status = w ? probes_multiply_triangle('U', 'N', LU, v, y) : STARTILE_ERROR_MEMORY;
    if (!status) {
        probes_copy(p, y, p->m, w, p->n);
        status = probes_multiply_triangle('L', 'U', LU, w, y);
    }
    free(w);
    return status;
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
    void *v = probes_make(p, p->n), *pav = probe_columns(p, p->m), *luv = probe_columns(p, p->m);
    struct square_copy copy = {.matrix = NULL};
    double a = NAN;
    int64_t status = v && pav && luv ? 0 : STARTILE_ERROR_MEMORY;
    if (!status)
        status = probes_multiply_operand(p, 0, v, pav, &a);
    if (!status && x->pivots)
        status = apply_pivots(p, x->pivots, pav);
    if (!status)
        status = square_copy_open(x->matrix[0], p->m, p->n, &copy);
    if (!status)
        status = multiply_factors(p, copy.matrix, v, luv);
    if (!status)
        *residual = scaled(probes_distance(p, pav, luv, p->m), p, a);
    square_copy_close(&copy);
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
    void *v = probes_make(p, p->n), *w = probe_columns(p, p->n), *y = probe_columns(p, p->n);
    double a = NAN, inverse = NAN, left = NAN, right = NAN;
    int64_t status = v && w && y ? 0 : STARTILE_ERROR_MEMORY;
    if (!status)
        status = startile_lange('1', x->matrix[0], &inverse);
    if (!status)
        status = probes_multiply_operand(p, 0, v, w, &a);
    if (!status)
        status = probes_multiply('N', x->matrix[0], w, y);
    if (!status) {
        left = probes_distance(p, v, y, p->n);
        status = probes_multiply('N', x->matrix[0], v, w);
    }
    if (!status)
        status = probes_multiply_operand(p, 0, w, y, &a);
    if (!status) {
        right = probes_distance(p, v, y, p->n);
        *residual = scaled(left < right ? left : right, p, a * inverse);
    }
    free(v);
    free(w);
    free(y);
    return status;
}
