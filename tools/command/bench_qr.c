/*
 * QR and least squares in `startile bench`.
 */
#include "bench.h"
#include "flops.h"
#include "peer_cpu.h"
#include "peer_cuda.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* -- the library ---------------------------------------------------------------------------- */

static void describe_geqrf(const struct problem *p, struct operand *o)
{
    o[0] = (struct operand){p->m, p->n, 'G', 1, 0, true};
}

static void describe_gels(const struct problem *p, struct operand *o)
{
    describe_geqrf(p, o);
    o[1] = (struct operand){p->m > p->n ? p->m : p->n, p->k, 'G', 2, 0, true};
}

static void describe_ormqr(const struct problem *p, struct operand *o)
{
    o[0] = (struct operand){p->m, p->n, 'G', 1, 0, false};
    o[1] = (struct operand){p->m, p->k, 'G', 2, 0, true};
}

static double count_geqrf(const struct problem *p)
{
    return flops_geqrf(p->dtype, (double)p->m, (double)p->n);
}

static double count_gelqf(const struct problem *p)
{
    return flops_gelqf(p->dtype, (double)p->m, (double)p->n);
}

static double count_gels(const struct problem *p)
{
    return flops_gels(p->dtype, (double)p->m, (double)p->n, (double)p->k);
}

static double count_ormqr(const struct problem *p)
{
    return flops_ormqr(p->dtype, (double)p->m, (double)p->k, (double)smaller(p->m, p->n));
}

static double count_orgqr(const struct problem *p)
{
    return flops_orgqr(p->dtype, (double)p->m, (double)p->n, (double)p->n);
}

static int64_t factor(const struct problem *p, const struct library_data *x)
{
    (void)p;
    return startile_geqrf(x->matrix[0], x->reflectors);
}

static int submit_geqrf(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_geqrf_async(x->matrix[0], x->reflectors, r);
}

static int submit_tree(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_geqrf_tree_async(x->matrix[0], x->tree, r);
}

static int submit_gelqf(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_gelqf_async(x->matrix[0], x->reflectors, r);
}

static int submit_gels(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_gels_async('N', x->matrix[0], x->matrix[1], r);
}

static int submit_ormqr(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_unmqr_async('L', 'C', x->matrix[0], x->reflectors, x->matrix[1], r);
}

static int submit_orgqr(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_ungqr_async(x->matrix[0], x->reflectors, r);
}

/* -- the CPU peer --------------------------------------------------------------------------- */

static int64_t cpu_geqrf(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_geqrf(p->dtype, (int)p->m, (int)p->n, x->matrix[0], x->tau);
}

static int64_t cpu_gelqf(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_gelqf(p->dtype, (int)p->m, (int)p->n, x->matrix[0], x->tau);
}

static int64_t cpu_gels(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_gels(p->dtype, (int)p->m, (int)p->n, (int)p->k, x->matrix[0], x->matrix[1]);
}

static int64_t cpu_ormqr(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_ormqr(p->dtype, (int)p->m, (int)p->k, (int)smaller(p->m, p->n), x->matrix[0],
                          x->tau, x->matrix[1]);
}

static int64_t cpu_orgqr(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_orgqr(p->dtype, (int)p->m, (int)p->n, (int)p->n, x->matrix[0], x->tau);
}

/* -- the GPU peer --------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUDA

static int cuda_prepare_geqrf(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_geqrf(p->dtype, p->m, p->n, x->matrix[0], x->tau);
}

static int cuda_prepare_gelqf(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_gelqf(p->dtype, p->m, p->n, x->matrix[0], x->tau);
}

static int cuda_prepare_gels(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_gels(p->dtype, p->m, p->n, p->k, x->matrix[0], x->tau, x->matrix[1]);
}

static int cuda_prepare_ormqr(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_ormqr(p->dtype, p->m, p->k, smaller(p->m, p->n), x->matrix[0], x->tau,
                                   x->matrix[1]);
}

static int cuda_prepare_orgqr(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_orgqr(p->dtype, p->m, p->n, x->matrix[0], x->tau);
}

static int cuda_geqrf(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_geqrf(p->dtype, p->m, p->n, x->matrix[0], x->tau);
}

static int cuda_gelqf(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_gelqf(p->dtype, p->m, p->n, x->matrix[0], x->tau);
}

static int cuda_gels(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_gels(p->dtype, p->m, p->n, p->k, x->matrix[0], x->tau, x->matrix[1]);
}

static int cuda_ormqr(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_ormqr(p->dtype, 'C', p->m, p->k, smaller(p->m, p->n), x->matrix[0], x->tau,
                           x->matrix[1]);
}

static int cuda_orgqr(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_orgqr(p->dtype, p->m, p->n, x->matrix[0], x->tau);
}

#define CUDA(prepare, call) .cuda_prepare = prepare, .cuda_peer = call
#else
#define CUDA(prepare, call) .cuda_prepare = NULL, .cuda_peer = NULL
#endif

/* -- the table ------------------------------------------------------------------------------ */

const struct routine qr_routines[] = {
    {
        .name = "geqrf",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .tall_tiles = true,
        .reflectors = REFLECTORS_IN_COLUMNS,
        .operands = 1,
        .describe = describe_geqrf,
        .flops = count_geqrf,
        .submit = submit_geqrf,
        .check = check_qr,
        .cpu_peer = cpu_geqrf,
        CUDA(cuda_prepare_geqrf, cuda_geqrf),
    },
    {
        .name = "geqrf_tree",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .tall_tiles = true,
        .reflectors = REFLECTORS_IN_COLUMNS,
        .by_tree = true,
        .operands = 1,
        .temporaries = 1,
        .describe = describe_geqrf,
        .flops = count_geqrf,
        .submit = submit_tree,
        .check = check_qr,
        .cpu_peer = cpu_geqrf,
        .cpu_peer_does = "geqrf",
        CUDA(cuda_prepare_geqrf, cuda_geqrf),
        .cuda_peer_does = "geqrf",
    },
    {
        .name = "gelqf",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .tall_tiles = true,
        .reflectors = REFLECTORS_IN_ROWS,
        .operands = 1,
        .temporaries = 1,
        .describe = describe_geqrf,
        .flops = count_gelqf,
        .submit = submit_gelqf,
        .check = check_lq,
        .cpu_peer = cpu_gelqf,
        CUDA(cuda_prepare_gelqf, cuda_gelqf),
        .cuda_peer_does = "geqrf of A^H, transposed there and back",
    },
    {
        .name = "gels",
        .meaning_of_k = K_DEFAULTS_TO_1,
        .m_is_free = true,
        .tall_tiles = true,
        .operands = 2,
        .temporaries = 1,
        .describe = describe_gels,
        .flops = count_gels,
        .submit = submit_gels,
        .check = check_gels,
        .cpu_peer = cpu_gels,
        CUDA(cuda_prepare_gels, cuda_gels),
        .cuda_peer_does = "geqrf, ormqr and trsm",
    },
    {
        .name = "ormqr",
        .alias = "unmqr",
        .meaning_of_k = K_DEFAULTS_TO_N,
        .m_is_free = true,
        .tall_tiles = true,
        .reflectors = REFLECTORS_IN_COLUMNS,
        .operands = 2,
        .describe = describe_ormqr,
        .flops = count_ormqr,
        .prepare = factor,
        .submit = submit_ormqr,
        .check = check_apply_q,
        .cpu_peer = cpu_ormqr,
        CUDA(cuda_prepare_ormqr, cuda_ormqr),
    },
    {
        .name = "orgqr",
        .alias = "ungqr",
        .meaning_of_k = K_UNUSED,
        .m_is_free = true,
        .needs_m_ge_n = true,
        .tall_tiles = true,
        .reflectors = REFLECTORS_IN_COLUMNS,
        .operands = 1,
        .describe = describe_geqrf,
        .flops = count_orgqr,
        .prepare = factor,
        .submit = submit_orgqr,
        .check = check_make_q,
        .cpu_peer = cpu_orgqr,
        CUDA(cuda_prepare_orgqr, cuda_orgqr),
    },
    {.name = NULL},
};
