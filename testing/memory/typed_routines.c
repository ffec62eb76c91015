/* Calls with LAPACK's arguments: single problems, and batches in the three forms. */
#include "routines.h"
#include "startile_batch.h"
#include "startile_lapack.h"

#include <math.h>
#include <stddef.h>

/* COUNT matrices of order N; in the third form of a batch, matrix q has order N − q. */
enum { N = 40, COUNT = 6, STRIDE = N * N };

static double a[COUNT * STRIDE], b[COUNT * STRIDE], x[COUNT * STRIDE], tau[COUNT * N];
static double *each_a[COUNT], *each_b[COUNT], *each_tau[COUNT];
static int64_t ipiv[COUNT * N], *each_ipiv[COUNT], info[COUNT], order[COUNT], nrhs[COUNT],
    ld[COUNT];

/* Makes COUNT positive definite matrices A and matrices B. */
static void fill(void)
{
    for (int q = 0; q < COUNT; q++) {
        info[q] = 0;
        for (int i = 0; i < STRIDE; i++) {
            x[q * STRIDE + i] = 0;
            a[q * STRIDE + i] = i % (N + 1) == 0 ? N : (double)((i % N) * (i / N) % 7) / 7;
            b[q * STRIDE + i] = i % 11;
        }
        for (int i = 0; i < N; i++)
            ipiv[q * N + i] = i + 1, tau[q * N + i] = 0.5;
        each_a[q] = a + q * STRIDE;
        each_b[q] = b + q * STRIDE;
        each_tau[q] = tau + q * N;
        each_ipiv[q] = ipiv + q * N;
        order[q] = N - q;
        nrhs[q] = 3;
        ld[q] = N;
    }
}

/* Sets the checksum from the operands. Returns the status. */
static int64_t sum_up(int64_t status)
{
    checksum = 0;
    for (int i = 0; i < COUNT * STRIDE; i++)
        checksum += fabs(a[i]) + fabs(b[i]) + fabs(x[i]);
    for (int i = 0; i < COUNT * N; i++)
        checksum += fabs(tau[i]) + (double)ipiv[i];
    for (int q = 0; q < COUNT; q++)
        checksum += (double)info[q];
    return status;
}

/* Defines the function run_NAME(), which makes the call. */
#define RUN(name, call)                                                                            \
    static int64_t run_##name(void)                                                                \
    {                                                                                              \
        fill();                                                                                    \
        return sum_up(call);                                                                       \
    }

static int64_t iterations, rank;
static double rcond;
RUN(potrf, startile_dpotrf('L', N, a, N))
RUN(pstrf, startile_dpstrf('L', N, a, N, ipiv, &rank, -1))
RUN(sysv, startile_dsysv('U', N, 3, a, N, ipiv, b, N))
RUN(posv, startile_dposv('U', N, 3, a, N, b, N))
RUN(dsposv, startile_dsposv('L', N, 3, a, N, b, N, x, N, &iterations))
RUN(pocon, startile_dpocon('L', N, a, N, 1, &rcond))
RUN(gesv, startile_dgesv(N, 3, a, N, ipiv, b, N))
RUN(dsgesv, startile_dsgesv(N, 3, a, N, ipiv, b, N, x, N, &iterations))
RUN(getrs, startile_dgetrs('C', N, 3, a, N, ipiv, b, N))
RUN(getri, startile_dgetri(N, a, N, ipiv))
RUN(geqrf, startile_dgeqrf(N, N, a, N, tau))
RUN(geqp3, startile_dgeqp3(N, N, a, N, ipiv, tau))
RUN(geqp3_random, startile_dgeqp3_random(N, N, a, N, ipiv, tau, 1))
RUN(geqp3_rank, startile_dgeqp3_rank(N, N, a, N, ipiv, tau, 0.1, N, &rank))
RUN(gelqf, startile_dgelqf(N, N, a, N, tau))
RUN(ormqr, startile_dormqr('R', 'T', 3, N, N, a, N, tau, b, N))
RUN(ormlq, startile_dormlq('L', 'N', N, 3, N, a, N, tau, b, N))
RUN(orgqr, startile_dorgqr(N, N, N, a, N, tau))
RUN(orglq, startile_dorglq(N, N, N, a, N, tau))
RUN(gels, startile_dgels('N', N, N / 2, 3, a, N, b, N))
RUN(gelsy, startile_dgelsy(N, N / 2, 3, a, N, b, N, ipiv, 0, &iterations))

#define ROUTINE(name)                                                                              \
    {                                                                                              \
#name, run_##name                                                                          \
    }
const struct routine typed_routines[] = {
    ROUTINE(potrf), ROUTINE(pstrf),        ROUTINE(posv),       ROUTINE(dsposv), ROUTINE(pocon),
    ROUTINE(gesv),  ROUTINE(dsgesv),       ROUTINE(getrs),      ROUTINE(getri),  ROUTINE(geqrf),
    ROUTINE(geqp3), ROUTINE(geqp3_random), ROUTINE(geqp3_rank), ROUTINE(gelqf),  ROUTINE(ormqr),
    ROUTINE(ormlq), ROUTINE(orgqr),        ROUTINE(orglq),      ROUTINE(gels),   ROUTINE(gelsy),
    ROUTINE(sysv),  {NULL, NULL},
};

RUN(potrf_strided, startile_dpotrf_batch_strided('L', N, a, N, STRIDE, info, COUNT))
RUN(potrf_pointers, startile_dpotrf_batch('L', N, each_a, N, info, COUNT))
RUN(potrf_sizes, startile_dpotrf_vbatch('L', order, each_a, ld, info, COUNT))
RUN(posv_sizes, startile_dposv_vbatch('L', order, nrhs, each_a, ld, each_b, ld, info, COUNT))
RUN(gesv_strided,
    startile_dgesv_batch_strided(N, 3, a, N, STRIDE, ipiv, N, b, N, STRIDE, info, COUNT))
RUN(gesv_pointers, startile_dgesv_batch(N, 3, each_a, N, each_ipiv, each_b, N, info, COUNT))
RUN(gesv_sizes, startile_dgesv_vbatch(order, nrhs, each_a, ld, each_ipiv, each_b, ld, info, COUNT))
RUN(getri_sizes, startile_dgetri_vbatch(order, each_a, ld, each_ipiv, info, COUNT))
RUN(geqrf_sizes, startile_dgeqrf_vbatch(order, order, each_a, ld, each_tau, COUNT))
RUN(geqp3_sizes, startile_dgeqp3_vbatch(order, order, each_a, ld, each_ipiv, each_tau, COUNT))
RUN(ormqr_sizes,
    startile_dormqr_vbatch('L', 'T', order, nrhs, nrhs, each_a, ld, each_tau, each_b, ld, COUNT))
RUN(gels_strided,
    startile_dgels_batch_strided('N', N, N / 2, 3, a, N, STRIDE, b, N, STRIDE, info, COUNT))
RUN(gels_sizes, startile_dgels_vbatch('N', nrhs, order, nrhs, each_a, ld, each_b, ld, info, COUNT))
RUN(gelsy_strided,
    startile_dgelsy_batch_strided(N, N / 2, 3, a, N, STRIDE, b, N, STRIDE, 0, info, COUNT))
RUN(gemm_sizes, startile_dgemm_vbatch('N', 'T', order, nrhs, order, 1, each_a, ld, each_b, ld, 0,
                                      each_b, ld, COUNT))
RUN(dot_sizes, startile_ddot_vbatch(order, each_a, ld, each_b, ld, tau, COUNT))
RUN(iamax_sizes, startile_diamax_vbatch(order, each_a, ld, info, COUNT))
RUN(axpy_strided, startile_daxpy_batch_strided(N, 2, a, 1, STRIDE, b, 1, STRIDE, COUNT))

const struct routine batch_routines[] = {
    ROUTINE(potrf_strided), ROUTINE(potrf_pointers), ROUTINE(potrf_sizes), ROUTINE(posv_sizes),
    ROUTINE(gesv_strided),  ROUTINE(gesv_pointers),  ROUTINE(gesv_sizes),  ROUTINE(getri_sizes),
    ROUTINE(geqrf_sizes),   ROUTINE(geqp3_sizes),    ROUTINE(ormqr_sizes), ROUTINE(gels_strided),
    ROUTINE(gels_sizes),    ROUTINE(gelsy_strided),  ROUTINE(gemm_sizes),  ROUTINE(dot_sizes),
    ROUTINE(iamax_sizes),   ROUTINE(axpy_strided),   {NULL, NULL},
};
