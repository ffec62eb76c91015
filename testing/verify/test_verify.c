/*
 * Tests of startile_options.verify: no false alarm, and the report of a corruption's place.
 *
 * STARTILE_TEST_CLEAN is the number of runs without flips for each routine, matrix and type, by
 * default 1.
 */
#include "check.h"
#include "checked_routines.h"
#include "generate.h"
#include "objects.h"
#include "startile_testing.h"
#include "symmetric_matrices.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- runs without corruption --------------------------------------------------------------------
 */

/* Requires the result of verify = 0, to the last bit. */
static void check_clean(const struct checked_routine *routine, const char *kind, struct array A)
{
    in_case("%s, %s, %d × %d", routine->name, kind, (int)A.m, (int)A.n);
    struct arrays x = operands_for(A), y = arrays_copy(x);
    startile_corruption found;
    int64_t code = run_checked(routine, x, 0, &found);
    require_info(run_checked(routine, y, 1, &found), code);
    require(backend != CPU || is_same_result(x, y));
    arrays_end(x);
    arrays_end(y);
}

static void test_clean(void)
{
    static const int64_t sizes[][2] = {{1, 1},     {5, 5},    {33, 33}, {100, 100},
                                       {150, 100}, {70, 130}, {700, 1}, {700, 20}};
    int runs = number_of("STARTILE_TEST_CLEAN", 1), cases = 0;
    random_seed(93);
    for (int run = 0; run < runs; run++)
        for (int r = 0; r < runnable_routines(); r++)
            for (int s = 0; s < (checked_routines[r].is_square ? 4 : 8); s++) {
                const int64_t m = sizes[s][0], n = sizes[s][1];
                bool is_square = m == n;
                for (int g = 0; generators[g].name != NULL && is_square; g++)
                    if (!is_left_to_other_types(cases++))
                        check_clean(&checked_routines[r], generators[g].name,
                                    generate(&generators[g], dtype, n, 1));
                for (int g = 0; generals[g].name != NULL && !checked_routines[r].is_definite; g++)
                    if (!is_left_to_other_types(cases++))
                        check_clean(&checked_routines[r], generals[g].name,
                                    generate_general(&generals[g], dtype, m, n, 3));
            }
}

/* Large matrices whose rounding errors do not cancel: all elements are positive. */
static void test_positive(void)
{
    enum { N = 600 };
    startile_corruption found;
    random_seed(94);
    for (int r = 0; r < runnable_routines(); r++) {
        if (is_left_to_other_types(r))
            continue;
        struct array A = array_new_random(dtype, N, N, 0);
        in_case("%s, positive, n %d", checked_routines[r].name, N);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i <= j; i++) {
                set(A, i, j, fabs(creal(get(A, i, j))) + (i == j ? N : 0));
                set(A, j, i, get(A, i, j));
            }
        struct arrays x = operands_for(A);
        require_info(run_checked(&checked_routines[r], x, 1, &found), 0);
        arrays_end(x);
    }
}

/* Elements near the ends of the type's range, and elements that are not finite: no alarm. */
static void test_range(void)
{
    static const double scales[] = {0x1p-120, 0x1p60, 0x1p120, INFINITY, NAN};
    enum { N = 70 };
    startile_corruption found;
    random_seed(95);
    for (int r = 0; r < runnable_routines(); r++)
        for (int s = 0; s < 5; s++) {
            struct array A = generate(&well_conditioned, dtype, N, 0);
            in_case("%s, scale %g", checked_routines[r].name, scales[s]);
            bool is_finite = isfinite(scales[s]);
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = 0; i < N; i++)
                    if (is_finite || (i == 40 && j == 40))
                        set(A, i, j, get(A, i, j) * scales[s]);
            struct arrays x = operands_for(A);
            require(run_checked(&checked_routines[r], x, 1, &found) != STARTILE_ERROR_CORRUPTION);
            arrays_end(x);
        }
}

/* -- symmetric factorizations -------------------------------------------------------------------
 */

/* Returns a random matrix in which rows and columns 20, 31, 42, … are zeros. */
static struct array singular_matrix(char op, int64_t n)
{
    struct array A = symmetric_matrix(RANDOM, op, dtype, n, 1);
    for (int64_t j = 20; j < n; j += 11)
        for (int64_t i = 0; i < n; i++) {
            set(A, i, j, 0);
            set(A, j, i, 0);
        }
    return A;
}

/* Matrices with pivots of order 2, and singular ones: no alarm, and the same info. */
static void test_symmetric(void)
{
    random_seed(95);
    for (int r = SYMMETRIC; r < PIVOTED; r++) {
        char op = checked_routines[r].symmetry;
        for (int kind = 0; kind < SYMMETRIC_KINDS; kind++)
            check_clean(
                &checked_routines[r], "kind",
                symmetric_matrix((enum symmetric_kind)kind, op, dtype, 33 + 40 * kind % 70, 1));
        check_clean(&checked_routines[r], "singular", singular_matrix(op, 100));
    }
}

/* Flips that matter are found although the factors have a zero pivot, and info > 0 is returned
 * without a flip. */
static void test_singular(void)
{
    random_seed(96);
    for (int r = SYMMETRIC; r < PIVOTED; r++) {
        const struct checked_routine *routine = &checked_routines[r];
        struct arrays x = operands_for(singular_matrix(routine->symmetry, 100));
        startile_corruption found;
        int count = 0;
        for (int f = 0; f < 12; f++) {
            startile_flip flip = {
                r < AASEN ? "sytrf" : "getrf", f % 3, f, 18 - f, (10 + f) % 32, sign_bit(), 1};
            struct arrays y = arrays_copy(x);
            in_case("%s, singular, flip %d", routine->name, f);
            require_info(startile_inject_flip(f > 0 ? &flip : NULL), 0);
            int64_t code = run_checked(routine, y, 1, &found);
            require_info(startile_inject_flip(NULL), 0);
            require(f > 0 || code > 0);
            require(code == STARTILE_ERROR_CORRUPTION || routine->residual(x, y) < MATTERS);
            require(code != STARTILE_ERROR_CORRUPTION ||
                    (strcmp(found.routine, routine->reported) == 0 && found.step == -1));
            count += code == STARTILE_ERROR_CORRUPTION;
            arrays_end(y);
        }
        require(count > 0);
        arrays_end(x);
    }
}

/* -- report --------------------------------------------------------------------------------------
 */

/* Flips a bit of an element of L(k,k), and requires its tile in the report. */
static void test_report(void)
{
    enum { N = 4 * NB };
    startile_corruption found;
    for (int u = 0; u < 2; u++)
        for (int k = 0; k < 4; k++) {
            in_case("potrf %c, step %d", "LU"[u], k);
            struct arrays x = operands_for(generate(&well_conditioned, dtype, N, 0));
            startile_flip flip = {"potrf",          k,           0, u == 0 ? 20 : 10,
                                  u == 0 ? 10 : 20, small_bit(), 1};
            require_info(startile_inject_flip(&flip), 0);
            require_info(run_checked(&checked_routines[u], x, 1, &found),
                         STARTILE_ERROR_CORRUPTION);
            require(strcmp(found.routine, "potrf") == 0);
            /* in single precision rounding errors may hide the row, for U that of its transpose */
            int64_t row = u == 0 ? found.row : found.column;
            bool is_hidden = is_single(dtype) && row == -1;
            require_info(row, is_hidden ? -1 : k);
            require_info(u == 0 ? found.column : found.row, k);
            require_info(found.step, is_hidden ? -1 : k);
            arrays_end(x);
        }
}

/* One wrong element of a column of gemm's result gives its tile. C's elements are large: in single
 * precision rounding errors would hide the row of a small one, and which element flips depends on
 * the order in which the tasks end. */
static void test_place(void)
{
    startile_corruption found;
    random_seed(97);
    for (int task = 0; task < 12; task++) {
        struct arrays x = operands_for(array_new_random(dtype, 2 * NB, 3 * NB, 0)), y;
        for (int64_t j = 0; j < x.c.n; j++)
            for (int64_t i = 0; i < x.c.m; i++)
                set(x.c, i, j, get(x.c, i, j) + 8 + 8 * I);
        y = arrays_copy(x);
        startile_flip flip = {"gemm", task, 0, 7 + task, 30 - task, sign_bit(), 1};
        int64_t row = -1, column = -1;
        in_case("gemm, task %d", task);
        require_info(startile_inject_flip(&flip), 0);
        require_info(run_checked(&checked_routines[FIRST_GEMM], x, 1, &found),
                     STARTILE_ERROR_CORRUPTION);
        double largest = -1;
        run_checked(&checked_routines[FIRST_GEMM], y, 0, &(startile_corruption){0});
        for (int64_t j = 0; j < x.c.n; j++)
            for (int64_t i = 0; i < x.c.m; i++)
                if (cabs(get(x.c, i, j) - get(y.c, i, j)) > largest) {
                    largest = cabs(get(x.c, i, j) - get(y.c, i, j));
                    row = i, column = j;
                }
        require_info(found.row, row / NB);
        require_info(found.column, column / NB);
        require_info(found.step, 1); /* the last of two products */
        arrays_end(x);
        arrays_end(y);
    }
}

/* -- interface -----------------------------------------------------------------------------------
 */

static void test_blocking(void)
{
    startile_corruption found;
    in_case("blocking call");
    startile_matrix *A = matrix_created(dtype, 70, 70, NB, NB);
    require_info(startile_random('H', 3, 100, A), 0);
    startile_options options = check_options();
    require(options.verify == 0);
    options.verify = 3;
    require_info(startile_init(&options), -1);
    options.verify = -1;
    require_info(startile_init(&options), -1);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    require_info(startile_request_set_verify(NULL, 1), -1);
    startile_request *r = request_created();
    require_info(startile_request_set_verify(r, -1), -2);
    require_info(startile_request_set_verify(r, 3), -2);
    require_info(startile_request_corruption(r, &found), 0);
    require_info(startile_request_corruption(r, NULL), -2);
    startile_request_destroy(r);
    require_info(startile_inject_flip(&(startile_flip){.task = -1}), -1);
    require_info(startile_inject_flip(&(startile_flip){.bit = -1}), -1);
    require_info(
        startile_inject_flip(&(startile_flip){.operation = "a name of more than 23 bytes"}), -1);
    require_info(startile_inject_flip(NULL), 0);
}

/* A request that has found a corruption works again after its reset. */
static void test_reset(void)
{
    startile_corruption found;
    struct array a = generate(&well_conditioned, dtype, 70, 0), b = array_copy(a);
    startile_matrix *A = wrapped(a), *B = wrapped(b);
    startile_flip flip = {"potrf", 0, 0, 20, 10, small_bit(), 1};
    in_case("reset");
    startile_request *r = request_created();
    require_info(startile_request_set_verify(r, 1), 0);
    require_info(startile_inject_flip(&flip), 0);
    require_info(startile_potrf_async('L', A, r), 0);
    require_info(startile_request_wait(r), STARTILE_ERROR_CORRUPTION);
    require_info(startile_request_reset(r), 0);
    require_info(startile_request_corruption(r, &found), 0);
    require_info(startile_potrf_async('L', B, r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    matrices_destroy(A, B);
    arrays_free(a, b);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "verify", test_clean, test_positive, test_range, test_symmetric,
                      test_singular, test_report, test_place, test_blocking, test_reset);
}
