/* Checks of the typed entries of one type. Compiled four times, with one of STARTILE_TYPE_S, _D,
 * _C, _Z defined; for d once more with STARTILE_TEST_LARGE, for two matrices that four CPU workers
 * share. */
#include "batch_typed.h"
#include "check.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined STARTILE_TYPE_S
typedef float element;
typedef float real;
#define TABLE batch_typed_s
#define TYPED(op) startile_s##op
#define UNITARY(op) startile_sor##op
#elif defined STARTILE_TYPE_D
typedef double element;
typedef double real;
#define TABLE batch_typed_d
#define TYPED(op) startile_d##op
#define UNITARY(op) startile_dor##op
#elif defined STARTILE_TYPE_C
typedef startile_cfloat element;
typedef float real;
#define TABLE batch_typed_c
#define TYPED(op) startile_c##op
#define UNITARY(op) startile_cun##op
#elif defined STARTILE_TYPE_Z
typedef startile_cdouble element;
typedef double real;
#define TABLE batch_typed_z
#define TYPED(op) startile_z##op
#define UNITARY(op) startile_zun##op
#endif

#ifdef STARTILE_TEST_LARGE
#define TABLE_OF_SIZE CONCATENATED(TABLE, _large)
#define CONCATENATED(a, b) JOINED(a, b)
#define JOINED(a, b) a##b
enum { COUNT = 2, N = 640, IS_LARGE = 1 };
#else
#define TABLE_OF_SIZE TABLE
enum { COUNT = 5, N = 21, IS_LARGE = 0 };
#endif

/* -- operands --------------------------------------------------------------------------------- */

/* The matrices have order N; in the third form matrix q has order N − q. LD, STRIDE: leading
 * dimension and distance of the matrices, with padding; PIVOTS: distance of their vectors of pivots
 * or tau. */
enum { NRHS = 3, LD = N + 2, STRIDE = LD * N + 5, PIVOTS = N + 1 };
enum form { STRIDED_FORM, POINTER_FORM, SIZES_FORM, FORMS_OF_ENTRIES };
static const char *const entry_names[FORMS_OF_ENTRIES] = {"strided", "pointers", "sizes"};

/* COUNT matrices. a: the memory of all; each[q]: the address of matrix q. */
struct operand {
    int64_t m[COUNT], n[COUNT], ld[COUNT];
    element *a, *each[COUNT];
};

/* Returns the order of matrix q. */
static int64_t order_of(enum form form, int q)
{
    return form == SIZES_FORM ? N - q : N;
}

/* Returns random matrices of order_of() rows and `columns` columns (−1: square ones). `outweighed`:
 * a large element in row j + 1 of each column j, or row 0 of the last one, makes the choice of
 * pivots clear. */
static struct operand operand_new(enum form form, int64_t columns, bool outweighed)
{
    struct operand X = {.a = malloc(COUNT * STRIDE * sizeof(element))};
    if (X.a == NULL)
        abort();
    for (int64_t i = 0; i < COUNT * STRIDE; i++)
        X.a[i] = (element)random_element(dtype);
    for (int q = 0; q < COUNT; q++) {
        int64_t n = X.m[q] = order_of(form, q);
        X.n[q] = columns < 0 ? n : columns;
        X.ld[q] = LD;
        X.each[q] = X.a + q * STRIDE;
        for (int64_t j = 0; outweighed && j < n; j++)
            X.each[q][(j + 1) % n + j * LD] = 2 * N;
    }
    return X;
}

/* Returns a copy with memory of its own. */
static struct operand operand_copy(struct operand X)
{
    struct operand Y = X;
    Y.a = malloc(COUNT * STRIDE * sizeof(element));
    if (Y.a == NULL)
        abort();
    memcpy(Y.a, X.a, COUNT * STRIDE * sizeof(element));
    for (int q = 0; q < COUNT; q++)
        Y.each[q] = Y.a + q * STRIDE;
    return Y;
}

/* Returns matrix q as an array for the reference. */
static struct array matrix_at(struct operand X, int q)
{
    return (struct array){dtype, X.m[q], X.n[q], X.ld[q], X.each[q], NULL};
}

/* Returns Hermitian matrices, positive definite by a dominant diagonal. */
static struct operand definite_new(enum form form)
{
    struct operand X = operand_new(form, -1, false);
    for (int q = 0; q < COUNT; q++)
        for (int64_t j = 0; j < X.n[q]; j++) {
            for (int64_t i = 0; i < j; i++)
                set(matrix_at(X, q), i, j, conj(get(matrix_at(X, q), j, i)));
            set(matrix_at(X, q), j, j, 4 * N);
        }
    return X;
}

/* Requires results of small, well-conditioned problems to be equal up to rounding. */
static void require_near(struct operand X, struct operand Y)
{
    for (int q = 0; q < COUNT; q++)
        check_near(matrix_at(X, q), matrix_at(Y, q), 200.0 * N * N);
}

/* Frees the memory of `count` operands. */
static void free_all(int count, struct operand *operands)
{
    for (int i = 0; i < count; i++)
        free(operands[i].a);
}

static void require_zero_info(const int64_t *info)
{
    for (int q = 0; q < COUNT; q++)
        require_info(info[q], 0);
}

static const int64_t nrhs[] = {NRHS, NRHS, NRHS, NRHS, NRHS};

/* The functions named as a routine call its entry of the given form and require success. A
 * parameter `each` has the addresses of the vectors in the parameter before it. */

/* -- Cholesky -----------------------------------------------------------------------------------
 */

static void potrf(enum form form, struct operand A, int64_t *info)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(potrf_batch_strided)('L', N, A.a, LD, STRIDE, info, COUNT)
                 : form == POINTER_FORM ? TYPED(potrf_batch)('l', N, A.each, LD, info, COUNT)
                                        : TYPED(potrf_vbatch)('L', A.n, A.each, A.ld, info, COUNT),
                 0);
}

static void podet(enum form form, struct operand F)
{
    real logdet[COUNT];
    require_info(form == STRIDED_FORM
                     ? TYPED(podet_batch_strided)(N, F.a, LD, STRIDE, logdet, COUNT)
                 : form == POINTER_FORM ? TYPED(podet_batch)(N, F.each, LD, logdet, COUNT)
                                        : TYPED(podet_vbatch)(F.n, F.each, F.ld, logdet, COUNT),
                 0);
    for (int q = 0; q < COUNT; q++) {
        double sum = 0;
        for (int64_t i = 0; i < F.n[q]; i++)
            sum += 2 * log(creal(get(matrix_at(F, q), i, i)));
        require_below(fabs((double)logdet[q] - sum), 200 * N * unit_roundoff(dtype));
    }
}

static void potrs(enum form form, struct operand A, struct operand B)
{
    require_info(form == STRIDED_FORM ? TYPED(potrs_batch_strided)('L', N, NRHS, A.a, LD, STRIDE,
                                                                   B.a, LD, STRIDE, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(potrs_batch)('L', N, NRHS, A.each, LD, B.each, LD, COUNT)
                     : TYPED(potrs_vbatch)('L', A.n, nrhs, A.each, A.ld, B.each, B.ld, COUNT),
                 0);
}

static void posv(enum form form, struct operand A, struct operand B, int64_t *info)
{
    require_info(form == STRIDED_FORM ? TYPED(posv_batch_strided)('L', N, NRHS, A.a, LD, STRIDE,
                                                                  B.a, LD, STRIDE, info, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(posv_batch)('L', N, NRHS, A.each, LD, B.each, LD, info, COUNT)
                     : TYPED(posv_vbatch)('L', A.n, nrhs, A.each, A.ld, B.each, B.ld, info, COUNT),
                 0);
}

/* Compares with LAPACK: factors F with G, solutions X with Y, and the results of posv, in A and B,
 * with G and Y. */
static void cholesky(void)
{
    for (enum form form = STRIDED_FORM; form < FORMS_OF_ENTRIES; form++) {
        int64_t info[] = {9, 9, 9, 9, 9};
        in_case("Cholesky, %s", entry_names[form]);
        struct operand A = definite_new(form), B = operand_new(form, NRHS, false);
        struct operand F = operand_copy(A), X = operand_copy(B), G = operand_copy(A),
                       Y = operand_copy(B);
        for (int q = 0; q < COUNT; q++) {
            struct array R = matrix_at(G, q);
            require_info(lapack(R)->potrf('L', R), 0);
            lapack(R)->potrs('L', R, matrix_at(Y, q));
        }
        potrf(form, F, info);
        require_zero_info(info);
        require_near(F, G);
        podet(form, F);
        potrs(form, F, X);
        require_near(X, Y);
        info[0] = 9;
        posv(form, A, B, info);
        require_zero_info(info);
        require_near(A, G);
        require_near(B, Y);
        free_all(6, (struct operand[]){A, B, F, X, G, Y});
    }
}

/* -- LU ------------------------------------------------------------------------------------------
 */

static void getrf(enum form form, struct operand A, int64_t *ipiv, int64_t *const *each,
                  int64_t *info)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(getrf_batch_strided)(N, N, A.a, LD, STRIDE, ipiv, PIVOTS, info, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(getrf_batch)(N, N, A.each, LD, each, info, COUNT)
                     : TYPED(getrf_vbatch)(A.m, A.n, A.each, A.ld, each, info, COUNT),
                 0);
}

static void getrs(enum form form, struct operand A, int64_t *ipiv, int64_t *const *each,
                  struct operand B)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(getrs_batch_strided)('T', N, NRHS, A.a, LD, STRIDE, ipiv, PIVOTS, B.a,
                                                  LD, STRIDE, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(getrs_batch)('T', N, NRHS, A.each, LD, each, B.each, LD, COUNT)
                     : TYPED(getrs_vbatch)('T', A.n, nrhs, A.each, A.ld, each, B.each, B.ld, COUNT),
                 0);
}

static void gesv(enum form form, struct operand A, int64_t *ipiv, int64_t *const *each,
                 struct operand B, int64_t *info)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(gesv_batch_strided)(N, NRHS, A.a, LD, STRIDE, ipiv, PIVOTS, B.a, LD,
                                                 STRIDE, info, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(gesv_batch)(N, NRHS, A.each, LD, each, B.each, LD, info, COUNT)
                     : TYPED(gesv_vbatch)(A.n, nrhs, A.each, A.ld, each, B.each, B.ld, info, COUNT),
                 0);
}

static void getri(enum form form, struct operand A, int64_t *ipiv, int64_t *const *each,
                  int64_t *info)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(getri_batch_strided)(N, A.a, LD, STRIDE, ipiv, PIVOTS, info, COUNT)
                 : form == POINTER_FORM ? TYPED(getri_batch)(N, A.each, LD, each, info, COUNT)
                                        : TYPED(getri_vbatch)(A.n, A.each, A.ld, each, info, COUNT),
                 0);
}

static void getrf_nopiv(enum form form, struct operand A, int64_t *info)
{
    require_info(
        form == STRIDED_FORM ? TYPED(getrf_nopiv_batch_strided)(N, N, A.a, LD, STRIDE, info, COUNT)
        : form == POINTER_FORM ? TYPED(getrf_nopiv_batch)(N, N, A.each, LD, info, COUNT)
                               : TYPED(getrf_nopiv_vbatch)(A.m, A.n, A.each, A.ld, info, COUNT),
        0);
}

/* Requires the determinants of the factors F, with pivots (each NULL: without). */
static void gedet(enum form form, struct operand F, int64_t *ipiv, int64_t *const *each)
{
    element sign[COUNT];
    real logabsdet[COUNT];
    require_info(form == STRIDED_FORM ? TYPED(gedet_batch_strided)(N, F.a, LD, STRIDE, ipiv, PIVOTS,
                                                                   sign, logabsdet, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(gedet_batch)(N, F.each, LD, each, sign, logabsdet, COUNT)
                     : TYPED(gedet_vbatch)(F.n, F.each, F.ld, each, sign, logabsdet, COUNT),
                 0);
    for (int q = 0; q < COUNT; q++) {
        double _Complex det = 1;
        for (int64_t i = 0; i < F.n[q]; i++)
            det *= get(matrix_at(F, q), i, i) * (each != NULL && each[q][i] != i + 1 ? -1 : 1);
        require_below(cabs(sign[q] * exp((double)logabsdet[q]) - det),
                      200 * N * unit_roundoff(dtype) * cabs(det));
    }
}

/* Compares with LAPACK: factors F and pivots with G and `expected`; solutions X of transposed
 * systems with Y; those of gesv, in B, with Z; inverses, in A, with G. Then D, factors without
 * pivoting, with E. */
static void lu(void)
{
    for (enum form form = STRIDED_FORM; form < FORMS_OF_ENTRIES; form++) {
        int64_t info[COUNT], ipiv[COUNT * PIVOTS], *each[COUNT], expected[COUNT * PIVOTS];
        in_case("LU, %s", entry_names[form]);
        struct operand A = operand_new(form, -1, true), B = operand_new(form, NRHS, false);
        struct operand F = operand_copy(A), X = operand_copy(B), G = operand_copy(A),
                       Y = operand_copy(B), H = operand_copy(A), Z = operand_copy(B), D;
        for (int q = 0; q < COUNT; q++) {
            struct array R = matrix_at(G, q);
            each[q] = ipiv + q * PIVOTS;
            require_info(lapack(R)->getrf(R, expected + q * PIVOTS), 0);
            lapack(R)->getrs('T', R, expected + q * PIVOTS, matrix_at(Y, q));
            lapack(R)->getrs('N', R, expected + q * PIVOTS, matrix_at(Z, q));
        }
        getrf(form, F, ipiv, each, info);
        require_zero_info(info);
        require_near(F, G);
        if (!IS_LARGE) /* the determinant would overflow */
            gedet(form, F, ipiv, each);
        for (int q = 0; q < COUNT; q++)
            require(memcmp(each[q], expected + q * PIVOTS,
                           (size_t)order_of(form, q) * sizeof **each) == 0);
        getrs(form, F, ipiv, each, X);
        require_near(X, Y);
        gesv(form, A, ipiv, each, B, info);
        require_zero_info(info);
        require_near(B, Z);
        getri(form, A, ipiv, each, info);
        for (int q = 0; q < COUNT; q++)
            lapack(matrix_at(G, q))->getri(matrix_at(G, q), expected + q * PIVOTS);
        require_near(A, G);
        /* matrices with a dominant diagonal: factorization without pivoting, inverse without
         * pivots */
        D = definite_new(form);
        struct operand E = operand_copy(D);
        for (int q = 0; q < COUNT; q++)
            require_info(lapack(matrix_at(E, q))->getrf(matrix_at(E, q), expected), 0);
        getrf_nopiv(form, D, info);
        require_near(D, E);
        if (!IS_LARGE)
            gedet(form, D, NULL, NULL);
        getri(form, D, NULL, NULL, info);
        require_zero_info(info);
        free_all(10, (struct operand[]){A, B, F, X, G, Y, H, Z, D, E});
    }
}

/* -- QR ------------------------------------------------------------------------------------------
 */

static void geqrf(enum form form, struct operand A, element *tau, element *const *each)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(geqrf_batch_strided)(N, N, A.a, LD, STRIDE, tau, PIVOTS, COUNT)
                 : form == POINTER_FORM ? TYPED(geqrf_batch)(N, N, A.each, LD, each, COUNT)
                                        : TYPED(geqrf_vbatch)(A.m, A.n, A.each, A.ld, each, COUNT),
                 0);
}

/* Calls ormqr for real types, unmqr for complex ones. */
static void ormqr(enum form form, struct operand A, element *tau, element *const *each,
                  struct operand C)
{
    require_info(form == STRIDED_FORM
                     ? UNITARY(mqr_batch_strided)('L', 'N', N, NRHS, N, A.a, LD, STRIDE, tau,
                                                  PIVOTS, C.a, LD, STRIDE, COUNT)
                 : form == POINTER_FORM
                     ? UNITARY(mqr_batch)('L', 'N', N, NRHS, N, A.each, LD, each, C.each, LD, COUNT)
                     : UNITARY(mqr_vbatch)('L', 'N', A.m, nrhs, A.m, A.each, A.ld, each, C.each,
                                           C.ld, COUNT),
                 0);
}

static void gels(enum form form, struct operand A, struct operand B, int64_t *info)
{
    require_info(
        form == STRIDED_FORM ? TYPED(gels_batch_strided)('N', N, N, NRHS, A.a, LD, STRIDE, B.a, LD,
                                                         STRIDE, info, COUNT)
        : form == POINTER_FORM
            ? TYPED(gels_batch)('N', N, N, NRHS, A.each, LD, B.each, LD, info, COUNT)
            : TYPED(gels_vbatch)('N', A.m, A.n, nrhs, A.each, A.ld, B.each, B.ld, info, COUNT),
        0);
}

static void geqp3(enum form form, struct operand A, int64_t *jpvt, int64_t *const *each_jpvt,
                  element *tau, element *const *each)
{
    require_info(form == STRIDED_FORM ? TYPED(geqp3_batch_strided)(N, N, A.a, LD, STRIDE, jpvt,
                                                                   PIVOTS, tau, PIVOTS, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(geqp3_batch)(N, N, A.each, LD, each_jpvt, each, COUNT)
                     : TYPED(geqp3_vbatch)(A.m, A.n, A.each, A.ld, each_jpvt, each, COUNT),
                 0);
}

static void gelsy(enum form form, struct operand A, struct operand B, int64_t *rank)
{
    require_info(
        form == STRIDED_FORM ? TYPED(gelsy_batch_strided)(N, N, NRHS, A.a, LD, STRIDE, B.a, LD,
                                                          STRIDE, -1, rank, COUNT)
        : form == POINTER_FORM
            ? TYPED(gelsy_batch)(N, N, NRHS, A.each, LD, B.each, LD, -1, rank, COUNT)
            : TYPED(gelsy_vbatch)(A.m, A.n, nrhs, A.each, A.ld, B.each, B.ld, -1, rank, COUNT),
        0);
}

/* Compares with LAPACK: factors by column pivoting F with G, solutions of gelsy, in B, with Z. */
static void pivoted_qr(void)
{
    for (enum form form = STRIDED_FORM; form < FORMS_OF_ENTRIES; form++) {
        int64_t rank[COUNT], jpvt[COUNT * PIVOTS], *each_jpvt[COUNT];
        element tau[COUNT * PIVOTS], *each[COUNT], expected[COUNT * PIVOTS];
        in_case("QR with column pivoting, %s", entry_names[form]);
        struct operand A = operand_new(form, -1, true), B = operand_new(form, NRHS, false);
        struct operand F = operand_copy(A), G = operand_copy(A), H = operand_copy(A),
                       Z = operand_copy(B);
        for (int q = 0; q < COUNT; q++) {
            each[q] = tau + q * PIVOTS;
            each_jpvt[q] = jpvt + q * PIVOTS;
            require_info(lapack(matrix_at(H, q))->gels('N', matrix_at(H, q), matrix_at(Z, q)), 0);
        }
        geqp3(form, F, jpvt, each_jpvt, tau, each);
        for (int q = 0; q < COUNT; q++) {
            struct array R = matrix_at(G, q), t = {dtype, R.n, 1, R.n, expected, NULL};
            int64_t pivots[N] = {0};
            lapack(R)->geqp3(R, pivots, t);
            require(memcmp(each_jpvt[q], pivots, (size_t)R.n * sizeof *pivots) == 0);
        }
        require_near(F, G);
        gelsy(form, A, B, rank);
        for (int q = 0; q < COUNT; q++)
            require_info(rank[q], order_of(form, q));
        require_near(B, Z);
        free_all(6, (struct operand[]){A, B, F, G, H, Z});
    }
}

/* Compares with LAPACK: factors F with G, products X := Q B with Y, solutions of gels, in B, with
 * Z. */
static void qr(void)
{
    for (enum form form = STRIDED_FORM; form < FORMS_OF_ENTRIES; form++) {
        int64_t info[COUNT];
        element tau[COUNT * PIVOTS], *each[COUNT], expected[COUNT * PIVOTS];
        in_case("QR, %s", entry_names[form]);
        struct operand A = operand_new(form, -1, true), B = operand_new(form, NRHS, false);
        struct operand F = operand_copy(A), X = operand_copy(B), G = operand_copy(A),
                       Y = operand_copy(B), H = operand_copy(A), Z = operand_copy(B);
        for (int q = 0; q < COUNT; q++) {
            struct array R = matrix_at(G, q), t = {dtype, R.n, 1, R.n, expected + q * PIVOTS, NULL};
            each[q] = tau + q * PIVOTS;
            lapack(R)->geqrf(R, t);
            lapack(R)->unmqr('L', 'N', R, t, matrix_at(Y, q));
            require_info(lapack(R)->gels('N', matrix_at(H, q), matrix_at(Z, q)), 0);
        }
        geqrf(form, F, tau, each);
        require_near(F, G);
        ormqr(form, F, tau, each, X);
        require_near(X, Y);
        gels(form, A, B, info);
        require_zero_info(info);
        require_near(B, Z);
        free_all(8, (struct operand[]){A, B, F, X, G, Y, H, Z});
    }
}

/* -- products -------------------------------------------------------------------------------------
 */

static void gemm(enum form form, struct operand A, struct operand B, struct operand C)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(gemm_batch_strided)('N', 'T', N, N, NRHS, 2, A.a, LD, STRIDE, B.a, LD,
                                                 STRIDE, -1, C.a, LD, STRIDE, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(gemm_batch)('N', 'T', N, N, NRHS, 2, A.each, LD, B.each, LD, -1,
                                         C.each, LD, COUNT)
                     : TYPED(gemm_vbatch)('N', 'T', C.m, C.n, nrhs, 2, A.each, A.ld, B.each, B.ld,
                                          -1, C.each, C.ld, COUNT),
                 0);
}

static void trsm(enum form form, struct operand A, struct operand B)
{
    require_info(
        form == STRIDED_FORM ? TYPED(trsm_batch_strided)('L', 'U', 'T', 'N', N, NRHS, 3, A.a, LD,
                                                         STRIDE, B.a, LD, STRIDE, COUNT)
        : form == POINTER_FORM
            ? TYPED(trsm_batch)('L', 'U', 'T', 'N', N, NRHS, 3, A.each, LD, B.each, LD, COUNT)
            : TYPED(trsm_vbatch)('L', 'U', 'T', 'N', A.m, nrhs, 3, A.each, A.ld, B.each, B.ld,
                                 COUNT),
        0);
}

static void products(void)
{
    for (enum form form = STRIDED_FORM; form < FORMS_OF_ENTRIES; form++) {
        in_case("products, %s", entry_names[form]);
        struct operand A = operand_new(form, NRHS, false), B = operand_new(form, NRHS, false),
                       C = operand_new(form, -1, false), D = operand_copy(C),
                       T = definite_new(form), X = operand_copy(B);
        for (int q = 0; q < COUNT; q++) {
            lapack(matrix_at(A, q))
                ->gemm('N', 'T', 2, matrix_at(A, q), matrix_at(B, q), -1, matrix_at(D, q));
            lapack(matrix_at(A, q))->trsm('L', 'U', 'T', 'N', 3, matrix_at(T, q), matrix_at(X, q));
        }
        gemm(form, A, B, C);
        require_near(C, D);
        trsm(form, T, B);
        require_near(B, X);
        free_all(6, (struct operand[]){A, B, C, D, T, X});
    }
}

/* -- vectors: the first rows of operands ---------------------------------------------------------
 */

static void require_close(double complex value, double complex expected)
{
    require_below(cabs(value - expected), 100 * N * unit_roundoff(dtype));
}

/* Y += 2 X, then X *= 3 */
static void updates(enum form form, struct operand X, struct operand Y)
{
    require_info(form == STRIDED_FORM
                     ? TYPED(axpy_batch_strided)(N, 2, X.a, LD, STRIDE, Y.a, LD, STRIDE, COUNT)
                 : form == POINTER_FORM
                     ? TYPED(axpy_batch)(N, 2, X.each, LD, Y.each, LD, COUNT)
                     : TYPED(axpy_vbatch)(X.n, 2, X.each, X.ld, Y.each, Y.ld, COUNT),
                 0);
    require_info(form == STRIDED_FORM   ? TYPED(scal_batch_strided)(N, 3, X.a, LD, STRIDE, COUNT)
                 : form == POINTER_FORM ? TYPED(scal_batch)(N, 3, X.each, LD, COUNT)
                                        : TYPED(scal_vbatch)(X.n, 3, X.each, X.ld, COUNT),
                 0);
}

struct sums {
    real norm[COUNT], sum[COUNT];
    int64_t largest[COUNT];
    element dot[COUNT], dotc[COUNT];
};

static void reductions(enum form form, struct operand X, struct operand Y, struct sums *s)
{
    if (form == STRIDED_FORM) {
        require_info(TYPED(nrm2_batch_strided)(N, X.a, LD, STRIDE, s->norm, COUNT), 0);
        require_info(TYPED(asum_batch_strided)(N, X.a, LD, STRIDE, s->sum, COUNT), 0);
        require_info(TYPED(iamax_batch_strided)(N, X.a, LD, STRIDE, s->largest, COUNT), 0);
        require_info(TYPED(dot_batch_strided)(N, X.a, LD, STRIDE, Y.a, LD, STRIDE, s->dot, COUNT),
                     0);
        require_info(TYPED(dotc_batch_strided)(N, X.a, LD, STRIDE, Y.a, LD, STRIDE, s->dotc, COUNT),
                     0);
    } else if (form == POINTER_FORM) {
        require_info(TYPED(nrm2_batch)(N, X.each, LD, s->norm, COUNT), 0);
        require_info(TYPED(asum_batch)(N, X.each, LD, s->sum, COUNT), 0);
        require_info(TYPED(iamax_batch)(N, X.each, LD, s->largest, COUNT), 0);
        require_info(TYPED(dot_batch)(N, X.each, LD, Y.each, LD, s->dot, COUNT), 0);
        require_info(TYPED(dotc_batch)(N, X.each, LD, Y.each, LD, s->dotc, COUNT), 0);
    } else {
        require_info(TYPED(nrm2_vbatch)(X.n, X.each, X.ld, s->norm, COUNT), 0);
        require_info(TYPED(asum_vbatch)(X.n, X.each, X.ld, s->sum, COUNT), 0);
        require_info(TYPED(iamax_vbatch)(X.n, X.each, X.ld, s->largest, COUNT), 0);
        require_info(TYPED(dot_vbatch)(X.n, X.each, X.ld, Y.each, Y.ld, s->dot, COUNT), 0);
        require_info(TYPED(dotc_vbatch)(X.n, X.each, X.ld, Y.each, Y.ld, s->dotc, COUNT), 0);
    }
}

/* Compares with sums over the elements. The largest one has the 1-based index 4 in each vector. */
static void check_sums(struct operand X, struct operand Y, const struct sums *s)
{
    for (int q = 0; q < COUNT; q++) {
        double norm = 0, sum = 0;
        double complex dot = 0, dotc = 0;
        for (int64_t j = 0; j < X.n[q]; j++) {
            double complex x = get(matrix_at(X, q), 0, j), y = get(matrix_at(Y, q), 0, j);
            norm = hypot(norm, cabs(x));
            sum += fabs(creal(x)) + fabs(cimag(x));
            dot += x * y;
            dotc += conj(x) * y;
        }
        require_close(s->norm[q], norm);
        require_close(s->sum[q], sum);
        require_close(s->dot[q], dot);
        require_close(s->dotc[q], dotc);
        require_info(s->largest[q], 4);
    }
}

static void vectors(void)
{
    for (enum form form = STRIDED_FORM; form < FORMS_OF_ENTRIES; form++) {
        struct sums s;
        in_case("vectors, %s", entry_names[form]);
        struct operand X = operand_new(form, -1, false), Y = operand_new(form, -1, false);
        for (int q = 0; q < COUNT; q++) {
            X.m[q] = Y.m[q] = 1;
            set(matrix_at(X, q), 0, 3, 5); /* the largest element, see check_sums() */
        }
        struct operand U = operand_copy(X), V = operand_copy(Y);
        reductions(form, X, Y, &s);
        check_sums(X, Y, &s);
        updates(form, U, V);
        for (int q = 0; q < COUNT; q++)
            for (int64_t j = 0; j < X.n[q]; j++) {
                double complex x = get(matrix_at(X, q), 0, j), y = get(matrix_at(Y, q), 0, j);
                require_close(get(matrix_at(U, q), 0, j), 3 * x);
                require_close(get(matrix_at(V, q), 0, j), 2 * x + y);
            }
        free_all(4, (struct operand[]){X, Y, U, V});
    }
}

/* Checks shapes of 2³¹ elements and more: the first such argument is refused before any element is
 * read. */
static void too_large(void)
{
    const int64_t n = 65536, most = INT32_MAX, huge = INT64_MAX / 2;
    element x[4] = {1, 0, 0, 1}, *each[2] = {x, x}, alpha = 1;
    int64_t info[2] = {7, 7}, orders[2] = {2, n}, lds[2] = {2, n};
    in_case("matrices that are too large");
    require_info(TYPED(potrf_batch_strided)('L', n, x, n, 0, info, 1), -3);
    require_info(TYPED(potrf_batch_strided)('L', huge, x, most, 4, info, 2), -3);
    require_info(TYPED(potrf_batch_strided)('L', 2, x, most, 4, info, 1), -4);
    require_info(TYPED(potrf_batch)('L', n, each, n, info, 2), -3);
    require_info(TYPED(potrf_vbatch)('L', orders, each, lds, info, 2), -3);
    require_info(TYPED(gels_batch)('N', n, 1, n, each, n, each, n, info, 2), -7);
    require_info(TYPED(getrs_batch)('N', 1, huge, each, 1, NULL, each, 1, 2), -7);
    require_info(TYPED(gemm_batch)('N', 'N', n, n, n, alpha, each, n, each, n, alpha, each, n, 1),
                 -7);
    require_info(TYPED(gemm_batch)('N', 'N', 1, n, n, alpha, each, 1, each, n, alpha, each, 1, 1),
                 -9);
    require_info(TYPED(gemm_batch)('N', 'N', n, n, 1, alpha, each, n, each, 1, alpha, each, n, 1),
                 -12);
    require_info(TYPED(trsm_batch)('R', 'L', 'N', 'N', n, n, alpha, each, n, each, n, 1), -8);
    require_info(TYPED(axpy_batch_strided)(2, alpha, x, most, 4, x, 1, 4, 1), -4);
    require_info(TYPED(axpy_batch)(huge, alpha, each, 1, each, 1, 1), -3);
    require(info[0] == 7 && x[0] == 1);
}

/* -- limits ----------------------------------------------------------------------------------- */

static void limits(void)
{
    element x[8] = {1, 0, 0, 1, 1, 0, 0, 1}, *each[2] = {x, x + 4};
    int64_t info[2] = {7, 7}, ipiv[4], two[2] = {2, 2}, none[2] = {0, 0};
    too_large();
    in_case("nothing to do");
    require_info(TYPED(potrf_batch_strided)('L', 2, NULL, 2, 4, NULL, 0), 0);
    require_info(TYPED(potrf_vbatch)('L', NULL, NULL, NULL, NULL, 0), 0);
    require_info(TYPED(potrf_batch_strided)('L', 0, NULL, 1, 0, info, 2), 0);
    require(info[0] == 0 && info[1] == 0);
    in_case("strides and addresses that are not used");
    require_info(TYPED(potrf_batch_strided)('L', 2, x, 2, 1, info, 1), 0);
    require_info(TYPED(potrf_batch_strided)('L', 2, x, 2, 0, info, 1), 0);
    require_info(TYPED(getrf_batch_strided)(2, 2, x, 2, -9, ipiv, -9, info, 1), 0);
    require_info(TYPED(potrf_batch_strided)('L', 0, NULL, 1, -9, info, 2), 0);
    require_info(TYPED(potrf_vbatch)('L', none, NULL, two, info, 2), 0);
    in_case("an indefinite matrix");
    x[4] = -1;
    require_info(TYPED(potrf_batch)('L', 2, each, 2, info, 2), 2);
    require(info[0] == 0 && info[1] == 1);
}

const struct batch_typed TABLE_OF_SIZE = {cholesky, lu, qr, pivoted_qr, products, vectors, limits};
