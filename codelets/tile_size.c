/*
 * The tile shape where the caller names none: large enough for the kernels' rate and StarPU's cost
 * of a task, small enough for parallelism. See perf_models/NOTES.md for the measurements.
 */
#include "tile_size.h"
#include "runtime.h"

#include <string.h>

struct choice {
    int64_t up_to; /* larger dimension of the matrix */
    int64_t nb;
};

/* Square tiles. Up to 4096 a GPU is left to cuSOLVER: its chain of small kernels is what bounds the
 * run. */
static const struct choice square_on_cpu[] = {{512, 128}, {4096, 256}, {INT64_MAX, 512}};
static const struct choice square_on_cuda[] = {{4096, 4096}, {12288, 1024}, {INT64_MAX, 2048}};

/* Block columns: as wide as a panel. Without pivoting panels are cheap, and wider ones pay. */
static const struct choice column_on_cpu[] = {{128, 64}, {512, 128}, {INT64_MAX, 256}};
static const struct choice column_on_cuda[] = {{4096, 512}, {24576, 1024}, {INT64_MAX, 1536}};
static const struct choice cheap_on_cuda[] = {{12288, 1024}, {INT64_MAX, 1536}};

/* Trees: tiles of this many rows, or more where there would be too many. */
enum { TREE_NB = 128, TREE_MB = 2048 };

/* TALL_COLUMN: a tree on CPUs, if there are so many times as many rows as columns. */
enum shape { SQUARE, COLUMN, CHEAP_COLUMN, TREE, TALL_COLUMN };
enum { TALL = 4 };
static const struct {
    const char *routine;
    enum shape shape;
} shapes[] = {
    {"potrf", SQUARE},        {"potrs", SQUARE}, {"posv", SQUARE},
    {"gemm", SQUARE},         {"herk", SQUARE},  {"syrk", SQUARE},
    {"trsm", SQUARE},         {"getrf", COLUMN}, {"getrf_nopiv", CHEAP_COLUMN},
    {"getrf_tntpiv", COLUMN}, {"getrs", COLUMN}, {"gesv", COLUMN},
    {"getri", COLUMN},        {"gecon", COLUMN}, {"geqrf", COLUMN},
    {"gelqf", COLUMN},        {"unmqr", COLUMN}, {"unmlq", COLUMN},
    {"ungqr", COLUMN},        {"unglq", COLUMN}, {"gels", TALL_COLUMN},
    {"geqrf_tree", TREE},
};
enum { ROUTINES = sizeof shapes / sizeof shapes[0] };

static int64_t choose(const struct choice *c, int64_t n)
{
    while (n > c->up_to)
        c++;
    return c->nb;
}

int64_t default_tile_size(int64_t n)
{
    return choose(runtime_has_cuda() ? square_on_cuda : square_on_cpu, n);
}

static bool is_tree(enum shape shape, int64_t m, int64_t n)
{
    return shape == TREE || (shape == TALL_COLUMN && !runtime_has_cuda() && m >= TALL * n);
}

static void tree_shape(int64_t m, int64_t *mb, int64_t *nb)
{
    int64_t rows = (m + MOST_TILES - 1) / MOST_TILES, least = TREE_MB > rows ? TREE_MB : rows;
    *nb = TREE_NB;
    *mb = (least + TREE_NB - 1) / TREE_NB * TREE_NB;
}

int startile_tile_shape(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                        int64_t *mb, int64_t *nb)
{
    int found = 0;
    while (routine != NULL && found < ROUTINES && strcmp(routine, shapes[found].routine) != 0)
        found++;
    if (routine == NULL || found == ROUTINES)
        return -1;
    if (dtype < STARTILE_S || dtype > STARTILE_Z)
        return -2;
    if (m < 0)
        return -3;
    if (n < 0)
        return -4;
    if (mb == NULL)
        return -5;
    if (nb == NULL)
        return -6;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    const struct choice *const column[2] = {
        column_on_cpu, shapes[found].shape == COLUMN ? column_on_cuda : cheap_on_cuda};
    int64_t larger = m > n ? m : n;
    bool is_square = shapes[found].shape == SQUARE;
    if (is_tree(shapes[found].shape, m, n)) {
        tree_shape(m, mb, nb);
        return 0;
    }
    *nb = is_square ? default_tile_size(larger) : choose(column[runtime_has_cuda()], larger);
    *mb = is_square ? *nb : m > 1 ? m : 1;
    return 0;
}
