/* Typed entries xSYTRF, xSYTRS, xSYSV, xSYCON, xSYTRI, their Hermitian names, and determinants and
 * inertia. */
#include "typed.h"

/* Routines on matrices, for symmetric or for Hermitian ones */
struct routines {
    int64_t (*factor)(char uplo, startile_matrix *A, startile_symmetric_pivots *P);
    int64_t (*solve)(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                     startile_matrix *B);
    int64_t (*condition)(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                         const double *anorm, double *rcond);
    int64_t (*invert)(char uplo, startile_matrix *A, const startile_symmetric_pivots *P);
    int64_t (*determinant)(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                           startile_complex *sign, double *logabsdet);
};

static const struct routines symmetric = {startile_sytrf, startile_sytrs, startile_sycon,
                                          startile_sytri, startile_sydet};

/* The wrapped matrices and the pivots of an entry */
struct ldl {
    struct problem p;
    startile_symmetric_pivots *P;
};

static int check_order(char uplo, int64_t n)
{
    return !is_letter(uplo, "LlUu") ? -1 : n < 0 ? -2 : 0;
}

/* Validates uplo, n, a, lda, ipiv; returns 0 or −i. */
static int64_t check_factors(char uplo, int64_t n, const element *a, int64_t lda,
                             const int64_t *ipiv)
{
    int64_t status = check_order(uplo, n);
    if (status == 0)
        status = check_matrix(n, n, a, lda, 3);
    return status != 0 ? status : check_host_array(ipiv, n, 5);
}

/* Validates uplo, n, nrhs, a, lda, ipiv, b, ldb; returns 0 or −i. */
static int64_t check_solve(char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda,
                           const int64_t *ipiv, const element *b, int64_t ldb)
{
    int64_t status = check_order(uplo, n);
    if (status == 0)
        status = nrhs < 0 ? -3 : check_matrix(n, n, a, lda, 4);
    if (status == 0)
        status = check_host_array(ipiv, n, 6);
    return status != 0 ? status : check_matrix(n, nrhs, b, ldb, 7);
}

/* Starts the library, wraps A and b (NULL: no B), and creates the pivots. Returns 0 or an error.
 * Call close_all() in both cases. */
static int64_t open_all(struct ldl *l, int64_t n, const element *a, int64_t lda, int64_t nrhs,
                        element *b, int64_t ldb)
{
    l->P = NULL;
    int64_t status = begin_square_entry(&l->p, DTYPE, n, a, lda, nrhs, b, ldb);
    return status != 0 ? status : startile_symmetric_pivots_create(&l->P, l->p.A);
}

/* open_all() for factors with these pivots, which are argument i */
static int64_t open_factors(struct ldl *l, char uplo, int64_t n, const element *a, int64_t lda,
                            const int64_t *ipiv, int i, int64_t nrhs, element *b, int64_t ldb)
{
    int64_t status = open_all(l, n, a, lda, nrhs, b, ldb);
    if (status == 0)
        status = startile_symmetric_pivots_from_lapack(l->P, uplo, ipiv);
    return status == -3 ? -i : status;
}

static int64_t close_all(struct ldl *l, int64_t info)
{
    startile_symmetric_pivots_destroy(l->P);
    return end_entry(&l->p, info);
}

/* Factors the wrapped A, and copies the pivots. Returns info. */
static int64_t factor_with_pivots(const struct routines *r, struct ldl *l, char uplo, int64_t *ipiv)
{
    int64_t status = r->factor(uplo, l->p.A, l->P);
    int64_t copied = status >= 0 ? startile_symmetric_pivots_to_lapack(l->P, ipiv) : 0;
    return copied != 0 ? copied : status;
}

static int64_t factor(const struct routines *r, char uplo, int64_t n, element *a, int64_t lda,
                      int64_t *ipiv)
{
    struct ldl l;
    int64_t status = check_factors(uplo, n, a, lda, ipiv);
    if (status != 0 || n == 0)
        return status;
    status = open_all(&l, n, a, lda, 0, NULL, 0);
    return close_all(&l, status != 0 ? status : factor_with_pivots(r, &l, uplo, ipiv));
}

static int64_t solve(const struct routines *r, char uplo, int64_t n, int64_t nrhs, const element *a,
                     int64_t lda, const int64_t *ipiv, element *b, int64_t ldb)
{
    struct ldl l;
    int64_t status = check_solve(uplo, n, nrhs, a, lda, ipiv, b, ldb);
    if (status != 0 || n == 0 || nrhs == 0)
        return status;
    status = open_factors(&l, uplo, n, a, lda, ipiv, 6, nrhs, b, ldb);
    return close_all(&l, status != 0 ? status : r->solve(uplo, l.p.A, l.P, l.p.B));
}

static int64_t factor_and_solve(const struct routines *r, char uplo, int64_t n, int64_t nrhs,
                                element *a, int64_t lda, int64_t *ipiv, element *b, int64_t ldb)
{
    struct ldl l;
    int64_t status = check_solve(uplo, n, nrhs, a, lda, ipiv, b, ldb);
    if (status != 0 || n == 0)
        return status;
    status = open_all(&l, n, a, lda, nrhs, nrhs > 0 ? b : NULL, ldb);
    if (status == 0)
        status = factor_with_pivots(r, &l, uplo, ipiv);
    if (status == 0 && nrhs > 0)
        status = r->solve(uplo, l.p.A, l.P, l.p.B);
    return close_all(&l, status);
}

static int64_t estimate(const struct routines *r, char uplo, int64_t n, const element *a,
                        int64_t lda, const int64_t *ipiv, real anorm, real *rcond)
{
    struct ldl l;
    double norm = (double)anorm, value = 0;
    int64_t status = check_factors(uplo, n, a, lda, ipiv);
    if (status == 0)
        status = !(anorm >= 0) ? -6 : rcond == NULL ? -7 : 0;
    if (status != 0)
        return status;
    if (n == 0) {
        *rcond = 1;
        return 0;
    }
    status = open_factors(&l, uplo, n, a, lda, ipiv, 5, 0, NULL, 0);
    if (status == 0) {
        status = r->condition(uplo, l.p.A, l.P, &norm, &value);
        *rcond = (real)value;
    }
    return close_all(&l, status);
}

static int64_t invert(const struct routines *r, char uplo, int64_t n, element *a, int64_t lda,
                      const int64_t *ipiv)
{
    struct ldl l;
    int64_t status = check_factors(uplo, n, a, lda, ipiv);
    if (status != 0 || n == 0)
        return status;
    status = open_factors(&l, uplo, n, a, lda, ipiv, 5, 0, NULL, 0);
    return close_all(&l, status != 0 ? status : r->invert(uplo, l.p.A, l.P));
}

static int64_t find_determinant(const struct routines *r, char uplo, int64_t n, const element *a,
                                int64_t lda, const int64_t *ipiv, element *sign, real *logabsdet)
{
    struct ldl l;
    startile_complex unit = 1;
    double logarithm = 0;
    int64_t status = check_factors(uplo, n, a, lda, ipiv);
    if (status == 0)
        status = sign == NULL ? -6 : logabsdet == NULL ? -7 : 0;
    if (status != 0)
        return status;
    if (n == 0) {
        *sign = 1;
        *logabsdet = 0;
        return 0;
    }
    status = open_factors(&l, uplo, n, a, lda, ipiv, 5, 0, NULL, 0);
    if (status == 0) {
        status = r->determinant(uplo, l.p.A, l.P, &unit, &logarithm);
        *sign = (element)unit;
        *logabsdet = (real)logarithm;
    }
    return close_all(&l, status);
}

static int64_t find_inertia(char uplo, int64_t n, const element *a, int64_t lda,
                            const int64_t *ipiv, int64_t *inertia)
{
    struct ldl l;
    int64_t status = check_factors(uplo, n, a, lda, ipiv);
    if (status == 0 && inertia == NULL)
        status = -6;
    if (status != 0)
        return status;
    if (n == 0) {
        inertia[0] = inertia[1] = inertia[2] = 0;
        return 0;
    }
    status = open_factors(&l, uplo, n, a, lda, ipiv, 5, 0, NULL, 0);
    return close_all(&l, status != 0 ? status : startile_heinertia(uplo, l.p.A, l.P, inertia));
}

/* Defines the entries of symmetric or Hermitian matrices. */
#define ENTRIES(prefix, routines)                                                                  \
    int64_t ENTRY(prefix##trf)(char uplo, int64_t n, element *a, int64_t lda, int64_t *ipiv)       \
    {                                                                                              \
        return factor(routines, uplo, n, a, lda, ipiv);                                            \
    }                                                                                              \
    int64_t ENTRY(prefix##trs)(char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda,  \
                               const int64_t *ipiv, element *b, int64_t ldb)                       \
    {                                                                                              \
        return solve(routines, uplo, n, nrhs, a, lda, ipiv, b, ldb);                               \
    }                                                                                              \
    int64_t ENTRY(prefix##sv)(char uplo, int64_t n, int64_t nrhs, element *a, int64_t lda,         \
                              int64_t *ipiv, element *b, int64_t ldb)                              \
    {                                                                                              \
        return factor_and_solve(routines, uplo, n, nrhs, a, lda, ipiv, b, ldb);                    \
    }                                                                                              \
    int64_t ENTRY(prefix##con)(char uplo, int64_t n, const element *a, int64_t lda,                \
                               const int64_t *ipiv, real anorm, real *rcond)                       \
    {                                                                                              \
        return estimate(routines, uplo, n, a, lda, ipiv, anorm, rcond);                            \
    }                                                                                              \
    int64_t ENTRY(prefix##tri)(char uplo, int64_t n, element *a, int64_t lda, const int64_t *ipiv) \
    {                                                                                              \
        return invert(routines, uplo, n, a, lda, ipiv);                                            \
    }

ENTRIES(sy, &symmetric)

int64_t ENTRY(sydet)(char uplo, int64_t n, const element *a, int64_t lda, const int64_t *ipiv,
                     element *sign, real *logabsdet)
{
    return find_determinant(&symmetric, uplo, n, a, lda, ipiv, sign, logabsdet);
}

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
static const struct routines hermitian = {startile_hetrf, startile_hetrs, startile_hecon,
                                          startile_hetri, startile_hedet};
ENTRIES(he, &hermitian)

int64_t ENTRY(hedet)(char uplo, int64_t n, const element *a, int64_t lda, const int64_t *ipiv,
                     element *sign, real *logabsdet)
{
    return find_determinant(&hermitian, uplo, n, a, lda, ipiv, sign, logabsdet);
}

int64_t ENTRY(heinertia)(char uplo, int64_t n, const element *a, int64_t lda, const int64_t *ipiv,
                         int64_t *inertia)
{
    return find_inertia(uplo, n, a, lda, ipiv, inertia);
}
#else
int64_t ENTRY(syinertia)(char uplo, int64_t n, const element *a, int64_t lda, const int64_t *ipiv,
                         int64_t *inertia)
{
    return find_inertia(uplo, n, a, lda, ipiv, inertia);
}
#endif
