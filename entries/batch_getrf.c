/* Typed entries xGETRF, xGETRS, xGESV and xGETRI of batches. */
#include "batch_call.h"

static int64_t getrf(struct extent m, struct extent n, struct storage a, struct storage ipiv,
                     int64_t *info, int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    struct extent k = smaller_extent(&c, m, n);
    check_columns(&c, k, &ipiv, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a), *P = call_integers(&c, k, &ipiv),
                       *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_getrf_batch(A, P, I);
    }
    return call_end(&c);
}

int64_t ENTRY(getrf_batch_strided)(int64_t m, int64_t n, element *a, int64_t lda, int64_t stridea,
                                   int64_t *ipiv, int64_t stridep, int64_t *info, int64_t count)
{
    return getrf(one_size(m), one_size(n), strided(a, lda, stridea), strided_vectors(ipiv, stridep),
                 info, count);
}

int64_t ENTRY(getrf_batch)(int64_t m, int64_t n, element *const *a, int64_t lda,
                           int64_t *const *ipiv, int64_t *info, int64_t count)
{
    return getrf(one_size(m), one_size(n), pointers(a, lda), vectors_by_pointers(ipiv), info,
                 count);
}

int64_t ENTRY(getrf_vbatch)(const int64_t *m, const int64_t *n, element *const *a,
                            const int64_t *lda, int64_t *const *ipiv, int64_t *info, int64_t count)
{
    return getrf(each_size(m), each_size(n), sizes(a, lda), vectors_by_pointers(ipiv), info, count);
}

static int64_t getrf_nopiv(struct extent m, struct extent n, struct storage a, int64_t *info,
                           int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_getrf_nopiv_batch(A, I);
    }
    return call_end(&c);
}

int64_t ENTRY(getrf_nopiv_batch_strided)(int64_t m, int64_t n, element *a, int64_t lda,
                                         int64_t stridea, int64_t *info, int64_t count)
{
    return getrf_nopiv(one_size(m), one_size(n), strided(a, lda, stridea), info, count);
}

int64_t ENTRY(getrf_nopiv_batch)(int64_t m, int64_t n, element *const *a, int64_t lda,
                                 int64_t *info, int64_t count)
{
    return getrf_nopiv(one_size(m), one_size(n), pointers(a, lda), info, count);
}

int64_t ENTRY(getrf_nopiv_vbatch)(const int64_t *m, const int64_t *n, element *const *a,
                                  const int64_t *lda, int64_t *info, int64_t count)
{
    return getrf_nopiv(each_size(m), each_size(n), sizes(a, lda), info, count);
}

/* Checks ipiv, which may be NULL. */
static void check_pivots(struct call *c, struct extent n, struct storage *ipiv)
{
    bool none = ipiv->a == NULL && ipiv->each == NULL;
    check_columns(c, none ? one_size(0) : n, ipiv, false);
}

/* Wraps ipiv; returns NULL without ipiv, or if the call has failed. */
static startile_batch *pivots(struct call *c, struct extent n, const struct storage *ipiv)
{
    return ipiv->a == NULL && ipiv->each == NULL ? NULL : call_integers(c, n, ipiv);
}

static int64_t getrs(char trans, struct extent n, struct extent nrhs, struct storage a,
                     struct storage ipiv, struct storage b, int64_t count)
{
    struct call c = call_begin(count);
    check_letter(&c, trans, "NnTtCc");
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, false);
    check_pivots(&c, n, &ipiv);
    check_storage(&c, n, nrhs, &b, true);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = pivots(&c, n, &ipiv),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b);
        if (c.status == 0)
            c.status = startile_getrs_batch(trans, A, P, B);
    }
    return call_end(&c);
}

int64_t ENTRY(getrs_batch_strided)(char trans, int64_t n, int64_t nrhs, const element *a,
                                   int64_t lda, int64_t stridea, const int64_t *ipiv,
                                   int64_t stridep, element *b, int64_t ldb, int64_t strideb,
                                   int64_t count)
{
    return getrs(trans, one_size(n), one_size(nrhs), strided(a, lda, stridea),
                 strided_vectors(ipiv, stridep), strided(b, ldb, strideb), count);
}

int64_t ENTRY(getrs_batch)(char trans, int64_t n, int64_t nrhs, element *const *a, int64_t lda,
                           int64_t *const *ipiv, element *const *b, int64_t ldb, int64_t count)
{
    return getrs(trans, one_size(n), one_size(nrhs), pointers(a, lda), vectors_by_pointers(ipiv),
                 pointers(b, ldb), count);
}

int64_t ENTRY(getrs_vbatch)(char trans, const int64_t *n, const int64_t *nrhs, element *const *a,
                            const int64_t *lda, int64_t *const *ipiv, element *const *b,
                            const int64_t *ldb, int64_t count)
{
    return getrs(trans, each_size(n), each_size(nrhs), sizes(a, lda), vectors_by_pointers(ipiv),
                 sizes(b, ldb), count);
}

static int64_t gesv(struct extent n, struct extent nrhs, struct storage a, struct storage ipiv,
                    struct storage b, int64_t *info, int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, true);
    check_columns(&c, n, &ipiv, true);
    check_storage(&c, n, nrhs, &b, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = call_integers(&c, n, &ipiv),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_gesv_batch(A, P, B, I);
    }
    return call_end(&c);
}

int64_t ENTRY(gesv_batch_strided)(int64_t n, int64_t nrhs, element *a, int64_t lda, int64_t stridea,
                                  int64_t *ipiv, int64_t stridep, element *b, int64_t ldb,
                                  int64_t strideb, int64_t *info, int64_t count)
{
    return gesv(one_size(n), one_size(nrhs), strided(a, lda, stridea),
                strided_vectors(ipiv, stridep), strided(b, ldb, strideb), info, count);
}

int64_t ENTRY(gesv_batch)(int64_t n, int64_t nrhs, element *const *a, int64_t lda,
                          int64_t *const *ipiv, element *const *b, int64_t ldb, int64_t *info,
                          int64_t count)
{
    return gesv(one_size(n), one_size(nrhs), pointers(a, lda), vectors_by_pointers(ipiv),
                pointers(b, ldb), info, count);
}

int64_t ENTRY(gesv_vbatch)(const int64_t *n, const int64_t *nrhs, element *const *a,
                           const int64_t *lda, int64_t *const *ipiv, element *const *b,
                           const int64_t *ldb, int64_t *info, int64_t count)
{
    return gesv(each_size(n), each_size(nrhs), sizes(a, lda), vectors_by_pointers(ipiv),
                sizes(b, ldb), info, count);
}

static int64_t getri(struct extent n, struct storage a, struct storage ipiv, int64_t *info,
                     int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_storage(&c, n, n, &a, true);
    check_pivots(&c, n, &ipiv);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = pivots(&c, n, &ipiv),
                       *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_getri_batch(A, P, I);
    }
    return call_end(&c);
}

int64_t ENTRY(getri_batch_strided)(int64_t n, element *a, int64_t lda, int64_t stridea,
                                   const int64_t *ipiv, int64_t stridep, int64_t *info,
                                   int64_t count)
{
    return getri(one_size(n), strided(a, lda, stridea), strided_vectors(ipiv, stridep), info,
                 count);
}

int64_t ENTRY(getri_batch)(int64_t n, element *const *a, int64_t lda, int64_t *const *ipiv,
                           int64_t *info, int64_t count)
{
    return getri(one_size(n), pointers(a, lda), vectors_by_pointers(ipiv), info, count);
}

int64_t ENTRY(getri_vbatch)(const int64_t *n, element *const *a, const int64_t *lda,
                            int64_t *const *ipiv, int64_t *info, int64_t count)
{
    return getri(each_size(n), sizes(a, lda), vectors_by_pointers(ipiv), info, count);
}

static int64_t gedet(struct extent n, struct storage a, struct storage ipiv, element *sign,
                     real *logabsdet, int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_storage(&c, n, n, &a, false);
    check_pivots(&c, n, &ipiv);
    check_numbers(&c, sign);
    check_numbers(&c, logabsdet);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = pivots(&c, n, &ipiv),
                       *S = call_numbers(&c, DTYPE, sign), *L = call_numbers(&c, REAL, logabsdet);
        if (c.status == 0)
            c.status = startile_gedet_batch(A, P, S, L);
    }
    return call_end(&c);
}

int64_t ENTRY(gedet_batch_strided)(int64_t n, const element *a, int64_t lda, int64_t stridea,
                                   const int64_t *ipiv, int64_t stridep, element *sign,
                                   real *logabsdet, int64_t count)
{
    return gedet(one_size(n), strided(a, lda, stridea), strided_vectors(ipiv, stridep), sign,
                 logabsdet, count);
}

int64_t ENTRY(gedet_batch)(int64_t n, element *const *a, int64_t lda, int64_t *const *ipiv,
                           element *sign, real *logabsdet, int64_t count)
{
    return gedet(one_size(n), pointers(a, lda), vectors_by_pointers(ipiv), sign, logabsdet, count);
}

int64_t ENTRY(gedet_vbatch)(const int64_t *n, element *const *a, const int64_t *lda,
                            int64_t *const *ipiv, element *sign, real *logabsdet, int64_t count)
{
    return gedet(each_size(n), sizes(a, lda), vectors_by_pointers(ipiv), sign, logabsdet, count);
}
