/*
 * Chooses the tile shape if the caller does not: large enough for the kernels' rate and StarPU's
 * overhead of a task, small enough for parallelism. perf_models/NOTES.md has the measurements.
 */
#include "models/tile_size.h"

#include "data/view.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"
#include "memory/memories.h"
#include "models/model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct choice {
    int64_t up_to; /* largest size that uses nb: the larger dimension of the matrix, for reflectors
                      the smaller one */
    int64_t nb;
};

/* Square tiles. Cholesky of 2 × 2 tiles is a chain of tasks, so one tile is faster. CPUs use the
 * largest nb of wide_on_cpu with which a triangle has tiles_per_worker tiles for each worker; if
 * there is none, the tables. On a GPU, up to order 4096, the kernel of the diagonal tile factors
 * the whole matrix in one launch. */
static const struct {
    int64_t nb, tiles_per_worker;
} wide_on_cpu[] = {{1024, 16}, {768, 16}, {512, 16}, {384, 16}, {256, 4}, {192, 4}};
static const struct choice square_on_cpu[] = {{INT64_MAX, 128}};
static const struct choice cholesky_on_cpu[] = {{256, 256}, {INT64_MAX, 128}};
static const struct choice square_on_one_cpu[] = {{512, 512}, {4096, 256}, {INT64_MAX, 640}};
static const struct choice square_on_cuda[] = {{4096, 4096}, {12288, 1024}, {INT64_MAX, 2048}};

/* Bunch–Kaufman factorizations, whose tasks work on the whole triangle: a launch of products for
 * each column of tiles (perf_models/NOTES.md, "LDLᴴ on one GPU"). */
static const struct choice symmetric_on_cuda[] = {{INT64_MAX, 4096}};

/* Aasen's method, in square tiles: products with the band take 9 nb / n of the operations. Two H200
 * take 0.404, 0.379 and 0.375 s for n = 32768 with nb = 768, 1024 and 1280 (d). */
static const struct choice aasen_on_cpu[] = {{INT64_MAX, 128}};
static const struct choice aasen_on_cuda[] = {{INT64_MAX, 1024}};

/* Reduction of a generalized eigenproblem: d, n = 8192 takes 0.0254 s with nb = 1024, 0.0212 s with
 * 2048 (H200). */
static const struct choice reduction_on_cuda[] = {{4096, 4096}, {INT64_MAX, 2048}};

/* Widths of block columns, which are also the widths of panels. Two block columns are a chain of
 * tasks, so one is faster. On CPUs there are about BLOCK_COLUMNS block columns for each worker,
 * with GPUs SHARED_BLOCK_COLUMNS for each of the cores that have the rate of all workers, if these
 * are not narrower than LEAST_ON_CPU nor wider than in the table: the panels are a chain, too. On
 * GPUs panels without pivoting are cheap, so they are wider. A block reflector takes twice the
 * operations of an elimination, so narrower panels keep a GPU busy. */
enum { BLOCK_COLUMNS = 4, SHARED_BLOCK_COLUMNS = 3, LEAST_ON_CPU = 64 };
static const struct choice column_on_cpu[] = {
    {256, 256}, {1536, 128}, {4096, 256}, {INT64_MAX, 384}};
static const struct choice pivoted_on_cuda[] = {{24576, 1024}, {INT64_MAX, 1536}};
static const struct choice column_shared[] = {{12288, 128}, {24576, 192}, {INT64_MAX, 256}};
static const struct choice unpivoted_on_cuda[] = {{12288, 1024}, {INT64_MAX, 1536}};
static const struct choice reflectors_on_cpu[] = {{1024, 64}, {2048, 128}, {INT64_MAX, 256}};
static const struct choice reflectors_on_cuda[] = {{20480, 512}, {INT64_MAX, 768}};

/* Tiles of reduction trees. tree_rows: rows of a tile on CPUs and on a GPU; more if there would be
 * too many tiles. */
static const struct choice tree_on_cpu[] = {{512, 64}, {INT64_MAX, 128}};
static const struct choice tree_on_cuda[] = {{INT64_MAX, 256}};
static const int64_t tree_rows[] = {4096, 16384};

/* Tiles on several GPUs, by the dimension divided by the number of GPUs. Narrower panels shorten
 * the time for which other GPUs wait (perf_models/NOTES.md, "Several GPUs and processes"). */
static const struct choice square_on_several[] = {{12288, 1024}, {INT64_MAX, 2048}};
static const struct choice columns_on_several[] = {{12288, 512}, {24576, 768}, {INT64_MAX, 1024}};
static const struct choice reflectors_on_several[] = {{12288, 512}, {INT64_MAX, 768}};

/* Widths of Cholesky and LU with emulated products from this order on: wider tiles, so that each
 * product's planes serve more columns. LU has them below MOST_EMULATED_LU only, where it gains
 * nothing (perf_models/NOTES.md, "Emulated products in double precision"). */
enum {
    LEAST_EMULATED = 32768,
    MOST_EMULATED_LU = 49152,
    CHOLESKY_EMULATED = 4096,
    LU_EMULATED = 2048
};

enum shape {
    SQUARE,
    CHOLESKY,
    SYMMETRIC,
    AASEN,
    REDUCTION,
    PIVOTED,
    UNPIVOTED,
    REFLECTORS,
    LEAST_SQUARES,
    TREE
};
static const struct choice *const widths[][2] = {
    [SQUARE] = {square_on_cpu, square_on_cuda},
    [CHOLESKY] = {cholesky_on_cpu, square_on_cuda},
    [SYMMETRIC] = {cholesky_on_cpu, symmetric_on_cuda},
    [AASEN] = {aasen_on_cpu, aasen_on_cuda},
    [REDUCTION] = {cholesky_on_cpu, reduction_on_cuda},
    [PIVOTED] = {column_on_cpu, pivoted_on_cuda},
    [UNPIVOTED] = {column_on_cpu, unpivoted_on_cuda},
    [REFLECTORS] = {reflectors_on_cpu, reflectors_on_cuda},
    [LEAST_SQUARES] = {reflectors_on_cpu, reflectors_on_cuda},
    [TREE] = {tree_on_cpu, tree_on_cuda},
};

static const struct choice *const on_several[] = {
    [SQUARE] = square_on_several,
    [CHOLESKY] = square_on_several,
    [SYMMETRIC] = symmetric_on_cuda,
    [AASEN] = aasen_on_cuda,
    [REDUCTION] = square_on_several,
    [PIVOTED] = columns_on_several,
    [UNPIVOTED] = columns_on_several,
    [REFLECTORS] = reflectors_on_several,
    [LEAST_SQUARES] = reflectors_on_several,
    [TREE] = NULL,
};

/* clang-format off */
static const struct {
    const char *routine;
    enum shape shape;
} shapes[] = {
    {"potrf", CHOLESKY},
    {"potrs", CHOLESKY},
    {"posv", CHOLESKY},
    {"posv_mixed", CHOLESKY},
    {"posvx", CHOLESKY},
    {"porfs", CHOLESKY},
    {"pstrf", CHOLESKY},
    {"sytrf", SYMMETRIC},
    {"hetrf", SYMMETRIC},
    {"sytrs", SYMMETRIC},
    {"hetrs", SYMMETRIC},
    {"sysv", SYMMETRIC},
    {"hesv", SYMMETRIC},
    {"syrfs", SYMMETRIC},
    {"herfs", SYMMETRIC},
    {"sycon", SYMMETRIC},
    {"hecon", SYMMETRIC},
    {"sytri", CHOLESKY},
    {"hetri", CHOLESKY},
    {"sydet", SYMMETRIC},
    {"hedet", SYMMETRIC},
    {"heinertia", SYMMETRIC},
    {"sytrf_aa", AASEN},
    {"hetrf_aa", AASEN},
    {"sytrs_aa", AASEN},
    {"hetrs_aa", AASEN},
    {"sysv_aa", AASEN},
    {"hesv_aa", AASEN},
    {"potrf_update", CHOLESKY},
    {"potrf_downdate", CHOLESKY},
    {"potri", CHOLESKY},
    {"trtri", CHOLESKY},
    {"lauum", CHOLESKY},
    {"hegst", REDUCTION},
    {"pocon", CHOLESKY},
    {"podet", CHOLESKY},
    {"gemm", SQUARE},
    {"herk", SQUARE},
    {"syrk", SQUARE},
    {"hemm", SQUARE},
    {"symm", SQUARE},
    {"trsm", SQUARE},
    {"trmm", SQUARE},
    {"trtrs", SQUARE},
    {"lange", SQUARE},
    {"lansy", SQUARE},
    {"lanhe", SQUARE},
    {"laset", SQUARE},
    {"lacpy", SQUARE},
    {"random", SQUARE},
    {"getrf", PIVOTED},
    {"getrf_tntpiv", PIVOTED},
    {"getrs", PIVOTED},
    {"gesv", PIVOTED},
    {"gesv_mixed", PIVOTED},
    {"getri", PIVOTED},
    {"gecon", PIVOTED},
    {"gedet", PIVOTED},
    {"getrf_nopiv", UNPIVOTED},
    {"geqrf", REFLECTORS},
    {"gelqf", REFLECTORS},
    {"geqp3", REFLECTORS},
    {"geqp3_random", REFLECTORS},
    {"geqp3_rank", REFLECTORS},
    {"gelsy", REFLECTORS},
    {"unmqr", REFLECTORS},
    {"unmlq", REFLECTORS},
    {"ungqr", REFLECTORS},
    {"unglq", REFLECTORS},
    {"ormqr", REFLECTORS},
    {"ormlq", REFLECTORS},
    {"orgqr", REFLECTORS},
    {"orglq", REFLECTORS},
    {"gels", LEAST_SQUARES},
    {"gels_mixed", REFLECTORS},
    {"geqrf_tree", TREE},
    {"unmqr_tree", TREE},
};
/* clang-format on */
enum { ROUTINES = sizeof shapes / sizeof shapes[0] };

/* Returns whether CPUs and GPUs share the tasks on a matrix of order n, by the models. */
static bool is_shared(startile_dtype dtype, int64_t n)
{
    return runtime_where_of(dtype, n) == (STARPU_CPU | STARPU_CUDA) &&
           !isinf(models_gpu_in_cores(dtype)) && models_say_share_size(dtype, n);
}

/* Return what a tile shape depends on: the number of cores with the rate of all workers, where CPUs
 * run the tasks on a matrix of order n, else 0; the number of GPUs that own tiles; and whether the
 * matrix fits each memory, and all together. With the option reproducible they return constants:
 * those of two CPU workers, or one GPU, with enough memory. */
static int64_t cores_for(startile_dtype dtype, int64_t n)
{
    if (!runtime_has_cuda())
        return runtime_is_reproducible() ? 2 : max(1, startile_cpu_workers());
    return is_shared(dtype, n)
               ? startile_cpu_workers() + (int64_t)(runtime_gpus() * models_gpu_in_cores(dtype))
               : 0;
}

static int owners(void)
{
    return runtime_is_reproducible() ? 0 : runtime_owners();
}

static bool fits_each(startile_dtype dtype, int64_t m, int64_t n)
{
    return runtime_is_reproducible() || fits_each_memory(dtype, m, n);
}

static bool fits_together(startile_dtype dtype, int64_t m, int64_t n)
{
    return runtime_is_reproducible() || fits_memories_together(dtype, m, n);
}

static bool is_square(enum shape shape)
{
    return shape == SQUARE || shape == CHOLESKY || shape == SYMMETRIC || shape == AASEN ||
           shape == REDUCTION;
}

/* Returns the width that the table gives for size n. */
static int64_t table_width(const struct choice *c, int64_t n)
{
    while (n > c->up_to)
        c++;
    return c->nb;
}

/* Returns the width of square tiles for order n on so many cores. One core needs no parallel tasks,
 * so its tiles are larger. */
static int64_t square_width_on_cores(int64_t cores, enum shape shape, int64_t n)
{
    if (cores == 1)
        return table_width(square_on_one_cpu, n);
    for (size_t w = 0; w < sizeof wide_on_cpu / sizeof *wide_on_cpu; w++) {
        int64_t nt = ceil_div(n, wide_on_cpu[w].nb);
        if ((double)nt * (double)(nt + 1) / 2 >= (double)(wide_on_cpu[w].tiles_per_worker * cores))
            return wide_on_cpu[w].nb;
    }
    return table_width(widths[shape][0], n);
}

/* Returns the width of block columns for size n on so many cores. */
static int64_t column_width_on_cores(int64_t cores, enum shape shape, int64_t n)
{
    bool with_gpus = runtime_has_cuda();
    int64_t for_each = with_gpus ? SHARED_BLOCK_COLUMNS : BLOCK_COLUMNS,
            nb = table_width(with_gpus ? column_shared : widths[shape][0], n),
            balanced = (n / (for_each * cores) + 16) / 32 * 32;
    bool is_chain = nb >= n || cores == 1 || shape == TREE;
    return is_chain ? nb : min(nb, max(balanced, LEAST_ON_CPU));
}

/* Returns the default tile width for size n, without calibrated tables. */
static int64_t usual_width(startile_dtype dtype, enum shape shape, int64_t n)
{
    int64_t cores = cores_for(dtype, n);
    if (cores > 0 && shape == AASEN)
        return table_width(aasen_on_cpu, n);
    if (cores > 0)
        return is_square(shape) ? square_width_on_cores(cores, shape, n)
                                : column_width_on_cores(cores, shape, n);
    int64_t nb = table_width(widths[shape][1], n);
    /* a matrix of one tile keeps one tile */
    if (owners() == 0 || on_several[shape] == NULL || nb >= n)
        return nb;
    return table_width(on_several[shape], n / owners());
}

/* Returns the height of a tile: a multiple of nb, at least the calibrated height `measured` (0: the
 * default of tree_rows), that gives at most MOST_TILES tiles in m rows unless it exceeds 32 bits.
 */
static int64_t height_in_tree(int64_t m, int64_t nb, int64_t measured)
{
    int64_t least = ceil_div(m, MOST_TILES);
    int64_t usual = measured > 0 ? measured : tree_rows[runtime_has_cuda()];
    return min(ceil_div(max(least, usual), nb), INT_MAX / nb) * nb;
}

/* Uses trees for tall least squares on CPUs; a GPU's panel kernel uses all its multiprocessors. */
static enum shape shape_for(enum shape shape, int64_t m, int64_t n)
{
    /* the matrix has several tiles of tree_rows[0] rows */
    bool tall = m / TALL >= n && m > tree_rows[0] && !runtime_has_cuda();
    return shape == LEAST_SQUARES && tall ? TREE : shape;
}

/* Returns the dimension of an m × n matrix by which its tiles are chosen: of QR the number of
 * reflectors; of LU on CPUs the columns, which are cut for the workers; otherwise the larger
 * dimension. */
static int64_t size_of(enum shape shape, int64_t m, int64_t n)
{
    bool is_qr = shape == REFLECTORS || shape == LEAST_SQUARES || shape == TREE;
    bool is_lu = shape == PIVOTED || shape == UNPIVOTED;
    return is_qr ? min(m, n) : is_lu && !runtime_has_cuda() ? n : max(m, n);
}

/* Returns the type of the factors, whose tasks the tiles shall suit. */
static startile_dtype type_of_factors(const char *routine, startile_dtype dtype)
{
    bool is_mixed = strstr(routine, "_mixed") != NULL;
    return is_mixed && dtype == STARTILE_D   ? STARTILE_S
           : is_mixed && dtype == STARTILE_Z ? STARTILE_C
                                             : dtype;
}

/* Finds the calibrated tile shape of the routine, or else of the first routine with the same
 * `shape`. Returns false if there is none. */
static bool find_measured(const char *routine, enum shape shape, startile_dtype dtype, int64_t n,
                          int64_t *mb, int64_t *nb)
{
    static const char *const first[] = {
        [SQUARE] = "potrf",          [CHOLESKY] = "potrf",   [SYMMETRIC] = "sytrf",
        [AASEN] = "sytrf_aa",        [REDUCTION] = "hegst",  [PIVOTED] = "getrf",
        [UNPIVOTED] = "getrf_nopiv", [REFLECTORS] = "geqrf", [LEAST_SQUARES] = "geqrf",
        [TREE] = "geqrf_tree"};
    bool on_cuda = runtime_has_cuda();
    /* machines are calibrated with one GPU, or with CPUs */
    if (owners() > 0 || is_shared(type_of_factors(routine, dtype), n))
        return false;
    const struct tile_table *tiles = &models_tables()->tiles;
    return (tile_table_find(tiles, routine, dtype, on_cuda, n, mb, nb) ||
            tile_table_find(tiles, first[shape], dtype, on_cuda, n, mb, nb)) &&
           *nb > 0;
}

/* Height of a tile in multiples of nb for a matrix larger than the memory; chosen by simulations as
 * in capacity.c. */
enum { ROWS_BY_COLUMNS = 16 };

/* Returns the index of the routine in `shapes`, or ROUTINES. */
static int find_routine(const char *routine)
{
    int found = 0;
    while (routine != NULL && found < ROUTINES && strcmp(routine, shapes[found].routine) != 0)
        found++;
    return routine == NULL ? ROUTINES : found;
}

bool routine_has_square_tiles(const char *routine)
{
    return is_square(shapes[find_routine(routine)].shape);
}

/* Returns the width of tiles for emulated products, which calibrated tables do not know, or 0 if
 * the routine has none. They are chosen for one GPU. */
static int64_t emulated_width(const char *routine, startile_dtype dtype, int64_t n)
{
    bool is_cholesky = strcmp(routine, "potrf") == 0 || strcmp(routine, "posv") == 0,
         is_lu = (strcmp(routine, "getrf") == 0 || strcmp(routine, "gesv") == 0) &&
                 n < MOST_EMULATED_LU;
    if (dtype != STARTILE_D || n < LEAST_EMULATED || runtime_where_of(dtype, n) != STARPU_CUDA ||
        owners() > 0 || !runtime_emulates_double())
        return 0;
    return is_cholesky ? CHOLESKY_EMULATED : is_lu ? LU_EMULATED : 0;
}

/* Returns whether a block column is one tile, also in a matrix larger than the memory. */
static bool needs_all_rows(const char *routine)
{
    return strncmp(routine, "geqp3", strlen("geqp3")) == 0 || strcmp(routine, "gelsy") == 0;
}

int64_t startile_tile_shape(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                            int64_t *mb, int64_t *nb)
{
    int found = find_routine(routine);
    if (found == ROUTINES)
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
    enum shape shape = shape_for(shapes[found].shape, m, n);
    int64_t size = size_of(shape, m, n), height = 0;
    int64_t emulated = emulated_width(routine, dtype, size);
    if (emulated > 0)
        *nb = emulated;
    else if (!find_measured(routine, shape, dtype, size, &height, nb))
        *nb = usual_width(type_of_factors(routine, dtype), shape, size);
    bool is_column = !is_square(shape) && shape != TREE;
    bool fits = fits_each(dtype, m, n);
    if (!fits && is_square(shape))
        *nb = side_within_capacity(dtype, *nb);
    if (!fits && is_column)
        *nb = width_within_capacity(dtype, m, *nb);
    /* dimensions of a tile fit 32 bits: INT_MAX */
    if (is_column) /* reflectors of few rows have narrow block columns, whatever n is */
        *nb = min(max(*nb, ceil_div(n, MOST_TILES)), INT_MAX);
    if (is_column && !needs_all_rows(routine) && (m > INT_MAX || !fits_together(dtype, m, n))) {
        /* Several tiles in a block column: of the block columns on the left of a panel, only the
         * tiles in the panel's rows are copied to the memory. */
        int64_t least = ceil_div(ceil_div(m, MOST_TILES), *nb);
        *mb = min(min(max(ROWS_BY_COLUMNS, least), INT_MAX / *nb) * *nb, m);
        return 0;
    }
    *mb = is_square(shape) ? *nb : shape != TREE ? max(m, 1) : height_in_tree(m, *nb, height);
    return 0;
}

/* Solves with few right-hand sides are bound by the memory, so each core shall read a part of the
 * triangle. TILES_FOR_EACH: block rows for each core. FEW_FOR_EACH: right-hand sides for each core
 * with which the cores take less time than the copy of the triangle to a GPU; an estimate for 20
 * GFlop/s of a core and 10 GB/s of pageable memory. */
enum { LEAST_FOR_FEW = 1024, TILES_FOR_EACH = 2, NARROWEST = 256, WIDEST = 1024, FEW_FOR_EACH = 4 };

int64_t tile_for_few(int64_t n, int64_t nrhs, int64_t width)
{
    bool with_gpus = runtime_has_cuda();
    int64_t cores = !runtime_is_reproducible() ? startile_cpu_workers() : with_gpus ? 0 : 2;
    if (n < LEAST_FOR_FEW || cores < 2 || nrhs > cores * (with_gpus ? FEW_FOR_EACH : width))
        return 0;
    int64_t balanced = ceil_div(n, TILES_FOR_EACH * cores * 64) * 64;
    return max(NARROWEST, min(balanced, WIDEST));
}

/* Of order 256 a GPU is as fast, with the copies (perf_models/NOTES.md, "Calls on small matrices").
 */
enum { MOST_ON_CORES = 192 };

bool suits_cores(int64_t m, int64_t n)
{
    return m <= MOST_ON_CORES && n <= MOST_ON_CORES && runtime_has_cuda() &&
           startile_cpu_workers() > 0 && !runtime_is_reproducible();
}

/* Cores that share a matrix have this part of their rate: 1 / (1 + (ORDER_FOR_EACH cores / n)²)
 * (perf_models/NOTES.md, "Batches"). MARGIN: least gain */
enum { LEAST_SHARED = 512, ORDER_FOR_EACH = 125 };
static const double MARGIN = 1.1;

bool cores_share_each(int64_t count, int64_t n)
{
    double cores = (double)startile_cpu_workers(), ratio = ORDER_FOR_EACH * cores / (double)n;
    if (n < LEAST_SHARED || runtime_has_cuda() || runtime_is_reproducible())
        return false;
    return MARGIN * (double)count * (1 + ratio * ratio) < cores;
}

/* Tiles of a matrix that is copied to GPUs and back: finished tiles return while tasks run. A
 * single tile returns at the end, and so do whole columns of L, whose rows are interchanged last
 * (perf_models/NOTES.md, "Matrices in main memory"). */
enum {
    SQUARE_COPIED = 1024,
    LEAST_COPIED_IN_PARTS = 2049,
    COPIED_ROWS_BY_COLUMNS = 4,
    SHARED_ROWS_BY_COLUMNS = 8
};
static const struct choice columns_copied[] = {{4096, 512}, {INT64_MAX, 1024}};

static void cut_for_copies(bool is_shared, enum shape shape, int64_t order, int64_t *mb,
                           int64_t *nb)
{
    if (is_shared) {
        if (shape == PIVOTED)
            *mb = min(*mb, SHARED_ROWS_BY_COLUMNS * *nb);
        return;
    }
    bool is_one_tile = is_square(shape) && order <= *nb && order >= LEAST_COPIED_IN_PARTS;
    if (is_one_tile)
        *mb = *nb = SQUARE_COPIED;
    if (shape == PIVOTED) {
        *nb = min(*nb, table_width(columns_copied, order));
        *mb = min(*mb, COPIED_ROWS_BY_COLUMNS * *nb);
    }
}

int64_t startile_tile_shape_in_host(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                                    int64_t *mb, int64_t *nb)
{
    int status = startile_tile_shape(routine, dtype, m, n, mb, nb);
    /* the factors of the mixed solvers stay on the GPU */
    bool is_copied = status == 0 && runtime_has_cuda() && !runtime_is_reproducible() &&
                     strstr(routine, "_mixed") == NULL;
    if (is_copied && fits_together(dtype, m, n))
        cut_for_copies(is_shared(dtype, max(m, n)), shapes[find_routine(routine)].shape, max(m, n),
                       mb, nb);
    return status;
}
