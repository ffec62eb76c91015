/* Tests of geqp3_rank: the rank that the norm of the rest asks for, the approximation with it, and
 * the factors; arguments. */
#include "check.h"
#include "generate_qr.h"
#include "pivoted.h"
#include "reference.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <starpu.h>

enum { NB = 16 };

struct limits {
    double tol;
    int64_t max_rank, *rank;
};

static int64_t factor_within(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                             const void *limits)
{
    const struct limits *l = limits;
    return startile_geqp3_rank(A, P, T, l->tol, l->max_rank, l->rank);
}

/* Returns the factors of a copy of A that geqp3_rank() leaves, and *rank. */
static struct pivoted truncated(struct array A, enum way way, int64_t nb, double tol, int64_t most,
                                int64_t *rank)
{
    const struct limits l = {tol, most, rank};
    return pivoted_with(factor_within, &l, A, NULL, way, nb);
}

/* Returns ‖B − Q(:,0:r) R(0:r,:)‖_F / norm. */
static double error_of_rank(struct array B, struct factors f, int64_t r, double norm)
{
    struct array E =
        product('N', 'N', array_part(f.Q, 0, 0, f.Q.m, r), array_part(f.R, 0, 0, r, f.R.n));
    double squares = 0;
    for (int64_t j = 0; j < B.n; j++)
        for (int64_t i = 0; i < B.m; i++)
            squares += pow(cabs(get(B, i, j) - get(E, i, j)) / norm, 2);
    array_free(E);
    return sqrt(squares);
}

/* Requires the rank to be the smallest with an error of tol ‖A‖_F, up to rounding, or `most`; and
 * the factors of the columns that were factored. */
static void check_truncated(struct array A, struct pivoted p, int64_t nb, double tol, int64_t most,
                            int64_t rank)
{
    int64_t k = min(A.m, A.n), factored = min(k, (rank + nb - 1) / nb * nb);
    struct array B = permuted(A, p.jpvt);
    struct factors f = factors_of(p.f);
    double norm = fmax(lapack(A)->lange('F', A), DBL_MIN), rounding = 50 * (double)(A.m + A.n);
    rounding *= unit_roundoff(dtype);
    require(rank >= 0 && rank <= min(k, most));
    if (rank < min(k, most))
        require(error_of_rank(B, f, rank, norm) <= tol + rounding);
    if (rank > 0)
        require(error_of_rank(B, f, rank - 1, norm) > tol - rounding);
    check_leading(B, factored, p.f, 2);
    for (int64_t j = max(factored, nb); j < k; j++)
        require(get(p.f.tau, j, 0) == 0);
    factors_free(f);
    array_free(B);
}

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    static int cases;
    int64_t most = max(1, min(m, n) / 2), rank = -1;
    if (t.mb < m || is_left_out(cases++))
        return;
    struct array A = generate_general(&random_general, dtype, m, n, (m + n) % 3);
    struct pivoted p = truncated(A, way, t.nb, 0.7, most, &rank);
    if (m > 0 && n > 0)
        check_truncated(A, p, t.nb, 0.7, most, rank);
    else
        require(rank == 0);
    pivoted_free(p);
    array_free(A);
}

static void test_shapes(void)
{
    for_shapes("geqp3_rank", check_shape);
}

/* Returns an m × n matrix with the singular values ratio^0, ratio^1, … */
static struct array falling(int64_t m, int64_t n, double ratio)
{
    struct array X = array_new_random(dtype, m, n, 0), Y = array_new_random(dtype, n, n, 0);
    struct qr x = lapack_qr(X, QR), y = lapack_qr(Y, QR);
    struct factors U = factors_of(x), V = factors_of(y);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(U.Q, i, j, get(U.Q, i, j) * pow(ratio, (double)j));
    struct array A = product('N', 'C', U.Q, V.Q);
    qr_free(x);
    qr_free(y);
    factors_free(U);
    factors_free(V);
    arrays_free(X, Y);
    return A;
}

/* Tests that the rank is near that of the singular values, and follows tol and max_rank. */
static void test_tolerances(void)
{
    enum { M = 150, N = 90 };
    const double ratio = 0.8, least = is_single(dtype) ? 1e-4 : 1e-7;
    random_seed(3);
    struct array A = falling(M, N, ratio);
    for (double tol = 1.5; tol > least; tol /= 7) {
        in_case("tol %g", tol);
        int64_t rank, capped;
        struct pivoted p = truncated(A, WRAPPED, NB, tol, INT64_MAX, &rank);
        check_truncated(A, p, NB, tol, INT64_MAX, rank);
        /* the best approximation needs log(tol) / log(ratio) columns */
        double best = tol < 1 ? log(tol) / log(ratio) : 0;
        require((double)rank >= floor(best) && (double)rank <= best + 12);
        pivoted_free(p);
        p = truncated(A, WRAPPED, NB, tol, 7, &capped);
        require(capped == min(rank, 7));
        check_truncated(A, p, NB, tol, 7, capped);
        pivoted_free(p);
    }
    array_free(A);
}

/* Tests products of random m × r and r × n matrices, scaled by numbers whose squares overflow or
 * underflow. */
static void test_ranks(void)
{
    enum { M = 90, N = 75 };
    const double large = is_single(dtype) ? 1e30 : 1e200, scales[] = {1, large, 1 / large};
    for (int s = 0; s < 3; s++)
        for (int64_t r = 0; r < N; r += 13) {
            in_case("rank %d, scale %g", (int)r, scales[s]);
            random_seed((uint64_t)r);
            struct array X = array_new_random(dtype, M, r, 0), Y = array_new_random(dtype, r, N, 0);
            struct array A = product('N', 'N', X, Y);
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = 0; i < M; i++)
                    set(A, i, j, get(A, i, j) * scales[s]);
            int64_t rank = -1;
            double tol = 100 * unit_roundoff(dtype);
            struct pivoted p = truncated(A, WRAPPED, NB, tol, N, &rank);
            require(rank == r);
            check_truncated(A, p, NB, tol, N, rank);
            pivoted_free(p);
            arrays_free(X, Y, A);
        }
}

/* Tests that Q of A and T is the one of the columns that were factored. */
static void test_products(void)
{
    in_case("Q^H A P");
    enum { M = 80, N = 60 };
    random_seed(4);
    struct array A = falling(M, N, 0.5), F = array_copy(A);
    startile_matrix *W = array_wrapped(F, M, NB), *T = reflectors_created(W);
    startile_permutation *P = NULL;
    int64_t rank, jpvt[N];
    require_info(startile_permutation_create(&P, W), 0);
    require_info(startile_geqp3_rank(W, P, reflectors_of(T), 1e-2, N, &rank), 0);
    require(rank < NB);
    require_info(startile_permutation_to_lapack(P, jpvt), 0);
    struct array B = permuted(A, jpvt);
    startile_matrix *C = array_wrapped(B, M, NB);
    require_info(startile_unmqr('L', 'C', W, reflectors_of(T), C), 0);
    startile_permutation_destroy(P);
    matrices_destroy(C, T, W);
    /* Q^H A P = [R11 R12; 0 A22] */
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < M; i++)
            require(cabs(get(B, i, j) - (i > j && j < NB ? 0 : get(F, i, j))) <
                    100 * unit_roundoff(dtype));
    arrays_free(A, B, F);
}

static void test_nan(void)
{
    in_case("NaN");
    random_seed(9);
    int64_t rank = -1;
    struct array A = generate_general(&random_general, dtype, 60, 40, 0);
    set(A, 29, 13, NAN);
    struct pivoted p = truncated(A, WRAPPED, NB, 0.9, INT64_MAX, &rank);
    require(rank == 40);
    pivoted_free(p);
    array_free(A);
    in_case("an infinite element");
    A = array_new_random(dtype, 9, 1, 0);
    set(A, 3, 0, INFINITY);
    p = truncated(A, WRAPPED, NB, 0.9, INT64_MAX, &rank);
    require(rank == 1);
    pivoted_free(p);
    array_free(A);
    in_case("0, with an infinite tolerance");
    A = array_new(dtype, 30, 20, 0);
    array_fill(A, 0);
    p = truncated(A, WRAPPED, NB, INFINITY, INT64_MAX, &rank);
    require(rank == 0);
    pivoted_free(p);
    array_free(A);
}

static void test_arguments(void)
{
    in_case("arguments");
    startile_matrix *A = matrix_created(dtype, 10, 7, 10, 4), *T = reflectors_created(A);
    startile_permutation *P = NULL;
    int64_t rank = -1;
    const int64_t chosen[7] = {0, 0, 1, 0, 0, 0, 0};
    require_info(startile_permutation_create(&P, A), 0);
    require_info(startile_geqp3_rank(NULL, P, reflectors_of(T), 0, 1, &rank), -1);
    require_info(startile_geqp3_rank(A, NULL, reflectors_of(T), 0, 1, &rank), -2);
    require_info(startile_geqp3_rank(A, P, NULL, 0, 1, &rank), -3);
    require_info(startile_geqp3_rank(A, P, reflectors_of(T), -1e-300, 1, &rank), -4);
    require_info(startile_geqp3_rank(A, P, reflectors_of(T), NAN, 1, &rank), -4);
    require_info(startile_geqp3_rank(A, P, reflectors_of(T), 0, -1, &rank), -5);
    require_info(startile_geqp3_rank(A, P, reflectors_of(T), 0, 1, NULL), -6);
    require_info(startile_geqp3_rank_async(A, P, reflectors_of(T), 0, 1, &rank, NULL), -7);
    require_info(startile_permutation_choose(P, chosen), 0);
    require_info(startile_geqp3_rank(A, P, reflectors_of(T), 0, 1, &rank), -2);
    require(rank == -1);
    require_info(startile_permutation_choose(P, (int64_t[7]){0}), 0);
    require_info(startile_geqp3_rank(A, P, reflectors_of(T), 0, 0, &rank), 0);
    require(rank == 0);
    startile_permutation_destroy(P);
    matrices_destroy(A, T);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    if (starpu_cpu_worker_get_count() == 0)
        check_skip("geqp3_rank needs a CPU worker");
    return check_finish(run_group("geqp3_rank", test_shapes, test_tolerances, test_ranks,
                                  test_products, test_nan, test_arguments));
}
