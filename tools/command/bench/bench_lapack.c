/*
 * The CPU peer's routines: LAPACK and BLAS as `startile bench` calls them.
 */
#include "bench_lapack.h"

#include "scalar.h"

#include <float.h>
#include <stdlib.h>

/* Dimensions and leading dimensions (at least 1) as Fortran takes them, and workspace. least:
 * min(m, n) */
struct call {
    int m, n, k, least;
    int ldm, ldn, ldk, ldg; /* ldg: max(m, n) */
    int info, size;         /* size: elements of work */
    void *work;
};

static struct call dimensions_of(const struct problem *p)
{
    int64_t least = p->m < p->n ? p->m : p->n;
    return (struct call){.m = (int)p->m,
                         .n = (int)p->n,
                         .k = (int)p->k,
                         .least = (int)least,
                         .ldm = (int)at_least_1(p->m),
                         .ldn = (int)at_least_1(p->n),
                         .ldk = (int)at_least_1(p->k),
                         .ldg = (int)at_least_1(p->m + p->n - least)};
}

/* Allocates workspace for blocks of 64 columns, as from ILAENV, and for ormqr's triangle. Makes no
 * workspace query, which would add to the peer's time for each problem of a batch. */
static struct call dimensions_and_workspace(const struct problem *p)
{
    enum { BLOCK = 64 };
    struct call c = dimensions_of(p);
    int64_t longest = c.ldg > c.k ? c.ldg : c.k;
    c.size = (int)((BLOCK + 2) * longest + 2 * (BLOCK + 1) * BLOCK);
    c.work = malloc((size_t)c.size * dtype_size(p->dtype));
    c.info = c.work ? 0 : STARTILE_ERROR_MEMORY;
    return c;
}

#define A x->matrix[0]
#define B x->matrix[1]
#define C x->matrix[2]
#define ONE (size_t)1 /* length of a string, which Fortran takes as a hidden argument */
#define TRANS (dtype_is_complex(p->dtype) ? "C" : "T")

/* Defines cpu_ROUTINE(). begin: function that sets the call's dimensions, and the workspace if the
 * routine needs one; ...: the routine's arguments. Returns info */
#define LAPACK(routine, begin, ...)                                                                \
    int64_t cpu_##routine(const struct problem *p, const struct peer_data *x)                      \
    {                                                                                              \
        struct call c = begin(p);                                                                  \
        if (!c.info)                                                                               \
            cpu_peer.routine[p->dtype](__VA_ARGS__);                                               \
        free(c.work);                                                                              \
        return c.info;                                                                             \
    }
LAPACK(potrf, dimensions_of, &p->uplo, &c.n, A, &c.ldn, &c.info, ONE)
LAPACK(potrs, dimensions_of, &p->uplo, &c.n, &c.k, A, &c.ldn, B, &c.ldn, &c.info, ONE)
LAPACK(posv, dimensions_of, &p->uplo, &c.n, &c.k, A, &c.ldn, B, &c.ldn, &c.info, ONE)
LAPACK(potri, dimensions_of, &p->uplo, &c.n, A, &c.ldn, &c.info, ONE)
LAPACK(sygst, dimensions_of, &(int){1}, &p->uplo, &c.n, A, &c.ldn, B, &c.ldn, &c.info, ONE)
LAPACK(getrf, dimensions_of, &c.m, &c.n, A, &c.ldm, x->ipiv, &c.info)
LAPACK(getrs, dimensions_of, "N", &c.n, &c.k, A, &c.ldn, x->ipiv, B, &c.ldn, &c.info, ONE)
LAPACK(gesv, dimensions_of, &c.n, &c.k, A, &c.ldn, x->ipiv, B, &c.ldn, &c.info)
LAPACK(getri, dimensions_and_workspace, &c.n, A, &c.ldn, x->ipiv, c.work, &c.size, &c.info)
LAPACK(geqrf, dimensions_and_workspace, &c.m, &c.n, A, &c.ldm, x->tau, c.work, &c.size, &c.info)
LAPACK(gelqf, dimensions_and_workspace, &c.m, &c.n, A, &c.ldm, x->tau, c.work, &c.size, &c.info)

int64_t cpu_geqp3(const struct problem *p, const struct peer_data *x)
{
    struct call c = dimensions_and_workspace(p);
    int *jpvt = calloc((size_t)c.ldn, sizeof *jpvt);
    double *rwork = malloc(2 * (size_t)c.ldn * sizeof *rwork);
    fortran_routine *routine = cpu_peer.geqp3[p->dtype];
    if (!jpvt || !rwork)
        c.info = STARTILE_ERROR_MEMORY;
    else if (!c.info && dtype_is_complex(p->dtype))
        routine(&c.m, &c.n, A, &c.ldm, jpvt, x->tau, c.work, &c.size, rwork, &c.info);
    else if (!c.info)
        routine(&c.m, &c.n, A, &c.ldm, jpvt, x->tau, c.work, &c.size, &c.info);
    free(rwork);
    free(jpvt);
    free(c.work);
    return c.info;
}

LAPACK(gels, dimensions_and_workspace, "N", &c.m, &c.n, &c.k, A, &c.ldm, B, &c.ldg, c.work, &c.size,
       &c.info, ONE)

/* Returns the address of gelsy's bound of 1 / condition, the machine epsilon of the type. */
static const void *rcond_of(const struct problem *p)
{
    static const float single = FLT_EPSILON;
    static const double full = DBL_EPSILON;
    return dtype_is_single(p->dtype) ? (const void *)&single : &full;
}

int64_t cpu_gelsy(const struct problem *p, const struct peer_data *x)
{
    struct call c = dimensions_and_workspace(p);
    int rank, *jpvt = calloc((size_t)c.ldn, sizeof *jpvt);
    double *rwork = malloc(2 * (size_t)c.ldn * sizeof *rwork);
    fortran_routine *routine = cpu_peer.gelsy[p->dtype];
    if (!jpvt || !rwork)
        c.info = STARTILE_ERROR_MEMORY;
    else if (!c.info && dtype_is_complex(p->dtype))
        routine(&c.m, &c.n, &c.k, A, &c.ldm, B, &c.ldg, jpvt, rcond_of(p), &rank, c.work, &c.size,
                rwork, &c.info);
    else if (!c.info)
        routine(&c.m, &c.n, &c.k, A, &c.ldm, B, &c.ldg, jpvt, rcond_of(p), &rank, c.work, &c.size,
                &c.info);
    free(rwork);
    free(jpvt);
    free(c.work);
    return c.info;
}

LAPACK(ormqr, dimensions_and_workspace, "L", TRANS, &c.m, &c.k, &c.least, A, &c.ldm, x->tau, B,
       &c.ldm, c.work, &c.size, &c.info, ONE, ONE)
LAPACK(orgqr, dimensions_and_workspace, &c.m, &c.n, &c.n, A, &c.ldm, x->tau, c.work, &c.size,
       &c.info)
LAPACK(gemm, dimensions_of, "N", "N", &c.m, &c.n, &c.k, cpu_scalar(p->dtype, -1), A, &c.ldm, B,
       &c.ldk, cpu_scalar(p->dtype, 1), C, &c.ldm, ONE, ONE)
LAPACK(syrk, dimensions_of, &p->uplo, "N", &c.n, &c.k, cpu_scalar(p->dtype, -1), A, &c.ldn,
       cpu_scalar(p->dtype, 1), B, &c.ldn, ONE, ONE)
LAPACK(trsm, dimensions_of, "L", &p->uplo, "N", "N", &c.n, &c.k, cpu_scalar(p->dtype, 1), A, &c.ldn,
       B, &c.ldn, ONE, ONE, ONE, ONE)

/* -- routines that load_cpu_routine() finds ---------------------------------------------------- */

/* The routine that load_cpu_routine() found, by its type */
static union {
    fortran_routine *lapack;
    float (*single)(const int *n, const void *x, const int *incx);
    double (*full)(const int *n, const void *x, const int *incx);
    int (*iamax)(const int *n, const void *x, const int *incx);
    float (*sdot)(const int *, const void *, const int *, const void *, const int *);
    double (*ddot)(const int *, const void *, const int *, const void *, const int *);
    float _Complex (*cdotc)(const int *, const void *, const int *, const void *, const int *);
    double _Complex (*zdotc)(const int *, const void *, const int *, const void *, const int *);
    void (*scal)(const int *n, const void *alpha, void *x, const int *incx);
    void (*axpy)(const int *, const void *, const void *, const int *, void *, const int *);
} blas;

bool load_cpu_routine(const struct routine *r, startile_dtype dtype)
{
    return cpu_peer_load() && (!r->blas[dtype] || cpu_peer_find(r->blas[dtype], &blas));
}

int64_t cpu_sytrf(const struct problem *p, const struct peer_data *x)
{
    struct call c = dimensions_and_workspace(p);
    if (!c.info)
        blas.lapack(&p->uplo, &c.n, A, &c.ldn, x->ipiv, c.work, &c.size, &c.info, ONE);
    free(c.work);
    return c.info;
}

int64_t cpu_sytri(const struct problem *p, const struct peer_data *x)
{
    struct call c = dimensions_and_workspace(p);
    if (!c.info)
        blas.lapack(&p->uplo, &c.n, A, &c.ldn, x->ipiv, c.work, &c.info, ONE);
    free(c.work);
    return c.info;
}

int64_t cpu_sysv(const struct problem *p, const struct peer_data *x)
{
    struct call c = dimensions_and_workspace(p);
    if (!c.info)
        blas.lapack(&p->uplo, &c.n, &c.k, A, &c.ldn, x->ipiv, B, &c.ldn, c.work, &c.size, &c.info,
                    ONE);
    free(c.work);
    return c.info;
}

/* Calls LAPACK's Aasen method in two stages, with the solve if `solves`. Blocks have 192 columns,
 * as from ILAENV; its band matrix T has 3 * 192 + 1 rows. */
static int64_t aasen(const struct problem *p, const struct peer_data *x, bool solves)
{
    enum { BLOCK = 192, ROWS = 3 * BLOCK + 1 };
    struct call c = dimensions_of(p);
    int band_size = ROWS * c.ldn, size = BLOCK * c.ldn;
    void *band = malloc((size_t)band_size * dtype_size(p->dtype));
    int *band_pivots = malloc((size_t)c.ldn * sizeof *band_pivots);
    c.work = malloc((size_t)size * dtype_size(p->dtype));
    if (!band || !band_pivots || !c.work)
        c.info = STARTILE_ERROR_MEMORY;
    else if (solves)
        blas.lapack(&p->uplo, &c.n, &c.k, A, &c.ldn, band, &band_size, x->ipiv, band_pivots, B,
                    &c.ldn, c.work, &size, &c.info, ONE);
    else
        blas.lapack(&p->uplo, &c.n, A, &c.ldn, band, &band_size, x->ipiv, band_pivots, c.work,
                    &size, &c.info, ONE);
    free(c.work);
    free(band_pivots);
    free(band);
    return c.info;
}

int64_t cpu_sytrf_aa(const struct problem *p, const struct peer_data *x)
{
    return aasen(p, x, false);
}

int64_t cpu_sysv_aa(const struct problem *p, const struct peer_data *x)
{
    return aasen(p, x, true);
}

static const int one = 1;

#define BLAS(routine, statement)                                                                   \
    int64_t cpu_##routine(const struct problem *p, const struct peer_data *x)                      \
    {                                                                                              \
        const int n = (int)p->n;                                                                   \
        statement;                                                                                 \
        return 0;                                                                                  \
    }
BLAS(norm, if (dtype_is_single(p->dtype)) * (float *)B = blas.single(&n, A, &one);
     else * (double *)B = blas.full(&n, A, &one))
BLAS(iamax, *(int64_t *)B = blas.iamax(&n, A, &one))
BLAS(scal, blas.scal(&n, A, B, &one))
BLAS(axpy, blas.axpy(&n, A, B, &one, C, &one))

int64_t cpu_dot(const struct problem *p, const struct peer_data *x)
{
    const int n = (int)p->n;
    double _Complex result = 0;
    switch (p->dtype) {
    case STARTILE_S:
        result = blas.sdot(&n, A, &one, B, &one);
        break;
    case STARTILE_D:
        result = blas.ddot(&n, A, &one, B, &one);
        break;
    case STARTILE_C:
        result = blas.cdotc(&n, A, &one, B, &one);
        break;
    case STARTILE_Z:
        result = blas.zdotc(&n, A, &one, B, &one);
        break;
    }
    element_set(p->dtype, C, 0, result);
    return 0;
}
