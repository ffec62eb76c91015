/* mpicc 06-early-message-for-a-gpu.c $(pkg-config --cflags --libs starpumpi-1.4) -lcudart
 * ./a.out, on a machine with a GPU
 * Without the patch SIGSEGV: _starpu_mpi_early_data_cb() writes to a GPU's memory from the CPU.
 * With the patch exit status 0. 77: no GPU.
 *
 * A message of the process to itself comes before its receive, whose data is on the GPU. The first
 * two functions stand for an MPI that takes addresses of GPU memory. */
#include <cuda_runtime.h>
#include <starpu_mpi.h>
#include <unistd.h>

int MPIX_Query_cuda_support(void)
{
    return 1;
}

int MPI_Unpack(const void *in, int bytes, int *position, void *out, int n, MPI_Datatype t,
               MPI_Comm c)
{
    (void)n, (void)t, (void)c;
    *position = bytes;
    return cudaMemcpy(out, in, bytes, cudaMemcpyDefault) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void nothing(void **buffers, void *arg)
{
    (void)buffers, (void)arg;
}

int main(int argc, char **argv)
{
    struct starpu_codelet write = {.cuda_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_W}};
    starpu_data_handle_t from, later, to;
    int sent[1000] = {7}, other[1000], received;
    if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0 ||
        starpu_cuda_worker_get_count() == 0)
        return 77;
    starpu_vector_data_register(&from, STARPU_MAIN_RAM, (uintptr_t)sent, 1000, sizeof(int));
    starpu_vector_data_register(&later, STARPU_MAIN_RAM, (uintptr_t)other, 1000, sizeof(int));
    starpu_vector_data_register(&to, -1, 0, 1000, sizeof(int));
    starpu_task_insert(&write, STARPU_W, to, 0); /* allocates it on the GPU */
    starpu_mpi_irecv_detached(later, 0, 2, MPI_COMM_WORLD, NULL, NULL); /* so StarPU-MPI polls */
    starpu_mpi_isend_detached(from, 0, 1, MPI_COMM_WORLD, NULL, NULL);
    starpu_task_wait_for_all();
    usleep(500000);
    starpu_mpi_irecv_detached(to, 0, 1, MPI_COMM_WORLD, NULL, NULL);
    starpu_mpi_isend_detached(from, 0, 2, MPI_COMM_WORLD, NULL, NULL);
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    starpu_data_acquire(to, STARPU_R);
    received = *(int *)starpu_data_get_local_ptr(to);
    starpu_data_release(to);
    starpu_data_unregister(from);
    starpu_data_unregister(later);
    starpu_data_unregister(to);
    starpu_mpi_shutdown();
    return received != 7;
}
