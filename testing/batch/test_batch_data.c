/* Tests of batches as data: different sizes, chunks, wrong arguments, handles of the caller, empty
 * batches. */
#include "batch.h"
#include "check.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

/* -- different sizes --------------------------------------------------------------------------- */

enum { MIXED = 40 }; /* number of matrices */

/* Returns n × columns matrices for different n from 0 up, unsorted. columns −1: square ones,
 * positive definite by a dominant diagonal. */
static struct group mixed(int64_t columns)
{
    struct group G = {MIXED, calloc(MIXED, sizeof *G.matrix)};
    for (int64_t q = 0; q < MIXED; q++) {
        int64_t n = q * 37 % 83;
        G.matrix[q] = array_new(dtype, n, columns < 0 ? n : columns, q % 3);
        array_random(G.matrix[q]);
        for (int64_t j = 0; columns < 0 && j < n; j++) {
            for (int64_t i = 0; i < j; i++)
                set(G.matrix[q], i, j, __builtin_conj(get(G.matrix[q], j, i)));
            set(G.matrix[q], j, j, 2 * (double)n);
        }
    }
    return G;
}

/* Checks the solution X of A X = B, A positive definite, against LAPACK's. */
static void check_mixed_solution(struct array A, struct array B, struct array X)
{
    struct array F = array_copy(A), Z = array_copy(B);
    require_info(lapack(F)->potrf('L', F), 0);
    lapack(F)->potrs('L', F, Z);
    check_solution(A, X, Z, B);
    arrays_free(F, Z);
}

/* Tests matrices of different sizes in chunks of several sizes. One matrix is singular; info is in
 * the caller's order. */
static void test_mixed_sizes(void)
{
    static const int64_t chunk_sizes[] = {0, 1, 7, MIXED, 1000};
    for (int c = 0; c < 5; c++)
        for (int lu = 0; lu < 2; lu++) {
            enum { BAD = 11 };
            in_case("mixed sizes, %d matrices in a chunk, %s", (int)chunk_sizes[c],
                    lu ? "gesv" : "posv");
            random_seed(1);
            struct group A = mixed(-1), B = mixed(2);
            int64_t n = A.matrix[BAD].n;
            for (int64_t i = 0; i < n; i++)
                set(A.matrix[BAD], i, n - 1, 0);
            struct group F = group_copy(A), X = group_copy(B);
            struct test_batch a = test_batch_new(F, SIZES, chunk_sizes[c], NULL),
                              b = test_batch_new(X, SIZES, 0, a.b);
            struct integers info = integers_new(MIXED, 1, SIZES, a.b),
                            P = integers_new(MIXED, 83, SIZES, a.b); /* orders are below 83 */
            require_info(lu ? startile_gesv_batch(a.b, P.b, b.b, info.b)
                            : startile_posv_batch('L', a.b, b.b, info.b),
                         BAD + 1);
            test_batches_finish(&b, &a);
            integers_finish(&info);
            integers_finish(&P);
            require(group_has_borders_intact(F) && group_has_borders_intact(X));
            for (int64_t q = 0; q < MIXED; q++) {
                require_info(*integers_of(&info, q), q == BAD ? n : 0);
                if (q != BAD)
                    check_mixed_solution(A.matrix[q], B.matrix[q], X.matrix[q]);
            }
            require(is_same(X.matrix[BAD], B.matrix[BAD]));
            integers_free(&info);
            integers_free(&P);
            groups_free(A, B, F, X);
        }
    check_report("mixed sizes");
}

/* -- chunks ----------------------------------------------------------------------------------- */

/* Tests the chunks of a batch with a given number of matrices in each (0: the library's choice), a
 * batch of integers with the same chunks, and the refusal of one with other chunks. */
static void test_chunks(void)
{
    enum { COUNT = 100, N = 4 };
    for (int64_t per_task = 0; per_task <= 128; per_task = per_task * 2 + 1) {
        startile_batch *A, *info, *other_chunks;
        in_case("%d matrices in a chunk", (int)per_task);
        require_info(startile_batch_create(&A, dtype, COUNT, N, N, per_task, NULL), 0);
        startile_batch_dims s = startile_batch_shape(A);
        require(s.count == COUNT && s.m == N && s.n == N && !s.has_integers && s.dtype == dtype);
        int64_t sum = 0;
        for (int64_t q = 0; q < s.chunks; q++) {
            require(startile_batch_handle(A, q) != NULL);
            require(per_task == 0 || startile_batch_chunk_size(A, q) <= per_task);
            sum += startile_batch_chunk_size(A, q);
        }
        require(sum == COUNT && startile_batch_handle(A, s.chunks) == NULL);
        /* with the chunks of A the argument 5 is ignored */
        require_info(startile_batch_create_integers(&info, COUNT, 1, 5, A), 0);
        require(startile_batch_shape(info).chunks == s.chunks);
        require_info(startile_potrf_batch('L', A, info),
                     1); /* info is 1, because the matrices are zero */
        require_info(startile_batch_create_integers(&other_chunks, COUNT, 1, COUNT / 3, NULL), 0);
        require_info(startile_potrf_batch('L', A, other_chunks), -3);
        startile_batch_destroy(other_chunks);
        startile_batch_destroy(info);
        startile_batch_destroy(A);
    }
}

/* Tests pivots that are not valid row numbers, as a cancelled factorization leaves them. Nothing
 * outside the matrices may be written; the result may be anything. */
static void test_invalid_pivots(void)
{
    static const int64_t invalid[] = {0, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 32, 1000};
    static const int64_t orders[] = {3, 8, 20, 40, 150};
    enum { COUNT = 20, INVALID = sizeof invalid / sizeof *invalid };
    for (int o = 0; o < 5; o++)
        for (int t = 0; t < 3; t++) {
            int64_t n = orders[o];
            in_case("order %d, invalid pivots, %c", (int)n, "NTC"[t]);
            random_seed(3);
            struct group A = group_new(dtype, COUNT, n, n, 1), B = group_new(dtype, COUNT, n, 2, 1);
            group_random(A);
            group_random(B);
            struct test_batch a = test_batch_new(A, STRIDED, 0, NULL),
                              b = test_batch_new(B, STRIDED, 0, a.b);
            struct integers P = integers_new(COUNT, n, STRIDED, a.b),
                            info = integers_new(COUNT, 1, STRIDED, a.b);
            for (int64_t q = 0; q < COUNT; q++)
                for (int64_t k = 0; k < n; k++)
                    integers_of(&P, q)[k] = invalid[(q + k) % INVALID];
            require_info(startile_getrs_batch("NTC"[t], a.b, P.b, b.b), 0);
            require_info(startile_getri_batch(a.b, P.b, info.b), 0);
            test_batches_finish(&b, &a);
            integers_finish(&info);
            integers_finish(&P);
            integers_free(&info);
            integers_free(&P);
            require(group_has_borders_intact(A) && group_has_borders_intact(B));
            groups_free(A, B);
        }
}

/* Tests data that StarPU allocates: one task writes it and the next reads it, without an array of
 * the caller. */
static void test_owned(void)
{
    enum { COUNT = 50, N = 9 };
    in_case("owned");
    random_seed(2);
    struct group A = group_new(dtype, COUNT, N, N, 0), C = group_new(dtype, COUNT, N, N, 0);
    group_random(A);
    struct test_batch a = test_batch_new(A, STRIDED, 8, NULL),
                      c = test_batch_new(C, STRIDED, 0, a.b);
    startile_batch *square;
    require_info(startile_batch_create(&square, dtype, COUNT, N, N, 0, a.b), 0);
    startile_request *r = request_created();
    /* square := A A, C := square Aᴴ */
    require_info(startile_gemm_batch_async('N', 'N', 1, a.b, a.b, 0, square, r), 0);
    require_info(startile_gemm_batch_async('N', 'C', 1, square, a.b, 0, c.b, r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_batch_destroy(square);
    test_batches_finish(&c, &a);
    struct array one = array_new(dtype, N, N, 0), two = array_new(dtype, N, N, 0);
    for (int64_t q = 0; q < COUNT; q++) {
        lapack(one)->gemm('N', 'N', 1, A.matrix[q], A.matrix[q], 0, one);
        lapack(two)->gemm('N', 'C', 1, one, A.matrix[q], 0, two);
        check_near(C.matrix[q], two, 30.0 * N * N);
    }
    arrays_free(one, two);
    groups_free(A, C);
}

/* Tests that the wait for a cancelled request returns STARTILE_ERROR_CANCELLED, and that the batch
 * keeps its elements. */
static void test_cancelled(void)
{
    in_case("cancelled");
    enum { COUNT = 10, N = 3 };
    startile_batch *A, *info;
    struct array M = array_new(dtype, N, COUNT * N, 0);
    for (int64_t j = 0; j < COUNT * N; j++)
        for (int64_t i = 0; i < N; i++)
            set(M, i, j, i == j % N ? 4 : 0);
    struct array before = array_copy(M);
    require_info(startile_batch_wrap(&A, dtype, COUNT, N, N, M.a, N, N * N, 0, NULL), 0);
    require_info(startile_batch_create_integers(&info, COUNT, 1, 0, A), 0);
    startile_request *r = request_created();
    require_info(startile_request_cancel(r), 0);
    require_info(startile_potrf_batch_async('L', A, info, r), 0);
    require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    startile_request_destroy(r);
    startile_batch_destroy(info);
    startile_batch_destroy(A);
    require(is_same(M, before));
    arrays_free(M, before);
}

/* Tests that after startile_batch_gather() results are in the caller's arrays while the batch still
 * exists, by element 3 of vector 4 after a multiplication of all vectors by 2. For a batch from
 * handles the function returns −1. */
static void test_gather(void)
{
    for (int f = 0; f < FORMS; f++) {
        enum batch_form form = (enum batch_form)f;
        enum { COUNT = 6, N = 5 };
        in_case("gather, %s", form_names[f]);
        random_seed(3);
        struct group X = group_new_random(COUNT, 1, N, 1);
        startile_complex before = get(X.matrix[4], 0, 3), two = 2;
        struct array alpha = array_new(dtype, 1, 1, 0);
        set(alpha, 0, 0, two);
        struct test_batch x = test_batch_new(X, form, 2, NULL);
        startile_batch *a;
        require_info(startile_batch_wrap(&a, dtype, COUNT, 1, 1, alpha.a, 1, 0, 0, x.b), 0);
        require_info(startile_scal_batch(a, x.b), 0);
        if (form == HANDLES) {
            require_info(startile_batch_gather(x.b), -1);
        } else {
            require_info(startile_batch_gather(x.b), 0);
            struct array now = form == STRIDED ? array_part(x.store, 0, 4, 1, 1) : X.matrix[4];
            now.ld = X.matrix[4].ld;
            require(get(now, 0, 3) == 2 * before);
        }
        startile_batch_destroy(a);
        test_batch_finish(&x);
        require(get(X.matrix[4], 0, 3) == 2 * before);
        array_free(alpha);
        group_free(X);
    }
}

/* Tests startile_batch_to_lapack() on the integers of a batch of different sizes, whose matrices
 * the library sorts: the integers have the caller's order. The matrices have 2 on the antidiagonal,
 * so LU interchanges the rows of the first half with those of the second. */
static void test_read_integers(void)
{
    enum { COUNT = 7, MOST = 9, LD = 10, STRIDE = 11 };
    int64_t n[COUNT] = {3, 9, 1, 5, 8, 2, 4}, pivots[COUNT * STRIDE], info[COUNT];
    void *each[COUNT];
    struct array A[COUNT];
    startile_batch *a, *p, *i;
    in_case("pivots of a sorted batch");
    for (int q = 0; q < COUNT; q++) {
        A[q] = array_new(dtype, n[q], n[q], 0);
        for (int64_t j = 0; j < n[q]; j++)
            for (int64_t k = 0; k < n[q]; k++)
                set(A[q], k, j, k + j == n[q] - 1 ? 2 : 0);
        each[q] = A[q].a;
        require(A[q].ld == n[q]);
    }
    require_info(startile_batch_wrap_sizes(&a, dtype, COUNT, n, n, each, n, 3, NULL), 0);
    require_info(startile_batch_create_integers(&p, COUNT, MOST, 0, a), 0);
    require_info(startile_batch_create_integers(&i, COUNT, 1, 0, a), 0);
    memset(pivots, -1, sizeof pivots);
    memset(info, -1, sizeof info);
    require_info(startile_getrf_batch(a, p, i), 0);
    require_info(startile_batch_to_lapack(NULL, pivots, LD, STRIDE), -1);
    require_info(startile_batch_to_lapack(a, pivots, LD, STRIDE), -1);
    require_info(startile_batch_to_lapack(p, NULL, LD, STRIDE), -2);
    require_info(startile_batch_to_lapack(p, pivots, MOST - 1, STRIDE), -3);
    require_info(startile_batch_to_lapack(p, pivots, LD, MOST - 1), -4);
    require_info(startile_batch_to_lapack(p, pivots, LD, STRIDE), 0);
    require_info(startile_batch_to_lapack(i, info, 1, 1), 0);
    for (int q = 0; q < COUNT; q++) {
        require_info(info[q], 0);
        for (int64_t k = 0; k < n[q]; k++)
            require_info(pivots[q * STRIDE + k], k < n[q] / 2 ? n[q] - k : k + 1);
        for (int64_t k = MOST; k < STRIDE; k++)
            require_info(pivots[q * STRIDE + k], -1);
    }
    startile_batch_destroy(i);
    startile_batch_destroy(p);
    startile_batch_destroy(a);
    for (int q = 0; q < COUNT; q++)
        array_free(A[q]);
}

/* Tests startile_batch_to_lapack() on a wrapped X, in the library's or in the caller's handles, and
 * on Y := 0 + X. */
static void test_read(void)
{
    enum { COUNT = 11, N = 5, INC = 2 };
    double alpha[2] = {1, 0};
    float single[2] = {1, 0};
    random_seed(12);
    for (int f = 0; f < 2; f++) {
        enum batch_form form = f == 0 ? STRIDED : HANDLES;
        in_case("reading %s", form_names[form]);
        struct group X = group_new_random(COUNT, 1, N, 0);
        struct test_batch x = test_batch_new(X, form, 4, NULL);
        struct array got = array_new(dtype, INC * N, COUNT, 0);
        startile_batch *y, *a;
        require_info(startile_batch_create(&y, dtype, COUNT, 1, N, 0, x.b), 0);
        require_info(startile_batch_wrap(&a, dtype, COUNT, 1, 1,
                                         is_single(dtype) ? (void *)single : (void *)alpha, 1, 0, 0,
                                         x.b),
                     0);
        require_info(startile_axpy_batch(a, x.b, y), 0);
        for (int reads_y = 0; reads_y < 2; reads_y++) {
            require_info(startile_batch_to_lapack(reads_y ? y : x.b, got.a, INC, got.ld), 0);
            for (int64_t q = 0; q < COUNT; q++)
                for (int64_t j = 0; j < N; j++)
                    require(get(got, INC * j, q) == get(X.matrix[q], 0, j));
            array_random(got);
        }
        require(has_borders_intact(got));
        startile_batch_destroy(a);
        startile_batch_destroy(y);
        test_batch_finish(&x);
        array_free(got);
        group_free(X);
    }
}

/* Tests the solution of all systems with one factored matrix and its pivots (stride 0). */
static void test_one_for_all(void)
{
    enum { COUNT = 3, N = 2 };
    struct array LU = array_new(dtype, N, N, 0), B = array_new(dtype, N, COUNT, 0);
    int64_t ipiv[N] = {2, 2};
    startile_batch *a, *p, *b;
    in_case("one matrix for all");
    /* U = diag(2, 4), and a pivot that interchanges the rows: x = (6 / 2, 4 q / 4) */
    set(LU, 0, 0, 2);
    set(LU, 1, 0, 0);
    set(LU, 0, 1, 0);
    set(LU, 1, 1, 4);
    for (int64_t q = 0; q < COUNT; q++) {
        set(B, 0, q, 4.0 * (double)q);
        set(B, 1, q, 6);
    }
    require_info(startile_batch_wrap(&b, dtype, COUNT, N, 1, B.a, N, B.ld, 2, NULL), 0);
    require_info(startile_batch_wrap(&a, dtype, COUNT, N, N, LU.a, LU.ld, 0, 0, b), 0);
    require_info(startile_batch_wrap_integers(&p, COUNT, N, ipiv, 0, 0, b), 0);
    require_info(startile_getrs_batch('N', a, p, b), 0);
    require_info(startile_getrf_batch(a, p, p), -1);
    startile_batch_destroy(p);
    startile_batch_destroy(a);
    startile_batch_destroy(b);
    for (int64_t q = 0; q < COUNT; q++)
        require(get(B, 0, q) == 3 && get(B, 1, q) == (double)q);
    arrays_free(LU, B);
}

/* -- wrong arguments ------------------------------------------------------------------------------
 */

static void test_wrong_constructors(void)
{
    double x[64] = {0};
    int64_t i[4] = {1, 1, 1, 1}, negative[4] = {1, -1, 1, 1};
    void *each[4] = {x, x + 4, x + 8, x + 12}, *hole[4] = {x, NULL, x, x};
    startile_batch *b = NULL, *three;
    in_case("wrong constructors");
    require_info(startile_batch_create_integers(&three, 3, 1, 0, NULL), 0);
    require_info(startile_batch_create(NULL, dtype, 1, 1, 1, 0, NULL), -1);
    require_info(startile_batch_create(&b, (startile_dtype)7, 1, 1, 1, 0, NULL), -2);
    require_info(startile_batch_create(&b, dtype, -1, 1, 1, 0, NULL), -3);
    require_info(startile_batch_create(&b, dtype, 1, -1, 1, 0, NULL), -4);
    require_info(startile_batch_create(&b, dtype, 1, 1, -1, 0, NULL), -5);
    require_info(startile_batch_create(&b, dtype, 1, 1 << 16, 1 << 16, 0, NULL), -5);
    require_info(startile_batch_create(&b, dtype, 1, 1, 1, -1, NULL), -6);
    require_info(startile_batch_create(&b, dtype, 1 << 30, 1000, 1000, 0, NULL),
                 STARTILE_ERROR_MEMORY);
    require_info(startile_batch_create(&b, dtype, 1, 1, 1, 0, three), -7);
    require_info(startile_batch_create_integers(&b, -1, 1, 0, NULL), -2);
    require_info(startile_batch_create_integers(&b, 1, -1, 0, NULL), -3);
    require_info(startile_batch_create_integers(&b, 1, 1, -1, NULL), -4);
    require_info(startile_batch_create_integers(&b, 1, 1, 0, three), -5);
    require_info(startile_batch_wrap(&b, dtype, 2, 1, 1, NULL, 1, 1, 0, NULL), -6);
    require_info(startile_batch_wrap(&b, dtype, 2, 2, 2, x, 1, 4, 0, NULL), -7);
    require_info(startile_batch_wrap(&b, dtype, 2, 2, 2, x, 2, 3, 0, NULL), -8);
    require_info(startile_batch_wrap(&b, dtype, 2, 2, 2, x, 2, 4, -1, NULL), -9);
    require_info(startile_batch_wrap(&b, dtype, 2, 2, 2, x, 2, 4, 0, three), -10);
    require_info(startile_batch_wrap_integers(&b, 2, 2, NULL, 2, 0, NULL), -4);
    require_info(startile_batch_wrap_integers(&b, 2, 2, i, 1, 0, NULL), -5);
    require_info(startile_batch_wrap_integers(&b, 2, 2, i, 2, 0, three), -7);
    require_info(startile_batch_wrap_pointers(&b, dtype, 4, 1, 1, NULL, 1, 0, NULL), -6);
    require_info(startile_batch_wrap_pointers(&b, dtype, 4, 1, 1, hole, 1, 0, NULL), -6);
    require_info(startile_batch_wrap_pointers(&b, dtype, 4, 2, 1, each, 1, 0, NULL), -7);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, NULL, i, each, i, 0, NULL), -4);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, negative, i, each, i, 0, NULL), -4);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, i, negative, each, i, 0, NULL), -5);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, i, i, hole, i, 0, NULL), -6);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, i, i, each, negative, 0, NULL), -7);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, i, i, each, i, -1, NULL), -8);
    require_info(startile_batch_wrap_sizes(&b, dtype, 4, i, i, each, i, 0, three), -9);
    require_info(startile_batch_gather(NULL), -1);
    require_info(startile_batch_gather(three), -1);
    require(b == NULL);
    startile_batch_destroy(three);
    startile_batch_destroy(NULL);
}

/* Returns a batch of four m × n matrices in two chunks. */
static startile_batch *new_batch(int64_t m, int64_t n)
{
    startile_batch *b;
    require_info(startile_batch_create(&b, dtype, 4, m, n, 2, NULL), 0);
    return b;
}

static void test_wrong_operands(void)
{
    in_case("wrong operands");
    startile_batch *A = new_batch(3, 3), *W = new_batch(3, 5), *B = new_batch(3, 2),
                   *X = new_batch(1, 9), *n = new_batch(1, 1), *info, *P, *shared;
    double alpha[2] = {1, 0};
    require_info(startile_batch_create_integers(&info, 4, 1, 2, NULL), 0);
    require_info(startile_batch_create_integers(&P, 4, 3, 2, NULL), 0);
    require_info(startile_batch_wrap(&shared, dtype, 4, 1, 1, alpha, 1, 0, 2, NULL), 0);
    require_info(startile_potrf_batch('X', A, info), -1);
    require_info(startile_potrf_batch('L', W, info), -2);
    require_info(startile_potrf_batch('L', NULL, info), -2);
    require_info(startile_potrf_batch('L', A, P), -3);
    require_info(startile_potrf_batch('L', A, NULL), -3);
    require_info(startile_potrf_batch_async('L', A, info, NULL), -4);
    require_info(startile_potrs_batch('L', A, X), -3);
    require_info(startile_potrs_batch('L', A, A), -3);
    require_info(startile_posv_batch('L', A, B, n), -4);
    require_info(startile_getrf_batch(info, P, info), -1);
    require_info(startile_getrf_batch(A, info, info), -2);
    require_info(startile_getrf_batch(A, P, n), -3);
    require_info(startile_getrs_batch('X', A, P, B), -1);
    require_info(startile_getrs_batch('N', W, P, B), -2);
    require_info(startile_getrs_batch('N', A, info, B), -3);
    require_info(startile_getrs_batch('N', A, P, X), -4);
    require_info(startile_geqrf_batch(A, B), -2);
    require_info(startile_geqp3_batch(P, P, n), -1);
    require_info(startile_geqp3_batch(A, NULL, n), -2);
    require_info(startile_geqp3_batch(A, info, n), -2);
    require_info(startile_geqp3_batch(A, n, n), -2);
    require_info(startile_geqp3_batch(A, P, n), -3);
    require_info(startile_geqp3_batch(A, P, A), -3);
    require_info(startile_gelsy_batch(P, B, 0, info), -1);
    require_info(startile_gelsy_batch(A, A, 0, info), -2);
    require_info(startile_gelsy_batch(A, X, 0, info), -2);
    require_info(startile_gelsy_batch(A, B, 0, P), -4);
    require_info(startile_gelsy_batch(A, B, 0, NULL), -4);
    require_info(startile_gelsy_batch_async(A, B, 0, info, NULL), -5);
    require_info(startile_unmqr_batch('X', 'N', A, n, B), -1);
    require_info(startile_unmqr_batch('L', 'X', A, n, B), -2);
    require_info(startile_gels_batch('N', A, X, info), -3);
    require_info(startile_gemm_batch('X', 'N', 1, A, B, 0, W), -1);
    require_info(startile_gemm_batch('N', 'N', 1, A, W, 0, B), -7);
    require_info(startile_gemm_batch('N', 'T', 1, A, W, 0, A), -5);
    require_info(startile_trsm_batch('L', 'L', 'N', 'X', 1, A, B), -4);
    require_info(startile_trsm_batch('R', 'L', 'N', 'N', 1, A, B), -7);
    require_info(startile_nrm2_batch(A, n), -1);
    require_info(startile_nrm2_batch(X, X), -2);
    require_info(startile_dot_batch(X, A, n), -2);
    require_info(startile_dot_batch(X, X, info), -3);
    require_info(startile_scal_batch(X, X), -1);
    require_info(startile_scal_batch(n, shared), -2);
    require_info(startile_axpy_batch(n, X, X), -3);
    startile_batch *all[] = {A, W, B, X, n, info, P, shared};
    for (int i = 0; i < 8; i++)
        startile_batch_destroy(all[i]);
}

/* -- the caller's handles --------------------------------------------------------------------- */

/* Tests chunks of different sizes in the caller's handles, with info in the caller's vectors. */
static void test_handles(void)
{
    enum { CHUNKS = 3, N = 6, STRIDE = 40 };
    static const int64_t counts[CHUNKS] = {1, 4, 2};
    starpu_data_handle_t matrix_handle[CHUNKS], info_handle[CHUNKS];
    struct array A[CHUNKS], before[CHUNKS];
    int64_t info[CHUNKS][4];
    startile_batch *b, *i;
    in_case("handles");
    random_seed(4);
    for (int q = 0; q < CHUNKS; q++) {
        A[q] = array_new(dtype, STRIDE, counts[q], 0);
        array_random(A[q]);
        for (int64_t j = 0; j < counts[q]; j++)
            for (int64_t d = 0; d < N; d++)
                set(A[q], d * (N + 1), j, 2 * N);
        before[q] = array_copy(A[q]);
        starpu_vector_data_register(&matrix_handle[q], STARPU_MAIN_RAM, (uintptr_t)A[q].a,
                                    (uint32_t)(STRIDE * counts[q]), element_size(dtype));
        starpu_vector_data_register(&info_handle[q], STARPU_MAIN_RAM, (uintptr_t)info[q],
                                    (uint32_t)counts[q], sizeof(int64_t));
    }
    /* handles of other data, and a stride shorter than a matrix */
    require_info(
        startile_batch_from_handles(&b, dtype, N, N, N, STRIDE, CHUNKS, info_handle, counts), -8);
    require_info(
        startile_batch_from_handles(&b, dtype, N, N, N, N * N - 1, CHUNKS, matrix_handle, counts),
        -6);
    require_info(
        startile_batch_from_handles(&b, dtype, N, N, N, STRIDE, CHUNKS, matrix_handle, counts), 0);
    require_info(startile_batch_integers_from_handles(&i, 1, 1, CHUNKS, info_handle, counts), 0);
    require_info(startile_getrf_nopiv_batch(b, i), 0);
    for (int q = 0; q < CHUNKS; q++) {
        starpu_data_unregister(matrix_handle[q]);
        starpu_data_unregister(info_handle[q]);
    }
    startile_batch_destroy(b);
    startile_batch_destroy(i);
    for (int q = 0; q < CHUNKS; q++) {
        for (int64_t j = 0; j < counts[q]; j++) {
            struct array F = array_part(A[q], 0, j, N, N), M = array_part(before[q], 0, j, N, N);
            F.ld = M.ld = N;
            require_info(info[q][j], 0);
            struct array L = lower_of(F), U = upper_of(F), R = array_new(dtype, N, N, 0);
            lapack(R)->gemm('N', 'N', 1, L, U, 0, R);
            check_near(R, M, 30.0 * N * N);
            struct array all[] = {L, U, R};
            for (int k = 0; k < 3; k++)
                array_free(all[k]);
        }
        arrays_free(A[q], before[q]);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_data", test_mixed_sizes, test_chunks, test_invalid_pivots,
                      test_owned, test_cancelled, test_gather, test_wrong_constructors,
                      test_wrong_operands, test_one_for_all, test_handles, test_read_integers,
                      test_read);
}
