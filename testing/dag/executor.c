#include "executor.h"

#include "data/handle.h"
#include "data/matrix.h"
#include "data/zero_init.h"
#include "grid/exchange.h"
#include "grid/step.h"
#include "grid/upload.h"
#include "journal/journal.h"
#include "library/library.h"
#include "library/runtime.h"
#include "memory/capacity.h"
#include "memory/memories.h"
#include "memory/tile_copies.h"
#include "request/corruption.h"
#include "request/decision.h"
#include "request/hold.h"
#include "request/progress.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"
#include "task/team.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct executor executor = {.workers = 1, .tiles_per_task = 1};

/* -- data ------------------------------------------------------------------------------------- */

/* StarPU's handle: a matrix in memory, and the tasks that access it, as indices of tasks[]. */
struct _starpu_data_state {
    struct starpu_matrix_interface interface;
    void *owned;     /* memory of a temporary, else NULL */
    int last_writer; /* task that wrote last, or −1 */
    int *readers;    /* tasks that read since the last writer */
    int reader_count;
    bool was_written;
    int returned_in;  /* value of `waits` at its return to host memory; 0: not returned since the
                         last writer */
    bool is_released; /* executor_reset() frees it */
    starpu_data_handle_t next;
};

static starpu_data_handle_t all_handles;
/* live_objects, late_writes, left_behind: results of executor_live_objects(),
 * executor_late_writes() and executor_panels_left_behind(). waits: number of calls of
 * startile_request_wait(), plus 1. */
static int live_objects, late_writes, left_behind, waits = 1;

/* Makes a handle of an m × n matrix at `address`; with home_node < 0 of new memory that contains
 * zeros. */
void register_matrix(starpu_data_handle_t *handle, int home_node, uintptr_t address, int64_t ld,
                     int64_t m, int64_t n, size_t element_size)
{
    starpu_data_handle_t h = calloc(1, sizeof *h);
    if (home_node < 0)
        h->owned = calloc((size_t)(m * n) + 1, element_size);
    h->interface =
        (struct starpu_matrix_interface){.ptr = home_node < 0 ? (uintptr_t)h->owned : address,
                                         .nx = (uint32_t)m,
                                         .ny = (uint32_t)n,
                                         .ld = (uint32_t)(home_node < 0 ? m : ld),
                                         .elemsize = element_size};
    h->last_writer = -1;
    h->next = all_handles;
    *handle = all_handles = h;
    live_objects++;
}

void register_temporary(starpu_data_handle_t *handle, int64_t m, int64_t n, size_t element_size)
{
    register_matrix(handle, -1, 0, m, m, n, element_size);
}

void register_order(starpu_data_handle_t *handle)
{
    register_temporary(handle, 1, 1, 1);
}

void release_handle(starpu_data_handle_t handle)
{
    handle->is_released = true;
    live_objects--;
}

/* Frees the released handles, and forgets the accesses to the others. */
static void free_released(void)
{
    for (starpu_data_handle_t *at = &all_handles; *at != NULL;) {
        starpu_data_handle_t h = *at;
        if (h->is_released) {
            *at = h->next;
            free(h->owned);
            free(h->readers);
            free(h);
        } else {
            h->last_writer = -1;
            h->reader_count = 0;
            at = &h->next;
        }
    }
}

/* -- tasks ------------------------------------------------------------------------------------ */

/* A task. The insert functions fill in its first member, StarPU's task. A task without cl_arg is a
 * callback for data in host memory, or the return of a tile. */
struct task {
    struct starpu_task starpu;
    const char *name;
    int64_t priority;
    starpu_data_handle_t *handle;
    enum starpu_data_access_mode *mode;
    int *before;             /* tasks that it depends on */
    int before_count, chain; /* chain: operations on the longest chain that ends with this task */
    bool has_run;
    void (*callback)(void *arg);
    void *arg;
};

static struct task **tasks;
static int task_count, first_unfinished;
static struct starpu_task *current; /* result of starpu_task_get_current() */

/* Returns the array of `count` elements, with space for one more. The capacity is the smallest
 * power of two >= count, and doubles if the array is full. */
static void *grow_if_full(void *array, int count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return realloc(array, size * (count == 0 ? 1 : 2 * (size_t)count));
}

static struct task *add_task(const char *name)
{
    struct task *t = calloc(1, sizeof *t);
    t->name = name;
    tasks = grow_if_full(tasks, task_count, sizeof *tasks);
    tasks[task_count++] = t;
    return t;
}

struct starpu_task *task_new(struct operation *op, context ctx, int64_t priority,
                             startile_dtype dtype, task_function run, size_t args_size)
{
    struct task *t = add_task(op->name);
    struct task_args *args = calloc(1, args_size);
    *args = (struct task_args){.ctx = ctx, .dtype = dtype, .run = run};
    t->priority = priority;
    t->starpu.cl_arg = args;
    return &t->starpu;
}

bool task_reserve(struct starpu_task *t, int64_t accesses)
{
    (void)t, (void)accesses;
    return true;
}

void task_access(struct starpu_task *starpu, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode)
{
    struct task *t = (struct task *)starpu;
    t->handle = grow_if_full(t->handle, starpu->nbuffers, sizeof *t->handle);
    t->mode = grow_if_full(t->mode, starpu->nbuffers, sizeof *t->mode);
    t->handle[starpu->nbuffers] = handle;
    t->mode[starpu->nbuffers++] = mode;
}

void task_tile(struct starpu_task *t, tile A, enum starpu_data_access_mode mode)
{
    task_access(t, tile_handle(A), mode);
}

void task_on_cpu(struct starpu_task *t)
{
    (void)t;
}

void task_on_gpus(struct starpu_task *t)
{
    (void)t;
}

void task_on_host(struct starpu_task *t)
{
    (void)t;
}

void task_info(struct starpu_task *t, enum starpu_data_access_mode mode)
{
    task_access(t, ((struct task_args *)t->cl_arg)->ctx.request->info, mode);
}

/* Makes t depend on tasks[predecessor]. */
static void depend(struct task *t, int predecessor)
{
    t->before = grow_if_full(t->before, t->before_count, sizeof *t->before);
    t->before[t->before_count++] = predecessor;
    t->chain = tasks[predecessor]->chain > t->chain ? tasks[predecessor]->chain : t->chain;
}

/* Derives the dependences of t, which is tasks[index], as StarPU does: every task waits for the
 * last writer, and a writer also for the readers after that writer. Then records t's own accesses:
 * in a second loop, so that a task with the same handle twice does not depend on itself. */
static void derive_dependences(struct task *t, int index)
{
    for (int b = 0; b < t->starpu.nbuffers; b++) {
        starpu_data_handle_t h = t->handle[b];
        bool writes = (t->mode[b] & STARPU_W) != 0;
        if (h->last_writer >= 0)
            depend(t, h->last_writer);
        for (int r = 0; writes && r < h->reader_count; r++)
            depend(t, h->readers[r]);
    }
    for (int b = 0; b < t->starpu.nbuffers; b++) {
        starpu_data_handle_t h = t->handle[b];
        if ((t->mode[b] & STARPU_W) != 0) {
            h->last_writer = index;
            late_writes += h->returned_in == waits; /* returned, and no wait since then */
            h->was_written = true;
            h->returned_in = 0;
            h->reader_count = 0;
        } else {
            h->readers = grow_if_full(h->readers, h->reader_count, sizeof *h->readers);
            h->readers[h->reader_count++] = index;
        }
    }
    t->chain += t->callback == NULL && t->starpu.cl_arg != NULL;
}

/* Runs the task's operation with the CPU kernels, unless its request has failed, and passes the
 * operation's outcome to the request. */
static void run_operation(struct task *t, struct task_args *args)
{
    void *buffers[256]; /* more than any task of the tests needs */
    if (request_skips(args->ctx.request, args->ctx.factorization))
        return;
    for (int b = 0; b < t->starpu.nbuffers; b++)
        buffers[b] = &t->handle[b]->interface;
    current = &t->starpu;
    request_fail(args->ctx.request,
                 args->run(startile_cpu_kernels[args->dtype], NULL, buffers, args));
    int64_t info = args->tile_status != NULL ? args->tile_status->info : 0;
    if (info > 0 && args->continues_on_zero_pivot)
        request_note_zero_pivot(args->ctx.request, args->panel_row + info, args->ctx.factorization);
    else if (info > 0)
        request_fail(args->ctx.request, args->panel_row + info);
}

static void run(struct task *t)
{
    t->has_run = true;
    if (t->callback != NULL)
        t->callback(t->arg);
    else if (t->starpu.cl_arg != NULL)
        run_operation(t, t->starpu.cl_arg);
}

static bool is_ready(const struct task *t)
{
    for (int d = 0; d < t->before_count; d++)
        if (!tasks[t->before[d]]->has_run)
            return false;
    return !t->has_run;
}

/* Returns whether the task's name is in `names`, in which a space follows each name. */
static bool is_one_of_names(const struct task *t, const char *names)
{
    size_t length = strlen(t->name);
    for (; *names != '\0'; names = strchr(names, ' ') + 1)
        if (strncmp(names, t->name, length) == 0 && names[length] == ' ')
            return true;
    return false;
}

/* Names of tasks that factor a diagonal tile or a panel, and of tasks that update. */
static const char panels[] = "potrf getrf getrf_nopiv geqrf ",
                  updates[] = "herk_gemm trsm_gemm laswp_trsm_gemm laswp larfb tpmqrt ";

/* Fills `ready` with the indices of all tasks that have not run and whose dependences have. Returns
 * their number. */
static int ready_tasks(int *ready)
{
    int count = 0;
    for (int n = first_unfinished; n < task_count; n++)
        if (is_ready(tasks[n]))
            ready[count++] = n;
    return count;
}

/* Compares two indices of tasks for qsort(): the higher priority first, equal priorities in the
 * order of submission. */
static int by_priority(const void *a, const void *b)
{
    const struct task *x = tasks[*(const int *)a], *y = tasks[*(const int *)b];
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return *(const int *)a < *(const int *)b ? -1 : 1;
}

/* With RANDOM runs one ready task, chosen at random; else the executor.workers ready tasks of the
 * highest priorities. Counts the panel tasks among the other ready ones if the task of the highest
 * priority is an update. */
static void run_some(int *ready, int count)
{
    static uint64_t state; /* of a linear congruential generator with Knuth's constants */
    state = (state ^ executor.seed) * 6364136223846793005u + 1442695040888963407u;
    if (executor.order == RANDOM) {
        run(tasks[ready[(state >> 33) % (uint64_t)count]]);
        return;
    }
    qsort(ready, (size_t)count, sizeof *ready, by_priority);
    for (int q = executor.workers; q < count; q++)
        left_behind +=
            is_one_of_names(tasks[ready[q]], panels) && is_one_of_names(tasks[ready[0]], updates);
    for (int q = 0; q < count && q < executor.workers; q++)
        run(tasks[ready[q]]);
}

/* Runs all submitted tasks. */
static void run_all(void)
{
    while (first_unfinished < task_count) {
        int *ready = malloc(sizeof *ready * (size_t)(task_count - first_unfinished));
        int count = ready_tasks(ready);
        run_some(ready, count);
        free(ready);
        while (first_unfinished < task_count && tasks[first_unfinished]->has_run)
            first_unfinished++;
    }
}

/* Submits t, which add_task() has returned last. With AT_ONCE also runs it. */
static void submit(struct task *t)
{
    derive_dependences(t, task_count - 1);
    if (executor.order == AT_ONCE)
        run_all();
}

void task_submit(struct starpu_task *t, struct work w)
{
    const struct task_args *args = t->cl_arg;
    (void)w;
    if (args->ctx.gate != NO_GATE)
        task_access(t, args->ctx.request->gate,
                    args->ctx.gate == OPENS_GATE ? STARPU_RW : STARPU_R);
    submit((struct task *)t);
}

/* Submits a task that accesses one handle and calls the callback, if any, in place of an
 * operation. */
static void submit_access(const char *name, starpu_data_handle_t handle,
                          enum starpu_data_access_mode mode, void (*callback)(void *), void *arg)
{
    struct task *t = add_task(name);
    t->callback = callback;
    t->arg = arg;
    task_access(&t->starpu, handle, mode);
    submit(t);
}

int64_t startile_request_outcome(startile_request *r, starpu_data_handle_t *outcome)
{
    (void)r;
    register_order(outcome);
    struct task *t = add_task("outcome");
    task_access(&t->starpu, *outcome, STARPU_W);
    for (int n = 0; n < task_count - 1; n++)
        depend(t, n);
    submit(t);
    release_handle(*outcome); /* executor_reset() frees it */
    return 0;
}

void executor_reset(void)
{
    for (int n = 0; n < task_count; n++) {
        free(tasks[n]->starpu.cl_arg);
        free(tasks[n]->handle);
        free(tasks[n]->mode);
        free(tasks[n]->before);
        free(tasks[n]);
    }
    free(tasks);
    tasks = NULL;
    task_count = first_unfinished = late_writes = left_behind = 0;
    free_released();
}

/* -- counts ----------------------------------------------------------------------------------- */

int executor_tasks(const char *name)
{
    int count = 0;
    for (int n = 0; n < task_count; n++)
        count +=
            tasks[n]->starpu.cl_arg != NULL && (name == NULL || strcmp(tasks[n]->name, name) == 0);
    return count;
}

int executor_tasks_at(enum gate gate)
{
    int count = 0;
    for (int n = 0; n < task_count; n++) {
        const struct task_args *args = tasks[n]->starpu.cl_arg;
        count += args != NULL && args->ctx.gate == gate;
    }
    return count;
}

int executor_longest_chain(void)
{
    int longest = 0;
    for (int n = 0; n < task_count; n++)
        longest = tasks[n]->chain > longest ? tasks[n]->chain : longest;
    return longest;
}

int executor_panels_left_behind(void)
{
    return left_behind;
}

int executor_late_writes(void)
{
    return late_writes;
}

int executor_unreturned_tiles(const startile_matrix *A)
{
    int count = 0;
    for (int64_t t = 0; t < A->shape.mt * A->shape.nt; t++)
        count += A->tiles[t]->was_written && A->tiles[t]->returned_in == 0;
    return count;
}

int executor_live_objects(void)
{
    return live_objects;
}

/* -- functions of StarPU and of the runtime that the operations call --------------------------
 * Capacity always suffices; coordinates, traces and idle hints have no effect. */

struct starpu_task *starpu_task_get_current(void)
{
    return current;
}

uint32_t starpu_matrix_get_nx(starpu_data_handle_t h)
{
    return h->interface.nx;
}

uint32_t starpu_matrix_get_local_ld(starpu_data_handle_t h)
{
    return h->interface.ld;
}

void *starpu_data_handle_to_pointer(starpu_data_handle_t h, unsigned node)
{
    (void)node;
    return (void *)h->interface.ptr;
}

void *starpu_data_get_interface_on_node(starpu_data_handle_t h, unsigned node)
{
    (void)node;
    return &h->interface;
}

void starpu_data_set_coordinates(starpu_data_handle_t h, unsigned dimensions, ...)
{
    (void)h, (void)dimensions;
}

void set_per_process(starpu_data_handle_t h)
{
    (void)h;
}

void zero_submit(starpu_data_handle_t h)
{
    (void)h; /* all data begins with zeros */
}

bool is_per_process(starpu_data_handle_t h)
{
    (void)h;
    return false;
}

void handle_zero_before_read(starpu_data_handle_t h)
{
    (void)h;
}

int handle_acquire_in_main_memory(starpu_data_handle_t h, enum starpu_data_access_mode mode)
{
    (void)h, (void)mode;
    run_all();
    return 0;
}

void handle_release(starpu_data_handle_t h, int node)
{
    (void)h, (void)node;
}

int starpu_data_acquire_on_node_cb(starpu_data_handle_t h, int node,
                                   enum starpu_data_access_mode mode, void (*callback)(void *),
                                   void *arg)
{
    (void)node;
    submit_access("acquire", h, mode, callback, arg);
    return 0;
}

void starpu_data_release_on_node(starpu_data_handle_t h, int node)
{
    (void)h, (void)node;
}

void starpu_data_invalidate_submit(starpu_data_handle_t h)
{
    (void)h;
}

void starpu_data_unregister(starpu_data_handle_t h)
{
    run_all();
    release_handle(h);
}

void profile_forget(starpu_data_handle_t h);
void profile_forget(starpu_data_handle_t h)
{
    (void)h;
}

struct buffer matrix_buffer(const void *interface)
{
    const struct starpu_matrix_interface *i = interface;
    return (struct buffer){(void *)i->ptr, (int)i->ld, (int)i->nx, (int)i->ny};
}

bool library_unusable_after_fork(void)
{
    return false;
}

bool runtime_is_up(void)
{
    return true;
}

void runtime_hold(void)
{
}

void runtime_release(void)
{
}

/* Returns true, so that panels compute inverses as they do for GPUs. */
bool runtime_has_cuda(void)
{
    return true;
}

bool takes_whole(const startile_matrix *A, const startile_matrix *V)
{
    (void)A;
    (void)V;
    return false;
}

bool is_on_cores(const startile_matrix *A)
{
    (void)A;
    return false;
}

/* Returns true in the runs with tasks on single tiles. */
bool is_shared_product(const startile_matrix *A, const startile_matrix *R, int64_t height)
{
    (void)A, (void)R, (void)height;
    return executor.tiles_per_task == 1;
}

bool runtime_is_reproducible(void)
{
    return false;
}

int64_t runtime_tiles_at_a_time(startile_dtype dtype, int64_t n)
{
    (void)dtype, (void)n;
    return executor.tiles_per_task;
}

void *startile_malloc(size_t bytes)
{
    return malloc(bytes);
}

void startile_free(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

bool fits_each_memory(startile_dtype dtype, int64_t m, int64_t n)
{
    (void)dtype, (void)m, (void)n;
    return true;
}

bool has_capacity(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns)
{
    (void)r, (void)A, (void)rows, (void)columns;
    return true;
}

bool has_capacity_for_all(startile_request *r, const startile_matrix *A)
{
    (void)r, (void)A;
    return true;
}

bool has_capacity_for_copy(startile_request *r, const startile_matrix *A, int64_t columns)
{
    (void)r, (void)A, (void)columns;
    return true;
}

int64_t blocks_of_a_task(const startile_matrix *A)
{
    (void)A;
    return 1;
}

int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels)
{
    (void)rows, (void)has_whole_panels;
    int64_t remaining = A->shape.nt - first;
    return executor.columns_at_a_time > 0 && executor.columns_at_a_time < remaining
               ? executor.columns_at_a_time
               : remaining;
}

int64_t columns_of_group(const startile_matrix *A)
{
    return executor.owners > 0 ? 2 : A->shape.nt;
}

int64_t columns_of_task(const startile_matrix *A)
{
    return executor.owners > 0 ? 2 : A->shape.nt;
}

int runtime_owners(void)
{
    return executor.owners;
}

void hint_idle(tile A)
{
    (void)A;
}

int64_t task_workers(void)
{
    return executor.workers;
}

void announce_factorization(const startile_matrix *A, double share, int64_t finished_columns)
{
    (void)A, (void)share, (void)finished_columns;
}

void end_announcement(void)
{
}

/* -- verification: off ------------------------------------------------------------------------ */

int request_verify(const startile_request *r)
{
    (void)r;
    return 0;
}

void request_note_corruption(startile_request *r, const startile_corruption *found)
{
    (void)r, (void)found;
}

struct attempts *request_attempts(const startile_request *r)
{
    (void)r;
    return NULL;
}

void request_set_attempts(startile_request *r, struct attempts *a)
{
    (void)r, (void)a;
}

void request_forget_info(startile_request *r)
{
    (void)r;
}

int64_t startile_request_set_verify(startile_request *r, int level)
{
    (void)r, (void)level;
    return 0;
}

/* -- journals: the executor's matrices have none ---------------------------------------------- */

bool has_journal(const startile_matrix *A)
{
    (void)A;
    return false;
}

bool journaled_begin(context ctx, const factorization *f)
{
    (void)ctx, (void)f;
    return false;
}

int64_t journaled_group(const startile_matrix *A)
{
    (void)A;
    return 1;
}

int64_t journaled_finished(const startile_matrix *A, bool again)
{
    (void)again;
    return startile_matrix_shape(A).nt;
}

bool journaled_save(context ctx, const startile_matrix *A, int64_t first, int64_t last, bool again)
{
    (void)ctx, (void)A, (void)first, (void)last, (void)again;
    return false;
}

bool journaled_finish(context ctx, const startile_matrix *A, int64_t first, int64_t last,
                      bool again)
{
    (void)ctx, (void)A, (void)first, (void)last, (void)again;
    return false;
}

/* -- matrices --------------------------------------------------------------------------------- */

/* Makes a matrix of the tiles of a, or of new tiles if a is NULL. */
static int make_matrix(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, char *a,
                       int64_t lda, int64_t mb, int64_t nb)
{
    int64_t mt = (m + mb - 1) / mb, nt = (n + nb - 1) / nb;
    size_t size = (size_t)startile_element_size[dtype];
    *A = calloc(1, sizeof **A);
    (*A)->shape = (startile_shape){dtype, m, n, mb, nb, mt, nt};
    (*A)->kind = a != NULL ? MATRIX_WRAPPED : MATRIX_OWNED;
    (*A)->tiles = calloc((size_t)(mt * nt) + 1, sizeof *(*A)->tiles);
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = 0; i < mt; i++) {
            tile t = {*A, i, j, 'N'};
            register_matrix(&(*A)->tiles[i + j * mt], a != NULL ? STARPU_MAIN_RAM : -1,
                            (uintptr_t)(a + (size_t)(i * mb + j * nb * lda) * size), lda,
                            tile_rows(t), tile_columns(t), size);
        }
    return 0;
}

int64_t startile_matrix_create(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                               int64_t mb, int64_t nb)
{
    return make_matrix(A, dtype, m, n, NULL, m, mb, nb);
}

int64_t startile_matrix_wrap(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                             void *a, int64_t lda, int64_t mb, int64_t nb)
{
    return make_matrix(A, dtype, m, n, a, lda, mb, nb);
}

/* Releases the matrix whose first member is `owned`. executor_reset() frees its tiles later,
 * because tasks may still use them. */
static void release_matrix(temporary *owned)
{
    startile_matrix *A = (startile_matrix *)owned;
    for (int64_t t = 0; t < A->shape.mt * A->shape.nt; t++)
        release_handle(A->tiles[t]);
    free(A->tiles);
    free(A);
}

void startile_matrix_destroy(startile_matrix *A)
{
    run_all();
    if (A != NULL)
        release_matrix(&A->owned);
}

startile_shape startile_matrix_shape(const startile_matrix *A)
{
    return A == NULL ? (startile_shape){0} : A->shape;
}

starpu_data_handle_t tile_handle(tile t)
{
    return t.A->tiles[t.i + t.j * t.A->shape.mt];
}

starpu_data_handle_t tile_handle_for(tile t, enum starpu_data_access_mode mode)
{
    (void)mode;
    return tile_handle(t);
}

int64_t tile_rows(tile t)
{
    int64_t remaining = t.A->shape.m - t.i * t.A->shape.mb;
    return remaining < t.A->shape.mb ? remaining : t.A->shape.mb;
}

int64_t tile_columns(tile t)
{
    int64_t remaining = t.A->shape.n - t.j * t.A->shape.nb;
    return remaining < t.A->shape.nb ? remaining : t.A->shape.nb;
}

void own_matrix(context ctx, startile_matrix *A)
{
    own_temporary(ctx, &A->owned, release_matrix);
}

startile_matrix *temporary_matrix(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                  int64_t mb, int64_t nb)
{
    startile_matrix *made;
    startile_matrix_create(&made, A->shape.dtype, m, n, mb, nb);
    own_matrix(ctx, made);
    return made;
}

startile_matrix *temporary_in_one_row(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                      int64_t mb, int64_t nb)
{
    return temporary_matrix(ctx, A, m, n, mb, nb);
}

startile_matrix *temporary_of_type(context ctx, startile_dtype dtype, startile_shape shape)
{
    startile_matrix *made;
    startile_matrix_create(&made, dtype, shape.m, shape.n, shape.mb, shape.nb);
    own_matrix(ctx, made);
    return made;
}

startile_matrix *temporary_on_grid(context ctx, const startile_matrix *A, startile_dtype dtype,
                                   startile_shape shape)
{
    (void)A;
    return temporary_of_type(ctx, dtype, shape);
}

/* Records the return of a tile. Only tiles of wrapped matrices have host memory to return to. */
void return_to_host(context ctx, tile A)
{
    (void)ctx;
    submit_access("return", tile_handle(A), STARPU_R, NULL, NULL);
    tile_handle(A)->returned_in = A.A->kind == MATRIX_WRAPPED ? waits : 0;
}

/* -- requests --------------------------------------------------------------------------------- */

int64_t startile_request_create(startile_request **request)
{
    *request = calloc(1, sizeof **request);
    (*request)->zero_pivot_factorization = INT_MAX;
    (*request)->first.request = *request;
    register_order(&(*request)->info);
    live_objects++;
    return 0;
}

int64_t startile_request_wait(startile_request *r)
{
    run_all();
    release_temporaries(context_of(r), NULL);
    waits++; /* the next routine may write tiles that this one has returned */
    return request_outcome(r);
}

void startile_request_destroy(startile_request *r)
{
    startile_request_wait(r);
    release_handle(r->info);
    if (r->gate != NULL)
        release_handle(r->gate);
    for (struct tile_status_slab *slab = r->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        free(slab->statuses);
        free(slab);
    }
    live_objects--;
    free(r);
}

startile_request *request_start(void)
{
    startile_request *r;
    startile_request_create(&r);
    return r;
}

int64_t request_finish(startile_request *r, int result)
{
    int64_t code = startile_request_wait(r);
    startile_request_destroy(r);
    return result != 0 ? result : code;
}

void request_fail(startile_request *r, int64_t code)
{
    if (r->outcome == 0)
        r->outcome = code;
}

void request_note_zero_pivot(startile_request *r, int64_t info, int factorization)
{
    if (factorization < r->zero_pivot_factorization) {
        r->zero_pivot = info;
        r->zero_pivot_factorization = factorization;
    }
}

int64_t request_outcome(startile_request *r)
{
    return r->outcome != 0 ? r->outcome : r->zero_pivot;
}

int64_t request_agree(startile_request *r)
{
    return request_outcome(r);
}

void request_join_grid(startile_request *r, const startile_matrix *A)
{
    (void)r, (void)A;
}

bool request_skips(startile_request *r, int factorization)
{
    return r->outcome != 0 || factorization > r->zero_pivot_factorization;
}

struct stage *request_begin_one(startile_request *r)
{
    r->unfinished++;
    return &r->first;
}

void request_end_one(struct stage *whole)
{
    whole->request->unfinished--;
}

/* Counts the task in the request; one process needs no stages. */
struct stage *stage_begin_one(context ctx)
{
    return request_begin_one(ctx.request);
}

void stage_end_one(struct stage *s)
{
    request_end_one(s);
}

void stage_add_bytes(struct stage *s, starpu_data_handle_t handle)
{
    (void)s, (void)handle;
}

void stage_note_copies(context ctx, starpu_data_handle_t handle)
{
    (void)ctx, (void)handle;
}

context begin_step(context ctx, const startile_matrix *A, int64_t k)
{
    (void)A;
    ctx.before = newest_temporary(ctx);
    ctx.step = k;
    return ctx;
}

context begin_paced_step(context ctx, const startile_matrix *A, int64_t k)
{
    return begin_step(ctx, A, k);
}

void end_step(context ctx)
{
    release_temporaries(ctx, ctx.before);
}

startile_tile_status *request_tile_status(startile_request *r)
{
    struct tile_status_slab *slab = calloc(1, sizeof *slab);
    slab->statuses = calloc(1, sizeof *slab->statuses);
    slab->next = r->slabs;
    r->slabs = slab;
    return slab->statuses;
}

/* Returns ctx, and gives the request a new info, as the library does (request/context.h). */
context begin_factorization(context ctx)
{
    release_handle(ctx.request->info);
    register_order(&ctx.request->info);
    return ctx;
}

/* -- holds: a test submits no task of its own during an operation -------------------------------
 */

struct hold {
    temporary owned;
    decision *ended;
    void *arg;
};

static void release_hold(temporary *owned)
{
    free(owned);
}

hold *hold_begin(context ctx)
{
    hold *h = calloc(1, sizeof *h);
    own_temporary(ctx, &h->owned, release_hold);
    return h;
}

void hold_matrix(hold *h, char uplo, const startile_matrix *A, bool has_values)
{
    (void)h, (void)uplo, (void)A, (void)has_values;
}

void hold_pivots(hold *h, const startile_pivots *P)
{
    (void)h, (void)P;
}

bool hold_submit(hold *h)
{
    (void)h;
    return true;
}

void request_use_hold(startile_request *r, hold *h)
{
    r->hold = h;
}

static void call_ended(void *arg)
{
    hold *h = arg;
    h->ended(h->arg);
}

/* Submits a task that waits for all others and calls ended(arg). */
void hold_end(hold *h, decision *ended, void *arg)
{
    h->ended = ended;
    h->arg = arg;
    struct task *t = add_task("end of hold");
    t->callback = call_ended;
    t->arg = h;
    for (int n = 0; n < task_count - 1; n++)
        if (!tasks[n]->has_run)
            depend(t, n);
    submit(t);
}

/* -- grids: the executor has none ------------------------------------------------------------ */

void request_use_grid(startile_request *r, startile_grid *grid)
{
    r->grid = grid;
}

void task_at_first_owner(struct starpu_task *t, startile_grid *grid)
{
    (void)t, (void)grid;
}

startile_team *task_team_open(int64_t most)
{
    (void)most;
    return NULL;
}

void task_team_close(startile_team *team)
{
    (void)team;
}

int create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, int64_t mb,
                       int64_t nb, startile_grid *grid)
{
    (void)grid;
    return startile_matrix_create(A, dtype, m, n, mb, nb);
}

int64_t startile_matrix_create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m,
                                           int64_t n, int64_t mb, int64_t nb, startile_grid *grid)
{
    return create_distributed(A, dtype, m, n, mb, nb, grid);
}

int64_t startile_matrix_wrap_local(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                   void *local, int64_t lld, int64_t mb, int64_t nb,
                                   startile_grid *grid)
{
    (void)grid;
    return startile_matrix_wrap(A, dtype, m, n, local, lld, mb, nb);
}

void upload_tile(context ctx, tile T)
{
    (void)ctx;
    (void)T;
}
