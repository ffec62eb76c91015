/* Groups of small matrices that are factored together, one per vector lane. */
#ifndef STARTILE_SMALL_GROUPS_H
#define STARTILE_SMALL_GROUPS_H

#include "batch_matrix.h"
#include "small.h"

/* MAX_LANES: largest number of vector lanes of any instruction set, 64 bytes of floats. Class c < 4
 * of SIZES classes has the sizes 8 c + 1 … 8 c + 8, class 0 also 0; the last two end at 64 and 128.
 */
enum { MAX_LANES = 16, SIZES = 6, LARGEST_SIZE = 128 };

/* Matrices of similar size that wait until they fill all lanes */
struct group {
    int count, rows, columns, sides; /* number of matrices; their largest dimensions */
    struct small_matrix of[MAX_LANES];
};

/* Function that factors the matrices of a group. letter: uplo of Cholesky, op of least squares */
typedef void factor_group(const struct small_kernels *kernels, char letter, struct group *g);

/* All groups, by the classes of rows and columns */
struct groups {
    const struct small_kernels *kernels;
    factor_group *factor;
    char letter;
    struct group of[SIZES][SIZES];
};

static inline void empty_group(struct group *g)
{
    g->count = g->rows = g->columns = g->sides = 0;
}

/* Makes all groups empty. */
static inline void begin_groups(struct groups *all, const struct small_kernels *kernels,
                                factor_group *factor, char letter)
{
    all->kernels = kernels;
    all->factor = factor;
    all->letter = letter;
    for (int g = 0; g < SIZES * SIZES; g++)
        empty_group(&all->of[g / SIZES][g % SIZES]);
}

/* Returns whether a matrix of these sizes may be in a group. columns: with right-hand sides */
static inline bool is_together(int rows, int columns)
{
    return rows <= LARGEST_SIZE && columns <= LARGEST_SIZE &&
           rows * columns <= STARTILE_SMALL_QR_TOGETHER;
}

static inline int class_of(int size)
{
    return size > 64 ? 5 : size > 32 ? 4 : larger(size - 1, 0) / 8;
}

static inline void factor_and_empty(struct groups *all, struct group *g)
{
    if (g->count > 0)
        all->factor(all->kernels, all->letter, g);
    empty_group(g);
}

/* Adds the matrix to its group, and factors a full group. The columns of all lanes have at most
 * STARTILE_SMALL_QR_TOGETHER elements. */
static inline void add_to_groups(struct groups *all, struct small_matrix a)
{
    struct group *g = &all->of[class_of(a.m)][class_of(a.n)];
    int rows = larger(g->rows, a.m), columns = larger(g->columns, a.n),
        sides = larger(g->sides, a.sides);
    if (rows * (columns + sides) > STARTILE_SMALL_QR_TOGETHER) {
        factor_and_empty(all, g);
        rows = a.m;
        columns = a.n;
        sides = a.sides;
    }
    g->of[g->count++] = a;
    g->rows = rows;
    g->columns = columns;
    g->sides = sides;
    if (g->count == all->kernels->lanes)
        factor_and_empty(all, g);
}

static inline void factor_rest(struct groups *all)
{
    for (int g = 0; g < SIZES * SIZES; g++)
        factor_and_empty(all, &all->of[g / SIZES][g % SIZES]);
}

#endif
