#include "problem.h"
#include "check.h"
#include "generate.h"
#include "qr.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Returns a random number of rows, 1 … most: half of them are below most / 8. */
static int64_t random_rows(int64_t most)
{
    double u = (random_real() + 1) / 2;
    return 1 + (int64_t)(u * u * u * (double)(most - 1) + 0.5);
}

/* Returns a Hermitian matrix, random but for a diagonal that dominates. */
static struct array random_definite(startile_dtype type, int64_t n)
{
    struct array T = array_new_random(type, n, n, 1);
    for (int64_t i = 0; i < n; i++)
        set(T, i, i, 2 * (double)n);
    struct array A = full_hermitian('L', T);
    array_free(T);
    return A;
}

static struct array random_matrix(const struct problem *p, startile_dtype type, bool fails)
{
    if (p->kind == DEFINITE)
        return fails ? known_minor(type, p->n, 2, p->info, -1) : random_definite(type, p->n);
    struct array A =
        generate_general(p->kind == DOMINANT ? &dominant : &random_general, type, p->m, p->n, 1);
    for (int64_t i = 0; i < p->m && fails; i++)
        set(A, i, p->info - 1, 0);
    return A;
}

struct problem problem_new(enum matrix_kind kind, startile_dtype type, int64_t most, bool fails)
{
    struct problem p = {.kind = kind, .uplo = "LU"[random_below(2)]};
    p.m = p.n = random_rows(most);
    if (kind == TALL)
        p.m += random_below(most);
    if (kind == WIDE)
        p.n += random_below(most);
    p.nrhs = 1 + random_below(5);
    fails = fails && min(p.m, p.n) > 1; /* gels solves with A = 0 */
    p.info = fails ? 1 + random_below(min(p.m, p.n)) : 0;
    p.A = random_matrix(&p, type, fails);
    p.B = array_new_random(type, max(p.m, p.n), p.nrhs, 3);
    p.F = array_copy(p.A);
    p.X = array_copy(p.B);
    p.ipiv = calloc((size_t)min(p.m, p.n), sizeof *p.ipiv);
    if (p.ipiv == NULL)
        abort();
    return p;
}

void problem_restart(struct problem *p)
{
    array_assign(p->A, p->F);
    array_assign(p->B, p->X);
}

void problem_free(struct problem *p)
{
    arrays_free(p->A, p->B, p->F, p->X);
    free(p->ipiv);
}

/* Returns the residual of the solution, for more rows than columns of the normal equations. */
static double residual_of_solution(const struct problem *p)
{
    if (p->m == p->n)
        return solution_residual(p->A, p->X, p->B);
    struct array X = array_new_rows(p->X, p->n), B = array_new_rows(p->B, p->m);
    double residual = p->m > p->n ? qrt17('N', p->A, X, B) : qrt16('N', p->A, X, B);
    arrays_free(X, B);
    return residual;
}

double problem_residual(const struct problem *p, enum result_kind result)
{
    if (!has_borders_intact(p->F) || !has_borders_intact(p->X))
        return INFINITY;
    if (result == SOLUTION)
        return residual_of_solution(p);
    if (result == INVERSE)
        return inverse_residual(p->A, p->F);
    struct array inverse = full_hermitian(p->uplo, p->F);
    double residual = inverse_residual(p->A, inverse);
    array_free(inverse);
    return residual;
}
