/*
 * Least squares and solutions of least norm of a batch. Small systems are solved by the library's
 * own kernels, by A = Q R for m ≥ n and Aᴴ = Q R for m < n, with the limits of geqrf_batch, where
 * the columns of B count as A's. All others are solved matrix by matrix, by xGELS' algorithm: A = Q
 * R for m ≥ n, A = L Q for m < n.
 *
 * Error bounds: Higham 2002, theorem 20.3 for least squares and theorem 21.4 for the solution of
 * least norm, both by Householder QR.
 */
#include "small_groups.h"
#include "startile_types.h"

#include <stdlib.h>

/* Memory for one matrix. tau: scalar factors of the reflectors; p: LAPACK's workspace of `size`
 * elements; wide: a copy of a matrix with more columns than rows, followed by one more column. */
struct work {
    element *tau, *p, *wide;
    int size;
};

/* A := L Q, in a copy. OpenBLAS 0.3.21 reads one element beyond the end of a matrix row in complex
 * matrix-vector products (OpenBLAS issue 4013), and xGELQF multiplies by rows of A. Behind A there
 * may be no memory; the copy has one more column. */
static void factor_wide(struct matrix a, const struct work *w)
{
    int ld = a.m, ignored = 0;
    NAME(lacpy)(NULL, 'G', a.m, a.n, a.p, a.ld, w->wide, ld);
    LAPACK(gelqf)(&a.m, &a.n, w->wide, &ld, w->tau, w->p, &w->size, &ignored);
    NAME(lacpy)(NULL, 'G', a.m, a.n, w->wide, ld, a.p, a.ld);
}

/* A := Q R or L Q. Returns the 1-based index of the first zero on the diagonal of R or L, or 0. */
static int factor(struct matrix a, const struct work *w)
{
    int ignored = 0;
    if (a.m >= a.n)
        LAPACK(geqrf)(&a.m, &a.n, a.p, &a.ld, w->tau, w->p, &w->size, &ignored);
    else
        factor_wide(a, w);
    return first_zero_on_diagonal(a);
}

/* Sets rows from … to − 1 of B to zero. */
static void clear_rows(struct matrix b, int from, int to)
{
    for (int j = 0; j < b.n; j++)
        for (int i = from; i < to; i++)
            b.p[i + (ptrdiff_t)j * b.ld] = 0;
}

/* B := op(Q) B. The reflectors are columns of A for m ≥ n, rows of A for m < n. */
static void apply_q(struct matrix a, char op, struct matrix b, const struct work *w)
{
    int rows = larger(a.m, a.n), k = smaller(a.m, a.n), ignored = 0;
    if (a.m >= a.n) {
        LAPACK_Q(mqr)
        ("L", &op, &rows, &b.n, &k, a.p, &a.ld, w->tau, b.p, &b.ld, w->p, &w->size, &ignored);
    } else {
        LAPACK_Q(mlq)
        ("L", &op, &rows, &b.n, &k, a.p, &a.ld, w->tau, b.p, &b.ld, w->p, &w->size, &ignored);
    }
}

/* Solves op(A) X = B with the factors of A = Q R. Overdetermined system: B := Qᴴ B, then a
 * triangular solve. Underdetermined system: a triangular solve, then B := Q B. For A = L Q, Qᴴ and
 * Q change places. */
static void solve(struct matrix a, char op, struct matrix b, const struct work *w)
{
    const startile_scalar one = {1, 0};
    bool tall = a.m >= a.n, is_overdetermined = tall == (op == 'N');
    int k = smaller(a.m, a.n);
    if (is_overdetermined)
        apply_q(a, tall ? conjugate_transpose() : 'N', b, w);
    NAME(trsm)(NULL, 'L', tall ? 'U' : 'L', op, 'N', k, b.n, one, a.p, a.ld, b.p, b.ld);
    if (is_overdetermined)
        return;
    clear_rows(b, k, larger(a.m, a.n));
    apply_q(a, tall ? 'N' : conjugate_transpose(), b, w);
}

/* -- small systems ---------------------------------------------------------------------------- */

static void solve_together(const struct small_kernels *kernels, char op, struct group *g)
{
    kernels->gels_together(op, g->rows, g->columns, g->count, g->of);
}

/* Returns A, or Aᴴ if A has more columns than rows, and B. */
static struct small_matrix small_system(struct matrix a, struct matrix b, int64_t *info)
{
    bool is_wide = a.m < a.n;
    return (struct small_matrix){.p = a.p,
                                 .m = larger(a.m, a.n),
                                 .n = smaller(a.m, a.n),
                                 .ld = a.ld,
                                 .is_transposed = is_wide,
                                 .b = b.p,
                                 .ldb = b.ld,
                                 .sides = b.n,
                                 .info = info};
}

/* The groups of systems with op 'N' and 'C' of a matrix that has at least as many rows as columns
 */
struct small_systems {
    struct groups of[2];
};

/* Solves a small system, now or with its group. Returns false for other systems. The kernel depends
 * on the system's own size only, so that the bits of X do not depend on the other systems. */
static bool solve_small(struct small_systems *systems, char op, struct small_matrix a,
                        const struct work *w)
{
    bool is_least_norm = a.is_transposed == (op == 'N');
    struct groups *groups = &systems->of[is_least_norm];
    if (is_together(a.m, a.n + a.sides))
        add_to_groups(groups, a);
    else if (is_qr_small(a.m, a.n + a.sides))
        groups->kernels->gels(groups->letter, a, (real *)w->p);
    else
        return false;
    return true;
}

/* Solves all systems; `systems` and w are workspace. */
static void solve_batch(char op, int count, const startile_matrices *A, const startile_matrices *B,
                        int64_t *info, const struct work *w, struct small_systems *systems)
{
    for (int i = 0; i < 2; i++)
        begin_groups(&systems->of[i], NAME(small)(), solve_together, "NC"[i]);
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q), b = matrix_of(B, q);
        info[q] = 0;
        if (a.m == 0 || a.n == 0 || b.n == 0)
            clear_rows(b, 0, larger(a.m, a.n));
        else if (!solve_small(systems, op, small_system(a, b, &info[q]), w) &&
                 (info[q] = factor(a, w)) == 0)
            solve(a, op, b, w);
    }
    for (int i = 0; i < 2; i++)
        factor_rest(&systems->of[i]);
}

int NAME(gels_batch)(startile_exec *x, char trans, int count, const startile_matrices *A,
                     const startile_matrices *B, int64_t *info)
{
    (void)x;
    const int largest = larger(A->m, A->n), least = smaller(A->m, A->n);
    struct work w = {.size = larger(LAPACK_BLOCK * larger(largest, B->n) + LAPACK_TRIANGLE,
                                    qr_small_work(largest, largest + B->n))};
    struct small_systems *systems = malloc(sizeof *systems);
    w.p = malloc((size_t)w.size * sizeof *w.p);
    w.tau = malloc(((size_t)least + 1) * sizeof *w.tau);
    w.wide = calloc((size_t)A->m * ((size_t)A->n + 1) + 1, sizeof *w.wide);
    bool is_allocated = systems != NULL && w.p != NULL && w.tau != NULL && w.wide != NULL;
    if (is_allocated)
        solve_batch(trans == 'N' ? 'N' : conjugate_transpose(), count, A, B, info, &w, systems);
    free(systems);
    free(w.p);
    free(w.tau);
    free(w.wide);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}
