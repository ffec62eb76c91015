/* Groups of small matrices that are factored together, one per vector lane. */
#ifndef STARTILE_SMALL_GROUPS_H
#define STARTILE_SMALL_GROUPS_H

#include "batch_matrix.h"
#include "small.h"

/* MAX_LANES: largest number of vector lanes of any instruction set, 64 bytes of floats. Group g
 * collects matrices of orders 8 g + 1 … 8 g + 8, and group 0 also those of order 0. */
enum { MAX_LANES = 16, ORDERS = 8, GROUPS = (STARTILE_SMALL_TOGETHER - 1) / ORDERS + 1 };

/* Matrices of similar order that wait until they fill all lanes */
struct group {
    struct small_matrix of[MAX_LANES];
    int count, max_order;
};

/* All groups, and the function that factors the matrices of one */
struct groups {
    const struct small_kernels *kernels;
    void (*factor)(const struct small_kernels *kernels, char uplo, struct group *g);
    char uplo; /* for Cholesky */
    struct group of[GROUPS];
};

static inline void factor_and_empty(struct groups *all, struct group *g)
{
    all->factor(all->kernels, all->uplo, g);
    g->count = g->max_order = 0;
}

/* Adds the matrix to its group, and factors a full group. */
static inline void add_to_groups(struct groups *all, struct small_matrix a)
{
    struct group *g = &all->of[larger(a.n - 1, 0) / ORDERS];
    g->of[g->count++] = a;
    g->max_order = larger(g->max_order, a.n);
    if (g->count == all->kernels->lanes)
        factor_and_empty(all, g);
}

static inline void factor_rest(struct groups *all)
{
    for (int g = 0; g < GROUPS; g++)
        if (all->of[g].count > 0)
            factor_and_empty(all, &all->of[g]);
}

#endif
