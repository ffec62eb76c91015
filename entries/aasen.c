/* Typed entries xSYTRF_AA, xSYTRS_AA, xSYSV_AA and their Hermitian names, with the factors of
 * LAPACK's xSYTRF_AA_2STAGE. */
#include "typed.h"

#include <complex.h>
#include <stdlib.h>

/* Routines on matrices, for symmetric or for Hermitian ones */
struct routines {
    int64_t (*factor)(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                      startile_pivots *band_pivots);
    int64_t (*solve)(char uplo, const startile_matrix *A, const startile_pivots *P,
                     const startile_matrix *band, const startile_pivots *band_pivots,
                     startile_matrix *B);
};

static const struct routines symmetric = {startile_sytrf_aa, startile_sytrs_aa};

/* LAPACK's array of the band: ld × n, with ld ≥ 3 nb + 1. The diagonal is in row 2 nb. tb[0] = nb,
 * in place of an element that the band does not have. */
struct band_array {
    int64_t n, nb, ld;
    element *tb;
    int64_t *ipiv2;
};

/* The wrapped matrices and the interchanges of an entry */
struct aasen {
    struct problem p;
    startile_matrix *band;
    startile_pivots *P, *band_pivots;
};

/* A matrix has at most this number of block columns. */
enum { MOST_TILES = 1024 };

/* -- arguments ----------------------------------------------------------------------------------
 */

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Returns the largest nb for which ltb elements suffice, 0 if there is none. */
static int64_t largest_nb(int64_t n, int64_t ltb)
{
    return ltb > 0 ? (ltb / (n > 0 ? n : 1) - 1) / 3 : 0;
}

/* Validates uplo, n and, from position `at` on, a, lda, tb, ltb, ipiv, ipiv2; returns 0 or −i. */
static int64_t check_factors(char uplo, int64_t n, const element *a, int64_t lda, const element *tb,
                             int64_t ltb, const int64_t *ipiv, const int64_t *ipiv2, int at)
{
    int64_t status = !is_letter(uplo, "LlUu") ? -1 : n < 0 ? -2 : check_matrix(n, n, a, lda, at);
    if (status == 0)
        status = check_host_array(tb, n, at + 2);
    if (status == 0 && n > 0 && largest_nb(n, ltb) < ceil_div(n, MOST_TILES))
        status = -at - 3;
    if (status == 0)
        status = check_host_array(ipiv, n, at + 4);
    return status != 0 ? status : check_host_array(ipiv2, n, at + 5);
}

/* Validates uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb; returns 0 or −i. */
static int64_t check_solve(char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda,
                           const element *tb, int64_t ltb, const int64_t *ipiv,
                           const int64_t *ipiv2, const element *b, int64_t ldb)
{
    int64_t status = !is_letter(uplo, "LlUu") ? -1 : n < 0 ? -2 : nrhs < 0 ? -3 : 0;
    if (status == 0)
        status = check_factors(uplo, n, a, lda, tb, ltb, ipiv, ipiv2, 4);
    return status != 0 ? status : check_matrix(n, nrhs, b, ldb, 10);
}

/* -- matrices -----------------------------------------------------------------------------------
 */

/* Starts the library. Returns 0 or an error. */
static int64_t enter(struct aasen *s)
{
    *s = (struct aasen){.P = NULL};
    int64_t status = lapack_enter();
    s->p.entered = status == 0;
    return status;
}

/* Returns 0 and sets *nb to the order of the tiles of a factorization, or returns an error. */
static int64_t choose_tiles(int64_t n, const void *a, int64_t ltb, int64_t *nb)
{
    int64_t status = lapack_tiles("sytrf_aa", DTYPE, n, n, a, nb, nb), most = largest_nb(n, ltb);
    *nb = *nb < n ? *nb : n;
    *nb = *nb < most ? *nb : most;
    return status;
}

/* Wraps A and b (NULL: no B), and creates the band and the pivots. Returns 0 or an error. */
static int64_t open_all(struct aasen *s, const struct band_array *t, const element *a, int64_t lda,
                        int64_t nrhs, element *b, int64_t ldb)
{
    int64_t n = t->n, nb = t->nb;
    /* the cast drops const: operations that only read A take a const matrix */
    int64_t status = startile_matrix_wrap(&s->p.A, DTYPE, n, n, (element *)a, lda, nb, nb);
    if (status == 0 && b != NULL)
        status = startile_matrix_wrap(&s->p.B, DTYPE, n, nrhs, b, ldb, nb, nb);
    if (status == 0)
        status = startile_matrix_create(&s->band, DTYPE, n, n, nb, nb);
    if (status == 0)
        status = startile_pivots_create(&s->P, s->p.A);
    if (status == 0)
        status = startile_pivots_create(&s->band_pivots, s->band);
    lapack_page_lock(s->p.B);
    lapack_keep_small(s->p.A, s->p.B, s->band);
    return status;
}

static int64_t close_all(struct aasen *s, int64_t info)
{
    startile_pivots_destroy(s->P);
    startile_pivots_destroy(s->band_pivots);
    startile_matrix_destroy(s->band);
    return end_entry(&s->p, info);
}

/* -- the band -----------------------------------------------------------------------------------
 */

/* Rows first … end − 1 of columns column … column + columns − 1 of the band's blocks (k−2,k) …
 * (k+1,k), in an array of ld rows */
struct block_column {
    int64_t first, end, column, columns, ld;
    element *a;
};

static struct block_column block_column(const struct band_array *t, int64_t k, element *a)
{
    int64_t column = k * t->nb, end = column + 2 * t->nb, left = t->n - column;
    return (struct block_column){.first = k > 2 ? column - 2 * t->nb : 0,
                                 .end = end < t->n ? end : t->n,
                                 .column = column,
                                 .columns = t->nb < left ? t->nb : left,
                                 .ld = 4 * t->nb,
                                 .a = a};
}

static element *at_row(const struct block_column *c, int64_t i, int64_t j)
{
    return c->a + (i - c->first) + (j - c->column) * c->ld;
}

/* Interchanges rows s and ipiv2[s] of column j. */
static void interchange(const struct band_array *t, const struct block_column *c, int64_t j,
                        int64_t s)
{
    element *x = at_row(c, s, j), *y = at_row(c, t->ipiv2[s] - 1, j), z = *x;
    *x = *y;
    *y = z;
}

/* Copies a block column to LAPACK's array, in which the interchanges of later columns are not
 * applied to those of L. */
static void to_array(const struct band_array *t, const struct block_column *c)
{
    for (int64_t j = c->column; j < c->column + c->columns; j++) {
        for (int64_t s = c->column + c->columns - 1; s > j; s--)
            interchange(t, c, j, s);
        int64_t top = j - 2 * t->nb, bottom = j + t->nb;
        for (int64_t i = top > 0 ? top : 0; i <= bottom && i < t->n; i++)
            t->tb[2 * t->nb + i - j + j * t->ld] = *at_row(c, i, j);
    }
}

static void from_array(const struct band_array *t, const struct block_column *c)
{
    for (int64_t j = c->column; j < c->column + c->columns; j++) {
        int64_t top = j - 2 * t->nb, bottom = j + t->nb;
        for (int64_t i = c->first; i < c->end; i++)
            *at_row(c, i, j) = i >= top && i <= bottom ? t->tb[2 * t->nb + i - j + j * t->ld] : 0;
        for (int64_t s = j + 1; s < c->column + c->columns; s++)
            interchange(t, c, j, s);
    }
}

/* Copies the band to LAPACK's array, or from it. Returns 0 or an error. */
static int64_t copy_band(const struct band_array *t, startile_matrix *band, bool is_to_array)
{
    element *a = malloc((size_t)(4 * t->nb * t->nb) * sizeof *a);
    int64_t status = a == NULL ? STARTILE_ERROR_MEMORY : 0;
    for (int64_t k = 0; k * t->nb < t->n && status == 0; k++) {
        startile_matrix *part = NULL;
        struct block_column c = block_column(t, k, a);
        status = startile_matrix_view(&part, band, c.first, c.column, c.end - c.first, c.columns);
        if (status == 0 && is_to_array) {
            status = startile_matrix_to_lapack(part, a, c.ld);
            if (status == 0)
                to_array(t, &c);
        } else if (status == 0) {
            from_array(t, &c);
            status = startile_matrix_from_lapack(part, a, c.ld);
        }
        startile_matrix_destroy(part);
    }
    free(a);
    return status;
}

/* Replaces interchanges with rows below the band by none: the factorization chooses such a row only
 * if it has a NaN there, and LAPACK's array has no place for it. */
static void keep_in_band(const struct band_array *t)
{
    for (int64_t j = 0; j < t->n; j++)
        if (t->ipiv2[j] > j + 1 + t->nb)
            t->ipiv2[j] = j + 1;
}

/* Copies the results beside A to LAPACK's arrays. Returns 0 or an error. */
static int64_t copy_results(const struct aasen *s, const struct band_array *t, int64_t *ipiv)
{
    int64_t status = startile_pivots_to_lapack(s->P, ipiv);
    if (status == 0)
        status = startile_pivots_to_lapack(s->band_pivots, t->ipiv2);
    if (status != 0)
        return status;
    keep_in_band(t);
    status = copy_band(t, s->band, true);
    if (status == 0)
        t->tb[0] = (element)(real)t->nb;
    return status;
}

/* Returns whether the interchanges of the band are those of a factorization. */
static bool has_band_pivots(const struct band_array *t)
{
    for (int64_t j = 0; j < t->n; j++)
        if (t->ipiv2[j] <= j || t->ipiv2[j] > t->n || t->ipiv2[j] > j + 1 + t->nb)
            return false;
    return true;
}

/* Copies the factors beside A from LAPACK's arrays. Returns 0, −8 or −9 for interchanges of no
 * factorization, or an error. */
static int64_t copy_factors(const struct aasen *s, const struct band_array *t, const int64_t *ipiv)
{
    int64_t status = startile_pivots_from_lapack(s->P, ipiv);
    if (status == 0)
        status = startile_pivots_from_lapack(s->band_pivots, t->ipiv2);
    return status != 0 ? status : copy_band(t, s->band, false);
}

/* -- entries ------------------------------------------------------------------------------------
 */

/* Returns the nb of the factors in LAPACK's array, or 0 if there is none. */
static int64_t stored_nb(int64_t n, int64_t ltb, const element *tb)
{
    double nb = creal(tb[0]);
    return nb >= (double)ceil_div(n, MOST_TILES) && nb <= (double)largest_nb(n, ltb) ? (int64_t)nb
                                                                                     : 0;
}

/* Factors A and, unless nrhs is 0, solves with B. */
static int64_t factor(const struct routines *r, char uplo, int64_t n, int64_t nrhs, element *a,
                      int64_t lda, element *tb, int64_t ltb, int64_t *ipiv, int64_t *ipiv2,
                      element *b, int64_t ldb)
{
    struct aasen s;
    struct band_array t = {.n = n, .ld = ltb / n, .tb = tb, .ipiv2 = ipiv2};
    int64_t status = enter(&s);
    if (status == 0)
        status = choose_tiles(n, a, ltb, &t.nb);
    if (status == 0)
        status = open_all(&s, &t, a, lda, nrhs, nrhs > 0 ? b : NULL, ldb);
    if (status == 0)
        status = r->factor(uplo, s.p.A, s.P, s.band, s.band_pivots);
    if (status == 0 && nrhs > 0)
        status = r->solve(uplo, s.p.A, s.P, s.band, s.band_pivots, s.p.B);
    int64_t copied = status >= 0 ? copy_results(&s, &t, ipiv) : 0;
    return close_all(&s, copied != 0 ? copied : status);
}

/* Returns a length as an element of TB, rounded up if the element type cannot represent it: only
 * float rounds down, by less than 6e-8 of the length. */
static element as_length(int64_t length)
{
    real r = (real)length;
    return (double)r < (double)length ? (real)((double)r * 1.000001) : r;
}

static int64_t factor_only(const struct routines *r, char uplo, int64_t n, element *a, int64_t lda,
                           element *tb, int64_t ltb, int64_t *ipiv, int64_t *ipiv2)
{
    bool is_query = ltb == -1;
    int64_t status = check_factors(uplo, n, a, lda, tb, is_query ? INT64_MAX : ltb, ipiv, ipiv2, 3);
    if (status != 0 || n == 0 || !is_query)
        return status != 0 || n == 0 ? status
                                     : factor(r, uplo, n, 0, a, lda, tb, ltb, ipiv, ipiv2, NULL, 1);
    struct aasen s;
    int64_t nb = 1;
    status = enter(&s);
    if (status == 0)
        status = choose_tiles(n, a, INT64_MAX, &nb);
    if (status == 0)
        tb[0] = as_length((3 * nb + 1) * n);
    return close_all(&s, status);
}

static int64_t solve(const struct routines *r, char uplo, int64_t n, int64_t nrhs, const element *a,
                     int64_t lda, const element *tb, int64_t ltb, const int64_t *ipiv,
                     const int64_t *ipiv2, element *b, int64_t ldb)
{
    struct aasen s;
    int64_t status = check_solve(uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb);
    if (status != 0 || n == 0 || nrhs == 0)
        return status;
    /* the casts drop const: from_array() only reads */
    struct band_array t = {n, stored_nb(n, ltb, tb), ltb / n, (element *)tb, (int64_t *)ipiv2};
    if (t.nb == 0)
        return -6;
    for (int64_t j = 0; j < n; j++)
        if (ipiv[j] <= j || ipiv[j] > n)
            return -8;
    if (!has_band_pivots(&t))
        return -9;
    status = enter(&s);
    if (status == 0)
        status = open_all(&s, &t, a, lda, nrhs, b, ldb);
    if (status == 0)
        status = copy_factors(&s, &t, ipiv);
    if (status == 0)
        status = r->solve(uplo, s.p.A, s.P, s.band, s.band_pivots, s.p.B);
    return close_all(&s, status);
}

static int64_t factor_and_solve(const struct routines *r, char uplo, int64_t n, int64_t nrhs,
                                element *a, int64_t lda, element *tb, int64_t ltb, int64_t *ipiv,
                                int64_t *ipiv2, element *b, int64_t ldb)
{
    int64_t status = check_solve(uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb);
    return status != 0 || n == 0 ? status
                                 : factor(r, uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb);
}

/* Defines the entries of symmetric or Hermitian matrices. */
#define ENTRIES(prefix, routines)                                                                  \
    int64_t ENTRY(prefix##trf_aa)(char uplo, int64_t n, element *a, int64_t lda, element *tb,      \
                                  int64_t ltb, int64_t *ipiv, int64_t *ipiv2)                      \
    {                                                                                              \
        return factor_only(routines, uplo, n, a, lda, tb, ltb, ipiv, ipiv2);                       \
    }                                                                                              \
    int64_t ENTRY(prefix##trs_aa)(                                                                 \
        char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda, const element *tb,      \
        int64_t ltb, const int64_t *ipiv, const int64_t *ipiv2, element *b, int64_t ldb)           \
    {                                                                                              \
        return solve(routines, uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb);               \
    }                                                                                              \
    int64_t ENTRY(prefix##sv_aa)(char uplo, int64_t n, int64_t nrhs, element *a, int64_t lda,      \
                                 element *tb, int64_t ltb, int64_t *ipiv, int64_t *ipiv2,          \
                                 element *b, int64_t ldb)                                          \
    {                                                                                              \
        return factor_and_solve(routines, uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb);    \
    }

ENTRIES(sy, &symmetric)

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
static const struct routines hermitian = {startile_hetrf_aa, startile_hetrs_aa};
ENTRIES(he, &hermitian)
#endif
