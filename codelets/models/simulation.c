/* Times on a simulated machine: missing models, and the share of a GPU that a task uses. */
#include "models/simulation.h"

#include "grid/grid.h"
#include "request/hold.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char lack[64]; /* first work without a model, or "" */

/* Operations that calibration does not measure, because only grids, long tournaments, solvers in
 * mixed precision and factorizations with column or diagonal pivoting have them, and those of
 * symmetric indefinite matrices, which models of older calibrations lack. For each, `similar` is a
 * measured operation that does similar work at a similar rate. */
static const struct {
    const char *name, *similar;
} stand_ins[] = {
    {"abs_sums", "lange"},
    {"both_triangles", "lacpy"},
    {"checksum", "lacpy"},
    {"clear_below", "laset"},
    {"clear_truncated", "laset"},
    {"column_axpys", "geadd"},
    {"column_dots", "lange"},
    {"column_maxima", "lange"},
    {"column_product", "gemm"},
    {"compare_checksums", "laset"},
    {"compose_moves", "laset"},
    {"copy_sequence", "lacpy"},
    {"diagonal_product", "lange"},
    {"diagonal_roots", "lange"},
    {"error_weights", "geadd"},
    {"exchange_columns", "lapmt"},
    {"gather_block", "lacpy"},
    {"gather_rows", "laswp"},
    {"gemm_column", "gemm"},
    {"gemm_columns", "gemm"},
    {"gemm_sequence", "gemm"},
    {"geqp3", "lange"},
    {"getrf_part", "getrf"},
    {"hemm_column", "gemm"},
    {"invert", "trtri"},
    {"join_moves", "laset"},
    {"lag2", "lacpy"},
    {"lapmr", "laswp"},
    {"larfb_row", "larfb"},
    {"larft", "trmm"},
    {"lascl2", "lascl"},
    {"ldl_checksum", "lange"},
    {"ldl_column", "lange"},
    {"ldl_determinant", "lange"},
    {"ldl_diagonal", "lange"},
    {"ldl_inertia", "lange"},
    {"ldl_order", "lange"},
    {"ldl_solve", "lange"},
    {"merge", "laswp"},
    {"mirror", "lacpy"},
    {"pack", "laswp"},
    {"permute", "laset"},
    {"place", "laswp"},
    {"pstrf", "lange"},
    {"ready", "laset"},
    {"reconstruct", "getrf_nopiv"},
    {"row_product", "gemm"},
    {"row_squares", "lange"},
    {"scatter_rows", "laswp"},
    {"signed_rows", "lacpy"},
    {"spread_weights", "laset"},
    {"sytrf", "geqrf"},
    {"tntpiv_match", "tntpiv_select"},
    {"trank", "lange"},
    {"truncate_limit", "laset"},
    {"truncate_rank", "laset"},
    {"unit_diagonal", "laset"},
    {"weight_rows", "laset"},
    {"weights", "laset"},
    {"whole_abs_sums", "lange"},
    {"whole_residual", "gemm"},
    {"whole_solve", "gemm"},
};

static struct startile_simulated_network network;

void startile_simulation_set_network(struct startile_simulated_network given)
{
    network = given;
}

/* Products that are not calibrated: gemm's model, and that of geadd, which is bound by memory. With
 * few columns a product is bound by memory, too, and calibration measures only gemm on square
 * tiles. So a product takes at least the time in which geadd moves as many bytes. */
enum { MOST_PRODUCTS = 32 };
static struct {
    const struct model *gemm, *geadd;
} products[MOST_PRODUCTS];
static int product_count;

const struct model *stand_in_of(const char *operation, startile_dtype dtype)
{
    size_t i = 0, count = sizeof stand_ins / sizeof *stand_ins;
    while (i < count && strcmp(stand_ins[i].name, operation) != 0)
        i++;
    if (i == count)
        return NULL;
    const struct model *m = model_of_operation(stand_ins[i].similar, dtype);
    const struct model *geadd = model_of_operation("geadd", dtype);
    bool is_product = strcmp(stand_ins[i].similar, "gemm") == 0;
    if (m != NULL && geadd != NULL && is_product && product_count < MOST_PRODUCTS) {
        products[product_count].gemm = m;
        products[product_count++].geadd = geadd;
    }
    return m;
}

/* Returns the least time in microseconds of a task on products[i].gemm's model, else 0. */
static double least_time(const struct task_args *args, enum model_device device)
{
    int i = 0;
    while (i < product_count && products[i].gemm != args->model)
        i++;
    if (i == product_count)
        return 0;
    double elements = args->bytes / startile_element_size[args->dtype];
    return model_time(products[i].geadd, device, 0, 0, flops_of(args->dtype, elements),
                      args->bytes);
}

/* Returns the longest time in microseconds of a selection on a GPU, INFINITY of other tasks. A
 * selection factors a copy of its rows, and calibration measures it for fewer rows than getrf. */
static double longest_time(const struct starpu_task *t, enum model_device device)
{
    const double by_getrf = 1.16; /* d, 8192 rows of 1024 columns, H200 */
    const struct task_args *args = t->cl_arg;
    if (device != MODEL_CUDA || strcmp(t->cl->name + 1, "tntpiv_select") != 0)
        return INFINITY;
    const struct model *getrf = model_of_operation("getrf", args->dtype);
    double time = getrf != NULL ? model_time(getrf, device, 0, 0, t->flops, args->bytes) : NAN;
    return isnan(time) ? INFINITY : by_getrf * time;
}

/* Returns the time in microseconds in which g->p processes combine messages of `bytes` by recursive
 * doubling. */
static double exchange_time(const startile_grid *g, double bytes)
{
    return 1e6 * ceil(log2(g->p)) * (network.latency + bytes / network.bandwidth);
}

/* Returns the time in microseconds of the messages inside a task getrf_part. For each column, the
 * processes combine a header and two rows of a leaf, which has LEAF columns. For each leaf, they
 * combine a header of HEADER bytes and 2 * LEAF rows of the panel. */
static double message_time(const struct task_args *args)
{
    enum { LEAF = 8, HEADER = 24 };
    double n = (double)args->exchanged_columns;
    double element = (double)startile_element_size[args->dtype];
    if (n == 0 || network.bandwidth <= 0)
        return 0;
    return n * exchange_time(args->grid, HEADER + 2 * LEAF * element) +
           n / LEAF * exchange_time(args->grid, HEADER + 2 * LEAF * n * element);
}

/* StarPU passes only a task's time to SimGrid, so tasks are identified by their time. Tasks of one
 * operation and shape have the same time, so there are few times. */
enum { MAX_TIMES = 4096 };
static struct {
    double time, rate; /* rate relative to the fastest product */
} known[MAX_TIMES];
static int times;

/* Returns the index of the time in `known`, or `times` if it is not there. */
static int find(double time)
{
    const double rounding = 1e-12;
    for (int i = 0; i < times; i++)
        if (fabs(known[i].time - time) <= rounding * time)
            return i;
    return times;
}

double startile_simulation_share(double time, double hold)
{
    int i = find(time);
    double rate = i < times ? fmin(known[i].rate, 1) : 1;
    return rate + hold * (1 - rate);
}

/* Returns the operations per microsecond of the fastest product; computed once for each type. */
static double fastest_product(startile_dtype dtype)
{
    static double rate[4];
    if (rate[dtype] == 0)
        rate[dtype] = fmax(model_fastest_rate(model_of_operation("gemm", dtype), MODEL_CUDA), 1);
    return rate[dtype];
}

double simulated_time(const struct starpu_task *t, enum model_device device, double time)
{
    const struct task_args *args = t->cl_arg;
    if (isnan(time)) {
        if (lack[0] == '\0')
            snprintf(lack, sizeof lack, "%s on %s", t->cl->name,
                     device == MODEL_CUDA ? "GPUs" : "CPUs");
        return 1;
    }
    time = fmin(fmax(time, least_time(args, device)), longest_time(t, device));
    int i = device == MODEL_CUDA ? find(time) : MAX_TIMES;
    if (i == times && times < MAX_TIMES) {
        known[times].time = time;
        known[times++].rate = t->flops / time / fastest_product(args->dtype);
    }
    return time + message_time(args);
}

const char *startile_simulation_lacks(void)
{
    return lack[0] != '\0' ? lack : NULL;
}
