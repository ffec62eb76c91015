/* Matrices in the memory of a GPU, in order with the caller's CUDA streams. */
#include "data/matrix.h"
#include "data/pointer.h"
#include "data/stream.h"
#include "library/runtime.h"

/* Returns whether `device` can be the device of memory with this place. */
static bool is_device_of(struct place place, int device)
{
    return device == -1 || device == place.device || (device >= 0 && place.is_managed);
}

int64_t startile_matrix_wrap_device(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                    void *a, int64_t lda, int64_t mb, int64_t nb, int device,
                                    void *stream)
{
    int status = check_wrapped(A, dtype, m, n, a, lda, mb, nb);
    if (status != 0)
        return status;
    if (device < -1)
        return -9;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    struct place place = place_of(a);
    bool has_elements = m > 0 && n > 0;
    if (has_elements && !is_device_of(place, device))
        return -9;
    if (place.device >= 0 && (uintptr_t)a % (uintptr_t)startile_element_size[dtype] != 0)
        return -5;
    int node = place.device < 0 ? STARPU_MAIN_RAM : node_of_device(place.device);
    if (node < 0)
        return STARTILE_ERROR_NO_WORKER;
    struct stream_point *point;
    status = stream_point_record(&point, place.device >= 0 ? place.device : device, stream);
    if (status == 0)
        status = wrap_on_node(A, dtype, m, n, a, lda, mb, nb, node);
    if (status == 0)
        order_after_point(*A, place.device, point);
    stream_point_release(point);
    return status == -1 ? -10 : status;
}

/* Returns the GPU whose memory is the home node of A's tiles, or −1. */
static int device_of_matrix(const startile_matrix *A)
{
    return A->home_node == STARPU_MAIN_RAM ? -1
                                           : starpu_memory_node_get_devid((unsigned)A->home_node);
}

int64_t startile_matrix_after_stream(startile_matrix *A, void *stream)
{
    if (A == NULL || A->kind != MATRIX_WRAPPED || A->grid != NULL)
        return -1;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    struct stream_point *point;
    int device = device_of_matrix(A), status = stream_point_record(&point, device, stream);
    if (status == 0)
        order_after_point(A, device, point);
    stream_point_release(point);
    return status == -1 ? -2 : status;
}
