/* Tests of least squares in mixed precision: shapes, tiles, sizes of the residual, matrices that
 * the refinement solves or gives up, arguments. */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "qr.h"
#include "reference.h"
#include "startile_mixed.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { NB = 8 };

struct solved {
    struct array A, X;
    startile_mixed_result result;
    int64_t info;
};

static void solved_free(struct solved s)
{
    arrays_free(s.A, s.X);
}

/* Solves min ‖B − A X‖. B has tiles of whole columns, `width` wide; X's tiles have x_height rows.
 */
static struct solved solve(struct array A, struct array B, const startile_mixed_options *options,
                           enum way way, struct tiling t, int64_t width, int64_t x_height)
{
    struct solved s = {.A = array_copy(A),
                       .X = array_new(dtype, A.n, B.n, 2),
                       .result = {.size = sizeof s.result}};
    struct array C = array_copy(B);
    struct test_matrix S = test_matrix_new(s.A, way, 'G', t.mb, t.nb),
                       Y = test_matrix_new(C, way, 'G', A.m > 0 ? A.m : 1, width),
                       X = test_matrix_new(s.X, CREATED, 'G', x_height, width);
    s.info = startile_gels_mixed(S.A, Y.A, X.A, options, &s.result);
    test_matrices_finish(&S, &Y, &X);
    require(is_same(B, C));
    if (s.info == 0 && s.result.iterations >= 0)
        require(is_same(s.A, A));
    array_free(C);
    return s;
}

/* Returns A X + `part` times a random matrix. */
static struct array right_hand_sides(struct array A, int64_t nrhs, double part)
{
    struct array B = array_new_random(dtype, A.m, nrhs, 1),
                 X = array_new_random(dtype, A.n, nrhs, 0);
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex sum = 0;
            for (int64_t k = 0; k < A.n; k++)
                sum += get(A, i, k) * get(X, k, j);
            set(B, i, j, sum + part * get(B, i, j));
        }
    array_free(X);
    return B;
}

/* Requires ‖X − Z‖₁ / (‖Z‖₁ (m + n) eps) < 30 (κ + κ² ‖r‖ / (‖A‖ ‖x‖)) for LAPACK's solution Z
 * (Higham 2002, theorem 20.1); `part` stands for the quotient. */
static void require_lapacks_solution(struct array A, struct array B, struct array X, double part)
{
    struct array F = array_copy(A), Y = array_copy(B), D = array_copy(X);
    require_info(lapack(A)->gels('N', F, Y), 0);
    struct array Z = array_new_rows(Y, A.n);
    for (int64_t j = 0; j < X.n; j++)
        for (int64_t i = 0; i < X.m; i++)
            set(D, i, j, get(X, i, j) - get(Z, i, j));
    double kappa = condition(A), unit = unit_roundoff(dtype) * (double)(A.m + A.n);
    require_below(lapack(D)->lange('1', D) / lapack(Z)->lange('1', Z) / unit,
                  30 * kappa * (1 + kappa * part));
    arrays_free(F, Y, D, Z);
}

/* Requires a refined solution that is as accurate as LAPACK's. */
static void require_refined(struct array A, struct array B, struct solved s, double part)
{
    require_info(s.info, 0);
    require(s.result.iterations >= 0 && s.result.method == STARTILE_METHOD_REFINEMENT);
    require_below(s.result.backward / unit_roundoff(dtype), fmax(10, sqrt((double)A.n)) + 0.001);
    require(isnan(s.result.componentwise) && s.result.forward < 1e-2);
    require_lapacks_solution(A, B, s.X, part);
}

static void test_sizes(void)
{
    static const int64_t shapes[][2] = {{1, 1},   {2, 1},   {9, 9},   {7, 3},  {20, 8},
                                        {50, 50}, {60, 20}, {100, 9}, {33, 17}};
    static const double parts[] = {0, 1e-7, 1};
    int cases = 0;
    for (int s = 0; s < 9; s++)
        for (int64_t nrhs = 1; nrhs < 12; nrhs += 5)
            for (int p = 0; p < 3; p++, cases++) {
                const int64_t m = shapes[s][0], n = shapes[s][1];
                enum way way = (enum way)((cases + s) % WAYS);
                struct tiling t = {"tiles of NB columns", cases % 2 ? m : 2 * NB, NB};
                /* s and c have no such solvers, so d has all cases on CPUs */
                if ((backend != CPU || dtype == STARTILE_Z) && is_left_out(cases))
                    continue;
                in_case("%d × %d, nrhs %d, residual %g, tiles of %d rows, %s", (int)m, (int)n,
                        (int)nrhs, parts[p], (int)t.mb, way_names[way]);
                random_seed((uint64_t)(100 * s + p));
                struct array A = generate_general(&random_general, dtype, m, n, 1),
                             B = right_hand_sides(A, nrhs, parts[p]);
                struct solved x = solve(A, B, NULL, way, t, 1 + cases % 4, 1 + cases % 20);
                require_refined(A, B, x, parts[p]);
                solved_free(x);
                arrays_free(A, B);
            }
    in_case("no right-hand side, no column");
    struct array A = generate_general(&random_general, dtype, 9, 9, 1),
                 B = array_new(dtype, 9, 0, 1), C = array_new(dtype, 9, 0, 0),
                 D = array_new(dtype, 9, 2, 0);
    struct solved x = solve(A, B, NULL, WRAPPED, (struct tiling){"", 9, 9}, 1, 9);
    require_info(x.info, 0);
    solved_free(x);
    x = solve(C, D, NULL, WRAPPED, (struct tiling){"", 9, 9}, 1, 1);
    require_info(x.info, 0);
    solved_free(x);
    arrays_free(A, B, C, D);
}

/* Tests columns of very different size, which are scaled, and a condition number that single
 * precision cannot serve; then the fallback's result, and its info for a zero column. */
static void test_kinds(void)
{
    enum { M = 60, N = 20 };
    struct tiling t = {"tiles of NB columns", M, NB};
    random_seed(2);
    in_case("columns by 1e±100");
    struct array A = generate_general(&random_general, dtype, M, N, 1);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < M; i++)
            set(A, i, j, get(A, i, j) * (j % 2 ? 1e100 : 1e-100));
    struct array B = array_new_random(dtype, M, 2, 0);
    struct solved x = solve(A, B, NULL, WRAPPED, t, 2, N);
    require_info(x.info, 0);
    require(x.result.iterations >= 0);
    solved_free(x);
    arrays_free(A, B);
    in_case("two nearly equal columns");
    A = generate_general(&random_general, dtype, M, N, 1);
    for (int64_t i = 0; i < M; i++)
        set(A, i, 7, get(A, i, 3) * (1 + 1e-10 * random_real()));
    B = right_hand_sides(A, 2, 1e-7);
    x = solve(A, B, NULL, WRAPPED, t, 2, N);
    require_info(x.info, 0);
    require(x.result.iterations < 0 && x.result.products == STARTILE_PRODUCTS_DOUBLE);
    require_lapacks_solution(A, B, x.X, 1e-7);
    solved_free(x);
    in_case("one row by 1e16: single precision has no digit of R");
    struct array W = generate_general(&random_general, dtype, M, N, 1);
    for (int64_t j = 0; j < N; j++)
        set(W, 3, j, get(W, 3, j) * 1e16);
    struct array C = right_hand_sides(W, 2, 0);
    x = solve(W, C, NULL, WRAPPED, t, 2, N);
    require_info(x.info, 0);
    require(x.result.iterations < 0);
    solved_free(x);
    in_case("Aᴴ e below the range of the type");
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < M; i++)
            set(W, i, j, get(A, i, j) * 1e-170);
    for (int64_t j = 0; j < 2; j++)
        for (int64_t i = 0; i < M; i++)
            set(C, i, j, get(B, i, j) * 1e-170);
    x = solve(W, C, NULL, WRAPPED, t, 2, N);
    require_info(x.info, 0);
    require_info(x.result.iterations, -2);
    solved_free(x);
    arrays_free(W, C);
    in_case("a zero column");
    for (int64_t i = 0; i < M; i++)
        set(A, i, 11, 0);
    x = solve(A, B, NULL, WRAPPED, t, 2, N);
    require_info(x.info, 12);
    require(x.result.iterations < 0);
    solved_free(x);
    in_case("NaN");
    set(A, 5, 5, NAN);
    x = solve(A, B, NULL, WRAPPED, t, 2, N);
    require(x.result.iterations < 0 && x.info >= 0);
    solved_free(x);
    arrays_free(A, B);
}

static void test_arguments(void)
{
    in_case("arguments");
    startile_matrix *A = matrix_created(dtype, 9, 4, 9, 4),
                    *wide = matrix_created(dtype, 4, 9, 9, 9),
                    *B = matrix_created(dtype, 9, 2, 9, 2), *X = matrix_created(dtype, 4, 2, 4, 2);
    if (is_single(dtype)) {
        require_info(startile_gels_mixed(A, B, X, NULL, NULL), -1);
    } else {
        startile_mixed_options gmres = {.size = sizeof gmres, .method = STARTILE_METHOD_GMRES};
        require_info(startile_gels_mixed(NULL, B, X, NULL, NULL), -1);
        require_info(startile_gels_mixed(wide, X, B, NULL, NULL), -1);
        require_info(startile_gels_mixed(A, X, X, NULL, NULL), -2);
        require_info(startile_gels_mixed(A, B, B, NULL, NULL), -3);
        require_info(startile_gels_mixed(A, B, NULL, NULL, NULL), -3);
        require_info(startile_gels_mixed(A, B, X, &gmres, NULL), -4);
        startile_mixed_options no_options = {.size = 0};
        startile_mixed_result no_result = {.size = 0};
        require_info(startile_gels_mixed(A, B, X, &no_options, NULL), -4);
        require_info(startile_gels_mixed(A, B, X, NULL, &no_result), -5);
        require_info(startile_gels_mixed_async(A, B, X, NULL, NULL, NULL), -6);
    }
    matrices_destroy(A, wide, B, X);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    return check_finish(is_single(dtype)
                            ? run_group("gels mixed", test_arguments)
                            : run_group("gels mixed", test_arguments, test_sizes, test_kinds));
}
