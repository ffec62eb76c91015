/* Tests of single kernels against BLAS and LAPACK. Other files test the kernels of Cholesky, LU and
 * QR, and those that move rows. */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"
#include "random.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static startile_scalar scalar(startile_complex z)
{
    return (startile_scalar){creal(z), cimag(z)};
}

/* Returns a random X such that op(X) is m × n. */
static struct array stored(char trans, int64_t m, int64_t n)
{
    struct array X = array_new_random(dtype, trans == 'N' ? m : n, trans == 'N' ? n : m, 3);
    return X;
}

static const startile_complex scalars[][2] = {
    {1, 1}, {-1, 1}, {1, 0}, {0, 0}, {0, 2}, {0.5, -0.3}, {0.5 - I, 0.2 + I}, {I, 0}};
enum { REAL_SCALARS = 6, SCALARS = 8 };

/* Returns the number of pairs in `scalars` that the type can use: the first ones. */
static int usable_scalars(void)
{
    return dtype >= STARTILE_C ? SCALARS : REAL_SCALARS;
}

/* Returns C before the call, and *copy for the reference. If beta is 0, C is poison, because it
 * must not be read, and *copy is zero. */
static struct array target(int64_t m, int64_t n, startile_complex beta, struct array *copy)
{
    struct array C = array_new(dtype, m, n, 2);
    if (beta != 0)
        array_random(C);
    *copy = array_copy(C);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m && beta == 0; i++)
            set(*copy, i, j, 0);
    return C;
}

/* -- gemm ------------------------------------------------------------------------------------ */

/* Checks gemm against BLAS. A0, B0: copies of A, B, which must not change. */
static void check_gemm(char transa, char transb, int m, int n, int k, startile_complex alpha,
                       startile_complex beta)
{
    in_case("gemm %c%c, %d × %d × %d, alpha %g%+gi, beta %g%+gi", transa, transb, m, n, k,
            creal(alpha), cimag(alpha), creal(beta), cimag(beta));
    struct array A = stored(transa, m, k), B = stored(transb, k, n), D;
    struct array C = target(m, n, beta, &D), A0 = array_copy(A), B0 = array_copy(B);
    lapack(D)->gemm(transa, transb, alpha, A, B, beta, D);
    void *a = device_put(A), *b = device_put(B), *c = device_put(C);
    require_info(kernels->gemm(exec, transa, transb, m, n, k, scalar(alpha), a, (int)A.ld, b,
                               (int)B.ld, scalar(beta), c, (int)C.ld),
                 0);
    device_fetch(A, a);
    device_fetch(B, b);
    device_fetch(C, c);
    require(is_same(A, A0) && is_same(B, B0));
    check_near(C, D, product_bound(k, alpha, beta));
    arrays_free(A, B, C, D, A0, B0);
}

static void test_gemm(void)
{
    random_seed(70);
    for (const char *ta = "NTC"; *ta != '\0'; ta++)
        for (const char *tb = "NTC"; *tb != '\0'; tb++)
            for (int s = 0; s < usable_scalars(); s++) {
                check_gemm(*ta, *tb, 33, 19, 70, scalars[s][0], scalars[s][1]);
                check_gemm(*ta, *tb, 1, 3, 2, scalars[s][0], scalars[s][1]);
            }
    static const int empty[][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {0, 0, 0}};
    for (int e = 0; e < 4; e++)
        for (int s = 0; s < usable_scalars(); s++)
            check_gemm('N', 'C', empty[e][0], empty[e][1], empty[e][2], scalars[s][0],
                       scalars[s][1]);
}

/* Tests a scaling as codelets/operations/gemm.c does it: k = 0, and C as both factors. */
static void test_gemm_scaling(void)
{
    random_seed(71);
    for (int s = 0; s < usable_scalars(); s++) {
        startile_complex beta = scalars[s][1];
        in_case("gemm as scaling, beta %g%+gi", creal(beta), cimag(beta));
        struct array D, C = target(12, 17, beta, &D);
        for (int64_t j = 0; j < 17; j++)
            for (int64_t i = 0; i < 12; i++)
                set(D, i, j, beta * get(D, i, j));
        void *c = device_put(C);
        require_info(kernels->gemm(exec, 'N', 'N', 12, 17, 0, scalar(1), c, (int)C.ld, c, 17,
                                   scalar(beta), c, (int)C.ld),
                     0);
        device_fetch(C, c);
        check_near(C, D, 10);
        arrays_free(C, D);
    }
}

/* -- hemm ------------------------------------------------------------------------------------ */

/* Checks hemm against gemm. The other triangle and the imaginary parts of the diagonal are not
 * numbers. */
static void check_hemm(char uplo, int m, int n, startile_complex alpha, startile_complex beta)
{
    in_case("hemm %c, %d × %d, alpha %g%+gi, beta %g%+gi", uplo, m, n, creal(alpha), cimag(alpha),
            creal(beta), cimag(beta));
    struct array A = stored('N', m, m), B = stored('N', m, n), D, C = target(m, n, beta, &D);
    struct array full = full_hermitian(uplo, A), A0;
    lapack(D)->gemm('N', 'N', alpha, full, B, beta, D);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t i = 0; i < m && dtype >= STARTILE_C; i++)
        set(A, i, i, CMPLX(creal(get(A, i, i)), NAN));
    A0 = array_copy(A);
    void *a = device_put(A), *b = device_put(B), *c = device_put(C);
    require_info(kernels->hemm(exec, uplo, m, n, scalar(alpha), a, (int)A.ld, b, (int)B.ld,
                               scalar(beta), c, (int)C.ld),
                 0);
    device_fetch(A, a);
    device_fetch(B, b);
    device_fetch(C, c);
    require(is_same(A, A0));
    check_near(C, D, product_bound(m, alpha, beta));
    arrays_free(A, B, C, D, full, A0);
}

static void test_hemm(void)
{
    random_seed(78);
    static const int sizes[][2] = {{1, 1}, {33, 19}, {130, 3}, {70, 1}, {0, 5}, {5, 0}};
    for (int size = 0; size < 6; size++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (int s = 0; s < usable_scalars(); s++)
                check_hemm(*uplo, sizes[size][0], sizes[size][1], scalars[s][0], scalars[s][1]);
}

/* -- herk, syrk ------------------------------------------------------------------------------- */

/* Checks herk, if hermitian, or syrk. The triangle that is not uplo must not change. */
static void check_update(bool hermitian, char uplo, char trans, int n, int k,
                         startile_complex alpha, startile_complex beta)
{
    in_case("%s %c%c, n %d, k %d, alpha %g%+gi, beta %g%+gi", hermitian ? "herk" : "syrk", uplo,
            trans, n, k, creal(alpha), cimag(alpha), creal(beta), cimag(beta));
    char other_uplo = uplo == 'L' ? 'U' : 'L';
    struct array A = stored(trans, n, k), D, C = target(n, n, beta, &D);
    for (int64_t i = 0; i < n && hermitian && beta != 0; i++) {
        set(C, i, i, creal(get(C, i, i)));
        set(D, i, i, creal(get(D, i, i)));
    }
    array_poison(C, other_uplo);
    if (hermitian)
        lapack(D)->herk(uplo, trans, creal(alpha), A, creal(beta), D);
    else
        lapack(D)->syrk(uplo, trans, alpha, A, beta, D);
    void *a = device_put(A), *c = device_put(C);
    require_info((hermitian ? kernels->herk : kernels->syrk)(exec, uplo, trans, n, k, scalar(alpha),
                                                             a, (int)A.ld, scalar(beta), c,
                                                             (int)C.ld),
                 0);
    device_fetch(A, a);
    device_fetch(C, c);
    require(is_poisoned(C, other_uplo));
    check_near_in(uplo, C, D, product_bound(k, alpha, beta));
    for (int64_t i = 0; i < n && hermitian; i++)
        require(cimag(get(C, i, i)) == 0);
    arrays_free(A, C, D);
}

static void test_updates(void)
{
    random_seed(72);
    static const int shapes[][2] = {{40, 70}, {130, 9}, {1, 1}, {0, 4}, {5, 0}};
    for (int hermitian = 0; hermitian < 2; hermitian++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (const char *trans = dtype < STARTILE_C ? "NTC"
                                     : hermitian        ? "NC"
                                                        : "NT";
                 *trans != '\0'; trans++)
                for (int shape = 0; shape < 5; shape++)
                    for (int s = 0; s < (hermitian ? REAL_SCALARS : usable_scalars()); s++)
                        check_update(hermitian, *uplo, *trans, shapes[shape][0], shapes[shape][1],
                                     scalars[s][0], scalars[s][1]);
}

/* -- trsm, trmm, trsm_by_inverses -------------------------------------------------------------- */

/* Returns a matrix with a well-conditioned triangle uplo; the other triangle is zero
 * (other_is_zero) or poison. */
static struct array triangular(char uplo, int64_t n, int64_t padding, bool other_is_zero)
{
    struct array A = array_new(dtype, n, n, padding);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (uplo == 'L' ? i >= j : i <= j)
                set(A, i, j,
                    i == j ? 2 + random_element(dtype) : random_element(dtype) / (double)n);
            else if (other_is_zero)
                set(A, i, j, 0);
    return A;
}

static void check_trsm(char side, char uplo, char trans, char diag, int m, int n,
                       startile_complex alpha)
{
    in_case("trsm %c%c%c%c, %d × %d, alpha %g%+gi", side, uplo, trans, diag, m, n, creal(alpha),
            cimag(alpha));
    int order = side == 'L' ? m : n;
    struct array A = triangular(uplo, order, 1, false), B = array_new_random(dtype, m, n, 3);
    struct array X = array_copy(B);
    lapack(A)->trsm(side, uplo, trans, diag, alpha, A, B);
    void *a = device_put(A), *x = device_put(X);
    require_info(kernels->trsm(exec, side, uplo, trans, diag, m, n, scalar(alpha), a, (int)A.ld, x,
                               (int)X.ld),
                 0);
    device_fetch(A, a);
    device_fetch(X, x);
    check_near(X, B, 20 * (double)(order + 2) * cabs(alpha));
    arrays_free(A, B, X);
}

static void check_trmm(char side, char uplo, char trans, int m, int n, startile_complex alpha)
{
    in_case("trmm %c%c%c, %d × %d, alpha %g%+gi", side, uplo, trans, m, n, creal(alpha),
            cimag(alpha));
    int order = side == 'L' ? m : n;
    struct array W = triangular(uplo, order, 1, true), B = array_new_random(dtype, m, n, 3);
    struct array X = array_copy(B);
    lapack(W)->trmm(side, uplo, trans, 'N', alpha, W, B);
    void *w = device_put(W), *x = device_put(X);
    require_info(
        kernels->trmm(exec, side, uplo, trans, m, n, scalar(alpha), w, (int)W.ld, x, (int)X.ld), 0);
    device_fetch(W, w);
    device_fetch(X, x);
    check_near(X, B, 20 * (double)(order + 2) * cabs(alpha));
    arrays_free(W, B, X);
}

/* Returns a matrix whose diagonal blocks are the inverses of those of T, with zeros in their other
 * triangles; its other elements are poison. */
static struct array inverses_of_blocks(char uplo, char diag, struct array T, int64_t padding)
{
    struct array W = array_new(dtype, T.n, T.n, padding);
    for (int64_t first = 0; first < T.n; first += STARTILE_INVERTED_ORDER) {
        int64_t k = min(T.n - first, STARTILE_INVERTED_ORDER);
        struct array V = array_new(dtype, k, k, 0);
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < k; i++)
                set(V, i, j,
                    i == j && diag == 'U'             ? 1
                    : (uplo == 'L' ? i >= j : i <= j) ? get(T, first + i, first + j)
                                                      : 0);
        require_info(lapack(V)->trtri(uplo, V), 0);
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < k; i++)
                set(W, first + i, first + j, get(V, i, j));
        array_free(V);
    }
    return W;
}

/* Checks trsm_by_inverses for the arrays that random_seed(seed) gives, with `padding` rows below
 * each column. Returns X. */
static struct array check_trsm_by_inverses(const char *options, int m, int n, int padding,
                                           uint64_t seed)
{
    const char uplo = options[0], trans = options[1], diag = options[2];
    in_case("trsm_by_inverses %s, %d × %d, padding %d", options, m, n, padding);
    random_seed(seed);
    struct array A = triangular(uplo, m, padding, false), B = array_new(dtype, m, n, padding);
    struct array W = inverses_of_blocks(uplo, diag, A, padding);
    array_random(B);
    struct array X = array_copy(B);
    lapack(A)->trsm('L', uplo, trans, diag, 1, A, B);
    void *a = device_put(A), *w = device_put(W), *x = device_put(X);
    require_info(kernels->trsm_by_inverses(exec, uplo, trans, diag, m, n, a, (int)A.ld, w,
                                           (int)W.ld, x, (int)X.ld),
                 0);
    device_fetch(A, a);
    device_fetch(W, w);
    device_fetch(X, x);
    check_near(X, B, 20 * (double)(m + 2));
    arrays_free(A, B, W);
    return X;
}

/* Returns whether trsm_by_inverses must give the same bits for all leading dimensions, because it
 * is computed by block_substitution.cu. */
static bool has_own_order(const char *options, int m)
{
    return backend == GPU && !with_vendor && has_tensor_cores() && dtype == STARTILE_D &&
           m > STARTILE_INVERTED_ORDER && options[0] == 'L' && options[1] == 'N';
}

/* Checks even and odd leading dimensions. */
static void check_leading_dimensions(const char *options, int m, int n, uint64_t seed)
{
    struct array X = check_trsm_by_inverses(options, m, n, m % 2, seed);
    struct array Y = check_trsm_by_inverses(options, m, n, 1 - m % 2, seed);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            require(get(X, i, j) == get(Y, i, j) || !has_own_order(options, m));
    arrays_free(X, Y);
}

static void test_trsm_by_inverses(void)
{
    static const int shapes[][2] = {{1, 1},    {40, 9},   {256, 40}, {257, 33},  {300, 1},
                                    {512, 32}, {641, 70}, {770, 31}, {1024, 64}, {300, 0}};
    static const char *const options[] = {"LNN", "LNU", "LTN", "LTU", "LCN", "LCU",
                                          "UNN", "UNU", "UTN", "UTU", "UCN", "UCU"};
    /* L⁻¹ B for every shape, because it has a kernel of its own, and some other combinations */
    for (int s = 0; s < 10; s++) {
        const int m = shapes[s][0], n = shapes[s][1];
        check_leading_dimensions(options[s % 2], m, n, (uint64_t)(74 + s));
        for (int o = s % 4; o < 12; o += 4)
            if (o != s % 2)
                check_leading_dimensions(options[o], m, n, (uint64_t)(74 + s));
    }
}

static void test_triangles(void)
{
    random_seed(73);
    /* 300 × 2: for few right-hand sides GPUs have a kernel of their own */
    static const int shapes[][2] = {{40, 9}, {9, 40}, {130, 70}, {70, 130},
                                    {1, 1},  {0, 3},  {3, 0},    {300, 2}};
    const startile_complex alphas[] = {1, -0.5, 0, 0.5 - I};
    for (int shape = 0; shape < 8; shape++)
        for (const char *side = "LR"; *side != '\0'; side++)
            for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
                for (const char *trans = "NTC"; *trans != '\0'; trans++)
                    for (int s = 0; s < (dtype >= STARTILE_C ? 4 : 3); s++) {
                        int m = shapes[shape][0], n = shapes[shape][1];
                        check_trsm(*side, *uplo, *trans, 'N', m, n, alphas[s]);
                        check_trsm(*side, *uplo, *trans, 'U', m, n, alphas[s]);
                        check_trmm(*side, *uplo, *trans, m, n, alphas[s]);
                    }
}

/* -- laset, lacpy, random ---------------------------------------------------------------------- */

static const int shapes[][2] = {{9, 9}, {20, 7}, {7, 20}, {300, 3}, {0, 2}, {2, 0}};
enum { SHAPES = 6 };

static void test_laset(void)
{
    /* tiles whose diagonal begins at the corner, tiles that the diagonal crosses elsewhere, and one
     * that it does not cross */
    static const int64_t shifts[] = {0, 3, -4, 1000};
    startile_complex offdiag = dtype >= STARTILE_C ? 0.5 - 2 * I : 0.5, diag = 3;
    for (int shape = 0; shape < SHAPES; shape++)
        for (const char *uplo = "LUG"; *uplo != '\0'; uplo++)
            for (int s = 0; s < (*uplo == 'G' ? 4 : 1); s++) {
                in_case("laset %c, %d × %d, shift %d", *uplo, shapes[shape][0], shapes[shape][1],
                        (int)shifts[s]);
                struct array A = array_new_random(dtype, shapes[shape][0], shapes[shape][1], 1);
                struct array A0 = array_copy(A);
                void *a = device_put(A);
                require_info(kernels->laset(exec, *uplo, (int)A.m, (int)A.n, shifts[s],
                                            scalar(offdiag), scalar(diag), a, (int)A.ld),
                             0);
                device_fetch(A, a);
                for (int64_t j = 0; j < A.n; j++)
                    for (int64_t i = 0; i < A.m; i++)
                        require(get(A, i, j) == (!is_in_triangle(*uplo, i, j) ? get(A0, i, j)
                                                 : i + shifts[s] == j         ? diag
                                                                              : offdiag));
                arrays_free(A, A0);
            }
}

static void test_lacpy(void)
{
    random_seed(74);
    for (int shape = 0; shape < SHAPES; shape++)
        for (const char *uplo = "LUG"; *uplo != '\0'; uplo++) {
            in_case("lacpy %c, %d × %d", *uplo, shapes[shape][0], shapes[shape][1]);
            struct array A = array_new_random(dtype, shapes[shape][0], shapes[shape][1], 1);
            struct array B = array_new_random(dtype, shapes[shape][0], shapes[shape][1], 4);
            struct array B0 = array_copy(B);
            void *a = device_put(A), *b = device_put(B);
            require_info(
                kernels->lacpy(exec, *uplo, (int)A.m, (int)A.n, a, (int)A.ld, b, (int)B.ld), 0);
            device_fetch(A, a);
            device_fetch(B, b);
            for (int64_t j = 0; j < A.n; j++)
                for (int64_t i = 0; i < A.m; i++)
                    require(get(B, i, j) == get(is_in_triangle(*uplo, i, j) ? A : B0, i, j));
            arrays_free(A, B, B0);
        }
}

/* Returns element (i, j) by the definition in random.h. i and j are indices in the whole matrix. */
static startile_complex random_value(startile_symmetry kind, uint64_t seed, double bump, int64_t i,
                                     int64_t j)
{
    bool mirrored = kind != STARTILE_GENERAL && i < j;
    int64_t row = mirrored ? j : i, column = mirrored ? i : j;
    double re = startile_uniform(seed, row, column, 0) + (i == j ? bump : 0);
    double im = dtype < STARTILE_C                     ? 0
                : kind == STARTILE_HERMITIAN && i == j ? 0
                                                       : startile_uniform(seed, row, column, 1);
    return kind == STARTILE_HERMITIAN && mirrored ? re - im * I : re + im * I;
}

/* Requires the elements that random.h defines, which are equal on all devices to the last bit. */
static void test_random(void)
{
    static const int64_t origins[][2] = {{0, 0}, {64, 64}, {100, 7}, {(int64_t)1 << 33, 5}};
    for (startile_symmetry kind = STARTILE_GENERAL; kind <= STARTILE_HERMITIAN; kind++)
        for (int o = 0; o < 4; o++)
            for (int shape = 0; shape < SHAPES; shape++) {
                in_case("random, kind %d, origin (%lld, %lld), %d × %d", (int)kind,
                        (long long)origins[o][0], (long long)origins[o][1], shapes[shape][0],
                        shapes[shape][1]);
                struct array A = array_new(dtype, shapes[shape][0], shapes[shape][1], 1);
                struct array E = array_copy(A);
                void *a = device_put(A);
                require_info(kernels->random(exec, kind, 77, 4, origins[o][0], origins[o][1],
                                             (int)A.m, (int)A.n, a, (int)A.ld),
                             0);
                device_fetch(A, a);
                for (int64_t j = 0; j < A.n; j++)
                    for (int64_t i = 0; i < A.m; i++) {
                        set(E, i, j,
                            random_value(kind, 77, 4, origins[o][0] + i, origins[o][1] + j));
                        require(get(A, i, j) == get(E, i, j));
                    }
                arrays_free(A, E);
            }
}

/* -- geadd ------------------------------------------------------------------------------------- */

static void test_geadd(void)
{
    random_seed(76);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int s = 0; s < usable_scalars(); s++) {
            startile_complex alpha = scalars[s][0], beta = scalars[s][1];
            int m = shapes[shape][0], n = shapes[shape][1];
            in_case("geadd, %d × %d, alpha %g%+gi, beta %g%+gi", m, n, creal(alpha), cimag(alpha),
                    creal(beta), cimag(beta));
            struct array A = stored('N', m, n), D, B = target(m, n, beta, &D), A0 = array_copy(A);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < m; i++)
                    set(D, i, j, alpha * get(A, i, j) + beta * get(D, i, j));
            void *a = device_put(A), *b = device_put(B);
            require_info(
                kernels->geadd(exec, m, n, scalar(alpha), a, (int)A.ld, scalar(beta), b, (int)B.ld),
                0);
            device_fetch(A, a);
            device_fetch(B, b);
            require(is_same(A, A0));
            check_near(B, D, 16);
            arrays_free(A, A0, B, D);
        }
}

/* -- lacn2 ------------------------------------------------------------------------------------- */

/* Runs one step for the scale s on v. Changes `best` and the state. */
static void lacn2_change(startile_lacn2 step, double s, struct array v, struct array best,
                         struct array state)
{
    void *p = device_put(v), *b = device_put(best), *e = device_put(state);
    require_info(kernels->lacn2(exec, step, (int)v.m, s, p, b, e), 0);
    device_fetch(v, p);
    device_fetch(best, b);
    device_fetch(state, e);
}

/* Runs one step with the estimate `before` and no unit vector before it. Returns the estimate after
 * the step. */
static double lacn2_step(startile_lacn2 step, double s, struct array v, struct array best,
                         double before)
{
    struct array state = array_new(STARTILE_D, STARTILE_LACN2_STATE, 1, 0);
    set(state, STARTILE_LACN2_ESTIMATE, 0, before);
    set(state, STARTILE_LACN2_INDEX, 0, 0);
    set(state, STARTILE_LACN2_REPEATS, 0, step == STARTILE_LACN2_START ? NAN : 0);
    lacn2_change(step, s, v, best, state);
    double after = creal(get(state, STARTILE_LACN2_ESTIMATE, 0));
    array_free(state);
    return after;
}

static const char *const step_names[] = {"start", "sign", "unit", "alternating", "end"};

/* Returns element i after the step, for the scale 1; v: before it; `largest`: index of the first
 * largest |v_i|. */
static startile_complex lacn2_element(startile_lacn2 step, struct array v, int64_t i,
                                      int64_t largest)
{
    double n = (double)v.m;
    startile_complex x = get(v, i, 0);
    switch (step) {
    case STARTILE_LACN2_START:
        return 1 / n;
    case STARTILE_LACN2_SIGN:
        return x == 0 ? 1 : x / cabs(x);
    case STARTILE_LACN2_UNIT:
        return i == largest;
    case STARTILE_LACN2_ALTERNATING:
        return (i % 2 ? -1 : 1) * (v.m > 1 ? 1 + (double)i / (n - 1) : 1);
    default:
        return x;
    }
}

/* Returns the estimate after a step by definition; v and `before`: vector and estimate before it.
 */
static double lacn2_estimate(startile_lacn2 step, struct array v, double before)
{
    double sum = 0;
    for (int64_t i = 0; i < v.m; i++)
        sum += cabs(get(v, i, 0));
    switch (step) {
    case STARTILE_LACN2_START:
        return 0;
    case STARTILE_LACN2_UNIT:
        return before;
    case STARTILE_LACN2_END:
        return fmax(before, 2 * sum / (3 * (double)v.m));
    default:
        return fmax(before, sum);
    }
}

/* Tests each step by its definition, with an estimate before it that is smaller or larger than that
 * of the step. */
static void test_lacn2(void)
{
    static const int64_t orders[] = {1, 2, 31, 33, 300, 5000};
    random_seed(77);
    for (startile_lacn2 step = STARTILE_LACN2_START; step <= STARTILE_LACN2_END; step++)
        for (int o = 0; o < 6; o++)
            for (int large_estimate = 0; large_estimate < 2; large_estimate++) {
                int64_t n = orders[o], largest = n / 3;
                double before = step == STARTILE_LACN2_START ? NAN : large_estimate ? 1e9 : 0.25;
                in_case("lacn2 %s, n %d, estimate %g", step_names[step], (int)n, before);
                const double s = large_estimate ? 0x1p60 : 0x1p-100;
                struct array v = array_new(dtype, n, 1, 3), v0;
                struct array best = array_new_random(dtype, n, 1, 3), best0 = array_copy(best);
                if (step != STARTILE_LACN2_START)
                    array_random(v);
                /* step UNIT: two largest elements, of which the first counts; other steps: a zero,
                 * whose sign is 1 */
                if (step == STARTILE_LACN2_UNIT && n > 2)
                    set(v, largest, 0, -3), set(v, n - 1, 0, 3);
                else if (step != STARTILE_LACN2_START)
                    set(v, n / 2, 0, n > 2 ? 0 : 1), largest = -1;
                if (step == STARTILE_LACN2_UNIT && n <= 2)
                    largest = n == 2 && cabs(get(v, 1, 0)) > cabs(get(v, 0, 0));
                v0 = array_copy(v);
                double after = lacn2_step(step, s, v, best, before);
                double expected = lacn2_estimate(step, v0, before);
                require_below(fabs(after - expected), (4 * (double)n + 8) * 0x1p-53 * expected +
                                                          8 * unit_roundoff(dtype) * expected +
                                                          0x1p-1000);
                bool raises = expected > before;
                for (int64_t i = 0; i < n; i++) {
                    double scale = step == STARTILE_LACN2_END ? 1 : s;
                    require_below(cabs(get(v, i, 0) / scale - lacn2_element(step, v0, i, largest)),
                                  8 * unit_roundoff(dtype) *
                                      (step == STARTILE_LACN2_ALTERNATING ? 2 : 1));
                    require(get(best, i, 0) == get(raises ? v0 : best0, i, 0));
                }
                arrays_free(v, v0, best, best0);
            }
}

/* Tests a unit vector that repeats the one before it: sign and unit then do nothing, alternating
 * ignores the norm of v, and the end does not. */
static void test_lacn2_repetition(void)
{
    static const startile_lacn2 idle[] = {STARTILE_LACN2_SIGN, STARTILE_LACN2_UNIT};
    struct array v = array_new(dtype, 70, 1, 0), best = array_new_random(dtype, 70, 1, 0);
    struct array state = array_new(STARTILE_D, STARTILE_LACN2_STATE, 1, 0);
    in_case("lacn2, repeated unit vector");
    lacn2_change(STARTILE_LACN2_START, 1, v, best, state);
    for (int same = 0; same < 3; same++) { /* largest elements 5, 6, 6 */
        for (int i = 0; i < 70; i++)
            set(v, i, 0, i == (same == 0 ? 5 : 6) ? -3 : 1);
        lacn2_change(STARTILE_LACN2_UNIT, 1, v, best, state);
        require(creal(get(state, STARTILE_LACN2_REPEATS, 0)) == (same == 2));
        require(get(v, same == 0 ? 5 : 6, 0) == 1 && get(v, 7, 0) == 0);
    }
    set(v, 7, 0, -2);
    struct array v0 = array_copy(v);
    for (int s = 0; s < 2; s++) {
        lacn2_change(idle[s], 1, v, best, state);
        require(is_same(v, v0));
    }
    lacn2_change(STARTILE_LACN2_ALTERNATING, 1, v, best, state);
    require(creal(get(state, STARTILE_LACN2_ESTIMATE, 0)) == 0 && get(v, 0, 0) == 1);
    lacn2_change(STARTILE_LACN2_END, 1, v, best, state);
    require(creal(get(state, STARTILE_LACN2_ESTIMATE, 0)) > 0.9);
    arrays_free(v, v0, best, state);
}

/* Tests that a NaN in v or in the old estimate makes the new estimate NaN. */
static void test_lacn2_of_nan(void)
{
    static const startile_lacn2 steps[] = {STARTILE_LACN2_SIGN, STARTILE_LACN2_ALTERNATING,
                                           STARTILE_LACN2_END};
    for (int s = 0; s < 3; s++)
        for (int64_t at = -1; at < 70; at += 23) {
            in_case("lacn2 %s, NaN at %d", step_names[steps[s]], (int)at);
            struct array v = array_new_random(dtype, 70, 1, 0), best = array_copy(v);
            if (at >= 0)
                set(v, at, 0, NAN);
            require(isnan(lacn2_step(steps[s], 1, v, best, at < 0 ? NAN : 5)));
            arrays_free(v, best);
        }
}

/* -- mirror ------------------------------------------------------------------------------------ */

/* Tests mirror. The other triangle and, for a Hermitian matrix, the imaginary parts of the diagonal
 * are not numbers. */
static void test_mirror(void)
{
    static const int64_t orders[] = {0, 1, 2, 33, 300};
    random_seed(79);
    for (int o = 0; o < 5; o++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (int hermitian = 0; hermitian < 2; hermitian++) {
                int64_t n = orders[o];
                in_case("mirror %c, n %d, hermitian %d", *uplo, (int)n, hermitian);
                struct array A = stored('N', n, n), B = array_new(dtype, n, n, 2), A0;
                array_poison(A, *uplo == 'L' ? 'U' : 'L');
                for (int64_t i = 0; i < n && hermitian && dtype >= STARTILE_C; i++)
                    set(A, i, i, CMPLX(creal(get(A, i, i)), NAN));
                A0 = array_copy(A);
                void *a = device_put(A), *b = device_put(B);
                require_info(
                    kernels->mirror(exec, *uplo, hermitian, (int)n, a, (int)A.ld, b, (int)B.ld), 0);
                device_fetch(A, a);
                device_fetch(B, b);
                require(is_same(A, A0));
                for (int64_t j = 0; j < n; j++)
                    for (int64_t i = 0; i < n; i++) {
                        bool is_stored = is_in_triangle(*uplo, i, j);
                        startile_complex z = is_stored ? get(A, i, j) : get(A, j, i);
                        z = !hermitian ? z : i == j ? creal(z) : is_stored ? z : conj(z);
                        require(get(B, i, j) == z);
                    }
                arrays_free(A, B, A0);
            }
}

/* -- signed_rows ------------------------------------------------------------------------------- */

/* Tests signed_rows of a rectangle in place, and of the upper triangle of D in another matrix. */
static void test_signed_rows(void)
{
    static const int64_t orders[] = {0, 1, 33, 300};
    random_seed(81);
    for (int o = 0; o < 4; o++) {
        int64_t m = orders[o], n = 2 * m + 1;
        in_case("signed_rows, m %d", (int)m);
        struct array D = stored('N', m, m), A = stored('N', m, n), A0 = array_copy(A),
                     D0 = array_copy(D), B = array_new(dtype, m, m, 1);
        void *d = device_put(D), *a = device_put(A), *b = device_put(B);
        require_info(kernels->signed_rows(exec, 'G', (int)m, (int)n, d, (int)D.ld, a, (int)A.ld, a,
                                          (int)A.ld),
                     0);
        require_info(kernels->signed_rows(exec, 'U', (int)m, (int)m, d, (int)D.ld, d, (int)D.ld, b,
                                          (int)B.ld),
                     0);
        device_fetch(D, d);
        device_fetch(A, a);
        device_fetch(B, b);
        require(is_same(D, D0) && is_poisoned(B, 'L'));
        for (int64_t i = 0; i < m; i++) {
            int sign = creal(get(D, i, i)) < 0 ? -1 : 1;
            for (int64_t j = 0; j < n; j++)
                require(get(A, i, j) == sign * get(A0, i, j));
            for (int64_t j = i; j < m; j++)
                require(get(B, i, j) == sign * get(D, i, j));
        }
        arrays_free(D, A, A0, D0, B);
    }
}

/* -- error_weights, weight_rows ---------------------------------------------------------------- */

static double magnitude1(startile_complex z)
{
    return fabs(creal(z)) + fabs(cimag(z));
}

static void test_error_weights(void)
{
    static const int64_t shapes[][2] = {{0, 3}, {3, 0}, {1, 1}, {33, 5}, {300, 4}};
    random_seed(82);
    for (int s = 0; s < 5; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        in_case("error_weights, %d × %d", (int)m, (int)n);
        struct array R = stored('N', m, n), B = stored('N', m, n), v = array_new(dtype, m, 1, 0),
                     W = array_new_random(STARTILE_D, m, n, 2), W0,
                     largest = array_new(STARTILE_D, n, 1, 0), v0;
        for (int64_t j = 0; j < n; j++)
            set(largest, j, 0, j % 2 ? 0 : (double)j + 3);
        array_random(v);
        W0 = array_copy(W);
        v0 = array_copy(v);
        void *r = device_put(R), *b = device_put(B), *w = device_put(W), *l = device_put(largest),
             *x = device_put(v);
        require_info(kernels->error_weights(exec, (int)m, (int)n, r, (int)R.ld, b, (int)B.ld, 0.25,
                                            l, w, (int)W.ld),
                     0);
        if (n > 0) /* the first column of W */
            require_info(kernels->weight_rows(exec, (int)m, w, x), 0);
        device_fetch(R, r);
        device_fetch(B, b);
        device_fetch(W, w);
        device_fetch(largest, l);
        device_fetch(v, x);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                double sum = magnitude1(get(R, i, j)) +
                             0.25 * (creal(get(W0, i, j)) + magnitude1(get(B, i, j)));
                double expected = j % 2 ? sum : sum / ((double)j + 3);
                require_below(fabs(creal(get(W, i, j)) - expected), 8 * 0x1p-53 * 4);
                if (j == 0)
                    require_below(cabs(get(v, i, 0) - get(W, i, 0) * get(v0, i, 0)),
                                  8 * unit_roundoff(dtype));
            }
        arrays_free(R, B, v, W, W0, largest, v0);
    }
}

/* -- diagonal_product -------------------------------------------------------------------------- */

/* Tests products with and without interchanges, whose exponents leave the range of the type. */
static void test_diagonal_product(void)
{
    static const int64_t orders[] = {0, 1, 2, 31, 33, 300};
    random_seed(80);
    for (int o = 0; o < 6; o++)
        for (int variant = 0; variant < 4; variant++) {
            int64_t n = orders[o], row0 = 40, ipiv[5 * 300];
            double unit = is_single(dtype) ? 0x1p120 : 0x1p1000;
            in_case("diagonal_product, n %d, variant %d", (int)n, variant);
            struct array A = stored('N', n, n), D = array_new(STARTILE_D, 3, 1, 0);
            struct array P = array_new(STARTILE_D, 5 * n, 1, 0); /* 64-bit integers */
            double _Complex sign = 1;
            double logarithm = 0;
            for (int64_t i = 0; i < n; i++) {
                startile_complex z = get(A, i, i);
                ipiv[i] = row0 + i + 1 + (i % 3 == 1);
                z *= variant < 2 ? unit : 1 / unit;
                set(A, i, i, z);
                z = get(A, i, i);
                logarithm += log(cabs(z));
                sign *= z / cabs(z) * (variant % 2 && i % 3 == 1 ? -1 : 1);
            }
            memcpy(P.a, ipiv, (size_t)n * sizeof *ipiv);
            void *a = device_put(A), *d = device_put(D), *p = device_put(P);
            startile_pivots_of_panel pivots = {p, variant % 2 ? (int)n : 0};
            require_info(kernels->diagonal_product(exec, (int)n, a, (int)A.ld, row0, pivots, d), 0);
            device_fetch(A, a);
            device_fetch(D, d);
            device_fetch(P, p);
            double _Complex product = CMPLX(creal(get(D, 0, 0)), creal(get(D, 1, 0)));
            double exponent = creal(get(D, 2, 0)), bound = (10 + 10 * (double)n) * 0x1p-53;
            require(exponent == floor(exponent) && cabs(product) >= 0.5 && cabs(product) < 4);
            require_below(cabs(product / cabs(product) - sign), bound);
            require_below(fabs(log(cabs(product)) + exponent * log(2) - logarithm),
                          bound * (1 + fabs(logarithm)));
            arrays_free(A, D, P);
        }
}

/* -- lange, lansy ------------------------------------------------------------------------------ */

/* Returns element (i, j) of the matrix of kind 'G'eneral, 'S'ymmetric or 'H'ermitian that is stored
 * in the triangle uplo of A. */
static startile_complex element_of(char kind, char uplo, struct array A, int64_t i, int64_t j)
{
    bool mirrored = kind != 'G' && (uplo == 'L' ? i < j : i > j);
    startile_complex v = mirrored ? get(A, j, i) : get(A, i, j);
    return kind == 'H' && i == j ? creal(v) : v;
}

/* Adds A's elements to acc by the definition of the norm. For 'F', acc[0] := the norm and acc[1] :=
 * 1; the caller compares it with the kernel's scale and sum as one number. */
static void expected_norm(char norm, char kind, char uplo, double weight, struct array A,
                          double *acc)
{
    long double squares = norm == 'F' ? (long double)acc[0] * acc[0] * acc[1] : 0;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            double v = cabs(element_of(kind, uplo, A, i, j));
            if (norm == 'M')
                acc[0] = fmax(acc[0], v);
            else if (norm == '1')
                acc[j] += v;
            else if (norm == 'I')
                acc[i] += v;
            else
                squares += (long double)weight * v * v;
        }
    if (norm == 'F')
        acc[0] = (double)sqrtl(squares), acc[1] = 1;
}

/* Checks a norm; kind: 'G' for lange, 'S' and 'H' for lansy. */
static void check_norm(char norm, char kind, char uplo, int64_t m, int64_t n, double weight)
{
    in_case("norm %c, kind %c, uplo %c, %d × %d, weight %g", norm, kind, uplo, (int)m, (int)n,
            weight);
    struct array A = array_new(dtype, m, n, 2);
    int64_t length = norm == '1' ? n : norm == 'I' ? m : 2;
    struct array acc = array_new(STARTILE_D, length, 1, 0);
    double *expected = calloc((size_t)length + 1, sizeof *expected);
    array_random(A);
    if (kind != 'G')
        array_poison(A, uplo == 'L' ? 'U' : 'L');
    /* partial results of earlier tiles */
    for (int64_t i = 0; i < length; i++) {
        expected[i] = 0.25 + (double)i;
        set(acc, i, 0, expected[i]);
    }
    expected_norm(norm, kind, uplo, weight, A, expected);
    void *a = device_put(A), *p = device_put(acc);
    require_info(kind == 'G'
                     ? kernels->lange(exec, norm, (int)m, (int)n, weight, a, (int)A.ld, p)
                     : kernels->lansy(exec, norm, uplo, kind == 'H', (int)n, a, (int)A.ld, p),
                 0);
    device_fetch(A, a);
    device_fetch(acc, p);
    if (norm == 'F')
        set(acc, 0, 0, creal(get(acc, 0, 0)) * sqrt(creal(get(acc, 1, 0))));
    for (int64_t i = 0; i < (norm == 'M' || norm == 'F' ? 1 : length); i++)
        require_below(fabs(creal(get(acc, i, 0)) - expected[i]),
                      4 * (double)(m + n + 4) * 0x1p-53 * expected[i] +
                          (dtype >= STARTILE_C ? 4 * unit_roundoff(dtype) * expected[i] : 0) +
                          0x1p-1000);
    free(expected);
    arrays_free(A, acc);
}

static void test_norms(void)
{
    random_seed(75);
    for (const char *norm = "M1IF"; *norm != '\0'; norm++)
        for (int shape = 0; shape < SHAPES; shape++) {
            int64_t m = shapes[shape][0], n = shapes[shape][1];
            check_norm(*norm, 'G', 'G', m, n, 1);
            if (*norm == 'F')
                check_norm(*norm, 'G', 'G', m, n, 2);
            for (const char *uplo = "LU"; *uplo != '\0'; uplo++) {
                check_norm(*norm, 'S', *uplo, m, m, 1);
                check_norm(*norm, 'H', *uplo, m, m, 1);
            }
        }
}

/* Tests one NaN or infinite element in column 0: in the first row, inside, and in the last row. */
static void test_norms_of_nan(void)
{
    const double what[] = {NAN, INFINITY};
    for (const char *norm = "M1IF"; *norm != '\0'; norm++)
        for (int v = 0; v < 2; v++)
            for (int64_t at = 0; at < 70; at += 23)
                for (int symmetric = 0; symmetric < 2; symmetric++) {
                    in_case("norm %c, %g at (%d, 0), symmetric %d", *norm, what[v], (int)at,
                            symmetric);
                    int64_t length = *norm == '1' || *norm == 'I' ? 70 : 2;
                    struct array A = array_new_random(dtype, 70, 70, 0);
                    struct array acc = array_new(STARTILE_D, length, 1, 0);
                    set(A, at, 0, what[v]);
                    for (int64_t i = 0; i < length; i++)
                        set(acc, i, 0, 0);
                    void *a = device_put(A), *p = device_put(acc);
                    require_info(symmetric
                                     ? kernels->lansy(exec, *norm, 'L', 0, 70, a, (int)A.ld, p)
                                     : kernels->lange(exec, *norm, 70, 70, 1, a, (int)A.ld, p),
                                 0);
                    device_fetch(A, a);
                    device_fetch(acc, p);
                    double value = creal(get(acc, *norm == 'I' && !symmetric ? at : 0, 0));
                    if (*norm == 'F')
                        value *= sqrt(creal(get(acc, 1, 0)));
                    require(isnan(what[v]) ? isnan(value) : value == INFINITY);
                    arrays_free(A, acc);
                }
}

int test_kernels(void)
{
    return run_group("kernels", test_gemm, test_gemm_scaling, test_hemm, test_updates,
                     test_triangles, test_trsm_by_inverses, test_laset, test_lacpy, test_random,
                     test_geadd, test_lacn2, test_lacn2_repetition, test_lacn2_of_nan, test_norms,
                     test_norms_of_nan, test_mirror, test_diagonal_product, test_signed_rows,
                     test_error_weights);
}
