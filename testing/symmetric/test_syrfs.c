/* Tests of syrfs and herfs against LAPACK's: backward and forward errors for all sizes and tiles,
 * solutions that are far from the right one, NaN, zero pivots, several systems in one request. */
#include "factors.h"
#include "symmetric_matrices.h"

#include <math.h>

enum { MOST = 13 };

/* What a routine returns for each column. */
struct errors {
    double ferr[MOST], berr[MOST];
};

/* A system, its exact solution Y, an approximate solution X, and the library's factors */
struct problem {
    char op, uplo;
    struct array A, F, B, X, Y;
    struct test_matrix SA, SF, SB, SX;
    startile_symmetric_pivots *P;
};

/* Returns a matrix with small integers as elements, scaled in rows and columns by 2^(scale i), with
 * zeros on the diagonal for pivots of order 2. All products with small integers are exact. */
static struct array integer_matrix(char op, int64_t n, int scale)
{
    struct array A = array_new_random(dtype, n, n, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            startile_complex x = 3 * get(A, i, j);
            x = round(creal(x)) + round(cimag(x)) * I;
            if (i == j)
                x = n > 3 && i % 3 == 0 ? 0 : x + 4;
            set(A, i, j, x * ldexp(1, scale * (int)(i % 3 + j % 3)));
        }
    make_symmetric(op, A);
    return A;
}

/* Returns the system A X = A Y for small integers Y, factored and solved by the library. X then
 * gets random relative errors of this size. A is freed with the system. */
static struct problem problem_new(char op, char uplo, struct array A, int64_t nrhs, enum way way,
                                  int64_t nb, double size)
{
    struct problem p = {.op = op,
                        .uplo = uplo,
                        .A = A,
                        .F = array_copy(A),
                        .B = array_new(dtype, A.n, nrhs, 2),
                        .Y = array_new(dtype, A.n, nrhs, 0)};
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(p.Y, i, j, round(5 * random_real()));
    array_fill(p.B, 0);
    lapack(A)->gemm('N', 'N', 1, A, p.Y, 0, p.B);
    p.X = array_copy(p.B);
    array_poison(p.A, other_triangle(uplo));
    array_poison(p.F, other_triangle(uplo));
    p.SA = test_matrix_new(p.A, way, uplo, nb, nb);
    p.SF = test_matrix_new(p.F, way, uplo, nb, nb);
    p.SB = test_matrix_new(p.B, way, 'G', nb, nb);
    p.SX = test_matrix_new(p.X, way, 'G', nb, nb);
    require_info(startile_symmetric_pivots_create(&p.P, p.SF.A), 0);
    require_info(factor(op, uplo, p.SF.A, p.P), 0);
    require_info(op == 'T' ? startile_sytrs(uplo, p.SF.A, p.P, p.SX.A)
                           : startile_hetrs(uplo, p.SF.A, p.P, p.SX.A),
                 0);
    test_matrix_finish(&p.SX);
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(p.X, i, j, get(p.X, i, j) * (1 + size * random_real()));
    p.SX = test_matrix_new(p.X, way, 'G', nb, nb);
    return p;
}

/* Destroys the matrices, so that the arrays have the results. */
static void finish(struct problem *p)
{
    test_matrices_finish(&p->SA, &p->SF, &p->SB, &p->SX);
    startile_symmetric_pivots_destroy(p->P);
    require(is_poisoned(p->A, other_triangle(p->uplo)));
    require(is_poisoned(p->F, other_triangle(p->uplo)));
}

static void problem_free(struct problem *p)
{
    arrays_free(p->A, p->F, p->B, p->X, p->Y);
}

static int64_t submit(struct problem *p, struct errors *e, startile_request *r)
{
    return p->op == 'T' ? startile_syrfs_async(p->uplo, p->SA.A, p->SF.A, p->P, p->SB.A, p->SX.A,
                                               e->ferr, e->berr, r)
                        : startile_herfs_async(p->uplo, p->SA.A, p->SF.A, p->P, p->SB.A, p->SX.A,
                                               e->ferr, e->berr, r);
}

static int64_t refine(struct problem *p, struct errors *e)
{
    return p->op == 'T'
               ? startile_syrfs(p->uplo, p->SA.A, p->SF.A, p->P, p->SB.A, p->SX.A, e->ferr, e->berr)
               : startile_herfs(p->uplo, p->SA.A, p->SF.A, p->P, p->SB.A, p->SX.A, e->ferr,
                                e->berr);
}

/* -- sizes --------------------------------------------------------------------------------------
 */

/* Refines with LAPACK, from the same approximate solution. */
static struct errors errors_of_lapack(const struct problem *p, struct array A, struct array X)
{
    struct factors f = lapack_factors(p->op, p->uplo, A);
    struct errors e;
    require_info(f.info, 0);
    lapack(A)->syrfs(p->op, p->uplo, A, f.F, f.ipiv, p->B, X, e.ferr, e.berr);
    factors_free(f);
    return e;
}

static void check_size(int64_t n, int64_t nb, char op, char uplo, enum way way)
{
    static const int64_t numbers[] = {1, 3, 13, 0};
    int64_t nrhs = numbers[(n + (int)way) % 4];
    int scale = (int)(n % 3);
    in_case("n %d, nrhs %d, nb %d, op %c, uplo %c, scale %d, %s", (int)n, (int)nrhs, (int)nb, op,
            uplo, scale, way_names[way]);
    random_seed((uint64_t)n + 1);
    struct array A = integer_matrix(op, n, scale), full = array_copy(A);
    struct problem p = problem_new(op, uplo, A, nrhs, way, nb, n % 2 == 0 ? 1e-4 : 0);
    struct array Z = array_copy(p.X), B0 = array_copy(p.B);
    struct errors l = errors_of_lapack(&p, full, Z), e;
    double eps = unit_roundoff(dtype);
    require_info(refine(&p, &e), 0);
    finish(&p);
    require(is_same(p.B, B0));
    for (int64_t j = 0; j < nrhs; j++) {
        /* refinement ends when berr does not halve, which rounding of the residual decides */
        require_below(e.berr[j], n == 0 ? 1e-300 : fmax(8 * eps, 1.01 * l.berr[j]));
        require_below(error_of_column(p.X, p.Y, j), fmax(e.ferr[j], 1e-300));
        require_below(e.ferr[j], 3 * l.ferr[j] + 1e-300);
        require_below(l.ferr[j], 3 * e.ferr[j] + 1e-30); /* tiny where x = 0 */
    }
    problem_free(&p);
    arrays_free(full, Z, B0);
}

static void test_sizes(void)
{
    for_sizes(check_size);
    check_report("sizes");
}

/* -- far solutions, NaN, zero pivots -------------------------------------------------------------
 */

/* Returns a well-conditioned indefinite matrix. */
static struct array dominant_matrix(char op, int64_t n)
{
    struct array A = integer_matrix(op, n, 0);
    for (int64_t i = 0; i < n; i++)
        set(A, i, i, (i % 2 == 0 ? 4.0 : -4.0) * (double)n);
    return A;
}

/* Refines a solution whose errors are a tenth of its elements. */
static void test_far(void)
{
    enum { N = 40, NRHS = 5, NB = 16 };
    for (int u = 0; u < 4; u++) {
        char op = symmetries[u / 2], uplo = uplos[u % 2];
        in_case("far solution, op %c, uplo %c", op, uplo);
        random_seed(3);
        struct problem p = problem_new(op, uplo, dominant_matrix(op, N), NRHS, WRAPPED, NB, 0.1);
        struct errors e;
        require_info(refine(&p, &e), 0);
        finish(&p);
        for (int64_t j = 0; j < NRHS; j++) {
            require_below(e.berr[j], 4 * unit_roundoff(dtype));
            require_below(error_of_column(p.X, p.Y, j), e.ferr[j]);
            require_below(e.ferr[j], 1000 * N * unit_roundoff(dtype));
        }
        problem_free(&p);
    }
}

/* Tests that a NaN in one right-hand side changes the errors of no other column. */
static void test_nan(void)
{
    enum { N = 20, NRHS = 3, NB = 8 };
    for (int u = 0; u < 4; u++) {
        char op = symmetries[u / 2], uplo = uplos[u % 2];
        in_case("NaN, op %c, uplo %c", op, uplo);
        random_seed(4);
        struct problem p = problem_new(op, uplo, dominant_matrix(op, N), NRHS, WRAPPED, NB, 1e-4);
        struct array B = array_copy(p.B);
        struct errors e;
        set(B, 11, 1, NAN);
        require_info(startile_matrix_from_lapack(p.SB.A, B.a, B.ld), 0);
        require_info(refine(&p, &e), 0);
        finish(&p);
        array_free(B);
        require(isnan(e.berr[1]) && isnan(creal(get(p.X, 11, 1))));
        for (int64_t j = 0; j < NRHS; j += 2) {
            require_below(e.berr[j], 4 * unit_roundoff(dtype));
            require_below(error_of_column(p.X, p.Y, j), e.ferr[j]);
        }
        problem_free(&p);
    }
}

/* Tests that a refinement does nothing after a zero pivot in its request. */
static void test_zero_pivot(void)
{
    enum { N = 20, NRHS = 2, NB = 8 };
    for (int u = 0; u < 4; u++) {
        char op = symmetries[u / 2], uplo = uplos[u % 2];
        in_case("zero pivot, op %c, uplo %c", op, uplo);
        random_seed(5);
        struct problem p = problem_new(op, uplo, dominant_matrix(op, N), NRHS, WRAPPED, NB, 0.1);
        struct array before = array_copy(p.X);
        struct errors e;
        startile_request *r = request_created();
        require_info(startile_laset(uplo, 0, 0, p.SF.A), 0);
        require_info(op == 'T' ? startile_sytrf_async(uplo, p.SF.A, p.P, r)
                               : startile_hetrf_async(uplo, p.SF.A, p.P, r),
                     0);
        require_info(submit(&p, &e, r), 0);
        require(startile_request_wait(r) > 0);
        startile_request_destroy(r);
        finish(&p);
        require(is_same(p.X, before));
        problem_free(&p);
        array_free(before);
    }
}

/* Tests several systems in one request. */
static void test_async(void)
{
    enum { N = 50, NRHS = 3, SYSTEMS = 4, NB = 8 };
    struct problem p[SYSTEMS];
    struct errors e[SYSTEMS];
    startile_request *r = request_created();
    random_seed(6);
    for (int s = 0; s < SYSTEMS; s++) {
        char op = symmetries[s / 2];
        p[s] = problem_new(op, uplos[s % 2], dominant_matrix(op, N), NRHS, WRAPPED, NB, 1e-3);
        require_info(submit(&p[s], &e[s], r), 0);
    }
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    for (int s = 0; s < SYSTEMS; s++) {
        in_case("system %d of a request", s);
        finish(&p[s]);
        for (int64_t j = 0; j < NRHS; j++) {
            require_below(e[s].berr[j], 4 * unit_roundoff(dtype));
            require_below(error_of_column(p[s].X, p[s].Y, j), e[s].ferr[j]);
        }
        problem_free(&p[s]);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "syrfs", test_sizes, test_far, test_nan, test_zero_pivot,
                      test_async);
}
