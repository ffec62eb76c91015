/* cc 10-initialize-again-after-eviction.c $(pkg-config --cflags --libs starpu-1.4)
 * STARPU_NCPU=1 STARPU_NCUDA=0 ./a.out
 * Without the patch exit status 1: after an eviction a task reads undefined content, here bytes
 * that M_PERTURB fills new memory with, instead of the value that set_value() writes.
 * With the patch exit status 0. */
#include <malloc.h>
#include <starpu.h>
#include <stdio.h>

static int value;

static void set_value(void **buffers, void *arg)
{
    (void)arg;
    *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 7;
}

static void read_value(void **buffers, void *arg)
{
    (void)arg;
    value = *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

int main(void)
{
    struct starpu_codelet set = {.cpu_funcs = {set_value}, .nbuffers = 1, .modes = {STARPU_W}};
    struct starpu_codelet add = {
        .cpu_funcs = {set_value}, .nbuffers = 2, .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};
    struct starpu_codelet read = {.cpu_funcs = {read_value}, .nbuffers = 1, .modes = {STARPU_R}};
    mallopt(M_PERTURB, 0x55);
    if (starpu_init(NULL) != 0)
        return 77;
    starpu_disk_register(&starpu_disk_unistd_ops, "/tmp", STARPU_DISK_SIZE_MIN);
    starpu_data_handle_t data;
    starpu_variable_data_register(&data, -1, 0, sizeof(int));
    starpu_data_set_reduction_methods(data, &add, &set);

    for (int task = 1; task <= 2; task++) {
        starpu_task_insert(&read, STARPU_R, data, 0);
        starpu_task_wait_for_all();
        printf("task %d read %d\n", task, value);
        starpu_data_evict_from_node(data, STARPU_MAIN_RAM);
    }
    starpu_data_unregister(data);
    starpu_shutdown();
    return value != 7;
}
