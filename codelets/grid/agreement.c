/* Agreement between the processes of a grid on the call of a routine and on its arguments. */
#include "grid/agreement.h"

#include "data/tiles.h"
#include "grid/grid.h"
#include "library/library.h"
#include "request/state.h"
#include "task/task.h"

#include <string.h>

/* The constants are those of 64-bit FNV-1a. */
uint64_t hash_of(const void *bytes, size_t size, uint64_t seed)
{
    uint64_t hash = 14695981039346656037u ^ seed;
    for (const unsigned char *b = bytes; size > 0; b++, size--)
        hash = (hash ^ *b) * 1099511628211u;
    return hash;
}

argument integer_argument(uint64_t i)
{
    return (argument){.hash = hash_of(&i, sizeof i, 0)};
}

argument number_argument(startile_complex z)
{
    startile_scalar s = to_scalar(z);
    return (argument){.hash = hash_of(&s, sizeof s, 0)};
}

argument result_argument(const void *p)
{
    (void)p;
    return (argument){0};
}

argument matrix_argument(const startile_matrix *A)
{
    if (A == NULL)
        return (argument){0};
    const startile_shape *s = &A->shape;
    const startile_grid *g = A->grid;
    /* All processes give the same tag to one matrix: they create matrices in the same order. */
    const int64_t key[] = {s->dtype,
                           s->m,
                           s->n,
                           s->mb,
                           s->nb,
                           g == NULL ? 0 : A->first_tag,
                           g == NULL ? 0 : g->p,
                           g == NULL ? 0 : g->q,
                           g == NULL ? 0 : g->group};
    return (argument){true, NULL, A->grid, hash_of(key, sizeof key, 0)};
}

argument written_argument(startile_matrix *A)
{
    argument a = matrix_argument(A);
    a.written = A;
    return a;
}

/* Returns the grid whose processes take part in the call; NULL: the call is not distributed. */
static startile_grid *grid_of(const call *c)
{
    bool has_operands = false;
    for (int i = 0; i < c->count; i++) {
        if (c->list[i].grid != NULL)
            return c->list[i].grid;
        has_operands |= c->list[i].is_operand;
    }
    return has_operands ? NULL : only_grid();
}

bool is_distributed(const call *c)
{
    return grid_of(c) != NULL;
}

int grid_agree(const startile_grid *g, uint64_t hash, int64_t value[2])
{
    /* without the lowest bit, so that −half exists */
    int64_t half = (int64_t)(hash >> 1), element[] = {value[0], value[1], half, -half};
    int failed = grid_least(g, element, 4);
    if (failed != 0)
        return failed;
    value[0] = element[0];
    value[1] = element[1];
    return element[2] == -element[3] ? 0 : STARTILE_ERROR_MISMATCH;
}

/* Returns the status of the call as agree_on_call() does. `seed`: number that the processes compare
 * along with routine and arguments */
static int agree(const call *c, uint64_t seed, int status)
{
    if (library_unusable_after_fork())
        return status != 0 ? status : STARTILE_ERROR_STARPU;
    const startile_grid *g = grid_of(c);
    if (g == NULL)
        return status;
    int64_t value[] = {status, 0};
    uint64_t hash = hash_of(c->routine, strlen(c->routine), seed);
    for (int i = 0; i < c->count; i++)
        hash = hash_of(&c->list[i].hash, sizeof c->list[i].hash, hash);
    int failed = grid_agree(g, hash, value);
    return value[0] != 0 ? (int)value[0] : failed;
}

int agree_on_call(const call *c, int status)
{
    return agree(c, 0, status);
}

/* Drops the copies of A's tiles in processes that do not own them. */
static void drop_all_copies(const startile_matrix *A)
{
    for (int64_t t = 0; t < A->shape.mt * A->shape.nt; t++)
        if (A->tiles[t] != NULL)
            A->grid->network->drop_copy(A->grid, A->tiles[t]);
}

int begin_call(const call *c, int checked, startile_request *request)
{
    int without_request = -(c->count + 1);
    int status = checked == without_request && request != NULL ? 0 : checked;
    /* the processes compare the level of the option verify, too */
    status = agree(c, request != NULL ? (uint64_t)request->verify : 0, status);
    if (status != 0)
        return status;
    request_use_grid(request, grid_of(c));
    for (int i = 0; i < c->count; i++)
        if (c->list[i].written != NULL && c->list[i].grid != NULL)
            drop_all_copies(c->list[i].written);
    return status;
}
