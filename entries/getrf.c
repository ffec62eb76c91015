/* Typed entries xGETRF, xGETRS, xGESV, xGETRI and xGECON. */
#include "memory/host_memory.h"
#include "null_vector.h"
#include "typed.h"

/* The wrapped A of LU, its pivots P, and B; `entered`: lapack_enter() succeeded; on_cores: all
 * tasks are on cores, in square tiles. */
struct lu {
    startile_matrix *A, *B;
    startile_pivots *P;
    bool entered, on_cores;
};

/* Starts the library and chooses the tiles of an m × n matrix. Returns 0 or an error. */
static int64_t enter(struct lu *lu, int64_t m, int64_t n, const void *a, int64_t *mb, int64_t *nb)
{
    *lu = (struct lu){.entered = false};
    int64_t status = lapack_enter();
    lu->entered = status == 0;
    return status != 0 ? status : lapack_tiles("getrf", DTYPE, m, n, a, mb, nb);
}

/* Wraps A and creates pivots. Returns 0 or an error. */
static int64_t wrap_factors(struct lu *lu, int64_t m, int64_t n, const void *a, int64_t lda,
                            int64_t mb, int64_t nb)
{
    /* the cast drops const: operations that only read A take a const matrix */
    int64_t status = startile_matrix_wrap(&lu->A, DTYPE, m, n, (void *)a, lda, mb, nb);
    if (status == 0 && lu->on_cores)
        keep_on_cores(lu->A);
    return status != 0 ? status : startile_pivots_create(&lu->P, lu->A);
}

/* Starts the library, wraps A and creates pivots. Returns 0 or an error. Call close_all() in
 * both cases. */
static int64_t open_factors(struct lu *lu, int64_t m, int64_t n, const void *a, int64_t lda)
{
    int64_t mb, nb, status = enter(lu, m, n, a, &mb, &nb);
    return status != 0 ? status : wrap_factors(lu, m, n, a, lda, mb, nb);
}

/* open_factors() for the solution of nrhs systems with the factors in a; b: the right-hand sides,
 * or NULL */
static int64_t open_solve(struct lu *lu, int64_t n, int64_t nrhs, const void *a, int64_t lda,
                          const void *b)
{
    int64_t mb, nb, status = enter(lu, n, n, a, &mb, &nb);
    if (status != 0)
        return status;
    lu->on_cores = lapack_solve_on_cores(n, nrhs, a, b, &mb, &nb);
    return wrap_factors(lu, n, n, a, lda, mb, nb);
}

/* Wraps B in A's square tiles, or else in whole block columns of A's tile width. Returns 0 or an
 * error. */
static int64_t open_right_hand_side(struct lu *lu, int64_t n, int64_t nrhs, void *b, int64_t ldb)
{
    int64_t nb = startile_matrix_shape(lu->A).nb, mb = lu->on_cores ? nb : n;
    int64_t status = startile_matrix_wrap(&lu->B, DTYPE, n, nrhs, b, ldb, mb, nb);
    if (status == 0 && lu->on_cores)
        keep_on_cores(lu->B);
    else
        lapack_page_lock(lu->B);
    return status;
}

/* Transfers results to the caller's storage, destroys the matrices and leaves the library.
 * Returns info. */
static int64_t close_all(struct lu *lu, int64_t info)
{
    startile_matrix_destroy(lu->A);
    startile_matrix_destroy(lu->B);
    startile_pivots_destroy(lu->P);
    if (lu->entered)
        lapack_leave();
    return info;
}

/* Maps −2 from startile_pivots_from_lapack(), a wrong ipiv, to −i, because ipiv is the entry's
 * argument i. Returns any other status unchanged. */
static int64_t as_argument(int i, int64_t status)
{
    return status == -2 ? -i : status;
}

int64_t ENTRY(getrf)(int64_t m, int64_t n, element *a, int64_t lda, int64_t *ipiv)
{
    struct lu lu;
    int64_t status = m < 0 ? -1 : n < 0 ? -2 : check_matrix(m, n, a, lda, 3);
    if (status != 0 || m == 0 || n == 0)
        return status;
    status = check_host_array(ipiv, 1, 5);
    if (status != 0)
        return status;
    status = open_factors(&lu, m, n, a, lda);
    lapack_page_lock(lu.A);
    lapack_keep_small(lu.A, NULL, NULL);
    if (status == 0)
        status = startile_getrf(lu.A, lu.P);
    if (status >= 0) /* also after a zero pivot */
        startile_pivots_to_lapack(lu.P, ipiv);
    return close_all(&lu, status);
}

int64_t ENTRY(getrs)(char trans, int64_t n, int64_t nrhs, const element *a, int64_t lda,
                     const int64_t *ipiv, element *b, int64_t ldb)
{
    struct lu lu;
    int64_t status = !is_letter(trans, "NnTtCc") ? -1
                     : n < 0                     ? -2
                     : nrhs < 0                  ? -3
                                                 : check_matrix(n, n, a, lda, 4);
    if (status == 0)
        status = check_host_array(ipiv, n, 6);
    if (status == 0)
        status = check_matrix(n, nrhs, b, ldb, 7);
    if (status != 0 || n == 0 || nrhs == 0)
        return status;
    status = open_solve(&lu, n, nrhs, a, lda, b);
    if (status == 0)
        status = as_argument(6, startile_pivots_from_lapack(lu.P, ipiv));
    if (status == 0)
        status = open_right_hand_side(&lu, n, nrhs, b, ldb);
    lapack_keep_small(lu.A, lu.B, NULL);
    if (status == 0)
        status = startile_getrs(trans, lu.A, lu.P, lu.B);
    return close_all(&lu, status);
}

/* Returns whether cores solve after the factorization, in other tiles than those of the wrapped A,
 * in which one core would solve for few right-hand sides. With GPUs the factors are there. */
static bool solves_in_other_tiles(const struct lu *lu, int64_t n, int64_t nrhs, const void *a,
                                  const void *b)
{
    startile_shape tiles = startile_matrix_shape(lu->A);
    return startile_cuda_workers() == 0 &&
           lapack_solve_on_cores(n, nrhs, a, b, &tiles.mb, &tiles.nb);
}

int64_t ENTRY(gesv)(int64_t n, int64_t nrhs, element *a, int64_t lda, int64_t *ipiv, element *b,
                    int64_t ldb)
{
    struct lu lu;
    int64_t status = n < 0 ? -1 : nrhs < 0 ? -2 : check_matrix(n, n, a, lda, 3);
    if (status == 0)
        status = check_host_array(ipiv, n, 5);
    if (status == 0)
        status = check_matrix(n, nrhs, b, ldb, 6);
    if (status != 0 || n == 0)
        return status;
    status = open_factors(&lu, n, n, a, lda);
    lapack_page_lock(lu.A);
    bool is_apart = status == 0 && solves_in_other_tiles(&lu, n, nrhs, a, b);
    if (status == 0 && !is_apart)
        status = open_right_hand_side(&lu, n, nrhs, b, ldb);
    lapack_keep_small(lu.A, lu.B, NULL);
    if (status == 0)
        status = is_apart ? startile_getrf(lu.A, lu.P) : startile_gesv(lu.A, lu.P, lu.B, 0);
    if (status >= 0) /* also after a zero pivot */
        startile_pivots_to_lapack(lu.P, ipiv);
    status = close_all(&lu, status);
    return is_apart && status == 0 ? ENTRY(getrs)('N', n, nrhs, a, lda, ipiv, b, ldb) : status;
}

int64_t ENTRY(getri)(int64_t n, element *a, int64_t lda, const int64_t *ipiv)
{
    struct lu lu;
    int64_t status = n < 0 ? -1 : check_matrix(n, n, a, lda, 2);
    if (status != 0 || n == 0)
        return status;
    status = check_host_array(ipiv, 1, 4);
    if (status != 0)
        return status;
    status = open_factors(&lu, n, n, a, lda);
    lapack_page_lock(lu.A);
    lapack_keep_small(lu.A, NULL, NULL);
    if (status == 0)
        status = as_argument(4, startile_pivots_from_lapack(lu.P, ipiv));
    if (status == 0)
        status = startile_getri(lu.A, lu.P);
    return close_all(&lu, status);
}

/* Computes gecon. has_vector: v is the vector of gecon_vector(); else v is NULL. */
static int64_t estimate(char norm, int64_t n, const element *a, int64_t lda, real anorm,
                        real *rcond, bool has_vector, element *v)
{
    struct lu lu;
    double norm_of_a = (double)anorm, value = 0;
    int64_t status = !is_letter(norm, "1OoIi") ? -1 : n < 0 ? -2 : check_matrix(n, n, a, lda, 3);
    if (status != 0)
        return status;
    if (!(anorm >= 0))
        return -5;
    status = rcond == NULL ? -6 : has_vector ? check_host_array(v, n, 7) : 0;
    if (status != 0)
        return status;
    *rcond = n == 0;
    if (n == 0 || anorm == 0)
        return 0;
    status = open_solve(&lu, n, 1, a, lda, NULL);
    if (status == 0 && has_vector)
        status = startile_matrix_wrap(&lu.B, DTYPE, n, 1, v, n, n, 1);
    if (status == 0)
        status = has_vector ? gecon_vector(norm, lu.A, &norm_of_a, &value, lu.B)
                            : startile_gecon(norm, lu.A, &norm_of_a, &value);
    *rcond = (real)value;
    return close_all(&lu, status);
}

int64_t ENTRY(gecon)(char norm, int64_t n, const element *a, int64_t lda, real anorm, real *rcond)
{
    return estimate(norm, n, a, lda, anorm, rcond, false, NULL);
}

int64_t ENTRY(gecon_vector)(char norm, int64_t n, const element *a, int64_t lda, real anorm,
                            real *rcond, element *v)
{
    return estimate(norm, n, a, lda, anorm, rcond, true, v);
}

int64_t ENTRY(gedet)(int64_t n, const element *a, int64_t lda, const int64_t *ipiv, element *sign,
                     real *logabsdet)
{
    struct lu lu;
    startile_complex unit = 1;
    double value = 0;
    int64_t status = n < 0 ? -1 : check_matrix(n, n, a, lda, 2);
    if (status == 0)
        status = check_host_array(ipiv, n, 4);
    if (status != 0)
        return status;
    if (sign == NULL || logabsdet == NULL)
        return sign == NULL ? -5 : -6;
    if (n == 0) {
        *sign = 1;
        *logabsdet = 0;
        return 0;
    }
    status = open_factors(&lu, n, n, a, lda);
    if (status == 0)
        status = as_argument(4, startile_pivots_from_lapack(lu.P, ipiv));
    if (status == 0)
        status = startile_gedet(lu.A, lu.P, &unit, &value);
    if (status == 0) {
        *sign = (element)unit;
        *logabsdet = (real)value;
    }
    return close_all(&lu, status);
}
