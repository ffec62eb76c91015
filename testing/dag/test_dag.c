/*
 * Tests of the task graphs of algorithms/, which the executor runs:
 *  - several orders of the tasks, which their accesses allow, give the same bits;
 *  - results equal, up to rounding, those with one tile, which come from one call of LAPACK or
 *  BLAS;
 *  - the numbers of tasks and the critical path are the textbook's;
 *  - ready tasks of panels run before others;
 *  - every temporary is released.
 */
#include "../check/tests.h"
#include "array.h"
#include "executor.h"
#include "memory/capacity.h"
#include "triangles.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char case_text[200];

#define require(condition) require_at((condition), #condition, __LINE__)
static void require_at(bool condition, const char *text, int line)
{
    if (!condition)
        fail_msg("%s: line %d: %s", case_text, line, text);
}

/* -- problems --------------------------------------------------------------------------------- */

enum { NRHS = 13 };

/* The operands of a routine, and the arrays that they wrap. A is m × n; B and X have max(m, n)
 * rows; C is n × n, T nb × min(m, n). value: a norm or a reciprocal condition number. */
struct problem {
    struct array a, b, x, c, t;
    startile_matrix *A, *B, *X, *C, *T;
    startile_pivots *P, *band_pivots;
    startile_permutation *permutation;
    startile_symmetric_pivots *symmetric_pivots;
    startile_request *r;
    double value, ferr[NRHS], berr[NRHS];
    int64_t rank;
    startile_complex sign;
};

/* Fills A with random elements. If `definite`, makes the square matrix A Hermitian, with its order
 * on the diagonal. */
static void fill(struct array A, bool definite)
{
    array_random(A);
    for (int64_t j = 0; definite && j < A.n; j++)
        for (int64_t i = 0; i <= j; i++)
            if (i == j)
                set(A, i, i, (double)A.n);
            else
                set(A, i, j, __builtin_conj(get(A, j, i)));
}

static struct problem new_problem(startile_dtype dtype, int64_t m, int64_t n, int64_t mb,
                                  int64_t nb, bool definite)
{
    int64_t most = m > n ? m : n, least = m < n ? m : n;
    struct problem p = {.a = array_new(dtype, m, n, 3),
                        .b = array_new(dtype, most, NRHS, 0),
                        .x = array_new(dtype, most, NRHS, 0),
                        .c = array_new(dtype, n, n, 0),
                        .t = array_new(dtype, nb, least, 0)};
    random_seed(7);
    fill(p.a, definite);
    array_random(p.b);
    array_fill(p.x, 0);
    fill(p.c, true);
    array_random(p.t);
    /* B has A's tile height; where A has fewer rows than B, but one tile row, B has one too */
    int64_t mb_of_B = most > m ? (mb < m ? mb : most) : mb;
    require(startile_matrix_wrap(&p.A, dtype, m, n, p.a.a, p.a.ld, mb, nb) == 0);
    require(startile_matrix_wrap(&p.B, dtype, most, NRHS, p.b.a, p.b.ld, mb_of_B, nb) == 0);
    require(startile_matrix_wrap(&p.X, dtype, most, NRHS, p.x.a, p.x.ld, mb_of_B, nb) == 0);
    require(startile_matrix_wrap(&p.C, dtype, n, n, p.c.a, p.c.ld, nb, nb) == 0);
    require(startile_matrix_wrap(&p.T, dtype, nb, least, p.t.a, p.t.ld, nb, nb) == 0);
    require(startile_pivots_create(&p.P, p.A) == 0);
    require(startile_pivots_create(&p.band_pivots, p.C) == 0);
    require(startile_permutation_create(&p.permutation, p.A) == 0);
    require(startile_symmetric_pivots_create(&p.symmetric_pivots, p.A) == 0);
    require(startile_request_create(&p.r) == 0);
    return p;
}

/* Frees everything except the arrays. */
static void close_problem(struct problem *p)
{
    startile_request_destroy(p->r);
    startile_pivots_destroy(p->P);
    startile_pivots_destroy(p->band_pivots);
    startile_permutation_destroy(p->permutation);
    startile_symmetric_pivots_destroy(p->symmetric_pivots);
    startile_matrix_destroy(p->A);
    startile_matrix_destroy(p->B);
    startile_matrix_destroy(p->X);
    startile_matrix_destroy(p->C);
    startile_matrix_destroy(p->T);
}

static void free_arrays(struct problem *p)
{
    arrays_free(p->a, p->b, p->x, p->c, p->t);
}

/* -- routines --------------------------------------------------------------------------------- */

typedef int routine(struct problem *p);

/* Defines a function that makes the calls and returns 0 if all of them do. `calls` waits between
 * two calls if the second writes a matrix that the first has returned to host memory. */
#define ROUTINE(name, calls)                                                                       \
    static int name(struct problem *p)                                                             \
    {                                                                                              \
        return calls;                                                                              \
    }

static const double one = 1; /* norm of A, which changes no task */
ROUTINE(posv_lower, startile_posv_async('L', p->A, p->B, p->r))
ROUTINE(posv_upper, startile_posv_async('U', p->A, p->B, p->r))
ROUTINE(potrf, startile_potrf_async('L', p->A, p->r))
ROUTINE(pstrf_lower, startile_pstrf_async('L', p->A, p->permutation, -1, &p->rank, p->r))
ROUTINE(pstrf_upper, startile_pstrf_async('U', p->A, p->permutation, -1, &p->rank, p->r))
ROUTINE(sytrf_lower, startile_sytrf_async('L', p->A, p->symmetric_pivots, p->r))
ROUTINE(sytrf_upper, startile_sytrf_async('U', p->A, p->symmetric_pivots, p->r))
ROUTINE(hetrf, startile_hetrf_async('L', p->A, p->symmetric_pivots, p->r))
ROUTINE(sysv, startile_sysv_async('L', p->A, p->symmetric_pivots, p->B, p->r))
ROUTINE(hesv, startile_hesv_async('U', p->A, p->symmetric_pivots, p->B, p->r))
ROUTINE(sytri, startile_sytrf_async('U', p->A, p->symmetric_pivots, p->r) ||
                   startile_request_wait(p->r) ||
                   startile_sytri_async('U', p->A, p->symmetric_pivots, p->r))
ROUTINE(hecon, startile_hetrf_async('L', p->A, p->symmetric_pivots, p->r) ||
                   startile_hecon_async('L', p->A, p->symmetric_pivots, &one, &p->value, p->r))
ROUTINE(syrfs, startile_lacpy_async('L', p->A, p->C, p->r) || startile_request_wait(p->r) ||
                   startile_sytrf_async('L', p->C, p->symmetric_pivots, p->r) ||
                   startile_request_wait(p->r) ||
                   startile_syrfs_async('L', p->A, p->C, p->symmetric_pivots, p->B, p->X, p->ferr,
                                        p->berr, p->r))
ROUTINE(herfs, startile_lacpy_async('U', p->A, p->C, p->r) || startile_request_wait(p->r) ||
                   startile_hetrf_async('U', p->C, p->symmetric_pivots, p->r) ||
                   startile_request_wait(p->r) ||
                   startile_herfs_async('U', p->A, p->C, p->symmetric_pivots, p->B, p->X, p->ferr,
                                        p->berr, p->r))
ROUTINE(sydet, startile_sytrf_async('L', p->A, p->symmetric_pivots, p->r) ||
                   startile_sydet_async('L', p->A, p->symmetric_pivots, &p->sign, &p->value, p->r))
ROUTINE(sysv_aa_lower, startile_sysv_aa_async('L', p->A, p->P, p->C, p->band_pivots, p->B, p->r))
ROUTINE(sysv_aa_upper, startile_sysv_aa_async('U', p->A, p->P, p->C, p->band_pivots, p->B, p->r))
ROUTINE(hesv_aa, startile_hesv_aa_async('U', p->A, p->P, p->C, p->band_pivots, p->B, p->r))
ROUTINE(potri, startile_potrf_async('L', p->A, p->r) || startile_request_wait(p->r) ||
                   startile_potri_async('L', p->A, p->r))
ROUTINE(potrf_update, startile_potrf_async('U', p->A, p->r) || startile_request_wait(p->r) ||
                          startile_potrf_update_async('U', p->A, p->B, p->r) ||
                          startile_request_wait(p->r) ||
                          startile_potrf_downdate_async('U', p->A, p->B, p->r))
ROUTINE(trtri, startile_trtri_async('U', 'N', p->A, p->r))
ROUTINE(lauum, startile_lauum_async('U', p->A, p->r))
ROUTINE(hegst_solves, startile_hegst_async(1, 'U', p->A, p->C, p->r))
ROUTINE(hegst_products, startile_hegst_async(2, 'L', p->A, p->C, p->r))
ROUTINE(pocon, startile_potrf_async('U', p->A, p->r) ||
                   startile_pocon_async('U', p->A, &one, &p->value, p->r))
ROUTINE(products, startile_herk_async('L', 'C', 0.5, p->A, 2, p->C, p->r) ||
                      startile_gemm_async('N', 'C', 1, p->C, p->C, 0.5, p->A, p->r) ||
                      startile_trsm_async('L', 'L', 'C', 'N', 2, p->C, p->B, p->r))
ROUTINE(hemm, startile_trmm_async('L', 'U', 'C', 'U', 2, p->C, p->B, p->r) ||
                  startile_hemm_async('R', 'U', 1, p->C, p->C, 0.5, p->A, p->r))
ROUTINE(gesv, startile_gesv_async(p->A, p->P, p->B, 1, p->r))
ROUTINE(getrs_transposed,
        startile_getrf_async(p->A, p->P, p->r) || startile_getrs_async('T', p->A, p->P, p->B, p->r))
ROUTINE(getrf, startile_getrf_async(p->A, p->P, p->r))
ROUTINE(getrf_nopiv, startile_getrf_nopiv_async(p->A, p->r))
ROUTINE(getrf_tntpiv, startile_getrf_tntpiv_async(p->A, p->P, p->r) ||
                          startile_getrs_async('N', p->A, p->P, p->B, p->r))
ROUTINE(getri, startile_getrf_async(p->A, p->P, p->r) || startile_request_wait(p->r) ||
                   startile_getri_async(p->A, p->P, p->r))
ROUTINE(gecon, startile_getrf_async(p->A, p->P, p->r) ||
                   startile_gecon_async('1', p->A, &one, &p->value, p->r))
ROUTINE(gedet, startile_getrf_async(p->A, p->P, p->r) ||
                   startile_gedet_async(p->A, p->P, &p->sign, &p->value, p->r))
ROUTINE(podet, startile_potrf_async('L', p->A, p->r) || startile_podet_async(p->A, &p->value, p->r))
ROUTINE(geqrf, startile_geqrf_async(p->A, reflectors_of(p->T), p->r))
ROUTINE(geqp3, startile_geqp3_async(p->A, p->permutation, reflectors_of(p->T), p->r))
ROUTINE(geqp3_random,
        startile_geqp3_random_async(p->A, p->permutation, reflectors_of(p->T), 1, p->r))
ROUTINE(geqp3_rank, startile_geqp3_rank_async(p->A, p->permutation, reflectors_of(p->T), 0.01, 40,
                                              &p->rank, p->r))
ROUTINE(unmqr, startile_geqrf_async(p->A, reflectors_of(p->T), p->r) ||
                   startile_unmqr_async('L', 'C', p->A, reflectors_of(p->T), p->B, p->r))
ROUTINE(ungqr, startile_geqrf_async(p->A, reflectors_of(p->T), p->r) ||
                   startile_request_wait(p->r) ||
                   startile_ungqr_async(p->A, reflectors_of(p->T), p->r))
ROUTINE(gelqf, startile_gelqf_async(p->A, reflectors_of(p->T), p->r) ||
                   startile_request_wait(p->r) ||
                   startile_unglq_async(p->A, reflectors_of(p->T), p->r))
ROUTINE(gels, startile_gels_async('N', p->A, p->B, p->r))
ROUTINE(gelsy, startile_gelsy_async(p->A, p->permutation, p->B, 1e-4, &p->rank, &p->value, p->r))
ROUTINE(lacpy,
        startile_lacpy_async('U', p->A, p->C, p->r) || startile_lacpy_async('G', p->C, p->A, p->r))
ROUTINE(norms, startile_lange_async('F', p->A, &p->value, p->r))

/* Operands whose results do not depend on the tiling, up to rounding. */
enum unique { NOTHING, ONLY_B, A_AND_B };
/* SQUARE_TILES: A is square, in square tiles only. COLUMNS, TALL_COLUMNS, WIDE_COLUMNS: A is
 * square, has more rows or more columns, in square tiles or in tiles of all rows. WHOLE_COLUMNS: A
 * has more columns, in tiles of all rows only. */
enum shape { SQUARE_TILES, COLUMNS, TALL_COLUMNS, WIDE_COLUMNS, WHOLE_COLUMNS };

static const struct {
    const char *name;
    routine *run;
    enum shape shape;
    bool definite;
    enum unique unique;
} routines[] = {
    {"posv L", posv_lower, SQUARE_TILES, true, A_AND_B},
    {"posv U", posv_upper, SQUARE_TILES, true, A_AND_B},
    {"pstrf L", pstrf_lower, SQUARE_TILES, true, A_AND_B},
    {"pstrf U", pstrf_upper, SQUARE_TILES, true, A_AND_B},
    {"sytrf L", sytrf_lower, SQUARE_TILES, true, A_AND_B},
    {"sytrf U", sytrf_upper, SQUARE_TILES, true, A_AND_B},
    {"hetrf", hetrf, SQUARE_TILES, true, A_AND_B},
    {"sysv", sysv, SQUARE_TILES, true, A_AND_B},
    {"hesv", hesv, SQUARE_TILES, true, A_AND_B},
    {"sytri", sytri, SQUARE_TILES, true, A_AND_B},
    {"hecon", hecon, SQUARE_TILES, true, A_AND_B},
    {"syrfs", syrfs, SQUARE_TILES, true, A_AND_B},
    {"herfs", herfs, SQUARE_TILES, true, A_AND_B},
    {"sydet", sydet, SQUARE_TILES, true, A_AND_B},
    {"sysv_aa L", sysv_aa_lower, SQUARE_TILES, true, ONLY_B},
    {"sysv_aa U", sysv_aa_upper, SQUARE_TILES, true, ONLY_B},
    {"hesv_aa", hesv_aa, SQUARE_TILES, true, ONLY_B},
    {"potri", potri, SQUARE_TILES, true, A_AND_B},
    {"potrf_update, _downdate", potrf_update, SQUARE_TILES, true, A_AND_B},
    {"trtri", trtri, SQUARE_TILES, true, A_AND_B},
    {"lauum", lauum, SQUARE_TILES, true, A_AND_B},
    {"hegst 1", hegst_solves, SQUARE_TILES, true, A_AND_B},
    {"hegst 2", hegst_products, SQUARE_TILES, true, A_AND_B},
    {"pocon", pocon, SQUARE_TILES, true, A_AND_B},
    {"herk, trsm", products, SQUARE_TILES, true, A_AND_B},
    {"trmm, hemm", hemm, SQUARE_TILES, true, A_AND_B},
    {"gesv", gesv, COLUMNS, false, A_AND_B},
    {"getrs T", getrs_transposed, COLUMNS, false, A_AND_B},
    {"getrf", getrf, TALL_COLUMNS, false, A_AND_B},
    {"getrf", getrf, WIDE_COLUMNS, false, A_AND_B},
    {"getrf_nopiv", getrf_nopiv, COLUMNS, true, A_AND_B},
    {"getrf_tntpiv", getrf_tntpiv, COLUMNS, false, ONLY_B},
    {"getri", getri, COLUMNS, false, A_AND_B},
    {"gecon", gecon, COLUMNS, false, A_AND_B},
    {"gedet", gedet, COLUMNS, false, A_AND_B},
    {"podet", podet, SQUARE_TILES, true, A_AND_B},
    {"geqrf", geqrf, TALL_COLUMNS, false, A_AND_B},
    {"geqrf", geqrf, WIDE_COLUMNS, false, A_AND_B},
    {"geqp3", geqp3, WHOLE_COLUMNS, false, A_AND_B},
    {"geqp3_random", geqp3_random, WHOLE_COLUMNS, false, NOTHING},
    {"geqp3_rank", geqp3_rank, WHOLE_COLUMNS, false, NOTHING},
    {"unmqr", unmqr, TALL_COLUMNS, false, A_AND_B},
    {"ungqr", ungqr, TALL_COLUMNS, false, A_AND_B},
    {"gelqf, unglq", gelqf, WIDE_COLUMNS, false, A_AND_B},
    {"gels", gels, TALL_COLUMNS, false, ONLY_B},
    {"gels", gels, WIDE_COLUMNS, false, ONLY_B},
    {"gelsy", gelsy, WHOLE_COLUMNS, false, ONLY_B},
    {"lacpy", lacpy, COLUMNS, false, A_AND_B},
    {"lange", norms, TALL_COLUMNS, false, A_AND_B},
};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

/* -- checks ----------------------------------------------------------------------------------- */

/* Returns whether the routine is one of Aasen's method: its band has panels that need not precede
 * other tasks, and GPUs that own tiles share sums. */
static bool has_band(int q)
{
    return strstr(routines[q].name, "sv_aa") != NULL;
}

/* Returns whether routines[q] takes both square tiles and tiles of all rows. */
static bool takes_both_tiles(int q)
{
    return routines[q].shape != SQUARE_TILES && routines[q].shape != WHOLE_COLUMNS;
}

/* Runs routines[q] on a matrix whose shorter side has `tiles` tiles of order nb, the last one
 * smaller, or on one tile (one_tile). With tall_tiles a tile has all rows of its block column,
 * else, and for SQUARE_TILES, nb rows. Returns the results in the problem's arrays, which the
 * caller frees; all else is freed. */
static struct problem run_routine(int q, startile_dtype dtype, int64_t tiles, int64_t nb,
                                  bool one_tile, bool tall_tiles)
{
    int64_t n = tiles * nb - nb / 2, m = n;
    if (routines[q].shape == TALL_COLUMNS)
        m = 2 * n + nb;
    if (routines[q].shape == WIDE_COLUMNS || routines[q].shape == WHOLE_COLUMNS)
        m = n, n = 2 * m;
    if (one_tile)
        nb = m > n ? m : n;
    int64_t mb = one_tile || routines[q].shape == WHOLE_COLUMNS ||
                         (tall_tiles && routines[q].shape != SQUARE_TILES)
                     ? m > nb ? m : nb
                     : nb;
    executor_reset();
    int before = executor_live_objects();
    struct problem p = new_problem(dtype, m, n, mb, nb, routines[q].definite);
    require(routines[q].run(&p) == 0);
    require(startile_request_wait(p.r) == 0);
    require(executor_late_writes() == 0);
    require(executor_unreturned_tiles(p.A) == 0 && executor_unreturned_tiles(p.B) == 0 &&
            executor_unreturned_tiles(p.X) == 0);
    /* gels: the tasks of a panel's tree need not precede all others */
    require(executor_panels_left_behind() == 0 || routines[q].run == gels || has_band(q));
    close_problem(&p);
    require(executor_live_objects() == before);
    return p;
}

/* Requires B and X to be equal up to rounding, for A_AND_B also A and C, and the value. The
 * triangles T are not compared, because they depend on the width of panels. */
static void require_near(const struct problem *x, const struct problem *y, enum unique unique)
{
    double bound = 2000 * (double)x->a.n * (is_single(x->a.dtype) ? FLT_EPSILON : DBL_EPSILON);
    const struct array *pairs[4][2] = {
        {&x->b, &y->b}, {&x->x, &y->x}, {&x->c, &y->c}, {&x->a, &y->a}};
    for (int operand = 0; unique != NOTHING && operand < (unique == A_AND_B ? 4 : 2); operand++) {
        const struct array *X = pairs[operand][0], *Y = pairs[operand][1];
        for (int64_t j = 0; j < X->n; j++)
            /* below the solution the rows of B depend on the order of reflectors */
            for (int64_t i = 0; i < (unique == ONLY_B ? x->a.n : X->m); i++) {
                startile_complex a = get(*X, i, j), d = a - get(*Y, i, j);
                double magnitude = __builtin_cabs(a);
                require(__builtin_cabs(d) <= bound * (magnitude > 1 ? magnitude : 1));
            }
    }
    double d = x->value - y->value;
    require((d < 0 ? -d : d) <= bound * (x->value > 1 ? x->value : 1));
}

static void require_same_bits(const struct problem *x, const struct problem *y)
{
    require(is_same(x->a, y->a) && is_same(x->b, y->b) && is_same(x->c, y->c));
    require(is_same(x->x, y->x) && memcmp(x->ferr, y->ferr, sizeof x->ferr) == 0 &&
            memcmp(x->berr, y->berr, sizeof x->berr) == 0);
    require(is_same(x->t, y->t) && memcmp(&x->value, &y->value, sizeof x->value) == 0);
}

/* Runs routines[q] again with these settings of the executor, and requires the same bits, or equal
 * results up to rounding if GPUs share sums. */
static void check_order(int q, startile_dtype dtype, int64_t tiles, bool tall_tiles,
                        struct executor settings, const struct problem *expected)
{
    executor = settings;
    snprintf(
        case_text, sizeof case_text,
        "%s, type %d, %d tiles%s, order %d, seed %d, %d workers, %d tiles in a task, %d columns in "
        "memory (0: all), %d owners",
        routines[q].name, dtype, (int)tiles, tall_tiles ? " of all rows" : "", (int)settings.order,
        (int)settings.seed, settings.workers, (int)settings.tiles_per_task,
        (int)settings.columns_at_a_time, settings.owners);
    struct problem again = run_routine(q, dtype, tiles, 8, false, tall_tiles);
    if (has_band(q) && settings.owners > 0)
        require_near(expected, &again, routines[q].unique);
    else
        require_same_bits(expected, &again);
    free_arrays(&again);
}

/* Compares the result on several tiles with the result on one tile, and requires the same bits for
 * all tested orders of the tasks. */
static void check_routine(int q, startile_dtype dtype, int64_t tiles, bool tall_tiles)
{
    /* order of the tasks, seed, workers, tiles in a task, block columns in memory (0: all), GPUs
     * that own tiles */
    static const struct executor settings[] = {
        {RANDOM, 1, 1, 1, 0, 0},      {RANDOM, 2, 1, 1, 0, 0},      {RANDOM, 3, 1, 2, 0, 0},
        {BY_PRIORITY, 0, 1, 1, 0, 0}, {BY_PRIORITY, 0, 3, 1, 0, 0}, {BY_PRIORITY, 0, 2, 3, 0, 0},
        {AT_ONCE, 0, 1, 1, 2, 0},     {RANDOM, 4, 1, 1, 1, 0},      {BY_PRIORITY, 0, 4, 2, 2, 0},
        {RANDOM, 5, 1, 1, 0, 2},      {RANDOM, 6, 1, 1, 0, 3},      {RANDOM, 7, 1, 1, 1, 2},
    };
    executor = (struct executor){AT_ONCE, 1, 1, 1, 0, 0}; /* for the expected results */
    snprintf(case_text, sizeof case_text, "%s, type %d, %d tiles", routines[q].name, dtype,
             (int)tiles);
    struct problem one = run_routine(q, dtype, tiles, 8, true, true);
    struct problem p = run_routine(q, dtype, tiles, 8, false, tall_tiles);
    require_near(&one, &p, routines[q].unique);
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++)
        if (settings[s].owners == 0 || routines[q].shape == WHOLE_COLUMNS || has_band(q))
            check_order(q, dtype, tiles, tall_tiles, settings[s], &p);
    free_arrays(&one);
    free_arrays(&p);
}

#ifdef __SANITIZE_ADDRESS__
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif

/* Tests all routines: in type d with 1 to 4 tiles, in the other types with 4. With sanitizers only
 * d and z, which have the same graphs as s and c and larger elements. */
static void test_orders(void)
{
    for (int q = 0; q < ROUTINES; q++)
        for (int t = is_sanitized ? STARTILE_D : STARTILE_S; t <= STARTILE_Z;
             t += is_sanitized ? STARTILE_Z - STARTILE_D : 1)
            for (int64_t tiles = t == STARTILE_D ? 1 : 4; tiles <= 4; tiles++)
                for (int tall_tiles = 0; tall_tiles <= takes_both_tiles(q); tall_tiles++)
                    check_routine(q, (startile_dtype)t, tiles, tall_tiles != 0);
}

/* -- numbers of tasks -------------------------------------------------------------------------- */

/* Runs the factorization of nt × nt tiles and keeps its graph for the counts. columns: block
 * columns that fit the memory; 0: all. */
static void run_factorization(routine *run, int64_t nt, bool definite, int64_t columns)
{
    executor = (struct executor){AT_ONCE, 1, 1, 1, columns, 0};
    executor_reset();
    struct problem p = new_problem(STARTILE_D, 8 * nt, 8 * nt, 8, 8, definite);
    require(run(&p) == 0 && startile_request_wait(p.r) == 0);
    close_problem(&p);
    free_arrays(&p);
}

static void test_counts(void)
{
    for (int nt = 1; nt <= 6; nt++) {
        int pairs = nt * (nt - 1) / 2;
        snprintf(case_text, sizeof case_text, "%d tiles", nt);
        run_factorization(potrf, nt, true, 0);
        require(executor_tasks("potrf") == nt && executor_tasks("trsm_inverse") == pairs);
        require(executor_tasks("herk") == nt - 1);
        /* in every step k one task for each tile (i, j), k < j ≤ i, except the tile that herk
         * updates */
        require(executor_tasks("herk_gemm") == nt * (nt - 1) * (nt + 1) / 6 - (nt - 1));
        require(executor_longest_chain() == 3 * nt - 2); /* potrf, trsm, herk of each step */
        run_factorization(getrf, nt, false, 0);
        require(executor_tasks("getrf") == nt && executor_tasks("laswp_trsm_gemm") == pairs);
        require(executor_tasks(NULL) == nt + pairs + executor_tasks("laswp"));
        require(executor_longest_chain() <=
                2 * nt); /* each step: panel and update; laswp at the end */
        run_factorization(getrf_nopiv, nt, true, 0);
        require(executor_tasks("getrf_nopiv") == nt && executor_tasks("trsm_gemm") == pairs);
        run_factorization(geqrf, nt, false, 0);
        require(executor_tasks("geqrf") == nt && executor_tasks("larfb") == pairs);
        require(executor_tasks(NULL) == nt + pairs && executor_longest_chain() == 2 * nt - 1);
    }
}

/* Tests blocks of block columns: LU and QR order them by the gate, Cholesky does not; no step is
 * done twice. */
static void test_blocks(void)
{
    enum { NT = 6, COLUMNS_OF_BLOCK = 2 };
    run_factorization(getrf, NT, false, COLUMNS_OF_BLOCK);
    snprintf(case_text, sizeof case_text, "blocks");
    require(executor_tasks("getrf") == NT &&
            executor_tasks("laswp_trsm_gemm") == NT * (NT - 1) / 2);
    /* the panel before the last one of each block opens the gate; the updates of all later blocks
     * by panel 0 wait for it */
    require(executor_tasks_at(OPENS_GATE) == NT / COLUMNS_OF_BLOCK);
    require(executor_tasks_at(WAITS_FOR_GATE) == NT - COLUMNS_OF_BLOCK);
    run_factorization(geqrf, NT, false, COLUMNS_OF_BLOCK);
    require(executor_tasks_at(WAITS_FOR_GATE) == NT - COLUMNS_OF_BLOCK);
    run_factorization(potrf, NT, true, COLUMNS_OF_BLOCK);
    require(executor_tasks("potrf") == NT && executor_tasks_at(WAITS_FOR_GATE) == 0);
}

/* Tests that posv with an indefinite matrix, and gesv with a zero column, return its info and do
 * not change B. */
static void test_failures(void)
{
    for (int order = AT_ONCE; order <= BY_PRIORITY; order++) {
        executor = (struct executor){(enum executor_order)order, 5, 2, 1, 0, 0};
        snprintf(case_text, sizeof case_text, "failure, order %d", order);
        executor_reset();
        struct problem p = new_problem(STARTILE_Z, 40, 40, 8, 8, true);
        struct array b = array_copy(p.b);
        set(p.a, 20, 20, -1);
        require(startile_posv_async('L', p.A, p.B, p.r) == 0);
        require(startile_request_wait(p.r) == 21 && is_same(p.b, b));
        close_problem(&p);
        free_arrays(&p);
        p = new_problem(STARTILE_Z, 40, 40, 8, 8, false);
        for (int64_t i = 0; i < 40; i++)
            set(p.a, i, 17, 0);
        require(startile_gesv_async(p.A, p.P, p.B, 0, p.r) == 0);
        require(startile_request_wait(p.r) == 18 && is_same(p.b, b));
        close_problem(&p);
        free_arrays(&p);
        array_free(b);
    }
}

/* Tests that a downdate whose last column of V loses definiteness does not change the factor, in
 * any order of the tasks. */
static void test_failed_downdate(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        char uplo = "LU"[seed % 2];
        executor = (struct executor){RANDOM, seed, 1, 1, 0, 0};
        snprintf(case_text, sizeof case_text, "failed downdate %c, seed %d", uplo, (int)seed);
        executor_reset();
        struct problem p = new_problem(STARTILE_C, 40, 40, 8, 8, true);
        require(startile_potrf_async(uplo, p.A, p.r) == 0 && startile_request_wait(p.r) == 0);
        struct array factor = array_copy(p.a);
        for (int64_t j = 0; j < NRHS; j++)
            for (int64_t i = 0; i < 40; i++)
                set(p.b, i, j, get(p.b, i, j) * (j == NRHS - 1 ? 100 : 0.01));
        require(startile_potrf_downdate_async(uplo, p.A, p.B, p.r) == 0);
        require(startile_request_wait(p.r) == NRHS && is_same(p.a, factor));
        close_problem(&p);
        free_arrays(&p);
        array_free(factor);
    }
}

int main(void)
{
    return run_group("dag", test_orders, test_counts, test_blocks, test_failures,
                     test_failed_downdate);
}
