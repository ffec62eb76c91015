/*
 * Table of the kernels of `startile bench kernel`: operands and calls.
 */
#include "kernel.h"

#include "flops.h"
#include "random.h"
#include "scalar.h"

#include <string.h>

/* -- work ----------------------------------------------------------------------------------- */

/* Defines work_NAME(). bytes: of an element */
#define WORK(name, amount)                                                                         \
    static double work_##name(const struct shape *s)                                               \
    {                                                                                              \
        const double m = (double)s->size.m, n = (double)s->size.n, k = (double)s->size.k;          \
        const double pieces = s->pieces, bytes = (double)dtype_size(s->dtype);                     \
        const double unused[] = {m, n, k, pieces, bytes};                                          \
        (void)unused;                                                                              \
        return amount;                                                                             \
    }

WORK(gemm, pieces *flops_gemm(s->dtype, m, n, k))
WORK(herk, flops_herk(s->dtype, n, k) + (pieces - 1) * flops_gemm(s->dtype, n, n, k))
WORK(trsm, pieces *flops_trsm(s->dtype, n, m))
WORK(trsm_by_inverses, flops_trsm(s->dtype, m, n))
WORK(potrf, flops_potrf(s->dtype, n))
/* The inverse of a triangle takes as many operations as Cholesky. */
WORK(potrf_inverse, 2 * flops_potrf(s->dtype, n))
WORK(getrf, flops_getrf(s->dtype, m, n))
WORK(getrf_nopiv, flops_getrf(s->dtype, n, n))
WORK(geqrf, flops_geqrf(s->dtype, m, n))
WORK(larfb, flops_ormqr(s->dtype, m, n, k))
/* Each interchange reads and writes two rows. */
WORK(laswp, 4 * k * n * bytes)
WORK(copy, 2 * m * n * bytes)

/* -- calls ---------------------------------------------------------------------------------- */

static const startile_scalar minus_one = {-1, 0}, one = {1, 0};

/* Arguments of a trial, in the form that kernels take */
struct call {
    startile_exec *x;
    int m, n, k, pieces, ld[OPERANDS];
    void *p[OPERANDS];
    char transa, transb;
    startile_tile_status *status;
};

static struct call call_of(const struct trial *t)
{
    const struct shape *s = &t->shape;
    struct call c = {.x = t->exec,
                     .m = (int)s->size.m,
                     .n = (int)s->size.n,
                     .k = (int)s->size.k,
                     .pieces = s->pieces,
                     .transa = s->transa,
                     .transb = s->transb,
                     .status = t->status};
    for (int i = 0; i < t->arrays; i++) {
        c.p[i] = t->array[i].device;
        c.ld[i] = t->array[i].m;
    }
    return c;
}

/* Defines run_NAME(), which calls a kernel. */
#define RUN(name, expression)                                                                      \
    static int run_##name(const struct trial *t, const startile_kernels *K)                        \
    {                                                                                              \
        const struct call c = call_of(t);                                                          \
        return expression;                                                                         \
    }

RUN(gemm, K->gemm(c.x, c.transa, c.transb, c.m, c.n, c.k, minus_one, c.p[0], c.ld[0], c.p[1],
                  c.ld[1], one, c.p[2], c.ld[2]))
RUN(herk, K->herk(c.x, 'L', 'N', c.n, c.k, minus_one, c.p[0], c.n, one, c.p[1], c.n))
RUN(trsm, K->trsm(c.x, 'R', 'L', 'C', 'N', c.m, c.n, one, c.p[0], c.n, c.p[1], c.m))
RUN(trmm, K->trmm(c.x, 'R', 'L', 'C', c.m, c.n, one, c.p[0], c.n, c.p[1], c.m))
RUN(trsm_by_inverses,
    K->trsm_by_inverses(c.x, 'L', 'N', 'N', c.m, c.n, c.p[0], c.m, c.p[1], c.m, c.p[2], c.m))
RUN(potrf, K->potrf(c.x, 'L', c.n, c.p[0], c.n, c.p[1], c.n, c.status))
RUN(getrf, K->getrf(c.x, 1, &(startile_piece){c.p[0], c.m, c.m}, c.n, 0,
                    (startile_pivots_of_panel){c.p[1], c.m < c.n ? c.m : c.n}, NULL, 1, c.status))
RUN(getrf_nopiv, K->getrf_nopiv(c.x, c.n, c.p[0], c.n, NULL, 1, NULL, 1, c.status))
RUN(geqrf,
    K->geqrf(c.x, 1, &(startile_piece){c.p[0], c.ld[0], c.ld[0]}, t->array[0].n, c.p[1], c.ld[1]))
RUN(larfb, K->larfb(c.x, 'C', 1, &(startile_piece){c.p[0], c.m, c.m}, c.k, c.p[1], c.k, 1,
                    &(startile_piece){c.p[2], c.m, c.m}, c.n))
RUN(laswp, K->laswp(c.x, 1, &(startile_piece){c.p[0], c.m, c.m}, c.n, 0, 1,
                    &(startile_pivots_of_panel){c.p[1], c.k}, 0))
RUN(transpose, K->transpose(c.x, c.m, c.n, c.p[0], c.m, c.p[1], c.n))

static void *piece_of(const struct trial *t, int array, int q)
{
    return (char *)t->array[array].device + (size_t)q * t->array[array].piece_bytes;
}

/* Runs gemm_group. Each product has its own A and its own C, array `c`. All share B: array 1, or
 * the first piece of A if array 1 is C. */
static int run_products(const struct trial *t, const startile_kernels *K, int c, char transa,
                        char transb, char uplo)
{
    const struct array *a = t->array;
    const int b = c == 2;
    startile_product products[STARTILE_MOST_PRODUCTS];
    for (int q = 0; q < t->shape.pieces; q++)
        products[q] = (startile_product){.a = piece_of(t, 0, q),
                                         .b = a[b].device,
                                         .c = piece_of(t, c, q),
                                         .lda = a[0].m,
                                         .ldb = a[b].m,
                                         .ldc = a[c].m,
                                         .m = a[c].m,
                                         .n = a[c].n};
    return K->gemm_group(t->exec, transa, transb, (int)t->shape.size.k, minus_one, t->shape.pieces,
                         products, one, uplo);
}

static int run_gemm_group(const struct trial *t, const startile_kernels *K)
{
    return run_products(t, K, 2, t->shape.transa, t->shape.transb, 'G');
}

static int run_herk_group(const struct trial *t, const startile_kernels *K)
{
    return run_products(t, K, 1, 'N', 'C', 'L');
}

static int run_trmm_group(const struct trial *t, const startile_kernels *K)
{
    const struct call c = call_of(t);
    startile_piece pieces[STARTILE_MOST_PRODUCTS];
    for (int q = 0; q < c.pieces; q++)
        pieces[q] = (startile_piece){piece_of(t, 1, q), c.m, c.m};
    return K->trmm_group(c.x, 'R', 'L', 'C', c.n, one, c.p[0], c.n, c.pieces, pieces);
}

/* -- preparations --------------------------------------------------------------------------- */

static int prepare_larfb(struct trial *t)
{
    return run_geqrf(t, t->library->faster[t->shape.dtype]);
}

/* Stores the inverses of L's diagonal blocks in W. */
static int prepare_inverses(struct trial *t)
{
    const startile_kernels *K = t->library->faster[t->shape.dtype];
    const struct array *l = &t->array[0], *w = &t->array[1];
    int error = 0;
    for (int i = 0, k; i < l->m && error == 0; i += k) {
        const size_t offset = ((size_t)i + (size_t)i * (size_t)l->m) * dtype_size(t->shape.dtype);
        k = l->m - i < STARTILE_INVERTED_ORDER ? l->m - i : STARTILE_INVERTED_ORDER;
        error = K->trtri(t->exec, 'L', 'N', k, (char *)l->device + offset, l->m,
                         (char *)w->device + offset, l->m);
    }
    return error;
}

/* Stores random interchanges in the form of partial pivoting, in main memory. */
static int prepare_laswp(struct trial *t)
{
    const int64_t k = t->shape.size.k;
    startile_pivots_of_panel pivots = {t->array[1].integers, (int)k};
    for (int64_t j = 0; j < k; j++)
        pivots.of[j] =
            j + 1 + (int64_t)(startile_mix((uint64_t)j) % (uint64_t)(t->shape.size.m - j));
    return t->library->moves_of_pivots(0, pivots);
}

/* -- the table ------------------------------------------------------------------------------ */

#define PIECES .piecewise = true

/* clang-format off */
const struct kernel kernels[] = {
    {"gemm", "mnka", "vs", {0, 8192, 0}, "C := C - op(A) op(B), m x n, over k",
     {{"Amk", IN, .op = 'a'}, {"Bkn", IN, .op = 'b'}, {"Cmn", IN_OUT}},
     work_gemm, .run = run_gemm},
    {"gemm_group", "mnkpa", "vs", {2048, 512, 512},
     "gemm for p products with one B, in one launch",
     {{"Amk", IN, .op = 'a', PIECES}, {"Bkn", IN, .op = 'b'}, {"Cmn", IN_OUT, PIECES}},
     work_gemm, .run = run_gemm_group},
    {"herk", "nk", "vsl", {0, 16384, 512}, "C := C - A A^H, lower, n x n, over k",
     {{"Ank", IN}, {"Cnn", ELEMENTS, HERMITIAN, CHANGED}},
     work_herk, .run = run_herk},
    {"herk_group", "nkp", "vsl", {0, 1024, 1024},
     "a column of p tiles n x n of Cholesky: herk and gemm over k, in one launch",
     {{"Ank", IN, PIECES}, {"Cnn", IN_OUT, PIECES}},
     work_herk, .run = run_herk_group},
    {"trmm", "mn", "vs", {8192, 512, 0},
     "B := B L^H, m x n: a solve by the inverse of a triangle",
     {{"Lnn", ELEMENTS, LOWER, READ}, {"Bmn", IN_OUT}},
     work_trsm, .run = run_trmm},
    {"trmm_group", "mnp", "vs", {1024, 512, 0}, "trmm for p matrices B, in one launch",
     {{"Lnn", ELEMENTS, LOWER, READ}, {"Bmn", IN_OUT, PIECES}},
     work_trsm, .run = run_trmm_group},
    {"trsm", "mn", "", {8192, 512, 0}, "B := B L^-H, m x n",
     {{"Lnn", ELEMENTS, LOWER, READ}, {"Bmn", IN_OUT}},
     work_trsm, .run = run_trsm},
    {"trsm_by_inverses", "mn", "v", {1024, 1024, 0},
     "B := L^-1 B, m x n, with given inverses of L's diagonal blocks",
     {{"Lmm", ELEMENTS, LOWER, READ}, {"Wmm", ELEMENTS, NOTHING, READ}, {"Bmn", IN_OUT}},
     work_trsm_by_inverses, run_trsm_by_inverses,
     .prepare = prepare_inverses},
    {"potrf", "n", "vl", {0, 2048, 0}, "Cholesky of a tile, lower, n x n",
     {{"Ann", ELEMENTS, DEFINITE, CHANGED}},
     work_potrf, .run = run_potrf},
    {"potrf_inverse", "n", "vl", {0, 2048, 0}, "potrf, the factor's inverse and its norm check",
     {{"Ann", ELEMENTS, DEFINITE, CHANGED}, {"Wnn", OUT}},
     work_potrf_inverse, .run = run_potrf},
    {"getrf", "mn", "", {16384, 256, 0}, "LU of a panel with partial pivoting, m x n",
     {{"Amn", IN_OUT}, {"Pp1", INTEGERS, NOTHING, WRITTEN}},
     work_getrf, .run = run_getrf},
    {"getrf_nopiv", "n", "", {0, 1024, 0}, "LU of a tile without pivoting, n x n",
     {{"Ann", ELEMENTS, DOMINANT, CHANGED}},
     work_getrf_nopiv, .run = run_getrf_nopiv},
    {"geqrf", "mn", "t", {16384, 256, 0}, "QR of a panel with its triangle T, m x n (m >= n)",
     {{"Amn", IN_OUT}, {"Tnn", OUT}},
     work_geqrf, .run = run_geqrf},
    {"larfb", "mnk", "t", {8192, 8192, 256}, "C := Q^H C, m x n, for k <= m reflectors",
     {{"Vmk", IN}, {"Tkk", ELEMENTS, NOTHING, READ}, {"Cmn", IN_OUT}},
     work_larfb, run_larfb, .prepare = prepare_larfb},
    {"laswp", "mnk", "tm", {16384, 8192, 512}, "k random row interchanges, m x n",
     {{"Amn", IN_OUT}, {"Pq1", INTEGERS, NOTHING, READ}},
     work_laswp, run_laswp, .prepare = prepare_laswp},
    {"transpose", "mn", "m", {0, 8192, 0}, "B := A^H, A being m x n",
     {{"Amn", IN}, {"Bnm", OUT}},
     work_copy, .run = run_transpose},
    {0},
};
/* clang-format on */

bool kernel_has_size(const struct kernel *k, char size)
{
    return strchr(k->sizes, size) != NULL;
}

bool kernel_has_flag(const struct kernel *k, char flag)
{
    return strchr(k->flags, flag) != NULL;
}

/* -- trials --------------------------------------------------------------------------------- */

/* Sets the size of array i, whose rows and columns are swapped if its op is not 'N'. */
static void set_array_size(struct trial *t, int i)
{
    const struct operand *o = &t->kernel->operand[i];
    const struct shape *s = &t->shape;
    struct array *a = &t->array[i];
    bool swapped = (o->op == 'a' && s->transa != 'N') || (o->op == 'b' && s->transb != 'N');
    a->m = (int)(swapped ? operand_columns(o, &s->size) : operand_rows(o, &s->size));
    a->n = (int)(swapped ? operand_rows(o, &s->size) : operand_columns(o, &s->size));
    a->piece_bytes = (size_t)a->m * (size_t)a->n * operand_size(o, s->dtype);
    a->bytes = a->piece_bytes * (size_t)(o->piecewise ? s->pieces : 1);
}

struct trial trial_of(const struct kernel *kernel, const struct shape *shape)
{
    struct trial t = {.kernel = kernel, .shape = *shape, .arrays = operand_count(kernel->operand)};
    for (int i = 0; i < t.arrays; i++)
        set_array_size(&t, i);
    return t;
}
