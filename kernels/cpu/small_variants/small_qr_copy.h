/* A copy of a small matrix in vectors of rows, for the kernels that factor one matrix at a time. */
#ifndef STARTILE_SMALL_QR_COPY_H
#define STARTILE_SMALL_QR_COPY_H

#include "small.h"

/* The copy of an m × n matrix; right-hand sides follow. x[i + j ld] has the rows from i LANES on of
 * column j, LANES of them. The rows below the matrix are 0. v: vectors of two reflectors */
struct copy {
    numbers *x, *v[2];
    int m, n, rows; /* rows: vectors of a column */
    ptrdiff_t ld;
};

static inline numbers *column_of(const struct copy *t, int j)
{
    return t->x + j * t->ld;
}

/* Returns part c of element i of a column. */
static inline real *element_of(numbers *x, int i, int c)
{
    return (real *)&x[i / LANES].part[c] + i % LANES;
}

/* Returns element i of a column in all lanes. */
static inline numbers broadcast(numbers *x, int i)
{
    numbers z;
    for (int c = 0; c < PARTS; c++)
        z.part[c] = *element_of(x, i, c) - (lanes){0};
    return z;
}

/* Returns the sum of the lanes in all lanes. */
static inline numbers sum_of_lanes(numbers z)
{
    for (int c = 0; c < PARTS; c++) {
        typedef real half __attribute__((vector_size(VECTOR_BYTES / 2)));
        half low, high;
        memcpy(&low, &z.part[c], sizeof low);
        memcpy(&high, (const char *)&z.part[c] + sizeof low, sizeof high);
        low += high;
#pragma GCC unroll 8
        for (int width = LANES / 4; width > 0; width /= 2)
#pragma GCC unroll 8
            for (int l = 0; l < width; l++)
                low[l] += low[l + width];
        z.part[c] = low[0] - (lanes){0};
    }
    return z;
}

/* Places the copy in the workspace. ld is odd, so that the elements of a row are in different sets
 * of the cache. */
static inline struct copy copy_in_workspace(real *work, int m, int n)
{
    struct copy t = {.m = m, .n = n, .rows = (m + LANES - 1) / LANES};
    t.ld = t.rows | 1;
    t.v[0] = (numbers *)(work + -((uintptr_t)work / sizeof(real)) % LANES);
    t.v[1] = t.v[0] + t.ld;
    t.x = t.v[1] + t.ld;
    return t;
}

/* Copies an m × n matrix, or its conjugate transpose, to the columns from j on. */
static inline void read_matrix(const struct copy *t, int j, const element *a, int m, int n,
                               ptrdiff_t down, ptrdiff_t right, bool is_conjugated)
{
    for (int k = 0; k < n; k++) {
        numbers *x = column_of(t, j + k);
        const element *z = a + k * right;
        memset(x, 0, (size_t)t->rows * sizeof *x);
        if (sizeof(element) == sizeof(real) && down == 1)
            memcpy(x, z, (size_t)m * sizeof *z);
        else
            for (int i = 0; i < m; i++)
                for (int c = 0; c < PARTS; c++)
                    *element_of(x, i, c) = is_conjugated ? conjugate_part(z + i * down, c)
                                                         : ((const real *)(z + i * down))[c];
    }
}

/* Copies m × n elements from column j on to a matrix. */
static inline void write_matrix(const struct copy *t, int j, element *a, int m, int n, int ld)
{
    for (int k = 0; k < n; k++) {
        numbers *x = column_of(t, j + k);
        real *z = (real *)(a + (ptrdiff_t)k * ld);
        for (int i = 0; i < m; i++)
            for (int c = 0; c < PARTS; c++)
                z[i * PARTS + c] = *element_of(x, i, c);
    }
}

/* Place of row k in a column: index of the vector with row k, and this vector's lanes in rows ≥ k
 * and in rows > k */
struct border {
    int vector;
    condition from, below;
};

static inline struct border border_of(int k)
{
    static const real counting[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    lanes index;
    memcpy(&index, counting, sizeof index);
    const real lane = (real)(k % LANES);
    return (struct border){k / LANES, index >= lane, index > lane};
}

/* Returns z in some lanes, 0 in the others. */
static inline numbers only(condition where, numbers z)
{
    for (int c = 0; c < PARTS; c++)
        z.part[c] = choose(where, z.part[c], (lanes){0});
    return z;
}

#endif
