/* Calls on descriptors. */
#include "failing_malloc.h"
#include "routines.h"
#include "startile_disk.h"
#include "startile_mixed.h"
#include "startile_testing.h"
#include "startile_trace.h"

#include <stddef.h>
#include <stdio.h>

/* Several tiles in each direction. The height TALL makes gels() use a tree. */
enum { N = 40, NB = 16, TALL = 80, NRHS = 8 };

/* Error bounds, not in the checksum */
static double ferr[NRHS], berr[NRHS];

struct operands {
    startile_matrix *A, *B, *C, *band;
    startile_reflectors *T;
    startile_pivots *P, *band_pivots;
    startile_permutation *permutation;
    startile_symmetric_pivots *symmetric_pivots;
    startile_tree *tree;
};

static void destroy(struct operands o)
{
    startile_matrix *all[] = {o.A, o.B, o.C, o.band};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        startile_matrix_destroy(all[i]);
    startile_pivots_destroy(o.P);
    startile_pivots_destroy(o.band_pivots);
    startile_permutation_destroy(o.permutation);
    startile_symmetric_pivots_destroy(o.symmetric_pivots);
    startile_reflectors_destroy(o.T);
    startile_tree_destroy(o.tree);
}

/* Creates A (m × n, random of this kind with the bump on its diagonal), B, C, `band` as large as A,
 * T, P and a tree. mb = 0: all rows. */
static int64_t make(struct operands *o, int64_t m, int64_t n, int64_t mb, char kind)
{
    int64_t rows = mb != 0 ? mb : m, larger = m > n ? m : n;
    startile_dtype dtype = STARTILE_D;
    *o = (struct operands){.A = NULL};
    int64_t status = startile_matrix_create(&o->A, dtype, m, n, rows, NB);
    if (status == 0)
        status = startile_matrix_create(&o->B, dtype, larger, NRHS, mb != 0 ? mb : larger, NB);
    if (status == 0)
        status = startile_matrix_create(&o->C, dtype, larger, NRHS, mb != 0 ? mb : larger, NB);
    if (status == 0)
        status = startile_matrix_create(&o->band, dtype, m, n, rows, NB);
    if (status == 0)
        status = startile_reflectors_create(&o->T, o->A);
    if (status == 0)
        status = startile_pivots_create(&o->P, o->A);
    if (status == 0)
        status = startile_pivots_create(&o->band_pivots, o->A);
    if (status == 0)
        status = startile_permutation_create(&o->permutation, o->A);
    if (status == 0)
        status = startile_symmetric_pivots_create(&o->symmetric_pivots, o->A);
    if (status == 0)
        status = startile_tree_create(&o->tree, o->A, STARTILE_TREE_GREEDY);
    if (status == 0)
        status = startile_random(kind, 1, kind == 'S' ? N : 1, o->A);
    if (status == 0)
        status = startile_random('G', 2, 0, o->B);
    return status;
}

/* Makes the operands. Their allocations fail in run_operands() only, because all routines make the
 * same. */
static int64_t make_exempt(struct operands *o, int64_t m, int64_t n, int64_t mb, char kind)
{
    exempt_allocations(true);
    int64_t status = make(o, m, n, mb, kind);
    exempt_allocations(false);
    return status;
}

/* Sets the checksum to the norms of A, B and C, and the number. Allocations of lange fail in
 * run_norms() only. */
static int64_t sum_up(struct operands o, double number)
{
    double a = 0, b = 0, c = 0;
    exempt_allocations(true);
    int64_t status = startile_lange('F', o.A, &a);
    if (status == 0)
        status = startile_lange('F', o.B, &b);
    if (status == 0)
        status = startile_lange('F', o.C, &c);
    exempt_allocations(false);
    checksum = a + b + c + number;
    return status;
}

/* Defines the function run_NAME(), which makes operands and evaluates the calls in turn, until one
 * fails. */
#define RUN(name, m, n, mb, kind, ...)                                                             \
    static int64_t run_##name(void)                                                                \
    {                                                                                              \
        struct operands o;                                                                         \
        double value = 0;                                                                          \
        int64_t rank = 0;                                                                          \
        const double norm = N;                                                                     \
        startile_complex sign = 0;                                                                 \
        startile_mixed_result result = {.size = sizeof result};                                    \
        (void)rank;                                                                                \
        (void)norm;                                                                                \
        (void)sign;                                                                                \
        (void)result;                                                                              \
        int64_t status = make_exempt(&o, m, n, mb, kind);                                          \
        (void)(status != 0 || __VA_ARGS__ || CALL(sum_up(o, value)));                              \
        destroy(o);                                                                                \
        return status;                                                                             \
    }
/* One call of RUN(); true if it fails. */
#define CALL(call) ((status = (call)) != 0)

RUN(potrf, N, N, NB, 'S', CALL(startile_potrf('L', o.A)) || CALL(startile_potrs('L', o.A, o.B)))
RUN(pstrf, N, N, NB, 'S', CALL(startile_pstrf('L', o.A, o.permutation, -1, &rank)))
RUN(sytrf, N, N, NB, 'S',
    CALL(startile_sytrf('U', o.A, o.symmetric_pivots)) ||
        CALL(startile_sytrs('U', o.A, o.symmetric_pivots, o.B)) ||
        CALL(startile_sycon('U', o.A, o.symmetric_pivots, &norm, &value)) ||
        CALL(startile_sydet('U', o.A, o.symmetric_pivots, &sign, &value)) ||
        CALL(startile_sytri('U', o.A, o.symmetric_pivots)))
/* two tiles: with three, the repeated steps of the refinement take most of the test's time */
RUN(herfs, 2 * NB, 2 * NB, NB, 'S',
    CALL(startile_lacpy('U', o.A, o.band)) ||
        CALL(startile_hetrf('U', o.band, o.symmetric_pivots)) ||
        CALL(startile_lacpy('G', o.B, o.C)) ||
        CALL(startile_hetrs('U', o.band, o.symmetric_pivots, o.C)) ||
        CALL(startile_herfs('U', o.A, o.band, o.symmetric_pivots, o.B, o.C, ferr, berr)))
RUN(sysv_aa, N, N, NB, 'S', CALL(startile_sysv_aa('L', o.A, o.P, o.band, o.band_pivots, o.B)))
RUN(posv_upper, N, N, NB, 'S', CALL(startile_posv('U', o.A, o.B)))
RUN(potri, N, N, NB, 'S',
    CALL(startile_potrf('U', o.A)) || CALL(startile_pocon('U', o.A, &norm, &value)) ||
        CALL(startile_podet(o.A, &value)) || CALL(startile_potri('U', o.A)))
RUN(potrf_update, N, N, NB, 'S',
    CALL(startile_potrf('L', o.A)) || CALL(startile_potrf_update('L', o.A, o.B)) ||
        CALL(startile_potrf_downdate('L', o.A, o.B)))
RUN(trtri, N, N, NB, 'S', CALL(startile_trtri('L', 'N', o.A)) || CALL(startile_lauum('L', o.A)))
RUN(hegst, N, N, NB, 'S',
    CALL(startile_potrf('L', o.A)) || CALL(startile_random('H', 1, 0, o.band)) ||
        CALL(startile_hegst(1, 'L', o.band, o.A)) || CALL(startile_hegst(2, 'L', o.band, o.A)))
RUN(posv_mixed, N, N, NB, 'S', CALL(startile_posv_mixed('L', o.A, o.B, o.C, NULL, &result)))
RUN(gesv, N, N, 0, 'G', CALL(startile_gesv(o.A, o.P, o.B, 0)))
RUN(gesv_refined, N, N, NB, 'G', CALL(startile_gesv(o.A, o.P, o.B, 1)))
RUN(gesv_mixed, N, N, 0, 'G', CALL(startile_gesv_mixed(o.A, o.P, o.B, o.C, NULL, &result)))
RUN(getri, N, N, 0, 'G',
    CALL(startile_getrf(o.A, o.P)) || CALL(startile_gecon('1', o.A, &norm, &value)) ||
        CALL(startile_gedet(o.A, o.P, &sign, &value)) || CALL(startile_getri(o.A, o.P)))
RUN(getrs, N, N, NB, 'G',
    CALL(startile_getrf(o.A, o.P)) || CALL(startile_getrs('T', o.A, o.P, o.B)))
RUN(getrf_nopiv, N, N, NB, 'S', CALL(startile_getrf_nopiv(o.A)))
RUN(getrf_tntpiv, N, N, NB, 'G', CALL(startile_getrf_tntpiv(o.A, o.P)))
RUN(geqrf, N, N, 0, 'G',
    CALL(startile_geqrf(o.A, o.T)) || CALL(startile_unmqr('L', 'T', o.A, o.T, o.B)) ||
        CALL(startile_ungqr(o.A, o.T)))
RUN(geqp3, N, N, 0, 'G', CALL(startile_geqp3(o.A, o.permutation, o.T)))
RUN(geqp3_random, N, N, 0, 'G', CALL(startile_geqp3_random(o.A, o.permutation, o.T, 1)))
RUN(geqp3_rank, N, N, 0, 'G', CALL(startile_geqp3_rank(o.A, o.permutation, o.T, 0.1, N, &rank)))
RUN(gelsy, N, N, 0, 'G', CALL(startile_gelsy(o.A, o.permutation, o.B, 0, &rank, NULL)))
RUN(gelqf, N, N, 0, 'G',
    CALL(startile_gelqf(o.A, o.T)) || CALL(startile_unmlq('L', 'T', o.A, o.T, o.B)) ||
        CALL(startile_unglq(o.A, o.T)))
RUN(geqrf_tiles, TALL, N, NB, 'G',
    CALL(startile_geqrf(o.A, o.T)) || CALL(startile_unmqr('L', 'N', o.A, o.T, o.B)))
RUN(geqrf_tree, TALL, N, NB, 'G',
    CALL(startile_geqrf_tree(o.A, o.tree)) || CALL(startile_unmqr_tree('L', 'N', o.A, o.tree, o.B)))
RUN(gels_tall, TALL, N, NB, 'G', CALL(startile_gels('N', o.A, o.B)))
RUN(gels_wide, N, TALL, 0, 'G', CALL(startile_gels('N', o.A, o.B)))
RUN(products, N, N, NB, 'G',
    CALL(startile_gemm('T', 'N', 1, o.A, o.B, 0, o.C)) ||
        CALL(startile_trsm('L', 'U', 'N', 'U', 1, o.A, o.B)) ||
        CALL(startile_herk('L', 'N', 1, o.B, 0, o.A)) ||
        CALL(startile_syrk('U', 'N', 1, o.B, 0, o.A)) ||
        CALL(startile_trmm('L', 'U', 'T', 'U', 1, o.A, o.B)) ||
        CALL(startile_symm('L', 'L', 1, o.A, o.B, 0.5, o.C)))
RUN(norms, N, N, NB, 'G',
    CALL(startile_lange('F', o.A, &value)) || CALL(startile_lange('1', o.A, &value)) ||
        CALL(startile_lansy('M', 'L', o.A, &value)) ||
        CALL(startile_lanhe('I', 'U', o.A, &value)) || CALL(startile_lacpy('G', o.B, o.C)) ||
        CALL(startile_laset('G', 0, 1, o.A)))

/* Makes and destroys operands. */
static int64_t run_operands(void)
{
    struct operands o;
    int64_t status = make(&o, N, N, NB, 'S');
    if (status == 0)
        status = sum_up(o, 0);
    destroy(o);
    return status;
}

/* Records the tasks of a factorization. */
static int64_t run_profile(void)
{
    startile_profile *profile = NULL;
    int64_t status = startile_profile_start();
    if (status != 0)
        return status;
    int64_t info = run_potrf();
    status = startile_profile_stop(&profile);
    startile_profile_destroy(profile);
    return status != 0 ? status : info;
}

/* Factors a matrix whose tiles are in a file. */
static int64_t run_disk(void)
{
    startile_matrix *A = NULL;
    int64_t status = startile_matrix_create_on_disk(&A, STARTILE_D, N, N, NB, NB, ".");
    if (status == 0)
        status = startile_random('S', 1, N, A);
    if (status == 0)
        status = startile_potrf('L', A);
    if (status == 0)
        status = startile_lange('F', A, &checksum);
    startile_matrix_destroy(A);
    return status;
}

/* Factors a matrix in a file with a journal, from a new one on, and once more: the second call
 * continues after the end. */
static int64_t run_journal(void)
{
    static const char file[] = "failing_malloc.matrix", journal[] = "failing_malloc.journal";
    static double zeros[N * N];
    startile_matrix *A = NULL;
    startile_pivots *P = NULL;
    FILE *f = fopen(file, "wb");
    if (f == NULL || fwrite(zeros, sizeof zeros, 1, f) != 1 || fclose(f) != 0)
        return STARTILE_ERROR_MEMORY; /* fopen() allocates */
    remove(journal);
    int64_t status = startile_matrix_wrap_file(&A, STARTILE_D, N, N, file, 0, N, N, NB);
    (void)(status != 0 || CALL(startile_pivots_create(&P, A)) ||
           CALL(startile_random('G', 1, 0, A)) || CALL(startile_matrix_journal(A, journal)) ||
           CALL(startile_getrf(A, P)) || CALL(startile_getrf(A, P)) ||
           CALL(startile_lange('F', A, &checksum)));
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
    remove(journal);
    remove(file);
    return status;
}

#define ROUTINE(name)                                                                              \
    {                                                                                              \
#name, run_##name                                                                          \
    }
const struct routine matrix_routines[] = {
    ROUTINE(operands),     ROUTINE(potrf),        ROUTINE(posv_upper), ROUTINE(potri),
    ROUTINE(trtri),        ROUTINE(posv_mixed),   ROUTINE(gesv),       ROUTINE(gesv_refined),
    ROUTINE(gesv_mixed),   ROUTINE(potrf_update), ROUTINE(getri),      ROUTINE(getrs),
    ROUTINE(getrf_nopiv),  ROUTINE(getrf_tntpiv), ROUTINE(geqrf),      ROUTINE(geqp3),
    ROUTINE(geqp3_random), ROUTINE(gelqf),        ROUTINE(gelsy),      ROUTINE(geqrf_tiles),
    ROUTINE(geqrf_tree),   ROUTINE(gels_tall),    ROUTINE(gels_wide),  ROUTINE(products),
    ROUTINE(norms),        ROUTINE(profile),      ROUTINE(disk),       ROUTINE(journal),
    ROUTINE(pstrf),        ROUTINE(geqp3_rank),   ROUTINE(sytrf),      ROUTINE(sysv_aa),
    ROUTINE(hegst),        ROUTINE(herfs),        {NULL, NULL},
};
