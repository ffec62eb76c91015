/* Tests of the solvers in mixed precision: sizes, tiles, kinds of matrices that the refinement
 * solves or gives up, options, the order with the caller's own operations, cancellation. */
#include "check.h"
#include "generate.h"
#include "mixed.h"
#include "objects.h"
#include "reference.h"
#include "startile_lapack.h"
#include "startile_mixed.h"

#include <complex.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>

enum { NB = 8 };

/* A solver: LU (uplo 'G') or Cholesky. */
static const char solvers[] = {'G', 'L', 'U'};

/* Without GMRES, which solves what these tests need for a fallback */
static const startile_mixed_options only_refinement = {.size = sizeof only_refinement,
                                                       .method = STARTILE_METHOD_REFINEMENT};
/* The default options, and all errors */
static const startile_mixed_options with_errors = {.size = sizeof with_errors, .certificate = 1};

/* Requires a refined solution with a backward error of at most 10 roundoffs, twice that with the
 * rounding of this test's own residual, and a result that says so. */
static void require_refined(struct array A, struct array B, struct solved s)
{
    double eps = unit_roundoff(dtype);
    require_info(s.info, 0);
    require(s.result.iterations >= 0);
    require_below(backward_error(A, s.X, B), 20 + (double)A.n / 2);
    require_below(s.result.backward / eps, 10.001);
    require(s.result.componentwise >= 0 && s.result.componentwise < 1e-8);
    require(s.result.forward >= eps && s.result.forward < 1e-2);
    require(s.result.products != STARTILE_PRODUCTS_DOUBLE);
}

static void test_sizes(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, NB - 1, NB, NB + 1, 2 * NB + 3};
    static const int64_t columns[] = {0, 1, 2, NB + 1};
    static const int64_t widths[] = {1, 3, NB, 20};
    for (int s = 0; s < 11; s++)
        for (int c = 0; c < 4; c++)
            for (int u = 0; u < 3; u++) {
                enum way way = (enum way)((s + c + u) % WAYS);
                struct tiling t = tiling_of((s + c) % TILINGS, sizes[s], NB);
                int64_t width = widths[(s + c) % 4];
                /* s and c have no such solvers, so d has all cases on CPUs */
                if ((backend != CPU || dtype == STARTILE_Z) && is_left_out(12 * s + 3 * c + u))
                    continue;
                in_case("n %d, nrhs %d, B's tiles %d wide, %s, solver %c, %s", (int)sizes[s],
                        (int)columns[c], (int)width, t.name, solvers[u], way_names[way]);
                random_seed((uint64_t)(100 * s + c));
                struct array A = new_matrix(solvers[u], sizes[s]),
                             B = array_new_random(dtype, sizes[s], columns[c], 3);
                struct solved x = solve(solvers[u], A, B, &with_errors, way, t, width);
                if (sizes[s] > 0 && columns[c] > 0)
                    require_refined(A, B, x);
                require_info(x.info, 0);
                solved_free(x);
                arrays_free(A, B);
            }
}

/* Tests that many right-hand sides are solved in double precision, but not if the caller
 * chooses the method. */
static void test_many_sides(void)
{
    enum { N = 60, MANY = 33 };
    struct tiling t = {"one tile", N, N};
    random_seed(5);
    for (int u = 0; u < 3; u++) {
        struct array A = new_matrix(solvers[u], N), B = array_new_random(dtype, N, MANY, 1);
        in_case("solver %c, %d right-hand sides", solvers[u], MANY);
        struct solved x = solve(solvers[u], A, B, NULL, WRAPPED, t, MANY);
        require_info(x.info, 0);
        require_info(x.result.iterations, -1);
        require(x.result.products == STARTILE_PRODUCTS_DOUBLE && isnan(x.result.backward));
        require_below(backward_error(A, x.X, B), 20 + (double)N / 2);
        solved_free(x);
        x = solve(solvers[u], A, B, &only_refinement, WRAPPED, t, MANY);
        require_info(x.info, 0);
        require(x.result.iterations >= 0);
        solved_free(x);
        arrays_free(A, B);
    }
}

/* Tests that each option of the products gives the accuracy of double precision. On CPUs they are
 * all the same; on a GPU their formats apply to products with k >= 256. */
static void test_options(void)
{
    enum { N = 700 };
    struct tiling t = {"tiles of 256 columns", N, 256};
    random_seed(3);
    for (int u = 0; u < 2; u++) {
        struct array A = new_matrix(solvers[u], u == 0 ? N : 100),
                     B = array_new_random(dtype, A.n, 3, 1);
        for (int i = 0; i < A.n && u == 0; i++) /* a condition number that 8 bits suffice for */
            set(A, i, i, get(A, i, i) + 200);
        for (int p = STARTILE_PRODUCTS_AUTO; p <= STARTILE_PRODUCTS_FP16; p++) {
            startile_mixed_options options = {
                .size = sizeof options, .products = (startile_products)p, .certificate = 1};
            in_case("solver %c, products %d", solvers[u], p);
            struct solved x = solve(solvers[u], A, B, &options, WRAPPED, t, 2);
            require_refined(A, B, x);
            solved_free(x);
        }
        startile_mixed_options few = {.size = sizeof few, .max_iterations = 1, .tolerance = 1e-3};
        in_case("solver %c, one iteration and a tolerance that cannot be met", solvers[u]);
        struct solved x = solve(solvers[u], A, B, &few, WRAPPED, t, 2);
        require_info(x.info, 0);
        require(x.result.iterations == -31 || x.result.iterations == 1);
        solved_free(x);
        arrays_free(A, B);
    }
}

/* Tests that every kind of matrix is solved as accurately as by LAPACK, whether by refinement or by
 * the fallback. */
static void test_kinds(void)
{
    enum { N = 35 };
    for (const struct general *g = generals; g->name != NULL; g++) {
        in_case("%s", g->name);
        random_seed(8);
        struct array A = generate_general(g, dtype, N, N, 0), B = array_new_random(dtype, N, 2, 3);
        struct solved x = solve('G', A, B, NULL, WRAPPED, tiling_of(1, N, NB), 4);
        require_info(x.info, 0);
        require_below(backward_error(A, x.X, B), fmax(30 * N, 10 * lapack_error('G', A, B)));
        printf("%s: iterations %d, estimated error %.1e\n", g->name, x.result.iterations,
               x.result.forward);
        solved_free(x);
        arrays_free(A, B);
    }
    for (const struct generator *g = generators; g->name != NULL; g++)
        for (int u = 1; u < 3; u++) {
            in_case("%s, %c", g->name, solvers[u]);
            random_seed(8);
            struct array A = generate(g, dtype, N, 1), B = array_new_random(dtype, N, 2, 3);
            struct solved x = solve(solvers[u], A, B, NULL, CREATED, tiling_of(1, N, NB), 4);
            require_info(x.info, 0);
            require_below(backward_error(A, x.X, B),
                          fmax(30 * N, 10 * lapack_error(solvers[u], A, B)));
            solved_free(x);
            arrays_free(A, B);
        }
}

/* Multiplies row i of A and B by row(i), and column j of A by column(j). */
static void scale_system(struct array A, struct array B, double (*row)(int64_t),
                         double (*column)(int64_t))
{
    for (int64_t i = 0; i < A.m; i++) {
        for (int64_t j = 0; j < A.n; j++)
            set(A, i, j, get(A, i, j) * row(i) * column(j));
        for (int64_t j = 0; j < B.n; j++)
            set(B, i, j, get(B, i, j) * row(i));
    }
}

static double one(int64_t i)
{
    (void)i;
    return 1;
}

static double huge(int64_t i)
{
    (void)i;
    return 1e150;
}

static double alternating(int64_t i)
{
    return i % 2 == 0 ? 1e150 : 1e-150;
}

static double graded(int64_t i)
{
    return pow(10, -(double)i);
}

/* Tests that bad scaling is no reason for the fallback: the solver scales rows and columns by
 * powers of two before it converts A. */
static void test_scaling(void)
{
    enum { N = 40 };
    static const struct {
        const char *name;
        double (*row)(int64_t), (*column)(int64_t);
    } cases[] = {{"all rows by 1e150", huge, one},
                 {"all columns by 1e150", one, huge},
                 {"rows by 1e150 and 1e-150", alternating, one},
                 {"graded rows", graded, one},
                 {"graded columns", one, graded}};
    for (int c = 0; c < 5; c++) {
        in_case("%s", cases[c].name);
        random_seed(4);
        struct array A = new_matrix('G', N), B = array_new_random(dtype, N, 2, 3);
        scale_system(A, B, cases[c].row, cases[c].column);
        struct solved x = solve('G', A, B, NULL, WRAPPED, tiling_of(1, N, NB), 4);
        require_info(x.info, 0);
        require(x.result.iterations >= 0);
        solved_free(x);
        arrays_free(A, B);
    }
    in_case("Hermitian, rows and columns by 1e100 and 1e-100");
    random_seed(4);
    struct array A = new_matrix('L', N), B = array_new_random(dtype, N, 2, 3);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            set(A, i, j, get(A, i, j) * (i % 2 ? 1e100 : 1e-100) * (j % 2 ? 1e100 : 1e-100));
    struct solved x = solve('L', A, B, NULL, WRAPPED, tiling_of(1, N, NB), 4);
    require_info(x.info, 0);
    require(x.result.iterations >= 0);
    solved_free(x);
    arrays_free(A, B);
}

/* Tests systems that only the fallback solves, and those that it cannot solve: info as gesv's. */
static void test_fallback(void)
{
    enum { N = 30 };
    struct tiling t = tiling_of(1, N, NB);
    random_seed(5);
    struct array A = generate_general(&random_general, dtype, N, N, 0),
                 B = array_new_random(dtype, N, 2, 0);
    for (int64_t i = 0; i < N; i++) /* two columns differ by 1e-10: singular in single precision */
        set(A, i, 7, get(A, i, 3) * (1 + 1e-10 * random_real()));
    in_case("nearly equal columns");
    struct solved x = solve('G', A, B, &only_refinement, WRAPPED, t, 4);
    require_info(x.info, 0);
    require(x.result.iterations < 0 && x.result.products == STARTILE_PRODUCTS_DOUBLE);
    require(isnan(x.result.backward) && isnan(x.result.forward));
    require_below(backward_error(A, x.X, B), 30 * N);
    solved_free(x);
    in_case("a zero column");
    for (int64_t i = 0; i < N; i++)
        set(A, i, 11, 0);
    x = solve('G', A, B, NULL, WRAPPED, t, 4);
    require_info(x.info, 12);
    require_info(x.result.iterations, -3);
    solved_free(x);
    in_case("NaN");
    set(A, 5, 5, NAN);
    x = solve('G', A, B, NULL, WRAPPED, t, 4);
    /* whether the column of zeros stays zero beside a NaN depends on the BLAS: some skip zeros */
    require(x.info == 0 || x.info == 12);
    require(x.result.iterations < 0);
    solved_free(x);
    in_case("not positive definite");
    struct array H = known_minor(dtype, N, 0, 17, -1);
    x = solve('L', H, B, NULL, WRAPPED, t, 4);
    require_info(x.info, 17);
    require_info(x.result.iterations, -3);
    solved_free(x);
    arrays_free(A, B, H);
}

/* Returns max |x_ij − y_ij| / max |y_ij|. */
static double relative_error(struct array X, struct array Y)
{
    double difference = 0, largest = 0;
    for (int64_t j = 0; j < X.n; j++)
        for (int64_t i = 0; i < X.m; i++) {
            difference = fmax(difference, cabs(get(X, i, j) - get(Y, i, j)));
            largest = fmax(largest, cabs(get(Y, i, j)));
        }
    return difference / largest;
}

/* Returns A Y. */
static struct array product_of(struct array A, struct array Y)
{
    struct array B = array_new(dtype, A.m, Y.n, 2);
    for (int64_t c = 0; c < Y.n; c++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex sum = 0;
            for (int64_t j = 0; j < A.n; j++)
                sum += get(A, i, j) * get(Y, j, c);
            set(B, i, c, sum);
        }
    return B;
}

/* Tests GMRES with a condition number beyond single precision. Its estimate of the error is right
 * to a factor of 100. It takes over from refinement if that has reduced the error by a factor of
 * 10, which it surely does for a condition number of 1e12: the small singular value hardly changes
 * the residual. GMRES also solves what refinement solves. */
static void test_gmres(void)
{
    enum { N = 60 };
    struct tiling t = tiling_of(1, N, NB);
    double eps = unit_roundoff(dtype);
    random_seed(12);
    for (double cond = 1e9; cond < 1e13; cond *= 1e3) {
        bool is_auto = cond > 1e11;
        startile_mixed_options options = {.size = sizeof options,
                                          .method = is_auto ? STARTILE_METHOD_AUTO
                                                            : STARTILE_METHOD_GMRES,
                                          .certificate = 1};
        in_case("GMRES%s, cond %g", is_auto ? " after refinement" : "", cond);
        struct array A = one_small_singular_value('G', N, 1 / cond),
                     Y = array_new_random(dtype, N, 3, 0), B = product_of(A, Y);
        struct solved x = solve('G', A, B, &options, CREATED, t, 2);
        require_refined(A, B, x);
        require(x.result.method == STARTILE_METHOD_GMRES);
        double error = relative_error(x.X, Y);
        require(x.result.forward > error / 100 && x.result.forward < 1000 * N * eps * cond);
        solved_free(x);
        x = solve('G', A, B, &only_refinement, WRAPPED, t, 2);
        require_info(x.info, 0);
        require_info(x.result.iterations, -31);
        solved_free(x);
        arrays_free(A, Y, B);
    }
    for (int u = 0; u < 3; u++) {
        in_case("GMRES from the start, solver %c", solvers[u]);
        static const startile_mixed_options gmres = {
            .size = sizeof gmres, .method = STARTILE_METHOD_GMRES, .certificate = 1};
        struct array A = one_small_singular_value(solvers[u], N, 1e-5),
                     B = array_new_random(dtype, N, NB + 1, 0);
        struct solved x = solve(solvers[u], A, B, &gmres, WRAPPED, t, 3);
        require_refined(A, B, x);
        require(x.result.method == STARTILE_METHOD_GMRES && x.result.iterations >= 1);
        solved_free(x);
        arrays_free(A, B);
    }
}

/* Adds `size` times random numbers to column `from` of A, and makes that column `to`. */
static void make_nearly_equal(struct array A, int64_t to, int64_t from, double size)
{
    struct array D = array_new_random(dtype, A.m, 1, 0);
    for (int64_t i = 0; i < A.m; i++)
        set(A, i, to, get(A, i, from) + size * get(D, i, 0));
    array_free(D);
}

/* Tests that the certificate shows the error in x if A is singular in single precision, although
 * the residual is small: one small singular value, and one beside another small one. An error of 1
 * or more means that no digit is right. */
static void test_nearly_singular(void)
{
    enum { N = 60, SYSTEMS = 100 };
    struct tiling t = tiling_of(1, N, NB);
    int refined = 0;
    for (int seed = 0; seed < SYSTEMS; seed++) {
        const bool has_second = seed % 2 == 1;
        in_case("cond 1e15%s, seed %d", has_second ? " and another small value" : "", seed);
        random_seed((uint64_t)seed);
        struct array A = has_second ? new_matrix('G', N) : one_small_singular_value('G', N, 1e-15),
                     Y = array_new_random(dtype, N, 2, 0), B;
        if (has_second) {
            make_nearly_equal(A, N - 1, 0, 1e-6);
            make_nearly_equal(A, N - 2, 1, 1e-15);
        }
        B = product_of(A, Y);
        struct solved x = solve('G', A, B, &with_errors, WRAPPED, t, 2);
        require_info(x.info, 0);
        if (x.result.iterations >= 0) {
            refined++;
            require(x.result.forward > fmin(relative_error(x.X, Y), 1) / 100);
        }
        solved_free(x);
        arrays_free(A, Y, B);
    }
    require(refined > 0);
}

/* Tests that refinement is accelerated: its error lies in the direction of one small singular
 * value, and would shrink by a constant factor in each step (up to 11 steps). */
static void test_acceleration(void)
{
    enum { N = 60, MOST_STEPS = 4 };
    static const startile_mixed_options options = {
        .size = sizeof options, .method = STARTILE_METHOD_REFINEMENT, .certificate = 1};
    struct tiling t = tiling_of(1, N, NB);
    static const double scales[] = {1, 1e-150, 1e150};
    const double smallest = 1.2e-7;
    for (int u = 0; u < 3; u++)
        for (int k = 0; k < 3; k++) {
            in_case("solver %c, a singular value of %g, right-hand sides of %g", solvers[u],
                    smallest, scales[k]);
            random_seed(13);
            struct array A = one_small_singular_value(solvers[u], N, smallest),
                         B = array_new_random(dtype, N, 3, 0);
            for (int64_t c = 0; c < 3; c++)
                for (int64_t i = 0; i < N; i++)
                    set(B, i, c, get(B, i, c) * scales[k]);
            struct solved x = solve(solvers[u], A, B, &options, WRAPPED, t, 2);
            require_refined(A, B, x);
            require(x.result.iterations <= MOST_STEPS || k > 0);
            solved_free(x);
            arrays_free(A, B);
        }
}

/* Tests that operations that the caller submits afterwards, on A and X and in another request, run
 * after the solver, with and without the fallback. */
static void test_order(void)
{
    enum { N = 60 };
    for (int is_fallback = 0; is_fallback < 2; is_fallback++) {
        in_case("operations after the solver%s", is_fallback ? ", fallback" : "");
        random_seed(6);
        struct array a = new_matrix('G', N), b = array_new_random(dtype, N, 2, 0),
                     x = array_new(dtype, N, 2, 0), copy = array_new(dtype, N, 2, 0),
                     factors = array_new(dtype, N, N, 1);
        for (int64_t i = 0; i < N && is_fallback; i++)
            set(a, i, 7, get(a, i, 3) * (1 + 1e-10 * random_real()));
        struct array before = array_copy(a);
        struct test_matrix A = test_matrix_new(a, WRAPPED, 'G', N, NB),
                           B = test_matrix_new(b, WRAPPED, 'G', NB, 2),
                           X = test_matrix_new(x, CREATED, 'G', NB, 2),
                           C = test_matrix_new(copy, WRAPPED, 'G', NB, 2),
                           F = test_matrix_new(factors, WRAPPED, 'G', N, NB);
        startile_mixed_result result = {.size = sizeof result};
        startile_pivots *P = pivots_created(A.A);
        startile_request *r = request_created(), *other = request_created();
        require_info(startile_gesv_mixed_async(A.A, P, B.A, X.A, &only_refinement, &result, r), 0);
        require_info(startile_lacpy_async('G', X.A, C.A, other), 0);
        require_info(startile_lacpy_async('G', A.A, F.A, other), 0);
        require_info(startile_laset_async('G', 0, 0, X.A, other), 0);
        require_info(startile_request_wait(other), 0);
        require_info(startile_request_wait(r), 0);
        startile_request_destroy(r);
        startile_request_destroy(other);
        startile_pivots_destroy(P);
        test_matrices_finish(&A, &B, &X, &C, &F);
        require(is_fallback == (result.iterations < 0));
        require_below(backward_error(before, copy, b), 30 * N);
        require(is_same(factors, a) && is_same(a, before) == !is_fallback);
        for (int64_t i = 0; i < N; i++)
            require(get(x, i, 0) == 0);
        arrays_free(a, b, x, copy, factors, before);
    }
}

/* Tests that a NaN in one column of B, whichever it is, is not taken for a solution, nor a matrix
 * whose norm overflows. */
static void test_not_finite(void)
{
    enum { N = 40 };
    struct tiling t = tiling_of(1, N, NB);
    for (int column = 0; column < 3; column++) {
        in_case("NaN in column %d of B", column);
        random_seed(9);
        struct array A = new_matrix('G', N), B = array_new_random(dtype, N, 3, 0);
        set(B, 5, column, NAN);
        struct solved x = solve('G', A, B, NULL, WRAPPED, t, 3);
        require_info(x.info, 0);
        require(x.result.iterations == -2 && isnan(creal(get(x.X, 5, column))));
        solved_free(x);
        arrays_free(A, B);
    }
    in_case("a norm that overflows");
    random_seed(9);
    struct array A = new_matrix('G', N), B = array_new_random(dtype, N, 1, 0);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            set(A, i, j, get(A, i, j) * 4e307);
    struct solved x = solve('G', A, B, NULL, WRAPPED, t, 3);
    require_info(x.info, 0);
    require_info(x.result.iterations, -2);
    solved_free(x);
    arrays_free(A, B);
}

/* Tests that a failure stops the operations that follow in the request, and that an earlier failure
 * stops the solver. */
static void test_failures(void)
{
    enum { N = 40, ROUNDS = 30 };
    for (int round = 0; round < ROUNDS; round++) {
        bool is_first = round % 2; /* the solver follows the failure */
        in_case("failure %s, round %d", is_first ? "before the solver" : "of the solver", round);
        random_seed(10);
        struct array a = new_matrix('G', N), b = array_new_random(dtype, N, 1, 0),
                     x = array_copy(b), c = array_copy(b), h = known_minor(dtype, N, 0, 3, -1);
        for (int64_t i = 0; i < N && !is_first; i++)
            set(a, i, 4, 0);
        struct array c_before = array_copy(c);
        struct test_matrix A = test_matrix_new(a, WRAPPED, 'G', N, NB),
                           B = test_matrix_new(b, WRAPPED, 'G', NB, 1),
                           X = test_matrix_new(x, FROM_HANDLES, 'G', NB, 1),
                           C = test_matrix_new(c, WRAPPED, 'G', NB, 1),
                           H = test_matrix_new(h, WRAPPED, 'L', NB, NB);
        startile_mixed_result result = {.size = sizeof result};
        startile_pivots *P = pivots_created(A.A);
        startile_request *r = request_created();
        if (is_first)
            require_info(startile_potrf_async('L', H.A, r), 0);
        if (is_first && round > ROUNDS / 2)
            require_info(startile_request_wait(r), 3);
        require_info(startile_gesv_mixed_async(A.A, P, B.A, X.A, NULL, &result, r), 0);
        /* 'U' updates C's tiles: if the task is skipped, they keep their values on GPUs, too */
        require_info(startile_lacpy_async('U', X.A, C.A, r), 0);
        require_info(startile_request_wait(r), is_first ? 3 : 5);
        startile_request_destroy(r);
        startile_pivots_destroy(P);
        test_matrices_finish(&A, &B, &X, &C, &H);
        if (!is_first)
            require(is_same(c, c_before));
        if (is_first && round > ROUNDS / 2)
            require(is_same(c, c_before));
        arrays_free(a, b, x, c, h, c_before);
    }
}

/* Tests that X may be a matrix of handles without values, and that B may not. */
static void test_handles_without_values(void)
{
    enum { N = 20 };
    random_seed(11);
    struct array a = new_matrix('L', N), b = array_new_random(dtype, N, 1, 0);
    for (int is_b = 0; is_b < 2; is_b++) {
        in_case("%s without values", is_b ? "B" : "X");
        struct test_matrix A = test_matrix_new(a, WRAPPED, 'G', N, N),
                           B = test_matrix_new(b, WRAPPED, 'G', N, 1);
        starpu_data_handle_t handle;
        startile_matrix *X;
        starpu_matrix_data_register(&handle, -1, 0, N, N, 1, element_size(dtype));
        require_info(startile_matrix_from_handles(&X, dtype, N, 1, N, 1, &handle, 1), 0);
        require_info(startile_posv_mixed('L', A.A, is_b ? X : B.A, is_b ? B.A : X, NULL, NULL),
                     is_b ? STARTILE_ERROR_TILE : 0);
        startile_matrix_destroy(X);
        starpu_data_unregister(handle);
        test_matrices_finish(&A, &B);
    }
    arrays_free(a, b);
}

/* Tests that several solvers at once, two of them in one request, and cancellations leave the
 * library usable and the last result right. */
static void test_requests(void)
{
    enum { N = 50, COUNT = 4 };
    struct array a[COUNT], b[COUNT], x[COUNT];
    for (int round = 0; round < 5; round++) {
        struct test_matrix A[COUNT], B[COUNT], X[COUNT];
        startile_pivots *P[COUNT];
        startile_request *r[COUNT - 1];
        startile_mixed_result result[COUNT];
        in_case("several requests, round %d", round);
        random_seed((uint64_t)round);
        for (int i = 0; i < COUNT; i++) {
            a[i] = new_matrix('G', N);
            b[i] = array_new_random(dtype, N, 2, 0);
            x[i] = array_new(dtype, N, 2, 0);
            A[i] = test_matrix_new(a[i], WRAPPED, 'G', N, NB);
            B[i] = test_matrix_new(b[i], WRAPPED, 'G', NB, 2);
            X[i] = test_matrix_new(x[i], WRAPPED, 'G', NB, 2);
            P[i] = pivots_created(A[i].A);
            if (i < COUNT - 1)
                r[i] = request_created();
            result[i].size = sizeof result[i];
            require_info(startile_gesv_mixed_async(A[i].A, P[i], B[i].A, X[i].A, NULL, &result[i],
                                                   r[i % (COUNT - 1)]),
                         0);
        }
        require_info(startile_request_cancel(r[1]), 0);
        for (int i = 0; i < COUNT - 1; i++) {
            int64_t info = startile_request_wait(r[i]);
            require(info == 0 || (i == 1 && info == STARTILE_ERROR_CANCELLED));
            startile_request_destroy(r[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            startile_pivots_destroy(P[i]);
            test_matrices_finish(&A[i], &B[i], &X[i]);
            if (i != 1) {
                require(result[i].iterations >= 0);
                require_below(backward_error(a[i], x[i], b[i]), 30 * N);
            }
            arrays_free(a[i], b[i], x[i]);
        }
    }
}

static void test_typed(void)
{
    enum { N = 45, NRHS = 3 };
    random_seed(7);
    for (int u = 0; u < 3; u++) {
        in_case("typed entry, %c", solvers[u]);
        struct array A = new_matrix(solvers[u], N), B = array_new_random(dtype, N, NRHS, 1),
                     X = array_new(dtype, N, NRHS, 2);
        int64_t ipiv[N], info;
        int64_t iter = -7;
        bool is_real = dtype == STARTILE_D;
        if (u == 0)
            info = is_real ? startile_dsgesv(N, NRHS, A.a, A.ld, ipiv, B.a, B.ld, X.a, X.ld, &iter)
                           : startile_zcgesv(N, NRHS, A.a, A.ld, ipiv, B.a, B.ld, X.a, X.ld, &iter);
        else
            info =
                is_real
                    ? startile_dsposv(solvers[u], N, NRHS, A.a, A.ld, B.a, B.ld, X.a, X.ld, &iter)
                    : startile_zcposv(solvers[u], N, NRHS, A.a, A.ld, B.a, B.ld, X.a, X.ld, &iter);
        require_info(info, 0);
        require(iter >= 0);
        require_below(backward_error(A, X, B), 30 * N);
        arrays_free(A, B, X);
    }
    double number = 0;
    int64_t ipiv = 0;
    int64_t iter = 0;
    in_case("arguments of typed entries");
    require_info(startile_dsgesv(-1, 1, &number, 1, &ipiv, &number, 1, &number, 1, &iter), -1);
    require_info(startile_dsgesv(1, -1, &number, 1, &ipiv, &number, 1, &number, 1, &iter), -2);
    require_info(startile_dsgesv(1, 1, NULL, 1, &ipiv, &number, 1, &number, 1, &iter), -3);
    require_info(startile_dsgesv(1, 1, &number, 0, &ipiv, &number, 1, &number, 1, &iter), -4);
    require_info(startile_dsgesv(1, 1, &number, 1, NULL, &number, 1, &number, 1, &iter), -5);
    require_info(startile_dsgesv(1, 1, &number, 1, &ipiv, NULL, 1, &number, 1, &iter), -6);
    require_info(startile_dsgesv(1, 1, &number, 1, &ipiv, &number, 0, &number, 1, &iter), -7);
    require_info(startile_dsgesv(1, 1, &number, 1, &ipiv, &number, 1, NULL, 1, &iter), -8);
    require_info(startile_dsgesv(1, 1, &number, 1, &ipiv, &number, 1, &number, 0, &iter), -9);
    require_info(startile_dsgesv(1, 1, &number, 1, &ipiv, &number, 1, &number, 1, NULL), -10);
    require_info(startile_dsposv('X', 1, 1, &number, 1, &number, 1, &number, 1, &iter), -1);
    require_info(startile_dsposv('L', 1, 1, &number, 1, &number, 1, &number, 0, &iter), -9);
}

/* Tests that single precision, and wrong options, are refused. */
static void test_arguments(void)
{
    startile_mixed_result result = {.size = sizeof result};
    in_case("arguments");
    startile_matrix *A = matrix_created(dtype, 9, 9, 9, 9), *B = matrix_created(dtype, 9, 2, 9, 2),
                    *X = matrix_created(dtype, 9, 2, 9, 2);
    startile_pivots *P = pivots_created(A);
    if (is_single(dtype)) {
        require_info(startile_gesv_mixed(A, P, B, X, NULL, &result), -1);
        require_info(startile_posv_mixed('L', A, B, X, NULL, &result), -2);
    } else {
        const size_t size = sizeof(startile_mixed_options);
        const startile_mixed_options wrong[] = {
            {.size = size, .products = STARTILE_PRODUCTS_DOUBLE},
            {.size = size, .tolerance = -1},
            {.size = size, .max_iterations = 31},
            {.size = size, .tolerance = NAN},
            {.size = size, .method = STARTILE_METHOD_GMRES + 1},
            {.size = 0},
            {.size = size - 1},
            {.size = size + 1}};
        for (int i = 0; i < 8; i++) {
            require_info(startile_gesv_mixed(A, P, B, X, &wrong[i], &result), -5);
            require_info(startile_posv_mixed('L', A, B, X, &wrong[i], &result), -5);
        }
        const startile_mixed_result wrong_sizes[] = {
            {.size = 0}, {.size = sizeof result - 1}, {.size = sizeof result + 1}};
        for (int i = 0; i < 3; i++) {
            startile_mixed_result copy = wrong_sizes[i];
            require_info(startile_gesv_mixed(A, P, B, X, NULL, &copy), -6);
            require_info(startile_posv_mixed('L', A, B, X, NULL, &copy), -6);
            require(memcmp(&copy, &wrong_sizes[i], sizeof copy) == 0);
        }
        require_info(startile_gesv_mixed(A, NULL, B, X, NULL, &result), -2);
        require_info(startile_gesv_mixed(A, P, A, X, NULL, &result), -3);
        require_info(startile_gesv_mixed(A, P, B, B, NULL, &result), -4);
        require_info(startile_gesv_mixed_async(A, P, B, X, NULL, &result, NULL), -7);
        require_info(startile_posv_mixed('X', A, B, X, NULL, &result), -1);
    }
    startile_pivots_destroy(P);
    matrices_destroy(A, B, X);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    return check_finish(is_single(dtype)
                            ? run_group("mixed", test_arguments)
                            : run_group("mixed", test_arguments, test_sizes, test_options,
                                        test_many_sides, test_kinds, test_scaling, test_fallback,
                                        test_gmres, test_nearly_singular, test_acceleration,
                                        test_not_finite, test_failures, test_handles_without_values,
                                        test_order, test_requests, test_typed));
}
