/* Typed entries xGEQRF, xORMQR (xUNMQR) and xGELS of batches. */
#include "batch_call.h"

static int64_t geqrf(struct extent m, struct extent n, struct storage a, struct storage tau,
                     int64_t count)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    struct extent k = smaller_extent(&c, m, n);
    check_columns(&c, k, &tau, true);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a),
                       *T = call_columns(&c, DTYPE, k, &tau);
        if (c.status == 0)
            c.status = startile_geqrf_batch(A, T);
    }
    return call_end(&c);
}

int64_t ENTRY(geqrf_batch_strided)(int64_t m, int64_t n, element *a, int64_t lda, int64_t stridea,
                                   element *tau, int64_t stridet, int64_t count)
{
    return geqrf(one_size(m), one_size(n), strided(a, lda, stridea), strided_vectors(tau, stridet),
                 count);
}

int64_t ENTRY(geqrf_batch)(int64_t m, int64_t n, element *const *a, int64_t lda,
                           element *const *tau, int64_t count)
{
    return geqrf(one_size(m), one_size(n), pointers(a, lda), vectors_by_pointers(tau), count);
}

int64_t ENTRY(geqrf_vbatch)(const int64_t *m, const int64_t *n, element *const *a,
                            const int64_t *lda, element *const *tau, int64_t count)
{
    return geqrf(each_size(m), each_size(n), sizes(a, lda), vectors_by_pointers(tau), count);
}

/* Checks that k is a valid dimension and at most the order of Q. */
static void check_reflectors(struct call *c, struct extent k, struct extent order)
{
    check_extent(c, k);
    if (c->status != 0)
        return;
    /* k is argument number c->next − 1 */
    if (!k.varies && k.all > order.all)
        c->status = 1 - c->next;
    if (k.varies)
        for (int64_t i = 0; i < c->count; i++)
            if (k.each[i] > order.each[i])
                c->status = 1 - c->next;
}

static int64_t ormqr(char side, char trans, struct extent m, struct extent n, struct extent k,
                     struct storage a, struct storage tau, struct storage c, int64_t count)
{
    struct call call = call_begin(count);
    struct extent order = is_letter(side, "Ll") ? m : n;
    check_letter(&call, side, "LlRr");
    check_letter(&call, trans, ADJOINT);
    check_extent(&call, m);
    check_extent(&call, n);
    check_reflectors(&call, k, order);
    check_storage(&call, order, k, &a, false);
    check_columns(&call, k, &tau, false);
    check_storage(&call, m, n, &c, true);
    if (call_enter(&call)) {
        startile_batch *A = call_matrices(&call, DTYPE, order, k, &a),
                       *T = call_columns(&call, DTYPE, k, &tau),
                       *C = call_matrices(&call, DTYPE, m, n, &c);
        if (call.status == 0)
            call.status = startile_ormqr_batch(side, trans, A, T, C);
    }
    return call_end(&call);
}

int64_t UNITARY(mqr_batch_strided)(char side, char trans, int64_t m, int64_t n, int64_t k,
                                   const element *a, int64_t lda, int64_t stridea,
                                   const element *tau, int64_t stridet, element *c, int64_t ldc,
                                   int64_t stridec, int64_t count)
{
    return ormqr(side, trans, one_size(m), one_size(n), one_size(k), strided(a, lda, stridea),
                 strided_vectors(tau, stridet), strided(c, ldc, stridec), count);
}

int64_t UNITARY(mqr_batch)(char side, char trans, int64_t m, int64_t n, int64_t k,
                           element *const *a, int64_t lda, element *const *tau, element *const *c,
                           int64_t ldc, int64_t count)
{
    return ormqr(side, trans, one_size(m), one_size(n), one_size(k), pointers(a, lda),
                 vectors_by_pointers(tau), pointers(c, ldc), count);
}

int64_t UNITARY(mqr_vbatch)(char side, char trans, const int64_t *m, const int64_t *n,
                            const int64_t *k, element *const *a, const int64_t *lda,
                            element *const *tau, element *const *c, const int64_t *ldc,
                            int64_t count)
{
    return ormqr(side, trans, each_size(m), each_size(n), each_size(k), sizes(a, lda),
                 vectors_by_pointers(tau), sizes(c, ldc), count);
}

static int64_t gels(char trans, struct extent m, struct extent n, struct extent nrhs,
                    struct storage a, struct storage b, int64_t *info, int64_t count)
{
    struct call c = call_begin(count);
    check_letter(&c, trans, ADJOINT);
    check_extent(&c, m);
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, m, n, &a, true);
    struct extent rows = larger_extent(&c, m, n);
    check_storage(&c, rows, nrhs, &b, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a),
                       *B = call_matrices(&c, DTYPE, rows, nrhs, &b), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_gels_batch(trans, A, B, I);
    }
    return call_end(&c);
}

int64_t ENTRY(gels_batch_strided)(char trans, int64_t m, int64_t n, int64_t nrhs, element *a,
                                  int64_t lda, int64_t stridea, element *b, int64_t ldb,
                                  int64_t strideb, int64_t *info, int64_t count)
{
    return gels(trans, one_size(m), one_size(n), one_size(nrhs), strided(a, lda, stridea),
                strided(b, ldb, strideb), info, count);
}

int64_t ENTRY(gels_batch)(char trans, int64_t m, int64_t n, int64_t nrhs, element *const *a,
                          int64_t lda, element *const *b, int64_t ldb, int64_t *info, int64_t count)
{
    return gels(trans, one_size(m), one_size(n), one_size(nrhs), pointers(a, lda), pointers(b, ldb),
                info, count);
}

int64_t ENTRY(gels_vbatch)(char trans, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           element *const *a, const int64_t *lda, element *const *b,
                           const int64_t *ldb, int64_t *info, int64_t count)
{
    return gels(trans, each_size(m), each_size(n), each_size(nrhs), sizes(a, lda), sizes(b, ldb),
                info, count);
}
