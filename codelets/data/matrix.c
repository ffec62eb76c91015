/* Matrix descriptors: registers tiles with StarPU and copies them back to their home node. */
#include "data/matrix.h"

#include "data/handle.h"
#include "data/pointer.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "journal/journal_file.h"
#include "library/error_text.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"
#include "memory/disk.h"
#include "memory/host_memory.h"
#include "memory/memories.h"
#include "memory/tile_copies.h"
#include "models/tile_size.h"
#include "request/request.h"
#include "request/state.h"
#include "startile_disk.h"
#include "trace/profile.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Largest number of tiles of a matrix. StarPU needs at least a kilobyte for the handle of each, so
 * these take 256 GiB; with many more the system would kill the program instead of refusing
 * memory. */
static const int64_t MAX_HANDLES = (int64_t)1 << 28;

/* -- making --------------------------------------------------------------------------------- */

int check_shape(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb, int at_mb)
{
    if (dtype < STARTILE_S || dtype > STARTILE_Z)
        return -2;
    if (m < 0)
        return -3;
    if (n < 0)
        return -4;
    if (mb < 1 || mb > INT_MAX)
        return -at_mb;
    if (nb < 1 || nb > INT_MAX)
        return -at_mb - 1;
    return 0;
}

/* Total size of the matrices without a home node, in bytes. It is limited because each matrix may
 * fit the machine while all together do not. */
static struct {
    pthread_mutex_t mutex;
    unsigned generation;
    double bytes;
} created = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Adds `bytes`, which may be negative, to the total size. Returns false, and adds nothing, if it
 * would exceed the memory of the machine. */
static bool reserve_memory(enum matrix_kind kind, double bytes)
{
    pthread_mutex_lock(&created.mutex);
    if (created.generation != runtime_generation())
        created.bytes = 0;
    created.generation = runtime_generation();
    bool fits = kind != MATRIX_OWNED || created.bytes + bytes <= memory_of_machine();
    if (fits && kind == MATRIX_OWNED)
        created.bytes = fmax(0, created.bytes + bytes);
    pthread_mutex_unlock(&created.mutex);
    return fits;
}

double bytes_of(const startile_shape *s, const startile_grid *g)
{
    return (double)elements_of_process(s, g) * startile_element_size[s->dtype];
}

static void release_memory(enum matrix_kind kind, const startile_shape *shape,
                           const startile_grid *grid)
{
    (void)reserve_memory(kind, -bytes_of(shape, grid));
}

int new_matrix(startile_matrix **out, enum matrix_kind kind, startile_dtype dtype, int64_t m,
               int64_t n, int64_t mb, int64_t nb, startile_grid *grid)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    startile_shape shape = {dtype, m, n, mb, nb, ceil_div(m, mb), ceil_div(n, nb)};
    int64_t tiles;
    if (__builtin_mul_overflow(shape.mt, shape.nt, &tiles) || tiles > MAX_HANDLES ||
        !reserve_memory(kind, bytes_of(&shape, grid)))
        return STARTILE_ERROR_MEMORY;
    startile_matrix *A = malloc(sizeof *A);
    if (A == NULL) {
        release_memory(kind, &shape, grid);
        return STARTILE_ERROR_MEMORY;
    }
    A->shape = shape;
    A->kind = kind;
    A->home_node = STARPU_MAIN_RAM;
    A->is_view = false;
    A->on_cores = false;
    A->page_locked = NULL;
    A->registers_on_use = false;
    A->grid = grid;
    A->local = NULL;
    A->store = NULL;
    A->is_callers_file = false;
    A->lda = 0;
    A->journal = NULL;
    A->journal_refusal = 0;
    A->refusal_text = NULL;
    A->tiles = calloc((size_t)max(1, tiles), sizeof *A->tiles);
    if (A->tiles == NULL) {
        release_memory(kind, &shape, grid);
        free(A);
        return STARTILE_ERROR_MEMORY;
    }
    if (grid != NULL)
        grid->users++;
    runtime_hold();
    *out = A;
    return 0;
}

starpu_data_handle_t *slot(const startile_matrix *A, int64_t i, int64_t j)
{
    return &A->tiles[i + j * A->shape.mt];
}

int64_t height_of(const startile_matrix *A, int64_t i)
{
    return min(A->shape.mb, A->shape.m - i * A->shape.mb);
}

int64_t width_of(const startile_matrix *A, int64_t j)
{
    return min(A->shape.nb, A->shape.n - j * A->shape.nb);
}

/* Registers tile (i, j) in *handle; home_node −1: it is allocated when a task first writes it.
 * Otherwise the tiles are in the array `a`. */
static void register_tile(starpu_data_handle_t *handle, const startile_matrix *A, int64_t i,
                          int64_t j, int home_node, char *a, int64_t lda)
{
    const startile_shape *s = &A->shape;
    size_t size = (size_t)startile_element_size[s->dtype];
    char *p = a == NULL ? NULL : a + ((size_t)(i * s->mb) + (size_t)(j * s->nb * lda)) * size;
    register_matrix(handle, home_node, (uintptr_t)p, lda, height_of(A, i), width_of(A, j), size);
    if (home_node < 0)
        starpu_data_set_ooc_flag(*handle, 0); /* never evict it to a disk (StarPU quirk 16) */
    starpu_data_set_coordinates(*handle, 2, (int)i, (int)j);
}

static void register_tiles(startile_matrix *A, int home_node, char *a, int64_t lda)
{
    for (int64_t j = 0; j < A->shape.nt; j++)
        for (int64_t i = 0; i < A->shape.mt; i++)
            register_tile(slot(A, i, j), A, i, j, home_node, a, lda);
}

/* Leading dimension of tiles that StarPU allocates. */
static int64_t ld_of_tiles(const startile_matrix *A)
{
    return min(A->shape.mb, max(1, A->shape.m));
}

/* Registers a tile of a temporary at its first use. Tasks of a request are submitted by the
 * caller's thread and by decisions, hence the mutex. */
static starpu_data_handle_t temporary_tile(tile t)
{
    static starpu_pthread_mutex_t mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
    starpu_data_handle_t *handle = slot(t.A, t.i, t.j), made;
    starpu_pthread_mutex_lock(&mutex);
    made = *handle;
    if (made == NULL)
        register_tile(&made, t.A, t.i, t.j, -1, NULL, ld_of_tiles(t.A));
    *handle = made;
    starpu_pthread_mutex_unlock(&mutex);
    return made;
}

starpu_data_handle_t local_handle(const startile_matrix *A, int64_t i, int64_t j)
{
    return A->registers_on_use ? temporary_tile((tile){A, i, j, 'N'}) : *slot(A, i, j);
}

int64_t startile_matrix_create(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                               int64_t mb, int64_t nb)
{
    if (A == NULL)
        return -1;
    int status = check_shape(dtype, m, n, mb, nb, 5);
    if (status == 0)
        status = new_matrix(A, MATRIX_OWNED, dtype, m, n, mb, nb, NULL);
    if (status == 0)
        register_tiles(*A, -1, NULL, ld_of_tiles(*A));
    return status;
}

/* Creates a matrix whose tiles are registered when they are used: StarPU takes some 10 µs for the
 * life of a handle, and of many temporaries only a triangle is used. */
static int create_temporary(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                            int64_t mb, int64_t nb)
{
    int status = check_shape(dtype, m, n, mb, nb, 5);
    if (status == 0)
        status = new_matrix(A, MATRIX_OWNED, dtype, m, n, mb, nb, NULL);
    if (status == 0)
        (*A)->registers_on_use = true;
    return status;
}

static void release_matrix(temporary *owned)
{
    startile_matrix *A = (startile_matrix *)owned;
    for (int64_t t = 0; t < A->shape.mt * A->shape.nt; t++)
        if (A->tiles[t] != NULL) {
            if (A->grid != NULL && A->grid->network->owner(A->grid, A->tiles[t]) == A->grid->rank)
                stage_add_bytes(owned->stage, A->tiles[t]);
            release_handle(A->tiles[t]);
        }
    if (A->grid != NULL)
        A->grid->users--;
    release_memory(A->kind, &A->shape, A->grid);
    free(A->tiles);
    free(A);
    runtime_release();
}

void own_matrix(context ctx, startile_matrix *A)
{
    own_temporary(ctx, &A->owned, release_matrix);
}

void keep_on_cores(startile_matrix *A)
{
    A->on_cores = true;
}

void keep_small_on_cores(int count, startile_matrix *const A[])
{
    for (int i = 0; i < count; i++)
        if (A[i] != NULL && !(suits_cores(A[i]->shape.m, A[i]->shape.n) && is_in_main_memory(A[i])))
            return;
    for (int i = 0; i < count; i++)
        if (A[i] != NULL)
            keep_on_cores(A[i]);
}

bool is_on_cores(const startile_matrix *A)
{
    return A->on_cores;
}

/* Returns a temporary; grid NULL: this process owns all of it. */
static startile_matrix *new_temporary(context ctx, startile_grid *grid, startile_shape s)
{
    startile_matrix *made = NULL;
    int status = grid == NULL ? create_temporary(&made, s.dtype, s.m, s.n, s.mb, s.nb)
                              : create_distributed_temporary(&made, s, grid);
    request_fail(ctx.request, status);
    if (made != NULL)
        own_matrix(ctx, made);
    return made;
}

/* Returns a temporary of A's type that uses the devices of A. */
static startile_matrix *temporary_for(context ctx, const startile_matrix *A, startile_grid *grid,
                                      startile_shape s)
{
    s.dtype = A->shape.dtype;
    startile_matrix *made = new_temporary(ctx, grid, s);
    if (made != NULL)
        made->on_cores = A->on_cores;
    return made;
}

startile_matrix *temporary_matrix(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                  int64_t mb, int64_t nb)
{
    return temporary_for(ctx, A, A->grid, (startile_shape){.m = m, .n = n, .mb = mb, .nb = nb});
}

startile_matrix *temporary_in_one_row(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                      int64_t mb, int64_t nb)
{
    return temporary_for(ctx, A, A->grid != NULL ? A->grid->one_row : NULL,
                         (startile_shape){.m = m, .n = n, .mb = mb, .nb = nb});
}

startile_matrix *temporary_of_type(context ctx, startile_dtype dtype, startile_shape shape)
{
    shape.dtype = dtype;
    return new_temporary(ctx, NULL, shape);
}

startile_matrix *temporary_on_grid(context ctx, const startile_matrix *A, startile_dtype dtype,
                                   startile_shape shape)
{
    shape.dtype = dtype;
    return new_temporary(ctx, A->grid, shape);
}

int check_wrapped(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, const void *a,
                  int64_t lda, int64_t mb, int64_t nb)
{
    if (A == NULL)
        return -1;
    int status = check_shape(dtype, m, n, mb, nb, 7);
    if (status < 0 && status >= -4)
        return status;
    if (a == NULL && m > 0 && n > 0)
        return -5;
    if (lda < max(1, m) || lda > INT_MAX)
        return -6;
    return status;
}

int wrap_on_node(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, void *a,
                 int64_t lda, int64_t mb, int64_t nb, int node)
{
    startile_matrix *made;
    int status = new_matrix(&made, MATRIX_WRAPPED, dtype, m, n, mb, nb, NULL);
    if (status != 0)
        return status;
    made->home_node = node;
    register_tiles(made, node, a, lda);
    *A = made;
    return 0;
}

int64_t startile_matrix_wrap(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                             void *a, int64_t lda, int64_t mb, int64_t nb)
{
    int device, node, status = check_wrapped(A, dtype, m, n, a, lda, mb, nb);
    if (status != 0)
        return status;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    node = memory_node_of(a, &device);
    if (node < 0)
        return STARTILE_ERROR_NO_WORKER;
    if (device >= 0 && (uintptr_t)a % (uintptr_t)startile_element_size[dtype] != 0)
        return -5;
    return wrap_on_node(A, dtype, m, n, a, lda, mb, nb, node);
}

/* -- on a disk ------------------------------------------------------------------------------ */

/* Registers the tiles of A->store. lda: leading dimension in the caller's file; 0: a file of the
 * library, in which each tile is contiguous. */
static void register_in_store(startile_matrix *A, int64_t lda)
{
    const startile_shape *s = &A->shape;
    int64_t size = startile_element_size[s->dtype];
    for (int64_t j = 0; j < s->nt; j++)
        for (int64_t i = 0; i < s->mt; i++) {
            int64_t m = height_of(A, i), n = width_of(A, j);
            int64_t elements_before =
                lda > 0 ? i * s->mb + j * s->nb * lda : j * s->nb * s->m + i * s->mb * n;
            register_matrix(slot(A, i, j), store_node(A->store),
                            store_tile_address(A->store, i + j * s->mt, elements_before * size),
                            lda > 0 ? lda : m, m, n, (size_t)size);
            starpu_data_set_user_data(*slot(A, i, j), A->store);
            starpu_data_set_coordinates(*slot(A, i, j), 2, (int)i, (int)j);
        }
}

int discard_matrix(startile_matrix *A, int status)
{
    if (A->grid != NULL)
        A->grid->users--;
    release_memory(A->kind, &A->shape, A->grid);
    free(A->tiles);
    free(A->local);
    free(A);
    runtime_release();
    return status;
}

/* Returns the error of a matrix that ends beyond 2^63 bytes. */
static int too_large(const char *path)
{
    errno = EFBIG;
    return explain_file(STARTILE_ERROR_DISK, path);
}

int64_t startile_matrix_create_on_disk(startile_matrix **A, startile_dtype dtype, int64_t m,
                                       int64_t n, int64_t mb, int64_t nb, const char *folder)
{
    startile_matrix *made;
    if (A == NULL)
        return -1;
    int status = check_shape(dtype, m, n, mb, nb, 5);
    if (status == 0 && folder == NULL)
        status = -7;
    if (status == 0)
        status = new_matrix(&made, MATRIX_ON_DISK, dtype, m, n, mb, nb, NULL);
    if (status != 0)
        return status;
    int64_t bytes, elements;
    if (__builtin_mul_overflow(m, n, &elements) ||
        __builtin_mul_overflow(elements, (int64_t)startile_element_size[dtype], &bytes))
        return discard_matrix(made, too_large(folder));
    status = store_create(&made->store, folder, bytes, made->shape.mt * made->shape.nt);
    if (status != 0)
        return discard_matrix(made, status);
    register_in_store(made, 0);
    *A = made;
    return 0;
}

static int size_of_real(startile_dtype dtype)
{
    bool has_parts = dtype == STARTILE_C || dtype == STARTILE_Z;
    return startile_element_size[dtype] / (has_parts ? 2 : 1);
}

int64_t startile_matrix_wrap_file(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                  const char *file, int64_t first, int64_t lda, int64_t mb,
                                  int64_t nb)
{
    startile_matrix *made;
    if (A == NULL)
        return -1;
    int status = check_shape(dtype, m, n, mb, nb, 8);
    if (status < 0 && status >= -4)
        return status;
    if (file == NULL)
        return -5;
    if (first < 0 || (disk_is_map() && first % size_of_real(dtype) != 0))
        return -6;
    if (lda < max(1, m) || lda > INT_MAX)
        return -7;
    if (status == 0)
        status = new_matrix(&made, MATRIX_ON_DISK, dtype, m, n, mb, nb, NULL);
    if (status != 0)
        return status;
    /* bytes := from the first element to the end of the last column; `end` only checks for
     * overflow */
    int64_t size = startile_element_size[dtype], last_column = n > 0 ? m * size : 0, bytes, end;
    if (__builtin_mul_overflow(lda * size, max(0, n - 1), &bytes) ||
        __builtin_add_overflow(bytes, last_column, &bytes) ||
        __builtin_add_overflow(bytes, first, &end))
        return discard_matrix(made, too_large(file));
    status = store_open(&made->store, file, first, bytes, made->shape.mt * made->shape.nt);
    if (status != 0)
        return discard_matrix(made, status);
    made->is_callers_file = true;
    made->lda = lda;
    register_in_store(made, lda);
    *A = made;
    return 0;
}

int64_t startile_matrix_disk_bytes(const startile_matrix *A, int64_t *read, int64_t *written)
{
    if (A == NULL || A->kind != MATRIX_ON_DISK)
        return -1;
    if (read == NULL)
        return -2;
    if (written == NULL)
        return -3;
    store_bytes(A->store, read, written);
    return 0;
}

/* -- the caller's handles ------------------------------------------------------------------- */

int check_tile(starpu_data_handle_t handle, const startile_matrix *A, int64_t i, int64_t j)
{
    long long row = (long long)i, column = (long long)j;
    if (starpu_data_get_interface_id(handle) != STARPU_MATRIX_INTERFACE_ID)
        return explain(-7, WRONG_TILE "is not registered as a matrix", row, column);
    int64_t m = starpu_matrix_get_nx(handle), n = starpu_matrix_get_ny(handle);
    size_t size = starpu_matrix_get_elemsize(handle);
    if (m != height_of(A, i) || n != width_of(A, j))
        return explain(-7, WRONG_TILE "has %lld x %lld elements, not %lld x %lld", row, column,
                       (long long)m, (long long)n, (long long)height_of(A, i),
                       (long long)width_of(A, j));
    if (size != (size_t)startile_element_size[A->shape.dtype])
        return explain(-7, WRONG_TILE "has elements of %zu bytes, not %d", row, column, size,
                       startile_element_size[A->shape.dtype]);
    if (!handle_orders_tasks(handle))
        return explain(-7, WRONG_TILE "has no sequential consistency", row, column);
    return 0;
}

int64_t startile_matrix_from_handles(startile_matrix **A, startile_dtype dtype, int64_t m,
                                     int64_t n, int64_t mb, int64_t nb,
                                     const starpu_data_handle_t *tiles, int64_t ldt)
{
    startile_matrix *made = NULL;
    if (A == NULL)
        return -1;
    int status = check_shape(dtype, m, n, mb, nb, 5);
    if (status != 0)
        return status;
    if (tiles == NULL && m > 0 && n > 0)
        return explain(-7, "matrix from handles: argument 7 is NULL");
    if (ldt < max(1, ceil_div(m, mb)))
        return -8;
    status = new_matrix(&made, MATRIX_CALLERS, dtype, m, n, mb, nb, NULL);
    if (status != 0)
        return status;
    for (int64_t j = 0; j < made->shape.nt; j++)
        for (int64_t i = 0; i < made->shape.mt; i++) {
            starpu_data_handle_t handle = *slot(made, i, j) = tiles[i + j * ldt];
            status = handle != NULL ? check_tile(handle, made, i, j) : 0;
            if (status != 0) {
                startile_matrix_destroy(made);
                return status;
            }
        }
    *A = made;
    return 0;
}

/* -- views ---------------------------------------------------------------------------------- */

/* Checks whether `count` elements from `first` on are whole tiles of `all` elements in tiles of nb.
 * Returns 0, 1 if `first` is wrong, or 2 if `count` is wrong. */
static int wrong_part(int64_t first, int64_t count, int64_t all, int64_t nb)
{
    if (first < 0 || first > all || (first % nb != 0 && first != all))
        return 1;
    return count < 0 || count > all - first || (count % nb != 0 && first + count != all) ? 2 : 0;
}

int64_t startile_matrix_view(startile_matrix **V, const startile_matrix *A, int64_t row,
                             int64_t column, int64_t m, int64_t n)
{
    if (V == NULL)
        return -1;
    if (A == NULL || A->grid != NULL)
        return -2;
    const startile_shape *a = &A->shape;
    int wrong_rows = wrong_part(row, m, a->m, a->mb),
        wrong_columns = wrong_part(column, n, a->n, a->nb);
    if (wrong_rows == 1 || wrong_columns == 1)
        return wrong_rows == 1 ? -3 : -4;
    if (wrong_rows != 0 || wrong_columns != 0)
        return wrong_rows != 0 ? -5 : -6;
    startile_matrix *made;
    /* MATRIX_CALLERS: its memory is not counted again */
    int status = new_matrix(&made, MATRIX_CALLERS, a->dtype, m, n, a->mb, a->nb, NULL);
    if (status != 0)
        return status;
    made->kind = A->kind;
    made->home_node = A->home_node;
    made->is_view = true;
    made->store = A->store;
    made->is_callers_file = A->is_callers_file;
    for (int64_t j = 0; j < made->shape.nt; j++)
        for (int64_t i = 0; i < made->shape.mt; i++)
            *slot(made, i, j) = local_handle(A, row / a->mb + i, column / a->nb + j);
    *V = made;
    return 0;
}

/* Frees the descriptor of a view. */
static void discard_view(startile_matrix *V)
{
    free(V->tiles);
    free(V);
    runtime_release();
}

/* -- copies to the home node ---------------------------------------------------------------- */

struct transfer {
    struct stage *stage; /* counts the transfer as unfinished */
    starpu_data_handle_t handle;
    int node;
};

/* Callback: the data is on the node. */
static void transfer_done(void *arg)
{
    struct transfer *a = arg;
    struct stage *stage = a->stage;
    starpu_data_release_on_node(a->handle, a->node);
    free(a);
    request_end_one(stage);
}

/* Submits a transfer of the handle's data to the node, after the tasks submitted so far. Request r
 * counts the transfer as unfinished. */
static void request_transfer(startile_request *r, starpu_data_handle_t handle, int node,
                             enum starpu_data_access_mode mode)
{
    struct transfer *a = malloc(sizeof *a);
    if (a == NULL) {
        request_fail(r, STARTILE_ERROR_MEMORY);
        return;
    }
    *a = (struct transfer){request_begin_one(r), handle, node};
    starpu_data_acquire_on_node_cb(handle, node, mode, transfer_done, a);
}

void return_handle_to_host(startile_request *r, starpu_data_handle_t handle,
                           enum starpu_data_access_mode mode)
{
    request_transfer(r, handle, STARPU_MAIN_RAM, mode);
}

void return_to_home(startile_request *r, tile t, enum starpu_data_access_mode mode)
{
    int home_node = t.A->store != NULL ? store_node(t.A->store) : t.A->home_node;
    request_transfer(r, tile_handle(t), home_node, mode);
}

bool is_in_main_memory(const startile_matrix *A)
{
    return (A->kind == MATRIX_WRAPPED && A->home_node == STARPU_MAIN_RAM) ||
           (A->store != NULL && store_is_mapped(A->store));
}

bool is_in_gpu_memory(const startile_matrix *A, unsigned node)
{
    return A->kind == MATRIX_WRAPPED && A->home_node == (int)node &&
           A->home_node != STARPU_MAIN_RAM;
}

void return_to_host(context ctx, tile A)
{
    if (runtime_has_cuda() && is_own_tile(A) &&
        is_in_main_memory(A.A)) /* a matrix in main memory has a handle for every tile */
        return_handle_to_host(ctx.request, tile_handle(A), STARPU_R);
}

void hint_idle(tile A)
{
    bool is_used = !A.A->registers_on_use || *slot(A.A, A.i, A.j) != NULL;
    starpu_data_handle_t handle = is_used && is_own_tile(A) ? tile_handle(A) : NULL;
    if (handle != NULL)
        starpu_data_wont_use(handle);
}

/* Returns tile number t in column-major order. */
static tile tile_number(const startile_matrix *A, int64_t t)
{
    return (tile){A, t % A->shape.mt, t / A->shape.mt, 'N'};
}

/* Copies the tiles of this process to their home node, and waits for that. Returns 0 or a
 * startile_error. */
static int gather_tiles(startile_matrix *A)
{
    startile_request *r = request_start();
    if (r == NULL)
        return (int)request_finish(r, 0);
    for (int64_t t = 0; t < A->shape.mt * A->shape.nt; t++)
        if (is_own_tile(tile_number(A, t)))
            return_to_home(r, tile_number(A, t), STARPU_RW);
    return (int)request_finish(r, 0);
}

int64_t startile_matrix_gather(startile_matrix *A)
{
    if (A == NULL || (A->kind != MATRIX_WRAPPED && A->kind != MATRIX_ON_DISK))
        return -1;
    int status = gather_tiles(A);
    return status == 0 && A->store != NULL ? store_sync(A->store) : status;
}

void startile_matrix_destroy(startile_matrix *A)
{
    /* at the library's end StarPU has released the tiles */
    if (A == NULL || !runtime_is_up())
        return;
    if (A->is_view) {
        discard_view(A);
        return;
    }
    /* submits all copies at once: starpu_data_unregister() would wait for each before the next */
    if ((A->kind == MATRIX_WRAPPED || A->is_callers_file) && runtime_has_cuda())
        gather_tiles(A);
    for (int64_t t = 0; A->kind != MATRIX_CALLERS && t < A->shape.mt * A->shape.nt; t++) {
        if (A->tiles[t] == NULL)
            continue; /* a tile of another process that no task used here */
        profile_forget(A->tiles[t]);
        if ((A->kind == MATRIX_WRAPPED && is_own_tile(tile_number(A, t))) || A->is_callers_file)
            starpu_data_unregister(A->tiles[t]);
        else
            starpu_data_unregister_no_coherency(A->tiles[t]);
    }
    page_unlock(A);
    store_close(A->store);
    journal_close(A->journal);
    free(A->refusal_text);
    if (A->grid != NULL)
        A->grid->users--;
    release_memory(A->kind, &A->shape, A->grid);
    free(A->tiles);
    free(A->local);
    free(A);
    runtime_release();
}

/* -- queries -------------------------------------------------------------------------------- */

startile_shape startile_matrix_shape(const startile_matrix *A)
{
    return A == NULL ? (startile_shape){0} : A->shape;
}

starpu_data_handle_t startile_matrix_handle(const startile_matrix *A, int64_t i, int64_t j)
{
    if (A == NULL || i < 0 || j < 0 || i >= A->shape.mt || j >= A->shape.nt)
        return NULL;
    return tile_handle((tile){A, i, j, 'N'});
}

starpu_data_handle_t tile_handle(tile t)
{
    if (t.A->registers_on_use)
        return temporary_tile(t);
    starpu_data_handle_t *handle = slot(t.A, t.i, t.j);
    if (*handle == NULL && t.A->grid != NULL && t.A->kind != MATRIX_CALLERS)
        register_distributed_tile(t);
    return *handle;
}

starpu_data_handle_t tile_handle_for(tile t, enum starpu_data_access_mode mode)
{
    starpu_data_handle_t handle = tile_handle(t);
    /* on a grid the constructor has checked that each tile has a value */
    bool may_lack_value = t.A->kind == MATRIX_CALLERS && t.A->grid == NULL && handle != NULL &&
                          (mode & STARPU_R) != 0;
    return may_lack_value && !handle_has_value(handle) ? NULL : handle;
}

int64_t tile_rows(tile t)
{
    return height_of(t.A, t.i);
}

int64_t tile_columns(tile t)
{
    return width_of(t.A, t.j);
}
