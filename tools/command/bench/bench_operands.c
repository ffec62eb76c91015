/*
 * Operands of a run of `startile bench`: random matrices in tiles that the library allocates, in
 * files, or in LAPACK's storage in main memory.
 */
#include "bench.h"
#include "scalar.h"
#include "startile_disk.h"
#include "startile_testing.h"

#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

size_t operand_bytes(const struct problem *p, const struct random_matrix *o)
{
    return (size_t)at_least_1(o->m) * (size_t)at_least_1(o->n) * dtype_size(p->dtype);
}

/* Returns the rows of an operand's tiles: all rows, if the routine takes tall tiles and a tile has
 * at least m rows; else p->mb. */
static int64_t operand_mb(const struct problem *p, const struct random_matrix *o)
{
    bool tall = p->routine->traits & TALL_TILES && p->mb >= p->m;
    return tall ? at_least_1(o->m) : p->mb;
}

int64_t create_matrix(startile_matrix **A, const struct problem *p, int64_t m, int64_t n,
                      int64_t mb, int64_t nb)
{
    return p->ranks ? startile_matrix_create_distributed(A, p->dtype, m, n, mb, nb, p->ranks->grid)
                    : startile_matrix_create(A, p->dtype, m, n, mb, nb);
}

int64_t pivot_count(const struct problem *p)
{
    return at_least_1(p->m < p->n ? p->m : p->n);
}

/* -- storage -------------------------------------------------------------------------------- */

/* Chooses the tile sizes that are 0, by the shape of the first operand. If only nb is given, a tile
 * of LU and QR has all rows; for a tree it has the library's number of rows, rounded up to a
 * multiple of nb; on several process rows tiles are square. */
static int64_t choose_tiles(struct problem *p, const struct random_matrix *first,
                            bool in_host_memory)
{
    /* The library's names for QR are those of complex types. */
    const char *name = p->routine->alias ? p->routine->alias : p->routine->name;
    unsigned traits = p->routine->traits;
    int64_t mb, nb,
        status = (in_host_memory ? startile_tile_shape_in_host : startile_tile_shape)(
            name, p->dtype, first->m, first->n, &mb, &nb);
    bool has_process_rows = p->ranks && p->ranks->p > 1;
    if (traits & TALL_TILES && has_process_rows && !p->mb)
        p->mb = p->nb = p->nb ? p->nb : nb; /* so that each process row has tiles */
    if (traits & TALL_TILES) {
        int64_t rows = traits & BY_TREE && p->nb ? (mb + p->nb - 1) / p->nb * p->nb : p->m;
        p->mb = p->mb ? p->mb : p->nb ? at_least_1(rows) : mb;
    }
    p->nb = p->nb ? p->nb : nb;
    if (!(traits & TALL_TILES))
        p->mb = p->nb;
    return status;
}

#ifdef STARTILE_SIMULATION
/* Reserves addresses without memory: a simulation neither reads nor writes elements. */
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
/* Allocates pages and page-locks them. *pageable := true if that fails; else *pageable stays as it
 * is. */
static int64_t allocate(void **memory, size_t bytes, bool *pageable)
{
    if (posix_memalign(memory, 4096, bytes)) {
        *memory = NULL;
        return STARTILE_ERROR_MEMORY;
    }
    /* Page-locking may fail; transfers are then slower. */
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

/* Returns whether the routine has the triangles T of block reflectors. */
static bool has_triangles(const struct problem *p)
{
    return p->routine->traits & REFLECTORS && !(p->routine->traits & BY_TREE);
}

static size_t triangles_bytes(const struct problem *p)
{
    return (size_t)p->nb * (size_t)pivot_count(p) * dtype_size(p->dtype);
}

/* Looks at the files of an interrupted run, which must be of this problem. Returns 0 or, after a
 * report, a startile_error. */
static int64_t open_resume(struct resume *r, const struct problem *p, const char *file)
{
    char text[128];
    snprintf(text, sizeof text, "bench %s, precision %c, %" PRId64 " x %" PRId64, p->routine->name,
             dtype_letter(p->dtype), p->m, p->n);
    int64_t status = !resume_begin(r, file) ? STARTILE_ERROR_DISK : resume_check_problem(r, text);
    if (status)
        r->file = NULL; /* already reported */
    return status;
}

int64_t operands_open(struct operands *x, struct problem *p, const struct bench_settings *s)
{
    bool library_allocates = s->resident_on_gpu || p->ranks, is_in_file = s->disk || s->resume_file;
    *x = (struct operands){.problem = p, .library_allocates = library_allocates, .disk = s->disk};
    int64_t status = open_resume(&x->resume, p, s->resume_file);
    if (status)
        return status;
    x->count = describe_operands(p, x->description);
    status = choose_tiles(p, &x->description[0], !library_allocates && !is_in_file);
    if (!library_allocates && !is_in_file)
        for (int i = 0; i < x->count && !status; i++)
            status = allocate(&x->host[i], operand_bytes(p, &x->description[i]), &x->pageable);
    if (!status && !library_allocates && has_triangles(p))
        status = allocate(&x->triangles, triangles_bytes(p), &x->pageable);
    x->ipiv = calloc((size_t)pivot_count(p), sizeof *x->ipiv);
    return status || x->ipiv ? status : STARTILE_ERROR_MEMORY;
}

void library_data_free(struct library_data *data)
{
    for (int i = 0; i < MAX_OPERANDS; i++)
        startile_matrix_destroy(data->matrix[i]);
    startile_pivots_destroy(data->pivots);
    startile_symmetric_pivots_destroy(data->symmetric_pivots);
    startile_pivots_destroy(data->band_pivots);
    startile_matrix_destroy(data->band);
    startile_permutation_destroy(data->permutation);
    startile_reflectors_destroy(data->reflectors);
    startile_tree_destroy(data->tree);
    *data = (struct library_data){.pivots = NULL};
}

void operands_close(struct operands *x)
{
    library_data_free(&x->data);
    for (int i = 0; i < x->count; i++)
        release(x->host[i], operand_bytes(x->problem, &x->description[i]));
    release(x->triangles, triangles_bytes(x->problem));
    free(x->ipiv);
    *x = (struct operands){0};
}

/* -- contents ------------------------------------------------------------------------------- */

/* Creates the matrix of operand i where it resides. */
static int64_t make_matrix(struct operands *x, int i)
{
    const struct problem *p = x->problem;
    const struct random_matrix *o = &x->description[i];
    if (x->resume.file) /* the routine has one operand */
        return resume_wrap(&x->resume, &x->data.matrix[i], p->dtype, o->m, o->n, operand_mb(p, o),
                           p->nb);
    if (x->disk)
        return startile_matrix_create_on_disk(&x->data.matrix[i], p->dtype, o->m, o->n,
                                              operand_mb(p, o), p->nb, x->disk);
    if (x->library_allocates)
        return create_matrix(&x->data.matrix[i], p, o->m, o->n, operand_mb(p, o), p->nb);
    return startile_matrix_wrap(&x->data.matrix[i], p->dtype, o->m, o->n, x->host[i],
                                at_least_1(o->m), operand_mb(p, o), p->nb);
}

/* Creates the triangles T. */
static int64_t make_reflectors(struct operands *x)
{
    const struct problem *p = x->problem;
    startile_matrix **M = &x->data.triangles;
    int64_t k = pivot_count(p);
    int64_t status = x->library_allocates ? create_matrix(M, p, p->nb, k, p->nb, p->nb)
                                          : startile_matrix_wrap(M, p->dtype, p->nb, k,
                                                                 x->triangles, p->nb, p->nb, p->nb);
    return status ? status : startile_reflectors_from_matrix(&x->data.reflectors, *M);
}

/* Creates the matrices, the pivots, and the triangles or the tree that the routine has. */
static int64_t make_matrices(struct operands *x)
{
    const struct problem *p = x->problem;
    int64_t status = 0;
    for (int i = 0; i < x->count && !status; i++)
        status = make_matrix(x, i);
    if (!status && p->routine->traits & BAND)
        status = create_matrix(&x->data.band, p, p->n, p->n, p->nb, p->nb);
    if (!status && p->routine->traits & BAND)
        status = startile_pivots_create(&x->data.band_pivots, x->data.band);
    if (!status && p->routine->traits & (PIVOTS | BAND))
        status = startile_pivots_create(&x->data.pivots, x->data.matrix[0]);
    if (!status && p->routine->traits & SYMMETRIC_PIVOTS)
        status = startile_symmetric_pivots_create(&x->data.symmetric_pivots, x->data.matrix[0]);
    if (!status && p->routine->traits & COLUMN_PIVOTS)
        status = startile_permutation_create(&x->data.permutation, x->data.matrix[0]);
    if (!status && has_triangles(p))
        status = make_reflectors(x);
    x->mixed.size = sizeof x->mixed;
    x->data.mixed = &x->mixed;
    if (!status && p->routine->traits & BY_TREE)
        status = startile_tree_create(&x->data.tree, x->data.matrix[0], p->tree);
    return status;
}

/* Stores StarPU's memory nodes of the GPUs. Returns their number. */
static int nodes_of_gpus(int node[STARPU_MAXNODES])
{
    int count = 0;
    for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++)
        if (starpu_node_get_kind(i) == STARPU_CUDA_RAM)
            node[count++] = (int)i;
    return count;
}

/* Moves the tiles to the GPUs, block columns in turn. No copy remains in main memory. */
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

/* Replaces the matrices by new ones on the same storage. StarPU then has no copies on devices, so
 * the timed run includes the transfers. Keeps the pivots that prepare() computed. */
static int64_t renew_matrices(struct operands *x)
{
    const struct problem *p = x->problem;
    bool keeps_pivots = x->data.pivots && p->routine->prepare,
         keeps_symmetric = x->data.symmetric_pivots && p->routine->prepare;
    int64_t status = keeps_pivots ? startile_pivots_to_lapack(x->data.pivots, x->ipiv)
                     : keeps_symmetric
                         ? startile_symmetric_pivots_to_lapack(x->data.symmetric_pivots, x->ipiv)
                         : 0;
    library_data_free(&x->data);
    if (!status)
        status = make_matrices(x);
    if (!status && keeps_pivots)
        status = startile_pivots_from_lapack(x->data.pivots, x->ipiv);
    if (!status && keeps_symmetric)
        status = startile_symmetric_pivots_from_lapack(x->data.symmetric_pivots, p->uplo, x->ipiv);
    return status;
}

/* Leaves the elements only where they reside: in main memory, on disk or on the GPUs. Does nothing
 * for distributed matrices. */
static int64_t move_to_residence(struct operands *x)
{
    int64_t status = 0;
    if (x->problem->ranks)
        return 0;
    bool is_in_file = x->disk || x->resume.file;
    if (!x->library_allocates && !is_in_file)
        return renew_matrices(x);
    for (int i = 0; i < x->count && !status; i++)
        status = is_in_file ? startile_matrix_gather(x->data.matrix[i])
                            : move_to_gpus(x->data.matrix[i]);
    if (!status && !is_in_file && x->data.reflectors && x->problem->routine->prepare)
        status = move_to_gpus(x->data.triangles);
    return status;
}

int64_t operands_fill(struct operands *x)
{
    const struct routine *routine = x->problem->routine;
    int64_t status = x->data.matrix[0] ? 0 : make_matrices(x);
    for (int i = 0; i < x->count && !status && !x->resume.continues; i++) {
        const struct random_matrix *o = &x->description[i];
        status = startile_random(o->kind, o->seed, o->bump, x->data.matrix[i]);
    }
    if (!status && routine->prepare)
        status = routine->prepare(x->problem, &x->data);
    if (!status)
        status = move_to_residence(x);
    bool is_new_file = x->resume.file && !x->resume.continues;
    return status || !is_new_file ? status : resume_filled(&x->resume, x->data.matrix[0]);
}

int64_t operands_gather(struct operands *x)
{
    int64_t status = 0;
    if (x->library_allocates)
        return 0;
    for (int i = 0; i < x->count && !status; i++)
        if (x->description[i].result)
            status = startile_matrix_gather(x->data.matrix[i]);
    if (!status && x->data.pivots)
        status = startile_pivots_to_lapack(x->data.pivots, x->ipiv);
    if (!status && x->data.symmetric_pivots)
        status = startile_symmetric_pivots_to_lapack(x->data.symmetric_pivots, x->ipiv);
    if (!status && x->data.reflectors)
        status = startile_matrix_gather(x->data.triangles);
    return status;
}

/* -- the peer's results ----------------------------------------------------------------------- */

/* Creates the triangles T from the peer's reflectors and tau. */
static int64_t take_reflectors(const struct problem *p, const struct reference *reference,
                               struct library_data *data)
{
    char storev = p->routine->traits & REFLECTORS_IN_ROWS ? 'R' : 'C';
    int64_t status = startile_reflectors_create(&data->reflectors, data->matrix[0]);
    return status ? status
                  : startile_reflectors_from_lapack(storev, data->matrix[0], reference->tau,
                                                    data->reflectors);
}

/* Creates the pivots from the peer's. */
static int64_t take_pivots(const struct problem *p, const struct reference *reference,
                           struct library_data *data)
{
    bool are_symmetric = p->routine->traits & SYMMETRIC_PIVOTS;
    int64_t status =
        are_symmetric ? startile_symmetric_pivots_create(&data->symmetric_pivots, data->matrix[0])
                      : startile_pivots_create(&data->pivots, data->matrix[0]);
    if (status)
        return status;
    return are_symmetric ? startile_symmetric_pivots_from_lapack(data->symmetric_pivots, p->uplo,
                                                                 reference->ipiv)
                         : startile_pivots_from_lapack(data->pivots, reference->ipiv);
}

int64_t wrap_peer_results(const struct operands *x, const struct reference *reference,
                          struct library_data *data, bool *complete)
{
    const struct problem *p = x->problem;
    int64_t status = 0;
    *data = (struct library_data){.pivots = NULL};
    /* LAPACK's Aasen factors have another T than startile's: without B they cannot be checked */
    *complete = !(p->routine->traits & BAND) || x->count > 1;
    for (int i = 0; i < x->count && !status; i++) {
        const struct random_matrix *o = &x->description[i];
        void *elements = o->result ? reference->result[i] : reference->input[i];
        *complete = *complete && (!o->result || elements);
        if (elements)
            status = startile_matrix_wrap(&data->matrix[i], p->dtype, o->m, o->n, elements,
                                          at_least_1(o->m), operand_mb(p, o), p->nb);
    }
    if (!status && data->matrix[0] && reference->tau)
        status = take_reflectors(p, reference, data);
    if (!status && data->matrix[0] && reference->ipiv && !(p->routine->traits & BAND))
        status = take_pivots(p, reference, data);
    return status;
}
