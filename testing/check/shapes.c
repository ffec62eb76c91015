#include "shapes.h"
#include "check.h"

#include <stdio.h>

struct tiling tiling_of(int which, int64_t m, int64_t nb)
{
    switch (which) {
    case 0:
        return (struct tiling){"square tiles", nb, nb};
    case 1:
        return (struct tiling){"whole columns", max(m, 1), nb};
    case 2:
        return (struct tiling){"tiles twice as tall as wide", 2 * nb, nb};
    default:
        return (struct tiling){"tiles taller than the matrix", m + 5, nb};
    }
}

enum { SIZES = 11 };
/* Returns size s, 0 … SIZES − 1, of those that are tested with tile width nb. */
static int64_t size_around(int s, int64_t nb)
{
    const int64_t sizes[SIZES] = {0, 1, 2, 3, 5, 10, 50, nb - 1, nb, nb + 1, 2 * nb + 3};
    return sizes[s];
}

/* Calls `check` for one case, after in_case() and random_seed(). */
static void check_case(shape_check *check, int64_t m, int64_t n, enum way way, struct tiling t)
{
    in_case("%d × %d, %s of %d × %d, %s", (int)m, (int)n, t.name, (int)t.mb, (int)t.nb,
            way_names[way]);
    random_seed((uint64_t)(100 * m + n));
    check(m, n, way, t);
}

/* Calls `check` for square matrices: the sizes of CONTRIBUTING.md around several tile sizes, with
 * every way and tiling. */
static void for_squares(shape_check *check)
{
    static const int64_t widths[] = {1, 8, 32, 64};
    for (int b = 0; b < 4; b++)
        for (int s = 0; s < SIZES; s++)
            for (int w = 0; w < WAYS; w++)
                for (int t = 0; t < TILINGS; t++) {
                    int64_t nb = widths[b], n = size_around(s, nb);
                    if (nb > 1 ||
                        n <= 10) /* omits cases with thousands of tasks that cover nothing new */
                        check_case(check, n, n, (enum way)w, tiling_of(t, n, nb));
                }
}

/* Calls `check` for every pair of some sizes: tall, wide, one row, one column. Ways and tilings
 * alternate. */
static void for_rectangles(shape_check *check)
{
    static const int64_t widths[] = {8, 32};
    for (int b = 0; b < 2; b++)
        for (int r = 0; r < SIZES; r++)
            for (int c = 0; c < SIZES; c++) {
                int64_t m = size_around(r, widths[b]), n = size_around(c, widths[b]);
                check_case(check, m, n, (enum way)((r + c) % WAYS),
                           tiling_of((r + 2 * c) % TILINGS, m, widths[b]));
            }
}

/* Calls `check` for many rows and few columns, and for few rows and many columns. */
static void for_elongated(shape_check *check)
{
    static const int64_t shapes[][2] = {{700, 20}, {700, 1}, {20, 700}, {1, 700}, {300, 97}};
    for (int s = 0; s < 5; s++)
        for (int t = 0; t < TILINGS; t++)
            check_case(check, shapes[s][0], shapes[s][1], (enum way)((s + t) % WAYS),
                       tiling_of(t, shapes[s][0], 16));
}

/* Calls `check` for the tile shape that the library recommends for the routine. */
static void for_library_tiles(const char *routine, shape_check *check)
{
    static const int64_t shapes[][2] = {{50, 50}, {300, 300}, {500, 60}, {60, 500}, {0, 3}};
    for (int s = 0; s < 5; s++)
        for (int w = WRAPPED; w <= CREATED; w++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            struct tiling recommended = {"startile_tile_shape()'s", -1, -1};
            in_case("startile_tile_shape of %s, %d × %d", routine, (int)m, (int)n);
            require_info(
                startile_tile_shape(routine, dtype, m, n, &recommended.mb, &recommended.nb), 0);
            check_case(check, m, n, (enum way)w, recommended);
        }
}

/* Prints the largest residuals since the last report. */
static void report(const char *routine, const char *shapes)
{
    char title[40];
    snprintf(title, sizeof title, "%s, %s", routine, shapes);
    check_report(title);
}

void for_shapes(const char *routine, shape_check *check)
{
    for_squares(check);
    report(routine, "square");
    for_rectangles(check);
    report(routine, "rectangular");
    for_elongated(check);
    report(routine, "elongated");
    for_library_tiles(routine, check);
    report(routine, "library's tiles");
}
