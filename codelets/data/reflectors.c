/* The triangles of block reflectors, with tau on their diagonals. */
#include "data/reflectors.h"

#include "data/handle.h"
#include "data/matrix.h"
#include "grid/agreement.h"
#include "grid/exchange.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "library/integers.h"
#include "request/request.h"

#include <string.h>

int64_t startile_reflectors_create(startile_reflectors **T, const startile_matrix *A)
{
    const argument a = matrix_argument(A);
    bool has_panels = A != NULL && !is_on_symmetric_grid(A);
    int wrong = agree_on_call(&(call){"reflectors_create", &a, 1}, T == NULL    ? -1
                                                                   : has_panels ? 0
                                                                                : -2);
    if (wrong != 0)
        return wrong;
    const startile_shape *s = &A->shape;
    int64_t n = min(s->m, s->n);
    startile_matrix *M;
    int status = A->grid == NULL
                     ? startile_matrix_create(&M, s->dtype, s->nb, n, s->nb, s->nb)
                     : create_distributed(&M, s->dtype, s->nb, n, s->nb, s->nb, A->grid);
    if (status == 0)
        *T = reflectors_in(M);
    return status;
}

static bool has_triangles(const startile_matrix *T)
{
    return T->shape.m == T->shape.nb && T->shape.mt == 1;
}

int64_t startile_reflectors_from_matrix(startile_reflectors **T, startile_matrix *M)
{
    if (T == NULL)
        return -1;
    if (M == NULL || !has_triangles(M))
        return -2;
    *T = reflectors_in(M);
    return 0;
}

void startile_reflectors_destroy(startile_reflectors *T)
{
    startile_matrix_destroy(triangles_of(T));
}

startile_matrix *startile_reflectors_matrix(startile_reflectors *T)
{
    return triangles_of(T);
}

bool reflectors_fit(const startile_matrix *T, const startile_matrix *A)
{
    const startile_shape *t = &T->shape, *a = &A->shape;
    return T != A && has_triangles(T) && t->dtype == a->dtype && t->nb == a->nb &&
           t->n <= min(a->m, a->n);
}

/* Copies tau from the diagonal of T's tile k (`out`) or to it. The tile must be in main memory. */
static void copy_diagonal(const startile_matrix *T, int64_t k, char *tau, bool out)
{
    size_t size = (size_t)startile_element_size[T->shape.dtype];
    starpu_data_handle_t handle = tile_handle((tile){T, 0, k, 'N'});
    char *t = starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
    size_t step = (starpu_matrix_get_local_ld(handle) + 1) * size;
    int64_t columns = tile_columns((tile){T, 0, k, 'N'});
    for (int64_t j = 0; j < columns; j++, t += step, tau += size)
        memcpy(out ? tau : t, out ? t : tau, size);
}

/* tau := the diagonals of T if `out`; else sets the diagonals of the own tiles of T to tau. Waits
 * for the tasks on T. */
static int copy_tau(const startile_matrix *T, char *tau, bool out)
{
    const startile_shape *s = &T->shape;
    size_t step = (size_t)s->nb * (size_t)startile_element_size[s->dtype];
    for (int64_t k = 0; k < s->nt; k++, tau += step) {
        tile t = {T, 0, k, 'N'};
        if (!out && !is_own_tile(t))
            continue; /* tasks copy such a tile from its owner */
        starpu_data_handle_t handle = tile_handle_for(t, STARPU_R);
        if (handle == NULL)
            return STARTILE_ERROR_TILE;
        if (handle_acquire_in_main_memory(handle, out ? STARPU_R : STARPU_RW) != 0)
            return STARTILE_ERROR_STARPU;
        copy_diagonal(T, k, tau, out);
        handle_release(handle, STARPU_MAIN_RAM);
    }
    return 0;
}

/* Copies the triangles from their owners to all processes, and waits for that. */
static int64_t broadcast_triangles(const startile_matrix *T)
{
    startile_request *r = request_start();
    if (r != NULL)
        for (int64_t k = 0; k < T->shape.nt; k++)
            if (tile_handle((tile){T, 0, k, 'N'}) != NULL)
                exchange_with_all(context_of(r), T->grid, tile_handle((tile){T, 0, k, 'N'}));
    return request_finish(r, 0);
}

int64_t startile_reflectors_to_lapack(startile_reflectors *reflectors, void *tau)
{
    const startile_matrix *T = triangles_of(reflectors);
    const argument t = matrix_argument(T);
    int wrong = T == NULL || !has_triangles(T) ? -1 : tau == NULL && T->shape.n > 0 ? -2 : 0;
    wrong = agree_on_call(&(call){"reflectors_to_lapack", &t, 1}, wrong);
    if (wrong != 0)
        return wrong;
    int status = T->grid == NULL ? 0 : (int)broadcast_triangles(T);
    return status != 0 ? status : copy_tau(T, tau, true);
}

int reflectors_set_tau(startile_matrix *T, const void *tau)
{
    return copy_tau(T, (void *)tau, false);
}
