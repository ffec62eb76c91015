/*
 * Cholesky factorization of one small matrix in a column-major copy with separate real and
 * imaginary parts. The algorithm is left-looking by blocks of COLUMNS columns: HEIGHT rows of a
 * block stay in registers while the products of all earlier columns are subtracted. An identity
 * block extends the copy to a multiple of COLUMNS.
 *
 * Backward error: ‖A − L Lᴴ‖ ≤ c n eps ‖A‖ with a small constant c, for any order of the sums
 * (Higham 2002, theorem 10.3).
 */
#include "small.h"

/* COLUMNS: columns of a block; ROWS: vectors per column that are in registers at a time. Both are
 * limited by the number of registers. */
#ifdef STARTILE_AVX512
enum { COLUMNS = 8, ROWS = PARTS == 1 ? 3 : 1 };
#else
enum { COLUMNS = 4, ROWS = PARTS == 1 || LANES < COLUMNS ? 2 : 1 };
#endif

enum { ORDER = STARTILE_SMALL_ORDER, HEIGHT = ROWS * LANES };

/* The copy of a matrix, of order n after the extension. Column j of a part (0: real, 1: imaginary)
 * begins at x[part] + j ld. The HEIGHT rows below the matrix are workspace. */
struct copy {
    real x[PARTS][ORDER * (ORDER + HEIGHT)];
    int n, ld;
};

/* Real or imaginary part of one column of a block's diagonal triangle */
typedef real column
    __attribute__((vector_size(COLUMNS * sizeof(real)), aligned(sizeof(real)), may_alias));

/* Sets the elements above the diagonal and below the matrix that load_rows() reads to zero, and the
 * extension to the identity. Loops of constant length are faster than memset. */
static void set_border(int n, struct copy *t)
{
    const column zero = {0};
    const int order = t->n;
    const ptrdiff_t ld = t->ld; /* a local copy, because the stores below may alias t->ld, and the
                                   compiler would reload it after each */
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        for (int j = 0; j < order; j++) {
            real *x = t->x[c] + j * ld;
            *(column *)(x + j / COLUMNS * COLUMNS) = *(column *)(x + order - COLUMNS) = zero;
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++)
                *(lanes *)(x + order + r * LANES) = (lanes){0};
            if (j >= n)
                x[j] = c == 0;
        }
}

static void read_lower(struct small_matrix a, struct copy *t)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        for (int j = 0; j < a.n; j++) {
            const real *z = (const real *)(a.p + (ptrdiff_t)j * a.ld) + c;
            real *restrict x = t->x[c] + (ptrdiff_t)j * t->ld;
            for (int i = j; i < a.n; i++)
                x[i] = z[i * PARTS];
        }
}

static void write_lower(const struct copy *t, struct small_matrix a)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        for (int j = 0; j < a.n; j++) {
            real *restrict z = (real *)(a.p + (ptrdiff_t)j * a.ld) + c;
            const real *x = t->x[c] + (ptrdiff_t)j * t->ld;
            for (int i = j; i < a.n; i++)
                z[i * PARTS] = x[i];
        }
}

/* Copies the conjugate transpose of A's upper triangle to the lower triangle of the copy. */
static void read_upper(struct small_matrix a, struct copy *t)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        for (int i = 0; i < a.n; i++)
            for (int j = 0; j <= i; j++)
                t->x[c][i + (ptrdiff_t)j * t->ld] =
                    conjugate_part(a.p + j + (ptrdiff_t)i * a.ld, c);
}

static void write_upper(const struct copy *t, struct small_matrix a)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        for (int i = 0; i < a.n; i++)
            for (int j = 0; j <= i; j++) {
                real x = t->x[c][i + (ptrdiff_t)j * t->ld];
                ((real *)(a.p + j + (ptrdiff_t)i * a.ld))[c] = c == 0 ? x : -x;
            }
}

/* HEIGHT consecutive rows of a block of columns, in registers */
struct rows {
    numbers of[COLUMNS][ROWS];
};

/* x := rows i … i + HEIGHT − 1 of column j. */
static inline void load_rows(const struct copy *t, int i, int j, numbers *x)
{
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            x[r].part[c] = *(const lanes *)(t->x[c] + i + r * LANES + (ptrdiff_t)j * t->ld);
}

/* Rows i … i + HEIGHT − 1 of columns j … j + COLUMNS − 1 := block. */
static inline void store_block(const struct rows *block, int i, int j, struct copy *t)
{
#pragma GCC unroll 8
    for (int b = 0; b < COLUMNS; b++)
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int c = 0; c < PARTS; c++)
                *(lanes *)(t->x[c] + i + r * LANES + (ptrdiff_t)(j + b) * t->ld) =
                    block->of[b][r].part[c];
}

/* Sets all lanes of y to element (i, j). */
static inline void broadcast(const struct copy *t, int i, int j, numbers *y)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        y->part[c] = t->x[c][i + (ptrdiff_t)j * t->ld] - (lanes){0};
}

/* block := A(i:i+HEIGHT, j:j+COLUMNS) − L(i:i+HEIGHT, 0:j) L(j:j+COLUMNS, 0:j)ᴴ */
static inline void subtract_before(const struct copy *t, int i, int j, struct rows *block)
{
#pragma GCC unroll 8
    for (int b = 0; b < COLUMNS; b++)
        load_rows(t, i, j + b, block->of[b]);
    for (int k = 0; k < j; k++) {
        numbers x[ROWS], y;
        load_rows(t, i, k, x);
#pragma GCC unroll 8
        for (int b = 0; b < COLUMNS; b++) {
            broadcast(t, j + b, k, &y);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++)
                subtract_conjugate_product(&block->of[b][r], &x[r], &y);
        }
    }
}

/* A block's diagonal triangle: x has its columns; `diagonal` has the diagonal elements of its
 * factor, and `inverse` their reciprocals. */
struct triangle {
    column x[PARTS][COLUMNS];
    real diagonal[COLUMNS], inverse[COLUMNS];
};

/* block := block l⁻ᴴ */
static inline void solve(const struct triangle *l, struct rows *block)
{
#pragma GCC unroll 8
    for (int b = 0; b < COLUMNS; b++) {
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int c = 0; c < PARTS; c++)
                block->of[b][r].part[c] *= l->inverse[b];
#pragma GCC unroll 8
        for (int d = b + 1; d < COLUMNS; d++) {
            numbers y;
#pragma GCC unroll 8
            for (int c = 0; c < PARTS; c++)
                y.part[c] = l->x[c][b][d] - (lanes){0};
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++)
                subtract_conjugate_product(&block->of[d][r], &block->of[b][r], &y);
        }
    }
}

/* Copies the diagonal triangle, the first COLUMNS rows of the block, to l->x. */
static void read_triangle(const struct rows *block, struct triangle *l)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
#pragma GCC unroll 8
        for (int b = 0; b < COLUMNS; b++)
#pragma GCC unroll 8
            for (int i = 0; i < COLUMNS; i++)
                l->x[c][b][i] = block->of[b][i / LANES].part[c][i % LANES];
}

/* Writes the factored diagonal triangle to rows and columns j … j + COLUMNS − 1. */
static void write_triangle(const struct triangle *l, int j, struct copy *t)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
#pragma GCC unroll 8
        for (int b = 0; b < COLUMNS; b++) {
            real *x = t->x[c] + j + (ptrdiff_t)(j + b) * t->ld;
            *(column *)x = l->x[c][b];
            x[b] = c == 0 ? l->diagonal[b] : 0;
        }
}

/* x(:,d) −= x(:,b) conj(x(d,b)). Also changes the elements above the diagonal, which are not used.
 */
static inline void subtract_column(column x[PARTS][COLUMNS], int b, int d)
{
    real re = x[0][b][d];
    x[0][d] -= x[0][b] * re;
#pragma GCC unroll 8
    for (int c = 1; c < PARTS; c++) {
        real im = x[c][b][d];
        x[0][d] -= x[c][b] * im;
        x[c][d] -= x[c][b] * re;
        x[c][d] += x[0][b] * im;
    }
}

/* Factors a block's diagonal triangle. Returns the order of the first leading minor that is not
 * positive, or 0. Keeps the columns in registers, because each depends on the one before. */
static inline int factor_triangle(struct triangle *l)
{
    column x[PARTS][COLUMNS];
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
#pragma GCC unroll 8
        for (int b = 0; b < COLUMNS; b++)
            x[c][b] = l->x[c][b];
#pragma GCC unroll 8
    for (int b = 0; b < COLUMNS; b++) {
        real square = x[0][b][b];
        if (!(square > 0))
            return b + 1;
        real root = (real)sqrt(square), inverse = 1 / root;
        l->diagonal[b] = root;
        l->inverse[b] = inverse;
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            x[c][b] *= inverse;
#pragma GCC unroll 8
        for (int d = b + 1; d < COLUMNS; d++)
            subtract_column(x, b, d);
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            l->x[c][b] = x[c][b];
    }
    return 0;
}

/* Computes the block of COLUMNS columns of the factor that begins at column j. Its first HEIGHT
 * rows contain the diagonal triangle. Returns the same value as factor_triangle(). */
static int factor_block(struct copy *t, int j)
{
    struct triangle l = {0};
    struct rows block;
    subtract_before(t, j, j, &block);
    read_triangle(&block, &l);
    int info = factor_triangle(&l);
    if (info != 0)
        return info;
    solve(&l, &block);
    store_block(&block, j, j, t);
    write_triangle(&l, j, t);
    for (int i = j + HEIGHT; i < t->n; i += HEIGHT) {
        subtract_before(t, i, j, &block);
        solve(&l, &block);
        store_block(&block, i, j, t);
    }
    return 0;
}

/* Prefetches columns j … j + COLUMNS − 1 of a matrix. Prefetches whole columns, not only their
 * parts in the triangle, because hardware prefetchers follow contiguous memory. Does not prefetch
 * columns longer than LONGEST bytes, because half of the data is not used. Measured on Zen 5 in
 * double precision from main memory, with whole columns / triangle only / no prefetch: order
 * 64: 3.9 / 5.0 / 5.2 µs; order 128: 19.3 / 17.6 / 18.0 µs. */
static void prefetch_block(struct small_matrix a, int j)
{
    enum { LINE = 64, LONGEST = 768 };
    ptrdiff_t length = a.n * (ptrdiff_t)sizeof *a.p;
    for (int b = j; b < j + COLUMNS && b < a.n && length <= LONGEST; b++)
        for (ptrdiff_t i = 0; i < length; i += LINE)
            __builtin_prefetch((const char *)(a.p + (ptrdiff_t)b * a.ld) + i);
}

void SMALL(potrf_small)(char uplo, struct small_matrix a, struct small_matrix next)
{
    struct copy t;
    t.n = (a.n + COLUMNS - 1) / COLUMNS * COLUMNS;
    t.ld = t.n + HEIGHT;
    int info = 0;
    set_border(a.n, &t);
    (uplo == 'L' ? read_lower : read_upper)(a, &t);
    for (int j = 0; j < t.n && info == 0; j += COLUMNS) {
        prefetch_block(next, j);
        info = factor_block(&t, j);
        info += info > 0 ? j : 0;
    }
    (uplo == 'L' ? write_lower : write_upper)(&t, a);
    *a.info = info;
}
