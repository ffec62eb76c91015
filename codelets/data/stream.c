/*
 * Order of tasks after the work of a caller's CUDA stream. The library records an event in the
 * stream. Tasks that access all tiles of the matrix make their own streams wait for the event, so
 * that StarPU begins no other task on the tiles before. Neither the host nor the device waits.
 *
 * The other direction needs no event: StarPU ends a task when the GPU has completed it, so what the
 * host launches after startile_matrix_gather() sees the results.
 */
#include "data/stream.h"

#include "data/matrix.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"

#ifdef STARTILE_HAVE_CUDA

#include <starpu_cuda.h>
#include <stdatomic.h>
#include <stdlib.h>

struct stream_point {
    cudaEvent_t event;
    atomic_long users; /* the creator and unfinished tasks */
};

void stream_point_release(struct stream_point *point)
{
    if (point == NULL || atomic_fetch_sub(&point->users, 1) != 1)
        return;
    cudaEventDestroy(point->event);
    free(point);
}

/* Returns whether an event of the current device was recorded in the stream. Does not disturb a
 * capture of the stream into a graph. */
static bool record(cudaEvent_t *event, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture;
    if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess ||
        capture != cudaStreamCaptureStatusNone ||
        cudaEventCreateWithFlags(event, cudaEventDisableTiming) != cudaSuccess)
        return false;
    if (cudaEventRecord(*event, stream) == cudaSuccess)
        return true;
    cudaEventDestroy(*event);
    return false;
}

/* Calls record() with `device` as the thread's current device. */
static bool record_on_device(cudaEvent_t *event, int device, cudaStream_t stream)
{
    int before;
    if (cudaGetDevice(&before) != cudaSuccess)
        return false;
    bool switches = device >= 0 && device != before;
    if (switches && cudaSetDevice(device) != cudaSuccess)
        return false;
    bool is_recorded = record(event, stream);
    if (switches)
        cudaSetDevice(before);
    return is_recorded;
}

int stream_point_record(struct stream_point **point, int device, void *stream)
{
    *point = NULL;
    if (!runtime_has_cuda())
        return stream == NULL ? 0 : STARTILE_ERROR_NO_WORKER;
    struct stream_point *made = malloc(sizeof *made);
    if (made == NULL)
        return STARTILE_ERROR_MEMORY;
    if (!record_on_device(&made->event, device, stream)) {
        cudaGetLastError(); /* clears the error for the caller's next CUDA call */
        free(made);
        return -1;
    }
    atomic_init(&made->users, 1);
    *point = made;
    return 0;
}

/* Task: the worker's stream waits for the event, and StarPU ends the task after that. */
static void wait_in_stream(void *buffers[], void *arg)
{
    (void)buffers;
    struct stream_point *point = arg;
    if (cudaStreamWaitEvent(starpu_cuda_get_local_stream(), point->event, 0) != cudaSuccess)
        cudaEventSynchronize(point->event);
}

static struct starpu_codelet wait_codelet = {.name = "wait_stream",
                                             .where = STARPU_CUDA,
                                             .cuda_funcs = {wait_in_stream},
                                             .cuda_flags = {STARPU_CUDA_ASYNC},
                                             .nbuffers = STARPU_VARIABLE_NBUFFERS};

static void point_passed(void *point)
{
    stream_point_release(point);
}

/* Submits a task on tiles first … first + count − 1, in column-major order. */
static void submit_wait(const startile_matrix *A, int64_t first, int64_t count, int device,
                        struct stream_point *point)
{
    struct starpu_task *t = starpu_task_create();
    t->cl = &wait_codelet;
    t->cl_arg = point;
    t->workerids = runtime_workers_of_device(device);
    t->workerids_len = WORKER_WORDS;
    t->callback_func = point_passed;
    t->callback_arg = point;
    t->nbuffers = (int)count;
    for (int b = 0; b < (int)count; b++) {
        STARPU_TASK_SET_HANDLE(t, A->tiles[first + b], b);
        STARPU_TASK_SET_MODE(t, STARPU_RW, b);
    }
    atomic_fetch_add(&point->users, 1);
    if (starpu_task_submit(t) == 0)
        return;
    t->destroy = 0;
    starpu_task_destroy(t);
    cudaEventSynchronize(point->event);
    stream_point_release(point);
}

void order_after_point(const startile_matrix *A, int device, struct stream_point *point)
{
    int64_t tiles = A->shape.mt * A->shape.nt;
    if (point == NULL)
        return;
    if (device < 0)
        cudaEventSynchronize(point->event);
    for (int64_t t = 0; t < tiles && device >= 0; t += STARPU_NMAXBUFS)
        submit_wait(A, t, min(STARPU_NMAXBUFS, tiles - t), device, point);
}

#else

int stream_point_record(struct stream_point **point, int device, void *stream)
{
    (void)device;
    *point = NULL;
    return stream == NULL ? 0 : STARTILE_ERROR_NO_WORKER;
}

void stream_point_release(struct stream_point *point)
{
    (void)point;
}

void order_after_point(const startile_matrix *A, int device, struct stream_point *point)
{
    (void)A, (void)device, (void)point;
}

#endif
