/* LAPACK's symbols xSYTRF_AA_2STAGE, xSYTRS_AA_2STAGE and xSYSV_AA_2STAGE, and xHETRF_AA_2STAGE, …
 * for Hermitian matrices. The order of startile's tiles, which TB(1) stores, is at most that for
 * which LTB suffices. After startile has solved a problem, the machine's routine is still called to
 * ask for the best size of the workspace: WORK(1) is an output of xSYSV_AA_2STAGE. */
#include "pivots.h"

/* -- factorization ---------------------------------------------------------------------------- */

typedef void factorize(const char *uplo, const integer *n, element *a, const integer *lda,
                       element *tb, const integer *ltb, integer *ipiv, integer *ipiv2,
                       element *work, const integer *lwork, integer *info, length uplo_length);
typedef int64_t typed_factorize(char uplo, int64_t n, element *a, int64_t lda, element *tb,
                                int64_t ltb, int64_t *ipiv, int64_t *ipiv2);

/* Returns whether LTB is wrong: less than for tiles of order 1, and not a query. */
static bool is_short_band(const integer *ltb, integer n)
{
    return !is_query(ltb) && (int64_t)*ltb < 4 * (int64_t)n;
}

/* With more tiles than this, of a lower order than this, tasks take longer than their work:
 * DSYSV_AA of order 2500 with tiles of 16; 32 takes 14.9; 1.7 s on two busy cores, LAPACK's 0.5 s.
 */
enum { MANY_TILES = 64 };

/* Begins a factorization, as call_begin() does. The machine's routine, if there is one, gets a call
 * whose LTB suffices for many small tiles only. */
static bool begin_factorization(struct call *call, struct problem p, bool has_machine, integer n,
                                const integer *ltb)
{
    int64_t nb = n > 0 ? ((int64_t)*ltb / n - 1) / 3 : 0;
    bool has_small_tiles = nb < MANY_TILES && nb * MANY_TILES < n;
    if (p.is_excluded || !has_machine || !has_small_tiles)
        return call_begin(call, p);
    call_begin_for_machine(call, p, "LTB suffices for small tiles only");
    return false;
}

/* Interchanges of A and of its band matrix T, for the typed entries */
struct interchanges {
    int64_t *of_a, *of_band; /* NULL without memory */
};

/* Frees the interchanges; with is_set copies them to LAPACK's arrays first. */
static void finish_interchanges(struct interchanges *w, bool is_set, integer n, integer *ipiv,
                                integer *ipiv2)
{
    if (is_set) {
        narrow(n, w->of_a, ipiv);
        narrow(n, w->of_band, ipiv2);
    }
    free(w->of_a);
    free(w->of_band);
}

/* tb[0] := the LTB of the tiles that startile would choose, if it is larger. A longer TB does not
 * change what the machine's routine does. factor_routine: the factorization */
static void raise_band(enum routine factor_routine, const char *uplo, integer n, element *a,
                       integer lda, element *tb)
{
    static const double largest_integer = sizeof(integer) == 8 ? 0x1p63 : 0x1p31;
    int64_t unused;
    element band = 0;
    typed_factorize *typed = (typed_factorize *)startile_function(factor_routine, DTYPE);
    if (typed(*uplo, n, a, lda, &band, -1, &unused, &unused) == 0 &&
        (double)(real)band > (double)(real)tb[0] && (double)(real)band < largest_integer)
        tb[0] = band;
}

/* Answers a query, after the machine's routine if it has one. */
static void answer_query(const struct call *call, bool has_machine, enum routine factor_routine,
                         const char *uplo, integer n, element *a, integer lda, element *tb,
                         const integer *ltb, element *work, const integer *lwork)
{
    if (!has_machine && is_query(lwork))
        work[0] = as_work(larger(1, n));
    if (!has_machine && is_query(ltb))
        tb[0] = 1;
    if (is_query(ltb) && (!has_machine || is_for_startile(call)))
        raise_band(factor_routine, uplo, n, a, lda, tb);
}

static void factor(enum routine routine, const char *uplo, const integer *n, element *a,
                   const integer *lda, element *tb, const integer *ltb, integer *ipiv,
                   integer *ipiv2, element *work, const integer *lwork, integer *info,
                   length uplo_length)
{
    struct call call;
    integer query_info; /* INFO and TB of the query below, which are not used */
    element query_band;
    factorize *machine = (factorize *)machine_function(routine, DTYPE);
    struct problem p = {
        routine, DTYPE, *n, *n, *n, flops_potrf(DTYPE, *n), is_query(lwork) || is_query(ltb)};
    bool is_done = false;
    int wrong = !is_letter(uplo, "LlUu")    ? 1
                : *n < 0                    ? 2
                : is_short(*lda, *n)        ? 4
                : is_short_band(ltb, *n)    ? 6
                : is_short_work(*lwork, *n) ? 10
                                            : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (begin_factorization(&call, p, machine != NULL, *n, ltb)) {
        typed_factorize *typed = (typed_factorize *)startile_function(routine, DTYPE);
        struct interchanges w = {new_wide_pivots(*n), new_wide_pivots(*n)};
        int64_t status = w.of_a == NULL || w.of_band == NULL
                             ? NOT_CALLED
                             : typed(*uplo, *n, a, *lda, tb, *ltb, w.of_a, w.of_band);
        finish_interchanges(&w, status >= 0, *n, ipiv, ipiv2);
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(uplo, n, a, lda, is_done ? &query_band : tb, is_done ? &query : ltb, ipiv, ipiv2,
                work, is_done ? &query : lwork, is_done ? &query_info : info, uplo_length);
    else if (is_done)
        work[0] = as_work(larger(1, *n));
    if (p.is_excluded && *info == 0)
        answer_query(&call, machine != NULL, routine, uplo, *n, a, *lda, tb, ltb, work, lwork);
    if (!is_done)
        call_end(&call, *info);
}

/* -- solutions -------------------------------------------------------------------------------- */

/* Returns the position of the first wrong argument up to LDB, or 0. */
static int check_solve(const char *uplo, integer n, integer nrhs, integer lda, bool is_short_tb,
                       integer ldb)
{
    return !is_letter(uplo, "LlUu") ? 1
           : n < 0                  ? 2
           : nrhs < 0               ? 3
           : is_short(lda, n)       ? 5
           : is_short_tb            ? 7
           : is_short(ldb, n)       ? 11
                                    : 0;
}

typedef int64_t typed_solve(char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda,
                            const element *tb, int64_t ltb, const int64_t *ipiv,
                            const int64_t *ipiv2, element *b, int64_t ldb);

/* Solves by startile if it shall. Returns true if the call has ended; otherwise call the machine's
 * routine, then call_end(). */
static bool solved(struct call *call, enum routine routine, const char *uplo, const integer *n,
                   const integer *nrhs, const element *a, const integer *lda, const element *tb,
                   const integer *ltb, const integer *ipiv, const integer *ipiv2, element *b,
                   const integer *ldb, integer *info)
{
    struct problem p = {routine, DTYPE, *n, *n, *nrhs, flops_potrs(DTYPE, *n, *nrhs), false};
    if (reject_argument(check_solve(uplo, *n, *nrhs, *lda, (int64_t)*ltb < 4 * (int64_t)*n, *ldb),
                        &p, info))
        return true;
    if (!call_begin(call, p))
        return false;
    typed_solve *typed = (typed_solve *)startile_function(routine, DTYPE);
    struct interchanges w = {widened(*n, ipiv), widened(*n, ipiv2)};
    int64_t status = w.of_a == NULL || w.of_band == NULL
                         ? NOT_CALLED
                         : typed(*uplo, *n, *nrhs, a, *lda, tb, *ltb, w.of_a, w.of_band, b, *ldb);
    finish_interchanges(&w, false, *n, NULL, NULL);
    return call_end_if_answered(call, status, info);
}

typedef void factor_and_solve(const char *uplo, const integer *n, const integer *nrhs, element *a,
                              const integer *lda, element *tb, const integer *ltb, integer *ipiv,
                              integer *ipiv2, element *b, const integer *ldb, element *work,
                              const integer *lwork, integer *info, length uplo_length);
typedef int64_t typed_factor_and_solve(char uplo, int64_t n, int64_t nrhs, element *a, int64_t lda,
                                       element *tb, int64_t ltb, int64_t *ipiv, int64_t *ipiv2,
                                       element *b, int64_t ldb);

/* factor_routine: the factorization without the solve */
static void factor_with_solution(enum routine routine, enum routine factor_routine,
                                 const char *uplo, const integer *n, const integer *nrhs,
                                 element *a, const integer *lda, element *tb, const integer *ltb,
                                 integer *ipiv, integer *ipiv2, element *b, const integer *ldb,
                                 element *work, const integer *lwork, integer *info,
                                 length uplo_length)
{
    struct call call;
    integer query_info;
    element query_band;
    double flops = flops_potrf(DTYPE, *n) + flops_potrs(DTYPE, *n, *nrhs);
    factor_and_solve *machine = (factor_and_solve *)machine_function(routine, DTYPE);
    struct problem p = {routine, DTYPE, *n, *n, *n, flops, is_query(lwork) || is_query(ltb)};
    bool is_done = false;
    int wrong = check_solve(uplo, *n, *nrhs, *lda, is_short_band(ltb, *n), *ldb);
    if (reject_argument(wrong != 0 ? wrong : is_short_work(*lwork, *n) ? 13 : 0, &p, info))
        return;
    if (begin_factorization(&call, p, machine != NULL, *n, ltb)) {
        typed_factor_and_solve *typed = (typed_factor_and_solve *)startile_function(routine, DTYPE);
        struct interchanges w = {new_wide_pivots(*n), new_wide_pivots(*n)};
        int64_t status =
            w.of_a == NULL || w.of_band == NULL
                ? NOT_CALLED
                : typed(*uplo, *n, *nrhs, a, *lda, tb, *ltb, w.of_a, w.of_band, b, *ldb);
        finish_interchanges(&w, status >= 0, *n, ipiv, ipiv2);
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(uplo, n, nrhs, a, lda, is_done ? &query_band : tb, is_done ? &query : ltb, ipiv,
                ipiv2, b, ldb, work, is_done ? &query : lwork, is_done ? &query_info : info,
                uplo_length);
    else if (is_done)
        work[0] = as_work(larger(1, *n));
    if (p.is_excluded && *info == 0)
        answer_query(&call, machine != NULL, factor_routine, uplo, *n, a, *lda, tb, ltb, work,
                     lwork);
    if (!is_done)
        call_end(&call, *info);
}

/* -- symbols ---------------------------------------------------------------------------------- */

/* Defines the symbols of symmetric (SY, sy) or Hermitian (HE, he) matrices. */
#define SYMBOLS(KIND, kind)                                                                        \
    EXPORTED void SYMBOL(kind##trf_aa_2stage)(                                                     \
        const char *uplo, const integer *n, element *a, const integer *lda, element *tb,           \
        const integer *ltb, integer *ipiv, integer *ipiv2, element *work, const integer *lwork,    \
        integer *info, length uplo_length)                                                         \
    {                                                                                              \
        factor(KIND##TRF_AA, uplo, n, a, lda, tb, ltb, ipiv, ipiv2, work, lwork, info,             \
               uplo_length);                                                                       \
    }                                                                                              \
                                                                                                   \
    EXPORTED void SYMBOL(kind##sv_aa_2stage)(                                                      \
        const char *uplo, const integer *n, const integer *nrhs, element *a, const integer *lda,   \
        element *tb, const integer *ltb, integer *ipiv, integer *ipiv2, element *b,                \
        const integer *ldb, element *work, const integer *lwork, integer *info,                    \
        length uplo_length)                                                                        \
    {                                                                                              \
        factor_with_solution(KIND##SV_AA, KIND##TRF_AA, uplo, n, nrhs, a, lda, tb, ltb, ipiv,      \
                             ipiv2, b, ldb, work, lwork, info, uplo_length);                       \
    }                                                                                              \
                                                                                                   \
    EXPORTED void SYMBOL(kind##trs_aa_2stage)(                                                     \
        const char *uplo, const integer *n, const integer *nrhs, const element *a,                 \
        const integer *lda, const element *tb, const integer *ltb, const integer *ipiv,            \
        const integer *ipiv2, element *b, const integer *ldb, integer *info, length uplo_length)   \
    {                                                                                              \
        struct call call;                                                                          \
        if (solved(&call, KIND##TRS_AA, uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb,       \
                   info))                                                                          \
            return;                                                                                \
        MACHINE(KIND##TRS_AA, kind##trs_aa_2stage)                                                 \
        (uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb, info, uplo_length);                  \
        call_end(&call, *info);                                                                    \
    }

SYMBOLS(SY, sy)

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
SYMBOLS(HE, he)
#endif
