/*
 * What a calibration runs: routines, sizes and tile sizes, so that each codelet meets the shapes
 * that it has in use.
 */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

const struct phase phases[] = {
    {.name = "gpu", .on_gpu = true, .workers = 1, .learns = true},
    {.name = "gpu-own",
     .on_gpu = true,
     .implementation = STARTILE_OWN,
     .workers = 1,
     .learns = true,
     .products = true},
    {.name = "gpu-vendor",
     .on_gpu = true,
     .implementation = STARTILE_VENDOR,
     .workers = 1,
     .learns = true,
     .products = true},
    {.name = "gpu-3", .on_gpu = true, .workers = 3},
    {.name = "gpu-2", .on_gpu = true, .workers = 2, .workers_only = true},
    {.name = "gpu-4", .on_gpu = true, .workers = 4, .workers_only = true},
    {.name = "cpu", .learns = true},
};
const int phase_count = sizeof phases / sizeof *phases;

/* How far a routine goes up, and what its tiles are like. */
enum extent { FACTORIZATION, OTHER };
enum tiles { SQUARE_TILES, COLUMNS, REFLECTORS_TILES };

static const struct plan {
    const char *routine;
    enum extent extent;
    enum tiles tiles;
    bool products;     /* its codelets have two kinds of kernels on GPUs */
    int columns, rows; /* of the order: so many times fewer, and then rows for each */
    bool many;         /* right-hand sides: a quarter of the columns */
} plans[] = {
    {"potrf", FACTORIZATION, SQUARE_TILES, true, 1, 1, false},
    {"getrf", FACTORIZATION, COLUMNS, false, 1, 1, false},
    {"geqrf", FACTORIZATION, REFLECTORS_TILES, false, 1, 1, false},
    {"getrf_nopiv", FACTORIZATION, COLUMNS, true, 1, 1, false},
    {"getrf_tntpiv", OTHER, COLUMNS, false, 1, 1, false},
    {"geqrf_tree", OTHER, REFLECTORS_TILES, false, 16, 64, false},
    {"gemm", OTHER, SQUARE_TILES, true, 1, 1, false},
    {"herk", OTHER, SQUARE_TILES, true, 1, 1, false},
    {"trsm", OTHER, SQUARE_TILES, true, 1, 1, false},
    {"potrs", OTHER, SQUARE_TILES, true, 1, 1, true},
    {"gesv", OTHER, COLUMNS, true, 1, 1, false},
    {"getri", OTHER, COLUMNS, false, 1, 1, false},
    {"gels", OTHER, REFLECTORS_TILES, false, 2, 2, false},
    {"gelqf", OTHER, REFLECTORS_TILES, false, 1, 1, false},
    {"ormqr", OTHER, REFLECTORS_TILES, false, 1, 1, false},
    {"orgqr", OTHER, REFLECTORS_TILES, false, 1, 1, false},
    {"others", OTHER, SQUARE_TILES, true, 1, 1, false},
    {"batches", OTHER, SQUARE_TILES, false, 1, 1, false},
};

struct sizes {
    int64_t n[8], nb[3][4]; /* of the kinds of tiles; lists end with 0 */
};

static const struct sizes cpu_full = {{256, 512, 1024, 2048, 4096},
                                      {{128, 256, 512}, {64, 128, 256}, {64, 128, 256}}};
static const struct sizes cpu_quick = {{512, 1024, 2048}, {{128, 256}, {128, 256}, {64, 128}}};
static const struct sizes gpu_full = {{1024, 2048, 4096, 8192, 16384},
                                      {{512, 1024, 2048}, {256, 512, 1024}, {256, 512, 1024}}};
static const struct sizes gpu_quick = {{2048, 4096, 8192}, {{1024, 2048}, {512, 1024}, {256, 512}}};

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

static bool wanted(const struct calibration *c, const struct phase *phase, const struct plan *plan)
{
    if (!(phase->on_gpu ? c->gpu : c->cpu) || !is_in(c->routines, plan->routine))
        return false;
    if (phase->workers_only)
        return plan->extent == FACTORIZATION && !c->quick;
    if (!phase->learns) /* times of whole routines */
        return find_routine(plan->routine) != NULL;
    return !phase->products || plan->products;
}

/* The largest sizes are for the factorizations in their usual types alone, which tell what tile is
 * best there. */
static int64_t most(const struct calibration *c, const struct phase *phase, const struct plan *plan,
                    startile_dtype dtype, int64_t largest)
{
    bool usual = plan->extent == FACTORIZATION && dtype <= STARTILE_D && !phase->products;
    int64_t n = usual ? largest : largest / 2;
    if (phase->workers_only)
        n = largest / 2;
    if (!phase->on_gpu && c->cores >= 8 && usual)
        n *= 2;
    return n < c->largest ? n : c->largest;
}

static struct problem make_case(const struct plan *plan, startile_dtype dtype, int64_t n,
                                int64_t nb)
{
    const struct routine *r = find_routine(plan->routine);
    enum meaning_of_k k = r ? r->meaning_of_k : K_UNUSED;
    return (struct problem){.routine = r,
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
}

double case_work(const struct problem *p)
{
    const double start = 2e8; /* operations in the time that any case takes */
    double flops =
        p->routine ? p->routine->flops(p) : 4 * (double)p->n * (double)p->n * (double)p->n;
    return flops + start;
}

static void add_case(struct batch *b, struct problem p)
{
    b->cases[b->count++] = p;
    b->work += case_work(&p);
}

/* Where tiles are compared, the library's usual ones are among them: nb = 0. */
static void add_cases(struct batch *b, const struct calibration *c, const struct plan *plan)
{
    const struct sizes *s = b->phase->on_gpu ? c->quick ? &gpu_quick : &gpu_full
                            : c->quick       ? &cpu_quick
                                             : &cpu_full;
    const int64_t *nb = s->nb[plan->tiles];
    int64_t largest = 0;
    for (const int64_t *n = s->n; *n; n++)
        largest = *n;
    for (int t = 0; t < c->dtype_count; t++)
        for (const int64_t *n = s->n; *n; n++) {
            int64_t columns = *n / plan->columns;
            if (*n > most(c, b->phase, plan, c->dtypes[t], largest) ||
                (b->phase->workers_only && *n < largest / 4))
                continue;
            if (tells_tiles(b->phase->name) && find_routine(plan->routine))
                add_case(b, make_case(plan, c->dtypes[t], columns, 0));
            for (const int64_t *w = nb; *w; w++)
                if (b->phase->workers_only ? w == nb + 1 : *w <= columns || w == nb)
                    add_case(b, make_case(plan, c->dtypes[t], columns, *w));
        }
}

struct batch *batches_list(const struct calibration *c, size_t *count)
{
    enum { PLANS = sizeof plans / sizeof *plans, MOST_CASES = 4 * 8 * 5 };
    struct batch *list = calloc((size_t)phase_count * PLANS, sizeof *list);
    *count = 0;
    for (int f = 0; list && f < phase_count; f++)
        for (int r = 0; r < PLANS; r++) {
            struct batch *b = &list[*count];
            if (!wanted(c, &phases[f], &plans[r]))
                continue;
            *b = (struct batch){.phase = &phases[f], .name = plans[r].routine, .work = 1e9};
            b->cases = calloc(MOST_CASES, sizeof *b->cases);
            ++*count;
            if (!b->cases) {
                batches_free(list, *count);
                return NULL;
            }
            add_cases(b, c, &plans[r]);
            *count -= !b->count;
            if (!b->count)
                free(b->cases);
        }
    return list;
}

void batches_free(struct batch *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].cases);
    free(list);
}
