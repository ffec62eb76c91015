/* Whether tasks find room for their tiles: StarPU would wait for it for ever. */
#include "disk.h"
#include "runtime.h"
#include "tile_size.h"

#include <math.h>
#include <unistd.h>

/* A worker fetches the data of the next task while it runs one. */
enum { TASKS_OF_A_WORKER = 2 };

/* A matrix that takes up to so much of a memory is left to StarPU; of others so much is a block of
 * columns, and the rest for those that update it. */
static const double WHOLE = 0.9, BLOCK = 0.8;

/* Block columns that a GPU should have room for, and how wide they are at least; simulated with
 * n = 32768 on an H200 with room for a quarter of the matrix. */
enum { COLUMNS = 16, NARROWEST = 64 };

static bool is_at_home(const startile_matrix *A, unsigned node)
{
    return A->kind == MATRIX_WRAPPED && starpu_node_get_kind(node) == STARPU_CPU_RAM;
}

/* What lies on a disk comes through main memory's first part on its way to others. */
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
    double elements = (double)rows * (double)columns;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        enum starpu_node_kind kind = starpu_node_get_kind(node);
        double total = (double)starpu_memory_get_total(node);
        double bytes =
            elements_for(node, elements, A) * (double)startile_element_size[A->shape.dtype];
        if ((kind == STARPU_CPU_RAM || kind == STARPU_CUDA_RAM) && total > 0 &&
            !is_at_home(A, node) && bytes > total) {
            request_fail(r, STARTILE_ERROR_MEMORY);
            return false;
        }
    }
    return true;
}

bool have_room_for_copies(startile_request *r, const startile_matrix *A, const startile_matrix *B)
{
    const startile_shape *a = &A->shape, *b = &B->shape;
    double total = (double)starpu_memory_get_total(STARPU_MAIN_RAM);
    double copies = (double)a->m * (double)a->n + (double)b->m * (double)b->n;
    double tasks = elements_for(STARPU_MAIN_RAM, 2.0 * (double)a->m * (double)a->nb, A);
    if (A->store == NULL || total <= 0 ||
        (copies + tasks) * (double)startile_element_size[a->dtype] <= total)
        return true;
    request_fail(r, STARTILE_ERROR_MEMORY);
    return false;
}

/* Of the data of a task; on node −1 all of it, else what has to be brought there. */
static double bytes_of(const struct starpu_task *t, int node)
{
    double bytes = 0;
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        if (node < 0 || starpu_data_get_home_node(handle) != node)
            bytes += (double)starpu_data_get_size(handle);
    }
    return bytes;
}

bool task_has_room(const struct starpu_task *t)
{
    double bytes = bytes_of(t, -1);
    bool has = false;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count() && !has; node++) {
        enum starpu_node_kind kind = starpu_node_get_kind(node);
        double total = (double)starpu_memory_get_total(node);
        bool runs_there = kind == STARPU_CUDA_RAM  ? (t->where & STARPU_CUDA) != 0
                          : kind == STARPU_CPU_RAM ? (t->where & STARPU_CPU) != 0
                                                   : false;
        has = runs_there && (total <= 0 || bytes <= total || bytes_of(t, (int)node) <= total);
    }
    return has;
}

/* Of all of them; infinite where there are none, or no limit is known. */
static double room_of_gpus(void)
{
    double room = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CUDA_RAM && starpu_memory_get_total(node) > 0)
            room += (double)starpu_memory_get_total(node);
    return room > 0 ? room : INFINITY;
}

/* Of the smallest of them. */
static double smallest_room(enum starpu_node_kind kind)
{
    double room = INFINITY;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind && starpu_memory_get_total(node) > 0)
            room = fmin(room, (double)starpu_memory_get_total(node));
    return room;
}

/* Of the smallest memory that A has to be brought to. GPUs share it; but a task runs beside
 * whichever part of main memory, so that each gets all of a block. */
static double least_room(const startile_matrix *A)
{
    return fmin(room_of_gpus(), A->store != NULL ? smallest_room(STARPU_CPU_RAM) : INFINITY);
}

bool have_gpus_room(startile_dtype dtype, int64_t m, int64_t n)
{
    return (double)m * (double)n * startile_element_size[dtype] <= WHOLE * room_of_gpus();
}

int64_t width_with_room(startile_dtype dtype, int64_t m, int64_t nb)
{
    double column = (double)m * startile_element_size[dtype];
    double columns = smallest_room(STARPU_CUDA_RAM) / (COLUMNS * column);
    int64_t width = (int64_t)columns / NARROWEST * NARROWEST;
    return width < NARROWEST ? NARROWEST : width < nb ? width : nb;
}

int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows)
{
    const startile_shape *s = &A->shape;
    double column = (double)rows * (double)s->nb * startile_element_size[s->dtype];
    double room = least_room(A), whole = (double)(s->nt - first) * column;
    if (whole <= WHOLE * room)
        return s->nt - first;
    double columns = BLOCK * room / column;
    return columns < 1 ? 1 : (int64_t)columns;
}

void insert_wont_use(tile A)
{
    starpu_data_handle_t handle = tile_handle(A);
    if (handle != NULL)
        starpu_data_wont_use(handle);
}
