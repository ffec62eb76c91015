/*
 * The CPU peer: the system's own threaded BLAS and LAPACK, loaded while the program runs.
 */
#include "peer_cpu.h"

#include "../../kernels/cpu/openblas.h"
#include "scalar.h"

#include <complex.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fortran passes everything by address, and the lengths of strings at the end. */
typedef void potrf_function(const char *uplo, const int *n, void *a, const int *lda, int *info,
                            size_t);
typedef void solve_function(const char *uplo, const int *n, const int *nrhs, const void *a,
                            const int *lda, void *b, const int *ldb, int *info, size_t);
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
typedef void orgqr_function(const int *m, const int *n, const int *k, void *a, const int *lda,
                            const void *tau, void *work, const int *lwork, int *info);
typedef void gels_function(const char *trans, const int *m, const int *n, const int *nrhs, void *a,
                           const int *lda, void *b, const int *ldb, void *work, const int *lwork,
                           int *info, size_t);
typedef void gemm_function(const char *transa, const char *transb, const int *m, const int *n,
                           const int *k, const void *alpha, const void *a, const int *lda,
                           const void *b, const int *ldb, const void *beta, void *c, const int *ldc,
                           size_t, size_t);
typedef void herk_function(const char *uplo, const char *trans, const int *n, const int *k,
                           const void *alpha, const void *a, const int *lda, const void *beta,
                           void *c, const int *ldc, size_t, size_t);
typedef void trsm_function(const char *side, const char *uplo, const char *transa, const char *diag,
                           const int *m, const int *n, const void *alpha, const void *a,
                           const int *lda, void *b, const int *ldb, size_t, size_t, size_t, size_t);

static struct {
    bool tried, loaded;
    void *blas, *lapack; /* from dlopen() */
    char library[64], name[96];
    void (*set_threads)(int);
    potrf_function *potrf[4];
    solve_function *potrs[4], *posv[4];
    getrf_function *getrf[4];
    getrs_function *getrs[4];
    gesv_function *gesv[4];
    getri_function *getri[4];
    geqrf_function *geqrf[4], *gelqf[4];
    ormqr_function *ormqr[4];
    orgqr_function *orgqr[4];
    gels_function *gels[4];
    gemm_function *gemm[4];
    herk_function *herk[4];
    trsm_function *trsm[4];
} peer;

/* -- loading -------------------------------------------------------------------------------- */

/* *(function pointer) := the symbol; ISO C has no cast between the two kinds of pointer. */
static bool find(void *library, const char *symbol, void *function_pointer)
{
    void *found = dlsym(library, symbol);
    memcpy(function_pointer, &found, sizeof found);
    return found != NULL;
}

static bool find_typed(void *library, startile_dtype dtype, const char *routine,
                       void *function_pointer)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%c%s_", dtype_letter(dtype), routine);
    return find(library, symbol, function_pointer);
}

static bool find_all(void)
{
    bool found = true;
    for (int i = 0; i < 4; i++) {
        startile_dtype t = (startile_dtype)i;
        found =
            found && find_typed(peer.lapack, t, "potrf", &peer.potrf[i]) &&
            find_typed(peer.lapack, t, "potrs", &peer.potrs[i]) &&
            find_typed(peer.lapack, t, "posv", &peer.posv[i]) &&
            find_typed(peer.lapack, t, "getrf", &peer.getrf[i]) &&
            find_typed(peer.lapack, t, "getrs", &peer.getrs[i]) &&
            find_typed(peer.lapack, t, "gesv", &peer.gesv[i]) &&
            find_typed(peer.lapack, t, "getri", &peer.getri[i]) &&
            find_typed(peer.lapack, t, "geqrf", &peer.geqrf[i]) &&
            find_typed(peer.lapack, t, "gelqf", &peer.gelqf[i]) &&
            find_typed(peer.lapack, t, dtype_is_complex(t) ? "unmqr" : "ormqr", &peer.ormqr[i]) &&
            find_typed(peer.lapack, t, dtype_is_complex(t) ? "ungqr" : "orgqr", &peer.orgqr[i]) &&
            find_typed(peer.lapack, t, "gels", &peer.gels[i]) &&
            find_typed(peer.blas, t, "gemm", &peer.gemm[i]) &&
            find_typed(peer.blas, t, dtype_is_complex(t) ? "herk" : "syrk", &peer.herk[i]) &&
            find_typed(peer.blas, t, "trsm", &peer.trsm[i]);
    }
    return found;
}

/* As the library does for its own copy: a peer with the wrong kernels is none. */
static void suit_cpu(void)
{
    struct openblas_choice copy;
    find(peer.blas, "openblas_get_corename", &copy.core);
    find(peer.blas, "gotoblas_dynamic_quit", &copy.quit);
    find(peer.blas, "gotoblas_dynamic_init", &copy.init);
    startile_openblas_suit_cpu(copy);
}

/* OpenBLAS tells "OpenBLAS 0.3.21 ... MAX_THREADS=64": its name and version are kept. */
static void find_name(void)
{
    char *(*config)(void);
    if (!find(peer.blas, "openblas_get_config", &config)) {
        snprintf(peer.library, sizeof peer.library, "libblas.so.3");
        return;
    }
    const char *text = config();
    const char *end = strchr(text, ' ');
    end = end ? strchr(end + 1, ' ') : NULL;
    int length = end ? (int)(end - text) : (int)strlen(text);
    char *(*core)(void);
    bool knows = find(peer.blas, "openblas_get_corename", &core);
    snprintf(peer.library, sizeof peer.library, "%.*s%s%.15s", length > 40 ? 40 : length, text,
             knows ? " " : "", knows ? core() : "");
}

static bool load(const char *blas, const char *lapack)
{
    peer.blas = dlopen(blas, RTLD_NOW | RTLD_LOCAL);
    peer.lapack = dlopen(lapack, RTLD_NOW | RTLD_LOCAL);
    if (!peer.blas || !peer.lapack || !find_all())
        return false;
    suit_cpu();
    find_name();
    find(peer.blas, "openblas_set_num_threads", &peer.set_threads);
    /* reference BLAS is no peer */
    return peer.set_threads != NULL;
}

bool cpu_peer_load(void)
{
    if (!peer.tried)
        peer.loaded =
            load("libopenblas.so.0", "libopenblas.so.0") || load("libblas.so.3", "liblapack.so.3");
    peer.tried = true;
    return peer.loaded;
}

bool cpu_peer_find_named(const char *symbol, void *function_pointer)
{
    return cpu_peer_load() && (find(peer.lapack, symbol, function_pointer) ||
                               find(peer.blas, symbol, function_pointer));
}

bool cpu_peer_find(startile_dtype dtype, const char *routine, void *function_pointer)
{
    return cpu_peer_load() && (find_typed(peer.lapack, dtype, routine, function_pointer) ||
                               find_typed(peer.blas, dtype, routine, function_pointer));
}

const char *cpu_peer_name(void)
{
    if (!cpu_peer_load())
        return NULL;
    return peer.name[0] ? peer.name : peer.library;
}

void cpu_peer_set_threads(int threads)
{
    if (!cpu_peer_load() || !peer.set_threads)
        return;
    peer.set_threads(threads);
    snprintf(peer.name, sizeof peer.name, "%s (%d thread%s)", peer.library, threads,
             threads == 1 ? "" : "s");
}

/* -- calls ---------------------------------------------------------------------------------- */

/* A real scalar in each type; complex types follow with a zero imaginary part. */
static const void *scalar(startile_dtype dtype, int value)
{
    static const float single[2][2] = {{1, 0}, {-1, 0}};
    static const double full[2][2] = {{1, 0}, {-1, 0}};
    int which = value < 0;
    return dtype_is_single(dtype) ? (const void *)single[which] : (const void *)full[which];
}

static int at_least_1(int n)
{
    return n > 1 ? n : 1;
}

int64_t cpu_peer_potrf(startile_dtype dtype, char uplo, int n, void *a)
{
    int info = 0, ld = at_least_1(n);
    peer.potrf[dtype](&uplo, &n, a, &ld, &info, 1);
    return info;
}

int64_t cpu_peer_potrs(startile_dtype dtype, char uplo, int n, int nrhs, const void *a, void *b)
{
    int info = 0, ld = at_least_1(n);
    peer.potrs[dtype](&uplo, &n, &nrhs, a, &ld, b, &ld, &info, 1);
    return info;
}

int64_t cpu_peer_posv(startile_dtype dtype, char uplo, int n, int nrhs, void *a, void *b)
{
    int info = 0, ld = at_least_1(n);
    peer.posv[dtype](&uplo, &n, &nrhs, a, &ld, b, &ld, &info, 1);
    return info;
}

int64_t cpu_peer_getrf(startile_dtype dtype, int m, int n, void *a, int *ipiv)
{
    int info = 0, ld = at_least_1(m);
    peer.getrf[dtype](&m, &n, a, &ld, ipiv, &info);
    return info;
}

int64_t cpu_peer_getrs(startile_dtype dtype, int n, int nrhs, const void *a, const int *ipiv,
                       void *b)
{
    int info = 0, ld = at_least_1(n);
    peer.getrs[dtype]("N", &n, &nrhs, a, &ld, ipiv, b, &ld, &info, 1);
    return info;
}

int64_t cpu_peer_gesv(startile_dtype dtype, int n, int nrhs, void *a, int *ipiv, void *b)
{
    int info = 0, ld = at_least_1(n);
    peer.gesv[dtype](&n, &nrhs, a, &ld, ipiv, b, &ld, &info);
    return info;
}

int64_t cpu_peer_getri(startile_dtype dtype, int n, void *a, const int *ipiv)
{
    enum { BLOCK = 64 }; /* as LAPACK's ILAENV has it */
    int info = 0, ld = at_least_1(n), size = BLOCK * ld;
    void *work = malloc((size_t)size * dtype_size(dtype));
    if (!work)
        return STARTILE_ERROR_MEMORY;
    peer.getri[dtype](&n, a, &ld, ipiv, work, &size, &info);
    free(work);
    return info;
}

/* Of as many elements as a query has answered. NULL: no memory */
static void *workspace(startile_dtype dtype, const void *answer, int *size)
{
    *size = at_least_1((int)creal(element_get(dtype, answer, 0)));
    return malloc((size_t)*size * dtype_size(dtype));
}

static int64_t factor(geqrf_function *function, startile_dtype dtype, int m, int n, void *a,
                      void *tau)
{
    int info = 0, ld = at_least_1(m), size = -1;
    double _Complex answer;
    function(&m, &n, a, &ld, tau, &answer, &size, &info);
    void *work = workspace(dtype, &answer, &size);
    if (!work)
        return STARTILE_ERROR_MEMORY;
    function(&m, &n, a, &ld, tau, work, &size, &info);
    free(work);
    return info;
}

int64_t cpu_peer_geqrf(startile_dtype dtype, int m, int n, void *a, void *tau)
{
    return factor(peer.geqrf[dtype], dtype, m, n, a, tau);
}

int64_t cpu_peer_gelqf(startile_dtype dtype, int m, int n, void *a, void *tau)
{
    return factor(peer.gelqf[dtype], dtype, m, n, a, tau);
}

int64_t cpu_peer_ormqr(startile_dtype dtype, int m, int n, int k, const void *a, const void *tau,
                       void *c)
{
    int info = 0, ld = at_least_1(m), size = -1;
    const char *trans = dtype_is_complex(dtype) ? "C" : "T";
    double _Complex answer;
    peer.ormqr[dtype]("L", trans, &m, &n, &k, a, &ld, tau, c, &ld, &answer, &size, &info, 1, 1);
    void *work = workspace(dtype, &answer, &size);
    if (!work)
        return STARTILE_ERROR_MEMORY;
    peer.ormqr[dtype]("L", trans, &m, &n, &k, a, &ld, tau, c, &ld, work, &size, &info, 1, 1);
    free(work);
    return info;
}

int64_t cpu_peer_orgqr(startile_dtype dtype, int m, int n, int k, void *a, const void *tau)
{
    int info = 0, ld = at_least_1(m), size = -1;
    double _Complex answer;
    peer.orgqr[dtype](&m, &n, &k, a, &ld, tau, &answer, &size, &info);
    void *work = workspace(dtype, &answer, &size);
    if (!work)
        return STARTILE_ERROR_MEMORY;
    peer.orgqr[dtype](&m, &n, &k, a, &ld, tau, work, &size, &info);
    free(work);
    return info;
}

int64_t cpu_peer_gels(startile_dtype dtype, int m, int n, int nrhs, void *a, void *b)
{
    int info = 0, lda = at_least_1(m), ldb = at_least_1(m > n ? m : n), size = -1;
    double _Complex answer;
    peer.gels[dtype]("N", &m, &n, &nrhs, a, &lda, b, &ldb, &answer, &size, &info, 1);
    void *work = workspace(dtype, &answer, &size);
    if (!work)
        return STARTILE_ERROR_MEMORY;
    peer.gels[dtype]("N", &m, &n, &nrhs, a, &lda, b, &ldb, work, &size, &info, 1);
    free(work);
    return info;
}

void cpu_peer_gemm(startile_dtype dtype, int m, int n, int k, const void *a, const void *b, void *c)
{
    int lda = at_least_1(m), ldb = at_least_1(k);
    peer.gemm[dtype]("N", "N", &m, &n, &k, scalar(dtype, -1), a, &lda, b, &ldb, scalar(dtype, 1), c,
                     &lda, 1, 1);
}

void cpu_peer_herk(startile_dtype dtype, char uplo, int n, int k, const void *a, void *c)
{
    int ld = at_least_1(n);
    peer.herk[dtype](&uplo, "N", &n, &k, scalar(dtype, -1), a, &ld, scalar(dtype, 1), c, &ld, 1, 1);
}

void cpu_peer_trsm(startile_dtype dtype, char uplo, int n, int nrhs, const void *a, void *b)
{
    int ld = at_least_1(n);
    peer.trsm[dtype]("L", &uplo, "N", "N", &n, &nrhs, scalar(dtype, 1), a, &ld, b, &ld, 1, 1, 1, 1);
}
