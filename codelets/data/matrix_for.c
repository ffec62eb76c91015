/* Constructors that choose the tiles for a routine. */
#include "data/pointer.h"
#include "models/tile_size.h"

int64_t tile_shape_for(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                       const void *a, int64_t *mb, int64_t *nb)
{
    return is_gpu_memory(a) ? startile_tile_shape(routine, dtype, m, n, mb, nb)
                            : startile_tile_shape_in_host(routine, dtype, m, n, mb, nb);
}

/* Returns the error code of a constructor that has the argument `routine` behind A. `status`: code
 * of a function without it */
static int64_t behind_routine(int64_t status)
{
    return status < 0 && status >= -6 ? status - 1 : status;
}

int64_t startile_matrix_create_for(startile_matrix **A, const char *routine, startile_dtype dtype,
                                   int64_t m, int64_t n)
{
    int64_t mb, nb;
    if (A == NULL)
        return -1;
    int64_t status = startile_tile_shape(routine, dtype, m, n, &mb, &nb);
    return status != 0 ? behind_routine(status) : startile_matrix_create(A, dtype, m, n, mb, nb);
}

int64_t startile_matrix_wrap_for(startile_matrix **A, const char *routine, startile_dtype dtype,
                                 int64_t m, int64_t n, void *a, int64_t lda)
{
    int64_t mb, nb;
    if (A == NULL)
        return -1;
    int64_t status = tile_shape_for(routine, dtype, m, n, a, &mb, &nb);
    return behind_routine(status != 0 ? status
                                      : startile_matrix_wrap(A, dtype, m, n, a, lda, mb, nb));
}
