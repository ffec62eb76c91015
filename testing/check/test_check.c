/* Tests of the bounds in check.c: worst-case rounding in tiny systems passes, an error of 100 eps
 * fails. */
#include "check.h"

#include <math.h>

enum { MOST = 8, WRONG = 100 }; /* largest order; a wrong element's error in eps */

/* A system with small integers as data and solution Z: the residual of Z is 0. */
struct exact_system {
    struct array A, Z, B;
};

/* Returns A = 3 I + E for the matrix E of ones, a column Z of ones, and B = A Z. For these ‖AZ‖₁ =
 * ‖A‖₁ ‖Z‖₁. */
static struct exact_system exact_system(int64_t n)
{
    struct exact_system s = {array_new(dtype, n, n, 1), array_new(dtype, n, 1, 1),
                             array_new(dtype, n, 1, 1)};
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            set(s.A, i, j, i == j ? 4 : 1);
        set(s.Z, j, 0, 1);
        set(s.B, j, 0, (double)n + 3);
    }
    return s;
}

static void system_free(struct exact_system s)
{
    arrays_free(s.A, s.Z, s.B);
}

/* Returns Z with its first `elements` elements multiplied by 1 + roundings · unit_roundoff. For an
 * even `roundings` this factor is representable, so the product is exact for Z = 1. */
static struct array perturbed(struct array Z, int64_t elements, int roundings)
{
    struct array X = array_copy(Z);
    for (int64_t i = 0; i < elements; i++)
        set(X, i, 0, get(Z, i, 0) * (1 + roundings * unit_roundoff(dtype)));
    return X;
}

/* Tests the worst case of a Cholesky factorization and two substitutions: all rounding errors (5n +
 * 3 with inverses of diagonal blocks, 3n + 1 without) are as large as possible and of one sign. 5n
 * + 3 is rounded down to an even number; from n = 3 on 14 replaces it, the largest even number
 * below the slack of 16. */
static void test_worst_rounding(void)
{
    for (int64_t n = 1; n <= MOST; n++) {
        int worst[] = {0, 8, 12, 14};
        in_case("solution with worst-case rounding, n %d", (int)n);
        struct exact_system s = exact_system(n);
        struct array X = perturbed(s.Z, n, worst[n < 3 ? n : 3]);
        check_solution(s.A, X, s.Z, s.B);
        array_free(X);
        system_free(s);
    }
    check_report("worst-case rounding");
}

/* Returns whether check_solution() would accept the solution X. */
static bool accepts(struct exact_system s, struct array X)
{
    double residual = solution_residual(s.A, X, s.B);
    double lapacks = solution_residual(s.A, s.Z, s.B);
    return residual < residual_bound(lapacks, 2, s.A.n, 1 / (double)s.A.n);
}

/* Tests that an error of 100 eps is detected: in one element up to n = 4, in all elements up to n =
 * 8. */
static void test_wrong_solution(void)
{
    for (int64_t n = 1; n <= MOST; n++) {
        in_case("wrong solution, n %d", (int)n);
        struct exact_system s = exact_system(n);
        struct array X = perturbed(s.Z, n, WRONG), Y = perturbed(s.Z, 1, WRONG);
        require(accepts(s, s.Z));
        require(!accepts(s, X));
        require(n > 4 || !accepts(s, Y));
        arrays_free(X, Y);
        system_free(s);
    }
}

/* Tests a factor L each of whose elements has an error of 2 eps. A = L Lᴴ for a triangle L of ones,
 * which LAPACK factors without rounding errors. */
static void test_factor(void)
{
    for (int64_t n = 1; n <= MOST; n++) {
        in_case("factor with errors of 2 eps, n %d", (int)n);
        struct array A = array_new(dtype, n, n, 1), L = array_new(dtype, n, n, 1);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                set(A, i, j, (double)(i < j ? i : j) + 1);
                set(L, i, j, i < j ? 0 : 1 + 2 * unit_roundoff(dtype));
            }
        check_factor('L', A, L, n);
        arrays_free(A, L);
    }
    check_report("factor");
}

/* Tests residual_bound() with times = 2: twice LAPACK's residual and a slack, at most 30. The slack
 * covers the worst case of small systems, min(6n + 4, 15) roundings. For n < 64 it is below 25
 * roundings, so that an error of 100 eps exceeds it; from n = 64 on it is at most 2 √n roundings (2
 * √(2n) for complex types). */
static void test_sizes(void)
{
    double parts = dtype == STARTILE_C || dtype == STARTILE_Z ? 2 : 1;
    for (int64_t n = 1; n <= 1 << 20; n *= 2) {
        double unit = 1 / (double)n, slack = residual_bound(0, 2, n, unit) / unit;
        in_case("bound, n %d", (int)n);
        require_below(slack, n < 64 ? WRONG / 4 : 2.001 * sqrt(parts * (double)n));
        require_below(fmin(6 * (double)n + 4, 15), slack);
        require_below(fabs(residual_bound(0.5, 2, n, unit) - 1 - slack * unit), 1e-9);
        require(residual_bound(20, 2, n, unit) == 30);
        require(isnan(residual_bound(NAN, 2, n, unit)));
        require(residual_bound(INFINITY, INFINITY, n, unit) == INFINITY);
    }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    return run_group("check", test_worst_rounding, test_wrong_solution, test_factor, test_sizes);
}
