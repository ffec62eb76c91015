/*
 * Cholesky factorization of several small matrices at a time, one per vector lane. All lanes
 * execute the same steps, so that the latency of a pivot is shared by all matrices. A smaller
 * matrix is extended by an identity block to the largest order.
 *
 * Backward error: ‖A − L Lᴴ‖ ≤ c n eps ‖A‖, which holds for any order of the sums (Higham 2002,
 * theorem 10.3).
 */
#include "small.h"

enum { ORDER = STARTILE_SMALL_TOGETHER };

/* The lower triangles of all lanes, in columns of `most` rows. */
typedef numbers triangle[ORDER * ORDER];

static void gather(char uplo, int most, int lane, struct small_matrix a, numbers *t)
{
    ptrdiff_t down = uplo == 'L' ? 1 : a.ld, right = uplo == 'L' ? a.ld : 1;
    for (int j = 0; j < most; j++)
        for (int i = j; i < most; i++)
            for (int c = 0; c < PARTS; c++) {
                const element *z = a.p + i * down + j * right;
                real border = i == j && c == 0;
                t[i + j * most].part[c][lane] = i >= a.n      ? border
                                                : uplo == 'L' ? ((const real *)z)[c]
                                                              : conjugate_part(z, c);
            }
}

static void scatter(char uplo, int most, int lane, struct small_matrix a, const numbers *t)
{
    ptrdiff_t down = uplo == 'L' ? 1 : a.ld, right = uplo == 'L' ? a.ld : 1;
    for (int j = 0; j < a.n; j++)
        for (int i = j; i < a.n; i++)
            for (int c = 0; c < PARTS; c++) {
                real x = t[i + j * most].part[c][lane];
                ((real *)(a.p + i * down + j * right))[c] = c == 1 && uplo == 'U' ? -x : x;
            }
}

/* Returns a_ij − Σ_{k<j} l_ik conj(l_jk). */
static inline numbers remainder_of(int most, int i, int j, const numbers *t)
{
    numbers sum = t[i + j * most];
    for (int k = 0; k < j; k++)
        subtract_conjugate_product(&sum, &t[i + k * most], &t[j + k * most]);
    return sum;
}

/* Computes column j of the factors from the columns before. Returns the squares of the diagonal
 * elements l_jj. */
static lanes column(int most, int j, numbers *t)
{
    lanes square = remainder_of(most, j, j, t).part[0], root = square;
    for (int l = 0; l < LANES; l++)
        root[l] = (real)sqrt(root[l]);
    t[j + j * most] = (numbers){{root}};
    lanes inverse = 1 / root;
    for (int i = j + 1; i < most; i++) {
        numbers sum = remainder_of(most, i, j, t);
        for (int c = 0; c < PARTS; c++)
            t[i + j * most].part[c] = sum.part[c] * inverse;
    }
    return square;
}

void SMALL(potrf_together)(char uplo, int most, int count, const struct small_matrix *a)
{
    triangle t;
    const struct small_matrix none = {NULL, 0, 0, NULL};
    for (int l = 0; l < LANES; l++)
        gather(uplo, most, l, l < count ? a[l] : none, t);
    for (int l = 0; l < count; l++)
        *a[l].info = 0;
    for (int j = 0; j < most; j++) {
        lanes square = column(most, j, t);
        for (int l = 0; l < count; l++)
            if (!(square[l] > 0) && *a[l].info == 0)
                *a[l].info = j + 1;
    }
    for (int l = 0; l < count; l++)
        scatter(uplo, most, l, a[l], t);
}
