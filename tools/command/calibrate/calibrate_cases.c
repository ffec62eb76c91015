/* Routines, sizes and tiles to measure. They give each codelet the shapes that it has in use. */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

static const struct phase phases[] = {
    {"gpu", true, STARTILE_IMPLEMENTATION_AUTO, true, false},
    {"gpu-own", true, STARTILE_IMPLEMENTATION_OWN, true, true},
    {"gpu-vendor", true, STARTILE_IMPLEMENTATION_VENDOR, true, true},
    {"gpu-3", true, STARTILE_IMPLEMENTATION_AUTO, false, false},
    {"cpu", false, STARTILE_IMPLEMENTATION_AUTO, true, false},
};

/* Kinds of tiles, each with its own widths in `sizes` */
enum tiles { SQUARE_TILES, LU_TILES, QR_TILES };

static const struct plan {
    const char *routine;
    bool factorization; /* true: measured up to larger sizes */
    enum tiles tiles;
    bool own_and_vendor; /* true: its codelets have own and vendor's GPU kernels */
    int columns, rows;   /* n = order / columns; m = n * rows */
    bool many_rhs;       /* true: n / 4 right-hand sides */
} plans[] = {
    {"potrf", true, SQUARE_TILES, true, 1, 1, false},
    {"getrf", true, LU_TILES, false, 1, 1, false},
    {"geqrf", true, QR_TILES, false, 1, 1, false},
    {"getrf_nopiv", true, LU_TILES, true, 1, 1, false},
    {"sytrf", true, SQUARE_TILES, false, 1, 1, false},
    {"sytrf_aa", true, SQUARE_TILES, false, 1, 1, false},
    {"getrf_tntpiv", false, LU_TILES, false, 1, 1, false},
    {"geqrf_tree", false, QR_TILES, false, 16, 64, false},
    {"gemm", false, SQUARE_TILES, true, 1, 1, false},
    {"herk", false, SQUARE_TILES, true, 1, 1, false},
    {"trsm", false, SQUARE_TILES, true, 1, 1, false},
    {"potrs", false, SQUARE_TILES, true, 1, 1, true},
    {"sysv", false, SQUARE_TILES, false, 1, 1, true},
    {"sysv_aa", false, SQUARE_TILES, false, 1, 1, true},
    {"sytri", false, SQUARE_TILES, false, 1, 1, false},
    {"hegst", false, SQUARE_TILES, false, 1, 1, false},
    {"gesv", false, LU_TILES, true, 1, 1, false},
    {"getri", false, LU_TILES, false, 1, 1, false},
    {"gels", false, QR_TILES, false, 2, 2, false},
    {"gelqf", false, QR_TILES, false, 1, 1, false},
    {"ormqr", false, QR_TILES, false, 1, 1, false},
    {"orgqr", false, QR_TILES, false, 1, 1, false},
    {"others", false, SQUARE_TILES, true, 1, 1, false},
    {"batches", false, SQUARE_TILES, false, 1, 1, false},
};

/* Orders, and tile widths by enum tiles, for [on_gpu][quick]; lists end with 0 */
static const struct sizes {
    int64_t n[8], nb[3][5];
} sizes[2][2] = {
    {{{256, 512, 1024, 2048, 4096}, {{128, 256, 512}, {64, 128, 256}, {64, 128, 256}}},
     {{512, 1024, 2048}, {{128, 256}, {128, 256}, {64, 128}}}},
    {{{1024, 2048, 4096, 8192, 16384},
      {{512, 1024, 2048, 4096}, {256, 512, 1024}, {256, 512, 1024}}},
     {{2048, 4096, 8192}, {{1024, 2048}, {512, 1024}, {256, 512}}}},
};

bool list_contains(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, word, length) && (at[length] == ',' || !at[length]))
            return true;
    }
    return list == NULL;
}

/* Returns whether the list has a name of the plan's routine. */
static bool is_named(const char *list, const struct plan *plan)
{
    const struct routine *r = find_routine(plan->routine);
    return list_contains(list, plan->routine) ||
           (r && (list_contains(list, r->name) || (r->alias && list_contains(list, r->alias))));
}

bool is_calibrated(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        found = found || is_named(name, &plans[i]);
    return found;
}

const char *calibrated_names(void)
{
    static char names[300];
    names[0] = '\0';
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", plans[i].routine);
    }
    return names;
}

/* Returns whether the phase measures the plan's routine in this calibration. */
static bool is_wanted(const struct calibration *c, const struct phase *phase,
                      const struct plan *plan)
{
    return (phase->on_gpu ? c->gpu : c->cpu) && is_named(c->routines, plan) &&
           (phase->learns || find_routine(plan->routine)) &&
           (!phase->own_and_vendor || plan->own_and_vendor);
}

/* Returns the largest order to measure, at most c->largest. Only factorizations in real types, in
 * phases without own_and_vendor, get orders above half of `largest`, to find their best tiles. */
static int64_t largest_order(const struct calibration *c, const struct phase *phase,
                             const struct plan *plan, startile_dtype dtype, int64_t largest)
{
    bool full_range = plan->factorization && dtype <= STARTILE_D && !phase->own_and_vendor;
    int64_t n = full_range ? largest : largest / 2;
    return n < c->largest ? n : c->largest;
}

static void add_case(struct series *series, const struct plan *plan, startile_dtype dtype,
                     int64_t n, int64_t nb)
{
    const double start_work = 2e8; /* operations that take as long as the start of a case */
    const struct routine *r = find_routine(plan->routine);
    enum meaning_of_k k = r ? r->meaning_of_k : K_UNUSED;
    struct problem *p = &series->cases[series->count++];
    *p = (struct problem){.routine = r,
                          .dtype = dtype,
                          .uplo = 'L',
                          .m = n * plan->rows,
                          .n = n,
                          .k = k == K_UNUSED          ? 0
                               : plan->many_rhs       ? n / 4
                               : k == K_DEFAULTS_TO_1 ? 1
                                                      : n,
                          .nb = nb,
                          .tree = STARTILE_TREE_GREEDY};
    series->work += start_work + (r ? r->flops(p) : 4 * (double)n * (double)n * (double)n);
}

/* Adds the cases of a plan. In a phase that chooses tiles (is_tile_phase()) a routine also gets
 * cases with nb = 0: the library's default tiles, with which others are compared. Skips tiles wider
 * than the matrix, but not the narrowest ones. */
static void add_cases(struct series *series, const struct calibration *c, const struct plan *plan)
{
    const struct sizes *s = &sizes[series->phase->on_gpu][c->quick];
    const int64_t *nb = s->nb[plan->tiles];
    int64_t largest = 0;
    for (const int64_t *n = s->n; *n; n++)
        largest = *n;
    for (int t = 0; t < c->precisions.count; t++)
        for (const int64_t *n = s->n; *n; n++) {
            int64_t columns = *n / plan->columns;
            if (*n > largest_order(c, series->phase, plan, c->precisions.dtype[t], largest))
                continue;
            if (is_tile_phase(series->phase->name) && find_routine(plan->routine))
                add_case(series, plan, c->precisions.dtype[t], columns, 0);
            for (const int64_t *w = nb; *w; w++)
                if (*w <= columns || w == nb)
                    add_case(series, plan, c->precisions.dtype[t], columns, *w);
        }
}

struct series *series_list(const struct calibration *c, size_t *count)
{
    enum { PHASES = sizeof phases / sizeof *phases, PLANS = sizeof plans / sizeof *plans };
    struct series *list = calloc((size_t)PHASES * PLANS, sizeof *list);
    *count = 0;
    for (int f = 0; list && f < PHASES; f++)
        for (int r = 0; r < PLANS; r++)
            if (is_wanted(c, &phases[f], &plans[r])) {
                struct series *series = &list[(*count)++];
                series->phase = &phases[f];
                series->name = plans[r].routine;
                series->work = 1e9; /* operations that take as long as the start of the library */
                add_cases(series, c, &plans[r]);
            }
    return list;
}
