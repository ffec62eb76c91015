/* Tests of gelsy_batch against LAPACK, matrix by matrix: ranks from 0 to min(m, n), shapes,
 * consistent and inconsistent systems, the bound of the rank, matrices near the ends of the range,
 * different sizes in one batch, NaN. */
#include "batch.h"
#include "check.h"
#include "generate_qr.h"
#include "qr.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Bound on our residual / LAPACK's residual, see test_gels.c. */
static const double times = 4;

/* Bound of the rank for matrices whose nonzero singular values are not small */
static double bound_of_rank(void)
{
    return is_single(dtype) ? 1e-4 : 1e-10;
}

/* -- problems --------------------------------------------------------------------------------- */

/* Problem q: A = L R of rank R.m. The rows of B from A's m on are NaN. */
struct problems {
    struct group A, R, B;
};

static struct group group_empty(int64_t count)
{
    struct group G = {count, calloc((size_t)count + 1, sizeof *G.matrix)};
    require(G.matrix != NULL);
    return G;
}

static struct problems problems_new(int64_t count)
{
    return (struct problems){group_empty(count), group_empty(count), group_empty(count)};
}

/* Makes problem q. */
static void make(struct problems p, int64_t q, int64_t m, int64_t n, int64_t rank, int64_t nrhs,
                 bool consistent)
{
    struct array A = array_new(dtype, m, n, 1), B = array_new(dtype, max(m, n), nrhs, 2),
                 L = array_new_random(dtype, m, rank, 0), R = array_new_random(dtype, rank, n, 0),
                 X = array_new_random(dtype, n, nrhs, 0), sides = array_part(B, 0, 0, m, nrhs);
    array_fill(A, 0);
    array_random(sides);
    if (rank > 0)
        lapack(A)->gemm('N', 'N', 1, L, R, 0, A);
    if (consistent && m > 0 && n > 0 && nrhs > 0)
        lapack(A)->gemm('N', 'N', 1, A, X, 0, sides);
    p.A.matrix[q] = A;
    p.R.matrix[q] = R;
    p.B.matrix[q] = B;
    arrays_free(L, X);
}

/* Makes problem q with a random A, of full rank. */
static void make_full(struct problems p, int64_t q, int64_t m, int64_t n, int64_t nrhs)
{
    p.A.matrix[q] = array_new_random(dtype, m, n, 1);
    p.R.matrix[q] = m < n ? array_copy(p.A.matrix[q]) : array_new(dtype, n, n, 0);
    p.B.matrix[q] = array_new_random(dtype, max(m, n), nrhs, 2);
    array_poison(array_part(p.B.matrix[q], m, 0, max(m, n) - m, nrhs), 'G');
}

static void problems_free(struct problems p)
{
    groups_free(p.A, p.R, p.B);
}

/* -- answers ---------------------------------------------------------------------------------- */

struct answer {
    struct group B;
    struct integers rank;
};

static struct answer solve(struct problems p, double rcond, enum batch_form form)
{
    struct answer x = {.B = group_copy(p.B)};
    struct group A = group_copy(p.A);
    struct test_batch a = test_batch_new(A, form, 0, NULL), b = test_batch_new(x.B, form, 0, a.b);
    x.rank = integers_new(p.A.count, 1, form, a.b);
    require_info(startile_gelsy_batch(a.b, b.b, rcond, x.rank.b), 0);
    integers_finish(&x.rank);
    test_batches_finish(&b, &a);
    require(group_has_borders_intact(A) && group_has_borders_intact(x.B));
    group_free(A);
    return x;
}

static void answer_free(struct answer x)
{
    group_free(x.B);
    integers_free(&x.rank);
}

static int64_t rank_of(struct answer x, int64_t q)
{
    return *integers_of(&x.rank, q);
}

/* Returns B after LAPACK's xGELSY. */
static struct array solve_by_lapack(struct array A, struct array B, double rcond, int64_t *rank)
{
    struct array F = array_copy(A), X = array_copy(B);
    int64_t *jpvt = calloc((size_t)A.n + 1, sizeof *jpvt);
    require(jpvt != NULL);
    *rank = lapack(A)->gelsy(F, X, jpvt, rcond);
    free(jpvt);
    array_free(F);
    return X;
}

/* Requires in each column for rank n < m that the rows below X have the norm of the residual. */
static void check_residual_rows(struct array A, struct array B, struct array answer)
{
    double norm_A = lapack(A)->lange('F', A);
    for (int64_t j = 0; j < B.n; j++) {
        struct array r = array_new_rows(array_part(B, 0, j, A.m, 1), A.m),
                     X = array_part(answer, 0, j, A.n, 1),
                     below = array_part(answer, A.n, j, A.m - A.n, 1);
        double scale = norm_A * lapack(X)->lange('F', X) + lapack(r)->lange('F', r);
        lapack(A)->gemm('N', 'N', -1, A, X, 1, r);
        double error = fabs(lapack(r)->lange('F', r) - lapack(below)->lange('F', below));
        check_componentwise(error / (scale * (double)A.m * unit_roundoff(dtype)));
        array_free(r);
    }
}

/* Checks the answer of problem q, whose rank is R.m, by LAPACK's equations: the residual of a
 * consistent system (qrt16), Aᴴ (B − A X) for rank < m (qrt17), and the distance of X from the
 * range of Rᴴ (qrt14). */
static void check_answer(struct problems p, int64_t q, struct answer x, double rcond,
                         bool consistent)
{
    struct array A = p.A.matrix[q], B = p.B.matrix[q], R = p.R.matrix[q];
    int64_t most = max(A.m, A.n), lapacks_rank = 0;
    if (A.m == 0 || A.n == 0 || B.n == 0)
        return;
    struct array l = solve_by_lapack(A, B, rcond, &lapacks_rank),
                 X = array_new_rows(x.B.matrix[q], A.n), Z = array_new_rows(l, A.n),
                 sides = array_new_rows(B, A.m);
    require_info(rank_of(x, q), R.m);
    require_info(lapacks_rank, R.m);
    if (consistent || R.m == A.m)
        check_residual(qrt16('N', A, X, sides), qrt16('N', A, Z, sides), times, roundings(most),
                       1 / (double)most);
    if (R.m < A.m)
        check_residual(qrt17('N', A, X, sides), qrt17('N', A, Z, sides), times, roundings(most),
                       1 / (double)most);
    if (R.m > 0 && R.m < A.n) {
        /* the range of R's rows is that of A's only up to rounding errors of A times its condition
         */
        double bound = 30 * condition(R);
        require_below(qrt14('N', R, X), bound);
    }
    if (R.m == A.n && A.m > A.n)
        check_residual_rows(A, B, x.B.matrix[q]);
    for (int64_t i = 0; i < X.m * X.n && R.m == 0; i++)
        require(get(X, i % X.m, i / X.m) == 0);
    arrays_free(l, X, Z, sides);
}

/* -- tests ------------------------------------------------------------------------------------ */

/* Tests all shapes, each with all its ranks in one batch. */
static void test_ranks(void)
{
    static const int64_t shapes[][2] = {{1, 1},    {2, 1},   {1, 2},    {5, 3},    {3, 5},
                                        {8, 8},    {33, 33}, {50, 20},  {20, 50},  {100, 1},
                                        {1, 100},  {64, 32}, {10, 60},  {60, 10},  {130, 19},
                                        {19, 130}, {90, 90}, {150, 70}, {200, 190}};
    for (int s = 0; s < 19; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1], k = min(m, n), step = k > 40 ? k / 8 : 1;
        bool consistent = s % 2;
        enum batch_form form = (enum batch_form)(s % FORMS);
        if (is_left_to_other_types(s))
            continue;
        random_seed((uint64_t)s);
        struct problems p = problems_new(k / step + 1);
        for (int64_t q = 0; q < p.A.count; q++)
            make(p, q, m, n, q == p.A.count - 1 ? k : q * step, 1 + 5 * (s % 3), consistent);
        struct answer x = solve(p, bound_of_rank(), form);
        for (int64_t q = 0; q < p.A.count; q++) {
            in_case("%d × %d of rank %d, %s, %s", (int)m, (int)n, (int)p.R.matrix[q].m,
                    consistent ? "consistent" : "inconsistent", form_names[form]);
            check_answer(p, q, x, bound_of_rank(), consistent);
        }
        answer_free(x);
        problems_free(p);
    }
    check_report("ranks");
}

/* Tests square, tall and wide matrices of full rank, in batches of up to 1000. */
static void check_full(int64_t n, int64_t count, enum batch_form form, int variant)
{
    int64_t rows = variant % 3 == 1 ? n + n / 2 : n, columns = variant % 3 == 2 ? n + n / 2 : n;
    struct problems p = problems_new(count);
    if (n > 300) /* LAPACK's checks would take most of the time */
        count = p.A.count = p.R.count = p.B.count = min(count, 1);
    for (int64_t q = 0; q < count; q++) {
        random_seed((uint64_t)(n + q % 4));
        make_full(p, q, rows, columns, 1 + variant % 3);
    }
    struct answer x = solve(p, 0, form);
    for (int64_t q = 0; q < count; q++) {
        require_info(rank_of(x, q), min(rows, columns));
        if (q < 4 || !is_same(x.B.matrix[q], x.B.matrix[q % 4])) /* CPUs and GPUs: other bits */
            check_answer(p, q, x, 0, false);
    }
    answer_free(x);
    problems_free(p);
}

static void test_full(void)
{
    for_batches(check_full);
    check_report("full rank");
}

/* Tests matrices with zero or equal columns, and exact products of low rank: LAPACK's rank, and the
 * norms of the solutions. */
static void test_deficient(void)
{
    static const int64_t shapes[][2] = {{40, 40}, {70, 30}, {30, 70}};
    for (const struct general *g = deficient; g->name != NULL; g++) {
        for (int s = 0; s < 3; s++) {
            in_case("%s, %d × %d", g->name, (int)shapes[s][0], (int)shapes[s][1]);
            random_seed(5);
            struct problems p = problems_new(1);
            make(p, 0, shapes[s][0], shapes[s][1], 0, 2, false);
            array_free(p.A.matrix[0]);
            p.A.matrix[0] = generate_general(g, dtype, shapes[s][0], shapes[s][1], 0);
            struct answer x = solve(p, bound_of_rank(), STRIDED);
            int64_t rank;
            struct array l = solve_by_lapack(p.A.matrix[0], p.B.matrix[0], bound_of_rank(), &rank),
                         X = array_new_rows(x.B.matrix[0], shapes[s][1]),
                         Z = array_new_rows(l, shapes[s][1]);
            require_info(rank_of(x, 0), rank);
            double ours = lapack(X)->lange('F', X), lapacks = lapack(Z)->lange('F', Z);
            require(fabs(ours - lapacks) <= 1e5 * unit_roundoff(dtype) * lapacks);
            arrays_free(l, X, Z);
            answer_free(x);
            problems_free(p);
        }
    }
}

/* Tests the bound of the rank with singular values 1, 1/4, 1/16, …. */
static void test_rcond(void)
{
    enum { N = 30 };
    random_seed(4);
    struct problems p = problems_new(1);
    make(p, 0, N, N, 0, 1, false);
    struct array U = array_new_random(dtype, N, N, 0);
    struct qr u = lapack_qr(U, QR);
    for (int64_t j = 0; j < N; j++)
        set(p.A.matrix[0], (7 * j) % N, j, ldexp(1, -2 * (int)j));
    lapack(U)->unmqr('L', 'N', u.F, u.tau, p.A.matrix[0]);
    for (int rank = 1; rank < 9; rank++) {
        in_case("rcond for rank %d", rank);
        struct answer x = solve(p, ldexp(1, -2 * rank + 1), STRIDED);
        require_info(rank_of(x, 0), rank);
        answer_free(x);
    }
    in_case("rcond −1");
    struct answer x = solve(p, -1, STRIDED);
    /* 4^(1 − rank) ≥ N eps > 4^−rank */
    require_info(rank_of(x, 0), is_single(dtype) ? 10 : 24);
    answer_free(x);
    qr_free(u);
    array_free(U);
    problems_free(p);
}

/* Multiplies all elements of the first m rows by 2^power. */
static void multiply(struct array A, int64_t m, int power)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < m; i++)
            set(A, i, j, get(A, i, j) * ldexp(1, power));
}

/* Tests A and B scaled to the ends of the range: the same solution, scaled. */
static void test_out_of_range(void)
{
    enum { CASES = 6 };
    static const int64_t shapes[][3] = {{20, 20, 13}, {40, 25, 25}, {25, 40, 25}};
    int large = is_single(dtype) ? 120 : 1010, small = is_single(dtype) ? -105 : -1000;
    const int powers[CASES][2] = {{0, 0},     {large, large}, {large, 0},
                                  {0, large}, {small, small}, {small, small / 2}};
    for (int s = 0; s < 3; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        struct problems p = problems_new(CASES);
        for (int q = 0; q < CASES; q++) {
            random_seed(6);
            make(p, q, m, n, shapes[s][2], 2, false);
            multiply(p.A.matrix[q], m, powers[q][0]);
            multiply(p.B.matrix[q], m, powers[q][1]);
        }
        struct answer x = solve(p, bound_of_rank(), STRIDED);
        for (int q = 1; q < CASES; q++) {
            in_case("%d × %d, by 2^%d and 2^%d", (int)m, (int)n, powers[q][0], powers[q][1]);
            require_info(rank_of(x, q), rank_of(x, 0));
            for (int64_t i = 0; i < n * 2; i++) {
                startile_complex X = get(x.B.matrix[0], i % n, i / n),
                                 Y = get(x.B.matrix[q], i % n, i / n) * ldexp(1, powers[q][0] / 2) *
                                     ldexp(1, powers[q][0] - powers[q][0] / 2 - powers[q][1]);
                require_below(cabs(X - Y), 1e6 * unit_roundoff(dtype));
            }
            for (int64_t i = n; i < m; i++) /* rows below X: their scale is that of B */
                require_below(cabs(get(x.B.matrix[0], i, 0) -
                                   get(x.B.matrix[q], i, 0) * ldexp(1, -powers[q][1])),
                              1e6 * unit_roundoff(dtype));
        }
        answer_free(x);
        problems_free(p);
    }
}

/* Tests problems of different sizes in one batch, also without equations, unknowns or right-hand
 * sides. */
static void test_sizes(void)
{
    enum { COUNT = 40 };
    random_seed(4);
    struct problems p = problems_new(COUNT);
    for (int64_t q = 0; q < COUNT; q++) {
        int64_t m = q % 7 == 4 ? 0 : random_below(70), n = q % 7 == 2 ? 0 : random_below(70);
        make(p, q, m, n, random_below(min(m, n) + 1), random_below(4), false);
    }
    struct answer x = solve(p, bound_of_rank(), SIZES);
    for (int64_t q = 0; q < COUNT; q++) {
        struct array A = p.A.matrix[q], B = x.B.matrix[q];
        in_case("problem %d of different sizes, %d × %d, nrhs %d", (int)q, (int)A.m, (int)A.n,
                (int)B.n);
        check_answer(p, q, x, bound_of_rank(), false);
        if (A.m == 0 || A.n == 0 || B.n == 0)
            require_info(rank_of(x, q), 0);
        for (int64_t i = 0; i < B.m * B.n && (A.m == 0 || A.n == 0); i++)
            require(get(B, i % B.m, i / B.m) == 0);
    }
    answer_free(x);
    problems_free(p);
}

/* Tests that a NaN ends in a solution with NaN, and that the bits of the others do not change. */
static void test_nan(void)
{
    enum { COUNT = 4, BAD = 1 };
    static const int64_t shapes[][2] = {{30, 30}, {40, 20}, {20, 40}};
    for (int s = 0; s < 3; s++) {
        in_case("NaN, %d × %d", (int)shapes[s][0], (int)shapes[s][1]);
        random_seed(8);
        struct problems p = problems_new(COUNT);
        for (int64_t q = 0; q < COUNT; q++)
            make(p, q, shapes[s][0], shapes[s][1], 10, 2, false);
        struct answer before = solve(p, bound_of_rank(), STRIDED);
        set(p.A.matrix[BAD], 5, 7, NAN);
        struct answer x = solve(p, bound_of_rank(), STRIDED);
        for (int64_t q = 0; q < COUNT; q++)
            require(q == BAD ? !is_finite(array_part(x.B.matrix[q], 0, 0, shapes[s][1], 2))
                             : backend == HYBRID || is_same(x.B.matrix[q], before.B.matrix[q]));
        answer_free(before);
        answer_free(x);
        problems_free(p);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_gelsy", test_ranks, test_full, test_deficient, test_rcond,
                      test_out_of_range, test_sizes, test_nan);
}
