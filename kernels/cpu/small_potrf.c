/*
 * Cholesky of one small matrix in a copy whose columns begin anew at every vector: left-looking by
 * blocks of columns, of which some vectors of rows stay in registers while all columns before are
 * subtracted. The copy is bordered by the identity up to whole blocks.
 *
 * Backward error as for any order of the sums (Higham 2002, theorem 10.3).
 */
#include "small.h"

/* Columns of a block, and vectors of rows beside them: what the registers hold. */
#ifdef STARTILE_AVX512
enum { COLUMNS = 8, ROWS = PARTS == 1 ? 3 : 1 };
#else
enum { COLUMNS = 4, ROWS = PARTS == 1 || LANES < COLUMNS ? 2 : 1 };
#endif

enum { ORDER = STARTILE_SMALL_ORDER, HEIGHT = ROWS * LANES };

/* Column j begins at x[part] + j ld. Rows below the matrix are scratch. */
struct copy {
    real x[PARTS][ORDER * (ORDER + HEIGHT)];
    int n, ld;
};

/* One part of a block's rows in its own triangle. */
typedef real column
    __attribute__((vector_size(COLUMNS * sizeof(real)), aligned(sizeof(real)), may_alias));

/* Zero above the diagonal, where blocks reach, and below the matrix. Elements of a fixed number:
 * memset would cost more than they do. */
static void read_border(int n, struct copy *t)
{
    const column zero = {0};
    const int order = t->n;
    const ptrdiff_t ld = t->ld; /* else read anew after each store, which may alias it */
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

/* The conjugate transpose */
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

/* Rows i … i + HEIGHT − 1 of a block of columns. */
struct rows {
    numbers of[COLUMNS][ROWS];
};

static inline void load_rows(const struct copy *t, int i, int j, numbers *x)
{
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            x[r].part[c] = *(const lanes *)(t->x[c] + i + r * LANES + (ptrdiff_t)j * t->ld);
}

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

static inline void broadcast(const struct copy *t, int i, int j, numbers *y)
{
#pragma GCC unroll 8
    for (int c = 0; c < PARTS; c++)
        y->part[c] = t->x[c][i + (ptrdiff_t)j * t->ld] - (lanes){0};
}

/* Block j of those rows, less the columns before */
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

/* A block's triangle, by columns; its diagonal, and the reciprocals of that. */
struct triangle {
    column x[PARTS][COLUMNS];
    real diagonal[COLUMNS], inverse[COLUMNS];
};

/* … and solved with the block's triangle */
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

/* Column b of the triangle off column d. Above the diagonal it does no harm. */
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

/* Returns the 1-based order of the first minor that is not positive, or 0. The columns are in
 * registers, since each waits for the one before. */
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

/* Columns j … of the factor; returns as above. The first rows reach over the triangle itself. */
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

/* Columns j … of the matrix that comes next, from end to end: the prefetchers of CPUs follow
 * memory that goes on, but not a triangle, whose columns each begin elsewhere. The longer the
 * columns are, the more is fetched for nothing. (Zen 5, double precision out of main memory: order
 * 64 in 3.9 µs, by the triangle alone 5.0, without 5.2; order 128 in 19.3, 17.6 and 18.0.) */
static void fetch_block(struct small_matrix a, int j)
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
    read_border(a.n, &t);
    (uplo == 'L' ? read_lower : read_upper)(a, &t);
    for (int j = 0; j < t.n && info == 0; j += COLUMNS) {
        fetch_block(next, j);
        info = factor_block(&t, j);
        info += info > 0 ? j : 0;
    }
    (uplo == 'L' ? write_lower : write_upper)(&t, a);
    *a.info = info;
}
