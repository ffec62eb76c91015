/* ScaLAPACK's routines PxGEQRF, PxGELQF, PxGEQPF, PxORGQR (PxUNGQR), PxORMQR (PxUNMQR) and PxGELS
 */
#include "scalapack.h"

#include "scalar.h"

/* Creates the triangles T of the first k reflectors of A. Returns a status, the same
 * on all processes. Collective. */
static int64_t new_triangles(const struct call *call, int64_t k, startile_reflectors **T)
{
    const struct operand *A = call->operand[0];
    int64_t nb = startile_matrix_shape(A->matrix).nb;
    startile_matrix *M;
    int64_t status =
        startile_matrix_create_distributed(&M, call->problem.dtype, nb, k, nb, nb, call->grid);
    if (status == 0)
        status = startile_reflectors_from_matrix(T, M);
    return agree(call->context, status == 0, 0) ? 0 : NOT_CALLED;
}

#define FACTOR_PARAMETERS                                                                          \
    (const integer *m, const integer *n, void *a, const integer *ia, const integer *ja,            \
     const integer *desca, void *tau, void *work, const integer *lwork, integer *info)
#define FACTOR_ARGUMENTS (m, n, a, ia, ja, desca, tau, work, lwork, info)

typedef void factor_function FACTOR_PARAMETERS;

static int64_t factor_on_startile(const struct call *call, void *tau)
{
    const struct operand *A = call->operand[0];
    bool is_qr = call->problem.routine == GEQRF;
    startile_reflectors *T = NULL;
    int64_t status = new_triangles(call, (int64_t)call->problem.k, &T);
    if (status == 0)
        status = is_qr ? startile_geqrf(A->matrix, T) : startile_gelqf(A->matrix, T);
    if (status == 0)
        status =
            reflectors_to_local(T, A, call->context, call->problem.dtype, is_qr ? 'C' : 'R', tau);
    startile_reflectors_destroy(T);
    return status;
}

/* Computes PxGEQRF or PxGELQF, whose arguments have the same types. */
static void factor(enum routine routine, startile_dtype t, const integer *m, const integer *n,
                   void *a, const integer *ia, const integer *ja, const integer *desca, void *tau,
                   void *work, const integer *lwork, integer *info)
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL, NULL};
    struct work w = {.work = work, .lwork = lwork};
    double flops = routine == GEQRF ? flops_geqrf(t, *m, *n) : flops_gelqf(t, *m, *n);
    struct problem p = {routine, t, *m, *n, smaller(*m, *n), flops, is_query(w)};
    if (call_begin(&call, p, true, "", &A, NULL)) {
        struct answer size = {.info = 0};
        MACHINE(routine, factor)(m, n, a, ia, ja, desca, tau, &size.work, &query, &size.info);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, factor_on_startile(&call, tau), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(routine, factor)(m, n, a, ia, ja, desca, tau, work, lwork, info);
    call_end(&call, *info);
}

SYMBOLS(geqrf, FACTOR_PARAMETERS, FACTOR_ARGUMENTS)
{
    factor(GEQRF, t, m, n, a, ia, ja, desca, tau, work, lwork, info);
}

SYMBOLS(gelqf, FACTOR_PARAMETERS, FACTOR_ARGUMENTS)
{
    factor(GELQF, t, m, n, a, ia, ja, desca, tau, work, lwork, info);
}

#define PIVOTING_PARAMETERS                                                                        \
    const integer *m, const integer *n, void *a, const integer *ia, const integer *ja,             \
        const integer *desca, integer *ipiv, void *tau
#define PIVOTING_ARGUMENTS m, n, a, ia, ja, desca, ipiv, tau

typedef void geqpf_function(PIVOTING_PARAMETERS, void *work, const integer *lwork, integer *info);
typedef void complex_geqpf_function(PIVOTING_PARAMETERS, void *work, const integer *lwork,
                                    void *rwork, const integer *lrwork, integer *info);

/* Calls the machine's PxGEQPF, which has RWORK, w.more, for complex types only. */
static void machine_geqpf(startile_dtype t, PIVOTING_PARAMETERS, struct work w, integer *info)
{
    geqpf_function *of_real = MACHINE(GEQPF, geqpf);
    complex_geqpf_function *of_complex = MACHINE(GEQPF, complex_geqpf);
    if (dtype_is_complex(t))
        of_complex(PIVOTING_ARGUMENTS, w.work, w.lwork, w.more, w.lmore, info);
    else
        of_real(PIVOTING_ARGUMENTS, w.work, w.lwork, info);
}

/* Factors A, which is on one process, and creates P and T. Returns a status. */
static int64_t factor_with_pivoting(startile_matrix *A, startile_permutation **P,
                                    startile_reflectors **T)
{
    int64_t status = startile_permutation_create(P, A);
    if (status == 0)
        status = startile_reflectors_create(T, A);
    return status == 0 ? startile_geqp3(A, *P, *T) : status;
}

/* Factors A on the first process of the context, the only one that has A->matrix: each pivot
 * depends on all columns, and startile_geqp3() takes no grid. */
static int64_t geqpf_on_startile(const struct call *call, integer *ipiv, void *tau)
{
    const struct operand *A = call->operand[0];
    startile_permutation *P = NULL;
    startile_reflectors *T = NULL;
    int64_t status = A->matrix != NULL ? factor_with_pivoting(A->matrix, &P, &T) : 0;
    status = pivoting_to_local(status, P, T, A, call->context, call->problem.dtype, ipiv, tau);
    startile_permutation_destroy(P);
    startile_reflectors_destroy(T);
    return status;
}

static void pivoting(startile_dtype t, PIVOTING_PARAMETERS, struct work w, integer *info)
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL, NULL};
    struct problem p = {GEQPF, t, *m, *n, smaller(*m, *n), flops_geqrf(t, *m, *n), is_query(w)};
    if (call_begin(&call, p, true, "", &A, NULL)) {
        struct answer size = {.info = 0};
        struct work sizes = {&size.work, &size.more, &query, &query};
        machine_geqpf(t, PIVOTING_ARGUMENTS, sizes, &size.info);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, geqpf_on_startile(&call, ipiv, tau), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    machine_geqpf(t, PIVOTING_ARGUMENTS, w, info);
    call_end(&call, *info);
}

static void geqpf(startile_dtype t, PIVOTING_PARAMETERS, void *work, const integer *lwork,
                  integer *info)
{
    pivoting(t, PIVOTING_ARGUMENTS, (struct work){.work = work, .lwork = lwork}, info);
}

static void complex_geqpf(startile_dtype t, PIVOTING_PARAMETERS, void *work, const integer *lwork,
                          void *rwork, const integer *lrwork, integer *info)
{
    pivoting(t, PIVOTING_ARGUMENTS, (struct work){work, rwork, lwork, lrwork}, info);
}

SYMBOL_NAMED(psgeqpf_, STARTILE_S, geqpf,
             (PIVOTING_PARAMETERS, void *work, const integer *lwork, integer *info),
             (PIVOTING_ARGUMENTS, work, lwork, info))
SYMBOL_NAMED(pdgeqpf_, STARTILE_D, geqpf,
             (PIVOTING_PARAMETERS, void *work, const integer *lwork, integer *info),
             (PIVOTING_ARGUMENTS, work, lwork, info))
SYMBOL_NAMED(pcgeqpf_, STARTILE_C, complex_geqpf,
             (PIVOTING_PARAMETERS, void *work, const integer *lwork, void *rwork,
              const integer *lrwork, integer *info),
             (PIVOTING_ARGUMENTS, work, lwork, rwork, lrwork, info))
SYMBOL_NAMED(pzgeqpf_, STARTILE_Z, complex_geqpf,
             (PIVOTING_PARAMETERS, void *work, const integer *lwork, void *rwork,
              const integer *lrwork, integer *info),
             (PIVOTING_ARGUMENTS, work, lwork, rwork, lrwork, info))

static int64_t gqr_on_startile(const struct call *call, const void *tau)
{
    const struct operand *A = call->operand[0];
    startile_reflectors *T = NULL;
    int64_t status = new_triangles(call, (int64_t)call->problem.k, &T);
    if (status == 0)
        status = reflectors_from_local(T, (int64_t)call->problem.k, A, call->context,
                                       call->problem.dtype, 'C', tau);
    if (status == 0)
        status = startile_ungqr(A->matrix, T);
    startile_reflectors_destroy(T);
    return status;
}

UNITARY_SYMBOLS(gqr,
                (const integer *m, const integer *n, const integer *k, void *a, const integer *ia,
                 const integer *ja, const integer *desca, const void *tau, void *work,
                 const integer *lwork, integer *info),
                (m, n, k, a, ia, ja, desca, tau, work, lwork, info))
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL, NULL};
    struct work w = {.work = work, .lwork = lwork};
    struct problem p = {ORGQR, t, *m, *n, *k, flops_orgqr(t, *m, *n, *k), is_query(w)};
    if (call_begin(&call, p, *n <= *m && *k > 0 && *k <= *n, "", &A, NULL)) {
        struct answer size = {.info = 0};
        MACHINE(ORGQR, gqr)(m, n, k, a, ia, ja, desca, tau, &size.work, &query, &size.info);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, gqr_on_startile(&call, tau), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(ORGQR, gqr)(m, n, k, a, ia, ja, desca, tau, work, lwork, info);
    call_end(&call, *info);
}

static int64_t mqr_on_startile(const struct call *call, char side, char trans, const void *tau)
{
    const struct operand *A = call->operand[0], *C = call->operand[1];
    startile_reflectors *T = NULL;
    int64_t status = new_triangles(call, (int64_t)call->problem.k, &T);
    if (status == 0)
        status = reflectors_from_local(T, (int64_t)call->problem.k, A, call->context,
                                       call->problem.dtype, 'C', tau);
    if (status == 0)
        status = startile_unmqr(side, trans, A->matrix, T, C->matrix);
    startile_reflectors_destroy(T);
    return status;
}

/* For side R startile can take C only if C's blocks have as many columns as A's blocks have rows;
 * else the machine's routine is called. q_order: order of Q; vectors: number of columns (side L) or
 * rows (side R) of C, to each of which Q is applied */
UNITARY_SYMBOLS(mqr,
                (const char *side, const char *trans, const integer *m, const integer *n,
                 const integer *k, void *a, const integer *ia, const integer *ja,
                 const integer *desca, const void *tau, void *c, const integer *ic,
                 const integer *jc, const integer *descc, void *work, const integer *lwork,
                 integer *info, length side_length, length trans_length),
                (side, trans, m, n, k, a, ia, ja, desca, tau, c, ic, jc, descc, work, lwork, info,
                 side_length, trans_length))
{
    struct call call;
    bool is_left = is_letter(side, "Ll");
    integer q_order = is_left ? *m : *n, vectors = is_left ? *n : *m;
    struct operand A = {q_order, *k, a, ia, ja, desca, NULL, NULL},
                   C = {*m, *n, c, ic, jc, descc, NULL, NULL};
    struct work w = {.work = work, .lwork = lwork};
    struct problem p = {ORMQR, t, *m, *n, *k, flops_ormqr(t, q_order, vectors, *k), is_query(w)};
    const char letters[] = {*side, *trans, '\0'};
    bool is_valid = is_letter(side, "LlRr") && *k <= q_order &&
                    is_letter(trans, dtype_is_complex(t) ? "NnCc" : "NnTt");
    if (call_begin(&call, p, is_valid, letters, &A, &C)) {
        struct answer size = {.info = 0};
        MACHINE(ORMQR, mqr)
        (side, trans, m, n, k, a, ia, ja, desca, tau, c, ic, jc, descc, &size.work, &query,
         &size.info, side_length, trans_length);
        if (!is_left && descc[NB_] != desca[MB_])
            size.info = -14; /* makes check_workspace() choose the machine's routine */
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, mqr_on_startile(&call, *side, *trans, tau), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(ORMQR, mqr)
    (side, trans, m, n, k, a, ia, ja, desca, tau, c, ic, jc, descc, work, lwork, info, side_length,
     trans_length);
    call_end(&call, *info);
}

SYMBOLS(gels,
        (const char *trans, const integer *m, const integer *n, const integer *nrhs, void *a,
         const integer *ia, const integer *ja, const integer *desca, void *b, const integer *ib,
         const integer *jb, const integer *descb, void *work, const integer *lwork, integer *info,
         length trans_length),
        (trans, m, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, work, lwork, info, trans_length))
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL, NULL};
    struct operand B = {larger(*m, *n), *nrhs, b, ib, jb, descb, NULL, NULL};
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
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, startile_gels(*trans, A.matrix, B.matrix), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(GELS, gels)
    (trans, m, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, work, lwork, info, trans_length);
    call_end(&call, *info);
}
