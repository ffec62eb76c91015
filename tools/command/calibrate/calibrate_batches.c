/*
 * Operations on batches: problems of one order in a few tasks. The order and how many go into a
 * task follow from the order and the tile size of what is measured besides, which are such as each
 * kind of device takes: more and larger ones on a GPU.
 */
#include "calibrate.h"
#include "scalar.h"

#include "startile_batch.h"

#include <stdlib.h>

#define TRY(call) status = status < 0 ? status : (call)

enum { SMALLER = 32, TASKS = 4 }; /* than a matrix that is cut into tiles */

/* Three arrays of matrices, and what comes with a factorization. */
struct set {
    startile_dtype dtype;
    int64_t order, count, per_task;
    char *memory[3];
    startile_batch *matrix[3], *tau, *ipiv, *info;
};

/* Symmetric, dominated by the diagonal. */
static void fill(const struct set *s, char *memory)
{
    size_t order = (size_t)s->order, i = 0;
    for (int64_t q = 0; q < s->count; q++)
        for (size_t at = 0; at < order * order; at++)
            element_set(s->dtype, memory, i++, at % (order + 1) ? 0.5 : 2 * (double)order);
}

static int64_t open_set(struct set *s, const struct problem *p)
{
    int64_t status = 0, order = p->n / SMALLER, elements = order * order,
            per_task = 1 + 2 * p->nb * p->nb / elements;
    *s = (struct set){
        .dtype = p->dtype, .order = order, .count = TASKS * per_task, .per_task = per_task};
    for (int i = 0; i < 3 && status == 0; i++) {
        s->memory[i] = malloc((size_t)(s->count * elements) * dtype_size(p->dtype));
        if (!s->memory[i])
            return STARTILE_ERROR_MEMORY;
        fill(s, s->memory[i]);
        status = startile_batch_wrap(&s->matrix[i], p->dtype, s->count, order, order, s->memory[i],
                                     order, elements, per_task, s->matrix[0]);
    }
    TRY(startile_batch_create(&s->tau, p->dtype, s->count, order, 1, 0, s->matrix[0]));
    TRY(startile_batch_create_integers(&s->ipiv, s->count, order, 0, s->matrix[0]));
    TRY(startile_batch_create_integers(&s->info, s->count, 1, 0, s->matrix[0]));
    return status;
}

static void close_set(struct set *s)
{
    startile_batch_destroy(s->info);
    startile_batch_destroy(s->ipiv);
    startile_batch_destroy(s->tau);
    for (int i = 2; i >= 0; i--) {
        startile_batch_destroy(s->matrix[i]);
        free(s->memory[i]);
    }
}

static int64_t run_products(struct set *s)
{
    startile_batch *A = s->matrix[0], *B = s->matrix[1], *C = s->matrix[2];
    int64_t status = startile_gemm_batch('N', 'N', -1, A, B, 1, C);
    TRY(startile_trsm_batch('L', 'L', 'N', 'N', 1, A, B));
    return status;
}

static int64_t run_cholesky(struct set *s)
{
    int64_t status = startile_potrf_batch('L', s->matrix[0], s->info);
    TRY(startile_potrs_batch('L', s->matrix[0], s->matrix[1]));
    return status;
}

static int64_t run_lu(struct set *s)
{
    int64_t status = startile_getrf_batch(s->matrix[0], s->ipiv, s->info);
    TRY(startile_getrs_batch('N', s->matrix[0], s->ipiv, s->matrix[1]));
    TRY(startile_getri_batch(s->matrix[0], s->ipiv, s->info));
    TRY(startile_getrf_nopiv_batch(s->matrix[2], s->info));
    return status;
}

static int64_t run_qr(struct set *s)
{
    int64_t status = startile_geqrf_batch(s->matrix[0], s->tau);
    TRY(startile_ormqr_batch('L', 'C', s->matrix[0], s->tau, s->matrix[1]));
    TRY(startile_gels_batch('N', s->matrix[2], s->matrix[1], s->info));
    return status;
}

/* The matrices as vectors; a number of each is read from the first array. */
static int64_t run_vectors(struct set *s)
{
    startile_batch *x = NULL, *y = NULL, *alpha = NULL, *real = NULL, *product = NULL;
    int64_t n = s->order * s->order;
    startile_dtype of_norms = dtype_is_single(s->dtype) ? STARTILE_S : STARTILE_D;
    int64_t status =
        startile_batch_wrap(&x, s->dtype, s->count, 1, n, s->memory[1], 1, n, s->per_task, s->info);
    TRY(startile_batch_wrap(&y, s->dtype, s->count, 1, n, s->memory[2], 1, n, 0, x));
    TRY(startile_batch_wrap(&alpha, s->dtype, s->count, 1, 1, s->memory[0], 1, 0, 0, x));
    TRY(startile_batch_create(&real, of_norms, s->count, 1, 1, 0, x));
    TRY(startile_batch_create(&product, s->dtype, s->count, 1, 1, 0, x));
    TRY(startile_nrm2_batch(x, real));
    TRY(startile_asum_batch(x, real));
    TRY(startile_iamax_batch(x, s->info));
    TRY(startile_dot_batch(x, y, product));
    TRY(startile_dotc_batch(x, y, product));
    TRY(startile_scal_batch(alpha, x));
    TRY(startile_axpy_batch(alpha, x, y));
    startile_batch_destroy(product);
    startile_batch_destroy(real);
    startile_batch_destroy(alpha);
    startile_batch_destroy(y);
    startile_batch_destroy(x);
    return status;
}

int64_t run_batched(const struct problem *p)
{
    static int64_t (*const run[])(struct set *) = {run_products, run_cholesky, run_lu, run_qr,
                                                   run_vectors};
    int64_t status = 0;
    for (size_t i = 0; i < sizeof run / sizeof *run && status == 0; i++) {
        struct set s;
        status = open_set(&s, p);
        TRY(run[i](&s));
        close_set(&s);
    }
    return status;
}
