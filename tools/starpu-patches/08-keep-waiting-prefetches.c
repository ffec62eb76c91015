/* cc 08-keep-waiting-prefetches.c $(pkg-config --cflags --libs starpu-1.4)
 * STARPU_NCPU=2 STARPU_NCUDA=0 ./a.out
 * Without the patch SIGSEGV: main() reads a copy that has no memory.
 * With the patch exit status 0.
 *
 * Worker 0 loads data for task 1; the prefetch of task 2 waits for that load. At the end of the
 * load, acquired() keeps worker 0 from ending this prefetch. Meanwhile worker 1 runs both tasks
 * (fetching for task 2 sets `canceled` of its prefetch from 2 to 1), and main() evicts the copy. */
#include <starpu.h>
#include <unistd.h>

static volatile int is_held, is_loaded, is_evicted;

static int test_request(void *channel)
{
    return !is_held && starpu_disk_unistd_ops.test_request(channel);
}

static void acquired(void *data)
{
    starpu_data_release_on_node(data, STARPU_MAIN_RAM);
    for (is_loaded = 1; !is_evicted;)
        usleep(100);
}

static void wait_for_load(void **buffers, void *arg)
{
    (void)buffers, (void)arg;
    while (!is_loaded)
        usleep(100);
}

int main(void)
{
    struct starpu_codelet cl = {.cpu_funcs = {wait_for_load}, .nbuffers = STARPU_VARIABLE_NBUFFERS};
    struct starpu_disk_ops ops = starpu_disk_unistd_ops;
    starpu_data_handle_t data;
    STARPU_CHECK_RETURN_VALUE(starpu_init(NULL), "starpu_init");
    ops.test_request = test_request;
    starpu_disk_register(&ops, "/tmp", STARPU_DISK_SIZE_MIN);
    starpu_variable_data_register(&data, -1, 0, sizeof(int));
    starpu_data_acquire(data, STARPU_W);
    *(int *)starpu_data_get_local_ptr(data) = 7;
    starpu_data_release(data);
    starpu_data_evict_from_node(data, STARPU_MAIN_RAM); /* writes it to the disk */
    is_held = 1;
    starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, 1, 0);
    usleep(100000);
    starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, 1, STARPU_R, data, 0); /* task 1 */
    starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, 1, STARPU_R, data, 0); /* task 2 */
    usleep(100000);
    starpu_data_acquire_on_node_cb(data, STARPU_MAIN_RAM, STARPU_R, acquired, data);
    is_held = 0;
    starpu_task_wait_for_all();
    starpu_data_evict_from_node(data, STARPU_MAIN_RAM);
    is_evicted = 1;
    usleep(100000);
    starpu_data_acquire(data, STARPU_R);
    return *(int *)starpu_data_get_local_ptr(data) != 7;
}
