#include "test_matrix.h"
#include "check.h"
#include "objects.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

const char *const way_names[WAYS] = {"wrapped", "created", "from handles"};

/* Returns the part of the array that is tile (i, j). */
static struct array tile_at(struct test_matrix *S, int64_t i, int64_t j, int64_t mb, int64_t nb)
{
    return array_part(S->array, i * mb, j * nb, min(mb, S->array.m - i * mb),
                      min(nb, S->array.n - j * nb));
}

/* Returns the number of tiles of length nb that cover n. */
static int64_t tiles_in(int64_t n, int64_t nb)
{
    return (n + nb - 1) / nb;
}

/* Makes the matrix from handles: registers a copy of each tile that uplo selects. The others have
 * no handle. */
static void make_handles(struct test_matrix *S, char uplo, int64_t mb, int64_t nb)
{
    int64_t mt = tiles_in(S->array.m, mb), nt = tiles_in(S->array.n, nb);
    S->tiles = mt * nt;
    S->tile = calloc((size_t)S->tiles + 1, sizeof *S->tile);
    S->handle = calloc((size_t)S->tiles + 1, sizeof *S->handle);
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = 0; i < mt; i++) {
            if (uplo == 'L' ? i < j : uplo == 'U' && i > j)
                continue;
            struct array tile_of_array = tile_at(S, i, j, mb, nb);
            struct array *copy = &S->tile[i + j * mt];
            *copy = array_new(tile_of_array.dtype, tile_of_array.m, tile_of_array.n, 1);
            array_assign(tile_of_array, *copy);
            starpu_matrix_data_register(&S->handle[i + j * mt], STARPU_MAIN_RAM, (uintptr_t)copy->a,
                                        (uint32_t)copy->ld, (uint32_t)copy->m, (uint32_t)copy->n,
                                        element_size(copy->dtype));
        }
    require_info(startile_matrix_from_handles(&S->A, S->array.dtype, S->array.m, S->array.n, mb, nb,
                                              S->handle, mt > 0 ? mt : 1),
                 0);
}

struct test_matrix test_matrix_new(struct array array, enum way way, char uplo, int64_t mb,
                                   int64_t nb)
{
    struct test_matrix S = {NULL, array, way, 0, NULL, NULL};
    switch (way) {
    case WRAPPED:
        require_info(
            startile_matrix_wrap(&S.A, array.dtype, array.m, array.n, array.a, array.ld, mb, nb),
            0);
        break;
    case CREATED:
        S.A = matrix_created(array.dtype, array.m, array.n, mb, nb);
        require_info(startile_matrix_from_lapack(S.A, array.a, array.ld), 0);
        break;
    case FROM_HANDLES:
        make_handles(&S, uplo, mb, nb);
        break;
    }
    return S;
}

/* Copies the tiles back to the array, and frees tiles, handles and matrix. */
static void handles_finish(struct test_matrix *S)
{
    startile_shape s = startile_matrix_shape(S->A);
    /* The request keeps the workers awake: unregistering may copy tiles from a GPU. */
    startile_request *awake = request_created();
    startile_matrix_destroy(S->A);
    for (int64_t t = 0; t < S->tiles; t++)
        if (S->handle[t] != NULL) {
            starpu_data_unregister(S->handle[t]);
            require(has_borders_intact(S->tile[t]));
            array_assign(S->tile[t], tile_at(S, t % s.mt, t / s.mt, s.mb, s.nb));
            array_free(S->tile[t]);
        }
    startile_request_destroy(awake);
    free(S->tile);
    free(S->handle);
}

void test_matrix_finish(struct test_matrix *S)
{
    if (S->way == FROM_HANDLES) {
        handles_finish(S);
    } else {
        if (S->way == CREATED)
            require_info(startile_matrix_to_lapack(S->A, S->array.a, S->array.ld), 0);
        startile_matrix_destroy(S->A);
    }
    S->A = NULL;
    require(has_borders_intact(S->array));
}

void test_matrices_finish_all(size_t count, struct test_matrix **S)
{
    for (size_t i = 0; i < count; i++)
        test_matrix_finish(S[i]);
}
