/* Bunch–Kaufman factors of test matrices: the library's and LAPACK's. */
#ifndef TESTING_SYMMETRIC_FACTORS_H
#define TESTING_SYMMETRIC_FACTORS_H

#include "check.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <stdlib.h>

/* 'T': A = L D Lᵀ, for symmetric matrices; 'C': A = L D Lᴴ, for Hermitian ones */
static const char symmetries[] = {'T', 'C'}, uplos[] = {'L', 'U'};

/* A = L D op(L) or U D op(U) in the triangle uplo of F; ipiv as in LAPACK */
struct factors {
    char op, uplo;
    struct array F;
    int64_t *ipiv, info;
};

static inline struct factors factors_new(char op, char uplo, struct array A)
{
    struct factors f = {op, uplo, array_copy(A), calloc((size_t)A.n + 1, sizeof(int64_t)), -1};
    require(f.ipiv != NULL);
    return f;
}

static inline void factors_free(struct factors f)
{
    array_free(f.F);
    free(f.ipiv);
}

static inline char other_triangle(char uplo)
{
    return uplo == 'L' ? 'U' : 'L';
}

static inline int64_t factor(char op, char uplo, startile_matrix *A, startile_symmetric_pivots *P)
{
    return op == 'T' ? startile_sytrf(uplo, A, P) : startile_hetrf(uplo, A, P);
}

/* Returns the library's factors of A, in tiles of order nb. */
static inline struct factors factors_of(char op, char uplo, struct array A, enum way way,
                                        int64_t nb)
{
    struct factors f = factors_new(op, uplo, A);
    startile_symmetric_pivots *P = NULL;
    array_poison(f.F, other_triangle(uplo));
    struct test_matrix S = test_matrix_new(f.F, way, uplo, nb, nb);
    require_info(startile_symmetric_pivots_create(&P, S.A), 0);
    f.info = factor(op, uplo, S.A, P);
    require_info(startile_symmetric_pivots_to_lapack(P, f.ipiv), 0);
    startile_symmetric_pivots_destroy(P);
    test_matrix_finish(&S);
    require(is_poisoned(f.F, other_triangle(uplo)));
    return f;
}

static inline struct factors lapack_factors(char op, char uplo, struct array A)
{
    struct factors f = factors_new(op, uplo, A);
    f.info = lapack(A)->sytrf(op, uplo, f.F, f.ipiv);
    return f;
}

/* Returns whether the pivot of column k, from 0, is of order 2. */
static bool is_of_order_two(struct factors f, int64_t k)
{
    return f.ipiv[k] < 0;
}

static startile_complex adjoint(char op, startile_complex x)
{
    return op == 'C' ? conj(x) : x;
}

/* Returns D, in double precision. */
static struct array d_of(struct factors f)
{
    int64_t n = f.F.n;
    struct array D = array_new(STARTILE_Z, n, n, 0);
    array_fill(D, 0);
    for (int64_t k = 0; k < n; k++) {
        set(D, k, k, f.op == 'C' ? creal(get(f.F, k, k)) : get(f.F, k, k));
        if (!is_of_order_two(f, k) || k + 1 == n)
            continue;
        startile_complex x = f.uplo == 'L' ? get(f.F, k + 1, k) : adjoint(f.op, get(f.F, k, k + 1));
        set(D, k + 1, k, x);
        set(D, k, k + 1, adjoint(f.op, x));
        k++;
        set(D, k, k, f.op == 'C' ? creal(get(f.F, k, k)) : get(f.F, k, k));
    }
    return D;
}

static void interchange_rows(struct array M, int64_t i, int64_t j)
{
    for (int64_t c = 0; c < M.n && i != j; c++) {
        startile_complex x = get(M, i, c);
        set(M, i, c, get(M, j, c));
        set(M, j, c, x);
    }
}

/* M := P_k L_k M for the block of D whose columns are k and, with order 2, k + 1; or for uplo 'U',
 * M := P_k U_k M. */
static void multiply_by_block(struct factors f, int64_t k, int order, struct array M)
{
    bool is_lower = f.uplo == 'L';
    startile_complex *m = M.a;
    for (int64_t i = is_lower ? k + order : 0; i < (is_lower ? M.n : k); i++)
        for (int64_t j = k; j < k + order; j++) {
            startile_complex x = get(f.F, i, j);
            for (int64_t c = 0; c < M.n; c++)
                m[i + c * M.ld] += x * m[j + c * M.ld];
        }
    int64_t other = order == 2 ? -f.ipiv[k] - 1 : f.ipiv[k] - 1;
    interchange_rows(M, order == 2 && is_lower ? k + 1 : k, other);
}

/* Returns L = P_0 L_0 P_1 L_1 …, or U, in double precision. Requires ipiv to be one of its uplo. */
static struct array l_of(struct factors f)
{
    int64_t n = f.F.n;
    struct array M = array_new(STARTILE_Z, n, n, 0);
    array_fill(M, 0);
    for (int64_t i = 0; i < n; i++)
        set(M, i, i, 1);
    bool is_lower = f.uplo == 'L';
    int64_t left = n;
    while (left > 0) {
        int64_t k = is_lower ? left - 1 : n - left;
        int order = is_of_order_two(f, k) ? 2 : 1;
        int64_t first = is_lower ? k - order + 1 : k,
                swapped = order == 2 && is_lower ? first + 1 : first,
                other = (order == 2 ? -f.ipiv[k] : f.ipiv[k]) - 1;
        require(first >= 0 && first + order <= n);
        require(order == 1 || f.ipiv[first] == f.ipiv[first + 1]);
        require(is_lower ? other >= swapped && other < n : other >= 0 && other <= swapped);
        multiply_by_block(f, first, order, M);
        left -= order;
    }
    return M;
}

/* Returns the residual of LAPACK's tests xSYT01 and xHET01, ‖A − L D op(L)‖₁ / (n ‖A‖₁ eps). */
static inline double factors_residual(struct array A, struct factors f)
{
    struct array L = l_of(f), D = d_of(f), LD = product('N', 'N', L, D),
                 B = array_new(STARTILE_Z, A.n, A.n, 0);
    double norm = lapack(A)->lange('1', A);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(B, i, j, get(A, i, j));
    lapack(B)->gemm('N', f.op, -1, LD, L, 1, B);
    double rest = lapack(B)->lange('1', B);
    arrays_free(L, D, LD, B);
    return rest == 0 ? 0 : rest / ((double)A.n * norm * unit_roundoff(A.dtype));
}

static inline void require_same_pivots(struct factors a, struct factors b)
{
    for (int64_t j = 0; j < a.F.n; j++)
        require_info(a.ipiv[j], b.ipiv[j]);
}

typedef void size_check(int64_t n, int64_t nb, char op, char uplo, enum way way);

/* Calls check() for matrices of order n in tiles of nb, both symmetries, both triangles and all
 * ways to store them. */
static inline void for_sizes(size_check *check)
{
    static const int64_t tile_sizes[] = {1, 8, 32, 64};
    static int cases;
    for (int t = 0; t < 4; t++) {
        int64_t nb = tile_sizes[t];
        const int64_t sizes[] = {0, 1, 2, 3, 5, 10, 50, nb - 1, nb, nb + 1, 2 * nb + 3};
        for (int s = 0; s < 11; s++)
            for (int u = 0; u < 4; u++)
                for (int w = 0; w < WAYS; w++)
                    if ((nb > 1 || sizes[s] <= 10) && !is_left_out(cases++ + s + u))
                        check(sizes[s], nb, symmetries[u / 2], uplos[u % 2], (enum way)w);
    }
}

#endif
