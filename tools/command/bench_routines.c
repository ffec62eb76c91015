/*
 * The routines that `startile bench` knows: Cholesky and the tile BLAS here, LU in bench_lu.c,
 * QR in bench_qr.c. A new one is one more entry.
 */
#include "bench.h"
#include "flops.h"
#include "peer_cpu.h"
#include "peer_cuda.h"
#include "scalar.h"

#include <string.h>

/* With bump = n a random Hermitian matrix is positive definite, and a triangular one well
 * conditioned. */
static struct operand definite(const struct problem *p, bool result)
{
    return (struct operand){p->n, p->n, 'H', 1, (double)p->n, result};
}

static struct operand general(int64_t m, int64_t n, uint64_t seed, bool result)
{
    return (struct operand){m, n, 'G', seed, 0, result};
}

/* -- potrf, potrs, posv --------------------------------------------------------------------- */

static void describe_potrf(const struct problem *p, struct operand *o)
{
    o[0] = definite(p, true);
}

static void describe_potrs(const struct problem *p, struct operand *o)
{
    o[0] = definite(p, false);
    o[1] = general(p->n, p->k, 2, true);
}

static void describe_posv(const struct problem *p, struct operand *o)
{
    o[0] = definite(p, true);
    o[1] = general(p->n, p->k, 2, true);
}

static double count_potrf(const struct problem *p)
{
    return flops_potrf(p->dtype, (double)p->n);
}

static double count_potrs(const struct problem *p)
{
    return flops_potrs(p->dtype, (double)p->n, (double)p->k);
}

static double count_posv(const struct problem *p)
{
    return count_potrf(p) + count_potrs(p);
}

static int64_t factor(const struct problem *p, const struct library_data *x)
{
    return startile_potrf(p->uplo, x->matrix[0]);
}

static int submit_potrf(const struct problem *p, const struct library_data *x, startile_request *r)
{
    return startile_potrf_async(p->uplo, x->matrix[0], r);
}

static int submit_potrs(const struct problem *p, const struct library_data *x, startile_request *r)
{
    return startile_potrs_async(p->uplo, x->matrix[0], x->matrix[1], r);
}

static int submit_posv(const struct problem *p, const struct library_data *x, startile_request *r)
{
    return startile_posv_async(p->uplo, x->matrix[0], x->matrix[1], r);
}

static int64_t cpu_potrf(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_potrf(p->dtype, p->uplo, (int)p->n, x->matrix[0]);
}

static int64_t cpu_potrs(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_potrs(p->dtype, p->uplo, (int)p->n, (int)p->k, x->matrix[0], x->matrix[1]);
}

static int64_t cpu_posv(const struct problem *p, const struct peer_data *x)
{
    return cpu_peer_posv(p->dtype, p->uplo, (int)p->n, (int)p->k, x->matrix[0], x->matrix[1]);
}

/* -- gemm, herk, trsm ----------------------------------------------------------------------- */

static void describe_gemm(const struct problem *p, struct operand *o)
{
    o[0] = general(p->m, p->k, 1, false);
    o[1] = general(p->k, p->n, 2, false);
    o[2] = general(p->m, p->n, 3, true);
}

static void describe_herk(const struct problem *p, struct operand *o)
{
    o[0] = general(p->n, p->k, 1, false);
    o[1] = (struct operand){p->n, p->n, 'H', 2, 0, true};
}

static void describe_trsm(const struct problem *p, struct operand *o)
{
    o[0] = definite(p, false);
    o[1] = general(p->n, p->k, 2, true);
}

static double count_gemm(const struct problem *p)
{
    return flops_gemm(p->dtype, (double)p->m, (double)p->n, (double)p->k);
}

static double count_herk(const struct problem *p)
{
    return flops_herk(p->dtype, (double)p->n, (double)p->k);
}

static double count_trsm(const struct problem *p)
{
    return flops_trsm(p->dtype, (double)p->n, (double)p->k);
}

static int submit_gemm(const struct problem *p, const struct library_data *x, startile_request *r)
{
    (void)p;
    return startile_gemm_async('N', 'N', -1, x->matrix[0], x->matrix[1], 1, x->matrix[2], r);
}

static int submit_herk(const struct problem *p, const struct library_data *x, startile_request *r)
{
    return startile_herk_async(p->uplo, 'N', -1, x->matrix[0], 1, x->matrix[1], r);
}

static int submit_trsm(const struct problem *p, const struct library_data *x, startile_request *r)
{
    return startile_trsm_async('L', p->uplo, 'N', 'N', 1, x->matrix[0], x->matrix[1], r);
}

static int64_t cpu_gemm(const struct problem *p, const struct peer_data *x)
{
    cpu_peer_gemm(p->dtype, (int)p->m, (int)p->n, (int)p->k, x->matrix[0], x->matrix[1],
                  x->matrix[2]);
    return 0;
}

static int64_t cpu_herk(const struct problem *p, const struct peer_data *x)
{
    cpu_peer_herk(p->dtype, p->uplo, (int)p->n, (int)p->k, x->matrix[0], x->matrix[1]);
    return 0;
}

static int64_t cpu_trsm(const struct problem *p, const struct peer_data *x)
{
    cpu_peer_trsm(p->dtype, p->uplo, (int)p->n, (int)p->k, x->matrix[0], x->matrix[1]);
    return 0;
}

/* -- the GPU peer --------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUDA

static int cuda_prepare(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_prepare_potrf(p->dtype, p->uplo, p->n, x->matrix[0]);
}

static int cuda_potrf(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_potrf(p->dtype, p->uplo, p->n, x->matrix[0]);
}

static int cuda_potrs(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_potrs(p->dtype, p->uplo, p->n, p->k, x->matrix[0], x->matrix[1]);
}

static int cuda_posv(const struct problem *p, const struct peer_data *x)
{
    return cuda_potrf(p, x) || cuda_potrs(p, x);
}

static int cuda_gemm(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_gemm(p->dtype, p->m, p->n, p->k, x->matrix[0], x->matrix[1], x->matrix[2]);
}

static int cuda_herk(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_herk(p->dtype, p->uplo, p->n, p->k, x->matrix[0], x->matrix[1]);
}

static int cuda_trsm(const struct problem *p, const struct peer_data *x)
{
    return cuda_peer_trsm(p->dtype, p->uplo, 'N', p->n, p->k, x->matrix[0], p->n, x->matrix[1],
                          p->n);
}

#define CUDA(prepare, call) .cuda_prepare = prepare, .cuda_peer = call
#else
#define CUDA(prepare, call) .cuda_prepare = NULL, .cuda_peer = NULL
#endif

/* -- the table ------------------------------------------------------------------------------ */

static const struct routine routines[] = {
    {
        .name = "potrf",
        .triangle = true,
        .meaning_of_k = K_UNUSED,
        .operands = 1,
        .describe = describe_potrf,
        .flops = count_potrf,
        .submit = submit_potrf,
        .check = check_cholesky,
        .cpu_peer = cpu_potrf,
        CUDA(cuda_prepare, cuda_potrf),
        .several_gpus = MG_POTRF,
    },
    {
        .name = "potrs",
        .triangle = true,
        .meaning_of_k = K_DEFAULTS_TO_1,
        .operands = 2,
        .describe = describe_potrs,
        .flops = count_potrs,
        .prepare = factor,
        .submit = submit_potrs,
        .check = check_solution,
        .cpu_peer = cpu_potrs,
        CUDA(NULL, cuda_potrs),
    },
    {
        .name = "posv",
        .triangle = true,
        .meaning_of_k = K_DEFAULTS_TO_1,
        .operands = 2,
        .describe = describe_posv,
        .flops = count_posv,
        .submit = submit_posv,
        .check = check_solution,
        .cpu_peer = cpu_posv,
        CUDA(cuda_prepare, cuda_posv),
    },
    {
        .name = "gemm",
        .meaning_of_k = K_DEFAULTS_TO_N,
        .m_is_free = true,
        .operands = 3,
        .describe = describe_gemm,
        .flops = count_gemm,
        .submit = submit_gemm,
        .check = check_gemm,
        .cpu_peer = cpu_gemm,
        CUDA(NULL, cuda_gemm),
    },
    {
        .name = "herk",
        .triangle = true,
        .meaning_of_k = K_DEFAULTS_TO_N,
        .operands = 2,
        .describe = describe_herk,
        .flops = count_herk,
        .submit = submit_herk,
        .check = check_herk,
        .cpu_peer = cpu_herk,
        CUDA(NULL, cuda_herk),
    },
    {
        .name = "trsm",
        .triangle = true,
        .meaning_of_k = K_DEFAULTS_TO_N,
        .operands = 2,
        .describe = describe_trsm,
        .flops = count_trsm,
        .submit = submit_trsm,
        .check = check_trsm,
        .cpu_peer = cpu_trsm,
        CUDA(NULL, cuda_trsm),
    },
    {.name = NULL},
};

const struct routine *find_routine(const char *name)
{
    const struct routine *const tables[] = {routines, lu_routines, qr_routines};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct routine *routine = tables[i]; routine->name; routine++)
            if (!strcmp(name, routine->name) || (routine->alias && !strcmp(name, routine->alias)))
                return routine;
    return NULL;
}
