/* The interchanges of LU: one handle for each panel, with main memory as home node. */
#include "data/pivots.h"

#include "data/handle.h"
#include "grid/agreement.h"
#include "grid/exchange.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "library/integers.h"
#include "library/runtime.h"
#include "request/request.h"
#include "task/operands.h"
#include "trace/profile.h"

#include <stdlib.h>

/* Number of columns of a panel's pivots: ipiv, and four for the same interchanges as a permutation
 * (kernels.h). */
enum { COLUMNS = 5 };

struct startile_pivots {
    temporary owned;     /* of temporary_pivots() */
    startile_grid *grid; /* grid of the matrix, or NULL */
    int64_t m, count, nb, panels;
    int64_t *memory;
    starpu_data_handle_t panel[];
};

static int pivots_in(const startile_pivots *P, int64_t k)
{
    return (int)min(P->nb, P->count - k * P->nb);
}

static startile_pivots_of_panel panel_of(const startile_pivots *P, int64_t k)
{
    return (startile_pivots_of_panel){P->memory + COLUMNS * k * P->nb, pivots_in(P, k)};
}

/* Registers the pivots of a panel, set to no interchange. Traces show them at the panel's diagonal
 * tile. */
static void register_panel(startile_pivots *P, const startile_matrix *A, int64_t k)
{
    startile_pivots_of_panel p = panel_of(P, k);
    for (int j = 0; j < p.k; j++)
        p.of[j] = k * P->nb + j + 1;
    for (int j = p.k; j < COLUMNS * p.k; j++)
        p.of[j] = -1;
    register_matrix(&P->panel[k], STARPU_MAIN_RAM, (uintptr_t)p.of, p.k, p.k, COLUMNS,
                    sizeof *p.of);
    starpu_data_set_coordinates(P->panel[k], 2, (int)(k * P->nb / A->shape.mb), (int)k);
}

int64_t startile_pivots_create(startile_pivots **P, const startile_matrix *A)
{
    const argument a = matrix_argument(A);
    bool has_rows = A != NULL && !is_on_symmetric_grid(A);
    int wrong = agree_on_call(&(call){"pivots_create", &a, 1}, P == NULL ? -1 : has_rows ? 0 : -2);
    if (wrong != 0)
        return wrong;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int64_t count = min(A->shape.m, A->shape.n), nb = A->shape.nb, panels = (count + nb - 1) / nb;
    startile_pivots *made = malloc(sizeof *made + (size_t)panels * sizeof made->panel[0]);
    int64_t *memory = startile_malloc((COLUMNS * (size_t)count + 1) * sizeof *memory);
    if (made == NULL || memory == NULL) {
        startile_free(memory, (COLUMNS * (size_t)count + 1) * sizeof *memory);
        free(made);
        return STARTILE_ERROR_MEMORY;
    }
    *made = (startile_pivots){.grid = A->grid,
                              .m = A->shape.m,
                              .count = count,
                              .nb = nb,
                              .panels = panels,
                              .memory = memory};
    for (int64_t k = 0; k < panels; k++)
        register_panel(made, A, k);
    runtime_hold();
    *P = made;
    return 0;
}

void startile_pivots_destroy(startile_pivots *P)
{
    /* at the library's end StarPU has released the handles */
    if (P == NULL || !runtime_is_up())
        return;
    for (int64_t k = 0; k < P->panels; k++) {
        profile_forget(P->panel[k]);
        starpu_data_unregister(P->panel[k]);
    }
    startile_free(P->memory, (COLUMNS * (size_t)P->count + 1) * sizeof *P->memory);
    free(P);
    runtime_release();
}

static void release_pivots(temporary *owned)
{
    startile_pivots *P = (startile_pivots *)owned;
    for (int64_t k = 0; k < P->panels; k++)
        release_handle(P->panel[k]);
    free(P);
}

startile_pivots *temporary_pivots(context ctx, const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    int64_t count = min(s->m, s->n), panels = (count + s->nb - 1) / s->nb;
    startile_pivots *P = malloc(sizeof *P + (size_t)panels * sizeof P->panel[0]);
    if (P == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *P = (startile_pivots){.m = s->m, .count = count, .nb = s->nb, .panels = panels};
    for (int64_t k = 0; k < panels; k++)
        register_temporary(&P->panel[k], pivots_in(P, k), COLUMNS, sizeof(int64_t));
    own_temporary(ctx, &P->owned, release_pivots);
    return P;
}

/* Copies the pivots from their owners to all processes, and waits for that. */
static int64_t broadcast_pivots(const startile_pivots *P)
{
    startile_request *r = request_start();
    if (r != NULL)
        for (int64_t k = 0; k < P->panels; k++)
            exchange_with_all(context_of(r), P->grid, P->panel[k]);
    return request_finish(r, 0);
}

int pivots_read_panel(const startile_pivots *P, int64_t k, int64_t *ipiv)
{
    startile_pivots_of_panel panel = panel_of(P, k);
    if (handle_acquire_in_main_memory(P->panel[k], STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    for (int j = 0; j < panel.k; j++)
        ipiv[j] = panel.of[j];
    handle_release(P->panel[k], STARPU_MAIN_RAM);
    return 0;
}

int pivots_write_panel(startile_pivots *P, int64_t k, const int64_t *ipiv)
{
    startile_pivots_of_panel panel = panel_of(P, k);
    if (handle_acquire_in_main_memory(P->panel[k], STARPU_W) != 0)
        return STARTILE_ERROR_STARPU;
    for (int j = 0; j < panel.k; j++)
        panel.of[j] = ipiv[j];
    int status = startile_moves_of_pivots(k * P->nb, panel);
    handle_release(P->panel[k], STARPU_MAIN_RAM);
    return status;
}

int64_t startile_pivots_to_lapack(startile_pivots *P, int64_t *ipiv)
{
    int wrong = P == NULL ? -1 : ipiv == NULL && P->count > 0 ? -2 : 0;
    const argument p = pivots_argument(P);
    wrong = agree_on_call(&(call){"pivots_to_lapack", &p, 1}, wrong);
    if (wrong != 0)
        return wrong;
    if (P->grid != NULL) {
        int64_t status = broadcast_pivots(P);
        if (status != 0)
            return (int)status;
    }
    int status = 0;
    for (int64_t k = 0; k < P->panels && status == 0; k++)
        status = pivots_read_panel(P, k, ipiv + k * P->nb);
    return status;
}

static int check_interchanges(const startile_pivots *P, const int64_t *ipiv)
{
    if (P == NULL)
        return -1;
    if (ipiv == NULL && P->count > 0)
        return -2;
    for (int64_t i = 0; i < P->count; i++)
        if (ipiv[i] < i + 1 || ipiv[i] > P->m)
            return -2;
    return 0;
}

int64_t startile_pivots_from_lapack(startile_pivots *P, const int64_t *ipiv)
{
    const argument p = pivots_argument(P);
    int wrong = agree_on_call(&(call){"pivots_from_lapack", &p, 1}, check_interchanges(P, ipiv));
    if (wrong != 0)
        return wrong;
    int status = 0;
    for (int64_t k = 0; k < P->panels && status == 0; k++)
        status = pivots_write_panel(P, k, ipiv + k * P->nb);
    return status;
}

argument pivots_argument(const startile_pivots *P)
{
    if (P == NULL)
        return (argument){0};
    const int64_t key[] = {P->m, P->count, P->nb};
    return (argument){true, NULL, P->grid, hash_of(key, sizeof key, 0)};
}

starpu_data_handle_t startile_pivots_handle(const startile_pivots *P, int64_t k)
{
    return P == NULL || k < 0 || k >= P->panels ? NULL : P->panel[k];
}

starpu_data_handle_t pivots_handle(const startile_pivots *P, int64_t k)
{
    return P->panel[k];
}

startile_pivots_of_panel pivots_buffer(const void *interface)
{
    struct buffer b = matrix_buffer(interface);
    return (startile_pivots_of_panel){b.p, b.m};
}

int64_t pivots_first_row(const startile_pivots *P, int64_t k)
{
    return k * P->nb;
}

int64_t pivots_panels(const startile_pivots *P)
{
    return P->panels;
}

bool pivots_fit(const startile_pivots *P, const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    return P->grid == A->grid && P->m == s->m && P->count == min(s->m, s->n) &&
           same_tiles(P->count, P->nb, s->nb);
}
