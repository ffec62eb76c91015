/* Typed entries xPOTRF, xPSTRF, xPOTRS, xPOSV, xTRTRI, xLAUUM, xPOTRI and xPOCON, and determinants.
 */
#include "null_vector.h"
#include "typed.h"

/* Validates uplo and n; returns 0 or −i. */
static int check_uplo_and_n(char uplo, int64_t n)
{
    return !is_letter(uplo, "LlUu") ? -1 : n < 0 ? -2 : 0;
}

/* Validates uplo, n, nrhs, a, lda, b, ldb; returns 0 or −i. */
static int check_solve(char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda,
                       const void *b, int64_t ldb)
{
    int wrong = check_uplo_and_n(uplo, n);
    if (wrong != 0)
        return wrong;
    return nrhs < 0                         ? -3
           : a == NULL && n > 0             ? -4
           : !is_leading_dimension(lda, n)  ? -5
           : b == NULL && n > 0 && nrhs > 0 ? -6
           : !is_leading_dimension(ldb, n)  ? -7
                                            : 0;
}

/* Runs `routine` in place on a triangle; LAPACK's arguments are uplo, n, a, lda. */
static int64_t run_in_place(char uplo, int64_t n, element *a, int64_t lda,
                            int64_t (*routine)(char, startile_matrix *))
{
    struct problem p;
    int64_t status = check_uplo_and_n(uplo, n);
    if (status == 0)
        status = check_matrix(n, n, a, lda, 3);
    if (status != 0 || n == 0)
        return status;
    status = begin_square_entry(&p, DTYPE, n, a, lda, 0, NULL, 0);
    lapack_page_lock(p.A);
    return end_entry(&p, status != 0 ? status : routine(uplo, p.A));
}

int64_t ENTRY(potrf)(char uplo, int64_t n, element *a, int64_t lda)
{
    return run_in_place(uplo, n, a, lda, startile_potrf);
}

/* Factors the wrapped A with pivoting, and copies the permutation. Returns info. */
static int64_t factor_with_pivots(char uplo, startile_matrix *A, int64_t *piv, int64_t *rank,
                                  double tol)
{
    startile_permutation *P = NULL;
    int64_t status = startile_permutation_create(&P, A);
    if (status == 0)
        status = startile_pstrf(uplo, A, P, tol, rank);
    int64_t copied = status >= 0 ? startile_permutation_to_lapack(P, piv) : 0;
    startile_permutation_destroy(P);
    return copied != 0 ? copied : status;
}

int64_t ENTRY(pstrf)(char uplo, int64_t n, element *a, int64_t lda, int64_t *piv, int64_t *rank,
                     real tol)
{
    struct problem p;
    int64_t status = check_uplo_and_n(uplo, n);
    if (status == 0)
        status = check_matrix(n, n, a, lda, 3);
    if (status == 0)
        status = check_host_array(piv, n, 5);
    if (status == 0 && rank == NULL)
        status = -6;
    if (status != 0)
        return status;
    *rank = 0;
    if (n == 0)
        return 0;
    status = begin_square_entry(&p, DTYPE, n, a, lda, 0, NULL, 0);
    lapack_page_lock(p.A);
    return end_entry(&p,
                     status != 0 ? status : factor_with_pivots(uplo, p.A, piv, rank, (double)tol));
}

int64_t ENTRY(lauum)(char uplo, int64_t n, element *a, int64_t lda)
{
    return run_in_place(uplo, n, a, lda, startile_lauum);
}

int64_t ENTRY(potri)(char uplo, int64_t n, element *a, int64_t lda)
{
    return run_in_place(uplo, n, a, lda, startile_potri);
}

int64_t ENTRY(trtri)(char uplo, char diag, int64_t n, element *a, int64_t lda)
{
    struct problem p;
    int64_t status = !is_letter(uplo, "LlUu")   ? -1
                     : !is_letter(diag, "NnUu") ? -2
                     : n < 0                    ? -3
                                                : check_matrix(n, n, a, lda, 4);
    if (status != 0 || n == 0)
        return status;
    status = begin_square_entry(&p, DTYPE, n, a, lda, 0, NULL, 0);
    lapack_page_lock(p.A);
    return end_entry(&p, status != 0 ? status : startile_trtri(uplo, diag, p.A));
}

/* Computes pocon. has_vector: v is the vector of pocon_vector(); else v is NULL. */
static int64_t estimate(char uplo, int64_t n, const element *a, int64_t lda, real anorm,
                        real *rcond, bool has_vector, element *v)
{
    struct problem p;
    double norm = (double)anorm, value = 0;
    int64_t status = check_uplo_and_n(uplo, n);
    if (status == 0)
        status = check_matrix(n, n, a, lda, 3);
    if (status == 0)
        status = !(anorm >= 0)   ? -5
                 : rcond == NULL ? -6
                 : has_vector    ? check_host_array(v, n, 7)
                                 : 0;
    if (status != 0)
        return status;
    *rcond = n == 0;
    if (n == 0 || anorm == 0)
        return 0;
    status = begin_solve_entry(&p, DTYPE, n, a, lda, 1, NULL, 0);
    if (status == 0 && has_vector)
        status = startile_matrix_wrap(&p.B, DTYPE, n, 1, v, n, n, 1);
    if (status == 0)
        status = has_vector ? pocon_vector(uplo, p.A, &norm, &value, p.B)
                            : startile_pocon(uplo, p.A, &norm, &value);
    *rcond = (real)value;
    return end_entry(&p, status);
}

int64_t ENTRY(pocon)(char uplo, int64_t n, const element *a, int64_t lda, real anorm, real *rcond)
{
    return estimate(uplo, n, a, lda, anorm, rcond, false, NULL);
}

int64_t ENTRY(pocon_vector)(char uplo, int64_t n, const element *a, int64_t lda, real anorm,
                            real *rcond, element *v)
{
    return estimate(uplo, n, a, lda, anorm, rcond, true, v);
}

int64_t ENTRY(podet)(int64_t n, const element *a, int64_t lda, real *logdet)
{
    struct problem p;
    double value = 0;
    int64_t status = n < 0 ? -1 : check_matrix(n, n, a, lda, 2);
    if (status == 0 && logdet == NULL)
        status = -4;
    if (status != 0)
        return status;
    *logdet = 0;
    if (n == 0)
        return 0;
    status = begin_square_entry(&p, DTYPE, n, a, lda, 0, NULL, 0);
    if (status == 0)
        status = startile_podet(p.A, &value);
    *logdet = (real)value;
    return end_entry(&p, status);
}

int64_t ENTRY(potrs)(char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda, element *b,
                     int64_t ldb)
{
    struct problem p;
    int64_t status = check_solve(uplo, n, nrhs, a, lda, b, ldb);
    if (status != 0 || n == 0 || nrhs == 0)
        return status;
    status = begin_solve_entry(&p, DTYPE, n, a, lda, nrhs, b, ldb);
    return end_entry(&p, status != 0 ? status : startile_potrs(uplo, p.A, p.B));
}

int64_t ENTRY(posv)(char uplo, int64_t n, int64_t nrhs, element *a, int64_t lda, element *b,
                    int64_t ldb)
{
    struct problem p;
    int64_t status = check_solve(uplo, n, nrhs, a, lda, b, ldb);
    if (status != 0 || n == 0)
        return status;
    status = begin_square_entry(&p, DTYPE, n, a, lda, nrhs, nrhs > 0 ? b : NULL, ldb);
    lapack_page_lock(p.A);
    if (status == 0)
        status = nrhs > 0 ? startile_posv(uplo, p.A, p.B) : startile_potrf(uplo, p.A);
    return end_entry(&p, status);
}
