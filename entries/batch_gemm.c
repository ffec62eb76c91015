/* Typed entries xGEMM and xTRSM of batches. */
#include "batch_call.h"

static int64_t gemm(char transa, char transb, struct extent m, struct extent n, struct extent k,
                    element alpha, struct storage a, struct storage b, element beta,
                    struct storage c, int64_t count)
{
    struct call call = call_begin(count);
    bool plain_a = is_letter(transa, "Nn"), plain_b = is_letter(transb, "Nn");
    struct extent am = plain_a ? m : k, an = plain_a ? k : m, bm = plain_b ? k : n,
                  bn = plain_b ? n : k;
    check_letter(&call, transa, "NnTtCc");
    check_letter(&call, transb, "NnTtCc");
    check_extent(&call, m);
    check_extent(&call, n);
    check_extent(&call, k);
    check_scalar(&call);
    check_storage(&call, am, an, &a, false);
    check_storage(&call, bm, bn, &b, false);
    check_scalar(&call);
    check_storage(&call, m, n, &c, true);
    if (call_enter(&call)) {
        startile_batch *C = call_matrices(&call, DTYPE, m, n, &c),
                       *A = call_matrices(&call, DTYPE, am, an, &a),
                       *B = call_matrices(&call, DTYPE, bm, bn, &b);
        if (call.status == 0)
            call.status = startile_gemm_batch(transa, transb, alpha, A, B, beta, C);
    }
    return call_end(&call);
}

int64_t ENTRY(gemm_batch_strided)(char transa, char transb, int64_t m, int64_t n, int64_t k,
                                  element alpha, const element *a, int64_t lda, int64_t stridea,
                                  const element *b, int64_t ldb, int64_t strideb, element beta,
                                  element *c, int64_t ldc, int64_t stridec, int64_t count)
{
    return gemm(transa, transb, one_size(m), one_size(n), one_size(k), alpha,
                strided(a, lda, stridea), strided(b, ldb, strideb), beta, strided(c, ldc, stridec),
                count);
}

int64_t ENTRY(gemm_batch)(char transa, char transb, int64_t m, int64_t n, int64_t k, element alpha,
                          element *const *a, int64_t lda, element *const *b, int64_t ldb,
                          element beta, element *const *c, int64_t ldc, int64_t count)
{
    return gemm(transa, transb, one_size(m), one_size(n), one_size(k), alpha, pointers(a, lda),
                pointers(b, ldb), beta, pointers(c, ldc), count);
}

int64_t ENTRY(gemm_vbatch)(char transa, char transb, const int64_t *m, const int64_t *n,
                           const int64_t *k, element alpha, element *const *a, const int64_t *lda,
                           element *const *b, const int64_t *ldb, element beta, element *const *c,
                           const int64_t *ldc, int64_t count)
{
    return gemm(transa, transb, each_size(m), each_size(n), each_size(k), alpha, sizes(a, lda),
                sizes(b, ldb), beta, sizes(c, ldc), count);
}

static int64_t trsm(char side, char uplo, char trans, char diag, struct extent m, struct extent n,
                    element alpha, struct storage a, struct storage b, int64_t count)
{
    struct call c = call_begin(count);
    struct extent order = is_letter(side, "Ll") ? m : n;
    check_letter(&c, side, "LlRr");
    check_letter(&c, uplo, "LlUu");
    check_letter(&c, trans, "NnTtCc");
    check_letter(&c, diag, "NnUu");
    check_extent(&c, m);
    check_extent(&c, n);
    check_scalar(&c);
    check_storage(&c, order, order, &a, false);
    check_storage(&c, m, n, &b, true);
    if (call_enter(&c)) {
        startile_batch *B = call_matrices(&c, DTYPE, m, n, &b),
                       *A = call_matrices(&c, DTYPE, order, order, &a);
        if (c.status == 0)
            c.status = startile_trsm_batch(side, uplo, trans, diag, alpha, A, B);
    }
    return call_end(&c);
}

int64_t ENTRY(trsm_batch_strided)(char side, char uplo, char trans, char diag, int64_t m, int64_t n,
                                  element alpha, const element *a, int64_t lda, int64_t stridea,
                                  element *b, int64_t ldb, int64_t strideb, int64_t count)
{
    return trsm(side, uplo, trans, diag, one_size(m), one_size(n), alpha, strided(a, lda, stridea),
                strided(b, ldb, strideb), count);
}

int64_t ENTRY(trsm_batch)(char side, char uplo, char trans, char diag, int64_t m, int64_t n,
                          element alpha, element *const *a, int64_t lda, element *const *b,
                          int64_t ldb, int64_t count)
{
    return trsm(side, uplo, trans, diag, one_size(m), one_size(n), alpha, pointers(a, lda),
                pointers(b, ldb), count);
}

int64_t ENTRY(trsm_vbatch)(char side, char uplo, char trans, char diag, const int64_t *m,
                           const int64_t *n, element alpha, element *const *a, const int64_t *lda,
                           element *const *b, const int64_t *ldb, int64_t count)
{
    return trsm(side, uplo, trans, diag, each_size(m), each_size(n), alpha, sizes(a, lda),
                sizes(b, ldb), count);
}
