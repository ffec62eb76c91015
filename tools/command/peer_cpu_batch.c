/*
 * The CPU peer of batches: LAPACK and BLAS on one small problem.
 */
#include "peer_cpu_batch.h"

#include "peer_cpu.h"
#include "scalar.h"

#include <complex.h>
#include <stdlib.h>

/* Fortran passes everything by address, and the lengths of strings at the end. */
typedef void getrf_function(const int *m, const int *n, void *a, const int *lda, int *ipiv,
                            int *info);
typedef void getrs_function(const char *trans, const int *n, const int *nrhs, const void *a,
                            const int *lda, const int *ipiv, void *b, const int *ldb, int *info,
                            size_t);
typedef void gesv_function(const int *n, const int *nrhs, void *a, const int *lda, int *ipiv,
                           void *b, const int *ldb, int *info);
typedef void getri_function(const int *n, void *a, const int *lda, const int *ipiv, void *work,
                            const int *lwork, int *info);
typedef void geqrf_function(const int *m, const int *n, void *a, const int *lda, void *tau,
                            void *work, const int *lwork, int *info);
typedef void ormqr_function(const char *side, const char *trans, const int *m, const int *n,
                            const int *k, const void *a, const int *lda, const void *tau, void *c,
                            const int *ldc, void *work, const int *lwork, int *info, size_t,
                            size_t);
typedef void gels_function(const char *trans, const int *m, const int *n, const int *nrhs, void *a,
                           const int *lda, void *b, const int *ldb, void *work, const int *lwork,
                           int *info, size_t);
typedef float single_norm_function(const int *n, const void *x, const int *incx);
typedef double double_norm_function(const int *n, const void *x, const int *incx);
typedef int iamax_function(const int *n, const void *x, const int *incx);
typedef void scal_function(const int *n, const void *alpha, void *x, const int *incx);
typedef void axpy_function(const int *n, const void *alpha, const void *x, const int *incx, void *y,
                           const int *incy);

static const int one = 1;

static struct {
    bool tried, loaded;
    getrf_function *getrf[4];
    getrs_function *getrs[4];
    gesv_function *gesv[4];
    getri_function *getri[4];
    geqrf_function *geqrf[4];
    ormqr_function *ormqr[4];
    gels_function *gels[4];
    single_norm_function *single_nrm2[4], *single_asum[4];
    double_norm_function *double_nrm2[4], *double_asum[4];
    float (*sdot)(const int *, const void *, const int *, const void *, const int *);
    double (*ddot)(const int *, const void *, const int *, const void *, const int *);
    float _Complex (*cdotc)(const int *, const void *, const int *, const void *, const int *);
    double _Complex (*zdotc)(const int *, const void *, const int *, const void *, const int *);
    iamax_function *iamax[4];
    scal_function *scal[4];
    axpy_function *axpy[4];
} peer;

/* -- loading -------------------------------------------------------------------------------- */

static bool find_matrices(startile_dtype t)
{
    return cpu_peer_find(t, "getrf", &peer.getrf[t]) && cpu_peer_find(t, "getrs", &peer.getrs[t]) &&
           cpu_peer_find(t, "gesv", &peer.gesv[t]) && cpu_peer_find(t, "getri", &peer.getri[t]) &&
           cpu_peer_find(t, "geqrf", &peer.geqrf[t]) &&
           cpu_peer_find(t, dtype_is_complex(t) ? "unmqr" : "ormqr", &peer.ormqr[t]) &&
           cpu_peer_find(t, "gels", &peer.gels[t]);
}

static bool find_vectors(startile_dtype t)
{
    return cpu_peer_find(t, "scal", &peer.scal[t]) && cpu_peer_find(t, "axpy", &peer.axpy[t]);
}

/* Their names begin with the letters of result and argument: scnrm2, dznrm2. */
static bool find_norms(void)
{
    const startile_dtype s = STARTILE_S, d = STARTILE_D, c = STARTILE_C, z = STARTILE_Z;
    return cpu_peer_find(s, "nrm2", &peer.single_nrm2[s]) &&
           cpu_peer_find(s, "cnrm2", &peer.single_nrm2[c]) &&
           cpu_peer_find(d, "nrm2", &peer.double_nrm2[d]) &&
           cpu_peer_find(d, "znrm2", &peer.double_nrm2[z]) &&
           cpu_peer_find(s, "asum", &peer.single_asum[s]) &&
           cpu_peer_find(s, "casum", &peer.single_asum[c]) &&
           cpu_peer_find(d, "asum", &peer.double_asum[d]) &&
           cpu_peer_find(d, "zasum", &peer.double_asum[z]);
}

static bool find_others(void)
{
    return cpu_peer_find(STARTILE_S, "dot", &peer.sdot) &&
           cpu_peer_find(STARTILE_D, "dot", &peer.ddot) &&
           cpu_peer_find(STARTILE_C, "dotc", &peer.cdotc) &&
           cpu_peer_find(STARTILE_Z, "dotc", &peer.zdotc) &&
           cpu_peer_find_named("isamax_", &peer.iamax[STARTILE_S]) &&
           cpu_peer_find_named("idamax_", &peer.iamax[STARTILE_D]) &&
           cpu_peer_find_named("icamax_", &peer.iamax[STARTILE_C]) &&
           cpu_peer_find_named("izamax_", &peer.iamax[STARTILE_Z]);
}

bool cpu_peer_batch_load(void)
{
    if (!peer.tried && cpu_peer_load()) {
        peer.loaded = find_norms() && find_others();
        for (int t = 0; t < 4 && peer.loaded; t++)
            peer.loaded = find_matrices((startile_dtype)t) && find_vectors((startile_dtype)t);
    }
    peer.tried = true;
    return peer.loaded;
}

/* -- workspace ------------------------------------------------------------------------------ */

/* As ILAENV has it, and ormqr's room for a triangle behind the block's columns: what LAPACK itself
 * asks for or more */
enum { BLOCK = 64, TRIANGLE = (BLOCK + 1) * BLOCK };

bool peer_work_open(struct peer_work *work, startile_dtype dtype, int64_t n)
{
    int64_t elements = (BLOCK + 2) * n + 2 * TRIANGLE;
    *work = (struct peer_work){.elements = (int)elements};
    work->memory = malloc((size_t)elements * dtype_size(dtype));
    work->ipiv = malloc((size_t)n * sizeof *work->ipiv);
    return work->memory && work->ipiv;
}

void peer_work_close(struct peer_work *work)
{
    free(work->memory);
    free(work->ipiv);
}

static void narrow(int *to, const int64_t *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (int)from[i];
}

static void widen(int64_t *to, const int *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

/* -- matrices ------------------------------------------------------------------------------- */

int64_t cpu_batch_getrf(startile_dtype dtype, int m, int n, void *a, int64_t *ipiv,
                        struct peer_work *work)
{
    int info = 0;
    peer.getrf[dtype](&m, &n, a, &m, work->ipiv, &info);
    widen(ipiv, work->ipiv, m < n ? m : n);
    return info;
}

int64_t cpu_batch_getrs(startile_dtype dtype, int n, int nrhs, const void *a, const int64_t *ipiv,
                        void *b, struct peer_work *work)
{
    int info = 0;
    narrow(work->ipiv, ipiv, n);
    peer.getrs[dtype]("N", &n, &nrhs, a, &n, work->ipiv, b, &n, &info, 1);
    return info;
}

int64_t cpu_batch_gesv(startile_dtype dtype, int n, int nrhs, void *a, int64_t *ipiv, void *b,
                       struct peer_work *work)
{
    int info = 0;
    peer.gesv[dtype](&n, &nrhs, a, &n, work->ipiv, b, &n, &info);
    widen(ipiv, work->ipiv, n);
    return info;
}

int64_t cpu_batch_getri(startile_dtype dtype, int n, void *a, const int64_t *ipiv,
                        struct peer_work *work)
{
    int info = 0;
    narrow(work->ipiv, ipiv, n);
    peer.getri[dtype](&n, a, &n, work->ipiv, work->memory, &work->elements, &info);
    return info;
}

int64_t cpu_batch_geqrf(startile_dtype dtype, int m, int n, void *a, void *tau,
                        struct peer_work *work)
{
    int info = 0;
    peer.geqrf[dtype](&m, &n, a, &m, tau, work->memory, &work->elements, &info);
    return info;
}

int64_t cpu_batch_ormqr(startile_dtype dtype, int m, int n, int k, const void *a, const void *tau,
                        void *c, struct peer_work *work)
{
    int info = 0;
    peer.ormqr[dtype]("L", dtype_is_complex(dtype) ? "C" : "T", &m, &n, &k, a, &m, tau, c, &m,
                      work->memory, &work->elements, &info, 1, 1);
    return info;
}

int64_t cpu_batch_gels(startile_dtype dtype, int m, int n, int nrhs, void *a, void *b,
                       struct peer_work *work)
{
    int info = 0, ldb = m > n ? m : n;
    peer.gels[dtype]("N", &m, &n, &nrhs, a, &m, b, &ldb, work->memory, &work->elements, &info, 1);
    return info;
}

/* -- vectors -------------------------------------------------------------------------------- */

void cpu_batch_nrm2(startile_dtype dtype, int n, const void *x, void *result)
{
    if (dtype_is_single(dtype))
        *(float *)result = peer.single_nrm2[dtype](&n, x, &one);
    else
        *(double *)result = peer.double_nrm2[dtype](&n, x, &one);
}

void cpu_batch_asum(startile_dtype dtype, int n, const void *x, void *result)
{
    if (dtype_is_single(dtype))
        *(float *)result = peer.single_asum[dtype](&n, x, &one);
    else
        *(double *)result = peer.double_asum[dtype](&n, x, &one);
}

void cpu_batch_dot(startile_dtype dtype, int n, const void *x, const void *y, void *result)
{
    switch (dtype) {
    case STARTILE_S:
        *(float *)result = peer.sdot(&n, x, &one, y, &one);
        break;
    case STARTILE_D:
        *(double *)result = peer.ddot(&n, x, &one, y, &one);
        break;
    case STARTILE_C:
        *(float _Complex *)result = peer.cdotc(&n, x, &one, y, &one);
        break;
    case STARTILE_Z:
        *(double _Complex *)result = peer.zdotc(&n, x, &one, y, &one);
        break;
    }
}

int64_t cpu_batch_iamax(startile_dtype dtype, int n, const void *x)
{
    return peer.iamax[dtype](&n, x, &one);
}

void cpu_batch_scal(startile_dtype dtype, int n, double alpha, void *x)
{
    const float single[2] = {(float)alpha, 0};
    const double full[2] = {alpha, 0};
    peer.scal[dtype](&n, dtype_is_single(dtype) ? (const void *)single : (const void *)full, x,
                     &one);
}

void cpu_batch_axpy(startile_dtype dtype, int n, double alpha, const void *x, void *y)
{
    const float single[2] = {(float)alpha, 0};
    const double full[2] = {alpha, 0};
    peer.axpy[dtype](&n, dtype_is_single(dtype) ? (const void *)single : (const void *)full, x,
                     &one, y, &one);
}
