/* Tests of gedet and podet, also of batches and typed entries, against products of LAPACK's factors
 * in extended precision. */
#include "batch.h"
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

/* Sign and logarithm of a determinant. */
struct det {
    startile_complex sign;
    double logabs;
};

/* Returns (−1)^s Π f_ii for the factors F, where s is the number of interchanges in ipiv (NULL:
 * 0). */
static struct det product_of(struct array F, const int64_t *ipiv)
{
    long double _Complex sign = 1;
    long double logabs = 0;
    for (int64_t i = 0; i < F.n; i++) {
        long double _Complex d = get(F, i, i);
        logabs += logl(cabsl(d));
        sign *= (d == 0 ? 0 : d / cabsl(d)) * (ipiv != NULL && ipiv[i] != i + 1 ? -1 : 1);
    }
    return (struct det){(startile_complex)sign, (double)logabs};
}

/* Requires both determinants to be equal up to `units` roundoffs of `precision`. */
static void require_det(struct det ours, struct det reference, double units,
                        startile_dtype precision)
{
    double eps = unit_roundoff(precision);
    require_below(cabs(ours.sign - reference.sign), (units + 4) * eps);
    if (isinf(reference.logabs))
        require(ours.logabs == reference.logabs);
    else
        require_below(fabs(ours.logabs - reference.logabs),
                      (units + 8 * fabs(reference.logabs) + 4) * eps);
}

/* Returns the library's determinant from factors. ipiv NULL: no pivots */
static struct det det_of_factors(struct array F, const int64_t *ipiv, enum way way, struct tiling t)
{
    struct det d = {-7, -7};
    startile_pivots *P = NULL;
    struct array F0 = array_copy(F);
    struct test_matrix S = test_matrix_new(F, way, 'G', t.mb, t.nb);
    if (ipiv != NULL) {
        P = pivots_created(S.A);
        require_info(startile_pivots_from_lapack(P, ipiv), 0);
    }
    require_info(startile_gedet(S.A, P, &d.sign, &d.logabs), 0);
    startile_pivots_destroy(P);
    test_matrix_finish(&S);
    require(is_same(F, F0));
    array_free(F0);
    return d;
}

static void test_lu(void)
{
    enum { NB = 8 };
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, NB - 1, NB, NB + 1, 2 * NB + 3, 200};
    int cases = 0;
    for (int s = 0; s < 12; s++)
        for (int w = 0; w < WAYS; w++)
            for (int t = 0; t < TILINGS; t++) {
                int64_t n = sizes[s];
                if (is_left_out(cases++))
                    continue;
                in_case("LU, n %d, tiling %d, %s", (int)n, t, way_names[w]);
                random_seed((uint64_t)n + 100);
                struct array A = generate_general(&random_general, dtype, n, n, 1);
                struct lu f = lapack_lu(A);
                struct tiling tiles = n == 0 ? (struct tiling){"", 1, 1} : tiling_of(t, n, NB);
                require_det(det_of_factors(f.F, f.ipiv, (enum way)w, tiles),
                            product_of(f.F, f.ipiv), 3.0 * (double)n, STARTILE_D);
                require_det(det_of_factors(f.F, NULL, (enum way)w, tiles), product_of(f.F, NULL),
                            3.0 * (double)n, STARTILE_D);
                lu_free(f);
                array_free(A);
            }
}

/* Tests factors by the library's three factorizations in the request of gedet, against LAPACK's
 * factors of a well-conditioned matrix. */
static void test_after_factorization(void)
{
    for (int pivoting = 0; pivoting < 3; pivoting++) {
        int64_t n = 45;
        struct det d = {-7, -7};
        in_case("after a factorization, pivoting %s", pivoting_names[pivoting]);
        random_seed(9);
        struct array A = generate_general(&dominant, dtype, n, n, 0);
        struct lu g = lapack_lu(A);
        struct test_matrix S = test_matrix_new(A, WRAPPED, 'G', n, 16);
        startile_pivots *P = pivots_created(S.A);
        startile_request *r = request_created();
        require_info(pivoting == PARTIAL      ? startile_getrf_async(S.A, P, r)
                     : pivoting == TOURNAMENT ? startile_getrf_tntpiv_async(S.A, P, r)
                                              : startile_getrf_nopiv_async(S.A, r),
                     0);
        require_info(startile_gedet_async(S.A, pivoting == NONE ? NULL : P, &d.sign, &d.logabs, r),
                     0);
        require_info(startile_request_wait(r), 0);
        require_det(d, product_of(g.F, g.ipiv), 100.0 * (double)n, dtype);
        startile_request_destroy(r);
        startile_pivots_destroy(P);
        test_matrix_finish(&S);
        lu_free(g);
        array_free(A);
    }
}

/* Tests that a zero pivot gives sign 0 and −∞, also in the request of the factorization, whose
 * other failures leave the results unchanged. */
static void test_singular(void)
{
    for (int in_request = 0; in_request < 2; in_request++) {
        enum { N = 20 };
        struct det d = {-7, -7};
        in_case("zero pivot, %s", in_request ? "one request" : "two requests");
        random_seed(10);
        struct array A = array_new_random(dtype, N, N, 0);
        for (int64_t i = 0; i < N; i++)
            set(A, i, 11, 0);
        struct test_matrix S = test_matrix_new(A, CREATED, 'G', N, 6);
        startile_pivots *P = pivots_created(S.A);
        startile_request *r = request_created();
        require_info(startile_getrf_async(S.A, P, r), 0);
        if (!in_request) {
            require_info(startile_request_wait(r), 12);
            require_info(startile_request_reset(r), 0);
        }
        require_info(startile_gedet_async(S.A, P, &d.sign, &d.logabs, r), 0);
        require_info(startile_request_wait(r), in_request ? 12 : 0);
        require(d.sign == 0 && d.logabs == -INFINITY);
        d = (struct det){-7, -7};
        require_info(startile_request_reset(r), 0);
        require_info(startile_request_cancel(r), 0);
        require_info(startile_gedet_async(S.A, P, &d.sign, &d.logabs, r), 0);
        require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
        require(d.sign == -7 && d.logabs == -7);
        startile_request_destroy(r);
        startile_pivots_destroy(P);
        test_matrix_finish(&S);
        array_free(A);
    }
}

/* Tests elements whose product overflows or underflows, subnormal, infinite and NaN elements. */
static void test_range(void)
{
    bool single = is_single(dtype);
    const double large = single ? 0x1p126 : 0x1p1022, small = single ? 0x1p-148 : 0x1p-1073;
    const double each[] = {large, small};
    struct tiling tiles = {"", 30, 7};
    for (int e = 0; e < 2; e++) {
        in_case("elements of %g", each[e]);
        struct array F = array_new(dtype, 30, 30, 0);
        array_fill(F, NAN);
        for (int64_t i = 0; i < 30; i++)
            set(F, i, i, each[e] * (dtype < STARTILE_C ? (i % 3 ? 1 : -1) : I));
        require_det(det_of_factors(F, NULL, WRAPPED, tiles), product_of(F, NULL), 90, STARTILE_D);
        set(F, 4, 4, 0);
        require_det(det_of_factors(F, NULL, WRAPPED, tiles), (struct det){0, -INFINITY}, 0,
                    STARTILE_D);
        set(F, 20, 20, e == 0 ? INFINITY : NAN);
        struct det d = det_of_factors(F, NULL, WRAPPED, tiles);
        require(isnan(creal(d.sign)) && !isfinite(d.logabs));
        set(F, 4, 4, 1);
        d = det_of_factors(F, NULL, WRAPPED, tiles);
        require(isnan(creal(d.sign)) && !isfinite(d.logabs));
        array_free(F);
    }
}

static void test_cholesky(void)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 8, 9, 50, 200};
    int cases = 0;
    for (int s = 0; s < 8; s++)
        for (int w = 0; w < WAYS; w++) {
            int64_t n = sizes[s];
            double logdet = -7;
            if (is_left_out(cases++ + s))
                continue;
            in_case("Cholesky, n %d, %s", (int)n, way_names[w]);
            random_seed((uint64_t)n);
            struct array A = array_new_random(dtype, n, n, 1);
            for (int64_t i = 0; i < n; i++)
                set(A, i, i, (double)(i % 5 + 1) * 1e3);
            array_poison(A, w % 2 ? 'L' : 'U');
            struct array F = array_copy(A);
            require_info(lapack(F)->potrf(w % 2 ? 'U' : 'L', F), 0);
            struct test_matrix S = test_matrix_new(F, (enum way)w, w % 2 ? 'U' : 'L', 8, 8);
            require_info(startile_podet(S.A, &logdet), 0);
            test_matrix_finish(&S);
            struct det reference = product_of(F, NULL);
            reference.logabs *= 2;
            require_det((struct det){1, logdet}, reference, 6.0 * (double)n, STARTILE_D);
            arrays_free(A, F);
        }
}

/* -- batches ----------------------------------------------------------------------------------- */

static startile_batch *numbers(struct array R, const startile_batch *like)
{
    startile_batch *b;
    require_info(startile_batch_wrap(&b, R.dtype, R.n, 1, 1, R.a, 1, R.ld, 0, like), 0);
    return b;
}

static startile_dtype real_type(void)
{
    return is_single(dtype) ? STARTILE_S : STARTILE_D;
}

/* Checks the determinants of a batch from the library's factors, with and without pivots, and those
 * of the same factors as if they were Cholesky's. */
static void check_batch(int64_t n, int64_t count, enum batch_form form, int variant)
{
    struct group F = group_new_random(count, n, n, 1);
    struct test_batch f = test_batch_new(F, form, 0, NULL);
    struct integers P = integers_new(count, n, form, f.b), info = integers_new(count, 1, form, f.b);
    require_info(startile_getrf_batch(f.b, P.b, info.b), 0);
    struct array S = array_new(dtype, 1, count, 0), L = array_new(real_type(), 1, count, 0),
                 C = array_new(real_type(), 1, count, 0);
    startile_batch *s = numbers(S, f.b), *l = numbers(L, f.b), *c = numbers(C, f.b);
    const bool pivots = variant % 2 == 0;
    require_info(startile_gedet_batch(f.b, pivots ? P.b : NULL, s, l), 0);
    require_info(startile_podet_batch(f.b, c), 0);
    startile_batch_destroy(s);
    startile_batch_destroy(l);
    startile_batch_destroy(c);
    integers_finish(&P);
    integers_finish(&info);
    test_batch_finish(&f);
    require(has_borders_intact(S) && has_borders_intact(L) && has_borders_intact(C));
    for (int64_t q = 0; q < count; q++) {
        struct det reference = product_of(F.matrix[q], pivots ? integers_of(&P, q) : NULL);
        require_det((struct det){get(S, 0, q), creal(get(L, 0, q))}, reference, 4 + 3.0 * (double)n,
                    dtype);
        reference.logabs *= 2;
        require_det((struct det){reference.sign, creal(get(C, 0, q))}, reference,
                    4 + 3.0 * (double)n, dtype);
    }
    integers_free(&P);
    integers_free(&info);
    group_free(F);
    arrays_free(S, L, C);
}

static void test_batches(void)
{
    random_seed(11);
    for_batches(check_batch);
}

static void test_wrong_batches(void)
{
    in_case("wrong arguments of batches");
    struct group F = group_new_random(3, 4, 4, 0), W = group_new_random(3, 4, 5, 0);
    struct test_batch f = test_batch_new(F, STRIDED, 0, NULL),
                      w = test_batch_new(W, STRIDED, 0, f.b);
    struct integers P = integers_new(3, 4, STRIDED, f.b), info = integers_new(3, 1, STRIDED, f.b);
    startile_dtype other = is_single(dtype) ? STARTILE_D : STARTILE_S;
    struct array S = array_new(dtype, 1, 3, 0), L = array_new(real_type(), 1, 3, 0),
                 O = array_new(other, 1, 3, 0);
    startile_batch *s = numbers(S, f.b), *l = numbers(L, f.b), *o = numbers(O, f.b);
    startile_request *r = request_created();
    require_info(startile_gedet_batch_async(NULL, P.b, s, l, r), -1);
    require_info(startile_gedet_batch_async(w.b, P.b, s, l, r), -1);
    require_info(startile_gedet_batch_async(P.b, P.b, s, l, r), -1);
    require_info(startile_gedet_batch_async(f.b, info.b, s, l, r), -2);
    require_info(startile_gedet_batch_async(f.b, P.b, NULL, l, r), -3);
    require_info(startile_gedet_batch_async(f.b, P.b, o, l, r), -3);
    require_info(startile_gedet_batch_async(f.b, P.b, s, NULL, r), -4);
    require_info(startile_gedet_batch_async(f.b, P.b, s, o, r), -4);
    require_info(startile_gedet_batch_async(f.b, P.b, s, s, r), -4);
    require_info(startile_gedet_batch_async(f.b, P.b, s, l, NULL), -5);
    require_info(startile_podet_batch_async(w.b, l, r), -1);
    require_info(startile_podet_batch_async(f.b, o, r), -2);
    require_info(startile_podet_batch_async(f.b, l, NULL), -3);
    startile_request_destroy(r);
    startile_batch_destroy(s);
    startile_batch_destroy(l);
    startile_batch_destroy(o);
    integers_finish(&P);
    integers_finish(&info);
    test_batches_finish(&f, &w);
    integers_free(&P);
    integers_free(&info);
    groups_free(F, W);
    arrays_free(S, L, O);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "determinant", test_lu, test_after_factorization, test_singular,
                      test_range, test_cholesky, test_batches, test_wrong_batches);
}
