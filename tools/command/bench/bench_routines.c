/*
 * Routines of `startile bench`, on matrices in tiles and on batches. A new routine needs a row of
 * the table at the end, and the functions that the row names.
 */
#include "bench_lapack.h"
#include "flops.h"
#include "residual.h"
#include "scalar.h"
#include "startile_mixed.h"

#include <string.h>

#define A x->matrix[0]
#define B x->matrix[1]
#define C x->matrix[2]

/* -- operations ------------------------------------------------------------------------------- */

/* Defines count_ROUTINE(), which returns the number of operations of a problem p. */
#define COUNT(routine, operations)                                                                 \
    static double count_##routine(const struct problem *p)                                         \
    {                                                                                              \
        return operations;                                                                         \
    }
COUNT(potrf, flops_potrf(p->dtype, p->n))
COUNT(potrs, flops_potrs(p->dtype, p->n, p->k))
COUNT(posv, count_potrf(p) + count_potrs(p))
COUNT(potri, flops_potri(p->dtype, p->n))
/* as those of Cholesky */
COUNT(sytrf, flops_potrf(p->dtype, p->n))
COUNT(sygst, flops_sygst(p->dtype, p->n))
COUNT(sysv, count_sytrf(p) + count_potrs(p))
COUNT(sytri, flops_potri(p->dtype, p->n))
COUNT(getrf, flops_getrf(p->dtype, p->m, p->n))
COUNT(getrs, flops_getrs(p->dtype, p->n, p->k))
COUNT(gesv, count_getrf(p) + count_getrs(p))
COUNT(getri, flops_getri(p->dtype, p->n))
COUNT(geqrf, flops_geqrf(p->dtype, p->m, p->n))
COUNT(geqp3, flops_geqrf(p->dtype, p->m, p->n))
COUNT(gelqf, flops_gelqf(p->dtype, p->m, p->n))
COUNT(gels, flops_gels(p->dtype, p->m, p->n, p->k))
COUNT(gelsy, flops_gels(p->dtype, p->m, p->n, p->k))
COUNT(ormqr, flops_ormqr(p->dtype, p->m, p->k, smaller(p->m, p->n)))
COUNT(orgqr, flops_orgqr(p->dtype, p->m, p->n, p->n))
COUNT(gemm, flops_gemm(p->dtype, p->m, p->n, p->k))
COUNT(herk, flops_herk(p->dtype, p->n, p->k))
COUNT(trsm, flops_trsm(p->dtype, p->n, p->k))
COUNT(squares, (dtype_is_complex(p->dtype) ? 4 : 2) * (double)p->n)
COUNT(elements, (dtype_is_complex(p->dtype) ? 2 : 1) * (double)p->n)
COUNT(products, (dtype_is_complex(p->dtype) ? 8 : 2) * (double)p->n)
COUNT(scal, (dtype_is_complex(p->dtype) ? 6 : 1) * (double)p->n)

/* -- the library ------------------------------------------------------------------------------ */

/* Defines prepare_ROUTINE(), which makes an input by calling the routine. */
#define PREPARE(routine, ...)                                                                      \
    static int64_t prepare_##routine(const struct problem *p, const struct library_data *x)        \
    {                                                                                              \
        (void)p;                                                                                   \
        return startile_##routine(__VA_ARGS__);                                                    \
    }
PREPARE(potrf, p->uplo, A)
PREPARE(sytrf, p->uplo, A, x->symmetric_pivots)
PREPARE(hetrf, p->uplo, A, x->symmetric_pivots)
PREPARE(getrf, A, x->pivots)
PREPARE(geqrf, A, x->reflectors)

/* Defines submit_ROUTINE(), which calls the routine's asynchronous function. */
#define SUBMIT(routine, ...)                                                                       \
    static int submit_##routine(const struct problem *p, const struct library_data *x,             \
                                startile_request *r)                                               \
    {                                                                                              \
        (void)p;                                                                                   \
        return startile_##routine##_async(__VA_ARGS__, r);                                         \
    }
SUBMIT(potrf, p->uplo, A)
SUBMIT(potrs, p->uplo, A, B)
SUBMIT(posv, p->uplo, A, B)
SUBMIT(potri, p->uplo, A)
SUBMIT(hegst, 1, p->uplo, A, B)
SUBMIT(sytrf, p->uplo, A, x->symmetric_pivots)
SUBMIT(hetrf, p->uplo, A, x->symmetric_pivots)
SUBMIT(sysv, p->uplo, A, x->symmetric_pivots, B)
SUBMIT(hesv, p->uplo, A, x->symmetric_pivots, B)
SUBMIT(sytri, p->uplo, A, x->symmetric_pivots)
SUBMIT(hetri, p->uplo, A, x->symmetric_pivots)
SUBMIT(sytrf_aa, p->uplo, A, x->pivots, x->band, x->band_pivots)
SUBMIT(hetrf_aa, p->uplo, A, x->pivots, x->band, x->band_pivots)
SUBMIT(sysv_aa, p->uplo, A, x->pivots, x->band, x->band_pivots, B)
SUBMIT(hesv_aa, p->uplo, A, x->pivots, x->band, x->band_pivots, B)
SUBMIT(getrf, A, x->pivots)
SUBMIT(getrf_nopiv, A)
SUBMIT(getrf_tntpiv, A, x->pivots)
SUBMIT(getrs, 'N', A, x->pivots, B)
SUBMIT(gesv, A, x->pivots, B, 0)
SUBMIT(getri, A, x->pivots)
SUBMIT(geqrf, A, x->reflectors)
SUBMIT(geqp3, A, x->permutation, x->reflectors)
SUBMIT(geqp3_random, A, x->permutation, x->reflectors, 1)
SUBMIT(geqrf_tree, A, x->tree)
SUBMIT(gelqf, A, x->reflectors)
SUBMIT(gels, 'N', A, B)
SUBMIT(unmqr, 'L', 'C', A, x->reflectors, B)
SUBMIT(ungqr, A, x->reflectors)
SUBMIT(gemm, 'N', 'N', -1, A, B, 1, C)
SUBMIT(herk, p->uplo, 'N', -1, A, 1, B)
SUBMIT(trsm, 'L', p->uplo, 'N', 'N', 1, A, B)

/* Solvers in mixed precision have an X of their own: they submit the solution, and a copy to B, so
 * that the result is where that of posv and gesv is. */
#define SUBMIT_MIXED(routine, ...)                                                                 \
    static int submit_##routine(const struct problem *p, const struct library_data *x,             \
                                startile_request *r)                                               \
    {                                                                                              \
        const startile_mixed_options options = {.size = sizeof options, .products = p->products};  \
        int status = startile_##routine##_async(__VA_ARGS__, B, C, &options, x->mixed, r);         \
        return status ? status : startile_lacpy_async('G', C, B, r);                               \
    }
SUBMIT_MIXED(posv_mixed, p->uplo, A)
SUBMIT_MIXED(gesv_mixed, A, x->pivots)

/* Defines batch_ROUTINE(), which calls the blocking function for batches. */
#define RUN_BATCH(routine, ...)                                                                    \
    static int64_t batch_##routine(const struct problem *p, startile_batch *const *x)              \
    {                                                                                              \
        (void)p;                                                                                   \
        return startile_##routine##_batch(__VA_ARGS__);                                            \
    }
RUN_BATCH(potrf, p->uplo, x[0], x[1])
RUN_BATCH(potrs, p->uplo, x[0], x[1])
RUN_BATCH(posv, p->uplo, x[0], x[1], x[2])
RUN_BATCH(getrf, x[0], x[1], x[2])
RUN_BATCH(getrf_nopiv, x[0], x[1])
RUN_BATCH(getrs, 'N', x[0], x[1], x[2])
RUN_BATCH(gesv, x[0], x[1], x[2], x[3])
RUN_BATCH(getri, x[0], x[1], x[2])
RUN_BATCH(geqrf, x[0], x[1])
RUN_BATCH(geqp3, x[0], x[2], x[1])
RUN_BATCH(gelsy, x[0], x[1], -1, x[2])
RUN_BATCH(unmqr, 'L', 'C', x[0], x[1], x[2])
RUN_BATCH(gels, 'N', x[0], x[1], x[2])
RUN_BATCH(gemm, 'N', 'N', -1, x[0], x[1], 1, x[2])
RUN_BATCH(trsm, 'L', p->uplo, 'N', 'N', 1, x[0], x[1])
RUN_BATCH(nrm2, x[0], x[1])
RUN_BATCH(asum, x[0], x[1])
RUN_BATCH(dotc, x[0], x[1], x[2])
RUN_BATCH(iamax, x[0], x[1])
RUN_BATCH(scal, x[0], x[1])
RUN_BATCH(axpy, x[0], x[1], x[2])

/* -- results that are numbers ----------------------------------------------------------------- */

/* Returns a real number of the problem's precision. */
static double real_result(const struct problem *p, const void *at)
{
    return dtype_is_single(p->dtype) ? *(const float *)at : *(const double *)at;
}

static double residual_of_nrm2(const struct problem *p, void *const *x)
{
    return residual_sum(SUM_NRM2, p->dtype, p->n, x[0], NULL, real_result(p, x[1]));
}

static double residual_of_asum(const struct problem *p, void *const *x)
{
    return residual_sum(SUM_ASUM, p->dtype, p->n, x[0], NULL, real_result(p, x[1]));
}

static double residual_of_dot(const struct problem *p, void *const *x)
{
    return residual_sum(SUM_DOTC, p->dtype, p->n, x[0], x[1], element_get(p->dtype, x[2], 0));
}

static double residual_of_iamax(const struct problem *p, void *const *x)
{
    return residual_iamax(p->dtype, p->n, x[0], *(const int64_t *)x[1]);
}

/* -- the table -------------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUDA
#define GPU_PEER(call) .cuda_peer = cuda_##call
#define SECOND_GPU_PEER(call) .second_cuda_peer = cuda_##call
#else
#define GPU_PEER(call) .cuda_peer = NULL
#define SECOND_GPU_PEER(call) .second_cuda_peer = NULL
#endif

#define LU (TALL_TILES | PIVOTS)
#define QR (M_IS_FREE | TALL_TILES | REFLECTORS_IN_COLUMNS)
#define LQ (M_IS_FREE | TALL_TILES | REFLECTORS_IN_ROWS)
#define INFO                                                                                       \
    {                                                                                              \
        "i11", INTEGERS, NOTHING, WRITTEN                                                          \
    }
#define LU_FORMULA "p(P) A0 - l(A) u(A) / A0"
#define QR_FORMULA "A0 - q(A) u(A) / A0; q(A)' q(A) - I / I"

/* clang-format off */
static const struct routine routines[] = {
    {"potrf", NULL, K_UNUSED, TRIANGLE,
     {{"Ann", ELEMENTS, DEFINITE, CHANGED}, INFO},
     count_potrf, .formula = "A0 - c(A) c(A)' / A0", .cpu_peer = cpu_potrf,
     .submit = submit_potrf, GPU_PEER(potrf), .several_gpus = MG_POTRF,
     .run_batch = batch_potrf},
    {"potrs", NULL, K_DEFAULTS_TO_1, TRIANGLE,
     {{"Ann", ELEMENTS, DEFINITE, READ}, {"Bnk", IN_OUT}},
     count_potrs, .formula = "B0 - c(A) c(A)' B / c(A) c(A)', B", .cpu_peer = cpu_potrs,
     .submit = submit_potrs, .prepare = prepare_potrf, GPU_PEER(potrs),
     .run_batch = batch_potrs, .cpu_prepare = cpu_potrf},
    {"posv", NULL, K_DEFAULTS_TO_1, TRIANGLE,
     {{"Ann", ELEMENTS, DEFINITE, CHANGED}, {"Bnk", IN_OUT}, INFO},
     count_posv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_posv,
     .submit = submit_posv, GPU_PEER(posv), .run_batch = batch_posv},
    {"posv_mixed", NULL, K_DEFAULTS_TO_1, TRIANGLE | MIXED,
     {{"Ann", ELEMENTS, DEFINITE, CHANGED}, {"Bnk", IN_OUT}, {"Xnk", IN_OUT}},
     count_posv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_posv, .cpu_stand_in = "posv",
     .submit = submit_posv_mixed, GPU_PEER(posv), .cuda_stand_in = "potrf with potrs"},
    {"potri", NULL, K_UNUSED, TRIANGLE,
     {{"Ann", ELEMENTS, DEFINITE, CHANGED}},
     count_potri, .formula = "A0 h(A) - I / A0, h(A)", .cpu_peer = cpu_potri,
     .submit = submit_potri, .prepare = prepare_potrf, GPU_PEER(potri)},
    {"sygst", "hegst", K_UNUSED, TRIANGLE,
     {{"Ann", ELEMENTS, HERMITIAN, CHANGED}, {"Bnn", ELEMENTS, DEFINITE, READ}},
     count_sygst, .formula = "h(A0) - c(B) h(A) c(B)' / c(B), h(A), c(B)'", .cpu_peer = cpu_sygst,
     .submit = submit_hegst},
    {"sytrf", NULL, K_UNUSED, TRIANGLE | SYMMETRIC_PIVOTS | ONE_PROCESS,
     {{"Ann", ELEMENTS, SYMMETRIC, CHANGED}},
     count_sytrf, .formula = "A0 s(A) - I / A0, s(A)", .cpu_peer = cpu_sytrf,
     .submit = submit_sytrf, .temporaries = 1, GPU_PEER(sytrf),
     .blas = {"ssytrf_", "dsytrf_", "csytrf_", "zsytrf_"}},
    {"hetrf", NULL, K_UNUSED, TRIANGLE | SYMMETRIC_PIVOTS | ONE_PROCESS,
     {{"Ann", ELEMENTS, HERMITIAN, CHANGED}},
     count_sytrf, .formula = "A0 s(A) - I / A0, s(A)", .cpu_peer = cpu_sytrf,
     .submit = submit_hetrf, .temporaries = 1,
     .blas = {"ssytrf_", "dsytrf_", "chetrf_", "zhetrf_"}},
    {"sysv", NULL, K_DEFAULTS_TO_1, TRIANGLE | SYMMETRIC_PIVOTS | ONE_PROCESS,
     {{"Ann", ELEMENTS, SYMMETRIC, CHANGED}, {"Bnk", IN_OUT}},
     count_sysv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_sysv,
     .submit = submit_sysv, .temporaries = 1, GPU_PEER(sysv),
     .blas = {"ssysv_", "dsysv_", "csysv_", "zsysv_"}},
    {"hesv", NULL, K_DEFAULTS_TO_1, TRIANGLE | SYMMETRIC_PIVOTS | ONE_PROCESS,
     {{"Ann", ELEMENTS, HERMITIAN, CHANGED}, {"Bnk", IN_OUT}},
     count_sysv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_sysv,
     .submit = submit_hesv, .temporaries = 1,
     .blas = {"ssysv_", "dsysv_", "chesv_", "zhesv_"}},
    {"sytri", NULL, K_UNUSED, TRIANGLE | SYMMETRIC_PIVOTS | ONE_PROCESS,
     {{"Ann", ELEMENTS, SYMMETRIC, CHANGED}},
     count_sytri, .formula = "A0 y(A) - I / A0, y(A)", .cpu_peer = cpu_sytri,
     .submit = submit_sytri, .prepare = prepare_sytrf, .temporaries = 2,
     .blas = {"ssytri_", "dsytri_", "csytri_", "zsytri_"}},
    {"hetri", NULL, K_UNUSED, TRIANGLE | SYMMETRIC_PIVOTS | ONE_PROCESS,
     {{"Ann", ELEMENTS, HERMITIAN, CHANGED}},
     count_sytri, .formula = "A0 h(A) - I / A0, h(A)", .cpu_peer = cpu_sytri,
     .submit = submit_hetri, .prepare = prepare_hetrf, .temporaries = 2,
     .blas = {"ssytri_", "dsytri_", "chetri_", "zhetri_"}},
    {"sytrf_aa", NULL, K_UNUSED, TRIANGLE | BAND,
     {{"Ann", ELEMENTS, SYMMETRIC, CHANGED}},
     count_sytrf, .formula = "A0 s(A) - I / A0, s(A)", .cpu_peer = cpu_sytrf_aa,
     .submit = submit_sytrf_aa, .temporaries = 2,
     .blas = {"ssytrf_aa_2stage_", "dsytrf_aa_2stage_", "csytrf_aa_2stage_", "zsytrf_aa_2stage_"}},
    {"hetrf_aa", NULL, K_UNUSED, TRIANGLE | BAND,
     {{"Ann", ELEMENTS, HERMITIAN, CHANGED}},
     count_sytrf, .formula = "A0 s(A) - I / A0, s(A)", .cpu_peer = cpu_sytrf_aa,
     .submit = submit_hetrf_aa, .temporaries = 2,
     .blas = {"ssytrf_aa_2stage_", "dsytrf_aa_2stage_", "chetrf_aa_2stage_", "zhetrf_aa_2stage_"}},
    {"sysv_aa", NULL, K_DEFAULTS_TO_1, TRIANGLE | BAND,
     {{"Ann", ELEMENTS, SYMMETRIC, CHANGED}, {"Bnk", IN_OUT}},
     count_sysv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_sysv_aa,
     .submit = submit_sysv_aa, .temporaries = 2,
     .blas = {"ssysv_aa_2stage_", "dsysv_aa_2stage_", "csysv_aa_2stage_", "zsysv_aa_2stage_"}},
    {"hesv_aa", NULL, K_DEFAULTS_TO_1, TRIANGLE | BAND,
     {{"Ann", ELEMENTS, HERMITIAN, CHANGED}, {"Bnk", IN_OUT}},
     count_sysv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_sysv_aa,
     .submit = submit_hesv_aa, .temporaries = 2,
     .blas = {"ssysv_aa_2stage_", "dsysv_aa_2stage_", "chesv_aa_2stage_", "zhesv_aa_2stage_"}},
    {"getrf", NULL, K_UNUSED, LU | M_IS_FREE,
     {{"Amn", IN_OUT}, {"Ps1", INTEGERS, NOTHING, WRITTEN}, INFO},
     count_getrf, .formula = LU_FORMULA, .cpu_peer = cpu_getrf,
     .submit = submit_getrf, GPU_PEER(getrf), .several_gpus = MG_GETRF,
     .run_batch = batch_getrf},
    {"getrf_nopiv", NULL, K_UNUSED, M_IS_FREE | TALL_TILES,
     {{"Amn", ELEMENTS, DOMINANT, CHANGED}, INFO},
     count_getrf, .formula = "A0 - l(A) u(A) / A0", .cpu_peer = cpu_getrf,
     .submit = submit_getrf_nopiv, GPU_PEER(getrf_nopiv),
     .cpu_stand_in = "getrf, which pivots", .run_batch = batch_getrf_nopiv},
    {"getrf_tntpiv", NULL, K_UNUSED, LU | M_IS_FREE,
     {{"Amn", IN_OUT}},
     count_getrf, .formula = LU_FORMULA, .cpu_peer = cpu_getrf,
     .submit = submit_getrf_tntpiv, GPU_PEER(getrf), .several_gpus = MG_GETRF,
     .cpu_stand_in = "getrf, partial pivoting", .cuda_stand_in = "getrf, partial pivoting"},
    {"getrs", NULL, K_DEFAULTS_TO_1, LU,
     {{"Ann", IN}, {"Pn1", INTEGERS, NOTHING, READ}, {"Bnk", IN_OUT}},
     count_getrs, .formula = "B0 - p(P)' l(A) u(A) B / p(P)' l(A) u(A), B", .cpu_peer = cpu_getrs,
     .submit = submit_getrs, .prepare = prepare_getrf, GPU_PEER(getrs),
     .run_batch = batch_getrs, .cpu_prepare = cpu_getrf},
    {"gesv", NULL, K_DEFAULTS_TO_1, LU,
     {{"Ann", IN_OUT}, {"Pn1", INTEGERS, NOTHING, WRITTEN}, {"Bnk", IN_OUT}, INFO},
     count_gesv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_gesv,
     .submit = submit_gesv, GPU_PEER(gesv), .run_batch = batch_gesv},
    {"gesv_mixed", NULL, K_DEFAULTS_TO_1, LU | MIXED,
     {{"Ann", IN_OUT}, {"Bnk", IN_OUT}, {"Xnk", IN_OUT}},
     count_gesv, .formula = "B0 - A0 B / A0, B", .cpu_peer = cpu_gesv, .cpu_stand_in = "gesv",
     .submit = submit_gesv_mixed, GPU_PEER(gesv), SECOND_GPU_PEER(gesv_refined),
     .cuda_stand_in = "the faster of getrf with getrs and gesv in FP32 with refinement"},
    /* An algorithm for the inverse makes only one of the two residuals small. */
    {"getri", NULL, K_UNUSED, LU,
     {{"Ann", IN_OUT}, {"Pn1", INTEGERS, NOTHING, READ}, INFO},
     count_getri,
     .formula = "p(P)' l(A0) u(A0) A - I / p(P)' l(A0) u(A0), A |"
     " A p(P)' l(A0) u(A0) - I / p(P)' l(A0) u(A0), A",
     .tiled_formula = "A0 A - I / A0, A | A A0 - I / A0, A", .cpu_peer = cpu_getri,
     .submit = submit_getri, .prepare = prepare_getrf, .temporaries = 1,
     GPU_PEER(getri), .cuda_stand_in = "getrs on the identity",
     .run_batch = batch_getri, .cpu_prepare = cpu_getrf},
    {"geqrf", NULL, K_UNUSED, QR,
     {{"Amn", IN_OUT}, {"Ts1", OUT}},
     count_geqrf, .formula = QR_FORMULA, .cpu_peer = cpu_geqrf,
     .submit = submit_geqrf, GPU_PEER(geqrf), .run_batch = batch_geqrf},
    {"geqrf_tree", NULL, K_UNUSED, QR | BY_TREE,
     {{"Amn", IN_OUT}},
     count_geqrf, .formula = QR_FORMULA, .cpu_peer = cpu_geqrf,
     .submit = submit_geqrf_tree, .temporaries = 1, GPU_PEER(geqrf),
     .cpu_stand_in = "geqrf", .cuda_stand_in = "geqrf"},
    /* A A^H = Q R R^H Q^H holds for any permutation of the columns. */
    {"geqp3", NULL, K_UNUSED, QR | COLUMN_PIVOTS | ONE_PROCESS,
     {{"Amn", IN_OUT}, {"Ts1", OUT}, {"Pn1", INTEGERS, NOTHING, WRITTEN}},
     count_geqp3, .formula = "A0 A0' - q(A) u(A) u(A)' q(A)' / A0, A0'; q(A)' q(A) - I / I",
     .cpu_peer = cpu_geqp3, .submit = submit_geqp3, .run_batch = batch_geqp3},
    {"geqp3_random", NULL, K_UNUSED, QR | COLUMN_PIVOTS,
     {{"Amn", IN_OUT}},
     count_geqp3, .formula = "A0 A0' - q(A) u(A) u(A)' q(A)' / A0, A0'; q(A)' q(A) - I / I",
     .cpu_peer = cpu_geqp3, .submit = submit_geqp3_random, .cpu_stand_in = "geqp3"},
    {"gelqf", NULL, K_UNUSED, LQ,
     {{"Amn", IN_OUT}},
     count_gelqf, .formula = "A0 - n(A) q(A) / A0; q(A)' q(A) - I / I", .cpu_peer = cpu_gelqf,
     .submit = submit_gelqf, .temporaries = 1, GPU_PEER(gelqf),
     .cuda_stand_in = "geqrf of A^H, transposed there and back"},
    {"gels", NULL, K_DEFAULTS_TO_1, M_IS_FREE | TALL_TILES,
     {{"Amn", IN_OUT}, {"Bgk", IN_OUT}, INFO},
     count_gels, .formula = "x(B0) - A0 B / A0, B", .tall = "A0' B0 - A0' A0 x(B) / A0', B0",
     .wide = "x(B0) - A0 B / A0, B; B - q(F)' E q(F) B / B", .cpu_peer = cpu_gels,
     .submit = submit_gels, .temporaries = 1, GPU_PEER(gels),
     .cuda_stand_in = "geqrf, ormqr and trsm", .run_batch = batch_gels},
    {"gelsy", NULL, K_DEFAULTS_TO_1, M_IS_FREE,
     {{"Amn", IN_OUT}, {"Bgk", IN_OUT}, {"R11", INTEGERS, NOTHING, WRITTEN}},
     count_gelsy, .formula = "x(B0) - A0 B / A0, B", .tall = "A0' B0 - A0' A0 x(B) / A0', B0",
     .wide = "x(B0) - A0 B / A0, B; B - q(F)' E q(F) B / B", .cpu_peer = cpu_gelsy,
     .run_batch = batch_gelsy},
    {"ormqr", "unmqr", K_DEFAULTS_TO_N, QR,
     {{"Amn", IN}, {"Ts1", ELEMENTS, NOTHING, READ}, {"Cmk", IN_OUT}},
     count_ormqr, .formula = "C0 - q(A) C / C0", .cpu_peer = cpu_ormqr,
     .submit = submit_unmqr, .prepare = prepare_geqrf, GPU_PEER(ormqr),
     .run_batch = batch_unmqr, .cpu_prepare = cpu_geqrf},
    {"orgqr", "ungqr", K_UNUSED, QR | NEEDS_M_GE_N,
     {{"Amn", IN_OUT}},
     count_orgqr, .formula = "A0 - A J A' A0 / A0; A' A - I / I", .cpu_peer = cpu_orgqr,
     .submit = submit_ungqr, .prepare = prepare_geqrf, GPU_PEER(orgqr)},
    {"gemm", NULL, K_DEFAULTS_TO_N, M_IS_FREE,
     {{"Amk", IN}, {"Bkn", IN}, {"Cmn", IN_OUT}},
     count_gemm, .formula = "C - C0 + A B / A, B + C0", .cpu_peer = cpu_gemm,
     .submit = submit_gemm, GPU_PEER(gemm), .run_batch = batch_gemm},
    {"herk", NULL, K_DEFAULTS_TO_N, TRIANGLE,
     {{"Ank", IN}, {"Cnn", ELEMENTS, HERMITIAN, CHANGED}},
     count_herk, .formula = "h(C) - h(C0) + A A' / A, A' + C0", .cpu_peer = cpu_syrk,
     .submit = submit_herk, GPU_PEER(herk)},
    {"trsm", NULL, K_DEFAULTS_TO_N, TRIANGLE,
     {{"Ann", ELEMENTS, DOMINANT, READ}, {"Bnk", IN_OUT}},
     count_trsm, .formula = "B0 - t(A) B / t(A), B", .cpu_peer = cpu_trsm,
     .submit = submit_trsm, GPU_PEER(trsm), .run_batch = batch_trsm},
    {"nrm2", NULL, K_UNUSED, VECTORS,
     {{"X1n", IN}, {"R11", REALS, NOTHING, WRITTEN}},
     count_squares, .residual = residual_of_nrm2, .cpu_peer = cpu_norm, .run_batch = batch_nrm2,
     .blas = {"snrm2_", "dnrm2_", "scnrm2_", "dznrm2_"}},
    {"asum", NULL, K_UNUSED, VECTORS,
     {{"X1n", IN}, {"R11", REALS, NOTHING, WRITTEN}},
     count_elements, .residual = residual_of_asum, .cpu_peer = cpu_norm, .run_batch = batch_asum,
     .blas = {"sasum_", "dasum_", "scasum_", "dzasum_"}},
    {"dot", "dotc", K_UNUSED, VECTORS,
     {{"X1n", IN}, {"Y1n", IN}, {"R11", OUT}},
     count_products, .residual = residual_of_dot, .cpu_peer = cpu_dot, .run_batch = batch_dotc,
     .blas = {"sdot_", "ddot_", "cdotc_", "zdotc_"}},
    {"iamax", NULL, K_UNUSED, VECTORS,
     {{"X1n", IN}, {"R11", INTEGERS, NOTHING, WRITTEN}},
     NULL, .residual = residual_of_iamax, .cpu_peer = cpu_iamax, .run_batch = batch_iamax,
     .blas = {"isamax_", "idamax_", "icamax_", "izamax_"}},
    {"scal", NULL, K_UNUSED, VECTORS,
     {{"F11", ELEMENTS, FACTOR, READ}, {"X1n", IN_OUT}},
     count_scal, .formula = "X' - X0' F", .cpu_peer = cpu_scal, .run_batch = batch_scal,
     .blas = {"sscal_", "dscal_", "cscal_", "zscal_"}},
    {"axpy", NULL, K_UNUSED, VECTORS,
     {{"F11", ELEMENTS, FACTOR, READ}, {"X1n", IN}, {"Y1n", IN_OUT}},
     count_products, .formula = "Y' - Y0' - X' F", .cpu_peer = cpu_axpy,
     .run_batch = batch_axpy, .blas = {"saxpy_", "daxpy_", "caxpy_", "zaxpy_"}},
};
/* clang-format on */

enum { ROUTINES = sizeof routines / sizeof *routines };
static const char batch_suffix[] = "_batch";

bool is_batch_name(const char *name)
{
    size_t length = strlen(name);
    return length >= sizeof batch_suffix &&
           !strcmp(name + length - (sizeof batch_suffix - 1), batch_suffix);
}

/* Returns whether `routine` is the name of that length; false for NULL. */
static bool has_name(const char *routine, const char *name, size_t length)
{
    return routine && strlen(routine) == length && !strncmp(routine, name, length);
}

/* Returns whether the routine has a version for batches (of_batches), or one for matrices in tiles
 * (!of_batches). */
static bool supports(const struct routine *r, bool of_batches)
{
    return of_batches ? r->run_batch != NULL : r->submit != NULL;
}

const struct routine *find_routine(const char *name)
{
    bool of_batches = is_batch_name(name);
    size_t length = strlen(name) - (of_batches ? sizeof batch_suffix - 1 : 0);
    for (const struct routine *r = routines; r < routines + ROUTINES; r++)
        if (supports(r, of_batches) &&
            (has_name(r->name, name, length) || has_name(r->alias, name, length)))
            return r;
    return NULL;
}

const struct routine *batch_routine(int i)
{
    for (const struct routine *r = routines; r < routines + ROUTINES; r++)
        if (supports(r, true) && i-- == 0)
            return r;
    return NULL;
}

const char *routine_names(bool of_batches)
{
    static char names[2][500];
    char *list = names[of_batches];
    const struct routine *last = NULL;
    for (const struct routine *r = routines; r < routines + ROUTINES; r++)
        last = supports(r, of_batches) ? r : last;
    /* a list with " or " is complete since an earlier call */
    for (const struct routine *r = routines; r <= last && !strstr(list, " or "); r++)
        if (supports(r, of_batches)) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof names[0] - used, "%s%s%s",
                     !used      ? ""
                     : r < last ? ", "
                                : " or ",
                     r->name, of_batches ? batch_suffix : "");
        }
    return list;
}

/* Adds max(m, n) to the diagonal of DOMINANT and DEFINITE operands. A random Hermitian matrix is
 * then positive definite, a triangular one well conditioned, and a general one needs no pivots. */
int describe_operands(const struct problem *p, struct random_matrix o[MAX_OPERANDS])
{
    int count = 0;
    for (const struct operand *row = p->routine->operand; row->letters; row++) {
        if (row->element != ELEMENTS || row->letters[0] == 'T')
            continue;
        int64_t m = operand_rows(row, &p->size), n = operand_columns(row, &p->size);
        bool dominant = row->content == DOMINANT || row->content == DEFINITE;
        bool hermitian = row->content == HERMITIAN || row->content == DEFINITE;
        o[count] = (struct random_matrix){.name = row->letters[0],
                                          .m = m,
                                          .n = n,
                                          .kind = hermitian                   ? 'H'
                                                  : row->content == SYMMETRIC ? 'S'
                                                                              : 'G',
                                          .seed = (uint64_t)count + 1,
                                          .bump = dominant ? (double)(m > n ? m : n) : 0,
                                          .result = row->written};
        count++;
    }
    return count;
}
