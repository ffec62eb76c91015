#define _GNU_SOURCE /* dlmopen() */
#include "netlib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest order for which the integers and workspaces suffice. Workspaces of MOST · 64 elements
 * allow blocks of up to 64 columns. */
enum { MOST = 256 };

static void *lapack_handle;

/* Prints the files that define some routines. Returns false if a routine is missing or OpenBLAS is
 * among the files. */
static bool is_netlibs(void)
{
    static const char *const names[] = {"dgemm_", "idamax_", "dpotrf_", "dgetrf_"};
    bool all = dlsym(lapack_handle, "openblas_get_config") == NULL;
    for (int i = 0; i < 4; i++) {
        Dl_info info = {0};
        dladdr(dlsym(lapack_handle, names[i]), &info);
        printf("%s: %s\n", names[i], info.dli_fname == NULL ? "not found" : info.dli_fname);
        all = all && info.dli_fname != NULL && strstr(info.dli_fname, "openblas") == NULL;
    }
    return all;
}

/* Loads the BLAS first, because LAPACK finds it by its name. */
bool netlib_open(void)
{
    Lmid_t space;
    void *blas = dlmopen(LM_ID_NEWLM, NETLIB_BLAS, RTLD_NOW);
    if (blas == NULL || dlinfo(blas, RTLD_DI_LMID, &space) != 0)
        return false;
    lapack_handle = dlmopen(space, NETLIB_LAPACK, RTLD_NOW);
    if (lapack_handle == NULL)
        return false;
    if (!is_netlibs()) {
        fprintf(stderr, "not the reference LAPACK\n");
        exit(1);
    }
    int major, minor, patch;
    void (*version)(int *, int *, int *);
    *(void **)&version = dlsym(lapack_handle, "ilaver_");
    version(&major, &minor, &patch);
    printf("reference LAPACK %d.%d.%d\n", major, minor, patch);
    return true;
}

typedef void function(void);

/* Returns the routine of that type and name. Ends the program if the library has none. */
static function *routine(startile_dtype dtype, const char *name)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%c%s_", "sdcz"[dtype], name);
    function *found;
    *(void **)&found = dlsym(lapack_handle, symbol);
    if (found == NULL) {
        fprintf(stderr, "reference LAPACK has no %s\n", symbol);
        abort();
    }
    return found;
}

/* Fortran passes addresses; lengths of strings follow all arguments. */
#define CALL(name, types, ...) ((void(*) types)routine(A.dtype, name))(__VA_ARGS__)

int netlib_potrf(char uplo, struct array A)
{
    int n = (int)A.n, lda = (int)A.ld, info = 0;
    CALL("potrf", (char *, int *, void *, int *, int *, size_t), &uplo, &n, A.a, &lda, &info, 1);
    return info;
}

int netlib_potri(char uplo, struct array A)
{
    int n = (int)A.n, lda = (int)A.ld, info = 0;
    CALL("potri", (char *, int *, void *, int *, int *, size_t), &uplo, &n, A.a, &lda, &info, 1);
    return info;
}

int netlib_lauum(char uplo, struct array A)
{
    int n = (int)A.n, lda = (int)A.ld, info = 0;
    CALL("lauum", (char *, int *, void *, int *, int *, size_t), &uplo, &n, A.a, &lda, &info, 1);
    return info;
}

int netlib_trtri(char uplo, struct array A)
{
    char diag = 'N';
    int n = (int)A.n, lda = (int)A.ld, info = 0;
    CALL("trtri", (char *, char *, int *, void *, int *, int *, size_t, size_t), &uplo, &diag, &n,
         A.a, &lda, &info, 1, 1);
    return info;
}

/* Calls potrs or posv. */
static int solve_po(const char *name, char uplo, struct array A, struct array B)
{
    int n = (int)A.n, lda = (int)A.ld, nrhs = (int)B.n, ldb = (int)B.ld, info = 0;
    CALL(name, (char *, int *, int *, void *, int *, void *, int *, int *, size_t), &uplo, &n,
         &nrhs, A.a, &lda, B.a, &ldb, &info, 1);
    return info;
}

int netlib_potrs(char uplo, struct array A, struct array B)
{
    return solve_po("potrs", uplo, A, B);
}

int netlib_posv(char uplo, struct array A, struct array B)
{
    return solve_po("posv", uplo, A, B);
}

static void widen(int count, const int *from, int64_t *to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

static void narrow(int count, const int64_t *from, int *to)
{
    for (int i = 0; i < count; i++)
        to[i] = (int)from[i];
}

int netlib_getrf(struct array A, int64_t *ipiv)
{
    int m = (int)A.m, n = (int)A.n, lda = (int)A.ld, info = 0, pivots[MOST];
    CALL("getrf", (int *, int *, void *, int *, int *, int *), &m, &n, A.a, &lda, pivots, &info);
    widen(m < n ? m : n, pivots, ipiv);
    return info;
}

int netlib_getrs(char trans, struct array A, const int64_t *ipiv, struct array B)
{
    int n = (int)A.n, lda = (int)A.ld, nrhs = (int)B.n, ldb = (int)B.ld, info = 0, pivots[MOST];
    narrow(n, ipiv, pivots);
    CALL("getrs", (char *, int *, int *, void *, int *, int *, void *, int *, int *, size_t),
         &trans, &n, &nrhs, A.a, &lda, pivots, B.a, &ldb, &info, 1);
    return info;
}

int netlib_gesv(struct array A, int64_t *ipiv, struct array B)
{
    int n = (int)A.n, lda = (int)A.ld, nrhs = (int)B.n, ldb = (int)B.ld, info = 0, pivots[MOST];
    CALL("gesv", (int *, int *, void *, int *, int *, void *, int *, int *), &n, &nrhs, A.a, &lda,
         pivots, B.a, &ldb, &info);
    widen(n, pivots, ipiv);
    return info;
}

/* Returns `size` elements of A's type. The caller frees them. */
static void *workspace(struct array A, int size)
{
    void *work = calloc((size_t)size, element_size(A.dtype));
    if (work == NULL)
        abort();
    return work;
}

int netlib_getri(struct array A, const int64_t *ipiv)
{
    int n = (int)A.n, lda = (int)A.ld, info = 0, pivots[MOST], size = MOST * 64;
    void *work = workspace(A, size);
    narrow(n, ipiv, pivots);
    CALL("getri", (int *, void *, int *, int *, void *, int *, int *), &n, A.a, &lda, pivots, work,
         &size, &info);
    free(work);
    return info;
}

/* Calls geqrf or gelqf. */
static int factor_qr(const char *name, struct array A, struct array tau)
{
    int m = (int)A.m, n = (int)A.n, lda = (int)A.ld, info = 0, size = MOST * 64;
    void *work = workspace(A, size);
    CALL(name, (int *, int *, void *, int *, void *, void *, int *, int *), &m, &n, A.a, &lda,
         tau.a, work, &size, &info);
    free(work);
    return info;
}

int netlib_geqrf(struct array A, struct array tau)
{
    return factor_qr("geqrf", A, tau);
}

int netlib_gelqf(struct array A, struct array tau)
{
    return factor_qr("gelqf", A, tau);
}

int netlib_gels(char trans, struct array A, struct array B)
{
    int m = (int)A.m, n = (int)A.n, nrhs = (int)B.n, lda = (int)A.ld, ldb = (int)B.ld, info = 0;
    int size = MOST * 64 + (int)max(m, n);
    void *work = workspace(A, size);
    if (trans == 'C' && A.dtype < STARTILE_C)
        trans = 'T';
    CALL("gels",
         (char *, int *, int *, int *, void *, int *, void *, int *, void *, int *, int *, size_t),
         &trans, &m, &n, &nrhs, A.a, &lda, B.a, &ldb, work, &size, &info, 1);
    free(work);
    return info;
}

/* Calls gecon or pocon; `letter` is norm or uplo. *rcond := the estimate, −7 if there is none. */
static int estimate(const char *name, char letter, struct array A, double anorm, double *rcond)
{
    bool single = A.dtype == STARTILE_S || A.dtype == STARTILE_C;
    int n = (int)A.n, lda = (int)A.ld, info = 0, integers[MOST];
    float norm = (float)anorm, single_rcond = -7;
    double double_rcond = -7;
    /* complex types have a real workspace in place of the integer workspace of real types */
    void *work = workspace(A, 8 * MOST), *more = workspace(A, 8 * MOST);
    CALL(name, (char *, int *, void *, int *, void *, void *, void *, void *, int *, size_t),
         &letter, &n, A.a, &lda, single ? (void *)&norm : (void *)&anorm,
         single ? (void *)&single_rcond : (void *)&double_rcond, work,
         A.dtype < STARTILE_C ? (void *)integers : more, &info, 1);
    *rcond = single ? single_rcond : double_rcond;
    free(work);
    free(more);
    return info;
}

int netlib_gecon(char norm, struct array A, double anorm, double *rcond)
{
    return estimate("gecon", norm, A, anorm, rcond);
}

int netlib_pocon(char uplo, struct array A, double anorm, double *rcond)
{
    return estimate("pocon", uplo, A, anorm, rcond);
}
