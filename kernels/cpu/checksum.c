/* Weighted sums of the columns or rows of a tile (option `verify`). */
#include "checksum.h"

/* Number of columns of A that are read together, so that their partial sums fit the registers */
#ifdef STARTILE_COMPLEX
enum { GROUP = 2 };
#else
enum { GROUP = 4 };
#endif

/* A vector of doubles, and as many numbers of the type */
enum { LANES = 2 };
typedef double lanes
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef real few
    __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real)), may_alias));

/* Adds the products of a, or of conj(a) with sign = −1, and the weights w, w[ldw] … to sum. */
static inline void add_products(element a, double sign, const double *w, ptrdiff_t ldw,
                                double sum[SUMS])
{
    const double re = creal(a);
#ifdef STARTILE_COMPLEX
    const double im = sign * cimag(a);
    sum[0] += re * w[0] - im * w[ldw];
    sum[1] += re * w[ldw] + im * w[0];
    sum[2] += re * w[2 * ldw] - im * w[3 * ldw];
    sum[3] += re * w[3 * ldw] + im * w[2 * ldw];
    sum[4] += (re * re + im * im) * w[4 * ldw];
#else
    (void)sign;
    sum[0] += re * w[0];
    sum[1] += re * w[ldw];
    sum[2] += re * re * w[2 * ldw];
#endif
}

/* re, im := the parts of LANES elements, the imaginary ones times `sign`. */
static inline __attribute__((always_inline)) void load(const element *a, double sign, lanes *re,
                                                       lanes *im)
{
    const real *p = (const real *)a;
#ifdef STARTILE_COMPLEX
    const lanes first = __builtin_convertvector(*(const few *)p, lanes),
                second = __builtin_convertvector(*(const few *)(p + LANES), lanes);
    *re = (lanes){first[0], second[0]};
    *im = sign * (lanes){first[1], second[1]};
#else
    (void)sign;
    *re = __builtin_convertvector(*(const few *)p, lanes);
    *im = (lanes){0};
#endif
}

/* y[0] … += the products of the elements re + i im and the weights w[0] … */
static inline __attribute__((always_inline)) void multiply_add(lanes re, lanes im,
                                                               const lanes w[SUMS], lanes y[SUMS])
{
#ifdef STARTILE_COMPLEX
    for (int q = 0; q < 4; q += 2) {
        y[q] += re * w[q] - im * w[q + 1];
        y[q + 1] += re * w[q + 1] + im * w[q];
    }
    y[4] += (re * re + im * im) * w[4];
#else
    (void)im;
    y[0] += re * w[0];
    y[1] += re * w[1];
    y[2] += re * re * w[2];
#endif
}

/* Adds the products of rows first … end − 1 of `columns` ≤ GROUP columns to sum[0] … */
static inline __attribute__((always_inline)) void add_columns(int columns, int first, int end,
                                                              double sign, const element *a,
                                                              ptrdiff_t lda, const double *w,
                                                              ptrdiff_t ldw, double sum[][SUMS])
{
    lanes part[GROUP][SUMS] = {0};
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        lanes row[SUMS], re, im;
        for (int q = 0; q < SUMS; q++)
            row[q] = *(const lanes *)(w + i + q * ldw);
        for (int c = 0; c < columns; c++) {
            load(a + i + c * lda, sign, &re, &im);
            multiply_add(re, im, row, part[c]);
        }
    }
    for (int c = 0; c < columns; c++) {
        for (int q = 0; q < SUMS; q++)
            sum[c][q] += part[c][q][0] + part[c][q][1];
        for (int k = i; k < end; k++)
            add_products(a[k + c * lda], sign, w + k, ldw, sum[c]);
    }
}

/* y += alpha sum, where the last element is multiplied by |alpha|². */
static void add_scaled(startile_scalar alpha, const double sum[SUMS], double *y, ptrdiff_t ldy)
{
    for (int q = 0; q < 2 * PARTS; q += PARTS) {
        const double re = sum[q], im = PARTS == 2 ? sum[q + 1] : 0;
        y[q * ldy] += alpha.re * re - alpha.im * im;
        if (PARTS == 2)
            y[(q + 1) * ldy] += alpha.re * im + alpha.im * re;
    }
    y[(SUMS - 1) * ldy] += (alpha.re * alpha.re + alpha.im * alpha.im) * sum[SUMS - 1];
}

/* For rows i = first … end − 1 of `columns` ≤ GROUP columns of A: y_i += Σ_c a_ic w_c in the
 * weighted sums, y_i += Σ_c |a_ic|² w_c in the last one. With sign −1 conj(A) takes the place of A.
 */
static inline __attribute__((always_inline)) void add_rows(int columns, int first, int end,
                                                           double sign, const element *a,
                                                           ptrdiff_t lda, const double w[][SUMS],
                                                           double *y, ptrdiff_t ldy)
{
    lanes factor[GROUP][SUMS] = {0};
    for (int c = 0; c < columns; c++)
        for (int q = 0; q < SUMS; q++)
            factor[c][q] = w[c][q] + (lanes){0};
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        lanes row[SUMS], re, im;
        for (int q = 0; q < SUMS; q++)
            row[q] = *(const lanes *)(y + i + q * ldy);
        for (int c = 0; c < columns; c++) {
            load(a + i + c * lda, sign, &re, &im);
            multiply_add(re, im, factor[c], row);
        }
        for (int q = 0; q < SUMS; q++)
            *(lanes *)(y + i + q * ldy) = row[q];
    }
    for (; i < end; i++)
        for (int c = 0; c < columns; c++) {
            double sum[SUMS] = {0};
            add_products(a[i + c * lda], sign, w[c], 1, sum);
            for (int q = 0; q < SUMS; q++)
                y[i + q * ldy] += sum[q];
        }
}

/* Returns the diagonal element of a triangle, see checksum in kernel_list.h. */
static element diagonal_element(char diag, element a)
{
    return diag == 'N' ? a : diag == 'R' ? (element)creal(a) : diag == 'U' ? 1 : 0;
}

/* Arguments of checksum */
struct sums_of {
    bool by_columns;
    char uplo, diag;
    int m;
    double sign; /* of the imaginary parts */
    startile_scalar alpha;
    const double *w;
    ptrdiff_t lda, ldw, lds;
    double *sums;
};

/* Adds the products of rows first … end − 1 of column j, and of its diagonal element d. */
static void add_edge(const struct sums_of *s, const element *column, int j, int first, int end,
                     element d, double factor[SUMS], double sum[SUMS])
{
    const double(*w)[SUMS] = (const double(*)[SUMS])factor;
    for (int i = first; i <= end; i++) {
        const element a = i < end ? column[i] : d;
        const int row = i < end ? i : j;
        if (a != 0 && s->by_columns)
            add_products(a, s->sign, s->w + row, s->ldw, sum);
        else if (a != 0)
            add_rows(1, 0, 1, s->sign, &a, 0, w, s->sums + row, s->lds);
    }
}

/* Adds the products of columns j … j + columns − 1. Rows in which all of them have elements off the
 * diagonal are read together. */
static inline __attribute__((always_inline)) void add_group(const struct sums_of *s, int columns,
                                                            const element *a, int j)
{
    const int last = j + columns < s->m ? j + columns : s->m, top = j < s->m ? j : s->m;
    const int first = s->uplo == 'L' ? last : 0, end = s->uplo == 'U' ? top : s->m;
    double sum[GROUP][SUMS] = {0}, factor[GROUP][SUMS] = {0};
    if (!s->by_columns)
        for (int c = 0; c < columns; c++) {
            double row[SUMS];
            for (int q = 0; q < SUMS; q++)
                row[q] = s->w[j + c + q * s->ldw];
            add_scaled(s->alpha, row, factor[c], 1);
        }
    if (s->by_columns)
        add_columns(columns, first, end, s->sign, a, s->lda, s->w, s->ldw, sum);
    else
        add_rows(columns, first, end, s->sign, a, s->lda, (const double(*)[SUMS])factor, s->sums,
                 s->lds);
    for (int c = 0; c < columns; c++) {
        const element *column = a + c * s->lda;
        const int k = j + c;
        const bool has_diagonal = s->uplo != 'G' && k < s->m;
        const element d = has_diagonal ? diagonal_element(s->diag, column[k]) : 0;
        if (s->uplo != 'G')
            add_edge(s, column, k, s->uplo == 'L' ? (k + 1 < last ? k + 1 : last) : top,
                     s->uplo == 'L' ? last : (k < s->m ? k : s->m), d, factor[c], sum[c]);
        if (s->by_columns)
            add_scaled(s->alpha, sum[c], s->sums + k, s->lds);
    }
}

int NAME(checksum)(startile_exec *x, char op, char uplo, char diag, int m, int n,
                   startile_scalar alpha, const void *a, int lda, const double *w, int ldw,
                   double *sums, int lds)
{
    const bool by_columns = op == 'T' || op == 'C';
    (void)x;
    const struct sums_of s = {.by_columns = by_columns,
                              .uplo = uplo,
                              .diag = diag,
                              .m = m,
                              .sign = op == 'C' || op == 'J' ? -1 : 1,
                              .alpha = alpha,
                              .w = w,
                              .lda = lda,
                              .ldw = ldw,
                              .lds = lds,
                              .sums = sums};
    const element *columns = a;
    int j = 0;
    for (; j + GROUP <= n; j += GROUP)
        add_group(&s, GROUP, columns + j * s.lda, j);
    for (; j < n; j++)
        add_group(&s, 1, columns + j * s.lda, j);
    return 0;
}
