/* Tests of pstrf: sizes, tile sizes, LAPACK's pivots, semidefinite matrices of all ranks, limits
 * for pivots, indefinite matrices, NaN, typed entries. */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const char uplos[] = {'L', 'U'};

/* P^T A P = L L^H or U^H U of the first `rank` columns or rows of F; piv as in LAPACK */
struct pivoted {
    char uplo;
    struct array F;
    int64_t *piv, rank, info;
};

static struct pivoted pivoted_new(char uplo, struct array A)
{
    struct pivoted p = {uplo, array_copy(A), calloc((size_t)A.n + 1, sizeof(int64_t)), -1, -1};
    require(p.piv != NULL);
    return p;
}

static void pivoted_free(struct pivoted p)
{
    array_free(p.F);
    free(p.piv);
}

/* Returns the library's factor of the triangle uplo of A, in tiles of order nb. */
static struct pivoted pivoted_of(char uplo, struct array A, double tol, enum way way, int64_t nb)
{
    struct pivoted p = pivoted_new(uplo, A);
    startile_permutation *P = NULL;
    array_poison(p.F, uplo == 'L' ? 'U' : 'L');
    struct test_matrix S = test_matrix_new(p.F, way, uplo, nb, nb);
    require_info(startile_permutation_create(&P, S.A), 0);
    p.info = startile_pstrf(uplo, S.A, P, tol, &p.rank);
    require_info(startile_permutation_to_lapack(P, p.piv), 0);
    startile_permutation_destroy(P);
    test_matrix_finish(&S);
    require(is_poisoned(p.F, uplo == 'L' ? 'U' : 'L'));
    return p;
}

static struct pivoted lapack_pivoted(char uplo, struct array A, double tol)
{
    struct pivoted p = pivoted_new(uplo, A);
    p.info = lapack(A)->pstrf(uplo, p.F, tol, p.piv, &p.rank);
    return p;
}

/* Returns P^T A P, after checking that P is a permutation. */
static struct array permuted(struct array A, const int64_t *piv)
{
    struct array B = array_new(A.dtype, A.n, A.n, 0);
    bool *found = calloc((size_t)A.n + 1, sizeof *found);
    require(found != NULL);
    for (int64_t j = 0; j < A.n; j++) {
        require(piv[j] >= 1 && piv[j] <= A.n && !found[piv[j]]);
        found[piv[j]] = true;
        for (int64_t i = 0; i < A.n; i++)
            set(B, i, j, get(A, piv[i] - 1, piv[j] - 1));
    }
    free(found);
    return B;
}

/* Returns the first `rank` columns of L, n × rank. */
static struct array columns_of(struct pivoted p)
{
    struct array L = array_new(p.F.dtype, p.F.n, p.rank, 0);
    for (int64_t j = 0; j < p.rank; j++)
        for (int64_t i = 0; i < p.F.n; i++)
            set(L, i, j, i < j ? 0 : p.uplo == 'L' ? get(p.F, i, j) : conj(get(p.F, j, i)));
    return L;
}

/* Returns the residual of LAPACK's test xPST01, ‖P^T A P − L L^H‖₁ / (n ‖A‖₁ eps). */
static double residual(struct array A, struct pivoted p)
{
    struct array B = permuted(A, p.piv), L = columns_of(p);
    double norm = lapack(A)->lange('1', A);
    if (p.rank > 0)
        lapack(A)->gemm('N', 'C', -1, L, L, 1, B);
    double rest = lapack(B)->lange('1', B);
    arrays_free(B, L);
    return rest == 0 ? 0 : rest / ((double)A.n * norm * unit_roundoff(A.dtype));
}

/* Requires info and rank to agree, a diagonal that decreases up to rounding, and small residuals.
 * l: LAPACK's factor */
static void check_pivoted(struct array A, struct pivoted p, struct pivoted l, double times)
{
    require(p.rank >= 0 && p.rank <= A.n);
    require_info(p.info, p.rank < A.n);
    for (int64_t k = 1; k < p.rank; k++)
        require(creal(get(p.F, k, k)) > 0 &&
                creal(get(p.F, k, k)) <= creal(get(p.F, k - 1, k - 1)) * (1 + 1e-3));
    if (A.n > 0)
        check_residual(residual(A, p), residual(A, l), times, A.n, 1 / (double)A.n);
}

static void require_same_pivots(struct pivoted a, struct pivoted b)
{
    require_info(a.rank, b.rank);
    require_info(a.info, b.info);
    for (int64_t j = 0; j < a.rank; j++)
        require_info(a.piv[j], b.piv[j]);
}

/* Returns A for a diagonal matrix D of powers of two in disorder and a random matrix: D (I + E) D,
 * whose pivots differ by factors of about four. */
static struct array separated(int64_t n)
{
    struct array A = generate(&well_conditioned, dtype, n, 1);
    int64_t step = n > 7 ? 7 : 1, orders = is_single(dtype) ? 8 : 20;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double scale = ldexp(1, (int)(-(i * step % n) % orders - (j * step % n) % orders));
            set(A, i, j, (i == j ? 1 + (double)i / (double)n : 0.01 * get(A, i, j)) * scale);
        }
    return A;
}

/* -- sizes ------------------------------------------------------------------------------------ */

static void check_size(int64_t n, int64_t nb, char uplo, enum way way)
{
    in_case("n %d, nb %d, uplo %c, %s", (int)n, (int)nb, uplo, way_names[way]);
    random_seed((uint64_t)n);
    struct array A = generate(&well_conditioned, dtype, n, (n + (int)way) % 4);
    struct pivoted p = pivoted_of(uplo, A, -1, way, nb), l = lapack_pivoted(uplo, A, -1);
    require_info(p.rank, n);
    check_pivoted(A, p, l, 2);
    if (!is_single(dtype)) /* the pivots of random matrices differ by more than rounding errors */
        require_same_pivots(p, l);
    pivoted_free(p);
    pivoted_free(l);
    array_free(A);
}

static void test_sizes(void)
{
    static const int64_t tile_sizes[] = {1, 8, 32, 64};
    static int cases;
    for (int t = 0; t < 4; t++) {
        int64_t nb = tile_sizes[t];
        const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, nb - 1, nb, nb + 1, 2 * nb + 3};
        for (int s = 0; s < 11; s++)
            for (int u = 0; u < 2; u++)
                for (int w = 0; w < WAYS; w++)
                    if ((nb > 1 || sizes[s] <= 10) && !is_left_out(cases++ + s + u))
                        check_size(sizes[s], nb, uplos[u], (enum way)w);
    }
    check_report("sizes");
}

/* Tests tiles that have several blocks of columns, groups of rows and pieces. */
static void test_large(void)
{
    static const int64_t sizes[][2] = {{130, 130}, {301, 150}, {301, 301}, {600, 530}};
    for (int s = 0; s < 4; s++)
        for (int u = 0; u < 2; u++)
            check_size(sizes[s][0], sizes[s][1], uplos[u], CREATED);
    check_report("large tiles");
}

/* -- pivots, ranks ----------------------------------------------------------------------------- */

/* Tests LAPACK's pivots in all types, on matrices with separated diagonal elements. */
static void test_pivots(void)
{
    static const int64_t sizes[][2] = {{8, 3}, {30, 8}, {75, 75}, {150, 64}};
    for (int s = 0; s < 4; s++)
        for (int u = 0; u < 2; u++) {
            in_case("separated, n %d, uplo %c", (int)sizes[s][0], uplos[u]);
            random_seed(5);
            struct array A = separated(sizes[s][0]);
            struct pivoted p = pivoted_of(uplos[u], A, 0, WRAPPED, sizes[s][1]),
                           l = lapack_pivoted(uplos[u], A, 0);
            require_same_pivots(p, l);
            check_pivoted(A, p, l, 2);
            pivoted_free(p);
            pivoted_free(l);
            array_free(A);
        }
}

/* Tests equal diagonal elements: the first one is the pivot. */
static void test_ties(void)
{
    static const int64_t sizes[][2] = {{7, 2}, {300, 150}};
    for (int s = 0; s < 2; s++)
        for (int u = 0; u < 2; u++) {
            in_case("unit matrix, n %d, uplo %c", (int)sizes[s][0], uplos[u]);
            struct array A = array_new_identity(dtype, sizes[s][0], sizes[s][0]);
            struct pivoted p = pivoted_of(uplos[u], A, -1, CREATED, sizes[s][1]);
            require_info(p.rank, A.n);
            for (int64_t i = 0; i < A.n; i++)
                require_info(p.piv[i], i + 1);
            pivoted_free(p);
            array_free(A);
        }
}

/* Returns X X^H for a random n × r matrix X. */
static struct array of_rank(int64_t n, int64_t r)
{
    struct array X = array_new_random(dtype, n, r, 0), A = array_new(dtype, n, n, 2);
    array_fill(A, 0);
    if (r > 0)
        lapack(A)->gemm('N', 'C', 1, X, X, 0, A);
    for (int64_t j = 0; j < n; j++) /* exactly Hermitian */
        for (int64_t i = 0; i <= j; i++)
            set(A, i, j, i == j ? creal(get(A, i, i)) : conj(get(A, j, i)));
    array_free(X);
    return A;
}

static void test_ranks(void)
{
    enum { N = 90 };
    static const int64_t ranks[] = {0, 1, 2, 7, 31, 32, 33, 48, 64, 65, 77, 89, 90};
    for (int r = 0; r < 13; r++)
        for (int u = 0; u < 2; u++)
            for (int64_t nb = 16; nb <= N; nb *= 3) {
                in_case("rank %d, nb %d, uplo %c", (int)ranks[r], (int)nb, uplos[u]);
                random_seed((uint64_t)r);
                struct array A = of_rank(N, ranks[r]);
                struct pivoted p = pivoted_of(uplos[u], A, -1, WRAPPED, nb),
                               l = lapack_pivoted(uplos[u], A, -1);
                if (ranks[r] < N - 1) /* the last pivots of the others may be near the limit */
                    require_info(p.rank, ranks[r]);
                check_pivoted(A, p, l, INFINITY);
                pivoted_free(p);
                pivoted_free(l);
                array_free(A);
            }
    check_report("ranks");
}

/* Tests more rows than the threads of a GPU's thread blocks compute at a time. */
static void test_many_rows(void)
{
    enum { N = 9000, R = 200 };
    if (backend == CPU || dtype != STARTILE_S)
        return;
    for (int u = 0; u < 2; u++) {
        in_case("rank %d of %d, uplo %c", R, N, uplos[u]);
        random_seed(4);
        struct array A = of_rank(N, R);
        struct pivoted p = pivoted_of(uplos[u], A, -1, CREATED, 2000),
                       l = lapack_pivoted(uplos[u], A, -1);
        require_info(p.rank, R);
        check_pivoted(A, p, l, INFINITY);
        pivoted_free(p);
        pivoted_free(l);
        array_free(A);
    }
    check_report("many rows");
}

/* Tests that pivots equal to tol end the factorization, and that the first one does not. */
static void test_limits(void)
{
    enum { N = 21 };
    for (int k = -1; k <= N; k++)
        for (int u = 0; u < 2; u++) {
            in_case("tol 2^%d, uplo %c", -k, uplos[u]);
            struct array A = array_new_identity(dtype, N, N);
            for (int64_t i = 0; i < N; i++)
                set(A, i, i, ldexp(1, (int)(-i * 8 % N)));
            struct pivoted p = pivoted_of(uplos[u], A, ldexp(1, -k), WRAPPED, 6);
            require_info(p.rank, max(k, 1));
            require_info(p.info, max(k, 1) < N);
            for (int64_t i = 0; i < p.rank; i++)
                require((p.piv[i] - 1) * 8 % N == i);
            if (p.rank < N) /* the pivot that was too small */
                require(creal(get(p.F, p.rank, p.rank)) == ldexp(1, -(int)p.rank));
            pivoted_free(p);
            array_free(A);
        }
}

/* -- indefinite matrices, NaN ------------------------------------------------------------------ */

/* Requires LAPACK's rank and pivots, and the columns of L to be near LAPACK's. */
static void check_like_lapack(struct array A, char uplo, double tol, int64_t nb)
{
    struct pivoted p = pivoted_of(uplo, A, tol, WRAPPED, nb), l = lapack_pivoted(uplo, A, tol);
    require_same_pivots(p, l);
    struct array ours = columns_of(p), lapacks = columns_of(l);
    if (p.rank > 0 && is_finite(lapacks))
        check_near(ours, lapacks, 100 * (double)A.n);
    arrays_free(ours, lapacks);
    pivoted_free(p);
    pivoted_free(l);
}

/* Tests matrices of which `count` diagonal elements are at most 0. */
static void test_indefinite(void)
{
    enum { N = 40 };
    for (int64_t count = 0; count <= N; count += 5)
        for (int u = 0; u < 2; u++) {
            in_case("%d elements of %d are not positive, uplo %c", (int)count, N, uplos[u]);
            random_seed(8);
            struct array A = separated(N);
            for (int64_t i = 0; i < count; i++)
                set(A, i * 9 % N, i * 9 % N, i % 3 == 0 ? 0 : -(double)i);
            check_like_lapack(A, uplos[u], -1, 16);
            check_like_lapack(A, uplos[u], 0, 7);
            array_free(A);
        }
    for (int u = 0; u < 2; u++) {
        in_case("no element is positive, uplo %c", uplos[u]);
        struct array A = separated(N);
        for (int64_t i = 0; i < N; i++)
            set(A, i, i, i == 3 ? 0 : -1);
        struct pivoted p = pivoted_of(uplos[u], A, 0, WRAPPED, 16);
        array_poison(A, uplos[u] == 'L' ? 'U' : 'L');
        require_info(p.info, 1);
        require(p.rank == 0 && is_same(p.F, A));
        for (int64_t i = 0; i < N; i++)
            require(p.piv[i] == i + 1);
        pivoted_free(p);
        array_free(A);
    }
}

/* Tests a NaN in each place of a small matrix: LAPACK's rank and pivots. */
static void test_nan(void)
{
    enum { N = 12 };
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j; i < N; i += 3)
            for (int u = 0; u < 2; u++) {
                in_case("NaN at (%d, %d), uplo %c", (int)i, (int)j, uplos[u]);
                random_seed(9);
                struct array A = separated(N);
                set(A, i, j, NAN);
                set(A, j, i, NAN);
                check_like_lapack(A, uplos[u], -1, 5);
                array_free(A);
            }
    in_case("all elements are NaN");
    struct array A = array_new(dtype, N, N, 0);
    array_fill(A, NAN);
    check_like_lapack(A, 'L', 0, 5);
    array_free(A);
}

/* -- entries, bits, arguments ------------------------------------------------------------------ */

static void test_typed(void)
{
    static const int64_t sizes[] = {0, 1, 7, 150, 400};
    for (int s = 0; s < 5; s++)
        for (int u = 0; u < 2; u++) {
            int64_t n = sizes[s];
            in_case("typed pstrf, n %d, uplo %c", (int)n, uplos[u]);
            random_seed(11);
            struct array A = of_rank(n, n / 3);
            struct pivoted p = pivoted_new(uplos[u], A), l = lapack_pivoted(uplos[u], A, -1);
            p.info = lapack(A)->typed_pstrf(uplos[u], n, p.F.a, p.F.ld, p.piv, &p.rank, -1);
            require_info(p.rank, n / 3);
            require(has_borders_intact(p.F));
            check_pivoted(A, p, l, INFINITY);
            pivoted_free(p);
            pivoted_free(l);
            array_free(A);
        }
}

/* Tests that a second factorization gives the same bits. */
static void test_again(void)
{
    for (int u = 0; u < 2; u++) {
        in_case("the same bits, uplo %c", uplos[u]);
        random_seed(2);
        struct array A = of_rank(500, 300);
        struct pivoted p = pivoted_of(uplos[u], A, -1, WRAPPED, 192),
                       q = pivoted_of(uplos[u], A, -1, WRAPPED, 192);
        require(is_same(p.F, q.F));
        require_same_pivots(p, q);
        pivoted_free(p);
        pivoted_free(q);
        array_free(A);
    }
}

/* Tests that the tasks of a request after a factorization of deficient rank do nothing, and that
 * the permutation can be used again. */
static void test_request(void)
{
    enum { N = 20 };
    in_case("request");
    random_seed(3);
    struct array a = of_rank(N, 4), b = array_new_random(dtype, N, 2, 0), before = array_copy(b);
    startile_matrix *A = matrix_wrapped(dtype, N, N, a.a, a.ld, 6, 6),
                    *B = matrix_wrapped(dtype, N, 2, b.a, b.ld, 6, 6);
    startile_permutation *P = NULL;
    startile_request *r = request_created();
    int64_t rank = -1;
    require_info(startile_permutation_create(&P, A), 0);
    require_info(startile_pstrf_async('L', A, P, -1, &rank, r), 0);
    require_info(startile_potrs_async('L', A, B, r), 0);
    require_info(startile_request_wait(r), 1);
    require_info(rank, 4);
    require(is_same(b, before));
    require_info(startile_laset('G', 0, 1, A), 0);
    require_info(startile_pstrf('L', A, P, -1, &rank), 0);
    require_info(rank, N);
    startile_request_destroy(r);
    startile_permutation_destroy(P);
    matrices_destroy(A, B);
    arrays_free(a, b, before);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    return check_finish(run_group("pstrf", test_sizes, test_large, test_pivots, test_ties,
                                  test_ranks, test_many_rows, test_limits, test_indefinite,
                                  test_nan, test_typed, test_again, test_request));
}
