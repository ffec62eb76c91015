/* Typed entries xGEMM, xSYRK, xHERK, xTRSM and xTRTRS. */
#include "library/integers.h"
#include "typed.h"

#define ANY_TRANS "NnTtCc"

/* Letters of syrk's trans: for real types Aᴴ is Aᵀ. */
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define SYMMETRIC_TRANS ANY_TRANS
#else
#define SYMMETRIC_TRANS "NnTt"
#endif

/* The wrapped operands of an entry, of which C is written, in tiles of nb × nb; `entered`:
 * lapack_enter() succeeded. */
struct operands {
    startile_matrix *A, *B, *C;
    int64_t nb;
    bool entered;
};

/* Starts the library, chooses the tiles and wraps the m × n matrix c. Returns 0 or an error. Call
 * end() in both cases. */
static int64_t begin(struct operands *o, int64_t m, int64_t n, void *c, int64_t ldc)
{
    *o = (struct operands){.entered = false};
    int64_t status = lapack_enter();
    o->entered = status == 0;
    if (status == 0)
        status = lapack_tiles("gemm", DTYPE, m, n, c, &o->nb, &o->nb);
    if (status == 0)
        status = startile_matrix_wrap(&o->C, DTYPE, m, n, c, ldc, o->nb, o->nb);
    lapack_page_lock(o->C);
    return status;
}

/* Wraps an m × n operand that is only read. Returns `status` if that is not 0, else 0 or an error.
 */
static int64_t wrap(const struct operands *o, int64_t status, startile_matrix **A, int64_t m,
                    int64_t n, const void *a, int64_t lda)
{
    return status != 0 ? status
                       : startile_matrix_wrap(A, DTYPE, m, n, (void *)a, lda, o->nb, o->nb);
}

/* Transfers the result to the caller's storage, destroys the matrices and leaves the library.
 * Returns info. */
static int64_t end(struct operands *o, int64_t info)
{
    startile_matrix_destroy(o->C);
    startile_matrix_destroy(o->B);
    startile_matrix_destroy(o->A);
    if (o->entered)
        lapack_leave();
    return info;
}

int64_t ENTRY(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, element alpha,
                    const element *a, int64_t lda, const element *b, int64_t ldb, element beta,
                    element *c, int64_t ldc)
{
    struct operands o;
    bool plain_a = is_letter(transa, "Nn"), plain_b = is_letter(transb, "Nn");
    int64_t status = !is_letter(transa, ANY_TRANS)   ? -1
                     : !is_letter(transb, ANY_TRANS) ? -2
                     : m < 0                         ? -3
                     : n < 0                         ? -4
                     : k < 0                         ? -5
                                                     : 0;
    int64_t rows_a = plain_a ? m : k, columns_a = plain_a ? k : m;
    int64_t rows_b = plain_b ? k : n, columns_b = plain_b ? n : k;
    if (status == 0)
        status = check_matrix(rows_a, columns_a, a, lda, 7);
    if (status == 0)
        status = check_matrix(rows_b, columns_b, b, ldb, 9);
    if (status == 0)
        status = check_matrix(m, n, c, ldc, 12);
    if (status != 0 || m == 0 || n == 0)
        return status;
    status = begin(&o, m, n, c, ldc);
    status = wrap(&o, status, &o.A, rows_a, columns_a, a, lda);
    status = wrap(&o, status, &o.B, rows_b, columns_b, b, ldb);
    if (status == 0)
        status = startile_gemm(transa, transb, alpha, o.A, o.B, beta, o.C);
    return end(&o, status);
}

/* Validates syrk's and herk's arguments uplo, trans, n, k, alpha, a, lda, beta, c, ldc; returns 0
 * or −i. */
static int64_t check_rank_k(char uplo, char trans, const char *letters, int64_t n, int64_t k,
                            const element *a, int64_t lda, const element *c, int64_t ldc)
{
    bool plain = is_letter(trans, "Nn");
    int64_t status = !is_letter(uplo, "LlUu")     ? -1
                     : !is_letter(trans, letters) ? -2
                     : n < 0                      ? -3
                     : k < 0                      ? -4
                                                  : 0;
    if (status == 0)
        status = check_matrix(plain ? n : k, plain ? k : n, a, lda, 6);
    return status != 0 ? status : check_matrix(n, n, c, ldc, 9);
}

/* Wraps A and C of syrk and herk. Returns 0 or an error. */
static int64_t begin_rank_k(struct operands *o, char trans, int64_t n, int64_t k, const element *a,
                            int64_t lda, element *c, int64_t ldc)
{
    bool plain = is_letter(trans, "Nn");
    int64_t status = begin(o, n, n, c, ldc);
    return wrap(o, status, &o->A, plain ? n : k, plain ? k : n, a, lda);
}

int64_t ENTRY(syrk)(char uplo, char trans, int64_t n, int64_t k, element alpha, const element *a,
                    int64_t lda, element beta, element *c, int64_t ldc)
{
    struct operands o;
    int64_t status = check_rank_k(uplo, trans, SYMMETRIC_TRANS, n, k, a, lda, c, ldc);
    if (status != 0 || n == 0)
        return status;
    status = begin_rank_k(&o, trans, n, k, a, lda, c, ldc);
    return end(&o, status != 0 ? status : startile_syrk(uplo, trans, alpha, o.A, beta, o.C));
}

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
int64_t ENTRY(herk)(char uplo, char trans, int64_t n, int64_t k, real alpha, const element *a,
                    int64_t lda, real beta, element *c, int64_t ldc)
{
    struct operands o;
    int64_t status = check_rank_k(uplo, trans, ADJOINT, n, k, a, lda, c, ldc);
    if (status != 0 || n == 0)
        return status;
    status = begin_rank_k(&o, trans, n, k, a, lda, c, ldc);
    return end(&o, status != 0 ? status
                               : startile_herk(uplo, trans, (double)alpha, o.A, (double)beta, o.C));
}
#endif

int64_t ENTRY(trsm)(char side, char uplo, char transa, char diag, int64_t m, int64_t n,
                    element alpha, const element *a, int64_t lda, element *b, int64_t ldb)
{
    struct operands o;
    int64_t order = is_letter(side, "Ll") ? m : n;
    int64_t status = !is_letter(side, "LlRr")        ? -1
                     : !is_letter(uplo, "LlUu")      ? -2
                     : !is_letter(transa, ANY_TRANS) ? -3
                     : !is_letter(diag, "NnUu")      ? -4
                     : m < 0                         ? -5
                     : n < 0                         ? -6
                                                     : check_matrix(order, order, a, lda, 8);
    if (status == 0)
        status = check_matrix(m, n, b, ldb, 10);
    if (status != 0 || m == 0 || n == 0)
        return status;
    status = begin(&o, m, n, b, ldb);
    status = wrap(&o, status, &o.A, order, order, a, lda);
    if (status == 0)
        status = startile_trsm(side, uplo, transa, diag, alpha, o.A, o.C);
    return end(&o, status);
}

int64_t ENTRY(trtrs)(char uplo, char trans, char diag, int64_t n, int64_t nrhs, const element *a,
                     int64_t lda, element *b, int64_t ldb)
{
    struct operands o;
    int64_t status = !is_letter(uplo, "LlUu")       ? -1
                     : !is_letter(trans, ANY_TRANS) ? -2
                     : !is_letter(diag, "NnUu")     ? -3
                     : n < 0                        ? -4
                     : nrhs < 0                     ? -5
                                                    : check_matrix(n, n, a, lda, 6);
    if (status == 0)
        status = check_matrix(n, nrhs, b, ldb, 8);
    if (status != 0 || n == 0)
        return status;
    status = begin(&o, n, nrhs, b, ldb);
    status = wrap(&o, status, &o.A, n, n, a, lda);
    return end(&o, status != 0 ? status : startile_trtrs(uplo, trans, diag, o.A, o.C));
}
