/*
 * Cholesky factorization of several small matrices at a time, one per vector lane. All lanes
 * execute the same steps, so that all matrices share the latency of a pivot. An identity block
 * extends a smaller matrix to the largest order.
 *
 * Backward error: ‖A − L Lᴴ‖ ≤ c n eps ‖A‖ with a small constant c, for any order of the sums
 * (Higham 2002, theorem 10.3).
 */
#include "small.h"

enum { ORDER = STARTILE_SMALL_TOGETHER };

/* The lower triangles of all lanes' matrices, column-major with leading dimension max_order */
typedef numbers triangle[ORDER * ORDER];

/* Copies one matrix to a lane, for uplo 'U' its conjugate transpose, and extends it by the
 * identity.
 */
static void gather(char uplo, int max_order, int lane, struct small_matrix a, numbers *t)
{
    ptrdiff_t down = uplo == 'L' ? 1 : a.ld, right = uplo == 'L' ? a.ld : 1;
    for (int j = 0; j < max_order; j++)
        for (int i = j; i < max_order; i++)
            for (int c = 0; c < PARTS; c++) {
                const element *z = a.p + i * down + j * right;
                real identity = i == j && c == 0;
                t[i + j * max_order].part[c][lane] = i >= a.n      ? identity
                                                     : uplo == 'L' ? ((const real *)z)[c]
                                                                   : conjugate_part(z, c);
            }
}

/* Copies the factor in a lane to the lane's matrix. */
static void scatter(char uplo, int max_order, int lane, struct small_matrix a, const numbers *t)
{
    ptrdiff_t down = uplo == 'L' ? 1 : a.ld, right = uplo == 'L' ? a.ld : 1;
    for (int j = 0; j < a.n; j++)
        for (int i = j; i < a.n; i++)
            for (int c = 0; c < PARTS; c++) {
                real x = t[i + j * max_order].part[c][lane];
                ((real *)(a.p + i * down + j * right))[c] = c == 1 && uplo == 'U' ? -x : x;
            }
}

/* Returns a_ij − Σ_{k<j} l_ik conj(l_jk). */
static inline numbers schur_element(int max_order, int i, int j, const numbers *t)
{
    numbers sum = t[i + j * max_order];
    for (int k = 0; k < j; k++)
        subtract_conjugate_product(&sum, &t[i + k * max_order], &t[j + k * max_order]);
    return sum;
}

/* Computes column j of the factors from the columns before it. Returns l_jj² of each lane, which is
 * not positive if the minor of order j + 1 is not. */
static lanes compute_column(int max_order, int j, numbers *t)
{
    lanes square = schur_element(max_order, j, j, t).part[0], root = square;
    for (int l = 0; l < LANES; l++)
        root[l] = (real)sqrt(root[l]);
    t[j + j * max_order] = (numbers){{root}};
    lanes inverse = 1 / root;
    for (int i = j + 1; i < max_order; i++) {
        numbers sum = schur_element(max_order, i, j, t);
        for (int c = 0; c < PARTS; c++)
            t[i + j * max_order].part[c] = sum.part[c] * inverse;
    }
    return square;
}

void SMALL(potrf_together)(char uplo, int max_order, int count, const struct small_matrix *a)
{
    triangle t;
    const struct small_matrix empty = {.n = 0};
    for (int l = 0; l < LANES; l++)
        gather(uplo, max_order, l, l < count ? a[l] : empty, t);
    for (int l = 0; l < count; l++)
        *a[l].info = 0;
    for (int j = 0; j < max_order; j++) {
        lanes square = compute_column(max_order, j, t);
        for (int l = 0; l < count; l++)
            if (!(square[l] > 0) && *a[l].info == 0)
                *a[l].info = j + 1;
    }
    for (int l = 0; l < count; l++)
        scatter(uplo, max_order, l, a[l], t);
}
