/* Flips a bit of the results of chosen tasks, for tests of the option `verify`. */
#include "startile_testing.h"
#include "task/operands.h"

#include <string.h>

static struct {
    pthread_mutex_t mutex;
    startile_flip flip;
    char operation[24];
    int64_t before;    /* tasks of the operation before the first chosen one */
    int64_t remaining; /* flips that have not happened */
    atomic_bool waits; /* remaining > 0 */
} chosen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

int64_t startile_inject_flip(const startile_flip *flip)
{
    if (flip != NULL &&
        (flip->task < 0 || flip->tile < 0 || flip->bit < 0 || flip->row < 0 || flip->column < 0 ||
         flip->count < 0 ||
         (flip->operation != NULL && strlen(flip->operation) >= sizeof chosen.operation)))
        return -1;
    pthread_mutex_lock(&chosen.mutex);
    int waited = atomic_load(&chosen.waits);
    if (flip != NULL) {
        chosen.flip = *flip;
        chosen.before = flip->task;
        chosen.remaining = flip->count > 0 ? flip->count : 1;
        chosen.operation[0] = '\0';
        if (flip->operation != NULL)
            strcpy(chosen.operation, flip->operation);
    }
    atomic_store(&chosen.waits, flip != NULL);
    pthread_mutex_unlock(&chosen.mutex);
    return waited;
}

/* Returns whether the task's buffer b is a tile that the task has written. */
static bool is_written_tile(struct starpu_task *t, int b)
{
    const struct task_args *args = t->cl_arg;
    starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
    return b < 64 && (args->tiles >> b & 1) != 0 && (STARPU_TASK_GET_MODE(t, b) & STARPU_W) != 0 &&
           starpu_matrix_get_elemsize(handle) == (size_t)startile_element_size[args->dtype] &&
           starpu_matrix_get_ny(handle) > 0 && starpu_matrix_get_nx(handle) > 0;
}

/* Returns the buffer of written tile number chosen.flip.tile, modulo their number; −1: none. */
static int chosen_buffer(struct starpu_task *t)
{
    int tiles = 0, number;
    for (int b = 0; b < t->nbuffers; b++)
        tiles += is_written_tile(t, b);
    if (tiles == 0)
        return -1;
    number = (int)(chosen.flip.tile % tiles);
    for (int b = 0;; b++)
        if (is_written_tile(t, b) && number-- == 0)
            return b;
}

/* Returns the buffer in which the task must flip a bit, or −1. Counts the tasks of the
 * operation. */
static int buffer_to_change(struct starpu_task *t)
{
    /* the codelet's name begins with the letter of the type */
    if (chosen.operation[0] != '\0' && strcmp(t->name + 1, chosen.operation) != 0)
        return -1;
    int buffer = chosen_buffer(t);
    return buffer < 0 || chosen.before-- > 0 ? -1 : buffer;
}

int inject_flip(const startile_kernels *K, startile_exec *x, struct starpu_task *t, void *buffers[])
{
    if (!atomic_load_explicit(&chosen.waits, memory_order_relaxed))
        return 0;
    int error = 0;
    pthread_mutex_lock(&chosen.mutex);
    int buffer = atomic_load(&chosen.waits) ? buffer_to_change(t) : -1;
    if (buffer >= 0) {
        const struct task_args *args = t->cl_arg;
        struct buffer b = matrix_buffer(buffers[buffer]);
        int64_t bits = 8 * startile_element_size[args->dtype];
        int64_t element = chosen.flip.row % b.m + chosen.flip.column % b.n * b.ld;
        error = K->flip_bit(x, b.p, element * bits + chosen.flip.bit % bits);
        atomic_store(&chosen.waits, --chosen.remaining > 0);
    }
    pthread_mutex_unlock(&chosen.mutex);
    return error;
}
