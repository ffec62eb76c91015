#include "mixed.h"

#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"
#include "startile_mixed.h"

#include <complex.h>
#include <math.h>

void solved_free(struct solved s)
{
    arrays_free(s.A, s.X);
}

struct solved solve(char uplo, struct array A, struct array B,
                    const startile_mixed_options *options, enum way way, struct tiling t,
                    int64_t width)
{
    struct solved s = {.A = array_copy(A),
                       .X = array_new(dtype, B.m, B.n, 2),
                       .result = {.size = sizeof s.result}};
    struct array C = array_copy(B);
    int64_t mb = uplo == 'G' ? t.mb : t.nb;
    if (uplo != 'G')
        array_poison(s.A, uplo == 'L' ? 'U' : 'L');
    struct array before = array_copy(s.A);
    struct test_matrix S = test_matrix_new(s.A, way, uplo, mb, t.nb),
                       Y = test_matrix_new(C, way, 'G', t.nb, width),
                       X = test_matrix_new(s.X, way == FROM_HANDLES ? CREATED : way, 'G', t.nb,
                                           width);
    if (uplo == 'G') {
        startile_pivots *P = pivots_created(S.A);
        s.info = startile_gesv_mixed(S.A, P, Y.A, X.A, options, &s.result);
        startile_pivots_destroy(P);
    } else {
        s.info = startile_posv_mixed(uplo, S.A, Y.A, X.A, options, &s.result);
    }
    test_matrices_finish(&S, &Y, &X);
    require(is_same(B, C));
    if (s.info == 0 && s.result.iterations >= 0)
        require(is_same(s.A, before));
    arrays_free(C, before);
    return s;
}

double backward_error(struct array A, struct array X, struct array B)
{
    double largest = 0, norm = 0;
    for (int64_t i = 0; i < A.n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < A.n; j++)
            sum += cabs(get(A, i, j));
        norm = fmax(norm, sum);
    }
    for (int64_t c = 0; c < B.n; c++) {
        double r_norm = 0, x_norm = 0;
        for (int64_t i = 0; i < A.n; i++) {
            startile_complex r = get(B, i, c);
            for (int64_t j = 0; j < A.n; j++)
                r -= get(A, i, j) * get(X, j, c);
            r_norm = fmax(r_norm, cabs(r));
            x_norm = fmax(x_norm, cabs(get(X, i, c)));
        }
        double error = r_norm == 0 ? 0 : r_norm / norm / x_norm;
        largest = error > largest || isnan(error) ? error : largest;
    }
    return largest / unit_roundoff(A.dtype);
}

double lapack_error(char uplo, struct array A, struct array B)
{
    struct array X = array_copy(B), F = array_copy(A);
    if (uplo == 'G') {
        struct lu g = lapack_lu(A);
        lapack(A)->getrs('N', g.F, g.ipiv, X);
        lu_free(g);
    } else {
        lapack(A)->potrf(uplo, F);
        lapack(A)->potrs(uplo, F, X);
    }
    double error = backward_error(A, X, B);
    arrays_free(X, F);
    return error;
}

struct array new_matrix(char uplo, int64_t n)
{
    return uplo == 'G' ? generate_general(&random_general, dtype, n, n, 1)
                       : generate(&well_conditioned, dtype, n, 1);
}

struct array one_small_singular_value(char uplo, int64_t n, double smallest)
{
    struct array A = array_new(dtype, n, n, 1), u = array_new_random(dtype, n, 2, 0);
    double norm[2] = {0, 0};
    for (int64_t i = 0; i < 2 * n; i++)
        norm[i / n] += creal(get(u, i % n, i / n) * conj(get(u, i % n, i / n)));
    int right = uplo == 'G';
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) { /* column j of H D G, as the sum over k */
            startile_complex sum = 0;
            for (int64_t k = 0; k < n; k++) {
                startile_complex h = -2 * get(u, i, 0) * conj(get(u, k, 0)) / norm[0],
                                 g = -2 * get(u, k, right) * conj(get(u, j, right)) / norm[right];
                sum += (h + (i == k)) * (k == n - 1 ? smallest : 1) * (g + (k == j));
            }
            set(A, i, j, sum);
        }
    arrays_free(u);
    return A;
}

void make_three_columns_equal(struct array A)
{
    for (int64_t c = 0; c < 3; c++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, 3 + 7 * c, get(A, i, c) * (1 + 1e-10 * random_real()));
}
