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

void netlib_triangle(const char *name, struct problem *p)
{
    struct array A = p->A;
    int n = (int)A.n, lda = (int)A.ld, info = 0;
    CALL(name, (char *, int *, void *, int *, int *, size_t), &p->letter, &n, A.a, &lda, &info, 1);
    p->info = info;
}

void netlib_trtri(const char *name, struct problem *p)
{
    struct array A = p->A;
    char diag = 'N';
    int n = (int)A.n, lda = (int)A.ld, info = 0;
    CALL(name, (char *, char *, int *, void *, int *, int *, size_t, size_t), &p->letter, &diag, &n,
         A.a, &lda, &info, 1, 1);
    p->info = info;
}

void netlib_po_solve(const char *name, struct problem *p)
{
    struct array A = p->A, B = p->B;
    int n = (int)A.n, lda = (int)A.ld, nrhs = (int)B.n, ldb = (int)B.ld, info = 0;
    CALL(name, (char *, int *, int *, void *, int *, void *, int *, int *, size_t), &p->letter, &n,
         &nrhs, A.a, &lda, B.a, &ldb, &info, 1);
    p->info = info;
}

/* Copy the pivots of p to an array of Fortran integers, and back. */
static void get_pivots(const struct problem *p, int *pivots)
{
    for (int i = 0; i < p->A.n; i++)
        pivots[i] = (int)p->ipiv[i];
}

static void set_pivots(struct problem *p, const int *pivots)
{
    for (int i = 0; i < p->A.m && i < p->A.n; i++)
        p->ipiv[i] = pivots[i];
}

void netlib_getrf(const char *name, struct problem *p)
{
    struct array A = p->A;
    int m = (int)A.m, n = (int)A.n, lda = (int)A.ld, info = 0, pivots[MOST];
    CALL(name, (int *, int *, void *, int *, int *, int *), &m, &n, A.a, &lda, pivots, &info);
    set_pivots(p, pivots);
    p->info = info;
}

void netlib_getrs(const char *name, struct problem *p)
{
    struct array A = p->A, B = p->B;
    int n = (int)A.n, lda = (int)A.ld, nrhs = (int)B.n, ldb = (int)B.ld, info = 0, pivots[MOST];
    get_pivots(p, pivots);
    CALL(name, (char *, int *, int *, void *, int *, int *, void *, int *, int *, size_t),
         &p->letter, &n, &nrhs, A.a, &lda, pivots, B.a, &ldb, &info, 1);
    p->info = info;
}

void netlib_gesv(const char *name, struct problem *p)
{
    struct array A = p->A, B = p->B;
    int n = (int)A.n, lda = (int)A.ld, nrhs = (int)B.n, ldb = (int)B.ld, info = 0, pivots[MOST];
    CALL(name, (int *, int *, void *, int *, int *, void *, int *, int *), &n, &nrhs, A.a, &lda,
         pivots, B.a, &ldb, &info);
    set_pivots(p, pivots);
    p->info = info;
}

/* Returns `size` elements of A's type. The caller frees them. */
static void *workspace(struct array A, int size)
{
    void *work = calloc((size_t)size, element_size(A.dtype));
    if (work == NULL)
        abort();
    return work;
}

void netlib_getri(const char *name, struct problem *p)
{
    struct array A = p->A;
    int n = (int)A.n, lda = (int)A.ld, info = 0, pivots[MOST], size = MOST * 64;
    void *work = workspace(A, size);
    get_pivots(p, pivots);
    CALL(name, (int *, void *, int *, int *, void *, int *, int *), &n, A.a, &lda, pivots, work,
         &size, &info);
    free(work);
    p->info = info;
}

void netlib_qr(const char *name, struct problem *p)
{
    struct array A = p->A;
    int m = (int)A.m, n = (int)A.n, lda = (int)A.ld, info = 0, size = MOST * 64;
    void *work = workspace(A, size);
    CALL(name, (int *, int *, void *, int *, void *, void *, int *, int *), &m, &n, A.a, &lda,
         p->B.a, work, &size, &info);
    free(work);
    p->info = info;
}

void netlib_gels(const char *name, struct problem *p)
{
    struct array A = p->A, B = p->B;
    int m = (int)A.m, n = (int)A.n, nrhs = (int)B.n, lda = (int)A.ld, ldb = (int)B.ld, info = 0;
    int size = MOST * 64 + (int)max(m, n);
    void *work = workspace(A, size);
    char trans = p->letter == 'C' && A.dtype < STARTILE_C ? 'T' : p->letter;
    CALL(name,
         (char *, int *, int *, int *, void *, int *, void *, int *, void *, int *, int *, size_t),
         &trans, &m, &n, &nrhs, A.a, &lda, B.a, &ldb, work, &size, &info, 1);
    free(work);
    p->info = info;
}

void netlib_condition(const char *name, struct problem *p)
{
    struct array A = p->A;
    bool single = is_single(A.dtype);
    int n = (int)A.n, lda = (int)A.ld, info = 0, integers[MOST];
    float single_norm = (float)p->anorm, single_rcond = -7;
    double norm = p->anorm, rcond = -7;
    /* complex types have a real workspace in place of the integer workspace of real types */
    void *work = workspace(A, 8 * MOST), *more = workspace(A, 8 * MOST);
    CALL(name, (char *, int *, void *, int *, void *, void *, void *, void *, int *, size_t),
         &p->letter, &n, A.a, &lda, single ? (void *)&single_norm : (void *)&norm,
         single ? (void *)&single_rcond : (void *)&rcond, work,
         A.dtype < STARTILE_C ? (void *)integers : more, &info, 1);
    p->rcond = single ? single_rcond : rcond;
    free(work);
    free(more);
    p->info = info;
}
