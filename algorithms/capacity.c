/* Memory that the tasks of each routine need. startile.h documents it under "Capacity". */
#include "memory/capacity.h"
#include "algorithms.h"

/* Data of one task in one matrix */
enum task_data {
    NOTHING,
    THREE_TILES,  /* a product of tiles */
    TILE_RANGES,  /* two ranges of tiles and one further tile: insert_herk_gemm() */
    TWO_COLUMNS,  /* two block columns: a panel and a column that it updates */
    LONG_COLUMNS, /* two block columns of A or of Aᴴ, whichever are longer */
    ROW_OF_TILES, /* one row of tiles: insert_lapmt() */
    WHOLE_MATRIX, /* in a GPU's memory or in main memory: insert_geqp3(), insert_pstrf(),
                     insert_sytrf() */
};

static const struct {
    enum task_data on_a, on_b; /* data of one task in the first and in the second matrix */
    int copies_of_a;           /* temporaries as large as A: main memory must hold them */
    bool has_sketch; /* temporaries of geqp3_random: two block columns of A and one of Aᴴ */
} needs[] = {
    [POTRF] = {TILE_RANGES, NOTHING, 0},
    [GETRF] = {TWO_COLUMNS, NOTHING, 0},
    [GEQRF] = {TWO_COLUMNS, NOTHING, 0},
    [GEQP3_RANDOM] = {TWO_COLUMNS, NOTHING, 0, true},
    [WHOLE] = {WHOLE_MATRIX, NOTHING, 0},
    [TILE_PRODUCTS] = {THREE_TILES, THREE_TILES, 0}, /* potrs, trsm, gemm, herk, trtri, hegst, … */
    [COLUMN_PRODUCTS] = {TWO_COLUMNS, TWO_COLUMNS, 0}, /* getrs, gesv, gecon, unmqr */
    [GELS_BY_PANELS] = {LONG_COLUMNS, TWO_COLUMNS, 0},
    [GELS_BY_TREE] = {NOTHING, TWO_COLUMNS, 0},
    [GELSY] = {WHOLE_MATRIX, TWO_COLUMNS, 1},
    [GETRI] = {ROW_OF_TILES, NOTHING, 1},
    [SYTRS] = {TWO_COLUMNS, TWO_COLUMNS, 1},
    [SYTRI] = {TWO_COLUMNS, NOTHING, 2},
    [SYTRF_AA] = {TWO_COLUMNS, NOTHING, 2},
    [UNGQR] = {TWO_COLUMNS, NOTHING, 1},
    [GELQF] = {NOTHING, NOTHING, 1},
    [UNGLQ] = {NOTHING, NOTHING, 2},
};

static bool has_capacity_for_task(context ctx, enum task_data data, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    switch (data) {
    case THREE_TILES:
        return has_capacity(ctx.request, A, 3 * s.mb, s.nb);
    case TILE_RANGES:
        return has_capacity(ctx.request, A,
                            (2 * tiles_from(view_of(A, 'N'), 0, 0).count + 1) * s.mb, s.nb);
    case TWO_COLUMNS:
        return has_capacity(ctx.request, A, s.m, 2 * s.nb);
    case LONG_COLUMNS:
        return has_capacity(ctx.request, A, s.m > s.n ? s.m : s.n, 2 * s.nb);
    case ROW_OF_TILES:
        return has_capacity(ctx.request, A, s.mb, s.n);
    case WHOLE_MATRIX:
        return has_capacity_for_all(ctx.request, A);
    default:
        return true;
    }
}

bool has_capacity_for_working_set(context ctx, enum working_set set, const startile_matrix *A,
                                  const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t copied = needs[set].copies_of_a * a.n;
    if (needs[set].has_sketch && a.m > 0)
        copied += (2 + (a.n + a.m - 1) / a.m) * a.nb;
    return has_capacity_for_task(ctx, needs[set].on_a, A) &&
           (B == NULL || has_capacity_for_task(ctx, needs[set].on_b, B)) &&
           (copied == 0 || has_capacity_for_copy(ctx.request, A, copied));
}
