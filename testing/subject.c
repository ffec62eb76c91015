#include "subject.h"
#include "check.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

const char *const way_names[WAYS] = {"wrapped", "created", "from handles"};

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tile's elements, in the home if `of_home`, else in its own array. */
static struct array tile_at(struct subject *S, int64_t i, int64_t j, int64_t mb, int64_t nb)
{
    return array_part(S->home, i * mb, j * nb, min(mb, S->home.m - i * mb),
                      min(nb, S->home.n - j * nb));
}

static void copy(struct array from, struct array to)
{
    size_t size = element_size(from.dtype);
    for (int64_t j = 0; j < from.n; j++)
        memcpy((char *)to.a + (size_t)(j * to.ld) * size,
               (const char *)from.a + (size_t)(j * from.ld) * size, (size_t)from.m * size);
}

static int64_t tiles_in(int64_t n, int64_t nb)
{
    return (n + nb - 1) / nb;
}

static void make_handles(struct subject *S, char uplo, int64_t mb, int64_t nb)
{
    int64_t mt = tiles_in(S->home.m, mb), nt = tiles_in(S->home.n, nb);
    S->tiles = mt * nt;
    S->tile = calloc((size_t)S->tiles + 1, sizeof *S->tile);
    S->handle = calloc((size_t)S->tiles + 1, sizeof *S->handle);
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = 0; i < mt; i++) {
            if (uplo == 'L' ? i < j : uplo == 'U' && i > j)
                continue;
            struct array part = tile_at(S, i, j, mb, nb);
            struct array *own = &S->tile[i + j * mt];
            *own = array_new(part.dtype, part.m, part.n, 1);
            copy(part, *own);
            starpu_matrix_data_register(&S->handle[i + j * mt], STARPU_MAIN_RAM, (uintptr_t)own->a,
                                        (uint32_t)own->ld, (uint32_t)own->m, (uint32_t)own->n,
                                        element_size(own->dtype));
        }
    require_info(startile_matrix_from_handles(&S->A, S->home.dtype, S->home.m, S->home.n, mb, nb,
                                              S->handle, mt > 0 ? mt : 1),
                 0);
}

struct subject subject_new(struct array home, enum way way, char uplo, int64_t mb, int64_t nb)
{
    struct subject S = {NULL, home, way, 0, NULL, NULL};
    switch (way) {
    case WRAPPED:
        require_info(
            startile_matrix_wrap(&S.A, home.dtype, home.m, home.n, home.a, home.ld, mb, nb), 0);
        break;
    case CREATED:
        require_info(startile_matrix_create(&S.A, home.dtype, home.m, home.n, mb, nb), 0);
        require_info(startile_from_lapack(S.A, home.a, home.ld), 0);
        break;
    case FROM_HANDLES:
        make_handles(&S, uplo, mb, nb);
        break;
    }
    return S;
}

static void handles_home(struct subject *S)
{
    startile_shape s = startile_matrix_shape(S->A);
    /* The request keeps the workers awake, should tiles have to come from a GPU. */
    startile_request *awake;
    require_info(startile_request_create(&awake), 0);
    startile_matrix_destroy(S->A);
    for (int64_t t = 0; t < S->tiles; t++)
        if (S->handle[t] != NULL) {
            starpu_data_unregister(S->handle[t]);
            require(has_borders_intact(S->tile[t]));
            copy(S->tile[t], tile_at(S, t % s.mt, t / s.mt, s.mb, s.nb));
            array_free(S->tile[t]);
        }
    startile_request_destroy(awake);
    free(S->tile);
    free(S->handle);
}

void subject_home(struct subject *S)
{
    if (S->way == FROM_HANDLES) {
        handles_home(S);
    } else {
        if (S->way == CREATED)
            require_info(startile_to_lapack(S->A, S->home.a, S->home.ld), 0);
        startile_matrix_destroy(S->A);
    }
    S->A = NULL;
    require(has_borders_intact(S->home));
}
