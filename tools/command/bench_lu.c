/*
 * LU in `startile bench`.
 */
#include "bench.h"
#include "flops.h"
#include "peer_cpu.h"
#include "peer_cuda.h"

/* -- the library ---------------------------------------------------------------------------- */

static void describe_getrf(const struct problem *p, struct operand *o)
{
    o[0] = (struct operand){p->m, p->n, 'G', 1, 0, true};
}

/* With that bump the diagonal outweighs the rest of its row and column: no pivots are needed. */
static void describe_dominant(const struct problem *p, struct operand *o)
{
    o[0] = (struct operand){p->m, p->n, 'G', 1, (double)(p->m > p->n ? p->m : p->n), true};
}

static void describe_getrs(const struct problem *p, struct operand *o)
{
    describe_getrf(p, o);
    o[0].result = false;
    o[1] = (struct operand){p->n, p->k, 'G', 2, 0, true};
}

static void describe_gesv(const struct problem *p, struct operand *o)
{
    describe_getrf(p, o);
    o[1] = (struct operand){p->n, p->k, 'G', 2, 0, true};
}

static double count_getrf(const struct problem *p)
{
    return flops_getrf(p->dtype, (double)p->m, (double)p->n);
}

static double count_getrs(const struct problem *p)
{
    return flops_getrs(p->dtype, (double)p->n, (double)p->k);
}

static double count_gesv(const struct problem *p)
{
    return count_getrf(p) + count_getrs(p);
}

static double count_getri(const struct problem *p)
{
    return flops_getri(p->dtype, (double)p->n);
}

static int64_t factor(const struct problem *p, const struct library_data *x)
{
    (void)p;
    return startile_getrf(x->matrix[0], x->pivots);
}

static int submit_getrf(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_getrf_async(x->matrix[0], x->pivots, r);
}

static int submit_nopiv(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_getrf_nopiv_async(x->matrix[0], r);
}

static int submit_tntpiv(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_getrf_tntpiv_async(x->matrix[0], x->pivots, r);
}

static int submit_getrs(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_getrs_async('N', x->matrix[0], x->pivots, x->matrix[1], r);
}

static int submit_gesv(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_gesv_async(x->matrix[0], x->pivots, x->matrix[1], 0, r);
}

static int submit_getri(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_getri_async(x->matrix[0], x->pivots, r);
}

/* -- the CPU peer --------------------------------------------------------------------------- */

static int64_t cpu_getrf(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_getrf(p->dtype, (int)p->m, (int)p->n, x->matrix[0], x->ipiv);
}

static int64_t cpu_getrs(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_getrs(p->dtype, (int)p->n, (int)p->k, x->matrix[0], x->ipiv, x->matrix[1]);
}

static int64_t cpu_gesv(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_gesv(p->dtype, (int)p->n, (int)p->k, x->matrix[0], x->ipiv, x->matrix[1]);
}

static int64_t cpu_getri(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_getri(p->dtype, (int)p->n, x->matrix[0], x->ipiv);
}

/* -- the GPU peer --------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUDA

static int cuda_prepare(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_getrf(p->dtype, p->m, p->n, x->matrix[0]);
}

static int cuda_prepare_getri(const struct problem *p, const struct peer_data *x)
{
    (void)x;
    return cuda_peer_prepare_getri(p->dtype, p->n);
}

static int cuda_getrf(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_getrf(p->dtype, p->m, p->n, x->matrix[0], x->ipiv);
}

static int cuda_nopiv(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_getrf(p->dtype, p->m, p->n, x->matrix[0], NULL);
}

static int cuda_getrs(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_getrs(p->dtype, p->n, p->k, x->matrix[0], x->ipiv, x->matrix[1]);
}

static int cuda_gesv(const struct problem *p, const struct peer_data *x)
{
    return cuda_getrf(p, x) || cuda_getrs(p, x);
}

static int cuda_getri(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_getri(p->dtype, p->n, x->matrix[0], x->ipiv);
}

#define CUDA(prepare, call) .cuda_prepare = prepare, .cuda_peer = call
#else
#define CUDA(prepare, call) .cuda_prepare = NULL, .cuda_peer = NULL
#endif

/* -- the table ------------------------------------------------------------------------------ */

const struct routine lu_routines[] = {
    {
        .name = "getrf",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .tall_tiles = true,
        .pivots = true,
        .operands = 1,
        .describe = describe_getrf,
        .flops = count_getrf,
        .submit = submit_getrf,
        .check = check_lu,
        .cpu_peer = cpu_getrf,
        CUDA(cuda_prepare, cuda_getrf),
        .several_gpus = MG_GETRF,
    },
    {
        .name = "getrf_nopiv",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .tall_tiles = true,
        .operands = 1,
        .describe = describe_dominant,
        .flops = count_getrf,
        .submit = submit_nopiv,
        .check = check_lu,
        .cpu_peer = cpu_getrf,
        .cpu_peer_does = "getrf, which pivots",
        CUDA(cuda_prepare, cuda_nopiv),
    },
    {
        .name = "getrf_tntpiv",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .tall_tiles = true,
        .pivots = true,
        .operands = 1,
        .describe = describe_getrf,
        .flops = count_getrf,
        .submit = submit_tntpiv,
        .check = check_lu,
        .cpu_peer = cpu_getrf,
        .cpu_peer_does = "getrf, partial pivoting",
        CUDA(cuda_prepare, cuda_getrf),
        .several_gpus = MG_GETRF,
        .cuda_peer_does = "getrf, partial pivoting",
    },
    {
        .name = "getrs",
        .meaning_of_k = K_DEFAULTS_TO_1,
        .tall_tiles = true,
        .pivots = true,
        .operands = 2,
        .describe = describe_getrs,
        .flops = count_getrs,
        .prepare = factor,
        .submit = submit_getrs,
        .check = check_solution,
        .cpu_peer = cpu_getrs,
        CUDA(NULL, cuda_getrs),
    },
    {
        .name = "gesv",
        .meaning_of_k = K_DEFAULTS_TO_1,
        .tall_tiles = true,
        .pivots = true,
        .operands = 2,
        .describe = describe_gesv,
        .flops = count_gesv,
        .submit = submit_gesv,
        .check = check_solution,
        .cpu_peer = cpu_gesv,
        CUDA(cuda_prepare, cuda_gesv),
    },
    {
        .name = "getri",
        .meaning_of_k = K_UNUSED,
        .tall_tiles = true,
        .pivots = true,
        .operands = 1,
        .temporaries = 1,
        .describe = describe_getrf,
        .flops = count_getri,
        .prepare = factor,
        .submit = submit_getri,
        .check = check_inverse,
        .cpu_peer = cpu_getri,
        CUDA(cuda_prepare_getri, cuda_getri),
        .cuda_peer_does = "getrs on the identity",
    },
    {.name = NULL},
};
