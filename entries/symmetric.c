/* Typed entries xSYTRF and xHETRF. */
#include "typed.h"

typedef int64_t factorization(char uplo, startile_matrix *A, startile_symmetric_pivots *P);

/* Factors the wrapped A, and copies the pivots. Returns info. */
static int64_t factor_with_pivots(char uplo, startile_matrix *A, int64_t *ipiv,
                                  factorization *routine)
{
    startile_symmetric_pivots *P = NULL;
    int64_t status = startile_symmetric_pivots_create(&P, A);
    if (status == 0)
        status = routine(uplo, A, P);
    int64_t copied = status >= 0 ? startile_symmetric_pivots_to_lapack(P, ipiv) : 0;
    startile_symmetric_pivots_destroy(P);
    return copied != 0 ? copied : status;
}

static int64_t factor(char uplo, int64_t n, element *a, int64_t lda, int64_t *ipiv,
                      factorization *routine)
{
    struct problem p;
    int64_t status = !is_letter(uplo, "LlUu") ? -1 : n < 0 ? -2 : check_matrix(n, n, a, lda, 3);
    if (status == 0)
        status = check_host_array(ipiv, n, 5);
    if (status != 0 || n == 0)
        return status;
    status = begin_square_entry(&p, DTYPE, n, a, lda, 0, NULL, 0);
    return end_entry(&p, status != 0 ? status : factor_with_pivots(uplo, p.A, ipiv, routine));
}

int64_t ENTRY(sytrf)(char uplo, int64_t n, element *a, int64_t lda, int64_t *ipiv)
{
    return factor(uplo, n, a, lda, ipiv, startile_sytrf);
}

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
int64_t ENTRY(hetrf)(char uplo, int64_t n, element *a, int64_t lda, int64_t *ipiv)
{
    return factor(uplo, n, a, lda, ipiv, startile_hetrf);
}
#endif
