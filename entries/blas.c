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

/* Starts the library, chooses square tiles and wraps the m × n matrix c, which the entry
 * overwrites. Returns 0 or an error. Call end_entry() in both cases. */
static int64_t begin(struct problem *p, int64_t m, int64_t n, element *c, int64_t ldc)
{
    int64_t nb;
    int64_t status = lapack_enter();
    *p = (struct problem){.entered = status == 0};
    if (status == 0)
        status = lapack_tiles("gemm", DTYPE, m, n, c, &nb, &nb);
    if (status == 0)
        status = startile_matrix_wrap(&p->C, DTYPE, m, n, c, ldc, nb, nb);
    lapack_page_lock(p->C);
    return status;
}

/* Wraps the m × n matrix a, which is only read, in tiles of C's size. Returns `status` if that is
 * not 0, else 0 or an error. */
static int64_t wrap(const struct problem *p, int64_t status, startile_matrix **A, int64_t m,
                    int64_t n, const element *a, int64_t lda)
{
    int64_t nb = startile_matrix_shape(p->C).nb;
    return status != 0 ? status : startile_matrix_wrap(A, DTYPE, m, n, (void *)a, lda, nb, nb);
}

int64_t ENTRY(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, element alpha,
                    const element *a, int64_t lda, const element *b, int64_t ldb, element beta,
                    element *c, int64_t ldc)
{
    struct problem p;
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
    status = begin(&p, m, n, c, ldc);
    status = wrap(&p, status, &p.A, rows_a, columns_a, a, lda);
    status = wrap(&p, status, &p.B, rows_b, columns_b, b, ldb);
    lapack_keep_small(p.A, p.B, p.C);
    if (status == 0)
        status = startile_gemm(transa, transb, alpha, p.A, p.B, beta, p.C);
    return end_entry(&p, status);
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
static int64_t begin_rank_k(struct problem *p, char trans, int64_t n, int64_t k, const element *a,
                            int64_t lda, element *c, int64_t ldc)
{
    bool plain = is_letter(trans, "Nn");
    int64_t status = begin(p, n, n, c, ldc);
    status = wrap(p, status, &p->A, plain ? n : k, plain ? k : n, a, lda);
    lapack_keep_small(p->A, p->C, NULL);
    return status;
}

int64_t ENTRY(syrk)(char uplo, char trans, int64_t n, int64_t k, element alpha, const element *a,
                    int64_t lda, element beta, element *c, int64_t ldc)
{
    struct problem p;
    int64_t status = check_rank_k(uplo, trans, SYMMETRIC_TRANS, n, k, a, lda, c, ldc);
    if (status != 0 || n == 0)
        return status;
    status = begin_rank_k(&p, trans, n, k, a, lda, c, ldc);
    return end_entry(&p, status != 0 ? status : startile_syrk(uplo, trans, alpha, p.A, beta, p.C));
}

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
int64_t ENTRY(herk)(char uplo, char trans, int64_t n, int64_t k, real alpha, const element *a,
                    int64_t lda, real beta, element *c, int64_t ldc)
{
    struct problem p;
    int64_t status = check_rank_k(uplo, trans, ADJOINT, n, k, a, lda, c, ldc);
    if (status != 0 || n == 0)
        return status;
    status = begin_rank_k(&p, trans, n, k, a, lda, c, ldc);
    return end_entry(&p, status != 0
                             ? status
                             : startile_herk(uplo, trans, (double)alpha, p.A, (double)beta, p.C));
}
#endif

int64_t ENTRY(trsm)(char side, char uplo, char transa, char diag, int64_t m, int64_t n,
                    element alpha, const element *a, int64_t lda, element *b, int64_t ldb)
{
    struct problem p;
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
    status = begin(&p, m, n, b, ldb);
    status = wrap(&p, status, &p.A, order, order, a, lda);
    lapack_keep_small(p.A, p.C, NULL);
    if (status == 0)
        status = startile_trsm(side, uplo, transa, diag, alpha, p.A, p.C);
    return end_entry(&p, status);
}

int64_t ENTRY(trtrs)(char uplo, char trans, char diag, int64_t n, int64_t nrhs, const element *a,
                     int64_t lda, element *b, int64_t ldb)
{
    struct problem p;
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
    status = begin(&p, n, nrhs, b, ldb);
    status = wrap(&p, status, &p.A, n, n, a, lda);
    return end_entry(&p, status != 0 ? status : startile_trtrs(uplo, trans, diag, p.A, p.C));
}
