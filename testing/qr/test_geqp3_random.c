/* Tests of geqp3_random: factors of all shapes and kinds of matrices, R beside the singular values,
 * rank, NaN, seeds. */
#include "check.h"
#include "generate_qr.h"
#include "pivoted.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

static struct pivoted random_pivoted(struct array A, uint64_t seed, enum way way, int64_t nb)
{
    return pivoted_by(&seed, A, NULL, way, nb);
}

static void check_random(struct array A, struct pivoted p, double times)
{
    struct array B = permuted(A, p.jpvt);
    check_qr(B, p.f, times);
    array_free(B);
}

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    static int cases;
    if (t.mb < m || is_left_out(cases++))
        return;
    struct array A = generate_general(&random_general, dtype, m, n, (m + n) % 3);
    struct pivoted p = random_pivoted(A, (uint64_t)(m + n), way, t.nb);
    check_random(A, p, 2);
    pivoted_free(p);
    array_free(A);
}

static void test_shapes(void)
{
    for_shapes("geqp3_random", check_shape);
}

static void test_kinds(void)
{
    const uint64_t seed = 1;
    check_pivoted_kinds(&seed, check_random);
}

static void test_rank(void)
{
    const uint64_t seed = 5;
    check_pivoted_ranks(&seed, 16, check_random);
    check_pivoted_ranks(&seed, 48, check_random);
}

/* Tests that the diagonal of R shows singular values that fall by steps of 16 equal ones: each
 * element is within a factor `most` of its singular value. Of matrices with 12 to 32 equal ones the
 * largest factor seen was 20, with LAPACK's pivots 5. */
static void test_stairs(void)
{
    enum { N = 48, WIDTH = 16 };
    const double step = is_single(dtype) ? 100 : 3000, most = is_single(dtype) ? 50 : 100;
    for (uint64_t seed = 0; seed < 4; seed++) {
        in_case("stairs of singular values, seed %d", (int)seed);
        random_seed(seed);
        struct array X = array_new_random(dtype, N, N, 0), Y = array_new_random(dtype, N, N, 0);
        struct qr x = lapack_qr(X, QR), y = lapack_qr(Y, QR);
        struct factors U = factors_of(x), V = factors_of(y);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < N; i++)
                set(U.Q, i, j, get(U.Q, i, j) * pow(step, -(double)(j / WIDTH)));
        struct array A = product('N', 'C', U.Q, V.Q);
        struct pivoted p = random_pivoted(A, seed, WRAPPED, 16);
        check_random(A, p, 2);
        for (int64_t k = 0; k < N; k++) {
            double ratio = cabs(get(p.f.F, k, k)) * pow(step, (double)(k / WIDTH));
            require(ratio < most && ratio > 1 / most);
        }
        pivoted_free(p);
        qr_free(x);
        qr_free(y);
        factors_free(U);
        factors_free(V);
        arrays_free(X, Y, A);
    }
}

/* Tests that the third panel takes the columns that are independent of those of the first two,
 * though some of the others are larger: the sketch must lose all of R. */
static void test_independent(void)
{
    enum { N = 64, WIDTH = 16 };
    in_case("independent columns");
    random_seed(3);
    struct array A = array_new_random(dtype, N, N, 0), Z = array_new_random(dtype, WIDTH, WIDTH, 0);
    /* columns 0 … 15, 100 times smaller 16 … 31 and combinations of these, and 48 … 63, which are
     * 10⁴ times smaller */
    lapack(A)->gemm('N', 'N', 1, array_part(A, 0, WIDTH, N, WIDTH), Z, 0,
                    array_part(A, 0, 2 * WIDTH, N, WIDTH));
    for (int64_t j = WIDTH; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            set(A, i, j, get(A, i, j) * (j < N - WIDTH ? 1e-2 : 1e-4));
    struct pivoted p = random_pivoted(A, 1, WRAPPED, WIDTH);
    check_random(A, p, 2);
    for (int64_t k = 2 * WIDTH; k < 3 * WIDTH; k++)
        require(p.jpvt[k] > N - WIDTH);
    pivoted_free(p);
    arrays_free(Z, A);
}

/* Tests that the same seed gives the same bits, and another seed other pivots. */
static void test_seeds(void)
{
    in_case("seeds");
    random_seed(2);
    struct array A = generate_general(&random_general, dtype, 300, 260, 0);
    struct pivoted p = random_pivoted(A, 1, WRAPPED, 64), q = random_pivoted(A, 1, WRAPPED, 64),
                   other = random_pivoted(A, 2, WRAPPED, 64);
    bool differs = false;
    require(is_same(p.f.F, q.f.F) && is_same(p.f.tau, q.f.tau));
    for (int64_t j = 0; j < A.n; j++) {
        require(p.jpvt[j] == q.jpvt[j]);
        differs = differs || p.jpvt[j] != other.jpvt[j];
    }
    require(differs);
    pivoted_free(p);
    pivoted_free(q);
    pivoted_free(other);
    array_free(A);
}

static void test_nan(void)
{
    in_case("NaN");
    random_seed(9);
    struct array A = generate_general(&random_general, dtype, 30, 20, 0);
    set(A, 29, 13, NAN);
    struct pivoted p = random_pivoted(A, 1, WRAPPED, 8);
    struct array B = permuted(A, p.jpvt);
    require(!is_finite(p.f.F));
    pivoted_free(p);
    arrays_free(A, B);
}

static void test_typed(void)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 4},     {4, 0},    {1, 1},    {7, 7},    {1, 9},
                                        {9, 1}, {150, 150}, {200, 70}, {70, 200}, {400, 300}};
    for (int s = 0; s < 11; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        in_case("typed geqp3_random, %d × %d", (int)m, (int)n);
        random_seed(11);
        struct array A = generate_general(&random_general, dtype, m, n, 2);
        struct pivoted p = pivoted_new(A, NULL);
        require_info(lapack(A)->typed_geqp3_random(m, n, p.f.F.a, p.f.F.ld, p.jpvt, p.f.tau.a, 3),
                     0);
        for (int64_t j = 0; j < n && m == 0; j++)
            require(p.jpvt[j] == j + 1);
        if (m > 0 && n > 0)
            check_random(A, p, 2);
        pivoted_free(p);
        array_free(A);
    }
}

static void test_arguments(void)
{
    in_case("arguments");
    startile_matrix *A = matrix_created(dtype, 10, 7, 10, 4), *T = reflectors_created(A);
    startile_matrix *tiles = matrix_created(dtype, 10, 7, 4, 4);
    startile_permutation *P = NULL;
    const int64_t chosen[7] = {0, 0, 1, 0, 0, 0, 0}, none[7] = {0};
    require_info(startile_permutation_create(&P, A), 0);
    require_info(startile_geqp3_random(NULL, P, reflectors_of(T), 1), -1);
    require_info(startile_geqp3_random(tiles, P, reflectors_of(T), 1), -1);
    require_info(startile_geqp3_random(A, NULL, reflectors_of(T), 1), -2);
    require_info(startile_permutation_choose(P, chosen), 0);
    require_info(startile_geqp3_random(A, P, reflectors_of(T), 1), -2);
    require_info(startile_permutation_choose(P, none), 0);
    require_info(startile_geqp3_random(A, P, NULL, 1), -3);
    require_info(startile_geqp3_random_async(A, P, reflectors_of(T), 1, NULL), -5);
    require_info(startile_geqp3_random(A, P, reflectors_of(T), 1), 0);
    startile_permutation_destroy(P);
    matrices_destroy(A, T, tiles);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "geqp3_random", test_shapes, test_kinds, test_rank, test_stairs,
                      test_independent, test_seeds, test_nan, test_typed, test_arguments);
}
