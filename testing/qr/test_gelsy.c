/* Tests of gelsy: ranks from 0 to min(m, n), shapes, tiles, consistent and inconsistent systems,
 * the bound of the rank, columns that come first, matrices near the ends of the range, NaN. */
#include "check.h"
#include "generate_qr.h"
#include "objects.h"
#include "qr.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <starpu.h>
#include <stdlib.h>

/* Bound on our residual / LAPACK's residual, see test_gels.c. */
static const double times = 4;

/* A = L R of rank r, where R is r × n, and the solution for right-hand sides B. B has max(m, n)
 * rows, and those from m on are NaN. */
struct problem {
    int64_t m, n, rank;
    struct array A, R, B;
};

static struct problem problem_new(int64_t m, int64_t n, int64_t rank, int64_t nrhs, bool consistent)
{
    struct problem p = {.m = m, .n = n, .rank = rank, .B = array_new(dtype, max(m, n), nrhs, 2)};
    struct array L = array_new_random(dtype, m, rank, 0), X = array_new_random(dtype, n, nrhs, 0);
    p.R = array_new_random(dtype, rank, n, 0);
    p.A = array_new(dtype, m, n, 1);
    array_fill(p.A, 0);
    struct array sides = array_part(p.B, 0, 0, m, nrhs);
    array_random(sides);
    if (rank > 0)
        lapack(p.A)->gemm('N', 'N', 1, L, p.R, 0, p.A);
    if (consistent && m > 0 && n > 0 && nrhs > 0)
        lapack(p.A)->gemm('N', 'N', 1, p.A, X, 0, sides);
    arrays_free(L, X);
    return p;
}

static void problem_free(struct problem p)
{
    arrays_free(p.A, p.R, p.B);
}

/* Result of gelsy: X in the first rows of B, and A after the call */
struct answer {
    struct array A, B;
    int64_t rank, *jpvt;
    double estimate; /* that of solve() */
};

static struct answer answer_new(struct array A, struct array B, const int64_t *chosen)
{
    struct answer x = {array_copy(A), array_copy(B), -1,
                       calloc((size_t)max(A.m, A.n) + 1, sizeof(int64_t)), -1};
    require(x.jpvt != NULL);
    for (int64_t j = 0; j < A.n && chosen != NULL; j++)
        x.jpvt[j] = chosen[j];
    return x;
}

static void answer_free(struct answer x)
{
    arrays_free(x.A, x.B);
    free(x.jpvt);
}

/* Solves in block columns of width nb. B's tiles are `mb` rows high. */
static struct answer solve(struct array A, struct array B, double rcond, enum way way, int64_t nb,
                           int64_t mb)
{
    struct answer x = answer_new(A, B, NULL);
    struct test_matrix S = test_matrix_new(x.A, way, 'G', max(A.m, 1), nb),
                       Y = test_matrix_new(x.B, way, 'G', mb, nb);
    startile_permutation *P = NULL;
    require_info(startile_permutation_create(&P, S.A), 0);
    require_info(startile_gelsy(S.A, P, Y.A, rcond, &x.rank, &x.estimate), 0);
    require_info(startile_permutation_to_lapack(P, x.jpvt), 0);
    startile_permutation_destroy(P);
    test_matrices_finish(&S, &Y);
    return x;
}

static struct answer solve_typed(struct array A, struct array B, const int64_t *chosen,
                                 double rcond)
{
    struct answer x = answer_new(A, B, chosen);
    require_info(
        lapack(A)->typed_gelsy(A.m, A.n, B.n, x.A.a, x.A.ld, x.B.a, x.B.ld, x.jpvt, rcond, &x.rank),
        0);
    require(has_borders_intact(x.A) && has_borders_intact(x.B));
    return x;
}

static struct answer solve_by_lapack(struct array A, struct array B, const int64_t *chosen,
                                     double rcond)
{
    struct answer x = answer_new(A, B, chosen);
    x.rank = lapack(A)->gelsy(x.A, x.B, x.jpvt, rcond);
    return x;
}

/* Requires ‖(A P)ᴴ A P − Tᴴ T‖₁ / (‖A‖₁ ‖Aᴴ‖₁ max(m, n) eps) < 30 for the trapezoid T of the first
 * `rank` rows of R, and zeros in place of all else if rank < n. It implies LAPACK's qrt12: A and T
 * have the same singular values. */
static void check_trapezoid(struct array A, struct answer x)
{
    struct array AP = array_new(A.dtype, A.m, A.n, 0), T = array_copy(x.A);
    for (int64_t j = 0; j < A.n; j++) {
        array_assign(array_part(A, 0, x.jpvt[j] - 1, A.m, 1), array_part(AP, 0, j, A.m, 1));
        for (int64_t i = min(j + 1, x.rank); i < A.m; i++) {
            require(x.rank == A.n || get(T, i, j) == 0);
            set(T, i, j, 0);
        }
    }
    struct array D = product('C', 'N', AP, AP), E = product('C', 'N', T, T);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(D, i, j, get(D, i, j) - get(E, i, j));
    double scale = lapack(A)->lange('1', A) * lapack(A)->lange('I', A) * (double)max(A.m, A.n) *
                   unit_roundoff(A.dtype);
    double norm = lapack(D)->lange('1', D);
    require(norm <= 30 * scale);
    arrays_free(AP, T, D, E);
}

/* Requires in each column for rank n < m that the rows below X have the norm of the residual. */
static void check_residual_rows(struct problem p, struct answer x)
{
    double norm_A = lapack(p.A)->lange('F', p.A);
    for (int64_t j = 0; j < p.B.n; j++) {
        struct array r = array_new_rows(array_part(p.B, 0, j, p.m, 1), p.m);
        struct array X = array_part(x.B, 0, j, p.n, 1),
                     below = array_part(x.B, p.n, j, p.m - p.n, 1);
        double scale = norm_A * lapack(X)->lange('F', X) + lapack(r)->lange('F', r);
        lapack(p.A)->gemm('N', 'N', -1, p.A, X, 1, r);
        double error = fabs(lapack(r)->lange('F', r) - lapack(below)->lange('F', below));
        check_componentwise(error / (scale * (double)p.m * unit_roundoff(dtype)));
        array_free(r);
    }
}

/* Returns ‖F‖₂² by power iteration, where `apply` multiplies a vector by F or Fᴴ, for F = R (trmm)
 * or R⁻¹ (trsm). */
static double squared_norm(void (*apply)(char, char, char, char, startile_complex, struct array,
                                         struct array),
                           struct array R)
{
    struct array x = array_new_random(dtype, R.n, 1, 0);
    double growth = 1;
    for (int i = 0; i < 100; i++) {
        apply('L', 'U', 'N', 'N', 1 / growth, R, x);
        apply('L', 'U', 'C', 'N', 1, R, x);
        growth = lapack(x)->lange('F', x);
    }
    array_free(x);
    return growth;
}

/* Requires estimate / (1 / condition of R11) from 1 to the rank. */
static void check_estimate(struct answer x)
{
    if (x.rank == 0) {
        require(x.estimate == 0);
        return;
    }
    struct array R = array_part(x.A, 0, 0, x.rank, x.rank);
    double ratio = x.estimate * sqrt(squared_norm(lapack(R)->trmm, R)) *
                   sqrt(squared_norm(lapack(R)->trsm, R));
    require(ratio > 0.9 && ratio < 1.1 * (double)x.rank);
}

/* Checks the answer, whose rank is p.rank, by LAPACK's equations: the residual of a consistent
 * system (qrt16), Aᴴ (B − A X) (qrt17), and the distance of X from the range of Rᴴ (qrt14). */
static void check_answer(struct problem p, struct answer x, struct answer l, bool consistent)
{
    int64_t most = max(p.m, p.n);
    double unit = 1 / (double)most;
    struct array X = array_new_rows(x.B, p.n), Z = array_new_rows(l.B, p.n),
                 sides = array_new_rows(p.B, p.m);
    require_info(x.rank, p.rank);
    require_info(l.rank, p.rank);
    check_trapezoid(p.A, x);
    if (consistent)
        check_residual(qrt16('N', p.A, X, sides), qrt16('N', p.A, Z, sides), times, roundings(most),
                       unit);
    check_residual(qrt17('N', p.A, X, sides), qrt17('N', p.A, Z, sides), times, roundings(most),
                   unit);
    if (p.rank > 0 && p.rank < p.n) {
        /* the range of R's rows is that of A's only up to rounding errors of A times its condition
         */
        double bound = 30 * condition(p.R);
        require_below(qrt14('N', p.R, X), bound);
    }
    if (p.rank == p.n && p.m > p.n)
        check_residual_rows(p, x);
    if (p.rank == 0)
        for (int64_t i = 0; i < X.m * X.n; i++)
            require(get(X, i % X.m, i / X.m) == 0);
    arrays_free(X, Z, sides);
}

/* Bound of the rank for matrices whose nonzero singular values are not small */
static double bound_of_rank(void)
{
    return is_single(dtype) ? 1e-4 : 1e-10;
}

static void check_problem(struct problem p, bool consistent, enum way way, int64_t nb, int64_t mb)
{
    struct answer x = solve(p.A, p.B, bound_of_rank(), way, nb, mb),
                  l = solve_by_lapack(p.A, p.B, NULL, bound_of_rank());
    check_answer(p, x, l, consistent);
    check_estimate(x);
    answer_free(x);
    answer_free(l);
}

/* Tests all shapes with ranks from 0 to min(m, n). */
static void test_ranks(void)
{
    static const int64_t shapes[][2] = {{1, 1},   {2, 1},   {1, 2},   {5, 3},    {3, 5},   {8, 8},
                                        {50, 50}, {50, 20}, {20, 50}, {100, 1},  {1, 100}, {35, 33},
                                        {10, 60}, {60, 10}, {120, 8}, {19, 130}, {130, 19}};
    static const int64_t widths[] = {8, 3, 64, 20};
    int variant = 0, cases = 0;
    for (int s = 0; s < 17; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1], k = min(m, n);
        const int64_t ranks[] = {0, 1, k / 2, k - 1, k};
        for (int r = 0; r < 5; r++, variant++) {
            int64_t nb = widths[variant % 4], heights[] = {nb, 3 * nb, max(m, n)};
            bool consistent = variant / 2 % 2;
            if (is_left_out(cases++))
                continue;
            in_case("%d × %d of rank %d, %s, nb %d, %s", (int)m, (int)n, (int)ranks[r],
                    consistent ? "consistent" : "inconsistent", (int)nb,
                    way_names[(variant + s) % WAYS]);
            random_seed((uint64_t)variant);
            struct problem p = problem_new(m, n, ranks[r], 1 + 9 * (variant % 3), consistent);
            check_problem(p, consistent, (enum way)((variant + s) % WAYS), nb,
                          heights[variant % 3]);
            problem_free(p);
        }
    }
    check_report("ranks");
}

/* Tests matrices with zero or equal columns, and exact products of low rank: LAPACK's rank, and the
 * norms of residual and solution. */
static void test_deficient(void)
{
    static const int64_t shapes[][2] = {{40, 40}, {70, 30}, {30, 70}};
    for (const struct general *g = deficient; g->name != NULL; g++)
        for (int s = 0; s < 3; s++) {
            in_case("%s, %d × %d", g->name, (int)shapes[s][0], (int)shapes[s][1]);
            random_seed(5);
            struct problem p = problem_new(shapes[s][0], shapes[s][1], 0, 2, false);
            array_free(p.A);
            p.A = generate_general(g, dtype, p.m, p.n, 0);
            struct answer x = solve(p.A, p.B, bound_of_rank(), WRAPPED, 8, max(p.m, p.n)),
                          l = solve_by_lapack(p.A, p.B, NULL, bound_of_rank());
            require_info(x.rank, l.rank);
            check_trapezoid(p.A, x);
            struct array X = array_new_rows(x.B, p.n), Z = array_new_rows(l.B, p.n);
            double ours = lapack(X)->lange('F', X), lapacks = lapack(Z)->lange('F', Z);
            require(fabs(ours - lapacks) <= 1e5 * unit_roundoff(dtype) * lapacks);
            arrays_free(X, Z);
            answer_free(x);
            answer_free(l);
            problem_free(p);
        }
}

/* Tests the bound of the rank with singular values 1, 1/4, 1/16, …. */
static void test_rcond(void)
{
    enum { N = 30 };
    random_seed(4);
    struct problem p = problem_new(N, N, 0, 1, false);
    struct array U = array_new_random(dtype, N, N, 0);
    struct qr u = lapack_qr(U, QR);
    for (int64_t j = 0; j < N; j++)
        set(p.A, (7 * j) % N, j, ldexp(1, -2 * (int)j));
    lapack(p.A)->unmqr('L', 'N', u.F, u.tau, p.A);
    for (int rank = 1; rank < 9; rank++) {
        in_case("rcond for rank %d", rank);
        struct answer x = solve(p.A, p.B, ldexp(1, -2 * rank + 1), WRAPPED, 8, N);
        require_info(x.rank, rank);
        check_estimate(x);
        answer_free(x);
    }
    in_case("rcond −1");
    struct answer x = solve(p.A, p.B, -1, WRAPPED, 8, N);
    /* 4^(1 − rank) ≥ N eps > 4^−rank */
    require_info(x.rank, is_single(dtype) ? 10 : 24);
    answer_free(x);
    qr_free(u);
    array_free(U);
    problem_free(p);
}

/* Tests A and B scaled to the ends of the range. */
static void test_out_of_range(void)
{
    static const int64_t shapes[][3] = {{20, 20, 13}, {40, 25, 25}, {25, 40, 25}};
    int large = is_single(dtype) ? 120 : 1010, small = is_single(dtype) ? -105 : -1000;
    const int powers[][2] = {
        {large, large}, {large, 0}, {0, large}, {small, small}, {small, small / 2}};
    for (int s = 0; s < 3; s++)
        for (int q = 0; q < 5; q++) {
            in_case("%d × %d, by 2^%d and 2^%d", (int)shapes[s][0], (int)shapes[s][1], powers[q][0],
                    powers[q][1]);
            random_seed(6);
            struct problem p = problem_new(shapes[s][0], shapes[s][1], shapes[s][2], 2, false);
            struct answer x = solve(p.A, p.B, bound_of_rank(), WRAPPED, 8, max(p.m, p.n));
            for (int64_t i = 0; i < p.m * p.n; i++)
                set(p.A, i % p.m, i / p.m, get(p.A, i % p.m, i / p.m) * ldexp(1, powers[q][0]));
            for (int64_t i = 0; i < p.m * 2; i++)
                set(p.B, i % p.m, i / p.m, get(p.B, i % p.m, i / p.m) * ldexp(1, powers[q][1]));
            struct answer y = solve(p.A, p.B, bound_of_rank(), WRAPPED, 8, max(p.m, p.n));
            require_info(y.rank, x.rank);
            require_below(fabs(y.estimate / x.estimate - 1), 1e6 * unit_roundoff(dtype));
            for (int64_t i = 0; i < p.n * 2; i++) {
                startile_complex X = get(x.B, i % p.n, i / p.n),
                                 Y = get(y.B, i % p.n, i / p.n) * ldexp(1, powers[q][0] / 2) *
                                     ldexp(1, powers[q][0] - powers[q][0] / 2 - powers[q][1]);
                require_below(cabs(X - Y), 1e6 * unit_roundoff(dtype));
            }
            for (int64_t i = p.n; i < p.m; i++) /* rows below X: their scale is that of B */
                require_below(cabs(get(x.B, i, 0) - get(y.B, i, 0) * ldexp(1, -powers[q][1])),
                              1e6 * unit_roundoff(dtype));
            answer_free(x);
            answer_free(y);
            problem_free(p);
        }
}

/* Tests that a NaN ends in a solution with NaN. */
static void test_nan(void)
{
    static const int64_t shapes[][2] = {{30, 30}, {40, 20}, {20, 40}};
    for (int s = 0; s < 3; s++) {
        in_case("NaN, %d × %d", (int)shapes[s][0], (int)shapes[s][1]);
        random_seed(8);
        struct problem p = problem_new(shapes[s][0], shapes[s][1], 10, 2, false);
        set(p.A, 5, 7, NAN);
        struct answer x = solve(p.A, p.B, bound_of_rank(), WRAPPED, 8, max(p.m, p.n));
        require(!is_finite(array_part(x.B, 0, 0, p.n, 2)));
        answer_free(x);
        problem_free(p);
    }
}

/* Tests the typed entry, also with columns that come first, and systems without equations, unknowns
 * or right-hand sides. */
static void test_typed(void)
{
    static const int64_t shapes[][3] = {{0, 0, 0},   {0, 7, 0},     {7, 0, 0},     {1, 1, 1},
                                        {20, 20, 9}, {300, 40, 40}, {40, 300, 40}, {200, 150, 90},
                                        {60, 70, 0}, {250, 250, 99}};
    for (int s = 0; s < 10; s++)
        for (int64_t nrhs = 0; nrhs < 3; nrhs++) {
            int64_t m = shapes[s][0], n = shapes[s][1], rank = nrhs > 0 ? shapes[s][2] : 0,
                    chosen[300] = {0};
            in_case("typed, %d × %d of rank %d, nrhs %d", (int)m, (int)n, (int)shapes[s][2],
                    (int)nrhs);
            random_seed((uint64_t)s);
            struct problem p = problem_new(m, n, shapes[s][2], nrhs, false);
            for (int64_t j = 0; j < n; j++)
                chosen[j] = s % 2 == 0 && j == n / 2;
            struct answer x = solve_typed(p.A, p.B, chosen, bound_of_rank());
            require_info(x.rank, rank);
            if (m > 0 && n > 0 && nrhs > 0) {
                struct answer l = solve_by_lapack(p.A, p.B, chosen, bound_of_rank());
                check_answer(p, x, l, false);
                require(x.jpvt[0] == l.jpvt[0] || p.rank == 0); /* LAPACK: unchanged for A = 0 */
                answer_free(l);
            }
            for (int64_t i = 0; i < n * nrhs && m == 0; i++)
                require(get(x.B, i % n, i / n) == 0);
            answer_free(x);
            problem_free(p);
        }
    check_report("typed");
}

/* Tests wrong arguments. */
static void test_arguments(void)
{
    in_case("arguments");
    startile_matrix *A = matrix_created(dtype, 10, 7, 10, 4),
                    *B = matrix_created(dtype, 10, 2, 10, 4),
                    *tiles = matrix_created(dtype, 10, 7, 4, 4),
                    *narrow = matrix_created(dtype, 10, 6, 10, 4),
                    *low = matrix_created(dtype, 9, 2, 9, 4);
    startile_permutation *P = NULL, *other = NULL;
    int64_t rank = -1;
    require_info(startile_permutation_create(&P, A), 0);
    require_info(startile_permutation_create(&other, narrow), 0);
    require_info(startile_gelsy(NULL, P, B, 0, &rank, NULL), -1);
    require_info(startile_gelsy(tiles, P, B, 0, &rank, NULL), -1);
    require_info(startile_gelsy(A, NULL, B, 0, &rank, NULL), -2);
    require_info(startile_gelsy(A, other, B, 0, &rank, NULL), -2);
    require_info(startile_gelsy(A, P, NULL, 0, &rank, NULL), -3);
    require_info(startile_gelsy(A, P, A, 0, &rank, NULL), -3);
    require_info(startile_gelsy(A, P, low, 0, &rank, NULL), -3);
    require_info(startile_gelsy(A, P, B, 0, NULL, NULL), -5);
    require_info(startile_gelsy_async(A, P, B, 0, &rank, NULL, NULL), -7);
    require(rank == -1);
    startile_permutation_destroy(P);
    startile_permutation_destroy(other);
    matrices_destroy(A, B, tiles, narrow, low);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    if (starpu_cpu_worker_get_count() == 0)
        check_skip("gelsy needs a CPU worker");
    return check_finish(run_group("gelsy", test_ranks, test_deficient, test_rcond,
                                  test_out_of_range, test_nan, test_typed, test_arguments));
}
