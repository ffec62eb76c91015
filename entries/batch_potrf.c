/* Typed entries xPOTRF, xPOTRS and xPOSV of batches. */
#include "batch_call.h"

static int64_t potrf(char uplo, struct extent n, struct storage a, int64_t *info, int64_t count)
{
    struct call c = call_begin(count);
    check_letter(&c, uplo, "LlUu");
    check_extent(&c, n);
    check_storage(&c, n, n, &a, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_potrf_batch(uplo, A, I);
    }
    return call_end(&c);
}

int64_t ENTRY(potrf_batch_strided)(char uplo, int64_t n, element *a, int64_t lda, int64_t stridea,
                                   int64_t *info, int64_t count)
{
    return potrf(uplo, one_size(n), strided(a, lda, stridea), info, count);
}

int64_t ENTRY(potrf_batch)(char uplo, int64_t n, element *const *a, int64_t lda, int64_t *info,
                           int64_t count)
{
    return potrf(uplo, one_size(n), pointers(a, lda), info, count);
}

int64_t ENTRY(potrf_vbatch)(char uplo, const int64_t *n, element *const *a, const int64_t *lda,
                            int64_t *info, int64_t count)
{
    return potrf(uplo, each_size(n), sizes(a, lda), info, count);
}

static int64_t potrs(char uplo, struct extent n, struct extent nrhs, struct storage a,
                     struct storage b, int64_t count)
{
    struct call c = call_begin(count);
    check_letter(&c, uplo, "LlUu");
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, false);
    check_storage(&c, n, nrhs, &b, true);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b);
        if (c.status == 0)
            c.status = startile_potrs_batch(uplo, A, B);
    }
    return call_end(&c);
}

int64_t ENTRY(potrs_batch_strided)(char uplo, int64_t n, int64_t nrhs, const element *a,
                                   int64_t lda, int64_t stridea, element *b, int64_t ldb,
                                   int64_t strideb, int64_t count)
{
    return potrs(uplo, one_size(n), one_size(nrhs), strided(a, lda, stridea),
                 strided(b, ldb, strideb), count);
}

int64_t ENTRY(potrs_batch)(char uplo, int64_t n, int64_t nrhs, element *const *a, int64_t lda,
                           element *const *b, int64_t ldb, int64_t count)
{
    return potrs(uplo, one_size(n), one_size(nrhs), pointers(a, lda), pointers(b, ldb), count);
}

int64_t ENTRY(potrs_vbatch)(char uplo, const int64_t *n, const int64_t *nrhs, element *const *a,
                            const int64_t *lda, element *const *b, const int64_t *ldb,
                            int64_t count)
{
    return potrs(uplo, each_size(n), each_size(nrhs), sizes(a, lda), sizes(b, ldb), count);
}

static int64_t posv(char uplo, struct extent n, struct extent nrhs, struct storage a,
                    struct storage b, int64_t *info, int64_t count)
{
    struct call c = call_begin(count);
    check_letter(&c, uplo, "LlUu");
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, true);
    check_storage(&c, n, nrhs, &b, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_posv_batch(uplo, A, B, I);
    }
    return call_end(&c);
}

int64_t ENTRY(posv_batch_strided)(char uplo, int64_t n, int64_t nrhs, element *a, int64_t lda,
                                  int64_t stridea, element *b, int64_t ldb, int64_t strideb,
                                  int64_t *info, int64_t count)
{
    return posv(uplo, one_size(n), one_size(nrhs), strided(a, lda, stridea),
                strided(b, ldb, strideb), info, count);
}

int64_t ENTRY(posv_batch)(char uplo, int64_t n, int64_t nrhs, element *const *a, int64_t lda,
                          element *const *b, int64_t ldb, int64_t *info, int64_t count)
{
    return posv(uplo, one_size(n), one_size(nrhs), pointers(a, lda), pointers(b, ldb), info, count);
}

int64_t ENTRY(posv_vbatch)(char uplo, const int64_t *n, const int64_t *nrhs, element *const *a,
                           const int64_t *lda, element *const *b, const int64_t *ldb, int64_t *info,
                           int64_t count)
{
    return posv(uplo, each_size(n), each_size(nrhs), sizes(a, lda), sizes(b, ldb), info, count);
}

static int64_t podet(struct extent n, struct storage a, real *logdet, int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_storage(&c, n, n, &a, false);
    check_numbers(&c, logdet);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *L = call_numbers(&c, REAL, logdet);
        if (c.status == 0)
            c.status = startile_podet_batch(A, L);
    }
    return call_end(&c);
}

int64_t ENTRY(podet_batch_strided)(int64_t n, const element *a, int64_t lda, int64_t stridea,
                                   real *logdet, int64_t count)
{
    return podet(one_size(n), strided(a, lda, stridea), logdet, count);
}

int64_t ENTRY(podet_batch)(int64_t n, element *const *a, int64_t lda, real *logdet, int64_t count)
{
    return podet(one_size(n), pointers(a, lda), logdet, count);
}

int64_t ENTRY(podet_vbatch)(const int64_t *n, element *const *a, const int64_t *lda, real *logdet,
                            int64_t count)
{
    return podet(each_size(n), sizes(a, lda), logdet, count);
}
