/*
 * The operands of a run of `startile bench`: random matrices in tiles without a home, or in
 * LAPACK's storage in main memory.
 */
#include "bench.h"
#include "scalar.h"

#include <starpu.h>
#include <stdlib.h>
#include <sys/mman.h>

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

size_t operand_bytes(const struct problem *p, const struct operand *o)
{
    return (size_t)at_least_1(o->m) * (size_t)at_least_1(o->n) * dtype_size(p->dtype);
}

int64_t operand_mb(const struct problem *p, const struct operand *o)
{
    return p->routine->tall_tiles && p->mb >= p->m ? at_least_1(o->m) : p->mb;
}

int64_t pivot_count(const struct problem *p)
{
    return at_least_1(p->m < p->n ? p->m : p->n);
}

int64_t operand_make(const struct problem *p, const struct operand *o, int64_t mb, int64_t nb,
                     startile_matrix **A)
{
    *A = NULL;
    int64_t status = startile_matrix_create(A, p->dtype, o->m, o->n, mb, nb);
    return status ? status : startile_random(o->kind, o->seed, o->bump, *A);
}

/* -- storage -------------------------------------------------------------------------------- */

/* A size that was not given is the library's choice; the number of rows follows from it: all, or
 * for a tree the library's choice in whole blocks. */
static int64_t settle_tall_tiles(struct problem *p)
{
    int64_t mb, nb;
    /* The library's names for QR are those of complex types. */
    const char *name = p->routine->alias ? p->routine->alias : p->routine->name;
    int64_t status = startile_tile_shape(name, p->dtype, p->m, p->n, &mb, &nb);
    if (status)
        return status;
    bool by_tree = p->routine->by_tree;
    if (!p->mb)
        p->mb = !p->nb ? mb : by_tree ? (mb + p->nb - 1) / p->nb * p->nb : at_least_1(p->m);
    p->nb = p->nb ? p->nb : nb;
    return 0;
}

/* The first operand decides on the tile size of all. */
static int64_t settle_tiles(struct problem *p, const struct operand *first)
{
    if (p->routine->tall_tiles)
        return settle_tall_tiles(p);
    int64_t mb, status = 0;
    if (!p->nb)
        status = startile_tile_shape(p->routine->name, p->dtype, first->m, first->n, &mb, &p->nb);
    p->mb = p->nb;
    return status;
}

#ifdef STARTILE_SIMULATION
/* Addresses without memory behind them: nothing is read or written. */
static int64_t allocate(void **memory, size_t bytes, bool *pageable)
{
    *pageable = false;
    *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*memory != MAP_FAILED)
        return 0;
    *memory = NULL;
    return STARTILE_ERROR_MEMORY;
}

static void release(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
#else
static int64_t allocate(void **memory, size_t bytes, bool *pageable)
{
    if (posix_memalign(memory, 4096, bytes)) {
        *memory = NULL;
        return STARTILE_ERROR_MEMORY;
    }
    /* Transfers work without page-locking too, slower. */
    *pageable = startile_pin(*memory, bytes) != 0 || *pageable;
    return 0;
}

static void release(void *memory, size_t bytes)
{
    if (memory)
        (void)startile_unpin(memory, bytes);
    free(memory);
}
#endif

static bool has_triangles(const struct problem *p)
{
    return p->routine->reflectors && !p->routine->by_tree;
}

static size_t triangles_bytes(const struct problem *p)
{
    return (size_t)p->nb * (size_t)pivot_count(p) * dtype_size(p->dtype);
}

int64_t operands_open(struct operands *x, struct problem *p, bool resident_on_gpu, const char *disk)
{
    *x = (struct operands){.problem = p, .resident_on_gpu = resident_on_gpu, .disk = disk};
    p->routine->describe(p, x->describe);
    int64_t status = settle_tiles(p, &x->describe[0]);
    for (int i = 0; i < p->routine->operands && !status && !resident_on_gpu && !disk; i++)
        status = allocate(&x->host[i], operand_bytes(p, &x->describe[i]), &x->pageable);
    if (!status && !resident_on_gpu && has_triangles(p))
        status = allocate(&x->triangles, triangles_bytes(p), &x->pageable);
    x->ipiv = calloc((size_t)pivot_count(p), sizeof *x->ipiv);
    return status || x->ipiv ? status : STARTILE_ERROR_MEMORY;
}

static void destroy_matrices(struct operands *x)
{
    for (int i = 0; i < MAX_OPERANDS; i++) {
        startile_matrix_destroy(x->data.matrix[i]);
        x->data.matrix[i] = NULL;
    }
    startile_pivots_destroy(x->data.pivots);
    startile_matrix_destroy(x->data.reflectors);
    startile_tree_destroy(x->data.tree);
    x->data.pivots = NULL;
    x->data.reflectors = NULL;
    x->data.tree = NULL;
}

void operands_close(struct operands *x)
{
    destroy_matrices(x);
    for (int i = 0; i < x->problem->routine->operands; i++)
        release(x->host[i], operand_bytes(x->problem, &x->describe[i]));
    release(x->triangles, triangles_bytes(x->problem));
    free(x->ipiv);
    *x = (struct operands){0};
}

/* -- contents ------------------------------------------------------------------------------- */

static int64_t make_matrix(struct operands *x, int i)
{
    const struct problem *p = x->problem;
    const struct operand *o = &x->describe[i];
    if (x->disk)
        return startile_matrix_create_on_disk(&x->data.matrix[i], p->dtype, o->m, o->n,
                                              operand_mb(p, o), p->nb, x->disk);
    if (x->resident_on_gpu)
        return startile_matrix_create(&x->data.matrix[i], p->dtype, o->m, o->n, operand_mb(p, o),
                                      p->nb);
    return startile_matrix_wrap(&x->data.matrix[i], p->dtype, o->m, o->n, x->host[i],
                                at_least_1(o->m), operand_mb(p, o), p->nb);
}

static int64_t make_reflectors(struct operands *x)
{
    const struct problem *p = x->problem;
    if (x->resident_on_gpu)
        return startile_reflectors_create(&x->data.reflectors, x->data.matrix[0]);
    return startile_matrix_wrap(&x->data.reflectors, p->dtype, p->nb, pivot_count(p), x->triangles,
                                p->nb, p->nb, p->nb);
}

static int64_t make_matrices(struct operands *x)
{
    const struct problem *p = x->problem;
    int64_t status = 0;
    for (int i = 0; i < p->routine->operands && !status; i++)
        status = make_matrix(x, i);
    if (!status && p->routine->pivots)
        status = startile_pivots_create(&x->data.pivots, x->data.matrix[0]);
    if (!status && has_triangles(p))
        status = make_reflectors(x);
    if (!status && p->routine->by_tree)
        status = startile_tree_create(&x->data.tree, x->data.matrix[0], p->tree);
    return status;
}

/* Those of the GPUs, in their order. */
static int nodes_of_gpus(int node[STARPU_MAXNODES])
{
    int count = 0;
    for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++)
        if (starpu_node_get_kind(i) == STARPU_CUDA_RAM)
            node[count++] = (int)i;
    return count;
}

/* Tiles that a CPU worker filled move to a GPU, block columns to one after the other; the copy in
 * main memory is given up. */
static int64_t move_to_gpus(const startile_matrix *A)
{
    int node[STARPU_MAXNODES], gpus = nodes_of_gpus(node);
    startile_shape shape = startile_matrix_shape(A);
    for (int64_t j = 0; j < shape.nt; j++)
        for (int64_t i = 0; i < shape.mt; i++) {
            starpu_data_handle_t tile = startile_matrix_handle(A, i, j);
            if (starpu_data_acquire_on_node(tile, node[j % gpus], STARPU_RW))
                return STARTILE_ERROR_STARPU;
            starpu_data_release_on_node(tile, node[j % gpus]);
        }
    return 0;
}

/* New handles: copies that devices still hold are forgotten, so that transfers are paid for in the
 * run. */
static int64_t settle_in_main_memory(struct operands *x)
{
    bool keeps_pivots = x->data.pivots && x->problem->routine->prepare;
    int64_t status = keeps_pivots ? startile_pivots_to_lapack(x->data.pivots, x->ipiv) : 0;
    destroy_matrices(x);
    if (!status)
        status = make_matrices(x);
    if (!status && keeps_pivots)
        status = startile_pivots_from_lapack(x->data.pivots, x->ipiv);
    return status;
}

/* What they hold is in their files, and nowhere else. */
static int64_t gather_all(struct operands *x)
{
    int64_t status = 0;
    for (int i = 0; i < x->problem->routine->operands && !status; i++)
        status = startile_matrix_gather(x->data.matrix[i]);
    return status;
}

static int64_t settle(struct operands *x)
{
    int64_t status = 0;
    if (x->disk)
        return gather_all(x);
    if (!x->resident_on_gpu)
        return settle_in_main_memory(x);
    for (int i = 0; i < x->problem->routine->operands && !status; i++)
        status = move_to_gpus(x->data.matrix[i]);
    if (!status && x->data.reflectors && x->problem->routine->prepare)
        status = move_to_gpus(x->data.reflectors);
    return status;
}

int64_t operands_fill(struct operands *x)
{
    const struct routine *routine = x->problem->routine;
    int64_t status = x->data.matrix[0] ? 0 : make_matrices(x);
    for (int i = 0; i < routine->operands && !status; i++) {
        const struct operand *o = &x->describe[i];
        status = startile_random(o->kind, o->seed, o->bump, x->data.matrix[i]);
    }
    if (!status && routine->prepare)
        status = routine->prepare(x->problem, &x->data);
    return status ? status : settle(x);
}

int64_t operands_gather(struct operands *x)
{
    int64_t status = 0;
    for (int i = 0; i < x->problem->routine->operands && !status && !x->resident_on_gpu; i++)
        if (x->describe[i].result)
            status = startile_matrix_gather(x->data.matrix[i]);
    if (!status && x->data.pivots && !x->resident_on_gpu)
        status = startile_pivots_to_lapack(x->data.pivots, x->ipiv);
    if (!status && x->data.reflectors && !x->resident_on_gpu)
        status = startile_matrix_gather(x->data.reflectors);
    return status;
}
