/*
 * What `startile solve` says about a solution: errors, time, method.
 */
#include "dense.h"
#include "flops.h"
#include "scalar.h"
#include "solve.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* -- errors --------------------------------------------------------------------------------- */

static double backward_error(const struct linear_system *p, const double _Complex *r, double norm)
{
    double largest = 0;
    for (int64_t k = 0; k < p->nrhs; k++) {
        double residual = dense_column_max(STARTILE_Z, p->m, r, k);
        double size = norm * dense_column_max(p->dtype, p->n, p->x, k) +
                      dense_column_max(p->dtype, p->m, p->b, k);
        if (residual > 0 || isnan(residual))
            largest = fmax(largest, residual / size);
    }
    return largest;
}

static double of_system(const struct linear_system *p, const double _Complex *r)
{
    double size =
        dense_norm1(p->dtype, p->m, p->n, p->a) * dense_norm1(p->dtype, p->n, p->nrhs, p->x);
    double residual = dense_norm1(STARTILE_Z, p->m, p->nrhs, r);
    double scale = (double)larger(p->m, p->n) * size * dtype_unit_roundoff(p->dtype);
    return residual > 0 ? residual / scale : residual;
}

/* For tall A any backward stable method keeps ‖Aᴴ r‖ small beside ‖A‖ (‖A‖ ‖x‖ + ‖r‖) (Higham 2002,
 * theorem 20.3). The Frobenius norm says more here than the 1-norm, which grows faster with m. */
static double of_normal_equations(const struct linear_system *p, const double _Complex *r)
{
    long double a = dense_norm_frobenius(p->dtype, p->m, p->n, p->a);
    long double size = a * dense_norm_frobenius(p->dtype, p->n, p->nrhs, p->x) +
                       dense_norm_frobenius(STARTILE_Z, p->m, p->nrhs, r);
    long double scale = (long double)p->m * a * size * dtype_unit_roundoff(p->dtype);
    long double residual = dense_adjoint_norm(p->dtype, p->m, p->n, p->nrhs, p->a, r);
    return (double)(residual > 0 ? residual / scale : residual);
}

static double residual_norm(const struct linear_system *p, const double _Complex *r)
{
    double largest = 0;
    for (int64_t k = 0; k < p->nrhs; k++)
        largest = fmax(largest, (double)dense_norm_frobenius(STARTILE_Z, p->m, 1, r + k * p->m));
    return largest;
}

/* The solution is all ones where b was made so and determines it. */
static bool knows_solution(const struct solve_settings *s, const struct linear_system *p)
{
    return !s->b_file && p->m >= p->n;
}

bool find_errors(const struct solve_settings *s, const struct linear_system *p, struct errors *e)
{
    double _Complex *r = elements(STARTILE_Z, p->m * p->nrhs);
    double *sums = elements(STARTILE_D, p->m);
    if (r && sums) {
        dense_residual(p->dtype, p->m, p->n, p->nrhs, p->a, p->b, p->x, r);
        double norm = dense_norm_inf(p->dtype, p->m, p->n, p->a, sums);
        bool tall = p->m > p->n;
        *e = (struct errors){.scaled_residual = tall ? of_normal_equations(p, r) : of_system(p, r),
                             .backward = backward_error(p, r, norm),
                             .residual_norm = residual_norm(p, r)};
        for (int64_t i = 0; i < p->n && knows_solution(s, p); i++)
            e->forward = fmax(e->forward, cabs(element_get(p->dtype, p->x, (size_t)i) - 1));
    }
    bool good = r && sums;
    free(r);
    free(sums);
    return good;
}

/* -- printing ------------------------------------------------------------------------------- */

static double count_flops(const struct linear_system *p, const struct solution *solution)
{
    double m = (double)p->m, n = (double)p->n, nrhs = (double)p->nrhs;
    if (solution->method == METHOD_QR)
        return flops_gels(p->dtype, m, n, nrhs);
    return solution->method == METHOD_LU
               ? flops_getrf(p->dtype, n, n) + flops_getrs(p->dtype, n, nrhs)
               : flops_potrf(p->dtype, n) + flops_potrs(p->dtype, n, nrhs);
}

static void print_cholesky(const struct solve_settings *s, char letter)
{
    printf("method                  Cholesky (%cposv), uplo %c\n", letter, s->uplo);
    if (s->refine)
        printf("refinement              none: only LU has it\n");
}

static void print_lu(const struct solve_settings *s, const struct solution *solution, char letter)
{
    printf("method                  LU with partial pivoting (%cgesv)%s%s\n", letter,
           *solution->reason ? ": " : "", solution->reason);
    printf("refinement              %" PRId64 " step%s\n", s->refine, s->refine == 1 ? "" : "s");
}

static void print_qr(const struct solve_settings *s, const struct linear_system *p,
                     const struct solution *solution, char letter)
{
    const char *sense = p->m > p->n ? ", least squares" : p->m < p->n ? ", least norm" : "";
    printf("method                  QR (%cgels)%s%s%s\n", letter, sense,
           *solution->reason ? ": " : "", solution->reason);
    if (s->refine)
        printf("refinement              none: only LU has it\n");
}

static void print_method(const struct solve_settings *s, const struct linear_system *p,
                         const struct solution *solution)
{
    char letter = dtype_letter(p->dtype);
    printf("precision               %c (%s)\n", letter, dtype_words(p->dtype));
    if (solution->method == METHOD_CHOLESKY)
        print_cholesky(s, letter);
    else if (solution->method == METHOD_QR)
        print_qr(s, p, solution, letter);
    else
        print_lu(s, solution, letter);
    printf("tile                    ");
    if (solution->method != METHOD_CHOLESKY)
        printf("mb = %" PRId64 ", ", solution->mb);
    printf("nb = %" PRId64 "%s\n", solution->nb, s->nb ? "" : " (chosen)");
}

static void print_size(const struct linear_system *p)
{
    if (p->m == p->n)
        printf("n = %" PRId64 "\n", p->n);
    else
        printf("%" PRId64 " x %" PRId64 "\n", p->m, p->n);
}

static void print_errors(const struct solve_settings *s, const struct linear_system *p,
                         const struct solution *solution, const struct errors *e)
{
    if (p->m > p->n) {
        printf("residual norm           %.6g\n", e->residual_norm);
        printf("normal equations        %.3g\n", e->scaled_residual);
    } else {
        printf("scaled residual         %.3g\n", e->scaled_residual);
        printf("backward error          %.3g\n", e->backward);
    }
    printf("condition number        %.3g (1-norm%s, estimated)\n", 1 / solution->rcond,
           solution->method == METHOD_QR ? " of R" : "");
    if (knows_solution(s, p))
        printf("forward error           %.3g\n", e->forward);
}

void print_result(const struct solve_settings *s, const struct linear_system *p,
                  const struct solution *solution, const struct errors *e)
{
    printf("matrix                  %s: %s, ", matrix_name(s), p->words);
    print_size(p);
    printf("right-hand sides        %" PRId64 ", %s\n", p->nrhs, s->b_file ? s->b_file : "b = A*1");
    print_method(s, p, solution);
    printf("time                    %.4g s\n", solution->seconds);
    printf("GFlop/s                 %.4g\n", count_flops(p, solution) / solution->seconds * 1e-9);
    print_errors(s, p, solution, e);
}
