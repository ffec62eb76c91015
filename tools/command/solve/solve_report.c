/*
 * `startile solve`: computes the errors of a solution, and prints the results.
 */
#include "dense.h"
#include "flops.h"
#include "matrix_market.h"
#include "residual.h"
#include "scalar.h"
#include "solve.h"
#include "startile_mixed.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- errors --------------------------------------------------------------------------------- */

/* Returns the largest normwise backward error of all right-hand sides. norm: ‖A‖ in the ∞-norm */
static double backward_error(const struct linear_system *p, const double _Complex *r, double norm)
{
    double largest = 0;
    for (int64_t k = 0; k < p->nrhs; k++) {
        double residual = dense_column_max(STARTILE_Z, p->m, r, k);
        double norms = norm * dense_column_max(p->dtype, p->n, p->x, k) +
                       dense_column_max(p->dtype, p->m, p->b, k);
        if (residual > 0 || isnan(residual))
            largest = worse(largest, residual / norms);
    }
    return largest;
}

/* Returns the scaled residual ‖b − A x‖₁ / (max(m, n) ‖A‖₁ ‖x‖₁ eps). r: b − A x */
static double scaled_residual(const struct linear_system *p, const double _Complex *r)
{
    double norms =
        dense_norm1(p->dtype, p->m, p->n, p->a) * dense_norm1(p->dtype, p->n, p->nrhs, p->x);
    double residual = dense_norm1(STARTILE_Z, p->m, p->nrhs, r);
    double denominator =
        (double)(p->m > p->n ? p->m : p->n) * norms * dtype_unit_roundoff(p->dtype);
    return residual > 0 ? residual / denominator : residual;
}

/* Returns the scaled residual of the normal equations, ‖Aᴴ r‖ / (m ‖A‖ (‖A‖ ‖x‖ + ‖r‖) eps), where
 * r = b − A x; for m < n with n in place of m. It is small for a backward stable method (Higham
 * 2002, theorem 20.3). Uses the Frobenius norm, which grows more slowly with m than the 1-norm. */
static double normal_residual(const struct linear_system *p, const double _Complex *r)
{
    long double a = dense_norm_frobenius(p->dtype, p->m, p->n, p->a);
    long double norms = a * dense_norm_frobenius(p->dtype, p->n, p->nrhs, p->x) +
                        dense_norm_frobenius(STARTILE_Z, p->m, p->nrhs, r);
    long double denominator =
        (long double)larger(p->m, p->n) * a * norms * dtype_unit_roundoff(p->dtype);
    long double residual = dense_adjoint_norm(p->dtype, p->m, p->n, p->nrhs, p->a, r);
    return (double)(residual > 0 ? residual / denominator : residual);
}

/* Returns the largest ‖r‖₂ of all right-hand sides. */
static double residual_norm(const struct linear_system *p, const double _Complex *r)
{
    double largest = 0;
    for (int64_t k = 0; k < p->nrhs; k++)
        largest = worse(largest, (double)dense_norm_frobenius(STARTILE_Z, p->m, 1, r + k * p->m));
    return largest;
}

/* Returns whether the exact solution is known: all ones if b = A·1 and the rank is the number of
 * columns. */
static bool knows_solution(const struct solve_settings *s, const struct linear_system *p,
                           const struct solution *solution)
{
    return !s->b_file && solution->rank == p->n;
}

bool find_errors(const struct solve_settings *s, const struct linear_system *p,
                 const struct solution *solution, struct errors *e)
{
    double _Complex *r = allocate_elements(STARTILE_Z, p->m * p->nrhs);
    double *sums = allocate_elements(STARTILE_D, p->m);
    bool good = r && sums && dense_residual(p->dtype, p->m, p->n, p->nrhs, p->a, p->b, p->x, r);
    if (good) {
        double norm = dense_norm_inf(p->dtype, p->m, p->n, p->a, sums);
        *e = (struct errors){.scaled_residual = is_least_squares(p, solution)
                                                    ? normal_residual(p, r)
                                                    : scaled_residual(p, r),
                             .backward = backward_error(p, r, norm),
                             .residual_norm = residual_norm(p, r)};
        int64_t known = knows_solution(s, p, solution) ? p->n : 0;
        for (int64_t i = 0; i < known; i++)
            e->forward = worse(e->forward, cabs(element_get(p->dtype, p->x, (size_t)i) - 1));
    }
    free(r);
    free(sums);
    return good;
}

/* -- printing ------------------------------------------------------------------------------- */

static double count_flops(const struct linear_system *p, const struct solution *solution)
{
    double m = (double)p->m, n = (double)p->n, nrhs = (double)p->nrhs;
    if (solution->method >= METHOD_QR)
        return flops_gels(p->dtype, m, n, nrhs);
    return solution->method == METHOD_LU
               ? flops_getrf(p->dtype, n, n) + flops_getrs(p->dtype, n, nrhs)
               : flops_potrf(p->dtype, n) + flops_potrs(p->dtype, n, nrhs);
}

/* Prints the factorization, the refinement and the errors of a solver in mixed precision. */
static void print_mixed(const startile_mixed_result *m)
{
    static const char *const products[] = {
        [STARTILE_PRODUCTS_AUTO] = "",
        [STARTILE_PRODUCTS_PLAIN] = "single precision",
        [STARTILE_PRODUCTS_SPLIT] = "single precision, on GPUs three BF16 numbers",
        [STARTILE_PRODUCTS_FP16X2] = "single precision, on GPUs two FP16 numbers",
        [STARTILE_PRODUCTS_TF32] = "single precision, on GPUs TF32",
        [STARTILE_PRODUCTS_BF16] = "single precision, on GPUs BF16",
        [STARTILE_PRODUCTS_FP16] = "single precision, on GPUs FP16",
        [STARTILE_PRODUCTS_DOUBLE] = "double precision"};
    const char *reason = m->iterations == -1
                             ? "double precision is faster for so many right-hand sides"
                         : m->iterations == -2 ? "a value was out of range"
                         : m->iterations == -3 ? "no factorization in single precision"
                                               : "converged too slowly";
    printf("factorization           %s\n", products[m->products]);
    if (m->iterations < 0) {
        printf("refinement              none: %s\n", reason);
        return;
    }
    printf("refinement              %d step%s%s\n"
           "certificate             backward error %.3g, ",
           m->iterations, m->iterations == 1 ? "" : "s",
           m->method == STARTILE_METHOD_GMRES ? ", by GMRES" : "", m->backward);
    if (!isnan(m->componentwise))
        printf("componentwise %.3g, ", m->componentwise);
    printf("estimated error %.3g\n", m->forward);
}

static void print_refinement(const struct solve_settings *s, const struct solution *solution)
{
    if (solution->method >= METHOD_QR && s->refine)
        printf("refinement              none: QR has none\n");
    if (solution->method != METHOD_LU && !solution->steps)
        return;
    printf("refinement              %" PRId64 " step%s", solution->steps,
           solution->steps == 1 ? "" : "s");
    if (!isnan(solution->estimated_error))
        printf(", estimated error %.3g", solution->estimated_error);
    printf("\n");
}

static void print_method(const struct solve_settings *s, const struct linear_system *p,
                         const struct solution *solution)
{
    static const char *const names[] = {"",
                                        "Cholesky",
                                        "LDL with Bunch-Kaufman pivoting",
                                        "LU with partial pivoting",
                                        "QR",
                                        "QR with column pivoting"};
    static const char *const routines[] = {"", "posv", "sysv", "gesv", "gels", "gelsy"};
    enum solve_method method = solution->method;
    bool is_hermitian_ldl =
        method == METHOD_LDL && solution->is_hermitian && dtype_is_complex(p->dtype);
    printf("precision               %c (%s)\n", dtype_letter(p->dtype),
           dtype_description(p->dtype));
    printf("method                  %s (%c%s)", names[method], dtype_letter(p->dtype),
           is_hermitian_ldl ? "hesv" : routines[method]);
    if (method <= METHOD_LDL)
        printf(", uplo %c", s->uplo);
    else if (method >= METHOD_QR)
        printf("%s%s", is_least_squares(p, solution) ? ", least squares" : "",
               p->n > solution->rank ? ", least norm" : "");
    printf("%s%s\n", *solution->reason ? ": " : "", solution->reason);
    if (method == METHOD_QRCP)
        printf("rank                    %" PRId64 " of %" PRId64 "\n", solution->rank,
               smaller(p->m, p->n));
    if (s->mixed)
        print_mixed(&solution->mixed);
    else
        print_refinement(s, solution);
    printf("tile                    ");
    if (method > METHOD_LDL)
        printf("mb = %" PRId64 ", ", solution->mb);
    printf("nb = %" PRId64 "%s\n", solution->nb, s->nb ? "" : " (chosen)");
}

static void print_errors(const struct solve_settings *s, const struct linear_system *p,
                         const struct solution *solution, const struct errors *e)
{
    if (is_least_squares(p, solution)) {
        printf("residual norm           %.6g\n", e->residual_norm);
        printf("normal equations        %.3g\n", e->scaled_residual);
    } else {
        printf("scaled residual         %.3g\n", e->scaled_residual);
        printf("backward error          %.3g\n", e->backward);
    }
    if (!s->mixed || !isnan(solution->rcond))
        printf("condition number        %.3g (1-norm%s, estimated)\n", 1 / solution->rcond,
               solution->method >= METHOD_QR ? " of R" : "");
    if (knows_solution(s, p, solution))
        printf("forward error           %.3g\n", e->forward);
}

/* Prints the elements first … last of row i of x; of the vector x if there is one right-hand side.
 */
static void print_elements(const struct linear_system *p, int64_t i, int64_t first, int64_t last)
{
    char row[24] = "", end[24] = "", text[72];
    if (p->nrhs > 1)
        snprintf(row, sizeof row, "%" PRId64 ", ", i + 1);
    if (last > first)
        snprintf(end, sizeof end, ":%" PRId64, last + 1);
    snprintf(text, sizeof text, "x(%s%" PRId64 "%s)", row, first + 1, end);
    printf("%-23s", text);
    for (int64_t j = first; j <= last; j++) {
        double _Complex x = element_get(p->dtype, p->x, (size_t)(p->nrhs > 1 ? i + j * p->n : j));
        if (dtype_is_complex(p->dtype))
            snprintf(text, sizeof text, "%.6g%+.6gi", creal(x), cimag(x));
        else
            snprintf(text, sizeof text, "%.6g", creal(x));
        printf(" %*s", dtype_is_complex(p->dtype) ? 27 : 13, text);
    }
    putchar('\n');
}

/* Prints lines of up to 80 characters with the elements of x, as a column of vectors if there are
 * several: the first lines, or all with --all. */
static void print_solution(const struct solve_settings *s, const struct linear_system *p)
{
    enum { FIRST_LINES = 3 };
    int64_t rows = p->nrhs > 1 ? p->n : 1, columns = p->nrhs > 1 ? p->nrhs : p->n;
    int64_t left = p->n * p->nrhs, on_line = dtype_is_complex(p->dtype) ? 2 : 4, lines = 0;
    for (int64_t j = 0; j < columns; j += on_line)
        for (int64_t i = 0; i < rows && (s->all || lines < FIRST_LINES); i++, lines++) {
            int64_t last = smaller(j + on_line, columns) - 1;
            print_elements(p, i, j, last);
            left -= last - j + 1;
        }
    if (left)
        printf("%-24s%" PRId64 " more elements: --all\n", "", left);
}

void print_result(const struct solve_settings *s, const struct linear_system *p,
                  const struct solution *solution, const struct errors *e)
{
    printf("matrix                  %s: %s, ", matrix_name(s), p->description);
    if (p->m == p->n)
        printf("n = %" PRId64 "\n", p->n);
    else
        printf("%" PRId64 " x %" PRId64 "\n", p->m, p->n);
    printf("right-hand sides        %" PRId64 ", %s\n", p->nrhs,
           s->b_file ? mm_name(s->b_file) : "b = A*1");
    print_method(s, p, solution);
    printf("time                    %.4g s\n", solution->seconds);
    if (s->resume.continues)
        printf("continued               %s: the time is that of the rest\n", s->resume.file);
    else
        printf("GFlop/s                 %.4g\n",
               count_flops(p, solution) / solution->seconds * 1e-9);
    print_errors(s, p, solution, e);
    if (s->all || !s->out_stream)
        print_solution(s, p);
}
