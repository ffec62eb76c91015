/*
 * LU factorization with partial pivoting of one small matrix in a column-major copy with separate
 * real and imaginary parts, right-looking.
 *
 * Backward error: |ΔA| ≤ γ_n |L| |U| (Higham 2002, theorem 9.3).
 */
#include "small.h"

enum { ORDER = STARTILE_SMALL_LU_ORDER, MOST_ROWS = ORDER + 3 * LANES };

/* The copy of a matrix of order n. Column j of a part (0: real, 1: imaginary) begins at x[part] +
 * j ld. The rows below the matrix are 0. */
struct copy {
    _Alignas(VECTOR_BYTES) real x[PARTS][ORDER * MOST_ROWS];
    int n, ld;
};

/* One column of L in vectors; the rows above it are 0. */
struct column {
    _Alignas(VECTOR_BYTES) real x[PARTS][MOST_ROWS];
};

static inline lanes load(const real *x)
{
    return *(const lanes *)x;
}

/* There are at least LANES rows below the matrix, for find_pivot(). ld is an odd number of vectors,
 * so that the elements of a row are in different sets of the cache. */
static void read_matrix(struct small_matrix a, struct copy *t)
{
    t->n = a.n;
    t->ld = (((a.n + LANES - 1) / LANES + 1) | 1) * LANES;
    for (int c = 0; c < PARTS; c++)
        for (int j = 0; j < a.n; j++) {
            const real *z = (const real *)(a.p + (ptrdiff_t)j * a.ld) + c;
            real *restrict x = t->x[c] + j * t->ld;
            for (int i = 0; i < a.n; i++)
                x[i] = z[i * PARTS];
            for (int i = a.n; i < t->ld; i++)
                x[i] = 0;
        }
}

static void write_matrix(const struct copy *t, struct small_matrix a)
{
    for (int c = 0; c < PARTS; c++)
        for (int j = 0; j < a.n; j++) {
            real *restrict z = (real *)(a.p + (ptrdiff_t)j * a.ld) + c;
            const real *x = t->x[c] + j * t->ld;
            for (int i = 0; i < a.n; i++)
                z[i * PARTS] = x[i];
        }
}

/* Returns the row of the first element of largest magnitude in column k, from row k on. The vectors
 * begin at row k, and may end up to LANES − 1 rows below the matrix. */
static int find_pivot(const struct copy *t, int k)
{
    lanes best = {0}, best_step = {0}, step = {0};
    best -= 1;
    for (int i = k; i < t->n; i += LANES, step += 1) {
        numbers z;
        for (int c = 0; c < PARTS; c++)
            z.part[c] = load(t->x[c] + i + k * t->ld);
        lanes x = magnitudes(&z);
        best_step = choose(x > best, step, best_step);
        best = choose(x > best, x, best);
    }
    int row = t->n;
    real most = -1;
    for (int l = 0; l < LANES; l++) {
        int at = k + (int)best_step[l] * LANES + l;
        if (at < t->n && (best[l] > most || (best[l] == most && at < row))) {
            most = best[l];
            row = at;
        }
    }
    return row;
}

static void interchange(struct copy *t, int k, int p)
{
    for (int c = 0; c < PARTS; c++) {
        const int n = t->n;
        const ptrdiff_t ld = t->ld;
        real *x = t->x[c] + k, *y = t->x[c] + p;
        for (int j = 0; j < n; j++, x += ld, y += ld) {
            real z = *x;
            *x = *y;
            *y = z;
        }
    }
}

/* Divides the elements of column k below the pivot by the pivot, and copies them to l. A zero pivot
 * has zeros below it. */
static void scale(struct copy *t, int k, element pivot, struct column *l)
{
    const real boost = boost_of_pivot(pivot);
    const element inverse = inverse_of_pivot(pivot * boost);
    real factor[PARTS], *x = t->x[0] + k * t->ld, *y = t->x[PARTS - 1] + k * t->ld;
    memcpy(factor, &inverse, sizeof factor);
    for (int c = 0; c < PARTS; c++)
        *(lanes *)(l->x[c] + k / LANES * LANES) = (lanes){0};
    if (PARTS == 1)
        for (int i = k + 1; i < t->n; i++)
            l->x[0][i] = x[i] = x[i] * boost * factor[0];
    else
        for (int i = k + 1; i < t->n; i++) {
            real u = x[i] * boost, v = y[i] * boost;
            real re = u * factor[0] - v * factor[PARTS - 1];
            l->x[PARTS - 1][i] = y[i] = u * factor[PARTS - 1] + v * factor[0];
            l->x[0][i] = x[i] = re;
        }
    for (int i = t->n; i < t->ld; i++)
        for (int c = 0; c < PARTS; c++)
            l->x[c][i] = 0;
}

/* Columns that a step of update() updates at a time, so that a load of l serves all of them */
enum { WIDTH = 4 };

/* Subtracts the product of l and row k from `width` columns from j on. */
static inline void update_columns(struct copy *t, int k, int j, int width, const struct column *l)
{
    const int n = t->n; /* local copies, because the stores below may alias t->n */
    const ptrdiff_t ld = t->ld;
    numbers u[WIDTH];
#pragma GCC unroll 8
    for (int q = 0; q < width; q++)
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            u[q].part[c] = t->x[c][k + (j + q) * ld] - (lanes){0};
    for (int i = k / LANES * LANES; i < n; i += LANES) {
        numbers factor;
        for (int c = 0; c < PARTS; c++)
            factor.part[c] = load(l->x[c] + i);
#pragma GCC unroll 8
        for (int q = 0; q < width; q++) {
            numbers x;
            for (int c = 0; c < PARTS; c++)
                x.part[c] = load(t->x[c] + i + (j + q) * ld);
            subtract_product(&x, &factor, &u[q]);
            for (int c = 0; c < PARTS; c++)
                *(lanes *)(t->x[c] + i + (j + q) * ld) = x.part[c];
        }
    }
}

/* Subtracts the product of l and row k from the columns to the right. */
static void update(struct copy *t, int k, const struct column *l)
{
    int j = k + 1;
    for (; j + WIDTH <= t->n; j += WIDTH)
        update_columns(t, k, j, WIDTH, l);
    for (; j < t->n; j++)
        update_columns(t, k, j, 1, l);
}

void SMALL(getrf_small)(struct small_matrix a)
{
    struct copy t;
    struct column l;
    read_matrix(a, &t);
    *a.info = 0;
    for (int k = 0; k < a.n; k++) {
        int p = find_pivot(&t, k);
        a.pivots[k] = p + 1;
        if (p != k)
            interchange(&t, k, p);
        real part[PARTS];
        for (int c = 0; c < PARTS; c++)
            part[c] = t.x[c][k + k * t.ld];
        element pivot;
        memcpy(&pivot, part, sizeof pivot);
        if (pivot == 0 && *a.info == 0)
            *a.info = k + 1;
        scale(&t, k, pivot, &l);
        update(&t, k, &l);
    }
    write_matrix(&t, a);
}
