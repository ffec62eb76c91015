/* Whether tasks find room for their tiles: StarPU would wait for it for ever. */
#include "disk.h"
#include "runtime.h"
#include "tile_size.h"

#include <math.h>

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

/* What lies on a disk comes through main memory on its way to a GPU. */
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

/* Of all nodes of that kind; infinite where there are none, or no limit is known. */
static double room_of(enum starpu_node_kind kind)
{
    double room = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind && starpu_memory_get_total(node) > 0)
            room += (double)starpu_memory_get_total(node);
    return room > 0 ? room : INFINITY;
}

/* Of the smallest memory that A has to be brought to; GPUs share it. */
static double least_room(const startile_matrix *A)
{
    return fmin(room_of(STARPU_CUDA_RAM), A->store != NULL ? room_of(STARPU_CPU_RAM) : INFINITY);
}

bool have_gpus_room(startile_dtype dtype, int64_t m, int64_t n)
{
    return (double)m * (double)n * startile_element_size[dtype] <= WHOLE * room_of(STARPU_CUDA_RAM);
}

int64_t width_with_room(startile_dtype dtype, int64_t m, int64_t nb)
{
    double column = (double)m * startile_element_size[dtype];
    int64_t width =
        (int64_t)(room_of(STARPU_CUDA_RAM) / (COLUMNS * column)) / NARROWEST * NARROWEST;
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

/* StarPU writes back what is not in use, from a GPU to a disk by way of main memory. Where that is
 * full such a transfer waits, being of no urgency, for as long as there is the handle, and who
 * unregisters the handle waits for the transfer. */
void insert_wont_use(tile A)
{
    starpu_data_handle_t handle = tile_handle(A);
    if (handle != NULL && (A.A->store == NULL || !runtime_has_cuda()))
        starpu_data_wont_use(handle);
}
