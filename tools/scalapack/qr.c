/* PxGEQRF and PxGELS. */
#include "scalapack.h"

#include "scalar.h"

static integer smaller(integer a, integer b)
{
    return a < b ? a : b;
}

static integer larger(integer a, integer b)
{
    return a > b ? a : b;
}

SYMBOLS(geqrf,
        (const integer *m, const integer *n, void *a, const integer *ia, const integer *ja,
         const integer *desca, void *tau, void *work, const integer *lwork, integer *info),
        (m, n, a, ia, ja, desca, tau, work, lwork, info))

static int64_t geqrf_on_startile(const struct call *call, void *tau)
{
    const struct operand *A = call->operand[0];
    startile_matrix *T = NULL;
    int64_t status = startile_reflectors_create(&T, A->matrix);
    if (!agree(call->context, status == 0, 0))
        status = STARTILE_ERROR_MEMORY;
    if (status == 0)
        status = startile_geqrf(A->matrix, T);
    if (status == 0)
        status = reflectors_to_local(T, A, call->context, call->problem.dtype, tau);
    startile_matrix_destroy(T);
    return status;
}

static void geqrf(startile_dtype t, const integer *m, const integer *n, void *a, const integer *ia,
                  const integer *ja, const integer *desca, void *tau, void *work,
                  const integer *lwork, integer *info)
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL};
    struct work w = {.work = work, .lwork = lwork};
    struct problem p = {GEQRF, t, *m, *n, smaller(*m, *n), flops_geqrf(t, *m, *n), is_query(w)};
    if (call_begin(&call, p, true, "", &A, NULL)) {
        struct answer size = {.info = 0};
        MACHINE(GEQRF, geqrf)(m, n, a, ia, ja, desca, tau, &size.work, &query, &size.info);
        if (has_workspace(&call, w, &size) &&
            call_solved(&call, geqrf_on_startile(&call, tau), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(GEQRF, geqrf)(m, n, a, ia, ja, desca, tau, work, lwork, info);
    call_end(&call);
}

SYMBOLS(gels,
        (const char *trans, const integer *m, const integer *n, const integer *nrhs, void *a,
         const integer *ia, const integer *ja, const integer *desca, void *b, const integer *ib,
         const integer *jb, const integer *descb, void *work, const integer *lwork, integer *info,
         length trans_length),
        (trans, m, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, work, lwork, info, trans_length))

static void gels(startile_dtype t, const char *trans, const integer *m, const integer *n,
                 const integer *nrhs, void *a, const integer *ia, const integer *ja,
                 const integer *desca, void *b, const integer *ib, const integer *jb,
                 const integer *descb, void *work, const integer *lwork, integer *info,
                 length trans_length)
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL};
    struct operand B = {larger(*m, *n), *nrhs, b, ib, jb, descb, NULL};
    struct work w = {.work = work, .lwork = lwork};
    integer k = smaller(*m, *n);
    struct problem p = {GELS, t, *m, *n, k, flops_gels(t, *m, *n, *nrhs), is_query(w)};
    bool is_valid = is_letter(trans, dtype_is_complex(t) ? "NnCc" : "NnTt");
    const char letters[] = {*trans, '\0'};
    if (call_begin(&call, p, is_valid, letters, &A, &B)) {
        struct answer size = {.info = 0};
        MACHINE(GELS, gels)
        (trans, m, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, &size.work, &query, &size.info,
         trans_length);
        if (has_workspace(&call, w, &size) &&
            call_solved(&call, startile_gels(*trans, A.matrix, B.matrix), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(GELS, gels)
    (trans, m, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, work, lwork, info, trans_length);
    call_end(&call);
}
