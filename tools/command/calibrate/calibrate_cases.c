/* Routines, sizes and tiles to measure, so that each codelet has the shapes that it has in use. */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

static const struct phase phases[] = {
    {"gpu", true, STARTILE_AUTO, true, false},         {"gpu-own", true, STARTILE_OWN, true, true},
    {"gpu-vendor", true, STARTILE_VENDOR, true, true}, {"gpu-3", true, STARTILE_AUTO, false, false},
    {"cpu", false, STARTILE_AUTO, true, false},
};

enum tiles { SQUARE_TILES, COLUMNS, REFLECTORS_TILES };

static const struct plan {
    const char *routine;
    bool factorization; /* measured up to larger sizes */
    enum tiles tiles;
    bool products;     /* its codelets have two kinds of GPU kernels */
    int columns, rows; /* columns: order / columns; rows: rows for each column */
    bool many;         /* right-hand sides: a quarter of the columns */
} plans[] = {
    {"potrf", true, SQUARE_TILES, true, 1, 1, false},
    {"getrf", true, COLUMNS, false, 1, 1, false},
    {"geqrf", true, REFLECTORS_TILES, false, 1, 1, false},
    {"getrf_nopiv", true, COLUMNS, true, 1, 1, false},
    {"getrf_tntpiv", false, COLUMNS, false, 1, 1, false},
    {"geqrf_tree", false, REFLECTORS_TILES, false, 16, 64, false},
    {"gemm", false, SQUARE_TILES, true, 1, 1, false},
    {"herk", false, SQUARE_TILES, true, 1, 1, false},
    {"trsm", false, SQUARE_TILES, true, 1, 1, false},
    {"potrs", false, SQUARE_TILES, true, 1, 1, true},
    {"gesv", false, COLUMNS, true, 1, 1, false},
    {"getri", false, COLUMNS, false, 1, 1, false},
    {"gels", false, REFLECTORS_TILES, false, 2, 2, false},
    {"gelqf", false, REFLECTORS_TILES, false, 1, 1, false},
    {"ormqr", false, REFLECTORS_TILES, false, 1, 1, false},
    {"orgqr", false, REFLECTORS_TILES, false, 1, 1, false},
    {"others", false, SQUARE_TILES, true, 1, 1, false},
    {"batches", false, SQUARE_TILES, false, 1, 1, false},
};

/* Orders, and tile widths by enum tiles; lists end with 0. [on_gpu][quick] */
static const struct sizes {
    int64_t n[8], nb[3][4];
} sizes[2][2] = {
    {{{256, 512, 1024, 2048, 4096}, {{128, 256, 512}, {64, 128, 256}, {64, 128, 256}}},
     {{512, 1024, 2048}, {{128, 256}, {128, 256}, {64, 128}}}},
    {{{1024, 2048, 4096, 8192, 16384}, {{512, 1024, 2048}, {256, 512, 1024}, {256, 512, 1024}}},
     {{2048, 4096, 8192}, {{1024, 2048}, {512, 1024}, {256, 512}}}},
};

bool is_in(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, word, length) && (at[length] == ',' || !at[length]))
            return true;
    }
    return list == NULL;
}

static bool is_wanted(const struct calibration *c, const struct phase *phase,
                      const struct plan *plan)
{
    return (phase->on_gpu ? c->gpu : c->cpu) && is_in(c->routines, plan->routine) &&
           (phase->learns || find_routine(plan->routine)) && (!phase->products || plan->products);
}

/* Returns the largest order. The largest of all are only for factorizations in real types, to find
 * the best tiles there. */
static int64_t most(const struct calibration *c, const struct phase *phase, const struct plan *plan,
                    startile_dtype dtype, int64_t largest)
{
    bool usual = plan->factorization && dtype <= STARTILE_D && !phase->products;
    int64_t n = usual ? largest : largest / 2;
    if (!phase->on_gpu && c->machine.cores >= 8 && usual)
        n *= 2;
    return n < c->largest ? n : c->largest;
}

static void add_case(struct batch *b, const struct plan *plan, startile_dtype dtype, int64_t n,
                     int64_t nb)
{
    const double start = 2e8; /* operations in the time that any case takes */
    const struct routine *r = find_routine(plan->routine);
    enum meaning_of_k k = r ? r->meaning_of_k : K_UNUSED;
    struct problem *p = &b->cases[b->count++];
    *p = (struct problem){.routine = r,
                          .dtype = dtype,
                          .uplo = 'L',
                          .m = n * plan->rows,
                          .n = n,
                          .k = k == K_UNUSED          ? 0
                               : plan->many           ? n / 4
                               : k == K_DEFAULTS_TO_1 ? 1
                                                      : n,
                          .nb = nb,
                          .tree = STARTILE_TREE_GREEDY};
    b->work += start + (r ? r->flops(p) : 4 * (double)n * (double)n * (double)n);
}

/* nb = 0: the library's default tiles, beside which others are compared. */
static void add_cases(struct batch *b, const struct calibration *c, const struct plan *plan)
{
    const struct sizes *s = &sizes[b->phase->on_gpu][c->quick];
    const int64_t *nb = s->nb[plan->tiles];
    int64_t largest = 0;
    for (const int64_t *n = s->n; *n; n++)
        largest = *n;
    for (int t = 0; t < c->precisions.count; t++)
        for (const int64_t *n = s->n; *n; n++) {
            int64_t columns = *n / plan->columns;
            if (*n > most(c, b->phase, plan, c->precisions.dtype[t], largest))
                continue;
            if (tells_tiles(b->phase->name) && find_routine(plan->routine))
                add_case(b, plan, c->precisions.dtype[t], columns, 0);
            for (const int64_t *w = nb; *w; w++)
                if (*w <= columns || w == nb)
                    add_case(b, plan, c->precisions.dtype[t], columns, *w);
        }
}

struct batch *batches_list(const struct calibration *c, size_t *count)
{
    enum { PHASES = sizeof phases / sizeof *phases, PLANS = sizeof plans / sizeof *plans };
    struct batch *list = calloc((size_t)PHASES * PLANS, sizeof *list);
    *count = 0;
    for (int f = 0; list && f < PHASES; f++)
        for (int r = 0; r < PLANS; r++)
            if (is_wanted(c, &phases[f], &plans[r])) {
                struct batch *b = &list[(*count)++];
                b->phase = &phases[f];
                b->name = plans[r].routine;
                b->work = 1e9; /* the start of the library */
                add_cases(b, c, &plans[r]);
            }
    return list;
}
