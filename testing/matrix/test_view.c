/* Tests of views of submatrices: block algorithms on views against the routines on the whole
 * matrix. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

enum { NB = 8 };

static startile_matrix *view(startile_matrix *A, int64_t row, int64_t column, int64_t m, int64_t n)
{
    startile_matrix *V = NULL;
    require_info(startile_matrix_view(&V, A, row, column, m, n), 0);
    startile_shape a = startile_matrix_shape(A), v = startile_matrix_shape(V);
    require(v.m == m && v.n == n && v.mb == a.mb && v.nb == a.nb && v.dtype == a.dtype);
    require(startile_matrix_grid(V) == NULL);
    for (int64_t j = 0; j < v.nt; j++)
        for (int64_t i = 0; i < v.mt; i++)
            require(startile_matrix_handle(V, i, j) ==
                    startile_matrix_handle(A, row / a.mb + i, column / a.nb + j));
    return V;
}

/* Submits the Cholesky factorization of A by blocks A11, A21, A22 that begin at `split`. The views
 * are destroyed before the tasks have run. */
static void submit_potrf_by_blocks(startile_matrix *A, int64_t split, startile_request *r)
{
    int64_t n = startile_matrix_shape(A).n;
    startile_matrix *A11 = view(A, 0, 0, split, split), *A21 = view(A, split, 0, n - split, split),
                    *A22 = view(A, split, split, n - split, n - split);
    require_info(startile_potrf_async('L', A11, r), 0);
    require_info(startile_trsm_async('R', 'L', 'C', 'N', 1, A11, A21, r), 0);
    require_info(startile_herk_async('L', 'N', -1, A21, 1, A22, r), 0);
    require_info(startile_potrf_async('L', A22, r), 0);
    matrices_destroy(A11, A21, A22);
}

static void test_cholesky_by_blocks(void)
{
    static const int64_t sizes[] = {1, NB, NB + 1, 3 * NB, 5 * NB + 3, 100};
    for (int s = 0; s < 6; s++)
        for (int w = 0; w < WAYS; w++)
            for (int64_t split = 0; split <= sizes[s]; split += 2 * NB) {
                int64_t n = sizes[s];
                in_case("Cholesky, n %d, split at %d, %s", (int)n, (int)split, way_names[w]);
                random_seed((uint64_t)n);
                struct array A = array_new_random(dtype, n, n, 1);
                for (int64_t i = 0; i < n; i++)
                    set(A, i, i, (double)n + 1);
                struct array full = full_hermitian('L', A);
                array_poison(A, 'U');
                struct test_matrix S = test_matrix_new(A, (enum way)w, 'L', NB, NB);
                startile_request *r = request_created();
                submit_potrf_by_blocks(S.A, split, r);
                require_info(startile_request_wait(r), 0);
                startile_request_destroy(r);
                test_matrix_finish(&S);
                check_factor('L', full, A, n);
                require(is_poisoned(A, 'U'));
                arrays_free(A, full);
            }
    check_report("Cholesky by blocks");
}

/* Factors the left block columns of A by LU, and applies the factors to the right ones; A is in
 * tiles of all rows. */
static void test_lu_of_block_columns(void)
{
    for (int w = 0; w < WAYS; w++) {
        enum { M = 50, N = 43, LEFT = 3 * NB };
        in_case("LU of block columns, %s", way_names[w]);
        random_seed(77);
        struct array A = array_new_random(dtype, M, N, 0), A0 = array_copy(A);
        struct test_matrix S = test_matrix_new(A, (enum way)w, 'G', M, NB);
        startile_matrix *left = view(S.A, 0, 0, M, LEFT), *right = view(S.A, 0, LEFT, M, N - LEFT);
        double norm = -1;
        startile_pivots *P = pivots_created(left);
        require_info(startile_getrf(left, P), 0);
        require_info(startile_lange('F', right, &norm), 0);
        struct lu f = {array_new(dtype, M, LEFT, 0), pivots_new(LEFT), 0};
        require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
        startile_pivots_destroy(P);
        if (w == WRAPPED)
            require_info(startile_matrix_gather(left), 0);
        matrices_destroy(left, right);
        test_matrix_finish(&S);
        struct array B = array_new(dtype, M, LEFT, 0), C = array_new(dtype, M, N - LEFT, 0);
        array_assign(array_part(A, 0, 0, M, LEFT), f.F);
        array_assign(array_part(A0, 0, 0, M, LEFT), B);
        array_assign(array_part(A0, 0, LEFT, M, N - LEFT), C);
        check_lu(B, f, 2);
        require_below(fabs(norm - lapack(C)->lange('F', C)), 30 * unit_roundoff(dtype) * norm);
        for (int64_t j = LEFT; j < N; j++)
            for (int64_t i = 0; i < M; i++)
                require(get(A, i, j) == get(A0, i, j));
        lu_free(f);
        arrays_free(A, A0, B, C);
    }
}

/* Tests a view of a view, its product, and that tiles outside the views do not change. */
static void test_product_of_views(void)
{
    for (int w = 0; w < WAYS; w++) {
        enum { N = 5 * NB + 4 };
        in_case("a view of a view, %s", way_names[w]);
        random_seed(78);
        struct array A = array_new_random(dtype, N, N, 2), D = array_copy(A);
        struct test_matrix S = test_matrix_new(A, (enum way)w, 'G', NB, NB);
        startile_matrix *V = view(S.A, NB, 0, N - NB, 3 * NB), *X = view(V, NB, NB, NB, 2 * NB),
                        *Y = view(S.A, 3 * NB, 4 * NB, 2 * NB, NB + 4),
                        *Z = view(S.A, 0, 4 * NB, NB, NB + 4);
        require_info(startile_gemm('N', 'N', 2, X, Y, 1, Z), 0);
        matrices_destroy(V, X, Y, Z);
        test_matrix_finish(&S);
        for (int64_t j = 0; j < NB + 4; j++)
            for (int64_t i = 0; i < NB; i++) {
                startile_complex sum = get(D, i, 4 * NB + j);
                for (int64_t k = 0; k < 2 * NB; k++)
                    sum += 2 * get(D, 2 * NB + i, NB + k) * get(D, 3 * NB + k, 4 * NB + j);
                require_below(cabs(sum - get(A, i, 4 * NB + j)), 400 * unit_roundoff(dtype));
                set(A, i, 4 * NB + j, get(D, i, 4 * NB + j));
            }
        require(is_same(A, D));
        arrays_free(A, D);
    }
}

static void test_shapes(void)
{
    startile_matrix *A, *none = (startile_matrix *)1, *V = none;
    in_case("wrong arguments");
    A = matrix_created(dtype, 20, 30, 8, 12);
    require_info(startile_matrix_view(NULL, A, 0, 0, 8, 12), -1);
    require_info(startile_matrix_view(&V, NULL, 0, 0, 8, 12), -2);
    const int64_t wrong[][5] = {
        {-8, 0, 8, 12, -3},       {4, 0, 8, 12, -3},         {24, 0, 0, 12, -3},
        {21, 0, 0, 0, -3},        {0, -12, 8, 12, -4},       {0, 6, 8, 12, -4},
        {0, 36, 8, 0, -4},        {0, 0, -1, 12, -5},        {0, 0, 4, 12, -5},
        {0, 0, 24, 12, -5},       {16, 0, 8, 12, -5},        {0, 0, INT64_MAX, 12, -5},
        {0, 0, 8, -1, -6},        {0, 0, 8, 13, -6},         {0, 24, 8, 12, -6},
        {0, 0, 8, INT64_MAX, -6}, {INT64_MIN, 0, 8, 12, -3}, {0, INT64_MAX, 8, 12, -4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        require_info(
            startile_matrix_view(&V, A, wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3]),
            wrong[i][4]);
    require(V == none);
    in_case("right arguments");
    const int64_t right[][4] = {{0, 0, 20, 30}, {16, 24, 4, 6}, {8, 12, 12, 18}, {0, 0, 0, 0},
                                {20, 30, 0, 0}, {20, 0, 0, 12}, {8, 12, 8, 12},  {16, 0, 4, 30}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        startile_matrix_destroy(view(A, right[i][0], right[i][1], right[i][2], right[i][3]));
    startile_matrix_destroy(A);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "view", test_cholesky_by_blocks, test_lu_of_block_columns,
                      test_product_of_views, test_shapes);
}
