/* Whether tasks find room for their tiles: StarPU would wait for it for ever. */
#include "models/tile_size.h"
#include "runtime/disk.h"
#include "runtime/integers.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* A worker fetches the data of the next task while it runs one. */
enum { TASKS_OF_A_WORKER = 2 };

/* A matrix that takes up to so much of a memory is left to StarPU; of others so much is a block of
 * columns, and the rest for those that update it. Where panels are whole columns each of several
 * GPUs needs room for copies of the others', too (perf_models/NOTES.md, Larger than the GPU's
 * memory). */
static const double WHOLE = 0.9, BLOCK = 0.8, LEAST_BLOCK = 0.3;

/* Block columns that a memory should have room for, and what their width is a multiple of;
 * simulated with n = 32768 on an H200 with room for a quarter of the matrix. */
enum { COLUMNS = 16, EVEN = 64 };

/* What startile.h says that a worker needs: block columns of LU and QR, and square tiles of
 * Cholesky where all tasks run on GPUs, which take several at a time, or not. */
enum { COLUMNS_OF_A_WORKER = 4, TILES_OF_A_CUDA_WORKER = 18, TILES_OF_A_WORKER = 6 };

/* StarPU takes memory of GPUs, and main memory that it locks for them, in chunks, of which data up
 * to MOST get as many grains as they need (its datawizard/malloc.h). It does not give back the last
 * chunks that get free for what is larger, and another one may be in use. */
enum { CHUNK = 32 << 20, MOST = CHUNK / 8, GRAIN = 16 << 10, KEPT = 5 };
static bool has_chunks;

void room_begin(void)
{
    const char *chosen = getenv("STARPU_SUBALLOCATOR");
    has_chunks = runtime_has_cuda() && (chosen == NULL || strtol(chosen, NULL, 10) != 0);
}

/* What data of so many bytes take of a memory, and how much it has for such, of which as many as
 * fit lie in one chunk. */
static double taken_by(double bytes)
{
    return has_chunks && bytes <= MOST ? GRAIN * fmax(1, ceil(bytes / GRAIN)) : bytes;
}

static double room_for(unsigned node, double bytes)
{
    double total = (double)starpu_memory_get_total(node);
    if (!has_chunks)
        return total;
    if (bytes > MOST)
        return fmax(0, total - (double)KEPT * CHUNK);
    double taken = taken_by(bytes);
    return floor(total / CHUNK) * floor(CHUNK / taken) * taken;
}

static bool is_limited(unsigned node)
{
    enum starpu_node_kind kind = starpu_node_get_kind(node);
    return (kind == STARPU_CPU_RAM || kind == STARPU_CUDA_RAM) && starpu_memory_get_total(node) > 0;
}

static bool is_at_home(const startile_matrix *A, unsigned node)
{
    return is_in_main_memory(A) && starpu_node_get_kind(node) == STARPU_CPU_RAM;
}

/* What is read from a disk comes through main memory's first part on its way to others. */
static bool uses(int worker, unsigned node, const startile_matrix *A)
{
    bool runs_tasks =
        starpu_worker_get_type(worker) == STARPU_CUDA_WORKER || (runtime_where() & STARPU_CPU) != 0;
    bool by_main_memory = A->store != NULL && node == STARPU_MAIN_RAM;
    return runs_tasks &&
           (by_main_memory || starpu_worker_get_memory_node((unsigned)worker) == node);
}

/* A node has no tile twice. */
static double elements_for(unsigned node, double elements_of_task, const startile_matrix *A)
{
    double all = (double)A->shape.m * (double)A->shape.n, elements = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (uses(w, node, A))
            elements += TASKS_OF_A_WORKER * elements_of_task;
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

bool have_room(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns)
{
    const startile_shape *s = &A->shape;
    double elements = (double)rows * (double)columns;
    double tile = (double)min(s->mb, s->m) * (double)min(s->nb, s->n);
    double bytes = tile * startile_element_size[s->dtype];
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        double tiles = elements_for(node, elements, A) / fmax(tile, 1);
        if (is_limited(node) && !is_at_home(A, node) && tiles > 0 &&
            tiles * taken_by(bytes) > room_for(node, bytes)) {
            request_fail(r, STARTILE_ERROR_MEMORY);
            return false;
        }
    }
    return true;
}

bool have_room_for_copy(startile_request *r, const startile_matrix *A, int64_t columns)
{
    const startile_shape *a = &A->shape;
    double total = (double)starpu_memory_get_total(STARPU_MAIN_RAM);
    double copy = (double)a->m * (double)columns;
    double tasks = is_at_home(A, STARPU_MAIN_RAM)
                       ? 0
                       : elements_for(STARPU_MAIN_RAM, 2.0 * (double)a->m * (double)a->nb, A);
    if (A->store == NULL || total <= 0 ||
        (copy + tasks) * (double)startile_element_size[a->dtype] <= total)
        return true;
    request_fail(r, STARTILE_ERROR_MEMORY);
    return false;
}

/* What of a task's data has to be brought to a node fits there. */
static bool has_room_on(unsigned node, const struct starpu_task *t)
{
    if (!is_limited(node))
        return true;
    double bytes = 0, room = (double)starpu_memory_get_total(node);
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        double size = (double)starpu_data_get_size(handle);
        if (starpu_data_get_home_node(handle) != (int)node) {
            bytes += taken_by(size);
            room = fmin(room, room_for(node, size));
        }
    }
    return bytes <= room;
}

static bool may_run_on(unsigned node, const struct starpu_task *t)
{
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if ((t->workerids[w / 32] >> w % 32 & 1) != 0 &&
            starpu_worker_get_memory_node((unsigned)w) == node)
            return true;
    return false;
}

bool task_finds_room(struct starpu_task *t)
{
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        enum starpu_node_kind kind = starpu_node_get_kind(node);
        int32_t devices = kind == STARPU_CUDA_RAM  ? STARPU_CUDA
                          : kind == STARPU_CPU_RAM ? STARPU_CPU
                                                   : 0;
        if ((t->where & devices) != 0 && !has_room_on(node, t) && may_run_on(node, t))
            t->where &= ~devices;
    }
    return t->where != 0;
}

/* For tiles of so many bytes, in all of them; infinite where there are none, or no limit is known.
 */
static double room_of_gpus(double tile)
{
    double room = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CUDA_RAM && starpu_memory_get_total(node) > 0)
            room += room_for(node, tile);
    return room > 0 ? room : INFINITY;
}

/* In the smallest of them. */
static double smallest_room(enum starpu_node_kind kind, double tile)
{
    double room = INFINITY;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind && starpu_memory_get_total(node) > 0)
            room = fmin(room, room_for(node, tile));
    return room;
}

/* Of the smallest memory that A has to be brought to; of a file that is mapped, as much as main
 * memory may keep. GPUs share it; but a task runs beside whichever part of main memory, so that
 * each gets all of a block. */
static double least_room_for(const startile_matrix *A, double tile)
{
    return fmin(room_of_gpus(tile),
                A->store != NULL ? smallest_room(STARPU_CPU_RAM, tile) : INFINITY);
}

/* Beside a block there is place for the chunks that StarPU keeps, but where they are much of the
 * memory: LU of 32768 with 700 MiB of an H200 came to a standstill. */
static double least_room(const startile_matrix *A)
{
    const double much = 0.15;
    const startile_shape *s = &A->shape;
    double tile = (double)min(s->mb, s->m) * (double)s->nb * startile_element_size[s->dtype];
    double all = least_room_for(A, 0), room = least_room_for(A, tile);
    return room < (1 - much) * all ? room : all;
}

/* Where tasks run on CPUs alone a matrix in main memory takes nothing of the limit; but who sets
 * one has matrices in files. */
static double room_of_limited_cpus(void)
{
    return getenv("STARPU_LIMIT_CPU_MEM") != NULL ? smallest_room(STARPU_CPU_RAM, 0) : INFINITY;
}

static bool fits(startile_dtype dtype, int64_t m, int64_t n, double room)
{
    return (double)m * (double)n * startile_element_size[dtype] <= WHOLE * room;
}

bool have_room_for_all(startile_dtype dtype, int64_t m, int64_t n)
{
    return fits(dtype, m, n, runtime_gpus() > 0 ? room_of_gpus(0) : room_of_limited_cpus());
}

bool has_each_room_for_all(startile_dtype dtype, int64_t m, int64_t n)
{
    return fits(dtype, m, n,
                runtime_gpus() > 0 ? smallest_room(STARPU_CUDA_RAM, 0) : room_of_limited_cpus());
}

/* The smallest that tasks run on. */
static double memory_of_tasks(void)
{
    return smallest_room(runtime_gpus() > 0 ? STARPU_CUDA_RAM : STARPU_CPU_RAM, 0);
}

/* What of it so many tiles may take, whatever their size then is. */
static double room_for_tiles(double tiles)
{
    const double fill = 8.0 / 9; /* of a chunk, by tiles of which the largest fit eight times */
    double room = memory_of_tasks(), large = room - (double)KEPT * CHUNK;
    if (!has_chunks || large > tiles * MOST)
        return has_chunks ? large : room;
    return fmin(fill * CHUNK * floor(room / CHUNK), tiles * MOST);
}

static int64_t workers_of_memory(void)
{
    int gpus = runtime_gpus();
    return gpus > 0 ? startile_cuda_workers() / gpus : max(1, startile_cpu_workers());
}

/* A multiple of EVEN, where that leaves anything; in less than LEAST columns nothing is worth
 * while. */
static int64_t no_wider(double most, int64_t nb)
{
    enum { LEAST = 16 };
    if (most >= (double)nb)
        return nb;
    int64_t width = max(min(LEAST, nb), (int64_t)most);
    return width < EVEN ? width : width / EVEN * EVEN;
}

int64_t width_with_room(startile_dtype dtype, int64_t m, int64_t nb)
{
    double column = (double)m * startile_element_size[dtype];
    double least = (double)(COLUMNS_OF_A_WORKER * workers_of_memory());
    return no_wider(fmin(memory_of_tasks() / COLUMNS, room_for_tiles(least) / least) / column, nb);
}

int64_t side_with_room(startile_dtype dtype, int64_t nb)
{
    int64_t of_a_worker =
        runtime_where() == STARPU_CUDA ? TILES_OF_A_CUDA_WORKER : TILES_OF_A_WORKER;
    double least = (double)(of_a_worker * workers_of_memory());
    return no_wider(sqrt(room_for_tiles(least) / least / startile_element_size[dtype]), nb);
}

static double share_of_block(bool has_whole_panels)
{
    int others = has_whole_panels ? max(1, runtime_owners()) - 1 : 0;
    return fmax(LEAST_BLOCK, BLOCK - (double)others / COLUMNS);
}

int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels)
{
    const startile_shape *s = &A->shape;
    double column = (double)rows * (double)s->nb * startile_element_size[s->dtype];
    double room = least_room(A), whole = (double)(s->nt - first) * column;
    double share = share_of_block(has_whole_panels);
    if (whole <= (WHOLE - BLOCK + share) * room)
        return s->nt - first;
    double columns = share * room / column;
    return columns < 1 ? 1 : (int64_t)columns;
}

void insert_wont_use(tile A)
{
    starpu_data_handle_t handle = tile_handle(A);
    if (handle != NULL)
        starpu_data_wont_use(handle);
}
