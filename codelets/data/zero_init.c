#include "data/zero_init.h"

#include "library/runtime.h"
#include "task/operands.h"

#ifdef STARTILE_SIMULATION
#include "models/model.h"

#include <math.h>

/* Returns the time, in µs, of dlaset on data of the same size, because most programs use doubles; 1
 * if it is not known. */
static double zero_time(struct starpu_task *t, struct starpu_perfmodel_arch *arch,
                        unsigned implementation)
{
    const struct model *m = model_of("startile_dlaset");
    double bytes = (double)starpu_data_get_size(STARPU_TASK_GET_HANDLE(t, 0));
    enum model_device device = arch->devices[0].type == STARPU_CUDA_WORKER ? MODEL_CUDA : MODEL_CPU;
    double time = m == NULL ? NAN : model_time(m, device, implementation, 0, 0, bytes);
    return isnan(time) ? 1 : time;
}

static struct starpu_perfmodel zero_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = zero_time, .symbol = "startile_zero"};

/* Does nothing: in a simulation StarPU calls it without tiles (StarPU quirk 27). */
static void zero_on_cpu(void *buffers[], void *unused)
{
    (void)buffers;
    (void)unused;
}

static void zero_on_cuda(void *buffers[], void *unused)
{
    zero_on_cpu(buffers, unused);
}

void zero_in_main_memory(void *interface)
{
    (void)interface;
}
#else
/* Returns a type whose elements have the interface's element size, because StarPU does not pass the
 * type. In every type a zero has all bits zero. */
static startile_dtype type_of_size(const void *interface)
{
    size_t size = STARPU_MATRIX_GET_ELEMSIZE(interface);
    return size == sizeof(float) ? STARTILE_S : size == sizeof(double) ? STARTILE_D : STARTILE_Z;
}

static void write_zeros(const startile_kernels *const table[4], startile_exec *x, void *interface)
{
    const startile_scalar zero_scalar = {0, 0};
    struct buffer a = matrix_buffer(interface);
    table[type_of_size(interface)]->laset(x, 'G', a.m, a.n, 0, zero_scalar, zero_scalar, a.p, a.ld);
}

void zero_in_main_memory(void *interface)
{
    write_zeros(startile_cpu_kernels, NULL, interface);
}

/* Writes zeros on the worker that is about to run a task on the tile. A failure is not recorded,
 * because there is no request to record it in; the task's kernel then fails on the same device. */
static void zero_on_cpu(void *buffers[], void *unused)
{
    (void)unused;
    zero_in_main_memory(buffers[0]);
}

#ifdef STARTILE_HAVE_CUDA
static void zero_on_cuda(void *buffers[], void *unused)
{
    (void)unused;
    write_zeros(startile_cuda_kernels, runtime_exec_of_this_worker(), buffers[0]);
}
#endif
#endif

static struct starpu_codelet zero_codelet = {
    .cpu_funcs = {zero_on_cpu},
#ifdef STARTILE_CUDA_TASKS
    .cuda_funcs = {zero_on_cuda},
    .cuda_flags = {STARPU_CUDA_ASYNC},
#endif
#ifdef STARTILE_SIMULATION
    .model = &zero_model,
#endif
    .nbuffers = 1,
    .modes = {STARPU_W},
    .name = "zero",
};

static const char per_process_data; /* its address is the user data of set_per_process() */

void zero_init(starpu_data_handle_t handle)
{
    starpu_data_set_reduction_methods(handle, NULL, &zero_codelet);
    starpu_data_set_user_data(handle, &zero_codelet);
}

void set_per_process(starpu_data_handle_t handle)
{
    starpu_data_set_user_data(handle, (void *)&per_process_data);
}

/* is_per_process() and is_zero_initialized() recognize handles by their user data. */
bool is_per_process(starpu_data_handle_t handle)
{
    return starpu_data_get_user_data(handle) == &per_process_data;
}

bool is_zero_initialized(starpu_data_handle_t handle)
{
    return starpu_data_get_user_data(handle) == &zero_codelet || is_per_process(handle);
}

void zero_submit(starpu_data_handle_t handle)
{
    starpu_task_insert(&zero_codelet, STARPU_W, handle, 0);
}
