/* Tests of geqrf and gelqf: shapes, tiles, kinds of matrices, LAPACK's form, NaN, exchange of
 * factors with LAPACK. */
#include "check.h"
#include "generate_qr.h"
#include "objects.h"
#include "qr.h"
#include "reference.h"
#include "triangles.h"

#include <complex.h>
#include <math.h>

enum { NB = 8 };

/* -- shapes ---------------------------------------------------------------------------------- */

/* Checks a factorization of a random matrix. With GPUs most calls are left out. */
static void check_shape_of(enum factorization factorization, int64_t m, int64_t n, enum way way,
                           struct tiling t)
{
    static int cases;
    if (is_left_out(cases++))
        return;
    struct array A = generate_general(&random_general, dtype, m, n, (m + n) % 3);
    struct qr f = qr_of(A, factorization, way, t);
    check_qr(A, f, 2);
    qr_free(f);
    array_free(A);
}

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    check_shape_of(QR, m, n, way, t);
}

static void check_lq_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    check_shape_of(LQ, m, n, way, t);
}

static void test_shapes(void)
{
    for_shapes("geqrf", check_shape);
    for_shapes("gelqf", check_lq_shape);
}

/* -- kinds ----------------------------------------------------------------------------------- */

/* Checks QR of A and LQ of Aᴴ. */
static void check_kind(const struct general *g, int64_t m, int64_t n, int64_t nb, double times)
{
    static int cases;
    for (int t = 0; t < TILINGS; t++)
        for (int factorization = QR; factorization <= LQ; factorization++) {
            if (is_left_out(cases++))
                continue;
            random_seed(7);
            struct array A = generate_general(g, dtype, m, n, 3), H = array_new_op('C', A);
            struct array B = factorization == QR ? A : H;
            struct tiling tiling = tiling_of(t, B.m, nb);
            in_case("%s of %s, %d × %d, %s of %d × %d", factorization_names[factorization], g->name,
                    (int)B.m, (int)B.n, tiling.name, (int)tiling.mb, (int)tiling.nb);
            struct qr f = qr_of(B, (enum factorization)factorization, WRAPPED, tiling);
            require(is_finite(f.F) && is_finite(f.tau));
            check_qr(B, f, times);
            qr_free(f);
            arrays_free(A, H);
        }
}

static void check_kinds(const struct general *kinds, double times)
{
    static const int64_t shapes[][3] = {{35, 35, 16}, {100, 40, 16}, {90, 70, 8}, {40, 90, 16}};
    for (const struct general *g = kinds; g->name != NULL; g++) {
        for (int s = 0; s < 4; s++)
            check_kind(g, shapes[s][0], shapes[s][1], shapes[s][2], times);
        check_report(g->name);
    }
}

static void test_kinds(void)
{
    check_kinds(generals, 2);
    check_kinds(full_rank, 2);
    check_kinds(mixed, 2);
    /* integers and zeros, for which some orders of the operations have no rounding error */
    check_kinds(deficient, INFINITY);
}

/* Tests elements whose squares overflow or underflow. */
static void test_extremes(void)
{
    check_kinds(extremes, 2);
}

/* -- LAPACK's form --------------------------------------------------------------------------- */

/* Requires, up to rounding, tau = 0 or Re tau ≥ 1 and |tau − 1| ≤ 1, and a real diagonal. */
static void check_form(struct qr f)
{
    double most = 1 + 16 * unit_roundoff(dtype), least = 1 - 16 * unit_roundoff(dtype);
    for (int64_t j = 0; j < f.tau.m; j++) {
        startile_complex tau = get(f.tau, j, 0);
        require(tau == 0 || (creal(tau) >= least && cabs(tau - 1) <= most));
        require(cimag(get(f.F, j, j)) == 0);
    }
}

static void test_form(void)
{
    static const int64_t shapes[][2] = {{50, 20}, {20, 50}, {30, 30}, {1, 1}, {1, 7}, {7, 1}};
    for (int s = 0; s < 6; s++)
        for (int factorization = QR; factorization <= LQ; factorization++)
            for (int t = 0; t < TILINGS; t++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                in_case("form of %s, %d × %d, tiling %d", factorization_names[factorization],
                        (int)m, (int)n, t);
                random_seed((uint64_t)s);
                struct array A = generate_general(&random_general, dtype, m, n, 0);
                struct qr f = qr_of(A, (enum factorization)factorization, (enum way)(t % WAYS),
                                    tiling_of(t, m, NB));
                check_form(f);
                check_qr(A, f, 2);
                qr_free(f);
                array_free(A);
            }
}

/* Tests a triangular matrix with a real diagonal, partly zero: H = I and tau = 0 everywhere, and
 * the matrix keeps its elements. */
static void test_nothing_to_eliminate(void)
{
    static const int64_t shapes[][2] = {{45, 45}, {60, 21}, {21, 60}, {1, 1}, {1, 9}, {9, 1}};
    for (int s = 0; s < 6; s++)
        for (int factorization = QR; factorization <= LQ; factorization++)
            for (int t = 0; t < TILINGS; t++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                in_case("triangle of %s, %d × %d, tiling %d", factorization_names[factorization],
                        (int)m, (int)n, t);
                random_seed((uint64_t)s);
                struct array A = array_new(dtype, m, n, 1);
                for (int64_t j = 0; j < n; j++)
                    for (int64_t i = 0; i < m; i++) {
                        startile_complex v = random_element(dtype);
                        bool in_triangle = factorization == QR ? i < j : i > j;
                        set(A, i, j, i == j && i % 5 != 2 ? creal(v) : in_triangle ? v : 0);
                    }
                struct qr f = qr_of(A, (enum factorization)factorization, (enum way)(t % WAYS),
                                    tiling_of(t, m, NB));
                for (int64_t j = 0; j < f.tau.m; j++)
                    require(get(f.tau, j, 0) == 0);
                for (int64_t j = 0; j < n; j++)
                    for (int64_t i = 0; i < m; i++)
                        require(get(f.F, i, j) == get(A, i, j));
                qr_free(f);
                array_free(A);
            }
}

/* Tests several factorizations with one matrix T. */
static void test_reused_triangles(void)
{
    enum { M = 50, N = 37 };
    in_case("one matrix T for three factorizations");
    startile_matrix *T = NULL;
    for (int round = 0; round < 3; round++) {
        random_seed((uint64_t)round);
        struct array A = generate_general(&random_general, dtype, M, N, 0);
        struct qr f = qr_new(A, QR);
        struct test_matrix S = test_matrix_new(f.F, WRAPPED, 'G', M, NB);
        if (T == NULL)
            T = reflectors_created(S.A);
        require_info(startile_geqrf(S.A, reflectors_of(T)), 0);
        require_info(startile_reflectors_to_lapack(reflectors_of(T), f.tau.a), 0);
        test_matrix_finish(&S);
        check_qr(A, f, 2);
        qr_free(f);
        array_free(A);
    }
    startile_matrix_destroy(T);
}

/* -- NaN and infinity ------------------------------------------------------------------------ */

enum { N = 3 * NB + 4 };
static const int64_t positions[][2] = {
    {0, 0},           {3, 3},     {NB - 1, NB - 1}, {4, 1},
    {1, 4},           {NB, 0},    {0, NB},          {2 * NB + 1, NB + 3},
    {2 * NB, 2 * NB}, {N - 1, 2}, {NB + 2, N - 1},  {N - 1, N - 1},
};
enum { POSITIONS = sizeof positions / sizeof positions[0] };

/* Checks factors of a matrix with a NaN or infinity in column `column`, counted from 0. The columns
 * to its left have the factors of the matrix without it; that column of R is not finite, as in
 * LAPACK. For LQ, rows take the place of columns. */
static void check_spoilt(struct array A, int64_t column, enum factorization factorization,
                         struct tiling t)
{
    struct qr f = qr_of(A, factorization, WRAPPED, t), g = lapack_qr(A, factorization);
    struct qr both[] = {f, g};
    for (int i = 0; i < 2; i++) {
        /* R: the part of column `column` of R, or of that row of L, up to the diagonal */
        int64_t last = column < f.tau.m ? column : f.tau.m - 1;
        struct array R = factorization == QR ? array_part(both[i].F, 0, column, last + 1, 1)
                                             : array_part(both[i].F, column, 0, 1, last + 1);
        require(!is_finite(R));
    }
    check_leading(A, column, f, 2);
    qr_free(f);
    qr_free(g);
}

static void test_not_finite(void)
{
    static const int64_t shapes[][2] = {{N, N}, {N + 20, N}, {N, N + 20}};
    const double what[] = {NAN, INFINITY, -INFINITY};
    for (int factorization = QR; factorization <= LQ; factorization++)
        for (int p = 0; p < POSITIONS; p++)
            for (int s = 0; s < 3; s++) {
                int64_t i = positions[p][0], j = positions[p][1];
                double v = what[(p + s) % 3];
                int t = (p + s / 2) % TILINGS;
                in_case("%g at (%d, %d) of %d × %d, %s, tiling %d", v, (int)i, (int)j,
                        (int)shapes[s][0], (int)shapes[s][1], factorization_names[factorization],
                        t);
                random_seed(5);
                struct array A =
                    generate_general(&random_general, dtype, shapes[s][0], shapes[s][1], 1);
                set(A, i, j, v);
                check_spoilt(A, factorization == QR ? j : i, (enum factorization)factorization,
                             tiling_of(t, A.m, NB));
                array_free(A);
            }
}

/* Tests matrices whose elements are all NaN, or all infinite: the call ends, and the result is not
 * finite. With NaN both triangles of the result contain NaN. */
static void test_all_not_finite(void)
{
    const double what[] = {NAN, INFINITY};
    for (int factorization = QR; factorization <= LQ; factorization++)
        for (int v = 0; v < 2; v++)
            for (int t = 0; t < TILINGS; t++) {
                in_case("all %g, %s, tiling %d", what[v], factorization_names[factorization], t);
                struct array A = array_new(dtype, N, N, 0);
                array_fill(A, what[v]);
                struct qr f =
                    qr_of(A, (enum factorization)factorization, WRAPPED, tiling_of(t, N, NB));
                require(!is_finite(f.F) && (v == 1 || (has_nan(f.F, 'L') && has_nan(f.F, 'U'))));
                qr_free(f);
                array_free(A);
            }
}

/* -- exchange of factors with LAPACK ---------------------------------------------------------- */

/* Requires QᴴA = R, with LAPACK's xUNMQR and the library's reflectors. */
static void check_by_lapack(struct array A, struct qr f)
{
    struct array C = array_copy(A), R = array_copy(f.F);
    for (int64_t j = 0; j < R.n; j++)
        for (int64_t i = j + 1; i < R.m; i++)
            set(R, i, j, 0);
    lapack(A)->unmqr('L', 'C', f.F, f.tau, C);
    check_product(C, R, A.m);
    arrays_free(C, R);
}

/* Requires the library's QᴴA (QR) or A Qᴴ (LQ) with LAPACK's reflectors to equal LAPACK's product.
 * The reflectors must not be written; tau is returned unchanged. */
static void check_by_library(struct array A, enum factorization factorization, struct tiling t,
                             enum way way)
{
    struct qr g = lapack_qr(A, factorization);
    struct array F_before = array_copy(g.F), C = array_copy(A), lapack_C = array_copy(A);
    struct array returned_tau = array_new(dtype, g.tau.m, 1, 0);
    if (factorization == QR)
        lapack(A)->unmqr('L', 'C', g.F, g.tau, lapack_C);
    else
        lapack(A)->unmlq('R', 'C', g.F, g.tau, lapack_C);
    struct test_matrix S = test_matrix_new(g.F, way, 'G', t.mb, t.nb);
    struct test_matrix T = triangles_new(S.A, g.tau.m, way),
                       B = test_matrix_new(C, way, 'G', t.mb, 5);
    require_info(startile_reflectors_from_lapack(factorization == QR ? 'C' : 'R', S.A, g.tau.a,
                                                 reflectors_of(T.A)),
                 0);
    require_info(startile_reflectors_to_lapack(reflectors_of(T.A), returned_tau.a), 0);
    require(is_same(returned_tau, g.tau));
    require_info(factorization == QR ? startile_unmqr('L', 'C', S.A, reflectors_of(T.A), B.A)
                                     : startile_unmlq('R', 'C', S.A, reflectors_of(T.A), B.A),
                 0);
    triangles_end(&T, g.tau);
    test_matrices_finish(&S, &B);
    require(is_same(g.F, F_before));
    check_product(C, lapack_C, factorization == QR ? A.m : A.n);
    qr_free(g);
    arrays_free(F_before, C, lapack_C, returned_tau);
}

static void test_exchange(void)
{
    static const int64_t shapes[][2] = {{45, 45}, {70, 30}, {30, 70}, {5, 40}, {40, 1}, {1, 3}};
    for (int s = 0; s < 6; s++)
        for (int t = 0; t < TILINGS; t++)
            for (int w = 0; w < WAYS; w++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                struct tiling tiling = tiling_of(t, m, NB);
                in_case("exchange, %d × %d, %s, %s", (int)m, (int)n, tiling.name, way_names[w]);
                random_seed(5);
                struct array A = generate_general(&random_general, dtype, m, n, 1);
                struct qr f = qr_of(A, QR, (enum way)w, tiling);
                check_by_lapack(A, f);
                check_by_library(A, QR, tiling, (enum way)w);
                check_by_library(A, LQ, tiling, (enum way)w);
                qr_free(f);
                array_free(A);
            }
    check_report("exchanged factors");
}

static void test_typed_entries(void)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 4}, {4, 0},     {1, 1},    {7, 7},
                                        {1, 9}, {9, 1}, {150, 150}, {200, 70}, {70, 200}};
    for (int s = 0; s < 10; s++)
        for (int factorization = QR; factorization <= LQ; factorization++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            in_case("typed %s, %d × %d", factorization_names[factorization], (int)m, (int)n);
            random_seed(11);
            struct array A = generate_general(&random_general, dtype, m, n, 2);
            struct qr f = qr_new(A, (enum factorization)factorization);
            const struct reference *typed = lapack(A);
            require_info((factorization == QR ? typed->typed_geqrf
                                              : typed->typed_gelqf)(m, n, f.F.a, f.F.ld, f.tau.a),
                         0);
            check_qr(A, f, 2);
            qr_free(f);
            array_free(A);
        }
    check_report("typed entries");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "geqrf", test_shapes, test_kinds, test_extremes, test_form,
                      test_nothing_to_eliminate, test_reused_triangles, test_not_finite,
                      test_all_not_finite, test_exchange, test_typed_entries);
}
