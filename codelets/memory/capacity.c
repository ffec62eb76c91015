/* Capacity of memory nodes for the data of tasks. StarPU waits for ever for data that does not fit
 * (StarPU quirk 1). */
#include "memory/capacity.h"

#include "data/tiles.h"
#include "grid/grid.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"
#include "memory/memories.h"
#include "models/model.h"
#include "request/request.h"
#include "whole.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* A worker fetches the data of the next task while it runs one. */
enum { TASKS_PER_WORKER = 2 };

/* Shares of a memory. A matrix that takes at most WHOLE_SHARE is not cut into blocks. A larger one
 * is cut into blocks of columns that take BLOCK_SHARE; the rest is for the columns that update the
 * block. If panels are whole columns, each of several GPUs also holds copies of the others' panels.
 * Both shares are then smaller by the same amount; a block has at least MIN_BLOCK_SHARE
 * (perf_models/NOTES.md, "Matrices in main memory"). */
static const double WHOLE_SHARE = 0.9, BLOCK_SHARE = 0.8, MIN_BLOCK_SHARE = 0.3;

/* Number of block columns that must fit a memory, and the multiple to which their width is
 * rounded. Chosen by simulations of an H200 with n = 32768 and memory for a quarter of the matrix.
 */
enum { MIN_COLUMNS = 16, WIDTH_MULTIPLE = 64 };

/* Number of block columns or tiles that one worker's tasks need, as startile.h documents it under
 * "Capacity": block columns of LU and QR; square tiles of Cholesky, of which a task takes several
 * if all tasks run on GPUs. */
enum { COLUMNS_PER_WORKER = 4, TILES_PER_CUDA_WORKER = 18, TILES_PER_WORKER = 6 };

/* StarPU's allocator for GPUs and for page-locked main memory (StarPU quirk 2): data up to
 * MAX_CHUNKED_BYTES takes whole grains of a chunk. RESERVED_CHUNKS are not usable for larger
 * data. */
enum {
    CHUNK_BYTES = 32 << 20,
    MAX_CHUNKED_BYTES = CHUNK_BYTES / 8,
    GRAIN_BYTES = 16 << 10,
    RESERVED_CHUNKS = 5
};
static bool uses_chunks;

void capacity_init(void)
{
    const char *env_value = getenv("STARPU_SUBALLOCATOR");
    uses_chunks = runtime_has_cuda() && (env_value == NULL || strtol(env_value, NULL, 10) != 0);
}

/* Returns the bytes that StarPU allocates for data of this size. */
static double allocated_size(double bytes)
{
    return uses_chunks && bytes <= MAX_CHUNKED_BYTES
               ? GRAIN_BYTES * fmax(1, ceil(bytes / GRAIN_BYTES))
               : bytes;
}

/* Returns the capacity of the node for data of this size, in bytes. */
static double capacity_for(unsigned node, double bytes)
{
    double total = (double)starpu_memory_get_total(node);
    if (!uses_chunks)
        return total;
    if (bytes > MAX_CHUNKED_BYTES)
        return fmax(0, total - (double)RESERVED_CHUNKS * CHUNK_BYTES);
    double allocated = allocated_size(bytes);
    return floor(total / CHUNK_BYTES) * floor(CHUNK_BYTES / allocated) * allocated;
}

/* Returns whether the node is the memory of CPUs or of a GPU, and has a known size. */
static bool is_limited(unsigned node)
{
    enum starpu_node_kind kind = starpu_node_get_kind(node);
    return (kind == STARPU_CPU_RAM || kind == STARPU_CUDA_RAM) && starpu_memory_get_total(node) > 0;
}

/* Returns whether the node is the home node of A's tiles, which then need no copies there. */
static bool has_home_node(const startile_matrix *A, unsigned node)
{
    return (is_in_main_memory(A) && starpu_node_get_kind(node) == STARPU_CPU_RAM) ||
           is_in_gpu_memory(A, node);
}

/* Returns whether tasks of the worker put A's tiles on the node. Data from a disk passes through
 * main memory's first node. */
static bool worker_uses_node(int worker, unsigned node, const startile_matrix *A)
{
    bool runs_tasks =
        starpu_worker_get_type(worker) == STARPU_CUDA_WORKER || (runtime_where() & STARPU_CPU) != 0;
    bool staged_in_main_memory = A->store != NULL && node == STARPU_MAIN_RAM;
    return runs_tasks &&
           (staged_in_main_memory || starpu_worker_get_memory_node((unsigned)worker) == node);
}

/* Returns the number of A's elements on the node while its workers run tasks. It is at most A's
 * size, because a node has each tile once. */
static double working_set(unsigned node, double elements_of_task, const startile_matrix *A)
{
    double all = (double)A->shape.m * (double)A->shape.n, elements = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (worker_uses_node(w, node, A))
            elements += TASKS_PER_WORKER * elements_of_task;
    return elements < all ? elements : all;
}

double memory_of_machine(void)
{
    double bytes = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        enum starpu_node_kind kind = starpu_node_get_kind(node);
        double total = (double)starpu_memory_get_total(node);
        if (kind == STARPU_CPU_RAM && total <= 0)
            total = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
        if ((kind == STARPU_CPU_RAM || kind == STARPU_CUDA_RAM) && total > 0)
            bytes += total;
    }
    return bytes;
}

/* Returns whether `here` is true on all processes of the grid, or on this one if g is NULL. Fails
 * the request if not. */
static bool all_have_capacity(startile_request *r, const startile_grid *g, bool here)
{
    int64_t everywhere = here;
    int status = grid_least(g, &everywhere, 1);
    if (status == 0 && everywhere != 0)
        return true;
    request_fail(r, status != 0 ? status : STARTILE_ERROR_MEMORY);
    return false;
}

/* Returns has_capacity() for the memories of this process. */
static bool has_capacity_here(const startile_matrix *A, int64_t rows, int64_t columns)
{
    const startile_shape *s = &A->shape;
    double elements = (double)rows * (double)columns;
    double tile = (double)min(s->mb, s->m) * (double)min(s->nb, s->n);
    double bytes = tile * startile_element_size[s->dtype];
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        double tiles = working_set(node, elements, A) / fmax(tile, 1);
        if (is_limited(node) && !has_home_node(A, node) && tiles > 0 &&
            tiles * allocated_size(bytes) > capacity_for(node, bytes))
            return false;
    }
    return true;
}

bool has_capacity(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns)
{
    return all_have_capacity(r, A->grid, has_capacity_here(A, rows, columns));
}

bool has_capacity_for_copy(startile_request *r, const startile_matrix *A, int64_t columns)
{
    const startile_shape *a = &A->shape;
    double total = (double)starpu_memory_get_total(STARPU_MAIN_RAM);
    double copy = (double)a->m * (double)columns;
    double tasks = has_home_node(A, STARPU_MAIN_RAM)
                       ? 0
                       : working_set(STARPU_MAIN_RAM, 2.0 * (double)a->m * (double)a->nb, A);
    return all_have_capacity(r, A->grid,
                             A->store == NULL || total <= 0 ||
                                 (copy + tasks) * (double)startile_element_size[a->dtype] <= total);
}

bool has_capacity_for_all(startile_request *r, const startile_matrix *A)
{
    const startile_shape *a = &A->shape;
    double total = (double)starpu_memory_get_total(STARPU_MAIN_RAM);
    double bytes = (double)a->m * (double)a->n * (double)startile_element_size[a->dtype];
    return all_have_capacity(r, A->grid, A->store == NULL || total <= 0 || bytes <= total);
}

/* Returns whether the task's data that has another home node fits the memory of this node. */
static bool fits_node(unsigned node, const struct starpu_task *t)
{
    if (!is_limited(node))
        return true;
    double bytes = 0, capacity = (double)starpu_memory_get_total(node);
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        double size = (double)starpu_data_get_size(handle);
        if (starpu_data_get_home_node(handle) != (int)node) {
            bytes += allocated_size(size);
            capacity = fmin(capacity, capacity_for(node, size));
        }
    }
    return bytes <= capacity;
}

/* Returns whether a worker with this memory node is in the task's list of workers; without a list
 * any worker may run the task. */
static bool may_run_on(unsigned node, const struct starpu_task *t)
{
    if (t->workerids_len == 0)
        return true;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if ((t->workerids[w / 32] >> w % 32 & 1) != 0 &&
            starpu_worker_get_memory_node((unsigned)w) == node)
            return true;
    return false;
}

bool task_exclude_small_memories(struct starpu_task *t)
{
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        enum starpu_node_kind kind = starpu_node_get_kind(node);
        int32_t devices = kind == STARPU_CUDA_RAM  ? STARPU_CUDA
                          : kind == STARPU_CPU_RAM ? STARPU_CPU
                                                   : 0;
        if ((t->where & devices) != 0 && !fits_node(node, t) && may_run_on(node, t))
            t->where &= ~devices;
    }
    return t->where != 0;
}

/* Returns the capacity of all GPUs together for tiles of this size, in bytes; infinity without a
 * GPU or a known limit. */
static double total_gpu_capacity(double tile)
{
    double capacity = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CUDA_RAM && starpu_memory_get_total(node) > 0)
            capacity += capacity_for(node, tile);
    return capacity > 0 ? capacity : INFINITY;
}

/* Returns the smallest capacity of a node of this kind for tiles of this size, in bytes; infinity
 * without a known limit. */
static double smallest_capacity(enum starpu_node_kind kind, double tile)
{
    double capacity = INFINITY;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind && starpu_memory_get_total(node) > 0)
            capacity = fmin(capacity, capacity_for(node, tile));
    return capacity;
}

/* Returns the capacity, in bytes, of the smallest memory that A's tiles are copied to. The
 * capacities of the GPUs are added, because each holds a part of the block. Those of the NUMA nodes
 * of main memory are not added, because any worker may run a task on the block. Main memory counts
 * only if A is in a file. */
static double smallest_capacity_for(const startile_matrix *A, double tile)
{
    return fmin(total_gpu_capacity(tile),
                A->store != NULL ? smallest_capacity(STARPU_CPU_RAM, tile) : INFINITY);
}

/* Returns the capacity for a block of A. The chunks that StarPU keeps are subtracted only if they
 * are a large part of the memory; otherwise a block leaves enough space for them. Without the
 * subtraction, LU of n = 32768 with 700 MiB of an H200 did not terminate. */
static double block_capacity(const startile_matrix *A)
{
    const double much = 0.15;
    const startile_shape *s = &A->shape;
    double tile = (double)min(s->mb, s->m) * (double)s->nb * startile_element_size[s->dtype];
    double all = smallest_capacity_for(A, 0), capacity = smallest_capacity_for(A, tile);
    return capacity < (1 - much) * all ? capacity : all;
}

/* Returns the user's limit of main memory, or infinity without a limit: a matrix that is already in
 * main memory needs no memory from StarPU. */
static double limited_cpu_capacity(void)
{
    return getenv("STARPU_LIMIT_CPU_MEM") != NULL ? smallest_capacity(STARPU_CPU_RAM, 0) : INFINITY;
}

static bool fits(startile_dtype dtype, int64_t m, int64_t n, double capacity)
{
    return (double)m * (double)n * startile_element_size[dtype] <= WHOLE_SHARE * capacity;
}

bool fits_memories_together(startile_dtype dtype, int64_t m, int64_t n)
{
    return fits(dtype, m, n, runtime_gpus() > 0 ? total_gpu_capacity(0) : limited_cpu_capacity());
}

bool fits_each_memory(startile_dtype dtype, int64_t m, int64_t n)
{
    return fits(dtype, m, n,
                runtime_gpus() > 0 ? smallest_capacity(STARPU_CUDA_RAM, 0)
                                   : limited_cpu_capacity());
}

/* Returns the smallest memory that tasks run on, in bytes. */
static double smallest_task_memory(void)
{
    return smallest_capacity(runtime_gpus() > 0 ? STARPU_CUDA_RAM : STARPU_CPU_RAM, 0);
}

/* Returns the bytes usable by `tiles` tiles of one size. */
static double capacity_for_tiles(double tiles)
{
    const double fill = 8.0 / 9; /* smallest part of a chunk that tiles use: 8/9, for eight tiles
                                    just larger than 1/9 of it */
    double capacity = smallest_task_memory(),
           capacity_for_large = capacity - (double)RESERVED_CHUNKS * CHUNK_BYTES;
    if (!uses_chunks || capacity_for_large > tiles * MAX_CHUNKED_BYTES)
        return uses_chunks ? capacity_for_large : capacity;
    return fmin(fill * CHUNK_BYTES * floor(capacity / CHUNK_BYTES), tiles * MAX_CHUNKED_BYTES);
}

/* Returns the number of workers that share one memory. */
static int64_t workers_per_memory(void)
{
    int gpus = runtime_gpus();
    return gpus > 0 ? startile_cuda_workers() / gpus : max(1, startile_cpu_workers());
}

/* Returns `most` limited to MIN_WIDTH … nb. Between WIDTH_MULTIPLE and nb it is rounded down to a
 * multiple of WIDTH_MULTIPLE. */
static int64_t limit_width(double most, int64_t nb)
{
    enum { MIN_WIDTH = 16 };
    if (most >= (double)nb)
        return nb;
    int64_t width = max(min(MIN_WIDTH, nb), (int64_t)most);
    return width < WIDTH_MULTIPLE ? width : width / WIDTH_MULTIPLE * WIDTH_MULTIPLE;
}

int64_t width_within_capacity(startile_dtype dtype, int64_t m, int64_t nb)
{
    double column = (double)m * startile_element_size[dtype];
    double least = (double)(COLUMNS_PER_WORKER * workers_per_memory());
    return limit_width(
        fmin(smallest_task_memory() / MIN_COLUMNS, capacity_for_tiles(least) / least) / column, nb);
}

int64_t side_within_capacity(startile_dtype dtype, int64_t nb)
{
    int64_t per_worker = runtime_where_of(dtype, INT64_MAX) == STARPU_CUDA ? TILES_PER_CUDA_WORKER
                                                                           : TILES_PER_WORKER;
    double least = (double)(per_worker * workers_per_memory());
    return limit_width(sqrt(capacity_for_tiles(least) / least / startile_element_size[dtype]), nb);
}

static uint32_t where_of(const startile_matrix *A)
{
    return runtime_where_of(A->shape.dtype, max(A->shape.m, A->shape.n));
}

/* Returns whether all tasks run on one GPU whose memory is the home node of A's tiles, so that
 * tasks need no copies of them. */
static bool needs_no_copies(const startile_matrix *A)
{
    return runtime_gpus() == 1 && where_of(A) == STARPU_CUDA && A->kind == MATRIX_WRAPPED &&
           is_in_gpu_memory(A, (unsigned)A->home_node);
}

/* Returns whether blocks of nb rows lie in one tile each. */
static bool has_blocks_in_tiles(const startile_matrix *A, int64_t nb)
{
    return A->shape.mt == 1 || A->shape.mb % nb == 0;
}

bool takes_whole(const startile_matrix *A, const startile_matrix *V)
{
    /* With more columns, the tasks on block columns have more work than overhead. The number is an
     * estimate. */
    enum { FEW_COLUMNS = 4 };
    const startile_shape *a = &A->shape;
    return (where_of(A) & STARPU_CUDA) != 0 && runtime_gpus() == 1 && !runtime_is_reproducible() &&
           A->grid == NULL && a->nt <= STARTILE_MOST_BLOCKS && V->shape.n <= FEW_COLUMNS &&
           (a->dtype == V->shape.dtype || runtime_can_solve_by_single()) &&
           has_blocks_in_tiles(A, a->nb) && has_blocks_in_tiles(V, a->nb) &&
           fits_each_memory(a->dtype, a->m, a->n);
}

int64_t blocks_of_a_task(const startile_matrix *A)
{
    const startile_shape *a = &A->shape;
    bool is_on_one_gpu = (where_of(A) & STARPU_CUDA) != 0 && runtime_gpus() == 1 &&
                         A->grid == NULL && !is_on_cores(A) &&
                         fits_each_memory(a->dtype, a->m, a->n);
    return is_on_one_gpu ? STARTILE_MOST_PRODUCTS : 1;
}

bool is_shared_product(const startile_matrix *A, const startile_matrix *R, int64_t height)
{
    /* A core of 40 GFlop/s and 8 GB/s multiplies by 20 columns while it reads A. */
    enum { LEAST_COLUMNS = 32 };
    int64_t tiles = ceil_div(R->shape.m, max(height, 1)) * R->shape.nt;
    return where_of(A) == (STARPU_CPU | STARPU_CUDA) && A->grid == NULL &&
           R->shape.n >= LEAST_COLUMNS && (double)tiles >= models_gpu_in_cores(A->shape.dtype);
}

/* Returns the share of a memory for a block of columns. */
static double share_of_block(bool has_whole_panels)
{
    int other_gpus = has_whole_panels ? max(1, runtime_owners()) - 1 : 0;
    return fmax(MIN_BLOCK_SHARE, BLOCK_SHARE - (double)other_gpus / MIN_COLUMNS);
}

int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels)
{
    const startile_shape *s = &A->shape;
    double column = (double)rows * (double)s->nb * startile_element_size[s->dtype];
    double capacity = block_capacity(A), whole = (double)(s->nt - first) * column;
    double share = share_of_block(has_whole_panels);
    /* on a grid each process has its part of A in memory */
    if (A->grid != NULL || needs_no_copies(A))
        return s->nt - first;
    if (whole <= (WHOLE_SHARE - BLOCK_SHARE + share) * capacity)
        return s->nt - first;
    double columns = share * capacity / column;
    return columns < 1 ? 1 : (int64_t)columns;
}

int64_t columns_of_task(const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    double column = (double)s->m * (double)s->nb * startile_element_size[s->dtype];
    return max(1, (int64_t)fmin((double)s->nt, smallest_task_memory() / 2 / column));
}

int64_t columns_of_group(const startile_matrix *A)
{
    const startile_shape *a = &A->shape;
    bool has_groups = where_of(A) == STARPU_CUDA && A->grid == NULL && !runtime_is_reproducible() &&
                      columns_at_a_time(A, 0, a->m, true) >= a->nt;
    return has_groups ? STARTILE_MOST_PRODUCTS : 1;
}
