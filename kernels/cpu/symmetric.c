/* Kernels on Bunch–Kaufman factors: D, its inverse, products, inertia and determinant, and the
 * triangle in the order of all interchanges (LAPACK xSYCONV). */
#include "symmetric.h"
#include "checksum.h"
#include "wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const startile_symmetric_kernels NAME(symmetric_kernels);

/* D: diagonal and elements d(k+1,k), both of n rows */
struct blocks {
    const element *diagonal, *below;
};

static struct blocks blocks_of(const void *d, int ldd)
{
    return (struct blocks){d, (const element *)d + ldd};
}

/* Returns d(k,k+1) for d(k+1,k). */
static element transposed(int hermitian, element x)
{
    return hermitian ? (element)conj(x) : x;
}

/* -- D ----------------------------------------------------------------------------------------- */

/* Returns element (i, i), or (i + 1, i) of the lower triangle or (i, i + 1) of the upper one if
 * `beside` is 1. */
static element element_of_d(char uplo, const startile_piece *tiles, int nb, int i, int beside)
{
    int row = uplo == 'L' ? i + beside : i, column = uplo == 'L' ? i : i + beside;
    const startile_piece *tile = &tiles[2 * (i / nb) + (i / nb != (i + beside) / nb)];
    return ((const element *)tile->p)[row % nb + (ptrdiff_t)(column % nb) * tile->ld];
}

static int diagonal(startile_exec *x, char uplo, int hermitian, const startile_piece *tiles, int nb,
                    int n, const int64_t *ipiv, void *d, int ldd, startile_tile_status *status)
{
    element *all = d, *below = all + ldd;
    bool is_second = false; /* of the rows of a pivot of order 2 */
    int64_t zero = 0;
    (void)x;
    for (int i = 0; i < n; i++) {
        all[i] = element_of_d(uplo, tiles, nb, i, 0);
        if (hermitian)
            all[i] = (element)creal(all[i]);
        bool is_first = ipiv[i] < 0 && !is_second && i + 1 < n;
        below[i] = is_first ? element_of_d(uplo, tiles, nb, i, 1) : 0;
        if (uplo == 'U')
            below[i] = transposed(hermitian, below[i]);
        is_second = is_first;
        if (ipiv[i] > 0 && all[i] == 0 && (uplo == 'U' || zero == 0))
            zero = i + 1;
    }
    if (status != NULL)
        status->info = zero;
    return 0;
}

/* B(k,:) := B(k,:) / D(k,k) */
static void solve_one(struct blocks d, int k, element *b, int ldb, int columns)
{
    for (int j = 0; j < columns; j++)
        b[(ptrdiff_t)j * ldb] /= d.diagonal[k];
}

/* Rows k and k + 1 of B, `first` and `second`, := D(k:k+1,k:k+1)⁻¹ times these rows, with the
 * scaled elements of LAPACK's xSYTRS and xHETRS */
static void solve_two(int hermitian, struct blocks d, int k, element *first, int ld_first,
                      element *second, int ld_second, int columns)
{
    element d10 = d.below[k], d01 = transposed(hermitian, d10), d00 = d.diagonal[k] / d01,
            d11 = d.diagonal[k + 1] / d10, determinant = d00 * d11 - 1;
    for (int j = 0; j < columns; j++) {
        element *b0 = first + (ptrdiff_t)j * ld_first, *b1 = second + (ptrdiff_t)j * ld_second;
        element x0 = *b0 / d01, x1 = *b1 / d10;
        *b0 = (d11 * x0 - x1) / determinant;
        *b1 = (d00 * x1 - x0) / determinant;
    }
}

static int solve(startile_exec *x, int hermitian, const void *d, int ldd, int pieces,
                 const startile_piece *b, int columns)
{
    struct blocks all = blocks_of(d, ldd);
    bool is_second = false;
    (void)x;
    for (int p = 0, k = 0; p < pieces; p++)
        for (int i = 0; i < b[p].m; i++, k++) {
            element *row = (element *)b[p].p + i;
            bool is_first = !is_second && all.below[k] != 0;
            const startile_piece *next = i + 1 < b[p].m ? &b[p] : &b[p + 1];
            if (is_first)
                solve_two(hermitian, all, k, row, b[p].ld,
                          (element *)next->p + (i + 1 < b[p].m ? i + 1 : 0), next->ld, columns);
            else if (!is_second)
                solve_one(all, k, row, b[p].ld, columns);
            is_second = is_first;
        }
    return 0;
}

static void inertia(int n, const void *d, int ldd, int64_t *count)
{
    struct blocks all = blocks_of(d, ldd);
    int64_t positive = 0, negative = 0;
    for (int k = 0; k < n; k++)
        if (all.below[k] != 0) { /* such a pivot has a negative determinant, unless it has a NaN */
            bool is_number = !isnan(
                (double)(ABS1(all.below[k]) + ABS1(all.diagonal[k]) + ABS1(all.diagonal[k + 1])));
            positive += is_number;
            negative += is_number;
            k++;
        } else {
            positive += creal(all.diagonal[k]) > 0;
            negative += creal(all.diagonal[k]) < 0;
        }
    count[0] = positive;
    count[1] = negative;
    count[2] = n - positive - negative;
}

/* Returns the determinant of rows k and k + 1 of D. */
static startile_wide determinant_of_two(int hermitian, struct blocks d, int k)
{
    double_element d10 = d.below[k], d01 = transposed(hermitian, d.below[k]),
                   ratio = d.diagonal[k] / d01 * (d.diagonal[k + 1] / d10) - 1;
    startile_wide w = startile_wide_product(startile_wide_of(creal(d10), cimag(d10), 0),
                                            startile_wide_of(creal(d01), cimag(d01), 0));
    if (hermitian)
        w.im = 0;
    return startile_wide_product(w,
                                 startile_wide_of(creal(ratio), hermitian ? 0 : cimag(ratio), 0));
}

static void determinant(int hermitian, int n, const void *d, int ldd, startile_scalar *sign,
                        double *logarithm)
{
    struct blocks all = blocks_of(d, ldd);
    startile_wide product = {1, 0, 0};
    for (int k = 0; k < n; k++)
        if (all.below[k] != 0) {
            product = startile_wide_product(product, determinant_of_two(hermitian, all, k));
            k++;
        } else
            product = startile_wide_product(
                product, startile_wide_of(creal(all.diagonal[k]), cimag(all.diagonal[k]), 0));
    startile_wide s = startile_wide_sign(product);
    *sign = (startile_scalar){s.re, s.im};
    *logarithm = startile_wide_logarithm(product);
}

/* -- checksums --------------------------------------------------------------------------------- */

/* Adds d times the row w of a checksum, and |d|² times its sum of squares. */
static void add_product(element d, const double w[SUMS], double sum[SUMS])
{
    const double re = creal(d), im = cimag(d);
    for (int q = 0; q < 2 * PARTS; q += PARTS) {
        sum[q] += re * w[q] - (PARTS == 2 ? im * w[q + 1] : 0);
        if (PARTS == 2)
            sum[q + 1] += re * w[q + 1] + im * w[q];
    }
    sum[SUMS - 1] += (re * re + im * im) * w[SUMS - 1];
}

static void load_row(const double *w, ptrdiff_t ldw, double row[SUMS])
{
    for (int q = 0; q < SUMS; q++)
        row[q] = w[q * ldw];
}

static void store_row(const double row[SUMS], double *w, ptrdiff_t ldw)
{
    for (int q = 0; q < SUMS; q++)
        w[q * ldw] = row[q];
}

static void checksum(int hermitian, const void *d, int ldd, int pieces, const startile_piece *w)
{
    struct blocks all = blocks_of(d, ldd);
    double above[SUMS] = {0}, *last = NULL; /* row k − 1 of W, as it was and as it is */
    ptrdiff_t ld_last = 0;
    for (int p = 0, k = 0; p < pieces; p++)
        for (int i = 0; i < w[p].m; i++, k++) {
            double *row = (double *)w[p].p + i, old[SUMS], sum[SUMS] = {0};
            load_row(row, w[p].ld, old);
            add_product(all.diagonal[k], old, sum);
            if (k > 0 && all.below[k - 1] != 0) {
                double sum_above[SUMS];
                load_row(last, ld_last, sum_above);
                add_product(transposed(hermitian, all.below[k - 1]), old, sum_above);
                store_row(sum_above, last, ld_last);
                add_product(all.below[k - 1], above, sum);
            }
            store_row(sum, row, w[p].ld);
            memcpy(above, old, sizeof old);
            last = row, ld_last = w[p].ld;
        }
}

/* -- the triangle --------------------------------------------------------------------------------
 */

static int64_t next_row(char uplo, int64_t k)
{
    return uplo == 'L' ? k + 1 : k - 1;
}

/* Returns the row after those of the pivot that begins in row k, in the order of the factorization.
 */
static int64_t after_pivot(char uplo, const int64_t *ipiv, int64_t k)
{
    int64_t next = next_row(uplo, k);
    return ipiv[k] > 0 ? next : next_row(uplo, next);
}

/* Interchanges the elements of x as the pivots from the one that begins in row k on do. */
static void interchange(char uplo, int64_t n, const int64_t *ipiv, int64_t k, element *x)
{
    for (; k >= 0 && k < n; k = after_pivot(uplo, ipiv, k)) {
        int64_t row = ipiv[k] > 0 ? k : next_row(uplo, k),
                other = (ipiv[k] > 0 ? ipiv[k] : -ipiv[k]) - 1;
        element held = x[row];
        x[row] = x[other];
        x[other] = held;
    }
}

/* Returns the address of element (i, column) of a block column; the first of its tiles is in tile
 * row `top`. */
static element *element_of(const startile_piece *t, int nb, int top, int64_t i, int64_t column)
{
    const startile_piece *tile = &t[i / nb - top];
    return (element *)tile->p + i % nb + column % nb * tile->ld;
}

/* Copies column c of A to that of T, for the rows of L's column or U's column without the diagonal,
 * with all interchanges from the pivot in row `next` on. is_first: column c and the one after it
 * belong to a pivot of order 2, whose element beside the diagonal is D's. */
static void convert_column(char uplo, const startile_piece *a, int nb, int top, int64_t c,
                           int64_t next, bool is_first, int64_t n, const int64_t *ipiv, element *x,
                           const startile_piece *t)
{
    int64_t begin = uplo == 'L' ? c + 1 : 0, end = uplo == 'L' ? n : c;
    for (int64_t i = begin; i < end; i++)
        x[i] = *element_of(a, nb, top, i, c);
    if (is_first)
        x[next_row(uplo, c)] = 0;
    interchange(uplo, n, ipiv, next, x);
    for (int64_t i = begin; i < end; i++)
        *element_of(t, nb, top, i, c) = x[i];
}

static int column(startile_exec *exec, char uplo, const startile_piece *a, int nb, int k, int n,
                  const int64_t *ipiv, const startile_piece *t)
{
    int64_t begin = (int64_t)k * nb, end = begin + nb < n ? begin + nb : n;
    element *x = malloc((size_t)n * sizeof *x);
    (void)exec;
    if (x == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int64_t first = uplo == 'L' ? 0 : n - 1, next; first >= 0 && first < n; first = next) {
        next = after_pivot(uplo, ipiv, first);
        for (int64_t c = first; c != next; c = next_row(uplo, c))
            if (c >= begin && c < end)
                convert_column(uplo, a, nb, uplo == 'L' ? k : 0, c, next, c == first && ipiv[c] < 0,
                               n, ipiv, x, t);
    }
    free(x);
    return 0;
}

const startile_symmetric_kernels NAME(symmetric_kernels) = {diagonal, column,      solve,
                                                            inertia,  determinant, checksum};
