/*
 * Cholesky of a batch, matrix by matrix: the smallest together, small ones by our own kernel, and
 * larger ones by LAPACK xPOTRF.
 */
#include "batch_matrix.h"
#include "small.h"

/* The most matrices that any instruction set factors at once: 64 bytes of floats. They wait for
 * each other by order, in groups of orders 8 g + 1 … 8 g + 8. */
enum { MOST_LANES = 16, GROUP = 8, GROUPS = (STARTILE_SMALL_TOGETHER - 1) / GROUP + 1 };

struct group {
    struct small_matrix of[MOST_LANES];
    int count, most;
};

static void finish(const struct small_kernels *kernels, char uplo, struct group *g)
{
    kernels->potrf_together(uplo, g->most, g->count, g->of);
    g->count = g->most = 0;
}

static void wait_for_others(const struct small_kernels *kernels, char uplo, struct small_matrix a,
                            struct group *g)
{
    g->of[g->count++] = a;
    g->most = larger(g->most, a.n);
    if (g->count == kernels->lanes)
        finish(kernels, uplo, g);
}

static int by_lapack(char uplo, struct small_matrix a)
{
    startile_panel panel;
    int error = NAME(potrf)(NULL, uplo, a.n, a.p, a.ld, NULL, 1, &panel);
    *a.info = panel.info;
    return error;
}

/* After the last: one without elements. */
static struct small_matrix small_at(const startile_matrices *A, int q, int count, int64_t *info)
{
    if (q >= count)
        return (struct small_matrix){0};
    struct matrix m = matrix_of(A, q);
    return (struct small_matrix){m.p, m.n, m.ld, &info[q]};
}

/* Which way a matrix goes depends on its own order alone, and so do its factor's bits. */
int NAME(potrf_batch)(startile_exec *x, char uplo, int count, const startile_matrices *A,
                      int64_t *info)
{
    (void)x;
    const struct small_kernels *kernels = NAME(small)();
    struct group groups[GROUPS] = {0};
    int error = 0;
    struct small_matrix a, next = small_at(A, 0, count, info);
    for (int q = 0; q < count && error == 0; q++) {
        a = next;
        next = small_at(A, q + 1, count, info);
        if (a.n <= STARTILE_SMALL_TOGETHER)
            wait_for_others(kernels, uplo, a, &groups[larger(a.n - 1, 0) / GROUP]);
        else if (a.n <= STARTILE_SMALL_ORDER)
            kernels->potrf(uplo, a, next);
        else
            error = by_lapack(uplo, a);
    }
    for (int g = 0; g < GROUPS; g++)
        if (groups[g].count > 0)
            finish(kernels, uplo, &groups[g]);
    return error;
}
